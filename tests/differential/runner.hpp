// Runs scenarios on an executor and compares what they leave behind.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/executor.hpp"
#include "tests/differential/corpus.hpp"

namespace tilescope::differential {

/// Sources to modules; each file is compiled once. Modules can be kept as PTX in a folder, to be used on a machine
/// that has a GPU but no compiler.
class Modules {
 public:
  /// `kept_ptx`: a folder of NAME.ptx, read in place of compiling and filled by it; empty for none.
  Modules(std::shared_ptr<Compiler> compiler, std::string kernels_folder, std::string kept_ptx = {})
      : compiler_(std::move(compiler)), folder_(std::move(kernels_folder)), kept_ptx_(std::move(kept_ptx)) {}

  /// Compiles for this architecture too ("sm_90"), for its machine code.
  void want_cubin(const std::string& target) { cubin_target_ = target; }

  Result<const CompiledModule*> get(const std::string& file);

 private:
  std::shared_ptr<Compiler> compiler_;  // may be null where all PTX is kept
  std::string folder_, kept_ptx_, cubin_target_;
  std::vector<std::pair<std::string, std::unique_ptr<CompiledModule>>> known_;
};

/// What a scenario left behind.
struct Outcome {
  std::vector<std::vector<std::byte>> buffers = {};
  std::vector<Finding> findings = {};
  Counters counters = {};  // of the simulator, as are the next two
  AccessTrace trace = {};
  std::vector<SiteCount> sites = {};
  uint64_t warp_instructions = 0;
  double elapsed_ms = 0;
};

Result<Outcome> run_scenario(Executor& executor, const CompiledModule& module, const Scenario& scenario,
                             const LaunchOptions& options);

/// The first difference from what plain C++ makes of the input; nothing if there is none.
std::optional<std::string> difference_from_expected(const Scenario& scenario, const Outcome& outcome);
/// The first difference between two executors.
std::optional<std::string> difference_between(const Scenario& scenario, const Outcome& one, const Outcome& other);

/// "k grid 3x1x1 block 256x1x1 shared 1024" of the last launch, for messages.
std::string text_of(const Scenario& scenario);

}  // namespace tilescope::differential
