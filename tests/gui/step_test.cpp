// Facts about the step view: where its keys and buttons lead, what it says about lanes and values, and that other views
// follow.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <sstream>

#include "app/session/step_worker.hpp"
#include "app/views/step/step_model.hpp"
#include "app/views/step/step_view.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using testing::ScreenTest;

// ---- values ----

TEST(StepValues, BitsAreShownAsTheTypeTheyHave) {
  const auto f32 = [](float value) { return uint64_t{std::bit_cast<uint32_t>(value)}; };
  EXPECT_EQ(value_text(f32(-0.75F), 0, 4, ValueKind::f32, StepFormat::automatic, 6), "−0.75");
  EXPECT_EQ(value_text(f32(1e-5F), 0, 4, ValueKind::f32, StepFormat::automatic, 6), "1e-5");
  EXPECT_EQ(value_text(0xfffffff6, 0, 4, ValueKind::signed_integer, StepFormat::automatic, 6), "−10");
  EXPECT_EQ(value_text(0xfffffff6, 0, 4, ValueKind::unsigned_integer, StepFormat::automatic, 9), "4,294,967,286");
  EXPECT_EQ(value_text(0x3c00, 0, 2, ValueKind::f16, StepFormat::automatic, 6), "1");
  EXPECT_EQ(value_text(0xc0003c00, 0, 4, ValueKind::f16x2, StepFormat::automatic, 9), "1 −2");
  EXPECT_EQ(value_text(0x3f80, 0, 2, ValueKind::bf16, StepFormat::automatic, 6), "1");
  EXPECT_EQ(value_text(0x4000000000000000, 0, 8, ValueKind::f64, StepFormat::automatic, 6), "2");
  EXPECT_EQ(value_text(1, 0, 0, ValueKind::predicate, StepFormat::automatic, 6), "1");
}

TEST(StepValues, AnotherFormatIsShownOnDemand) {
  EXPECT_EQ(value_text(0x3f800000, 0, 4, ValueKind::f32, StepFormat::hexadecimal, 6), "0x3f800000");
  EXPECT_EQ(value_text(12, 0, 8, ValueKind::bits, StepFormat::automatic, 6), "0xc");
  EXPECT_EQ(value_text(0x10, 0, 4, ValueKind::bits, StepFormat::automatic, 6), "0x00000010");
  EXPECT_EQ(value_text(0x3f800000, 0, 4, ValueKind::f32, StepFormat::whole, 9), "1,065,353,216");
  EXPECT_EQ(value_text(0x3f800000, 0, 4, ValueKind::signed_integer, StepFormat::real, 6), "1");
}

TEST(StepValues, WhatAllLanesHaveInCommonIsFound) {
  std::array<uint32_t, 32> words{};
  words.fill(7);
  EXPECT_TRUE(pattern_of(LaneValues(words.data(), 4, ~0U), ~0U, ValueKind::signed_integer, 4).uniform);
  for (uint32_t lane = 0; lane < 32; ++lane) words[lane] = 100 - 4 * lane;
  const auto falling = pattern_of(LaneValues(words.data(), 4, ~0U), ~0U, ValueKind::signed_integer, 4);
  EXPECT_FALSE(falling.uniform);
  EXPECT_EQ(falling.stride, -4);
  words[9] = 0;
  EXPECT_FALSE(pattern_of(LaneValues(words.data(), 4, ~0U), ~0U, ValueKind::signed_integer, 4).stride);
  // Only the active lanes count.
  EXPECT_EQ(pattern_of(LaneValues(words.data(), 4, ~0U), ~0U & ~(1U << 9), ValueKind::signed_integer, 4).stride, -4);
}

TEST(StepValues, LanesThatTakePartLieSoFarApart) {
  EXPECT_EQ(lane_spacing(~0U), 1);
  EXPECT_EQ(lane_spacing(0x11111111U), 4);
  EXPECT_EQ(lane_spacing(0x0f0U), 1);
  EXPECT_EQ(lane_spacing(0x80000001U), 31);
  EXPECT_EQ(lane_spacing(0b10011U), 0);  // 0, 1 and 4
  EXPECT_EQ(lane_spacing(1U << 7), 0);
}

