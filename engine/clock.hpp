// Date and time in the format of results, recordings and files, and durations.
#pragma once

#include <chrono>
#include <string>

namespace tilescope {

/// "2026-11-24T06:30:00Z"
std::string utc_now();

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tilescope
