// The languages in which a kernel can be written. Each becomes PTX by a front end of its own.
#pragma once

#include <string_view>

namespace tilescope {

enum class KernelLanguage { cuda, triton, ptx };

/// By the ending of the file's name: ".py" is Triton, ".ptx" is PTX, and everything else is CUDA C++.
inline KernelLanguage language_of(std::string_view file) {
  if (file.ends_with(".py")) return KernelLanguage::triton;
  return file.ends_with(".ptx") ? KernelLanguage::ptx : KernelLanguage::cuda;
}

}  // namespace tilescope
