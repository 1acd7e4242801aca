// Views of a run of which only a sample of the blocks was executed lead to one that is executed in full.
#include <gtest/gtest.h>

#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

class SampledRun : public testing::ScreenTest {};

TEST_F(SampledRun, IsFollowedByAFullOneWithOnePress) {
  screen->session.select_lab("grouped-order");
  frame();  // which opens the lab on its order
  for (const char* tab : {"tiles", "traffic", "correctness"}) {
    screen->session.reset_values();
    screen->view.tab = tab;
    screen->session.submit();
    ASSERT_TRUE(settle());
    ASSERT_GT(screen->session.result()->blocks_sampled, 0U);
    ASSERT_TRUE(screen->marks().contains("sampled.run_at")) << tab;
    const Config before = screen->session.request().config;
    click("sampled.run_at");
    ASSERT_TRUE(settle());
    const RunResult& result = *screen->session.result();
    EXPECT_TRUE(result.observed) << tab;
    EXPECT_TRUE(result.passed()) << tab;
    EXPECT_EQ(screen->session.request().config.params, before.params) << "only the sizes change";
    EXPECT_FALSE(screen->marks().contains("sampled.run_at"));
  }
}

}  // namespace
}  // namespace tilescope
