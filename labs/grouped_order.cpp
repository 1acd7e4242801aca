// Lab "grouped-order": a tensor-core matmul whose CTAs take the tiles of C in three orders. kernels/grouped_matmul.cu
// holds the rungs, kernels/matmul.py the one in Triton. What an order saves is seen at sizes that are too large to
// simulate, so the block-order model (engine/traffic/block_order/issue_order.hpp) says what the whole grid moves.
#include <algorithm>
#include <set>
#include <utility>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "labs/matmul.hpp"
#include "labs/matmul_triton.hpp"
#include "labs/predict.hpp"

namespace tilescope::grouped_order_lab {
namespace {

enum Buffer : size_t { kA, kB, kC };
const std::vector<std::string> kCudaRungs{"row-major", "grouped", "hilbert"};

int64_t tile_rows(const Config& config) { return ceil_divide(config.size("M"), config.param("BM")); }
int64_t tile_columns(const Config& config) { return ceil_divide(config.size("N"), config.param("BN")); }

std::string grid_formula(const Config& config) {
  return fmt::format("{} × {} = {}", with_separators(tile_rows(config)), with_separators(tile_columns(config)),
                     with_separators(tile_rows(config) * tile_columns(config)));
}

Rung make_rung(const std::string& name, const Text& title, const std::string& kernel, bool grouped) {
  Rung rung;
  rung.name = name;
  rung.title = title;
  rung.kernels = {kernel};
  rung.params = {"BM", "BN", "BK", "STAGES", "WARPS", "CTAS_PER_SM"};
  if (grouped) rung.params.emplace_back("GROUP_M");
  rung.launches = [kernel](const Config& config) {
    const int64_t stage_bytes = (config.param("BM") + config.param("BN")) * config.param("BK") * 2;
    Launch launch{.kernel = kernel, .grid = {}, .block = {}, .shared_bytes = 0, .arguments = {}};
    launch.grid.x = static_cast<uint32_t>(tile_rows(config) * tile_columns(config));
    launch.block.x = static_cast<uint32_t>(32 * config.param("WARPS"));
    launch.shared_bytes = static_cast<uint32_t>(stage_bytes * config.param("STAGES"));
    launch.arguments = {BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kC}};
    for (const char* size : {"M", "N", "K"})
      launch.arguments.emplace_back(scalar(static_cast<int32_t>(config.size(size))));
    return std::vector<Launch>{launch};
  };
  rung.grid_formula = grid_formula;
  return rung;
}

Rung make_triton() {
  return {.name = "triton-grouped",
          .title = {"Triton, grouped", "Triton，分组"},
          .kernel_file = "matmul.py",
          .kernels = {"matmul_grouped"},
          .params = {"BM", "BN", "BK", "num_warps", "num_stages", "CTAS_PER_SM", "GROUP_M"},
          .launches =
              [](const Config& config) {
                return std::vector<Launch>{launch_triton_matmul("matmul_grouped", config, {.type = DType::f16},
                                                                {"BM", "BN", "BK", "GROUP_M"})};
              },
          .grid_formula = grid_formula,
          .check = [](const Config& config) { return check_triton_tile(config, DType::f16); }};
}

std::vector<Param> make_params() {
  const Text warps{"warps", "线程束"}, elements{"elements", "元素"};
  std::vector<Param> params{
      {.name = "BM",
       .title = {"Tile, rows", "分块行数"},
       .unit = elements,
       .help = {"Rows of C that one CTA computes.", "一个线程块计算的 C 的行数。"},
       .value = 64,
       .min = 64,
       .max = 128,
       .scale = Scale::power_of_two,
       .gpu_value = 64},
      {.name = "BN",
       .title = {"Tile, columns", "分块列数"},
       .unit = elements,
       .help = {"Columns of C that one CTA computes.", "一个线程块计算的 C 的列数。"},
       .value = 64,
       .min = 64,
       .max = 256,
       .scale = Scale::power_of_two,
       .gpu_value = 256},
      {.name = "BK",
       .title = {"Tile, depth", "分块深度"},
       .unit = elements,
       .help = {"Extent along K of the tiles of A and B in shared memory.", "共享内存中 A、B 分块沿 K 的长度。"},
       .value = 32,
       .min = 32,
       .max = 64,
       .scale = Scale::power_of_two,
       .gpu_value = 64},
      {.name = "STAGES",
       .title = {"Stages", "流水级数"},
       .unit = {"k-tiles", "级"},
       .help = {"k-tiles that shared memory holds: one is multiplied while the others are in flight.",
                "共享内存容纳的 k 分块数：一个在计算，其余在途。"},
       .value = 3,
       .min = 2,
       .max = 4,
       .gpu_value = 2},
      {.name = "WARPS",
       .title = {"Warps per CTA", "每个线程块的线程束数"},
       .unit = warps,
       .help = {"The warps split the tile so that the part of each is as close to a square as possible.",
                "各线程束分摊分块，每个线程束的部分尽量接近正方形。"},
       .value = 8,
       .min = 4,
       .max = 8,
       .scale = Scale::power_of_two,
       .gpu_value = 4},
      {.name = "GROUP_M",
       .title = {"GROUP_M", "GROUP_M"},
       .unit = {"tile rows", "分块行"},
       .help = {"Tile rows in a group. With 1 the order is row-major.", "每组的分块行数。为 1 时就是按行顺序。"},
       .value = 8,
       .min = 1,
       .max = 64,
       .scale = Scale::power_of_two,
       .gpu_value = 16},
      {.name = "CTAS_PER_SM",
       .title = {"Blocks per SM", "每个 SM 的线程块数"},
       .unit = {"blocks", "线程块"},
       .help = {"How many blocks the model lets an SM hold; 0: as many as the kernel's resources allow.",
                "模型中一个 SM 容纳的线程块数；0 表示由内核占用的资源决定。"},
       .value = 0,
       .min = 0,
       .max = 4,
       .model_only = true}};
  for (Param& param : make_triton_matmul_params(8, 4)) params.push_back(std::move(param));
  return params;
}

std::vector<BreakIt> make_switches() {
  std::vector<BreakIt> switches{
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"Tiles at the edge read and write past the matrices.", "边缘的分块会读写到矩阵之外。"},
       .plants = {{.in = "KTileLoader",
                   .replace = "inside = i * int{A_ROWS} < rows && a_k < k_left",
                   .by = "inside = true"},
                  {.in = "KTileLoader",
                   .replace = "inside = b_k + i * int{B_ROWS} < k_left && columns > 0",
                   .by = "inside = true"},
                  {.in = "multiply_tile", .replace = "if (r >= m || s >= n) continue;", .by = ""}}},
      {.name = "DROP_WAIT",
       .title = {"Do not wait for the copies", "不等待异步拷贝"},
       .help = {"ldmatrix reads shared memory while cp.async is still writing to it.",
                "cp.async 还在写共享内存，ldmatrix 就来读了。"},
       .plants = {{.in = "multiply_tile",
                   .replace = "cp_async_wait_group<STAGES - 2>();  // this thread",
                   .by = "// this thread"},
                  {.in = "multiply_tile", .replace = "        cp_async_wait_group<STAGES - 2>();", .by = ""}},
       .rungs = kCudaRungs},
      {.name = "DROP_BARRIER",
       .title = {"Remove the barrier of the loop", "去掉循环里的屏障"},
       .help = {"A warp overwrites data that a different warp still reads.",
                "一个线程束会覆盖另一个线程束还在读的数据。"},
       .plants = {{.in = "multiply_tile", .replace = "        __syncthreads();", .by = ""}},
       .rungs = kCudaRungs}};
  drop_triton_mask(switches);
  return switches;
}

