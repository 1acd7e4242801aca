// Facts about the traffic view: totals, ledger, lines of one access, and the texts.
#include <gtest/gtest.h>

#include "app/observed/traffic_facts.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/vector_add_result.hpp"

namespace tilescope {
namespace {

using testing::make_vector_add;
using testing::VectorAdd;

TEST(TrafficFacts, AnAlignedVectorAddMovesTwelveBytesAnElement) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4});
  const DataMovement total = total_movement(result->traffic);
  EXPECT_EQ(total.moved(), 12U * 98432);
  EXPECT_EQ(total.wasted(), 0U);
  EXPECT_DOUBLE_EQ(total.steps_per_request(), 4);
}

TEST(TrafficFacts, TheLedgersRowsAddUpToTheTotal) {
  const auto result = make_vector_add({.n = 98432, .tiles = 4, .vector = 4});
  DataMovement sum;
  for (const LedgerRow& row : ledger_rows(*result)) {
    sum.requests += row.movement.requests;
    sum.sectors += row.movement.sectors;
    sum.useful += row.movement.useful;
  }
  const DataMovement total = total_movement(result->traffic);
  EXPECT_EQ(sum.requests, total.requests);
  EXPECT_EQ(sum.sectors, total.sectors);
  EXPECT_EQ(sum.useful, total.useful);
}

TEST(TrafficFacts, ARowNamesTheBuffersOfItsLine) {
  const auto rows = ledger_rows(*make_vector_add({.n = 98432, .tiles = 4, .vector = 4}));
  ASSERT_EQ(rows.size(), 5U);  // three of the vector loop; the tail's line with both loads, and its store
  EXPECT_EQ(rows[0].buffers, "a");
  EXPECT_EQ(rows[3].line, testing::kTailLineA);
  EXPECT_EQ(rows[3].buffers, "a, b");
  EXPECT_TRUE(rows[4].writes());
}

TEST(TrafficFacts, LinesThatNeverRanHaveNoRow) {
  EXPECT_EQ(ledger_rows(*make_vector_add({.n = 98304, .tiles = 4, .vector = 4})).size(), 3U);
}

TEST(TrafficFacts, OneElementFurtherOnIsWasteful) {
  const auto rows = ledger_rows(*make_vector_add({.n = 98432, .offset_a = 1}));
  EXPECT_TRUE(is_wasteful(rows[0].movement));
  EXPECT_FALSE(is_wasteful(rows[1].movement));
  EXPECT_DOUBLE_EQ(rows[0].movement.steps_per_request(), 5);
  EXPECT_DOUBLE_EQ(rows[0].movement.needed_per_request(), 4);
}

// ---- lines of one access ----

std::vector<MemoryLine> lines_of(const VectorAdd& vectors, uint32_t line, uint32_t block) {
  const auto result = make_vector_add(vectors);
  TraceIndex index(result);
  const auto access = index.block(block).find(static_cast<size_t>(index.statement_at(line)), 0, 0);
  return memory_lines(warp_access(*result, *access));
}

TEST(MemoryLines, AnAlignedAccessUsesOneWholeLine) {
  const auto lines = lines_of({.n = 4096}, testing::kLineOut, 3);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].line, 3 * 256 * 4 / 128);
  EXPECT_TRUE(lines[0].used.all());
}

TEST(MemoryLines, AMisalignedAccessTouchesOneSectorOfTheNextLine) {
  const auto lines = lines_of({.n = 4096, .offset_a = 1}, testing::kLineA, 3);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].used.count(), 124U);
  EXPECT_EQ(lines[1].used.count(), 4U);
  EXPECT_TRUE(lines[1].touches(0));
  EXPECT_FALSE(lines[1].touches(1));
}

TEST(MemoryLines, ScatteredLanesTouchALineEach) {
  const auto lines = lines_of({.n = 1 << 16, .spread = 32}, testing::kLineOut, 0);
  ASSERT_EQ(lines.size(), 32U);
  for (const MemoryLine& line : lines) EXPECT_EQ(line.used.count(), 4U);
}

