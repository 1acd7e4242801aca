// Lab "autograd": forward and backward kernels of five operators, and of a chain of them, in the order of the tape.
// kernels/autograd.cu holds the kernels, engine/autograd/programs.hpp what each rung computes.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/autograd/differences.hpp"
#include "engine/autograd/programs.hpp"
#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "labs/predict.hpp"

namespace tilescope::autograd_lab {
namespace {

constexpr int64_t kSlab = 32;  // rows whose sums a thread of layernorm_backward_weights adds up

DType element_type(const Config& config) { return config.param("DTYPE") == 1 ? DType::bf16 : DType::f32; }
int64_t elements(const Config& config) { return config.size("rows") * config.size("columns"); }
int64_t matrix_bytes(const Config& config) {
  return static_cast<int64_t>(size_of(element_type(config))) * elements(config);
}
int64_t slabs(const Config& config) { return ceil_divide(config.size("rows"), kSlab); }

Tape tape_of(const std::string& rung, const Config& config) {
  return make_tape(*program_of_rung(rung, save_of_parameter(config.param("SAVE"))));
}

// ---- Buffers: the inputs of the program, dy, the result, the gradients of the inputs; then scratch.

/// Where the values of a program, their gradients and what nodes keep are among the buffers of a rung.
struct TapeBuffers {
  std::vector<BufferSpec> specs;
  std::map<size_t, size_t> value, gradient;      // by value
  std::map<size_t, size_t> tanhs, means, rstds;  // by node
  std::map<size_t, size_t> sums;                 // by node: dgamma and dbeta of each slab
  std::vector<size_t> outputs;                   // values: the result, then the inputs whose gradients follow
};

class BufferMaker {
 public:
  BufferMaker(const Tape& tape, const Config& config)
      : tape_(tape),
        rows_(config.size("rows")),
        columns_(config.size("columns")),
        slabs_(slabs(config)),
        type_(element_type(config)) {}

  TapeBuffers make() {
    const auto& values = tape_.program.values;
    const size_t result = tape_.program.result();
    for (size_t value = 0; value < values.size(); ++value)
      if (!values[value].node) buffers_.value[value] = add(values[value].name, values[value].shape, Role::input);
    buffers_.gradient[result] = add("d" + values[result].name, TapeShape::matrix, Role::input);
    buffers_.value[result] = add(values[result].name, TapeShape::matrix, Role::output);
    buffers_.outputs = {result};
    for (size_t value = 0; value < values.size(); ++value) {
      if (values[value].node) continue;
      buffers_.gradient[value] = add("d" + values[value].name, values[value].shape, Role::output);
      buffers_.outputs.push_back(value);
    }
    for (size_t value = 0; value < values.size(); ++value) {
      if (!values[value].node || value == result) continue;
      buffers_.value[value] = add(values[value].name, TapeShape::matrix, Role::scratch);
      buffers_.gradient[value] = add("d" + values[value].name, TapeShape::matrix, Role::scratch);
    }
    for (size_t node = 0; node < tape_.program.nodes.size(); ++node) add_extras(node);
    return std::move(buffers_);
  }

 private:
  size_t add(std::string name, TapeShape shape, Role role) {
    std::vector<int64_t> extents = shape == TapeShape::matrix ? std::vector{rows_, columns_} : std::vector{columns_};
    buffers_.specs.push_back({.name = std::move(name),
                              .type = shape == TapeShape::matrix ? type_ : DType::f32,
                              .shape = std::move(extents),
                              .role = role,
                              .fill = role == Role::input ? Fill::normal : Fill::poison});
    return buffers_.specs.size() - 1;
  }

  void add_extras(size_t node) {
    const TapeNode& one = tape_.program.nodes[node];
    const std::string& name = tape_.program.values[one.output].name;
    if (one.op == TapeOperator::gelu && one.save == Save::all)
      buffers_.tanhs[node] = add_floats("tanh_" + name, {rows_, columns_});
    if (one.op != TapeOperator::layernorm) return;
    buffers_.means[node] = add_floats("mean_" + name, {rows_});
    buffers_.rstds[node] = add_floats("rstd_" + name, {rows_});
    buffers_.sums[node] = add_floats("sums_" + name, {2, slabs_, columns_});
  }

