// Copies of a run's device buffers, for timing: kernels too short for a single event run over many sets in turn, so
// that one execution does not find in the L2 what the last one left there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/gpu/context.hpp"
#include "engine/gpu/timing.hpp"

namespace tilescope {

/// Sets of `set_bytes` each that together are well past the L2; at least 2, and at most 64 where they are tiny.
int sets_beyond(uint64_t l2_bytes, uint64_t set_bytes);

class BufferSets {
 public:
  /// `count` copies with the contents of `buffers`, which are those of one context.
  static Result<BufferSets> copies_of(std::span<const std::shared_ptr<DeviceBuffer>> buffers, int count);
  const std::vector<AddressSet>& addresses() const { return addresses_; }

 private:
  std::vector<std::shared_ptr<GpuMemory>> memory_;
  std::vector<AddressSet> addresses_;
};

/// Sources and destinations of a device copy. The sources hold the contents of `like`, over and over: a copy of zeros
/// would be faster than a copy of data.
class CopySets {
 public:
  static Result<CopySets> make(std::span<const std::shared_ptr<DeviceBuffer>> like, size_t bytes, int count);
  const std::vector<CopyAddresses>& addresses() const { return addresses_; }

 private:
  std::vector<std::shared_ptr<GpuMemory>> memory_;
  std::vector<CopyAddresses> addresses_;
};

}  // namespace tilescope
