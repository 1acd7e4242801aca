// How many blocks of a launch the modelled GPU holds at a time: these make progress concurrently, each other block
// starts when one of them has ended. A kernel whose blocks wait for each other needs all of them resident.
#pragma once

#include <cstdint>

#include "engine/phrase.hpp"
#include "engine/traffic/schedule/occupancy.hpp"

namespace tilescope {

struct Residency {
  uint64_t blocks = 0;
  Phrase reason = {};  // "2048 threads for each of 132 multiprocessors"
};

Residency resident_blocks(const GpuSpec& gpu, const BlockUsage& block);

}  // namespace tilescope
