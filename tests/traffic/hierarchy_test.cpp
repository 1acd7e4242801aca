// The caches' behaviour follows from their sizes and from the CUDA C++ Programming Guide; every figure here is
// calculated by hand from the accesses.
#include "engine/traffic/caches/hierarchy.hpp"

#include <gtest/gtest.h>

#include "engine/traffic/schedule/occupancy.hpp"
#include "tests/traffic/gpus.hpp"

namespace tilescope {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

/// The GPU with its L2 as a single partition.
GpuSpec one_partition(const std::string& id) {
  GpuSpec spec = gpu(id);
  spec.l2_partitions = 1;
  return spec;
}

/// A launch whose accesses are listed one by one.
class Recording {
 public:
  explicit Recording(std::vector<uint64_t> buffer_bytes) {
    for (uint64_t bytes : buffer_bytes)
      buffers.push_back({.name = "b", .type = DType::u8, .shape = {static_cast<int64_t>(bytes)}});
  }
  uint16_t site(AccessKind kind, uint32_t bytes_per_lane, const std::string& ptx = "ld.global.f32 %f1, [%rd1];") {
    trace.sites.push_back({.ptx = ptx, .kind = kind, .bytes_per_lane = bytes_per_lane});
    return static_cast<uint16_t>(trace.sites.size() - 1);
  }
  /// 32 adjacent lanes, or `stride` bytes from lane to lane.
  void access(uint16_t site, uint32_t block, size_t buffer, int64_t offset, int64_t stride = 0, uint16_t warp = 0) {
    LanePattern pattern{};
    const int64_t step = stride != 0 ? stride : trace.sites[site].bytes_per_lane;
    for (size_t lane = 0; lane < 32; ++lane) pattern[lane] = static_cast<int64_t>(lane) * step;
    uint32_t index = 0;
    while (index < trace.patterns.size() && trace.patterns[index] != pattern) ++index;
    if (index == trace.patterns.size()) trace.patterns.push_back(pattern);
    if (block != last_block_) sequence_ = {};
    last_block_ = block;
    trace.accesses.push_back({.base = address_of(buffer, offset),
                              .block = block,
                              .mask = 0xffffffff,
                              .pattern = index,
                              .sequence = sequence_[warp]++,
                              .warp = warp,
                              .site = site});
  }
  HierarchyTraffic replay(const GpuSpec& spec, uint32_t blocks, BlockUsage usage = {.threads = 32}) {
    const Launch launch{.grid = {blocks, 1, 1}, .block = {usage.threads, 1, 1}};
    const Occupancy occupancy = occupancy_of(spec, usage, blocks);
    return replay_hierarchy(spec, trace, {&launch, 1}, {&occupancy, 1}, buffers);
  }
  AccessTrace trace;
  std::vector<BufferSpec> buffers;

