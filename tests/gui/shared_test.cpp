// The shared view: how long the stages of a pipeline are being filled and held, and the window that shows them.
#include <algorithm>

#include "app/views/shared/shared_model.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {
namespace {

class SharedScreenTest : public ScreenTest {
 protected:
  /// kernels/grouped_matmul.cu: 128 × 128 × 136, tiles of 64 × 64, k-tiles 32 deep, three stages.
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << "needs NVRTC";
    screen->session.select_lab("grouped-order");
    // Not the window's opening size: a size that is executed completely.
    for (const auto& [name, value] : default_config(screen->session.lab(), DeviceKind::sim).params)
      screen->session.set_param(name, value);
    for (const auto& [name, value] : {std::pair{"M", 128}, {"N", 128}, {"K", 136}})
      screen->session.set_size(name, value);
    open();
  }
  void open() {
    screen->session.submit();
    ASSERT_TRUE(settle());
    screen->view.tab = "shared";
    const auto start = std::chrono::steady_clock::now();
    do {
      frames(2);
      if (screen->session.steps() && !screen->session.recording_steps()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    frames(3);
    picture = SharedPicture::make(screen->session.steps(), *screen->session.result());
  }
  const StepRecord& record() { return *screen->session.steps(); }
  uint32_t step() { return record().steps_of(screen->view.step.warp)[screen->view.step.position]; }

  std::shared_ptr<const SharedPicture> picture;
};

TEST_F(SharedScreenTest, EveryStageIsFilledBeforeItIsHeldAndReadWhileItIsHeld) {
  ASSERT_NE(picture, nullptr);
  for (uint32_t warp : {0U, 6U}) {
    const auto events = picture->events(warp);
    auto spans = spans_of(*picture, warp);
    // Five k-tiles of A and of B, each in flight once and held once.
    EXPECT_EQ(std::count_if(spans.begin(), spans.end(), [](const SharedSpan& one) { return one.filling; }), 10);
    EXPECT_EQ(std::count_if(spans.begin(), spans.end(), [](const SharedSpan& one) { return !one.filling; }), 10);
    for (const SharedSpan& one : spans) {
      const auto kind = one.filling ? SharedEvent::Kind::copy : SharedEvent::Kind::wait;
      EXPECT_EQ(events[one.first].kind, kind);
      EXPECT_EQ(events[one.last].kind, one.filling ? SharedEvent::Kind::wait : SharedEvent::Kind::load);
    }
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].kind != SharedEvent::Kind::load) continue;
      EXPECT_TRUE(std::any_of(spans.begin(), spans.end(),
                              [&](const SharedSpan& one) {
                                return !one.filling && one.region == events[i].region && one.first <= i &&
                                       i <= one.last;
                              }))
          << "event " << i;
    }
  }
}

TEST_F(SharedScreenTest, BeginsWhereOneStageIsReadAndAnotherOnItsWay) {
  ASSERT_NE(picture, nullptr);
  const SharedMoment moment = moment_of(*picture, picture->contents_at(step()), screen->view.step.warp, step());
  EXPECT_GE(moment.reading, 0);
  EXPECT_FALSE(moment.arriving.empty());
  for (const char* part : {"shared.near", "shared.pipeline", "shared.fragment0", "step.play"})
    EXPECT_TRUE(screen->marks().contains(part)) << part;
}

TEST_F(SharedScreenTest, AnEventThatIsClickedIsGoneTo) {
  ASSERT_NE(picture, nullptr);
  const Mark track = screen->marks().at("shared.pipeline");
  click(ImVec2(track.low.x + 2, track.centre().y));
  EXPECT_EQ(step(), picture->events(screen->view.step.warp).front().step);
  press(Key::right);
  EXPECT_GT(step(), picture->events(screen->view.step.warp).front().step);
}

TEST_F(SharedScreenTest, AWordUnderThePointerIsLitInItsBuffer) {
  ASSERT_NE(picture, nullptr);
  const Mark near = screen->marks().at("shared.near");
  point_at({near.low.x + 4, near.low.y + 4});
  frames(2);
  ASSERT_TRUE(screen->view.hover.buffer.has_value());
  EXPECT_TRUE(screen->view.hover.element.has_value());
  EXPECT_FALSE(screen->view.explained.empty());
}

TEST_F(SharedScreenTest, ARungWithoutSharedMemorySaysSo) {
  screen->session.select_lab("vector-add");
  screen->session.set_size("n", 1000);
  open();
  EXPECT_EQ(picture, nullptr);
  EXPECT_FALSE(screen->marks().contains("shared.near"));
}

}  // namespace
}  // namespace tilescope::testing
