// Lab "matmul-tensor-core": C = A · B on the tensor cores, from mma.sync on shared memory to persistent CTAs.
// kernels/matmul_tensor_core.cu holds the rungs, kernels/matmul.py those in Triton.
#include <algorithm>

#include "engine/numbers.hpp"
#include "labs/matmul_tiles.hpp"
#include "labs/matmul_triton.hpp"
#include "labs/predict.hpp"

namespace tilescope::matmul_tensor_core_lab {
namespace {

enum Buffer : size_t { kA, kB, kC };
const std::vector<std::string> kTileParams{"DTYPE", "B_LAYOUT", "BM", "BN", "BK", "WARPS"};
const std::vector<std::string> kCudaRungs{"mma-shared",      "ldmatrix",   "grouped", "multi-stage",
                                          "double-buffered", "persistent", "auto"};

std::vector<Launch> launch(const std::string& kernel, const Config& config, int64_t stages) {
  return {launch_tiles(rows_are_aligned(config) ? kernel : kernel + "_unaligned", config, stages,
                       {BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kC}})};
}

/// A rung with one k-tile of A and B in shared memory.
Rung make_plain(std::string name, Text title, const std::string& kernel) {
  return {.name = std::move(name),
          .title = std::move(title),
          .kernels = {kernel, kernel + "_unaligned"},
          .params = kTileParams,
          .launches = [kernel](const Config& config) { return launch(kernel, config, 1); },
          .grid_formula = tiles_formula,
          .check = [](const Config& config) { return check_tile(config, 1); }};
}

Rung make_grouped() {
  Rung rung = make_plain("grouped", {"Grouped tiles", "分组顺序"}, "grouped_tiles");
  rung.params.emplace_back("GROUP_M");
  return rung;
}

/// A rung with STAGES of them, and tiles in groups.
Rung make_staged(std::string name, Text title, const std::string& kernel) {
  Rung rung = make_plain(std::move(name), std::move(title), kernel);
  rung.params.insert(rung.params.end(), {"STAGES", "GROUP_M"});
  rung.launches = [kernel](const Config& config) { return launch(kernel, config, config.param("STAGES")); };
  rung.check = [](const Config& config) { return check_tile(config, config.param("STAGES")); };
  return rung;
}

int64_t persistent_ctas(const Config& config) { return std::min(count_tiles(config), config.param("CTAS")); }

/// A grid that does not depend on the sizes, unless there are fewer tiles than CTAs.
Rung make_persistent() {
  Rung rung = make_staged("persistent", {"Persistent CTAs", "持久线程块"}, "persistent");
  rung.params.emplace_back("CTAS");
  rung.launches = [](const Config& config) {
    std::vector<Launch> launches = launch("persistent", config, config.param("STAGES"));
    launches.front().grid.x = static_cast<uint32_t>(persistent_ctas(config));
    return launches;
  };
  rung.grid_formula = [](const Config& config) {
    return fmt::format("min({}, {}) = {}", with_separators(config.param("CTAS")), with_separators(count_tiles(config)),
                       with_separators(persistent_ctas(config)));
  };
  return rung;
}

Rung make_triton(std::string name, Text title, const std::string& kernel, bool grouped) {
  Rung rung{.name = std::move(name),
            .title = std::move(title),
            .kernel_file = "matmul.py",
            .kernels = {kernel},
            .params = {"DTYPE", "B_LAYOUT", "BM", "BN", "BK", "num_warps", "num_stages"},
            .grid_formula = tiles_formula,
            .check = [](const Config& config) { return check_triton_tile(config, memory_type(config)); }};
  if (grouped) rung.params.emplace_back("GROUP_M");
  rung.launches = [kernel, grouped](const Config& config) {
    const MatmulOperands operands = operands_of(config);
    return std::vector<Launch>{grouped ? launch_triton_matmul(kernel, config, operands, {"BM", "BN", "BK", "GROUP_M"})
                                       : launch_triton_matmul(kernel, config, operands, {"BM", "BN", "BK"})};
  };
  return rung;
}

std::vector<Rung> make_rungs() {
  return {make_plain("mma-shared", {"mma, shared memory", "mma，读共享内存"}, "mma_shared"),
          make_plain("ldmatrix", {"ldmatrix + swizzle", "ldmatrix + 混排"}, "ldmatrix_swizzled"),
          make_grouped(),
          make_staged("multi-stage", {"cp.async stages", "cp.async 多级流水"}, "multi_stage"),
          make_staged("double-buffered", {"Double-buffered", "片段双缓冲"}, "double_buffered"),
          make_persistent(),
          {.name = "auto",
           .title = {"Auto", "自动"},
           .params = {"DTYPE", "B_LAYOUT"},
           .pick = [](const Config& config, const GpuSpec& gpu) { return pick_tile(config, gpu, "double-buffered"); }},
          make_triton("triton-row-major", {"Triton, row-major", "Triton，按行"}, "matmul_row_major", false),
          make_triton("triton-grouped", {"Triton, grouped", "Triton，分组顺序"}, "matmul_grouped", true)};
}

std::vector<Param> make_params() {
  std::vector<Param> params{
      make_type_param(3),
      make_choice(
          "B_LAYOUT", {"Layout of B", "B 的布局"},
          {"Row-major, stored as K × N; or column-major, stored as N × K, as a linear layer stores its weights.",
           "行主序，即按 K × N 存放；或列主序，即按 N × K 存放，线性层的权重就是这样存的。"},
          {{"rows", {"row-major, K × N", "行主序，K × N"}}, {"columns", {"column-major, N × K", "列主序，N × K"}}})};
  for (Param& param : make_tile_params()) params.push_back(std::move(param));
  params.push_back(
      {.name = "CTAS",
       .title = {"Persistent CTAs", "持久线程块数"},
       .unit = {"CTAs", "线程块"},
       .help = {"Grid size of the persistent rung. The best value is as many CTAs as the GPU holds at a time.",
                "“持久线程块”这一级的网格大小，最好等于 GPU 同时容纳的线程块数。"},
       .value = 4,
       .min = 1,
       .max = 1024,
       .gpu_value = 132,
       .model_only = true});  // the grid is made of it, and the kernel asks how large that is
  for (Param& param : make_triton_matmul_params(4, 8)) params.push_back(std::move(param));
  return params;
}

std::vector<BreakIt> make_switches() {
  std::vector<BreakIt> switches =
      make_pipeline_switches({"multi-stage", "double-buffered", "persistent", "auto"}, kCudaRungs);
  drop_triton_mask(switches);
  // The rungs without a pipeline have two barriers a k-tile, and a persistent CTA one a tile.
  for (BreakIt& one : switches)
    if (one.name == "DROP_BARRIER")
      for (const Plant& plant : std::vector<Plant>{
               {.in = "mma_shared_tile", .replace = "__syncthreads();  // all warps", .by = "// all warps"},
               {.in = "mma_shared_tile", .replace = "__syncthreads();  // the k-tile", .by = "// the k-tile"},
               {.in = "ldmatrix_tile", .replace = "__syncthreads();  // all warps", .by = "// all warps"},
               {.in = "ldmatrix_tile", .replace = "__syncthreads();  // the k-tile", .by = "// the k-tile"},
               {.in = "persistent_tiles", .replace = "__syncthreads();", .by = ""}})
        one.plants.push_back(plant);
  switches.push_back(
      {.name = "UNSWIZZLED",
       .title = {"Do not swizzle", "不做混排"},
       .help = {"Rows that ldmatrix reads together start in the same bank: correct, but slower.",
                "ldmatrix 一起读的各行从同一个存储体开始：结果正确，但更慢。"},
       .plants = {{.replace = "SWIZZLE_A = EIGHT_ROWS;", .by = "SWIZZLE_A = NONE;", .file = "matmul_tiles.cuh"},
                  {.replace = "SWIZZLE_B = B_LAYOUT == 0 && DTYPE == 2 ? FOUR_ROWS : EIGHT_ROWS;",
                   .by = "SWIZZLE_B = NONE;",
                   .file = "matmul_tiles.cuh"}},
       .rungs = {"ldmatrix", "grouped", "multi-stage", "double-buffered", "persistent", "auto"},
       .only_slower = true});
  return switches;
}

Predict make_predict(Text question, std::vector<int64_t> choices, int64_t answer, Text why,
                     std::vector<std::string> rungs = {}) {
  return {.question = std::move(question),
          .choices = [choices = std::move(choices)](const Config&) { return choices; },
          .answer = [answer](const Config&) { return answer; },
          .why = [why = std::move(why)](const Config&) { return why; },
          .rungs = std::move(rungs)};
}

int64_t accumulators_per_lane(const Config& config) {
  return config.param("BM") * config.param("BN") / (32 * config.param("WARPS"));
}

Predict predict_accumulators() {
  return ask(
      {.question = {"A tile of BM × BN on WARPS warps: how many registers of each lane do the accumulators take?",
                    "BM × BN 的分块分给 WARPS 个线程束：累加器占每个通道多少个寄存器？"},
       .answer = accumulators_per_lane,
       .others = [](const Config& config) { return counts_around(accumulators_per_lane(config)); },
       .why =
           [](const Config& config) {
             const int64_t bm = config.param("BM"), bn = config.param("BN"), lanes = 32 * config.param("WARPS");
             return Text{fmt::format("{} · {} floats over {} lanes: {} of the 255 registers that a thread can "
                                     "have.",
                                     bm, bn, lanes, accumulators_per_lane(config)),
                         fmt::format("{} · {} 个 float 分给 {} 个通道：每个 {} 个，而一个线程最多有 255 个寄存器。", bm,
                                     bn, lanes, accumulators_per_lane(config))};
           }});
}

/// The shared memory of the stages of A and B, in KiB.
int64_t shared_kib(const Config& config) {
  const auto bytes = static_cast<int64_t>(size_of(memory_type(config)));
  return (config.param("BM") + config.param("BN")) * config.param("BK") * bytes * config.param("STAGES") / 1024;
}

Predict predict_shared_memory() {
  return ask({.question = {"STAGES k-tiles of A and of B: how many KiB of shared memory does a CTA take?",
                           "A、B 各 STAGES 个 k 分块：一个线程块占多少 KiB 共享内存？"},
              .answer = shared_kib,
              .others =
                  [](const Config& config) {
                    const int64_t kib = shared_kib(config);
                    return std::vector<int64_t>{kib / config.param("STAGES"), 2 * kib, kib / 2};
                  },
              .why =
                  [](const Config& config) {
                    const std::string sum = fmt::format(
                        "({} + {}) · {} · {} · {} = {} KiB", config.param("BM"), config.param("BN"), config.param("BK"),
                        size_of(memory_type(config)), config.param("STAGES"), shared_kib(config));
                    return Text{"(BM + BN) · BK elements in each stage: " + sum + ".",
                                "每级 (BM + BN) · BK 个元素：" + sum + "。"};
                  },
              .rungs = {"multi-stage", "double-buffered", "persistent"}});
}

std::vector<Predict> make_predicts() {
  return {
      predict_accumulators(),
      make_predict({"ldmatrix.x4 reads 32 rows of 16 bytes that are 128 bytes apart. How many wavefronts does it take "
                    "without a swizzle?",
                    "ldmatrix.x4 读 32 行，每行 16 字节，行距 128 字节。不做混排（swizzle），要几个 wavefront？"},
                   {4, 8, 32}, 32,
                   {"All rows start in the same bank, so each of the four matrices of 8 rows takes 8 wavefronts, 32 in "
                    "all. With the swizzle the 8 rows lie in 8 different groups of banks: 1 wavefront each, 4 in all.",
                    "所有行都从同一个存储体开始，四个矩阵各 8 行，每个要 8 个 wavefront，共 32 个；混排之后，8 行落在 "
                    "8 组不同的存储体：每个矩阵 1 个，共 4 个。"},
                   {"ldmatrix", "grouped", "multi-stage", "double-buffered", "persistent"}),
      make_predict(
          {"A warp's tile of 64 × 64 at a depth of 16: how many operations per byte that ldmatrix reads?",
           "一个线程束的 64 × 64 分块，深度 16：ldmatrix 每读一个字节对应多少次运算？"},
          {8, 16, 32, 64}, 32,
          {"2 · 64 · 64 · 16 operations from (64 + 64) · 16 · 2 bytes: 131,072 / 4,096 = 32. A tile of 32 × 32 has 16.",
           "2 · 64 · 64 · 16 次运算，读 (64 + 64) · 16 · 2 字节：131,072 / 4,096 = 32。32 × 32 的分块只有 16。"},
          {"ldmatrix", "grouped", "multi-stage", "double-buffered", "persistent"}),
      ask_tiles({"mma-shared", "ldmatrix", "grouped", "multi-stage", "double-buffered"}), predict_shared_memory()};
}

/// Triton's operands of TF32 are the floats as they are, of which the tensor cores ignore the lower 13 bits: rounding
/// towards zero, off by up to twice as much as to nearest, and always the same way.
Tolerance tolerance(const std::string& rung, const Config& config, DType) {
  Tolerance tolerance = product_tolerance(config);
  if (tensor_type(config) == TensorType::tf32 && rung.starts_with("triton")) tolerance.absolute *= 2;
  return tolerance;
}

std::function<std::string(const Config&)> product_operation() {
  return [](const Config& config) { return typed_operation("matmul", config); };
}

Lab make_matmul_tensor_core() {
  Lab lab;
  lab.name = "matmul-tensor-core";
  lab.stage = 5;
  lab.order = 30;
  lab.title = {"Matmul, tensor cores", "矩阵乘，张量核心"};
  lab.kernel_file = "matmul_tensor_core.cu";
  lab.sizes = {make_matmul_size("M", 300, 8192, 1, 32768), make_matmul_size("N", 336, 8192, 1, 32768),
               make_matmul_size("K", 144, 8192, 1, 32768)};
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.default_rung = "double-buffered";
  lab.references = {{"cuBLAS", "cublas", "matmul", product_operation()},
                    {"cuBLASLt", "cublaslt", "matmul", product_operation()},
                    {"PyTorch", "torch", "matmul", product_operation()},
                    {"Triton", "triton", "matmul", product_operation()}};
  lab.tolerance_for = tolerance;
  lab.predicts = make_predicts();
  lab.buffers = [](const Config& config) {
    return make_matmul_buffers(config, operands_of(config), memory_type(config));
  };
  lab.reference = [](const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
                     size_t begin, size_t end, double* expected) {
    multiply_in_double(config, operands_of(config), *buffers[kA], *buffers[kB], begin, end, expected);
  };
  lab.flops = matmul_flops;
  lab.useful_bytes = [](const Config& config) {
    return matmul_bytes(config, memory_type(config), memory_type(config));
  };
  lab.bytes_formula = {"2 or 4 · (M K + K N + M N) bytes: A and B read once, C written",
                       "2 或 4 ·（M K + K N + M N）字节：A、B 各读一次，写 C"};
  lab.speed_unit = SpeedUnit::teraflops;
  lab.peak_rate = [](const std::string&, const Config& config) { return tensor_rate(config); };
  lab.sweep_size = "M";
  lab.sweep_with = {"N", "K"};
  lab.sweep = {1024, 2048, 4096, 8192, 16384};
  lab.small_sizes = {256, 512, 1024};
  lab.most_simulated_flops = 1e10;
  lab.most_reference_flops = 2e9;
  return lab;
}

const bool registered = register_lab(make_matmul_tensor_core());

}  // namespace
}  // namespace tilescope::matmul_tensor_core_lab
