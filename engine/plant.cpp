#include "engine/plant.hpp"

#include <algorithm>
#include <cctype>

namespace tilescope {
namespace {

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

size_t find_name(std::string_view text, std::string_view name, size_t from) {
  for (size_t at = text.find(name, from); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_part_of_name(text[at - 1])) && (end >= text.size() || !is_part_of_name(text[end]))) return at;
  }
  return std::string_view::npos;
}

/// Whether a definition may begin with the name at `at`: its line is not indented, unless a kernel's attributes are on
/// a separate line, and it is followed by its parameters or preceded by `struct`.
bool may_be_defined(std::string_view text, size_t at, std::string_view name) {
  const size_t line = text.rfind('\n', at) + 1;  // npos + 1 is the start of the text
  const std::string_view before = text.substr(line, at - line);
  if (before.starts_with("//")) return false;
  if (before.ends_with("struct ")) return true;
  const bool has_parameters = at + name.size() < text.size() && text[at + name.size()] == '(';
  const bool is_alone = before.find_first_not_of(' ') == std::string_view::npos && line >= 2 && text[line - 2] == ')';
  return has_parameters && (is_alone || (!before.empty() && before[0] != ' '));
}

/// Whether the name at `at` follows `def ` at the start of a line.
bool is_python_function(std::string_view text, size_t at) {
  constexpr std::string_view kDef = "def ";
  if (at < kDef.size() || text.substr(at - kDef.size(), kDef.size()) != kDef) return false;
  return at == kDef.size() || text[at - kDef.size() - 1] == '\n';
}

/// From `at` to the last line that belongs to a Python function: the next line that begins at the margin ends it,
/// unless it closes the list of parameters.
std::string_view python_function(std::string_view text, size_t at) {
  size_t end = std::min(text.find('\n', at), text.size());
  for (size_t line = end; line < text.size();) {
    const size_t next = std::min(text.find('\n', line + 1), text.size());
    const std::string_view content = text.substr(line + 1, next - line - 1);
    const bool is_blank = content.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!is_blank && content.front() != ' ' && content.front() != '\t' && content.front() != ')') break;
    if (!is_blank) end = next;
    line = next;
  }
  return text.substr(at, end - at);
}

}  // namespace

std::string_view definition_in(std::string_view text, std::string_view name) {
  for (size_t at = find_name(text, name, 0); at != std::string_view::npos; at = find_name(text, name, at + 1)) {
    if (is_python_function(text, at)) return python_function(text, at);
    if (!may_be_defined(text, at, name)) continue;
    const size_t body = text.find_first_of("{;", at);
    if (body == std::string_view::npos || text[body] == ';') continue;  // a declaration or a call
    const size_t line_end = std::min(text.find('\n', body), text.size());
    const size_t end = text[line_end - 1] == '}' ? line_end : text.find("\n}", body);
    return text.substr(at, end == std::string_view::npos ? end : end - at);
  }
  return {};
}

Result<std::string> plant(std::string text, std::span<const Plant> plants, const std::string& what) {
  for (const Plant& one : plants) {
    const std::string_view whole = text;
    const std::string_view part = one.in.empty() ? whole : definition_in(whole, one.in);
    const size_t at = part.find(one.replace);
    const bool is_there = !part.empty() && at != std::string_view::npos;
    if (!is_there || part.find(one.replace, at + 1) != std::string_view::npos)
      return fail(ErrorId::not_planted, what, one.replace, one.in.empty() ? Phrase("the file") : Phrase(one.in));
    text.replace(static_cast<size_t>(part.data() - whole.data()) + at, one.replace.size(), one.by);
  }
  return text;
}

}  // namespace tilescope
