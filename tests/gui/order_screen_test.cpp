// The lab on the order of blocks in the window: what it opens with.
#include "tests/gui/screen_fixture.hpp"

namespace tilescope::testing {
namespace {

class OrderScreenTest : public ScreenTest {
 protected:
  const std::string& tab_of(const std::string& lab) {
    screen->session.select_lab(lab);
    frames(2);
    return screen->view.tab;
  }
};

TEST_F(OrderScreenTest, TheLabOpensWithTheOrderWhereTilesWouldBeEmpty) {
  frames(2);
  screen->view.tab = "tiles";
  EXPECT_EQ(tab_of("grouped-order"), "order");
  EXPECT_EQ(tab_of("softmax"), "tiles") << "which has tiles to show";
  screen->view.tab = "lesson";
  EXPECT_EQ(tab_of("grouped-order"), "lesson") << "any other view stays";
  screen->view.tab = "tiles";
  frames(2);
  EXPECT_EQ(screen->view.tab, "tiles") << "chosen in the lab itself";
}

}  // namespace
}  // namespace tilescope::testing
