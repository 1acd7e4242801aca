// Lab "attention-backward": the gradients of attention with respect to Q, K and V. kernels/attention_backward.cu holds
// the rungs.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/numbers.hpp"
#include "engine/specs.hpp"
#include "labs/attention_shape.hpp"
#include "labs/predict.hpp"

namespace tilescope::attention_backward_lab {
namespace {

constexpr int64_t kBlockM = 64;  // queries of a step, as the kernel has it
// A rung's own scratch comes last, so that all rungs can be timed on the buffers of the one that has the most.
enum Buffer : size_t { kQ, kK, kV, kO, kDo, kLse, kDq, kDk, kDv, kRows, kDqSums };

int64_t padded_queries(const AttentionShape& shape) { return ceil_divide(shape.queries, kBlockM) * kBlockM; }

/// O and lse as the forward pass would leave them, up to the sampling error of a row: for N(0, 1) scores lse is
/// log(keys) + 1/2, and O a mean of values, of deviation √(e / keys). Whatever they are, the gradients are defined by
/// the formulas, and the reference uses the same.
std::vector<BufferSpec> make_buffers(const Config& config) {
  const AttentionShape shape(config);
  const auto keys = static_cast<double>(shape.keys);
  BufferSpec o = make_heads("o", shape, false, Role::input), lse = make_row_values("lse", shape, Role::input);
  o.fill_values = {0, std::sqrt(std::numbers::e / keys)};
  lse.fill_values = {std::log(keys) + 0.5, 0.1};
  return {make_heads("q", shape, false, Role::input),   make_heads("k", shape, true, Role::input),
          make_heads("v", shape, true, Role::input),    o,
          make_heads("d_o", shape, false, Role::input), lse,
          make_heads("dq", shape, false, Role::output), make_heads("dk", shape, true, Role::output),
          make_heads("dv", shape, true, Role::output)};
}

std::vector<BufferSpec> make_buffers_with(const Config& config, std::vector<BufferSpec> scratch) {
  std::vector<BufferSpec> buffers = make_buffers(config);
  for (BufferSpec& one : scratch) {
    one.role = Role::scratch;
    one.fill = Fill::poison;
    buffers.push_back(std::move(one));
  }
  return buffers;
}

Argument whole(int64_t value) { return scalar(static_cast<int32_t>(value)); }
uint32_t extent(int64_t value) { return static_cast<uint32_t>(value); }

/// The kernels' struct of the same name.
Argument sizes_of(const AttentionShape& shape) {
  struct Sizes {
    int32_t group, queries, keys;
    float scale;
  };
  const Sizes sizes{static_cast<int32_t>(shape.group()), static_cast<int32_t>(shape.queries),
                    static_cast<int32_t>(shape.keys), static_cast<float>(shape.scale())};
  ScalarArgument argument{std::vector<std::byte>(sizeof(sizes)), "sizes", {}};
  std::memcpy(argument.bytes.data(), &sizes, sizeof(sizes));
  return argument;
}

/// A warp for each row, four to a CTA.
Launch launch_rows(const std::string& kernel, int64_t rows, std::vector<Argument> arguments) {
  return {.kernel = kernel, .grid = {extent(ceil_divide(rows, 4))}, .block = {128}, .arguments = std::move(arguments)};
}

std::vector<Launch> launch_fp32(const Config& config) {
  const AttentionShape shape(config);
  const BufferArgument q{kQ}, k{kK}, v{kV}, o{kO}, d_o{kDo}, lse{kLse}, dq{kDq}, dk{kDk}, dv{kDv}, sums{kRows};
  const int64_t of_keys = shape.batch * shape.kv_heads * shape.keys;
  return {
      launch_rows("row_sums", shape.rows(), {o, d_o, sums, whole(shape.rows())}),
      launch_rows("gradients_of_queries", shape.rows(),
                  {q, k, v, d_o, lse, sums, dq, whole(shape.rows()), sizes_of(shape)}),
      launch_rows("gradients_of_keys", of_keys, {q, k, v, d_o, lse, sums, dk, dv, whole(of_keys), sizes_of(shape)})};
}

/// K, V and dS of a CTA's keys, and two stages of Q, dO and two floats for each query.
int64_t mma_shared_bytes(const Config& config) {
  const int64_t row = 2 * config.param("HEAD_DIM"), n = config.param("BLOCK_N");
  return 2 * n * row + n * kBlockM * 2 + 2 * (2 * kBlockM * row + kBlockM * 8);
}

std::vector<Launch> launch_mma(const Config& config) {
  const AttentionShape shape(config);
  const BufferArgument q{kQ}, k{kK}, v{kV}, o{kO}, d_o{kDo}, lse{kLse}, info{kRows}, sums{kDqSums};
  const int64_t padded = padded_queries(shape), n = config.param("BLOCK_N");
  Launch prepare = launch_rows("prepare_rows", padded, {o, d_o, lse, info, sums, whole(padded), sizes_of(shape)});
  prepare.grid.y = extent(shape.all_heads());
  Launch gradients{.kernel = "gradients_mma",
                   .grid = {extent(ceil_divide(shape.keys, n)), extent(shape.batch * shape.kv_heads)},
                   .block = {extent(2 * n)},
                   .shared_bytes = extent(mma_shared_bytes(config)),
                   .arguments = {q, k, v, d_o, info, sums, BufferArgument{kDk}, BufferArgument{kDv}, sizes_of(shape)}};
  Launch round{.kernel = "round_dq",
               .grid = {extent(padded / kBlockM), extent(shape.all_heads())},
               .block = {extent(2 * n)},
               .arguments = {sums, BufferArgument{kDq}, sizes_of(shape)}};
  return {prepare, gradients, round};
}

Pick pick_tiles(const Config& config, const GpuSpec& gpu) {
  const AttentionShape shape(config);
  const int64_t multiprocessors = gpu.multiprocessors;
  const int64_t ctas = ceil_divide(shape.keys, 128) * shape.batch * shape.kv_heads;
  if (ctas < multiprocessors)
    return {"mma-one-pass",
            {{"BLOCK_N", 64}},
            {fmt::format("Blocks of 128 keys would be {} CTAs for {} multiprocessors, so a CTA has 64.", ctas,
                         multiprocessors),
             fmt::format("每块 128 个键只有 {} 个线程块，而 SM 有 {} 个，所以一个线程块只取 64 个。", ctas,
                         multiprocessors)}};
  return {
      "mma-one-pass",
      {{"BLOCK_N", 128}},
      {fmt::format("{} CTAs of 128 keys fill {} multiprocessors; each reads Q and dO, and adds to dQ, half as often "
                   "as with 64.",
                   with_separators(ctas), multiprocessors),
       fmt::format("{} 个各取 128 个键的线程块足以填满 {} 个 SM；与 64 个键相比，读 Q、dO 和累加 dQ 的次数减半。",
                   with_separators(ctas), multiprocessors)}};
}

std::vector<Rung> make_rungs() {
  std::vector<Rung> rungs;
  rungs.push_back(
      {.name = "recompute-fp32",
       .title = {"P recomputed, fp32", "重新计算 P，fp32"},
       .kernels = {"gradients_of_keys", "gradients_of_queries", "row_sums"},
       .params = {"HEAD_DIM", "CAUSAL", "DTYPE"},
       .shown_kernels = {"gradients_of_keys"},
       .launches = launch_fp32,
       .grid_formula =
           [](const Config& config) {
             const int64_t rows = AttentionShape(config).rows();
             return fmt::format("⌈{} / 4⌉ = {}", with_separators(rows), with_separators(ceil_divide(rows, 4)));
           },
       .buffers =
           [](const Config& config) {
             const AttentionShape shape(config);
             return make_buffers_with(config, {{.name = "sums", .shape = {shape.batch, shape.heads, shape.queries}}});
           },
       .check = check_heads});
  rungs.push_back({.name = "mma-one-pass",
                   .title = {"mma.sync, one pass", "mma.sync，一遍完成"},
                   .kernels = {"gradients_mma", "prepare_rows", "round_dq"},
                   .params = {"HEAD_DIM", "CAUSAL", "DTYPE", "BLOCK_N"},
                   .shown_kernels = {"gradients_mma"},
                   .launches = launch_mma,
                   .grid_formula =
                       [](const Config& config) {
                         const AttentionShape shape(config);
                         const int64_t n = config.param("BLOCK_N"), blocks = ceil_divide(shape.keys, n);
                         return fmt::format("⌈{} / {}⌉ × {} × {} = {}", with_separators(shape.keys), n, shape.kv_heads,
                                            shape.batch, with_separators(blocks * shape.kv_heads * shape.batch));
                       },
                   .buffers =
                       [](const Config& config) {
                         const AttentionShape shape(config);
                         const int64_t padded = padded_queries(shape);
                         return make_buffers_with(
                             config, {{.name = "info", .shape = {shape.batch, shape.heads, 2 * padded}},
                                      {.name = "dq_sums", .shape = {shape.batch, shape.heads, padded, shape.depth}}});
                       },
                   .check = check_heads});
  rungs.push_back(
      {.name = "auto", .title = {"Auto", "自动"}, .params = {"HEAD_DIM", "CAUSAL", "DTYPE"}, .pick = pick_tiles});
  return rungs;
}

std::vector<BreakIt> make_switches() {
  return {{.name = "NO_ROW_SUM",
           .title = {"Forget the row sums", "忘掉行和"},
           .help = {"dS = P ∘ dP: a larger score no longer takes weight from the others.",
                    "dS = P ∘ dP：一个得分变大时，不再从别的得分那里拿走权重。"},
           .plants = {{.in = "sum_of_products", .replace = "return dot(d_o, o);", .by = "return 0;"}}},
          {.name = "PLAIN_ADD",
           .title = {"Add to dQ without atomics", "不用原子操作累加 dQ"},
           .help = {"CTAs of different keys add to the same elements, and updates are lost.",
                    "处理不同键的线程块往同一些元素上累加，会丢失更新。"},
           .plants = {{.in = "add_to_dq", .replace = "atomicAdd(sum, dq[n][e]);", .by = "*sum += dq[n][e];"}},
           .rungs = {"mma-one-pass", "auto"}},
          make_tile_barrier_switch(
              {"mma-one-pass", "auto"},
              {{.in = "gradients_mma", .replace = "__syncthreads();  // the tile", .by = "// the tile"},
               {.in = "gradients_mma", .replace = "__syncthreads();  // dS", .by = "// dS"}})};
}

int64_t blocks_of_keys(const Config& config) { return ceil_divide(config.size("keys"), config.param("BLOCK_N")); }
int64_t ctas_of_gradients(const Config& config) {
  const AttentionShape shape(config);
  return blocks_of_keys(config) * shape.kv_heads * shape.batch;
}

std::vector<Predict> make_predicts() {
  return {
      {.question = {"The forward pass takes 2 matrix products. How many does the backward pass in one kernel take?",
                    "前向要 2 次矩阵乘，反向在一个内核里要几次？"},
       .choices =
           [](const Config&) {
             return std::vector<int64_t>{3, 4, 5, 7};
           },
       .answer = [](const Config&) { return int64_t{5}; },
       .why =
           [](const Config&) {
             return Text{
                 "Q·Kᵗ once more, dO·Vᵗ, and one for each of dV, dK and dQ. In two kernels, one for dK and dV "
                 "and one for dQ, the first two are needed twice: 7.",
                 "再算一次 Q·Kᵗ，一次 dO·Vᵗ，dV、dK、dQ 各一次。若分成 dK/dV 与 dQ 两个内核，前两次要各算两遍：7 次。"};
           },
       .rungs = {"mma-one-pass"}},
      ask({.question = {"A CTA takes BLOCK_N keys. Without a mask, how many CTAs add to each element of dQ?",
                        "一个线程块处理 BLOCK_N 个键。没有掩码时，dQ 的每个元素有多少个线程块往上加？"},
           .answer = blocks_of_keys,
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{1, config.param("BLOCK_N"), 2 * blocks_of_keys(config)};
               },
           .why =
               [](const Config& config) {
                 const std::string sum = fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("keys")),
                                                     config.param("BLOCK_N"), blocks_of_keys(config));
                 return Text{
                     "A query's gradient is a sum over all keys, and each block of keys has a CTA of its own: " + sum +
                         ".",
                     "一个查询的梯度要对所有键求和，每块键由一个线程块负责：" + sum + "。"};
               },
           .rungs = {"mma-one-pass"}}),
      ask({.question = {"How many CTAs compute dK and dV, over all heads of K and the whole batch?",
                        "对整个批次、K 的所有头，一共有多少个线程块计算 dK 和 dV？"},
           .answer = ctas_of_gradients,
           .others =
               [](const Config& config) {
                 const AttentionShape shape(config);
                 return std::vector<int64_t>{blocks_of_keys(config), blocks_of_keys(config) * shape.all_heads() * 2,
                                             ceil_divide(shape.queries, kBlockM) * shape.all_heads(),
                                             2 * ctas_of_gradients(config)};
               },
           .why =
               [](const Config& config) {
                 const AttentionShape shape(config);
                 const std::string sum =
                     fmt::format("⌈{} / {}⌉ × {} × {} = {}", with_separators(shape.keys), config.param("BLOCK_N"),
                                 shape.kv_heads, shape.batch, with_separators(ctas_of_gradients(config)));
                 return Text{"Blocks of keys × heads of K × batch: " + sum +
                                 ". The queries, and the heads of Q that share a head of K, are loops inside each CTA.",
                             "键的块数 × K 的头数 × 批大小：" + sum +
                                 "。查询，以及共用一个 K 头的各个 Q 头，都在线程块内部循环处理。"};
               },
           .rungs = {"mma-one-pass"}}),
      ask({.question = {"Recomputing in fp32: a warp computes the gradient of one query, and a CTA has 4 warps. How "
                        "many CTAs compute dQ?",
                        "fp32 重算：一个线程束计算一个查询的梯度，一个线程块有 4 个线程束。有多少个线程块计算 dQ？"},
           .answer = [](const Config& config) { return ceil_divide(AttentionShape(config).rows(), 4); },
           .others =
               [](const Config& config) {
                 const int64_t rows = AttentionShape(config).rows();
                 return std::vector<int64_t>{rows, ceil_divide(config.size("queries"), 4), ceil_divide(rows, 32)};
               },
           .why =
               [](const Config& config) {
                 const AttentionShape shape(config);
                 const std::string sum =
                     fmt::format("⌈{} × {} × {} / 4⌉ = {}", with_separators(shape.queries), shape.heads, shape.batch,
                                 with_separators(ceil_divide(shape.rows(), 4)));
                 return Text{"Queries × heads × batch, four to a CTA: " + sum + ".",
                             "查询数 × 头数 × 批大小，每个线程块四个：" + sum + "。"};
               },
           .rungs = {"recompute-fp32"}}),
  };
}

