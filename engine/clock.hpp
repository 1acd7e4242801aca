// The date and time as results, recordings and files carry them.
#pragma once

#include <string>

namespace tilescope {

/// "2026-11-24T06:30:00Z"
std::string utc_now();

}  // namespace tilescope
