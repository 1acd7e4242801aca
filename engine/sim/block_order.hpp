// What has happened before what, between blocks that see one another's writes.
//
// A block publishes by a fence and a strong access behind it (or an access that releases): what the warp did before the
// fence, and what the other warps of the block did before its last barrier; and what other warps did before their own
// fences, if a barrier stands between these and the access. Whoever reads that place by a strong access
// takes all of it over, for its block. The clocks of many blocks are large, so none is ever copied: a place keeps the
// list of what was published there, and a block remembers how much of which lists it has seen.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilescope {

class BlockOrder {
 public:
  // Times of a block grow with each of its barriers and fences.
  uint32_t time(uint32_t block) { return state(block).time; }
  void barrier(uint32_t block);
  void fence(uint32_t block, uint32_t warp);

  /// A strong access: what it reads, and what it publishes.
  void acquire(uint32_t block, uint64_t place);
  void publish(uint32_t block, uint32_t warp, uint64_t place);

  /// Whether what `warp` of `block` did at `time` has happened before what `later` does now.
  bool is_before(uint32_t block, uint32_t warp, uint32_t time, uint32_t later) const;

 private:
  struct Entry {
    uint32_t block, warp;
    uint32_t own_time;                                    // what the warp has done up to here,
    uint32_t block_time;                                  // and all of the block up to here
    uint32_t seen;                                        // and what the block had seen
    std::shared_ptr<const std::vector<uint32_t>> fenced;  // and what each warp has done up to here
  };
  struct Place {
    std::vector<Entry> entries;
    std::unordered_map<uint32_t, std::vector<uint32_t>> of_block;
  };
  struct Seen {
    const Place* place;
    uint32_t entries;
  };
  struct Fence {
    uint32_t own_time = 0, block_time = 0;  // 0: there was none
  };
  struct State {
    uint32_t time = 1, barrier_time = 0;
    std::vector<Fence> fences;  // by warp
    // As of the last barrier.
    std::shared_ptr<const std::vector<uint32_t>> fenced;
    uint32_t fenced_block_time = 0;
    bool new_fences = false;
    std::vector<Seen> seen;
    std::unordered_map<const Place*, uint32_t> newest;     // how many entries of a place it has seen
    mutable std::unordered_map<uint32_t, uint32_t> known;  // times of other blocks that are before all of it
  };
  State& state(uint32_t block);

  std::unordered_map<uint32_t, std::unique_ptr<State>> states_;
  std::unordered_map<uint64_t, std::unique_ptr<Place>> places_;
};

}  // namespace tilescope
