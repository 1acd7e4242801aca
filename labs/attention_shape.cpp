#include "labs/attention_shape.hpp"

#include <algorithm>
#include <cmath>

#include "engine/numbers.hpp"
#include "labs/sizes.hpp"

namespace tilescope {
namespace {

std::vector<float> values_of(DType type) {
  HostBuffer all(type, 1 << 16);
  for (size_t bits = 0; bits < all.count(); ++bits) all.as<uint16_t>()[bits] = static_cast<uint16_t>(bits);
  std::vector<float> values(all.count());
  for (size_t bits = 0; bits < all.count(); ++bits) values[bits] = static_cast<float>(value_at(all, bits));
  return values;
}

}  // namespace

AttentionShape::AttentionShape(const Config& config)
    : batch(config.size("batch")),
      heads(config.size("heads")),
      kv_heads(config.size("kv_heads")),
      queries(config.size("queries")),
      keys(config.size("keys")),
      depth(config.param("HEAD_DIM")),
      causal(config.param("CAUSAL") == 1),
      type(config.param("DTYPE") == 1 ? DType::bf16 : DType::f16) {}

int64_t AttentionShape::visible(int64_t query) const {
  return causal ? std::clamp<int64_t>(query + keys - queries + 1, 0, keys) : keys;
}

double AttentionShape::pairs() const {
  const auto q = static_cast<double>(queries), k = static_cast<double>(keys), all = static_cast<double>(all_heads());
  if (!causal) return all * q * k;
  // The last min(q, k) queries see one key more each, up to all of them.
  const double triangle = std::min(q, k);
  return all * (triangle * (k - triangle) + triangle * (triangle + 1) / 2);
}

double AttentionShape::scale() const { return 1 / std::sqrt(static_cast<double>(depth)); }

PeakRate attention_rate(const Config& config, bool tensor_cores) {
  if (!tensor_cores) return PeakRate::fp32;
  return AttentionShape(config).type == DType::f16 ? PeakRate::fp16 : PeakRate::bf16;
}

std::vector<Size> make_attention_sizes(int64_t length) {
  const SizeLimits length_limits{length, 4096, int64_t{1} << 20, int64_t{1} << 20};
  const auto up_to_1024 = [](int64_t value, int64_t gpu_value) { return SizeLimits{value, gpu_value, 1024, 1024}; };
  const std::vector<int64_t> lengths{1,    16,   64,   100,  128,  200,   256,   500,  512,
                                     1000, 1024, 2048, 4096, 8192, 16384, 32768, 65536},
      counts{1, 2, 4, 8, 16, 32, 64};
  const Text heads{"heads", "头"};
  return {size_from_one("batch", {"Batch", "批量"}, {"sequences", "序列"}, up_to_1024(1, 2), counts),
          size_from_one("heads", {"Heads", "头数"}, heads, up_to_1024(2, 16), counts),
          size_from_one("kv_heads", {"Heads of K and V", "K、V 的头数"}, heads, up_to_1024(1, 16), counts),
          size_from_one("queries", {"Queries", "查询数"}, {"queries", "查询"}, length_limits, lengths),
          size_from_one("keys", {"Keys and values", "键与值的个数"}, {"keys", "键"}, length_limits, lengths)};
}

std::vector<Param> make_attention_params() {
  const Text elements{"elements", "元素"}, warps{"warps", "线程束"};
  const Param causal = make_choice("CAUSAL", {"Mask", "掩码"},
                                   {"With a causal mask a query sees no later key; the last query sees the last key.",
                                    "因果掩码下，查询看不到更晚的键；最后一个查询看得到最后一个键。"},
                                   {{"off", {"full", "无掩码"}}, {"on", {"causal", "因果"}}});
  Param type =
      make_choice("DTYPE", {"Element type", "元素类型"},
                  {"Type of Q, K, V and the results in memory: fp16 has 11 significant bits, bf16 has 8 and the range "
                   "of a float. Accumulation is in fp32.",
                   "Q、K、V 与结果在内存里的类型：fp16 有 11 位有效位；bf16 有 8 位，范围与 float 相同。累加用 fp32。"},
                  {{"fp16", {"fp16, 2 bytes", "fp16，2 字节"}}, {"bf16", {"bf16, 2 bytes", "bf16，2 字节"}}});
  type.value = 1;  // as most models are trained
  return {{.name = "HEAD_DIM",
           .title = {"Head dimension", "头维度"},
           .unit = elements,
           .help = {"Elements of a row of Q, K and V.", "Q、K、V 每行的元素个数。"},
           .value = 64,
           .min = 64,
           .max = 128,
           .scale = Scale::power_of_two,
           .gpu_value = 128,
           .of_problem = true},
          causal,
          type,
          {.name = "BLOCK_M",
           .title = {"BLOCK_M, queries", "BLOCK_M，查询"},
           .unit = {"queries", "查询"},
           .help = {"Queries of a tile of scores.", "一块得分里的查询数。"},
           .value = 128,
           .min = 64,
           .max = 128,
           .scale = Scale::power_of_two},
          {.name = "BLOCK_N",
           .title = {"BLOCK_N, keys", "BLOCK_N，键"},
           .unit = {"keys", "键"},
           .help = {"Keys of a tile of scores.", "一块得分里的键数。"},
           .value = 64,
           .min = 64,
           .max = 128,
           .scale = Scale::power_of_two},
          {.name = "STAGES",
           .title = {"Stages", "流水级数"},
           .unit = {"blocks", "块"},
           .help = {"K/V blocks that shared memory holds: one is multiplied while the others are in flight.",
                    "共享内存容纳的 K/V 块数：一块在计算，其余在途。"},
           .value = 2,
           .min = 2,
           .max = 4},
          {.name = "WARPS",
           .title = {"Warps per CTA", "每个线程块的线程束数"},
           .unit = warps,
           .help = {"The warps split the queries of the tile: 16 or 32 for each.",
                    "它们分摊这一块的查询，每个 16 或 32 个。"},
           .value = 4,
           .min = 4,
           .max = 8,
           .scale = Scale::power_of_two}};
}

BreakIt make_tile_barrier_switch(std::vector<std::string> rungs, std::vector<Plant> plants) {
  return {.name = "NO_BARRIER",
          .title = {"Remove the barriers of the loop", "去掉循环里的屏障"},
          .help = {"A tile is overwritten while another warp still reads it.", "一块数据还有线程束在读，就被覆盖了。"},
          .plants = std::move(plants),
          .rungs = std::move(rungs)};
}

BufferSpec make_heads(std::string name, const AttentionShape& shape, bool of_keys, Role role) {
  return {
      .name = std::move(name),
      .type = shape.type,
      .shape = {shape.batch, of_keys ? shape.kv_heads : shape.heads, of_keys ? shape.keys : shape.queries, shape.depth},
      .role = role,
      .fill = role == Role::input ? Fill::normal : Fill::poison};
}

BufferSpec make_row_values(std::string name, const AttentionShape& shape, Role role) {
  return {.name = std::move(name),
          .type = DType::f32,
          .shape = {shape.batch, shape.heads, shape.queries},
          .role = role,
          .fill = role == Role::input ? Fill::normal : Fill::poison};
}

Result<void> check_heads(const Config& config) {
  const AttentionShape shape(config);
  if (shape.heads % shape.kv_heads != 0)
    return fail(ErrorId::parameter_range, "kv_heads", shape.kv_heads,
                phrase("what divides heads = {}: each head of K and V serves as many heads of Q", shape.heads));
  if (shape.all_heads() > 65535)
    return fail(
        ErrorId::parameter_range, "heads", shape.heads,
        phrase("at most {} with batch = {}: a grid has 65,535 CTAs in y and z", 65535 / shape.batch, shape.batch));
  return {};
}

Halves::Halves(const HostBuffer& buffer) : bits_(buffer.as<uint16_t>()) {
  static const std::vector<float> halves = values_of(DType::f16), brains = values_of(DType::bf16);
  values_ = buffer.type == DType::bf16 ? brains.data() : halves.data();
}

std::vector<double> scores_of(const AttentionShape& shape, const Halves& q, const Halves& k, int64_t head,
                              int64_t query) {
  const int64_t depth = shape.depth, from_q = (head * shape.queries + query) * depth;
  const int64_t from_k = head / shape.group() * shape.keys * depth;
  std::vector<double> scores(static_cast<size_t>(shape.visible(query)));
  std::vector<double> of_q(static_cast<size_t>(depth));
  for (int64_t d = 0; d < depth; ++d) of_q[static_cast<size_t>(d)] = q[from_q + d] * shape.scale();
  for (size_t key = 0; key < scores.size(); ++key) {
    double score = 0;
    const int64_t row = from_k + static_cast<int64_t>(key) * depth;
    for (int64_t d = 0; d < depth; ++d) score += of_q[static_cast<size_t>(d)] * k[row + d];
    scores[key] = score;
  }
  return scores;
}

double log_sum_exp(const std::vector<double>& scores) {
  if (scores.empty()) return -HUGE_VAL;
  const double max = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - max);
  return max + std::log(sum);
}

}  // namespace tilescope
