// Aggregates counts per memory instruction for the views: per source line, per buffer, and in total.
#pragma once

#include <span>

#include "engine/run_result.hpp"

namespace tilescope {

/// Appends one launch's trace to the run's, with sites and patterns renumbered. `launch_sites` are the launch's counts;
/// they are appended to `run_sites` with the new numbers.
void append_launch(AccessTrace& run_trace, std::vector<SiteCount>& run_sites, const AccessTrace& launch_trace,
                   std::span<const SiteCount> launch_sites, uint32_t launch_index);

/// Sums of the counters of several launches.
void add_counters(Counters& total, const Counters& launch);

/// The ledger. `sites` index into trace.sites; buffer names are those of `buffers`.
Traffic make_ledger(const AccessTrace& trace, std::vector<SiteCount> sites, const Counters& counters,
                    std::span<const BufferSpec> buffers);

}  // namespace tilescope
