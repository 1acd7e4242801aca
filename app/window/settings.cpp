#include "app/window/settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/session/saved_files.hpp"
#include "app/views/view.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr float kFirstBottomHeight = 368, kFirstSourceWidth = 640;

json request_json(const Request& request) {
  json object{{"rung", request.rung},
              {"device", name_of(request.device)},
              {"sizes", request.config.sizes},
              {"params", request.config.params}};
  if (request.launch) object["launch"] = *request.launch;
  return object;
}

template <class T>
void take(const json& object, const char* key, T& value) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if constexpr (std::is_same_v<T, bool>) {
    if (found->is_boolean()) value = found->get<bool>();
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (found->is_number()) value = found->get<T>();
  } else if (found->is_string()) {
    value = found->get<std::string>();
  }
}

void take_values(const json& object, const char* key, std::map<std::string, int64_t>& values) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return;
  for (const auto& [name, value] : found->items())
    if (value.is_number_integer()) values[name] = value.get<int64_t>();
}

/// Texts by name.
void take_texts(const json& object, const char* key, std::map<std::string, std::string>& texts) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return;
  for (const auto& [name, text] : found->items())
    if (text.is_string()) texts[name] = text.get<std::string>();
}

/// An answer as {"choices": [7, 13, 26], "answer": 13, "pressed": 7}, by question.
json guesses_json(const LabProgress& lab) {
  json questions = json::object();
  for (const auto& [question, guesses] : lab.guesses)
    for (const Guess& guess : guesses)
      questions[question].push_back({{"choices", guess.choices}, {"answer", guess.answer}, {"pressed", guess.pressed}});
  return questions;
}

bool are_whole_numbers(const json& list) {
  return list.is_array() && std::ranges::all_of(list, [](const json& one) { return one.is_number_integer(); });
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
    for (const json& one : guesses) {
      if (!one.is_object() || !are_whole_numbers(one.value("choices", json()))) continue;
      Guess guess{.choices = one["choices"].get<std::vector<int64_t>>()};
      take(one, "answer", guess.answer);
      take(one, "pressed", guess.pressed);
      if (lab.guess_at(question, guess.choices, guess.answer) == nullptr) lab.guesses[question].push_back(guess);
    }
  }
}

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

/// Cards of a different version stay in the file. A record that contradicts itself is left out: the card is new again.
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

json progress_json(const ProgressByLab& progress) {
  json labs = json::object();
  for (const auto& [name, lab] : progress)
    if (lab != LabProgress())
      labs[name] = {
          {"lesson_read", lab.lesson_read}, {"predictions", lab.predictions}, {"broken", lab.broken},
          {"own_edit", lab.own_edit},       {"guesses", guesses_json(lab)},   {"skipped", lab.skipped},
          {"steps", steps_json(lab)},       {"cards", cards_json(lab)},       {"cards_opened", lab.cards_opened}};
  return labs;
}

/// The key "finished_labs" of older versions is ignored: it also lists labs that were only opened.
void take_progress(ProgressByLab& progress, const json& settings) {
  const auto labs = settings.find("progress");
  if (labs == settings.end() || !labs->is_object()) return;
  for (const auto& [name, saved] : labs->items()) {
    const Lab* lab = find_lab(name);
    if (lab == nullptr || !saved.is_object()) continue;
    LabProgress taken;
    take(saved, "lesson_read", taken.lesson_read);
    take(saved, "own_edit", taken.own_edit);
    take_guesses(taken, saved);
    take_steps(taken, saved);
    take_cards(taken, saved);
    take(saved, "cards_opened", taken.cards_opened);
    const auto all = static_cast<int>(lab->predicts.size());
    if (const auto questions = saved.find("predictions"); questions != saved.end() && questions->is_array())
      for (const json& question : *questions)
        if (question.is_number_unsigned() && question.get<uint64_t>() < static_cast<uint64_t>(all))
          taken.predictions.insert(question.get<int>());
    if (const auto broken = saved.find("broken"); broken != saved.end() && broken->is_array())
      for (const json& one : *broken)
        if (one.is_string() &&
            std::ranges::find(lab->break_it, one.get<std::string>(), &BreakIt::name) != lab->break_it.end())
          taken.broken.insert(one.get<std::string>());
    if (taken != LabProgress()) progress[name] = std::move(taken);
  }
}

