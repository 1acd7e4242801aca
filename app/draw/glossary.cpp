#include "app/draw/glossary.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>

namespace tilescope {
namespace {

unsigned char byte_of(char c) { return static_cast<unsigned char>(c); }
char lower(char c) { return static_cast<char>(std::tolower(byte_of(c))); }
bool is_letter(char c) { return std::isalnum(byte_of(c)) != 0 || c == '_'; }

/// Whether a Latin word could continue at `at`: "warp" in "warp-wide" is a part of a word.
bool continues(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  return is_letter(text[at]) || (text[at] == '-' && at + 1 < text.size() && is_letter(text[at + 1]));
}
bool continues_before(std::string_view text, size_t at) {
  if (at == 0) return false;
  return is_letter(text[at - 1]) || (text[at - 1] == '-' && at > 1 && is_letter(text[at - 2]));
}

bool matches(std::string_view text, size_t at, std::string_view spelling) {
  if (text.size() - at < spelling.size()) return false;
  for (size_t i = 0; i < spelling.size(); ++i)
    if (lower(text[at + i]) != spelling[i]) return false;
  const bool latin_start = is_letter(spelling.front()), latin_end = is_letter(spelling.back());
  return !(latin_start && continues_before(text, at)) && !(latin_end && continues(text, at + spelling.size()));
}

std::string plural_of(std::string_view name) {
  const bool hisses = name.ends_with('s') || name.ends_with('x') || name.ends_with("sh") || name.ends_with("ch");
  return std::string(name) + (hisses ? "es" : "s");
}

std::vector<std::string> list_at(const toml::table& table, std::string_view key) {
  std::vector<std::string> list;
  if (const toml::array* array = table[key].as_array())
    for (const toml::node& node : *array) list.push_back(node.value_or(std::string()));
  return list;
}

Term term_from(const toml::table& table) {
  const auto text = [&table](std::string_view key) { return table[key].value_or(std::string()); };
  return {.name = {text("en"), text("zh")},
          .spellings = list_at(table, "spellings"),
          .chinese = list_at(table, "spellings_zh"),
          .vendors = text("vendors"),
          .lab = text("lab"),
          .text = {text("text_en"), text("text_zh")}};
}

}  // namespace

Result<Glossary> Glossary::load(const std::filesystem::path& file) {
  try {
    const toml::table table = toml::parse_file(file.string());
    Glossary glossary;
    if (const toml::array* terms = table["term"].as_array())
      for (const toml::node& node : *terms)
        if (const toml::table* one = node.as_table()) glossary.terms_.push_back(term_from(*one));
    glossary.index_names();
    return glossary;
  } catch (const toml::parse_error& error) {
    return fail(ErrorId::file_not_found, file.string(),
                phrase("line {}: {}", error.source().begin.line, error.description()));
  }
}

const Term* Glossary::find(std::string_view name) const {
  const auto found = std::ranges::find_if(terms_, [name](const Term& term) { return term.name.en == name; });
  return found == terms_.end() ? nullptr : &*found;
}

void Glossary::index(Language language, std::string_view spelling, size_t term) {
  if (spelling.empty()) return;
  std::string text(spelling);
  std::ranges::transform(text, text.begin(), lower);
  auto& bucket = spellings_[static_cast<size_t>(language)][byte_of(text.front())];
  bucket.push_back({std::move(text), term});
}

void Glossary::index_names() {
  for (size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    index(Language::en, term.name.en, i);
    index(Language::en, plural_of(term.name.en), i);
    for (const std::string& one : term.spellings) index(Language::en, one, i);
    if (term.chinese.empty()) index(Language::zh, term.name.zh, i);
    for (const std::string& one : term.chinese) index(Language::zh, one, i);
  }
  for (auto& buckets : spellings_)
    for (auto& bucket : buckets)
      std::ranges::stable_sort(bucket, std::ranges::greater(), [](const Spelling& one) { return one.lower.size(); });
}

std::vector<TermPlace> Glossary::occurrences(Language language, std::string_view text) const {
  std::vector<TermPlace> places;
  const auto& buckets = spellings_[static_cast<size_t>(language)];
  for (size_t at = 0; at < text.size();) {
    const auto& bucket = buckets[byte_of(lower(text[at]))];
    const auto found = std::ranges::find_if(bucket, [&](const Spelling& one) { return matches(text, at, one.lower); });
    if (found == bucket.end()) {
      ++at;
      continue;
    }
    places.push_back({at, at + found->lower.size(), found->term});
    at = places.back().end;
  }
  return places;
}

}  // namespace tilescope
