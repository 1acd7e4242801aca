// Sizes that a vector of any length may have, for tests that run every rung of a lab over them.
#pragma once

#include <cmath>
#include <random>
#include <vector>

namespace tilescope {

/// `count` sizes from 1 to `most`: around every power of two, primes, and numbers that are as often short as long.
inline std::vector<int64_t> random_sizes(size_t count, int64_t most, uint32_t seed) {
  std::vector<int64_t> sizes{1, 2, 3, 5, 7, 127, 131, 1009, 4099, 8191, 10007};
  for (int64_t power = 8; power <= most; power *= 2)
    for (const int64_t off : {-1, 0, 1}) sizes.push_back(power + off);
  std::erase_if(sizes, [most](int64_t size) { return size > most; });
  std::mt19937 random(seed);
  while (sizes.size() < count) {
    const double place = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    sizes.push_back(static_cast<int64_t>(std::exp(place * std::log(static_cast<double>(most)))));
  }
  sizes.resize(count);
  return sizes;
}

}  // namespace tilescope
