// Lab "layernorm-backward": the gradients of LayerNorm with respect to x, gamma and beta.
// kernels/layernorm_backward.cu holds the rungs.
#include "labs/layernorm_backward.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/numbers.hpp"
#include "labs/limits.hpp"
#include "labs/rows.hpp"

namespace tilescope::layernorm_backward_lab {
namespace {

constexpr int64_t kSlabStep = 44;               // a third of an H200's SMs
constexpr int64_t kMostSlabs = 12 * kSlabStep;  // row groups whose column sums fit in `parts`
constexpr uint32_t kAdders = 512;               // threads of a CTA of add_slabs
constexpr int64_t kMostSumBytes = 128 * 1024;   // of column sums: one such CTA fits on an SM
enum Buffer : size_t { kX, kDy, kGamma, kMeans, kRstds, kDx, kDgamma, kDbeta, kParts };

std::vector<BufferSpec> make_buffers(const Config& config) {
  const int64_t rows = config.size("rows"), columns = config.size("columns");
  // Mean and 1 / deviation as a forward pass would produce them, up to the sampling error of a row: the gradients are
  // defined by the formulas for any values, and the reference uses the same ones.
  return {make_matrix("x", config, Role::input),
          make_matrix("dy", config, Role::input),
          make_weights("gamma", config, 1),
          {.name = "means", .shape = {rows}, .role = Role::input, .fill = Fill::normal, .fill_values = {0, 0.1}},
          {.name = "rstds", .shape = {rows}, .role = Role::input, .fill = Fill::uniform, .fill_values = {0.9, 1.1}},
          make_matrix("dx", config, Role::output),
          {.name = "dgamma", .shape = {columns}, .role = Role::output, .fill = Fill::poison},
          {.name = "dbeta", .shape = {columns}, .role = Role::output, .fill = Fill::poison},
          {.name = "parts", .shape = {2, kMostSlabs, columns}, .role = Role::scratch, .fill = Fill::poison}};
}

Argument rows_of(const Config& config) { return scalar(static_cast<int32_t>(config.size("rows"))); }
Argument columns_of(const Config& config) { return scalar(static_cast<int32_t>(config.size("columns"))); }

/// The leading arguments of a kernel that computes dx: x, dy, gamma, means, rstds, dx, then `more`.
std::vector<Argument> arguments_for_dx(std::vector<Argument> more) {
  std::vector<Argument> arguments{BufferArgument{kX},     BufferArgument{kDy},    BufferArgument{kGamma},
                                  BufferArgument{kMeans}, BufferArgument{kRstds}, BufferArgument{kDx}};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Launch launch_add_slabs(const Config& config, int64_t slabs) {
  Launch launch = launch_per_row("add_slabs", config,
                                 {BufferArgument{kParts}, BufferArgument{kDgamma}, BufferArgument{kDbeta},
                                  scalar(static_cast<int32_t>(slabs)), columns_of(config)});
  launch.grid.x = static_cast<uint32_t>(ceil_divide(config.size("columns"), 32));
  launch.block.x = kAdders;
  return launch;
}

std::vector<Launch> launch_two_kernels(const Config& config) {
  Launch columns =
      launch_per_row("columns_per_thread", config,
                     {BufferArgument{kX}, BufferArgument{kDy}, BufferArgument{kMeans}, BufferArgument{kRstds},
                      BufferArgument{kDgamma}, BufferArgument{kDbeta}, rows_of(config), columns_of(config)});
  columns.grid.x = static_cast<uint32_t>(ceil_divide(config.size("columns"), config.param("BLOCK")));
  return {launch_per_row("dx_per_element", config, arguments_for_dx({columns_of(config)})), columns};
}

std::vector<Launch> launch_slabs(const Config& config) {
  Launch columns =
      launch_per_row("columns_in_slabs", config,
                     {BufferArgument{kX}, BufferArgument{kDy}, BufferArgument{kMeans}, BufferArgument{kRstds},
                      BufferArgument{kParts}, rows_of(config), columns_of(config)});
  columns.grid.x = static_cast<uint32_t>(ceil_divide(config.size("columns"), 32));
  columns.grid.y = static_cast<uint32_t>(config.param("SLABS"));
  return {launch_per_row("dx_in_registers", config, arguments_for_dx({columns_of(config)})), columns,
          launch_add_slabs(config, config.param("SLABS"))};
}

/// Shared memory for a CTA's column sums: two floats per column, each half aligned to 16 bytes.
int64_t shared_bytes(const Config& config) { return ceil_divide(config.size("columns"), 4) * 4 * 8; }

/// A kernel whose CTAs loop over the rows, and the kernel that adds their column sums.
std::vector<Launch> launch_walk(const std::string& kernel, const Config& config, int64_t ctas, int64_t shared = 0) {
  Launch walk =
      launch_per_row(kernel, config, arguments_for_dx({BufferArgument{kParts}, rows_of(config), columns_of(config)}));
  walk.grid.x = static_cast<uint32_t>(ctas);
  walk.shared_bytes = static_cast<uint32_t>(shared);
  return {walk, launch_add_slabs(config, ctas)};
}

std::vector<Launch> launch_fused(const Config& config) {
  const bool wide = shared_bytes(config) > kMostSumBytes;
  return launch_walk(wide ? "fused_wide" : "fused", config, walking_ctas(config), wide ? 0 : shared_bytes(config));
}

bool lanes_hold(const Config& config) {
  return config.size("columns") <= config.param("LANES") * config.param("VECTORS") * vector_width(config);
}
/// CTAs of the rung whose CTAs hold several rows each.
int64_t groups_of_rows(const Config& config) {
  const int64_t at_once = config.param("BLOCK") / config.param("LANES");
  return std::min(config.param("SLABS"), ceil_divide(config.size("rows"), at_once));
}
std::vector<Launch> launch_several_rows_rung(const Config& config) {
  if (!lanes_hold(config)) return launch_fused(config);
  const bool aligned = config.size("columns") % vector_width(config) == 0;
  return launch_walk(aligned ? "several_rows" : "several_rows_by_element", config, groups_of_rows(config));
}

/// Whether the registers of a CTA hold every column of a row that is aligned to 16 bytes.
bool cta_holds(const Config& config) { return fits_registers(config, config.size("columns"), config.param("BLOCK")); }
int64_t ring_bytes(const Config& config) {
  return config.param("STAGES") * 2 * config.param("VECTORS") * config.param("BLOCK") * 16;
}
Result<void> check_ring(const Config& config) {
  if (!cta_holds(config)) return {};  // another kernel takes this shape
  return check_shared("STAGES", std::to_string(config.param("STAGES")), ring_bytes(config));
}
std::vector<Launch> launch_rows_ahead(const Config& config) {
  if (!cta_holds(config)) return launch_fused(config);
  return launch_walk("rows_ahead", config, walking_ctas(config), ring_bytes(config));
}

std::string columns_formula(const Config& config) {
  const int64_t columns = config.size("columns");
  return fmt::format("⌈{} / 32⌉ = {}", with_separators(columns), with_separators(ceil_divide(columns, 32)));
}

std::string several_rows_grid(const Config& config) {
  if (!lanes_hold(config)) return walking_formula(config);
  const int64_t rows = config.size("rows"), lanes = config.param("LANES");
  return fmt::format("min({}, ⌈{} / ({} / {})⌉) = {}", config.param("SLABS"), with_separators(rows),
                     config.param("BLOCK"), lanes, groups_of_rows(config));
}

// Tuning choices: vectors per lane if the row leaves a choice, and the minimum of lanes per row, so that an access
// covers 128 contiguous bytes.
constexpr int64_t kUsualVectors = 2, kLeastLanes = 8;

/// Registers that a thread needs to hold this many vectors (nvcc 13.0, sm_90): per column two sums, gamma, and x and dy
/// of two rows, 7 in fp32 and 4.5 in bf16, where a vector has twice the columns; the rest is for addresses.
int64_t registers_of_thread(const Config& config, int64_t vectors) {
  const bool bf16 = element_type(config) == DType::bf16, aligned = config.size("columns") % vector_width(config) == 0;
  if (vectors == 1) return !bf16 ? 48 : aligned ? 64 : 80;
  if (vectors == 2) return !bf16 ? aligned ? 72 : 96 : aligned ? 112 : 128;
  if (vectors == 4) return !bf16 ? aligned ? 128 : 168 : aligned ? 168 : 256;
  return 256;
}

/// How lanes share a row of a given number of vectors, and how many such CTAs fit into the registers of an SM.
struct LaneTiles {
  int64_t lanes, vectors, block, per_multiprocessor;
};
LaneTiles lane_tiles(const Config& config, int64_t vectors, const GpuSpec& gpu) {
  const int64_t all_registers = gpu.registers_per_multiprocessor, multiprocessors = gpu.multiprocessors;
  const int64_t least = std::min(kLeastLanes, power_of_two_from(vectors));
  const int64_t lanes = std::clamp<int64_t>(power_of_two_from(ceil_divide(vectors, kUsualVectors)), least, 32);
  const int64_t each = power_of_two_from(ceil_divide(vectors, lanes)), registers = registers_of_thread(config, each);
  const auto of_block = [&](int64_t block) {
    return LaneTiles{lanes, each, block, std::max<int64_t>(1, all_registers / (block * registers))};
  };
  if (each != 4) return of_block(256);
  // Three CTAs of 128 threads often fit where only one of 256 does. But with few rows the slabs of that many CTAs,
  // written and read as two floats per column, exceed a tenth of the traffic of x, dy and dx.
  const LaneTiles small = of_block(128);
  const int64_t of_slabs = 16 * small.per_multiprocessor * multiprocessors;
  const int64_t of_rows = 3 * static_cast<int64_t>(size_of(element_type(config))) * config.size("rows");
  return 10 * of_slabs > of_rows ? of_block(256) : small;
}
/// The longest row that fits into the registers of a warp: 32 columns per lane, 8 vectors in fp32 and 4 in bf16, with
/// room for the next row.
constexpr int64_t kMostColumnsOfLanes = 1024;

int64_t clamp_slabs(int64_t ctas) { return std::clamp(ctas / kSlabStep * kSlabStep, kSlabStep, kMostSlabs); }

Pick pick_several_rows(const Config& config, const GpuSpec& gpu, int64_t vectors) {
  const int64_t rows = config.size("rows"), multiprocessors = gpu.multiprocessors;
  auto [lanes, each, block, per_multiprocessor] = lane_tiles(config, vectors, gpu);
  // With few rows, smaller CTAs occupy more SMs. They need not occupy all: there would be as many slabs to add as rows.
  while (block > 32 && ceil_divide(rows, block / lanes) < multiprocessors / 2) block /= 2;
  const int64_t sums = 2 * each * vector_width(config);
  return {"several-rows",
          {{"BLOCK", block},
           {"VECTORS", each},
           {"LANES", lanes},
           {"SLABS", clamp_slabs(per_multiprocessor * multiprocessors)}},
          {fmt::format("{} lanes hold a row of {} elements, {} vectors each, and the {} sums of their columns stay in "
                       "registers; no row needs a barrier.",
                       lanes, with_separators(config.size("columns")), each, sums),
           fmt::format("一行 {1} 个元素由 {0} 个通道装下，每个通道 {2} 个向量；所管各列的 {3} "
                       "个部分和一直留在寄存器里，每行都不需要屏障。",
                       lanes, with_separators(config.size("columns")), each, sums)}};
}

/// How the threads of a CTA share rows of up to most_vectors vectors, and how many rows stay in shared memory: 72 to
/// 128 KiB of x and dy per SM for every row length.
struct RowTiles {
  int64_t most_vectors, block, each, stages, per_multiprocessor;
};
constexpr std::array<RowTiles, 4> kRowTiles{
    {{256, 128, 2, 3, 3}, {512, 256, 2, 4, 2}, {1024, 512, 2, 4, 1}, {2048, 512, 4, 2, 1}}};

/// Stages that fit on this GPU; fewer than two are useless.
int64_t stages_that_fit(const RowTiles& tiles, const GpuSpec& gpu) {
  constexpr int64_t kRest = 2048;  // what the kernel declares, and what the system reserves
  const int64_t stage = 2 * tiles.block * tiles.each * 16;
  const int64_t all =
      std::min<int64_t>(gpu.shared_bytes_per_block, gpu.shared_bytes_per_multiprocessor / tiles.per_multiprocessor);
  return std::min(tiles.stages, (all - kRest) / stage);
}

Pick pick_rows_ahead(const Config& config, const GpuSpec& gpu, const RowTiles& tiles, int64_t stages) {
  const int64_t slabs = clamp_slabs(tiles.per_multiprocessor * gpu.multiprocessors);
  const int64_t walking = std::min(slabs, config.size("rows"));
  return {"rows-ahead",
          {{"BLOCK", tiles.block}, {"VECTORS", tiles.each}, {"STAGES", stages}, {"SLABS", slabs}},
          {fmt::format("{} CTAs loop over the rows; {} threads hold the column sums in registers, and shared memory "
                       "holds {} rows of x and dy, all but one of them in flight.",
                       walking, tiles.block, stages),
           fmt::format("{} 个线程块循环处理各行；各列的部分和留在 {} 个线程的寄存器里，共享内存容纳 x、dy 各 {} "
                       "行，除一行外都在途。",
                       walking, tiles.block, stages)}};
}

Pick pick_fused(const Config& config, const GpuSpec& gpu, int64_t vectors) {
  // x and dy of a row in 512 threads: 2 vectors of each in fp32 leave room for two CTAs on an SM.
  const bool two = shared_bytes(config) <= kMostSumBytes / 2 && vectors <= 1024;
  const int64_t each = vectors <= 512 ? 1 : vectors <= 1024 ? 2 : vectors <= 2048 ? 4 : 8;
  const bool bf16 = element_type(config) == DType::bf16;
  const int64_t per_multiprocessor = !two ? 1 : bf16 && vectors <= 512 ? 3 : 2;
  const int64_t slabs = clamp_slabs(per_multiprocessor * gpu.multiprocessors);
  const int64_t walking = std::min(slabs, config.size("rows"));
  return {"fused",
          {{"BLOCK", bf16 && vectors <= 512 ? 256 : 512},
           {"VECTORS", bf16 ? std::clamp<int64_t>(each, 2, 4) : each},
           {"SLABS", slabs}},
          {fmt::format("{} CTAs, up to {} on each multiprocessor, loop over the rows; x and dy are read once for all "
                       "three gradients.",
                       walking, per_multiprocessor),
           fmt::format("{} 个线程块（每个 SM 至多 {} 个）循环处理各行；三个梯度只读一遍 x 和 dy。", walking,
                       per_multiprocessor)}};
}

Pick pick_tiles(const Config& config, const GpuSpec& gpu) {
  const int64_t columns = config.size("columns"), vectors = ceil_divide(columns, vector_width(config));
  if (columns <= kMostColumnsOfLanes) return pick_several_rows(config, gpu, vectors);
  const auto* const tiles = std::find_if(kRowTiles.begin(), kRowTiles.end(),
                                         [&](const RowTiles& some) { return vectors <= some.most_vectors; });
  if (columns % vector_width(config) == 0 && tiles != kRowTiles.end())
    if (const int64_t stages = stages_that_fit(*tiles, gpu); stages >= 2)
      return pick_rows_ahead(config, gpu, *tiles, stages);
  return pick_fused(config, gpu, vectors);
}

std::vector<Rung> make_rungs() {
  const std::vector<std::string> walkers{"rows_ahead", "several_rows", "several_rows_by_element", "fused",
                                         "fused_wide"};
  std::vector<Rung> rungs;
  rungs.push_back({.name = "two-kernels",
                   .title = {"Two kernels", "两个内核"},
                   .kernels = {"dx_per_element", "columns_per_thread"},
                   .params = {"DTYPE", "BLOCK"},
                   .launches = launch_two_kernels,
                   .grid_formula = [](const Config& config) {
                     const int64_t columns = config.size("columns"), block = config.param("BLOCK");
                     return fmt::format("⌈{} / {}⌉ = {}", with_separators(columns), block,
                                        with_separators(ceil_divide(columns, block)));
                   }});
  rungs.push_back({.name = "slabs",
                   .title = {"Registers and slabs", "寄存器与分片"},
                   .kernels = {"dx_in_registers", "columns_in_slabs", "add_slabs"},
                   .params = {"DTYPE", "BLOCK", "VECTORS", "SLABS"},
                   .launches = launch_slabs,
                   .grid_formula = columns_formula});
  rungs.push_back({.name = "fused",
                   .title = {"Fused", "融合"},
                   .kernels = {"fused", "fused_wide", "add_slabs"},
                   .params = {"DTYPE", "BLOCK", "VECTORS", "SLABS"},
                   .shown_kernels = walkers,
                   .launches = launch_fused,
                   .grid_formula = walking_formula});
  rungs.push_back({.name = "several-rows",
                   .title = {"Several rows per CTA", "每线程块多行"},
                   .kernels = {"several_rows", "several_rows_by_element", "fused", "fused_wide", "add_slabs"},
                   .params = {"DTYPE", "BLOCK", "VECTORS", "LANES", "SLABS"},
                   .shown_kernels = walkers,
                   .launches = launch_several_rows_rung,
                   .grid_formula = several_rows_grid});
  rungs.push_back({.name = "rows-ahead",
                   .title = {"Rows ahead (cp.async)", "预取后几行（cp.async）"},
                   .kernels = {"rows_ahead", "fused", "fused_wide", "add_slabs"},
                   .params = {"DTYPE", "BLOCK", "VECTORS", "STAGES", "SLABS"},
                   .shown_kernels = walkers,
                   .launches = launch_rows_ahead,
                   .grid_formula = walking_formula,
                   .check = check_ring});
  rungs.push_back({.name = "auto", .title = {"Auto", "自动"}, .params = {"DTYPE"}, .pick = pick_tiles});
  return rungs;
}

std::vector<Param> make_params() {
  std::vector<Param> params = make_row_params();
  params.resize(4);  // DTYPE, BLOCK, VECTORS, LANES
  params.push_back({.name = "SLABS",
                    .title = {"Slabs", "分片数"},
                    .unit = {"slabs", "片"},
                    .help = {"Groups of rows whose column sums are kept apart until the end. From the rung Fused on, "
                             "they are also the largest number of CTAs.",
                             "行分成的组数，各组的列和到最后才相加。从“融合”这一级起，它也是线程块数的上限。"},
                    .value = kSlabStep,
                    .min = kSlabStep,
                    .max = kMostSlabs,
                    .step = kSlabStep,
                    .gpu_value = 264});
  params.push_back(
      {.name = "STAGES",
       .title = {"Stages", "流水级数"},
       .unit = {"rows", "行"},
       .help = {"Rows of x and dy that shared memory holds: one is processed while the others are in flight.",
                "共享内存容纳的 x、dy 行数：一行在计算，其余在途。"},
       .value = 3,
       .min = 2,
       .max = 6});
  return params;
}

using Buffers = std::vector<std::shared_ptr<const HostBuffer>>;

double normal_at(const Buffers& buffers, size_t row, size_t columns, size_t c) {
  return (value_at(*buffers[kX], row * columns + c) - value_at(*buffers[kMeans], row)) *
         value_at(*buffers[kRstds], row);
}

void expect_dx(const Buffers& buffers, size_t columns, size_t begin, size_t end, double* expected) {
  size_t known = SIZE_MAX;
  double sum = 0, sum_of_products = 0;
  const auto gradient = [&](size_t row, size_t c) {
    return value_at(*buffers[kDy], row * columns + c) * value_at(*buffers[kGamma], c);
  };
  for (size_t i = begin; i < end; ++i) {
    const size_t row = i / columns, column = i % columns;
    if (row != known) {
      known = row;
      sum = sum_of_products = 0;
      for (size_t c = 0; c < columns; ++c) {
        sum += gradient(row, c);
        sum_of_products += gradient(row, c) * normal_at(buffers, row, columns, c);
      }
    }
    const double means =
        (sum + normal_at(buffers, row, columns, column) * sum_of_products) / static_cast<double>(columns);
    expected[i - begin] = value_at(*buffers[kRstds], row) * (gradient(row, column) - means);
  }
}

/// dgamma or dbeta of the columns [begin, end).
void expect_column_sums(const Buffers& buffers, size_t rows, size_t columns, bool of_gamma, size_t begin, size_t end,
                        double* expected) {
  std::fill_n(expected, end - begin, 0.0);
  for (size_t row = 0; row < rows; ++row)
    for (size_t c = begin; c < end; ++c) {
      const double gradient = value_at(*buffers[kDy], row * columns + c);
      expected[c - begin] += of_gamma ? gradient * normal_at(buffers, row, columns, c) : gradient;
    }
}

Lab make_layernorm_backward() {
  Lab lab;
  lab.name = "layernorm-backward";
  lab.stage = 4;
  lab.order = 3;
  lab.title = {"LayerNorm backward", "LayerNorm 反向"};
  lab.kernel_file = "layernorm_backward.cu";
  lab.sizes = make_row_sizes(200, 504);
  lab.params = make_params();
  lab.break_it = {
      make_barrier_switch(
          {},
          {{.in = "reduce_both", .replace = "__syncthreads();", .by = ""},
           {.in = "sum_warps", .replace = "__syncthreads();", .by = ""},
           {.in = "fused", .replace = "  __syncthreads();", .by = ""},
           {.in = "add_groups", .replace = "__syncthreads();  // until", .by = "// until", .file = "column_sums.cuh"},
           {.in = "add_groups",
            .replace = "__syncthreads();\n    for (int at",
            .by = "\n    for (int at",
            .file = "column_sums.cuh"}}),
      make_mask_switch(
          {"slabs", "fused", "several-rows", "rows-ahead", "auto"},
          {{.in = "load_share",
            .replace = "c < columns ? static_cast<float>(row[c]) : 0",
            .by = "static_cast<float>(row[c])"},
           {.in = "store_share", .replace = "if (c < columns) ", .by = ""},
           {.in = "copy_row_async", .replace = "first + v * BLOCK * WIDTH < columns ? 16 : 0", .by = "16"}}),
      {.name = "DROP_WAIT",
       .title = {"Do not wait for the copies", "不等待异步拷贝"},
       .help = {"Threads read shared memory while cp.async is still writing to it.",
                "cp.async 还在写共享内存，线程就来读了。"},
       .plants = {{.in = "rows_ahead", .replace = "cp_async_wait_group<STAGES - 1>();", .by = ""}},
       .rungs = {"rows-ahead"}}};
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"},
                    {"PyTorch", "torch", "layernorm_backward"},
                    {"torch.compile", "torch_compile", "layernorm_backward"},
                    {"cuDNN", "cudnn", "layernorm_backward"}};
  // dgamma and dbeta are sums over all rows: 2^17 terms of size 1, with each partial sum of some hundreds rounded to
  // 2^-24 of it. Where one thread loops over all rows, the rounding errors add up to 0.3 · 2^-24 per row (measured; the
  // largest error of many columns is six times that).
  lab.tolerance_for = [](const std::string& rung, const Config& config, DType type) {
    const double walk = rung == "two-kernels" ? static_cast<double>(config.size("rows")) * 0x1p-23 : 0;
    return Tolerance{.absolute = 2e-3 + walk, .relative = 1e-4 + (type == DType::bf16 ? 0x1p-8 : 0)};
  };
  lab.predicts = make_layernorm_backward_predicts();
  lab.buffers = make_buffers;
  lab.reference = [](const Config& config, const Buffers& buffers, size_t output, size_t begin, size_t end,
                     double* expected) {
    const auto rows = static_cast<size_t>(config.size("rows")), columns = static_cast<size_t>(config.size("columns"));
    if (output == 0) return expect_dx(buffers, columns, begin, end, expected);
    expect_column_sums(buffers, rows, columns, output == 1, begin, end, expected);
  };
  lab.useful_bytes = [](const Config& config) {
    const auto rows = static_cast<double>(config.size("rows")), columns = static_cast<double>(config.size("columns"));
    return static_cast<double>(size_of(element_type(config))) * (3 * rows + 1) * columns + 8 * (rows + columns);
  };
  lab.flops = [](const Config& config) {
    return 14.0 * static_cast<double>(config.size("rows") * config.size("columns"));
  };
  lab.bytes_formula = {"(3 · rows + 1) · columns elements of 4 or 2 bytes, and 8 bytes for each row and column",
                       "(3 · 行 + 1) · 列 个元素，每个 4 或 2 字节；另有每行、每列各 8 字节"};
  lab.sweep_size = "rows";
  for (const SweepPoint& point : make_row_points())
    if (point.sizes.at("rows") >= 4096) lab.points.push_back(point);
  return lab;
}

const bool registered = register_lab(make_layernorm_backward());

}  // namespace
}  // namespace tilescope::layernorm_backward_lab
