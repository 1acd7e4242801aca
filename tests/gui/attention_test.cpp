// The plane in the window: pointer, keys, and the change to the ordinary tiles and back.
#include "app/views/plane/plane_view.hpp"
#include "app/views/playback.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {
namespace {

class PlaneScreenTest : public ScreenTest {
 protected:
  /// Tiles of 64 queries and 64 keys, four of each.
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << "needs NVRTC";
    screen->session.select_lab("attention");
    for (const auto& [name, value] : {std::pair{"queries", 256}, {"keys", 256}, {"heads", 2}})
      screen->session.set_size(name, value);
    screen->session.set_param("CAUSAL", 1);
    screen->session.set_param("BLOCK_M", 64);
    screen->session.select_rung("flash-lazy-rescale");
    screen->view.tab = "tiles";
    screen->session.submit();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(screen->session.result());
    frames(2);
  }
  PlaneCursor& cursor() { return screen->view.plane; }
  bool shown(const std::string& mark) { return screen->marks().find(mark) != screen->marks().end(); }
  Mark mark_of(const std::string& name) { return screen->marks().find(name)->second; }
  /// A position in the plane, as fractions of its width and height.
  ImVec2 place(float key, float query) {
    const Mark map = mark_of("plane.map");
    return {map.low.x + (map.high.x - map.low.x) * key, map.low.y + (map.high.y - map.low.y) * query};
  }
  /// The queries of the selected block.
  ElementRange queries() {
    PlanePicture picture;
    EXPECT_TRUE(take_plane(picture, screen->session.result(), *find_lab("attention")->plane));
    return picture.strip_of(screen->view.selection.block.value())->queries;
  }
};

TEST_F(PlaneScreenTest, AClickSelectsTheBlockAndTheRow) {
  ASSERT_TRUE(shown("plane.map"));
  click(place(0.1F, 0.9F));
  ASSERT_TRUE(screen->view.selection.block);
  EXPECT_EQ(queries().begin, 192);
  ASSERT_TRUE(cursor().row);
  EXPECT_NEAR(static_cast<double>(*cursor().row % 256), 0.9 * 256, 2);
  const auto last = screen->view.selection.block;
  click(place(0.9F, 0.1F));
  EXPECT_EQ(queries().begin, 0) << "also above the diagonal, where nothing is computed";
  EXPECT_NE(screen->view.selection.block, last);
}

TEST_F(PlaneScreenTest, KeysWalkOverTheKeysOfTheSelectedBlock) {
  click(place(0.1F, 0.9F));
  point_at({5, 5});
  press(Key::home);
  EXPECT_EQ(plane_done(cursor(), 4), 0U);
  press(Key::left);
  EXPECT_EQ(plane_done(cursor(), 4), 0U);
  press(Key::right);
  press(Key::right);
  EXPECT_EQ(plane_done(cursor(), 4), 2U);
  press(Key::end);
  EXPECT_EQ(cursor().step, 4) << "the last queries see all four blocks";
  press(Key::space);
  EXPECT_TRUE(cursor().playing);
  EXPECT_TRUE(screen->moving());
  for (int i = 0; i < 600 && cursor().playing; ++i) frame();
  EXPECT_FALSE(cursor().playing);
  EXPECT_EQ(cursor().step, 4);
  press(Key::up);
  EXPECT_EQ(queries().begin, 128);
  EXPECT_LT(screen->view.playback.position, 0) << "the blocks are not played";
}

TEST_F(PlaneScreenTest, AClickIntoKGoesToTheStepThatReadsIt) {
  click(place(0.1F, 0.9F));
  const Mark bands = mark_of("plane.bands");
  click(ImVec2(bands.low.x + (bands.high.x - bands.low.x) * 0.6F, bands.low.y + 4));
  EXPECT_EQ(cursor().step, 2);
  click("playback.on");
  EXPECT_EQ(cursor().step, 3);
  click("playback.back");
  EXPECT_EQ(cursor().step, 2);
}

TEST_F(PlaneScreenTest, ThePointerShowsAnotherRowWithoutSelectingIt) {
  click(place(0.1F, 0.9F));
  const Selection before = screen->view.selection;
  point_at(place(0.1F, 0.4F));
  frame();
  EXPECT_NEAR(mark_of("plane.own").low.y, place(0, 0.25F).y, 2);
  point_at({5, 5});
  frame();
  EXPECT_NEAR(mark_of("plane.own").low.y, place(0, 0.75F).y, 2);
  EXPECT_EQ(screen->view.selection, before);
}

TEST_F(PlaneScreenTest, TheSwitchShowsTheOrdinaryTiles) {
  click("plane.tiles");
  EXPECT_FALSE(shown("plane.map"));
  EXPECT_TRUE(shown("playback.track"));
  press(Key::right);
  EXPECT_EQ(issued_blocks(screen->view, 8), 1U) << "the keys play blocks again";
  click("plane.plane");
  EXPECT_TRUE(shown("plane.map"));
}

TEST_F(PlaneScreenTest, TheBytesHaveATabAndACard) {
  screen->view.bottom = BottomTab::memory;
  frames(2);
  EXPECT_TRUE(shown("plane.memory"));
  EXPECT_TRUE(shown("card.memory"));
  screen->session.select_lab("vector-add");
  frames(2);
  EXPECT_FALSE(shown("plane.memory"));
  EXPECT_FALSE(shown("card.memory"));
  EXPECT_FALSE(shown("plane.map"));
}

TEST_F(PlaneScreenTest, TheOnlineRungOpensOnTheRowThatItNotes) {
  screen->session.set_size("queries", 64);
  screen->session.set_size("keys", 64);
  screen->session.select_rung("online-row");
  screen->session.submit();
  ASSERT_TRUE(settle());
  frames(2);
  EXPECT_EQ(cursor().row, 63);
  EXPECT_FALSE(shown("plane.noted"));
  click(place(0.1F, 0.1F));
  ASSERT_TRUE(shown("plane.noted"));
  click("plane.noted");
  EXPECT_EQ(cursor().row, 63);
}

}  // namespace
}  // namespace tilescope::testing
