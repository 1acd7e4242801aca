#include "app/commands/exercise_command.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/command_parts.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/exec_source.hpp"
#include "app/exercises/exercise_test.hpp"
#include "app/exercises/goals.hpp"
#include "app/exercises/judge.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const char* verdict_name(const Judgement& judgement) {
  switch (judgement.verdict) {
    case Judgement::Verdict::all_goals:
      return "all goals";
    case Judgement::Verdict::correct:
      return "correct";
    case Judgement::Verdict::refused:
      break;
  }
  return "refused";
}

int status_of(const Judgement& judgement) {
  if (judgement.broken) return exit_status(*judgement.broken);
  if (judgement.error && exit_status(*judgement.error) == kUnavailable) return kUnavailable;
  return judgement.verdict == Judgement::Verdict::all_goals ? kClean : kMisbehaved;
}

const char* state_name(CaseOutcome::State state) {
  constexpr const char* kNames[] = {"correct", "wrong", "finding", "failed", "not run"};
  return kNames[static_cast<size_t>(state)];
}

std::string sizes_text(const std::map<std::string, int64_t>& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

json case_json(const ExerciseCase& one, const CaseOutcome& outcome) {
  json object = {{"sizes", outcome.sizes},
                 {"hidden", one.hidden},
                 {"state", state_name(outcome.state)},
                 {"milliseconds", outcome.milliseconds}};
  if (!one.about.en.empty()) object["about"] = one.about.en;
  if (!outcome.what.empty()) object["what"] = outcome.what.english();
  if (outcome.finding) object["finding"] = to_json(*outcome.finding);
  if (outcome.state == CaseOutcome::State::wrong)
    object["first"] = {
        {"buffer", outcome.buffer}, {"index", outcome.index}, {"expected", outcome.expected}, {"got", outcome.got}};
  return object;
}

json goal_json(const Goal& goal, const GoalOutcome& outcome) {
  return {{"measure", name_of(goal.measure)},
          {"of", goal.of},
          {"limit", limit_of(goal).english()},
          {"case", goal.in_case + 1},
          {"badge", name_of(badge_of(goal.measure))},
          {"value", outcome.value ? json(*outcome.value) : json()},
          {"met", outcome.met}};
}

json judgement_json(const Exercise& exercise, const Judgement& judgement) {
  json object = {{"exercise", exercise.name},  {"verdict", verdict_name(judgement)},
                 {"reason", judgement.reason}, {"what", judgement.what.english()},
                 {"seed", judgement.seed},     {"milliseconds", judgement.milliseconds},
                 {"cases", json::array()},     {"goals", json::array()}};
  for (size_t i = 0; i < exercise.cases.size(); ++i)
    object["cases"].push_back(case_json(exercise.cases[i], judgement.cases[i]));
  for (size_t i = 0; i < exercise.goals.size(); ++i)
    object["goals"].push_back(goal_json(exercise.goals[i], judgement.goals[i]));
  if (judgement.error) object["error"] = to_json(*judgement.error)["error"];
  if (judgement.broken) object["broken"] = to_json(*judgement.broken)["error"];
  return object;
}

void print_judgement(const Exercise& exercise, const Judgement& judgement, std::ostream& out) {
  for (size_t i = 0; i < exercise.cases.size(); ++i) {
    const ExerciseCase& one = exercise.cases[i];
    const CaseOutcome& outcome = judgement.cases[i];
    if (outcome.state == CaseOutcome::State::not_run && judgement.error) continue;
    const std::string about = one.about.en.empty() ? "" : ", " + one.about.en;
    out << fmt::format("case {:>2}  {:<8} {}{}{}\n", i + 1, state_name(outcome.state), sizes_text(outcome.sizes), about,
                       one.hidden ? " (hidden)" : "");
    if (!outcome.what.empty()) out << "         " << outcome.what.english() << "\n";
  }
  for (size_t i = 0; i < exercise.goals.size(); ++i) {
    const GoalOutcome& outcome = judgement.goals[i];
    const std::string value = outcome.value ? goal_number(*outcome.value) : "not measured";
    out << fmt::format("goal     {:<8} {}: {} (goal: {}) {}\n", outcome.met ? "met" : "missed",
                       subject_of(exercise.goals[i]).english(), value, limit_of(exercise.goals[i]).english(),
                       name_of(badge_of(exercise.goals[i].measure)));
  }
  const std::string sentence = judgement.what.english();
  switch (judgement.verdict) {
    case Judgement::Verdict::all_goals:
      out << fmt::format("{}: correct, all goals met; {:.0f} ms\n", exercise.name, judgement.milliseconds);
      break;
    case Judgement::Verdict::correct:
      out << fmt::format("{}: correct, but {}; {:.0f} ms\n", exercise.name, sentence, judgement.milliseconds);
      break;
    case Judgement::Verdict::refused:
      out << fmt::format("{}: refused ({}); {:.0f} ms\n", exercise.name, judgement.reason, judgement.milliseconds);
  }
}

int list(const ExerciseCatalogue& catalogue, bool as_json, std::ostream& out, std::ostream& problems) {
  json all = json::array();
  for (const Exercise& one : catalogue.exercises) {
    json goals = json::array();
    for (const Goal& goal : one.goals)
      goals.push_back({{"measure", name_of(goal.measure)}, {"of", goal.of}, {"limit", limit_of(goal).english()}});
    all.push_back({{"name", one.name},
                   {"title", one.title.en},
                   {"stage", one.stage},
                   {"lab", one.lab},
                   {"kernel", one.kernel},
                   {"cases", one.cases.size()},
                   {"goals", std::move(goals)},
                   {"languages", one.has_triton ? json{"cuda", "triton"} : json{"cuda"}},
                   {"debug", one.bug.has_value()}});
  }
  if (as_json) out << json_text(json{{"exercises", all}}, 2) << "\n";
  int stage = -1;
  for (const Exercise& one : catalogue.exercises) {
    if (as_json) break;
    if (one.stage != stage) out << fmt::format("stage {}\n", stage = one.stage);
    out << fmt::format("    {:<24} {}{}\n", one.name, one.title.en, one.has_triton ? "  (CUDA, Triton)" : "");
  }
  for (const Error& error : catalogue.problems) problems << "tilescope: " << to_text(error);
  return catalogue.problems.empty() ? kClean : kBadInput;
}

/// Copies the stub and the task; a file that exists is never overwritten.
Result<std::vector<fs::path>> write_start(const Exercise& exercise, const fs::path& folder, bool triton) {
  if (triton && !exercise.has_triton)
    return fail(ErrorId::usage, fmt::format("exercise {} is for CUDA only", exercise.name));
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return fail(ErrorId::file_not_written, folder.string(), failed.message());
  const KernelLanguage language = triton ? KernelLanguage::triton : KernelLanguage::cuda;
  const fs::path start = exercise.start(language);
  const std::vector<std::pair<fs::path, fs::path>> copies{
      {start, folder / (exercise.name + start.extension().string())},
      {exercise.folder / "task.en.md", folder / (exercise.name + ".md")}};
  std::vector<fs::path> written;
  for (const auto& [from, to] : copies) {
    if (fs::exists(to, failed))
      return fail(ErrorId::file_not_written, to.string(), "it exists already, and is not overwritten");
    if (!fs::copy_file(from, to, failed)) return fail(ErrorId::file_not_written, to.string(), failed.message());
    written.push_back(to);
  }
  return written;
}

/// The submissions of a folder, by name.
std::vector<fs::path> submissions_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed))
    if (entry.path().extension() == ".cu" || entry.path().extension() == ".py") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char one : text) quoted += one == '"' ? std::string("\"\"") : std::string(1, one);
  return quoted + "\"";
}

