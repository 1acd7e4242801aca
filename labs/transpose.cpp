// Lab "transpose": out[column][row] = in[row][column]. kernels/transpose.cu holds the rungs.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "labs/predict.hpp"

namespace tilescope::transpose_lab {
namespace {

constexpr int64_t kLargestOnSimulator = 4096;  // 2 buffers of 64 MiB
constexpr int64_t kLargestOnGpu = 32768;       // an int still indexes it
constexpr int64_t kWarp = 32;

/// Floats of a tile row that lanes access together: LINE in the kernel file.
int64_t line(const Config& config) { return std::min(kWarp, config.param("TILE")); }

Rung make_rung(std::string name, Text title, std::string kernel, std::vector<std::string> params) {
  Rung rung{.name = std::move(name), .title = std::move(title), .kernels = {kernel}, .params = std::move(params)};
  const bool vectors = std::find(rung.params.begin(), rung.params.end(), "VEC") != rung.params.end();
  rung.launches = [kernel, vectors](const Config& config) {
    const int64_t rows = config.size("rows"), columns = config.size("columns"), tile = config.param("TILE");
    Launch launch{.kernel = kernel};
    launch.grid.x = static_cast<uint32_t>(ceil_divide(columns, tile));
    launch.grid.y = static_cast<uint32_t>(ceil_divide(rows, tile));
    launch.block.x = static_cast<uint32_t>(line(config) / (vectors ? config.param("VEC") : 1));
    launch.block.y = static_cast<uint32_t>(tile / config.param("ROWS"));
    launch.arguments = {BufferArgument{0}, BufferArgument{1}, scalar(static_cast<int32_t>(rows)),
                        scalar(static_cast<int32_t>(columns))};
    return std::vector<Launch>{launch};
  };
  rung.grid_formula = [](const Config& config) {
    const int64_t rows = config.size("rows"), columns = config.size("columns"), tile = config.param("TILE");
    return fmt::format("⌈{} / {}⌉ × ⌈{} / {}⌉ = {}", with_separators(columns), tile, with_separators(rows), tile,
                       with_separators(ceil_divide(columns, tile) * ceil_divide(rows, tile)));
  };
  return rung;
}

std::vector<Rung> make_rungs() {
  return {
      make_rung("reads-coalesced", {"Coalesced reads", "朴素，读合并"}, "reads_coalesced", {"TILE", "ROWS"}),
      make_rung("writes-coalesced", {"Coalesced writes", "朴素，写合并"}, "writes_coalesced", {"TILE", "ROWS"}),
      make_rung("shared-tile", {"Shared tile", "共享内存分块"}, "shared_tile", {"TILE", "ROWS"}),
      make_rung("padded-tile", {"Padded tile", "填充分块"}, "padded_tile", {"TILE", "ROWS", "PAD"}),
      make_rung("swizzled-tile", {"Swizzled tile", "混排分块"}, "swizzled_tile", {"TILE", "ROWS", "SWIZZLE"}),
      make_rung("batched-loads", {"Batched loads", "成批读取"}, "batched_loads", {"TILE", "ROWS", "SWIZZLE"}),
      make_rung("whole-tiles", {"Whole tiles", "完整分块"}, "whole_tiles", {"TILE", "ROWS", "SWIZZLE", "VEC"}),
      make_rung("grouped-tiles", {"Grouped tiles", "分组顺序"}, "grouped_tiles",
                {"TILE", "ROWS", "SWIZZLE", "VEC", "GROUP"}),
  };
}

std::vector<Param> make_params() {
  return {
      {.name = "TILE",
       .title = {"Tile edge", "分块边长"},
       .unit = {"elements", "元素"},
       .help = {"Rows and columns of the tile that a CTA moves. 32 floats are one line of 128 bytes.",
                "一个线程块搬运的分块的行数和列数。32 个 float 正好是一条 128 字节的缓存行。"},
       .value = 32,
       .min = 16,
       .max = 64,
       .scale = Scale::power_of_two,
       .gpu_value = 64},
      {.name = "ROWS",
       .title = {"Rows per thread", "每线程行数"},
       .unit = {"rows", "行"},
       .help = {"Tile rows that a thread handles; more rows mean fewer threads for the same tile.",
                "一个线程处理的分块行数；行数越多，同一分块用的线程越少。"},
       .value = 4,
       .min = 2,
       .max = 8,
       .scale = Scale::power_of_two,
       .gpu_value = 4},
      {.name = "PAD",
       .title = {"Padding", "填充"},
       .unit = {"words", "字"},
       .help = {"Unused words at the end of each tile row. An odd number shifts every row to different banks.",
                "分块每行末尾空出的字数。取奇数时，每一行都错开到不同的存储体。"},
       .value = 1,
       .min = 0,
       .max = 8},
      {.name = "SWIZZLE",
       .title = {"Swizzle", "混排"},
       .unit = {"bits", "位"},
       .help = {"Low bits of the row that are XORed into the column: each bit halves the conflict, and 5 remove it.",
                "把行号的低几位与列号异或：每多一位，冲突减半，5 位时消失。"},
       .value = 5,
       .min = 0,
       .max = 5},
      {.name = "VEC",
       .title = {"Vector width", "向量宽度"},
       .unit = {"elements", "元素"},
       .help = {"Floats moved by one global access of a thread: 4 make 16 bytes, the widest access.",
                "线程一条全局访存指令搬运的 float 个数：4 个即 16 字节，是最宽的一种。"},
       .value = 1,
       .min = 1,
       .max = 4,
       .scale = Scale::power_of_two,
       .gpu_value = 1},
      {.name = "GROUP",
       .title = {"Tile rows per group", "每组分块行数"},
       .unit = {"tile rows", "分块行"},
       .help = {"Rows of tiles in a group, which CTAs process column by column. 1 is row-major order.",
                "逐列一起处理的分块行数；为 1 时就是通常的按行顺序。"},
       .value = 1,
       .min = 1,
       .max = 256,
       .scale = Scale::power_of_two,
       .gpu_value = 256},
  };
}

Size make_size(std::string name, Text title, int64_t value) {
  Size size{.name = std::move(name),
            .title = std::move(title),
            .unit = {"elements", "元素"},
            .value = value,
            .gpu_value = 2048,
            .min = 1,
            .max_sim = kLargestOnSimulator,
            .max_gpu = kLargestOnGpu,
            .offered = {1, 31, 32, 64, 100, 128, 256, 500, 512, 600, 1000, 1024, 1500, 2000, 2048, 3000, 4096}};
  for (const int64_t offered : {8192, 10000, 16384, 32768}) size.offered.push_back(offered);
  return size;
}

std::vector<BreakIt> make_switches() {
  return {
      {.name = "NO_BARRIER",
       .title = {"Remove the barrier", "去掉屏障"},
       .help = {"Warps read the tile before others have filled it.", "有的线程束在分块填好之前就来读。"},
       .plants = {{.in = "shared_tile", .replace = "__syncthreads();", .by = ""},
                  {.in = "padded_tile", .replace = "__syncthreads();", .by = ""},
                  {.in = "swizzled_tile", .replace = "__syncthreads();", .by = ""},
                  {.in = "batched_loads", .replace = "__syncthreads();", .by = ""},
                  {.in = "move_tile", .replace = "__syncthreads();", .by = ""}},
       .rungs = {"shared-tile", "padded-tile", "swizzled-tile", "batched-loads", "whole-tiles", "grouped-tiles"}},
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"Tiles at the right and bottom edge run into the next row and past the end.",
                "右边和下边的分块会跑进下一行，直至越过末尾。"},
       .plants = {{.in = "reads_coalesced", .replace = "if (row < rows && column < columns) ", .by = ""},
                  {.in = "writes_coalesced", .replace = "if (row < rows && column < columns) ", .by = ""},
                  {.in = "shared_tile", .replace = "if (row < rows && column < columns) tile[", .by = "tile["},
                  {.in = "shared_tile", .replace = "if (row < rows && column < columns) out[", .by = "out["},
                  {.in = "padded_tile", .replace = "if (row < rows && column < columns) tile[", .by = "tile["},
                  {.in = "padded_tile", .replace = "if (row < rows && column < columns) out[", .by = "out["},
                  {.in = "swizzled_tile", .replace = "if (row < rows && column < columns) tile[", .by = "tile["},
                  {.in = "swizzled_tile", .replace = "if (row < rows && column < columns) out[", .by = "out["},
                  {.in = "batched_loads", .replace = "if (row < rows && column < columns) loaded[", .by = "loaded["},
                  {.in = "batched_loads", .replace = "if (row < rows && column < columns) out[", .by = "out["},
                  {.in = "whole_tiles", .replace = "if (whole)", .by = "if (true)"},
                  {.in = "grouped_tiles", .replace = "if (whole)", .by = "if (true)"}}},
      {.name = "SAME_BANK",
       .title = {"Forget padding and swizzle", "忘掉填充和混排"},
       .help = {"A column of the tile lies in one bank again. The result stays correct; Traffic shows the added "
                "wavefronts.",
                "分块的每一列又落在同一个存储体。结果仍然正确，代价见“访存”里的 wavefront 数。"},
       .plants = {{.in = "padded_tile", .replace = "[TILE + PAD]", .by = "[TILE]"},
                  {.in = "swizzled", .replace = "c ^ (r & ((1 << SWIZZLE) - 1))", .by = "c"}},
       .rungs = {"padded-tile", "swizzled-tile", "batched-loads", "whole-tiles", "grouped-tiles"},
       .only_slower = true},
  };
}

