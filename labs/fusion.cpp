// Lab "fusion": the row sums of relu(x · s + b), in four launches, in two and in one. kernels/fusion.cu holds the
// rungs.
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "labs/predict.hpp"

namespace tilescope::fusion_lab {
namespace {

enum ChainBuffer : size_t { kMatrix, kScale, kShift, kTotal, kScaled, kShifted, kY };

int64_t elements(const Config& config) { return config.size("rows") * config.size("columns"); }

/// One thread for each element, or one CTA for each row.
struct ChainKernel {
  std::string name;
  std::vector<ChainBuffer> buffers;
  bool takes_elements = true, takes_columns = true;  // arguments after the buffers
  bool by_rows() const { return !takes_elements; }
};

Launch launch_of(const ChainKernel& kernel, const Config& config) {
  Launch launch{.kernel = kernel.name};
  const int64_t block = config.param("BLOCK");
  launch.grid.x = static_cast<uint32_t>(kernel.by_rows() ? config.size("rows") : ceil_divide(elements(config), block));
  launch.block.x = static_cast<uint32_t>(block);
  for (const ChainBuffer buffer : kernel.buffers) launch.arguments.emplace_back(BufferArgument{buffer});
  if (kernel.takes_elements) launch.arguments.emplace_back(scalar(static_cast<int32_t>(elements(config))));
  if (kernel.takes_columns) launch.arguments.emplace_back(scalar(static_cast<int32_t>(config.size("columns"))));
  return launch;
}

Rung make_rung(std::string name, Text title, const std::vector<ChainKernel>& chain) {
  Rung rung{.name = std::move(name), .title = std::move(title), .params = {"BLOCK"}};
  for (const ChainKernel& kernel : chain) rung.kernels.push_back(kernel.name);
  rung.shown_kernels = {chain.front().name};
  rung.launches = [chain](const Config& config) {
    std::vector<Launch> launches;
    launches.reserve(chain.size());
    for (const ChainKernel& kernel : chain) launches.push_back(launch_of(kernel, config));
    return launches;
  };
  rung.grid_formula = [by_rows = chain.front().by_rows()](const Config& config) {
    std::string rows = with_separators(config.size("rows"));
    if (by_rows) return rows;
    const int64_t block = config.param("BLOCK");
    return fmt::format("⌈{} × {} / {}⌉ = {}", rows, with_separators(config.size("columns")), block,
                       with_separators(ceil_divide(elements(config), block)));
  };
  return rung;
}

std::vector<Rung> make_rungs() {
  const ChainKernel sum{"sum_rows", {kY, kTotal}, /*takes_elements=*/false};
  return {make_rung("kernel-per-operator", {"A kernel per operator", "每个算子一个内核"},
                    {{"scale", {kMatrix, kScale, kScaled}},
                     {"shift", {kScaled, kShift, kShifted}},
                     {"relu", {kShifted, kY}, true, /*takes_columns=*/false},
                     sum}),
          make_rung("fused-elementwise", {"Element-wise fused", "逐元素算子融合"},
                    {{"scale_shift_relu", {kMatrix, kScale, kShift, kY}}, sum}),
          make_rung("fused-into-reduction", {"Fused into the reduction", "融合进归约"},
                    {{"scale_shift_relu_sum", {kMatrix, kScale, kShift, kTotal}, /*takes_elements=*/false}})};
}

std::vector<Size> make_sizes() {
  return {{.name = "rows",
           .title = {"Rows", "行数"},
           .unit = {"rows", "行"},
           .value = 60,
           .gpu_value = 8192,
           .min = 1,
           .max_sim = 1 << 12,
           .max_gpu = 1 << 16,
           .offered = {1, 7, 60, 128, 256, 1024, 4096, 8192, 1 << 16}},
          {.name = "columns",
           .title = {"Columns", "列数"},
           .unit = {"elements", "元素"},
           .value = 500,
           .gpu_value = 4096,
           .min = 1,
           .max_sim = 1 << 12,
           .max_gpu = 1 << 14,
           .offered = {1, 33, 100, 128, 500, 512, 1024, 4096, 1 << 14}}};
}

std::vector<BreakIt> make_switches() {
  return {
      {.name = "NEIGHBOUR",
       .title = {"Sum the neighbour's element", "累加邻居的元素"},
       .help = {"The sum takes y of the next thread. In a kernel of its own that is right. In one kernel nothing makes "
                "a thread wait for the next one.",
                "求和取下一个线程算出的 y。放在单独的内核里没有问题；合在一个内核里，没有什么让线程等待下一个线程。"},
       .plants = {{.in = "scale_shift_relu_sum",
                   .replace = "sum += value;",
                   .by = "__shared__ float tile[BLOCK]; tile[threadIdx.x] = value; "
                         "sum += tile[(threadIdx.x + 1) % BLOCK];"}},
       .rungs = {"fused-into-reduction"}},
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"The last CTA runs past the end of the matrix.", "最后一个线程块会越过矩阵末尾。"},
       .plants = {{.in = "scale", .replace = "if (i < n) ", .by = ""},
                  {.in = "shift", .replace = "if (i < n) ", .by = ""},
                  {.in = "relu", .replace = "if (i < n) ", .by = ""},
                  {.in = "scale_shift_relu", .replace = "if (i < n) {", .by = "{"}},
       .rungs = {"kernel-per-operator", "fused-elementwise"}},
  };
}

