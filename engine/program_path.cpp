#include "engine/program_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

}  // namespace

fs::path find_program(const std::string& name, std::vector<fs::path> folders) {
  if (name.find('/') != std::string::npos) return is_program(name) ? fs::path(name) : fs::path();
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::istringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');) folders.emplace_back(folder);
  }
  for (const fs::path& folder : folders)
    if (is_program(folder / name)) return folder / name;
  return {};
}

}  // namespace tilescope
