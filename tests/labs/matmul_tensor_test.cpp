// The tensor core labs: what swizzling, fusing and whole sectors save, counted by hand; and the tile that "auto"
// selects.
#include <gtest/gtest.h>

#include "engine/run/engine.hpp"
#include "engine/specs.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

constexpr const char* kTensor = "matmul-tensor-core";
constexpr const char* kEpilogue = "matmul-epilogue";
using Values = std::map<std::string, int64_t>;

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

struct Shape {
  int64_t m, n, k;
};

Request request_for(const std::string& lab, const std::string& rung, const Shape& shape, const Values& params) {
  Request request;
  request.lab = lab;
  request.rung = rung;
  request.config = default_config(*find_lab(lab), DeviceKind::sim);
  request.machine_code = false;
  request.config.sizes = {{"M", shape.m}, {"N", shape.n}, {"K", shape.k}};
  for (const auto& [name, value] : params) request.config.params[name] = value;
  return request;
}

RunResult run_soundly(const Request& request) {
  std::string what = request.lab + " " + request.rung;
  for (const auto& [name, value] : request.config.sizes) what += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : request.config.params) what += fmt::format(" {}={}", name, value);
  auto result = engine().run(request);
  EXPECT_TRUE(result) << what << ": " << result.error().message;
  if (!result) return {};
  EXPECT_TRUE(result->passed()) << what << ": " << result->correctness.front().reason;
  EXPECT_TRUE(result->findings.empty()) << what << ": " << result->findings.front().message;
  return std::move(*result);
}

Counters counters_of(const std::string& lab, const std::string& rung, const Shape& shape, const Values& params) {
  return run_soundly(request_for(lab, rung, shape, params)).traffic.counters;
}

// One CTA of 4 warps: each warp computes 32 × 32 of the 64 × 64 tile.
constexpr Shape kTile{64, 64, 64};

TEST(MatmulTensorCore, SwizzledTilesHaveNoBankConflictInAnyTypeLayoutAndDepth) {
  std::vector<Values> tiles;
  for (const int64_t type : {0, 1, 2})
    for (const int64_t layout : {0, 1})
      for (const int64_t depth : {32, 64}) tiles.push_back({{"DTYPE", type}, {"B_LAYOUT", layout}, {"BK", depth}});
  size_t turn = 0;
  for (const char* rung : {"ldmatrix", "grouped", "multi-stage", "double-buffered", "persistent"})
    for (const Values& tile : values_in_turn(tiles, turn++, 4)) {
      const Counters counters = counters_of(kTensor, rung, kTile, tile);
      EXPECT_GT(counters.shared_load_wavefronts, 0U);
      EXPECT_EQ(counters.shared_load_bank_conflicts, 0U)
          << rung << tile.at("DTYPE") << tile.at("B_LAYOUT") << tile.at("BK");
      EXPECT_EQ(counters.shared_store_bank_conflicts, 0U)
          << rung << tile.at("DTYPE") << tile.at("B_LAYOUT") << tile.at("BK");
    }
}

TEST(MatmulTensorCore, WithoutASwizzleTheRowsOfAMatrixShareBanksAsTheirPitchSays) {
  const auto wavefronts = [](const Values& params) {
    Request request = request_for(kTensor, "ldmatrix", kTile, params);
    request.broken = {"UNSWIZZLED"};
    return run_soundly(request).traffic.counters.shared_load_wavefronts;
  };
  // For each 16 of K a warp issues two ldmatrix.x4 for A and two for B: 4 · 4 · 4 = 64 in all, of four matrices each.
  // Rows of 128 bytes begin in the same bank: 8 wavefronts for each matrix.
  EXPECT_EQ(wavefronts({{"BK", 64}}), 64U * 4 * 8);
  EXPECT_EQ(wavefronts({{"BK", 64}, {"B_LAYOUT", 1}}), 64U * 4 * 8);
  // Rows of 64 bytes begin in two: A's matrices take 4 wavefronts. B by rows still has 128 bytes in a row.
  EXPECT_EQ(wavefronts({{"BK", 32}}), 32U * 4 * 4 + 32U * 4 * 8);
  EXPECT_EQ(wavefronts({{"BK", 32}, {"B_LAYOUT", 1}}), 64U * 4 * 4);
  // TF32 takes twice as many steps: row-major B is read by 8 loads of 4 bytes per step, 4 rows in the same banks.
  EXPECT_EQ(wavefronts({{"BK", 32}, {"DTYPE", 2}}), 64U * 4 * 8 + 4U * 8 * 8 * 4);
}

