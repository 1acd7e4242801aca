// Lab "pytorch-op": x + residual and its RMSNorm, the kernel that becomes a PyTorch operator. kernels/add_rmsnorm.cu
// holds the rungs, kernels/add_rmsnorm.py the one in Triton.
#include <algorithm>
#include <cmath>

#include "engine/numbers.hpp"
#include "labs/predict.hpp"
#include "labs/rows.hpp"
#include "labs/triton.hpp"
#include "labs/triton_rows.hpp"

namespace tilescope::pytorch_op_lab {
namespace {

constexpr float kEpsilon = 1e-5f;
enum Buffer : size_t { kX, kResidual, kGamma, kOut, kHidden };

int64_t elements(const Config& config) { return config.size("rows") * config.size("columns"); }

std::vector<BufferSpec> make_buffers(const Config& config) {
  return {make_matrix("x", config, Role::input), make_matrix("residual", config, Role::input),
          make_weights("gamma", config, 1), make_matrix("out", config, Role::output),
          make_matrix("hidden", config, Role::output)};
}

std::vector<Argument> fused_arguments(const Config& config) {
  return {BufferArgument{kX},   BufferArgument{kResidual}, BufferArgument{kGamma},
          BufferArgument{kOut}, BufferArgument{kHidden},   scalar(static_cast<int32_t>(config.size("columns"))),
          scalar(kEpsilon)};
}

std::vector<Launch> launch_both(const Config& config) {
  const int64_t n = elements(config), block = config.param("BLOCK");
  Launch add{.kernel = "add_residual"};
  add.grid.x = static_cast<uint32_t>(ceil_divide(n, block));
  add.block.x = static_cast<uint32_t>(block);
  add.arguments = {BufferArgument{kX}, BufferArgument{kResidual}, BufferArgument{kHidden},
                   scalar(static_cast<int32_t>(n))};
  return {add, launch_per_row("normalise", config,
                              {BufferArgument{kHidden}, BufferArgument{kGamma}, BufferArgument{kOut},
                               scalar(static_cast<int32_t>(config.size("columns"))), scalar(kEpsilon)})};
}

/// add_residual counts elements with an int.
Result<void> check_elements(const Config& config) {
  if (elements(config) <= INT32_MAX - 1024) return {};
  return fail(
      ErrorId::parameter_range, "rows", with_separators(config.size("rows")),
      phrase("at most {} rows of {} elements: the kernel counts elements with an int",
             with_separators((INT32_MAX - 1024) / config.size("columns")), with_separators(config.size("columns"))));
}

std::vector<Rung> make_rungs() {
  std::vector<Rung> rungs{{.name = "kernel-per-operator",
                           .title = {"A kernel per operator", "每个算子一个内核"},
                           .kernels = {"add_residual", "normalise"},
                           .params = {"DTYPE", "BLOCK"},
                           .shown_kernels = {"add_residual"},
                           .launches = launch_both,
                           .grid_formula =
                               [](const Config& config) {
                                 const int64_t block = config.param("BLOCK");
                                 return fmt::format("⌈{} × {} / {}⌉ = {}", with_separators(config.size("rows")),
                                                    with_separators(config.size("columns")), block,
                                                    with_separators(ceil_divide(elements(config), block)));
                               },
                           .check = check_elements},
                          {.name = "fused",
                           .title = {"Fused", "融合"},
                           .kernels = {"fused"},
                           .params = {"DTYPE", "BLOCK"},
                           .launches =
                               [](const Config& config) {
                                 return std::vector<Launch>{launch_per_row("fused", config, fused_arguments(config))};
                               },
                           .grid_formula = rows_formula},
                          {.name = "fused-in-registers",
                           .title = {"Fused, row in registers", "融合，整行在寄存器里"},
                           .kernels = {"fused_in_registers", "fused"},
                           .params = {"DTYPE", "BLOCK", "VECTORS"},
                           .launches =
                               [](const Config& config) {
                                 const bool fits =
                                     fits_registers(config, config.size("columns"), config.param("BLOCK"));
                                 return std::vector<Launch>{launch_per_row(fits ? "fused_in_registers" : "fused",
                                                                           config, fused_arguments(config))};
                               },
                           .grid_formula = rows_formula},
                          {.name = "triton-fused",
                           .title = {"Triton: fused", "Triton：融合"},
                           .kernel_file = "add_rmsnorm.py",
                           .kernels = {"add_rmsnorm_kernel"},
                           .params = {"DTYPE", "num_warps"},
                           .launches =
                               [](const Config& config) {
                                 return std::vector<Launch>{triton_launch(
                                     "add_rmsnorm_kernel", {static_cast<uint32_t>(config.size("rows")), 1, 1},
                                     fused_arguments(config), config, {}, {tile_of_a_row(config)})};
                               },
                           .grid_formula = rows_formula,
                           .check = check_row_in_a_tile}};
  return rungs;
}

std::vector<BreakIt> make_switches() {
  return {make_barrier_switch({"kernel-per-operator", "fused", "fused-in-registers"}),
          make_mask_switch({"kernel-per-operator", "fused-in-registers", "triton-fused"},
                           {{.in = "add_residual", .replace = "if (i < n) ", .by = ""},
                            {.in = "add_rmsnorm_kernel",
                             .replace = "mask = c < columns",
                             .by = "mask = c < BLOCK_SIZE",
                             .file = "add_rmsnorm.py"}}),
          {.name = "ONE_RESIDUAL",
           .title = {"Add the first row's residual", "都加第一行的残差"},
           .help = {"The residual is read from the first row for every row, as when a tensor is broadcast by mistake.",
                    "每一行都加第一行的残差，就像张量被误广播了一样。"},
           .plants = {{.in = "fused", .replace = "residual[row + c]", .by = "residual[c]"}},
           .rungs = {"fused"}}};
}

std::vector<Predict> make_predicts() {
  const auto ctas = [](const Config& config) { return ceil_divide(elements(config), config.param("BLOCK")); };
  const auto vectors = [](const Config& config) { return ceil_divide(config.size("columns"), vector_width(config)); };
  const auto padding = [](const Config& config) {
    return power_of_two_from(config.size("columns")) - config.size("columns");
  };
  return {
      ask({.question = {"add_residual has a thread for each element. How many CTAs of BLOCK threads are launched?",
                        "add_residual 每个元素一个线程。要启动多少个 BLOCK 线程的线程块？"},
           .answer = ctas,
           .others =
               [ctas](const Config& config) {
                 return std::vector<int64_t>{config.size("rows"), 2 * ctas(config), ceil_divide(ctas(config), 2)};
               },
           .why =
               [ctas](const Config& config) {
                 const std::string sum = fmt::format("⌈{} × {} / {}⌉ = {}", with_separators(config.size("rows")),
                                                     with_separators(config.size("columns")), config.param("BLOCK"),
                                                     with_separators(ctas(config)));
                 return Text{"Addition does not care about rows: all elements are one vector. " + sum + ".",
                             "加法不管行：所有元素就是一个长向量。" + sum + "。"};
               },
           .rungs = {"kernel-per-operator"},
           .veils = ShownNumber::blocks}),
      ask({.question = {"Fused: how many CTAs are launched?", "融合之后：要启动多少个线程块？"},
           .answer = [](const Config& config) { return config.size("rows"); },
           .others =
               [ctas](const Config& config) {
                 return std::vector<int64_t>{ctas(config), 2 * config.size("rows"), config.size("columns")};
               },
           .why =
               [](const Config& config) {
                 const std::string rows = with_separators(config.size("rows"));
                 return Text{"The norm needs the sum over a whole row, so a CTA takes a row: " + rows + ".",
                             "归一化需要整行的和，所以一个线程块处理一行：" + rows + "。"};
               },
           .rungs = {"fused"},
           .veils = ShownNumber::blocks}),
      ask({.question = {"Fused, row in registers: how many vectors of 16 bytes has a row?",
                        "整行在寄存器里：一行有多少个 16 字节的向量？"},
           .answer = vectors,
           .others =
               [vectors](const Config& config) {
                 return std::vector<int64_t>{config.size("columns"), 2 * vectors(config),
                                             config.param("BLOCK") * config.param("VECTORS")};
               },
           .why =
               [vectors](const Config& config) {
                 const std::string sum = fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("columns")),
                                                     vector_width(config), with_separators(vectors(config)));
                 return Text{"A vector holds 4 floats or 8 bfloat16: " + sum + ".",
                             "一个向量是 4 个 float 或 8 个 bfloat16：" + sum + "。"};
               },
           .rungs = {"fused-in-registers"}}),
      ask({.question = {"Triton: the tile is a power of two. How many of its elements lie past the end of a row?",
                        "Triton：分块大小是 2 的幂。其中有多少个元素超出行尾？"},
           .answer = padding,
           .others =
               [padding](const Config& config) {
                 return std::vector<int64_t>{0, 2 * padding(config), config.size("columns")};
               },
           .why =
               [padding](const Config& config) {
                 const std::string sum =
                     fmt::format("{} − {} = {}", with_separators(power_of_two_from(config.size("columns"))),
                                 with_separators(config.size("columns")), with_separators(padding(config)));
                 return Text{"tl.arange wants a power of two, and the mask keeps the rest from memory: " + sum + ".",
                             "tl.arange 要求 2 的幂，多出的元素由掩码挡住：" + sum + "。"};
               },
           .rungs = {"triton-fused"}}),
  };
}

