// #include directives and the files that they refer to.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/source_tokens.hpp"
#include "engine/plan.hpp"

namespace tilescope {

struct SourceInclusion {
  std::string name;
  bool quoted = false;        // "name", not <name>
  size_t begin = 0, end = 0;  // bytes of the source: the name with its delimiters
};

/// The directives in all branches of conditionals. A directive whose name is a macro is skipped.
std::vector<SourceInclusion> inclusions_of(std::span<const SourceToken> tokens, std::string_view text);

/// The headers that a directive with a macro name may refer to, by the definitions of that macro in `files` and in
/// `defines` (name and value); empty: unknown.
std::vector<SourceInclusion> inclusions_by_macro(std::string_view directive_text,
                                                 std::span<const std::vector<SourceToken>* const> files,
                                                 std::span<const Define> defines);

/// Nothing if there is no such file.
std::optional<std::string> read_text_file(const std::filesystem::path& path);

/// The file that `inclusion` refers to from a file in the folder `includer`: a quoted name is searched there first,
/// then both kinds in `folders`, in order.
std::optional<std::filesystem::path> find_header(const SourceInclusion& inclusion,
                                                 const std::filesystem::path& includer,
                                                 std::span<const std::string> folders);

/// The same text for all names of one file, across links and "..".
std::string file_identity(const std::filesystem::path& path);

}  // namespace tilescope