TEST(MatmulTensorCore, PlainLoadsOfFragmentsConflictAsTheirRowsDo) {
  // Registers of A for each 16 of K: 8 of a warp, all 8 rows of a register in 2 groups of banks (rows of 64 bytes), so
  // 4 wavefronts. B by rows: 16 loads of 2 bytes, 4 rows of 128 bytes apart: 4 wavefronts.
  constexpr uint64_t kSteps = 4, kWarps = 4;
  const Counters rows = counters_of(kTensor, "mma-shared", kTile, {});
  EXPECT_EQ(rows.shared_load_wavefronts, kSteps * kWarps * (8 * 4 + 16 * 4));
  EXPECT_EQ(rows.shared_load_bank_conflicts, kSteps * kWarps * (8 * 3 + 16 * 3));
  // Column-major B: two elements per word, as in A.
  const Counters columns = counters_of(kTensor, "mma-shared", kTile, {{"B_LAYOUT", 1}});
  EXPECT_EQ(columns.shared_load_wavefronts, kSteps * kWarps * (8 * 4 + 8 * 4));
}

TEST(MatmulTensorCore, ARungAddsOneIdeaAndLeavesWhatTheOthersMove) {
  const auto moved = [](const char* rung) { return counters_of(kTensor, rung, {300, 336, 144}, {}); };
  const Counters ldmatrix = moved("ldmatrix"), grouped = moved("grouped"), stages = moved("multi-stage"),
                 buffered = moved("double-buffered");
  // The order of the tiles changes which CTA computes a tile, not what a tile needs.
  EXPECT_EQ(grouped.global_load_sectors, ldmatrix.global_load_sectors);
  EXPECT_EQ(grouped.shared_load_wavefronts, ldmatrix.shared_load_wavefronts);
  // cp.async brings the same sectors without a store to shared memory.
  EXPECT_EQ(stages.global_load_sectors, grouped.global_load_sectors);
  EXPECT_EQ(stages.shared_load_wavefronts, grouped.shared_load_wavefronts);
  EXPECT_GT(grouped.shared_store_wavefronts, 0U);
  EXPECT_EQ(stages.shared_store_wavefronts, 0U);
  // One set of fragments more for each of 5 · 6 tiles and 4 warps: four ldmatrix.x4 of 4 wavefronts.
  EXPECT_EQ(buffered.global_load_sectors, stages.global_load_sectors);
  EXPECT_EQ(buffered.shared_load_wavefronts, stages.shared_load_wavefronts + 5U * 6 * 4 * 4 * 4);
}

TEST(MatmulTensorCore, ACtaReadsItsStripsOnceAndWritesItsTileInWholeSectors) {
  constexpr Shape kShape{256, 192, 128};
  for (const int64_t type : {0, 2}) {
    const uint64_t bytes = type == 2 ? 4 : 2, tiles = 4 * 3;
    for (const char* rung : {"mma-shared", "ldmatrix", "grouped", "multi-stage", "double-buffered", "persistent"}) {
      const Counters counters = counters_of(kTensor, rung, kShape, {{"DTYPE", type}});
      EXPECT_EQ(counters.global_load_sectors, tiles * (64 + 64) * 128 * bytes / 32) << rung;
      EXPECT_EQ(counters.global_store_sectors, 256 * 192 * bytes / 32) << rung;
    }
  }
}

