// Runs the blocks of a launch on the host's threads.
#pragma once

#include <stop_token>

#include "engine/sim/machine/collect.hpp"
#include "engine/sim/machine/machine.hpp"

namespace tilescope {

/// Runs one block alone, without collecting results. False: the host is out of memory.
bool run_block(const LaunchSetup& setup, uint64_t index, Collector& collector, const std::stop_token& stop);

/// False: the host is out of memory. The results are in the collector.
bool run_blocks(const LaunchSetup& setup, Collector& collector, const std::stop_token& stop, unsigned threads);

}  // namespace tilescope