Predict predict_passes() {
  return {.question = {"Four kernels: how many times does a matrix of this size travel between memory and registers, "
                       "read or written?",
                       "四个内核：这样大小的矩阵在内存与寄存器之间共要走几趟（读写都算）？"},
          .choices =
              [](const Config&) {
                return std::vector<int64_t>{4, 5, 7, 8};
              },
          .answer = [](const Config&) { return int64_t{7}; },
          .why =
              [](const Config&) {
                return Text{
                    "scale, shift and relu read one matrix and write one each, and the sum reads one: 2 + 2 + "
                    "2 + 1.",
                    "scale、shift、relu 各读一个矩阵、写一个矩阵，求和读一个：2 + 2 + 2 + 1。"};
              },
          .rungs = {"kernel-per-operator"}};
}

Predict predict_ctas() {
  const auto ctas = [](const Config& config) { return ceil_divide(elements(config), config.param("BLOCK")); };
  return ask(
      {.question = {"scale_shift_relu has a thread for each element. How many CTAs of BLOCK threads are launched?",
                    "scale_shift_relu 每个元素一个线程。要启动多少个 BLOCK 线程的线程块？"},
       .answer = ctas,
       .others =
           [ctas](const Config& config) {
             return std::vector<int64_t>{config.size("rows"), 3 * ctas(config), ceil_divide(ctas(config), 2)};
           },
       .why =
           [ctas](const Config& config) {
             const std::string sum = fmt::format("⌈{} × {} / {}⌉ = {}", with_separators(config.size("rows")),
                                                 with_separators(config.size("columns")), config.param("BLOCK"),
                                                 with_separators(ctas(config)));
             return Text{"Fusing does not change the grid: one thread computes all three operators for its element. " +
                             sum + ".",
                         "融合不改变网格：一个线程对自己的元素做完三个算子。" + sum + "。"};
           },
       .rungs = {"fused-elementwise"},
       .veils = ShownNumber::blocks});
}

Predict predict_scratch() {
  const auto bytes = [](const Config& config) { return 4 * elements(config); };
  return ask({.question = {"Element-wise fused: how many bytes of device memory only hand a result from one kernel to "
                           "the next?",
                           "逐元素算子融合后：有多少字节显存只用来把结果从一个内核传给下一个？"},
              .answer = bytes,
              .others =
                  [bytes](const Config& config) {
                    return std::vector<int64_t>{0, 2 * bytes(config), 3 * bytes(config)};
                  },
              .why =
                  [bytes](const Config& config) {
                    const std::string one = with_separators(bytes(config));
                    return Text{"Only y is left: a matrix of floats, " + one +
                                    " bytes. A kernel per operator needs three of them, fused into the reduction none.",
                                "只剩 y 这一个 float 矩阵，" + one +
                                    " 字节。每个算子一个内核时要三个，融合进归约后一个也不要。"};
                  },
              .rungs = {"fused-elementwise"}});
}

Predict predict_barriers() {
  const auto steps = [](const Config& config) {
    return static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(config.param("BLOCK")))) - 1;
  };
  return ask({.question = {"Fused into the reduction: how many barriers does a CTA of BLOCK threads take?",
                           "融合进归约后：BLOCK 个线程的线程块要经过几道屏障？"},
              .answer = [steps](const Config& config) { return steps(config) + 1; },
              .others =
                  [steps](const Config& config) {
                    return std::vector<int64_t>{1, steps(config) + 3, config.size("columns")};
                  },
              .why =
                  [steps](const Config& config) {
                    const std::string depth = fmt::format("log2({}) = {}", config.param("BLOCK"), steps(config));
                    return Text{
                        "One after the tree is filled, and one after each of its " + depth +
                            " steps. The element-wise operators add none: each thread reads only what it "
                            "computed itself.",
                        "填好树之后一道，" + depth + " 步每步一道。逐元素算子不增加屏障：每个线程只读自己算出的数。"};
                  },
              .rungs = {"fused-into-reduction"}});
}

