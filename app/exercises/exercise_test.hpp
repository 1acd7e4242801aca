// Tests an exercise itself: its solutions meet every case and goal, its stubs and wrong submissions are refused for the
// reasons that exercise.toml gives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/exercises/judge.hpp"

namespace tilescope {

struct ExerciseTest {
  struct Row {
    std::string file = {};      // "solution.cu", "wrong/zeros.cu"
    std::string expected = {};  // Judgement::reason; empty: all goals met; "any": refused, or a goal missed
    std::string got = {};       // likewise
    std::string what = {};      // the judgement's sentence
    bool as_said = false;
    double milliseconds = 0;
    std::vector<std::optional<double>> goals = {};  // the measured values
  };
  std::vector<Row> rows = {};
  std::vector<std::string> problems = {};  // besides: a file that is missing, a hint in one language only
  bool good() const;
};

/// What of an exercise is judged.
enum class TestedSubmissions : uint8_t { all, solutions_and_stubs };

/// The files in Python are left out where Triton is missing.
ExerciseTest test_exercise(const std::shared_ptr<Engine>& engine, const Exercise& exercise,
                           TestedSubmissions tested = TestedSubmissions::all,
                           const JudgeOptions& options = {.most_compile_seconds = 120});  // the machine may be busy

}  // namespace tilescope
