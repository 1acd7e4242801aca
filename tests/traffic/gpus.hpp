// The GPUs of assets/gpus.toml, for tests.
#pragma once

#include <gtest/gtest.h>

#include "engine/specs.hpp"

namespace tilescope {

inline const std::vector<GpuSpec>& all_gpus() {
  static const std::vector<GpuSpec> gpus =
      read_gpu_specs(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "gpus.toml").value();
  return gpus;
}
inline const GpuSpec& gpu(const std::string& id) { return *find_gpu(all_gpus(), id); }

}  // namespace tilescope
