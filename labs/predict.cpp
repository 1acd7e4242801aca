#include "labs/predict.hpp"

#include <algorithm>

#include "engine/numbers.hpp"

namespace tilescope {

Predict ask(Asked asked) {
  const auto choices = [answer = asked.answer, others = std::move(asked.others)](const Config& config) {
    constexpr size_t kMost = 4;
    const int64_t right = answer(config);
    std::vector<int64_t> all{right};
    for (const int64_t other : others(config))
      if (all.size() < kMost && other >= 0 && std::ranges::find(all, other) == all.end()) all.push_back(other);
    if (all.size() == 1) all.push_back(right + 1);
    std::ranges::sort(all);
    return all;
  };
  return {.question = std::move(asked.question),
          .choices = choices,
          .answer = std::move(asked.answer),
          .why = std::move(asked.why),
          .rungs = std::move(asked.rungs),
          .veils = asked.veils};
}

std::vector<int64_t> counts_around(int64_t count) { return {ceil_divide(count, 2), 2 * count, 4 * count}; }

int64_t sectors_of_elements(int64_t elements, int64_t bytes_each) {
  constexpr int64_t kSectorBytes = 32;
  return ceil_divide(elements * bytes_each, kSectorBytes);
}

}  // namespace tilescope
