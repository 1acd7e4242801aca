// Opens an external address or a document with the desktop's default program.
#pragma once

#include <filesystem>
#include <string>

namespace tilescope {

/// Starts xdg-open in the background. Only http and https addresses are opened; anything else returns false.
bool open_address(const std::string& address);
/// The same for a local file; false if it does not exist.
bool open_document(const std::filesystem::path& file);

}  // namespace tilescope