std::string csv_row(const fs::path& file, const Exercise& exercise, const Judgement& judgement) {
  const auto met = static_cast<size_t>(std::ranges::count(judgement.goals, true, &GoalOutcome::met));
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_field(file.string()), exercise.name, verdict_name(judgement),
                     judgement.correct_cases(), judgement.cases.size(), met, judgement.goals.size(),
                     csv_field(judgement.reason), csv_field(judgement.what.english()));
}

class Checker {
 public:
  Checker(const std::shared_ptr<Engine>& engine, const Exercise& exercise, const ExerciseOptions& options,
          std::ostream& out, std::ostream& problems)
      : engine_(engine), exercise_(exercise), options_(options), out_(out), problems_(problems) {}

  int check() {
    auto device = parse_device(options_.device);
    if (!device) return report(device.error());
    auto seed = parse_integer("seed", options_.seed);
    if (!seed) return report(seed.error());
    judge_.device = *device;
    judge_.seed = static_cast<uint64_t>(*seed);
    std::error_code failed;
    const bool is_folder = fs::is_directory(options_.path, failed);
    const std::vector<fs::path> files =
        is_folder ? submissions_in(options_.path) : std::vector{fs::path(options_.path)};
    if (files.empty())
      return report(make_error(ErrorId::file_not_found, options_.path, "it has no .cu and no .py files"));
    std::string rows = "file,exercise,verdict,cases_correct,cases,goals_met,goals,reason,what\n";
    json all = json::array();
    int status = kClean;
    for (const fs::path& file : files) {
      auto text = read_source(file.string());
      if (!text) return report(text.error());
      const Judgement judgement = judge(engine_, exercise_, {.file = file.filename().string(), .text = *text}, judge_);
      status = std::max(status, status_of(judgement));
      rows += csv_row(file, exercise_, judgement);
      all.push_back(judgement_json(exercise_, judgement));
      if (is_folder) all.back()["file"] = file.string();
      if (!options_.json && options_.csv != "-") print(file, judgement, is_folder);
    }
    if (options_.json) out_ << json_text(is_folder ? json{{"submissions", all}} : all.front(), 2) << "\n";
    if (options_.csv == "-") out_ << rows;
    if (options_.csv.empty() || options_.csv == "-") return status;
    std::ofstream stream(options_.csv, std::ios::binary);
    if (!(stream << rows)) return report(make_error(ErrorId::file_not_written, options_.csv, "it cannot be opened"));
    return status;
  }

