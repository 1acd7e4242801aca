#include "engine/sim/ptx/source_lines.hpp"

#include <algorithm>

namespace tilescope {

bool is_toolkit_header(std::string_view path) {
  if (path.ends_with("__nv_nvrtc_builtin_header.h")) return true;  // built into NVRTC: texture functions
  const size_t include = path.find("/include/");
  if (include == std::string_view::npos) return path.find('/') == std::string_view::npos && path.starts_with("cuda_");
  // /usr/local/cuda-13.0/include, …/site-packages/nvidia/cuda_runtime/include, a distribution's /usr/include.
  const std::string_view folder = path.substr(0, include);
  return folder == "/usr" || folder.find("cuda") != std::string_view::npos ||
         folder.find("nvidia") != std::string_view::npos || path.find("/cccl/", include) != std::string_view::npos;
}

SourceLines::SourceLines(const PtxFunction& function) : function_(function) {
  // The first .loc is the function itself.
  if (!function.locations.empty()) own_file_ = function.locations[0].file;
  for (uint32_t i = 0; i < function.locations.size(); ++i) {
    const PtxLocation& location = function.locations[i];
    if (location.inlined) inlined_[{location.file, location.line, location.column}].push_back(i);
  }
}

uint32_t SourceLines::attributed(uint32_t location) const {
  while (location > 0 && function_.locations[location].line == 0) --location;
  return location;
}

SourceLine SourceLines::innermost(uint32_t location) const {
  if (location >= function_.locations.size()) return {own_file_, 0};
  const PtxLocation& at = function_.locations[attributed(location)];
  return {at.file, at.line};
}

SourceLine SourceLines::find(uint32_t location) const {
  constexpr int kDeepest = 64;
  if (location >= function_.locations.size()) return {own_file_, 0};
  const PtxLocation* at = &function_.locations[attributed(location)];
  const SourceLine innermost{at->file, at->line};
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (at->file == own_file_) return {at->file, at->line};
    if (at->inlined && at->at_file == own_file_) return {at->at_file, at->at_line};
    // The inlining location is itself inlined: an earlier .loc says where. The same lookup is used if the compiler
    // omitted where a piece of a header was inlined: an earlier .loc of the same piece has it.
    const auto outer = at->inlined ? inlined_.find({at->at_file, at->at_line, at->at_column})
                                   : inlined_.find({at->file, at->line, at->column});
    if (outer == inlined_.end()) break;
    const auto own = static_cast<uint32_t>(at - function_.locations.data());
    const auto before = std::lower_bound(outer->second.begin(), outer->second.end(), own);
    if (before == outer->second.begin()) break;
    at = &function_.locations[*(before - 1)];
  }
  return innermost;
}

}  // namespace tilescope
