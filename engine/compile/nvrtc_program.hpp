// One run of NVRTC.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "engine/compile/nvrtc_library.hpp"

namespace tilescope {

struct NvrtcOutput {
  nvrtcResult result = NVRTC_SUCCESS;
  std::string log;
  std::string ptx;  // also after a failure of ptxas, so that its messages can be placed
  std::vector<std::byte> cubin;
};

/// Compiles on the calling thread. Setting `stop` ends it early where NVRTC can be asked to (12.8 and later).
NvrtcOutput run_nvrtc(const NvrtcLibrary& library, const std::string& text, const std::string& file,
                      const std::vector<std::string>& options, const std::atomic<bool>& stop);

}  // namespace tilescope
