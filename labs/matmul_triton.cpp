#include "labs/matmul_triton.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/numbers.hpp"
#include "labs/limits.hpp"
#include "labs/triton.hpp"

namespace tilescope {
namespace {

constexpr int64_t kTritonMostAccumulators =
    128;  // floats that a lane can hold beside its fragments: half its registers

}  // namespace

std::vector<Param> make_triton_matmul_params(int64_t warps, int64_t gpu_warps) {
  std::vector<Param> params{num_warps_param(warps, 8), num_stages_param(3)};
  params.front().gpu_value = gpu_warps;
  return params;
}

Dim3 triton_tiles(const Config& config) {
  return {static_cast<uint32_t>(ceil_divide(config.size("M"), config.param("BM")) *
                                ceil_divide(config.size("N"), config.param("BN"))),
          1, 1};
}

Launch launch_triton_matmul(std::string kernel, const Config& config, const MatmulOperands& operands,
                            std::initializer_list<const char*> constexprs) {
  const int64_t m = config.size("M"), n = config.size("N"), k = config.size("K");
  std::vector<Argument> arguments{BufferArgument{0}, BufferArgument{1}, BufferArgument{2}};  // a, b, c
  // A row-major matrix with rows of n elements has the strides n and 1; a column-major B has columns of k.
  const std::pair<int64_t, int64_t> b = operands.b_column_major ? std::pair{int64_t{1}, k} : std::pair{n, int64_t{1}};
  for (const int64_t number : {m, n, k, k, int64_t{1}, b.first, b.second, n, int64_t{1}})
    arguments.emplace_back(scalar(static_cast<int32_t>(number)));
  return triton_launch(std::move(kernel), triton_tiles(config), std::move(arguments), config, constexprs);
}

Result<void> check_triton_tile(const Config& config, DType type) {
  const int64_t rows = config.param("BM"), columns = config.param("BN");
  if (!std::has_single_bit(static_cast<uint64_t>(columns)))
    return fail(ErrorId::parameter_range, "BN", columns, phrase("a power of two, as every extent of a Triton tensor"));
  const int64_t accumulators = rows * columns / (32 * config.param("num_warps"));
  if (accumulators > kTritonMostAccumulators)
    return fail(ErrorId::parameter_range, "BM · BN / (32 · num_warps), the accumulators of a lane,", accumulators,
                phrase("at most {}, half of its registers", kTritonMostAccumulators));
  // For a Hopper GPU the compiler makes num_stages buffers of A and B, for the simulator one less. At the end C passes
  // through the same memory, so that a warp stores whole rows.
  const auto element = static_cast<int64_t>(size_of(type));
  const int64_t stages = (rows + columns) * config.param("BK") * element * config.param("num_stages");
  return check_shared("num_stages", std::to_string(config.param("num_stages")),
                      std::max(stages, rows * columns * element));
}

void drop_triton_mask(std::vector<BreakIt>& switches) {
  BreakIt& mask = *std::ranges::find(switches, "DROP_MASK", &BreakIt::name);
  mask.rungs.clear();
  for (const char* text :
       {", mask=row_inside & (k[None, :] < K - start), other=0.0",
        ", mask=(k[:, None] < K - start) & column_inside, other=0.0", ", mask=row_inside & column_inside"})
    mask.plants.push_back({.in = "multiply_tile", .replace = text, .by = "", .file = "matmul.py"});
}

}  // namespace tilescope
