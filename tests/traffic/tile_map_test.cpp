#include "engine/traffic/access/tile_map.hpp"

#include <gtest/gtest.h>

#include "engine/traffic/access/ledger.hpp"

namespace tilescope {
namespace {

/// Two blocks of one warp: out[i] = a[i] for i < 40; the second block's warp has 8 active lanes.
struct CopyOfForty {
  std::vector<BufferSpec> buffers{{.name = "a", .shape = {40}}, {.name = "out", .shape = {40}, .role = Role::output}};
  Launch launch{.kernel = "copy", .grid = {2}, .block = {32}, .arguments = {}};
  AccessTrace trace;
  std::vector<SiteCount> counts;

  CopyOfForty() {
    trace.sites = {{.line = 3, .file = "copy.cu", .kind = AccessKind::load, .bytes_per_lane = 4},
                   {.line = 4, .file = "copy.cu", .kind = AccessKind::store, .bytes_per_lane = 4}};
    LanePattern floats{};
    for (size_t lane = 0; lane < 32; ++lane) floats[lane] = static_cast<int64_t>(4 * lane);
    trace.patterns = {floats};
    for (uint32_t block = 0; block < 2; ++block)
      for (uint16_t site = 0; site < 2; ++site)
        trace.accesses.push_back({.base = address_of(site, block * 128),
                                  .block = block,
                                  .mask = block == 0 ? 0xffffffffU : 0xffU,
                                  .sequence = site,
                                  .site = site});
    trace.blocks_recorded = 2;
    counts = {{.site = 0, .buffer = 0, .requests = 2, .lanes = 40, .sectors = 5, .useful_bytes = 160},
              {.site = 1, .buffer = 1, .requests = 2, .lanes = 40, .sectors = 5, .useful_bytes = 160}};
  }
};

TEST(TileMap, EveryElementKnowsTheBlockAndTheAccessThatWroteIt) {
  const CopyOfForty copy;
  const TileMap map = make_tile_map(copy.trace, copy.launch, 0, copy.buffers);
  const BufferMap& out = map.buffers[1];
  ASSERT_EQ(out.writer.size(), 40U);
  EXPECT_EQ(out.writer[0], 0U);
  EXPECT_EQ(out.writer[31], 0U);
  EXPECT_EQ(out.writer[32], 1U);
  EXPECT_EQ(out.writer_access[39], 3U);
  EXPECT_TRUE(map.buffers[0].writer.empty()) << "nobody wrote a";
}

TEST(TileMap, ABlocksReadsAndWritesAreMergedRanges) {
  const CopyOfForty copy;
  const TileMap map = make_tile_map(copy.trace, copy.launch, 0, copy.buffers);
  ASSERT_EQ(map.buffers[0].reads_of(1).size(), 1U);
  EXPECT_EQ(map.buffers[0].reads_of(1)[0].begin, 32);
  EXPECT_EQ(map.buffers[0].reads_of(1)[0].end, 40);
  EXPECT_TRUE(map.buffers[0].writes_of(1).empty());
  ASSERT_EQ(map.buffers[1].writes_of(0).size(), 1U);
  EXPECT_EQ(map.buffers[1].writes_of(0)[0].end, 32);
}

/// A row of blocks of one warp; block b writes widths[b] elements of `out`.
TileMap map_of_widths(const std::vector<int>& widths, bool complete = true) {
  AccessTrace trace;
  trace.sites = {{.line = 1, .file = "x.cu", .kind = AccessKind::store, .bytes_per_lane = 4}};
  LanePattern floats{};
  for (size_t lane = 0; lane < 32; ++lane) floats[lane] = static_cast<int64_t>(4 * lane);
  trace.patterns = {floats};
  for (uint32_t block = 0; block < widths.size(); ++block)
    if (widths[block] > 0)
      trace.accesses.push_back({.base = address_of(0, block * 128),
                                .block = block,
                                .mask = widths[block] == 32 ? 0xffffffffU : (1U << widths[block]) - 1});
  trace.complete = complete;
  trace.blocks_recorded = trace.accesses.size();
  const std::vector<BufferSpec> buffers{
      {.name = "out", .shape = {32 * static_cast<int64_t>(widths.size())}, .role = Role::output}};
  const Launch launch{.kernel = "k", .grid = {static_cast<uint32_t>(widths.size())}, .block = {32}, .arguments = {}};
  return make_tile_map(trace, launch, 0, buffers);
}

TEST(TileMap, TheTypicalBlockIsAWholeOneBehindTheMiddle) {
  EXPECT_EQ(map_of_widths(std::vector<int>(100, 32)).typical_block, 55U);
  EXPECT_EQ(map_of_widths({32, 32, 32, 32, 32, 9, 9, 32, 32, 9}).typical_block, 4U) << "5 and 6 are slivers";
  EXPECT_EQ(map_of_widths({32, 8, 8, 4}).typical_block, 0U) << "the only one that no edge cuts";
}

TEST(TileMap, TheTypicalBlockIsOneThatWasRecorded) {
  std::vector<int> widths(361, 0);
  std::fill_n(widths.begin(), 109, 32);
  EXPECT_EQ(map_of_widths(widths, /*complete=*/false).typical_block, 59U);
  EXPECT_EQ(map_of_widths({0, 0, 0}, /*complete=*/false).typical_block, 0U);
}

TEST(TileMap, ThreadsThatNeverStoredAreIdle) {
  const CopyOfForty copy;
  EXPECT_EQ(make_tile_map(copy.trace, copy.launch, 0, copy.buffers).idle_threads, 24U);
}

TEST(TileMap, AccessesOfABlockAreFoundWithoutASearch) {
  const CopyOfForty copy;
  const TileMap map = make_tile_map(copy.trace, copy.launch, 0, copy.buffers);
  EXPECT_EQ(map.accesses_first, (std::vector<uint32_t>{0, 2, 4}));
  EXPECT_EQ(map.blocks_observed, 2U);
}

TEST(TileMap, ATraceThatEndedEarlySaysHowManyBlocksItSaw) {
  CopyOfForty copy;
  copy.trace.accesses.resize(2);
  copy.trace.complete = false;
  const TileMap map = make_tile_map(copy.trace, copy.launch, 0, copy.buffers);
  EXPECT_EQ(map.blocks_observed, 1U);
  EXPECT_EQ(map.buffers[1].writer[35], BufferMap::kNobody);
}

TEST(TileMap, AnAccessPastTheEndOfABufferIsNoTile) {
  CopyOfForty copy;
  copy.trace.accesses[3].mask = 0xffffffffU;  // 24 lanes past the end
  const TileMap map = make_tile_map(copy.trace, copy.launch, 0, copy.buffers);
  EXPECT_EQ(map.buffers[1].writes_of(1)[0].end, 40);
}

TEST(Ledger, SumsByLineAndByBuffer) {
  const CopyOfForty copy;
  const Traffic traffic = make_ledger(copy.trace, copy.counts, {}, copy.buffers);
  ASSERT_EQ(traffic.lines.size(), 2U);
  EXPECT_EQ(traffic.lines[0].line, 3U);
  EXPECT_EQ(traffic.lines[0].sectors, 5U);
  EXPECT_EQ(traffic.lines[0].moved_bytes(), 160U);
  EXPECT_EQ(traffic.buffers[0].read_sectors, 5U);
  EXPECT_EQ(traffic.buffers[0].write_sectors, 0U);
  EXPECT_EQ(traffic.buffers[1].write_useful, 160U);
}

TEST(Ledger, ASecondLaunchKeepsItsOwnSites) {
  const CopyOfForty copy;
  AccessTrace run;
  std::vector<SiteCount> sites;
  append_launch(run, sites, copy.trace, copy.counts, 0);
  append_launch(run, sites, copy.trace, copy.counts, 1);
  EXPECT_EQ(run.sites.size(), 4U);
  EXPECT_EQ(run.sites[2].launch, 1U);
  EXPECT_EQ(sites[3].site, 3U);
  EXPECT_EQ(run.accesses[4].site, 2U);
  const TileMap second = make_tile_map(run, copy.launch, 1, copy.buffers);
  EXPECT_EQ(second.accesses_first, (std::vector<uint32_t>{4, 6, 8}));
}

}  // namespace
}  // namespace tilescope
