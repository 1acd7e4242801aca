// The headers beside a kernel's file: much of a kernel may stand there. Their texts, what their lines moved, and which
// lines of the file brought that about. Facts only; source_pages.cpp draws them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/observed/source_model.hpp"

namespace tilescope {

struct SourceHeader {
  std::string name;  // as it is included
  std::string path;
  std::string text;
  bool operator==(const SourceHeader&) const = default;
};

/// What a text includes in quotes, directly or through each other, in the order in which a compiler meets them, each
/// once. Looked for in `folder`, then in `folders`; what is in none of them is left out.
std::vector<SourceHeader> headers_of(std::string_view text, const std::filesystem::path& folder,
                                     std::span<const std::string> folders);

/// What lines of a header moved where the kernel's file has called them; a file agrees when its name does.
Ledger ledger_of_header(const RunResult& result, std::string_view header);
/// Lines of the kernel's file that brought an access on that line of the header about, ascending.
std::vector<uint32_t> callers_of(const RunResult& result, std::string_view header, uint32_t line);
/// Lines of the header with accesses that a line of the kernel's file has brought about.
std::set<uint32_t> lines_called_by(const RunResult& result, std::string_view header, uint32_t caller);

/// A file and its headers as one text, for what looks at all of them.
class JoinedSource {
 public:
  JoinedSource(std::string text, std::span<const SourceHeader> headers);

  struct Place {
    std::optional<size_t> header;  // index; none: the file itself
    uint32_t line = 0;             // 1-based
  };
  const std::string& text() const { return text_; }
  std::vector<std::string> lines() const;
  Place place_of(uint32_t line) const;

 private:
  std::string text_;
  std::vector<uint32_t> first_lines_;  // for each header, in the whole
};

}  // namespace tilescope
