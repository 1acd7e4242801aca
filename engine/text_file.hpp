// Reads whole files as text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilescope {

/// All bytes of a regular file; nothing if it cannot be read, with errno as set by the system, or 0.
std::optional<std::string> read_text(const std::filesystem::path& file);

}  // namespace tilescope