  size_t add_floats(std::string name, std::vector<int64_t> shape) {
    buffers_.specs.push_back(
        {.name = std::move(name), .shape = std::move(shape), .role = Role::scratch, .fill = Fill::poison});
    return buffers_.specs.size() - 1;
  }

  const Tape& tape_;
  int64_t rows_, columns_, slabs_;
  DType type_;
  TapeBuffers buffers_;
};

TapeBuffers buffers_of(const Tape& tape, const Config& config) { return BufferMaker(tape, config).make(); }

// ---- Launches: the steps of the tape

class LaunchMaker {
 public:
  LaunchMaker(const Tape& tape, const Config& config) : tape_(tape), config_(config), at_(buffers_of(tape, config)) {}

  std::vector<Launch> make() const {
    std::vector<Launch> launches;
    for (const TapeStep& step : tape_.steps)
      for (const std::string& kernel : kernels_of(tape_, step)) launches.push_back(launch(step, kernel));
    return launches;
  }

 private:
  static Argument buffer(size_t index) { return BufferArgument{index}; }
  static Argument number(int64_t value) { return scalar(static_cast<int32_t>(value)); }

  Launch launch(const TapeStep& step, const std::string& kernel) const {
    Launch launch{.kernel = kernel};
    const TapeNode& node = tape_.program.nodes[step.node];
    const int64_t rows = config_.size("rows"), columns = config_.size("columns"), block = config_.param("BLOCK");
    const bool weights = kernel.ends_with("_weights"), of_slabs = kernel.ends_with("_slabs");
    const bool by_rows = node.op == TapeOperator::layernorm && !weights && !of_slabs;
    const int64_t across = ceil_divide(weights || of_slabs ? columns : elements(config_), block);
    launch.grid.x = static_cast<uint32_t>(by_rows ? rows : across);
    if (weights) launch.grid.y = static_cast<uint32_t>(slabs(config_));
    launch.block.x = static_cast<uint32_t>(block);
    launch.arguments = step.kind != TapeStep::Kind::backward ? forward(step, node)
                       : weights                             ? backward_weights(step, node)
                       : of_slabs                            ? backward_slabs(step)
                                                             : backward(step, node);
    if (weights) launch.arguments.push_back(number(rows));
    if (of_slabs) launch.arguments.push_back(number(slabs(config_)));
    launch.arguments.push_back(number(by_rows || weights || of_slabs ? columns : elements(config_)));
    return launch;
  }

  std::vector<Argument> forward(const TapeStep& step, const TapeNode& node) const {
    std::vector<Argument> arguments;
    for (const size_t input : node.inputs) arguments.push_back(buffer(at_.value.at(input)));
    arguments.push_back(buffer(at_.value.at(node.output)));
    if (step.keeps_extra) add_extras(arguments, step.node);
    return arguments;
  }

  void add_extras(std::vector<Argument>& arguments, size_t node) const {
    for (const auto* const place : {&at_.tanhs, &at_.means, &at_.rstds})
      if (const auto found = place->find(node); found != place->end()) arguments.push_back(buffer(found->second));
  }

  /// dy, what is read, GELU's tanh, the gradients; LayerNorm's statistics, which are read or written; whether to add.
  std::vector<Argument> backward(const TapeStep& step, const TapeNode& node) const {
    std::vector<Argument> arguments{buffer(at_.gradient.at(node.output))};
    const bool norm = node.op == TapeOperator::layernorm;
    if (node.op == TapeOperator::mul)
      for (const size_t input : node.inputs) arguments.push_back(buffer(at_.value.at(input)));
    else
      for (const size_t value : needed_by_backward(node)) arguments.push_back(buffer(at_.value.at(value)));
    if (!norm && step.keeps_extra) add_extras(arguments, step.node);
    const size_t gradients = norm ? 1 : step.gradients.size();
    for (size_t i = 0; i < gradients; ++i) arguments.push_back(buffer(at_.gradient.at(step.gradients[i].value)));
    if (norm) add_extras(arguments, step.node);
    for (size_t i = 0; i < gradients; ++i) arguments.push_back(number(step.gradients[i].add ? 1 : 0));
    return arguments;
  }

