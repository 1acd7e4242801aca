// Sizes of attention labs and of the layer of a Transformer.
#pragma once

#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// The values at the start and the largest ones, in the simulator and on a GPU. The least is 1.
struct SizeLimits {
  int64_t value = 1, gpu_value = 1;
  int64_t max_sim = 1, max_gpu = 1;
};
Size size_from_one(std::string name, Text title, Text unit, const SizeLimits& limits, std::vector<int64_t> offered);

}  // namespace tilescope
