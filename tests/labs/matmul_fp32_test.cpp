// The fp32 matmul, and what its rungs are there to show: sectors of global memory and wavefronts of
// shared memory. Expected figures follow from the layout alone: a sector has 32 bytes, there are 32 banks
// of 4 bytes, and an access of 16 bytes by a warp goes in four passes, or in two where neighbouring lanes agree.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "engine/run/engine.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

using Values = std::map<std::string, int64_t>;

const Lab& lab() { return *find_lab("matmul-fp32"); }

/// The rung with the simulator's defaults except for these.
Request request_for(const std::string& rung, const Values& sizes, const Values& params = {},
                    const std::vector<std::string>& broken = {}) {
  Request request;
  request.lab = lab().name;
  request.rung = rung;
  request.config = default_config(lab(), DeviceKind::sim);
  for (const auto& [name, value] : sizes) request.config.sizes[name] = value;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  request.broken = broken;
  return request;
}

std::optional<RunResult> run_soundly(const Request& request) {
  auto result = engine().run(request);
  std::string where = request.rung;
  for (const auto* values : {&request.config.sizes, &request.config.params})
    for (const auto& [name, value] : *values) where += fmt::format(" {}={}", name, value);
  EXPECT_TRUE(result) << where << ": " << result.error().message;
  if (!result) return std::nullopt;
  EXPECT_TRUE(result->passed()) << where;
  EXPECT_TRUE(result->findings.empty()) << where << ": " << result->findings.front().message;
  return std::move(*result);
}

Counters counters_of(const std::string& rung, const Values& sizes, const Values& params = {}) {
  const auto result = run_soundly(request_for(rung, sizes, params));
  return result ? result->traffic.counters : Counters{};
}

/// Passes of asynchronous copies of `bytes` to shared memory, and how many of them are conflicts.
struct CopyPasses {
  uint64_t wavefronts = 0, conflicts = 0;
};
CopyPasses copies_of(const RunResult& result, uint32_t bytes) {
  CopyPasses passes;
  for (const SiteCount& count : result.traffic.sites) {
    const Site& site = result.trace.sites[count.site];
    if (site.kind != AccessKind::async_copy || site.bytes_per_lane != bytes) continue;
    passes.wavefronts += count.wavefronts;
    passes.conflicts += count.wavefronts - count.passes;
  }
  return passes;
}

// The rungs that move 16 bytes at a time; of these, those that copy asynchronously.
constexpr std::array kVectorRungs{"vectorised",  "warp-tile",         "grouped-tiles",
                                  "multi-stage", "running-addresses", "double-buffered"};
constexpr std::array kCopyRungs{"multi-stage", "running-addresses", "double-buffered"};

TEST(MatmulFp32, EveryGroupOfTileRowsCoversTheMatrixOnce) {
  for (const char* rung : {"grouped-tiles", "multi-stage"})
    for (const int64_t group : {1, 2, 4, 8})
      run_soundly(request_for(rung, {{"M", 350}, {"N", 130}, {"K", 20}}, {{"GROUP_M", group}}));
}

TEST(MatmulFp32, TheLargeTilesOfAGpuAreRightAtSizesThatAreNoMultiples) {
  for (const Rung& rung : values_in_turn(lab().rungs, 0, 3)) {
    Request request = request_for(rung.name, {});
    request.config.params = default_config(lab(), DeviceKind::gpu).params;
    for (const Values& shape : {Values{{"M", 131}, {"N", 260}, {"K", 52}}, Values{{"M", 257}, {"N", 301}, {"K", 37}}}) {
      request.config.sizes = shape;
      run_soundly(request);
    }
  }
}

// Whole tiles with the simulator's defaults: squares of 32 × 32 threads; tiles of 64 × 64, 8 deep, 4 × 4 per thread.
constexpr uint64_t kM = 128, kN = 192, kK = 64;
const Values kWhole{{"M", kM}, {"N", kN}, {"K", kK}};
constexpr uint64_t kProducts = kM * kN * kK / 32;  // per warp: one for each lane

