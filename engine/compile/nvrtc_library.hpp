// NVRTC, loaded with dlopen: the program is never linked against a CUDA library, so it starts without one.
#pragma once

#include <nvrtc.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/result.hpp"

namespace tilescope {

/// Where libnvrtc was found: CUDA_PATH, the loader's path, an installed toolkit, or the download of `./tilescope`.
enum class NvrtcSource { cuda_path, loader, toolkit, download };

/// The functions of libnvrtc that are used, and its origin. Never closed: NVRTC's own threads and exit handlers outlive
/// any handle.
struct NvrtcLibrary {
  std::filesystem::path path;           // the file that was loaded
  std::filesystem::path builtins_path;  // libnvrtc-builtins, which NVRTC loads when it compiles
  NvrtcSource source = NvrtcSource::loader;
  std::vector<std::string> toolkit_include_folders;  // folders of cuda_fp16.h and of CCCL, if found
  int major = 0, minor = 0;
  std::vector<int> architectures;  // ascending targets for machine code: 75 for sm_75

  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcCreateProgram) create_program = nullptr;
  decltype(&nvrtcDestroyProgram) destroy_program = nullptr;
  decltype(&nvrtcCompileProgram) compile_program = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcAddNameExpression) add_name_expression = nullptr;
  decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  /// Since NVRTC 12.8: asks during a compilation whether to continue. Null in older versions.
  nvrtcResult (*set_flow_callback)(nvrtcProgram, int (*)(void*, void*), void*) = nullptr;

  /// Tries CUDA_PATH, the loader's path, /usr/local/cuda*, then the user's data folder. The Error names what was tried.
  /// TILESCOPE_HIDE=toolkit skips all but the data folder.
  static Result<std::shared_ptr<const NvrtcLibrary>> open();
};

/// Whether the comma list in TILESCOPE_HIDE names this library, for example "nvrtc,cuda".
bool is_hidden_library(const std::string& name);

}  // namespace tilescope
