// Lab "matmul-fp32": C = A · B in fp32 without tensor cores. kernels/matmul_fp32.cu holds the rungs.
#include <cmath>
#include <set>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "labs/limits.hpp"
#include "labs/matmul.hpp"
#include "labs/matmul_fp32_pick.hpp"
#include "labs/predict.hpp"

namespace tilescope::matmul_fp32_lab {
namespace {

enum Buffer : size_t { kA, kB, kC };

constexpr int64_t kWarp = 32, kFloat = 4;
constexpr int64_t kPadding = 4;                // words: PAD in the kernel file
constexpr int64_t kMostThreads = 1024;         // of a CTA
constexpr int64_t kMostRegisters = 255;        // of a thread
constexpr int64_t kRegisters = 65536;          // of a multiprocessor
constexpr int64_t kMostDeclaredBytes = 49152;  // of shared memory, in arrays of the kernel

/// How a CTA and its threads share the tile, from the parameters: the constants of the kernel file.
struct Tiles {
  int64_t bm, bn, bk, tm, tn, wm, stages;
  explicit Tiles(const Config& config)
      : bm(config.param("BM")),
        bn(config.param("BN")),
        bk(config.param("BK")),
        tm(config.param("TM")),
        tn(config.param("TN")),
        wm(config.param("WM")),
        stages(config.param("STAGES")) {}
  int64_t threads() const { return bm * bn / (tm * tn); }
  int64_t lanes_down() const { return wm / tm; }
  int64_t wn() const { return kWarp / lanes_down() * tn; }
  int64_t k_tile_bytes(int64_t padding) const { return (bm + padding + bn) * bk * kFloat; }
};

// ---- What cannot run, and the limit that says so ------------------------------------------------------------------

tl::unexpected<Error> not_possible(const std::string& what, const std::string& value, const Phrase& why) {
  return tl::unexpected(
      make_error(ErrorId::bad_launch, {what, value, why}, phrase("Choose other values of {}.", what)));
}

/// The tiles of rung 4, which are arrays of the kernel.
Result<void> check_column(const Config& config) {
  const int64_t tile = config.param("TILE"), tm = config.param("TM"), bytes = (tm + 1) * tile * tile * kFloat;
  if (bytes <= kMostDeclaredBytes) return {};
  return not_possible("TM × TILE", fmt::format("{} × {}", tm, tile),
                      phrase("the tiles would take {} bytes of shared memory, and arrays of a kernel have at "
                             "most {}",
                             with_separators(bytes), with_separators(kMostDeclaredBytes)));
}

/// Registers and threads, from rung 5 on.
Result<void> check_thread_tile(const Config& config) {
  const Tiles tiles(config);
  const std::string thread = fmt::format("{} × {}", tiles.tm, tiles.tn),
                    cta = fmt::format("{} × {}", tiles.bm, tiles.bn);
  if (tiles.tm * tiles.tn > kMostRegisters)
    return not_possible("TM × TN", thread,
                        phrase("the results alone would take {} registers of a thread, and it has at most {}",
                               tiles.tm * tiles.tn, kMostRegisters));
  if (tiles.bm * tiles.bn >= kRegisters)
    return not_possible(
        "BM × BN", cta,
        phrase("the results alone would take all {} registers of a multiprocessor", with_separators(kRegisters)));
  if (tiles.threads() > kMostThreads)
    return not_possible("BM × BN", cta,
                        phrase("with {} results for each thread the CTA would have {} threads, and the limit is {}",
                               thread, with_separators(tiles.threads()), with_separators(kMostThreads)));
  if (tiles.threads() < kWarp)
    return not_possible("BM × BN", cta,
                        phrase("with {} results for each thread the CTA would have {} threads, less than one warp",
                               thread, tiles.threads()));
  return {};
}

/// And how the warps share the tile, from rung 7 on.
Result<void> check_warp_tile(const Config& config) {
  if (auto possible = check_thread_tile(config); !possible) return possible;
  const Tiles tiles(config);
  const std::string wm = std::to_string(tiles.wm);
  if (tiles.wm > tiles.bm) return not_possible("WM", wm, phrase("the tile of the CTA has only BM = {} rows", tiles.bm));
  if (tiles.lanes_down() < 2 || tiles.lanes_down() > kWarp / 2)
    return not_possible("WM", wm,
                        phrase("with TM = {} the lanes of the warp would form {} rows; 2 to 16 rows are possible",
                               tiles.tm, tiles.lanes_down()));
  if (tiles.wn() > tiles.bn)
    return not_possible("WM", wm,
                        phrase("the warp's {} × {} × 32 results would be {} columns wide, and the tile of the CTA "
                               "has BN = {}",
                               tiles.tm, tiles.tn, tiles.wn(), tiles.bn));
  return {};
}

int64_t stage_bytes(const Config& config) { return Tiles(config).k_tile_bytes(kPadding) * Tiles(config).stages; }

/// And the shared memory of the stages, from rung 9 on.
Result<void> check_stages(const Config& config) {
  if (auto possible = check_warp_tile(config); !possible) return possible;
  const int64_t bytes = stage_bytes(config);
  if (bytes <= most_shared_bytes()) return {};
  return not_possible("STAGES", std::to_string(Tiles(config).stages),
                      phrase("the stages would take {} bytes of shared memory, and a CTA has at most {}",
                             with_separators(bytes), with_separators(most_shared_bytes())));
}

// ---- Rungs --------------------------------------------------------------------------------------------------------

/// Rows and columns of C that one CTA computes.
struct CtaTile {
  int64_t rows, columns;
};
CtaTile cta_of_square(const Config& config) { return {config.param("TILE"), config.param("TILE")}; }
CtaTile cta_of_column(const Config& config) {
  return {config.param("TILE") * config.param("TM"), config.param("TILE")};
}
CtaTile cta_of_tile(const Config& config) { return {config.param("BM"), config.param("BN")}; }

int64_t tiles_down(const Config& config, const CtaTile& cta) { return ceil_divide(config.size("M"), cta.rows); }
int64_t tiles_across(const Config& config, const CtaTile& cta) { return ceil_divide(config.size("N"), cta.columns); }

Launch launch_of(const std::string& kernel, const Config& config, int64_t grid_x, int64_t grid_y) {
  Launch launch{.kernel = kernel, .grid = {}, .block = {}, .shared_bytes = 0, .arguments = {}};
  launch.grid.x = static_cast<uint32_t>(grid_x);
  launch.grid.y = static_cast<uint32_t>(grid_y);
  launch.arguments = {BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kC}};
  for (const char* size : {"M", "N", "K"})
    launch.arguments.emplace_back(scalar(static_cast<int32_t>(config.size(size))));
  return launch;
}

/// What the rungs differ in: the tile of a CTA, whether the grid's x goes down, threads, and shared memory.
struct Shape {
  CtaTile (*cta)(const Config&);
  bool x_goes_down = false, one_dimension = false;
  int64_t (*shared_bytes)(const Config&) = nullptr;
};

Rung make_rung(std::string name, Text title, const std::string& kernel, std::vector<std::string> params,
               const Shape& shape) {
  Rung rung{.name = std::move(name), .title = std::move(title), .kernels = {kernel}, .params = std::move(params)};
  rung.launches = [kernel, shape](const Config& config) {
    const CtaTile cta = shape.cta(config);
    const int64_t down = tiles_down(config, cta), across = tiles_across(config, cta);
    Launch launch = shape.one_dimension ? launch_of(kernel, config, down * across, 1)
                    : shape.x_goes_down ? launch_of(kernel, config, down, across)
                                        : launch_of(kernel, config, across, down);
    if (shape.cta == cta_of_tile) {
      launch.block.x = static_cast<uint32_t>(Tiles(config).threads());
    } else {
      launch.block.x = launch.block.y = static_cast<uint32_t>(config.param("TILE"));
    }
    if (shape.shared_bytes != nullptr) launch.shared_bytes = static_cast<uint32_t>(shape.shared_bytes(config));
    return std::vector<Launch>{launch};
  };
  rung.grid_formula = [shape](const Config& config) {
    const CtaTile cta = shape.cta(config);
    return fmt::format("⌈{} / {}⌉ × ⌈{} / {}⌉ = {}", with_separators(config.size("M")), cta.rows,
                       with_separators(config.size("N")), cta.columns,
                       with_separators(tiles_down(config, cta) * tiles_across(config, cta)));
  };
  return rung;
}

std::vector<Rung> make_rungs() {
  const std::vector<std::string> square{"TILE"}, column{"TILE", "TM"}, tile{"BM", "BN", "BK", "TM", "TN"};
  std::vector<std::string> warp = tile;
  warp.emplace_back("WM");
  std::vector<std::string> grouped = warp;
  grouped.emplace_back("GROUP_M");
  std::vector<std::string> stages = grouped;
  stages.emplace_back("STAGES");
  const auto k_tile_bytes = [](const Config& config) { return Tiles(config).k_tile_bytes(kPadding); };
  const Shape in_stages{.cta = cta_of_tile, .one_dimension = true, .shared_bytes = stage_bytes};
  std::vector<Rung> rungs{
      make_rung("naive", {"Naive", "朴素"}, "naive", square, {.cta = cta_of_square, .x_goes_down = true}),
      make_rung("coalesced", {"Coalesced", "合并访存"}, "coalesced", square, {.cta = cta_of_square}),
      make_rung("shared-tile", {"Shared tile", "共享内存分块"}, "shared_tile", square, {.cta = cta_of_square}),
      make_rung("register-1d", {"1D register tile", "一维寄存器分块"}, "register_1d", column, {.cta = cta_of_column}),
      make_rung(
          "register-2d", {"2D register tile", "二维寄存器分块"}, "register_2d", tile,
          {.cta = cta_of_tile, .shared_bytes = [](const Config& config) { return Tiles(config).k_tile_bytes(0); }}),
      make_rung("vectorised", {"Vectorised", "向量化"}, "vectorised", tile,
                {.cta = cta_of_tile, .shared_bytes = k_tile_bytes}),
      make_rung("warp-tile", {"Warp tile", "线程束分块"}, "warp_tile", warp,
                {.cta = cta_of_tile, .shared_bytes = k_tile_bytes}),
      make_rung("grouped-tiles", {"Grouped tiles", "分组顺序"}, "grouped_tiles", grouped,
                {.cta = cta_of_tile, .one_dimension = true, .shared_bytes = k_tile_bytes}),
      make_rung("multi-stage", {"cp.async stages", "cp.async 多级流水"}, "multi_stage", stages, in_stages),
      make_rung("running-addresses", {"Running addresses", "递推地址"}, "running_addresses", stages, in_stages),
      make_rung("double-buffered", {"Double-buffered", "双缓冲"}, "double_buffered", stages, in_stages),
  };
  rungs[3].check = check_column;
  rungs[4].check = rungs[5].check = check_thread_tile;
  rungs[6].check = rungs[7].check = check_warp_tile;
  rungs[8].check = rungs[9].check = rungs[10].check = check_stages;
  rungs.push_back({.name = "auto", .title = {"Auto", "自动"}, .pick = pick_fp32_tile});
  return rungs;
}

// ---- What the learner moves -----------------------------------------------------------------------------------------

Param make_power(std::string name, Text title, Text unit, Text help, const std::array<int64_t, 4>& values) {
  return {.name = std::move(name),
          .title = std::move(title),
          .unit = std::move(unit),
          .help = std::move(help),
          .value = values[0],
          .min = values[1],
          .max = values[2],
          .scale = Scale::power_of_two,
          .gpu_value = values[3]};
}

std::vector<Param> make_params() {
  const Text elements{"elements", "元素"};
  std::vector<Param> params{
      make_power("TILE", {"Block edge, threads", "线程块边长"}, {"threads", "线程"},
                 {"Rungs 1 to 4: a CTA has TILE × TILE threads.", "第 1 到 4 级：一个线程块有 TILE × TILE 个线程。"},
                 {32, 8, 32, 32}),
      make_power("BM", {"Tile, rows", "分块行数"}, elements,
                 {"Rows of C that one CTA computes.", "一个线程块计算的 C 的行数。"}, {64, 32, 256, 128}),
      make_power("BN", {"Tile, columns", "分块列数"}, elements,
                 {"Columns of C that one CTA computes.", "一个线程块计算的 C 的列数。"}, {64, 32, 256, 256}),
      make_power("BK", {"Tile, depth", "分块深度"}, elements,
                 {"Extent along K of the tiles of A and B in shared memory.", "共享内存中 A、B 分块沿 K 的长度。"},
                 {8, 8, 32, 16}),
      make_power("TM", {"Rows per thread", "每线程行数"}, elements,
                 {"Rows of results that a thread keeps in registers.", "一个线程在寄存器里保存的结果的行数。"},
                 {4, 4, 16, 8}),
      make_power("TN", {"Columns per thread", "每线程列数"}, elements,
                 {"Columns of results that a thread keeps in registers.", "一个线程在寄存器里保存的结果的列数。"},
                 {4, 4, 16, 16}),
      make_power("WM", {"Warp tile, rows", "线程束分块行数"}, elements,
                 {"Rows of C that one warp computes; it has 32 · TM · TN results in all.",
                  "一个线程束计算的 C 的行数；它一共有 32 · TM · TN 个结果。"},
                 {32, 16, 128, 64})};
  params.push_back({.name = "STAGES",
                    .title = {"Stages", "流水级数"},
                    .unit = {"k-tiles", "级"},
                    .help = {"k-tiles that shared memory holds: one is multiplied while the others are in flight.",
                             "共享内存容纳的 k 分块数：一个在计算，其余在途。"},
                    .value = 2,
                    .min = 2,
                    .max = 5});
  params.push_back(make_power(
      "GROUP_M", {"Tile rows per group", "每组分块行数"}, {"tile rows", "分块行"},
      {"Rows of tiles in a group, which CTAs process column by column.", "一组的分块行数，线程块在组内逐列处理。"},
      {8, 1, 32, 8}));
  return params;
}

std::vector<BreakIt> make_switches() {
  const std::vector<std::string> with_tiles{"shared-tile",     "register-1d",   "register-2d", "vectorised",
                                            "warp-tile",       "grouped-tiles", "multi-stage", "running-addresses",
                                            "double-buffered", "auto"};
  return {
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"Tiles at the edge read and write past the matrices.", "边缘的分块会读写到矩阵之外。"},
       .plants = {{.in = "load_element",
                   .replace = "row < rows && column < columns ? matrix[row * columns + column] : 0.0f",
                   .by = "matrix[row * columns + column]"},
                  {.in = "store_element", .replace = "if (row < rows && column < columns) ", .by = ""},
                  {.in = "naive", .replace = "if (row >= M || column >= N) return;", .by = ""},
                  {.in = "coalesced", .replace = "if (row >= M || column >= N) return;", .by = ""},
                  {.in = "load_four", .replace = "inside = row < rows && column < columns", .by = "inside = true"},
                  {.in = "store_four", .replace = "if (row < rows && column < columns)", .by = ""},
                  {.in = "clamped", .replace = "return min(index, count - 1);", .by = "return index;"},
                  {.in = "bytes_inside", .replace = "return k < K ? bytes : 0;", .by = "return bytes;"}}},
      {.name = "NO_BARRIER",
       .title = {"Remove the barriers", "去掉屏障"},
       .help = {"Warps read a tile before others have filled it, or overwrite what others still read.",
                "有的线程束在分块填好之前就来读，或者覆盖别的线程束还在读的数据。"},
       .plants = {{.in = "shared_tile", .replace = "__syncthreads();\n    for", .by = "\n    for"},
                  {.in = "shared_tile", .replace = "__syncthreads();\n  }", .by = "\n  }"},
                  {.in = "register_1d", .replace = "__syncthreads();\n    for", .by = "\n    for"},
                  {.in = "register_1d", .replace = "__syncthreads();\n  }", .by = "\n  }"},
                  {.in = "register_2d", .replace = "__syncthreads();\n    for", .by = "\n    for"},
                  {.in = "register_2d", .replace = "__syncthreads();\n  }", .by = "\n  }"},
                  {.in = "vectorised", .replace = "__syncthreads();\n#pragma", .by = "\n#pragma"},
                  {.in = "vectorised", .replace = "__syncthreads();\n  }", .by = "\n  }"},
                  {.in = "warp_tile", .replace = "__syncthreads();\n#pragma", .by = "\n#pragma"},
                  {.in = "warp_tile", .replace = "__syncthreads();\n  }", .by = "\n  }"},
                  {.in = "grouped_tiles", .replace = "__syncthreads();\n#pragma", .by = "\n#pragma"},
                  {.in = "grouped_tiles", .replace = "__syncthreads();\n  }", .by = "\n  }"},
                  {.in = "multi_stage", .replace = "__syncthreads();                    // all", .by = "// all"},
                  {.in = "running_addresses", .replace = "__syncthreads();                    // all", .by = "// all"},
                  {.in = "double_buffered", .replace = "__syncthreads();                    // also", .by = "// also"},
                  {.in = "double_buffered", .replace = "        __syncthreads();", .by = ""}},
       .rungs = with_tiles},
      {.name = "NO_WAIT",
       .title = {"Do not wait for the copies", "不等待异步拷贝"},
       .help = {"A k-tile is multiplied while cp.async is still writing to it.",
                "cp.async 还没写完这个 k 分块，就用它来相乘。"},
       .plants = {{.in = "multi_stage", .replace = "cp_async_wait_group<STAGES - 2>();  // this", .by = "// this"},
                  {.in = "running_addresses",
                   .replace = "cp_async_wait_group<STAGES - 2>();  // this",
                   .by = "// this"},
                  {.in = "double_buffered",
                   .replace = "cp_async_wait_group<STAGES - 2>();  // the first",
                   .by = "// the first"},
                  {.in = "double_buffered", .replace = "        cp_async_wait_group<STAGES - 2>();", .by = ""}},
       .rungs = {"multi-stage", "running-addresses", "double-buffered", "auto"}},
      {.name = "NO_PADDING",
       .title = {"Forget the padding", "忘掉填充"},
       .help = {"Elements of A that a warp transposes together fall into the same bank.",
                "一个线程束同时转置的 A 的元素落在同一个存储体里。"},
       .plants = {{.replace = "constexpr int PAD = 4;", .by = "constexpr int PAD = 0;"}},
       .rungs = {"vectorised", "warp-tile", "grouped-tiles", "multi-stage", "running-addresses", "double-buffered",
                 "auto"},
       .only_slower = true}};
}

