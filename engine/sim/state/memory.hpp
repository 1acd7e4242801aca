// The simulated address space: which variable or buffer an address belongs to, and which of its bytes have been
// written.
//
//   extent   one variable or buffer: addresses [low, high), its bytes on the host, and a flag per byte that is 1 once
//            it has been written (no flags if all bytes are written, as after a full upload)
//
// The layout of the address space is defined in engine/trace.hpp; local memory is one extent with a separate copy per
// lane.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/executor.hpp"

namespace tilescope {

class SimulatedBuffer;

struct Extent {
  uint64_t low = 0, high = 0;
  uint8_t* data = nullptr;              // byte at `low`; for lane 0 if lane_stride is not 0
  uint8_t* written = nullptr;           // flag of `low`; null: all bytes have been written
  mutable uint64_t written_prefix = 0;  // bytes from `low` on that are known to be written
  uint32_t lane_stride = 0;             // bytes between the copies of neighbouring lanes; 0: one copy
  int32_t buffer = -1;                  // index into Plan::buffers
  Space space = Space::global;
  bool read_only = false;
  bool is_whole = false;                          // counts as written, even after move()
  bool is_released = false;                       // freed; `high` is `low`
  uint64_t released_bytes = 0;                    // its former size
  bool watched = false;                           // checked for races
  const SimulatedBuffer* made_on_read = nullptr;  // generates unwritten bytes when they are read; null: none
  std::string name;

  uint64_t bytes() const { return high - low; }
};

/// Whether a read counts as initialised, by the flags of its bytes. Local, shared and heap memory hold structures whose
/// padding is never written but always copied: there one written byte is enough. In buffers each byte must be written.
inline bool counts_as_written(const uint8_t* flags, size_t bytes, bool is_buffer) {
  return is_buffer ? std::memchr(flags, 0, bytes) == nullptr : std::memchr(flags, 1, bytes) != nullptr;
}

class DeviceHeap;

/// Extents by region of the address space.
class MemoryMap {
 public:
  /// Provides the extents of the heap's window.
  void set_heap(const DeviceHeap* heap) { heap_ = heap; }
  void add(Extent extent);
  /// The extent that contains [address, address + bytes), or null.
  const Extent* find(uint64_t address, uint64_t bytes) const;
  /// The extent to which an out-of-bounds address belongs: the last one of its region that begins at or before it.
  const Extent* nearest(uint64_t address) const;
  /// Enables race checking in the extent of an address; in a region; in all of global memory.
  void watch(uint64_t address);
  void watch_region(uint64_t window);
  void watch_all();
  /// Changes the host memory of a window, and with it that of its extents.
  void move(uint64_t window, uint8_t* data, uint8_t* written);

 private:
  const DeviceHeap* heap_ = nullptr;
  std::vector<std::vector<Extent>> regions_;  // by address >> kRegionBits, ascending `low`
};

/// Zeroed bytes, aligned like cudaMalloc's. Untouched pages cost nothing.
class HostPages {
 public:
  HostPages() = default;
  explicit HostPages(size_t bytes);
  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  /// Whether the allocation succeeded.
  bool ok() const { return bytes_ == 0 || data_ != nullptr; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

class SimulatedBuffer : public DeviceBuffer {
 public:
  SimulatedBuffer(const BufferRequest& request, HostPages data, HostPages written)
      : name_(request.name),
        index_(request.index),
        contents_(request.contents),
        data_(std::move(data)),
        written_(std::move(written)) {}

  uint64_t address() const override { return address_of(index_, 0); }
  size_t bytes() const override { return data_.bytes(); }

  void upload(std::span<const std::byte> bytes, bool poison);
  void count_as_written() { all_written_ = true; }
  /// Stores bytes at an offset and marks them as written; bytes beyond the end are dropped.
  void store(uint64_t offset, std::span<const std::byte> bytes);
  void download(std::span<std::byte> bytes) const;
  /// Generates the contents around bytes [offset, offset + bytes), except those that the kernel has written. For a
  /// kernel that runs on one host thread.
  void make_contents(uint64_t offset, uint64_t bytes) const;
  Extent extent() const;

 private:
  std::string name_;
  size_t index_;
  std::function<void(uint64_t first, std::span<std::byte> bytes)> contents_;
  HostPages data_, written_;
  bool all_written_ = false;
};

}  // namespace tilescope
