#include "app/panels/source/source_headers.hpp"

#include <algorithm>

#include "app/session/file_watch.hpp"
#include "engine/compile/source_tokens.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> quoted_inclusions(std::string_view text) {
  std::vector<std::string> names;
  for (const SourceToken& token : source_tokens(text)) {
    if (directive_name(token) != "include") continue;
    const std::string_view rest = directive_rest(token);
    if (rest.empty() || rest.front() != '"') continue;
    if (const size_t close = rest.find('"', 1); close != std::string_view::npos)
      names.emplace_back(rest.substr(1, close - 1));
  }
  return names;
}

void add_headers(std::string_view text, const fs::path& folder, std::span<const std::string> folders,
                 std::set<std::string>& seen, std::vector<SourceHeader>& headers) {
  for (const std::string& name : quoted_inclusions(text)) {
    std::vector<fs::path> candidates{folder};
    candidates.insert(candidates.end(), folders.begin(), folders.end());
    for (const fs::path& candidate : candidates) {
      const fs::path path = (candidate / name).lexically_normal();
      auto found = read_source_file(path);
      if (!found) continue;
      if (!seen.insert(path.string()).second) break;
      // What it includes itself comes before it, as the compiler sees them.
      add_headers(*found, path.parent_path(), folders, seen, headers);
      headers.push_back({name, path.string(), std::move(*found)});
      break;
    }
  }
}

bool lies_in(const Site& site, std::string_view header) {
  return site.origin_line != 0 && file_name_of(site.origin_file) == file_name_of(header);
}

uint32_t count_lines(std::string_view text) { return static_cast<uint32_t>(std::ranges::count(text, '\n')); }

}  // namespace

std::vector<SourceHeader> headers_of(std::string_view text, const fs::path& folder,
                                     std::span<const std::string> folders) {
  std::vector<SourceHeader> headers;
  std::set<std::string> seen;
  add_headers(text, folder, folders, seen, headers);
  return headers;
}

Ledger ledger_of_header(const RunResult& result, std::string_view header) {
  Ledger ledger;
  for (const SiteCount& count : result.traffic.sites) {
    const Site& site = result.trace.sites[count.site];
    if (site.space == Space::global && lies_in(site, header))
      ledger.add(site.origin_line, site.kind, count.requests, count.sectors, count.useful_bytes);
  }
  return ledger;
}

std::vector<uint32_t> callers_of(const RunResult& result, std::string_view header, uint32_t line) {
  std::set<uint32_t> callers;
  for (const Site& site : result.trace.sites)
    if (site.line != 0 && site.origin_line == line && lies_in(site, header)) callers.insert(site.line);
  return {callers.begin(), callers.end()};
}

std::set<uint32_t> lines_called_by(const RunResult& result, std::string_view header, uint32_t caller) {
  std::set<uint32_t> lines;
  for (const Site& site : result.trace.sites)
    if (site.line == caller && lies_in(site, header)) lines.insert(site.origin_line);
  return lines;
}

JoinedSource::JoinedSource(std::string text, std::span<const SourceHeader> headers) : text_(std::move(text)) {
  uint32_t next = count_lines(text_) + 2;  // the last line of each text is ended
  for (const SourceHeader& header : headers) {
    first_lines_.push_back(next);
    text_ += '\n' + header.text;
    next += count_lines(header.text) + 1;
  }
}

std::vector<std::string> JoinedSource::lines() const {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin <= text_.size();) {
    const size_t end = std::min(text_.find('\n', begin), text_.size());
    lines.push_back(text_.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

JoinedSource::Place JoinedSource::place_of(uint32_t line) const {
  const auto after = std::ranges::upper_bound(first_lines_, line);
  if (after == first_lines_.begin()) return {std::nullopt, line};
  return {static_cast<size_t>(after - first_lines_.begin()) - 1, line - *(after - 1) + 1};
}

}  // namespace tilescope
