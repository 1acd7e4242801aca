// Runs the blocks of a launch on the host's threads.
#pragma once

#include <stop_token>

#include "engine/sim/machine/collect.hpp"
#include "engine/sim/machine/machine.hpp"

namespace tilescope {

/// One block alone, which nothing is collected of. False: the host has no memory left.
bool run_block(const LaunchSetup& setup, uint64_t index, Collector& collector, const std::stop_token& stop);

/// False: the host has no memory left. What the blocks did is in the collector.
bool run_blocks(const LaunchSetup& setup, Collector& collector, const std::stop_token& stop, unsigned threads);

}  // namespace tilescope
