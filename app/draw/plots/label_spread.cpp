#include "app/draw/plots/label_spread.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilescope::plots {
namespace {

std::vector<size_t> by_priority(std::span<const int> priorities) {
  std::vector<size_t> order(priorities.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return priorities[a] > priorities[b]; });
  return order;
}

}  // namespace

// With the k-th label's position written as z + k · height, "at least height apart" becomes "z ascending": isotonic
// regression, solved by pooling neighbours that are out of order.
std::vector<float> spread_labels(std::span<const float> wanted, float height, float low, float high) {
  const size_t count = wanted.size();
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });

  struct Pool {
    float mean;
    size_t members;
  };
  std::vector<Pool> pools;
  for (size_t k = 0; k < count; ++k) {
    pools.push_back({wanted[order[k]] - static_cast<float>(k) * height, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean >= pools.back().mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& before = pools.back();
      const auto a = static_cast<float>(before.members), b = static_cast<float>(last.members);
      before = {(before.mean * a + last.mean * b) / (a + b), before.members + last.members};
    }
  }

  const float highest = std::max(low, high - static_cast<float>(count == 0 ? 0 : count - 1) * height);
  std::vector<float> centres(count);
  size_t k = 0;
  for (const Pool& pool : pools)
    for (size_t member = 0; member < pool.members; ++member, ++k)
      centres[order[k]] = std::clamp(pool.mean, low, highest) + static_cast<float>(k) * height;
  return centres;
}

std::vector<size_t> keep_labels(std::span<const int> priorities, size_t room) {
  std::vector<size_t> kept = by_priority(priorities);
  kept.resize(std::min(room, kept.size()));
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::vector<size_t> keep_apart(std::span<const float> centres, std::span<const int> priorities, float height) {
  std::vector<size_t> kept;
  for (const size_t candidate : by_priority(priorities)) {
    const bool free = std::none_of(
        kept.begin(), kept.end(), [&](size_t other) { return std::abs(centres[candidate] - centres[other]) < height; });
    if (free) kept.push_back(candidate);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace tilescope::plots