// ---- What is right

using Buffers = std::vector<std::shared_ptr<const HostBuffer>>;

/// The inputs as numbers, and one query's row of P and of dS, of the keys that it sees.
struct Inputs {
  const AttentionShape& shape;
  Halves q, k, v, o, d_o;
  const HostBuffer& lse;
  Inputs(const AttentionShape& of, const Buffers& buffers)
      : shape(of),
        q(*buffers[kQ]),
        k(*buffers[kK]),
        v(*buffers[kV]),
        o(*buffers[kO]),
        d_o(*buffers[kDo]),
        lse(*buffers[kLse]) {}

  double product(const Halves& a, int64_t row_of_a, const Halves& b, int64_t row_of_b) const {
    double sum = 0;
    for (int64_t d = 0; d < shape.depth; ++d) sum += a[row_of_a * shape.depth + d] * b[row_of_b * shape.depth + d];
    return sum;
  }
  int64_t key_row(int64_t head, int64_t key) const { return head / shape.group() * shape.keys + key; }
  double row_sum(int64_t row) const { return product(d_o, row, o, row); }
  double weight(int64_t row, int64_t key_row) const {
    return std::exp(product(q, row, k, key_row) * shape.scale() - value_at(lse, static_cast<size_t>(row)));
  }
  double d_score(int64_t row, int64_t key_row, double sum) const {
    return weight(row, key_row) * (product(d_o, row, v, key_row) - sum);
  }
};

