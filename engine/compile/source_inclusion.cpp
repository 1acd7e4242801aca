#include "engine/compile/source_inclusion.hpp"

#include "engine/text_file.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

std::optional<SourceInclusion> inclusion_in(std::string_view text) {
  if (text.empty() || (text.front() != '"' && text.front() != '<')) return std::nullopt;
  const size_t close = text.find(text.front() == '<' ? '>' : '"', 1);
  if (close == std::string_view::npos) return std::nullopt;
  return SourceInclusion{std::string(text.substr(1, close - 1)), text.front() == '"', 0, close + 1};
}

/// `body` with `parameter` replaced by `argument`.
std::string with_argument(std::string_view body, std::string_view parameter, std::string_view argument) {
  std::string text;
  size_t done = 0;
  for (const SourceToken& token : source_tokens(body)) {
    if (!token.is(parameter)) continue;
    text.append(body, done, token.offset - done).append(argument);
    done = token.end();
  }
  return text.append(body.substr(done));
}

}  // namespace

std::vector<SourceInclusion> inclusions_of(std::span<const SourceToken> tokens, std::string_view text) {
  std::vector<SourceInclusion> inclusions;
  for (const SourceToken& token : tokens) {
    if (directive_name(token) != "include") continue;
    const std::string_view rest = directive_rest(token);
    auto inclusion = inclusion_in(rest);
    if (!inclusion) continue;
    inclusion->begin = static_cast<size_t>(rest.data() - text.data());
    inclusion->end += inclusion->begin;
    inclusions.push_back(std::move(*inclusion));
  }
  return inclusions;
}

std::vector<SourceInclusion> inclusions_by_macro(std::string_view directive_text,
                                                 std::span<const std::vector<SourceToken>* const> files,
                                                 std::span<const Define> defines) {
  const std::vector<SourceToken> call = source_tokens(directive_text);
  if (call.empty()) return {};
  const std::string_view name = call[0].text;
  std::vector<SourceInclusion> found;
  for (const Define& define : defines)
    if (auto inclusion = define.name == name ? inclusion_in(define.value) : std::nullopt)
      found.push_back(std::move(*inclusion));
  for (const std::vector<SourceToken>* tokens : files) {
    for (const SourceToken& token : *tokens) {
      if (directive_name(token) != "define") continue;
      const std::string_view definition = directive_rest(token);
      const std::vector<SourceToken> words = source_tokens(definition);
      if (words.empty() || words[0].text != name) continue;
      // NAME(x) <folder/x>, called with one word
      const bool called = call.size() == 4 && words.size() > 4 && words[1].is("(") && words[3].is(")");
      std::string_view body = definition.substr(called ? words[3].end() : words[0].end());
      body.remove_prefix(std::min(body.find_first_not_of(" \t"), body.size()));
      auto inclusion = inclusion_in(called ? with_argument(body, words[2].text, call[2].text) : std::string(body));
      if (!inclusion) return {};
      found.push_back(std::move(*inclusion));
    }
  }
  return found;
}

std::optional<std::string> read_text_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  return read_text(path);
}

std::optional<fs::path> find_header(const SourceInclusion& inclusion, const fs::path& includer,
                                    std::span<const std::string> folders) {
  std::error_code ignored;
  const fs::path beside = includer / inclusion.name;
  if (inclusion.quoted && !includer.empty() && fs::is_regular_file(beside, ignored)) return beside;
  for (const std::string& folder : folders)
    if (fs::is_regular_file(fs::path(folder) / inclusion.name, ignored)) return fs::path(folder) / inclusion.name;
  return std::nullopt;
}

std::string file_identity(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  return error ? fs::absolute(path, error).lexically_normal().string() : canonical.string();
}

}  // namespace tilescope
