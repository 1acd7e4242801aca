// A launch as its blocks see it, and the state kept for each of its memory instructions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/executor.hpp"
#include "engine/sim/program/program.hpp"
#include "engine/sim/state/memory.hpp"
#include "engine/sim/state/observe.hpp"

namespace tilescope {

class BlockFollower;
class SharedNames;

/// Data shared by all machines of a launch.
struct LaunchSetup {
  const Program* program = nullptr;
  Dim3 grid, block;
  uint32_t shared_bytes = 0;  // static and dynamic
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> parameters;
  MemoryMap memory;  // buffers and the module's variables
  struct Texture {
    TextureSpec spec;
    uint64_t address = 0;  // where its first texel is
  };
  std::vector<Texture> textures;  // the kernel gets the texture_object() of each
  std::shared_ptr<const SharedNames> shared_names;
  DeviceHeap* heap = nullptr;
  size_t buffers = 0;
  bool checks = true, count = true, record = false;
  bool record_shared = true;
  bool watch_global = false;         // some extent is checked for races
  std::span<const uint32_t> chosen;  // the blocks to execute; empty: all
  uint64_t access_budget = 0;
  uint64_t step_budget = 0;  // for the launch
  uint64_t hang_budget = 0;  // for a block; for all resident blocks until one ends, if they may wait for each other
  uint64_t steps_per_block = UINT64_MAX;  // a block is stopped after these
  uint64_t launch_index = 0;              // within the run
  uint64_t resident_blocks = 1;
  Phrase residency_reason;
  BlockFollower* follower = nullptr;          // runs the warps of the block that it follows; only with one machine
  std::vector<uint64_t>* executed = nullptr;  // by operation: number of executions; only with one machine
  uint32_t multiprocessors = 1, warps_per_multiprocessor = 1;  // on the modelled GPU

  uint64_t blocks() const { return chosen.empty() ? grid.count() : chosen.size(); }
  /// The linear index of the block that is executed at this position.
  uint64_t block_at(uint64_t position) const { return chosen.empty() ? position : chosen[position]; }
};

/// State that the memory handlers keep per memory instruction: its last extent and its last lane pattern.
struct SiteState {
  uint64_t low = 1, high = 0;  // addresses of the extent it last touched; initially none
  uint64_t origin = 0;         // the address that `data` belongs to: `low`, or the start of local memory
  uint8_t* data = nullptr;
  uint8_t* written = nullptr;
  uint64_t* written_prefix = nullptr;  // Extent::written_prefix
  AccessPattern* pattern = nullptr;
  SiteCount* count = nullptr;  // null: not counted
  uint32_t lane_stride = 0;
  uint32_t bytes_per_lane = 0;
  uint16_t observed = 0xffff;
  bool narrow_address = false;
  bool is_shared = false;  // the extent is shared memory
  bool is_local = false;
  bool is_buffer = false;
  bool is_store = false;
  bool is_load = false;
  bool watched = false;      // accesses in the extent are checked for races
  bool is_async = false;     // belongs to an asynchronous copy
  bool is_matrix = false;    // its lanes give the addresses of a matrix's rows
  bool lanes_apart = false;  // its lanes never share a pass over the banks: true for stores and the matrices of an
                             // ldmatrix
};

}  // namespace tilescope
