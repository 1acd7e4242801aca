// One run of NVRTC.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/compile/nvrtc_library.hpp"
#include "engine/phrase.hpp"

namespace tilescope {

struct NvrtcInput {
  std::string text, file;                      // `file` is the name shown in messages
  std::map<std::string, std::string> headers;  // used instead of files, by the name in #include
  std::vector<std::string> name_expressions;   // template kernels to instantiate
  std::vector<std::string> options;
};

struct NvrtcOutput {
  nvrtcResult result = NVRTC_SUCCESS;
  std::string log;
  std::string ptx;  // kept after a failure of ptxas, to locate its messages
  std::vector<std::byte> cubin;
  std::map<std::string, std::string> lowered_names;  // by name expression
  Phrase failure;                                    // why NVRTC gave no result at all; empty otherwise
};

/// Compiles on the calling thread, in this process. A stop request ends it early if NVRTC supports that (12.8 and
/// later).
NvrtcOutput run_nvrtc(const NvrtcLibrary& library, const NvrtcInput& input, const std::stop_token& stop);

}  // namespace tilescope
