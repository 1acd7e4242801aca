// Facts about lookups in a record: which access is shown, what picking a part selects, what stays selected.
#include <gtest/gtest.h>

#include "app/observed/trace_index.hpp"
#include "tests/gui/vector_add_result.hpp"

namespace tilescope {
namespace {

using testing::make_vector_add;
using testing::VectorAdd;

TEST(TraceIndex, AnUnrolledLoopIsOneStatement) {
  auto result = make_vector_add({.n = 4096, .tiles = 4});
  // The compiler gives each copy of the loop body a different site; give every second access a second site.
  const auto original = static_cast<uint16_t>(2);
  result->trace.sites.push_back(result->trace.sites[original]);
  const auto copy = static_cast<uint16_t>(result->trace.sites.size() - 1);
  result->traffic.sites.push_back({.site = copy, .buffer = 2, .requests = 1});
  bool other = false;
  for (Access& access : result->trace.accesses)
    if (access.site == original && (other = !other)) access.site = copy;
  TraceIndex index(result);
  const int32_t store = index.statement_at(testing::kLineOut);
  ASSERT_GE(store, 0);
  EXPECT_EQ(index.statements()[static_cast<size_t>(store)].sites.size(), 2U);
  EXPECT_EQ(index.block(1).steps(static_cast<size_t>(store)), 4U);
}

TEST(TraceIndex, ABlocksAccessIsFoundByWarpAndTile) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4});
  TraceIndex index(result);
  const auto store = static_cast<size_t>(index.default_statement());
  const auto access = index.block(53).find(store, 3, 2);
  ASSERT_TRUE(access);
  const WarpAccess shown = warp_access(*result, *access);
  EXPECT_EQ(shown.first_element, 54880);  // 53 · 1024 + 2 · 256 + 3 · 32
  EXPECT_EQ(shown.last_element, 54911);
  const auto place = index.place(*access);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->warp, 3U);
  EXPECT_EQ(place->step, 2U);
}

TEST(TraceIndex, TheLastBlockShowsWhatItDid) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4});
  TraceIndex index(result);
  Selection selection;
  const auto access = index.shown_access({}, selection, 96);  // its 128 elements: warps 0 to 3 of tile 0
  ASSERT_TRUE(access);
  EXPECT_EQ(result->trace.accesses[*access].block, 96U);
  EXPECT_LE(result->trace.accesses[*access].warp, 3);
}

TEST(TraceIndex, HoveringAnotherBlockKeepsLineWarpAndTile) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4});
  TraceIndex index(result);
  const auto load = static_cast<size_t>(index.statement_at(testing::kLineB));
  Selection selection = select_access(*result, *index.block(10).find(load, 6, 3));
  const auto access = index.shown_access({}, selection, 20);
  ASSERT_TRUE(access);
  const auto place = index.place(*access);
  EXPECT_EQ(place->block, 20U);
  EXPECT_EQ(place->statement, load);
  EXPECT_EQ(place->warp, 6U);
  EXPECT_EQ(place->step, 3U);
}

TEST(TraceIndex, ASelectedLineDecidesTheStatement) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4});
  TraceIndex index(result);
  Selection selection;
  selection.line = testing::kLineA;
  const auto access = index.shown_access({}, selection, 5);
  ASSERT_TRUE(access);
  EXPECT_EQ(warp_access(*result, *access).line, testing::kLineA);
}

TEST(WarpAccess, AlignedFloatsSpanFourSectorsOfEightLanes) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4});
  TraceIndex index(result);
  const WarpAccess shown =
      warp_access(*result, *index.block(53).find(static_cast<size_t>(index.default_statement()), 3, 2));
  ASSERT_EQ(shown.runs.size(), 4U);
  EXPECT_EQ(shown.runs[0].sector, 6860);
  EXPECT_EQ(shown.runs[3].sector, 6863);
  for (const SectorRun& run : shown.runs) EXPECT_EQ(run.last_lane - run.first_lane, 7);
  EXPECT_EQ(shown.cost.useful_bytes, 128U);
  EXPECT_EQ(shown.moved_bytes(), 128U);
}

TEST(WarpAccess, OneElementFurtherOnSpansFiveSectors) {
  const auto result = make_vector_add({.n = 98432, .offset_a = 1});
  TraceIndex index(result);
  const auto load = static_cast<size_t>(index.statement_at(testing::kLineA));
  const WarpAccess shown = warp_access(*result, *index.block(7).find(load, 0, 0));
  ASSERT_EQ(shown.runs.size(), 5U);
  EXPECT_EQ(shown.runs.front().last_lane, 6);
  EXPECT_EQ(shown.runs.back().first_lane, 31);
  EXPECT_EQ(shown.moved_bytes(), 160U);
}

