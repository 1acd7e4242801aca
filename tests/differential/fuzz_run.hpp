// Runs generated kernels, many per module, and reports where executors and definition differ.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/executor.hpp"
#include "tests/differential/fuzz_kernel.hpp"
#include "tests/differential/runner.hpp"

namespace tilescope::differential {

struct FuzzFailure {
  std::string kind = {};  // "simulator", "false alarm", "error", "compiler": constant while the kernel is minimised
  std::string what = {};
  FuzzKernel kernel = {};
};

struct FuzzReport {
  uint64_t kernels = 0;   // run
  uint64_t too_long = 0;  // generated and left out
  uint64_t agreed = 0;    // on all executors, with the definition
  // Miscompiled kernels, not failures of the simulator: GPU and simulator agree with each other but not with the
  // definition; or the simulator agrees with it, and the GPU does too once ptxas does not optimise.
  std::vector<FuzzFailure> compiler = {};
  uint64_t warp_instructions = 0;
  double simulator_ms = 0, gpu_ms = 0;
  std::vector<FuzzFailure> failures = {};
};

class FuzzRunner {
 public:
  /// `gpu` may be null. `kept_ptx` is a folder for the modules' PTX, which is read from there if present; empty for
  /// none. Without `assembler_level`, the driver compiles the PTX that the simulator runs; with it (0 to 3), the GPU
  /// gets a cubin that ptxas has optimised at this level, to tell its optimiser's errors from all others.
  FuzzRunner(std::shared_ptr<Compiler> compiler, Executor& simulator, Executor* gpu, std::string kept_ptx = {},
             std::optional<int> assembler_level = {})
      : compiler_(std::move(compiler)),
        simulator_(simulator),
        gpu_(gpu),
        kept_ptx_(std::move(kept_ptx)),
        assembler_level_(assembler_level) {}

  /// The kernels of `count` seeds starting at `first`, in one module.
  FuzzReport run(uint64_t first, uint64_t count);
  /// The same failure with a smaller kernel.
  FuzzFailure minimised(const FuzzFailure& failure, int attempts);

 private:
  Result<CompiledModule> compile(const std::vector<FuzzKernel>& kernels, const std::string& name);
  CompileRequest request_for(const std::vector<FuzzKernel>& kernels, const std::string& name,
                             std::optional<int> assembler_level) const;
  bool agrees_unoptimised(const FuzzKernel& kernel, const Outcome& simulated);
  void run_one(const CompiledModule& module, const FuzzKernel& kernel, size_t number, FuzzReport& report);

  std::shared_ptr<Compiler> compiler_;
  Executor& simulator_;
  Executor* gpu_;
  std::string kept_ptx_;
  std::optional<int> assembler_level_;
};

}  // namespace tilescope::differential
