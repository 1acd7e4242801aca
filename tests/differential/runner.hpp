// Runs scenarios on an executor and compares their results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/executor.hpp"
#include "tests/differential/corpus.hpp"

namespace tilescope::differential {

/// Compiled modules by source file; each file is compiled once. Modules can be stored as PTX in a folder, for a machine
/// that has a GPU but no compiler.
class Modules {
 public:
  /// `kept_ptx`: a folder of NAME.ptx files, which are read instead of compiling and written after compiling; empty for
  /// none.
  Modules(std::shared_ptr<Compiler> compiler, std::string kernels_folder, std::string kept_ptx = {})
      : compiler_(std::move(compiler)), folder_(std::move(kernels_folder)), kept_ptx_(std::move(kept_ptx)) {}

  /// Also compiles for this architecture ("sm_90"), for its machine code.
  void want_cubin(const std::string& target) { cubin_target_ = target; }

  Result<const CompiledModule*> get(const std::string& file);

 private:
  std::shared_ptr<Compiler> compiler_;  // may be null if all PTX is stored
  std::string folder_, kept_ptx_, cubin_target_;
  std::vector<std::pair<std::string, std::unique_ptr<CompiledModule>>> known_;
};

/// The results of a scenario.
struct Outcome {
  std::vector<std::vector<std::byte>> buffers = {};
  std::vector<Finding> findings = {};
  Counters counters = {};  // of the simulator, as are trace and sites
  AccessTrace trace = {};
  std::vector<SiteCount> sites = {};
  uint64_t warp_instructions = 0;
  double elapsed_ms = 0;
};

Result<Outcome> run_scenario(Executor& executor, const CompiledModule& module, const Scenario& scenario,
                             const LaunchOptions& options);

/// The first difference from the results of plain C++ for this input; nothing if there is none.
std::optional<std::string> difference_from_expected(const Scenario& scenario, const Outcome& outcome);
/// The first difference between two executors.
std::optional<std::string> difference_between(const Scenario& scenario, const Outcome& one, const Outcome& other);

/// "k grid 3x1x1 block 256x1x1 shared 1024" for the last launch, for messages.
std::string text_of(const Scenario& scenario);

}  // namespace tilescope::differential
