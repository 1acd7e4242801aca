#include "engine/compile/python_parts.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace tilescope {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view word_at(std::string_view text) {
  size_t end = 0;
  if (!text.empty() && starts_word(text.front()))
    while (end < text.size() && continues_word(text[end])) ++end;
  return text.substr(0, end);
}

std::string_view without_spaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// Reads lines one after the other: brackets and strings that stay open, and the names outside of strings and comments.
class LineScanner {
 public:
  /// Whether the next line continues a bracket or a string.
  bool is_inside() const { return depth_ > 0 || !quote_.empty(); }

  template <class Take>
  void scan(std::string_view line, Take take_word) {
    for (size_t at = 0; at < line.size();) {
      const std::string_view rest = line.substr(at);
      if (!quote_.empty()) {
        at += step_in_string(rest);
      } else if (rest.front() == '#') {
        return;
      } else if (rest.front() == '"' || rest.front() == '\'') {
        const bool is_long = rest.size() >= 3 && rest[1] == rest[0] && rest[2] == rest[0];
        quote_ = rest.substr(0, is_long ? 3 : 1);
        at += quote_.size();
      } else if (starts_word(rest.front())) {
        const std::string_view word = word_at(rest);
        const bool is_member = at > 0 && line[at - 1] == '.';
        if (!is_member) take_word(word);
        at += word.size();
      } else {
        depth_ += rest.front() == '(' || rest.front() == '[' || rest.front() == '{' ? 1 : 0;
        depth_ -= rest.front() == ')' || rest.front() == ']' || rest.front() == '}' ? 1 : 0;
        ++at;
      }
    }
    if (quote_.size() == 1) quote_ = {};  // a string in single quotes ends with its line
  }

 private:
  size_t step_in_string(std::string_view rest) {
    if (rest.front() == '\\') return 2;
    if (!rest.starts_with(quote_)) return 1;
    const size_t size = quote_.size();
    quote_ = {};
    return size;
  }

  int depth_ = 0;
  std::string quote_;
};

std::vector<std::string_view> line_views_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// What a statement at the start of a line defines; no name: nothing.
PythonDefinition defined_by(std::string_view line) {
  PythonDefinition found;
  const std::string_view first = word_at(line);
  const std::string_view rest = without_spaces(line.substr(first.size()));
  if (first == "def" || first == "class") {
    found.kind = first == "def" ? PythonDefinition::Kind::function : PythonDefinition::Kind::type;
    found.name = word_at(rest);
  } else if (!first.empty() && (rest.starts_with(":") || (rest.starts_with("=") && !rest.starts_with("==")))) {
    static constexpr std::string_view kBlocks[] = {"try", "else", "finally"};
    if (std::ranges::find(kBlocks, first) != std::end(kBlocks)) return found;
    found.kind = PythonDefinition::Kind::constant;
    found.name = first;
  }
  return found;
}

class DefinitionReader {
 public:
  explicit DefinitionReader(std::string_view text) : lines_(line_views_of(text)) {}

  std::vector<PythonDefinition> read() {
    for (uint32_t number = 1; number <= lines_.size(); ++number) take(number);
    end_statement();
    return std::move(found_);
  }

 private:
  void take(uint32_t number) {
    const std::string_view line = lines_[number - 1];
    const bool inside = scanner_.is_inside();
    scanner_.scan(line, [](std::string_view) {});
    const bool blank = without_spaces(line).empty();
    if (inside || (!blank && (line.front() == ' ' || line.front() == '\t'))) {
      if (!blank) last_ = number;
      return;
    }
    if (blank) {
      head_ = 0;
      return;
    }
    if (line.front() == '#' || line.front() == '@') {
      end_statement();
      if (head_ == 0) head_ = number;
      return;
    }
    end_statement();
    current_ = defined_by(line);
    current_.first_line = head_ != 0 ? head_ : number;
    current_.line = last_ = number;
    head_ = 0;
  }

  void end_statement() {
    if (!current_.name.empty()) {
      current_.last_line = last_;
      found_.push_back(current_);
    }
    current_ = {};
  }

  std::vector<std::string_view> lines_;
  LineScanner scanner_;
  uint32_t head_ = 0;  // first line of the comments and decorators above; 0: none
  uint32_t last_ = 0;  // last line of the statement so far
  PythonDefinition current_;
  std::vector<PythonDefinition> found_;
};

UsedPart part_of(const PythonDefinition& definition, std::span<const std::string> kernels) {
  UsedPart part{.name = definition.name, .first_line = definition.first_line, .last_line = definition.last_line};
  if (std::ranges::find(kernels, definition.name) != kernels.end())
    part.kind = UsedPart::Kind::kernel;
  else if (definition.kind == PythonDefinition::Kind::type)
    part.kind = UsedPart::Kind::type;
  else if (definition.kind == PythonDefinition::Kind::constant)
    part.kind = UsedPart::Kind::constant;
  return part;
}

}  // namespace

std::vector<PythonDefinition> python_definitions(std::string_view text) { return DefinitionReader(text).read(); }

std::vector<UsedPart> used_python_parts(std::string_view text, std::span<const std::string> kernels) {
  const std::vector<PythonDefinition> definitions = python_definitions(text);
  const std::vector<std::string_view> lines = line_views_of(text);
  std::set<std::string, std::less<>> used(kernels.begin(), kernels.end());
  for (size_t before = 0; before != used.size();) {
    before = used.size();
    for (const PythonDefinition& one : definitions) {
      if (!used.contains(one.name)) continue;
      LineScanner scanner;
      for (uint32_t line = one.first_line; line <= one.last_line; ++line)
        scanner.scan(lines[line - 1], [&](std::string_view word) {
          if (std::ranges::find(definitions, word, &PythonDefinition::name) != definitions.end()) used.emplace(word);
        });
    }
  }
  std::vector<UsedPart> parts;
  for (const PythonDefinition& one : definitions)
    if (used.contains(one.name)) parts.push_back(part_of(one, kernels));
  return parts;
}

}  // namespace tilescope
