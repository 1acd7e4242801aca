// Lab "gelu": the tanh form of GELU, fused step by step from eight kernels into one. kernels/gelu.cu holds the rungs,
// kernels/gelu.py those in Triton.
#include <algorithm>
#include <cmath>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "engine/specs.hpp"
#include "labs/predict.hpp"
#include "labs/triton.hpp"

namespace tilescope::gelu_lab {
namespace {

constexpr int64_t kLargestOnSimulator = int64_t{1} << 22;
constexpr int64_t kLargestOnGpu = int64_t{1} << 30;                  // an int still indexes it
constexpr double kCubic = 0.044715, kRoot = 0.79788456080286535588;  // √(2/π)

enum Buffer : size_t { kX, kOut, kT };
enum Type : int64_t { kFloat, kBfloat16 };
enum Fast : int64_t { kTanhApprox, kEx2Approx };

DType element_type(const Config& config) { return config.param("DTYPE") == kBfloat16 ? DType::bf16 : DType::f32; }

/// One of the eight operators: its kernel, its factor if it scales, and the buffers that it takes.
struct Operator {
  std::string kernel;
  std::optional<float> factor;
  std::vector<Buffer> buffers;
};

const std::vector<Operator>& operators() {
  static const std::vector<Operator> all{
      {"cube", {}, {kX, kT}},     {"scale", static_cast<float>(kCubic), {kT, kT}},
      {"add", {}, {kX, kT}},      {"scale", static_cast<float>(kRoot), {kT, kT}},
      {"tangent", {}, {kT}},      {"add_one", {}, {kT}},
      {"multiply", {}, {kX, kT}}, {"scale", 0.5F, {kT, kOut}},
  };
  return all;
}

/// Elements that one CTA handles: the product of these parameters.
int64_t elements_per_cta(const std::vector<std::string>& params, const Config& config) {
  int64_t elements = 1;
  for (const auto& param : params)
    if (param == "BLOCK" || param == "VEC" || param == "PACKS") elements *= config.param(param);
  return elements;
}

Launch launch_of(const Operator& one, int64_t ctas, const Config& config) {
  Launch launch{.kernel = one.kernel};
  launch.grid.x = static_cast<uint32_t>(ctas);
  launch.block.x = static_cast<uint32_t>(config.param("BLOCK"));
  if (one.factor) launch.arguments.emplace_back(scalar(*one.factor));
  for (const Buffer buffer : one.buffers) launch.arguments.emplace_back(BufferArgument{buffer});
  launch.arguments.emplace_back(scalar(static_cast<int32_t>(config.size("n"))));
  return launch;
}

Rung make_rung(std::string name, Text title, std::vector<Operator> steps, std::vector<std::string> params) {
  Rung rung{.name = std::move(name), .title = std::move(title), .params = params};
  for (const Operator& step : steps)
    if (std::find(rung.kernels.begin(), rung.kernels.end(), step.kernel) == rung.kernels.end())
      rung.kernels.push_back(step.kernel);
  rung.launches = [steps = std::move(steps), params](const Config& config) {
    const int64_t ctas = ceil_divide(config.size("n"), elements_per_cta(params, config));
    std::vector<Launch> launches;
    for (const Operator& step : steps) launches.push_back(launch_of(step, ctas, config));
    return launches;
  };
  rung.grid_formula = [params](const Config& config) {
    std::string divisor;
    for (const char* factor : {"BLOCK", "VEC", "PACKS"})
      if (std::find(params.begin(), params.end(), factor) != params.end())
        divisor += (divisor.empty() ? "" : " × ") + std::to_string(config.param(factor));
    if (divisor.find(' ') != std::string::npos) divisor = "(" + divisor + ")";
    const int64_t n = config.size("n");
    return fmt::format("⌈{} / {}⌉ = {}", with_separators(n), divisor,
                       with_separators(ceil_divide(n, elements_per_cta(params, config))));
  };
  return rung;
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
      {.name = "VEC",
       .title = {"Vector width", "向量宽度"},
       .unit = {"elements", "元素"},
       .help = {"Elements of one load or store. The widest access is 16 bytes: 4 floats or 8 bfloat16.",
                "一条读写指令搬运的元素个数。最宽 16 字节，即 4 个 float 或 8 个 bfloat16。"},
       .value = 4,
       .min = 1,
       .max = 8,
       .scale = Scale::power_of_two},
      {.name = "PACKS",
       .title = {"Packs per thread", "每线程包数"},
       .unit = {"packs", "包"},
       .help = {"Vectors that a thread computes side by side: independent chains of instructions.",
                "一个线程并排计算的向量个数，即相互独立的指令链。"},
       .value = 2,
       .min = 1,
       .max = 4,
       .scale = Scale::power_of_two},
      make_choice("FAST", {"Approximation", "近似"},
                  {"Special function unit instructions that replace tanhf.", "用特殊函数单元的哪些指令代替 tanhf。"},
                  {{"tanh.approx", {"tanh.approx, one instruction", "tanh.approx，一条指令"}},
                   {"ex2.approx", {"ex2.approx and a reciprocal", "ex2.approx 加倒数"}}}),
      make_choice("DTYPE", {"Type of the elements", "元素类型"},
                  {"Type of x and out in memory. The arithmetic is in float either way.",
                   "x 和 out 在内存里的类型；计算都用 float。"},
                  {{"fp32", {"float, 4 bytes", "float，4 字节"}}, {"bf16", {"bfloat16, 2 bytes", "bfloat16，2 字节"}}}),
      triton_block_param("BLOCK_SIZE", {"BLOCK_SIZE, tile", "BLOCK_SIZE，分块"}, 1024, 64, 8192),
      num_warps_param(4),
  };
}

std::vector<BreakIt> make_switches() {
  return {
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"The last CTA runs past the end of the vectors.", "最后一个线程块会越过向量末尾。"},
       .plants =
           {{.in = "cube", .replace = "if (i < n) ", .by = ""},
            {.in = "scale", .replace = "if (i < n) ", .by = ""},
            {.in = "add", .replace = "if (i < n) ", .by = ""},
            {.in = "tangent", .replace = "if (i < n) ", .by = ""},
            {.in = "add_one", .replace = "if (i < n) ", .by = ""},
            {.in = "multiply", .replace = "if (i < n) ", .by = ""},
            {.in = "fused", .replace = "if (i < n) ", .by = ""},
            {.in = "vector_loads", .replace = "if (i + VEC <= n) {", .by = "if (true) {"},
            {.in = "fast_math", .replace = "if (i + VEC <= n) {", .by = "if (true) {"},
            {.in = "several_packs", .replace = "if (last + VEC <= n) {", .by = "if (true) {"},
            {.in = "fused", .replace = "(x + i, mask=mask)", .by = "(x + i)", .file = "gelu.py"},
            {.in = "fused", .replace = "(inner(values))), mask=mask", .by = "(inner(values)))", .file = "gelu.py"},
            {.in = "fused_sigmoid", .replace = "(x + i, mask=mask)", .by = "(x + i)", .file = "gelu.py"},
            {.in = "fused_sigmoid",
             .replace = "(2 * inner(values)), mask=mask",
             .by = "(2 * inner(values))",
             .file = "gelu.py"}}},
      {.name = "NO_TAIL",
       .title = {"Forget the tail", "忘掉尾部"},
       .help = {"No thread computes the last elements, which do not fill a vector.",
                "凑不满一个向量的那几个元素没有线程计算。"},
       .plants = {{.in = "vector_loads", .replace = "} else {", .by = "} else if (false) {"},
                  {.in = "fast_math", .replace = "} else {", .by = "} else if (false) {"},
                  {.in = "several_packs", .replace = "} else {", .by = "} else if (false) {"}},
       .rungs = {"vector-loads", "fast-math", "several-packs", "auto"}},
  };
}

