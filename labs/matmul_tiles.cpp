#include "labs/matmul_tiles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/numbers.hpp"
#include "labs/limits.hpp"
#include "labs/predict.hpp"

namespace tilescope {
namespace {

constexpr int64_t kMostAccumulators = 128;  // floats that a lane can hold beside its fragments: half its registers
constexpr int64_t kLeastDepth = 32;         // of a k-tile along K, in elements

int64_t element_bytes(const Config& config) { return static_cast<int64_t>(size_of(memory_type(config))); }
int64_t tile_rows(const Config& config) { return ceil_divide(config.size("M"), config.param("BM")); }
int64_t tile_columns(const Config& config) { return ceil_divide(config.size("N"), config.param("BN")); }

int64_t shared_bytes(const Config& config, int64_t stages) {
  return (config.param("BM") + config.param("BN")) * config.param("BK") * element_bytes(config) * stages;
}

/// A tile that "auto" may take; CTAs per SM as far as registers go, which is what limits these. A row of a k-tile is
/// 128 bytes, all banks once, or 64: then a barrier for half as much work, but a shorter wait for the first one.
struct TileChoice {
  int64_t rows, columns, warps, ctas, depth_bytes, stages;
};
constexpr std::array kTiles{TileChoice{128, 256, 8, 1, 64, 4}, TileChoice{128, 128, 4, 2, 128, 3},
                            TileChoice{64, 128, 4, 3, 128, 3}, TileChoice{64, 64, 4, 4, 128, 3}};

/// How a grid of this tile lies on the GPU. A wave is as many CTAs as run at once.
struct Layout {
  TileChoice tile;
  int64_t tiles, slots, waves;
  /// Elements of C that the SM with most to do computes.
  int64_t most_of_an_sm() const {
    const int64_t last = tiles - (waves - 1) * slots;  // CTAs of the last wave
    const int64_t in_last = ceil_divide(last * tile.ctas, slots);
    return ((waves - 1) * tile.ctas + in_last) * tile.rows * tile.columns;
  }
};

Layout lay_out(const Config& config, const GpuSpec& gpu, const TileChoice& tile) {
  const int64_t tiles = ceil_divide(config.size("M"), tile.rows) * ceil_divide(config.size("N"), tile.columns);
  const int64_t slots = tile.ctas * std::max<int64_t>(gpu.multiprocessors, 1);
  return {tile, tiles, slots, ceil_divide(tiles, slots)};
}

int64_t depth_of(const Config& config, const TileChoice& tile) {
  return std::max(tile.depth_bytes / element_bytes(config), kLeastDepth);
}

/// Stages that leave room for the tile's CTAs, at least 2; 0 where there is none.
int64_t stages_for(const Config& config, const GpuSpec& gpu, const TileChoice& tile) {
  const int64_t stage_bytes = (tile.rows + tile.columns) * depth_of(config, tile) * element_bytes(config);
  const int64_t each = gpu.shared_bytes_per_multiprocessor / tile.ctas - gpu.reserved_shared_bytes_per_block;
  const int64_t room = std::min<int64_t>(each, gpu.shared_bytes_per_block);
  return room >= 2 * stage_bytes ? std::min(room / stage_bytes, tile.stages) : 0;
}

/// Rows of tiles in a group, so that a wave's strips of A and of B have as few bytes as can be: r rows of BM and
/// slots / r columns of BN.
int64_t group_for(const Layout& layout, int64_t tile_rows) {
  const double square =
      std::sqrt(static_cast<double>(layout.slots * layout.tile.columns) / static_cast<double>(layout.tile.rows));
  const auto rows = static_cast<uint64_t>(std::max(square, 1.0));
  const uint64_t most = std::min<uint64_t>(std::bit_ceil(static_cast<uint64_t>(tile_rows)), 64);
  return static_cast<int64_t>(std::clamp<uint64_t>(std::bit_floor(rows + rows / 2), 1, most));
}

Text reason_for(const Layout& chosen, const GpuSpec& gpu) {
  const TileChoice& tile = chosen.tile;
  const double percent = 100.0 * static_cast<double>(chosen.tiles) / static_cast<double>(chosen.waves * chosen.slots);
  const bool largest = tile.rows == kTiles.front().rows && tile.columns == kTiles.front().columns;
  const std::string tiles = with_separators(chosen.tiles), waves = with_separators(chosen.waves);
  return {fmt::format("{} tiles of {} × {} on {} SMs, {} at a time on each: {} {}, {:.0f}% of the slots filled. {}",
                      tiles, tile.rows, tile.columns, gpu.multiprocessors, tile.ctas, waves,
                      chosen.waves == 1 ? "wave" : "waves", percent,
                      largest ? "No smaller tile keeps the SMs a tenth busier, and all of them read more."
                              : "With a larger tile the busiest SM would have over a tenth more to do."),
          fmt::format(
              "{} 个 {} × {} 的分块，{} 个 SM，每个同时 {} 块：{} 个波次，槽位填满 {:.0f}%。{}", tiles, tile.rows,
              tile.columns, gpu.multiprocessors, tile.ctas, waves, percent,
              largest ? "更小的分块都不能让 SM 多忙一成，而且读得更多。" : "换更大的分块，最忙的 SM 要多做一成以上。")};
}

Param make_param(std::string name, Text title, Text unit, Text help, int64_t value, int64_t min, int64_t max) {
  return {.name = std::move(name),
          .title = std::move(title),
          .unit = std::move(unit),
          .help = std::move(help),
          .value = value,
          .min = min,
          .max = max,
          .scale = Scale::power_of_two};
}

}  // namespace

TensorType tensor_type(const Config& config) { return static_cast<TensorType>(config.param("DTYPE")); }
DType memory_type(const Config& config) {
  const TensorType type = tensor_type(config);
  return type == TensorType::f16 ? DType::f16 : type == TensorType::bf16 ? DType::bf16 : DType::f32;
}
PeakRate tensor_rate(const Config& config) {
  const TensorType type = tensor_type(config);
  return type == TensorType::f16 ? PeakRate::fp16 : type == TensorType::bf16 ? PeakRate::bf16 : PeakRate::tf32;
}
MatmulOperands operands_of(const Config& config) {
  const auto layout = config.params.find("B_LAYOUT");
  return {.type = memory_type(config), .b_column_major = layout != config.params.end() && layout->second == 1};
}
bool rows_are_aligned(const Config& config) {
  const int64_t chunk = 16 / element_bytes(config);
  return config.size("N") % chunk == 0 && config.size("K") % chunk == 0;
}

std::string typed_operation(const std::string& prefix, const Config& config) {
  const TensorType type = tensor_type(config);
  return prefix + (type == TensorType::f16 ? "_f16" : type == TensorType::bf16 ? "_bf16" : "_tf32");
}

Param make_type_param(size_t types) {
  std::vector<NamedValue> all{{"fp16", {"fp16, 2 bytes", "fp16，2 字节"}},
                              {"bf16", {"bf16, 2 bytes", "bf16，2 字节"}},
                              {"tf32", {"TF32, 4 bytes", "TF32，4 字节"}}};
  all.resize(types);
  Param param = make_choice("DTYPE", {"Element type", "元素类型"},
                            {"What the tensor cores multiply: fp16 has 11 significant bits, bf16 has 8 and the range "
                             "of a float, and TF32 has 11 and the range of a float. They accumulate in fp32.",
                             "张量核心相乘的类型：fp16 有 11 位有效位；bf16 有 8 位，范围与 float 相同；TF32 有 11 "
                             "位，范围与 float 相同。累加用 fp32。"},
                            std::move(all));
  param.value = 1;  // bf16, as most models are trained
  return param;
}

std::vector<Param> make_tile_params() {
  const Text elements{"elements", "元素"}, warps{"warps", "线程束"}, k_tiles{"k-tiles", "级"},
      rows{"tile rows", "分块行"};
  std::vector<Param> params{
      make_param("BM", {"Tile, rows", "分块行数"}, elements,
                 {"Rows of C that one CTA computes.", "一个线程块计算的 C 的行数。"}, 64, 64, 256),
      make_param("BN", {"Tile, columns", "分块列数"}, elements,
                 {"Columns of C that one CTA computes.", "一个线程块计算的 C 的列数。"}, 64, 64, 256),
      make_param("BK", {"Tile, depth", "分块深度"}, elements,
                 {"Extent along K of the tiles of A and B in shared memory.", "共享内存中 A、B 分块沿 K 的长度。"}, 32,
                 kLeastDepth, 64),
      make_param("WARPS", {"Warps per CTA", "每个线程块的线程束数"}, warps,
                 {"The warps split the tile so that the part of each is as close to a square as possible.",
                  "各线程束分摊分块，每个线程束的部分尽量接近正方形。"},
                 4, 4, 8),
      make_param("STAGES", {"Stages", "流水级数"}, k_tiles,
                 {"k-tiles that shared memory holds: one is multiplied while the others are in flight.",
                  "共享内存容纳的 k 分块数：一个在计算，其余在途。"},
                 3, 2, 6),
      make_param("GROUP_M", {"GROUP_M", "GROUP_M"}, rows,
                 {"Tile rows in a group. With 1 the order is row-major.", "每组的分块行数。为 1 时就是按行顺序。"}, 8,
                 1, 64)};
  Param &columns = params[1], &stages = params[4];
  columns.scale = Scale::linear;  // 192 is possible too
  columns.step = 64;
  stages.scale = Scale::linear;
  params[0].gpu_value = 128;
  columns.gpu_value = 256;
  params[2].gpu_value = 64;
  params[3].gpu_value = 8;
  params[5].gpu_value = 16;
  return params;
}

std::vector<BreakIt> make_pipeline_switches(const std::vector<std::string>& staged,
                                            const std::vector<std::string>& all) {
  return {
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"Tiles at the edge read and write past the matrices.", "边缘的分块会读写到矩阵之外。"},
       .plants = {{.in = "gather_chunk",
                   .replace = "i < count ? from[i] : from_float(0)",
                   .by = "from[i]",
                   .file = "matmul_tiles.cuh"},
                  {.in = "TileLoader",
                   .replace = "return row_of(pass) < rows_left ? max(0, columns_left - column_of(pass)) : 0;",
                   .by = "return max(0, columns_left - column_of(pass));",
                   .file = "matmul_tiles.cuh"},
                  {.in = "TileLoader", .replace = "inside(p) > 0 ? 16 : 0", .by = "16", .file = "matmul_tiles.cuh"},
                  {.in = "TileLoader",
                   .replace = "inside(p) > 0 ? *reinterpret_cast<const uint4*>(source(p)) : uint4{}",
                   .by = "*reinterpret_cast<const uint4*>(source(p))",
                   .file = "matmul_tiles.cuh"},
                  {.in = "store_aligned",
                   .replace = "if (r < m && column + j * 8 < n) ",
                   .by = "",
                   .file = "matmul_tiles.cuh"},
                  {.in = "store_aligned",
                   .replace = "if (r < m && column + j * 8 + 8 < n) ",
                   .by = "",
                   .file = "matmul_tiles.cuh"},
                  {.in = "store_aligned",
                   .replace = "if (r < m && column + j * 8 + moved < n) ",
                   .by = "",
                   .file = "matmul_tiles.cuh"},
                  {.in = "store_unaligned", .replace = "if (r < m && s < n) ", .by = "", .file = "matmul_tiles.cuh"}},
       .rungs = all},
      {.name = "DROP_BARRIER",
       .title = {"Remove the barriers of the loop", "去掉循环里的屏障"},
       .help = {"A warp overwrites data that a different warp still reads.",
                "一个线程束会覆盖另一个线程束还在读的数据。"},
       .plants = {{.in = "Pipeline", .replace = "__syncthreads(); ", .by = "", .file = "matmul_tiles.cuh"}},
       .rungs = all},
      {.name = "DROP_WAIT",
       .title = {"Do not wait for the copies", "不等待异步拷贝"},
       .help = {"ldmatrix reads shared memory while cp.async is still writing to it.",
                "cp.async 还在写共享内存，ldmatrix 就来读了。"},
       .plants =
           {{.in = "Pipeline", .replace = "cp_async_wait_group<STAGES - 2>();", .by = "", .file = "matmul_tiles.cuh"}},
       .rungs = staged}};
}

