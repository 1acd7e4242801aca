// Runs the blocks of a launch on the host's threads.
#pragma once

#include <stop_token>

#include "engine/sim/collect.hpp"
#include "engine/sim/machine.hpp"

namespace tilescope {

/// False: the host has no memory left. What the blocks did is in the collector.
bool run_blocks(const LaunchSetup& setup, Collector& collector, const std::stop_token& stop, unsigned threads);

}  // namespace tilescope
