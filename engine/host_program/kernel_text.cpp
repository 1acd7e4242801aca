#include "engine/host_program/kernel_text.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "engine/compile/kernel_names.hpp"
#include "engine/compile/source_inclusion.hpp"
#include "engine/compile/source_parts.hpp"
#include "engine/compile/source_tokens.hpp"
#include "engine/compile/used_parts.hpp"
#include "engine/host_program/conditionals.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// "include" of "#  include <x>"; empty for a line that is no directive.
std::string_view directive_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("#")) return {};
  line = trimmed(line.substr(1));
  return line.substr(0, std::min(line.find_first_of(" \t<\"("), line.size()));
}

bool is_comment(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("//");
}

/// Pastes headers in, each once, in the order in which the compiler reads them.
class Joiner {
 public:
  Joiner(const Plan& plan, const fs::path& kernels_folder) : plan_(plan), folders_(plan.include_folders) {
    folders_.push_back(kernels_folder.string());
  }

  /// `is_header`: its constants become inline, for not every rung uses them all.
  void add(const std::string& text, const fs::path& folder, bool is_header) {
    std::vector<std::string> lines = lines_of(text);
    size_t begin = 0;  // the comment at the top speaks of the whole file
    while (begin < lines.size() && is_comment(lines[begin])) ++begin;
    for (size_t i = begin; i < lines.size(); ++i) {
      const std::string_view directive = directive_of(lines[i]);
      if (directive == "pragma" && lines[i].find("once") != std::string::npos) continue;
      if (directive == "include" && take_inclusion(lines[i], folder)) continue;
      joined += (is_header && lines[i].starts_with("constexpr ") ? "inline " : "") + lines[i] + "\n";
    }
    joined += "\n";
  }

  std::string joined;

 private:
  /// Whether something else has taken the directive's place.
  bool take_inclusion(const std::string& line, const fs::path& folder) {
    const std::vector<SourceToken> tokens = source_tokens(line);
    const auto found = inclusions_of(tokens, line);
    if (found.empty() || !found.front().quoted) return false;
    const auto file = find_header(found.front(), folder, folders_);
    if (!file) return false;
    if (!seen_.insert(file_identity(*file)).second) return true;
    for (const SourceFile& replaced : plan_.headers)
      if (file_identity(replaced.file) == file_identity(*file)) {
        add(replaced.text, file->parent_path(), true);
        return true;
      }
    auto text = read_text_file(*file);
    if (!text) return false;
    add(*text, file->parent_path(), true);
    return true;
  }

  const Plan& plan_;
  std::vector<std::string> folders_;
  std::set<std::string> seen_;
};

void mark(std::vector<bool>& lines, uint32_t first, uint32_t last) {
  for (uint32_t line = first; line <= last && line <= lines.size(); ++line) lines[line - 1] = true;
}

/// Removes #if … #endif groups, and their branches, that hold nothing but directives and blank lines.
void drop_empty_conditionals(std::vector<std::string>& lines) {
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (size_t i = 0; i < lines.size() && !dropped; ++i) {
      if (!directive_of(lines[i]).starts_with("if")) continue;
      size_t end = i + 1;
      while (end < lines.size()) {
        const std::string_view directive = directive_of(lines[end]);
        if (directive != "else" && directive != "elif" && !trimmed(lines[end]).empty()) break;
        ++end;
      }
      if (end == lines.size() || directive_of(lines[end]) != "endif") continue;
      lines.erase(lines.begin() + static_cast<ptrdiff_t>(i), lines.begin() + static_cast<ptrdiff_t>(end) + 1);
      dropped = true;
    }
  }
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  bool blank = true;  // also drops blank lines at the top
  for (const std::string& line : lines) {
    const bool empty = trimmed(line).empty();
    if (!empty || !blank) text += line + "\n";
    blank = empty;
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

/// Takes the #include directives of system headers out of the text, except those in conditionals.
std::vector<std::string> take_system_headers(std::string& text) {
  std::vector<std::string> headers;
  std::string rest;
  int depth = 0;  // of conditionals
  for (const std::string& line : lines_of(text)) {
    const std::string_view directive = directive_of(line);
    if (directive.starts_with("if")) ++depth;
    if (directive == "endif") --depth;
    const size_t open = line.find('<'), close = line.find('>');
    if (depth > 0 || directive != "include" || open == std::string::npos || close == std::string::npos) {
      rest += line + "\n";
      continue;
    }
    const std::string name = line.substr(open + 1, close - open - 1);
    if (std::ranges::find(headers, name) == headers.end()) headers.push_back(name);
  }
  text = std::move(rest);
  return headers;
}

/// What the kernels use of the plan's defines and of the text, with the directives around it.
KernelText used_text(const Plan& plan, const std::string& body, const std::vector<std::string>& kernels) {
  std::string text;
  for (const Define& define : plan.defines) text += "#define " + define.name + " " + define.value + "\n";
  text += body;
  const std::vector<std::string> lines = lines_of(text);
  std::vector<bool> declared(lines.size()), used(lines.size()), directive(lines.size());
  for (const SourcePart& part : parts_of_source(text).parts)
    if (!part.is_member) mark(declared, part.first_line, part.last_line);
  for (const UsedPart& part : used_parts(text, kernels)) mark(used, part.first_line, part.last_line);
  // A conditional that is left may test any macro.
  const bool has_conditionals =
      std::ranges::any_of(lines, [](const std::string& line) { return directive_of(line).starts_with("if"); });
  KernelText result;
  const size_t first = plan.defines.size();
  for (size_t i = 0; i < first; ++i)
    if (used[i] || has_conditionals) result.defines.push_back(plan.defines[i]);
  std::vector<std::string> kept;
  for (size_t i = first; i < lines.size(); ++i) {
    const bool continues = i > 0 && directive[i - 1] && lines[i - 1].ends_with("\\");
    const std::string_view name = directive_of(lines[i]);
    directive[i] = continues || (!name.empty() && (name != "define" || has_conditionals));
    const bool loose = !is_comment(lines[i]) && name != "define" && !continues;
    if (used[i] || (!declared[i] && (directive[i] || loose))) kept.push_back(lines[i]);
  }
  drop_empty_conditionals(kept);
  result.text = joined_lines(kept);
  return result;
}

}  // namespace

KernelText kernel_text(const Plan& plan, const fs::path& root, const fs::path& kernels_folder) {
  Joiner joiner(plan, kernels_folder);
  joiner.add(plan.source_text, (root / plan.source_file).parent_path(), false);
  std::vector<std::string> kernels;
  for (const Launch& launch : plan.launches) kernels.push_back(kernel_name(launch.kernel));
  Macros macros;
  for (const Define& define : plan.defines) macros[define.name] = define.value;
  std::string text = resolve_conditionals(joiner.joined, std::move(macros), plan.from_lab);
  std::vector<std::string> system_headers = take_system_headers(text);
  KernelText result = used_text(plan, text, kernels);
  result.system_headers = std::move(system_headers);
  return result;
}

}  // namespace tilescope
