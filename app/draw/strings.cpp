#include "app/draw/strings.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "app/draw/glossary.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

using Table = std::unordered_map<std::string, std::string>;

void flatten(const toml::table& table, const std::string& prefix, Table& out) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table())
      flatten(*inner, name, out);
    else if (const auto text = node.value<std::string>())
      out.emplace(name, *text);
  }
}

Result<Table> read(const std::filesystem::path& file) {
  try {
    Table out;
    flatten(toml::parse_file(file.string()), "", out);
    return out;
  } catch (const toml::parse_error& error) {
    return fail(ErrorId::file_not_found, file.string(),
                phrase("line {}: {}", error.source().begin.line, error.description()));
  }
}

}  // namespace

Result<Strings> Strings::load(const std::filesystem::path& folder) {
  auto english = read(folder / "en.toml");
  if (!english) return tl::unexpected(english.error());
  auto chinese = read(folder / "zh.toml");
  if (!chinese) return tl::unexpected(chinese.error());
  auto messages = Messages::load(folder / "zh-messages.toml");
  if (!messages) return tl::unexpected(messages.error());
  auto glossary = Glossary::load(folder / "glossary.toml");
  if (!glossary) return tl::unexpected(glossary.error());
  Strings strings;
  strings.glossary_ = std::make_shared<const Glossary>(std::move(*glossary));
  strings.chinese_messages_ = std::move(*messages);
  strings.english_ = std::move(*english);
  strings.chinese_ = std::move(*chinese);
  return strings;
}

const std::string& Strings::operator()(std::string_view key) const {
  const std::string name(key);
  const Table& first = language == Language::en ? english_ : chinese_;
  const Table& second = language == Language::en ? chinese_ : english_;
  for (const Table* table : {&first, &second})
    if (const auto found = table->find(name); found != table->end()) return found->second;
  return missing_.try_emplace(name, name).first->second;
}

std::string Strings::format(std::string_view key,
                            const std::vector<std::pair<std::string, std::string>>& places) const {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const auto& [name, value] : places) arguments.push_back(fmt::arg(name.c_str(), value));
  return filled((*this)(key), arguments);
}

std::string Strings::filled(const std::string& text, fmt::format_args arguments) {
  try {
    return fmt::vformat(text, arguments);
  } catch (const fmt::format_error&) {
    return text;
  }
}

std::string Strings::say(const Phrase& phrase) const {
  return language == Language::en ? phrase.english() : chinese_messages_.say(phrase);
}

std::string Strings::message(const Error& error) const {
  return language == Language::en || error.what.empty() ? error.message : say(error.what);
}

std::string Strings::hint(const Error& error) const {
  return language == Language::en || error.advice.empty() ? error.hint : say(error.advice);
}

std::string Strings::finding_name(std::string_view id) const {
  return language == Language::en ? std::string(id) : chinese_messages_.finding(id);
}

std::string Strings::note(std::string_view text) const {
  return language == Language::en ? std::string(text) : chinese_messages_.note(text);
}

std::vector<std::string> Strings::unpaired() const {
  std::vector<std::string> keys;
  for (const auto& [key, text] : english_)
    if (!chinese_.contains(key)) keys.push_back(key);
  for (const auto& [key, text] : chinese_)
    if (!english_.contains(key)) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string rate_text(double per_second) {
  static constexpr const char* kPrefixes[] = {"", " k", " M", " G", " T"};
  size_t prefix = 0;
  while (per_second >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    per_second /= 1000;
    ++prefix;
  }
  return fmt::format("{:.{}f}{}", per_second, prefix > 0 && per_second < 9.95 ? 1 : 0, kPrefixes[prefix]);
}

std::string short_number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e9) return with_separators(static_cast<int64_t>(value));
  std::string text = fmt::format("{:.4g}", value);
  const size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  size_t digit = exponent + 2;
  while (digit + 1 < text.size() && text[digit] == '0') text.erase(digit, 1);
  if (text[exponent + 1] == '+') text.erase(exponent + 1, 1);
  return text;
}

std::string milliseconds_text(double milliseconds) {
  if (milliseconds <= 0) return "0 ms";
  const auto with_figures = [](double value, const char* unit) {
    return fmt::format("{:.{}f} {}", value, value < 99.95 ? 1 : 0, unit);
  };
  if (milliseconds < 0.009995) return fmt::format("{:.2f} µs", milliseconds * 1000);  // ratios are computed from these
  if (milliseconds < 1) return with_figures(milliseconds * 1000, "µs");
  if (milliseconds < 99.95) return fmt::format("{:.{}f} ms", milliseconds, milliseconds < 9.95 ? 1 : 0);
  if (milliseconds < 10000) return with_separators(std::llround(milliseconds)) + " ms";
  return with_figures(milliseconds / 1000, "s");
}

}  // namespace tilescope
