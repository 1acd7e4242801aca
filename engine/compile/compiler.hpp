// A source → PTX (for the simulator) and cubin (for a GPU). The interface of the front ends; CUDA C++ is compiled by
// NVRTC, which is loaded at run time. The others: triton/triton_compiler.hpp and ptx_source.hpp.
//
//     auto compiler = Compiler::open(cache_folder);               // an Error if NVRTC is absent
//     auto module = compiler->compile({.text = source, .file = "kernels/x.cu", .defines = {{"BLOCK", "256"}}});
//     module->ptx, module->kernels[0].registers
//
//     auto compilation = compiler->start(request, stop);          // the same in two steps
//     auto ptx = compilation->ptx();                              // all that the simulator needs
//     auto module = compilation->machine_code();                  // takes longer
//
// Results are cached on disk, keyed by source, included headers, options and NVRTC's version. Two processes may share
// the cache; a truncated or foreign file in it is ignored and overwritten.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/compiled_module.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// A specialization of a Triton kernel.
struct TritonKernel {
  /// A launch argument: its type as Triton names it, "*fp32", "i32" or "tensordesc<fp16[32, 64]>". Triton specializes a
  /// kernel by the value of a whole number (1, or a multiple of 16) and by the alignment of a pointer.
  struct Argument {
    std::string type = {};
    int64_t value = 0;    // if it is a whole number
    double number = 0;    // if it is a floating-point number, which only a heuristic of the kernel may ask for
    bool aligned = true;  // a pointer's address is a multiple of 16
    bool operator==(const Argument&) const = default;
  };
  std::string name = {};
  std::vector<Argument> arguments = {};
  TritonOptions options = {};
  bool operator==(const TritonKernel&) const = default;
};

struct CompileRequest {
  std::string text = {};  // the source
  std::string file = {};  // its name in messages and in the line table
  /// Each is compiled separately as relocatable device code and linked with the main source.
  std::vector<SourceFile> more_sources = {};
  /// Texts that replace the contents of these files, by path.
  std::vector<SourceFile> headers = {};
  std::vector<Define> defines = {};
  std::vector<std::string> include_folders = {};
  std::vector<std::string> kernel_expressions = {};  // template kernels to instantiate: "scale<float>"
  /// Omits the source's other kernels to save their compile time; empty: all are compiled. If one of these is not found
  /// by name, for example because a macro defines it, nothing is omitted.
  std::vector<std::string> only_kernels = {};
  /// The kernels that the caller runs, named as a user does; an empty name means the only kernel. Other device code is
  /// omitted if it does not compile. Empty: everything must compile.
  std::vector<std::string> wanted_kernels = {};
  bool relocatable = false;               // PTX to be linked with other PTX, which may define what it declares
  std::string standard = {};              // "c++17" or "c++20"; empty: C++17, then C++20 if that fails to compile
  std::string ptx_target = "compute_80";  // the virtual architecture of the PTX
  std::string cubin_target = "sm_90";     // the real architecture of the cubin, and of the resource usage
  bool want_cubin = false;                // the simulator needs none; resource usage is filled in either way
  int assembler_level = 3;                // how much ptxas optimises the cubin: 0 to 3
  std::vector<TritonKernel> triton = {};  // for the Triton compiler
  bool native = false;                    // Triton: the cubin is lowered for its GPU, not assembled from the PTX
  /// False: the PTX is the whole module. It has no cubin and no resource usage, and takes less than half the time.
  bool machine_code = true;
};

/// The NVRTC in use and where it was found.
struct CompilerOrigin {
  std::string version;  // "13.0"
  std::string source;   // "cuda-path", "loader", "toolkit" or "download"
  std::string library, builtins;
  std::vector<std::string> include_folders;  // for the toolkit's headers
  bool separate = false;                     // NVRTC runs in separate processes
};

/// A compilation in flight. Used by one thread; destroying it cancels what still runs.
class Compilation {
 public:
  virtual ~Compilation() = default;
  /// Waits for the PTX. The module may lack the cubin and the resource usage, so work that needs neither can overlap
  /// with code generation.
  virtual Result<CompiledModule> ptx() = 0;
  /// Waits for the whole module; the PTX alone where no machine code is wanted.
  virtual Result<CompiledModule> machine_code() = 0;
};

class Compiler {
 public:
  /// Opens libnvrtc from CUDA_PATH, the loader's path, /usr/local/cuda, or the download of `./tilescope` in the user's
  /// data folder, in this order. TILESCOPE_HIDE=nvrtc makes it absent, TILESCOPE_HIDE=toolkit leaves only the download
  /// (for tests). An empty folder turns the cache off.
  ///
  /// NVRTC runs in separate processes, `tilescope-worker` beside the program (nvrtc_process.hpp), so that a compiler
  /// crash becomes an Error. It runs in this process if that file is missing or with TILESCOPE_HIDE=worker.
  static Result<std::shared_ptr<Compiler>> open(const std::filesystem::path& cache_folder);
  /// Uses a different worker program instead of tilescope-worker.
  static Result<std::shared_ptr<Compiler>> open(const std::filesystem::path& cache_folder,
                                                const std::filesystem::path& worker);
  virtual ~Compiler() = default;

  /// Starts compiling, or takes the module from the cache. Thread-safe. A stop request takes effect before NVRTC starts
  /// and after it ends; while it runs, the caller gets `cancelled` at once and the compilation ends in the background.
  virtual std::unique_ptr<Compilation> start(const CompileRequest& request, std::stop_token stop) = 0;
  /// The same, and waits for the whole module.
  Result<CompiledModule> compile(const CompileRequest& request, std::stop_token stop);
  /// From now on a module that comes from the cache also starts the compiler in the background, so that the first
  /// compilation does not wait for its start. For a program that somebody is using: others only lose time by it.
  virtual void keep_warm() {}
  virtual std::string version() const { return {}; }  ///< "13.0"; empty where NVRTC is not what compiles
  virtual CompilerOrigin origin() const { return {}; }
  /// The nearest real architecture that NVRTC supports: this one, else the next lower, else the lowest of all. Other
  /// front ends take every architecture.
  virtual std::string nearest_target(const std::string& architecture) const { return architecture; }
};

}  // namespace tilescope