TEST(MemoryLines, BytesBeforeTheBufferLieInLinesBeforeIt) {
  const auto lines = lines_of({.n = 4096, .offset_a = -1}, testing::kLineA, 0);
  // Lane 0 requests element −1.
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].line, -1);
  EXPECT_EQ(lines[0].used.count(), 4U);
  EXPECT_TRUE(lines[0].touches(3));
}

// ---- words ----

std::string said(const VectorAdd& vectors, bool waste) {
  auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  if (!strings) return strings.error().message;
  const TrafficSentence sentence = traffic_sentence(*strings, *make_vector_add(vectors));
  EXPECT_EQ(sentence.waste, waste);
  return sentence.finding + " " + sentence.reason;
}

TEST(TrafficSentence, SaysWhatIsUsedAndWhatIsWasted) {
  EXPECT_EQ(said({.n = 98432, .tiles = 4}, false), "Every byte moved is used: 4 sectors serve each warp request.");
  EXPECT_EQ(said({.n = 98304, .tiles = 4, .vector = 4}, false),
            "Every byte moved is used: 16 sectors serve each warp request.");
  EXPECT_EQ(said({.n = 31}, false), "96.9% of the bytes moved are used: 12 B of 384 B are wasted.");
  EXPECT_EQ(said({.n = 1 << 16, .spread = 2}, true),
            "Half of what moves is wasted: the load of a at line 39 touches 8 sectors per request where 4 would do.");
  EXPECT_EQ(said({.n = 1 << 16, .offset_a = 1}, true),
            "7.7% of what moves is wasted: the load of a at line 39 touches 5 sectors per request where 4 would do.");
}

TEST(TrafficSentence, AHundredPercentIsSaidOnlyOfAll) {
  EXPECT_EQ(percent_text(1), "100%");
  EXPECT_EQ(percent_text(0.99999), "99.9%");
  EXPECT_EQ(percent_text(0.5), "50%");
  EXPECT_EQ(percent_text(0.923), "92.3%");
}

// ---- drawing, without a window ----

// The panel beside the result of a vector add.
class DrawnTraffic : public testing::DrawnPanel {
 protected:
  void SetUp() override {
    testing::DrawnPanel::SetUp();
    session->select_lab("vector-add");
  }
};

TEST_F(DrawnTraffic, EveryRungDrawsInEveryRoom) {
  for (const int64_t n : {1, 31, 98432})
    for (const VectorAdd& rung :
         {VectorAdd{}, VectorAdd{.tiles = 4, .grid_stride = true}, VectorAdd{.tiles = 4, .vector = 4},
          VectorAdd{.offset_a = 1}, VectorAdd{.spread = 32}}) {
      VectorAdd vectors = rung;
      vectors.n = n;
      result = make_vector_add(vectors);
      for (const ImVec2 room : {ImVec2(1104, 520), ImVec2(784, 320), ImVec2(320, 120), ImVec2(40, 20)})
        for (const ImVec2 pointer : {ImVec2(-1, -1), ImVec2(200, 290), ImVec2(800, 260), ImVec2(300, 100)})
          EXPECT_GT(draw(drawing("traffic"), room, pointer), 0);
    }
}

TEST_F(DrawnTraffic, ResultsWithoutTrafficSayWhy) {
  EXPECT_GT(draw(drawing("traffic"), {1104, 520}), 0);
  result = std::make_shared<RunResult>();
  EXPECT_GT(draw(drawing("traffic"), {1104, 520}), 0);
  auto observed = std::make_shared<RunResult>();
  observed->observed = true;
  observed->tiles.grid = {4, 1, 1};
  observed->findings.push_back({.id = "out-of-bounds", .line = 12});
  result = observed;
  EXPECT_GT(draw(drawing("traffic"), {1104, 520}), 0);
}