void take_labs(Session& session, const json& settings) {
  const auto found = settings.find("labs");
  if (found == settings.end() || !found->is_object()) return;
  std::map<std::string, Request> requests;
  for (const auto& [name, values] : found->items()) {
    if (!values.is_object()) continue;
    Request request;
    request.lab = name;
    std::string device;
    take(values, "rung", request.rung);
    take(values, "device", device);
    request.device = device == name_of(DeviceKind::gpu) ? DeviceKind::gpu : DeviceKind::sim;
    take_values(values, "sizes", request.config.sizes);
    take_values(values, "params", request.config.params);
    if (const auto launch = values.find("launch"); launch != values.end() && launch->is_number_unsigned())
      request.launch = launch->get<uint32_t>();
    requests[name] = std::move(request);
  }
  session.restore(requests);
}

json own_files_json(const Screen& screen) {
  const Sandbox& sandbox = screen.sandbox;
  json own{{"open", sandbox.is_shown(screen.session) ? sandbox.file().string() : std::string()},
           {"recent", json::array()},
           {"files", json::object()}};
  for (const fs::path& file : sandbox.recent()) own["recent"].push_back(file.string());
  for (const auto& [file, kept] : sandbox.remembered())
    own["files"][file] = {{"kernel", kept.kernel}, {"forms", kept.edits}};
  return own;
}

/// The text fields of a form, by name.
FieldTexts take_texts(const json& object) {
  FieldTexts texts;
  if (object.is_object())
    for (const auto& [name, text] : object.items())
      if (text.is_string()) texts[name] = text.get<std::string>();
  return texts;
}

void take_own_files(Screen& screen, const json& settings) {
  const auto found = settings.find("own_files");
  if (found == settings.end() || !found->is_object()) return;
  std::vector<fs::path> recent;
  if (const auto list = found->find("recent"); list != found->end() && list->is_array())
    for (const json& file : *list)
      if (file.is_string()) recent.emplace_back(file.get<std::string>());
  std::map<std::string, Sandbox::Remembered> files;
  if (const auto all = found->find("files"); all != found->end() && all->is_object())
    for (const auto& [file, values] : all->items()) {
      if (!values.is_object()) continue;
      take(values, "kernel", files[file].kernel);
      if (const auto forms = values.find("forms"); forms != values.end() && forms->is_object())
        for (const auto& [kernel, texts] : forms->items()) files[file].edits[kernel] = take_texts(texts);
    }
  screen.sandbox.restore(std::move(recent), std::move(files));
  std::string open;
  take(*found, "open", open);
  std::error_code absent;
  if (!open.empty() && fs::is_regular_file(open, absent)) screen.open_file(open);
}

}  // namespace

fs::path user_settings_file() {
  if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && *folder != '\0')
    return fs::path(folder) / "tilescope" / "settings.json";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".config" / "tilescope" / "settings.json";
  return {};
}

json settings_of(const Screen& screen) {
  const ViewState& view = screen.view;
  json settings{
      {"format", kFormat},
      {"language", screen.strings.language == Language::zh ? "zh" : "en"},
      {"light", view.light},
      {"auto_run", screen.session.auto_run},
      {"veil_numbers", view.veils},
      {"lab", screen.session.shows_own() ? labs().front().name : screen.session.lab().name},
      {"exercise", screen.workshop.is_shown(screen.session) ? screen.workshop.exercise().name : std::string()},
      {"gpu", screen.session.request().gpu},
      {"view", view.tab},
      {"scale", view.user_scale},
      {"window",
       {{"left", view.window.left},
        {"top", view.window.top},
        {"width", view.window.width},
        {"height", view.window.height},
        {"maximised", view.window.maximised}}},
      {"rail_width", view.rail_width},
      {"controls_width", view.controls_width},
      {"steps_shown", view.steps_shown},
      {"steps_width", view.steps_width},
      {"bottom_height", view.bottom_height},
      {"source_width", view.source_width},
      {"progress", progress_json(screen.session.learned)},
      {"ladder_sizes", view.ladder_sizes},
      {"unfolded", view.unfolded},
      {"tour", {{"running", view.tour.running}, {"done", view.tour.done}}},
      {"lower_hidden", view.lower_hidden},
      {"labs", json::object()},
      {"own_files", own_files_json(screen)}};
  for (const auto& [name, request] : screen.session.remembered()) settings["labs"][name] = request_json(request);
  return settings;
}

