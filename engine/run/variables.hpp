// The __constant__, __device__ and __managed__ variables of a module: what the host sets, and what it should have set.
#pragma once

#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/phrase.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// Finds Plan::variables in the module and makes them presets of the first launch. One that the module does not have,
/// or that is smaller than what it is given, is an Error.
Result<void> settle_variables(Plan& plan, const CompiledModule& module, uint64_t seed);

/// What makes a result doubtful although the kernels ran, a sentence each, after settle_variables: a variable that a
/// launched kernel reads, that no kernel of the plan writes, and that is zero only because the host code which sets it
/// does not run; a kernel of which nothing was left by an #if about the architecture.
std::vector<Phrase> doubts_about(const Plan& plan, const CompiledModule& module);

}  // namespace tilescope
