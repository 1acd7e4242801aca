// How labs write their questions (Predict).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

struct Asked {
  Text question = {};
  std::function<int64_t(const Config&)> answer = {};
  /// Wrong choices: what a likely mistake gives. Those that equal the answer at the present setting are left out, and
  /// so are all after the third.
  std::function<std::vector<int64_t>(const Config&)> others = {};
  std::function<Text(const Config&)> why = {};
  std::vector<std::string> rungs = {};
  std::optional<ShownNumber> veils = {};
};
/// The choices are the answer and up to three others, at least two in all.
Predict ask(Asked asked);

/// Half of a count, twice and four times as many: wrong choices where no mistake is more likely than others.
std::vector<int64_t> counts_around(int64_t count);
/// Sectors that hold this many contiguous elements, the first of them at the start of a sector.
int64_t sectors_of_elements(int64_t elements, int64_t bytes_each);

}  // namespace tilescope
