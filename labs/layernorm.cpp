// Lab "layernorm": normalises every row to mean 0 and deviation 1, then scales by gamma and shifts by beta.
// kernels/layernorm.cu holds the rungs, kernels/layernorm.py those in Triton.
#include <cmath>

#include "engine/numbers.hpp"
#include "labs/predict.hpp"
#include "labs/rows.hpp"
#include "labs/triton.hpp"
#include "labs/triton_rows.hpp"

namespace tilescope::layernorm_lab {
namespace {

constexpr float kEpsilon = 1e-5f;
constexpr double kMean = 100;  // of x: so far from 0 that the mean of the squares says little about the variance
constexpr const char* kTritonFile = "layernorm.py";
enum Buffer : size_t { kX, kGamma, kBeta, kOut, kMeans, kRstds, kPlaces, kEntered, kNormal };

std::vector<BufferSpec> make_buffers(const Config& config) {
  BufferSpec x = make_matrix("x", config, Role::input);
  // bf16 has 8 bits: with a mean of 100 little would be left of the deviation. The few elements of a short row may be
  // nearly equal: near 100, their differences would be rounding errors.
  const bool small = config.param("DTYPE") == 1 || config.size("columns") < 32;
  x.fill_values = {small ? 1 : kMean, 1};
  std::vector<BufferSpec> buffers{x, make_weights("gamma", config, 1), make_weights("beta", config, 0),
                                  make_matrix("out", config, Role::output)};
  for (const char* name : {"means", "rstds"})
    buffers.push_back({.name = name, .shape = {config.size("rows")}, .role = Role::output, .fill = Fill::poison});
  for (BufferSpec& buffer : make_meeting_places(config, 2)) buffers.push_back(std::move(buffer));
  buffers.push_back({.name = "normal",
                     .shape = {config.size("rows"), config.size("columns")},
                     .role = Role::scratch,
                     .fill = Fill::poison});
  return buffers;
}

/// The leading arguments of every kernel: x, [gamma, beta,] out or normal, means, rstds, [rows,] columns, epsilon.
std::vector<Argument> arguments_of(const Config& config, bool fused, bool with_rows = false,
                                   std::vector<Argument> more = {}) {
  std::vector<Argument> arguments{BufferArgument{kX}};
  if (fused) arguments.insert(arguments.end(), {BufferArgument{kGamma}, BufferArgument{kBeta}});
  arguments.insert(arguments.end(),
                   {BufferArgument{fused ? kOut : kNormal}, BufferArgument{kMeans}, BufferArgument{kRstds}});
  if (with_rows) arguments.emplace_back(scalar(static_cast<int32_t>(config.size("rows"))));
  arguments.emplace_back(scalar(static_cast<int32_t>(config.size("columns"))));
  arguments.emplace_back(scalar(kEpsilon));
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<Launch> launch_unfused(const std::string& kernel, const Config& config) {
  return {launch_per_row(kernel, config, arguments_of(config, false)),
          launch_per_row("scale_and_shift", config,
                         {BufferArgument{kNormal}, BufferArgument{kGamma}, BufferArgument{kBeta}, BufferArgument{kOut},
                          scalar(static_cast<int32_t>(config.size("columns")))})};
}
std::vector<Launch> launch_registers(const Config& config) {
  const bool fits = fits_registers(config, config.size("columns"), config.param("BLOCK"));
  return launch_unfused(fits ? "row_in_registers" : "two_pass", config);
}
std::vector<Launch> launch_fused(const Config& config) {
  const bool fits = fits_registers(config, config.size("columns"), config.param("BLOCK"));
  return {launch_per_row(fits ? "fused" : "fused_by_element", config, arguments_of(config, true))};
}
std::vector<Launch> launch_several_rows_rung(const Config& config) {
  const bool fits = fits_registers(config, config.size("columns"), config.param("LANES"));
  return {
      launch_several_rows(fits ? "several_rows" : "several_rows_by_element", config, arguments_of(config, true, true))};
}
std::vector<Launch> launch_several_ctas_rung(const Config& config) {
  const bool fits = fits_registers(config, share_of_row(config), config.param("BLOCK"));
  return {launch_several_ctas(fits ? "several_ctas" : "several_ctas_by_element", config,
                              arguments_of(config, true, false, {BufferArgument{kPlaces}, BufferArgument{kEntered}}))};
}

Rung make_rung(std::string name, Text title, std::vector<std::string> kernels, std::vector<std::string> params,
               std::function<std::vector<Launch>(const Config&)> launches,
               std::function<std::string(const Config&)> grid_formula = rows_formula) {
  params.insert(params.begin(), {"DTYPE", "BLOCK"});
  return {.name = std::move(name),
          .title = std::move(title),
          .kernels = std::move(kernels),
          .params = std::move(params),
          .launches = std::move(launches),
          .grid_formula = std::move(grid_formula)};
}

/// The rungs in Triton. All of them are fused.
std::vector<Rung> make_triton_rungs() {
  const auto rung = [](std::string name, Text title, std::string kernel, std::vector<std::string> params,
                       std::function<std::string(const Config&)> grid_formula) {
    params.insert(params.begin(), "DTYPE");
    params.emplace_back("num_warps");
    return Rung{.name = std::move(name),
                .title = std::move(title),
                .kernel_file = kTritonFile,
                .kernels = {std::move(kernel)},
                .params = std::move(params),
                .grid_formula = std::move(grid_formula)};
  };
  std::vector<Rung> rungs{
      rung("triton-row", {"Triton: row in a tile", "Triton：一行一个分块"}, "row_in_a_tile", {}, rows_formula),
      rung("triton-loop", {"Triton: loop of tiles", "Triton：循环分块"}, "tiles_of_a_row", {"BLOCK_SIZE", "num_stages"},
           rows_formula),
      rung("triton-several-rows", {"Triton: several rows", "Triton：一块多行"}, "rows_in_a_tile", {"ROWS"},
           row_tiles_formula)};
  rungs[0].check = check_row_in_a_tile;
  rungs[0].launches = [](const Config& config) {
    const Dim3 grid{static_cast<uint32_t>(config.size("rows")), 1, 1};
    return std::vector<Launch>{
        triton_launch("row_in_a_tile", grid, arguments_of(config, true), config, {}, {tile_of_a_row(config)})};
  };
  rungs[1].launches = [](const Config& config) {
    const Dim3 grid{static_cast<uint32_t>(config.size("rows")), 1, 1};
    return std::vector<Launch>{
        triton_launch("tiles_of_a_row", grid, arguments_of(config, true), config, {"BLOCK_SIZE", "num_stages"})};
  };
  rungs[2].check = check_rows_in_a_tile;
  rungs[2].launches = [](const Config& config) {
    return std::vector<Launch>{triton_launch("rows_in_a_tile", grid_of_row_tiles(config),
                                             arguments_of(config, true, true), config, {"ROWS"},
                                             {tile_of_a_row(config)})};
  };
  return rungs;
}

std::vector<Rung> make_rungs() {
  const auto unfused = [](const std::string& kernel) {
    return [kernel](const Config& config) { return launch_unfused(kernel, config); };
  };
  std::vector<Rung> rungs{
      make_rung("two-pass", {"Two passes", "两遍"}, {"two_pass", "scale_and_shift"}, {}, unfused("two_pass")),
      make_rung("welford", {"Welford, one pass", "Welford，一遍"}, {"welford", "scale_and_shift"}, {},
                unfused("welford")),
      make_rung("row-in-registers", {"Row in registers", "整行留在寄存器"},
                {"row_in_registers", "two_pass", "scale_and_shift"}, {"VECTORS"}, launch_registers),
      make_rung("fused", {"Gamma and beta fused", "融合 gamma 和 beta"}, {"fused", "fused_by_element"}, {"VECTORS"},
                launch_fused),
      make_rung("several-rows", {"Several rows per CTA", "每线程块多行"}, {"several_rows", "several_rows_by_element"},
                {"VECTORS", "LANES"}, launch_several_rows_rung, several_rows_formula),
      make_rung("several-ctas", {"Several CTAs per row", "每行多个线程块"}, {"several_ctas", "several_ctas_by_element"},
                {"VECTORS", "CTAS"}, launch_several_ctas_rung, several_ctas_formula)};
  rungs.push_back({.name = "auto",
                   .title = {"Auto", "自动"},
                   .params = {"DTYPE"},
                   .pick = [](const Config& config, const GpuSpec& gpu) {
                     return pick_row_tiles(config, gpu, {"several-rows", "fused", "several-ctas", 4, 8});
                   }});
  for (Rung& rung : make_triton_rungs()) rungs.push_back(std::move(rung));
  return rungs;
}

std::vector<Predict> make_predicts() {
  return {
      {.question =
           {"Two passes, not fused: how many times does a row travel between memory and registers, read or written?",
            "两遍、未融合：一行数据在内存与寄存器之间要走几趟（读写都算）？"},
       .choices =
           [](const Config&) {
             return std::vector<int64_t>{2, 4, 6};
           },
       .answer = [](const Config&) { return int64_t{6}; },
       .why =
           [](const Config&) {
             return Text{
                 "x is read for the mean, for the variance and to be normalized; `normal` is written and read; out is "
                 "written.",
                 "求均值、求方差、归一化各读一次 x；归一化的结果写一次、读一次；out 写一次。"};
           },
       .rungs = {"two-pass"}},
      {.question = {"fp32, x about 100 with deviation 1: about how many of its 24 bits does the difference of the mean "
                    "square and the squared mean still have?",
                    "fp32，x 约为 100、标准差 1：平方的均值减均值的平方之后，24 位里大约还剩几位？"},
       .choices =
           [](const Config&) {
             return std::vector<int64_t>{5, 11, 24};
           },
       .answer = [](const Config&) { return std::lround(24 - std::log2(kMean * kMean)); },
       .why =
           [](const Config&) {
             return Text{"Both are about 10,000, which is 13.3 bits above the difference, 1. These bits cancel.",
                         "两者都约为 10,000，比差值 1 高出 13.3 位，这些位都抵消了。"};
           }},
      ask_ctas_of_several_rows({"several-rows"}),
      ask_ctas_of_several_ctas({"several-ctas"}),
  };
}

struct RowStatistics {
  double mean, rstd;
};
RowStatistics statistics_of(const HostBuffer& x, size_t row, size_t columns) {
  double sum = 0, squares = 0;
  for (size_t c = 0; c < columns; ++c) sum += value_at(x, row + c);
  const double mean = sum / static_cast<double>(columns);
  for (size_t c = 0; c < columns; ++c) squares += std::pow(value_at(x, row + c) - mean, 2);
  return {mean, 1 / std::sqrt(squares / static_cast<double>(columns) + double{kEpsilon})};
}

/// Output 0 is out, 1 the means, 2 the inverse deviations.
void expect_output(const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t output,
                   size_t begin, size_t end, double* expected) {
  const auto columns = static_cast<size_t>(config.size("columns"));
  const HostBuffer& x = *buffers[kX];
  size_t known = SIZE_MAX;
  RowStatistics row_has{};
  for (size_t i = begin; i < end; ++i) {
    const size_t row = output == 0 ? i / columns * columns : i * columns;
    if (row != known) row_has = statistics_of(x, row, columns);
    known = row;
    const double normal = (value_at(x, row + (output == 0 ? i - row : 0)) - row_has.mean) * row_has.rstd;
    expected[i - begin] = output == 1 ? row_has.mean
                          : output == 2
                              ? row_has.rstd
                              : normal * value_at(*buffers[kGamma], i - row) + value_at(*buffers[kBeta], i - row);
  }
}

/// In Triton the masks become always true.
std::vector<Plant> plants_of_masks() {
  const std::string file = kTritonFile;
  return {{.in = "normalise_row", .replace = "if (first + v * STRIDE < columns)", .by = ""},
          {.in = "row_in_a_tile", .replace = "mask = c < columns", .by = "mask = c < BLOCK_SIZE", .file = file},
          {.in = "tiles_of_a_row",
           .replace = "sums += tl.load(x + c, mask=c < columns",
           .by = "sums += tl.load(x + c, mask=c >= 0",
           .file = file},
          {.in = "tiles_of_a_row",
           .replace = "values = tl.load(x + c, mask=c < columns",
           .by = "values = tl.load(x + c, mask=c >= 0",
           .file = file},
          {.in = "tiles_of_a_row", .replace = "mask = c < columns", .by = "mask = c >= 0", .file = file},
          {.in = "rows_in_a_tile", .replace = "(c < columns)[None, :]", .by = "(c >= 0)[None, :]", .file = file}};
}

BreakIt make_padding_switch() {
  const std::string file = kTritonFile;
  return {.name = "PADDING_IN_VARIANCE",
          .title = {"Padding in the variance", "补位元素算进方差"},
          .help = {"The padding of a tile is 0, and its distance from the mean is added to the squares.",
                   "分块的补位元素是 0，它到均值的距离也加进了平方和。"},
          .plants = {{.in = "row_in_a_tile",
                      .replace = "tl.where(mask, values - mean, 0.0)",
                      .by = "values - mean",
                      .file = file},
                     {.in = "tiles_of_a_row",
                      .replace = "tl.where(c < columns, values - mean, 0.0)",
                      .by = "values - mean",
                      .file = file},
                     {.in = "rows_in_a_tile",
                      .replace = "tl.where(inside, distance * distance, 0.0)",
                      .by = "distance * distance",
                      .file = file}},
          .rungs = {"triton-row", "triton-loop", "triton-several-rows"}};
}

Lab make_layernorm() {
  Lab lab;
  lab.name = "layernorm";
  lab.stage = 4;
  lab.order = 2;
  lab.title = {"LayerNorm", "LayerNorm"};
  lab.kernel_file = "layernorm.cu";
  lab.sizes = make_row_sizes(200, 504);
  lab.params = make_row_params();
  for (Param& param : make_triton_row_params()) lab.params.push_back(std::move(param));
  lab.break_it = {{.name = "NAIVE_VARIANCE",
                   .title = {"Variance as E[x²] − E[x]²", "方差用 E[x²] − E[x]²"},
                   .help = {"One pass is enough then, but the leading digits of the two terms cancel.",
                            "这样一遍就够，但两者的高位会互相抵消。"},
                   .plants = {{.in = "square_pass",
                               .replace = "static_cast<float>(row[c]) - mean",
                               .by = "static_cast<float>(row[c])"},
                              {.in = "square_pass",
                               .replace = "return squares;",
                               .by = "return first == 0 ? squares - columns * mean * mean : squares;"}},
                   .rungs = {"two-pass"}},
                  make_barrier_switch({"two-pass", "welford", "row-in-registers", "fused", "several-ctas"},
                                      {{.in = "welford", .replace = "__syncthreads();", .by = ""},
                                       {.in = "merge_ctas", .replace = "__syncthreads();", .by = ""}}),
                  make_mask_switch({"row-in-registers", "fused", "several-rows", "several-ctas", "auto", "triton-row",
                                    "triton-loop", "triton-several-rows"},
                                   plants_of_masks()),
                  make_wait_switch({"several-ctas"}),
                  make_padding_switch()};
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"},
                    {"PyTorch", "torch", "layernorm"},
                    {"torch.compile", "torch_compile", "layernorm"},
                    {"Triton", "triton", "layernorm"},
                    {"cuDNN", "cudnn", "layernorm"}};
  // The mean of values near 100 has an error of some last bits, 2^-17 each, more where a lane sums a long row alone; x
  // - mean inherits it.
  lab.tolerance = {.absolute = 5e-4, .relative = 1e-5};
  lab.predicts = make_predicts();
  lab.buffers = make_buffers;
  lab.reference = expect_output;
  lab.useful_bytes = [](const Config& config) {
    const auto rows = static_cast<double>(config.size("rows")), columns = static_cast<double>(config.size("columns"));
    return static_cast<double>(size_of(element_type(config))) * (2 * rows + 2) * columns + 8 * rows;
  };
  lab.flops = [](const Config& config) {  // sum; subtract, square, add; subtract, scale, weigh, shift
    return 8.0 * static_cast<double>(config.size("rows") * config.size("columns"));
  };
  lab.bytes_formula = {
      "(2 · rows + 2) · columns elements of 4 or 2 bytes, and 8 bytes for each row's mean and deviation",
      "(2 · 行 + 2) · 列 个元素，每个 4 或 2 字节；另有每行 8 字节的均值与标准差"};
  lab.sweep_size = "rows";
  lab.points = make_row_points();
  return lab;
}

const bool registered = register_lab(make_layernorm());

}  // namespace
}  // namespace tilescope::layernorm_lab