TEST(MatmulEpilogue, FusionSavesFourTripsOfAMatrixThroughMemory) {
  constexpr Shape kShape{256, 192, 128};
  constexpr uint64_t kSectors = 256 * 192 * 2 / 32;
  for (const int64_t activation : {0, 1}) {
    const Values params{{"ACTIVATION", activation}};
    const Counters product = counters_of(kEpilogue, "product", kShape, params),
                   fused = counters_of(kEpilogue, "fused", kShape, params),
                   three = counters_of(kEpilogue, "three-kernels", kShape, params);
    EXPECT_EQ(product.global_store_sectors, kSectors);
    EXPECT_EQ(fused.global_store_sectors, kSectors);
    EXPECT_EQ(three.global_store_sectors, 3 * kSectors);
    // A warp of the fused kernel reads the bias of its 32 columns, 8 at a time: 16 bytes of one sector.
    constexpr uint64_t kTiles = 4 * 3, kWarps = 4, kLoads = 4;
    EXPECT_EQ(fused.global_load_sectors, product.global_load_sectors + kTiles * kWarps * kLoads);
    EXPECT_EQ(three.global_load_sectors, product.global_load_sectors + 2 * kSectors + 256 * 192 * 2 / 32)
        << "and the bias once for each row";
  }
}

TEST(MatmulEpilogue, ThreeKernelsRoundThreeTimesAndTheFusedOneOnce) {
  const Shape shape{128, 128, 64};
  const auto error = [&](const char* rung) {
    return run_soundly(request_for(kEpilogue, rung, shape, {{"DTYPE", 1}})).correctness.front().largest_error;
  };
  EXPECT_GT(error("three-kernels"), error("fused"));
}

TEST(MatmulTensorCore, AutoTakesTheLargestTileThatKeepsEverySmBusy) {
  const Lab& lab = *find_lab(kTensor);
  const auto gpus = read_gpu_specs(engine().root() / "assets" / "gpus.toml");
  ASSERT_TRUE(gpus);
  const GpuSpec& h200 = *find_gpu(*gpus, "h200");
  const auto tile = [&](int64_t size, int64_t type) {
    Config config = default_config(lab, DeviceKind::gpu);
    config.sizes = {{"M", size}, {"N", size}, {"K", size}};
    config.params["DTYPE"] = type;
    const auto resolved = resolve(lab, *find_rung(lab, "auto"), config, h200);
    EXPECT_TRUE(resolved);
    EXPECT_TRUE(resolved->rung->check(resolved->config)) << "it can be launched";
    return std::pair(resolved->config.param("BM"), resolved->config.param("BN"));
  };
  const auto expected = [](int64_t rows, int64_t columns) { return std::pair(rows, columns); };
  EXPECT_EQ(tile(8192, 1), expected(128, 256));  // 2,048 tiles: 15.5 waves of 132
  EXPECT_EQ(tile(8192, 2), expected(128, 256));
  EXPECT_EQ(tile(1024, 0), expected(64, 128));  // 128 tiles; with 128 × 256 there would be 32, for 132 SMs
  EXPECT_EQ(tile(256, 0), expected(64, 64));    // 16 tiles
}

TEST(MatmulTensorCore, ATileThatRegistersOrSharedMemoryCannotHoldIsRefusedWithItsReason) {
  const auto refusal = [](const Values& params) {
    const auto result = engine().run(request_for(kTensor, "double-buffered", kTile, params));
    EXPECT_FALSE(result);
    return result ? std::string() : result.error().message;
  };
  const std::string sums = refusal({{"BM", 256}, {"BN", 256}, {"WARPS", 8}});
  EXPECT_NE(sums.find("= 256 is not possible; allowed is at most 128"), std::string::npos) << sums;
  const std::string bytes = refusal({{"BM", 128}, {"BN", 256}, {"BK", 64}, {"WARPS", 8}, {"DTYPE", 2}});
  EXPECT_NE(bytes.find("= 294,912 is not possible; allowed is at most 232,448"), std::string::npos) << bytes;
}

}  // namespace
}  // namespace tilescope
