// The content of a .b128 register: moved, loaded and stored as a whole.
#pragma once

#include <cstdint>

namespace tilescope {

struct alignas(16) Word128 {
  uint64_t low = 0, high = 0;
  bool operator==(const Word128&) const = default;
};

}  // namespace tilescope
