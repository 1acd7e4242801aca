#include "app/window/progress_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/commands.hpp"
#include "app/exercises/judge.hpp"
#include "app/views/steps/lab_steps.hpp"
#include "app/window/settings.hpp"
#include "app/workshop/record.hpp"
#include "engine/clock.hpp"
#include "engine/report/report.hpp"
#include "engine/sha256.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;

struct Done {
  size_t done = 0, all = 0;
};
ordered_json to_json(const Done& part) { return {{"done", part.done}, {"all", part.all}}; }
std::string to_text(const Done& part) { return part.all == 0 ? "–" : fmt::format("{}/{}", part.done, part.all); }

/// The newest text of an exercise that was accepted: all cases correct.
struct Accepted {
  std::string file, time, text;
};

struct ExerciseProgress {
  const Exercise* exercise = nullptr;
  ExerciseRecord record;
  std::optional<Accepted> accepted;
};

struct LabRow {
  const Lab* lab = nullptr;
  bool read = false;
  Done steps, predictions, bugs, exercises;
  Score answers;  // of the questions and of the steps, at the first try
};

bool is_accepted(const JudgedVersion& version) {
  return !version.cases.empty() && version.cases.find_first_not_of('+') == std::string::npos;
}

ExerciseProgress progress_of(const Exercise& exercise, const fs::path& folder) {
  ExerciseProgress progress{.exercise = &exercise, .record = read_record(folder / exercise.name), .accepted = {}};
  const auto& versions = progress.record.versions;
  const auto newest = std::find_if(versions.rbegin(), versions.rend(), is_accepted);
  if (newest == versions.rend()) return progress;
  if (auto text = read_text(folder / exercise.name / newest->file))
    progress.accepted = Accepted{newest->file, newest->time, std::move(*text)};
  return progress;
}

LabRow row_of(const Lab& lab, const ProgressByLab& learned, const std::vector<ExerciseProgress>& exercises,
              const fs::path& root) {
  LabRow row{.lab = &lab, .steps = {}, .predictions = {}, .bugs = {}, .exercises = {}, .answers = {}};
  const auto found = learned.find(lab.name);
  const LabProgress progress = found != learned.end() ? found->second : LabProgress();
  row.read = progress.lesson_read;
  row.predictions = {progress.predictions.size(), lab.predicts.size()};
  row.bugs = {progress.broken.size(), lab.break_it.size()};
  row.answers = score_of(progress);
  if (const auto steps = read_steps(root / "docs/labs/steps" / (lab.name + ".toml"))) {
    row.steps.all = steps->steps.size();
    for (const LabStep& step : steps->steps) {
      const auto mark = progress.steps.find(step.id);
      if (mark == progress.steps.end()) continue;
      row.steps.done += !step.asks() || mark->second.answered() ? 1 : 0;
      row.answers.all += mark->second.answered() ? 1 : 0;
      row.answers.right += mark->second.right() ? 1 : 0;
    }
  }
  for (const ExerciseProgress& one : exercises) {
    if (one.exercise->lab != lab.name) continue;
    ++row.exercises.all;
    row.exercises.done += one.accepted ? 1 : 0;
  }
  return row;
}

ordered_json exercise_json(const ExerciseProgress& one) {
  constexpr const char* kStates[] = {"not started", "tried", "correct", "all goals"};
  ordered_json object{{"name", one.exercise->name},
                      {"state", kStates[static_cast<size_t>(one.record.state)]},
                      {"judged", one.record.versions.size()},
                      {"hints", one.record.hints},
                      {"solution_shown", one.record.solution}};
  if (one.accepted)
    object["accepted"] = {{"file", one.accepted->file},
                          {"time", one.accepted->time},
                          {"sha256", sha256_of(one.accepted->text)},
                          {"text", one.accepted->text}};
  return object;
}

