// #include directives, and the files that they mean.
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
  size_t begin = 0, end = 0;  // bytes of the source: the name with what encloses it
};

/// Those of all branches of conditionals. One that a macro names is passed over.
std::vector<SourceInclusion> inclusions_of(std::span<const SourceToken> tokens, std::string_view text);

/// What a directive that names its header by a macro may mean, by the definitions of that macro in `files` and what
/// `defines` say (name and value); empty: unknown.
std::vector<SourceInclusion> inclusions_by_macro(std::string_view directive_text,
                                                 std::span<const std::vector<SourceToken>* const> files,
                                                 std::span<const Define> defines);

/// Nothing where there is no such file.
std::optional<std::string> read_text_file(const std::filesystem::path& path);

/// The file that `inclusion` means in a file of the folder `includer`: a quoted name is looked for there first, then
/// both kinds in `folders`, in order.
std::optional<std::filesystem::path> find_header(const SourceInclusion& inclusion,
                                                 const std::filesystem::path& includer,
                                                 std::span<const std::string> folders);

/// What two names of one file have in common, through links and "..".
std::string file_identity(const std::filesystem::path& path);

}  // namespace tilescope
