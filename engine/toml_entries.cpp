#include "engine/toml_entries.hpp"

#include "engine/text_file.hpp"

namespace tilescope {

tl::expected<toml::table, Phrase> read_toml(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(phrase("cannot be read"));
  try {
    return toml::parse(*text);
  } catch (const toml::parse_error& error) {
    return tl::unexpected(phrase("line {}: {}", error.source().begin.line, std::string(error.description())));
  }
}

Result<toml::table> TomlEntries::read() const {
  auto table = read_toml(file_);
  if (!table) return fail(ErrorId::asset_malformed, file_.string(), table.error());
  return std::move(*table);
}

void TomlEntries::each(const toml::table& table, const char* list,
                       const std::function<void(const std::string& id, const toml::table& entry)>& entry) {
  bool any = false;
  if (const auto* all = table[list].as_array(); all != nullptr)
    for (const toml::node& node : *all) {
      const auto* one = node.as_table();
      if (one == nullptr) continue;
      any = true;
      id_ = (*one)["id"].value_or(std::string());
      if (id_.empty()) wrong(phrase("'{}' is missing", "id"));
      if (!ids_.insert(id_).second) wrong(phrase("a second one has this id"));
      entry(id_, *one);
    }
  id_.clear();
  if (!any) wrong(phrase("'{}' is missing", list));
}

void TomlEntries::wrong(Phrase what) {
  if (problem_.empty()) problem_ = id_.empty() ? std::move(what) : in_entry_(id_, what);
}

Result<void> TomlEntries::end() const {
  if (problem_.empty()) return {};
  return fail(ErrorId::asset_malformed, file_.string(), problem_);
}

Text TomlEntries::text(const toml::table& table, const char* key, bool needed) {
  Text both{table[key]["en"].value_or(std::string()), table[key]["zh"].value_or(std::string())};
  if (needed && (both.en.empty() || both.zh.empty())) wrong(phrase("'{}' is missing", key));
  return both;
}

std::string TomlEntries::string(const toml::table& table, const char* key) {
  std::string text = table[key].value_or(std::string());
  if (text.empty()) wrong(phrase("'{}' is missing", key));
  return text;
}

std::vector<std::string> TomlEntries::strings(const toml::table& table, const char* key) const {
  std::vector<std::string> all;
  if (const auto* list = table[key].as_array(); list != nullptr)
    for (const toml::node& one : *list) all.push_back(one.value_or(std::string()));
  return all;
}

std::vector<Text> TomlEntries::choices(const toml::table& table) {
  const auto *en = table["choices"]["en"].as_array(), *zh = table["choices"]["zh"].as_array();
  if (en == nullptr || zh == nullptr || en->size() != zh->size()) {
    wrong(phrase("its choices differ between the languages"));
    return {};
  }
  std::vector<Text> all;
  for (size_t one = 0; one < en->size(); ++one) {
    all.push_back({(*en)[one].value_or(std::string()), (*zh)[one].value_or(std::string())});
    if (all.back().en.empty() || all.back().zh.empty()) wrong(phrase("a choice is empty"));
  }
  return all;
}

size_t TomlEntries::right_choice(const toml::table& table, size_t count) {
  const int64_t right = table["right"].value_or(int64_t{-1});
  if (right >= 0 && static_cast<size_t>(right) < count) return static_cast<size_t>(right);
  wrong(phrase("'{}' is no choice", "right"));
  return 0;
}

}  // namespace tilescope