constexpr int64_t kResident = 132;  // one CTA on each SM of the usual GPU

/// Row and column of a tile in Triton's order.
std::pair<int64_t, int64_t> tile_of(const Config& config, int64_t group, int64_t cta) {
  const int64_t of_group = group * tile_columns(config), first = cta / of_group * group;
  const int64_t rows = std::min(tile_rows(config) - first, group), within = cta % of_group;
  return {first + within % rows, within / rows};
}

/// Tile rows of A and tile columns of B that the first wave needs.
std::pair<int64_t, int64_t> operands_of_wave(const Config& config, int64_t group) {
  std::set<int64_t> rows, columns;
  const int64_t tiles = tile_rows(config) * tile_columns(config);
  for (int64_t cta = 0; cta < std::min(kResident, tiles); ++cta) {
    const auto [row, column] = tile_of(config, group, cta);
    rows.insert(row);
    columns.insert(column);
  }
  return {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns.size())};
}

int64_t sum_of_operands(const Config& config, int64_t group) {
  const auto [rows, columns] = operands_of_wave(config, group);
  return rows + columns;
}

Predict predict_operands() {
  return ask({.question = {fmt::format(
                               "{} CTAs are resident, in groups of GROUP_M tile rows: how many tile rows of A and tile "
                               "columns of B does the first wave need, added up?",
                               kResident),
                           fmt::format("{} 个线程块同时驻留，每组 GROUP_M 个分块行：第一个波次需要的 A 的分块行数与 B "
                                       "的分块列数之和是多少？",
                                       kResident)},
              .answer = [](const Config& config) { return sum_of_operands(config, config.param("GROUP_M")); },
              .others =
                  [](const Config& config) {
                    return std::vector<int64_t>{sum_of_operands(config, 1), tile_rows(config) + tile_columns(config),
                                                kResident};
                  },
              .why =
                  [](const Config& config) {
                    const auto [rows, columns] = operands_of_wave(config, config.param("GROUP_M"));
                    const auto [plain_rows, plain_columns] = operands_of_wave(config, 1);
                    return Text{
                        fmt::format("{} rows of A and {} columns of B: {}. In row-major order it is {} + {} = {}.",
                                    rows, columns, rows + columns, plain_rows, plain_columns,
                                    plain_rows + plain_columns),
                        fmt::format("A 的 {} 行加 B 的 {} 列：{}。按行顺序则是 {} + {} = {}。", rows, columns,
                                    rows + columns, plain_rows, plain_columns, plain_rows + plain_columns)};
                  },
              .rungs = {"grouped"}});
}

