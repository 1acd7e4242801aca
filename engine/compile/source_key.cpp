#include "engine/compile/source_key.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/sha256.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Raised whenever what is stored, or how it is made, changes.
constexpr std::string_view kFormat = "tilescope-module-2";

/// What is hashed: fields with their length in front, so that "ab" + "c" and "a" + "bc" differ.
class Fields {
 public:
  void add(std::string_view field) {
    text_ += fmt::format("{}:", field.size());
    text_ += field;
  }
  std::string hash() const { return sha256_of(text_); }

 private:
  std::string text_;
};

struct Inclusion {
  std::string name;
  bool quoted = false;
};

/// The headers a text names; nothing where one is named by a macro.
std::optional<std::vector<Inclusion>> inclusions_of(std::string_view text) {
  std::vector<Inclusion> inclusions;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const auto skip_blanks = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip_blanks();
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) continue;
    line.remove_prefix(7);
    skip_blanks();
    if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::nullopt;
    const char closing = line.front() == '<' ? '>' : '"';
    const size_t close = line.find(closing, 1);
    if (close != std::string_view::npos) inclusions.push_back({std::string(line.substr(1, close - 1)), closing == '"'});
  }
  return inclusions;
}

std::optional<std::string> read_text(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!(text << file.rdbuf()) && file.peek() != std::ifstream::traits_type::eof()) return std::nullopt;
  return std::move(text).str();
}

/// Adds the text of every header that is reached from `text`; false where one is named by a macro.
bool add_headers(std::string_view text, const fs::path& own_folder, const std::vector<std::string>& folders,
                 std::set<fs::path>& seen, Fields& fields) {
  const auto inclusions = inclusions_of(text);
  if (!inclusions) return false;
  for (const Inclusion& inclusion : *inclusions) {
    std::vector<fs::path> candidates;
    if (inclusion.quoted && !own_folder.empty()) candidates.push_back(own_folder / inclusion.name);
    for (const std::string& folder : folders) candidates.push_back(fs::path(folder) / inclusion.name);
    for (const fs::path& candidate : candidates) {
      const auto header = read_text(candidate);
      if (!header) continue;
      if (!seen.insert(candidate.lexically_normal()).second) break;
      fields.add(candidate.string());
      fields.add(*header);
      if (!add_headers(*header, candidate.parent_path(), folders, seen, fields)) return false;
      break;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> include_folders_of(const CompileRequest& request) {
  std::vector<std::string> folders;
  std::error_code ignored;
  const fs::path own = fs::path(request.file).parent_path();
  if (own.empty() || fs::is_directory(own, ignored)) folders.push_back(own.empty() ? "." : own.string());
  folders.insert(folders.end(), request.include_folders.begin(), request.include_folders.end());
  return folders;
}

std::optional<std::string> cache_key_of(const CompileRequest& request, std::string_view compiler) {
  Fields fields;
  fields.add(kFormat);
  fields.add(compiler);
  fields.add(request.ptx_target);
  fields.add(request.cubin_target);
  fields.add(request.want_cubin ? "cubin" : "");
  fields.add(fmt::format("-O{}", request.assembler_level));
  fields.add(fmt::format("{} defines", request.defines.size()));
  for (const Define& define : request.defines) {
    fields.add(define.name);
    fields.add(define.value);
  }
  fields.add(fmt::format("{} expressions", request.kernel_expressions.size()));
  for (const std::string& expression : request.kernel_expressions) fields.add(expression);
  const std::vector<std::string> folders = include_folders_of(request);
  fields.add(fmt::format("{} folders", folders.size()));
  for (const std::string& folder : folders) fields.add(folder);
  fields.add(request.file);
  fields.add(request.text);
  std::set<fs::path> seen;
  if (!add_headers(request.text, {}, folders, seen, fields)) return std::nullopt;
  return fields.hash();
}

}  // namespace tilescope
