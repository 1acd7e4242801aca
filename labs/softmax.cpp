// Lab "softmax": every row becomes exp(x - max) / sum of exp(x - max). kernels/softmax.cu holds the rungs,
// kernels/softmax.py those in Triton.
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/numbers.hpp"
#include "labs/limits.hpp"
#include "labs/predict.hpp"
#include "labs/rows.hpp"
#include "labs/triton.hpp"
#include "labs/triton_rows.hpp"

namespace tilescope::softmax_lab {
namespace {

enum Buffer : size_t { kX, kOut, kPlaces, kEntered, kStep, kMaximum, kSums };

std::vector<BufferSpec> make_buffers(const Config& config) {
  BufferSpec x = make_matrix("x", config, Role::input);
  x.fill_values = {100, 1};                   // as far from zero as logits can be: exp(100) overflows a float
  x.large_rows = {.every = 2, .factor = -1};  // and as far below: 0 is no neutral element of their maximum
  std::vector<BufferSpec> buffers{x, make_matrix("out", config, Role::output)};
  for (BufferSpec& buffer : make_meeting_places(config, 2)) buffers.push_back(std::move(buffer));
  const int64_t rows = config.size("rows"), columns = config.size("columns");
  const auto scratch = [](const char* name, std::vector<int64_t> shape) {
    return BufferSpec{.name = name, .shape = std::move(shape), .role = Role::scratch, .fill = Fill::poison};
  };
  buffers.push_back(scratch("step", {rows, columns}));
  buffers.push_back(scratch("maximum", {rows}));
  buffers.push_back(scratch("sums", {rows}));
  return buffers;
}

Argument columns_of(const Config& config) { return scalar(static_cast<int32_t>(config.size("columns"))); }
Argument rows_of(const Config& config) { return scalar(static_cast<int32_t>(config.size("rows"))); }

std::vector<Launch> launch_five_kernels(const Config& config) {
  const Argument columns = columns_of(config);
  const BufferArgument x{kX}, out{kOut}, step{kStep}, maximum{kMaximum}, sums{kSums};
  return {launch_per_row("row_maximum", config, {x, maximum, columns}),
          launch_per_row("subtract", config, {x, maximum, step, columns}),
          launch_per_row("exponential", config, {step, columns}),
          launch_per_row("row_sum", config, {step, sums, columns}),
          launch_per_row("divide", config, {step, sums, out, columns})};
}

std::vector<Launch> launch_thread_per_row(const Config& config) {
  Launch launch = launch_per_row("thread_per_row", config,
                                 {BufferArgument{kX}, BufferArgument{kOut}, rows_of(config), columns_of(config)});
  launch.grid.x = static_cast<uint32_t>(ceil_divide(config.size("rows"), config.param("BLOCK")));
  return {launch};
}

std::vector<Launch> launch_cta_per_row(const std::string& kernel, const Config& config) {
  return {launch_per_row(kernel, config, {BufferArgument{kX}, BufferArgument{kOut}, columns_of(config)})};
}

std::vector<Launch> launch_registers(const Config& config) {
  const bool fits = fits_registers(config, config.size("columns"), config.param("BLOCK"));
  return launch_cta_per_row(fits ? "row_in_registers" : "online", config);
}

std::vector<Launch> launch_several_rows_rung(const Config& config) {
  const bool fits = fits_registers(config, config.size("columns"), config.param("LANES"));
  return {launch_several_rows(fits ? "several_rows" : "several_rows_by_element", config,
                              {BufferArgument{kX}, BufferArgument{kOut}, rows_of(config), columns_of(config)})};
}

std::vector<Launch> launch_several_ctas_rung(const Config& config) {
  const bool fits = fits_registers(config, share_of_row(config), config.param("BLOCK"));
  return {launch_several_ctas(fits ? "several_ctas" : "several_ctas_by_element", config,
                              {BufferArgument{kX}, BufferArgument{kOut}, columns_of(config), BufferArgument{kPlaces},
                               BufferArgument{kEntered}})};
}

Rung make_cta_per_row(std::string name, Text title, const std::string& kernel) {
  return {.name = std::move(name),
          .title = std::move(title),
          .kernels = {kernel},
          .params = {"DTYPE", "BLOCK"},
          .launches = [kernel](const Config& config) { return launch_cta_per_row(kernel, config); },
          .grid_formula = rows_formula};
}

/// All rows but the one at work are in shared memory. Triton copies asynchronously only what a thread reads 4 bytes or
/// more of, so bf16 stays out unless it can prove that rows are aligned.
Result<void> check_rows_in_flight(const Config& config) {
  if (auto possible = check_row_in_a_tile(config); !possible) return possible;
  const int64_t columns = config.size("columns"), stages = config.param("num_stages");
  constexpr int64_t kKnownMultiple = 16;
  if (element_type(config) == DType::bf16 && columns % kKnownMultiple != 0) return {};
  const auto bytes = static_cast<int64_t>(size_of(element_type(config)));
  return check_shared("num_stages", std::to_string(stages), (stages - 1) * power_of_two_from(columns) * bytes);
}

Rung make_triton_row_rung() {
  return {.name = "triton-row",
          .title = {"Triton: row per program", "Triton：每个 program 一行"},
          .kernel_file = "softmax.py",
          .kernels = {"row_per_program"},
          .params = {"DTYPE", "num_warps"},
          .launches =
              [](const Config& config) {
                return std::vector<Launch>{triton_launch("row_per_program",
                                                         {static_cast<uint32_t>(config.size("rows")), 1, 1},
                                                         {BufferArgument{kX}, BufferArgument{kOut}, columns_of(config)},
                                                         config, {}, {tile_of_a_row(config)})};
              },
          .grid_formula = rows_formula,
          .check = check_row_in_a_tile};
}

Rung make_triton_persistent_rung() {
  const auto programs = [](const Config& config) { return std::min(config.param("PROGRAMS"), config.size("rows")); };
  return {.name = "triton-persistent",
          .title = {"Triton: persistent", "Triton：持久 program"},
          .kernel_file = "softmax.py",
          .kernels = {"persistent"},
          .params = {"DTYPE", "PROGRAMS", "num_warps", "num_stages"},
          .launches =
              [programs](const Config& config) {
                return std::vector<Launch>{
                    triton_launch("persistent", {static_cast<uint32_t>(programs(config)), 1, 1},
                                  {BufferArgument{kX}, BufferArgument{kOut}, rows_of(config), columns_of(config)},
                                  config, {"num_stages"}, {tile_of_a_row(config)})};
              },
          .grid_formula =
              [programs](const Config& config) {
                return fmt::format("min({}, {}) = {}", config.param("PROGRAMS"), with_separators(config.size("rows")),
                                   with_separators(programs(config)));
              },
          .check = check_rows_in_flight};
}

Rung make_triton_online_rung() {
  return {.name = "triton-online",
          .title = {"Triton: online", "Triton：在线"},
          .kernel_file = "softmax.py",
          .kernels = {"online"},
          .params = {"DTYPE", "BLOCK_SIZE", "num_warps"},
          .launches =
              [](const Config& config) {
                return std::vector<Launch>{triton_launch("online", {static_cast<uint32_t>(config.size("rows")), 1, 1},
                                                         {BufferArgument{kX}, BufferArgument{kOut}, columns_of(config)},
                                                         config, {"BLOCK_SIZE"})};
              },
          .grid_formula = rows_formula};
}

std::vector<Param> make_params() {
  std::vector<Param> params = make_row_params();
  Param tile = triton_block_param("BLOCK_SIZE", {"BLOCK_SIZE, tile", "BLOCK_SIZE，分块"}, 256, 64, 16384);
  tile.gpu_value = 4096;
  Param warps = num_warps_param(4);
  warps.gpu_value = 8;
  params.insert(params.end(), {tile, programs_param(64, 1024), warps, num_stages_param(2)});
  return params;
}

std::vector<Rung> make_rungs() {
  std::vector<Rung> rungs;
  rungs.push_back({.name = "five-kernels",
                   .title = {"Five kernels", "五个内核"},
                   .kernels = {"row_maximum", "subtract", "exponential", "row_sum", "divide"},
                   .params = {"DTYPE", "BLOCK"},
                   .launches = launch_five_kernels,
                   .grid_formula = rows_formula});
  rungs.push_back({.name = "thread-per-row",
                   .title = {"One thread per row", "每线程一行"},
                   .kernels = {"thread_per_row"},
                   .params = {"DTYPE", "BLOCK"},
                   .launches = launch_thread_per_row,
                   .grid_formula = [](const Config& config) {
                     const int64_t rows = config.size("rows"), block = config.param("BLOCK");
                     return fmt::format("⌈{} / {}⌉ = {}", with_separators(rows), block,
                                        with_separators(ceil_divide(rows, block)));
                   }});
  rungs.push_back(make_cta_per_row("cta-per-row", {"One CTA per row", "每线程块一行"}, "cta_per_row"));
  rungs.push_back(make_cta_per_row("warp-shuffles", {"Warp shuffles", "线程束洗牌归约"}, "warp_shuffles"));
  rungs.push_back(make_cta_per_row("online", {"Online, two passes", "在线，两遍"}, "online"));
  rungs.push_back({.name = "row-in-registers",
                   .title = {"Row in registers", "整行留在寄存器"},
                   .kernels = {"row_in_registers", "online"},
                   .params = {"DTYPE", "BLOCK", "VECTORS"},
                   .launches = launch_registers,
                   .grid_formula = rows_formula});
  rungs.push_back({.name = "several-rows",
                   .title = {"Several rows per CTA", "每线程块多行"},
                   .kernels = {"several_rows", "several_rows_by_element"},
                   .params = {"DTYPE", "BLOCK", "VECTORS", "LANES"},
                   .launches = launch_several_rows_rung,
                   .grid_formula = several_rows_formula});
  rungs.push_back({.name = "several-ctas",
                   .title = {"Several CTAs per row", "每行多个线程块"},
                   .kernels = {"several_ctas", "several_ctas_by_element"},
                   .params = {"DTYPE", "BLOCK", "VECTORS", "CTAS"},
                   .launches = launch_several_ctas_rung,
                   .grid_formula = several_ctas_formula});
  rungs.push_back({.name = "auto",
                   .title = {"Auto", "自动"},
                   .params = {"DTYPE"},
                   .pick = [](const Config& config, const GpuSpec& gpu) {
                     return pick_row_tiles(config, gpu, {"several-rows", "row-in-registers", "several-ctas", 8, 2});
                   }});
  rungs.insert(rungs.end(), {make_triton_row_rung(), make_triton_persistent_rung(), make_triton_online_rung()});
  return rungs;
}

Plant triton_plant(std::string in, std::string replace, std::string by) {
  return {.in = std::move(in), .replace = std::move(replace), .by = std::move(by), .file = "softmax.py"};
}

std::vector<BreakIt> make_switches() {
  return {
      {.name = "NO_MAX",
       .title = {"Do not subtract the maximum", "不减最大值"},
       .help = {"exp(100) is more than a float holds: infinity divided by infinity.",
                "exp(100) 超出 float 的范围：无穷除以无穷。"},
       .plants = {{.in = "exp_below", .replace = "x - max", .by = "x"},
                  {.in = "subtract", .replace = ") - max;", .by = ");"},
                  triton_plant("softmax_of_tile", "values - tl.max(values, axis=0)", "values"),
                  triton_plant("online", "tl.exp(values - grown)", "tl.exp(values)"),
                  triton_plant("online", "tl.exp(values - maximum)", "tl.exp(values)")}},
      {.name = "NO_RESCALE",
       .title = {"Do not rescale the sum", "不重新缩放和"},
       .help = {"Terms that were added under a smaller maximum keep their old scale.",
                "在较小的最大值下累加的和保留了旧的尺度。"},
       .plants = {{.in = "rescale", .replace = "return exp_below(from, to);", .by = "return 1;"},
                  triton_plant("online", "total * tl.exp(maximum - grown)", "total")},
       .rungs = {"online", "row-in-registers", "several-rows", "several-ctas", "auto", "triton-online"}},
      {.name = "OTHER_ZERO",
       .title = {"0 past the end of a row", "行尾之后填 0"},
       .help = {"The zeros past the end win the maximum of a row of negative numbers, and are added to the sum.",
                "在全是负数的行里，行尾之后的 0 会成为最大值，还会加进和里。"},
       .plants = {triton_plant("softmax_of_tile", R"(-float("inf"))", "0.0"),
                  triton_plant("online", R"(other=-float("inf"))", "other=0.0")},
       .rungs = {"triton-row", "triton-persistent", "triton-online"}},
      make_barrier_switch(
          {"five-kernels", "cta-per-row", "warp-shuffles", "online", "row-in-registers", "several-ctas"},
          {{.in = "merge_cta", .replace = "__syncthreads();", .by = ""},
           {.in = "merge_ctas", .replace = "__syncthreads();", .by = ""}}),
      make_mask_switch({"row-in-registers", "several-rows", "several-ctas", "auto", "triton-row", "triton-persistent",
                        "triton-online"},
                       {triton_plant("softmax_of_tile", "mask=c < columns, other", "mask=True, other"),
                        triton_plant("row_per_program", ", mask=c < columns", ""),
                        triton_plant("persistent", ", mask=c < columns", ""),
                        triton_plant("online", "mask=c < columns, other", "mask=True, other"),
                        triton_plant("online", "(x + c, mask=c < columns)", "(x + c)"),
                        triton_plant("online", "/ total, mask=c < columns", "/ total")}),
      make_wait_switch({"several-ctas"}),
  };
}

/// Steps of a tree that adds BLOCK values.
int64_t tree_steps(const Config& config) { return std::lround(std::log2(config.param("BLOCK"))); }

int64_t row_bytes(const Config& config) {
  return config.size("columns") * static_cast<int64_t>(size_of(element_type(config)));
}

/// Sectors of one element in each of 32 consecutive rows.
int64_t sectors_across_rows(const Config& config) {
  constexpr int64_t kLanes = 32, kSectorBytes = 32;
  std::set<int64_t> sectors;
  for (int64_t lane = 0; lane < kLanes; ++lane) sectors.insert(lane * row_bytes(config) / kSectorBytes);
  return static_cast<int64_t>(sectors.size());
}

std::vector<Predict> make_predicts() {
  return {
      {.question = {"Five kernels: how many times does a row travel between memory and registers, read or written?",
                    "五个内核：一行数据在内存与寄存器之间要走几趟（读写都算）？"},
       .choices =
           [](const Config&) {
             return std::vector<int64_t>{2, 5, 8};
           },
       .answer = [](const Config&) { return int64_t{8}; },
       .why =
           [](const Config&) {
             return Text{
                 "max reads; subtract and exp read and write; sum reads; divide reads and writes: 1 + 2 + 2 + 1 + 2.",
                 "max 读；subtract 和 exp 各读写一次；sum 读；divide 读写：1 + 2 + 2 + 1 + 2。"};
           },
       .rungs = {"five-kernels"}},
      ask({.question = {"One CTA per row, BLOCK threads: how many barriers does one of its two reductions take?",
                        "每线程块一行，BLOCK 个线程：两次归约里的一次要几道屏障？"},
           .answer = [](const Config& config) { return tree_steps(config) + 2; },
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{1, tree_steps(config), config.param("BLOCK")};
               },
           .why =
               [](const Config& config) {
                 const std::string steps = fmt::format("log2({}) = {}", config.param("BLOCK"), tree_steps(config));
                 return Text{"One after the tree is filled, one after each of " + steps +
                                 " steps, and one before the memory is used again.",
                             "填好树之后一道屏障，" + steps + " 步每步一道，重新使用这块内存之前再一道。"};
               },
           .rungs = {"cta-per-row"}}),
      ask({.question = {"One thread per row: how many sectors does one load of a full warp touch?",
                        "每线程一行：满线程束的一条读指令触及多少个扇区？"},
           .answer = sectors_across_rows,
           .others =
               [](const Config&) {
                 return std::vector<int64_t>{4, 32, 8, 16};
               },
           .why =
               [](const Config& config) {
                 const std::string bytes = with_separators(row_bytes(config));
                 return Text{"Neighbouring lanes read neighbouring rows, " + bytes +
                                 " bytes apart. From 32 bytes on, each lane has a sector of its own.",
                             "相邻通道读相邻的行，相隔 " + bytes + " 字节。达到 32 字节，每个通道就各占一个扇区。"};
               },
           .rungs = {"thread-per-row"},
           .veils = ShownNumber::sectors}),
      ask_ctas_of_several_rows({"several-rows"}),
  };
}

/// Max and sum are computed only when the row changes.
void expect_rows(const HostBuffer& x, size_t columns, size_t begin, size_t end, double* expected) {
  size_t known = SIZE_MAX;
  double max = 0, sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t row = i / columns * columns;
    if (row != known) {
      known = row;
      max = -HUGE_VAL;
      sum = 0;
      for (size_t c = 0; c < columns; ++c) max = std::max(max, value_at(x, row + c));
      for (size_t c = 0; c < columns; ++c) sum += std::exp(value_at(x, row + c) - max);
    }
    expected[i - begin] = std::exp(value_at(x, i) - max) / sum;
  }
}

