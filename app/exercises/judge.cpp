#include "app/exercises/judge.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/exercises/goals.hpp"
#include "app/exercises/reference_values.hpp"
#include "engine/clock.hpp"
#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

/// Requests a stop when the time that it counted is used up, or when the caller's token does.
class Deadline {
 public:
  Deadline(double seconds, const std::stop_token& outer)
      : left_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        forward_(outer, [this] { source_.request_stop(); }),
        timer_([this](const std::stop_token& ended) { watch(ended); }) {}

  std::stop_token token() const { return source_.get_token(); }
  bool over() const {
    const std::scoped_lock lock(mutex_);
    return over_;
  }
  void count(bool on) {
    const std::scoped_lock lock(mutex_);
    if (on == since_.has_value()) return;
    if (since_) left_ -= Clock::now() - *since_;
    since_ = on ? std::optional(Clock::now()) : std::nullopt;
    changed_.notify_all();
  }

 private:
  void watch(const std::stop_token& ended) {
    std::unique_lock lock(mutex_);
    while (!ended.stop_requested()) {
      if (!since_) {
        changed_.wait(lock, ended, [this] { return since_.has_value(); });
        continue;
      }
      const auto end = *since_ + left_;
      if (Clock::now() >= end) {
        over_ = true;
        source_.request_stop();
        return;
      }
      changed_.wait_until(lock, ended, end, [this] { return !since_.has_value(); });
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Clock::duration left_;                    // guarded by mutex_
  std::optional<Clock::time_point> since_;  // guarded by mutex_: it counts since then
  bool over_ = false;                       // guarded by mutex_
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::jthread timer_;  // declared last: ends before the other members
};

std::vector<int64_t> place_in(const BufferSpec& spec, uint64_t index) {
  std::vector<int64_t> place(spec.shape.size());
  auto left = static_cast<int64_t>(index);
  for (size_t i = spec.shape.size(); i-- > 0;) {
    place[i] = left % spec.shape[i];
    left /= spec.shape[i];
  }
  return place;
}

std::string place_text(const std::vector<int64_t>& place) {
  std::string text;
  for (const int64_t one : place) text += fmt::format("{}{}", text.empty() ? "" : ", ", one);
  return "[" + text + "]";
}

std::string number_text(double value) {
  return std::fabs(value) < 1e15 && value == std::floor(value) ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.6g}", value);
}

const BufferSpec* spec_of(const RunResult& result, const std::string& buffer) {
  const auto found = std::ranges::find(result.plan.buffers, buffer, &BufferSpec::name);
  return found != result.plan.buffers.end() ? &*found : nullptr;
}

const Correctness* first_wrong(const RunResult& result) {
  const auto found = std::ranges::find(result.correctness, false, &Correctness::pass);
  return found != result.correctness.end() ? &*found : nullptr;
}

Phrase wrong_sentence(const RunResult& result, const Correctness& wrong) {
  const BufferSpec* spec = spec_of(result, wrong.buffer);
  if (!wrong.first || spec == nullptr) return phrase("{}: {}", wrong.buffer, wrong.reason);
  const std::string place = wrong.buffer + place_text(place_in(*spec, wrong.first->index));
  if (wrong.untouched == wrong.elements) return phrase("{} was never written", wrong.buffer);
  if (std::isnan(wrong.first->got) && wrong.untouched > 0)
    return phrase("{} should be {}, and was never written", place, number_text(wrong.first->expected));
  return phrase("{} should be {} and is {}", place, number_text(wrong.first->expected), number_text(wrong.first->got));
}

bool needs_machine_code(const Exercise& exercise, size_t case_index) {
  return std::ranges::any_of(exercise.goals, [&](const Goal& goal) {
    if (goal.in_case != case_index) return false;
    switch (goal.measure) {
      case Measure::device_bytes_per_least:
      case Measure::registers:
      case Measure::shared_bytes:
      case Measure::spilled_bytes:
      case Measure::occupancy:
        return true;
      default:
        return false;
    }
  });
}

/// One judgement, case by case.
class Judging {
 public:
  Judging(const std::shared_ptr<Engine>& engine, const Exercise& exercise, const Submission& submission,
          const JudgeOptions& options)
      : engine_(engine),
        exercise_(exercise),
        submission_(submission),
        options_(options),
        compiling_(options.most_compile_seconds, options.stop),
        running_(options.most_seconds, compiling_.token()),
        reference_(std::make_shared<ExerciseReference>(engine, exercise)) {
    judgement_.seed = options.seed;
    judgement_.device = options.device;
    judgement_.cases.resize(exercise.cases.size());
    judgement_.goals.resize(exercise.goals.size());
    for (size_t i = 0; i < exercise.cases.size(); ++i)
      judgement_.cases[i].sizes = sizes_of(exercise.cases[i], options.seed);
  }

  Judgement judge() {
    // The first start of Triton's process takes seconds, which are not the submission's.
    if (submission_.language() == KernelLanguage::triton) (void)engine_->triton().triton_origin(options_.stop);
    const auto start = Clock::now();
    for (size_t i = 0; i < exercise_.cases.size(); ++i) {
      if (!run_case(i)) break;
      if (options_.progress) options_.progress(judgement_);
    }
    conclude();
    judgement_.milliseconds = milliseconds_since(start);
    if (options_.progress) options_.progress(judgement_);
    return std::move(judgement_);
  }

