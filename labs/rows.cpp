#include "labs/rows.hpp"

#include <bit>

#include "engine/numbers.hpp"
#include "labs/predict.hpp"

namespace tilescope {
namespace {

constexpr int64_t kMostCtas = 64;     // per row
constexpr int64_t kSlots = 8;         // counters per row, one for each possible number of CTAs
constexpr int64_t kLong = 1024;       // columns from which a row may be worth several CTAs
constexpr int64_t kLeastShare = 256;  // vectors of a row that justify a CTA
// Up to this many vectors one CTA reads a row alone even if other SMs are idle. On an H200, RMSNorm of 4 to 64 rows is
// 2% to 17% slower with several CTAs where a row has 1,024 vectors, and 15% to 36% faster where it has 4,096.
constexpr int64_t kMostOfOneCta = 2048;
// If CTAs share a row anyway, this many vectors are enough for each: several small CTAs on an SM hide one another's
// waits. On an H200 16 rows of 32,768 vectors take 7% to 13% less time that way than with one CTA per SM; with more
// than 32 CTAs per row some rungs lose again.
constexpr int64_t kUsualShare = 1024, kUsualCtas = 32, kCtasOfMultiprocessor = 4;

/// Most vectors that fit into a thread's registers: a vector of bf16 unpacks to twice as many floats.
int64_t most_vectors(const Config& config) { return element_type(config) == DType::bf16 ? 4 : 8; }

/// BLOCK for a row of this many vectors at 4 per thread, and the resulting VECTORS: 8 if 512 threads are too few.
std::map<std::string, int64_t> threads_for(const Config& config, int64_t vectors) {
  int64_t block = std::clamp<int64_t>(power_of_two_from(ceil_divide(vectors, 4)), 32, 512);
  if (most_vectors(config) * block < vectors) block = 1024;
  const int64_t each = std::min(most_vectors(config), power_of_two_from(ceil_divide(vectors, block)));
  return {{"BLOCK", block}, {"VECTORS", each}};
}

/// LANES for a row of this many vectors, and the vectors per lane.
std::map<std::string, int64_t> lanes_for(const Config& config, int64_t vectors, const RowRungs& rungs) {
  const int64_t most = vectors > 128 ? most_vectors(config) : vectors > 32 ? 4 : rungs.most_vectors;
  const int64_t least = std::min<int64_t>(rungs.least_lanes, power_of_two_from(vectors));
  const int64_t lanes = std::clamp<int64_t>(power_of_two_from(ceil_divide(vectors, most)), least, 32);
  const int64_t each = std::min<int64_t>(8, power_of_two_from(ceil_divide(vectors, lanes)));
  return {{"BLOCK", vectors > 128 ? 256 : 128}, {"LANES", lanes}, {"VECTORS", each}};
}

/// Number of CTAs for a row of `vectors` vectors; too_long: the registers of one CTA would not hold it.
struct RowCtas {
  int64_t ctas = 1;
  bool too_long = false;
};
RowCtas ctas_for(const Config& config, int64_t vectors, int64_t multiprocessors) {
  // With few rows, at least one CTA per SM. But reading a short row takes less time than synchronising several CTAs.
  const auto floor = [](int64_t value) {
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
  };
  const int64_t shares = vectors <= kMostOfOneCta ? 1 : floor(vectors / kLeastShare);
  RowCtas chosen{std::min({floor(multiprocessors / config.size("rows")), shares, kMostCtas})};
  if (chosen.ctas > 1)
    chosen.ctas = std::max(chosen.ctas, std::min({floor(kCtasOfMultiprocessor * multiprocessors / config.size("rows")),
                                                  floor(vectors / kUsualShare), kUsualCtas}));
  // Too long for the registers of one CTA: as many CTAs as it takes for 512 threads to hold a share.
  const int64_t held = 512 * most_vectors(config);
  chosen.too_long = ceil_divide(vectors, chosen.ctas) > 2 * held;
  if (chosen.too_long) chosen.ctas = std::min(power_of_two_from(ceil_divide(vectors, held)), kMostCtas);
  return chosen;
}

Size make_size(std::string name, Text title, int64_t value, int64_t gpu_value, int64_t most_sim, int64_t most_gpu) {
  Size size{.name = std::move(name),
            .title = std::move(title),
            .unit = {"elements", "元素"},
            .value = value,
            .gpu_value = gpu_value,
            .min = 1,
            .max_sim = most_sim,
            .max_gpu = most_gpu,
            .offered = {1, 4, 16, 31, 64, 100, 128, 200, 256, 504, 512, 1000, 1024, 2048, 4096, 8192, 16384, 32768}};
  for (int64_t offered = 65536; offered <= most_gpu; offered *= 2) size.offered.push_back(offered);
  return size;
}

}  // namespace

int64_t power_of_two_from(int64_t value) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

DType element_type(const Config& config) { return config.param("DTYPE") == 1 ? DType::bf16 : DType::f32; }
int64_t vector_width(const Config& config) { return 16 / static_cast<int64_t>(size_of(element_type(config))); }

bool fits_registers(const Config& config, int64_t columns, int64_t threads) {
  const int64_t width = vector_width(config);
  return config.size("columns") % width == 0 && columns <= threads * config.param("VECTORS") * width;
}

int64_t share_of_row(const Config& config) {
  const int64_t width = vector_width(config), ctas = config.param("CTAS");
  return ceil_divide(config.size("columns"), ctas * width) * width;
}

std::vector<Size> make_row_sizes(int64_t rows, int64_t columns) {
  Size count = make_size("rows", {"Rows", "行数"}, rows, 8192, 1 << 16, 1 << 24);
  count.unit = {"rows", "行"};
  return {count, make_size("columns", {"Columns", "列数"}, columns, 4096, kMostColumns, kMostColumns)};
}

std::vector<Param> make_row_params() {
  const Param type = make_choice(
      "DTYPE", {"Element type", "元素类型"},
      {"Type of the elements in memory. All arithmetic is in fp32.", "元素在内存里的类型。所有运算都用 fp32。"},
      {{"fp32", {"fp32, 4 bytes", "fp32，4 字节"}}, {"bf16", {"bf16, 2 bytes", "bf16，2 字节"}}});
  return {
      type,
      {.name = "BLOCK",
       .title = {"Block, threads", "线程块，线程数"},
       .unit = {"threads", "线程"},
       .help = {"Threads of one CTA.", "一个线程块的线程数。"},
       .value = 128,
       .min = 32,
       .max = 1024,
       .scale = Scale::power_of_two,
       .gpu_value = 256},
      {.name = "VECTORS",
       .title = {"Vectors per thread", "每线程向量数"},
       .unit = {"vectors", "向量"},
       .help = {"Vectors of 16 bytes that a thread holds in registers.", "一个线程留在寄存器里的 16 字节向量个数。"},
       .value = 4,
       .min = 1,
       .max = 8,
       .scale = Scale::power_of_two},
      {.name = "LANES",
       .title = {"Lanes per row", "每行通道数"},
       .unit = {"lanes", "通道"},
       .help = {"Lanes of a warp that share a row: 32 / LANES rows per warp.",
                "一个线程束里共同处理一行的通道数；一个线程束处理 32 / LANES 行。"},
       .value = 32,
       .min = 1,
       .max = 32,
       .scale = Scale::power_of_two},
      {.name = "CTAS",
       .title = {"CTAs per row", "每行线程块数"},
       .unit = {"CTAs", "线程块"},
       .help = {"CTAs that share a row. They wait for one another, so the GPU must hold all of them at once.",
                "共同处理一行的线程块数。它们互相等待，所以 GPU 必须能同时容纳它们。"},
       .value = 4,
       .min = 1,
       .max = kMostCtas,
       .scale = Scale::power_of_two,
       .gpu_value = 8}};
}

std::vector<SweepPoint> make_row_points() {
  std::vector<SweepPoint> points;
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
           {262144, 128}, {4096, 1024}, {8192, 4096}, {8192, 16384}, {16, 131072}, {4, 1048576}})
    points.push_back({fmt::format("{} × {}", rows, columns), {{"rows", rows}, {"columns", columns}}});
  return points;
}