Predict predict_tiles() {
  const auto tiles = [](const Config& config) { return tile_rows(config) * tile_columns(config); };
  return ask({.question = {"One CTA computes a tile of BM × BN of C. How many CTAs are launched?",
                           "一个线程块计算 C 的一个 BM × BN 分块。要启动多少个线程块？"},
              .answer = tiles,
              .others =
                  [tiles](const Config& config) {
                    return std::vector<int64_t>{tile_rows(config) + tile_columns(config), 2 * tiles(config),
                                                tile_rows(config) * config.param("GROUP_M")};
                  },
              .why =
                  [](const Config& config) {
                    const std::string sum =
                        fmt::format("⌈{} / {}⌉ × ⌈{} / {}⌉ = {}", with_separators(config.size("M")), config.param("BM"),
                                    with_separators(config.size("N")), config.param("BN"),
                                    with_separators(tile_rows(config) * tile_columns(config)));
                    return Text{sum + ". The order changes which tile a CTA takes, not how many there are.",
                                sum + "。顺序只改变线程块取哪个分块，不改变个数。"};
                  },
              .rungs = kCudaRungs,
              .veils = ShownNumber::blocks});
}

int64_t rows_of_last_group(const Config& config) {
  const int64_t group = config.param("GROUP_M"), left = tile_rows(config) % group;
  return left == 0 ? group : left;
}

Predict predict_last_group() {
  return ask(
      {.question = {"Groups of GROUP_M tile rows: how many tile rows does the last group have?",
                    "每组 GROUP_M 个分块行：最后一组有几个分块行？"},
       .answer = rows_of_last_group,
       .others =
           [](const Config& config) {
             return std::vector<int64_t>{config.param("GROUP_M"), 1, config.param("GROUP_M") / 2, tile_rows(config)};
           },
       .why =
           [](const Config& config) {
             const int64_t rows = tile_rows(config), group = config.param("GROUP_M"), last = rows_of_last_group(config);
             return Text{fmt::format("There are ⌈{} / {}⌉ = {} tile rows in ⌈{} / {}⌉ groups. A kernel that "
                                     "divides by GROUP_M instead of by {} in the last group computes tiles "
                                     "twice and leaves others out.",
                                     with_separators(config.size("M")), config.param("BM"), rows, rows, group, last),
                         fmt::format("共 ⌈{} / {}⌉ = {} 个分块行，分成 ⌈{} / {}⌉ 组。最后一组若仍除以 GROUP_M 而不是 "
                                     "{}，有些分块会算两遍，有些则漏掉。",
                                     with_separators(config.size("M")), config.param("BM"), rows, rows, group, last)};
           },
       .rungs = {"grouped"}});
}

