// The GPUs that are modelled where none is present: assets/gpus.toml, each value with its source there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/result.hpp"

namespace tilescope {

struct GpuSpec {
  std::string id;            // "h200"
  std::string name;          // "H200"
  std::string architecture;  // "sm_90"
  uint32_t multiprocessors = 0;
  uint64_t l2_bytes = 0;
  double memory_bytes_per_second = 0;
  uint32_t max_threads_per_multiprocessor = 0, max_blocks_per_multiprocessor = 0;
};

/// Every GPU of the file, in its order. A missing file, a syntax error or a missing value is an Error.
Result<std::vector<GpuSpec>> read_gpu_specs(const std::filesystem::path& file);

}  // namespace tilescope
