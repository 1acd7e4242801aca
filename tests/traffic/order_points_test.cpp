// The block-order model against counters of an H200 and of an H100, for launches that none of its constants was fitted
// to.
#include "tools/order_points.hpp"

#include <gtest/gtest.h>

#include "engine/traffic/block_order/model_error.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

/// The full set takes minutes; tools/model_orders.cpp runs it.
const double kMostMultiplyAdds = is_thorough() ? 6e11 : 3e11;

class OrderPoints : public testing::Test {
 protected:
  void SetUp() override {
    const std::string root = TILESCOPE_SOURCE;
    auto gpus = read_gpu_specs(root + "/assets/gpus.toml");
    ASSERT_TRUE(gpus) << gpus.error().message;
    h200_ = *find_gpu(*gpus, "h200");
    h100_ = *find_gpu(*gpus, "h100");
    on_h200_ = read_order_points(root + "/assets/counters/block-orders.h200.csv");
    on_h100_ = read_order_points(root + "/assets/counters/block-orders.h100.csv");
    ASSERT_EQ(on_h200_.size(), 790U);
    ASSERT_EQ(on_h100_.size(), 790U);
  }

  static std::vector<OrderPoint> kept_out_of(const std::vector<OrderPoint>& all) {
    std::vector<OrderPoint> points;
    for (const OrderPoint& one : all)
      if (one.kept_out && static_cast<double>(one.m) * one.n * one.k <= kMostMultiplyAdds) points.push_back(one);
    return points;
  }

  GpuSpec h200_, h100_;
  std::vector<OrderPoint> on_h200_, on_h100_;
};

TEST_F(OrderPoints, WhatWasKeptOutIsWhatTheStatedErrorSpeaksOf) {
  EXPECT_EQ(std::ranges::count_if(on_h200_, &OrderPoint::kept_out), kOrderKeptOut.cases);
  EXPECT_EQ(std::ranges::count_if(on_h100_, &OrderPoint::kept_out), kSteadyOrderKeptOut.cases);
  // No shape is in both sets.
  for (const OrderPoint& a : on_h200_)
    for (const OrderPoint& b : on_h200_)
      if (a.kept_out && !b.kept_out) {
        EXPECT_FALSE(a.tile() == b.tile() && a.m == b.m && a.n == b.n && a.k == b.k) << a.tile() << ' ' << a.m;
      }
}

TEST_F(OrderPoints, TheSameLaunchesWereCountedOnAnH100) {
  for (size_t i = 0; i < on_h200_.size(); ++i) {
    const OrderPoint &one = on_h200_[i], &other = on_h100_[i];
    EXPECT_TRUE(other.is_same_launch(one)) << i;
    EXPECT_EQ(other.kept_out, one.kept_out) << i;
    EXPECT_EQ(one.counts(ClockState::falling).reads.size(), 6U) << i;
    EXPECT_EQ(one.counts(ClockState::steady).reads.size(), 9U) << i;
    EXPECT_EQ(other.counts(ClockState::falling).reads.size(), 9U) << i;
    EXPECT_EQ(other.counts(ClockState::steady).reads.size(), 10U) << i;
  }
}

TEST(CountsOfAPoint, AreHeldByTheOthersIfTheseAreNearOrEnclose) {
  OrderPoint point{.kept_out = true};
  const auto held = [&](std::vector<double> reads) {
    point.counts(ClockState::steady).reads = std::move(reads);
    return counts_held_by_others({point}, ClockState::steady);
  };
  using Held = std::pair<size_t, size_t>;
  EXPECT_EQ(held({100, 101, 114}), Held(3, 3));
  EXPECT_EQ(held({100, 101, 102, 150}), Held(3, 4));
  EXPECT_EQ(held({100, 150, 200}), Held(1, 3)) << "150 is between the others";
  EXPECT_EQ(held({100}), Held(0, 0));
  point.kept_out = false;
  EXPECT_EQ(held({100, 101}), Held(0, 0));
}

/// The model's error is the stated one, and it is better than the sum of strips.
void expect_error(const std::vector<OrderPoint>& points, const std::vector<ModelledPoint>& modelled, ClockState state,
                  const KeptOutError& stated) {
  ASSERT_GT(points.size(), 80U);
  std::vector<OrderCase> cases, sure;
  for (size_t i = 0; i < points.size(); ++i) {
    cases.push_back({&points[i], &modelled[i]});
    if (modelled[i].model.is_sure()) sure.push_back(cases.back());
  }
  const OrderErrors model = errors_of(cases, state), by_hand = errors_of(cases, state, true);
  const auto share = [](size_t part, const OrderErrors& of) {
    return static_cast<double>(part) / static_cast<double>(of.cases);
  };
  EXPECT_GE(share(model.held, model), static_cast<double>(stated.within_15_percent) / stated.cases - 0.03);
  EXPECT_GE(share(model.ranges_held, model), static_cast<double>(stated.in_range) / stated.cases - 0.03);
  EXPECT_LE(model.median, stated.median_percent + 1);
  EXPECT_GT(model.held, by_hand.held) << "the sum of strips would do as well";
  const OrderErrors certain = errors_of(sure, state);
  EXPECT_GT(certain.cases, points.size() / 3) << "the model is hardly ever sure";
  EXPECT_GE(share(certain.held, certain), 0.95);
}

TEST_F(OrderPoints, KeptOutLaunchesAreAsCloseAsStated) {
  const std::vector<OrderPoint> points = kept_out_of(on_h200_);
  const std::vector<ModelledPoint> modelled = model_points(points, h200_);
  expect_error(points, modelled, ClockState::falling, kOrderKeptOut);
  expect_error(points, modelled, ClockState::steady, kSteadyOrderKeptOut);
}

TEST_F(OrderPoints, KeptOutLaunchesWithASteadyClockAreAsCloseAsStatedOnAnH100Too) {
  const std::vector<OrderPoint> points = kept_out_of(on_h100_);
  expect_error(points, model_points(points, h100_), ClockState::steady, kSteadyOrderKeptOut);
}

}  // namespace
}  // namespace tilescope
