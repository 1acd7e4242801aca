// State shared by the parts of a machine: the launch, its address space, and the running block.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/sim/state/block.hpp"
#include "engine/sim/state/chunk_record.hpp"
#include "engine/sim/state/launch.hpp"

namespace tilescope {

struct Running {
  explicit Running(const LaunchSetup& launch)
      : setup(launch), program(*launch.program), memory(launch.memory), sites(program.sites.size()) {}

  const LaunchSetup& setup;
  const Program& program;
  MemoryMap memory;               // the launch's, with the windows of the running block
  std::vector<SiteState> sites;   // by index into Program::sites
  Block* block = nullptr;         // the running block,
  ChunkRecord* record = nullptr;  // and the record of its actions
};

}  // namespace tilescope
