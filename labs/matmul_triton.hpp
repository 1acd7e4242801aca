// What the rungs in Triton of the matrix multiplication labs share: launches of kernels/matmul.py, sliders and limits.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "labs/matmul.hpp"

namespace tilescope {

/// num_warps, with its default on the simulator and on a GPU, and num_stages. The extents of the tile are the CUDA
/// rungs' BM, BN and BK.
std::vector<Param> make_triton_matmul_params(int64_t warps, int64_t gpu_warps);

/// One program for each tile of C. `constexprs` are parameters of the lab: BM, BN, BK …
Launch launch_triton_matmul(std::string kernel, const Config& config, const MatmulOperands& operands,
                            std::initializer_list<const char*> constexprs);
/// The grid of it.
Dim3 triton_tiles(const Config& config);

/// Whether the tile has extents that are powers of two, and fits into a lane's registers and an SM's shared memory;
/// `type` is that of A and B.
Result<void> check_triton_tile(const Config& config, DType type);

/// Adds to the switch DROP_MASK, which must be there, the masks of kernels/matmul.py, and the rungs in Triton to those
/// that it concerns.
void drop_triton_mask(std::vector<BreakIt>& switches);

}  // namespace tilescope
