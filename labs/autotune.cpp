// Lab "autotune": one matrix product and the space of its configurations. kernels/autotune.cu holds the CUDA rungs,
// kernels/matmul.py the one in Triton; engine/tune searches.
#include "labs/autotune.hpp"

#include <algorithm>

#include "engine/numbers.hpp"
#include "engine/tune/maps/tuned.hpp"
#include "labs/limits.hpp"
#include "labs/matmul_triton.hpp"
#include "labs/triton.hpp"

namespace tilescope {
namespace {

enum Buffer : size_t { kA, kB, kC };
constexpr const char* kOneSize = "one-size";
constexpr const char* kTuned = "tuned";
constexpr const char* kGroup = "8";  // GROUP_M of every rung
constexpr int64_t kWarp = 32, kChunkBytes = 16;
constexpr int64_t kBanksBytes = 128;        // a row of all banks: a panel of the k-tile is as wide
constexpr int64_t kMostAccumulators = 128;  // floats that a lane can hold beside its fragments
constexpr int64_t kRegisters = 65536;       // on an SM

tl::unexpected<Error> not_possible(const std::string& what, const std::string& value, const Phrase& why) {
  return tl::unexpected(
      make_error(ErrorId::bad_launch, {what, value, why}, phrase("Choose other values of {}.", what)));
}

std::string tile_text(const Config& config) { return fmt::format("{} × {}", config.param("BM"), config.param("BN")); }

Result<void> check_registers(const Config& config) {
  const int64_t accumulators = accumulators_of_lane(config), threads = kWarp * config.param("WARPS");
  if (accumulators > kMostAccumulators)
    return not_possible("BM × BN", tile_text(config),
                        phrase("on {} warps the accumulators of a lane would take {} registers, and {} leave room for "
                               "the fragments",
                               config.param("WARPS"), accumulators, kMostAccumulators));
  if (accumulators * threads >= kRegisters)
    return not_possible(
        "BM × BN", tile_text(config),
        phrase("the accumulators alone would take all {} registers of an SM", with_separators(kRegisters)));
  return {};
}

/// Each pass of a copy moves 16 bytes per thread, in whole rows of a panel of at most 128 bytes.
Result<void> check_copies(const Config& config) {
  const int64_t bytes = static_cast<int64_t>(size_of(memory_type(config))), threads = kWarp * config.param("WARPS");
  const auto rows_of_pass = [&](int64_t columns) {
    return threads * kChunkBytes / std::min<int64_t>(columns * bytes, kBanksBytes);
  };
  const int64_t a = rows_of_pass(config.param("BK")), b = rows_of_pass(config.param("BN"));
  if (config.param("BM") % a != 0)
    return not_possible("BM", std::to_string(config.param("BM")),
                        phrase("{} threads copy {} rows of A at a time, and it is not a multiple of that", threads, a));
  if (config.param("BK") % b != 0)
    return not_possible("BK", std::to_string(config.param("BK")),
                        phrase("{} threads copy {} rows of B at a time, and it is not a multiple of that", threads, b));
  return {};
}

/// The warps form rows and columns over the tile, and each has whole 16 × 16 parts of it.
Result<void> check_warps(const Config& config) {
  const int64_t warps = config.param("WARPS"), bm = config.param("BM"), bn = config.param("BN");
  for (int64_t rows = 1; rows <= warps; rows *= 2)
    if (bm % (16 * rows) == 0 && bn * rows % (16 * warps) == 0) return {};
  return not_possible("WARPS", std::to_string(warps),
                      phrase("no arrangement of the warps divides {} × {} into parts of whole 16 × 16 tiles", bm, bn));
}

Result<void> check_stages(const Config& config) {
  const int64_t bytes = shared_bytes_of_cta(config);
  if (bytes <= most_shared_bytes()) return {};
  return not_possible("STAGES", std::to_string(config.param("STAGES")),
                      phrase("the stages would take {} bytes of shared memory, and a CTA has at most {}",
                             with_separators(bytes), with_separators(most_shared_bytes())));
}

Result<void> check_configuration(const Config& config) {
  for (const auto check : {check_registers, check_copies, check_warps, check_stages})
    if (auto possible = check(config); !possible) return possible;
  return {};
}

/// Every tile of C reads its rows of A and its columns of B; C is written once.
double requested_bytes(const Config& config) {
  const auto m = static_cast<double>(config.size("M")), n = static_cast<double>(config.size("N")),
             k = static_cast<double>(config.size("K"));
  const auto down = static_cast<double>(ceil_divide(config.size("M"), config.param("BM"))),
             across = static_cast<double>(ceil_divide(config.size("N"), config.param("BN")));
  return static_cast<double>(size_of(memory_type(config))) * (m * k * across + k * n * down + m * n);
}

Rung make_one_size() {
  Rung rung{.name = kOneSize,
            .title = {"One size for all", "一组参数走天下"},
            .kernels = {"matmul", "matmul_unaligned"},
            .params = {"DTYPE", "BM", "BN", "BK", "WARPS", "STAGES"},
            .grid_formula = tiles_formula,
            .requested_bytes = requested_bytes,
            .check = check_configuration};
  rung.launches = [](const Config& config) {
    return std::vector<Launch>{launch_tiles(rows_are_aligned(config) ? "matmul" : "matmul_unaligned", config,
                                            config.param("STAGES"),
                                            {BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kC}})};
  };
  return rung;
}

Rung make_tuned() {
  return {.name = kTuned,
          .title = {"Tuned", "调优"},
          .params = {"DTYPE"},
          .pick = [](const Config& config, const GpuSpec& gpu) {
            return pick_tuned(*find_lab("autotune"), kOneSize, config, gpu);
          }};
}

Rung make_triton() {
  Rung rung{.name = "triton",
            .title = {"Triton", "Triton"},
            .kernel_file = "matmul.py",
            .kernels = {"matmul_grouped"},
            .params = {"DTYPE", "BM", "BN", "BK", "num_warps", "num_stages"},
            .grid_formula = tiles_formula,
            .requested_bytes = requested_bytes,
            .check = [](const Config& config) { return check_triton_tile(config, memory_type(config)); }};
  rung.launches = [](const Config& config) {
    Launch launch = launch_triton_matmul("matmul_grouped", config, operands_of(config), {"BM", "BN", "BK"});
    launch.triton.constexprs.push_back({"GROUP_M", kGroup});
    return std::vector<Launch>{launch};
  };
  return rung;
}

Param make_power(std::string name, Text title, Text unit, Text help, int64_t value, int64_t min, int64_t max) {
  return {.name = std::move(name),
          .title = std::move(title),
          .unit = std::move(unit),
          .help = std::move(help),
          .value = value,
          .min = min,
          .max = max,
          .scale = Scale::power_of_two};
}

std::vector<Param> make_params() {
  const Text elements{"elements", "元素"};
  std::vector<Param> params{
      make_type_param(2),
      make_power("BM", {"Tile, rows", "分块行数"}, elements,
                 {"Rows of C that one CTA computes.", "一个线程块计算的 C 的行数。"}, 64, 32, 256),
      make_power("BN", {"Tile, columns", "分块列数"}, elements,
                 {"Columns of C that one CTA computes.", "一个线程块计算的 C 的列数。"}, 64, 64, 256),
      make_power("BK", {"Tile, depth", "分块深度"}, elements,
                 {"Extent along K of the tiles of A and B in shared memory.", "共享内存中 A、B 分块沿 K 的长度。"}, 32,
                 32, 64),
      make_power("WARPS", {"Warps per CTA", "每个线程块的线程束数"}, {"warps", "线程束"},
                 {"The warps share the tile: with more of them each lane holds fewer accumulators.",
                  "各线程束分摊分块：线程束越多，每个通道的累加器越少。"},
                 4, 2, 16),
      {.name = "STAGES",
       .title = {"Stages", "流水级数"},
       .unit = {"k-tiles", "级"},
       .help = {"k-tiles that shared memory holds: one is multiplied while the others are in flight.",
                "共享内存容纳的 k 分块数：一个在计算，其余在途。"},
       .value = 3,
       .min = 2,
       .max = 5}};
  Param& columns = params[2];
  columns.scale = Scale::linear;  // 192 is possible too
  columns.step = 64;
  params[1].gpu_value = 128;
  columns.gpu_value = 128;
  params[3].gpu_value = 64;
  for (Param& param : make_triton_matmul_params(4, 4)) params.push_back(std::move(param));
  return params;
}

Lab make_autotune() {
  constexpr int64_t kMost = 32768;
  const std::vector<std::string> cuda{kOneSize, kTuned};
  Lab lab;
  lab.name = "autotune";
  lab.stage = 8;
  lab.order = 1;
  lab.title = {"Autotuning", "自动调优"};
  lab.kernel_file = "autotune.cu";
  lab.defines = {{"B_LAYOUT", "0"}, {"GROUP_M", kGroup}};
  lab.sizes = {make_matmul_size("M", 200, 4096, 1, kMost), make_matmul_size("N", 264, 4096, 1, kMost),
               make_matmul_size("K", 144, 4096, 1, kMost)};
  lab.params = make_params();
  lab.break_it = make_pipeline_switches(cuda, cuda);
  drop_triton_mask(lab.break_it);
  lab.rungs = {make_one_size(), make_tuned(), make_triton()};
  const auto product = [](const Config& config) { return typed_operation("matmul", config); };
  lab.references = {{"cuBLAS", "cublas", "matmul", product}, {"PyTorch", "torch", "matmul", product}};
  lab.tolerance_for = [](const std::string&, const Config& config, DType) { return product_tolerance(config); };
  lab.predicts = make_autotune_predicts();
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
  lab.bytes_formula = {"2 (M K + K N + M N) bytes: A and B read once, C written",
                       "2 (M K + K N + M N) 字节：A、B 各读一次，写 C"};
  lab.speed_unit = SpeedUnit::teraflops;
  lab.peak_rate = [](const std::string&, const Config& config) { return tensor_rate(config); };
  lab.sweep_size = "M";
  lab.sweep = {16, 64, 256, 1024, 4096};
  lab.most_simulated_flops = 1e10;
  lab.most_reference_flops = 1e9;
  return lab;
}

const bool registered = register_lab(make_autotune());

}  // namespace

int64_t accumulators_of_lane(const Config& config) {
  return config.param("BM") * config.param("BN") / (kWarp * config.param("WARPS"));
}

int64_t shared_bytes_of_cta(const Config& config) {
  return (config.param("BM") + config.param("BN")) * config.param("BK") * config.param("STAGES") *
         static_cast<int64_t>(size_of(memory_type(config)));
}

}  // namespace tilescope