BreakIt make_mask_switch(std::vector<std::string> rungs, const std::vector<Plant>& more) {
  BreakIt one{
      .name = "DROP_MASK",
      .title = {"Drop the boundary mask", "去掉边界判断"},
      .help = {"Threads past the end of a row take the next row's elements, and the last ones run past the end of "
               "the matrix.",
               "超出行尾的线程会拿到下一行的元素，最后几个线程会越出矩阵。"},
      .plants = {{.in = "load_vector", .replace = "if (at < columns) ", .by = "", .file = "rows.cuh"},
                 {.in = "store_vector", .replace = "if (at < columns) ", .by = "", .file = "rows.cuh"}},
      .rungs = std::move(rungs)};
  one.plants.insert(one.plants.end(), more.begin(), more.end());
  return one;
}
BreakIt make_barrier_switch(std::vector<std::string> rungs, const std::vector<Plant>& more) {
  BreakIt one{.name = "NO_BARRIER",
              .title = {"Remove the barriers", "去掉屏障"},
              .help = {"Warps read what other warps have not yet written.", "有的线程束会读到别的线程束还没写的内容。"},
              .plants = {{.in = "reduce_by_tree", .replace = "    __syncthreads();", .by = "", .file = "rows.cuh"},
                         {.in = "reduce_cta", .replace = "__syncthreads();", .by = "", .file = "rows.cuh"}},
              .rungs = std::move(rungs)};
  one.plants.insert(one.plants.end(), more.begin(), more.end());
  return one;
}
BreakIt make_wait_switch(std::vector<std::string> rungs, const std::vector<Plant>& more) {
  BreakIt one{
      .name = "NO_WAIT",
      .title = {"Do not wait for others", "不等其他线程块"},
      .help = {"A CTA uses what the other CTAs of its row have published so far.",
               "线程块直接使用同行其他线程块目前给出的部分结果。"},
      .plants = {{.in = "poll", .replace = "while (word >> 32 != epoch);", .by = "while (false);", .file = "rows.cuh"}},
      .rungs = std::move(rungs)};
  one.plants.insert(one.plants.end(), more.begin(), more.end());
  return one;
}