// ---- Predict cards --------------------------------------------------------------------------------------------------

std::vector<int64_t> with_answer(std::vector<int64_t> choices, int64_t answer) {
  if (std::find(choices.begin(), choices.end(), answer) == choices.end()) choices.push_back(answer);
  return choices;
}

/// Sectors of A that the first warp of the naive rung touches with one load.
int64_t sectors_of_naive_load(const Config& config) {
  std::set<int64_t> sectors;
  for (int64_t lane = 0; lane < kWarp; ++lane) {
    const int64_t row = lane % config.param("TILE"), column = lane / config.param("TILE");
    if (row < config.size("M") && column < config.size("N")) sectors.insert(row * config.size("K") * kFloat / 32);
  }
  return static_cast<int64_t>(sectors.size());
}

int64_t rows_of_a_group(const Config& config) {
  return std::min(config.param("GROUP_M"), tiles_down(config, cta_of_tile(config)));
}
int64_t ctas_of_a_group(const Config& config) {
  return rows_of_a_group(config) * tiles_across(config, cta_of_tile(config));
}

int64_t ctas_that_read_a_row(const Config& config) { return ceil_divide(config.size("N"), config.param("TILE")); }

std::vector<Predict> make_predicts() {
  return {
      {.question = {"Naive: how many sectors does one load of A by the first warp touch?",
                    "朴素：第一个线程束读 A 的一条指令触及多少个扇区？"},
       .choices =
           [](const Config& config) {
             return with_answer({1, 4, 32}, sectors_of_naive_load(config));
           },
       .answer = sectors_of_naive_load,
       .why =
           [](const Config& config) {
             const std::string pitch = with_separators(kFloat * config.size("K"));
             return Text{"Neighbouring lanes are in neighbouring rows of A, " + pitch +
                             " bytes apart; each row is in a sector of its own.",
                         "相邻通道在 A 的相邻行上，相隔 " + pitch + " 字节；每一行各占一个扇区。"};
           },
       .rungs = {"naive"},
       .veils = ShownNumber::sectors},
      {.question = {"Coalesced reads every element of A once for each of the N columns of C. How many CTAs read it "
                    "with the shared tile?",
                    "“合并访存”为 C 的 N 列各读一次 A 的每个元素。用共享内存分块时，每个元素由多少个线程块读？"},
       .choices =
           [](const Config& config) {
             return with_answer({1, config.param("TILE"), config.size("N")}, ctas_that_read_a_row(config));
           },
       .answer = ctas_that_read_a_row,
       .why =
           [](const Config& config) {
             const std::string count =
                 fmt::format("⌈{} / {}⌉", with_separators(config.size("N")), config.param("TILE"));
             return Text{count + ": one for each tile in a tile row of C.",
                         count + "：C 的一个分块行里有几个分块，就有几个线程块读它。"};
           },
       .rungs = {"shared-tile"}},
      {.question = {"For one step of K a thread with TM × TN results makes TM · TN multiply-adds. How many bytes does "
                    "it read from shared memory for them?",
                    "一个线程有 TM × TN 个结果，沿 K 每一步做 TM · TN 次乘加。为此要从共享内存读多少字节？"},
       .choices =
           [](const Config& config) {
             const int64_t tm = config.param("TM"), tn = config.param("TN");
             return with_answer({4 * tm * tn, 8 * tm * tn}, 4 * (tm + tn));
           },
       .answer = [](const Config& config) { return 4 * (config.param("TM") + config.param("TN")); },
       .why =
           [](const Config& config) {
             const int64_t tm = config.param("TM"), tn = config.param("TN");
             const double intensity = static_cast<double>(tm * tn) / static_cast<double>(2 * (tm + tn));
             return Text{fmt::format("TM + TN = {} floats, for an outer product of {} multiply-adds: {:.2f} FLOP per "
                                     "byte instead of 0.25.",
                                     tm + tn, tm * tn, intensity),
                         fmt::format("TM + TN = {} 个 float，换来外积的 {} 次乘加：每字节 {:.2f} FLOP，而不是 0.25。",
                                     tm + tn, tm * tn, intensity)};
           },
       .rungs = {"register-2d", "vectorised", "warp-tile", "grouped-tiles", "multi-stage", "running-addresses",
                 "double-buffered"}},
      {.question = {"Grouped tiles: how many CTAs compute the first group of tile rows?",
                    "分组顺序：第一组分块行由多少个线程块计算？"},
       .choices =
           [](const Config& config) {
             return with_answer({config.param("GROUP_M"), tiles_across(config, cta_of_tile(config))},
                                ctas_of_a_group(config));
           },
       .answer = ctas_of_a_group,
       .why =
           [](const Config& config) {
             const int64_t down = rows_of_a_group(config), across = tiles_across(config, cta_of_tile(config));
             return Text{fmt::format("{} rows of {} tiles. CTAs 0 to {} compute the first column of the group, and all "
                                     "of them read the same tile of B.",
                                     down, with_separators(across), down - 1),
                         fmt::format("{} 行，每行 {} 个分块。0 到 {} 号线程块计算组内的第一列，读的是 B 的同一个分块。",
                                     down, with_separators(across), down - 1)};
           },
       .rungs = {"grouped-tiles"}},
      {.question = {"Asynchronous copies without padding: a warp transposes 8 columns of 4 rows of A. How many lanes "
                    "need the same bank?",
                    "异步拷贝、不填充：一个线程束转置 A 的 4 行 × 8 列时，有几个通道落在同一个存储体？"},
       .choices =
           [](const Config&) {
             return std::vector<int64_t>{1, 4, 8};
           },
       .answer = [](const Config&) { return int64_t{8}; },
       .why =
           [](const Config& config) {
             const int64_t bm = config.param("BM");
             return Text{fmt::format("Columns of A are stored BM = {} words apart, a multiple of 32, so the 8 elements "
                                     "of a row lie in one bank. 4 words of padding spread them over 8 banks.",
                                     bm),
                         fmt::format("A 的相邻两列相隔 BM = {} 个字，是 32 的倍数，所以一行的 8 "
                                     "个元素都在同一个存储体。填充 4 个字，就分散到 8 个存储体。",
                                     bm)};
           },
       .rungs = {"multi-stage", "running-addresses", "double-buffered"}},
  };
}