std::vector<int64_t> with_answer(std::vector<int64_t> choices, int64_t answer) {
  if (std::find(choices.begin(), choices.end(), answer) == choices.end()) choices.push_back(answer);
  return choices;
}

/// Sectors of the first warp's store of the naive rung whose reads are coalesced.
int64_t sectors_of_a_strided_store(const Config& config) {
  const int64_t rows = config.size("rows"), columns = config.size("columns");
  std::set<int64_t> sectors;
  for (int64_t lane = 0; lane < kWarp; ++lane) {
    const int64_t row = lane / line(config), column = lane % line(config);
    if (row < rows && column < columns) sectors.insert((column * rows + row) * 4 / 32);
  }
  return static_cast<int64_t>(sectors.size());
}

/// Loads that a thread makes for its part of the tile, one float each.
int64_t loads_of_a_thread(const Config& config) { return config.param("ROWS") * config.param("TILE") / line(config); }

/// Bytes of a row of out that the tiles of one column of a group cover.
int64_t bytes_of_a_group(const Config& config) {
  return 4 * std::min(config.param("GROUP") * config.param("TILE"), config.size("rows"));
}

/// Lanes of a warp that need different words of the same bank when they read columns of a tile whose rows are `pitch`
/// words apart: lane i reads row i mod TILE.
int64_t lanes_in_a_bank(const Config& config, int64_t pitch) {
  const int64_t across = line(config);  // a tile narrower than a warp: the next lanes read the next column
  std::map<int64_t, int64_t> lanes;
  int64_t most = 0;
  for (int64_t lane = 0; lane < kWarp; ++lane)
    most = std::max(most, ++lanes[(lane % across * pitch + lane / across) % kWarp]);
  return most;
}
int64_t lanes_in_a_bank_unpadded(const Config& config) { return lanes_in_a_bank(config, config.param("TILE")); }
int64_t lanes_in_a_bank_padded(const Config& config) {
  return lanes_in_a_bank(config, config.param("TILE") + config.param("PAD"));
}

