// A kernel with everything it uses, as one text: its headers pasted in, the other kernels of its file left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/plan.hpp"

namespace tilescope {

struct KernelText {
  std::vector<std::string> system_headers = {};  // "cuda_fp16.h", those that the text always includes
  std::vector<Define> defines = {};              // those of the plan that the text mentions
  std::string text = {};
};

/// For the launched kernels of a CUDA plan. `root` is the folder that Plan::source_file is relative to; quoted headers
/// are looked for beside the file, then in Plan::include_folders and in `kernels_folder`. A header that is not found
/// keeps its #include.
KernelText kernel_text(const Plan& plan, const std::filesystem::path& root,
                       const std::filesystem::path& kernels_folder);

}  // namespace tilescope