TEST(WarpAccess, SixteenBytesALaneSpanSixteenSectors) {
  const auto result = make_vector_add({.n = 1 << 14, .vector = 4});
  TraceIndex index(result);
  const WarpAccess shown =
      warp_access(*result, *index.block(2).find(static_cast<size_t>(index.default_statement()), 0, 0));
  EXPECT_EQ(shown.runs.size(), 16U);
  EXPECT_EQ(shown.cost.useful_bytes, 512U);
  EXPECT_EQ(shown.last_element - shown.first_element + 1, 128);
}

TEST(WarpAccess, MaskedLanesBelongToNoSector) {
  const auto result = make_vector_add({.n = 31});
  TraceIndex index(result);
  const WarpAccess shown = warp_access(*result, *index.shown_access({}, {}, 0));
  EXPECT_EQ(shown.active, 31);
  EXPECT_FALSE(shown.is_active(31));
  EXPECT_EQ(shown.runs.back().last_lane, 30);
}

TEST(WarpAccess, LanesPastTheEndAreOutside) {
  const auto result = make_vector_add({.n = 1000, .offset_a = 1});
  TraceIndex index(result);
  const auto load = static_cast<size_t>(index.statement_at(testing::kLineA));
  EXPECT_FALSE(warp_access(*result, *index.block(0).find(load, 0, 0)).any_outside());
  const WarpAccess last = warp_access(*result, *index.block(3).find(load, 7, 0));  // elements 993 to 1000
  EXPECT_FALSE(last.is_outside(6));
  EXPECT_TRUE(last.is_outside(7));
  EXPECT_FALSE(last.is_outside(8));  // masked off
}

TEST(SelectElement, NamesWriterAccessLaneAndLine) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4, .vector = 4});
  const Selection picked = select_element(*result, 2, 54885);
  EXPECT_EQ(picked.block, 13U);  // 54885 / 4096
  ASSERT_TRUE(picked.access && picked.lane);
  const WarpAccess access = warp_access(*result, *picked.access);
  EXPECT_EQ(access.element(*picked.lane), 54884);  // the lane's four elements begin here
  EXPECT_EQ(picked.line, testing::kLineOut);
}

TEST(SelectElement, AnInputOrAnUnwrittenElementHasNoWriter) {
  const auto result = make_vector_add({.n = 1000});
  EXPECT_FALSE(select_element(*result, 0, 5).block);
  EXPECT_FALSE(select_element(*result, 2, 5000).block);
  EXPECT_FALSE(select_element(*result, 9, 0).block);
}

TEST(Selection, AnElementStaysSelectedWhenTheMappingChanges) {
  const auto before = make_vector_add({.n = 98432}), after = make_vector_add({.n = 98432, .tiles = 4});
  TraceIndex index(after);
  const Selection kept = carry_selection(index, select_element(*before, 2, 54885));
  EXPECT_EQ(kept.element, 54885);
  EXPECT_EQ(kept.block, 53U);  // it was 214
  EXPECT_EQ(after->trace.accesses[*kept.access].block, 53U);
}

TEST(Selection, ABlockStaysSelectedWhileThereIsOne) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4});
  TraceIndex index(result);
  EXPECT_EQ(carry_selection(index, {.block = 53, .access = 7, .lane = 3, .line = 39, .buffer = {}, .element = {}}).line,
            39U);
  Selection gone;
  gone.block = 200;
  gone.line = 12;  // not a line that reads or writes
  EXPECT_EQ(carry_selection(index, gone), Selection{});
}

TEST(Selection, AFindingIsWhatIsShownFirst) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4});
  TraceIndex index(result);
  EXPECT_EQ(suggest_selection(index).block, 53U);
  EXPECT_EQ(suggest_selection(index).line, testing::kLineOut);
  result->findings.push_back({.id = "out-of-bounds", .line = testing::kLineA, .block = {96, 0, 0}});
  EXPECT_EQ(suggest_selection(index).block, 96U);
  EXPECT_EQ(suggest_selection(index).line, testing::kLineA);
}

TEST(Selection, AFindingsThreadIsTheLaneThatIsShown) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4, .grid_stride = true, .offset_a = 1});
  result->findings.push_back(
      {.id = "out-of-bounds", .line = testing::kLineA, .block = {93, 0, 0}, .thread = {127, 0, 0}});
  TraceIndex index(result);
  const Selection shown = suggest_selection(index);
  ASSERT_TRUE(shown.access);
  EXPECT_EQ(index.place(*shown.access)->step, 3U);  // the tile that ends the vector, not the block's first
  EXPECT_EQ(index.place(*shown.access)->warp, 3U);
  EXPECT_EQ(shown.lane, 31);
  EXPECT_EQ(shown.element, 98432);
}
}  // namespace
}  // namespace tilescope