Launch launch_tiles(std::string kernel, const Config& config, int64_t stages, std::vector<Argument> arguments) {
  Launch launch{.kernel = std::move(kernel), .grid = {}, .block = {}, .shared_bytes = 0, .arguments = {}};
  launch.grid.x = static_cast<uint32_t>(count_tiles(config));
  launch.block.x = static_cast<uint32_t>(32 * config.param("WARPS"));
  launch.shared_bytes = static_cast<uint32_t>(shared_bytes(config, stages));
  launch.arguments = std::move(arguments);
  for (const char* size : {"M", "N", "K"})
    launch.arguments.emplace_back(scalar(static_cast<int32_t>(config.size(size))));
  return launch;
}

int64_t count_tiles(const Config& config) { return tile_rows(config) * tile_columns(config); }

std::string tiles_formula(const Config& config) {
  return fmt::format("⌈{} / {}⌉ × ⌈{} / {}⌉ = {}", with_separators(config.size("M")), config.param("BM"),
                     with_separators(config.size("N")), config.param("BN"), with_separators(count_tiles(config)));
}

Result<void> check_tile(const Config& config, int64_t stages) {
  const int64_t accumulators = config.param("BM") * config.param("BN") / (32 * config.param("WARPS"));
  if (accumulators > kMostAccumulators)
    return fail(ErrorId::parameter_range, "BM · BN / (32 · WARPS), the accumulators of a lane,", accumulators,
                phrase("at most {}, half of its registers", kMostAccumulators));
  if (const int64_t bytes = shared_bytes(config, stages); bytes > most_shared_bytes())
    return fail(ErrorId::parameter_range, "(BM + BN) · BK · STAGES in bytes of shared memory", with_separators(bytes),
                phrase("at most {}", with_separators(most_shared_bytes())));
  return {};
}

