#include "labs/sizes.hpp"

#include <utility>

namespace tilescope {

Size size_from_one(std::string name, Text title, Text unit, const SizeLimits& limits, std::vector<int64_t> offered) {
  return {.name = std::move(name),
          .title = std::move(title),
          .unit = std::move(unit),
          .value = limits.value,
          .gpu_value = limits.gpu_value,
          .min = 1,
          .max_sim = limits.max_sim,
          .max_gpu = limits.max_gpu,
          .offered = std::move(offered)};
}

}  // namespace tilescope