Predict predict_conflict() {
  return ask(
      {.question = {"Shared tile of edge TILE: how many lanes of a warp collide in one bank when a column is read?",
                    "共享内存分块，边长 TILE：按列读时，一个线程束有多少个通道撞在同一个存储体？"},
       .answer = lanes_in_a_bank_unpadded,
       .others =
           [](const Config&) {
             return std::vector<int64_t>{1, 8, 16, 32};
           },
       .why =
           [](const Config& config) {
             const int64_t tile = config.param("TILE"), used = std::max<int64_t>(1, kWarp / tile);
             return Text{fmt::format("A column's words lie {} apart, so its {} rows share {}: {} lanes wait for "
                                     "the same one.",
                                     tile, line(config), used == 1 ? "1 bank" : fmt::format("{} banks", used),
                                     lanes_in_a_bank_unpadded(config)),
                         fmt::format("同一列的字相隔 {}，所以 {} 行共用 {} 个存储体：{} 个通道等同一个存储体。", tile,
                                     line(config), used, lanes_in_a_bank_unpadded(config))};
           },
       .rungs = {"shared-tile"},
       .veils = ShownNumber::wavefronts});
}

Predict predict_padding() {
  return ask({.question = {"Padded tile, rows TILE + PAD words apart: how many wavefronts does a warp take to read a "
                           "column?",
                           "填充分块，行距 TILE + PAD 个字：一个线程束读一列要几个 wavefront？"},
              .answer = lanes_in_a_bank_padded,
              .others =
                  [](const Config& config) {
                    return std::vector<int64_t>{1, std::max<int64_t>(2, config.param("PAD")), 8, 32};
                  },
              .why =
                  [](const Config& config) {
                    const int64_t pitch = config.param("TILE") + config.param("PAD");
                    return Text{
                        fmt::format("Rows lie {0} words apart, and gcd({0}, 32) = {1}. The fullest bank has {2} "
                                    "of the 32 lanes, and each takes a wavefront of its own.",
                                    pitch, std::gcd(pitch, kWarp), lanes_in_a_bank_padded(config)),
                        fmt::format("行与行相隔 {0} 个字，gcd({0}, 32) = {1}。最挤的存储体有 32 个通道中的 {2} "
                                    "个，每个通道占一个 wavefront。",
                                    pitch, std::gcd(pitch, kWarp), lanes_in_a_bank_padded(config))};
                  },
              .rungs = {"padded-tile"},
              .veils = ShownNumber::wavefronts});
}