BufferSpec make_matrix(std::string name, const Config& config, Role role) {
  return {.name = std::move(name),
          .type = element_type(config),
          .shape = {config.size("rows"), config.size("columns")},
          .role = role,
          .fill = role == Role::output ? Fill::poison : Fill::normal};
}

BufferSpec make_weights(std::string name, const Config& config, double mean) {
  return {.name = std::move(name),
          .type = element_type(config),
          .shape = {config.size("columns")},
          .role = Role::input,
          .fill = Fill::normal,
          .fill_values = {mean, 0.5}};
}

std::vector<BufferSpec> make_meeting_places(const Config& config, int64_t values) {
  // All row lengths are timed with one set of buffers, also by "auto", which may use more CTAs than the parameter CTAS.
  const int64_t rows = config.size("rows");
  const bool is_long = config.size("columns") >= kLong;
  const int64_t ctas = is_long ? kMostCtas : config.param("CTAS");
  return {{.name = "published",
           .type = DType::u64,
           .shape = {rows, ctas, values},
           .role = Role::scratch,
           .fill = Fill::zero},
          {.name = "entered", .type = DType::u32, .shape = {rows, kSlots}, .role = Role::scratch, .fill = Fill::zero}};
}

Launch launch_per_row(const std::string& kernel, const Config& config, std::vector<Argument> arguments) {
  Launch launch{.kernel = kernel, .arguments = std::move(arguments)};
  launch.grid.x = static_cast<uint32_t>(config.size("rows"));
  launch.block.x = static_cast<uint32_t>(config.param("BLOCK"));
  return launch;
}
Launch launch_several_rows(const std::string& kernel, const Config& config, std::vector<Argument> arguments) {
  Launch launch = launch_per_row(kernel, config, std::move(arguments));
  const int64_t per_cta = config.param("BLOCK") / config.param("LANES");
  launch.grid.x = static_cast<uint32_t>(ceil_divide(config.size("rows"), per_cta));
  return launch;
}
Launch launch_several_ctas(const std::string& kernel, const Config& config, std::vector<Argument> arguments) {
  Launch launch = launch_per_row(kernel, config, std::move(arguments));
  launch.grid.x = static_cast<uint32_t>(config.size("rows") * config.param("CTAS"));
  return launch;
}

std::string rows_formula(const Config& config) { return "rows = " + with_separators(config.size("rows")); }
std::string several_rows_formula(const Config& config) {
  const int64_t block = config.param("BLOCK"), lanes = config.param("LANES"), rows = config.size("rows");
  return fmt::format("⌈{} / ({} / {})⌉ = {}", with_separators(rows), block, lanes,
                     with_separators(ceil_divide(rows, block / lanes)));
}
std::string several_ctas_formula(const Config& config) {
  const int64_t rows = config.size("rows"), ctas = config.param("CTAS");
  return fmt::format("{} × {} = {}", with_separators(rows), ctas, with_separators(rows * ctas));
}

