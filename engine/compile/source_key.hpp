// The cache key of a compilation: a hash of everything that its result depends on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/compiler.hpp"

namespace tilescope {

/// The folder of the source; empty if it has none.
std::string source_folder_of(const CompileRequest& request);

/// The folders searched for #include "…" and <…>: the source's own, then the request's.
std::vector<std::string> include_folders_of(const CompileRequest& request);

/// Hash of the request and of `compiler`: NVRTC's version, the path of the toolkit's headers (whose contents are not
/// read), and the hash of the headers whose contents are read (DeviceSource::hash).
std::string cache_key_of(const CompileRequest& request, std::string_view compiler);

}  // namespace tilescope
