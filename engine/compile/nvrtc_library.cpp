#include "engine/compile/nvrtc_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "engine/compile/toolkit_folders.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Older versions lack --ptxas-options and the labs' GPU architectures.
constexpr int kMinimumMajor = 12;

std::vector<fs::path> library_folders_of(const fs::path& toolkit) {
  std::vector<fs::path> folders = {toolkit / "lib64", toolkit / "lib"};
  std::error_code ignored;
  for (const auto& target : fs::directory_iterator(toolkit / "targets", ignored))
    folders.push_back(target.path() / "lib");
  return folders;
}

/// A possible location of libnvrtc; an empty folder means the loader's own path.
struct Candidate {
  fs::path folder;
  NvrtcSource source;
};

/// Installed toolkits precede the launcher's download.
std::vector<Candidate> nvrtc_candidates() {
  std::vector<Candidate> candidates;
  const auto add = [&](const fs::path& toolkit, NvrtcSource source) {
    for (const fs::path& folder : library_folders_of(toolkit)) candidates.push_back({folder, source});
  };
  if (!is_hidden_library("toolkit")) {
    if (const fs::path chosen = chosen_toolkit(); !chosen.empty()) add(chosen, NvrtcSource::cuda_path);
    candidates.push_back({{}, NvrtcSource::loader});
    for (const fs::path& toolkit : installed_toolkits()) add(toolkit, NvrtcSource::toolkit);
  }
  for (const fs::path& toolkit : downloaded_toolkits()) add(toolkit, NvrtcSource::download);
  return candidates;
}

template <class Function>
bool resolve(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

std::vector<int> architectures_of(void* handle) {
  decltype(&nvrtcGetNumSupportedArchs) count_architectures = nullptr;
  decltype(&nvrtcGetSupportedArchs) get_architectures = nullptr;
  int count = 0;
  if (!resolve(handle, "nvrtcGetNumSupportedArchs", count_architectures) ||
      !resolve(handle, "nvrtcGetSupportedArchs", get_architectures) || count_architectures(&count) != NVRTC_SUCCESS)
    return {};
  std::vector<int> architectures(static_cast<size_t>(count));
  if (get_architectures(architectures.data()) != NVRTC_SUCCESS) return {};
  std::ranges::sort(architectures);
  return architectures;
}

/// NVRTC opens its built-in functions by file name only, when it first compiles, and the loader searches only its own
/// path. Opening the file beside libnvrtc here by its full path makes NVRTC use it. False if the file exists nowhere.
bool open_builtins(NvrtcLibrary& library) {
  const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", library.major, library.minor);
  std::error_code ignored;
  const fs::path real_file = fs::canonical(library.path, ignored);
  for (const fs::path& file : {library.path.parent_path() / name, real_file.parent_path() / name, fs::path(name)}) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    link_map* loaded = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &loaded) == 0) library.builtins_path = loaded->l_name;
    return true;
  }
  return false;
}

/// An empty string, or the reason why the library cannot be used.
std::string fill(void* handle, NvrtcLibrary& library) {
  const bool complete =
      resolve(handle, "nvrtcVersion", library.version) &&
      resolve(handle, "nvrtcGetErrorString", library.error_string) &&
      resolve(handle, "nvrtcCreateProgram", library.create_program) &&
      resolve(handle, "nvrtcDestroyProgram", library.destroy_program) &&
      resolve(handle, "nvrtcCompileProgram", library.compile_program) &&
      resolve(handle, "nvrtcGetProgramLogSize", library.log_size) &&
      resolve(handle, "nvrtcGetProgramLog", library.log) && resolve(handle, "nvrtcGetPTXSize", library.ptx_size) &&
      resolve(handle, "nvrtcGetPTX", library.ptx) && resolve(handle, "nvrtcGetCUBINSize", library.cubin_size) &&
      resolve(handle, "nvrtcGetCUBIN", library.cubin) &&
      resolve(handle, "nvrtcAddNameExpression", library.add_name_expression) &&
      resolve(handle, "nvrtcGetLoweredName", library.lowered_name);
  if (!complete) return "lacks functions of NVRTC";
  resolve(handle, "nvrtcSetFlowCallback", library.set_flow_callback);
  library.architectures = architectures_of(handle);
  if (library.version(&library.major, &library.minor) != NVRTC_SUCCESS) return "does not say its version";
  if (library.major < kMinimumMajor) return fmt::format("is version {}.{}, too old", library.major, library.minor);
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(library.version), &info) != 0 && info.dli_fname != nullptr)
    library.path = info.dli_fname;
  if (!open_builtins(library)) return fmt::format("lacks libnvrtc-builtins.so.{}.{}", library.major, library.minor);
  return {};
}

/// NVRTC finds cuda_fp16.h, mma.h and similar headers only in folders that it is given.
std::vector<std::string> find_toolkit_include_folders(const fs::path& library_path) {
  const bool hidden = is_hidden_library("toolkit");
  std::vector<fs::path> candidates;
  if (const fs::path chosen = chosen_toolkit(); !chosen.empty() && !hidden) candidates.push_back(chosen / "include");
  candidates.push_back(library_path.parent_path().parent_path() / "include");
  if (!hidden) {
    for (const fs::path& toolkit : installed_toolkits()) candidates.push_back(toolkit / "include");
    candidates.emplace_back("/usr/include");
  }
  for (const fs::path& toolkit : downloaded_toolkits()) candidates.push_back(toolkit / "include");
  std::error_code ignored;
  for (const fs::path& candidate : candidates) {
    if (!fs::exists(candidate / "cuda_fp16.h", ignored)) continue;
    std::vector<std::string> folders = {candidate.string()};
    if (fs::exists(candidate / "cccl", ignored)) folders.push_back((candidate / "cccl").string());
    return folders;
  }
  return {};
}

std::string last_loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown reason";
}

}  // namespace

bool is_hidden_library(const std::string& name) {
  const char* list = std::getenv("TILESCOPE_HIDE");
  if (list == nullptr) return false;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');)
    if (word == name) return true;
  return false;
}

Result<std::shared_ptr<const NvrtcLibrary>> NvrtcLibrary::open() {
  if (is_hidden_library("nvrtc")) return fail(ErrorId::nvrtc_missing, "TILESCOPE_HIDE hides it");

  std::string refusals;
  Phrase looked_in;
  for (const auto& [folder, source] : nvrtc_candidates()) {
    std::error_code ignored;
    if (!folder.empty() && !fs::is_directory(folder, ignored)) continue;
    const Phrase looked_at = folder.empty() ? Phrase("the loader's path") : folder.string();
    looked_in = looked_in.empty() ? looked_at : phrase("{}, {}", looked_in, looked_at);
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
      const fs::path file = folder.empty() ? fs::path(name) : folder / name;
      if (!folder.empty() && !fs::exists(file, ignored)) continue;
      void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle == nullptr) {
        const std::string why = last_loader_error();  // includes the file's name
        if (!folder.empty()) refusals += fmt::format("; {}", why);
        continue;
      }
      auto library = std::make_shared<NvrtcLibrary>();
      library->path = file;
      library->source = source;
      const std::string why_not = fill(handle, *library);
      if (why_not.empty()) {
        library->toolkit_include_folders = find_toolkit_include_folders(library->path);
        return library;
      }
      refusals += fmt::format("; {} {}", file.string(), why_not);
      dlclose(handle);
    }
  }
  if (looked_in.empty()) looked_in = Phrase("any folder");
  return fail(ErrorId::nvrtc_missing,
              phrase("no libnvrtc.so.13, .12 or .so could be opened from {}{}", looked_in, refusals));
}

}  // namespace tilescope
