// Date and time in the format of results, recordings and files.
#pragma once

#include <string>

namespace tilescope {

/// "2026-11-24T06:30:00Z"
std::string utc_now();

}  // namespace tilescope
