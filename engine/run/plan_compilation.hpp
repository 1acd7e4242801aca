// The compilation of a plan: the PTX is ready first and is all that the simulator needs; the machine code takes longer.
//
//     PlanCompilation compilation(compiler, plan, {.kernels_folder = folder, .architecture = "sm_90"}, stop);
//     auto ptx = compilation.ptx();                // work that needs no machine code can start now
//     auto module = compilation.machine_code();
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/compile/declared_kernels.hpp"
#include "engine/plan.hpp"

namespace tilescope {

struct CompilationTarget {
  std::string kernels_folder = {};  // headers that all kernels may include
  std::string architecture = {};    // the machine code's
  /// Whether the machine code may be for the default architecture if the source does not compile for this one.
  bool may_differ = false;
  bool machine_code = true;  // false: machine_code() is the PTX alone
  bool native = false;       // Triton: code that it lowers for this architecture, as it would for a launch on that GPU
};

class PlanCompilation {
 public:
  /// Starts it.
  PlanCompilation(std::shared_ptr<Compiler> compiler, const Plan& plan, CompilationTarget target, std::stop_token stop);

  /// As in Compilation.
  Result<CompiledModule> ptx() { return wait_for(&Compilation::ptx); }
  Result<CompiledModule> machine_code() { return wait_for(&Compilation::machine_code); }

  const std::vector<DeclaredKernel>& declared() const { return declared_; }
  /// Total time that the caller has waited.
  double milliseconds() const { return milliseconds_; }
  /// The error, with a suggestion of template arguments that compile if a launch's kernel lacks them.
  Error explained(const Error& error, std::span<const Launch> launches) const;

 private:
  using Clock = std::chrono::steady_clock;
  Result<CompiledModule> wait_for(Result<CompiledModule> (Compilation::*what)());
  void add_time_since(Clock::time_point start);

  std::shared_ptr<Compiler> compiler_;
  std::stop_token stop_;
  std::vector<DeclaredKernel> declared_;
  CompileRequest request_;
  bool may_differ_;
  std::unique_ptr<Compilation> compilation_;
  std::optional<Error> refused_;  // before anything was compiled
  double milliseconds_ = 0;
};

}  // namespace tilescope
