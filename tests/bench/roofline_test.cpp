// The roofline, against figures calculated by hand.
#include "engine/bench/roofline.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

/// 2 n operations over 4 n useful bytes: half an operation per byte.
Lab make_lab() {
  Lab lab;
  lab.name = "half";
  lab.sizes = {{.name = "n", .value = 1000, .gpu_value = 1000, .min = 1, .max_sim = 1 << 20, .max_gpu = 1 << 20}};
  lab.rungs = {{.name = "slow"}, {.name = "fast"}};
  lab.references = {{"copy", "device_copy", "copy"}, {"PyTorch", "torch", "half"}};
  lab.flops = [](const Config& config) { return 2.0 * static_cast<double>(config.size("n")); };
  lab.useful_bytes = [](const Config& config) { return 4.0 * static_cast<double>(config.size("n")); };
  lab.sweep = {1000, 4000};
  return lab;
}

GpuSpec make_gpu() {
  GpuSpec gpu;
  gpu.id = "test";
  gpu.name = "Test";
  gpu.driver_name = "NVIDIA Test";
  gpu.memory_bytes_per_second = 1e12;
  gpu.peak.fp64 = 1e12;
  gpu.peak.fp32 = 20e12;
  gpu.peak.fp16 = gpu.peak.bf16 = 300e12;
  return gpu;
}

SpeedReport make_report() {
  SpeedReport report;
  report.lab = "half";
  report.gpu = "NVIDIA Test";
  report.size_name = "n";
  report.config.sizes = {{"n", 1000}};
  const TimingPoint point{.size = 1000, .median_ms = 1e-5, .low_ms = 1e-5, .high_ms = 1e-5};
  report.series = {{.name = "slow", .is_rung = true, .unavailable = {}, .points = {}},
                   {.name = "fast", .is_rung = true, .unavailable = {}, .points = {point}},
                   {.name = "copy", .is_rung = false, .unavailable = {}, .points = {point}},
                   {.name = "PyTorch", .is_rung = false, .unavailable = {}, .points = {point}}};
  return report;
}

const Config kThousand{{{"n", 1000}}, {}};

TEST(Roofline, UsefulBytesGiveTheIntensityWhereNothingWasCounted) {
  const Roofline roofline = make_roofline(make_lab(), kThousand, make_gpu(), nullptr, {});
  ASSERT_EQ(roofline.points.size(), 2U);
  EXPECT_FALSE(roofline.points[0].counted);
  EXPECT_EQ(roofline.points[0].intensity, 0.5);
  EXPECT_EQ(roofline.points[0].attainable, 0.5e12);
  EXPECT_EQ(roofline.points[0].time, nullptr);
}

TEST(Roofline, CountedBytesTakeTheirPlace) {
  const Roofline roofline = make_roofline(make_lab(), kThousand, make_gpu(), nullptr, {{"slow", 16000}});
  EXPECT_TRUE(roofline.points[0].counted);
  EXPECT_EQ(roofline.points[0].intensity, 0.125);
  EXPECT_EQ(roofline.points[0].attainable, 0.125e12);
  EXPECT_FALSE(roofline.points[1].counted);
}

TEST(Roofline, AboveTheKneeTheUnitsAreTheLimit) {
  Lab lab = make_lab();
  lab.flops = [](const Config&) { return 400000.0; };  // 100 operations per byte
  lab.peak_rate = [](const std::string& rung, const Config&) {
    return rung == "fast" ? PeakRate::fp16 : PeakRate::fp32;
  };
  const Roofline roofline = make_roofline(lab, kThousand, make_gpu(), nullptr, {});
  EXPECT_EQ(roofline.points[0].attainable, 20e12);
  EXPECT_EQ(roofline.points[1].attainable, 100e12) << "the tensor cores' roof is higher than the slope here";
}

TEST(Roofline, IsOfLabsThatCompute) {
  EXPECT_TRUE(has_roofline(make_lab()));
  Lab idle = make_lab();
  idle.flops = [](const Config&) { return 0.0; };
  EXPECT_FALSE(has_roofline(idle));
  idle.flops = nullptr;
  EXPECT_FALSE(has_roofline(idle));
}

TEST(Roofline, OnlyWhatWasTimedAtThisSizeHasATime) {
  const SpeedReport report = make_report();
  const Roofline timed = make_roofline(make_lab(), kThousand, make_gpu(), &report, {});
  ASSERT_EQ(timed.points.size(), 3U) << "a copy computes nothing";
  EXPECT_EQ(timed.points[0].time, nullptr);
  ASSERT_NE(timed.points[1].time, nullptr);
  EXPECT_DOUBLE_EQ(timed.points[1].flops_per_second, 2000 / 1e-8);
  EXPECT_EQ(timed.points[2].name, "PyTorch");
  const Roofline other = make_roofline(make_lab(), {{{"n", 1001}}, {}}, make_gpu(), &report, {});
  ASSERT_EQ(other.points.size(), 2U);
  EXPECT_EQ(other.points[1].time, nullptr);
}

TEST(Roofline, TimesOfAnotherGpuAreNotUnderThisOnesRoofs) {
  SpeedReport report = make_report();
  report.gpu = "NVIDIA Other";
  for (const RooflinePoint& point : make_roofline(make_lab(), kThousand, make_gpu(), &report, {}).points)
    EXPECT_EQ(point.time, nullptr) << point.name;
}

TEST(Roofline, EqualRoofsAreOneAndDoublePrecisionIsThereForThoseWhoUseIt) {
  const auto roofs = roofs_of(make_gpu(), {PeakRate::fp32});
  ASSERT_EQ(roofs.size(), 2U);
  EXPECT_EQ(roofs[0].flops_per_second, 20e12);
  EXPECT_EQ(roofs[1].rates, (std::vector<PeakRate>{PeakRate::fp16, PeakRate::bf16}));
  EXPECT_EQ(roofs_of(make_gpu(), {PeakRate::fp64}).front().flops_per_second, 1e12);
}

TEST(Roofline, DeviceBytesAreThoseOfTheBlocksOrderWhereThatIsModelled) {
  RunResult result;
  EXPECT_FALSE(device_bytes_of(result));
  result.observed = result.hierarchy.modelled = true;
  result.hierarchy.total.device_bytes_read = 100;
  result.hierarchy.total.device_bytes_written = 20;
  result.hierarchy.total.bytes_left_in_l2 = 3;
  EXPECT_EQ(device_bytes_of(result), 123.0);
  result.block_order.emplace();
  result.block_order->launched.device_bytes_read = 5000;
  EXPECT_EQ(device_bytes_of(result), 5000.0);
  result.block_order->reason = Phrase("there is none");
  EXPECT_EQ(device_bytes_of(result), 123.0);
}

}  // namespace
}  // namespace tilescope
