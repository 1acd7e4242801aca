// Suggests template arguments that compile for a kernel that was named without them.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/compile/declared_kernels.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// Adds a tested suggestion to the error of a run whose template kernel has no arguments; returns any other error
/// unchanged. `request` is the run's.
Error with_arguments_that_compile(Error error, Compiler& compiler, CompileRequest request,
                                  std::span<const Launch> launches, std::span<const DeclaredKernel> declared,
                                  const std::stop_token& stop);

/// Candidates to try, best first: the arguments in host code, then guesses for each parameter by its kind.
std::vector<std::string> template_candidates(const DeclaredKernel& kernel);

}  // namespace tilescope