/// Columns [first, first + count) of a row of dQ.
void expect_dq(const Inputs& inputs, int64_t row, int64_t first, int64_t count, double* expected) {
  const AttentionShape& shape = inputs.shape;
  const double sum = inputs.row_sum(row);
  for (int64_t key = 0; key < shape.visible(row % shape.queries); ++key) {
    const int64_t from = inputs.key_row(row / shape.queries, key);
    const double gradient = inputs.d_score(row, from, sum) * shape.scale();
    for (int64_t d = 0; d < count; ++d) expected[d] += gradient * inputs.k[from * shape.depth + first + d];
  }
}

/// The same of dK, or of dV: over the queries that see the key, of all heads that share it.
void expect_of_key(const Inputs& inputs, bool of_k, int64_t row, int64_t first, int64_t count, double* expected) {
  const AttentionShape& shape = inputs.shape;
  const int64_t key = row % shape.keys, kv_head = row / shape.keys;
  for (int64_t head = kv_head * shape.group(); head < (kv_head + 1) * shape.group(); ++head)
    for (int64_t query = 0; query < shape.queries; ++query) {
      if (key >= shape.visible(query)) continue;
      const int64_t at = head * shape.queries + query;
      const double gradient =
          of_k ? inputs.d_score(at, row, inputs.row_sum(at)) * shape.scale() : inputs.weight(at, row);
      const Halves& other = of_k ? inputs.q : inputs.d_o;
      for (int64_t d = 0; d < count; ++d) expected[d] += gradient * other[at * shape.depth + first + d];
    }
}