TEST(MatmulFp32, NaiveTouchesASectorForEveryLaneOfAAndOfC) {
  const Counters counters = counters_of("naive", kWhole);
  EXPECT_EQ(counters.global_load_requests, 2 * kProducts);
  EXPECT_EQ(counters.global_load_sectors, (32 + 1) * kProducts);  // a column of A; one element of B
  EXPECT_EQ(counters.global_store_sectors, kM * kN);
}

TEST(MatmulFp32, CoalescedTouchesOneSectorOfAAndFourOfB) {
  const Counters counters = counters_of("coalesced", kWhole);
  EXPECT_EQ(counters.global_load_requests, 2 * kProducts);
  EXPECT_EQ(counters.global_load_sectors, (1 + 4) * kProducts);
  EXPECT_EQ(counters.global_store_sectors, kM * kN / 8);
}

/// A is read once per column of tiles of C, B once per row of tiles.
uint64_t sectors_with_tiles(uint64_t rows, uint64_t columns) {
  return kM * kK / 8 * (kN / columns) + kK * kN / 8 * (kM / rows);
}

TEST(MatmulFp32, ATileIsReadOnceByEachCta) {
  EXPECT_EQ(counters_of("shared-tile", kWhole).global_load_sectors, sectors_with_tiles(32, 32));
  EXPECT_EQ(counters_of("register-1d", kWhole).global_load_sectors, sectors_with_tiles(128, 32));
  EXPECT_EQ(counters_of("register-2d", kWhole).global_load_sectors, sectors_with_tiles(64, 64));
  for (const char* rung : kVectorRungs) {
    EXPECT_EQ(counters_of(rung, kWhole).global_load_sectors, sectors_with_tiles(64, 64)) << rung;
    EXPECT_EQ(counters_of(rung, kWhole, {{"BM", 128}, {"BK", 16}}).global_load_sectors, sectors_with_tiles(128, 64))
        << rung;
  }
}

TEST(MatmulFp32, SixteenBytesAtATimeMakeAQuarterOfTheRequests) {
  const Counters one = counters_of("register-2d", kWhole), four = counters_of("vectorised", kWhole);
  EXPECT_EQ(4 * four.global_load_requests, one.global_load_requests);
  EXPECT_EQ(4 * four.global_store_requests, one.global_store_requests);
}

TEST(MatmulFp32, RegistersSaveReadsOfSharedMemory) {
  const auto passes = [](const char* rung) { return counters_of(rung, kWhole).shared_load_wavefronts; };
  EXPECT_EQ(passes("shared-tile"), 2 * kProducts);             // one of A, one of B, for one product
  EXPECT_EQ(passes("register-1d"), (4 + 1) * kProducts / 4);   // TM of A, one of B, for TM products
  EXPECT_EQ(passes("register-2d"), (4 + 4) * kProducts / 16);  // TM and TN for TM · TN
  EXPECT_EQ(passes("vectorised"), (2 + 4) * kProducts / 16);   // 16 bytes a lane: 2 rows in two passes, 16 columns
  for (const char* rung : {"warp-tile", "grouped-tiles", "multi-stage", "running-addresses"})
    EXPECT_EQ(passes(rung), (2 + 2) * kProducts / 16) << rung;  // lanes agree in pairs on both sides
  const uint64_t beyond_the_end = kM / 64 * (kN / 64) * 8 * 4;  // fragments that are loaded in vain, by 8 warps
  EXPECT_EQ(passes("double-buffered"), (2 + 2) * kProducts / 16 + beyond_the_end);
}

