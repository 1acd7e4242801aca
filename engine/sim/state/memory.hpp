// The simulated address space: what lies at an address, and which of its bytes have been written.
//
//   extent   one variable or buffer: addresses [low, high), its bytes on the host, and a flag per byte that is 1 once
//            it has been written (none where everything has been, as after a full upload)
//
// The layout of the address space is that of engine/trace.hpp; local memory is one extent whose lanes lie apart.
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
  uint8_t* data = nullptr;              // of `low`; of lane 0, where lane_stride is not 0
  uint8_t* written = nullptr;           // of `low`; null: all of it has been written
  mutable uint64_t written_prefix = 0;  // bytes from `low` on that are known to have been written
  uint32_t lane_stride = 0;             // bytes between the copies of neighbouring lanes; 0: one copy
  int32_t buffer = -1;                  // index into Plan::buffers
  Space space = Space::global;
  bool read_only = false;
  bool is_whole = false;                          // counts as written, also after move()
  bool is_released = false;                       // freed; `high` is `low`
  uint64_t released_bytes = 0;                    // that it had
  bool watched = false;                           // races are looked for
  const SimulatedBuffer* made_on_read = nullptr;  // makes what is read before it has been written; null: nothing does
  std::string name;

  uint64_t bytes() const { return high - low; }
};

/// Whether what is read counts as written, by the flags of its bytes. Local, shared and heap memory hold structures,
/// whose gaps nobody writes and every copy reads: there one byte is enough. In buffers each byte has to be.
inline bool counts_as_written(const uint8_t* flags, size_t bytes, bool is_buffer) {
  return is_buffer ? std::memchr(flags, 0, bytes) == nullptr : std::memchr(flags, 1, bytes) != nullptr;
}

class DeviceHeap;

/// Extents by region of the address space.
class MemoryMap {
 public:
  /// Where the extents of the heap's window are.
  void set_heap(const DeviceHeap* heap) { heap_ = heap; }
  void add(Extent extent);
  /// The extent that holds [address, address + bytes), or nothing.
  const Extent* find(uint64_t address, uint64_t bytes) const;
  /// The extent that an address out of bounds belongs to: the last one of its region that begins at or before it.
  const Extent* nearest(uint64_t address) const;
  /// Has races looked for in the extent of an address; in a region; in all of global memory.
  void watch(uint64_t address);
  void watch_region(uint64_t window);
  void watch_all();
  /// Changes where the bytes of a window are, and with them those of its extents.
  void move(uint64_t window, uint8_t* data, uint8_t* written);

 private:
  const DeviceHeap* heap_ = nullptr;
  std::vector<std::vector<Extent>> regions_;  // by address >> kRegionBits, ascending `low`
};

/// Zeroed bytes, aligned as cudaMalloc aligns. Pages that are never touched cost nothing.
class HostPages {
 public:
  HostPages() = default;
  explicit HostPages(size_t bytes);
  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  /// Whether the memory was there to be had.
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
  /// Puts bytes at an offset, which count as written; those beyond the end are left out.
  void store(uint64_t offset, std::span<const std::byte> bytes);
  void download(std::span<std::byte> bytes) const;
  /// Makes the contents around bytes [offset, offset + bytes), except what the kernel has written there. For a kernel
  /// that runs on one host thread.
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