ordered_json all_json(const std::vector<LabRow>& rows, const std::vector<ExerciseProgress>& exercises) {
  ordered_json object{{"format", kFormat},
                      {"program", "tilescope " TILESCOPE_VERSION},
                      {"date", utc_now()},
                      {"labs", ordered_json::array()},
                      {"exercises", ordered_json::array()}};
  for (const LabRow& row : rows)
    object["labs"].push_back({{"name", row.lab->name},
                              {"lesson_read", row.read},
                              {"steps", to_json(row.steps)},
                              {"predictions", to_json(row.predictions)},
                              {"bugs_found", to_json(row.bugs)},
                              {"exercises_correct", to_json(row.exercises)},
                              {"answers", {{"right", row.answers.right}, {"all", row.answers.all}}}});
  for (const ExerciseProgress& one : exercises)
    if (one.record.state != ExerciseState::not_started) object["exercises"].push_back(exercise_json(one));
  return object;
}

std::string all_text(const std::vector<LabRow>& rows) {
  std::string text = fmt::format("{:<20} {:>6} {:>7} {:>11} {:>6} {:>10} {:>14}\n", "lab", "lesson", "steps",
                                 "predictions", "bugs", "exercises", "answers right");
  for (const LabRow& row : rows)
    text += fmt::format("{:<20} {:>6} {:>7} {:>11} {:>6} {:>10} {:>14}\n", row.lab->name, row.read ? "read" : "–",
                        to_text(row.steps), to_text(row.predictions), to_text(row.bugs), to_text(row.exercises),
                        to_text(Done{row.answers.right, row.answers.all}));
  return text;
}

/// One accepted text of the file, judged again. Nothing: it holds; else why not.
std::optional<std::string> why_not(const std::shared_ptr<Engine>& engine, const ExerciseCatalogue& catalogue,
                                   const nlohmann::json& one) {
  const auto& accepted = one["accepted"];
  const std::string name = one.value("name", std::string()), text = accepted.value("text", std::string());
  const Exercise* exercise = catalogue.find(name);
  if (exercise == nullptr) return "there is no such exercise here";
  if (sha256_of(text) != accepted.value("sha256", std::string())) return "its text is not the one that was exported";
  const Judgement judgement = judge(engine, *exercise, {.file = accepted.value("file", std::string()), .text = text},
                                    {.stop = {}, .progress = {}});
  if (judgement.verdict != Judgement::Verdict::refused) return std::nullopt;
  return "refused (" + judgement.reason + ")";
}

int verify(const std::shared_ptr<Engine>& engine, const ExerciseCatalogue& catalogue, const std::string& file,
           std::ostream& out, std::ostream& problems) {
  const auto text = read_text(file);
  if (!text) return report_error(make_error(ErrorId::file_not_found, file, std::strerror(errno)), false, out, problems);
  const auto all = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const bool good = all.is_object() && all.value("format", nlohmann::json()) == kFormat && all.contains("exercises") &&
                    all["exercises"].is_array();
  if (!good)
    return report_error(make_error(ErrorId::file_refused, file, phrase("it is no progress that Tilescope exported")),
                        false, out, problems);
  size_t held = 0, judged = 0;
  for (const auto& one : all["exercises"]) {
    if (!one.is_object() || !one.contains("accepted") || !one["accepted"].is_object()) continue;
    ++judged;
    const auto problem = why_not(engine, catalogue, one);
    held += problem ? 0 : 1;
    out << fmt::format("{:<28} {}\n", one.value("name", std::string()), problem.value_or("holds"));
  }
  out << fmt::format("{} of {} accepted texts hold\n", held, judged);
  return held == judged ? kClean : kMisbehaved;
}

}  // namespace

int progress_command(const std::shared_ptr<Engine>& engine, const ProgressOptions& options, std::ostream& out,
                     std::ostream& problems) {
  const ExerciseCatalogue catalogue = read_exercises(engine->root());
  if (!options.verify.empty()) return verify(engine, catalogue, options.verify, out, problems);
  const fs::path settings = user_settings_file();
  const ProgressByLab learned = read_progress(settings);
  std::vector<ExerciseProgress> exercises;
  exercises.reserve(catalogue.exercises.size());
  for (const Exercise& one : catalogue.exercises)
    exercises.push_back(progress_of(one, settings.parent_path() / "exercises"));
  std::vector<LabRow> rows;
  for (const Lab& lab : labs()) rows.push_back(row_of(lab, learned, exercises, engine->root()));
  out << (options.json ? all_json(rows, exercises).dump(2) + "\n" : all_text(rows));
  return kClean;
}

}  // namespace tilescope
