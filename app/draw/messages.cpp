#include "app/draw/messages.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "engine/finding.hpp"

namespace tilescope {
namespace {

std::string text_at(const toml::table& table, std::string_view section, std::string_view key) {
  return table[section][key].value_or(std::string());
}

}  // namespace

Result<Messages> Messages::load(const std::filesystem::path& file) {
  toml::table table;
  try {
    table = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    return fail(ErrorId::asset_malformed, file.string(),
                phrase("line {}: {}", error.source().begin.line, error.description()));
  }
  Messages messages;
  const auto add = [&](std::string_view form, const std::string& text) {
    if (!text.empty()) messages.forms_.emplace(form, text);
  };
  for (size_t i = 0; i < kErrorCount; ++i) {
    const auto id = static_cast<ErrorId>(i);
    add(message_of(id), text_at(table, "errors", id_of(id)));
    add(hint_of(id), text_at(table, "hints", id_of(id)));
  }
  for (const std::string_view id : kFindingIds) {
    const std::string name = text_at(table, "findings", id);
    if (name.empty()) continue;
    messages.findings_.emplace(id, name);
    std::string words(id);  // as written in sentences
    std::replace(words.begin(), words.end(), '-', ' ');
    add(words, name);
  }
  for (const char* section : {"phrases", "notes"})
    if (const toml::table* texts = table[section].as_table())
      for (const auto& [key, node] : *texts) {
        const std::string form(key.str()), text = node.value_or(std::string());
        add(form, text);
        if (std::string_view(section) == "notes" && form.find("{}") != std::string::npos)
          messages.patterns_.emplace_back(form, text);
      }
  std::ranges::sort(messages.patterns_, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  return messages;
}

std::string Messages::say(const Phrase& phrase) const {
  if (phrase.is_name()) return phrase.form();
  const auto found = forms_.find(phrase.form());
  const std::string& form = found != forms_.end() ? found->second : phrase.form();
  if (phrase.places().empty()) return form;
  std::vector<std::string> places;
  places.reserve(phrase.places().size());
  for (const Phrase& place : phrase.places()) places.push_back(say(place));
  return filled(form, places);
}

std::string Messages::note(std::string_view text) const {
  if (const auto found = forms_.find(std::string(text)); found != forms_.end()) return found->second;
  std::vector<std::string> places;
  for (const auto& [form, translated] : patterns_) {
    if (!read_places(form, text, places)) continue;
    for (std::string& place : places) place = note(place);
    return filled(translated, places);
  }
  return std::string(text);
}

std::string Messages::finding(std::string_view id) const {
  const auto found = findings_.find(std::string(id));
  return found != findings_.end() ? found->second : std::string(id);
}

bool read_places(std::string_view form, std::string_view text, std::vector<std::string>& places) {
  places.clear();
  size_t at = form.find("{}");
  if (text.substr(0, at) != form.substr(0, at)) return false;
  if (at == std::string_view::npos) return text.size() == form.size();
  text.remove_prefix(at);
  form.remove_prefix(at + 2);
  while (true) {
    at = form.find("{}");
    const std::string_view between = form.substr(0, at);
    size_t end = between.empty() ? text.size() : text.find(between, 1);
    if (at == std::string_view::npos) end = text.ends_with(between) ? text.size() - between.size() : std::string::npos;
    if (end == std::string_view::npos || end == 0) return false;
    places.emplace_back(text.substr(0, end));
    if (at == std::string_view::npos) return true;
    text.remove_prefix(end + between.size());
    form.remove_prefix(at + 2);
  }
}

}  // namespace tilescope