TEST(StepValues, NumbersBelowOneAnotherHaveTheSameDecimals) {
  std::array<uint32_t, 32> words{};
  for (uint32_t lane = 0; lane < 32; ++lane)
    words[lane] = std::bit_cast<uint32_t>(0.25F * static_cast<float>(lane) - 3);
  const LaneValues values(words.data(), 4, ~0U);
  const auto decimals = common_decimals(values, ~0U, 4, ValueKind::f32, StepFormat::automatic, 5);
  ASSERT_EQ(decimals, 4);  // the largest is 4.75
  EXPECT_EQ(value_text(words[1], 0, 4, ValueKind::f32, StepFormat::automatic, 5, decimals), "−2.7500");
  EXPECT_EQ(value_text(std::bit_cast<uint32_t>(3e-7F), 0, 4, ValueKind::f32, StepFormat::automatic, 5, decimals),
            "3e-7");
  for (uint32_t lane = 0; lane < 32; ++lane) words[lane] = std::bit_cast<uint32_t>(static_cast<float>(lane));
  EXPECT_EQ(common_decimals(values, ~0U, 4, ValueKind::f32, StepFormat::automatic, 5), 0);
  EXPECT_FALSE(common_decimals(values, ~0U, 4, ValueKind::signed_integer, StepFormat::automatic, 5));
}

TEST(StepValues, LanesAreNamedInRuns) {
  EXPECT_EQ(lanes_text(0xffffffff), "0–31");
  EXPECT_EQ(lanes_text(0x80000001), "0, 31");
  EXPECT_EQ(lanes_text(0x0000ff06), "1–2, 8–15");
}

// ---- positions ----

/// A record with instructions only: one warp executes them in this order, with all lanes.
std::shared_ptr<StepRecord> walk(const std::vector<StepInstruction>& instructions, const std::vector<uint32_t>& order) {
  auto record = std::make_shared<StepRecord>();
  record->block_extent = {32, 1, 1};
  record->warps = 1;
  record->instructions = instructions;
  for (const uint32_t instruction : order) {
    Step step;
    step.instruction = instruction;
    step.active = step.executed = ~0U;
    record->steps.push_back(step);
  }
  record->executed = {order.size()};
  record->ended = {true};
  record->index();
  return record;
}

StepIndex loop_with_barrier() {
  const auto at = [](uint32_t line, StepRole role) { return StepInstruction{.text = "x", .line = line, .role = role}; };
  //                     0                       1                         2                        3
  auto record =
      walk({at(10, StepRole::other), at(11, StepRole::barrier), at(12, StepRole::branch), at(13, StepRole::exit)},
           {0, 1, 2, 0, 1, 2, 0, 1, 2, 3});
  return {record, std::make_shared<const RunResult>()};
}

TEST(StepIndex, StopsAreBarriersAndRoundsOfLoops) {
  EXPECT_EQ(loop_with_barrier().stops(0), (std::vector<uint64_t>{1, 3, 4, 6, 7}));
}

TEST(StepIndex, GoingToTheNextAndTheLastStopStaysInsideTheRecord) {
  const StepIndex index = loop_with_barrier();
  EXPECT_EQ(index.next_stop(0, 1), 3U);
  EXPECT_EQ(index.next_stop(0, 7), 9U);
  EXPECT_EQ(index.previous_stop(0, 3), 1U);
  EXPECT_EQ(index.previous_stop(0, 1), 0U);
}

TEST(StepIndex, LinesAreGoneThroughFromBeginningToBeginning) {
  const auto at = [](uint32_t line) { return StepInstruction{.text = "x", .line = line}; };
  const StepIndex index(walk({at(5), at(6), at(6), at(7)}, {0, 1, 2, 3}), std::make_shared<const RunResult>());
  EXPECT_EQ(index.next_line(0, 0), 1U);
  EXPECT_EQ(index.next_line(0, 1), 3U);
  EXPECT_EQ(index.previous_line(0, 3), 1U);
  EXPECT_EQ(index.previous_line(0, 2), 0U);
  EXPECT_EQ(index.next_line(0, 3), 3U);
}

TEST(StepIndex, ALaneIsSomewhere) {
  StepRecord record;
  record.paths = {{0x0000ff00, 0, StepPath::State::pending, 0}, {0x00ff0000, 0, StepPath::State::at_barrier, 0}};
  Step step;
  step.active = 0xff;
  step.executed = 0x0f;
  step.paths = 2;
  const auto states = lane_states(record, step);
  EXPECT_EQ(states[0], LaneState::executes);
  EXPECT_EQ(states[5], LaneState::guarded_off);
  EXPECT_EQ(states[9], LaneState::elsewhere);
  EXPECT_EQ(states[17], LaneState::waits);
  EXPECT_EQ(states[31], LaneState::left);
}

// ---- the view ----

