#include "app/workshop/record.hpp"

#include <algorithm>
#include <array>

#include "app/session/json_values.hpp"
#include "app/session/saved_files.hpp"
#include "engine/clock.hpp"
#include "engine/json_text.hpp"
#include "engine/phrase_json.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<const char*, 4> kStates{"not started", "tried", "correct", "all goals"};
constexpr size_t kMostVersions = 200;

template <class T>
T value_of(const json& object, const char* key, T otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  try {
    return found->get<T>();
  } catch (const json::exception&) {
    return otherwise;  // another program has written it
  }
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return fail(ErrorId::file_not_written, folder.string(), failed.message());
  return {};
}

/// The object of the file so far: what a different version has written stays in it. A damaged file is kept under a
/// different name.
Result<json> kept_record(const fs::path& file) {
  std::error_code absent;
  if (fs::exists(file, absent)) {
    const auto text = read_text(file);
    json kept = text ? json_from(*text) : json();
    if (kept.is_object()) return kept;
    if (auto aside = set_aside(file); !aside) return tl::unexpected(aside.error());
  }
  return json{{"format", 1}};
}

char letter_of(CaseOutcome::State state) {
  switch (state) {
    case CaseOutcome::State::correct:
      return '+';
    case CaseOutcome::State::finding:
      return '!';
    case CaseOutcome::State::not_run:
      return '.';
    default:
      return 'x';
  }
}

CaseOutcome::State state_of(char letter) {
  return letter == '+'   ? CaseOutcome::State::correct
         : letter == '!' ? CaseOutcome::State::finding
         : letter == 'x' ? CaseOutcome::State::wrong
                         : CaseOutcome::State::not_run;
}

json goals_to_json(const std::vector<GoalOutcome>& goals) {
  json all = json::array();
  for (const GoalOutcome& goal : goals)
    all.push_back({{"value", goal.value ? json(*goal.value) : json()}, {"met", goal.met}});
  return all;
}

std::vector<GoalOutcome> goals_from_json(const json& all) {
  std::vector<GoalOutcome> goals;
  for (const json& one : all) {
    GoalOutcome& goal = goals.emplace_back();
    if (!one.is_object()) continue;
    if (const json value = one.value("value", json()); value.is_number()) goal.value = value.get<double>();
    goal.met = value_of(one, "met", false) && goal.value;
  }
  return goals;
}

/// The sentence that can be translated; of an older record the English one.
Phrase what_from_json(const json& version) {
  try {
    if (const auto sentence = version.find("sentence"); sentence != version.end()) return phrase_from_json(*sentence);
  } catch (const json::exception&) {
    // Something else has written it.
  }
  return value_of<std::string>(version, "what", "");
}

/// Each version with the keys that the file has for it beside ours.
json versions_over(const json& kept, json versions) {
  if (!kept.is_array()) return versions;
  for (json& version : versions)
    for (const json& before : kept)
      if (before.is_object() && before.value("file", json()) == version["file"]) {
        json merged = before;
        lay_over(merged, version);
        version = std::move(merged);
      }
  return versions;
}

}  // namespace

ExerciseRecord read_record(const fs::path& folder) {
  ExerciseRecord record;
  const auto text = read_text(folder / "record.json");
  const json object = text ? json_from(*text) : json();
  if (!object.is_object()) return record;
  const auto state = std::ranges::find(kStates, value_of<std::string>(object, "state", kStates.front()));
  if (state != kStates.end()) record.state = static_cast<ExerciseState>(state - kStates.begin());
  record.hints = value_of(object, "hints", 0);
  record.solution = value_of(object, "solution", false);
  record.bug_found = value_of(object, "bug_found", false);
  record.bug_guesses = value_of(object, "bug_guesses", 0);
  for (const json& one : value_of(object, "versions", json::array())) {
    if (!one.is_object()) continue;
    JudgedVersion version{.number = value_of(one, "number", 0),
                          .time = value_of<std::string>(one, "time", ""),
                          .file = value_of<std::string>(one, "file", ""),
                          .cases = value_of<std::string>(one, "cases", ""),
                          .reason = value_of<std::string>(one, "reason", ""),
                          .what = what_from_json(one),
                          .seed = value_of<uint64_t>(one, "seed", 0),
                          .device = value_of<std::string>(one, "device", "") == name_of(DeviceKind::gpu)
                                        ? DeviceKind::gpu
                                        : DeviceKind::sim,
                          .goals = goals_from_json(value_of(one, "goals", json::array()))};
    if (version.number > 0 && !version.file.empty()) record.versions.push_back(std::move(version));
  }
  return record;
}

