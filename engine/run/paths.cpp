#include "engine/run/paths.hpp"

#include <cstdlib>

namespace tilescope {
namespace {

bool is_root(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::is_directory(folder / "kernels", ignored) &&
         std::filesystem::is_directory(folder / "assets", ignored);
}

}  // namespace

std::filesystem::path find_root() {
  if (const char* chosen = std::getenv("TILESCOPE_ROOT"); chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (is_root(folder)) return folder;
  if (auto installed = program.parent_path().parent_path() / "share" / "tilescope"; is_root(installed))
    return installed;
  return {};
}

std::filesystem::path user_cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::filesystem::path(cache) / "tilescope";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::filesystem::path(home) / ".cache" / "tilescope";
  return {};
}

}  // namespace tilescope