Predict predict_small() {
  return {
      .question = {"At M = N = K = 4096 on an H200, by how many percent does GROUP_M 8 reduce the bytes read from "
                   "device memory, to the nearest 50?",
                   "M = N = K = 4096，H200：GROUP_M 8 让显存读取字节数减少百分之几（取最接近的 50 的倍数）？"},
      .choices =
          [](const Config&) {
            return std::vector<int64_t>{0, 50, 100};
          },
      .answer = [](const Config&) { return int64_t{0}; },
      .why =
          [](const Config&) {
            return Text{
                "C is only 16 tiles wide, so a row-major wave of 132 CTAs is already about 9 × 16 tiles; groups of 8 "
                "rows make waves of 12 to 16 rows. Add up the strips of A and B over the four waves: 0.171 GB "
                "row-major, 0.187 GB grouped. The counters of an H200 say the same.",
                "C 只有 16 块宽，132 个线程块的一个按行波次本来就约为 9 × 16 块；每 8 行一组，波次反而碰到 12 到 16 "
                "行。把四个波次的 A、B 条带加起来：按行 0.171 GB，分组 0.187 GB。H200 的硬件计数器数出的也是这些。"};
          },
      .rungs = {"grouped"}};
}

void reference(const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
               size_t begin, size_t end, double* expected) {
  multiply_in_double(config, {.type = DType::f16}, *buffers[kA], *buffers[kB], begin, end, expected);
}

Lab make_grouped_order() {
  Lab lab;
  lab.name = "grouped-order";
  lab.stage = 5;
  lab.order = 20;
  lab.title = {"Grouped order", "分组顺序"};
  lab.kernel_file = "grouped_matmul.cu";
  lab.sizes = {make_matmul_size("M", 1000, 16384, 1, 32768), make_matmul_size("N", 1000, 16384, 8, 131072),
               make_matmul_size("K", 136, 16384, 8, 32768)};
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = {make_rung("row-major", {"Row-major", "按行"}, "matmul_row_major", false),
               make_rung("grouped", {"Grouped", "分组"}, "matmul_grouped", true),
               make_rung("hilbert", {"Hilbert", "希尔伯特曲线"}, "matmul_hilbert", false), make_triton()};
  lab.default_rung = "grouped";
  // Where the operands are larger than the L2 the order matters; hardware counters were recorded with this tile.
  lab.opens_with = {{"M", 8192}, {"N", 8192}, {"K", 8192}, {"BM", 128}, {"BN", 256}, {"BK", 64}, {"CTAS_PER_SM", 1}};
  lab.references = {{"PyTorch", "torch", "matmul_f16"}, {"Triton", "triton", "matmul_f16"}};
  // A half has 11 bits, so rounding C gives up to 2^-11 of it; the tensor cores' sums of floats are not rounded to
  // nearest, and lose up to one unit in the last place of a partial sum at each of K / 16 steps.
  lab.tolerance = {.absolute = 0.02, .relative = 1e-3};
  lab.predicts = {predict_operands(), predict_small(), predict_tiles(), predict_last_group()};
  lab.buffers = [](const Config& config) { return make_matmul_buffers(config, {.type = DType::f16}, DType::f16); };
  lab.reference = reference;
  lab.flops = matmul_flops;
  lab.useful_bytes = [](const Config& config) { return matmul_bytes(config, DType::f16, DType::f16); };
  lab.bytes_formula = {"2 (M K + K N + M N) bytes: A and B read once, C written",
                       "2 (M K + K N + M N) 字节：A、B 各读一次，写 C"};
  lab.speed_unit = SpeedUnit::teraflops;
  lab.sweep_size = "M";
  lab.sweep_with = {"N", "K"};
  lab.small_sizes = {256, 512, 1024};
  lab.peak_rate = [](const std::string&, const Config&) { return PeakRate::fp16; };
  lab.sweep = {1024, 2048, 4096, 8192, 12288, 16384};
  lab.models_block_order = true;
  lab.most_simulated_flops = 1e10;
  lab.most_reference_flops = 2e9;
  return lab;
}

const bool registered = register_lab(make_grouped_order());

}  // namespace
}  // namespace tilescope::grouped_order_lab
