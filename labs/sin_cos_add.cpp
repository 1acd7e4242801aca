// Lab "sin-cos-add": out = sin(a) + cos(b). kernels/sin_cos_add.cu holds the rungs, kernels/sin_cos_add.py
// those in Triton.
#include <cmath>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "engine/specs.hpp"
#include "labs/predict.hpp"
#include "labs/triton.hpp"

namespace tilescope::sin_cos_add_lab {
namespace {

constexpr int64_t kLargestOnSimulator = int64_t{1} << 23;
constexpr int64_t kLargestOnGpu = int64_t{1} << 30;  // an int still indexes it

enum Buffer : size_t { kA, kB, kOut, kSine, kCosine };

/// A launch over n elements; the rung's parameters give the number of elements per CTA.
struct Step {
  std::string kernel;
  std::vector<Buffer> buffers;
};

Rung make_rung(std::string name, Text title, std::vector<Step> steps, std::vector<std::string> params) {
  Rung rung{.name = std::move(name), .title = std::move(title), .params = std::move(params)};
  for (const Step& step : steps) rung.kernels.push_back(step.kernel);
  const bool vectors = rung.params.size() > 1;
  rung.launches = [steps = std::move(steps), vectors](const Config& config) {
    const int64_t n = config.size("n"), per_cta = config.param("BLOCK") * (vectors ? config.param("VEC") : 1);
    std::vector<Launch> launches;
    for (const Step& step : steps) {
      Launch launch{.kernel = step.kernel};
      launch.grid.x = static_cast<uint32_t>(ceil_divide(n, per_cta));
      launch.block.x = static_cast<uint32_t>(config.param("BLOCK"));
      for (const Buffer buffer : step.buffers) launch.arguments.emplace_back(BufferArgument{buffer});
      launch.arguments.emplace_back(scalar(static_cast<int32_t>(n)));
      launches.push_back(std::move(launch));
    }
    return launches;
  };
  rung.grid_formula = [vectors](const Config& config) {
    const int64_t n = config.size("n"), block = config.param("BLOCK");
    if (!vectors)
      return fmt::format("⌈{} / {}⌉ = {}", with_separators(n), block, with_separators(ceil_divide(n, block)));
    const int64_t vec = config.param("VEC");
    return fmt::format("⌈{} / ({} × {})⌉ = {}", with_separators(n), block, vec,
                       with_separators(ceil_divide(n, block * vec)));
  };
  return rung;
}

/// Vectors, unless they leave most SMs without a CTA: then one element per thread reaches more SMs. On an H200 vectors
/// are 9% faster with 64 CTAs, and 2% slower with 16.
Pick pick(const Config& config, const GpuSpec& gpu) {
  constexpr int64_t kBlock = 256, kVec = 4;
  const int64_t n = config.size("n"), multiprocessors = gpu.multiprocessors;
  const int64_t ctas = ceil_divide(n, kBlock * kVec);
  const std::string numbers =
      fmt::format("{} / ({} × {}) = {}", with_separators(n), kBlock, kVec, with_separators(ctas));
  if (3 * ctas < multiprocessors)
    return {.rung = "fused",
            .params = {{"BLOCK", kBlock}},
            .why = {fmt::format("Vectors would make {} CTAs, and leave most of {} multiprocessors idle.", numbers,
                                multiprocessors),
                    fmt::format("用向量读写只有 {} 个线程块，{} 个 SM 大多没事可做。", numbers, multiprocessors)}};
  return {.rung = "vector-loads",
          .params = {{"BLOCK", kBlock}, {"VEC", kVec}},
          .why = {fmt::format("16-byte accesses, and {} CTAs for {} multiprocessors.", numbers, multiprocessors),
                  fmt::format("16 字节访问，{} 个线程块，分给 {} 个 SM。", numbers, multiprocessors)}};
}

std::vector<Rung> make_rungs() {
  return {
      make_rung("three-kernels", {"Three kernels", "三个内核"},
                {{"sine", {kA, kSine}}, {"cosine", {kB, kCosine}}, {"add", {kSine, kCosine, kOut}}}, {"BLOCK"}),
      make_rung("fused", {"One fused kernel", "融合成一个内核"}, {{"fused", {kA, kB, kOut}}}, {"BLOCK"}),
      make_rung("vector-loads", {"Fused, vector loads", "融合，向量读写"}, {{"vector_loads", {kA, kB, kOut}}},
                {"BLOCK", "VEC"}),
      {.name = "auto", .title = {"Auto", "自动"}, .pick = pick},
      tile_per_program_rung("triton-fused", {"Triton: fused", "Triton：融合"}, "sin_cos_add.py", "fused",
                            {kA, kB, kOut}),
  };
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
       .help = {"Floats moved by one load or store of a thread: 4 make 16 bytes, the widest access.",
                "线程一条读写指令搬运的 float 个数：4 个即 16 字节，是最宽的一种。"},
       .value = 4,
       .min = 1,
       .max = 4,
       .scale = Scale::power_of_two},
      triton_block_param("BLOCK_SIZE", {"BLOCK_SIZE, tile", "BLOCK_SIZE，分块"}, 1024, 64, 2048),
      num_warps_param(4),
  };
}