 private:
  uint32_t last_block_ = 0;
  std::array<uint32_t, 32> sequence_{};
};

TEST(Hierarchy, WhatIsReadOnceComesFromTheDeviceOnce) {
  Recording recording({64 * 1024});
  const uint16_t load = recording.site(AccessKind::load, 4);
  for (uint32_t block = 0; block < 512; ++block) recording.access(load, block, 0, block * 128);
  const HierarchyTraffic traffic = recording.replay(one_partition("h200"), 512);
  ASSERT_TRUE(traffic.modelled) << traffic.reason;
  EXPECT_EQ(traffic.total.l1.read_sectors, 2048U);
  EXPECT_EQ(traffic.total.l1.read_hits, 0U);
  EXPECT_EQ(traffic.total.l2.read_sectors, 2048U);
  EXPECT_EQ(traffic.total.l2.read_hits, 0U);
  EXPECT_EQ(traffic.total.device_bytes_read, 65536U);
  EXPECT_EQ(traffic.total.device_bytes_written, 0U);
}

TEST(Hierarchy, ASecondReadOfTheSameBlockHitsTheL1AndThatOfAnotherMultiprocessorTheL2) {
  Recording recording({4096});
  const uint16_t load = recording.site(AccessKind::load, 4);
  for (uint32_t block = 0; block < 2; ++block)
    for (int again = 0; again < 3; ++again) recording.access(load, block, 0, 0);
  const HierarchyTraffic traffic = recording.replay(one_partition("h200"), 2);
  EXPECT_EQ(traffic.total.l1.read_sectors, 24U);
  EXPECT_EQ(traffic.total.l1.read_hits, 16U) << "the second and third read of each block";
  EXPECT_EQ(traffic.total.l2.read_sectors, 8U);
  EXPECT_EQ(traffic.total.l2.read_hits, 4U) << "the other multiprocessor's";
  EXPECT_EQ(traffic.total.device_bytes_read, 128U);
}

TEST(Hierarchy, OnlyTheSectorsThatAreAskedForMove) {
  Recording recording({32 * 128});
  const uint16_t load = recording.site(AccessKind::load, 4);
  recording.access(load, 0, 0, 0, 128);   // one word of each of 32 lines
  recording.access(load, 0, 0, 32, 128);  // the next sector of the same lines
  const HierarchyTraffic traffic = recording.replay(gpu("h200"), 1);
  EXPECT_EQ(traffic.total.l1.read_sectors, 64U);
  EXPECT_EQ(traffic.total.l1.read_hits, 0U) << "a line that is there has only the sectors that were fetched";
  EXPECT_EQ(traffic.total.device_bytes_read, 64U * 32);
}

TEST(Hierarchy, StoresPassTheL1AndStayInTheL2UntilTheEnd) {
  Recording recording({4096});
  const uint16_t store = recording.site(AccessKind::store, 4, "st.global.f32 [%rd1], %f1;");
  const uint16_t load = recording.site(AccessKind::load, 4);
  recording.access(store, 0, 0, 0);
  recording.access(load, 0, 0, 0);
  const HierarchyTraffic traffic = recording.replay(one_partition("h200"), 1);
  EXPECT_EQ(traffic.total.l1.read_hits, 0U) << "a store allocates nothing in the L1";
  EXPECT_EQ(traffic.total.l2.write_sectors, 4U);
  EXPECT_EQ(traffic.total.l2.write_hits, 4U);
  EXPECT_EQ(traffic.total.l2.read_hits, 4U);
  EXPECT_EQ(traffic.total.device_bytes_read, 0U) << "a whole sector that is written is not fetched";
  EXPECT_EQ(traffic.total.device_bytes_written, 0U);
  EXPECT_EQ(traffic.total.bytes_left_in_l2, 128U);
}

TEST(Hierarchy, ASectorThatIsWrittenInPartIsFetchedOnlyWhenItIsRead) {
  Recording recording({32 * 128});
  const uint16_t store = recording.site(AccessKind::store, 4, "st.global.f32 [%rd1], %f1;");
  recording.access(store, 0, 0, 0, 128);  // a word of each of 32 sectors
  EXPECT_EQ(recording.replay(gpu("h200"), 1).total.device_bytes_read, 0U);
  EXPECT_EQ(recording.replay(gpu("h200"), 1).total.bytes_left_in_l2, 32U * 32);
  recording.access(recording.site(AccessKind::load, 4), 0, 0, 0, 128);
  EXPECT_EQ(recording.replay(gpu("h200"), 1).total.device_bytes_read, 32U * 32);
  EXPECT_EQ(recording.replay(gpu("h200"), 1).total.l2.read_hits, 0U);
}

TEST(Hierarchy, ASectorThatIsWrittenPieceByPieceIsNeverFetched) {
  Recording recording({32 * 128});
  const uint16_t store = recording.site(AccessKind::store, 4, "st.global.f32 [%rd1], %f1;");
  for (int64_t word = 0; word < 8; ++word) recording.access(store, 0, 0, 4 * word, 128);
  recording.access(recording.site(AccessKind::load, 4), 0, 0, 0, 128);
  const HierarchyTraffic traffic = recording.replay(one_partition("h200"), 1);
  EXPECT_EQ(traffic.total.l2.write_sectors, 8U * 32);
  EXPECT_EQ(traffic.total.device_bytes_read, 0U);
  EXPECT_EQ(traffic.total.l2.read_hits, 32U);
  EXPECT_EQ(traffic.total.bytes_left_in_l2, 32U * 32);
}

TEST(Hierarchy, ASectorThatHasToGiveWayBeforeItIsWholeIsCompletedFromTheDevice) {
  // 12 MiB of sectors with one word each, each in its own line, through the 6 MiB L2 of a V100.
  const GpuSpec& v100 = gpu("v100");
  const auto blocks = static_cast<uint32_t>(12 * kMiB / 4096);
  Recording recording({12 * kMiB});
  const uint16_t store = recording.site(AccessKind::store, 4, "st.global.f32 [%rd1], %f1;");
  for (uint32_t block = 0; block < blocks; ++block) recording.access(store, block, 0, int64_t{block} * 4096, 128);
  const HierarchyUse total = recording.replay(v100, blocks).total;
  EXPECT_EQ(total.device_bytes_read, total.device_bytes_written);
  EXPECT_EQ(total.device_bytes_written + total.bytes_left_in_l2, 12 * kMiB / 4);
  EXPECT_NEAR(static_cast<double>(total.device_bytes_written), 1.5 * kMiB, 0.05 * kMiB);
}

TEST(Hierarchy, MoreThanTheL2HoldsIsWrittenBack) {
  // 32 MiB through the 6 MiB L2 of a V100: the excess is written back while the kernel runs.
  const GpuSpec& v100 = gpu("v100");
  const uint32_t blocks = 32 * 1024 * 8;
  Recording recording({32 * kMiB});
  const uint16_t store = recording.site(AccessKind::store, 4, "st.global.f32 [%rd1], %f1;");
  for (uint32_t block = 0; block < blocks; ++block) recording.access(store, block, 0, block * 128);
  const HierarchyTraffic traffic = recording.replay(v100, blocks);
  EXPECT_EQ(traffic.total.device_bytes_written + traffic.total.bytes_left_in_l2, 32 * kMiB);
  EXPECT_NEAR(static_cast<double>(traffic.total.bytes_left_in_l2), static_cast<double>(v100.l2_bytes),
              0.01 * static_cast<double>(v100.l2_bytes));
}

TEST(Hierarchy, ABufferThatFitsTheL2IsReadAgainFromThereAndOneThatDoesNotIsFetchedAgain) {
  const auto twice = [](uint64_t bytes) {
    Recording recording({bytes});
    const uint16_t load = recording.site(AccessKind::load, 16);
    const auto blocks = static_cast<uint32_t>(bytes / 512);
    for (uint32_t pass = 0; pass < 2; ++pass)
      for (uint32_t block = 0; block < blocks; ++block)
        recording.access(load, pass * blocks + block, 0, int64_t{block} * 512);
    return recording.replay(gpu("v100"), 2 * blocks).total;
  };
  EXPECT_EQ(twice(4 * kMiB).device_bytes_read, 4 * kMiB);
  EXPECT_EQ(twice(24 * kMiB).device_bytes_read, 48 * kMiB) << "the oldest is always gone when it is needed";
}

TEST(Hierarchy, AtomicsAreDoneInTheL2) {
  Recording recording({4096});
  const uint16_t atomic = recording.site(AccessKind::atomic, 4, "atom.global.add.f32 %f1, [%rd1], %f2;");
  recording.access(atomic, 0, 0, 0);
  recording.access(atomic, 1, 0, 0);
  const HierarchyTraffic traffic = recording.replay(one_partition("h200"), 2);
  EXPECT_EQ(traffic.total.l1.sectors(), 0U);
  EXPECT_EQ(traffic.total.l2.atomic_sectors, 8U);
  EXPECT_EQ(traffic.total.l2.atomic_hits, 4U);
  EXPECT_EQ(traffic.total.device_bytes_read, 128U);
  EXPECT_EQ(traffic.total.bytes_left_in_l2, 128U);
}

TEST(Hierarchy, CopiesThatGoPastTheL1AskTheL2EveryTime) {
  const auto reads = [](const std::string& ptx) {
    Recording recording({4096});
    const uint16_t copy = recording.site(AccessKind::async_copy, 16, ptx);
    recording.access(copy, 0, 0, 0);
    recording.access(copy, 0, 0, 0);
    return recording.replay(one_partition("h200"), 1).total;
  };
  EXPECT_EQ(reads("cp.async.cg.shared.global [%r1], [%rd1], 16;").l2.read_sectors, 32U);
  EXPECT_EQ(reads("cp.async.cg.shared.global [%r1], [%rd1], 16;").l1.read_sectors, 0U);
  EXPECT_EQ(reads("cp.async.ca.shared.global [%r1], [%rd1], 16;").l2.read_sectors, 16U);
  EXPECT_EQ(reads("cp.async.ca.shared.global [%r1], [%rd1], 16;").l1.read_hits, 16U);
}

TEST(Hierarchy, SharedMemoryTakesItsPartOfTheL1) {
  // A block reads 64 KiB twice. Next to little shared memory that fits into the L1 of an H200; next to 200 KiB it does
  // not.
  const auto hits = [](uint32_t shared_bytes) {
    Recording recording({64 * 1024});
    const uint16_t load = recording.site(AccessKind::load, 16);
    for (int again = 0; again < 2; ++again)
      for (int64_t at = 0; at < 64 * 1024; at += 512) recording.access(load, 0, 0, at);
    return recording.replay(gpu("h200"), 1, {.threads = 32, .dynamic_shared_bytes = shared_bytes}).total.l1.read_hits;
  };
  EXPECT_EQ(hits(1024), 2048U);
  EXPECT_EQ(hits(200 * 1024), 0U);
}

TEST(Hierarchy, NeighbouringBlocksShareWhatTheyReadTogether) {
  // 132 blocks on as many SMs read the same addresses, spread over 16 MiB.
  Recording recording({16 * kMiB});
  const uint16_t load = recording.site(AccessKind::load, 16);
  for (uint32_t block = 0; block < 132; ++block)
    for (int64_t at = 0; at < static_cast<int64_t>(16 * kMiB); at += 4096 * 32)
      recording.access(load, block, 0, at, 128);
  const HierarchyTraffic traffic = recording.replay(gpu("v100"), 132);
  EXPECT_EQ(traffic.total.device_bytes_read, 16 * kMiB / (4096 * 32) * 32 * 32) << "fetched once for all of them";
}

// Two partitions. A hash assigns lines to partitions, so about half of many lines are far from either one; blocks 0 and
// 1 run next to different partitions.
constexpr const char* kLoadPastL1 = "ld.global.cg.f32 %f1, [%rd1];";
constexpr int64_t kLines = 4096;

TEST(HierarchyInPartitions, WhatTheFarOneHasIsAskedForTwice) {
  Recording recording({kLines * 128, kLines * 128});
  const uint16_t load = recording.site(AccessKind::load, 4);
  const uint16_t store = recording.site(AccessKind::store, 4, "st.global.f32 [%rd1], %f1;");
  for (int64_t line = 0; line < kLines; ++line) recording.access(load, 0, 0, line * 128);
  for (int64_t line = 0; line < kLines; ++line) recording.access(store, 0, 1, line * 128);
  const HierarchyUse total = recording.replay(gpu("h200"), 1).total;
  const double sectors = 4 * kLines;
  EXPECT_NEAR(static_cast<double>(total.l2.read_sectors), 1.5 * sectors, 0.05 * sectors);
  EXPECT_NEAR(static_cast<double>(total.l2.write_sectors), 1.5 * sectors, 0.05 * sectors);
  EXPECT_EQ(total.l2.far_sectors, total.l2.read_sectors + total.l2.write_sectors - 8 * kLines);
  EXPECT_EQ(total.l2.read_hits, 0U);
  EXPECT_EQ(total.device_bytes_read, 128U * kLines) << "the device gives everything once";
  EXPECT_EQ(recording.replay(one_partition("h200"), 1).total.l2.far_sectors, 0U);
}

TEST(HierarchyInPartitions, TheNearOneKeepsWhatItHasFetchedUntilItIsWritten) {
  const auto far_sectors = [](bool again, bool written) {
    Recording recording({kLines * 128});
    const uint16_t load = recording.site(AccessKind::load, 4, kLoadPastL1);
    const uint16_t store = recording.site(AccessKind::store, 4, "st.global.f32 [%rd1], %f1;");
    // In turn: block 0 reads, block 1 writes, block 0 reads.
    for (int64_t line = 0; line < kLines; ++line) {
      recording.access(load, 0, 0, line * 128);
      if (again) recording.access(load, 0, 0, line * 128);
    }
    for (int64_t line = 0; line < kLines && written; ++line) {
      recording.access(store, 1, 0, line * 128);
      recording.access(store, 1, 0, line * 128);
    }
    return recording.replay(gpu("h200"), 2).total.l2;
  };
  const LevelTraffic twice = far_sectors(true, false);
  EXPECT_EQ(twice.far_sectors, far_sectors(false, false).far_sectors);
  EXPECT_EQ(twice.read_hits, 4U * kLines) << "the second read hits beside the multiprocessor, wherever a line belongs";
  // A line in block 1's partition: block 0 fetches its 4 sectors again after block 1 has written. A line in block 0's:
  // both stores of 4 sectors go to the far partition.
  EXPECT_EQ(far_sectors(true, true).far_sectors, 8U * kLines);
}

TEST(HierarchyInPartitions, WhatBothSidesReadTakesItsPlaceTwice) {
  GpuSpec spec = gpu("h200");
  spec.l2_bytes = 6 * kMiB;
  const auto device_bytes = [](const GpuSpec& on, uint64_t bytes, uint32_t blocks) {
    Recording recording({bytes});
    const uint16_t load = recording.site(AccessKind::load, 16, kLoadPastL1);
    for (uint32_t block = 0; block < blocks; ++block)
      for (int pass = 0; pass < 2; ++pass)
        for (int64_t at = 0; at < static_cast<int64_t>(bytes); at += 512) recording.access(load, block, 0, at);
    return recording.replay(on, blocks).total.device_bytes_read;
  };
  GpuSpec single = spec;
  single.l2_partitions = 1;
  EXPECT_EQ(device_bytes(spec, 2 * kMiB, 2), 2 * kMiB) << "fits twice";
  EXPECT_EQ(device_bytes(single, 4 * kMiB, 2), 4 * kMiB) << "fits once";
  EXPECT_GT(device_bytes(spec, 4 * kMiB, 2), 7 * kMiB) << "does not fit twice";
}

TEST(Hierarchy, EveryBufferHasItsOwnAccount) {
  Recording recording({4096, 4096, 4096});
  const uint16_t load = recording.site(AccessKind::load, 4);
  const uint16_t store = recording.site(AccessKind::store, 4, "st.global.f32 [%rd1], %f1;");
  recording.access(load, 0, 0, 0);
  recording.access(load, 0, 0, 128);
  recording.access(load, 0, 1, 0);
  recording.access(store, 0, 2, 0);
  const HierarchyTraffic traffic = recording.replay(gpu("h200"), 1);
  ASSERT_EQ(traffic.buffers.size(), 3U);
  EXPECT_EQ(traffic.buffers[0].device_bytes_read, 256U);
  EXPECT_EQ(traffic.buffers[1].device_bytes_read, 128U);
  EXPECT_EQ(traffic.buffers[2].device_bytes_read, 0U);
  EXPECT_EQ(traffic.buffers[2].bytes_left_in_l2, 128U);
  EXPECT_EQ(traffic.total.device_bytes_read, 384U);
}

TEST(Hierarchy, AnIncompleteRecordIsNotModelledAndSaysWhy) {
  Recording recording({4096});
  recording.access(recording.site(AccessKind::load, 4), 0, 0, 0);
  recording.trace.complete = false;
  recording.trace.blocks_recorded = 1;
  const HierarchyTraffic traffic = recording.replay(gpu("h200"), 7);
  EXPECT_FALSE(traffic.modelled);
  EXPECT_EQ(traffic.reason, "the accesses of 1 of 7 blocks fit the record");
  EXPECT_EQ(traffic.total.device_bytes_read, 0U);
}

}  // namespace
}  // namespace tilescope
