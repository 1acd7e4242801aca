#include "app/window/progress_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/views/lab_marks.hpp"
#include "app/views/steps/lab_steps.hpp"
#include "engine/clock.hpp"
#include "engine/sha256.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

bool all_cases_correct(const JudgedVersion& version) {
  return !version.cases.empty() && version.cases.find_first_not_of('+') == std::string::npos;
}

ExerciseReport exercise_report(const Exercise& exercise, const fs::path& folder) {
  ExerciseReport report{.exercise = &exercise, .record = read_record(folder)};
  const auto& versions = report.record.versions;
  const auto newest = std::find_if(versions.rbegin(), versions.rend(), all_cases_correct);
  if (newest == versions.rend()) return report;
  if (auto text = read_text(folder / newest->file))
    report.accepted = AcceptedText{newest->file, newest->time, std::move(*text)};
  return report;
}

CountDone count_of(const PartDone* part) { return part != nullptr ? CountDone{part->done, part->all} : CountDone(); }

void add_steps(LabReport& report, const LabProgress& progress, const fs::path& root) {
  const auto steps = read_steps(root / "docs/labs/steps" / (report.lab->name + ".toml"));
  if (!steps) return;
  report.steps.all = steps->steps.size();
  for (const LabStep& step : steps->steps) {
    const auto mark = progress.steps.find(step.id);
    if (mark == progress.steps.end()) continue;
    report.steps.done += !step.asks() || mark->second.answered() ? 1 : 0;
    report.answers.all += mark->second.answered() ? 1 : 0;
    report.answers.right += mark->second.right() ? 1 : 0;
  }
}

LabReport lab_report(const Lab& lab, const LabProgress& progress, const LabExtras& extras, const fs::path& root) {
  LabReport report{.lab = &lab, .marks = parts_of(lab, progress, extras), .read = progress.lesson_read};
  report.predictions = count_of(report.mark(ProgressPart::predictions));
  report.bugs = count_of(report.mark(ProgressPart::bugs));
  report.exercises = {extras.exercises_correct, extras.exercises};
  report.cards = {extras.cards_right, extras.cards};
  report.answers = report.predicted = score_of(progress);
  add_steps(report, progress, root);
  return report;
}

std::string digest_of(const std::vector<ExerciseReport>& exercises) {
  std::string all;
  for (const ExerciseReport& one : exercises)
    if (one.accepted) all += one.exercise->name + " " + sha256_of(one.accepted->text) + "\n";
  return all.empty() ? all : sha256_of(all);
}

ordered_json count_json(const CountDone& count) { return {{"done", count.done}, {"all", count.all}}; }
ordered_json score_json(const Score& score) { return {{"right", score.right}, {"all", score.all}}; }

constexpr std::pair<ProgressPart, const char*> kMarkNames[] = {
    {ProgressPart::lesson, "read"},        {ProgressPart::predictions, "predicted"}, {ProgressPart::bugs, "bug found"},
    {ProgressPart::exercises, "exercise"}, {ProgressPart::own_edit, "exercise"},     {ProgressPart::review, "review"}};

/// The marks that are earned, by name.
ordered_json marks_json(const LabReport& lab) {
  ordered_json marks = ordered_json::object();
  for (const auto& [part, name] : kMarkNames)
    if (const PartDone* mark = lab.mark(part); mark != nullptr) marks[name] = mark->complete();
  return marks;
}

ordered_json exercise_json(const ExerciseReport& one) {
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

/// "✓", "2/5", or "–" where nothing of it is done; blank where the lab has no such mark.
std::string mark_text(const PartDone* mark) {
  if (mark == nullptr) return "";
  if (mark->complete()) return "✓";
  return mark->done == 0 && mark->all == 1 ? "–" : fmt::format("{}/{}", mark->done, mark->all);
}

}  // namespace

const PartDone* LabReport::mark(ProgressPart part) const {
  const auto found = std::ranges::find(marks, part, &PartDone::part);
  return found != marks.end() ? &*found : nullptr;
}