TEST(MatmulFp32, TheLastRungsHaveNoBankConflict) {
  const std::vector<Values> all{{},
                                {{"BK", 16}},
                                {{"BK", 32}, {"TM", 8}, {"TN", 8}},
                                {{"BM", 128}, {"BN", 128}, {"TM", 16}, {"TN", 4}, {"WM", 64}}};
  size_t turn = 0;
  for (const char* rung : kVectorRungs)
    for (const Values& tiles : values_in_turn(all, turn++, all.size())) {
      const auto result = run_soundly(request_for(rung, kWhole, tiles));
      ASSERT_TRUE(result);
      EXPECT_EQ(result->traffic.counters.shared_load_bank_conflicts, 0U) << rung;
      EXPECT_EQ(result->traffic.counters.shared_store_bank_conflicts, 0U) << rung;
      EXPECT_EQ(copies_of(*result, 4).conflicts + copies_of(*result, 16).conflicts, 0U) << rung;
    }
}

TEST(MatmulFp32, WithoutPaddingTwoLanesCollideInAStoreAndEightInACopy) {
  const auto stored = [](const std::vector<std::string>& broken) {
    const auto result = run_soundly(request_for("warp-tile", kWhole, {}, broken));
    return result ? result->traffic.counters.shared_store_wavefronts : 0;
  };
  const uint64_t of_a = kM * kK * (kN / 64) / 32;  // one float of 32 lanes in each pass
  EXPECT_EQ(stored({"NO_PADDING"}) - stored({}), of_a);
  for (const char* rung : kCopyRungs) {
    const auto sound = run_soundly(request_for(rung, kWhole));
    const auto unpadded = run_soundly(request_for(rung, kWhole, {}, {"NO_PADDING"}));
    ASSERT_TRUE(sound && unpadded);
    EXPECT_EQ(copies_of(*sound, 4).wavefronts, of_a) << rung;
    EXPECT_EQ(copies_of(*unpadded, 4).wavefronts, 8 * of_a) << rung;
  }
}

TEST(MatmulFp32, RowsThatDoNotBeginOnSixteenBytesAreReadElementByElement) {
  const auto requests = [](const char* rung, uint64_t n) {
    return counters_of(rung, {{"M", 64}, {"N", n}, {"K", 64}}).global_load_requests;
  };
  for (const char* rung : kVectorRungs) EXPECT_GT(requests(rung, 63), requests(rung, 64));
  for (const char* rung : kCopyRungs) {
    const auto aligned = run_soundly(request_for(rung, {{"M", 64}, {"N", 64}, {"K", 63}}));
    const auto by_element = run_soundly(request_for(rung, {{"M", 64}, {"N", 63}, {"K", 64}}));
    ASSERT_TRUE(aligned && by_element);
    EXPECT_GT(copies_of(*aligned, 16).wavefronts, 0U) << rung;  // A goes by element in any case
    EXPECT_EQ(copies_of(*by_element, 16).wavefronts, 0U) << rung;
  }
}

/// Why the rung does not run with these; empty if it does.
std::string refusal(const std::string& rung, const Values& params) {
  const auto plan = engine().plan(request_for(rung, kWhole, params));
  return plan ? std::string() : plan.error().message;
}

TEST(MatmulFp32, AnImpossibleTileIsRefusedWithTheLimitThatItPasses) {
  const auto says = [](const std::string& rung, const Values& params, const std::string& limit) {
    const std::string why = refusal(rung, params);
    EXPECT_NE(why.find(limit), std::string::npos) << rung << ": " << why;
  };
  says("register-1d", {{"TM", 16}}, "69,632 bytes of shared memory");
  says("register-2d", {{"TM", 16}, {"TN", 16}}, "256 registers of a thread");
  says("register-2d", {{"BM", 256}, {"BN", 256}, {"TM", 8}, {"TN", 8}}, "65,536 registers of a multiprocessor");
  says("vectorised", {{"BM", 256}, {"BN", 128}}, "2,048 threads");
  says("vectorised", {{"BM", 32}, {"BN", 32}, {"TM", 8}, {"TN", 8}}, "16 threads, less than one warp");
  says("warp-tile", {{"WM", 128}}, "only BM = 64 rows");
  says("warp-tile", {{"BM", 128}, {"WM", 128}}, "2 to 16 rows");
  says("warp-tile", {{"TM", 8}, {"TN", 16}, {"WM", 16}}, "256 columns wide");
  says("grouped-tiles", {{"WM", 128}}, "only BM = 64 rows");
  Values deep{{"BM", 128}, {"BN", 256}, {"BK", 32}, {"TM", 8}, {"TN", 16}, {"WM", 64}, {"STAGES", 4}};
  for (const char* rung : kCopyRungs) EXPECT_EQ(refusal(rung, deep), "") << rung;
  deep["STAGES"] = 5;
  for (const char* rung : kCopyRungs) says(rung, deep, "248,320 bytes of shared memory");
  EXPECT_EQ(refusal("grouped-tiles", deep), "");
}

