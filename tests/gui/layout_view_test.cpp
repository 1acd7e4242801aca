// The layout view on runs of Triton rungs, without a window.
#include <gtest/gtest.h>

#include "app/views/layout/layout_model.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using Kind = ProgramTensor::Kind;

class LayoutViewTest : public testing::ScreenTest {
 protected:
  /// False where neither Triton nor the kernel's PTX is there.
  bool run(const char* lab, const char* rung) {
    screen->session.select_lab(lab);
    screen->session.select_rung(rung);
    screen->view.tab = "layout";
    screen->session.submit();
    return settle() && screen->session.result() != nullptr;
  }
  bool has(const std::string& mark) { return screen->marks().contains(mark); }
};

TEST_F(LayoutViewTest, HasATabForTritonRungsOnly) {
  frames(3);
  EXPECT_TRUE(has("tab.9"));  // with the views tune and operator, which stand after it
  EXPECT_FALSE(has("tab.10"));
  screen->session.select_rung("triton-tile");
  frames(3);
  EXPECT_TRUE(has("tab.10"));
  screen->session.select_rung("grid-stride");
  press(static_cast<Key>(static_cast<int>(Key::digit_1) + 8));
  EXPECT_NE(screen->view.tab, "layout") << "its key does nothing";
}

TEST_F(LayoutViewTest, EachElementOfAVectorIsHeldByOneThread) {
  if (!run("vector-add", "triton-tile")) GTEST_SKIP() << "no Triton";
  LayoutPicture picture;
  take_layouts(picture, screen->session.result());
  ASSERT_EQ(picture.entries.size(), 3U);
  look_at(picture, 0, 3, *screen->session.result());
  EXPECT_TRUE(picture.grid.wrapped);
  EXPECT_EQ(picture.grid.rows * picture.grid.columns, 1024);
  for (const ElementHolder& holder : picture.grid.holders) EXPECT_EQ(holder.threads, 1U);
  // Element 640 + 9: warp 1 has 128 to 255 in its first four registers, and 640 to 767 in the next four.
  EXPECT_EQ(picture.grid.at(5, 9).warp, 1U);
  EXPECT_EQ(picture.grid.at(5, 9).lane, 2U);
  EXPECT_EQ(picture.grid.at(5, 9).reg, 5U);
  EXPECT_EQ(picture.tile.registers, 4U);
  EXPECT_EQ(picture.tile.rows * picture.tile.columns, 128);
  const TileCells& cells = tile_cells(picture, 0, 1, 1);
  EXPECT_EQ(cells.first_row, 5);
  EXPECT_EQ(cells.first_column, 0);
  EXPECT_EQ(cells.cells.at(9).lane, 2U);
  EXPECT_EQ(check_of(picture, 0, *screen->session.result()).outcome, LayoutCheck::Outcome::matches);
}

TEST_F(LayoutViewTest, AChosenLaneIsSelectedEverywhere) {
  if (!run("vector-add", "triton-tile")) GTEST_SKIP() << "no Triton";
  frames(2);
  click("layout.entry.1");
  frames(2);
  const auto line = screen->view.selection.line;
  ASSERT_TRUE(line);
  const auto tile = screen->marks().at("layout.tile");
  click(ImVec2(tile.high.x - 4, tile.high.y - 4));
  frames(2);
  EXPECT_EQ(screen->view.selection.lane, 31);
  ASSERT_TRUE(screen->view.selection.access);
  const RunResult& result = *screen->session.result();
  EXPECT_EQ(result.trace.sites[result.trace.accesses[*screen->view.selection.access].site].line, *line);
}

TEST_F(LayoutViewTest, ALineChosenInTheSourceChoosesItsTensor) {
  if (!run("vector-add", "triton-tile")) GTEST_SKIP() << "no Triton";
  frames(2);
  LayoutPicture picture;
  take_layouts(picture, screen->session.result());
  click("source.line." + std::to_string(picture.tensor(1).line));
  frames(3);
  click("layout.tile");
  frames(2);
  ASSERT_TRUE(screen->view.selection.access);
  const RunResult& result = *screen->session.result();
  const Access& access = result.trace.accesses[*screen->view.selection.access];
  EXPECT_EQ(result.trace.sites[access.site].line, picture.tensor(1).line) << "the tile is of the line's tensor";
  click("layout.entry.0");
  frames(2);
  EXPECT_EQ(screen->view.selection.line, picture.tensor(0).line);
}

TEST_F(LayoutViewTest, TheSourceShowsTheTensorThatTheViewOpensWith) {
  if (!run("softmax", "triton-row")) GTEST_SKIP() << "no Triton";
  frames(3);
  LayoutPicture picture;
  take_layouts(picture, screen->session.result());
  EXPECT_EQ(screen->view.selection.line, picture.tensor(0).line);
  EXPECT_EQ(screen->view.selection, screen->view.suggested) << "nothing was chosen";
  EXPECT_TRUE(has("source.line." + std::to_string(picture.tensor(0).line)));
}

TEST(LayoutModel, RunsOfElementsAreNamedShortly) {
  EXPECT_EQ(elements_text({13, 16}, {13, 23}), "[13, 16…23]");
  EXPECT_EQ(elements_text({7}, {7}), "[7]");
  EXPECT_EQ(shape_text({64, 32}), "64 × 32");
}

}  // namespace
}  // namespace tilescope
