// The __constant__, __device__ and __managed__ variables of a module: those that the host sets, and those that it
// should have set.
#pragma once

#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/phrase.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// Finds Plan::variables in the module and makes them presets of the first launch. A variable that the module does not
/// have, or that is smaller than its value, is an Error.
Result<void> settle_variables(Plan& plan, const CompiledModule& module, uint64_t seed);

/// Reasons to doubt the result although the kernels ran, one sentence each; call after settle_variables. Reported are a
/// variable that a launched kernel reads, that no kernel of the plan writes, and that is zero only because the host
/// code that sets it does not run; and a kernel whose body an #if on the architecture removed.
std::vector<Phrase> doubts_about(const Plan& plan, const CompiledModule& module);

}  // namespace tilescope
