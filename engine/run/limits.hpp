// Limits on a request: what does not fit into memory is refused, and what would take too long is executed or compared
// only in part.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/lab.hpp"
#include "engine/plan.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Checks the memory for host copies: initial contents, results, and on the simulator its own memory with its shadow.
Result<void> check_memory(const Plan& plan, DeviceKind device);

/// Whether the simulator would take too long for all of the blocks.
bool is_too_large(const Lab& lab, const Config& config);
/// The same; false if the run has no lab.
bool is_too_large(const Lab* lab, const Config& config);

/// The blocks to execute of a grid that is too large: evenly spaced, including the first and the last.
std::vector<uint32_t> sample_of(const Dim3& grid);

/// Records in the result of such a run how many blocks of the shown launch were executed, and why nothing is observed.
void note_sample(RunResult& result);

/// The number of elements to compare: all, or as many as a double-precision reference computes in a second or two.
size_t elements_to_compare(const Lab& lab, const Config& config, size_t elements);

}  // namespace tilescope
