// The happens-before relation between blocks that see each other's writes.
//
// This is causality order (PTX ISA 9.0, section 8.9.5), as far as the simulator's order of execution decides it:
//
//   release    a fence followed by a strong write, or a releasing write, publishes what the warp did before; what the
//              other warps of the block did before its last barrier; and what other warps did before their own fences,
//              if a barrier separates these from the write
//   acquire    a strong read takes over what is published at the address it reads: for its warp, and from the next
//              barrier on for all of its block. A fence after a relaxed read is not required
//   observed   an atomic passes on what was published at its address before; a store ends that
//   scope      an access with block scope publishes nothing to other blocks
//
// The clocks of many blocks are large, so none is ever copied: an address keeps the list of what was published there,
// and a block remembers which parts of which lists it has seen.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilescope {

class HappensBefore {
 public:
  // A block's time advances with each of its barriers and fences.
  uint32_t time(uint32_t block) { return state(block).time; }
  void barrier(uint32_t block);
  void fence(uint32_t block, uint32_t warp);
  /// Warps of the block have synchronized in a different way, through shared memory.
  void meet(uint32_t block);

  /// A strong access: acquire for a read, publish for a write. `replaces`: a store, not an atomic.
  void acquire(uint32_t block, uint32_t warp, uint64_t place);
  void publish(uint32_t block, uint32_t warp, uint64_t place, bool replaces);

  /// Whether the action of `warp` of `block` at `time` happens before what `later_warp` of the block `later` does now.
  bool is_before(uint32_t block, uint32_t warp, uint32_t time, uint32_t later, uint32_t later_warp) const;

 private:
  struct Entry {
    uint32_t block, warp;
    uint32_t own_time;                                    // what the warp has done up to here,
    uint32_t block_time;                                  // what all of the block has done up to here,
    uint32_t seen, seen_by_all;                           // what the warp had seen,
    std::shared_ptr<const std::vector<uint32_t>> fenced;  // and what each warp had done up to its fence
  };
  struct Place {
    std::vector<Entry> entries;
    uint32_t first = 0;  // earlier entries were published by writes that a later store has replaced
    std::unordered_map<uint32_t, std::vector<uint32_t>> of_block;
  };
  struct Seen {
    const Place* place;
    uint32_t first, end;  // entries
    uint32_t warp;        // the warp that read there
  };
  struct Fence {
    uint32_t own_time = 0, block_time = 0;  // 0: there was none
  };
  struct State {
    uint32_t time = 1, barrier_time = 0;
    uint32_t met_time = 0;      // all warps of the block know what each did up to here
    std::vector<Fence> fences;  // by warp
    // As of the last barrier.
    std::shared_ptr<const std::vector<uint32_t>> fenced;
    uint32_t fenced_block_time = 0;
    bool new_fences = false;
    std::vector<Seen> seen;
    uint32_t seen_by_all = 0;                                        // prefix of `seen` that all warps of the block
                                                                     // know
    std::unordered_map<const Place*, std::vector<uint32_t>> newest;  // by warp: the end of what it has seen at an
                                                                     // address
    // By block and own warp: the other block's time that is before all that the warp does.
    mutable std::unordered_map<uint64_t, uint32_t> known;
  };
  struct Search;
  State& state(uint32_t block);

  std::unordered_map<uint32_t, std::unique_ptr<State>> states_;
  std::unordered_map<uint64_t, std::unique_ptr<Place>> places_;
};

}  // namespace tilescope
