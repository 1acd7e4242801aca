// The name under which a compilation is cached: a hash of everything that its result depends on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/compiler.hpp"

namespace tilescope {

/// The folders searched for #include "…" and <…>: the source's own, then the request's.
std::vector<std::string> include_folders_of(const CompileRequest& request);

/// Hash of the source, its name, the text of every header it may include from its folders (whether or not the
/// preprocessor takes that branch), the defines, the targets, and `compiler` (NVRTC's version, options and path of the
/// toolkit's headers, which are not read). Nothing where a header is named by a macro, since it cannot be known.
std::optional<std::string> cache_key_of(const CompileRequest& request, std::string_view compiler);

}  // namespace tilescope
