#include <gtest/gtest.h>

#include <vector>

#include "engine/bench/measure.hpp"

namespace tilescope {
namespace {

TEST(BootstrapMedian, OfNothingIsZero) {
  const Interval interval = bootstrap_median({});
  EXPECT_EQ(interval.median, 0);
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, 0);
}

TEST(BootstrapMedian, OfOneSampleIsThatSample) {
  const Interval interval = bootstrap_median(std::vector<double>{3.5});
  EXPECT_EQ(interval.median, 3.5);
  EXPECT_EQ(interval.low, 3.5);
  EXPECT_EQ(interval.high, 3.5);
}

TEST(BootstrapMedian, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(bootstrap_median(std::vector<double>{4, 1, 3, 10}).median, 3.5);
}

TEST(BootstrapMedian, IgnoresHowFarOutAnOutlierLies) {
  EXPECT_EQ(bootstrap_median(std::vector<double>{1, 2, 3, 4, 1e9}).median, 3);
}

TEST(BootstrapMedian, HasAnIntervalAroundItInsideTheSamples) {
  std::vector<double> samples;
  for (int i = 0; i < 101; ++i) samples.push_back(i);
  const Interval interval = bootstrap_median(samples);
  EXPECT_EQ(interval.median, 50);
  // The order statistics that bound the median's 95% interval for 101 samples: 50.5 ± 1.96 · √101 / 2.
  EXPECT_NEAR(interval.low, 40, 3);
  EXPECT_NEAR(interval.high, 60, 3);
}

TEST(BootstrapMedian, NarrowsWithMoreSamples) {
  std::vector<double> few, many;
  for (int i = 0; i < 10; ++i) few.push_back(i % 10);
  for (int i = 0; i < 1000; ++i) many.push_back(i % 10);
  const Interval wide = bootstrap_median(few), narrow = bootstrap_median(many);
  EXPECT_LT(narrow.high - narrow.low, wide.high - wide.low);
}

TEST(BootstrapMedian, GivesTheSameIntervalForTheSameSamples) {
  const std::vector<double> samples{0.31, 0.33, 0.30, 0.35, 0.32, 0.36, 0.31};
  const Interval first = bootstrap_median(samples), second = bootstrap_median(samples);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
}

TEST(BootstrapMedian, DoesNotDependOnTheUnit) {
  const Interval small = bootstrap_median(std::vector<double>{1, 2, 3, 4, 5});
  const Interval large = bootstrap_median(std::vector<double>{1000, 2000, 3000, 4000, 5000});
  EXPECT_DOUBLE_EQ(large.low, 1000 * small.low);
  EXPECT_DOUBLE_EQ(large.high, 1000 * small.high);
}

}  // namespace
}  // namespace tilescope