TEST(MatmulFp32, WhatDoesNotUseATileRunsWhateverItIs) {
  const Values impossible{{"BM", 256}, {"BN", 256}, {"BK", 32}, {"TM", 16}, {"TN", 16}, {"WM", 128}, {"STAGES", 5}};
  for (const char* rung : {"naive", "coalesced", "shared-tile", "auto"})
    EXPECT_EQ(refusal(rung, impossible), "") << rung;
}

TEST(MatmulFp32, EveryPossibleTileFitsThreadsAndSharedMemoryOfAnH200) {
  const GpuSpec* gpu = find_gpu(engine().gpus().value(), "h200");
  std::mt19937 random(7);
  int possible = 0;
  for (int i = 0; i < 2000; ++i) {
    Request request = request_for("double-buffered", kWhole);
    for (const Param& param : lab().params) {
      const auto values = values_of(param);
      request.config.params[param.name] = values[random() % values.size()];
    }
    const auto plan = engine().plan(request);
    if (!plan) continue;
    ++possible;
    const Launch& launch = plan->launches.front();
    EXPECT_LE(launch.block.count(), gpu->max_threads_per_block);
    EXPECT_EQ(launch.block.count() % 32, 0U);
    EXPECT_LE(launch.shared_bytes, gpu->shared_bytes_per_block);
  }
  EXPECT_GT(possible, 200);
}

Pick pick_of(int64_t m, int64_t n, int64_t k) {
  const GpuSpec* gpu = find_gpu(engine().gpus().value(), "h200");
  return find_rung(lab(), "auto")->pick(request_for("auto", {{"M", m}, {"N", n}, {"K", k}}).config, *gpu);
}

TEST(MatmulFp32, AutoGivesEveryMultiprocessorATile) {
  EXPECT_EQ(pick_of(8192, 8192, 8192).params.at("BN"), 256);
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{256, 256}, {512, 512}, {64, 4096}, {4096, 64}}) {
    const Pick pick = pick_of(m, n, 4096);
    const int64_t tile = pick.params.at("BM") * pick.params.at("BN");
    EXPECT_LT(tile, 128 * 128) << m << " × " << n << ": " << pick.why.en;
  }
}

TEST(MatmulFp32, WhatAutoPicksIsPossible) {
  for (const int64_t m : {1, 30, 100, 500, 1000, 4096, 32768})
    for (const int64_t n : {1, 50, 300, 2048, 8192}) {
      const Pick pick = pick_of(m, n, 1000);
      EXPECT_EQ(refusal(pick.rung, pick.params), "") << m << " × " << n;
    }
}

TEST(MatmulFp32, TheToleranceOfALongSumIsFarBelowOneOfItsProducts) {
  Config config = default_config(lab(), DeviceKind::gpu);
  config.sizes["K"] = 8192;
  EXPECT_LT(tolerance_of(lab(), "naive", config, DType::f32).absolute, 0.01);  // products of N(0, 1) values are about
                                                                               // 0.6
}

}  // namespace
}  // namespace tilescope
