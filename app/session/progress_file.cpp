#include "app/session/progress_file.hpp"

#include <algorithm>

#include "app/session/json_values.hpp"
#include "app/session/saved_files.hpp"
#include "engine/json_text.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kProgressFormat = 1;

fs::path progress_beside(const fs::path& settings_file) { return settings_file.parent_path() / "progress.json"; }

// ---- Answers to questions

bool are_whole_numbers(const json& list) {
  return list.is_array() && std::ranges::all_of(list, [](const json& one) { return one.is_number_integer(); });
}

/// {"choices": [7, 13, 26], "answer": 13, "pressed": 7}
std::optional<Guess> guess_from(const json& one) {
  if (!one.is_object() || !are_whole_numbers(one.value("choices", json()))) return {};
  Guess guess{.choices = one["choices"].get<std::vector<int64_t>>()};
  take(one, "answer", guess.answer);
  take(one, "pressed", guess.pressed);
  return guess;
}

/// By question, each a list. `kept`: those of the file; entries of a different form stay.
json guesses_json(const LabProgress& lab, const json& kept) {
  json questions = json::object();
  for (const auto& [question, guesses] : lab.guesses) {
    for (const Guess& guess : guesses)
      questions[question].push_back({{"choices", guess.choices}, {"answer", guess.answer}, {"pressed", guess.pressed}});
    if (const auto before = kept.find(question); before != kept.end() && before->is_array())
      for (const json& one : *before)
        if (!guess_from(one)) questions[question].push_back(one);
  }
  return questions;
}

/// Answers to questions that a later version asks differently stay in the file and in the score, and answer nothing.
void take_guesses(LabProgress& lab, const json& saved) {
  if (const auto skipped = saved.find("skipped"); skipped != saved.end() && skipped->is_array())
    for (const json& question : *skipped)
      if (question.is_string()) lab.skipped.insert(question.get<std::string>());
  const auto questions = saved.find("guesses");
  if (questions == saved.end() || !questions->is_object()) return;
  for (const auto& [question, guesses] : questions->items()) {
    if (!guesses.is_array()) continue;
    for (const json& one : guesses)
      if (auto guess = guess_from(one); guess && lab.guess_at(question, guess->choices, guess->answer) == nullptr)
        lab.guesses[question].push_back(std::move(*guess));
  }
}

// ---- Steps and review cards

/// {"eight-floats": {"pressed": 2, "answer": 2}}, by step; without an answer {}.
json steps_json(const LabProgress& lab) {
  json steps = json::object();
  for (const auto& [id, step] : lab.steps) {
    steps[id] = json::object();
    if (step.answered()) steps[id] = {{"pressed", step.pressed}, {"answer", step.answer}};
  }
  return steps;
}

void take_steps(LabProgress& lab, const json& saved) {
  const auto steps = saved.find("steps");
  if (steps == saved.end() || !steps->is_object()) return;
  for (const auto& [id, one] : steps->items()) {
    if (!one.is_object()) continue;
    DoneStep mark;
    take(one, "pressed", mark.pressed);
    take(one, "answer", mark.answer);
    lab.steps[id] = mark.pressed >= 0 && mark.answer >= 0 ? mark : DoneStep();
  }
}

/// {"stride-sixteen": {"box": 2, "due": 1764145662, "answered": 1763886462, "tries": 3, "right": 2}}, by card.
json cards_json(const LabProgress& lab) {
  json cards = json::object();
  for (const auto& [id, card] : lab.cards)
    cards[id] = {{"box", card.box},
                 {"due", card.due},
                 {"answered", card.answered},
                 {"tries", card.tries},
                 {"right", card.right}};
  return cards;
}

/// A record that contradicts itself is left out: the card is new again.
void take_cards(LabProgress& lab, const json& saved) {
  const auto cards = saved.find("cards");
  if (cards == saved.end() || !cards->is_object()) return;
  for (const auto& [id, one] : cards->items()) {
    if (!one.is_object()) continue;
    CardRecord record;
    take(one, "box", record.box);
    take(one, "due", record.due);
    take(one, "answered", record.answered);
    take(one, "tries", record.tries);
    take(one, "right", record.right);
    if (record.is_consistent()) lab.cards[id] = record;
  }
}

// ---- A lab

/// What was not earned is left out, so that it does not replace what a later version may keep under the same key.
json lab_json(const LabProgress& lab, const json& kept) {
  json object = json::object();
  for (const auto& [key, value] : {std::pair("lesson_read", lab.lesson_read), std::pair("own_edit", lab.own_edit),
                                   std::pair("cards_opened", lab.cards_opened)})
    if (value) object[key] = true;
  if (!lab.predictions.empty()) object["predictions"] = lab.predictions;
  if (!lab.broken.empty()) object["broken"] = lab.broken;
  if (!lab.guesses.empty()) object["guesses"] = guesses_json(lab, kept.value("guesses", json::object()));
  if (!lab.skipped.empty() || kept.contains("skipped")) object["skipped"] = lab.skipped;
  if (!lab.steps.empty()) object["steps"] = steps_json(lab);
  if (!lab.cards.empty()) object["cards"] = cards_json(lab);
  return object;
}

