// Which events share a frame; no event is lost or reordered.
#include "app/window/input_queue.hpp"

#include <gmock/gmock.h>

#include <random>

namespace tilescope {
namespace {

using Kind = InputEvent::Kind;

InputEvent move(float x) { return {.kind = Kind::move, .x = x}; }
InputEvent button(bool down, int code = 0) { return {.kind = Kind::button, .code = code, .down = down}; }
InputEvent wheel(float y) { return {.kind = Kind::wheel, .y = y}; }
InputEvent letter(int key, bool down) { return {.kind = Kind::key, .code = key, .down = down, .printable = true}; }
InputEvent acting(int key, bool down) { return {.kind = Kind::key, .code = key, .down = down}; }
InputEvent modifier(int key, bool down) { return {.kind = Kind::key, .code = key, .down = down, .modifier = true}; }
InputEvent text(int character) { return {.kind = Kind::text, .code = character}; }

std::vector<size_t> frames_of(const std::vector<InputEvent>& events) {
  InputQueue queue;
  for (const InputEvent& event : events) queue.add(event);
  std::vector<size_t> counts;
  while (!queue.empty()) counts.push_back(queue.take().size());
  return counts;
}

TEST(InputQueue, ATapBetweenTwoFramesIsDownInOneAndUpInTheNext) {
  EXPECT_THAT(frames_of({move(5), button(true), button(false)}), ::testing::ElementsAre(2, 1));
}

TEST(InputQueue, AButtonActsWhereThePointerWasAtThatMoment) {
  EXPECT_THAT(frames_of({move(5), button(true), move(900), button(false), move(7)}), ::testing::ElementsAre(2, 2, 1));
}

TEST(InputQueue, TwoClicksBetweenTwoFramesAreTwo) {
  EXPECT_THAT(frames_of({button(true), button(false), button(true), button(false)}),
              ::testing::ElementsAre(1, 1, 1, 1));
}

TEST(InputQueue, MovesAndTurnsOfTheWheelAddUp) {
  EXPECT_THAT(frames_of({move(1), move(2), move(3), wheel(1), wheel(1)}), ::testing::ElementsAre(5));
  EXPECT_THAT(frames_of({wheel(1), move(3)}), ::testing::ElementsAre(1, 1));
}

TEST(InputQueue, AKeyThatIsTappedIsDownInOneFrame) {
  EXPECT_THAT(frames_of({acting(1, true), acting(1, false)}), ::testing::ElementsAre(1, 1));
}

TEST(InputQueue, AModifierHoldsForTheKeysAfterItAlone) {
  // Ctrl+P, then a plain P: the second one must not be seen with Ctrl, nor the first one without.
  EXPECT_THAT(frames_of({modifier(341, true), letter(80, true), letter(80, false), modifier(341, false),
                         letter(80, true), letter(80, false)}),
              ::testing::ElementsAre(2, 1, 2, 1));
}

TEST(InputQueue, AModifierDoesNotReachBackToTextOrTheWheel) {
  // An input method commits text without keys; with Ctrl down, an editor would drop it.
  EXPECT_THAT(frames_of({text(0x4E2D), text(0x6587), modifier(341, true), letter(83, true)}),
              ::testing::ElementsAre(2, 2));
  EXPECT_THAT(frames_of({modifier(340, true), wheel(1), modifier(340, false)}), ::testing::ElementsAre(2, 1));
}

TEST(InputQueue, EnterComesAfterTheTextBeforeItAndBeforeTheTextAfterIt) {
  EXPECT_THAT(frames_of({letter(49, true), text('1'), letter(50, true), text('2'), acting(257, true), text('3')}),
              ::testing::ElementsAre(4, 1, 1));
}

TEST(InputQueue, AnythingInAnyOrderComesOutOnceInThatOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<InputEvent> events;
    for (int i = 0; i < 60; ++i) {
      const int code = static_cast<int>(random() % 3);
      const bool down = random() % 2 == 0;
      const InputEvent choices[] = {
          move(static_cast<float>(i)), button(down, code),  wheel(1),       letter(65 + code, down),
          acting(257, down),           modifier(340, down), text(65 + code)};
      events.push_back(choices[random() % std::size(choices)]);
      events.back().scancode = i;  // to tell them apart
    }
    InputQueue queue;
    for (const InputEvent& event : events) queue.add(event);
    int next = 0;
    while (!queue.empty()) {
      const auto frame = queue.take();
      ASSERT_FALSE(frame.empty());
      std::set<std::pair<int, int>> changed;  // each button or key once: ImGui would see only its last state
      for (const InputEvent& event : frame) {
        EXPECT_EQ(event.scancode, next++);
        const bool changes = event.kind == Kind::button || event.kind == Kind::key;
        EXPECT_TRUE(!changes || changed.insert({static_cast<int>(event.kind), event.code}).second);
      }
    }
    EXPECT_EQ(next, 60);
  }
}

}  // namespace
}  // namespace tilescope
