#include "engine/reference/toolkit_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

namespace tilescope {

ToolkitLibrary::ToolkitLibrary(const std::string& stem) : stem_(stem) {
  std::vector<std::string> folders;
  if (const char* toolkit = std::getenv("CUDA_PATH")) folders.push_back(toolkit + std::string("/lib64/"));
  folders.emplace_back();  // the loader's own path
  folders.emplace_back("/usr/local/cuda/lib64/");
  for (const auto& folder : folders)
    for (const char* ending : {".so.13", ".so.12", ".so"}) {
      file_ = dlopen((folder + stem + ending).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (file_ != nullptr) return;
    }
  reason_ = phrase("{} was not found", stem);
}

void* ToolkitLibrary::find(const char* name) {
  void* function = file_ != nullptr ? dlsym(file_, name) : nullptr;
  if (function == nullptr && reason_.empty()) reason_ = phrase("{} lacks {}", stem_, name);
  return function;
}

}  // namespace tilescope
