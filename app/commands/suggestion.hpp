// The command line that the Sandbox would fill in, for an incomplete `exec`.
#pragma once

#include <string>

#include "app/commands/commands.hpp"
#include "app/commands/exec_source.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// Checks before compiling that grid, block and the constexprs of a Triton kernel are given; the Error names everything
/// that is missing.
Result<void> check_complete(const ExecOptions& options, ExecSource& source);

/// Given options are kept and determine the rest: for example, a buffer's count is derived from a given size. Empty if
/// the file has no such kernel, or has several and none is named.
std::string suggest_command(const ExecOptions& options, ExecSource& source);

}  // namespace tilescope
