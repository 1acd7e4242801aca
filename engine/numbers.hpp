// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace tilescope {

/// 98432 → "98,432".
std::string with_separators(int64_t value);

}  // namespace tilescope
