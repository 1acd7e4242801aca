// The task of an exercise in the window: the judgement that its record keeps.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/gui/screen_fixture.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class TaskScreen : public testing::ScreenTest {
 protected:
  void SetUp() override { folder = own_test_folder(); }

  /// Keeps a version whose outcome is `cases`, as a run of the program before would have.
  void keep(const std::string& exercise, ExerciseState state, const std::string& reason, char cases, Phrase what = {},
            uint64_t seed = 1) {
    const Exercise& one = *screen->workshop.catalogue().find(exercise);
    ExerciseRecord record{.state = state};
    JudgedVersion version{.number = 1, .time = "2026-11-20T14:03:59Z", .file = "001.cu", .reason = reason};
    version.cases = std::string(one.cases.size(), cases);
    version.what = std::move(what);
    version.seed = seed;
    record.versions.push_back(std::move(version));
    ASSERT_TRUE(write_record(folder / exercise, record));
    screen->workshop.set_folder(folder);
    screen->workshop.open(screen->session, exercise);
    screen->view.tab = "task";
    frames(3);
  }
  /// How many texts are this one.
  int64_t count_of(const std::string& text) {
    std::vector<DrawnText> texts;
    record_texts(&texts);
    frame();
    record_texts(nullptr);
    return std::ranges::count(texts, text, &DrawnText::text);
  }
  /// What the window says, words that are cut into several texts put together.
  std::string said() {
    std::vector<DrawnText> texts;
    record_texts(&texts);
    frame();
    record_texts(nullptr);
    std::string all;
    for (const DrawnText& text : texts) all += text.text + " ";
    return all;
  }

  fs::path folder;
};

TEST_F(TaskScreen, AfterARestartASolvedExerciseSaysSoAndWhenItWasJudged) {
  keep("add-ten", ExerciseState::all_goals, "", '+');
  EXPECT_THAT(said(), AllOf(HasSubstr("Correct, all goals met"), HasSubstr("2026-11-20"), HasSubstr("14:03"),
                            Not(HasSubstr("Not judged yet"))));
  screen->strings.language = Language::zh;
  frames(2);
  EXPECT_THAT(said(), AllOf(HasSubstr("14:03"), Not(HasSubstr("尚未评测"))));
}

TEST_F(TaskScreen, AfterARestartARefusedExerciseSaysWhy) {
  keep("add-ten", ExerciseState::tried, "result", 'x', phrase("{} was never written", std::string("out")));
  EXPECT_THAT(said(), AllOf(HasSubstr("Not correct yet: 0 of"), HasSubstr("never"), HasSubstr("14:03")));
}

TEST_F(TaskScreen, TheKeptReasonDoesNotTellABugThatIsNotFound) {
  keep("debug-saxpy", ExerciseState::tried, "out-of-bounds", 'x', phrase("{} was never written", std::string("out")));
  EXPECT_THAT(said(), AllOf(HasSubstr("Not correct yet"), Not(HasSubstr("never written"))));
}

TEST_F(TaskScreen, TheKeptFindingsAreCountedAndOfAnOlderRecordNotKnown) {
  keep("add-ten", ExerciseState::tried, "out-of-bounds", '!');
  const int64_t cases = static_cast<int64_t>(screen->workshop.exercise().cases.size());
  const int64_t before = count_of(std::to_string(cases));
  screen->workshop.open(screen->session, "reverse");
  keep("add-ten", ExerciseState::tried, "result", 'x');
  EXPECT_EQ(count_of(std::to_string(cases)), before - 1) << "the number of findings";
  const int64_t none = count_of("0");
  screen->workshop.open(screen->session, "reverse");
  keep("add-ten", ExerciseState::tried, "result", 'x', {}, /*seed=*/0);
  EXPECT_EQ(count_of("0"), none - 1);
}

}  // namespace
}  // namespace tilescope