TEST_F(DrawnTraffic, AnIncompleteRecordDraws) {
  result = make_vector_add({.n = 1 << 20, .tiles = 4, .access_budget = 1000});
  view.selection.block = 900;
  EXPECT_GT(draw(drawing("traffic"), {1104, 520}), 0);
}

TEST_F(DrawnTraffic, AClickOnALedgerRowSelectsItsLineAndAnAccessOfIt) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  view.tab = "traffic";
  above = &views.at("traffic");
  view.selection.line = testing::kLineB + 1;
  for (int frame = 0; frame < 3; ++frame) draw(draw_source, {1104, 520});
  const std::string row = fmt::format("ledger.{}.global.read", testing::kLineB);
  ASSERT_TRUE(view.marks.contains(row));
  click(draw_source, {1104, 520}, view.marks.at(row).centre());
  EXPECT_EQ(view.selection.line, testing::kLineB);
  ASSERT_TRUE(view.selection.access);
  const Access& access = result->trace.accesses[*view.selection.access];
  EXPECT_EQ(result->trace.sites[access.site].line, testing::kLineB);
}

TEST_F(DrawnTraffic, TheMarginHasColumnsOnlyBesideTheTrafficView) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  const std::string row = fmt::format("ledger.{}.global.read", testing::kLineB);
  view.selection.line = testing::kLineB;
  for (const std::string tab : {"tiles", "traffic"}) {
    view.tab = tab;
    above = &views.at(tab);
    for (int frame = 0; frame < 3; ++frame) draw(draw_source, {1104, 520});
    EXPECT_EQ(view.marks.contains(row), tab == "traffic");
  }
}

TEST_F(DrawnTraffic, ALaneUnderThePointerIsLitAndAClickSelectsIt) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  draw(drawing("traffic"), {1104, 520});
  const Mark lanes = view.marks.at("traffic.lanes");
  const ImVec2 third{lanes.low.x + (lanes.high.x - lanes.low.x) * 3.5F / 32, lanes.centre().y};
  draw(drawing("traffic"), {1104, 520}, third);
  EXPECT_EQ(view.hover.lane, 3);
  click(drawing("traffic"), {1104, 520}, third);
  EXPECT_EQ(view.selection.lane, 3);
  // Its bytes are below the picture of the sectors: the same lane from there.
  const Mark sectors = view.marks.at("traffic.sectors");
  draw(drawing("traffic"), {1104, 520}, {sectors.low.x + 1, sectors.centre().y});
  EXPECT_EQ(view.hover.lane, 0);
}

TEST_F(DrawnTraffic, ABufferIsChosenAndLetGoByAClick) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  const ImVec2 room{1104, 520};
  draw(drawing("traffic"), room);
  const int all = draw(drawing("traffic"), room);
  const ImVec2 row = view.marks.at("traffic.buffer.a").centre();
  click(drawing("traffic"), room, row);
  const int one = draw(drawing("traffic"), room);
  EXPECT_NE(one, all) << "the chart shows the buffer alone: nothing is written";
  click(drawing("traffic"), room, row);
  EXPECT_EQ(draw(drawing("traffic"), room), all);
}

TEST_F(DrawnTraffic, TheArrowsChooseLineBlockAndWarp) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  view.selection.block = 53;
  draw(drawing("traffic"), {1104, 520});
  for (const char* arrow : {"traffic.next_block", "traffic.next_warp", "traffic.previous_line"}) {
    click(drawing("traffic"), {1104, 520}, view.marks.at(arrow).centre());
    ASSERT_TRUE(view.selection.access) << arrow;
  }
  const Access& shown = result->trace.accesses[*view.selection.access];
  EXPECT_EQ(shown.block, 54U);
  EXPECT_EQ(shown.warp, 4);  // from warp 3, the middle
  EXPECT_EQ(view.selection.line, testing::kLineB);
}

}  // namespace
}  // namespace tilescope
