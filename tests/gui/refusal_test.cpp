// The reason why a rung cannot run is shown under the sliders before any run.
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using testing::ScreenTest;

class Refusal : public ScreenTest {
 protected:
  bool is_refused() {
    frames(2);
    return screen->marks().count("refusal") != 0;
  }
};

TEST_F(Refusal, IsShownUnderTheSlidersWhileTheTileIsImpossible) {
  screen->session.select_lab("matmul-fp32");
  screen->session.select_rung("warp-tile");
  EXPECT_FALSE(is_refused());
  screen->session.set_param("WM", 128);  // the tile has 64 rows
  EXPECT_TRUE(is_refused());
  screen->session.select_rung("vectorised");  // has no warp tile
  EXPECT_FALSE(is_refused());
  screen->session.select_rung("warp-tile");
  screen->session.set_param("WM", 32);
  EXPECT_FALSE(is_refused());
}

}  // namespace
}  // namespace tilescope
