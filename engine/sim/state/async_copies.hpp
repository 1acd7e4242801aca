// Copies in flight from global to shared memory (cp.async; PTX ISA 9.0, section 9.7.9.25.3).
//
//   issue      the bytes are read from global memory; their destination counts as unwritten from now on
//   commit     the thread's copies since its last commit become a group
//   wait       the thread's groups except its newest N arrive: their bytes are in shared memory, visible to all threads
//
// Groups belong to a thread, so each lane of a warp has its own count. A copy may instead be bound to an mbarrier
// (cp.async.mbarrier.arrive): it then arrives when the barrier's phase completes, unless it was waited for earlier.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/sim/state/memory.hpp"

namespace tilescope {

class AsyncCopies {
 public:
  static constexpr uint32_t kMostBytes = 16;

  /// One execution of cp.async by a warp.
  struct Copy {
    uint32_t operation = 0;             // index into Program::operations
    uint32_t lanes = 0;                 // lanes whose bytes are still in flight
    uint32_t bound_lanes = 0;           // lanes whose bytes are bound to an mbarrier
    uint32_t bytes = 0;                 // per lane
    uint32_t begin = 0, end = 0;        // the bytes of all lanes lie between; noted by find(), 0 until then
    std::array<uint32_t, 32> offset{};  // into shared memory
    std::array<uint32_t, 32> group{};   // groups that the lane had committed when it issued the copy
    std::array<uint32_t, 32> bound{};   // offset of the mbarrier of a bound lane
    alignas(64) std::array<std::array<uint8_t, kMostBytes>, 32> data{};
  };

  /// `written`: a flag per byte of shared memory, 1 once it has been written; null: no checks.
  AsyncCopies(uint8_t* shared, uint8_t* written, size_t shared_bytes, size_t warps);

  /// A block begins.
  void clear();
  bool any() const { return pending_count_ != 0; }
  /// Copies of the warp that have not arrived and are not bound to an mbarrier.
  uint32_t count(uint32_t warp) const;

  /// A copy of the warp, to be filled in and handed to issue().
  Copy& prepare(uint32_t warp);
  void issue(uint32_t warp, Copy& copy);
  void commit(uint32_t warp, uint32_t lanes);
  /// All groups except the newest `keep` arrive.
  void wait(uint32_t warp, uint32_t lanes, uint32_t keep);
  /// All copies arrive, in a group or not.
  void wait_all(uint32_t warp, uint32_t lanes);
  /// bind: the lane's copies so far are bound to the mbarrier at this offset. complete_bound: the copies bound to it
  /// arrive.
  void bind(uint32_t warp, uint32_t lane, uint32_t mbarrier);
  void complete_bound(uint32_t mbarrier);

  /// The copy with bytes of [offset, offset + bytes) in flight; null if there is none.
  const Copy* find(uint64_t offset, uint64_t bytes);

 private:
  struct OfWarp {
    std::array<uint32_t, 32> committed{};
    std::vector<Copy*> pending;  // in order of issue
  };

  static void note_range(Copy& copy);
  void arrive(Copy& copy, uint32_t lanes);
  void drop_arrived(OfWarp& warp);

  uint8_t* shared_;
  uint8_t* written_;
  HostPages on_their_way_;  // a flag per byte of shared memory
  std::vector<OfWarp> warps_;
  std::vector<std::unique_ptr<Copy>> copies_;  // owns them
  std::vector<Copy*> free_;
  size_t pending_count_ = 0;
};

}  // namespace tilescope
