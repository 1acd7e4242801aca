// A GPU's heap: the memory that kernels get from malloc and new. It lives as long as a run; its blocks are checked like
// buffers, and an address is never reused, so that every use after free is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "engine/sim/state/memory.hpp"

namespace tilescope {

class DeviceHeap {
 public:
  /// The default on a GPU, unless cudaDeviceSetLimit(cudaLimitMallocHeapSize) changes it.
  static constexpr uint64_t kBytes = uint64_t{8} << 20;

  /// The address of unwritten memory; 0 if there is no room left.
  uint64_t allocate(uint64_t bytes);

  enum class Release : uint8_t { done, twice, unknown };
  /// Frees memory; address 0 is allowed.
  Release release(uint64_t address);

  /// The last allocation that begins at or before an address, else the first one; null if there is none.
  const Extent* nearest(uint64_t address) const;

  /// Whether nothing was ever allocated.
  bool unused() const { return allocations_.empty(); }
  void reset();

 private:
  struct Allocation {
    Extent extent;
    HostPages data, written;
  };
  void forget_oldest_released();

  std::map<uint64_t, Allocation> allocations_;  // by address, including freed ones
  uint64_t next_ = 0;                           // offset in the heap's window
  uint64_t in_use_ = 0;                         // bytes, including the overhead of each allocation
  size_t released_ = 0;
};

}  // namespace tilescope