std::string settings_text(const Screen& screen) {
  return settings_of(screen).dump(2, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) + "\n";
}

void apply_settings(Screen& screen, const json& settings) {
  if (!settings.is_object() || settings.value("format", json()) != kFormat) return;
  ViewState& view = screen.view;
  std::string language, gpu, lab;
  std::string shown;
  size_t tab = views().size();
  take(settings, "language", language);
  if (!language.empty()) screen.strings.language = language == "zh" ? Language::zh : Language::en;
  take(settings, "light", view.light);
  take(settings, "auto_run", screen.session.auto_run);
  take(settings, "veil_numbers", view.veils);
  take(settings, "rail_width", view.rail_width);
  take(settings, "controls_width", view.controls_width);
  take(settings, "steps_shown", view.steps_shown);
  take(settings, "steps_width", view.steps_width);
  take(settings, "bottom_height", view.bottom_height);
  take(settings, "source_width", view.source_width);
  take(settings, "scale", view.user_scale);
  view.user_scale = std::clamp(std::round(view.user_scale / ViewState::kScaleStep) * ViewState::kScaleStep,
                               ViewState::kSmallestScale, ViewState::kLargestScale);
  if (const auto place = settings.find("window"); place != settings.end() && place->is_object()) {
    take(*place, "left", view.window.left);
    take(*place, "top", view.window.top);
    take(*place, "width", view.window.width);
    take(*place, "height", view.window.height);
    take(*place, "maximised", view.window.maximised);
  }
  if (const auto tour = settings.find("tour"); tour != settings.end() && tour->is_object()) {
    take(*tour, "running", view.tour.running);
    if (const auto done = tour->find("done"); done != tour->end() && done->is_array())
      for (size_t step = 0; step < std::min(done->size(), Tour::kSteps); ++step)
        view.tour.done[step] = (*done)[step] == json(true);
  }
  if (const auto rows = settings.find("unfolded"); rows != settings.end() && rows->is_array())
    for (const json& row : *rows)
      if (row.is_string()) view.unfolded.insert(row.get<std::string>());
  take(settings, "lower_hidden", view.lower_hidden);
  // Files of the first release contain these values if nothing was dragged.
  if (view.bottom_height == kFirstBottomHeight) view.bottom_height = 0;
  if (view.source_width == kFirstSourceWidth) view.source_width = 0;
  take(settings, "tab", tab);  // files of earlier versions contain its number
  if (tab < views().size()) view.tab = views()[tab].name;
  take(settings, "view", shown);
  if (find_view(shown) != nullptr) view.tab = shown;
  take_progress(screen.session.learned, settings);
  take_texts(settings, "ladder_sizes", view.ladder_sizes);
  take_labs(screen.session, settings);
  take(settings, "exercise", screen.exercise_to_open);
  take(settings, "lab", lab);
  screen.session.select_lab(lab);
  take(settings, "gpu", gpu);
  screen.session.set_gpu(gpu);
  take_own_files(screen, settings);
}

ProgressByLab read_progress(const fs::path& file) {
  ProgressByLab progress;
  std::ifstream stream(file, std::ios::binary);
  const json settings = stream ? json::parse(stream, nullptr, /*allow_exceptions=*/false) : json();
  if (settings.is_object() && settings.value("format", json()) == kFormat) take_progress(progress, settings);
  return progress;
}

void read_settings(Screen& screen, const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return;
  const json settings = json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!settings.is_discarded()) apply_settings(screen, settings);
}

Result<void> write_settings(const Screen& screen, const fs::path& file) {
  std::error_code ignored;  // replace_file reports errors of the folder
  fs::create_directories(file.parent_path(), ignored);
  return replace_file(file, settings_text(screen));
}

}  // namespace tilescope
