// The GPUs of assets/gpus.toml, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/specs.hpp"

namespace tilescope {

inline const std::vector<GpuSpec>& all_gpus() {
  static const std::vector<GpuSpec> gpus =
      read_gpu_specs(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "gpus.toml").value();
  return gpus;
}
inline const GpuSpec& gpu(std::string_view id) { return *find_gpu(all_gpus(), std::string(id)); }

}  // namespace tilescope
