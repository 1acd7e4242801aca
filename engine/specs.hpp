// The GPUs that can be modelled: assets/gpus.toml, which gives the source of each value.
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

/// Dense operations per second (a fused multiply-add is two); nothing if no document gives a value. tf32, fp16, bf16,
/// fp8, int8 and fp64_tensor are tensor core rates.
struct PeakRates {
  std::optional<double> fp64, fp64_tensor, fp32, tf32, fp16, bf16, fp8, int8;
  std::optional<double> of(PeakRate rate) const;
};

/// Limits determined by the compute capability.
struct ArchitectureSpec {
  uint32_t l1_and_shared_bytes = 0;  // per SM; L1 is what shared memory leaves
  uint32_t shared_bytes_per_multiprocessor = 0;
  uint32_t shared_bytes_per_block = 0;           // maximum, with opt-in
  uint32_t reserved_shared_bytes_per_block = 0;  // reserved by the system
  uint32_t shared_granularity = 0;               // a block's shared memory is rounded up to a multiple of it
  std::vector<uint32_t> shared_carve_outs = {};  // bytes, ascending: the possible sizes of shared memory
  uint32_t registers_per_multiprocessor = 0, registers_per_block = 0, registers_per_thread = 0;
  uint32_t register_granularity = 0;  // granularity of a warp's registers
  uint32_t sub_partitions = 0;        // per SM; each has its share of the registers
  uint32_t max_threads_per_multiprocessor = 0, max_warps_per_multiprocessor = 0;
  uint32_t max_blocks_per_multiprocessor = 0, max_threads_per_block = 0;
  std::optional<uint32_t> barriers_per_multiprocessor;  // only if they are a limit
};

struct GpuSpec : ArchitectureSpec {
  std::string id;            // "h200"
  std::string name;          // "H200"
  std::string driver_name;   // the CUDA driver's name: "NVIDIA H200"
  std::string architecture;  // "sm_90"
  uint32_t multiprocessors = 0;
  uint64_t l2_bytes = 0;
  uint32_t l2_partitions = 1;       // each caches for the SMs beside it
  std::vector<uint32_t> gpcs = {};  // SMs of each GPC, in the order in which a grid fills them; empty: not known
  uint64_t memory_bytes = 0;
  double memory_bytes_per_second = 0;
  std::optional<double> boost_clock_hz;
  std::optional<double> tensor_clock_hz;  // clock of the tensor cores' rates, if it differs
  PeakRates peak;
  /// Time per launch in a sequence of empty launches: launched one by one from a program, and as nodes of a CUDA graph.
  /// Nothing if not measured.
  std::optional<double> launch_seconds, graph_launch_seconds;
};

/// Every GPU of the file, in file order. A missing file, a syntax error or a missing value is an Error.
Result<std::vector<GpuSpec>> read_gpu_specs(const std::filesystem::path& file);

/// Null if there is none.
const GpuSpec* find_gpu(const std::vector<GpuSpec>& gpus, const std::string& id);
/// The GPU with this CUDA driver name; null if there is none.
const GpuSpec* find_gpu_of_driver(const std::vector<GpuSpec>& gpus, const std::string& driver_name);
/// "v100, a100, h200", for messages.
std::string gpu_ids(const std::vector<GpuSpec>& gpus);

/// The GPU that is modelled by default, and its values, which are built in from assets/gpus.toml.
constexpr const char* kUsualGpu = "h200";
const GpuSpec& usual_gpu();

}  // namespace tilescope
