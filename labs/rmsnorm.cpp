// Lab "rmsnorm": divides every row by the root mean square of its elements and multiplies by gamma. kernels/rmsnorm.cu
// holds the schemes, kernels/rmsnorm.py the same ones in Triton.
#include <algorithm>
#include <cmath>

#include "engine/numbers.hpp"
#include "labs/predict.hpp"
#include "labs/rows.hpp"
#include "labs/triton.hpp"
#include "labs/triton_rows.hpp"

namespace tilescope::rmsnorm_lab {
namespace {

constexpr float kEpsilon = 1e-5f;
enum Buffer : size_t { kX, kGamma, kOut, kPlaces, kEntered, kSums, kArrived, kEnteredToAdd, kRowSums, kParts };

std::vector<BufferSpec> make_buffers(const Config& config) {
  std::vector<BufferSpec> buffers{make_matrix("x", config, Role::input), make_weights("gamma", config, 1),
                                  make_matrix("out", config, Role::output)};
  for (BufferSpec& buffer : make_meeting_places(config, 1)) buffers.push_back(std::move(buffer));
  const BufferSpec counters = buffers.back();
  buffers.push_back(
      {.name = "sums", .shape = {counters.shape[0], counters.shape[1], 2}, .role = Role::scratch, .fill = Fill::zero});
  // Separate counters: all rungs are timed on the same buffers, and CTAs with flags enter but do not arrive.
  for (const char* name : {"arrived", "entered_to_add"}) {
    buffers.push_back(counters);
    buffers.back().name = name;
  }
  return buffers;
}

/// The Triton rungs of scheme 3 carry sums from one kernel to the next.
std::vector<BufferSpec> make_buffers_with_sums(const Config& config) {
  std::vector<BufferSpec> buffers = make_buffers(config);
  const int64_t rows = config.size("rows");
  buffers.push_back({.name = "row_sums", .shape = {rows}, .role = Role::scratch, .fill = Fill::poison});
  buffers.push_back(
      {.name = "parts", .shape = {rows, config.param("CTAS")}, .role = Role::scratch, .fill = Fill::poison});
  return buffers;
}

/// The leading arguments of every kernel: x, gamma, out, [rows,] columns, epsilon.
std::vector<Argument> arguments_of(const Config& config, bool with_rows, std::vector<Argument> more = {}) {
  std::vector<Argument> arguments{BufferArgument{kX}, BufferArgument{kGamma}, BufferArgument{kOut}};
  if (with_rows) arguments.emplace_back(scalar(static_cast<int32_t>(config.size("rows"))));
  arguments.emplace_back(scalar(static_cast<int32_t>(config.size("columns"))));
  arguments.emplace_back(scalar(kEpsilon));
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<Launch> launch_scheme_1(const Config& config) {
  return {launch_per_row("cta_per_row", config, arguments_of(config, false))};
}
std::vector<Launch> launch_scheme_2(const Config& config) {
  const bool aligned = config.size("columns") % vector_width(config) == 0;
  return {launch_per_row(aligned ? "blocks_of_a_row" : "cta_per_row", config, arguments_of(config, false))};
}
std::vector<Launch> launch_scheme_3(const Config& config, std::string kernel, std::vector<Argument> meeting) {
  if (!fits_registers(config, share_of_row(config), config.param("BLOCK"))) kernel += "_by_element";
  return {launch_several_ctas(kernel, config, arguments_of(config, false, std::move(meeting)))};
}
std::vector<Launch> launch_scheme_4(const Config& config) {
  const bool fits = fits_registers(config, config.size("columns"), config.param("LANES"));
  return {launch_several_rows(fits ? "several_rows" : "several_rows_by_element", config, arguments_of(config, true))};
}

Rung make_rung(std::string name, Text title, std::vector<std::string> kernels, std::vector<std::string> params,
               std::function<std::vector<Launch>(const Config&)> launches,
               std::function<std::string(const Config&)> grid_formula) {
  params.insert(params.begin(), {"DTYPE", "BLOCK"});
  return {.name = std::move(name),
          .title = std::move(title),
          .kernels = std::move(kernels),
          .params = std::move(params),
          .launches = std::move(launches),
          .grid_formula = std::move(grid_formula)};
}

/// How a Triton kernel of several programs per row or of a loop over the row is launched.
Launch launch_loop(const std::string& kernel, int64_t programs, std::vector<Argument> arguments, const Config& config) {
  const Dim3 grid{static_cast<uint32_t>(programs), 1, 1};
  if (kernel == "tiles_of_a_row")
    return triton_launch(kernel, grid, std::move(arguments), config, {"BLOCK_SIZE", "num_stages"});
  return triton_launch(kernel, grid, std::move(arguments), config, {"CTAS", "BLOCK_SIZE", "num_stages"});
}

std::vector<Launch> launch_triton_1(const Config& config) {
  const Dim3 grid{static_cast<uint32_t>(config.size("rows")), 1, 1};
  return {triton_launch("row_in_a_tile", grid, arguments_of(config, false), config, {}, {tile_of_a_row(config)})};
}
std::vector<Launch> launch_triton_2(const Config& config) {
  return {launch_loop("tiles_of_a_row", config.size("rows"), arguments_of(config, false), config)};
}
/// Two kernels, of which the second reads what the first has left in `sums`.
std::vector<Launch> launch_triton_3(const Config& config, const std::string& add, const std::string& scale,
                                    Buffer sums) {
  const ScalarArgument columns = scalar(static_cast<int32_t>(config.size("columns")));
  const int64_t programs = config.size("rows") * config.param("CTAS");
  return {launch_loop(add, programs, {BufferArgument{kX}, BufferArgument{sums}, columns}, config),
          launch_loop(scale, programs,
                      {BufferArgument{kX}, BufferArgument{kGamma}, BufferArgument{kOut}, BufferArgument{sums}, columns,
                       scalar(kEpsilon)},
                      config)};
}
std::vector<Launch> launch_triton_3_atomics(const Config& config) {
  const int64_t rows = config.size("rows");
  const Dim3 grid{static_cast<uint32_t>(ceil_divide(rows, config.param("BLOCK_SIZE"))), 1, 1};
  std::vector<Launch> launches = launch_triton_3(config, "add_squares", "scale_by_sum", kRowSums);
  launches.insert(launches.begin(),
                  triton_launch("clear_sums", grid, {BufferArgument{kRowSums}, scalar(static_cast<int32_t>(rows))},
                                config, {"BLOCK_SIZE"}));
  return launches;
}
std::vector<Launch> launch_triton_3_parts(const Config& config) {
  return launch_triton_3(config, "store_squares", "scale_by_parts", kParts);
}
std::vector<Launch> launch_triton_4(const Config& config) {
  return {triton_launch("rows_in_a_tile", grid_of_row_tiles(config), arguments_of(config, true), config, {"ROWS"},
                        {tile_of_a_row(config)})};
}

/// The schemes in Triton, under the numbers of those in CUDA.
std::vector<Rung> make_triton_rungs() {
  const auto rung = [](std::string name, Text title, std::vector<std::string> kernels, std::vector<std::string> params,
                       std::function<std::vector<Launch>(const Config&)> launches,
                       std::function<std::string(const Config&)> grid_formula) {
    params.insert(params.begin(), "DTYPE");
    params.emplace_back("num_warps");
    return Rung{.name = std::move(name),
                .title = std::move(title),
                .kernel_file = "rmsnorm.py",
                .kernels = std::move(kernels),
                .params = std::move(params),
                .launches = std::move(launches),
                .grid_formula = std::move(grid_formula)};
  };
  std::vector<Rung> rungs{
      rung("triton-scheme-1", {"Triton 1, row in a tile", "Triton 1，一行一个分块"}, {"row_in_a_tile"}, {},
           launch_triton_1, rows_formula),
      rung("triton-scheme-2", {"Triton 2, loop of tiles", "Triton 2，循环分块"}, {"tiles_of_a_row"},
           {"BLOCK_SIZE", "num_stages"}, launch_triton_2, rows_formula),
      rung("triton-scheme-3", {"Triton 3, atomics", "Triton 3，原子加"}, {"add_squares", "scale_by_sum", "clear_sums"},
           {"CTAS", "BLOCK_SIZE", "num_stages"}, launch_triton_3_atomics, several_ctas_formula),
      rung("triton-scheme-3-parts", {"Triton 3, partial sums", "Triton 3，部分和"}, {"store_squares", "scale_by_parts"},
           {"CTAS", "BLOCK_SIZE", "num_stages"}, launch_triton_3_parts, several_ctas_formula),
      rung("triton-scheme-4", {"Triton 4, several rows", "Triton 4，一块多行"}, {"rows_in_a_tile"}, {"ROWS"},
           launch_triton_4, row_tiles_formula)};
  rungs[0].check = check_row_in_a_tile;
  for (size_t i : {2, 3}) rungs[i].buffers = make_buffers_with_sums;
  rungs[4].check = check_rows_in_a_tile;
  return rungs;
}

std::vector<Rung> make_rungs() {
  const auto atomics = [](const Config& config) {
    return launch_scheme_3(config, "ctas_with_atomics",
                           {BufferArgument{kSums}, BufferArgument{kArrived}, BufferArgument{kEnteredToAdd}});
  };
  const auto flags = [](const Config& config) {
    return launch_scheme_3(config, "ctas_with_flags", {BufferArgument{kPlaces}, BufferArgument{kEntered}});
  };
  std::vector<Rung> rungs{
      make_rung("scheme-1", {"Scheme 1, one CTA", "方案 1，每线程块一行"}, {"cta_per_row"}, {}, launch_scheme_1,
                rows_formula),
      make_rung("scheme-2", {"Scheme 2, in blocks", "方案 2，行内分块循环"}, {"blocks_of_a_row", "cta_per_row"},
                {"VECTORS"}, launch_scheme_2, rows_formula),
      make_rung("scheme-3", {"Scheme 3, atomics", "方案 3，多线程块原子加"},
                {"ctas_with_atomics", "ctas_with_atomics_by_element"}, {"VECTORS", "CTAS"}, atomics,
                several_ctas_formula),
      make_rung("scheme-3-flags", {"Scheme 3, flags", "方案 3，多线程块标志"},
                {"ctas_with_flags", "ctas_with_flags_by_element"}, {"VECTORS", "CTAS"}, flags, several_ctas_formula),
      make_rung("scheme-4", {"Scheme 4, few lanes", "方案 4，每线程块多行"},
                {"several_rows", "several_rows_by_element"}, {"VECTORS", "LANES"}, launch_scheme_4,
                several_rows_formula)};
  rungs.push_back({.name = "auto",
                   .title = {"Auto", "自动"},
                   .params = {"DTYPE"},
                   .pick = [](const Config& config, const GpuSpec& gpu) {
                     return pick_row_tiles(config, gpu, {"scheme-4", "scheme-2", "scheme-3-flags"});
                   }});
  for (Rung& rung : make_triton_rungs()) rungs.push_back(std::move(rung));
  return rungs;
}

/// The four schemes over rows and columns, from one row up to rows as short as an attention head.
SchemeMap make_map() {
  SchemeMap map;
  map.schemes = {{"scheme-1", "1"}, {"scheme-2", "2"}, {"scheme-3", "3"}, {"scheme-3-flags", "3f"}, {"scheme-4", "4"}};
  map.rows = "rows";
  map.columns = "columns";
  for (int64_t rows = 1; rows <= 1 << 18; rows *= 4) map.row_values.push_back(rows);
  map.column_values = {128};
  for (int64_t columns = 1024; columns <= kMostColumns; columns *= 4) map.column_values.push_back(columns);
  map.most_elements = int64_t{1} << 27;
  map.tune = [](const std::string& rung, const Config& config, const GpuSpec& gpu) {
    const auto division = rung == "scheme-4"                         ? RowDivision::several_rows
                          : rung == "scheme-1" || rung == "scheme-2" ? RowDivision::one_cta
                                                                     : RowDivision::several_ctas;
    return tune_row_tiles(division, config, gpu);
  };
  map.automatic = "auto";
  map.one_per_row = "scheme-1";
  return map;
}

/// The questions are about the usual GPU, so that they can be answered on paper.
std::vector<Predict> make_predicts() {
  const int64_t processors = usual_gpu().multiprocessors;
  return {
      ask({.question = {fmt::format("One CTA per row on a GPU of {} multiprocessors: how many of them have nothing to "
                                    "do?",
                                    processors),
                        fmt::format("每行一个线程块，GPU 有 {} 个 SM：有多少个无事可做？", processors)},
           .answer =
               [processors](const Config& config) { return std::max<int64_t>(0, processors - config.size("rows")); },
           .others =
               [processors](const Config& config) {
                 return std::vector<int64_t>{0, processors / 2, processors - 1,
                                             std::min(config.size("rows"), processors)};
               },
           .why =
               [processors](const Config& config) {
                 const int64_t working = std::min(config.size("rows"), processors);
                 return Text{
                     fmt::format("A row is one CTA, and a CTA runs on one multiprocessor: {} of {} have work, "
                                 "however long the rows are.",
                                 working, processors),
                     fmt::format(
                         "一行就是一个线程块，一个线程块只在一个 SM 上运行：不管行多长，{1} 个里有 {0} 个在工作。",
                         working, processors)};
               },
           .rungs = {"scheme-1"}}),
      ask({.question = {"Scheme 4, BLOCK threads and LANES lanes per row: how many rows does a CTA normalize?",
                        "方案 4，BLOCK 个线程，每行 LANES 个通道：一个线程块处理几行？"},
           .answer = [](const Config& config) { return config.param("BLOCK") / config.param("LANES"); },
           .others =
               [](const Config& config) {
                 const int64_t rows = config.param("BLOCK") / config.param("LANES");
                 return std::vector<int64_t>{config.param("LANES"), rows / 2, 2 * rows};
               },
           .why =
               [](const Config& config) {
                 const int64_t lanes = config.param("LANES");
                 const std::string sum =
                     fmt::format("{} / {} = {}", config.param("BLOCK"), lanes, config.param("BLOCK") / lanes);
                 const int64_t shuffles = std::lround(std::log2(lanes));
                 return Text{
                     fmt::format("{}. Each group of {} lanes sums by {} shuffles, for itself.", sum, lanes, shuffles),
                     fmt::format("{}。每 {} 个通道一组，各自用 {} 次洗牌求和。", sum, lanes, shuffles)};
               },
           .rungs = {"scheme-4"}}),
      ask_ctas_of_several_ctas({"scheme-3", "scheme-3-flags"}),
      ask_ctas_of_several_rows({"scheme-4"}),
  };
}

void expect_rows(const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t begin,
                 size_t end, double* expected) {
  const auto columns = static_cast<size_t>(config.size("columns"));
  const HostBuffer &x = *buffers[kX], &gamma = *buffers[kGamma];
  size_t known = SIZE_MAX;
  double scale = 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t row = i / columns * columns;
    if (row != known) {
      known = row;
      double squares = 0;
      for (size_t c = 0; c < columns; ++c) squares += value_at(x, row + c) * value_at(x, row + c);
      scale = 1 / std::sqrt(squares / static_cast<double>(columns) + double{kEpsilon});
    }
    expected[i - begin] = value_at(x, i) * scale * value_at(gamma, i - row);
  }
}

/// Masks that are always true: the padding of a tile reads and writes what lies behind the row.
std::vector<Plant> plants_of_masks() {
  const std::string file = "rmsnorm.py";
  return {{.in = "row_in_a_tile", .replace = "mask = c < columns", .by = "mask = c < BLOCK_SIZE", .file = file},
          {.in = "sum_squares", .replace = "mask=c < last", .by = "mask=c >= first", .file = file},
          {.in = "write_scaled", .replace = "mask = c < last", .by = "mask = c >= first", .file = file},
          {.in = "rows_in_a_tile", .replace = "(c < columns)[None, :]", .by = "(c >= 0)[None, :]", .file = file}};
}

Lab make_rmsnorm() {
  Lab lab;
  lab.name = "rmsnorm";
  lab.stage = 4;
  lab.order = 4;
  lab.title = {"RMSNorm", "RMSNorm"};
  lab.kernel_file = "rmsnorm.cu";
  lab.sizes = make_row_sizes(200, 504);
  lab.params = make_row_params();
  for (Param& param : make_triton_row_params()) lab.params.push_back(std::move(param));
  lab.break_it = {make_barrier_switch({"scheme-1", "scheme-2", "scheme-3", "scheme-3-flags"},
                                      {{.in = "sum_by_atomics", .replace = "__syncthreads();", .by = ""},
                                       {.in = "sum_by_flags", .replace = "__syncthreads();", .by = ""}}),
                  make_mask_switch({"scheme-2", "scheme-3", "scheme-3-flags", "scheme-4", "auto", "triton-scheme-1",
                                    "triton-scheme-2", "triton-scheme-3", "triton-scheme-3-parts", "triton-scheme-4"},
                                   plants_of_masks()),
                  make_wait_switch({"scheme-3", "scheme-3-flags"},
                                   {{.in = "sum_by_atomics",
                                     .replace = "while (*static_cast<volatile unsigned*>(arrived) != launch * CTAS) {",
                                     .by = "while (false) {"}})};
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"},
                    {"PyTorch", "torch", "rmsnorm"},
                    {"torch.compile", "torch_compile", "rmsnorm"},
                    {"Triton", "triton", "rmsnorm"},
                    {"cuDNN", "cudnn", "rmsnorm"}};
  // A sum of squares has no cancellation: an error of some 2^-20 after 2^20 terms, halved by the root; then two
  // products.
  lab.tolerance = {.absolute = 1e-6, .relative = 5e-6};
  lab.predicts = make_predicts();
  lab.buffers = make_buffers;
  lab.reference = [](const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
                     size_t begin, size_t end,
                     double* expected) { expect_rows(config, buffers, begin, end, expected); };
  lab.useful_bytes = [](const Config& config) {
    return static_cast<double>(size_of(element_type(config))) *
           (2.0 * static_cast<double>(config.size("rows") * config.size("columns")) +
            static_cast<double>(config.size("columns")));
  };
  lab.flops = [](const Config& config) {  // square, add, scale, weigh
    return 4.0 * static_cast<double>(config.size("rows") * config.size("columns"));
  };
  lab.bytes_formula = {"(2 · rows + 1) · columns elements of 4 or 2 bytes: x and gamma read, out written",
                       "(2 · 行 + 1) · 列 个元素，每个 4 或 2 字节：读 x 和 gamma，写 out"};
  lab.sweep_size = "rows";
  lab.points = make_row_points();
  lab.scheme_map = make_map();
  return lab;
}

const bool registered = register_lab(make_rmsnorm());

}  // namespace
}  // namespace tilescope::rmsnorm_lab
