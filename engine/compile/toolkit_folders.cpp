#include "engine/compile/toolkit_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>  // strverscmp, of GNU
#include <string>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// "cuda-13.0" is newer than "cuda-12.10", and that than "cuda-12.9".
bool is_newer(const fs::path& a, const fs::path& b) {
  return strverscmp(a.filename().c_str(), b.filename().c_str()) > 0;
}

std::vector<fs::path> numbered_toolkits(const fs::path& folder) {
  std::vector<fs::path> toolkits;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with("cuda-")) toolkits.push_back(entry.path());
  std::ranges::sort(toolkits, is_newer);
  return toolkits;
}

}  // namespace

fs::path user_data_folder() {
  if (const fs::path data = from_environment("XDG_DATA_HOME"); !data.empty()) return data / "tilescope";
  if (const fs::path home = from_environment("HOME"); !home.empty()) return home / ".local" / "share" / "tilescope";
  return {};
}

fs::path chosen_toolkit() { return from_environment("CUDA_PATH"); }

std::vector<fs::path> installed_toolkits() {
  std::vector<fs::path> toolkits = numbered_toolkits("/usr/local");
  toolkits.insert(toolkits.begin(), "/usr/local/cuda");
  return toolkits;
}

std::vector<fs::path> downloaded_toolkits() {
  const fs::path folder = user_data_folder();
  return folder.empty() ? std::vector<fs::path>() : numbered_toolkits(folder);
}

}  // namespace tilescope
