// The Workshop without a window: what a learner does, frame by frame.
#include "app/workshop/workshop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/session/session.hpp"
#include "engine/run/engine.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kRight =
    "// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)\n"
    "__global__ void add_ten(const float* a, float* out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = a[i] + 10;\n"
    "}\n";

class WorkshopTest : public ::testing::Test {
 protected:
  WorkshopTest() : session(Engine::open({})), workshop(TILESCOPE_SOURCE) {
    session.auto_run = false;
    folder = fs::path(::testing::TempDir()) / "workshop";
    fs::remove_all(folder);
    workshop.set_folder(folder);
  }

  void frame() {
    workshop.poll(session);
    session.poll();
  }
  void judge() {
    workshop.judge(session);
    for (int i = 0; i < 2000 && (workshop.judging() || !workshop.judgement()); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      frame();
    }
    frame();
    ASSERT_NE(workshop.judgement(), nullptr);
  }

  Session session;
  Workshop workshop;
  fs::path folder;
};

TEST_F(WorkshopTest, FromTheStubToAllGoals) {
  workshop.open(session, "add-ten");
  frame();
  ASSERT_TRUE(workshop.is_shown(session));
  EXPECT_EQ(workshop.record().state, ExerciseState::not_started);
  judge();
  EXPECT_EQ(workshop.judgement()->reason, "result");
  EXPECT_EQ(workshop.record().state, ExerciseState::tried);

  session.set_source(kRight);
  frame();
  EXPECT_TRUE(workshop.judgement_is_old());
  judge();
  EXPECT_EQ(workshop.judgement()->reason, "");
  EXPECT_EQ(workshop.record().state, ExerciseState::all_goals);
  ASSERT_EQ(workshop.record().versions.size(), 2U);
  EXPECT_EQ(workshop.record().versions[1].cases, std::string(workshop.exercise().cases.size(), '+'));

  // A text that is judged again is no new version; a worse one later does not lower the state.
  judge();
  EXPECT_EQ(workshop.record().versions.size(), 2U);
  session.set_source("nothing");
  frame();
  judge();
  EXPECT_EQ(workshop.judgement()->reason, "launch");
  EXPECT_EQ(workshop.record().state, ExerciseState::all_goals);

  workshop.restore_version(session, 1);
  frame();
  EXPECT_EQ(session.request().edited_source, kRight);
  workshop.restore_start(session);
  frame();
  EXPECT_FALSE(session.request().edited_source);

  // Another start of the program finds it all.
  Workshop again(TILESCOPE_SOURCE);
  again.set_folder(folder);
  EXPECT_EQ(again.record("add-ten").state, ExerciseState::all_goals);
  EXPECT_EQ(again.record("add-ten").versions, workshop.record().versions);
}

TEST_F(WorkshopTest, AfterARestartTheLastJudgementIsTheOneOfTheRecord) {
  workshop.open(session, "fix-strided");
  frame();
  EXPECT_EQ(workshop.judgement(), nullptr);
  session.set_source(workshop.solution_text());
  frame();
  judge();
  const Judgement made = *workshop.judgement();
  ASSERT_EQ(made.verdict, Judgement::Verdict::all_goals);
  ASSERT_FALSE(made.goals.empty());
  EXPECT_EQ(workshop.kept_version(), nullptr) << "it was made just now";

  Workshop again(TILESCOPE_SOURCE);
  again.set_folder(folder);
  again.open(session, "fix-strided");
  ASSERT_NE(again.judgement(), nullptr);
  ASSERT_NE(again.kept_version(), nullptr);
  EXPECT_EQ(again.kept_version()->time, workshop.record().versions.back().time);
  EXPECT_EQ(again.judgement()->verdict, Judgement::Verdict::all_goals);
  EXPECT_EQ(again.judgement()->correct_cases(), made.cases.size());
  EXPECT_EQ(again.judgement()->goals, made.goals);
  for (size_t i = 0; i < made.cases.size(); ++i) EXPECT_EQ(again.judgement()->cases[i].sizes, made.cases[i].sizes);
  EXPECT_TRUE(again.judgement_is_old()) << "the text of the start file is shown";
  session.set_source(again.solution_text());
  again.poll(session);
  EXPECT_FALSE(again.judgement_is_old());
}

TEST_F(WorkshopTest, ARefusedVersionKeepsItsSentenceAndWhatCanTranslateIt) {
  workshop.open(session, "add-ten");
  frame();
  judge();
  const Judgement made = *workshop.judgement();
  ASSERT_EQ(made.reason, "result");
  ASSERT_FALSE(made.what.is_name());
  const ExerciseRecord record = read_record(folder / "add-ten");
  ASSERT_EQ(record.versions.size(), 1U);
  const auto kept = judgement_of(workshop.exercise(), record.versions[0]);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->verdict, Judgement::Verdict::refused);
  EXPECT_EQ(kept->what, made.what);
  EXPECT_EQ(kept->correct_cases(), made.correct_cases());
  workshop.set_language(session, KernelLanguage::triton);
  EXPECT_EQ(workshop.judgement(), nullptr) << "nothing was judged in this language";
  workshop.set_language(session, KernelLanguage::cuda);
  ASSERT_NE(workshop.kept_version(), nullptr);
  EXPECT_EQ(workshop.judgement()->what, made.what);
  // A version of an exercise that has other cases by now says nothing about them.
  Exercise changed = workshop.exercise();
  changed.cases.pop_back();
  EXPECT_FALSE(judgement_of(changed, record.versions[0]));
}