void reference(const Config& config, const Buffers& buffers, size_t output, size_t begin, size_t end,
               double* expected) {
  const AttentionShape shape(config);
  const Inputs inputs(shape, buffers);
  std::fill_n(expected, end - begin, 0.0);
  for (size_t at = begin; at < end;) {
    const auto row = static_cast<int64_t>(at) / shape.depth, first = static_cast<int64_t>(at) % shape.depth;
    const int64_t count = std::min(shape.depth - first, static_cast<int64_t>(end - at));
    if (output == 0)
      expect_dq(inputs, row, first, count, expected + (at - begin));
    else
      expect_of_key(inputs, output == 1, row, first, count, expected + (at - begin));
    at += static_cast<size_t>(count);
  }
}

/// u is half a unit in the last place of an element. Results are rounded once; the tensor cores also take P and dS in
/// 16 bits, each term off by u of itself. The errors are independent, so their sum grows with the square root of their
/// number: `keys` terms of size 1 / keys for dQ, group · queries such terms for dK and dV. A term is a weight
/// e^(s - 1/2) times products of N(0, 1); 32 u times the size of the sum bounds every error.
Tolerance tolerance(const std::string& rung, const Config& config, DType) {
  const AttentionShape shape(config);
  const double u = shape.type == DType::bf16 ? 0x1p-8 : 0x1p-11, keys = static_cast<double>(shape.keys);
  const double size =
      std::max(1 / std::sqrt(keys), std::sqrt(static_cast<double>(shape.group() * shape.queries)) / keys);
  if (rung == "recompute-fp32") return {.absolute = 1e-5 * size + 1e-7, .relative = 1.05 * u};
  return {.absolute = 32 * u * size, .relative = 4 * u};
}

