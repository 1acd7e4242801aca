#include "app/draw/sentences.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tilescope {
namespace {

/// The phrase that a text begins with: if its form begins with a placeholder, the placeholder's phrase.
const Phrase& beginning_of(const Phrase& phrase) {
  const Phrase* first = &phrase;
  while (!first->places().empty() && first->form().starts_with("{}")) first = &first->places().front();
  return *first;
}

/// A file, a parameter or a kernel keeps its case; a word of a sentence does not.
bool begins_with_word(const Phrase& phrase) {
  const Phrase& first = beginning_of(phrase);
  const std::string& text = first.form();
  const size_t end = std::min(text.find(' '), text.size());
  // "read of 4 bytes at a+4096", which begins with no name.
  const bool is_verb = !first.is_name() && (text == "read" || text == "write" || text == "atomic");
  const bool is_name = end == text.size() && &first != &phrase && !is_verb;
  return !is_name && std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(end),
                                 [](char letter) { return letter >= 'a' && letter <= 'z'; });
}

std::string finished(const Strings& strings, std::string text, bool begins_with_word) {
  if (text.empty()) return text;
  if (strings.language == Language::en) {
    if (begins_with_word) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text.back() == '.' ? text : text + '.';
  }
  for (const std::string_view end : {"。", "！", "？", "."})
    if (text.ends_with(end)) return text;
  return text + "。";
}

}  // namespace

std::string sentence(const Strings& strings, const Phrase& phrase) {
  return finished(strings, strings.say(phrase), begins_with_word(phrase));
}

std::string sentence(const Strings& strings, const Error& error) {
  return sentence(strings, error.what.empty() ? Phrase::translatable(error.message) : error.what);
}

std::string as_sentence(const Strings& strings, const Error& error) {
  std::string what = sentence(strings, error);
  const std::string hint = strings.hint(error);
  if (hint.empty()) return what;
  return strings.language == Language::en ? what + " " + hint : what + hint;
}

Phrase meaning_of(const std::string& library, std::string_view reason) {
  const auto has = [&](std::string_view words) { return reason.find(words) != std::string_view::npos; };
  if (has("has no plan for this operation")) return phrase("{} has no plan for this operation at this shape", library);
  if (has("CUDNN_STATUS_")) return phrase("{} refuses this shape", library);
  if (has("out of memory") || has("OutOfMemory")) return phrase("{} needs more memory than the GPU has free", library);
  if (has("No module named") || has("ModuleNotFoundError")) return phrase("{} is not installed", library);
  // "RuntimeError: …": Python's exception name precedes its text.
  const std::string_view kind = reason.substr(0, reason.find(": "));
  if (kind.ends_with("Error") || kind.ends_with("Exception")) return phrase("{} failed on this machine", library);
  return {};
}

std::string finding_name(const Strings& strings, std::string_view id) { return strings.finding_name(id); }

const std::string& finding_meaning(const Strings& strings, std::string_view id) {
  return strings("finding." + std::string(id));
}

std::string finding_text(const Strings& strings, const Finding& finding) {
  std::string text = strings.say(sentence_of(finding));
  for (const std::string* file : {&finding.file, &finding.other_file, &finding.header_file, &finding.other_header_file})
    text = with_short_name(std::move(text), *file);
  return text;
}

Phrase facts_of(const Finding& finding) {
  return finding.other.empty() ? finding.what : phrase("{}, and {}", finding.what, finding.other);
}

std::string with_short_name(std::string text, const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  if (name.empty() || name == file) return text;
  for (size_t at = text.find(file); at != std::string::npos; at = text.find(file, at + name.size()))
    text.replace(at, file.size(), name);
  return text;
}

}  // namespace tilescope