class StepScreenTest : public ScreenTest {
 protected:
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << "needs NVRTC";
    screen->session.set_size("n", 1000);
    screen->session.submit();
    ASSERT_TRUE(settle());
    screen->view.tab = "step";
    ASSERT_TRUE(recorded());
  }
  /// Draws frames until the record exists and is drawn.
  bool recorded() {
    const auto start = std::chrono::steady_clock::now();
    do {
      frames(2);
      if (screen->session.steps() && !screen->session.recording_steps()) {
        frames(2);
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    return false;
  }
  const StepRecord& record() { return *screen->session.steps(); }
  StepCursor& cursor() { return screen->view.step; }
  const Step& step() { return record().steps[record().steps_of(cursor().warp)[cursor().position]]; }
  uint32_t line() { return record().instructions[step().instruction].line; }
};

TEST_F(StepScreenTest, ArrowsGoOneStepBackAndOn) {
  press(Key::home);
  EXPECT_EQ(cursor().position, 0U);
  press(Key::right);
  press(Key::right);
  EXPECT_EQ(cursor().position, 2U);
  press(Key::left);
  EXPECT_EQ(cursor().position, 1U);
  press(Key::end);
  EXPECT_EQ(cursor().position + 1, record().steps_of(cursor().warp).size());
  press(Key::right);
  EXPECT_EQ(cursor().position + 1, record().steps_of(cursor().warp).size());
}

TEST_F(StepScreenTest, KeysWaitForTheNextLabsSteps) {
  press(Key::home);
  screen->session.select_lab("coalescing");
  screen->session.cancel();
  press(Key::right);  // the last lab's steps are still there, without a result
  EXPECT_EQ(screen->session.result(), nullptr);
  EXPECT_EQ(cursor().position, 0U);
}

TEST_F(StepScreenTest, UpAndDownGoByLine) {
  press(Key::home);
  const uint32_t first = line();
  press(Key::down);
  EXPECT_NE(line(), first);
  press(Key::up);
  EXPECT_EQ(cursor().position, 0U);
}

TEST_F(StepScreenTest, TheSelectedLineFollowsTheStep) {
  press(Key::home);
  for (int i = 0; i < 12; ++i) {
    press(Key::right);
    EXPECT_EQ(screen->view.selection.line, line());
    EXPECT_EQ(screen->view.selection.block, record().block);
  }
}

TEST_F(StepScreenTest, ALineThatIsSelectedElsewhereIsGoneTo) {
  press(Key::end);
  const uint32_t last = line();
  press(Key::home);
  ASSERT_NE(line(), last);
  screen->view.selection.access.reset();
  screen->view.selection.line = last;
  frames(2);
  EXPECT_EQ(line(), last);
}

TEST_F(StepScreenTest, AnAccessThatIsSelectedElsewhereIsGoneTo) {
  const auto& accesses = screen->session.result()->trace.accesses;
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i].block != record().block || accesses[i].warp != 5) continue;
    screen->view.selection.access = i;
    frames(2);
    EXPECT_EQ(cursor().warp, 5U);
    EXPECT_EQ(step().access, accesses[i].sequence);
    EXPECT_EQ(step().executed, accesses[i].mask);
  }
}

TEST_F(StepScreenTest, AStepThatReadsMemoryIsTheSelectedAccess) {
  press(Key::home);
  bool any = false;
  for (size_t i = 0; i < record().steps_of(cursor().warp).size(); ++i) {
    if (step().access != Step::kNone) {
      any = true;
      const auto access = screen->view.selection.access;
      ASSERT_TRUE(access);
      EXPECT_EQ(screen->session.result()->trace.accesses[*access].sequence, step().access);
    }
    press(Key::right);
  }
  EXPECT_TRUE(any);
}

TEST_F(StepScreenTest, WhatIsStoredIsTheSumOfTheInputs) {
  const RunResult& result = *screen->session.result();
  const auto a = result.buffers[0]->as<float>(), b = result.buffers[1]->as<float>();
  size_t stored = 0;
  for (uint32_t warp = 0; warp < record().warps; ++warp)
    for (const uint32_t index : record().steps_of(warp)) {
      const StepInstruction& store = record().instructions[record().steps[index].instruction];
      if (store.role != StepRole::store) continue;
      const auto values = record().value_read(warp, store.reads.back().reg, index);
      const auto addresses = record().addresses_at(index);
      ASSERT_TRUE(values && addresses);
      for (int lane = 0; lane < 32; ++lane) {
        if ((record().steps[index].executed >> lane & 1) == 0) continue;
        const auto place = place_of_address(result, (*addresses)[static_cast<size_t>(lane)], 4, store.space);
        ASSERT_EQ(place.buffer, 2);
        const auto i = static_cast<size_t>(place.element);
        EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(values->bits(lane))), a[i] + b[i]);
        ++stored;
      }
    }
  EXPECT_EQ(stored, 256U);
}

