// Where a program is that is started by its name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// The program at this path; or of this name in the first of these folders, or else of PATH, that has it. Empty: there
/// is none.
std::filesystem::path find_program(const std::string& name, std::vector<std::filesystem::path> folders = {});

}  // namespace tilescope