Lab make_softmax() {
  Lab lab;
  lab.name = "softmax";
  lab.stage = 4;
  lab.order = 1;
  lab.title = {"Softmax", "Softmax"};
  lab.kernel_file = "softmax.cu";
  lab.sizes = make_row_sizes(200, 504);
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"},
                    {"PyTorch", "torch", "softmax"},
                    {"torch.compile", "torch_compile", "softmax"},
                    {"Triton", "triton", "softmax"},
                    {"cuDNN", "cudnn", "softmax"}};
  // The error of ex2.approx is 2^-22, that of its argument 1.44 · (x - max) up to 2^-20; the sum of 2^20 terms adds as
  // much again. A thread that adds a whole row rounds each partial sum, in the same direction where x repeats, as it
  // does in bf16: one error per column, each at most 2^-25 of the sum and half of that on average.
  lab.tolerance_for = [](const std::string& rung, const Config& config, DType type) {
    const double rounding = type == DType::bf16 ? 0x1p-8 : 0;
    const double walk = rung == "thread-per-row" ? static_cast<double>(config.size("columns")) * 0x1p-25 : 0;
    return Tolerance{.absolute = 1e-9, .relative = 2e-5 + rounding + walk};
  };
  lab.predicts = make_predicts();
  lab.buffers = make_buffers;
  lab.reference = [](const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
                     size_t begin, size_t end, double* expected) {
    expect_rows(*buffers[kX], static_cast<size_t>(config.size("columns")), begin, end, expected);
  };
  lab.useful_bytes = [](const Config& config) {
    return 2.0 * static_cast<double>(size_of(element_type(config))) *
           static_cast<double>(config.size("rows") * config.size("columns"));
  };
  lab.flops = [](const Config& config) {  // max, subtract, exp, sum, divide
    return 5.0 * static_cast<double>(config.size("rows") * config.size("columns"));
  };
  lab.bytes_formula = {"2 · rows · columns elements of 4 or 2 bytes: x read, out written",
                       "2 · 行 · 列 个元素，每个 4 或 2 字节：读 x，写 out"};
  lab.sweep_size = "rows";
  lab.points = make_row_points();
  lab.fusion = {.unfused = "five-kernels", .fused = "row-in-registers"};
  return lab;
}

const bool registered = register_lab(make_softmax());

}  // namespace
}  // namespace tilescope::softmax_lab