Result<void> write_record(const fs::path& folder, const ExerciseRecord& record) {
  if (folder.empty()) return {};
  if (auto made = make_folder(folder); !made) return made;
  json versions = json::array();
  for (const JudgedVersion& one : record.versions)
    versions.push_back({{"number", one.number},
                        {"time", one.time},
                        {"file", one.file},
                        {"cases", one.cases},
                        {"reason", one.reason},
                        {"what", one.what.english()},
                        {"sentence", phrase_to_json(one.what)},
                        {"seed", one.seed},
                        {"device", name_of(one.device)},
                        {"goals", goals_to_json(one.goals)}});
  json now = {{"hints", record.hints},
              {"solution", record.solution},
              {"bug_found", record.bug_found},
              {"bug_guesses", record.bug_guesses}};
  // Else a state that only a later version knows stays.
  if (record.state != ExerciseState::not_started) now["state"] = kStates[static_cast<size_t>(record.state)];
  auto kept = kept_record(folder / "record.json");
  if (!kept) return tl::unexpected(kept.error());
  now["versions"] = versions_over(kept->value("versions", json::array()), std::move(versions));
  lay_over(*kept, now);
  return replace_file(folder / "record.json", file_text(*kept));
}

std::string case_letters(const Judgement& judgement) {
  std::string letters;
  for (const CaseOutcome& one : judgement.cases) letters += letter_of(one.state);
  return letters;
}

std::optional<Judgement> judgement_of(const Exercise& exercise, const JudgedVersion& version) {
  if (version.cases.size() != exercise.cases.size()) return std::nullopt;
  Judgement judgement{.verdict = version.reason.empty()                 ? Judgement::Verdict::all_goals
                                 : version.reason.starts_with("goal: ") ? Judgement::Verdict::correct
                                                                        : Judgement::Verdict::refused,
                      .reason = version.reason,
                      .what = version.what,
                      .cases = std::vector<CaseOutcome>(exercise.cases.size()),
                      .goals = version.goals,
                      .seed = version.seed,
                      .device = version.device};
  judgement.goals.resize(exercise.goals.size());
  for (size_t i = 0; i < exercise.cases.size(); ++i) {
    CaseOutcome& outcome = judgement.cases[i];
    outcome.state = state_of(version.cases[i]);
    outcome.sizes = sizes_of(exercise.cases[i], version.seed);
    // Without the seed, those that it has drawn are not known.
    if (version.seed == 0)
      std::erase_if(outcome.sizes, [&](const auto& size) {
        const CaseSize& range = exercise.cases[i].sizes.at(size.first);
        return range.low < range.high;
      });
  }
  return judgement;
}

Result<void> add_version(const fs::path& folder, ExerciseRecord& record, const Submission& submission,
                         const Judgement& judgement) {
  const std::string ending = submission.language() == KernelLanguage::triton ? ".py" : ".cu";
  JudgedVersion version{.number = record.versions.empty() ? 1 : record.versions.back().number + 1,
                        .time = utc_now(),
                        .file = {},
                        .cases = case_letters(judgement),
                        .reason = judgement.reason,
                        .what = judgement.what,
                        .seed = judgement.seed,
                        .device = judgement.device,
                        .goals = judgement.goals};
  const bool known = !record.versions.empty() && record.versions.back().file.ends_with(ending) && !folder.empty() &&
                     read_text(folder / record.versions.back().file) == submission.text;
  if (known) {
    version.number = record.versions.back().number;
    record.versions.pop_back();
  }
  version.file = fmt::format("{:03}{}", version.number, ending);
  record.versions.push_back(version);
  while (record.versions.size() > kMostVersions) {
    std::error_code ignored;
    if (!folder.empty()) fs::remove(folder / record.versions.front().file, ignored);
    record.versions.erase(record.versions.begin());
  }
  if (folder.empty()) return {};
  if (auto made = make_folder(folder); !made) return made;
  if (auto written = replace_file(folder / version.file, submission.text); !written) return written;
  return write_record(folder, record);
}

}  // namespace tilescope
