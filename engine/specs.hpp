// The GPUs that can be modelled: assets/gpus.toml, each value with its source there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// Operations per second (a fused multiply-add is two), dense; nothing where no document gives them. Those of tf32,
/// fp16, bf16, fp8, int8 and fp64_tensor are the tensor cores'.
struct PeakRates {
  std::optional<double> fp64, fp64_tensor, fp32, tf32, fp16, bf16, fp8, int8;
  std::optional<double> of(PeakRate rate) const;
};

/// What follows from the compute capability.
struct ArchitectureSpec {
  uint32_t l1_and_shared_bytes = 0;  // of one multiprocessor: what shared memory does not take is L1
  uint32_t shared_bytes_per_multiprocessor = 0;
  uint32_t shared_bytes_per_block = 0;           // at most, opted into
  uint32_t reserved_shared_bytes_per_block = 0;  // by the system
  uint32_t shared_granularity = 0;               // a block's shared memory is a multiple of it
  std::vector<uint32_t> shared_carve_outs = {};  // bytes, ascending: the sizes that shared memory can have
  uint32_t registers_per_multiprocessor = 0, registers_per_block = 0, registers_per_thread = 0;
  uint32_t register_granularity = 0;  // of a warp's registers
  uint32_t sub_partitions = 0;        // of a multiprocessor; each has its share of the registers
  uint32_t max_threads_per_multiprocessor = 0, max_warps_per_multiprocessor = 0;
  uint32_t max_blocks_per_multiprocessor = 0, max_threads_per_block = 0;
  std::optional<uint32_t> barriers_per_multiprocessor;  // where they are a limit
};

struct GpuSpec : ArchitectureSpec {
  std::string id;            // "h200"
  std::string name;          // "H200"
  std::string driver_name;   // "NVIDIA H200", as the CUDA driver calls it
  std::string architecture;  // "sm_90"
  uint32_t multiprocessors = 0;
  uint64_t l2_bytes = 0;
  uint32_t l2_partitions = 1;  // each caches for the multiprocessors beside it
  uint64_t memory_bytes = 0;
  double memory_bytes_per_second = 0;
  std::optional<double> boost_clock_hz;
  std::optional<double> tensor_clock_hz;  // of the tensor cores' rates, where it is another one
  PeakRates peak;
  /// What one launch of many that do nothing takes: called one by one from a program, and as a node of a CUDA graph.
  /// Nothing where nobody has measured it.
  std::optional<double> launch_seconds, graph_launch_seconds;
};

/// Every GPU of the file, in its order. A missing file, a syntax error or a missing value is an Error.
Result<std::vector<GpuSpec>> read_gpu_specs(const std::filesystem::path& file);

/// Null if there is none.
const GpuSpec* find_gpu(const std::vector<GpuSpec>& gpus, const std::string& id);
/// The one that the CUDA driver calls so; null if there is none.
const GpuSpec* find_gpu_of_driver(const std::vector<GpuSpec>& gpus, const std::string& driver_name);
/// "v100, a100, h200", for messages.
std::string gpu_ids(const std::vector<GpuSpec>& gpus);

/// The GPU that is modelled where nothing else is said, and its values, which are built in from assets/gpus.toml.
constexpr const char* kUsualGpu = "h200";
const GpuSpec& usual_gpu();

}  // namespace tilescope
