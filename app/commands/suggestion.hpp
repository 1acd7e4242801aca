// The command line that the Sandbox would fill in, for an `exec` that says too little.
#pragma once

#include <string>

#include "app/commands/commands.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// An Error that names everything that is missing where grid or block are: before anything is compiled.
Result<void> check_complete(const ExecOptions& options, const std::string& source_text);

/// What the options say is kept, and decides the rest: a buffer's count follows from a size that is given. Empty where
/// the text of the file has no such kernel, or several and none is named.
std::string suggest_command(const ExecOptions& options, const std::string& source_text);

}  // namespace tilescope