Predict predict_accesses() {
  return {.question = {"Eight kernels: how many times is an element read or written in global memory?",
                       "八个内核：一个元素在全局内存里被读写多少次？"},
          .choices =
              [](const Config&) {
                return std::vector<int64_t>{2, 16, 18, 24};
              },
          .answer = [](const Config&) { return int64_t{18}; },
          .why =
              [](const Config&) {
                return Text{
                    "Each of the 8 operators writes once. Six read one vector, two read x as well: 8 + 6 + 4. "
                    "Fused, it is 2.",
                    "8 个算子各写一次；其中六个读一个向量，两个还要读 x：8 + 6 + 4。融合后是 2 次。"};
              },
          .rungs = {"eight-kernels"}};
}

Predict predict_error() {
  return {.question = {"How many bits of tanh.approx are correct, according to the PTX ISA?",
                       "按 PTX ISA 的说明，tanh.approx 的结果有多少位是准确的？"},
          .choices =
              [](const Config&) {
                return std::vector<int64_t>{8, 11, 22, 24};
              },
          .answer = [](const Config&) { return int64_t{11}; },
          .why =
              [](const Config&) {
                return Text{
                    "Its relative error is at most 2^-11: more than enough for the 8 bits of bfloat16, far from the 24 "
                    "of a float. ex2.approx and rcp.approx are accurate to about 22 bits.",
                    "相对误差不超过 2^-11：对 8 位的 bfloat16 绰绰有余，离 float 的 24 位还差得远。ex2.approx 和 "
                    "rcp.approx 约有 22 位。"};
              },
          .rungs = {"fast-math", "several-packs"}};
}

