// tilescope-worker: does work that could crash the program that started it.
//
//     tilescope-worker            launches kernels (engine/gpu/launch_worker.hpp)
//     tilescope-worker compile    runs NVRTC (engine/compile/nvrtc_process.hpp)
#include <string_view>

#include "engine/compile/nvrtc_process.hpp"
#include "engine/gpu/launch_worker.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "compile") return tilescope::serve_nvrtc();
  return tilescope::serve_launches();
}