/// Output 0 is out, 1 is hidden.
void expect(const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t output,
            size_t begin, size_t end, double* expected) {
  const auto columns = static_cast<size_t>(config.size("columns"));
  const auto hidden = [&](size_t i) { return value_at(*buffers[kX], i) + value_at(*buffers[kResidual], i); };
  size_t known = SIZE_MAX;
  double scale = 0;
  for (size_t i = begin; i < end; ++i) {
    if (output == 1) {
      expected[i - begin] = hidden(i);
      continue;
    }
    const size_t row = i / columns * columns;
    if (row != known) {
      known = row;
      double squares = 0;
      for (size_t c = 0; c < columns; ++c) squares += hidden(row + c) * hidden(row + c);
      scale = 1 / std::sqrt(squares / static_cast<double>(columns) + double{kEpsilon});
    }
    expected[i - begin] = hidden(i) * scale * value_at(*buffers[kGamma], i - row);
  }
}

/// As for RMSNorm. In bf16 hidden is rounded before it is normalised, and the result once more: twice half of the last
/// of 8 bits. The sum of squares of a short row follows its elements' errors, so that the scale may be off by as much.
Tolerance tolerance(const std::string&, const Config&, DType type) {
  return {.absolute = 1e-6, .relative = type == DType::bf16 ? 3 * 0x1p-8 : 5e-6};
}

