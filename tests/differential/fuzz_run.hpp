// Runs generated kernels, many to a module, and says where executors and definition part.
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
  std::string kind = {};  // "simulator", "false alarm", "error", "compiler": what is kept while the kernel is minimised
  std::string what = {};
  FuzzKernel kernel = {};
};

struct FuzzReport {
  uint64_t kernels = 0;   // run
  uint64_t too_long = 0;  // drawn and left out
  uint64_t agreed = 0;    // on all executors, with the definition
  // Compiled wrongly, no failure of the simulator: GPU and simulator do the same, and not what the definition says; or
  // the simulator does what it says, and the GPU too as soon as ptxas does not optimise.
  std::vector<FuzzFailure> compiler = {};
  uint64_t warp_instructions = 0;
  double simulator_ms = 0, gpu_ms = 0;
  std::vector<FuzzFailure> failures = {};
};

class FuzzRunner {
 public:
  /// `gpu` may be null. `kept_ptx` is a folder for the modules' PTX, taken from there where it is; empty for none.
  /// Without `assembler_level`, the driver compiles the PTX that the simulator runs; with it (0 to 3), the GPU gets a
  /// cubin that ptxas has optimised so much, so that its optimiser can be told from everything else.
  FuzzRunner(std::shared_ptr<Compiler> compiler, Executor& simulator, Executor* gpu, std::string kept_ptx = {},
             std::optional<int> assembler_level = {})
      : compiler_(std::move(compiler)),
        simulator_(simulator),
        gpu_(gpu),
        kept_ptx_(std::move(kept_ptx)),
        assembler_level_(assembler_level) {}

  /// The kernels of `count` seeds from `first` on, in one module.
  FuzzReport run(uint64_t first, uint64_t count);
  /// The same failure, of a smaller kernel.
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
