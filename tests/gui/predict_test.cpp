// The questions in the window: what they veil, what answers and sliders do to them, and those about time.
#include <gmock/gmock.h>

#include <map>

#include "app/draw/tooltip.hpp"
#include "app/observed/speed_model.hpp"
#include "app/observed/speed_questions.hpp"
#include "app/views/questions.hpp"
#include "engine/bench/recording.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/labs/predict_settings.hpp"

namespace tilescope {
namespace {

class PredictScreen : public testing::ScreenTest {
 protected:
  void SetUp() override {
    screen->view.veils = true;
    frame();
  }
  bool has(const std::string& mark) { return screen->marks().contains(mark); }
  bool at_top() { return screen->view.questions[screen->session.lab().name].at_top; }
  bool hides(ShownNumber number) { return screen->view.hides(number); }
  const LabProgress& progress() { return screen->session.learned[screen->session.lab().name]; }
  const Predict& predict() {
    const auto& lab = screen->session.lab();
    return lab.predicts.at(static_cast<size_t>(screen->view.questions[lab.name].number));
  }
  /// Index of the answer, or of another choice.
  std::string choice(bool right) {
    const Config& config = screen->session.request().config;
    const auto choices = predict().choices(config);
    const auto answer = std::ranges::find(choices, predict().answer(config)) - choices.begin();
    return "choice." + std::to_string(right ? answer : answer == 0 ? 1 : 0);
  }
  void skip_all() {
    for (int turn = 0; turn < 12 && has("skip_question"); ++turn) {
      click("skip_question");
      frame();
    }
  }
  void open(const std::string& rung) {
    screen->session.select_rung(rung);
    frames(2);
  }
};

TEST_F(PredictScreen, AnOpenQuestionStandsAboveTheRungsAndVeilsItsNumberUntilItIsAnswered) {
  open("tiles-per-cta");
  ASSERT_TRUE(at_top());
  EXPECT_LT(screen->marks().at("question.text").high.y, screen->marks().at("rung.thread-per-element").low.y);
  EXPECT_TRUE(hides(ShownNumber::blocks));
  EXPECT_FALSE(hides(ShownNumber::sectors)) << "it is asked for by questions of other rungs";
  click(choice(true));
  frame();
  EXPECT_FALSE(hides(ShownNumber::blocks));
  EXPECT_TRUE(has("choice.check") && has("answer"));
  EXPECT_TRUE(at_top()) << "the answer is read where the question was";
}

TEST_F(PredictScreen, AMovedSliderAsksAgainAndTheOldSettingShowsTheOldAnswer) {
  open("tiles-per-cta");
  click(choice(false));
  frames(2);
  ASSERT_TRUE(has("choice.cross"));
  screen->session.set_param("TILES", 8);
  frames(2);
  EXPECT_FALSE(has("choice.cross") || has("choice.check") || has("answer"));
  EXPECT_TRUE(hides(ShownNumber::blocks));
  click(choice(true));
  frames(2);
  EXPECT_TRUE(has("choice.check"));
  EXPECT_FALSE(has("choice.cross"));
  screen->session.set_param("TILES", 4);
  frames(2);
  EXPECT_TRUE(has("choice.cross")) << "a right answer elsewhere does not change it";
  EXPECT_EQ(score_of(progress()).all, 2U);
  EXPECT_EQ(score_of(progress()).right, 1U);
}

TEST_F(PredictScreen, ARightAnswerStaysRightWhenASliderMoves) {
  screen->session.select_lab("execution-model");
  frames(2);
  for (int turn = 0; turn < 8 && screen->view.questions["execution-model"].number != 0; ++turn) click("next question");
  click(choice(true));
  frames(2);
  ASSERT_TRUE(has("choice.check"));
  screen->session.set_size("blocks", 1056);
  frames(2);
  EXPECT_FALSE(has("choice.cross")) << "a different setting is a new question";
}

TEST_F(PredictScreen, ASliderThatDoesNotChangeTheQuestionLeavesItAnswered) {
  open("tiles-per-cta");
  click(choice(true));
  screen->session.set_param("VEC", 2);
  frames(2);
  EXPECT_TRUE(has("choice.check"));
}

TEST_F(PredictScreen, SkippedQuestionsVeilNothingAtAnySettingAndTheCardGoesToTheEnd) {
  open("tiles-per-cta");
  skip_all();
  frames(2);
  EXPECT_FALSE(at_top());
  EXPECT_TRUE(screen->view.veiled.empty());
  screen->session.set_param("TILES", 8);
  frames(2);
  EXPECT_TRUE(screen->view.veiled.empty());
  EXPECT_TRUE(progress().guesses.empty());
  EXPECT_GT(screen->marks().at("question.text").low.y, screen->marks().at("rung.thread-per-element").low.y);
}

TEST_F(PredictScreen, AfterAnAnswerALinkLeadsToTheNextOpenQuestion) {
  open("thread-per-element");
  const int first = screen->view.questions["vector-add"].number;
  click(choice(true));
  frames(2);
  ASSERT_TRUE(has("go_to_next_question"));
  click("go_to_next_question");
  EXPECT_NE(screen->view.questions["vector-add"].number, first);
  EXPECT_FALSE(has("answer"));
}

TEST_F(PredictScreen, NothingIsVeiledWithTheSwitchOffOrWithAPlantedBug) {
  open("tiles-per-cta");
  ASSERT_TRUE(hides(ShownNumber::blocks));
  screen->view.veils = false;
  frame();
  EXPECT_TRUE(screen->view.veiled.empty());
  EXPECT_FALSE(at_top());
  screen->view.veils = true;
  screen->session.set_broken("DROP_MASK", true);
  frame();
  EXPECT_TRUE(screen->view.veiled.empty());
}

/// The present numbers beside those of the pinned result would give the answer away.
TEST_F(PredictScreen, ThePinnedResultDoesNotShowTheNumberThatIsAskedFor) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.set_size("n", 4096);
  open("grid-stride");
  press(Key::f5);
  ASSERT_TRUE(settle());
  press(Key::b);
  ASSERT_NE(screen->view.baseline, nullptr);
  open("vector-loads");
  press(Key::f5);
  ASSERT_TRUE(settle());
  const auto is_veiled = [&](const std::string& figure) {
    const Mark row = screen->marks().at(figure);
    return std::ranges::any_of(screen->marks(), [&](const auto& mark) {
      return mark.first.starts_with("veil.") && overlap(mark.second, row);
    });
  };
  ASSERT_TRUE(hides(ShownNumber::sectors));
  ASSERT_TRUE(has("baseline.sectors"));
  EXPECT_TRUE(is_veiled("baseline.sectors") && is_veiled("baseline.read") && is_veiled("baseline.useful"));
  skip_all();
  frames(2);
  ASSERT_FALSE(hides(ShownNumber::sectors));
  EXPECT_FALSE(is_veiled("baseline.sectors"));
}

TEST_F(PredictScreen, TheSpeedsAreVeiledWhileTheyAreAskedAbout) {
  open("grid-stride");  // it has no questions of its own
  const auto questions = [&] { return score_of(progress()).all; };
  ASSERT_TRUE(at_top());
  ASSERT_TRUE(hides(ShownNumber::speed));
  const size_t before = questions();
  click("choice.0");
  frames(2);
  EXPECT_EQ(questions(), before + 1);
  EXPECT_TRUE(has("answer"));
  EXPECT_FALSE(hides(ShownNumber::speed));
  EXPECT_TRUE(progress().predictions.empty()) << "they are not the lab's own";
}

// ---- Questions about time, from a report made by hand

SpeedReport report_of(std::initializer_list<std::pair<const char*, double>> times, double spread = 0.001) {
  SpeedReport report{.lab = "vector-add", .gpu = "NVIDIA H200", .size_name = "n"};
  for (const auto& [rung, ms] : times)
    report.series.push_back({.name = rung,
                             .points = {{.size = 1024,
                                         .median_ms = ms,
                                         .low_ms = ms * (1 - spread),
                                         .high_ms = ms * (1 + spread),
                                         .useful_bytes = 1 << 20}}});
  return report;
}

class SpeedQuestions : public ::testing::Test {
 protected:
  const Lab& lab = *find_lab("vector-add");
  Strings strings = *Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "strings");
};

