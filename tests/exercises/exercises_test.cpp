// Every exercise of the program: its solutions meet every case and goal, its stubs and wrong submissions are refused
// for the reasons that exercise.toml gives.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/exercises/exercise_test.hpp"
#include "engine/run/engine.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

const ExerciseCatalogue& catalogue() {
  static const ExerciseCatalogue all = read_exercises(TILESCOPE_SOURCE);
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Exercise& one : catalogue().exercises) all.push_back(one.name);
  return all;
}

class EveryExercise : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { engine_ = Engine::open({}); }
  static void TearDownTestSuite() { engine_.reset(); }
  inline static std::shared_ptr<Engine> engine_;
};

/// Without TILESCOPE_THOROUGH every third exercise has its wrong submissions judged.
TestedSubmissions tested_of(const Exercise& exercise) {
  constexpr ptrdiff_t kStride = 3;
  const bool all = is_thorough() || (&exercise - catalogue().exercises.data()) % kStride == 0;
  return all ? TestedSubmissions::all : TestedSubmissions::solutions_and_stubs;
}

TEST_P(EveryExercise, IsJudgedAsItsFileSays) {
  const Exercise& exercise = *catalogue().find(GetParam());
  const TestedSubmissions tested = tested_of(exercise);
  const ExerciseTest test = test_exercise(engine_, exercise, tested);
  for (const std::string& problem : test.problems) ADD_FAILURE() << problem;
  for (const ExerciseTest::Row& row : test.rows)
    EXPECT_TRUE(row.as_said) << row.file << ": expected " << row.expected << ", got '" << row.got << "': " << row.what;
  if (tested != TestedSubmissions::all) return;
  // A goal that no wrong submission misses could not fail.
  for (size_t i = 0; i < exercise.goals.size(); ++i) {
    const auto misses = [&](const ExerciseTest::Row& row) {
      return row.got.starts_with("goal: ") && !(row.goals[i] && exercise.goals[i].met_by(*row.goals[i]));
    };
    EXPECT_TRUE(std::ranges::any_of(test.rows, misses))
        << "goal " << i + 1 << ": " << name_of(exercise.goals[i].measure);
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Exercises, EveryExercise, ::testing::ValuesIn(names()), test_name);

TEST(ExerciseCatalogue, HasNoFolderThatCannotBeRead) {
  for (const Error& error : catalogue().problems) ADD_FAILURE() << error.message;
  EXPECT_GE(catalogue().exercises.size(), 50U);
}

TEST(ExerciseCatalogue, EveryExerciseFollowsALab) {
  for (const Exercise& one : catalogue().exercises) {
    const Lab* lab = find_lab(one.lab);
    ASSERT_NE(lab, nullptr) << one.name << ": " << one.lab;
  }
}

}  // namespace
}  // namespace tilescope
