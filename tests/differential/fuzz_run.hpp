// Runs generated kernels, many to a module, and says where executors and definition part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/executor.hpp"
#include "tests/differential/fuzz_kernel.hpp"

namespace tilescope::differential {

struct FuzzFailure {
  std::string kind = {};  // "simulator", "false alarm", "error", "compiler": what is kept while the kernel is minimised
  std::string what = {};
  FuzzKernel kernel = {};
};

struct FuzzReport {
  uint64_t kernels = 0;                    // run
  uint64_t too_long = 0;                   // drawn and left out
  uint64_t agreed = 0;                     // on all executors, with the definition
  std::vector<FuzzFailure> compiler = {};  // GPU and simulator do the same, and not what the definition says: the
                                           // compiler's doing, no failure of the simulator
  uint64_t warp_instructions = 0;
  double simulator_ms = 0, gpu_ms = 0;
  std::vector<FuzzFailure> failures = {};
};

class FuzzRunner {
 public:
  /// `gpu` may be null. `kept_ptx` is a folder for the modules' PTX, taken from there where it is; empty for none.
  FuzzRunner(std::shared_ptr<Compiler> compiler, Executor& simulator, Executor* gpu, std::string kept_ptx = {})
      : compiler_(std::move(compiler)), simulator_(simulator), gpu_(gpu), kept_ptx_(std::move(kept_ptx)) {}

  /// The kernels of `count` seeds from `first` on, in one module.
  FuzzReport run(uint64_t first, uint64_t count);
  /// The same failure, of a smaller kernel.
  FuzzFailure minimised(const FuzzFailure& failure, int attempts);

 private:
  Result<CompiledModule> compile(const std::vector<FuzzKernel>& kernels, const std::string& name);
  void run_one(const CompiledModule& module, const FuzzKernel& kernel, size_t number, FuzzReport& report);

  std::shared_ptr<Compiler> compiler_;
  Executor& simulator_;
  Executor* gpu_;
  std::string kept_ptx_;
};

}  // namespace tilescope::differential