TEST_F(SpeedQuestions, TheFastestRungIsTheAnswerAndRungsThatTieWithItAreNoChoices) {
  const SpeedReport report =
      report_of({{"thread-per-element", 4}, {"tile-per-cta", 2}, {"tiles-per-cta", 1}, {"grid-stride", 1.001}}, 0.01);
  const auto asked = which_is_fastest(lab, report, 1024, strings);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->answer, 3);
  ASSERT_EQ(asked->choices.size(), 3U);
  EXPECT_EQ(asked->choices[0].first, 1);
  EXPECT_THAT(asked->choices[2].second, ::testing::StartsWith("3 "));
  EXPECT_THAT(asked->why, ::testing::HasSubstr("H200"));
}

TEST_F(SpeedQuestions, RungsThatAllTieAreNotAskedAbout) {
  EXPECT_FALSE(which_is_fastest(lab, report_of({{"tile-per-cta", 1}, {"grid-stride", 1.001}}, 0.01), 1024, strings));
  EXPECT_FALSE(which_is_fastest(lab, report_of({{"tile-per-cta", 1}}), 1024, strings));
  EXPECT_FALSE(how_many_times_faster(lab, report_of({{"tile-per-cta", 1}}), 1024, strings));
}

TEST_F(SpeedQuestions, TheFactorIsThatOfTheFirstAndTheLastRung) {
  const auto asked = how_many_times_faster(lab, report_of({{"tile-per-cta", 7.4}, {"grid-stride", 2}}), 1024, strings);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->answer, 37);
  EXPECT_EQ(std::ranges::count(asked->choices, 37, [](const auto& choice) { return choice.first; }), 1);
}

