#include "engine/sim/state/device_heap.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#include "engine/sim/program/program.hpp"

namespace tilescope {
namespace {

/// Allocations are aligned like CUDA's, with at least this gap between them.
constexpr uint64_t kGap = 16;
/// Number of freed allocations that are remembered.
constexpr size_t kMostReleased = 1 << 16;

uint64_t bytes_taken(uint64_t bytes) { return (bytes + kGap - 1) / kGap * kGap + kGap; }

}  // namespace

uint64_t DeviceHeap::allocate(uint64_t bytes) {
  if (bytes > kBytes || bytes_taken(bytes) > kBytes - in_use_) return 0;
  const uint64_t address = kHeapWindow + kGap + next_;
  Allocation allocation;
  allocation.data = HostPages(bytes);
  allocation.written = HostPages(bytes);
  if (!allocation.data.ok() || !allocation.written.ok()) throw std::bad_alloc();
  allocation.extent.low = address;
  allocation.extent.high = address + bytes;
  allocation.extent.data = allocation.data.data();
  allocation.extent.written = allocation.written.data();
  allocation.extent.name = "heap";
  allocations_.emplace_hint(allocations_.end(), address, std::move(allocation));
  next_ += bytes_taken(bytes);
  in_use_ += bytes_taken(bytes);
  return address;
}

DeviceHeap::Release DeviceHeap::release(uint64_t address) {
  if (address == 0) return Release::done;
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return Release::unknown;
  Allocation& allocation = found->second;
  if (allocation.extent.is_released) return Release::twice;
  in_use_ -= bytes_taken(allocation.extent.bytes());
  allocation.extent.released_bytes = allocation.extent.bytes();
  allocation.extent.is_released = true;
  allocation.extent.high = allocation.extent.low;
  allocation.extent.data = allocation.extent.written = nullptr;
  allocation.data = HostPages();
  allocation.written = HostPages();
  if (++released_ > 2 * kMostReleased) forget_oldest_released();
  return Release::done;
}

void DeviceHeap::forget_oldest_released() {
  for (auto at = allocations_.begin(); at != allocations_.end() && released_ > kMostReleased;) {
    if (at->second.extent.is_released) {
      at = allocations_.erase(at);
      --released_;
    } else {
      ++at;
    }
  }
}

const Extent* DeviceHeap::nearest(uint64_t address) const {
  if (allocations_.empty()) return nullptr;
  const auto after = allocations_.upper_bound(address);
  return after == allocations_.begin() ? &after->second.extent : &std::prev(after)->second.extent;
}

void DeviceHeap::reset() {
  allocations_.clear();
  next_ = in_use_ = 0;
  released_ = 0;
}

}  // namespace tilescope
