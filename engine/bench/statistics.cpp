#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/bench/measure.hpp"

namespace tilescope {
namespace {

constexpr size_t kResamples = 1000;

/// SplitMix64: the standard distributions differ between libraries, and the same samples must give the same interval.
class Random {
 public:
  size_t below(size_t bound) {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return static_cast<size_t>(mixed % bound);
  }

 private:
  uint64_t state_ = 1;
};

/// Reorders the values.
double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

Interval bootstrap_median(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> values(samples.begin(), samples.end());
  Interval interval;
  interval.median = median_of(values);
  Random random;
  std::vector<double> medians(kResamples);
  for (double& median : medians) {
    for (double& value : values) value = samples[random.below(samples.size())];
    median = median_of(values);
  }
  std::sort(medians.begin(), medians.end());
  interval.low = medians[kResamples / 40];                    // 2.5%
  interval.high = medians[kResamples - 1 - kResamples / 40];  // 97.5%
  return interval;
}

}  // namespace tilescope