LabProgress lab_from(const json& saved) {
  LabProgress lab;
  take(saved, "lesson_read", lab.lesson_read);
  take(saved, "own_edit", lab.own_edit);
  take(saved, "cards_opened", lab.cards_opened);
  take_guesses(lab, saved);
  take_steps(lab, saved);
  take_cards(lab, saved);
  if (const auto questions = saved.find("predictions"); questions != saved.end() && questions->is_array())
    for (const json& question : *questions)
      if (question.is_number_unsigned() && question.get<uint64_t>() < 1000) lab.predictions.insert(question.get<int>());
  if (const auto broken = saved.find("broken"); broken != saved.end() && broken->is_array())
    for (const json& one : *broken)
      if (one.is_string()) lab.broken.insert(one.get<std::string>());
  return lab;
}

/// Labs that this version does not have stay in the file only.
ProgressByLab labs_from(const json& object, const char* key) {
  ProgressByLab progress;
  const auto labs = object.find(key);
  if (labs == object.end() || !labs->is_object()) return progress;
  for (const auto& [name, saved] : labs->items()) {
    if (find_lab(name) == nullptr || !saved.is_object()) continue;
    if (LabProgress lab = lab_from(saved); lab != LabProgress()) progress[name] = std::move(lab);
  }
  return progress;
}

bool is_progress(const json& object) {
  return object.is_object() && object.value("format", json()).is_number_integer() && object.value("format", 0) >= 1;
}

/// Everything that was earned in one is the same in the other.
bool covers(const ProgressByLab& one, const ProgressByLab& other) {
  return std::ranges::all_of(one, [&](const auto& lab) {
    const auto found = other.find(lab.first);
    return found != other.end() ? found->second == lab.second : lab.second == LabProgress();
  });
}

}  // namespace

std::optional<ProgressByLab> progress_from(std::string_view text) {
  const json object = json_from(text);
  if (!is_progress(object)) return {};
  return labs_from(object, "labs");
}

ProgressByLab progress_from_settings(std::string_view text) {
  const json object = json_from(text);
  return is_progress(object) ? labs_from(object, "progress") : ProgressByLab();
}

std::string progress_text(const ProgressByLab& progress, std::string_view kept) {
  json all = json_from(kept);
  if (!is_progress(all)) all = {{"format", kProgressFormat}};
  json& labs = all["labs"];
  if (!labs.is_object()) labs = json::object();
  for (const auto& [name, lab] : progress) {
    if (lab == LabProgress()) continue;
    json& saved = labs[name];
    if (!saved.is_object()) saved = json::object();
    lay_over(saved, lab_json(lab, saved));
  }
  return file_text(all);
}

ProgressByLab read_progress(const fs::path& settings_file) {
  if (const auto text = read_text(progress_beside(settings_file)))
    if (auto progress = progress_from(*text)) return std::move(*progress);
  return progress_from_settings(read_text(settings_file).value_or(""));
}

ProgressFile::ProgressFile(fs::path settings_file) : file_(progress_beside(settings_file)) {
  std::error_code absent;
  if (fs::exists(file_, absent)) {
    auto text = read_text(file_);
    if (auto progress = text ? progress_from(*text) : std::nullopt) {
      kept_text_ = std::move(*text);
      kept_progress_ = std::move(*progress);
      return;
    }
    if (auto aside = set_aside(file_))
      damaged_ = std::move(*aside);
    else
      blocked_ = true;
  }
  kept_progress_ = progress_from_settings(read_text(settings_file).value_or(""));
  taken_over_ = !kept_progress_.empty();
}

bool ProgressFile::is_kept(const ProgressByLab& progress) const {
  return !taken_over_ && covers(progress, kept_progress_) && covers(kept_progress_, progress);
}

Result<void> ProgressFile::keep(ProgressByLab& progress) {
  if (blocked_) return fail(ErrorId::file_not_written, file_.string(), phrase("it is damaged and cannot be renamed"));
  if (auto now = read_text(file_); now && *now != kept_text_)
    if (const auto theirs = progress_from(*now)) {
      add_progress(progress, *theirs);
      kept_text_ = std::move(*now);
    }
  std::error_code ignored;  // replace_file reports errors of the folder
  fs::create_directories(file_.parent_path(), ignored);
  std::string text = progress_text(progress, kept_text_);
  if (auto written = replace_file(file_, text); !written) return written;
  kept_text_ = std::move(text);
  kept_progress_ = progress;
  taken_over_ = false;
  return {};
}

}  // namespace tilescope