 private:
  /// Returns whether the next case is to be run.
  bool run_case(size_t index) {
    CaseOutcome& outcome = judgement_.cases[index];
    const auto start = Clock::now();
    const auto lab = make_exercise_lab(exercise_, index, submission_, reference_);
    Request request = make_exercise_request(lab, exercise_.cases[index], options_.seed);
    request.device = options_.device;
    request.machine_code = needs_machine_code(exercise_, index);
    compiling_.count(true);
    auto result = engine_->run(request, running_.token(), [this](const Progress& now) {
      compiling_.count(now.phase == Progress::Phase::compile);
      running_.count(now.phase != Progress::Phase::compile);
    });
    compiling_.count(false);
    running_.count(false);
    outcome.milliseconds = milliseconds_since(start);
    if (!result) return fail_case(outcome, result.error());
    if (auto problem = reference_->problem()) {
      judgement_.broken = std::move(problem);
      outcome.state = CaseOutcome::State::failed;
      return false;
    }
    judge_result(*result, outcome);
    if (outcome.state != CaseOutcome::State::correct) return options_.every_case;
    for (size_t i = 0; i < exercise_.goals.size(); ++i) {
      const Goal& goal = exercise_.goals[i];
      if (goal.in_case != index) continue;
      judgement_.goals[i].value = measured(goal, *result);
      judgement_.goals[i].met = judgement_.goals[i].value && goal.met_by(*judgement_.goals[i].value);
    }
    return true;
  }

  bool fail_case(CaseOutcome& outcome, const Error& error) {
    outcome.state = CaseOutcome::State::failed;
    outcome.what = error.what.empty() ? Phrase(error.message) : error.what;
    if (running_.over()) {
      outcome.what = phrase("it was stopped after {} seconds: the kernel does not end, or does far too much",
                            number_text(options_.most_seconds));
      judgement_.reason = "time";
    } else if (compiling_.over()) {
      outcome.what = phrase("compiling it was stopped after {} seconds: the file asks too much of the compiler",
                            number_text(options_.most_compile_seconds));
      judgement_.reason = "time";
    } else if (error.id == ErrorId::bad_launch_line || error.id == ErrorId::bad_launch ||
               error.id == ErrorId::argument_count) {
      judgement_.reason = "launch";
      judgement_.error = error;
    } else if (error.id == ErrorId::compile_failed) {
      judgement_.reason = "compile";
      judgement_.error = error;
    } else {
      judgement_.reason = error.id == ErrorId::cancelled ? "cancelled" : "error";
      judgement_.error = error;
    }
    return false;
  }

  static void judge_result(const RunResult& result, CaseOutcome& outcome) {
    if (!result.findings.empty()) {
      outcome.state = CaseOutcome::State::finding;
      outcome.finding = result.findings.front();
      outcome.what = sentence_of(result);
      return;
    }
    const Correctness* wrong = first_wrong(result);
    outcome.state = wrong == nullptr ? CaseOutcome::State::correct : CaseOutcome::State::wrong;
    if (wrong == nullptr) return;
    outcome.what = wrong_sentence(result, *wrong);
    outcome.buffer = wrong->buffer;
    if (!wrong->first) return;
    if (const BufferSpec* spec = spec_of(result, wrong->buffer)) outcome.index = place_in(*spec, wrong->first->index);
    outcome.expected = wrong->first->expected;
    outcome.got = wrong->first->got;
  }

  void conclude() {
    if (judgement_.broken) {
      judgement_.reason = "broken";
      judgement_.what = judgement_.broken->what;
      return;
    }
    for (const CaseOutcome& one : judgement_.cases) {
      if (one.state == CaseOutcome::State::correct) continue;
      judgement_.what = one.what;
      if (one.state == CaseOutcome::State::wrong) judgement_.reason = "result";
      if (one.state == CaseOutcome::State::finding) judgement_.reason = one.finding->id;
      return;
    }
    judgement_.verdict = Judgement::Verdict::all_goals;
    for (size_t i = 0; i < exercise_.goals.size(); ++i) {
      if (judgement_.goals[i].met) continue;
      const Goal& goal = exercise_.goals[i];
      judgement_.verdict = Judgement::Verdict::correct;
      judgement_.reason = fmt::format("goal: {}", name_of(goal.measure));
      const auto value = judgement_.goals[i].value;
      judgement_.what = phrase("{} is {}, and the goal is {}", subject_of(goal),
                               value ? goal_number(*value) : std::string("–"), limit_of(goal));
      return;
    }
  }

  std::shared_ptr<Engine> engine_;
  const Exercise& exercise_;
  const Submission& submission_;
  const JudgeOptions& options_;
  Deadline compiling_, running_;
  std::shared_ptr<ExerciseReference> reference_;
  Judgement judgement_;
};

}  // namespace

size_t Judgement::correct_cases() const {
  return static_cast<size_t>(std::ranges::count(cases, CaseOutcome::State::correct, &CaseOutcome::state));
}

Judgement judge(const std::shared_ptr<Engine>& engine, const Exercise& exercise, const Submission& submission,
                const JudgeOptions& options) {
  return Judging(engine, exercise, submission, options).judge();
}

Phrase sentence_of(const RunResult& result) {
  if (!result.findings.empty()) return sentence_of(result.findings.front());
  if (const Correctness* wrong = first_wrong(result)) return wrong_sentence(result, *wrong);
  return {};
}

}  // namespace tilescope
