// What the execution-model lab shows: what limits the number of resident blocks per SM, and that nothing guarantees
// their order. Limits are those of compute capability 9.0: 64 warps, 65,536 registers, 228 KiB.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

using Values = std::map<std::string, int64_t>;

Request request_for(const std::string& rung, const Values& params = {}, int64_t blocks = 200) {
  Request request;
  request.lab = "execution-model";
  request.rung = rung;
  request.config = default_config(*find_lab("execution-model"), DeviceKind::sim);
  request.gpu = "h200";
  request.config.sizes["blocks"] = blocks;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  return request;
}

RunResult run(const Request& request) {
  auto result = engine().run(request);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : RunResult();
}

uint32_t registers_of(const RunResult& result) { return result.usage.back().registers_per_thread; }

TEST(ExecutionModel, WarpsLimitLargeBlocksAndTheirNumberSmallOnes) {
  for (const auto& [block, held] : std::map<int64_t, uint32_t>{{32, 32}, {64, 32}, {128, 16}, {256, 8}, {1024, 2}})
    EXPECT_EQ(run(request_for("one-by-one", {{"BLOCK", block}})).waves.back().blocks_per_multiprocessor, held) << block;
}

TEST(ExecutionModel, EachWalkThatIsKeptSideBySideTakesRegistersAndWithThemRoom) {
  uint32_t before = 0, held_before = 64;
  for (const int64_t chains : {8, 16, 32, 64}) {
    const RunResult result = run(request_for("side-by-side", {{"CHAINS", chains}}));
    EXPECT_GE(registers_of(result), before + chains / 2) << chains;
    EXPECT_GE(registers_of(result), static_cast<uint32_t>(2 * chains)) << "a number and a place of each walk";
    before = registers_of(result);
    // Registers are allocated in units of 256 per warp; a block has 8 warps.
    const uint32_t of_block = (before * 32 + 255) / 256 * 256 * 8;
    const uint32_t held = result.waves.back().blocks_per_multiprocessor;
    EXPECT_EQ(held, std::min(8U, 65536 / of_block)) << chains;
    EXPECT_LE(held, held_before);
    held_before = held;
  }
  EXPECT_EQ(registers_of(run(request_for("one-by-one", {{"CHAINS", 64}}))),
            registers_of(run(request_for("one-by-one", {{"CHAINS", 8}}))));
}

TEST(ExecutionModel, LaunchBoundsMakeRoomForAsManyBlocksAndSpillWhatIsOver) {
  for (const int64_t least : {1, 2, 4, 6, 8})
    EXPECT_GE(run(request_for("capped-registers", {{"CHAINS", 64}, {"MIN_BLOCKS", least}}))
                  .waves.back()
                  .blocks_per_multiprocessor,
              static_cast<uint32_t>(least));
  const RunResult eight = run(request_for("capped-registers", {{"CHAINS", 64}, {"MIN_BLOCKS", 8}}));
  EXPECT_GT(eight.compiled.find("capped_registers")->spill_store_bytes, 0U);
  const RunResult one = run(request_for("capped-registers", {{"CHAINS", 64}, {"MIN_BLOCKS", 1}}));
  EXPECT_EQ(one.compiled.find("capped_registers")->spill_store_bytes, 0U);
}

TEST(ExecutionModel, ATableInSharedMemoryTakesItsRoom) {
  // Including the 1 KiB that the system reserves per block.
  for (const auto& [kib, held] : std::map<int64_t, uint32_t>{{4, 8}, {32, 6}, {64, 3}, {128, 1}}) {
    const RunResult result = run(request_for("table-in-shared", {{"TABLE_KB", kib}}));
    EXPECT_EQ(result.waves.back().blocks_per_multiprocessor, held) << kib;
    EXPECT_EQ(result.occupancy.back().limit == OccupancyLimit::shared, held < 2) << "a grid of 200 blocks";
  }
}

TEST(ExecutionModel, ATableThatTheGpuHasNoRoomForIsRefused) {
  Request request = request_for("table-in-shared", {{"TABLE_KB", 128}});
  request.gpu = "v100";
  const auto result = engine().run(request);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("the limit is 98304 bytes"), std::string::npos) << result.error().message;
}

TEST(ExecutionModel, OnTheSimulatorBlocksNoteTheMultiprocessorOfTheModelAndTheSameEveryTime) {
  const Request request = request_for("one-by-one", {}, 1500);
  const RunResult result = run(request), again = run(request);
  ASSERT_EQ(result.plan.buffers[3].name, "schedule");
  const auto noted = result.buffers[3]->as<uint64_t>();
  for (uint64_t block = 0; block < 1500; ++block)
    EXPECT_EQ(noted[3 * block], result.waves.back().place_of(block).multiprocessor) << block;
  EXPECT_EQ(result.buffers[3]->bytes, again.buffers[3]->bytes);
  EXPECT_FALSE(result.block_times) << "time is not simulated";
}

TEST(ExecutionModel, WhenAndWhereBlocksRanIsNotComparedWithAnything) {
  const RunResult result = run(request_for("one-by-one"));
  ASSERT_EQ(result.correctness.size(), 1U);
  EXPECT_EQ(result.correctness[0].buffer, "out");
}

TEST(ExecutionModel, TrustingTheOrderOfBlocksIsReported) {
  for (const char* rung : {"one-by-one", "side-by-side", "capped-registers", "table-in-shared"}) {
    Request request = request_for(rung);
    request.broken = {"TRUST_ORDER"};
    const RunResult result = run(request);
    EXPECT_TRUE(std::ranges::any_of(result.findings, [](const Finding& one) {
      return one.id == "global-race" || one.id == "uninitialised-read";
    })) << rung;
  }
}

TEST(ExecutionModel, OnAGpuEveryMultiprocessorTakesPartAndNoneHoldsMoreBlocksThanFit) {
  if (!engine().gpu()) GTEST_SKIP() << engine().gpu().error().message;
  for (const char* rung : {"one-by-one", "side-by-side", "capped-registers", "table-in-shared"}) {
    Request request = request_for(rung, {{"WORK", 64}}, 2500);
    request.device = DeviceKind::gpu;
    request.gpu.clear();
    const RunResult result = run(request);
    ASSERT_TRUE(result.block_times) << rung;
    EXPECT_EQ(result.block_times->blocks.size(), 2500U);
    EXPECT_EQ(result.block_times->multiprocessors, static_cast<uint32_t>(result.device.multiprocessors)) << rung;
    EXPECT_LE(result.block_times->most_resident, result.waves.back().blocks_per_multiprocessor) << rung;
    EXPECT_TRUE(result.passed());
  }
}

}  // namespace
}  // namespace tilescope
