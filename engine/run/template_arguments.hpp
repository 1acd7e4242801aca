// Template arguments to suggest for a kernel that was named without them: some that compile.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/compile/declared_kernels.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// The error of a run whose template kernel has no arguments, with a suggestion that was tried; any other error as it
/// is. `request` is that of the run.
Error with_arguments_that_compile(Error error, Compiler& compiler, CompileRequest request,
                                  std::span<const Launch> launches, std::span<const DeclaredKernel> declared,
                                  const std::stop_token& stop);

/// What is worth trying, best first: what host code says, then something for each parameter by its kind.
std::vector<std::string> template_candidates(const DeclaredKernel& kernel);

}  // namespace tilescope
