// How much of a request is carried out: what does not fit into memory is refused, and of what would take too long only
// a part is executed or compared.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/lab.hpp"
#include "engine/plan.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Host copies: the contents, what comes back, and on the simulator its own memory with its shadow.
Result<void> check_memory(const Plan& plan, DeviceKind device);

/// Whether the simulator would take too long for all of the blocks.
bool is_too_large(const Lab& lab, const Config& config);
/// The same; false where no lab declares what runs.
bool is_too_large(const Lab* lab, const Config& config);

/// Blocks that are executed of a grid that is too large: evenly spread, the first and the last among them.
std::vector<uint32_t> sample_of(const Dim3& grid);

/// Notes in the result of such a run how many blocks of the shown launch were executed, and why nothing is observed.
void note_sample(RunResult& result);

/// All, or what a reference in double precision can compute in a second or two.
size_t elements_to_compare(const Lab& lab, const Config& config, size_t elements);

}  // namespace tilescope
