// Turns races into findings, and names lines and shared memory for them.
#pragma once

#include "engine/sim/checks/races_global.hpp"
#include "engine/sim/checks/races_shared.hpp"
#include "engine/sim/state/chunk_record.hpp"
#include "engine/sim/state/launch.hpp"

namespace tilescope {

NotedFinding describe_race(const LaunchSetup& setup, Dim3 block, const SharedRace& race);
NotedFinding describe_race(const LaunchSetup& setup, const GlobalRace& race);

/// Findings of the same kind at the same lines are merged.
bool is_same_finding(const Program& program, const NotedFinding& a, const NotedFinding& b);
/// Merges a finding into an equal one.
void merge_finding(NotedFinding& into, NotedFinding from);

/// "kernels/x.cu:12", "kernels/load.cuh:40, called at kernels/x.cu:12", or the instruction if the compiler gave no
/// line.
Phrase location_of(const Program& program, uint32_t operation);
/// Whether two operations come from the same line, and from the same header line if they lie in a header.
bool is_same_line(const Program& program, uint32_t a, uint32_t b);
/// Sets file and line of a finding, those of its header, and `where`.
void set_place(Finding& finding, const Program& program, uint32_t operation);
/// "Bs[32][0] (shared memory of 8192 bytes)".
Phrase shared_place(const LaunchSetup& setup, uint64_t offset);

}  // namespace tilescope
