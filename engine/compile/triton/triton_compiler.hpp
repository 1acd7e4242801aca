// Triton kernels → PTX, TTIR and TTGIR, and a cubin, by Triton's own compiler in a Python process. No GPU is needed.
//
//     auto compiler = open_triton({.root = root, .cache_folder = folder});
//     auto module = compiler->compile({.text = source, .file = "kernels/softmax.py", .triton = {{.name = "softmax",
//     …}}}); module->triton[0].shared_bytes, module->triton[0].ttgir
//
// Opening never fails: where there is no Triton, a compilation is an Error with the reason, unless the PTX of this very
// request ships with the program (assets/triton, shipped.hpp). Results are cached on disk as those of NVRTC are, keyed
// also by Triton's version.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/compile/compiler.hpp"
#include "engine/compile/triton/triton_child.hpp"

namespace tilescope {

class TritonCompiler : public Compiler {
 public:
  /// The functions of a file, as the process describes them (triton_file.hpp).
  virtual Result<nlohmann::json> ask(nlohmann::json question, std::stop_token stop) = 0;
  /// Python and Triton, or why there is none. Starts the process.
  virtual Result<TritonOrigin> triton_origin(std::stop_token stop) = 0;
};

struct TritonFolders {
  std::filesystem::path root;          // holds assets/python and assets/triton
  std::filesystem::path cache_folder;  // of compiled modules; empty: none
};
std::shared_ptr<TritonCompiler> open_triton(const TritonFolders& folders);

}  // namespace tilescope
