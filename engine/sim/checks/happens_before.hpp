// What has happened before what, between blocks that see one another's writes.
//
// This is causality order (PTX ISA 9.0, section 8.9.5), as far as the order in which the simulator executes decides it:
//
//   release    a fence and a strong write behind it, or a write that releases, publish what the warp did before; what
//              the other warps of the block did before its last barrier; and what other warps did before their own
//              fences, if a barrier stands between these and the write
//   acquire    a strong read takes over what is published where it reads, for its warp, and for all of its block from
//              the next barrier on. The fence behind a relaxed read is not asked for
//   observed   an atomic passes on what was published before it at its address; a store ends that
//   scope      what has the scope of the block publishes nothing to other blocks
//
// The clocks of many blocks are large, so none is ever copied: a place keeps the list of what was published there, and
// a block remembers which parts of which lists it has seen.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilescope {

class HappensBefore {
 public:
  // Times of a block grow with each of its barriers and fences.
  uint32_t time(uint32_t block) { return state(block).time; }
  void barrier(uint32_t block);
  void fence(uint32_t block, uint32_t warp);
  /// Warps of the block have synchronised in a different way, through shared memory.
  void meet(uint32_t block);

  /// A strong access: what it reads, and what it publishes. `replaces`: a store, and not an atomic.
  void acquire(uint32_t block, uint32_t warp, uint64_t place);
  void publish(uint32_t block, uint32_t warp, uint64_t place, bool replaces);

  /// Whether what `warp` of `block` did at `time` has happened before what `later_warp` of the block `later` does now.
  bool is_before(uint32_t block, uint32_t warp, uint32_t time, uint32_t later, uint32_t later_warp) const;

 private:
  struct Entry {
    uint32_t block, warp;
    uint32_t own_time;                                    // what the warp has done up to here,
    uint32_t block_time;                                  // and all of the block up to here
    uint32_t seen, seen_by_all;                           // and what the warp had seen
    std::shared_ptr<const std::vector<uint32_t>> fenced;  // and what each warp has done up to here
  };
  struct Place {
    std::vector<Entry> entries;
    uint32_t first = 0;  // entries before it were published by writes that a later store has replaced
    std::unordered_map<uint32_t, std::vector<uint32_t>> of_block;
  };
  struct Seen {
    const Place* place;
    uint32_t first, end;  // entries
    uint32_t warp;        // that has read there
  };
  struct Fence {
    uint32_t own_time = 0, block_time = 0;  // 0: there was none
  };
  struct State {
    uint32_t time = 1, barrier_time = 0;
    uint32_t met_time = 0;      // all warps of the block know of what each did up to here
    std::vector<Fence> fences;  // by warp
    // As of the last barrier.
    std::shared_ptr<const std::vector<uint32_t>> fenced;
    uint32_t fenced_block_time = 0;
    bool new_fences = false;
    std::vector<Seen> seen;
    uint32_t seen_by_all = 0;                                        // of `seen`: what all warps of the block know of
    std::unordered_map<const Place*, std::vector<uint32_t>> newest;  // by warp: the end of what it has seen of a place
    // By block and own warp: times of the block that are before all that the warp does.
    mutable std::unordered_map<uint64_t, uint32_t> known;
  };
  struct Search;
  State& state(uint32_t block);

  std::unordered_map<uint32_t, std::unique_ptr<State>> states_;
  std::unordered_map<uint64_t, std::unique_ptr<Place>> places_;
};

}  // namespace tilescope
