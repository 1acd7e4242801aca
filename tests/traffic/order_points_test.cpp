// The block-order model against an H200's counters, for launches that none of its constants was fitted to.
#include "tools/order_points.hpp"

#include <gtest/gtest.h>

#include "engine/traffic/block_order/model_error.hpp"

namespace tilescope {
namespace {

/// The full set takes minutes; tools/model_orders.cpp runs it.
constexpr double kMostMultiplyAdds = 6e11;

class OrderPoints : public testing::Test {
 protected:
  void SetUp() override {
    const std::string root = TILESCOPE_SOURCE;
    auto gpus = read_gpu_specs(root + "/assets/gpus.toml");
    ASSERT_TRUE(gpus) << gpus.error().message;
    gpu_ = *find_gpu(*gpus, "h200");
    all_ = read_order_points(root + "/assets/counters/block-orders.h200.csv");
    ASSERT_EQ(all_.size(), 790U);
  }
  GpuSpec gpu_;
  std::vector<OrderPoint> all_;
};

TEST_F(OrderPoints, WhatWasKeptOutIsWhatTheStatedErrorSpeaksOf) {
  EXPECT_EQ(std::ranges::count_if(all_, &OrderPoint::kept_out), kOrderKeptOut.cases);
  // No shape is in both sets.
  for (const OrderPoint& a : all_)
    for (const OrderPoint& b : all_)
      if (a.kept_out && !b.kept_out) {
        EXPECT_FALSE(a.tile() == b.tile() && a.m == b.m && a.n == b.n && a.k == b.k) << a.tile() << ' ' << a.m;
      }
}

TEST_F(OrderPoints, TheSameLaunchesWereCountedOnAnH100) {
  const auto other = read_order_points(std::string(TILESCOPE_SOURCE) + "/assets/counters/block-orders.h100.csv");
  ASSERT_EQ(other.size(), all_.size());
  for (size_t i = 0; i < all_.size(); ++i) {
    EXPECT_TRUE(other[i].is_same_launch(all_[i])) << i;
    EXPECT_EQ(other[i].kept_out, all_[i].kept_out) << i;
    EXPECT_EQ(other[i].reads.size(), 6U) << i;
  }
}

TEST_F(OrderPoints, KeptOutLaunchesAreAsCloseAsStated) {
  std::vector<OrderPoint> points;
  for (const OrderPoint& one : all_)
    if (one.kept_out && static_cast<double>(one.m) * one.n * one.k <= kMostMultiplyAdds) points.push_back(one);
  ASSERT_GT(points.size(), 80U);
  const std::vector<ModelledPoint> modelled = model_points(points, gpu_);
  std::vector<const OrderPoint*> pointers;
  std::vector<double> bytes, strips;
  for (size_t i = 0; i < points.size(); ++i) {
    pointers.push_back(&points[i]);
    bytes.push_back(modelled[i].device_bytes_read);
    strips.push_back(modelled[i].strip_bytes);
  }
  const OrderErrors model = errors_of(pointers, bytes), by_hand = errors_of(pointers, strips);
  const double share = static_cast<double>(model.held) / static_cast<double>(model.cases);
  EXPECT_GE(share, static_cast<double>(kOrderKeptOut.within_15_percent) / kOrderKeptOut.cases - 0.03);
  EXPECT_LE(model.median, kOrderKeptOut.median_percent + 1);
  EXPECT_GT(model.held, by_hand.held) << "the sum of strips would do as well";

  std::vector<const OrderPoint*> sure;
  std::vector<double> sure_bytes;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!modelled[i].is_sure()) continue;
    sure.push_back(pointers[i]);
    sure_bytes.push_back(bytes[i]);
  }
  const OrderErrors certain = errors_of(sure, sure_bytes);
  EXPECT_GT(certain.cases, points.size() / 3) << "the model is hardly ever sure";
  EXPECT_GE(static_cast<double>(certain.held), 0.95 * static_cast<double>(certain.cases));
}

}  // namespace
}  // namespace tilescope
