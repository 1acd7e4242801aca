// Choosing a launch in the window: arrows and menu, in every view that shows one launch.
#include <algorithm>
#include <set>

#include "app/observed/trace_index.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {
namespace {

class LaunchChoiceTest : public ScreenTest {
 protected:
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << "needs NVRTC";
    screen->session.select_lab("softmax");
    screen->session.select_rung("five-kernels");
    screen->session.set_size("rows", 40);
    screen->session.submit();
    ASSERT_TRUE(settle());
    ASSERT_NE(screen->session.result(), nullptr);
    ASSERT_EQ(screen->session.result()->plan.launches.size(), 5U);
  }
  uint32_t launch() { return screen->session.result()->launch; }
};

TEST_F(LaunchChoiceTest, EveryViewThatShowsOneLaunchOffersTheOthers) {
  for (const std::string tab : {"tiles", "traffic", "step", "shared", "waves"}) {
    SCOPED_TRACE(tab);
    screen->session.set_launch(2);  // uses no shared memory: that view shows nothing, but offers the other launches
    ASSERT_TRUE(settle());
    screen->view.tab = tab;
    for (int i = 0; i < 2000 && (!screen->session.steps() || screen->session.recording_steps()); ++i) {
      frame();
      if (tab != "step" && tab != "shared") break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    frames(2);
    ASSERT_EQ(launch(), 2U);
    ASSERT_TRUE(screen->marks().contains("launch.next"));
    click("launch.next");
    ASSERT_TRUE(settle());
    EXPECT_EQ(launch(), 3U);
    EXPECT_FALSE(screen->session.stale());
  }
}

TEST_F(LaunchChoiceTest, TheMenuNamesEveryKernelAndChoosesOne) {
  screen->view.tab = "tiles";
  frames(2);
  click("launch.menu");
  for (const char* item : {"launch.0", "launch.1", "launch.2", "launch.3", "launch.4"})
    ASSERT_TRUE(screen->marks().contains(item)) << item;
  click("launch.1");
  ASSERT_TRUE(settle());
  EXPECT_EQ(launch(), 1U);
  EXPECT_EQ(screen->session.request().launch, 1U);
  // Wraps around: from the first launch back to the last.
  screen->session.set_launch(0);
  ASSERT_TRUE(settle());
  click("launch.previous");
  ASSERT_TRUE(settle());
  EXPECT_EQ(launch(), 4U);
}

TEST_F(LaunchChoiceTest, ARunOfOneLaunchOffersNothing) {
  screen->session.select_rung("cta-per-row");
  screen->session.submit();
  ASSERT_TRUE(settle());
  for (const std::string tab : {"tiles", "traffic", "waves"}) {
    screen->view.tab = tab;
    frames(2);
    EXPECT_FALSE(screen->marks().contains("launch.menu"));
  }
}

TEST_F(LaunchChoiceTest, UnderLanesOfSharedMemoryNoTextsOverlap) {
  screen->session.select_rung("cta-per-row");
  screen->session.submit();
  ASSERT_TRUE(settle());
  screen->view.tab = "tiles";
  frames(2);
  const RunResult& result = *screen->session.result();
  const auto& accesses = result.trace.accesses;
  const auto shared = std::find_if(accesses.begin(), accesses.end(), [&](const Access& one) {
    return one.block == 20 && result.trace.sites[one.site].space == Space::shared;
  });
  ASSERT_NE(shared, accesses.end());
  screen->view.selection = select_access(result, static_cast<uint32_t>(shared - accesses.begin()));
  frames(2);
  ASSERT_TRUE(screen->marks().contains("tiles.bank_label"));
  EXPECT_LE(screen->marks().at("tiles.warps_label").high.x, screen->marks().at("tiles.bank_label").low.x);
}

}  // namespace
}  // namespace tilescope::testing