TEST_F(StepScreenTest, AnotherBlockIsRecorded) {
  const auto block = static_cast<uint32_t>(record().block);
  click("step.next_block");
  ASSERT_TRUE(recorded());
  EXPECT_EQ(record().block, block + 1);
  EXPECT_EQ(screen->view.selection.block, block + 1);
}

TEST_F(StepScreenTest, AWarpIsChosenWithAClick) {
  const auto strip = screen->marks().at("step.warps");
  const float pitch = (strip.high.x - strip.low.x) / 8;
  click(ImVec2(strip.low.x + 6.4F * pitch, strip.centre().y));
  EXPECT_EQ(cursor().warp, 6U);
}

TEST_F(StepScreenTest, APointedLaneIsLitEverywhereAndAClickSelectsIt) {
  const auto lanes = screen->marks().at("step.lanes");
  const float pitch = (lanes.high.x - lanes.low.x) / 32;
  const ImVec2 twelve{lanes.low.x + 12.5F * pitch, lanes.centre().y};
  point_at(twelve);
  EXPECT_EQ(screen->view.hover.lane, 12);
  click(twelve);
  EXPECT_EQ(screen->view.selection.lane, 12);
  press(Key::right);
  EXPECT_EQ(screen->view.selection.lane, 12);  // the selection stays while stepping
}

TEST_F(StepScreenTest, ARegistersNameLeadsToItsLastWriter) {
  // The store at the end reads the result of an addition.
  const auto steps = record().steps_of(cursor().warp);
  for (uint64_t position = 0; position < steps.size(); ++position)
    if (record().instructions[record().steps[steps[position]].instruction].role == StepRole::store) {
      press(Key::home);
      for (uint64_t i = 0; i < position; ++i) press(Key::right);
      break;
    }
  ASSERT_EQ(record().instructions[step().instruction].role, StepRole::store);
  const uint32_t reg = record().instructions[step().instruction].reads.back().reg;
  click("step.register.0");
  const auto& writes = record().instructions[step().instruction].writes;
  ASSERT_FALSE(writes.empty());
  EXPECT_EQ(writes[0].reg, reg);
}

TEST_F(StepScreenTest, SpacePlaysAndTheEndStops) {
  press(Key::home);
  press(Key::space);
  EXPECT_TRUE(cursor().playing);
  EXPECT_TRUE(screen->moving());
  frames(30);
  EXPECT_GT(cursor().position, 0U);
  frames(1000);
  EXPECT_FALSE(cursor().playing);
  EXPECT_EQ(cursor().position + 1, record().steps_of(cursor().warp).size());
}

TEST_F(StepScreenTest, TheTrackIsDragged) {
  press(Key::home);
  const auto track = screen->marks().at("step.track");
  drag({track.low.x, track.centre().y}, {track.high.x, track.centre().y});
  EXPECT_EQ(cursor().position + 1, record().steps_of(cursor().warp).size());
}

TEST_F(StepScreenTest, AMistakeIsWhereTheViewBegins) {
  screen->session.set_broken("DROP_MASK", true);
  screen->session.submit();
  ASSERT_TRUE(settle());
  ASSERT_TRUE(recorded());
  ASSERT_FALSE(screen->session.result()->findings.empty());
  const Finding& finding = screen->session.result()->findings.front();
  const auto& chosen = record();
  bool here = false;
  for (const StepFinding& one : chosen.findings)
    here = here || (one.step == record().steps_of(cursor().warp)[cursor().position] && one.id == finding.id);
  EXPECT_TRUE(here);
  EXPECT_EQ(line(), finding.line);
}

// A new record may have the address and the number of steps of the last one: caches of the last one must not be drawn.
TEST_F(StepScreenTest, TheSameRunManyTimesOverIsDrawnAnew) {
  for (int i = 0; i < 24; ++i) {
    screen->session.set_broken("DROP_MASK", i % 2 == 0);
    screen->session.submit();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(recorded());
  }
}

TEST_F(StepScreenTest, ARunThatIsReplacedIsForgotten) {
  const std::weak_ptr<const StepRecord> before = screen->session.steps();
  screen->view.tab = "tiles";
  screen->session.set_size("n", 2000);
  screen->session.submit();
  ASSERT_TRUE(settle());
  frames(2);
  EXPECT_EQ(screen->session.steps(), nullptr);
}

TEST_F(ScreenTest, WithoutARunTheStepViewSaysWhatToDo) {
  screen->view.tab = "step";
  frames(2);
  EXPECT_FALSE(screen->session.recording_steps());
  EXPECT_FALSE(screen->strings("step.empty_hint").empty());
}

}  // namespace
}  // namespace tilescope