/// Times of the rungs at one size, by the number of the rung; those that pick a different one left out.
std::map<int64_t, double> recorded_times(const Lab& lab, const SpeedReport& report, int64_t size) {
  std::map<int64_t, double> times;
  for (size_t rung = 0; rung < lab.rungs.size(); ++rung)
    for (const TimingSeries& series : report.series)
      for (const TimingPoint& point : series.points)
        if (series.is_rung && series.name == lab.rungs[rung].name && point.size == size && !lab.rungs[rung].pick)
          times[static_cast<int64_t>(rung) + 1] = point.median_ms;
  return times;
}

/// Questions about time at a recorded size, whose answers are compared with the times of the recording.
size_t right_questions(const Lab& lab, const SpeedReport& report, int64_t size, const Strings& strings) {
  const std::map<int64_t, double> times = recorded_times(lab, report, size);
  size_t count = 0;
  if (const auto asked = which_is_fastest(lab, report, size, strings)) {
    const auto fastest = std::ranges::min_element(times, {}, [](const auto& one) { return one.second; });
    EXPECT_EQ(asked->answer, fastest->first) << lab.name << " " << size;
    ++count;
  }
  if (const auto asked = how_many_times_faster(lab, report, size, strings)) {
    const double ratio = times.begin()->second / times.rbegin()->second, factor = std::max(ratio, 1 / ratio);
    EXPECT_NEAR(static_cast<double>(asked->answer) / 10, factor, factor < 10 ? 0.051 : 0.51) << lab.name << " " << size;
    ++count;
  }
  return count;
}

/// Also prints what a reader wants to see of all labs at once.
TEST_F(SpeedQuestions, EveryLabAsksWhichRungIsFastestAndHowMuchFasterAtEveryRecordedSize) {
  const Recordings recordings = read_recordings(std::filesystem::path(TILESCOPE_SOURCE) / "assets/recordings");
  fmt::print("{:<22}{:>6}{:>16}{:>12}{:>8}\n", "lab", "cards", "follow sliders", "about time", "sizes");
  for (const Lab& one : labs()) {
    const SpeedReport* report =
        recordings.find(one, default_config(one, DeviceKind::sim), /*map=*/false, usual_gpu().driver_name);
    ASSERT_NE(report, nullptr) << one.name;
    const std::vector<int64_t> sizes = timed_sizes(*report);
    EXPECT_FALSE(sizes.empty()) << one.name;
    size_t fewest = 2;
    for (const int64_t size : sizes) fewest = std::min(fewest, right_questions(one, *report, size, strings));
    EXPECT_EQ(fewest, 2U) << one.name;
    fmt::print("{:<22}{:>6}{:>16}{:>12}{:>8}\n", one.name, one.predicts.size() + fewest, questions_that_follow(one),
               fewest, sizes.size());
  }
}

TEST_F(SpeedQuestions, TheChoicesOfAFactorDifferAndContainItAtEveryPosition) {
  for (const double factor : {1.0, 1.04, 1.5, 2.0, 9.96, 12.3, 250.0})
    for (size_t turn = 0; turn < 4; ++turn) {
      const auto choices = factors_around(factor, turn);
      EXPECT_EQ(std::set<int64_t>(choices.begin(), choices.end()).size(), 4U) << factor;
      EXPECT_TRUE(std::ranges::binary_search(choices, factor_in_tenths(factor))) << factor << " " << turn;
      EXPECT_GE(choices.front(), 10) << factor;
    }
}

}  // namespace
}  // namespace tilescope