Predict predict_accesses() {
  return {.question = {"One fused kernel moves 100 bytes. How many do the three kernels move for the same elements?",
                       "一个融合内核搬运 100 字节。处理同样的元素，三个内核搬运多少字节？"},
          .choices =
              [](const Config&) {
                return std::vector<int64_t>{167, 200, 233};
              },
          .answer = [](const Config&) { return int64_t{100 * 7 / 3}; },
          .why =
              [](const Config&) {
                return Text{"Read a, write s; read b, write c; read s and c, write out: 7 accesses. Fused: 3.",
                            "读 a、写 s；读 b、写 c；读 s 和 c、写 out：共 7 次访问。融合后是 3 次。"};
              },
          .rungs = {"three-kernels", "fused"}};
}

Predict predict_ctas() {
  const auto ctas = [](const Config& config) {
    return ceil_divide(config.size("n"), config.param("BLOCK") * config.param("VEC"));
  };
  return ask(
      {.question = {"A thread computes VEC elements. How many CTAs of BLOCK threads are launched?",
                    "一个线程计算 VEC 个元素。要启动多少个 BLOCK 线程的线程块？"},
       .answer = ctas,
       .others =
           [ctas](const Config& config) {
             const int64_t n = config.size("n"), block = config.param("BLOCK");
             return std::vector<int64_t>{ceil_divide(n, block), n / (block * config.param("VEC")), 2 * ctas(config)};
           },
       .why =
           [ctas](const Config& config) {
             const std::string sum =
                 fmt::format("⌈{} / ({} × {})⌉ = {}", with_separators(config.size("n")), config.param("BLOCK"),
                             config.param("VEC"), with_separators(ctas(config)));
             return Text{"A CTA covers BLOCK × VEC elements: " + sum + ".",
                         "一个线程块覆盖 BLOCK × VEC 个元素：" + sum + "。"};
           },
       .rungs = {"vector-loads"},
       .veils = ShownNumber::blocks});
}

Predict predict_sectors() {
  const auto sectors = [](const Config& config) { return 4 * sectors_of_elements(config.size("n"), 4); };
  return ask({.question = {"Three kernels: how many sectors of 32 bytes do they read, all together?",
                           "三个内核一共读多少个 32 字节扇区？"},
              .answer = sectors,
              .others =
                  [sectors](const Config& config) {
                    const int64_t of_one = sectors(config) / 4;
                    return std::vector<int64_t>{2 * of_one, 3 * of_one, 7 * of_one};
                  },
              .why =
                  [sectors](const Config& config) {
                    const std::string of_one = with_separators(sectors(config) / 4);
                    return Text{
                        "a, b, sin(a) and cos(b) are read once each: 4 vectors of " + of_one +
                            " sectors. Fused, it is 2.",
                        "a、b、sin(a)、cos(b) 各读一遍：4 个向量，每个 " + of_one + " 个扇区。融合后只有 2 个向量。"};
                  },
              .rungs = {"three-kernels"},
              .veils = ShownNumber::sectors});
}

Predict predict_scratch() {
  return {.question = {"Three kernels: how many bytes of device memory are there only to hand on sin(a) and cos(b)?",
                       "三个内核：仅仅为了传递 sin(a) 和 cos(b)，要占多少字节显存？"},
          .choices =
              [](const Config& config) {
                const int64_t n = config.size("n");
                return std::vector<int64_t>{4 * n, 8 * n, 12 * n};
              },
          .answer = [](const Config& config) { return 8 * config.size("n"); },
          .why =
              [](const Config&) {
                return Text{"Two vectors of n floats. Fused, it is two registers of a thread.",
                            "两个长为 n 的 float 向量。融合后只是每个线程的两个寄存器。"};
              },
          .rungs = {"three-kernels"}};
}

