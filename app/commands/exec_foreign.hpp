// What `exec` does otherwise for a file that is not CUDA C++: Triton kernels (.py) and PTX (.ptx).
#pragma once

#include "app/commands/exec_names.hpp"
#include "app/commands/exec_source.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// Refuses options that mean nothing for this language.
Result<void> check_options(const ExecOptions& options, KernelLanguage language);

/// Refuses a -D for which a Triton kernel has no parameter.
Result<void> check_constexpr(const SourceKernel& kernel, const std::string& name);

/// Puts the arguments of the plan's launch in the kernel's order, and reads the constexprs, warps and stages of a
/// Triton kernel.
Result<void> settle_foreign(const ExecOptions& options, ExecSource& source, ExecNames& known, Plan& plan);

/// So that the Python process, which has a working folder of its own, finds the file.
std::string absolute_path(const std::string& file);

}  // namespace tilescope
