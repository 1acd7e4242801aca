#include "engine/numbers.hpp"

#include <cstddef>

namespace tilescope {

std::string with_separators(int64_t value) {
  std::string digits = std::to_string(value);
  const ptrdiff_t first = value < 0 ? 1 : 0;
  for (ptrdiff_t position = static_cast<ptrdiff_t>(digits.size()) - 3; position > first; position -= 3)
    digits.insert(static_cast<size_t>(position), ",");
  return digits;
}

}  // namespace tilescope
