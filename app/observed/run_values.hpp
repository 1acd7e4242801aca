// Numbers of a finished run by name, for the questions of steps and of review cards, whose answers are expressions such
// as "sectors / requests".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/run_result.hpp"

namespace tilescope {

/// The value of a name, over all launches unless it says otherwise; nothing for an unknown name, or if the run observed
/// nothing.
///
///     the lab's sizes and parameters by name
///     blocks, threads, threads_per_block, warps_per_block, waves, resident, held    of the shown launch
///     launches, requests, sectors, bytes_moved, bytes_useful, load_requests, load_sectors, store_requests,
///     store_sectors, atomics, shared_wavefronts, bank_conflicts, barriers, instructions, idle_threads
///     registers, shared_bytes    of a block, the largest of the launches
///     findings, wrong_elements
std::optional<double> run_value(std::string_view name, const RunResult& result);

}  // namespace tilescope
