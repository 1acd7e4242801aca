// What the Triton rungs of the labs have in common: their sliders and the form of a launch.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// The sliders of a lab's Triton rungs. They are no defines of the CUDA kernels.
Param triton_block_param(std::string name, Text title, int64_t value, int64_t min, int64_t max);
Param num_warps_param(int64_t value, int64_t max = 16);
Param num_stages_param(int64_t value, int64_t max = 5);

/// kernel[grid](arguments…, constexprs…, num_warps=…, num_stages=…): the constexprs are these, and the parameters of
/// the configuration with these names; num_warps and num_stages are the configuration's, where the lab has such
/// sliders.
Launch triton_launch(std::string kernel, Dim3 grid, std::vector<Argument> arguments, const Config& config,
                     std::initializer_list<const char*> params, std::vector<Define> constexprs = {});

}  // namespace tilescope
