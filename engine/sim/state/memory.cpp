#include "engine/sim/state/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "engine/sim/program/program.hpp"
#include "engine/sim/state/device_heap.hpp"

namespace tilescope {

void MemoryMap::add(Extent extent) {
  const auto region = static_cast<size_t>(extent.low >> kRegionBits);
  if (regions_.size() <= region) regions_.resize(region + 1);
  auto& list = regions_[region];
  const auto place = std::upper_bound(list.begin(), list.end(), extent.low,
                                      [](uint64_t low, const Extent& other) { return low < other.low; });
  list.insert(place, std::move(extent));
}

const Extent* MemoryMap::nearest(uint64_t address) const {
  // Addresses slightly below a region's start still belong to it (trace.hpp).
  const uint64_t half = uint64_t{1} << (kRegionBits - 1);
  const uint64_t region = (address + half) >> kRegionBits;
  if (address > std::numeric_limits<uint64_t>::max() - half) return nullptr;
  if (region == kHeapWindow >> kRegionBits) return heap_ == nullptr ? nullptr : heap_->nearest(address);
  if (region >= regions_.size()) return nullptr;
  const auto& list = regions_[region];
  if (list.empty()) return nullptr;
  auto after = std::upper_bound(list.begin(), list.end(), address,
                                [](uint64_t wanted, const Extent& other) { return wanted < other.low; });
  return after == list.begin() ? &list.front() : &*(after - 1);
}

const Extent* MemoryMap::find(uint64_t address, uint64_t bytes) const {
  const Extent* extent = nearest(address);
  if (extent == nullptr || address < extent->low || address > extent->high) return nullptr;
  return extent->high - address >= bytes ? extent : nullptr;
}

void MemoryMap::watch(uint64_t address) {
  const Extent* extent = nearest(address);
  if (extent == nullptr) return;
  for (auto& list : regions_)
    for (Extent& other : list)
      if (&other == extent && other.space == Space::global) other.watched = true;
}

void MemoryMap::watch_region(uint64_t window) {
  const auto region = static_cast<size_t>(window >> kRegionBits);
  if (region >= regions_.size()) return;
  for (Extent& extent : regions_[region])
    if (extent.space == Space::global) extent.watched = true;
}

void MemoryMap::watch_all() {
  for (auto& list : regions_)
    for (Extent& extent : list)
      if (extent.space == Space::global) extent.watched = true;
}

void MemoryMap::move(uint64_t window, uint8_t* data, uint8_t* written) {
  const auto region = static_cast<size_t>(window >> kRegionBits);
  if (region >= regions_.size()) return;
  for (Extent& extent : regions_[region]) {
    const uint64_t offset = extent.low - window;
    extent.data = data + offset;
    extent.written = written == nullptr || extent.is_whole ? nullptr : written + offset;
    extent.written_prefix = 0;
  }
}

HostPages::HostPages(size_t bytes) : bytes_(bytes) {
  constexpr size_t kAlignment = 512;
  if (bytes == 0) return;
  if (bytes > std::numeric_limits<size_t>::max() / 2) return;
  memory_.reset(std::calloc(1, bytes + 2 * kAlignment));  // calloc: the system's zero pages, untouched
  if (!memory_) return;
  const auto start = reinterpret_cast<uintptr_t>(memory_.get());
  data_ = static_cast<uint8_t*>(memory_.get()) + ((start + kAlignment - 1) / kAlignment * kAlignment - start);
}

void HostPages::Free::operator()(void* memory) const { std::free(memory); }

void SimulatedBuffer::upload(std::span<const std::byte> bytes, bool poison) {
  const size_t count = std::min(bytes.size(), data_.bytes());
  if (count == 0) return;
  std::memcpy(data_.data(), bytes.data(), count);
  if (poison && all_written_) std::memset(written_.data(), 1, data_.bytes());
  if (poison) all_written_ = false;
  if (!poison && count == data_.bytes()) all_written_ = true;
  if (!all_written_) std::memset(written_.data(), poison ? 0 : 1, count);
}

void SimulatedBuffer::store(uint64_t offset, std::span<const std::byte> bytes) {
  if (offset >= data_.bytes()) return;
  const size_t count = std::min(bytes.size(), static_cast<size_t>(data_.bytes() - offset));
  std::memcpy(data_.data() + offset, bytes.data(), count);
  if (!all_written_) std::memset(written_.data() + offset, 1, count);
}

void SimulatedBuffer::download(std::span<std::byte> bytes) const {
  const size_t count = std::min(bytes.size(), data_.bytes());
  if (count != 0) std::memcpy(bytes.data(), data_.data(), count);
}

void SimulatedBuffer::make_contents(uint64_t offset, uint64_t bytes) const {
  constexpr uint64_t kPiece = 4096;  // a multiple of every element's size
  std::vector<std::byte> piece;
  for (uint64_t first = offset / kPiece * kPiece; first < std::min<uint64_t>(offset + bytes, data_.bytes());
       first += kPiece) {
    piece.resize(std::min<uint64_t>(kPiece, data_.bytes() - first));
    uint8_t* flags = written_.data() + first;
    if (std::memchr(flags, 0, piece.size()) == nullptr) continue;
    contents_(first, piece);
    for (size_t i = 0; i < piece.size(); ++i) {
      if (flags[i] != 0) continue;
      data_.data()[first + i] = std::to_integer<uint8_t>(piece[i]);
      flags[i] = 1;
    }
  }
}

Extent SimulatedBuffer::extent() const {
  Extent extent;
  extent.low = address();
  extent.high = address() + data_.bytes();
  extent.data = data_.data();
  extent.written = all_written_ ? nullptr : written_.data();
  extent.buffer = static_cast<int32_t>(index_);
  extent.made_on_read = contents_ && !all_written_ ? this : nullptr;
  extent.name = name_;
  return extent;
}

}  // namespace tilescope
