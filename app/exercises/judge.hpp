// Judges a submission: every case of the exercise is run in the simulator and compared with the reference, then the
// goals are measured.
//
//     const Judgement judgement = judge(engine, exercise, {.file = "mine.cu", .text = text}, {});
//     judgement.verdict   correct_with_goals, correct, refused
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/exercises/exercise.hpp"
#include "app/exercises/submission.hpp"
#include "engine/phrase.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

class Engine;

struct CaseOutcome {
  enum class State { correct, wrong, finding, failed, not_run };
  State state = State::not_run;
  std::map<std::string, int64_t> sizes = {};
  Phrase what = {};                     // one sentence: the first wrong element, the finding, the error
  std::optional<Finding> finding = {};  // the first one
  std::string buffer = {};              // of the first wrong element
  std::vector<int64_t> index = {};      // its place in the buffer
  double expected = 0, got = 0;
  double milliseconds = 0;
};

struct GoalOutcome {
  std::optional<double> value = {};  // nothing: not measured, because the case is not correct
  bool met = false;
  bool operator==(const GoalOutcome&) const = default;
};

struct Judgement {
  enum class Verdict { refused, correct, all_goals };
  Verdict verdict = Verdict::refused;
  /// Why it is refused, as WrongSubmission::refused_by says it: "result", "compile", "launch", "time", a finding's id,
  /// "goal: MEASURE" for the first goal that is missed, "cancelled", "broken" where the exercise itself does not work,
  /// "error" for whatever else. Empty: all goals are met.
  std::string reason = {};
  Phrase what = {};  // one sentence: that of the first case that is not correct, or the first missed goal
  std::vector<CaseOutcome> cases = {};  // parallel to Exercise::cases
  std::vector<GoalOutcome> goals = {};  // parallel to Exercise::goals
  std::optional<Error> error = {};      // why no case was run: the text does not compile, the launch line is wrong
  std::optional<Error> broken = {};     // the exercise itself does not work
  uint64_t seed = 1;
  DeviceKind device = DeviceKind::sim;  // that computed the outputs
  double milliseconds = 0;
  size_t correct_cases() const;
};

struct JudgeOptions {
  uint64_t seed = 1;
  DeviceKind device = DeviceKind::sim;  // outputs and their comparison; goals are always measured in the simulator
  double most_seconds = 8;              // of running all cases, without compiling; then it is refused
  double most_compile_seconds = 8;      // for compiling, once Triton has started; then it is refused
  bool every_case = true;               // continue after a case that is not correct
  std::stop_token stop = {};
  /// Called after each case, with what is known so far.
  std::function<void(const Judgement&)> progress = {};
};

Judgement judge(const std::shared_ptr<Engine>& engine, const Exercise& exercise, const Submission& submission,
                const JudgeOptions& options);

/// What is wrong with the result of an exercise's lab; empty: nothing.
Phrase sentence_of(const RunResult& result);

}  // namespace tilescope
