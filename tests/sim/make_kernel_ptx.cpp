// Rewrites tests/sim/kernels/*.ptx, each from the .cu beside it, after a .cu was changed:
//
//     ninja -C build/release make_kernel_ptx && build/release/make_kernel_ptx
//
// It uses the program's NVRTC. The files are from the release that .ci/run expects, CUDA 13.0.
#include <cstdio>

#include "kernel_ptx.hpp"

int main() {
  using namespace tilescope;
  auto library = NvrtcLibrary::open();
  if (!library) {
    std::fprintf(stderr, "%s. %s\n", library.error().message.c_str(), library.error().hint.c_str());
    return 1;
  }
  KernelPtxMaker maker(*library);
  int status = 0;
  for (const std::string& name : kernel_files(".cu")) {
    const auto ptx = maker.make(name, text_of_file(kKernelFolder / (name + ".cu")));
    if (!ptx) {
      std::fprintf(stderr, "%s\n", ptx.error().message.c_str());
      status = 1;
      continue;
    }
    const std::filesystem::path file = kKernelFolder / (name + ".ptx");
    const bool changed = *ptx != text_of_file(file);
    if (changed && !(std::ofstream(file, std::ios::binary | std::ios::trunc) << *ptx << std::flush)) {
      std::fprintf(stderr, "%s cannot be written\n", file.c_str());
      status = 1;
    }
    std::printf("%s.ptx: %s\n", name.c_str(), changed ? "changed" : "as before");
  }
  return status;
}