Predict predict_ctas() {
  const auto per_cta = [](const Config& config) {
    return config.param("BLOCK") * config.param("VEC") * config.param("PACKS");
  };
  const auto ctas = [per_cta](const Config& config) { return ceil_divide(config.size("n"), per_cta(config)); };
  return ask({.question = {"A thread computes PACKS vectors of VEC elements. How many CTAs are launched?",
                           "一个线程计算 PACKS 个向量，每个 VEC 个元素。要启动多少个线程块？"},
              .answer = ctas,
              .others =
                  [per_cta, ctas](const Config& config) {
                    const int64_t n = config.size("n");
                    return std::vector<int64_t>{ceil_divide(n, config.param("BLOCK")),
                                                ceil_divide(n, config.param("BLOCK") * config.param("VEC")),
                                                n / per_cta(config), 2 * ctas(config)};
                  },
              .why =
                  [ctas](const Config& config) {
                    const std::string sum = fmt::format("⌈{} / ({} × {} × {})⌉ = {}", with_separators(config.size("n")),
                                                        config.param("BLOCK"), config.param("VEC"),
                                                        config.param("PACKS"), with_separators(ctas(config)));
                    return Text{"A CTA covers BLOCK × VEC × PACKS elements: " + sum + ".",
                                "一个线程块覆盖 BLOCK × VEC × PACKS 个元素：" + sum + "。"};
                  },
              .rungs = {"several-packs"},
              .veils = ShownNumber::blocks});
}

Predict predict_sectors() {
  const auto of_one = [](const Config& config) {
    return sectors_of_elements(config.size("n"), static_cast<int64_t>(size_of(element_type(config))));
  };
  return ask({.question = {"One fused kernel, one element per thread: how many sectors does it read?",
                           "融合成一个内核，每线程一个元素：一共读多少个扇区？"},
              .answer = of_one,
              .others =
                  [of_one](const Config& config) {
                    return std::vector<int64_t>{10 * of_one(config), 2 * of_one(config), config.size("n")};
                  },
              .why =
                  [of_one](const Config& config) {
                    const size_t bytes = size_of(element_type(config));
                    const std::string n = with_separators(config.size("n")), sectors = with_separators(of_one(config));
                    return Text{fmt::format("x is read once: {} elements of {} bytes, {} to a sector, are {} sectors. "
                                            "The eight kernels read 10 vectors.",
                                            n, bytes, 32 / bytes, sectors),
                                fmt::format("x 只读一遍：{} 个元素，每个 {} 字节，每扇区 {} 个，共 {} "
                                            "个扇区。八个内核则要读 10 个向量。",
                                            n, bytes, 32 / bytes, sectors)};
                  },
              .rungs = {"fused"},
              .veils = ShownNumber::sectors});
}

