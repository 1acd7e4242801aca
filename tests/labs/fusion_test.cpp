// What the fusion labs show: how often an element passes through memory, and how much accuracy an approximation costs.
// Accesses are counted by hand from the operators.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

using Values = std::map<std::string, int64_t>;

RunResult run(const std::string& lab, const std::string& rung, int64_t n, const Values& params = {}) {
  Request request;
  request.lab = lab;
  request.rung = rung;
  request.config = default_config(*find_lab(lab), DeviceKind::sim);
  request.config.sizes["n"] = n;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  auto result = engine().run(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_TRUE(result->passed()) << lab << " " << rung << " n=" << n << ": " << result->correctness.front().reason;
  EXPECT_TRUE(result->findings.empty()) << lab << " " << rung << " n=" << n << ": " << result->findings.front().message;
  return std::move(*result);
}

/// Sectors of 32 bytes moved between registers and memory.
uint64_t sectors(const RunResult& result) {
  return result.traffic.counters.global_load_sectors + result.traffic.counters.global_store_sectors;
}

TEST(SinCosAdd, FusionTakesSevenAccessesToThree) {
  constexpr int64_t kElements = 8192;
  constexpr uint64_t kSectorsOfAVector = 4 * kElements / 32;
  EXPECT_EQ(sectors(run("sin-cos-add", "three-kernels", kElements)), 7 * kSectorsOfAVector);
  EXPECT_EQ(sectors(run("sin-cos-add", "fused", kElements)), 3 * kSectorsOfAVector);
  EXPECT_EQ(sectors(run("sin-cos-add", "vector-loads", kElements)), 3 * kSectorsOfAVector);
}

/// Accesses to each element of the matrices of the lab fusion, over all launches of a rung.
uint64_t passes_of_chain(const std::string& rung) {
  Request request;
  request.lab = "fusion";
  request.rung = rung;
  request.config = default_config(*find_lab("fusion"), DeviceKind::sim);
  const auto result = engine().run(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return 0;
  EXPECT_TRUE(result->passed()) << rung;
  const int64_t elements = request.config.size("rows") * request.config.size("columns");
  uint64_t bytes = 0;
  for (size_t i = 0; i < result->traffic.buffers.size(); ++i)
    if (result->plan.buffers[i].count() == elements)
      bytes += result->traffic.buffers[i].read_useful + result->traffic.buffers[i].write_useful;
  return bytes / (4 * static_cast<uint64_t>(elements));
}

TEST(FusionLab, SevenPassesOverAMatrixBecomeThreeAndOne) {
  EXPECT_EQ(passes_of_chain("kernel-per-operator"), 7U);
  EXPECT_EQ(passes_of_chain("fused-elementwise"), 3U);
  EXPECT_EQ(passes_of_chain("fused-into-reduction"), 1U);
}

TEST(Gelu, FusionTakesEighteenAccessesToTwo) {
  constexpr int64_t kElements = 8192;
  for (const int64_t type : {0, 1}) {
    const uint64_t sectors_of_a_vector = (type == 0 ? 4 : 2) * kElements / 32;
    const RunResult eight = run("gelu", "eight-kernels", kElements, {{"DTYPE", type}});
    EXPECT_EQ(eight.plan.launches.size(), 8U);
    EXPECT_EQ(sectors(eight), 18 * sectors_of_a_vector);
    for (const char* rung : {"fused", "vector-loads", "fast-math", "several-packs"}) {
      const RunResult fused = run("gelu", rung, kElements, {{"DTYPE", type}});
      EXPECT_EQ(fused.plan.launches.size(), 1U);
      EXPECT_EQ(sectors(fused), 2 * sectors_of_a_vector) << rung;
    }
  }
}

TEST(Gelu, VectorsOfSixteenBytesTakeAQuarterOrAnEighthOfTheRequests) {
  constexpr int64_t kElements = 8192;
  const auto requests = [](const RunResult& result) {
    return result.traffic.counters.global_load_requests + result.traffic.counters.global_store_requests;
  };
  EXPECT_EQ(requests(run("gelu", "fused", kElements)), 2 * kElements / 32);
  EXPECT_EQ(requests(run("gelu", "vector-loads", kElements, {{"VEC", 4}})), 2 * kElements / 32 / 4);
  EXPECT_EQ(requests(run("gelu", "vector-loads", kElements, {{"VEC", 8}, {"DTYPE", 1}})), 2 * kElements / 32 / 8);
}

TEST(Gelu, AnApproximationIsShownByTheLargestErrorOfTheRun) {
  const auto error = [](const std::string& rung, const Values& params) {
    return run("gelu", rung, 20'000, params).correctness.front().largest_error;
  };
  const double exact = error("vector-loads", {}), tangent = error("fast-math", {{"FAST", 0}}),
               power = error("fast-math", {{"FAST", 1}});
  EXPECT_LT(exact, 1e-6);
  EXPECT_LT(power, 1e-6);
  EXPECT_GT(tangent, 2 * exact);
  EXPECT_LT(tangent, 6 * std::ldexp(1, -12));  // ½ |x| · 2^-11
}

TEST(Gelu, RoundingEightTimesToEightBitsIsLessExactThanOnce) {
  const auto error = [](const std::string& rung) {
    return run("gelu", rung, 20'000, {{"DTYPE", 1}}).correctness.front();
  };
  EXPECT_GT(error("eight-kernels").largest_error, error("fused").largest_error);
}

TEST(Gelu, AutoIsExactInFloatAndApproximatesInBfloat16) {
  const Lab& lab = *find_lab("gelu");
  GpuSpec gpu;
  gpu.multiprocessors = 132;
  Config config = default_config(lab, DeviceKind::gpu);
  const auto floats = resolve(lab, *find_rung(lab, "auto"), config, gpu);
  ASSERT_TRUE(floats);
  EXPECT_EQ(floats->rung->name, "vector-loads");
  config.params["DTYPE"] = 1;
  const auto halves = resolve(lab, *find_rung(lab, "auto"), config, gpu);
  ASSERT_TRUE(halves);
  EXPECT_EQ(halves->rung->name, "fast-math");
  EXPECT_EQ(halves->config.param("VEC"), 8);
}

}  // namespace
}  // namespace tilescope