Lab make_attention_backward() {
  Lab lab;
  lab.name = "attention-backward";
  lab.stage = 6;
  lab.order = 2;
  lab.title = {"Attention backward", "注意力反向"};
  lab.kernel_file = "attention_backward.cu";
  lab.sizes = make_attention_sizes(200);
  for (const Param& param : make_attention_params())
    if (param.name == "HEAD_DIM" || param.name == "CAUSAL" || param.name == "DTYPE" || param.name == "BLOCK_N")
      lab.params.push_back(param);
  lab.params.back().help = {"Keys of a CTA, 16 for each warp.", "一个线程块的键数，每个线程束 16 个。"};
  lab.params.back().gpu_value = 128;
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.default_rung = "mma-one-pass";
  lab.references = {{"FlashAttention-2", "torch", "attention_backward_flash"},
                    {"cuDNN", "torch", "attention_backward_cudnn"},
                    {"PyTorch, unfused", "torch", "attention_backward_unfused"},
                    {"Triton", "triton", "attention_backward"}};
  lab.tolerance_for = tolerance;
  lab.predicts = make_predicts();
  lab.buffers = make_buffers;
  lab.reference = reference;
  lab.flops = [](const Config& config) {
    const AttentionShape shape(config);
    return 10 * shape.pairs() * static_cast<double>(shape.depth);
  };
  lab.useful_bytes = [](const Config& config) {
    const AttentionShape shape(config);
    const int64_t keys = shape.batch * shape.kv_heads * shape.keys;
    return static_cast<double>(8 * shape.rows() * shape.depth + 8 * keys * shape.depth + 4 * shape.rows());
  };
  lab.bytes_formula = {"2 bytes for each element of Q, K, V, O, dO, dQ, dK and dV, and 4 for each lse",
                       "Q、K、V、O、dO、dQ、dK、dV 每个元素 2 字节，每个 lse 4 字节"};
  lab.speed_unit = SpeedUnit::teraflops;
  lab.peak_rate = [](const std::string& rung, const Config& config) {
    return attention_rate(config, rung != "recompute-fp32");
  };
  lab.sweep_size = "queries";
  lab.sweep_with = {"keys"};
  lab.sweep_total = {"batch", 16384};
  lab.sweep = {512, 1024, 2048, 4096, 8192, 16384};
  lab.most_simulated_flops = 5e8;
  lab.most_reference_flops = 5e8;
  return lab;
}

const bool registered = register_lab(make_attention_backward());

}  // namespace
}  // namespace tilescope::attention_backward_lab
