// The command line that the Sandbox would fill in, for an incomplete `exec`.
#pragma once

#include <string>

#include "app/commands/commands.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// Checks before compiling that grid and block are given; the Error names everything that is missing.
Result<void> check_complete(const ExecOptions& options, const std::string& source_text);

/// Given options are kept and determine the rest: for example, a buffer's count is derived from a given size. Empty if
/// the file has no such kernel, or has several and none is named.
std::string suggest_command(const ExecOptions& options, const std::string& source_text);

}  // namespace tilescope
