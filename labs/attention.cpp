// Lab "attention": O = softmax(Q · Kᵗ / √d) · V. kernels/attention.cu holds the rungs, kernels/attention.py the one in
// Triton.
#include <algorithm>
#include <cmath>

#include "engine/numbers.hpp"
#include "engine/specs.hpp"
#include "labs/attention_shape.hpp"
#include "labs/attention_triton.hpp"

namespace tilescope::attention_lab {
namespace {

// A rung's own scratch comes last, so that all rungs can be timed on the buffers of the one that has the most.
// labs/attention_triton.cpp counts on the order of the others.
enum Buffer : size_t { kQ, kK, kV, kO, kLse, kOwn };
constexpr int64_t kFp32Threads = 256;
// Every 32nd query is so much larger that exp(score) alone is more than a float holds. All else is N(0, 1).
constexpr LargeRows kLargeQueries{.every = 32, .factor = 64};

std::vector<BufferSpec> make_buffers(const Config& config) {
  const AttentionShape shape(config);
  BufferSpec q = make_heads("q", shape, false, Role::input);
  q.large_rows = kLargeQueries;
  return {q, make_heads("k", shape, true, Role::input), make_heads("v", shape, true, Role::input),
          make_heads("o", shape, false, Role::output), make_row_values("lse", shape, Role::output)};
}

std::vector<BufferSpec> make_buffers_with(const Config& config, std::string name, std::vector<int64_t> shape) {
  std::vector<BufferSpec> buffers = make_buffers(config);
  buffers.push_back({.name = std::move(name), .shape = std::move(shape), .role = Role::scratch, .fill = Fill::poison});
  return buffers;
}

Argument whole(int64_t value) { return scalar(static_cast<int32_t>(value)); }
Argument scale_of(const AttentionShape& shape) { return scalar(static_cast<float>(shape.scale())); }
uint32_t extent(int64_t value) { return static_cast<uint32_t>(value); }

// ---- Launches

int64_t pitch(const AttentionShape& shape) { return shape.depth + 4; }
/// Bytes of the tiles of floats: Q, one of K or V, and the weights.
int64_t fp32_shared_bytes(const Config& config, bool q, bool keys, bool weights) {
  const AttentionShape shape(config);
  const int64_t m = config.param("BLOCK_M"), n = config.param("BLOCK_N");
  return 4 * ((q ? m * pitch(shape) : 0) + (keys ? n * pitch(shape) : 0) + (weights ? m * (n + 4) : 0));
}

std::vector<Launch> launch_unfused(const Config& config) {
  const AttentionShape shape(config);
  const BufferArgument q{kQ}, k{kK}, v{kV}, o{kO}, lse{kLse}, scores{kOwn};
  const uint32_t tiles = extent(ceil_divide(shape.queries, config.param("BLOCK_M")));
  const Argument group = whole(shape.group()), queries = whole(shape.queries), keys = whole(shape.keys);
  Launch products{.kernel = "score_tiles",
                  .grid = {extent(ceil_divide(shape.keys, config.param("BLOCK_N"))), tiles, extent(shape.all_heads())},
                  .block = {extent(kFp32Threads)},
                  .shared_bytes = extent(fp32_shared_bytes(config, true, true, false)),
                  .arguments = {q, k, v, scores, group, queries, keys, scale_of(shape)}};
  Launch softmax{.kernel = "softmax_rows",
                 .grid = {extent(ceil_divide(shape.rows() * 32, kFp32Threads))},
                 .block = {extent(kFp32Threads)},
                 .arguments = {scores, lse, whole(shape.rows()), keys}};
  Launch sums{.kernel = "apply_weights",
              .grid = {tiles, extent(shape.all_heads())},
              .block = {extent(kFp32Threads)},
              .shared_bytes = extent(fp32_shared_bytes(config, false, true, true)),
              .arguments = {scores, q, k, v, o, group, queries, keys}};
  return {products, softmax, sums};
}

std::vector<Launch> launch_online_row(const Config& config) {
  const AttentionShape shape(config);
  return {{.kernel = "online_row",
           .grid = {extent(ceil_divide(shape.rows(), 4))},
           .block = {128},
           .arguments = {BufferArgument{kQ}, BufferArgument{kK}, BufferArgument{kV}, BufferArgument{kO},
                         BufferArgument{kLse}, BufferArgument{kOwn}, whole(shape.group()), whole(shape.queries),
                         whole(shape.keys), whole(shape.rows()), scale_of(shape)}}};
}

std::vector<Launch> launch_flash(const std::string& kernel, const Config& config, int64_t threads, int64_t shared) {
  const AttentionShape shape(config);
  return {
      {.kernel = kernel,
       .grid = {extent(ceil_divide(shape.queries, config.param("BLOCK_M"))), extent(shape.heads), extent(shape.batch)},
       .block = {extent(threads)},
       .shared_bytes = extent(shared),
       .arguments = {BufferArgument{kQ}, BufferArgument{kK}, BufferArgument{kV}, BufferArgument{kO},
                     BufferArgument{kLse}, whole(shape.group()), whole(shape.queries), whole(shape.keys),
                     scale_of(shape)}}};
}

/// Q, and one block of K or V, 2 bytes for each element.
int64_t mma_shared_bytes(const Config& config) {
  return 2 * config.param("HEAD_DIM") * (config.param("BLOCK_M") + config.param("BLOCK_N"));
}
/// Q, and STAGES blocks of K and V.
int64_t stages_shared_bytes(const Config& config) {
  return 2 * config.param("HEAD_DIM") *
         (config.param("BLOCK_M") + 2 * config.param("STAGES") * config.param("BLOCK_N"));
}

std::string tiles_formula(const Config& config) {
  const AttentionShape shape(config);
  const int64_t tiles = ceil_divide(shape.queries, config.param("BLOCK_M"));
  return fmt::format("⌈{} / {}⌉ × {} × {} = {}", with_separators(shape.queries), config.param("BLOCK_M"), shape.heads,
                     shape.batch, with_separators(tiles * shape.all_heads()));
}

// ---- What is not possible

Result<void> check_unfused(const Config& config) {
  if (auto heads = check_heads(config); !heads) return heads;
  const AttentionShape shape(config);
  if (shape.rows() * 32 > int64_t{1} << 31)
    return fail(ErrorId::parameter_range, "queries", shape.queries,
                phrase("at most {} with this many heads", (int64_t{1} << 26) / shape.all_heads()));
  return {};
}

Result<void> check_mma(const Config& config) {
  if (auto heads = check_heads(config); !heads) return heads;
  const int64_t m = config.param("BLOCK_M"), n = config.param("BLOCK_N"), warps = config.param("WARPS");
  const int64_t rows = m / warps, depth = config.param("HEAD_DIM");
  if (rows < 16)
    return fail(ErrorId::parameter_range, "WARPS", warps,
                phrase("at most {} with BLOCK_M = {}: a warp multiplies tiles of 16 queries", m / 16, m));
  // A lane holds a 32nd of both tiles of accumulators; 20 more are the least that addresses and fragments need.
  const int64_t accumulators = rows * (n + depth) / 32;
  if (accumulators + 20 > kMostRegisters)
    return fail(ErrorId::parameter_range, "BLOCK_N", n,
                phrase("at most {} with {} queries for each warp and HEAD_DIM = {}: the accumulators alone would "
                       "take {} of a thread's 255 registers",
                       n / 2, rows, depth, accumulators));
  return {};
}

Result<void> check_stages(const Config& config) {
  if (auto tiles = check_mma(config); !tiles) return tiles;
  return check_shared("STAGES", std::to_string(config.param("STAGES")), stages_shared_bytes(config));
}

// ---- The ladder

Pick pick_tiles(const Config& config, const GpuSpec& gpu) {
  const AttentionShape shape(config);
  const int64_t multiprocessors = gpu.multiprocessors;
  const int64_t tiles = ceil_divide(shape.queries, 128) * shape.all_heads();
  // Measured: at head dimension 64 scaling the output costs less than the branch around it.
  const std::string rung = shape.depth == 64 ? "flash-q-registers" : "flash-lazy-rescale";
  if (shape.queries <= 64 || tiles < multiprocessors) {
    const int64_t ctas = ceil_divide(shape.queries, 64) * shape.all_heads();
    return {rung,
            {{"BLOCK_M", 64}, {"BLOCK_N", 64}, {"WARPS", 4}, {"STAGES", 2}},
            {fmt::format("Tiles of 128 queries would be {} CTAs for {} multiprocessors; tiles of 64 are {}.", tiles,
                         multiprocessors, ctas),
             fmt::format("每块 128 个查询只有 {} 个线程块，而 SM 有 {} 个；每块 64 个则有 {} 个。", tiles,
                         multiprocessors, ctas)}};
  }
  const int64_t n = shape.depth == 64 ? 128 : 64;
  return {
      rung,
      {{"BLOCK_M", 128}, {"BLOCK_N", n}, {"WARPS", 4}, {"STAGES", 2}},
      {fmt::format("{} CTAs fill {} multiprocessors. At head dimension {} the accumulators of 32 queries and {} "
                   "keys take {} of a thread's 255 registers.",
                   with_separators(tiles), multiprocessors, shape.depth, n, n + shape.depth),
       fmt::format(
           "{} 个线程块足以填满 {} 个 SM。头维度为 {} 时，32 个查询乘 {} 个键的累加器占每线程 255 个寄存器中的 {} 个。",
           with_separators(tiles), multiprocessors, shape.depth, n, n + shape.depth)}};
}

Rung make_unfused() {
  return {.name = "unfused",
          .title = {"Unfused, S×S stored", "不融合，存 S×S 矩阵"},
          .kernels = {"score_tiles", "softmax_rows", "apply_weights"},
          .params = {"HEAD_DIM", "CAUSAL", "DTYPE", "BLOCK_M", "BLOCK_N"},
          .shown_kernels = {"score_tiles"},
          .launches = launch_unfused,
          .grid_formula =
              [](const Config& config) {
                const AttentionShape shape(config);
                const int64_t across = ceil_divide(shape.keys, config.param("BLOCK_N")),
                              down = ceil_divide(shape.queries, config.param("BLOCK_M"));
                return fmt::format("{} × {} × {} = {}", across, down, shape.all_heads(),
                                   with_separators(across * down * shape.all_heads()));
              },
          .buffers =
              [](const Config& config) {
                const AttentionShape shape(config);
                return make_buffers_with(config, "scores", {shape.batch, shape.heads, shape.queries, shape.keys});
              },
          .check = check_unfused};
}

Rung make_online_row() {
  return {.name = "online-row",
          .title = {"Online softmax row", "在线 softmax，逐行"},
          .kernels = {"online_row"},
          .params = {"HEAD_DIM", "CAUSAL", "DTYPE"},
          .launches = launch_online_row,
          .grid_formula =
              [](const Config& config) {
                const int64_t rows = AttentionShape(config).rows();
                return fmt::format("⌈{} / 4⌉ = {}", with_separators(rows), with_separators(ceil_divide(rows, 4)));
              },
          .buffers =
              [](const Config& config) {
                // Each key's score, m, l and rescaling factor, for the last query of the first head.
                return make_buffers_with(config, "trace", {config.size("keys"), 4});
              },
          .check = check_heads};
}

Rung make_staged_rung(std::string name, Text title, const std::string& kernel) {
  return {.name = std::move(name),
          .title = std::move(title),
          .kernels = {kernel},
          .params = {"HEAD_DIM", "CAUSAL", "DTYPE", "BLOCK_M", "BLOCK_N", "STAGES", "WARPS"},
          .launches =
              [kernel](const Config& config) {
                return launch_flash(kernel, config, 32 * config.param("WARPS"), stages_shared_bytes(config));
              },
          .grid_formula = tiles_formula,
          .check = check_stages};
}

std::vector<Rung> make_rungs() {
  std::vector<Rung> rungs{make_unfused(), make_online_row()};
  rungs.push_back({.name = "flash-fp32",
                   .title = {"Flash, fp32", "Flash，fp32"},
                   .kernels = {"flash_fp32"},
                   .params = {"HEAD_DIM", "CAUSAL", "DTYPE", "BLOCK_M", "BLOCK_N"},
                   .launches =
                       [](const Config& config) {
                         return launch_flash("flash_fp32", config, kFp32Threads,
                                             fp32_shared_bytes(config, true, true, true));
                       },
                   .grid_formula = tiles_formula,
                   .check = check_heads});
  rungs.push_back({.name = "flash-mma",
                   .title = {"Flash, mma.sync", "Flash，mma.sync"},
                   .kernels = {"flash_mma"},
                   .params = {"HEAD_DIM", "CAUSAL", "DTYPE", "BLOCK_M", "BLOCK_N", "WARPS"},
                   .launches =
                       [](const Config& config) {
                         return launch_flash("flash_mma", config, 32 * config.param("WARPS"), mma_shared_bytes(config));
                       },
                   .grid_formula = tiles_formula,
                   .check = check_mma});
  rungs.push_back(
      make_staged_rung("flash-stages", {"Flash, cp.async stages", "Flash，cp.async 流水线"}, "flash_stages"));
  rungs.push_back(
      make_staged_rung("flash-q-registers", {"Flash, Q in registers", "Flash，Q 留在寄存器"}, "flash_q_registers"));
  rungs.push_back(
      make_staged_rung("flash-lazy-rescale", {"Flash, lazy rescaling", "Flash，按需缩放"}, "flash_lazy_rescale"));
  rungs.push_back(
      {.name = "auto", .title = {"Auto", "自动"}, .params = {"HEAD_DIM", "CAUSAL", "DTYPE"}, .pick = pick_tiles});
  rungs.push_back(make_triton_flash(tiles_formula));
  return rungs;
}

std::vector<BreakIt> make_switches() {
  return {{.name = "NO_MAX",
           .title = {"Do not subtract the maximum", "不减最大值"},
           .help = {"exp(score) is more than a float holds: infinity divided by infinity.",
                    "exp(得分) 超出 float 的范围：无穷除以无穷。"},
           .plants = {{.in = "softmax_rows",
                       .replace = "sum += fast_exp(score[key] - max)",
                       .by = "sum += fast_exp(score[key])"},
                      {.in = "softmax_rows",
                       .replace = "fast_exp(score[key] - max) * factor",
                       .by = "fast_exp(score[key]) * factor"},
                      {.in = "softmax_rows", .replace = "max + logf(sum)", .by = "logf(sum)"},
                      {.in = "online_row", .replace = "new_max = fmaxf(m, score)", .by = "new_max = 0"},
                      {.in = "update_maximum",
                       .replace = "new_max = fmaxf(m, block_max)",
                       .by = "new_max = 0",
                       .file = "attention.cuh"},
                      {.in = "attend",
                       .replace = "tl.maximum(m, tl.max(scores, axis=1))",
                       .by = "tl.zeros_like(m)",
                       .file = "attention.py"}}},
          {.name = "NO_RESCALE",
           .title = {"Do not rescale the output", "不重新缩放输出"},
           .help = {"Terms that were added under a smaller maximum keep their old weight.",
                    "在较小的最大值下累加的输出保留了旧的权重。"},
           .plants = {{.in = "online_row", .replace = "l * rescale + p", .by = "l + p"},
                      {.in = "online_row", .replace = "o[i] * rescale + p", .by = "o[i] + p"},
                      {.in = "flash_fp32", .replace = "scale_rows(o, rescale);", .by = ""},
                      {.in = "flash_mma", .replace = "scale_rows(o, rescale);", .by = ""},
                      {.in = "flash_stages", .replace = "scale_rows(o, rescale);", .by = ""},
                      {.in = "flash_q_registers", .replace = "scale_rows(o, rescale);", .by = ""},
                      {.in = "flash_lazy_rescale",
                       .replace = "if (__any_sync(0xffffffff, risen)) scale_rows(o, rescale);",
                       .by = ""},
                      {.in = "attend", .replace = "acc * rescale[:, None]", .by = "acc", .file = "attention.py"}},
           .rungs = {"online-row", "flash-fp32", "flash-mma", "flash-stages", "flash-q-registers", "flash-lazy-rescale",
                     "auto", "triton-flash"}},
          make_tile_barrier_switch(
              {"unfused", "flash-fp32", "flash-mma", "flash-stages", "flash-q-registers", "flash-lazy-rescale", "auto"},
              {{.in = "score_tiles", .replace = "__syncthreads();", .by = ""},
               {.in = "apply_weights", .replace = "__syncthreads();  // the", .by = "// the"},
               {.in = "apply_weights", .replace = "__syncthreads();\n", .by = "\n"},
               {.in = "flash_fp32", .replace = "__syncthreads();  // V", .by = "// V"},
               {.in = "flash_fp32", .replace = "__syncthreads();\n    Fp32Scores", .by = "\n    Fp32Scores"},
               {.in = "flash_fp32", .replace = "__syncthreads();  // K", .by = "// K"},
               {.in = "flash_fp32", .replace = "__syncthreads();\n    multiply", .by = "\n    multiply"},
               {.in = "flash_mma", .replace = "__syncthreads();  // V", .by = "// V"},
               {.in = "flash_mma", .replace = "__syncthreads();\n    Scores", .by = "\n    Scores"},
               {.in = "flash_mma", .replace = "__syncthreads();  // K", .by = "// K"},
               {.in = "flash_mma", .replace = "__syncthreads();\n    multiply", .by = "\n    multiply"},
               {.in = "flash_stages", .replace = "__syncthreads();  // the block", .by = "// the block"},
               {.in = "flash_q_registers", .replace = "__syncthreads();  // the block", .by = "// the block"},
               {.in = "flash_lazy_rescale", .replace = "__syncthreads();  // the block", .by = "// the block"}}),
          {.name = "DROP_MASK",
           .title = {"Drop the mask of the last blocks", "去掉末尾各块的掩码"},
           .help = {"Keys past the end are zeros and so are their scores, but exp(0) is 1. With a causal mask queries "
                    "also see later keys.",
                    "超出末尾的键是 0，得分也是 0，但 exp(0) 是 1；有因果掩码时，查询还会看到更晚的键。"},
           .plants = {{.in = "KeyBlocks",
                       .replace = "unmasked = visible_keys(first, queries, keys) / BLOCK_N;",
                       .by = "unmasked = blocks;"},
                      {.in = "attend",
                       .replace = "scores = tl.where(visible, scores, -float(\"inf\"))",
                       .by = "scores = scores",
                       .file = "attention.py"}},
           .rungs = {"flash-fp32", "flash-mma", "flash-stages", "flash-q-registers", "flash-lazy-rescale", "auto",
                     "triton-flash"}}};
}

// ---- What is right

using Buffers = std::vector<std::shared_ptr<const HostBuffer>>;

/// Elements [begin, end) of O. A row's weights are found anew only where the row changes.
void expect_output(const AttentionShape& shape, const Buffers& buffers, int64_t begin, int64_t end, double* expected) {
  const Halves q(*buffers[kQ]), k(*buffers[kK]), v(*buffers[kV]);
  for (int64_t at = begin; at < end;) {
    const int64_t row = at / shape.depth, head = row / shape.queries, first = at % shape.depth;
    const int64_t count = std::min(shape.depth - first, end - at);
    const int64_t values = head / shape.group() * shape.keys * shape.depth + first;
    const std::vector<double> scores = scores_of(shape, q, k, head, row % shape.queries);
    const double lse = log_sum_exp(scores);
    double* out = expected + (at - begin);
    std::fill_n(out, count, 0.0);
    for (size_t key = 0; key < scores.size(); ++key) {
      const double weight = std::exp(scores[key] - lse);
      const int64_t from = values + static_cast<int64_t>(key) * shape.depth;
      for (int64_t d = 0; d < count; ++d) out[d] += weight * v[from + d];
    }
    at += count;
  }
}

void reference(const Config& config, const Buffers& buffers, size_t output, size_t begin, size_t end,
               double* expected) {
  const AttentionShape shape(config);
  if (output == 0)
    return expect_output(shape, buffers, static_cast<int64_t>(begin), static_cast<int64_t>(end), expected);
  const Halves q(*buffers[kQ]), k(*buffers[kK]);
  for (size_t row = begin; row < end; ++row) {
    const auto at = static_cast<int64_t>(row);
    expected[row - begin] = log_sum_exp(scores_of(shape, q, k, at / shape.queries, at % shape.queries));
  }
}

bool on_tensor_cores(const std::string& rung) {
  return rung != "unfused" && rung != "online-row" && rung != "flash-fp32";
}

/// u is half a unit in the last place of an element. O is rounded once: u of itself. The tensor cores take P in 16
/// bits: each weight is off by u of itself, and so O by at most u times the weighted mean of |v|, which is below 4 for
/// N(0, 1). Scores are sums of floats: of 128 products of some tens, off by 2^-24 of the partial sums, that is by
/// 5e-4 at most, and so is lse.
Tolerance tolerance(const std::string& rung, const Config& config, DType) {
  const double u = config.param("DTYPE") == 1 ? 0x1p-8 : 0x1p-11;
  return {.absolute = 5e-4 + (on_tensor_cores(rung) ? 4 * u : 0), .relative = 1.01 * u};
}

Lab make_attention() {
  Lab lab;
  lab.name = "attention";
  lab.stage = 6;
  lab.order = 1;
  lab.title = {"Attention", "注意力"};
  lab.kernel_file = "attention.cu";
  lab.sizes = make_attention_sizes(400);
  lab.params = make_attention_params();
  for (Param& param : make_triton_flash_params()) lab.params.push_back(std::move(param));
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.default_rung = "flash-lazy-rescale";
  lab.references = {{"FlashAttention-2", "torch", "attention_flash"},
                    {"cuDNN", "torch", "attention_cudnn"},
                    {"PyTorch, unfused", "torch", "attention_unfused"},
                    {"Triton", "triton", "attention"}};
  lab.tolerance_for = tolerance;
  lab.predicts = make_attention_predicts();
  lab.buffers = make_buffers;
  lab.reference = reference;
  lab.flops = [](const Config& config) {
    const AttentionShape shape(config);
    return 4 * shape.pairs() * static_cast<double>(shape.depth);
  };
  lab.useful_bytes = [](const Config& config) {
    const AttentionShape shape(config);
    const int64_t keys = shape.batch * shape.kv_heads * shape.keys;
    return static_cast<double>(4 * shape.rows() * shape.depth + 4 * keys * shape.depth + 4 * shape.rows());
  };
  lab.bytes_formula = {"2 bytes for each element of Q, K, V and O, read or written once, and 4 for each lse",
                       "Q、K、V、O 每个元素 2 字节，各读或写一次；每个 lse 4 字节"};
  lab.speed_unit = SpeedUnit::teraflops;
  lab.peak_rate = [](const std::string& rung, const Config& config) {
    return attention_rate(config, on_tensor_cores(rung));
  };
  lab.sweep_size = "queries";
  lab.sweep_with = {"keys"};
  lab.sweep_total = {"batch", 16384};
  lab.sweep = {512, 1024, 2048, 4096, 8192, 16384};
  lab.plane =
      PlaneSpec{.scores = "scores",
                .trace = "trace",
                .traced_row = [](const Config& config) { return config.size("queries") - 1; },
                .visible = [](const Config& config, int64_t query) { return AttentionShape(config).visible(query); },
                .scale = [](const Config& config) { return AttentionShape(config).scale(); }};
  lab.most_simulated_flops = 5e8;
  lab.most_reference_flops = 1e9;
  return lab;
}

const bool registered = register_lab(make_attention());

}  // namespace
}  // namespace tilescope::attention_lab