// ---- The lab --------------------------------------------------------------------------------------------------------

void reference(const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
               size_t begin, size_t end, double* expected) {
  multiply_in_double(config, {.type = DType::f32}, *buffers[kA], *buffers[kB], begin, end, expected);
}

/// A sum of K products is rounded K times, each time by up to 2^-24 of the partial sum. Of products of N(0, 1) the i-th
/// partial sum is about √i, and roundings that point anywhere add up to some 2^-24 · 0.3 K. The largest of millions of
/// elements has partial sums five times as large and errors that agree more than most: eight times 2^-24 · K. The 16
/// are for short sums, of which a few large products decide.
Tolerance tolerance(const std::string&, const Config& config, DType) {
  return {.absolute = std::ldexp(static_cast<double>(config.size("K") + 16), -21), .relative = 1e-6};
}

Lab make_matmul_fp32() {
  constexpr int64_t kMost = 32768;  // an int still indexes a matrix
  Lab lab;
  lab.name = "matmul-fp32";
  lab.stage = 5;
  lab.order = 10;
  lab.title = {"Matmul fp32", "矩阵乘 fp32"};
  lab.kernel_file = "matmul_fp32.cu";
  lab.sizes = {make_matmul_size("M", 200, 4096, 1, kMost), make_matmul_size("N", 264, 4096, 1, kMost),
               make_matmul_size("K", 136, 4096, 1, kMost)};
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.references = {
      {"cuBLAS", "cublas", "matmul_f32"}, {"PyTorch", "torch", "matmul_f32"}, {"Triton", "triton", "matmul_f32"}};
  lab.tolerance_for = tolerance;
  lab.predicts = make_predicts();
  lab.buffers = [](const Config& config) { return make_matmul_buffers(config, {.type = DType::f32}, DType::f32); };
  lab.reference = reference;
  lab.flops = matmul_flops;
  lab.useful_bytes = [](const Config& config) { return matmul_bytes(config, DType::f32, DType::f32); };
  lab.bytes_formula = {"4 (M K + K N + M N) bytes: A and B read once, C written",
                       "4 (M K + K N + M N) 字节：A、B 各读一次，写 C"};
  lab.speed_unit = SpeedUnit::teraflops;
  lab.sweep_size = "M";
  lab.sweep_with = {"N", "K"};
  lab.sweep = {256, 512, 1024, 2048, 4096, 8192};
  lab.most_simulated_flops = 1e9;
  lab.most_reference_flops = 2e9;
  return lab;
}

const bool registered = register_lab(make_matmul_fp32());

}  // namespace
}  // namespace tilescope::matmul_fp32_lab