/// In float, the error of tanhf is 2 ulp and that of u a few more. Before 1 + tanh u these errors are absolute, so they
/// remain for negative x, where the result is near zero.
constexpr Tolerance kExact{.absolute = 1e-6, .relative = 1e-6};
/// The relative error of tanh.approx is up to 2^-11, so that of ½ x (1 + tanh u) is up to |x| / 4096 absolute; among
/// 2^30 normal numbers |x| stays below 6 in all but one of a hundred runs.
constexpr Tolerance kTanhApproximated{.absolute = 6 * 0x1p-12, .relative = 0};
/// Rounding to 8 bits has a relative error of up to 2^-8. The eight kernels round eight times, including tanh u and 1 +
/// tanh u by up to 2^-8 each; ½ x scales that by up to 3, and by more only where the result is as large.
constexpr Tolerance kRoundedOnce{.absolute = 1e-6, .relative = 0x1p-8};
constexpr Tolerance kRoundedEightTimes{.absolute = 3 * 0x1p-8, .relative = 4 * 0x1p-8};

Tolerance tolerance(const std::string& rung, const Config& config, DType) {
  const bool halves = config.param("DTYPE") == kBfloat16;
  if (halves && rung == "eight-kernels") return kRoundedEightTimes;
  Tolerance allowed = halves ? kRoundedOnce : kExact;
  if ((rung == "fast-math" || rung == "several-packs") && config.param("FAST") == kTanhApprox)
    allowed.absolute += kTanhApproximated.absolute;
  return allowed;
}

/// tanhf takes longer than loading a bfloat16 does, but not longer than loading a float.
Pick pick(const Config& config, const GpuSpec& gpu) {
  const int64_t n = config.size("n"), multiprocessors = gpu.multiprocessors;
  const bool halves = config.param("DTYPE") == kBfloat16;
  const int64_t block = halves ? 128 : 256, vec = halves ? 8 : 4, ctas = ceil_divide(n, block * vec);
  const std::string numbers = fmt::format("{} / ({} × {}) = {}", with_separators(n), block, vec, with_separators(ctas));
  if (halves)
    return {.rung = "fast-math",
            .params = {{"BLOCK", block}, {"VEC", vec}, {"FAST", kEx2Approx}},
            .why = {fmt::format("Loading 2 bytes is faster than computing tanhf, and ex2.approx rounds to the same "
                                "bfloat16; {} CTAs for {} multiprocessors.",
                                numbers, multiprocessors),
                    fmt::format(
                        "读 2 字节比算 tanhf 快，而 ex2.approx 舍入后是同样的 bfloat16；{} 个线程块，分给 {} 个 SM。",
                        numbers, multiprocessors)}};
  return {.rung = "vector-loads",
          .params = {{"BLOCK", block}, {"VEC", vec}},
          .why = {fmt::format("Loading 4 bytes takes longer than computing tanhf, so the exact function costs nothing; "
                              "{} CTAs for {} multiprocessors.",
                              numbers, multiprocessors),
                  fmt::format("读 4 字节比算 tanhf 慢，所以精确计算不额外花时间；{} 个线程块，分给 {} 个 SM。", numbers,
                              multiprocessors)}};
}