  std::vector<Argument> backward_weights(const TapeStep& step, const TapeNode& node) const {
    std::vector<Argument> arguments{buffer(at_.gradient.at(node.output)), buffer(at_.value.at(node.inputs[0]))};
    add_extras(arguments, step.node);
    arguments.push_back(buffer(at_.sums.at(step.node)));
    return arguments;
  }

  std::vector<Argument> backward_slabs(const TapeStep& step) const {
    std::vector<Argument> arguments{buffer(at_.sums.at(step.node))};
    for (size_t i = 1; i < 3; ++i) arguments.push_back(buffer(at_.gradient.at(step.gradients[i].value)));
    for (size_t i = 1; i < 3; ++i) arguments.push_back(number(step.gradients[i].add ? 1 : 0));
    return arguments;
  }

  const Tape& tape_;
  const Config& config_;
  TapeBuffers at_;
};

// ---- Expected values: the result of the program in double, and central differences of it

void expect(const std::string& rung, const Config& config,
            const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t output, size_t begin, size_t end,
            double* expected) {
  const Tape tape = tape_of(rung, config);
  const TapeBuffers at = buffers_of(tape, config);
  TapeProblem problem{.rows = static_cast<size_t>(config.size("rows")),
                      .columns = static_cast<size_t>(config.size("columns"))};
  problem.inputs.resize(tape.program.values.size());
  for (size_t value = 0; value < problem.inputs.size(); ++value)
    if (!tape.program.values[value].node) problem.inputs[value] = TapeContents(*buffers[at.value.at(value)]);
  problem.upstream = TapeContents(*buffers[at.gradient.at(tape.program.result())]);
  const TapeDifferences differences(tape.program, problem);
  if (output == 0) return differences.forward(begin, end, expected);
  differences.gradients(at.outputs.at(output), begin, end, expected);
}

/// What arithmetic in float may be off by; the differences are off by 10^-9.
///
/// An operation rounds to within 2^-24 of its result. A sum over a row has as many terms as a thread adds, and ten
/// levels of the tree. A gradient of gamma or beta has as many terms as there are rows. A sum of k numbers N(0, 1) is
/// about √k, so adding k of them rounds by 0.58 · 2^-24 · √(k² / 2) in the root mean square. For a slab of 32, with the
/// roundings of its terms, that is 16 · 2^-24, times √S for S slabs; adding the slabs, which are about √32, brings
/// 2.3 S · 2^-24. The largest of a few thousand columns is five times that, and twice as much is allowed.
double rounding_of_sums(const Config& config) {
  const auto columns = static_cast<double>(config.size("columns")), count = static_cast<double>(slabs(config));
  const double of_rows = 10 * std::hypot(16 * std::sqrt(count), 2.3 * count);
  return 0x1p-24 * (64 + of_rows + 2 * columns / static_cast<double>(config.param("BLOCK")));
}

/// With bfloat16 every number that a kernel writes to a matrix is rounded to within 2^-8 of itself. One operator writes
/// one. In the chain a gradient depends on four rounded numbers, p, h, a and r, and is rounded up to three times
/// itself. The tape in double precision, with the numbers of all matrices rounded, shows what that is worth: at 4,096 ×
/// 1,024 elements up to 10 · 2^-8 beyond 4 · 2^-8 of the value. The gradient of gamma, a float, is a sum over the rows
/// of dy times such numbers: off by 0.7 · 2^-8 · √rows in the root mean square, and by up to six times that.
Tolerance tolerance_of_gradients(const std::string& rung, const Config& config, DType type) {
  Tolerance allowed{.absolute = rounding_of_sums(config), .relative = 4e-6};
  if (element_type(config) == DType::f32) return allowed;
  const bool chain = rung == "chain", sum = type == DType::f32;
  if (!sum) allowed.relative += (chain ? 4 : 1) * 0x1p-8;
  if (chain) allowed.absolute += 0x1p-8 * (sum ? 8 * std::sqrt(static_cast<double>(config.size("rows"))) : 20);
  return allowed;
}

// ---- Rungs

Rung make_rung(const std::string& name, Text title) {
  Rung rung{.name = name, .title = std::move(title), .params = {"BLOCK", "DTYPE"}};
  std::vector<std::string> first;  // kernels of the backward pass, for each choice of what is kept
  for (const Save save : {Save::all, Save::inputs, Save::checkpoint}) {
    const Tape tape = make_tape(*program_of_rung(name, save));
    bool backward = false;
    for (const TapeStep& step : tape.steps)
      for (const std::string& kernel : kernels_of(tape, step)) {
        if (std::ranges::find(rung.kernels, kernel) == rung.kernels.end()) rung.kernels.push_back(kernel);
        if (step.kind == TapeStep::Kind::backward && !std::exchange(backward, true)) first.push_back(kernel);
      }
    if (std::ranges::any_of(tape.program.nodes, [](const TapeNode& node) { return extra_of(node.op).has_value(); }))
      rung.params = {"BLOCK", "DTYPE", "SAVE"};
  }
  rung.shown_kernels = first;
  rung.launches = [name](const Config& config) {
    const Tape tape = tape_of(name, config);
    return LaunchMaker(tape, config).make();
  };
  rung.buffers = [name](const Config& config) { return buffers_of(tape_of(name, config), config).specs; };
  rung.reference = [name](const Config& config, const auto& buffers, size_t output, size_t begin, size_t end,
                          double* expected) { expect(name, config, buffers, output, begin, end, expected); };
  rung.grid_formula = [by_rows = first.front().starts_with("layernorm")](const Config& config) {
    std::string rows = with_separators(config.size("rows"));
    if (by_rows) return rows;
    const int64_t block = config.param("BLOCK");
    return fmt::format("⌈{} × {} / {}⌉ = {}", rows, with_separators(config.size("columns")), block,
                       with_separators(ceil_divide(elements(config), block)));
  };
  return rung;
}

std::vector<Size> make_sizes() {
  return {{.name = "rows",
           .title = {"Rows", "行数"},
           .unit = {"rows", "行"},
           .value = 40,
           .gpu_value = 1024,
           .min = 1,
           .max_sim = 1024,
           .max_gpu = 4096,
           .offered = {1, 7, 40, 64, 100, 256, 1024, 2048, 4096}},
          // Rows are not so short that all of a row's elements may be equal by chance: 1/σ would then be 300, and a
          // difference with a step that is not small beside σ means little.
          {.name = "columns",
           .title = {"Columns", "列数"},
           .unit = {"elements", "元素"},
           .value = 200,
           .gpu_value = 512,
           .min = 16,
           .max_sim = 1024,
           .max_gpu = 1024,
           .offered = {16, 33, 100, 128, 200, 256, 512, 1024}}};
}

std::vector<Param> make_params() {
  return {
      {.name = "BLOCK",
       .title = {"Block, threads", "线程块，线程数"},
       .unit = {"threads", "线程"},
       .help = {"Threads of one CTA.", "一个线程块的线程数。"},
       .value = 256,
       .min = 32,
       .max = 1024,
       .scale = Scale::power_of_two},
      make_choice("SAVE", {"Kept for backward", "为反向保存"},
                  {"What the forward pass keeps: also GELU's tanh and LayerNorm's mean and 1/σ; only inputs of "
                   "operators; or nothing that the forward kernels can compute again.",
                   "前向保存什么：连同 GELU 的 tanh、LayerNorm 的均值和 1/σ；只保存算子的输入；"
                   "或者凡是前向内核能再算一遍的都不保存。"},
                  {{"all", {"everything", "全部"}},
                   {"inputs", {"inputs", "只存输入"}},
                   {"checkpoint", {"run again", "重跑前向"}}}),
      make_choice("DTYPE", {"Element type", "元素类型"},
                  {"Type of the matrices. The arithmetic is in float either way, and so are gamma, beta, their "
                   "gradients, and the kept tanh, mean and 1/σ.",
                   "矩阵的元素类型。计算都用 float；gamma、beta 及其梯度，以及保存的 tanh、均值和 1/σ 也都是 float。"},
                  {{"fp32", {"fp32, 4 bytes", "fp32，4 字节"}}, {"bf16", {"bf16, 2 bytes", "bf16，2 字节"}}})};
}

std::vector<BreakIt> make_switches() {
  return {
      {.name = "MISSING_TERM",
       .title = {"Drop a term of GELU's slope", "漏掉 GELU 导数的一项"},
       .help = {"The product rule has two terms. Without x/2 · dt/dx the slope is off by up to 0.24, and right for "
                "large |x|.",
                "乘积法则有两项。少了 x/2 · dt/dx，斜率最多差 0.24，而 |x| 很大时又是对的。"},
       .plants = {{.in = "gelu_slope", .replace = "return first + second;", .by = "return first;"}},
       .rungs = {"gelu", "chain"}},
      {.name = "OVERWRITE",
       .title = {"Overwrite, do not add", "梯度被覆盖而不是累加"},
       .help = {"x is read twice. The second part of its gradient replaces the first one.",
                "x 被读了两次，它的梯度的第二部分顶掉了第一部分。"},
       .plants = {{.in = "give", .replace = "if (add) part += to_float(gradient[i]);", .by = ""}},
       .rungs = {"chain"}},
      {.name = "NO_MEANS",
       .title = {"Omit LayerNorm's means", "LayerNorm 的梯度不减行均值"},
       .help = {"dx = rstd · g, as if mean and rstd were constants. The gradient then has a part along which y does "
                "not change.",
                "dx = rstd · g，好像均值和 rstd 是常数。这样的梯度里有一部分方向，沿着它 y 根本不变。"},
       .plants = {{.in = "give_row", .replace = "row.rstd * (g - mean_g - normal * mean_gn)", .by = "row.rstd * g"}},
       .rungs = {"layernorm", "chain"}}};
}

// ---- Questions

size_t launches_of_chain(const Config& config, Save save) {
  const Tape tape = make_tape(*program_of_rung("chain", save));
  return LaunchMaker(tape, config).make().size();
}

Predict predict_launches() {
  return ask(
      {.question = {"The chain has five operators. How many kernels run for its forward and backward passes, with "
                    "what is kept now?",
                    "这一串有五个算子。按现在的保存方式，前向加反向一共运行几个内核？"},
       .answer =
           [](const Config& config) {
             return static_cast<int64_t>(launches_of_chain(config, save_of_parameter(config.param("SAVE"))));
           },
       .others =
           [](const Config&) {
             return std::vector<int64_t>{10, 12, 16, 17};
           },
       .why =
           [](const Config& config) {
             const bool again = config.param("SAVE") == 2;
             return Text{std::string("Five forward kernels, and seven backward kernels, because LayerNorm needs one "
                                     "for x and two for gamma and beta.") +
                             (again ? " Four forward kernels run again, as nothing between them was kept." : ""),
                         std::string("前向五个；反向七个，因为 LayerNorm 的 x 要一个，gamma 和 beta 要两个。") +
                             (again ? "中间结果都没有保存，所以四个前向内核要重跑。" : "")};
           },
       .rungs = {"chain"},
       .veils = ShownNumber::launches});
}

Predict predict_gelu_passes() {
  const auto passes = [](const Config& config) { return config.param("SAVE") == 0 ? int64_t{7} : int64_t{5}; };
  return ask({.question = {"GELU, forward and backward: how many whole matrices do the two kernels read and write?",
                           "GELU 的前向和反向：两个内核一共读写几个完整的矩阵？"},
              .answer = passes,
              .others =
                  [](const Config&) {
                    return std::vector<int64_t>{4, 5, 7, 8};
                  },
              .why =
                  [passes](const Config& config) {
                    const bool saved = passes(config) == 7;
                    return Text{saved
                                    ? "Forward reads x and writes y and the tanhs; backward reads dy, x and the tanhs, "
                                      "and writes dx: 3 + 4."
                                    : "Forward reads x and writes y; backward reads dy and x, and writes dx: 2 + 3. "
                                      "The tanh is computed twice, and costs no memory.",
                                saved ? "前向读 x，写 y 和 tanh；反向读 dy、x 和 tanh，写 dx：3 + 4。"
                                      : "前向读 x、写 y；反向读 dy 和 x、写 dx：2 + 3。tanh 算两遍，但不占内存。"};
                  },
              .rungs = {"gelu"}});
}

Predict predict_weight_blocks() {
  const auto across = [](const Config& config) { return ceil_divide(config.size("columns"), config.param("BLOCK")); };
  const auto blocks = [across](const Config& config) { return across(config) * slabs(config); };
  return ask(
      {.question = {"The gradients of gamma and beta: a thread adds down 32 rows of one column. How many CTAs does "
                    "that kernel get?",
                    "gamma 和 beta 的梯度：一个线程把一列的 32 行加起来。这个内核有几个线程块？"},
       .answer = blocks,
       .others =
           [across, blocks](const Config& config) {
             return std::vector<int64_t>{across(config), ceil_divide(elements(config), config.param("BLOCK")),
                                         config.size("rows"), 2 * blocks(config), config.size("columns")};
           },
       .why =
           [across, blocks](const Config& config) {
             const std::string sum = fmt::format("⌈{} / {}⌉ · ⌈{} / {}⌉ = {}", config.size("columns"),
                                                 config.param("BLOCK"), config.size("rows"), kSlab, blocks(config));
             return Text{
                 fmt::format("{}. A thread for each whole column would need {} CTAs, and nearly all SMs would "
                             "sit idle.",
                             sum, across(config)),
                 fmt::format("{}。如果一个线程管整列，就只有 {} 个线程块，几乎所有 SM 都闲着。", sum, across(config))};
           },
       .rungs = {"layernorm"}});
}

Predict predict_multiply_reads() {
  const auto sectors = [](const Config& config, int64_t matrices) {
    return matrices * sectors_of_elements(elements(config), static_cast<int64_t>(size_of(element_type(config))));
  };
  return ask({.question = {"Multiply, forward and backward: how many sectors of 32 bytes do the two kernels read?",
                           "乘法的前向和反向：两个内核一共读多少个 32 字节的扇区？"},
              .answer = [sectors](const Config& config) { return sectors(config, 5); },
              .others =
                  [sectors](const Config& config) {
                    return std::vector<int64_t>{sectors(config, 2), sectors(config, 4), sectors(config, 8)};
                  },
              .why =
                  [sectors](const Config& config) {
                    const std::string one = with_separators(sectors(config, 1));
                    return Text{
                        "Forward reads a and b. Backward reads dy, and both again: each factor is needed for the "
                        "gradient of the other. 5 matrices of " +
                            one + " sectors.",
                        "前向读 a 和 b。反向读 dy，再把两者各读一遍：每个因子都要用来算另一个的梯度。"
                        "5 个矩阵，每个 " +
                            one + " 个扇区。"};
                  },
              .rungs = {"multiply"},
              .veils = ShownNumber::sectors});
}

Lab make_autograd() {
  Lab lab;
  lab.name = "autograd";
  lab.stage = 9;
  lab.order = 1;
  lab.title = {"Autograd", "自动微分"};
  lab.kernel_file = "autograd.cu";
  lab.sizes = make_sizes();
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = {make_rung("add", {"Add", "加法"}),
               make_rung("multiply", {"Multiply", "乘法"}),
               make_rung("relu", {"ReLU", "ReLU"}),
               make_rung("gelu", {"GELU", "GELU"}),
               make_rung("layernorm", {"LayerNorm", "LayerNorm"}),
               make_rung("chain", {"A chain of operators", "一串算子"})};
  lab.references = {{"PyTorch", "torch", "autograd_chain"}};
  lab.tolerance_for = tolerance_of_gradients;
  lab.predicts = {predict_launches(), predict_gelu_passes(), predict_weight_blocks(), predict_multiply_reads()};
  lab.buffers = lab.rungs.back().buffers;
  lab.reference = lab.rungs.back().reference;
  lab.useful_bytes = [](const Config& config) { return static_cast<double>(matrix_bytes(config)); };
  lab.bytes_formula = {
      "rows · columns elements, 4 or 2 bytes each: one matrix; the rungs move different numbers of them",
      "行 · 列 个元素，各 4 或 2 字节：一个矩阵；各级搬运的矩阵个数不同"};
  lab.sweep_size = "rows";
  for (const auto& [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{64, 128}, {512, 512}, {1024, 1024}, {2048, 1024}, {4096, 1024}})
    lab.points.push_back({fmt::format("{} × {}", rows, columns), {{"rows", rows}, {"columns", columns}}});
  lab.sweep_shows_time = true;
  return lab;
}

const bool registered = register_lab(make_autograd());

}  // namespace
}  // namespace tilescope::autograd_lab
