// Truth: calculated by hand from the tables of the CUDA C++ Programming Guide. A block of 256 threads has 8 warps; an
// SM of an H200 holds 64, and there are 132 SMs.
#include "engine/traffic/schedule/waves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/traffic/schedule/occupancy.hpp"
#include "tests/traffic/gpus.hpp"

namespace tilescope {
namespace {

constexpr BlockUsage kEightWarps{.threads = 256, .registers_per_thread = 32};

WaveSchedule waves_of(const std::string& id, const BlockUsage& usage, uint64_t blocks) {
  return schedule_waves(gpu(id), usage, occupancy_of(gpu(id), usage, blocks), blocks);
}

TEST(Waves, TheGridRunsInWavesOfWhatAllMultiprocessorsHold) {
  const WaveSchedule waves = waves_of("h200", kEightWarps, 2500);
  EXPECT_EQ(waves.blocks_per_multiprocessor, 8U);
  EXPECT_EQ(waves.resident(), 1056U);
  EXPECT_EQ(waves.waves(), 3U);
  EXPECT_EQ(waves.full_waves(), 2U);
  EXPECT_EQ(waves.last_wave_blocks(), 388U);
  EXPECT_DOUBLE_EQ(waves.filled(), 2500.0 / 3168);
  EXPECT_DOUBLE_EQ(waves.last_wave_filled(), 388.0 / 1056);
}

TEST(Waves, OneBlockMoreThanAFullWaveIsAnotherWave) {
  EXPECT_EQ(waves_of("h200", kEightWarps, 1056).waves(), 1U);
  EXPECT_DOUBLE_EQ(waves_of("h200", kEightWarps, 1056).filled(), 1);
  const WaveSchedule tail = waves_of("h200", kEightWarps, 1057);
  EXPECT_EQ(tail.waves(), 2U);
  EXPECT_EQ(tail.last_wave_blocks(), 1U);
  EXPECT_EQ(tail.busy_multiprocessors(1), 1U);
}

TEST(Waves, ThreeOf100PlacesAreIdleWhere2048BlocksRunIn16WavesOf132) {
  const WaveSchedule waves = waves_of("h200", {.threads = 1024, .registers_per_thread = 64}, 2048);
  EXPECT_EQ(waves.resident(), 132U);
  EXPECT_EQ(waves.waves(), 16U);
  EXPECT_EQ(waves.last_wave_blocks(), 68U);
  EXPECT_NEAR(1 - waves.filled(), 0.03, 0.001);
}

TEST(Waves, ASmallGridHasAtMostABlockOnEachMultiprocessor) {
  const WaveSchedule waves = waves_of("h200", kEightWarps, 97);
  EXPECT_EQ(waves.waves(), 1U);
  EXPECT_EQ(waves.busy_multiprocessors(0), 97U);
  for (uint32_t processor = 0; processor < 132; ++processor)
    EXPECT_EQ(waves.blocks_on(0, processor), processor < 97 ? 1U : 0U);
}

TEST(Waves, BlocksGoToTheMultiprocessorsInTurnAndFillSlotAfterSlot) {
  const WaveSchedule waves = waves_of("h200", kEightWarps, 2500);
  EXPECT_EQ(waves.place_of(0), (BlockPlace{0, 0, 0}));
  EXPECT_EQ(waves.place_of(131), (BlockPlace{0, 131, 0}));
  EXPECT_EQ(waves.place_of(132), (BlockPlace{0, 0, 1}));
  EXPECT_EQ(waves.place_of(1055), (BlockPlace{0, 131, 7}));
  EXPECT_EQ(waves.place_of(1056), (BlockPlace{1, 0, 0}));
  EXPECT_EQ(waves.place_of(2112 + 133), (BlockPlace{2, 1, 1}));
  // The last wave has 388 blocks: two on each of 132 SMs, and one more on the first 124.
  EXPECT_EQ(waves.blocks_on(2, 123), 3U);
  EXPECT_EQ(waves.blocks_on(2, 124), 2U);
}

TEST(Waves, NoPlaceIsGivenTwiceInAWave) {
  for (const uint64_t blocks : {1U, 131U, 1057U, 2500U}) {
    const WaveSchedule waves = waves_of("h200", kEightWarps, blocks);
    std::set<std::tuple<uint64_t, uint32_t, uint32_t>> places;
    std::map<std::pair<uint64_t, uint32_t>, uint32_t> held;
    for (uint64_t block = 0; block < blocks; ++block) {
      const BlockPlace place = waves.place_of(block);
      EXPECT_LT(place.multiprocessor, 132U);
      EXPECT_LT(place.slot, 8U);
      EXPECT_TRUE(places.insert({place.wave, place.multiprocessor, place.slot}).second) << block;
      ++held[{place.wave, place.multiprocessor}];
    }
    for (const auto& [where, count] : held) EXPECT_EQ(waves.blocks_on(where.first, where.second), count);
  }
}

TEST(Waves, BlocksOfEarlierWavesAreDoneAndLaterOnesWait) {
  const WaveSchedule waves = waves_of("h200", kEightWarps, 2500);
  EXPECT_EQ(waves.state_of(0, 0), BlockState::waiting);
  EXPECT_EQ(waves.state_of(0, 1056), BlockState::resident) << "the wave is complete and none of it has ended";
  EXPECT_EQ(waves.state_of(0, 1057), BlockState::done) << "the first of the next takes the place of one that ended";
  EXPECT_EQ(waves.state_of(1056, 1057), BlockState::resident);
  EXPECT_EQ(waves.state_of(1057, 1057), BlockState::waiting);
  EXPECT_EQ(waves.state_of(2111, 2500), BlockState::done);
  EXPECT_EQ(waves.state_of(2112, 2500), BlockState::resident);
}

TEST(Waves, AStepByAWaveGoesToTheNextWavesBeginAndBack) {
  const WaveSchedule waves = waves_of("h200", kEightWarps, 2500);
  EXPECT_EQ(waves.next_wave(0), 1056U);
  EXPECT_EQ(waves.next_wave(7), 1056U);
  EXPECT_EQ(waves.next_wave(1056), 2112U);
  EXPECT_EQ(waves.next_wave(2112), 2500U);
  EXPECT_EQ(waves.next_wave(2500), 2500U);
  EXPECT_EQ(waves.previous_wave(2500), 2112U);
  EXPECT_EQ(waves.previous_wave(2112), 1056U);
  EXPECT_EQ(waves.previous_wave(1057), 1056U);
  EXPECT_EQ(waves.previous_wave(3), 0U);
  EXPECT_EQ(waves.previous_wave(0), 0U);
}

TEST(Waves, AGridOfWhichNoBlockFitsDoesNotRun) {
  const WaveSchedule waves = waves_of("rtx-4090", {.threads = 128, .dynamic_shared_bytes = 100 * 1024}, 64);
  EXPECT_FALSE(waves.runs());
  EXPECT_EQ(waves.waves(), 0U);
  EXPECT_EQ(waves.filled(), 0);
  EXPECT_EQ(waves.next_wave(3), 64U);
}

TEST(ResourceLimits, EachSaysWhatItAloneWouldAllow) {
  // 56 registers × 256 threads are 14,336, and 65,536 hold 4 times that; 228 KiB hold 6 times 33 KiB of shared memory.
  const BlockUsage usage{.threads = 256, .registers_per_thread = 56, .dynamic_shared_bytes = 32 * 1024};
  const auto limits = resource_limits(gpu("h200"), usage, occupancy_of(gpu("h200"), usage, 2500), 2500);
  ASSERT_EQ(limits.size(), 5U);
  const auto expect = [&](size_t row, OccupancyLimit limit, uint32_t blocks, double occupancy, uint64_t waves) {
    EXPECT_EQ(limits[row].limit, limit);
    ASSERT_TRUE(limits[row].blocks);
    EXPECT_EQ(*limits[row].blocks, blocks);
    EXPECT_DOUBLE_EQ(limits[row].occupancy, occupancy);
    EXPECT_EQ(limits[row].waves, waves);
    EXPECT_EQ(limits[row].limiting, limit == OccupancyLimit::registers);
  };
  expect(0, OccupancyLimit::registers, 4, 0.5, 5);  // 528 at a time
  expect(1, OccupancyLimit::shared, 6, 0.75, 4);    // 792
  expect(2, OccupancyLimit::threads, 8, 1, 3);      // 1,056
  expect(3, OccupancyLimit::barriers, 64, 1, 1);    // 8,448
  expect(4, OccupancyLimit::blocks, 32, 1, 1);      // 4,224
}

TEST(ResourceLimits, WhatTheKernelDoesNotTakeIsNoLimit) {
  const BlockUsage usage{.threads = 256, .registers_per_thread = 0};
  const auto limits = resource_limits(gpu("v100"), usage, occupancy_of(gpu("v100"), usage, 10), 10);
  EXPECT_EQ(limits[0].limit, OccupancyLimit::registers);
  EXPECT_FALSE(limits[0].blocks);
  EXPECT_FALSE(limits[0].limiting);
  for (const ResourceLimit& one : limits)
    EXPECT_NE(one.limit, OccupancyLimit::barriers) << "no limit before compute capability 9.0";
}

TEST(WavesOn, TheSameGridNeedsFewerWavesWhereThereAreMoreMultiprocessors) {
  const auto rows = waves_on(all_gpus(), kEightWarps, 2500);
  const auto find = [&](const std::string& id) {
    const auto found = std::ranges::find(rows, id, &GpuWaves::id);
    return found != rows.end() ? found->schedule : WaveSchedule{};
  };
  EXPECT_EQ(rows.size(), all_gpus().size());
  EXPECT_EQ(find("v100").resident(), 80U * 8);
  EXPECT_EQ(find("v100").waves(), 4U);
  EXPECT_EQ(find("rtx-4090").resident(), 128U * 6) << "48 warps of 8";
  EXPECT_EQ(find("rtx-4090").waves(), 4U);
  EXPECT_EQ(find("b200").resident(), 148U * 8);
  EXPECT_EQ(find("b200").waves(), 3U);
}

HostBuffer schedule_of(const std::vector<std::array<uint64_t, 3>>& spans) {
  HostBuffer buffer(DType::u64, 3 * spans.size());
  for (size_t i = 0; i < spans.size(); ++i)
    std::copy(spans[i].begin(), spans[i].end(), buffer.as<uint64_t>().begin() + 3 * i);
  return buffer;
}

TEST(BlockTimes, TellWhichMultiprocessorHeldHowManyBlocksWhen) {
  // Two at a time on SM 7, the third starts when the first ends; one on SM 9. In ns, with a nonzero start.
  const auto times =
      read_block_times(schedule_of({{7, 5000, 7000}, {7, 5000, 8000}, {9, 6000, 9000}, {7, 7000, 9000}}), 4);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->multiprocessors, 2U);
  EXPECT_EQ(times->most_resident, 2U);
  EXPECT_DOUBLE_EQ(times->total_us, 4);
  EXPECT_DOUBLE_EQ(times->blocks[3].begin_us, 2);
  EXPECT_EQ(times->blocks[2].multiprocessor, 9U);
  EXPECT_EQ(times->order, (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_DOUBLE_EQ(times->filled, (2 + 3 + 3 + 2) / (4.0 * 2 * 2));
}

TEST(BlockTimes, ABlockThatNotedNothingMakesThemUnknown) {
  constexpr uint64_t kPoison = 0xffffffffffffffff;
  EXPECT_FALSE(read_block_times(schedule_of({{7, 5000, 7000}, {kPoison, kPoison, kPoison}}), 2));
  EXPECT_FALSE(read_block_times(schedule_of({{7, 5000, 4000}}), 1)) << "ended before it began";
  EXPECT_FALSE(read_block_times(schedule_of({{7, 5000, 7000}}), 2)) << "one is missing";
  EXPECT_FALSE(read_block_times(HostBuffer(DType::f32, 3), 1));
}

}  // namespace
}  // namespace tilescope