Pick pick_row_tiles(const Config& config, const GpuSpec& gpu, const RowRungs& rungs) {
  const int64_t rows = config.size("rows"), columns = config.size("columns"), multiprocessors = gpu.multiprocessors;
  const int64_t vectors = ceil_divide(columns, vector_width(config));
  const std::string length = with_separators(columns), count = with_separators(rows);
  if (vectors <= 32 * most_vectors(config)) {
    auto params = lanes_for(config, vectors, rungs);
    const int64_t lanes = params.at("LANES"), each = params.at("VECTORS");
    return {
        rungs.several_rows,
        std::move(params),
        {fmt::format("A row of {} elements is {} vectors of 16 bytes: {} lanes hold it, {} each, and need no barrier.",
                     length, vectors, lanes, each),
         fmt::format("一行 {} 个元素是 {} 个 16 字节向量：{} 个通道各拿 {} 个就装得下，也不需要屏障。", length, vectors,
                     lanes, each)}};
  }
  const auto [ctas, too_long] = ctas_for(config, vectors, multiprocessors);
  if (ctas > 1 && ctas <= multiprocessors) {
    auto params = threads_for(config, ceil_divide(vectors, ctas));
    params["CTAS"] = ctas;
    if (too_long)
      return {rungs.several_ctas,
              params,
              {fmt::format("{} elements are more than the registers of one CTA hold; {} CTAs share each row.", length,
                           ctas),
               fmt::format("{} 个元素超出了一个线程块的寄存器；由 {} 个线程块分担一行。", length, ctas)}};
    return {rungs.several_ctas,
            params,
            {fmt::format("{} rows would leave most of the {} multiprocessors idle; {} CTAs share each row.", count,
                         multiprocessors, ctas),
             fmt::format("只有 {} 行，{} 个 SM 大多会闲着；由 {} 个线程块分担一行。", count, multiprocessors, ctas)}};
  }
  const auto params = threads_for(config, vectors);
  return {rungs.one_cta,
          params,
          {fmt::format("{} rows keep {} multiprocessors busy, and {} threads hold a row of {} elements in registers.",
                       count, multiprocessors, params.at("BLOCK"), length),
           fmt::format("{} 行足够让 {} 个 SM 忙起来，{} 个线程的寄存器装得下一行 {} 个元素。", count, multiprocessors,
                       params.at("BLOCK"), length)}};
}

std::map<std::string, int64_t> tune_row_tiles(RowDivision division, const Config& config, const GpuSpec& gpu) {
  const int64_t vectors = ceil_divide(config.size("columns"), vector_width(config));
  if (division == RowDivision::several_rows) return lanes_for(config, vectors, {});
  if (division == RowDivision::one_cta) return threads_for(config, vectors);
  // At least two: one CTA per row is a different scheme.
  const int64_t ctas = std::max<int64_t>(2, ctas_for(config, vectors, gpu.multiprocessors).ctas);
  auto params = threads_for(config, ceil_divide(vectors, ctas));
  params["CTAS"] = ctas;
  return params;
}

/// Rows that one CTA handles with LANES lanes per row, for the question of each lab that has such a rung.
Predict ask_ctas_of_several_rows(std::vector<std::string> rungs) {
  const auto ctas = [](const Config& config) {
    return ceil_divide(config.size("rows"), config.param("BLOCK") / config.param("LANES"));
  };
  return ask({.question = {"LANES lanes share a row, and a CTA has BLOCK threads. How many CTAs are launched?",
                           "每行由 LANES 个通道处理，一个线程块有 BLOCK 个线程。要启动多少个线程块？"},
              .answer = ctas,
              .others =
                  [ctas](const Config& config) {
                    return std::vector<int64_t>{config.size("rows"), 2 * ctas(config),
                                                config.size("rows") * config.param("LANES")};
                  },
              .why =
                  [](const Config& config) {
                    const int64_t per_cta = config.param("BLOCK") / config.param("LANES");
                    const std::string grid = several_rows_formula(config);
                    return Text{fmt::format("A CTA holds {} rows: {}.", per_cta, grid),
                                fmt::format("一个线程块处理 {} 行：{}。", per_cta, grid)};
                  },
              .rungs = std::move(rungs),
              .veils = ShownNumber::blocks});
}

Predict ask_ctas_of_several_ctas(std::vector<std::string> rungs) {
  const auto ctas = [](const Config& config) { return config.size("rows") * config.param("CTAS"); };
  return ask({.question = {"CTAS CTAs share each row. How many are launched?",
                           "每行由 CTAS 个线程块共同处理。一共启动多少个？"},
              .answer = ctas,
              .others =
                  [ctas](const Config& config) {
                    return std::vector<int64_t>{config.size("rows"), config.param("CTAS"), 2 * ctas(config)};
                  },
              .why =
                  [](const Config& config) {
                    const std::string grid = several_ctas_formula(config);
                    return Text{grid + ". More CTAs than rows keep a GPU busy that has more multiprocessors than rows.",
                                grid + "。行数少于 SM 数时，每行多个线程块才能让 GPU 忙起来。"};
                  },
              .rungs = std::move(rungs),
              .veils = ShownNumber::blocks});
}

}  // namespace tilescope
