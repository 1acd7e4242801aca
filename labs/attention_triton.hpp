// The rung of the lab "attention" that is written in Triton: kernels/attention.py.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// Takes the lab's buffers q, k, v, o and lse, in this order.
Rung make_triton_flash(std::function<std::string(const Config&)> grid_formula);
/// num_warps and num_stages. The extents of a tile are those of the CUDA rungs, BLOCK_M and BLOCK_N.
std::vector<Param> make_triton_flash_params();

}  // namespace tilescope