std::vector<BufferSpec> make_buffers(const Config& config) {
  const int64_t rows = config.size("rows"), columns = config.size("columns");
  const auto scratch = [&](std::string name) {
    return BufferSpec{.name = std::move(name),
                      .type = DType::f32,
                      .shape = {rows, columns},
                      .role = Role::scratch,
                      .fill = Fill::poison};
  };
  return {
      {.name = "x", .type = DType::f32, .shape = {rows, columns}, .role = Role::input, .fill = Fill::normal},
      {.name = "s", .type = DType::f32, .shape = {columns}, .role = Role::input, .fill = Fill::normal},
      {.name = "b", .type = DType::f32, .shape = {columns}, .role = Role::input, .fill = Fill::normal},
      {.name = "total", .type = DType::f32, .shape = {rows}, .role = Role::output, .fill = Fill::poison},
      scratch("scaled"),
      scratch("shifted"),
      scratch("y"),
  };
}

void expect_totals(const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
                   size_t begin, size_t end, double* expected) {
  const auto x = buffers[kMatrix]->as<float>(), s = buffers[kScale]->as<float>(), b = buffers[kShift]->as<float>();
  const auto columns = static_cast<size_t>(config.size("columns"));
  for (size_t row = begin; row < end; ++row) {
    double sum = 0;
    for (size_t column = 0; column < columns; ++column)
      sum += std::max(0.0, double{x[row * columns + column]} * double{s[column]} + double{b[column]});
    expected[row - begin] = sum;
  }
}

/// Each of a thread's ⌈columns / BLOCK⌉ additions rounds by at most 2^-24 of its sum so far, in either direction, so
/// that the errors grow with the root of their number; the tree adds one for each of its levels, at most 10. Product
/// and addition round twice more, by at most 2^-24 of |x · s| + |b|, whose mean is 1.4 and which may be 30 for a single
/// element.
Tolerance tolerance_of_totals(const std::string&, const Config& config, DType) {
  const auto columns = static_cast<double>(config.size("columns"));
  const double additions = columns / static_cast<double>(config.param("BLOCK"));
  return {.absolute = 0x1p-24 * (12 + 4 * std::sqrt(additions)) * 2 * (columns + 16), .relative = 0};
}

Lab make_fusion() {
  Lab lab;
  lab.name = "fusion";
  lab.stage = 0;
  lab.order = 2;
  lab.title = {"Operator fusion", "算子融合"};
  lab.kernel_file = "fusion.cu";
  lab.sizes = make_sizes();
  lab.params = {{.name = "BLOCK",
                 .title = {"Block, threads", "线程块，线程数"},
                 .unit = {"threads", "线程"},
                 .help = {"Threads of one CTA.", "一个线程块的线程数。"},
                 .value = 256,
                 .min = 32,
                 .max = 1024,
                 .scale = Scale::power_of_two}};
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"}};
  lab.tolerance_for = tolerance_of_totals;
  lab.predicts = {predict_passes(), predict_scratch(), predict_ctas(), predict_barriers()};
  lab.buffers = make_buffers;
  lab.reference = expect_totals;
  lab.useful_bytes = [](const Config& config) {
    return 4.0 * static_cast<double>(elements(config) + 2 * config.size("columns") + config.size("rows"));
  };
  lab.flops = [](const Config& config) { return 4.0 * static_cast<double>(elements(config)); };
  lab.bytes_formula = {"4 (rows · columns + 2 columns + rows) bytes: x, s and b read once, total written",
                       "4 (行 · 列 + 2 列 + 行) 字节：x、s、b 各读一遍，写 total"};
  lab.sweep_size = "rows";
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
           {64, 128}, {1024, 1024}, {4096, 1024}, {8192, 4096}, {65536, 1024}, {8192, 16384}})
    lab.points.push_back({fmt::format("{} × {}", rows, columns), {{"rows", rows}, {"columns", columns}}});
  lab.fusion = {.unfused = "kernel-per-operator", .fused = "fused-into-reduction"};
  return lab;
}

const bool registered = register_lab(make_fusion());

}  // namespace
}  // namespace tilescope::fusion_lab
