// How much of a sweep a run of the tests takes. `./tilescope test --thorough` sets TILESCOPE_THOROUGH and takes all of
// it; otherwise the rungs of a lab share its values, and of some other long lists every second or third entry is taken.
#pragma once

#include <cstdlib>
#include <vector>

namespace tilescope {

inline bool is_thorough() { return std::getenv("TILESCOPE_THOROUGH") != nullptr; }

/// All values, or every `stride`th of them, starting at the one whose turn it is.
template <class T>
std::vector<T> values_in_turn(const std::vector<T>& values, size_t turn, size_t stride) {
  if (is_thorough() || values.empty()) return values;
  std::vector<T> taken;
  for (size_t i = turn % stride % values.size(); i < values.size(); i += stride) taken.push_back(values[i]);
  return taken;
}

}  // namespace tilescope
