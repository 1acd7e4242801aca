// One block while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/sim/state/call_stacks.hpp"
#include "engine/sim/state/memory.hpp"
#include "engine/sim/state/warp.hpp"
#include "engine/trace.hpp"

namespace tilescope {

class AsyncCopies;
class SharedRaces;  // checks/races_shared.hpp

struct Block {
  uint64_t index = 0;
  Dim3 id;
  uint64_t steps = 0;
  uint64_t barriers_passed = 0;
  uint32_t live_threads = 0;
  uint32_t next_warp = 0;
  bool round_waits = false, round_moves = false;  // since warp 0's turn: some warp only waited, some did not
  std::vector<Warp> warps;
  std::vector<CallStacks> call_stacks;  // by warp, if there are subroutines
  HostPages registers, uniform, predicates, shared, shared_written, local, local_written;
  struct Barrier {
    uint32_t warps = 0, threads = 0;  // number that have arrived
    uint32_t expected = 0;            // threads, 32 per warp; 0: all live ones
    uint32_t votes = 0, voters = 0;   // for bar.red
  };
  std::array<Barrier, 16> barriers{};
  std::shared_ptr<AsyncCopies> copies;  // set once the kernel has issued one
  SharedRaces* shared_races = nullptr;  // owned by its machine; null: nothing to check
  uint32_t time = 0;                    // advances with each barrier
  bool stopped = false;                 // it cannot be completed
};

/// One execution of a barrier instruction.
struct BarrierCall {
  uint32_t id = 0, count = 0;      // barrier, and number of participating threads (0: all)
  bool goes_on = false;            // bar.arrive
  uint32_t votes = 0, voters = 0;  // bar.red: lanes
};

}  // namespace tilescope