std::vector<Predict> make_predicts() {
  return {
      {.question = {"Naive, reads coalesced: how many sectors does the first store of a warp touch?",
                    "朴素、读合并：一个线程束的第一条写指令触及多少个扇区？"},
       .choices =
           [](const Config& config) {
             return with_answer({4, 16, 32}, sectors_of_a_strided_store(config));
           },
       .answer = sectors_of_a_strided_store,
       .why =
           [](const Config& config) {
             const std::string pitch = with_separators(4 * config.size("rows"));
             return Text{
                 "Neighbouring lanes write " + pitch + " bytes apart, one row of out; a sector is only 32 bytes.",
                 "相邻通道写入的位置相隔 " + pitch + " 字节，即 out 的一行；一个扇区只有 32 字节。"};
           },
       .rungs = {"reads-coalesced"},
       .veils = ShownNumber::sectors},
      predict_conflict(),
      predict_padding(),
      {.question = {"Batched loads: how many loads does a thread issue before it stores the first result to the tile?",
                    "成批读取：一个线程在把第一个结果写入分块之前，发出多少次读？"},
       .choices =
           [](const Config& config) {
             return with_answer({1, config.param("ROWS")}, loads_of_a_thread(config));
           },
       .answer = loads_of_a_thread,
       .why =
           [](const Config& config) {
             const int64_t across = config.param("TILE") / line(config);
             return Text{
                 fmt::format("All of them: ROWS = {} rows, and {} in each, {} floats apart.", config.param("ROWS"),
                             across == 1 ? "1 load" : fmt::format("{} loads", across), line(config)),
                 fmt::format("全部：ROWS = {} 行，每行 {} 次，相隔 {} 个 float。", config.param("ROWS"), across,
                             line(config))};
           },
       .rungs = {"batched-loads"}},
      {.question =
           {"Grouped tiles: how many adjacent bytes of a row of out do the CTAs of one column of a group write?",
            "分组顺序：一组里的一列线程块，在 out 的一行上连续写多少字节？"},
       .choices =
           [](const Config& config) {
             return with_answer({4 * config.param("TILE"), 8 * config.param("TILE"), 4 * config.size("rows")},
                                bytes_of_a_group(config));
           },
       .answer = bytes_of_a_group,
       .why =
           [](const Config& config) {
             return Text{
                 fmt::format("GROUP = {} tiles of {} floats lie side by side in out; the matrix ends after {} "
                             "floats.",
                             config.param("GROUP"), config.param("TILE"), with_separators(config.size("rows"))),
                 fmt::format("GROUP = {} 个分块、每个 {} 个 float，在 out 里并排；矩阵的一行有 {} 个 float。",
                             config.param("GROUP"), config.param("TILE"), with_separators(config.size("rows")))};
           },
       .rungs = {"grouped-tiles"}},
  };
}

Lab make_transpose() {
  Lab lab;
  lab.name = "transpose";
  lab.stage = 1;
  lab.order = 4;
  lab.title = {"Transpose", "矩阵转置"};
  lab.kernel_file = "transpose.cu";
  lab.sizes = {make_size("rows", {"Rows of in", "in 的行数"}, 600),
               make_size("columns", {"Columns of in", "in 的列数"}, 1000)};
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"}, {"cuBLAS", "cublas", "geam"}, {"PyTorch", "torch", "transpose"}};
  lab.tolerance = {.absolute = 0, .relative = 0};  // nothing is computed
  lab.predicts = make_predicts();
  lab.buffers = [](const Config& config) {
    const int64_t rows = config.size("rows"), columns = config.size("columns");
    return std::vector<BufferSpec>{
        {.name = "in", .type = DType::f32, .shape = {rows, columns}, .role = Role::input, .fill = Fill::normal},
        {.name = "out", .type = DType::f32, .shape = {columns, rows}, .role = Role::output, .fill = Fill::poison}};
  };
  lab.reference = [](const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
                     size_t begin, size_t end, double* expected) {
    const auto in = buffers[0]->as<float>();
    const auto rows = static_cast<size_t>(config.size("rows")), columns = static_cast<size_t>(config.size("columns"));
    for (size_t i = begin; i < end; ++i) expected[i - begin] = in[i % rows * columns + i / rows];
  };
  lab.useful_bytes = [](const Config& config) {
    return 8.0 * static_cast<double>(config.size("rows") * config.size("columns"));
  };
  lab.flops = [](const Config&) { return 0.0; };
  lab.bytes_formula = {"8 · rows · columns bytes: in read, out written, 4 bytes each",
                       "8 · 行 · 列 字节：读 in，写 out，各 4 字节"};
  lab.sweep_size = "rows";
  lab.sweep_with = {"columns"};
  lab.sweep = {256, 512, 1024, 2048, 4096, 8192, 16384};
  return lab;
}

const bool registered = register_lab(make_transpose());

}  // namespace
}  // namespace tilescope::transpose_lab
