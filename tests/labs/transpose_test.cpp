// What the transpose lab is there to show, from the simulator's counters: sectors per request and wavefronts of
// shared memory. Expected figures follow from the layout alone: a sector has 32 bytes, there are 32 banks of 4
// bytes.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

using Values = std::map<std::string, int64_t>;

/// Counters of a rung for whole tiles; `sizes` and `params` replace defaults.
Counters counters_of(const std::string& rung, const Values& params = {}, const Values& sizes = {},
                     const std::vector<std::string>& broken = {}) {
  Request request;
  request.lab = "transpose";
  request.rung = rung;
  request.config = default_config(*find_lab("transpose"), DeviceKind::sim);
  request.config.sizes = {{"rows", 128}, {"columns", 192}};
  for (const auto& [name, value] : sizes) request.config.sizes[name] = value;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  request.broken = broken;
  const auto result = engine().run(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_TRUE(result->passed()) << rung;
  EXPECT_TRUE(result->findings.empty()) << rung << ": " << result->findings.front().message;
  return result->traffic.counters;
}

constexpr uint64_t kElements = 128 * 192;

// The rungs that store a tile in shared memory; of these, those that swizzle it; of these, those that move packs.
constexpr std::array kTileRungs{"shared-tile",   "padded-tile", "swizzled-tile",
                                "batched-loads", "whole-tiles", "grouped-tiles"};
constexpr std::array kSwizzledRungs{"swizzled-tile", "batched-loads", "whole-tiles", "grouped-tiles"};
constexpr std::array kPackRungs{"whole-tiles", "grouped-tiles"};

TEST(Transpose, ANaiveRungTouchesASectorPerLaneOnOneSideAndFourPerWarpOnTheOther) {
  const Counters reads = counters_of("reads-coalesced");
  EXPECT_EQ(reads.global_load_sectors, 4 * reads.global_load_requests);
  EXPECT_EQ(reads.global_store_sectors, 32 * reads.global_store_requests);
  const Counters writes = counters_of("writes-coalesced");
  EXPECT_EQ(writes.global_load_sectors, 32 * writes.global_load_requests);
  EXPECT_EQ(writes.global_store_sectors, 4 * writes.global_store_requests);
}

TEST(Transpose, ATileMakesFourSectorsPerRequestOnBothSides) {
  for (const char* rung : kTileRungs)
    for (const int64_t tile : {32, 64}) {
      const Counters counters = counters_of(rung, {{"TILE", tile}});
      EXPECT_EQ(counters.global_load_requests, kElements / 32) << rung << tile;
      EXPECT_EQ(counters.global_store_requests, kElements / 32) << rung << tile;
      EXPECT_EQ(counters.global_load_sectors, kElements / 8) << rung << tile;
      EXPECT_EQ(counters.global_store_sectors, kElements / 8) << rung << tile;
    }
}

TEST(Transpose, TheSharedTileIsReadInThirtyTwoPassesAndWrittenInOne) {
  for (const int64_t tile : {32, 64}) {
    const Counters counters = counters_of("shared-tile", {{"TILE", tile}});
    EXPECT_EQ(counters.shared_load_wavefronts, kElements);
    EXPECT_EQ(counters.shared_load_bank_conflicts, kElements / 32 * 31);
    EXPECT_EQ(counters.shared_store_wavefronts, kElements / 32);
    EXPECT_EQ(counters.shared_store_bank_conflicts, 0U);
  }
  // Edge 16: two columns of 16 rows, 16 words per row, so 8 lanes in each of 4 banks.
  EXPECT_EQ(counters_of("shared-tile", {{"TILE", 16}}).shared_load_wavefronts, kElements / 32 * 8);
}

TEST(Transpose, PaddingLeavesAsManyPassesAsPitchAndBanksHaveInCommon) {
  for (const int64_t tile : {32, 64})
    for (int64_t pad = 0; pad <= 8; ++pad) {
      const Counters counters = counters_of("padded-tile", {{"TILE", tile}, {"PAD", pad}});
      const auto ways = static_cast<uint64_t>(std::gcd(tile + pad, int64_t{32}));
      EXPECT_EQ(counters.shared_load_wavefronts, kElements / 32 * ways) << "PAD " << pad;
      EXPECT_EQ(counters.shared_store_bank_conflicts, 0U) << "PAD " << pad;
    }
}

TEST(Transpose, EveryBitOfTheSwizzleHalvesThePasses) {
  for (const char* rung : kSwizzledRungs)
    for (const int64_t tile : {32, 64})
      for (int64_t bits = 0; bits <= 5; ++bits) {
        const Counters counters = counters_of(rung, {{"TILE", tile}, {"SWIZZLE", bits}});
        EXPECT_EQ(counters.shared_load_wavefronts, kElements / 32 * (uint64_t{32} >> bits)) << rung << bits << " bits";
        EXPECT_EQ(counters.shared_store_bank_conflicts, 0U) << rung << bits << " bits";
      }
}

TEST(Transpose, TheSwizzledTileHasNoConflictAtAnyWidthOfItsAccesses) {
  for (const char* rung : kPackRungs)
    for (const int64_t tile : {32, 64})
      for (const int64_t vector : {1, 2, 4}) {
        const Counters counters = counters_of(rung, {{"TILE", tile}, {"VEC", vector}});
        EXPECT_EQ(counters.shared_load_bank_conflicts + counters.shared_store_bank_conflicts, 0U) << vector;
        EXPECT_EQ(counters.shared_load_wavefronts, kElements / 32) << vector;
        EXPECT_EQ(counters.global_load_requests, kElements / 32 / static_cast<uint64_t>(vector));
        EXPECT_EQ(counters.global_load_sectors, kElements / 8);
        EXPECT_EQ(counters.global_store_sectors, kElements / 8);
      }
  // What no padding does: two columns of 16 rows at once.
  for (const char* rung : kSwizzledRungs)
    EXPECT_EQ(counters_of(rung, {{"TILE", 16}}).shared_load_bank_conflicts, 0U) << rung;
}

TEST(Transpose, ForgottenPaddingIsAThirtyTwoWayConflict) {
  EXPECT_EQ(counters_of("padded-tile", {}, {}, {"SAME_BANK"}).shared_load_wavefronts, kElements);
  for (const char* rung : kSwizzledRungs)
    EXPECT_EQ(counters_of(rung, {}, {}, {"SAME_BANK"}).shared_load_wavefronts, kElements) << rung;
}

TEST(Transpose, RowsThatStartBetweenVectorsAreMovedFloatByFloat) {
  for (const char* rung : kPackRungs)
    for (const int64_t rows : {1, 3, 33, 126, 127})
      for (const int64_t columns : {1, 31, 66, 191})
        for (const int64_t tile : {16, 32, 64})
          counters_of(rung, {{"TILE", tile}, {"VEC", 4}}, {{"rows", rows}, {"columns", columns}});
}

TEST(Transpose, EveryGroupOfTileRowsCoversTheMatrixOnce) {
  for (const int64_t group : {1, 2, 4, 8, 16, 32, 64}) {
    const Counters counters = counters_of("grouped-tiles", {{"GROUP", group}}, {{"rows", 352}, {"columns", 70}});
    EXPECT_EQ(counters.global_load_bytes_useful, 4U * 352 * 70) << group;
    EXPECT_EQ(counters.global_store_bytes_useful, 4U * 352 * 70) << group;
  }
}

TEST(Transpose, ARemovedBarrierIsReportedAsARaceInTheSharedTile) {
  for (const char* rung : kTileRungs) {
    Request request;
    request.lab = "transpose";
    request.rung = rung;
    request.config = default_config(*find_lab("transpose"), DeviceKind::sim);
    request.config.sizes = {{"rows", 64}, {"columns", 64}};
    request.broken = {"NO_BARRIER"};
    const auto result = engine().run(request);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_FALSE(result->findings.empty()) << rung;
    EXPECT_TRUE(std::any_of(result->findings.begin(), result->findings.end(), [](const Finding& finding) {
      return finding.id == "shared-race";
    })) << result->findings.front().message;
  }
}

}  // namespace
}  // namespace tilescope
