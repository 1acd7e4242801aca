// What the tensor core labs on matrix multiplication share (matmul-tensor-core, matmul-epilogue): the element type, the
// tile and its limits, launches, and the tolerance of the result.
#pragma once

#include <string>
#include <vector>

#include "engine/specs.hpp"
#include "labs/matmul.hpp"

namespace tilescope {

enum class TensorType : int64_t { f16 = 0, bf16 = 1, tf32 = 2 };  // values of the parameter DTYPE

TensorType tensor_type(const Config& config);
/// What memory holds: TF32 is read from floats and rounded by the kernel.
DType memory_type(const Config& config);
/// The rate of the tensor cores for this type, for the roofline.
PeakRate tensor_rate(const Config& config);
MatmulOperands operands_of(const Config& config);
/// Whether rows of A, B and C begin on 16 bytes. Decided once per launch: for other rows a different
/// kernel is launched.
bool rows_are_aligned(const Config& config);

/// The operation asked of the references: "matmul_bf16" for prefix "matmul".
std::string typed_operation(const std::string& prefix, const Config& config);

/// DTYPE with the first `types` of fp16, bf16 and tf32.
Param make_type_param(size_t types);
/// BM, BN, BK, WARPS, STAGES and GROUP_M.
std::vector<Param> make_tile_params();
/// "Drop the mask", "remove the barrier", "do not wait for the copies", for these rungs.
std::vector<BreakIt> make_pipeline_switches(const std::vector<std::string>& staged,
                                            const std::vector<std::string>& all);

/// One CTA for each tile of C, with `stages` k-tiles of A and B in shared memory. The sizes are appended to the
/// arguments.
Launch launch_tiles(std::string kernel, const Config& config, int64_t stages, std::vector<Argument> arguments);
std::string tiles_formula(const Config& config);
/// Number of tiles of C.
int64_t count_tiles(const Config& config);
/// "How many CTAs are launched?", for rungs with one CTA per tile.
Predict ask_tiles(std::vector<std::string> rungs);
/// Whether the tile fits into a lane's registers and an SM's shared memory.
Result<void> check_tile(const Config& config, int64_t stages);

/// The error bound of A · B: the tensor cores' summation, rounding the operands to TF32, and rounding the result.
Tolerance product_tolerance(const Config& config);

/// The tile for a shape: the largest one with which no SM has much more work than any other.
Pick pick_tile(const Config& config, const GpuSpec& gpu, const std::string& rung);

}  // namespace tilescope
