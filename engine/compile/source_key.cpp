#include "engine/compile/source_key.hpp"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Raised whenever what is stored, or how it is made, changes.
constexpr std::string_view format_number = "tilescope-module-1";

/// Fields are hashed with their length in front, so that "ab" + "c" and "a" + "bc" differ.
class FieldHash {
 public:
  FieldHash() { sha256_init(&state_); }
  void add(std::string_view field) {
    const std::string length = fmt::format("{}:", field.size());
    update(length);
    update(field);
  }
  std::string hex() {
    std::array<uint8_t, SHA256_DIGEST_SIZE> digest = {};
    sha256_digest(&state_, digest.size(), digest.data());
    std::string text;
    for (const uint8_t byte : digest) text += fmt::format("{:02x}", byte);
    return text;
  }
  void update(std::string_view bytes) {
    sha256_update(&state_, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
  }

 private:
  sha256_ctx state_ = {};
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
                 std::set<fs::path>& seen, FieldHash& hash) {
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
      hash.add(candidate.string());
      hash.add(*header);
      if (!add_headers(*header, candidate.parent_path(), folders, seen, hash)) return false;
      break;
    }
  }
  return true;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  FieldHash hash;
  hash.update(bytes);
  return hash.hex();
}

std::vector<std::string> include_folders_of(const CompileRequest& request) {
  std::vector<std::string> folders;
  std::error_code ignored;
  if (fs::exists(request.file, ignored)) {
    const fs::path own = fs::path(request.file).parent_path();
    folders.push_back(own.empty() ? "." : own.string());
  }
  folders.insert(folders.end(), request.include_folders.begin(), request.include_folders.end());
  return folders;
}

std::optional<std::string> cache_key_of(const CompileRequest& request, std::string_view compiler) {
  FieldHash hash;
  hash.add(format_number);
  hash.add(compiler);
  hash.add(request.ptx_target);
  hash.add(request.cubin_target);
  hash.add(request.want_cubin ? "cubin" : "");
  hash.add(fmt::format("{} defines", request.defines.size()));
  for (const Define& define : request.defines) {
    hash.add(define.name);
    hash.add(define.value);
  }
  const std::vector<std::string> folders = include_folders_of(request);
  hash.add(fmt::format("{} folders", folders.size()));
  for (const std::string& folder : folders) hash.add(folder);
  hash.add(request.file);
  hash.add(request.text);
  std::set<fs::path> seen;
  if (!add_headers(request.text, {}, folders, seen, hash)) return std::nullopt;
  return hash.hex();
}

}  // namespace tilescope
