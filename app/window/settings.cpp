#include "app/window/settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/session/json_values.hpp"
#include "app/session/saved_files.hpp"
#include "app/views/view.hpp"
#include "engine/json_text.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kSettingsFormat = 1;
constexpr float kFirstBottomHeight = 368, kFirstSourceWidth = 640;

json request_json(const Request& request) {
  json object{{"rung", request.rung},
              {"device", name_of(request.device)},
              {"sizes", request.config.sizes},
              {"params", request.config.params}};
  if (request.launch) object["launch"] = *request.launch;
  return object;
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
      {"format", kSettingsFormat},
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
      {"learner", view.learner},
      {"ladder_sizes", view.ladder_sizes},
      {"unfolded", view.unfolded},
      {"tour", {{"running", view.tour.running}, {"done", view.tour.done}}},
      {"lower_hidden", view.lower_hidden},
      {"labs", json::object()},
      {"own_files", own_files_json(screen)}};
  for (const auto& [name, request] : screen.session.remembered()) settings["labs"][name] = request_json(request);
  return settings;
}

std::string settings_text(const Screen& screen) { return file_text(settings_of(screen)); }

void apply_settings(Screen& screen, const json& settings) {
  if (!settings.is_object() || settings.value("format", json()) != kSettingsFormat) return;
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
  take(settings, "learner", view.learner);
  take_texts(settings, "ladder_sizes", view.ladder_sizes);
  take_labs(screen.session, settings);
  take(settings, "exercise", screen.exercise_to_open);
  take(settings, "lab", lab);
  screen.session.select_lab(lab);
  take(settings, "gpu", gpu);
  screen.session.set_gpu(gpu);
  take_own_files(screen, settings);
}

void read_settings(Screen& screen, const fs::path& file) {
  const auto text = read_text(file);
  if (!text) return;
  const json settings = json_from(*text);
  if (!settings.is_discarded()) apply_settings(screen, settings);
}

Result<void> write_settings(const Screen& screen, const fs::path& file) {
  std::error_code ignored;  // replace_file reports errors of the folder
  fs::create_directories(file.parent_path(), ignored);
  return replace_file(file, settings_text(screen));
}

}  // namespace tilescope
