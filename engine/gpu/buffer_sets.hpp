// Copies of a run's device buffers for timing: kernels too short for a single event rotate through many sets, so that
// one execution does not find the previous one's data in the L2.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/gpu/context.hpp"
#include "engine/gpu/timing.hpp"

namespace tilescope {

/// Number of sets of `set_bytes` each that together exceed the L2 well; at least 2, and at most 64 for tiny sets.
int sets_beyond(uint64_t l2_bytes, uint64_t set_bytes);

class BufferSets {
 public:
  /// `count` copies of `buffers` with their contents; all must be in one context.
  static Result<BufferSets> copies_of(std::span<const std::shared_ptr<DeviceBuffer>> buffers, int count);
  const std::vector<AddressSet>& addresses() const { return addresses_; }

 private:
  std::vector<std::shared_ptr<GpuMemory>> memory_;
  std::vector<AddressSet> addresses_;
};

/// Sources and destinations of a device copy. The sources repeat the contents of `like`: copying zeros would be faster
/// than copying data.
class CopySets {
 public:
  static Result<CopySets> make(std::span<const std::shared_ptr<DeviceBuffer>> like, size_t bytes, int count);
  const std::vector<CopyAddresses>& addresses() const { return addresses_; }

 private:
  std::vector<std::shared_ptr<GpuMemory>> memory_;
  std::vector<CopyAddresses> addresses_;
};

}  // namespace tilescope