 private:
  int report(const Error& error) { return report_error(error, options_.json, out_, problems_); }

  void print(const fs::path& file, const Judgement& judgement, bool name_file) {
    if (name_file) out_ << file.string() << "\n";
    print_judgement(exercise_, judgement, out_);
    if (judgement.error) problems_ << "tilescope: " << to_text(*judgement.error);
    if (judgement.broken) problems_ << "tilescope: " << to_text(*judgement.broken);
  }

  std::shared_ptr<Engine> engine_;
  const Exercise& exercise_;
  const ExerciseOptions& options_;
  std::ostream& out_;
  std::ostream& problems_;
  JudgeOptions judge_;
};

/// Runs the solutions and the wrong submissions of the exercises, and compares with what exercise.toml says.
int test(const std::shared_ptr<Engine>& engine, const std::vector<const Exercise*>& exercises, std::ostream& out) {
  int status = kClean;
  for (const Exercise* exercise : exercises) {
    const ExerciseTest tested = test_exercise(engine, *exercise);
    for (const ExerciseTest::Row& row : tested.rows) {
      out << fmt::format("{:<24} {:<24} {:<6} {:<32} {:>6.0f} ms\n", exercise->name, row.file,
                         row.as_said ? "ok" : "WRONG", row.got.empty() ? "correct, all goals" : row.got,
                         row.milliseconds);
      if (!row.as_said) out << fmt::format("    expected: {}; {}\n", row.expected, row.what);
      if (!row.as_said) status = kMisbehaved;
    }
    for (const std::string& problem : tested.problems) {
      out << fmt::format("{:<24} WRONG  {}\n", exercise->name, problem);
      status = kMisbehaved;
    }
  }
  return status;
}

}  // namespace

int exercise_command(const std::shared_ptr<Engine>& engine, const ExerciseOptions& options, std::ostream& out,
                     std::ostream& problems) {
  using Action = ExerciseOptions::Action;
  const ExerciseCatalogue catalogue = read_exercises(engine->root());
  if (options.action == Action::list) return list(catalogue, options.json, out, problems);
  std::vector<std::string> names = options.names;
  if (options.action != Action::test) names = {options.name};
  std::vector<const Exercise*> exercises;
  for (const std::string& name : names) {
    exercises.push_back(catalogue.find(name));
    if (exercises.back() != nullptr) continue;
    for (const Error& error : catalogue.problems) problems << "tilescope: " << to_text(error);
    return report_error(make_error(ErrorId::exercise_not_found, name), options.json, out, problems);
  }
  if (options.action == Action::check) return Checker(engine, *exercises.front(), options, out, problems).check();
  if (options.action == Action::start) {
    const auto written = write_start(*exercises.front(), options.path, options.triton);
    if (!written) return report_error(written.error(), options.json, out, problems);
    for (const fs::path& file : *written) out << file.string() << "\n";
    return kClean;
  }
  for (const Error& error : catalogue.problems) problems << "tilescope: " << to_text(error);
  if (names.empty())
    for (const Exercise& one : catalogue.exercises) exercises.push_back(&one);
  return std::max<int>(test(engine, exercises, out), catalogue.problems.empty() ? kClean : kMisbehaved);
}

}  // namespace tilescope
