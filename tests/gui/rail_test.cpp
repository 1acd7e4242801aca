// The list of labs at the left: the lab that is shown is in sight.
#include "tests/gui/screen_fixture.hpp"

namespace tilescope::testing {
namespace {

class RailTest : public ScreenTest {
 protected:
  /// Whether the whole row lies in the list, above what is below the list.
  bool in_sight(const std::string& lab) {
    const auto& row = screen->marks().at("lab." + lab);
    return row.low.y >= 0 && row.high.y <= screen->marks().at("progress").low.y;
  }
};

TEST_F(RailTest, ALabThatIsOpenedElsewhereIsScrolledIntoSightOnce) {
  window = {1280, 800};
  frames(2);
  ASSERT_TRUE(in_sight("vector-add"));
  ASSERT_FALSE(in_sight("attention-backward")) << "the list is longer than the window";
  screen->session.select_lab("attention-backward");
  frames(3);
  EXPECT_TRUE(in_sight("attention-backward"));
  point_at(centre("lab.attention-backward"));
  ImGui::GetIO().MouseWheel = 100;
  frame();
  ImGui::GetIO().MouseWheel = 0;
  frames(3);
  EXPECT_FALSE(in_sight("attention-backward")) << "it can be scrolled away";
  EXPECT_TRUE(in_sight("vector-add"));
}

}  // namespace
}  // namespace tilescope::testing