TEST_F(WorkshopTest, ARefusedVersionKeepsWhichCasesHadAFinding) {
  workshop.open(session, "add-ten");
  std::string past_the_end = kRight;
  past_the_end.replace(past_the_end.find("if (i < n) "), 11, "");
  session.set_source(past_the_end);
  frame();
  judge();
  const Judgement made = *workshop.judgement();
  ASSERT_EQ(made.reason, "out-of-bounds");
  const auto kept = judgement_of(workshop.exercise(), read_record(folder / "add-ten").versions.at(0));
  ASSERT_TRUE(kept);
  for (size_t i = 0; i < made.cases.size(); ++i) {
    EXPECT_EQ(kept->cases[i].state, made.cases[i].state) << i;
    EXPECT_EQ(kept->cases[i].sizes, made.cases[i].sizes) << i;
  }
}

TEST_F(WorkshopTest, ARecordOfAnOlderVersionHasTheOutcomeWithoutGoals) {
  workshop.open(session, "fix-strided");
  JudgedVersion old{.number = 1, .time = "2026-11-01T10:20:30Z", .file = "001.cu", .reason = "goal: requests"};
  old.cases = std::string(workshop.exercise().cases.size(), '+');
  const auto kept = judgement_of(workshop.exercise(), old);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->verdict, Judgement::Verdict::correct);
  ASSERT_EQ(kept->goals.size(), workshop.exercise().goals.size());
  EXPECT_FALSE(kept->goals[0].value);
  // Sizes that the seed draws are not known either.
  for (size_t i = 0; i < kept->cases.size(); ++i)
    for (const auto& [name, range] : workshop.exercise().cases[i].sizes)
      EXPECT_EQ(kept->cases[i].sizes.contains(name), range.low == range.high) << i;
}

TEST_F(WorkshopTest, TheFieldsOfTheLaunchAreItsLineInTheText) {
  workshop.open(session, "add-ten");
  frame();
  LaunchLine launch = workshop.launches()->front();
  EXPECT_EQ(launch.grid, "ceil(n / 256)");
  launch.grid = "ceil(n / 128)";
  launch.block = "128";
  workshop.set_launch(session, launch);
  frame();
  EXPECT_THAT(*session.request().edited_source, HasSubstr("// Launch: add_ten<<<ceil(n / 128), 128>>>(a, out, n)"));
  EXPECT_EQ(workshop.launches()->front(), launch);
  const auto plan = session.engine().plan(session.request());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->launches.front().block.x, 128U);
}

TEST_F(WorkshopTest, ACaseIsShownWithItsSizes) {
  workshop.open(session, "add-ten");
  frame();
  EXPECT_EQ(session.request().config.size("n"), 100000);
  workshop.show_case(session, 1);
  EXPECT_EQ(session.request().config.size("n"), 1000);
  EXPECT_EQ(workshop.shown_case(), 1U);
}

TEST_F(WorkshopTest, EachLanguageKeepsItsText) {
  workshop.open(session, "add-ten");
  session.set_source(kRight);
  frame();
  workshop.set_language(session, KernelLanguage::triton);
  frame();
  EXPECT_EQ(workshop.language(), KernelLanguage::triton);
  EXPECT_FALSE(session.request().edited_source);
  EXPECT_THAT(*session.lab().source_text, HasSubstr("@triton.jit"));
}

TEST_F(WorkshopTest, ABugIsNotToldBeforeItIsFound) {
  workshop.open(session, "debug-saxpy");
  frame();
  EXPECT_TRUE(workshop.hides_findings());
  EXPECT_FALSE(session.request().tell_findings);
  EXPECT_FALSE(workshop.guess_bug(session, 8, "missing-bounds-check"));
  EXPECT_EQ(workshop.record().bug_guesses, 1);
  EXPECT_FALSE(workshop.guess_bug(session, 18, "missing-barrier"));
  EXPECT_TRUE(workshop.guess_bug(session, 18, "missing-bounds-check"));
  EXPECT_TRUE(session.request().tell_findings) << "now the window says what the checks find";
  // Found, and still to be fixed.
  judge();
  EXPECT_EQ(workshop.judgement()->reason, "out-of-bounds");
  EXPECT_EQ(workshop.record().state, ExerciseState::tried);
}

TEST_F(WorkshopTest, HintsComeOneByOneAndAreRemembered) {
  workshop.open(session, "add-ten");
  for (int i = 0; i < 5; ++i) workshop.show_hint();
  EXPECT_EQ(workshop.record().hints, 3);
  EXPECT_EQ(read_record(folder / "add-ten").hints, 3);
}

TEST_F(WorkshopTest, LeavingAnExerciseEndsItsJudgement) {
  workshop.open(session, "add-ten");
  frame();
  workshop.judge(session);
  workshop.open(session, "reverse");
  EXPECT_FALSE(workshop.judging());
  frame();
  EXPECT_EQ(workshop.judgement(), nullptr);
  EXPECT_EQ(workshop.exercise().name, "reverse");
}

TEST_F(WorkshopTest, ARecordThatAnotherProgramSpoiltIsANewOne) {
  fs::create_directories(folder / "add-ten");
  for (const char* text : {"", "{", "[1]", R"({"state": 7, "versions": {"a": 1}, "hints": "many"})"}) {
    ASSERT_TRUE(fs::exists(folder / "add-ten"));
    std::FILE* file = std::fopen((folder / "add-ten/record.json").c_str(), "w");
    std::fputs(text, file);
    std::fclose(file);
    const ExerciseRecord record = read_record(folder / "add-ten");
    EXPECT_EQ(record.state, ExerciseState::not_started) << text;
    EXPECT_TRUE(record.versions.empty()) << text;
  }
}

}  // namespace
}  // namespace tilescope