ProgressReport report_of(const fs::path& root, const ProgressByLab& learned, const Recall& recall,
                         const ExerciseCatalogue& catalogue, const fs::path& exercises) {
  ProgressReport report;
  std::map<std::string, ExerciseState> states;
  for (const Exercise& one : catalogue.exercises) {
    ExerciseReport exercise = exercise_report(one, exercises / one.name);
    const ExerciseState state = states[one.name] = exercise.record.state;
    ++report.exercises_correct.all;
    report.exercises_correct.done += state >= ExerciseState::correct ? 1 : 0;
    report.exercises_with_goals += state == ExerciseState::all_goals ? 1 : 0;
    if (state != ExerciseState::not_started) report.exercises.push_back(std::move(exercise));
  }
  const auto extras = [&](const Lab& lab) {
    return extras_of(lab, learned, &recall, &catalogue,
                     [&](const std::string& name) { return states[name] >= ExerciseState::correct; });
  };
  for (const Lab& lab : labs()) {
    const auto found = learned.find(lab.name);
    report.labs.push_back(lab_report(lab, found != learned.end() ? found->second : LabProgress(), extras(lab), root));
    const LabReport& added = report.labs.back();
    report.cards.done += added.cards.done;
    report.cards.all += added.cards.all;
    report.predicted.right += added.predicted.right;
    report.predicted.all += added.predicted.all;
  }
  report.total = total_of(learned, extras);
  report.texts_digest = digest_of(report.exercises);
  return report;
}

ordered_json to_json(const ProgressReport& report) {
  const MarksTotal& total = report.total;
  ordered_json object{{"format", kProgressReportFormat},
                      {"program", "tilescope " TILESCOPE_VERSION},
                      {"date", utc_now()},
                      {"marks", count_json({total.earned, total.marks})},
                      {"complete_labs", count_json({total.complete_labs, total.labs})},
                      {"exercises_correct", count_json(report.exercises_correct)},
                      {"exercises_with_all_goals", report.exercises_with_goals},
                      {"cards_right_once", count_json(report.cards)},
                      {"predictions_right", score_json(report.predicted)},
                      {"texts_sha256", report.texts_digest},
                      {"labs", ordered_json::array()},
                      {"exercises", ordered_json::array()}};
  for (const LabReport& lab : report.labs)
    object["labs"].push_back({{"name", lab.lab->name},
                              {"marks", marks_json(lab)},
                              {"lesson_read", lab.read},
                              {"steps", count_json(lab.steps)},
                              {"predictions", count_json(lab.predictions)},
                              {"bugs_found", count_json(lab.bugs)},
                              {"exercises_correct", count_json(lab.exercises)},
                              {"cards_right_once", count_json(lab.cards)},
                              {"answers", score_json(lab.answers)}});
  for (const ExerciseReport& one : report.exercises) object["exercises"].push_back(exercise_json(one));
  return object;
}

std::string to_text(const ProgressReport& report) {
  const auto row = [](std::string_view lab, const auto& read, const auto& predicted, const auto& bug,
                      const auto& exercise, const auto& review, const auto& steps, const auto& answers) {
    return fmt::format("{:<20} {:>6} {:>9} {:>9} {:>8} {:>7} {:>7} {:>14}\n", lab, read, predicted, bug, exercise,
                       review, steps, answers);
  };
  std::string text = row("lab", "read", "predicted", "bug found", "exercise", "review", "steps", "answers right");
  for (const LabReport& lab : report.labs) {
    const auto mark = [&](ProgressPart part) { return mark_text(lab.mark(part)); };
    const bool own = lab.mark(ProgressPart::own_edit) != nullptr;
    text += row(lab.lab->name, mark(ProgressPart::lesson), mark(ProgressPart::predictions), mark(ProgressPart::bugs),
                mark(own ? ProgressPart::own_edit : ProgressPart::exercises), mark(ProgressPart::review),
                fmt::format("{}/{}", lab.steps.done, lab.steps.all),
                fmt::format("{}/{}", lab.answers.right, lab.answers.all));
  }
  const MarksTotal& total = report.total;
  text += fmt::format("{} of {} marks, {} of {} labs with all of theirs\n", total.earned, total.marks,
                      total.complete_labs, total.labs);
  text += fmt::format("{} of {} exercises correct, {} with all goals; {} of {} review cards answered right\n",
                      report.exercises_correct.done, report.exercises_correct.all, report.exercises_with_goals,
                      report.cards.done, report.cards.all);
  return text;
}

}  // namespace tilescope
