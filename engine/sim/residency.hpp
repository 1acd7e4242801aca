// How many blocks of a launch the modelled GPU holds at a time: those make progress side by side, the others begin when
// one of them has ended. A kernel whose blocks wait for one another needs them all.
#pragma once

#include <cstdint>
#include <string>

namespace tilescope {

struct BlockResources {
  uint32_t threads = 0;
  uint32_t registers_per_thread = 0;  // 0: unknown
  uint32_t shared_bytes = 0;
};

struct Residency {
  uint64_t blocks = 0;
  std::string reason = {};  // "2048 threads for each of 132 multiprocessors"
};

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0; the H200 of assets/gpus.toml.
struct ModelledGpu {
  static constexpr uint32_t kMultiprocessors = 132;
  static constexpr uint32_t kThreads = 2048, kBlocks = 32, kRegisters = 65536, kSharedBytes = 228 * 1024;
  static constexpr uint32_t kReservedSharedBytes = 1024;  // of each block
};

Residency resident_blocks(const BlockResources& block);

}  // namespace tilescope