std::vector<Rung> make_rungs() {
  const std::vector<Buffer> in_and_out{kX, kOut};
  return {
      make_rung("eight-kernels", {"Eight kernels", "八个内核"}, operators(), {"BLOCK", "DTYPE"}),
      make_rung("fused", {"One fused kernel", "融合成一个内核"}, {{"fused", {}, in_and_out}}, {"BLOCK", "DTYPE"}),
      make_rung("vector-loads", {"Fused, vector loads", "融合，向量读写"}, {{"vector_loads", {}, in_and_out}},
                {"BLOCK", "VEC", "DTYPE"}),
      make_rung("fast-math", {"Fast math", "快速数学"}, {{"fast_math", {}, in_and_out}},
                {"BLOCK", "VEC", "FAST", "DTYPE"}),
      make_rung("several-packs", {"Several per thread", "每线程多个输出"}, {{"several_packs", {}, in_and_out}},
                {"BLOCK", "VEC", "PACKS", "FAST", "DTYPE"}),
      {.name = "auto", .title = {"Auto", "自动"}, .params = {"DTYPE"}, .pick = pick},
      tile_per_program_rung("triton-fused", {"Triton: fused, tanh", "Triton：融合，tanh"}, "gelu.py", "fused",
                            {kX, kOut}, {"DTYPE"}),
      tile_per_program_rung("triton-sigmoid", {"Triton: fused, sigmoid", "Triton：融合，sigmoid"}, "gelu.py",
                            "fused_sigmoid", {kX, kOut}, {"DTYPE"}),
  };
}

void reference(const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
               size_t begin, size_t end, double* expected) {
  const bool floats = element_type(config) == DType::f32;
  for (size_t i = begin; i < end; ++i) {
    const double x = floats ? double{buffers[kX]->as<float>()[i]} : value_at(*buffers[kX], i);
    expected[i - begin] = 0.5 * x * (1 + std::tanh(kRoot * (x + kCubic * x * x * x)));
  }
}

Lab make_gelu() {
  Lab lab;
  lab.name = "gelu";
  lab.stage = 3;
  lab.order = 20;
  lab.title = {"GELU", "GELU"};
  lab.kernel_file = "gelu.cu";
  lab.sizes = {{.name = "n",
                .title = {"n, elements", "n，元素个数"},
                .unit = {"elements", "元素"},
                .value = 20003,
                .gpu_value = 1 << 27,
                .min = 1,
                .max_sim = kLargestOnSimulator,
                .max_gpu = kLargestOnGpu,
                .offered = {1, 31, 32, 33, 1000, 20003, 100000, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 27, 1 << 28}}};
  lab.sizes[0].offered.push_back(kLargestOnGpu);
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"},
                    {"PyTorch", "torch", "gelu"},
                    {"torch.compile", "torch_compile", "gelu"},
                    {"Triton", "triton", "gelu"}};
  lab.tolerance_for = tolerance;
  lab.predicts = {predict_accesses(), predict_error(), predict_ctas(), predict_sectors()};
  lab.buffers = [](const Config& config) {
    const int64_t n = config.size("n");
    const DType type = element_type(config);
    return std::vector<BufferSpec>{
        {.name = "x", .type = type, .shape = {n}, .role = Role::input, .fill = Fill::normal},
        {.name = "out", .type = type, .shape = {n}, .role = Role::output, .fill = Fill::poison},
        {.name = "t", .type = type, .shape = {n}, .role = Role::scratch, .fill = Fill::poison}};
  };
  lab.reference = reference;
  lab.useful_bytes = [](const Config& config) {
    return 2.0 * static_cast<double>(size_of(element_type(config))) * static_cast<double>(config.size("n"));
  };
  lab.flops = [](const Config& config) { return 8.0 * static_cast<double>(config.size("n")); };
  lab.bytes_formula = {"2 n elements: x read, out written, 4 or 2 bytes each",
                       "2 n 个元素：读 x，写 out，各 4 或 2 字节"};
  lab.fusion = {.unfused = "eight-kernels", .fused = "fused"};
  for (int exponent = 10; exponent <= 26; exponent += 2) lab.sweep.push_back(int64_t{1} << exponent);
  for (const int exponent : {27, 28, 30}) lab.sweep.push_back(int64_t{1} << exponent);
  return lab;
}

const bool registered = register_lab(make_gelu());

}  // namespace
}  // namespace tilescope::gelu_lab
