#include "labs/attention_triton.hpp"

#include "labs/attention_shape.hpp"
#include "labs/triton.hpp"

namespace tilescope {
namespace {

std::vector<Launch> launch_flash(const Config& config) {
  const AttentionShape shape(config);
  const Dim3 grid{static_cast<uint32_t>(ceil_divide(shape.queries, config.param("BLOCK_M"))),
                  static_cast<uint32_t>(shape.heads), static_cast<uint32_t>(shape.batch)};
  std::vector<Argument> arguments;
  for (size_t buffer = 0; buffer < 5; ++buffer) arguments.emplace_back(BufferArgument{buffer});
  for (const int64_t number : {shape.group(), shape.queries, shape.keys})
    arguments.emplace_back(scalar(static_cast<int32_t>(number)));
  arguments.emplace_back(scalar(static_cast<float>(shape.scale())));
  return {triton_launch("flash_attention", grid, std::move(arguments), config,
                        {"HEAD_DIM", "CAUSAL", "BLOCK_M", "BLOCK_N"})};
}

Result<void> check_flash(const Config& config) {
  if (auto heads = check_heads(config); !heads) return heads;
  const int64_t m = config.param("BLOCK_M"), n = config.param("BLOCK_N"), depth = config.param("HEAD_DIM");
  const int64_t warps = config.param("num_warps"), stages = config.param("num_stages");
  // A lane holds its share of the scores and of O; 20 more registers are the least that addresses and fragments need.
  const int64_t accumulators = m * (n + depth) / (32 * warps);
  if (accumulators + 20 > kMostRegisters)
    return fail(ErrorId::parameter_range, "num_warps", warps,
                phrase("at least {}: the accumulators alone would take {} of a thread's 255 registers", warps * 2,
                       accumulators));
  // For a Hopper GPU the compiler makes num_stages buffers of K and V, for the simulator one less.
  return check_shared("num_stages", std::to_string(stages), 2 * depth * (m + 2 * stages * n));
}

}  // namespace

Rung make_triton_flash(std::function<std::string(const Config&)> grid_formula) {
  return {.name = "triton-flash",
          .title = {"Triton, flash", "Triton，flash"},
          .kernel_file = "attention.py",
          .kernels = {"flash_attention"},
          .params = {"HEAD_DIM", "CAUSAL", "DTYPE", "BLOCK_M", "BLOCK_N", "num_warps", "num_stages"},
          .launches = launch_flash,
          .grid_formula = std::move(grid_formula),
          .check = check_flash};
}

std::vector<Param> make_triton_flash_params() {
  std::vector<Param> params{num_warps_param(4, 8), num_stages_param(3, 4)};
  params.front().gpu_value = 8;
  return params;
}

}  // namespace tilescope
