// Whole files as text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilescope {

/// All bytes of a regular file; nothing where it cannot be read, with errno as the system set it, or 0.
std::optional<std::string> read_text(const std::filesystem::path& file);

}  // namespace tilescope
