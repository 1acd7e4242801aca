// What fusion saves. The bytes are those of the lessons, counted by hand: how often each kernel reads and writes a
// vector.
#include "engine/bench/fusion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/lab.hpp"

namespace tilescope {
namespace {

using testing::HasSubstr;

class Fusing : public testing::Test {
 protected:
  static Engine& engine() {
    static const std::shared_ptr<Engine> shared =
        Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 1});
    return *shared;
  }
  void SetUp() override {
    if (!engine().compiler()) GTEST_SKIP() << engine().compiler().error().message;
  }
  static FusionAccount account(const std::string& name, const std::map<std::string, int64_t>& sizes,
                               const std::map<std::string, int64_t>& params = {}, const std::string& gpu = "h200") {
    const Lab* lab = find_lab(name);
    EXPECT_NE(lab, nullptr);
    Config config = default_config(*lab, DeviceKind::gpu);
    for (const auto& [size, value] : sizes) config.sizes[size] = value;
    for (const auto& [param, value] : params) config.params[param] = value;
    auto made = account_fusion(engine(), *lab, config, gpu);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : FusionAccount{};
  }
};

TEST_F(Fusing, GeluReadsTenVectorsAndWritesEightWhereOneOfEachWouldDo) {
  const FusionAccount gelu = account("gelu", {{"n", 8192}});
  EXPECT_FALSE(gelu.scaled());
  EXPECT_EQ(gelu.bytes_badge(), Badge::simulated);
  ASSERT_EQ(gelu.unfused.launches.size(), 8U);
  ASSERT_EQ(gelu.fused.launches.size(), 1U);
  const double vector = 4 * 8192;
  EXPECT_EQ(gelu.unfused.read(), 10 * vector);
  EXPECT_EQ(gelu.unfused.written(), 8 * vector);
  EXPECT_EQ(gelu.fused.read(), vector);
  EXPECT_EQ(gelu.fused.written(), vector);
  // t = x + t reads two vectors, t = tanh t reads one.
  EXPECT_EQ(gelu.unfused.launches[2].kernel, "add");
  EXPECT_EQ(gelu.unfused.launches[2].read, 2 * vector);
  EXPECT_EQ(gelu.unfused.launches[4].read, vector);
}

TEST_F(Fusing, WhatIsTooLargeToSimulateIsScaledFromThePassesOverItsBuffers) {
  const int64_t n = int64_t{1} << 27;
  const FusionAccount gelu = account("gelu", {{"n", n}}, {{"DTYPE", 1}});
  EXPECT_TRUE(gelu.scaled());
  EXPECT_EQ(gelu.bytes_badge(), Badge::modelled);
  EXPECT_EQ(gelu.config.size("n"), n);
  EXPECT_LT(gelu.simulated.size("n"), 1 << 22);
  EXPECT_EQ(gelu.unfused.read(), 10.0 * 2 * static_cast<double>(n));
  EXPECT_EQ(gelu.fused.written(), 2.0 * static_cast<double>(n));
  EXPECT_EQ(gelu.unfused.counted.size(), 8U);
  EXPECT_EQ(gelu.unfused.counted[0].read, 2.0 * static_cast<double>(gelu.simulated.size("n")));
}

TEST_F(Fusing, SinCosAddMakesSevenAccessesThree) {
  const FusionAccount sines = account("sin-cos-add", {{"n", 10000}});
  EXPECT_EQ(sines.unfused.launches.size(), 3U);
  EXPECT_EQ(sines.unfused.read() + sines.unfused.written(), 7.0 * 40000);
  EXPECT_EQ(sines.fused.read() + sines.fused.written(), 3.0 * 40000);
}

TEST_F(Fusing, SoftmaxCarriesARowEightTimesAndFusedTwice) {
  const FusionAccount softmax = account("softmax", {{"rows", 8192}, {"columns", 4096}});
  EXPECT_EQ(softmax.simulated.size("columns"), 4096) << "the kernels depend on how long a row is";
  ASSERT_EQ(softmax.unfused.launches.size(), 5U);
  const double matrix = 4.0 * 8192 * 4096;
  // In addition, each row's maximum and sum are written once and read by the warps that need them: well under a
  // hundredth.
  EXPECT_NEAR(softmax.unfused.read(), 5 * matrix, matrix / 100);
  EXPECT_NEAR(softmax.unfused.written(), 3 * matrix, matrix / 100);
  EXPECT_EQ(softmax.fused.read(), matrix);
  EXPECT_EQ(softmax.fused.written(), matrix);
}

TEST_F(Fusing, APredictionIsLaunchesAndBytes) {
  const FusionAccount sines = account("sin-cos-add", {{"n", 1000000}});
  // Data sheet: 4.8 TB/s. Measured: 5.37 µs per launch in PyTorch, 0.91 µs in a graph.
  EXPECT_EQ(sines.gpu, "H200");
  EXPECT_NEAR(sines.predicted_ms(sines.unfused, sines.cost.one_by_one), 3 * 5.37e-3 + 28e6 / 4.8e9, 1e-9);
  EXPECT_NEAR(sines.predicted_ms(sines.fused, sines.cost.in_graph), 0.91e-3 + 12e6 / 4.8e9, 1e-9);
}

TEST_F(Fusing, WhereNobodyMeasuredALaunchItIsThatOfTheUsualGpuAndSaysSo) {
  const FusionAccount sines = account("sin-cos-add", {{"n", 1000}}, {}, "a100");
  EXPECT_EQ(sines.gpu, "A100 80GB");
  EXPECT_EQ(sines.bytes_per_second, 2.039e12);
  EXPECT_EQ(sines.cost.measured_on, "H200");
  EXPECT_EQ(launch_cost_of(GpuSpec{}, {}).one_by_one, 0);
}

TEST_F(Fusing, OfALabWithoutItIsASentence) {
  const Lab* lab = find_lab("transpose");
  const auto account = account_fusion(engine(), *lab, default_config(*lab, DeviceKind::sim), "");
  ASSERT_FALSE(account);
  EXPECT_THAT(account.error().message, HasSubstr("no rungs that are fused"));
}

TEST_F(Fusing, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const Lab* lab = find_lab("gelu");
  const auto account = account_fusion(engine(), *lab, default_config(*lab, DeviceKind::sim), "", stop.get_token());
  ASSERT_FALSE(account);
  EXPECT_EQ(account.error().id, ErrorId::cancelled);
}

/// Launches that depend on the size, as those of a rung that needs more passes for long rows.
TEST_F(Fusing, OtherKernelsAtTheCountedSizeAreRefused) {
  Lab lab = *find_lab("sin-cos-add");
  Rung& rung = lab.rungs[0];
  rung.launches = [original = rung.launches](const Config& config) {
    auto launches = original(config);
    if (config.size("n") > 1 << 22) launches.pop_back();
    return launches;
  };
  Config config = default_config(lab, DeviceKind::gpu);
  const auto account = account_fusion(engine(), lab, config, "");
  ASSERT_FALSE(account);
  EXPECT_THAT(account.error().message, HasSubstr("launches other kernels"));
}

}  // namespace
}  // namespace tilescope
