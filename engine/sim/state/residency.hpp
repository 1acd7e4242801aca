// How many blocks of a launch the modelled GPU holds at a time: those make progress side by side, the others begin when
// one of them has ended. A kernel whose blocks wait for one another needs them all.
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
