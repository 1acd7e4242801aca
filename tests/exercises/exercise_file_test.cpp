#include "app/exercises/exercise_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tilescope {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kGood = R"(
title.en = "Twice"
title.zh = "两倍"
stage = 2
order = 30
kernel = "twice"
[[parameters]]
name = "x"
argument = "buf:f32:n:normal"
[[parameters]]
name = "out"
argument = "buf:f32:n:zero"
role = "output"
[[cases]]
sizes = { n = 1000 }
[[cases]]
sizes = { n = "5..9" }
hidden = true
about.en = "few"
[[goals]]
measure = "barriers"
exactly = 2
case = 2
[hints]
en = ["a", "b"]
zh = ["甲", "乙"]
)";

Result<Exercise> read(const std::string& text) {
  const fs::path file = fs::path(::testing::TempDir()) / "exercise.toml";
  std::ofstream(file) << text;
  return read_exercise_file(file);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

std::string problem_of(const std::string& what, const std::string& with) {
  const auto exercise = read(replaced(kGood, what, with));
  return exercise ? std::string() : exercise.error().message;
}

TEST(ExerciseFile, EveryFieldIsRead) {
  const auto exercise = read(kGood);
  ASSERT_TRUE(exercise) << exercise.error().message;
  EXPECT_EQ(exercise->title.zh, "两倍");
  EXPECT_EQ(exercise->stage, 2);
  EXPECT_EQ(exercise->parameters[1].role, Role::output);
  EXPECT_TRUE(exercise->cases[1].hidden);
  EXPECT_EQ(exercise->cases[1].sizes.at("n").high, 9);
  EXPECT_EQ(exercise->cases[1].about.zh, "few") << "a missing language takes the other";
  EXPECT_EQ(exercise->goals[0].bound, Goal::Bound::exactly);
  EXPECT_EQ(exercise->goals[0].in_case, 1U);
  EXPECT_EQ(exercise->hints[1].zh, "乙");
}

TEST(ExerciseFile, AMistakeIsNamed) {
  EXPECT_THAT(problem_of("kernel = \"twice\"", ""), HasSubstr("'kernel' is missing"));
  EXPECT_THAT(problem_of("kernel =", "kernel"), HasSubstr("line "));
  EXPECT_THAT(problem_of("role = \"output\"", "role = \"target\""), HasSubstr("there is no role 'target'"));
  EXPECT_THAT(problem_of("\"5..9\"", "\"9..5\""), HasSubstr("neither a whole number nor a range"));
  EXPECT_THAT(problem_of("{ n = \"5..9\" }", "{ m = 1 }"), HasSubstr("does not say the size n"));
  EXPECT_THAT(problem_of("\"barriers\"", "\"speed\""), HasSubstr("there is no measure 'speed'"));
  EXPECT_THAT(problem_of("\"barriers\"", "\"reads per element\""), HasSubstr("needs a buffer"));
  EXPECT_THAT(problem_of("exactly = 2", ""), HasSubstr("needs one of at_most"));
  EXPECT_THAT(problem_of("case = 2", "case = 3"), HasSubstr("there is none"));
  EXPECT_THAT(problem_of("sizes = { n = 1000 }", "sizes = { n = 1000 }\nhidden = true"), HasSubstr("hidden"));
  EXPECT_THAT(read_exercise_file("nowhere/exercise.toml").error().message, HasSubstr("cannot be read"));
}

TEST(ExerciseFile, AFolderOfATeachersOwnIsReadBesideTheProgramsExercises) {
  const fs::path own = fs::path(::testing::TempDir()) / "own exercises";
  fs::remove_all(own);
  fs::create_directories(own / "twice");
  fs::create_directories(own / "bad");
  std::ofstream(own / "twice/exercise.toml") << kGood;
  for (const char* file : {"start.cu", "reference.cu", "solution.cu", "task.en.md"})
    std::ofstream(own / "twice" / file) << " ";
  std::ofstream(own / "bad/exercise.toml") << "kernel = 1";
  setenv("TILESCOPE_EXERCISES", own.c_str(), 1);
  const ExerciseCatalogue catalogue = read_exercises(TILESCOPE_SOURCE);
  unsetenv("TILESCOPE_EXERCISES");
  ASSERT_NE(catalogue.find("twice"), nullptr);
  EXPECT_NE(catalogue.find("add-ten"), nullptr) << "the program's own are still there";
  ASSERT_EQ(catalogue.problems.size(), 1U) << "one that cannot be read takes no other with it";
  EXPECT_THAT(catalogue.problems[0].message, HasSubstr("exercise bad"));
}

TEST(ExerciseFile, EveryMeasureHasAName) {
  for (int i = 0; i <= static_cast<int>(Measure::launches); ++i) {
    const auto measure = static_cast<Measure>(i);
    EXPECT_EQ(measure_named(name_of(measure)), measure);
  }
}

}  // namespace
}  // namespace tilescope
