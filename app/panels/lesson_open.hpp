// Opens an external address with the desktop's own program.
#pragma once

#include <string>

namespace tilescope {

/// Starts xdg-open in the background. Only http and https addresses are opened; anything else returns false.
bool open_address(const std::string& address);

}  // namespace tilescope
