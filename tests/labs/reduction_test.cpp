// What the sum's ladder shows, from the simulator's counters. Expected figures are derived from the trees by hand:
// which threads add at which level, and how many warps they occupy.
#include <gtest/gtest.h>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

const Lab& lab() { return *find_lab("reduction-sum"); }

RunResult run(const std::string& rung, int64_t n, const std::map<std::string, int64_t>& params = {}) {
  Request request;
  request.lab = "reduction-sum";
  request.rung = rung;
  request.config = default_config(lab(), DeviceKind::sim);
  request.config.sizes["n"] = n;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  auto result = engine().run(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_TRUE(result->passed()) << rung << " n=" << n << ": " << result->correctness.front().reason;
  EXPECT_TRUE(result->findings.empty()) << rung << " n=" << n << ": " << result->findings.front().message;
  return std::move(*result);
}

constexpr int64_t kElements = 100'003;
constexpr uint64_t kCtasOfAllLevels = 391 + 2 + 1;  // ⌈100,003 / 256⌉, ⌈391 / 256⌉, ⌈2 / 256⌉

TEST(ReductionSum, TheDivergentTreeKeepsMoreWarpsBusyThanTheFoldedOne) {
  // 256 threads. Levels 1 to 5: all 8 warps, then 4, 2, 1; folded: 4, 2, then one warp for six levels. Each warp reads
  // two words, and part[0] is read at the end.
  const uint64_t divergent = 5 * 8 + 4 + 2 + 1, folded = 4 + 2 + 6 * 1;
  const Counters first = run("divergent-stride", kElements).traffic.counters;
  EXPECT_EQ(first.shared_load_wavefronts, kCtasOfAllLevels * (2 * divergent + 1));
  EXPECT_EQ(first.shared_load_bank_conflicts, 0U);
  const Counters second = run("sequential-stride", kElements).traffic.counters;
  EXPECT_EQ(second.shared_load_wavefronts, kCtasOfAllLevels * (2 * folded + 1));
  EXPECT_EQ(second.shared_load_bank_conflicts, 0U);
}

TEST(ReductionSum, ShufflesLeaveOneWordOfSharedMemoryForEachWarp) {
  const uint64_t ctas = 196 + 1, warps = 8;  // 512 elements each
  const Counters counters = run("warp-shuffle", kElements).traffic.counters;
  EXPECT_EQ(counters.shared_load_wavefronts, ctas);
  EXPECT_EQ(counters.shared_store_wavefronts, ctas * warps);
}

TEST(ReductionSum, TreesLaunchUntilOneNumberIsLeft) {
  const auto grids = [](const std::string& rung, int64_t n) {
    std::vector<uint64_t> counts;
    for (const Launch& launch : run(rung, n).plan.launches) counts.push_back(launch.grid.count());
    return counts;
  };
  EXPECT_EQ(grids("sequential-stride", kElements), (std::vector<uint64_t>{391, 2, 1}));
  EXPECT_EQ(grids("warp-shuffle", kElements), (std::vector<uint64_t>{196, 1}));
  EXPECT_EQ(grids("warp-shuffle", 512), (std::vector<uint64_t>{1}));
  EXPECT_EQ(grids("single-pass", kElements), (std::vector<uint64_t>{25}));
}

TEST(ReductionSum, TheViewsShowTheLaunchThatReadsAllOfX) {
  EXPECT_EQ(run("sequential-stride", kElements).tiles.grid.count(), 391U);
  EXPECT_EQ(run("vector-loads", kElements).tiles.grid.count(), 25U);
}

TEST(ReductionSum, TheCountOfTheSinglePassIsZeroAgainAfterIt) {
  for (const int64_t n : {int64_t{1}, int64_t{4096}, kElements}) {
    const RunResult result = run("single-pass", n);
    ASSERT_EQ(result.plan.buffers.back().name, "arrived");
    EXPECT_EQ(value_at(*result.buffers.back(), 0), 0) << n;
  }
}

TEST(ReductionSum, AutoGivesNearlyTwoCtasToEachMultiprocessorWhereItCan) {
  const Rung& choice = *find_rung(lab(), "auto");
  for (const uint32_t multiprocessors : {20U, 108U, 132U}) {
    GpuSpec gpu;
    gpu.multiprocessors = multiprocessors;
    for (int64_t n = 1; n <= int64_t{1} << 30; n *= 4) {
      Config config = default_config(lab(), DeviceKind::gpu);
      config.sizes["n"] = n;
      const auto resolved = resolve(lab(), choice, config, gpu);
      ASSERT_TRUE(resolved) << resolved.error().message;
      const auto launches = resolved->rung->launches(resolved->config);
      const uint64_t ctas = launches.front().grid.count();
      const bool tree = n <= 2048 || (n > 16'384 && n <= 1 << 18);
      EXPECT_EQ(resolved->rung->name, tree ? "warp-shuffle" : "single-pass") << n;
      EXPECT_EQ(launches.size(), tree && n > 2048 ? 2U : 1U) << n;
      EXPECT_EQ(ctas == 1, n <= 16'384) << n;
      const bool small = n <= 1 << 18 || resolved->config.param("BLOCK") == 256;
      EXPECT_TRUE(small || 8 * ctas >= 15 * uint64_t{multiprocessors}) << n;
      if (n >= int64_t{1} << 26) {
        EXPECT_EQ(resolved->config.param("BLOCK"), 1024) << n;
      }
    }
  }
}

TEST(ReductionSum, ASumThatLacksOneElementIsNotTakenForRight) {
  // 20,000 elements; the loop leaves out the last one.
  Request request;
  request.lab = "reduction-sum";
  request.rung = "single-pass";
  request.config = default_config(lab(), DeviceKind::sim);
  request.config.sizes["n"] = 20'001;
  const auto sound = engine().run(request);
  ASSERT_TRUE(sound && sound->passed());
  std::string source = sound->plan.source_text;
  const std::string loop = "i < n; i += BLOCK) sum.value[0]";
  ASSERT_NE(source.find(loop), std::string::npos);
  source.replace(source.find(loop), loop.size(), "i < n - 1; i += BLOCK) sum.value[0]");
  request.edited_source = source;
  const auto short_of_one = engine().run(request);
  ASSERT_TRUE(short_of_one) << short_of_one.error().message;
  EXPECT_FALSE(short_of_one->passed());
}

}  // namespace
}  // namespace tilescope
