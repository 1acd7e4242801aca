#include "app/settings.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;

json request_json(const Request& request) {
  return {{"rung", request.rung},
          {"device", name_of(request.device)},
          {"sizes", request.config.sizes},
          {"params", request.config.params}};
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
  json settings{{"format", kFormat},
                {"language", screen.strings.language == Language::zh ? "zh" : "en"},
                {"light", view.light},
                {"auto_run", screen.session.auto_run},
                {"lab", screen.session.shows_own() ? labs().front().name : screen.session.lab().name},
                {"gpu", screen.session.request().gpu},
                {"tab", static_cast<int>(view.tab)},
                {"rail_width", view.rail_width},
                {"controls_width", view.controls_width},
                {"bottom_height", view.bottom_height},
                {"source_width", view.source_width},
                {"finished_labs", screen.session.finished_labs},
                {"labs", json::object()},
                {"own_files", own_files_json(screen)}};
  for (const auto& [name, request] : screen.session.remembered()) settings["labs"][name] = request_json(request);
  return settings;
}

void apply_settings(Screen& screen, const json& settings) {
  if (!settings.is_object() || settings.value("format", json()) != kFormat) return;
  ViewState& view = screen.view;
  std::string language, gpu, lab;
  int tab = static_cast<int>(view.tab);
  take(settings, "language", language);
  if (!language.empty()) screen.strings.language = language == "zh" ? Language::zh : Language::en;
  take(settings, "light", view.light);
  take(settings, "auto_run", screen.session.auto_run);
  take(settings, "rail_width", view.rail_width);
  take(settings, "controls_width", view.controls_width);
  take(settings, "bottom_height", view.bottom_height);
  take(settings, "source_width", view.source_width);
  take(settings, "tab", tab);
  if (tab >= 0 && tab < static_cast<int>(kTabCount)) view.tab = static_cast<Tab>(tab);
  if (const auto done = settings.find("finished_labs"); done != settings.end() && done->is_array())
    for (const json& name : *done)
      if (name.is_string() && find_lab(name.get<std::string>()) != nullptr)
        screen.session.finished_labs.insert(name.get<std::string>());
  take_labs(screen.session, settings);
  take(settings, "lab", lab);
  screen.session.select_lab(lab);
  take(settings, "gpu", gpu);
  screen.session.set_gpu(gpu);
  take_own_files(screen, settings);
}

void read_settings(Screen& screen, const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return;
  const json settings = json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!settings.is_discarded()) apply_settings(screen, settings);
}

Result<void> write_settings(const Screen& screen, const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path beside = file.string() + "." + std::to_string(::getpid());
  {
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    stream << settings_of(screen).dump(2) << '\n';
    stream.close();
    if (!stream) {
      fs::remove(beside, error);
      return fail(ErrorId::file_not_written, file.string(), std::strerror(errno));
    }
  }
  fs::rename(beside, file, error);
  if (error) return fail(ErrorId::file_not_written, file.string(), error.message());
  return {};
}

}  // namespace tilescope
