// The tile view drawn without a window: every lab size and rung at every view size, clicks, playback.
#include <gtest/gtest.h>

#include "app/views/playback.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/vector_add_result.hpp"

namespace tilescope {
namespace {

using testing::make_vector_add;
using testing::VectorAdd;

class DrawnTiles : public testing::DrawnPanel {};

TEST_F(DrawnTiles, EverySizeAndRungDrawsInEveryRoom) {
  for (const int64_t n : {1, 31, 98432, 1 << 20})
    for (const VectorAdd& rung : {VectorAdd{}, VectorAdd{.tiles = 4}, VectorAdd{.tiles = 4, .grid_stride = true},
                                  VectorAdd{.tiles = 4, .vector = 4}, VectorAdd{.offset_a = 1}}) {
      VectorAdd vectors = rung;
      vectors.n = n;
      result = make_vector_add(vectors);
      for (const ImVec2 room : {ImVec2(1104, 520), ImVec2(784, 320), ImVec2(320, 120), ImVec2(40, 20)})
        for (const ImVec2 pointer :
             {ImVec2(-1, -1), ImVec2(320, 200), ImVec2(700, 180), ImVec2(500, 470), ImVec2(60, 470)})
          EXPECT_GT(draw(drawing("tiles"), room, pointer), 0);
    }
}

TEST_F(DrawnTiles, ResultsWithoutAPictureSayWhy) {
  EXPECT_GT(draw(drawing("tiles"), {1104, 520}), 0);  // nothing has run
  result = std::make_shared<RunResult>();
  EXPECT_GT(draw(drawing("tiles"), {1104, 520}), 0);  // not observed
  auto observed = std::make_shared<RunResult>();
  observed->observed = true;
  observed->tiles.grid = {4, 1, 1};
  observed->findings.push_back({.id = "out-of-bounds", .line = 12, .block = {3, 0, 0}});
  result = observed;
  EXPECT_GT(draw(drawing("tiles"), {1104, 520}), 0);  // findings only: no access was recorded
}

TEST_F(DrawnTiles, AnIncompleteRecordDraws) {
  result = make_vector_add({.n = 1 << 20, .tiles = 4, .access_budget = 1000});
  view.selection.block = 900;  // not recorded
  EXPECT_GT(draw(drawing("tiles"), {1104, 520}), 0);
}

TEST_F(DrawnTiles, ASelectionOfAnotherResultIsHarmless) {
  result = make_vector_add({.n = 98432});
  EXPECT_GT(draw(drawing("tiles"), {1104, 520}), 0);
  view.selection = {.block = 384, .access = 9000, .lane = 31, .line = 41, .buffer = 2, .element = 98431};
  result = make_vector_add({.n = 31});
  EXPECT_GT(draw(drawing("tiles"), {1104, 520}), 0);
  EXPECT_FALSE(view.selection.block && *view.selection.block > 0);
}

TEST_F(DrawnTiles, AViewThatIsNotShownHoldsNoResult) {
  result = make_vector_add({.n = 98432});
  const std::weak_ptr<const RunResult> watched = result;
  draw(drawing("tiles"), {1104, 520});
  draw(drawing("traffic"), {1104, 520});
  result.reset();
  EXPECT_TRUE(watched.expired());
}

TEST_F(DrawnTiles, MatricesDrawByRowsAndColumns) {
  auto matrix = make_vector_add({.n = 96 * 64, .block = 64});
  for (BufferMap& buffer : matrix->tiles.buffers) buffer.shape = {96, 64};
  matrix->tiles.grid = {8, 12, 1};
  result = matrix;
  for (const ImVec2 pointer : {ImVec2(-1, -1), ImVec2(320, 200), ImVec2(700, 180)})
    EXPECT_GT(draw(drawing("tiles"), {1104, 520}, pointer), 0);
}

TEST_F(DrawnTiles, AClickOnAnElementSelectsItsWriter) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  draw(drawing("tiles"), {1104, 520});
  click(drawing("tiles"), {1104, 520}, view.marks.at("tiles.out").centre());
  ASSERT_TRUE(view.selection.block && view.selection.element && view.selection.access);
  EXPECT_EQ(result->tiles.buffers[2].writer[static_cast<size_t>(*view.selection.element)], *view.selection.block);
  EXPECT_EQ(result->trace.accesses[*view.selection.access].block, *view.selection.block);
  EXPECT_EQ(view.selection.line, testing::kLineOut);
}

TEST_F(DrawnTiles, AClickOnABlockSelectsItAndItStaysSelected) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  draw(drawing("tiles"), {1104, 520});
  const Mark grid = view.marks.at("tiles.grid");
  click(drawing("tiles"), {1104, 520}, {grid.low.x + 5.5F * (grid.high.x - grid.low.x) / 8, grid.low.y + 3});
  EXPECT_EQ(view.selection.block, 5U);
  draw(drawing("tiles"), {1104, 520}, {grid.low.x + 3, grid.low.y + 3});
  EXPECT_EQ(view.hover.block, 0U);  // hovering previews
  EXPECT_EQ(view.selection.block, 5U);
}

TEST_F(DrawnTiles, TheButtonsStepAndPlay) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  draw(drawing("tiles"), {1104, 520});
  click(drawing("tiles"), {1104, 520}, view.marks.at("playback.on").centre());
  click(drawing("tiles"), {1104, 520}, view.marks.at("playback.on").centre());
  EXPECT_EQ(newest_block(view, 97), 1U);
  click(drawing("tiles"), {1104, 520}, view.marks.at("playback.play").centre());
  EXPECT_TRUE(view.playback.playing);
}

TEST_F(DrawnTiles, AClickOnALaneSelectsIt) {
  result = make_vector_add({.n = 98432, .tiles = 4});
  draw(drawing("tiles"), {1104, 520});
  const Mark lanes = view.marks.at("tiles.lanes");
  click(drawing("tiles"), {1104, 520}, {lanes.low.x + (lanes.high.x - lanes.low.x) * 4.5F / 32, lanes.centre().y});
  EXPECT_EQ(view.selection.lane, 4);
  EXPECT_TRUE(view.selection.access && view.selection.element);
}

}  // namespace
}  // namespace tilescope
