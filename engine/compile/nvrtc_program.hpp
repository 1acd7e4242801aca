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
  std::string text, file;                      // `file` is its name in messages
  std::map<std::string, std::string> headers;  // taken instead of files, by the name in #include
  std::vector<std::string> name_expressions;   // template kernels to instantiate
  std::vector<std::string> options;
};

struct NvrtcOutput {
  nvrtcResult result = NVRTC_SUCCESS;
  std::string log;
  std::string ptx;  // also after a failure of ptxas, so that its messages can be placed
  std::vector<std::byte> cubin;
  std::map<std::string, std::string> lowered_names;  // of the name expressions
  Phrase failure;                                    // why NVRTC came to no result at all; empty otherwise
};

/// Compiles on the calling thread, in this process. A stop request ends it early where NVRTC can be asked to (12.8 and
/// later).
NvrtcOutput run_nvrtc(const NvrtcLibrary& library, const NvrtcInput& input, const std::stop_token& stop);

}  // namespace tilescope