Lab make_pytorch_op() {
  Lab lab;
  lab.name = "pytorch-op";
  lab.stage = 9;
  lab.order = 2;
  lab.title = {"PyTorch operator", "PyTorch 算子"};
  lab.kernel_file = "add_rmsnorm.cu";
  lab.sizes = make_row_sizes(200, 504);
  const std::vector<Param> params = make_row_params();
  lab.params = {params[0], params[1], params[2], num_warps_param(4)};  // DTYPE, BLOCK, VECTORS
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.default_rung = "fused";
  lab.references = {{"copy", "device_copy", "copy"},
                    {"PyTorch", "torch", "add_rmsnorm"},
                    {"torch.compile", "torch_compile", "add_rmsnorm"}};
  lab.tolerance_for = tolerance;
  lab.predicts = make_predicts();
  lab.buffers = make_buffers;
  lab.reference = expect;
  lab.useful_bytes = [](const Config& config) {
    return static_cast<double>(size_of(element_type(config))) *
           static_cast<double>(4 * elements(config) + config.size("columns"));
  };
  lab.flops = [](const Config& config) { return 5.0 * static_cast<double>(elements(config)); };
  lab.bytes_formula = {
      "(4 · rows + 1) · columns elements of 4 or 2 bytes: x, residual and gamma read, out and hidden "
      "written",
      "(4 · 行 + 1) · 列 个元素，每个 4 或 2 字节：读 x、residual、gamma，写 out、hidden"};
  lab.sweep_size = "rows";
  for (const auto& [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{16, 4096}, {256, 4096}, {4096, 1024}, {8192, 4096}, {8192, 8192}})
    lab.points.push_back({fmt::format("{} × {}", rows, columns), {{"rows", rows}, {"columns", columns}}});
  lab.fusion = {.unfused = "kernel-per-operator", .fused = "fused"};
  return lab;
}

const bool registered = register_lab(make_pytorch_op());

}  // namespace
}  // namespace tilescope::pytorch_op_lab