Tolerance product_tolerance(const Config& config) {
  const auto depth = static_cast<double>(config.size("K"));
  const TensorType type = tensor_type(config);
  const double steps = std::ceil(depth / (type == TensorType::tf32 ? 8 : 16));
  // Inputs are N(0, 1), so a sum of K products is N(0, √K), and stays below 6 √K. The tensor cores do not round sums to
  // nearest: each step may lose a unit in the last place of 2^-23.
  const double sums = steps * std::ldexp(6 * std::sqrt(depth), -23);
  // Rounding to 11 bits changes an operand by at most 2^-11 of it, a product of two by 2^-10. These errors go either
  // way and add up like √K, of which 2 are 7 deviations; and one product of two far values may be as large as 12.
  const double operands = type == TensorType::tf32 ? std::ldexp(2 * std::sqrt(depth) + 12, -10) : 0;
  // The result is rounded to 11 bits, to 8, or stays a float.
  const double result = type == TensorType::f16    ? std::ldexp(1, -11)
                        : type == TensorType::bf16 ? std::ldexp(1, -8)
                                                   : std::ldexp(1, -23);
  return {.absolute = 1e-6 + sums + operands, .relative = result};
}

Pick pick_tile(const Config& config, const GpuSpec& gpu, const std::string& rung) {
  std::vector<Layout> layouts;
  for (const TileChoice& tile : kTiles)
    if (stages_for(config, gpu, tile) != 0 || &tile == &kTiles.back()) layouts.push_back(lay_out(config, gpu, tile));
  int64_t least = layouts.front().most_of_an_sm();
  for (const Layout& layout : layouts) least = std::min(least, layout.most_of_an_sm());
  // The larger of two tiles reads fewer bytes for each operation, which is worth a tenth more work.
  const Layout& chosen = *std::find_if(layouts.begin(), layouts.end(), [least](const Layout& layout) {
    return layout.most_of_an_sm() * 10 <= least * 11;
  });
  const TileChoice& tile = chosen.tile;
  Pick pick{.rung = rung,
            .params = {{"BM", tile.rows},
                       {"BN", tile.columns},
                       {"BK", depth_of(config, tile)},
                       {"WARPS", tile.warps},
                       {"STAGES", std::max<int64_t>(stages_for(config, gpu, tile), 2)},
                       {"GROUP_M", group_for(chosen, ceil_divide(config.size("M"), tile.rows))}},
            .why = {}};
  pick.why = reason_for(chosen, gpu);
  return pick;
}

Predict ask_tiles(std::vector<std::string> rungs) {
  return ask(
      {.question = {"One CTA computes a tile of BM × BN of C. How many CTAs are launched?",
                    "一个线程块计算 C 的一个 BM × BN 分块。要启动多少个线程块？"},
       .answer = count_tiles,
       .others =
           [](const Config& config) {
             const int64_t down = ceil_divide(config.size("M"), config.param("BM")),
                           across = ceil_divide(config.size("N"), config.param("BN"));
             return std::vector<int64_t>{
                 down + across, (config.size("M") / config.param("BM")) * (config.size("N") / config.param("BN")),
                 2 * count_tiles(config), 4 * count_tiles(config)};
           },
       .why =
           [](const Config& config) {
             const std::string sum = fmt::format("⌈{} / {}⌉ × ⌈{} / {}⌉ = {}", with_separators(config.size("M")),
                                                 config.param("BM"), with_separators(config.size("N")),
                                                 config.param("BN"), with_separators(count_tiles(config)));
             return Text{sum + ". Tiles at the edge count as a whole CTA.", sum + "。边缘不满的分块也占一个线程块。"};
           },
       .rungs = std::move(rungs),
       .veils = ShownNumber::blocks});
}

}  // namespace tilescope