Lab make_sin_cos_add() {
  Lab lab;
  lab.name = "sin-cos-add";
  lab.stage = 3;
  lab.order = 10;
  lab.title = {"sin(a) + cos(b)", "sin(a) + cos(b)"};
  lab.kernel_file = "sin_cos_add.cu";
  lab.sizes = {{.name = "n",
                .title = {"n, elements", "n，元素个数"},
                .unit = {"elements", "元素"},
                .value = 20003,
                .gpu_value = 1 << 27,
                .min = 1,
                .max_sim = kLargestOnSimulator,
                .max_gpu = kLargestOnGpu,
                .offered = {1, 31, 32, 33, 1000, 20003, 100000, 1 << 20, 1 << 22, 1 << 23, 1 << 24, 1 << 26}}};
  for (const int exponent : {27, 28, 30}) lab.sizes[0].offered.push_back(int64_t{1} << exponent);
  lab.params = make_params();
  lab.break_it = {
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"The last CTA runs past the end of the vectors.", "最后一个线程块会越过向量末尾。"},
       .plants = {{.in = "sine", .replace = "if (i < n) ", .by = ""},
                  {.in = "cosine", .replace = "if (i < n) ", .by = ""},
                  {.in = "add", .replace = "if (i < n) ", .by = ""},
                  {.in = "fused", .replace = "if (i < n) {", .by = "{"},
                  {.in = "vector_loads", .replace = "if (i + VEC <= n) {", .by = "if (true) {"},
                  {.in = "fused", .replace = "(a + i, mask=mask)", .by = "(a + i)", .file = "sin_cos_add.py"},
                  {.in = "fused", .replace = "(b + i, mask=mask)", .by = "(b + i)", .file = "sin_cos_add.py"},
                  {.in = "fused", .replace = "s + c, mask=mask", .by = "s + c", .file = "sin_cos_add.py"}}},
      {.name = "NO_TAIL",
       .title = {"Forget the tail", "忘掉尾部"},
       .help = {"No thread computes the last elements, which do not fill a vector.",
                "凑不满一个向量的那几个元素没有线程计算。"},
       .plants = {{.in = "vector_loads", .replace = "} else {", .by = "} else if (false) {"}},
       .rungs = {"vector-loads"}},
  };
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"},
                    {"PyTorch", "torch", "sin_cos_add"},
                    {"torch.compile", "torch_compile", "sin_cos_add"},
                    {"Triton", "triton", "sin_cos_add"}};
  // The errors of sinf and cosf are at most 2 ulp, of at most 2^-24 each below 1; rounding their sum adds up to 2^-24.
  lab.tolerance = {.absolute = 5 * 0x1p-24, .relative = 0};
  lab.predicts = {predict_accesses(), predict_scratch(), predict_ctas(), predict_sectors()};
  lab.buffers = [](const Config& config) {
    const int64_t n = config.size("n");
    return std::vector<BufferSpec>{
        {.name = "a", .type = DType::f32, .shape = {n}, .role = Role::input, .fill = Fill::normal},
        {.name = "b", .type = DType::f32, .shape = {n}, .role = Role::input, .fill = Fill::normal},
        {.name = "out", .type = DType::f32, .shape = {n}, .role = Role::output, .fill = Fill::poison},
        {.name = "s", .type = DType::f32, .shape = {n}, .role = Role::scratch, .fill = Fill::poison},
        {.name = "c", .type = DType::f32, .shape = {n}, .role = Role::scratch, .fill = Fill::poison}};
  };
  lab.reference = [](const Config&, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t, size_t begin,
                     size_t end, double* expected) {
    const auto a = buffers[kA]->as<float>(), b = buffers[kB]->as<float>();
    for (size_t i = begin; i < end; ++i) expected[i - begin] = std::sin(double{a[i]}) + std::cos(double{b[i]});
  };
  lab.useful_bytes = [](const Config& config) { return 12.0 * static_cast<double>(config.size("n")); };
  lab.flops = [](const Config& config) { return 3.0 * static_cast<double>(config.size("n")); };
  lab.bytes_formula = {"12 n bytes: a and b read, out written, 4 bytes each", "12 n 字节：读 a、b，写 out，各 4 字节"};
  lab.fusion = {.unfused = "three-kernels", .fused = "fused"};
  for (int exponent = 10; exponent <= 26; exponent += 2) lab.sweep.push_back(int64_t{1} << exponent);
  for (const int exponent : {27, 28}) lab.sweep.push_back(int64_t{1} << exponent);
  return lab;
}

const bool registered = register_lab(make_sin_cos_add());

}  // namespace
}  // namespace tilescope::sin_cos_add_lab
