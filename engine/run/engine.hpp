// Executes a run, from request to RunResult, and holds the context that runs need.
//
//     auto engine = Engine::open({});                    // never fails: it keeps the reasons for what is missing
//     auto result = engine->run(request, stop, progress);
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

#include "engine/compile/compiler.hpp"
#include "engine/executor.hpp"
#include "engine/run_result.hpp"
#include "engine/specs.hpp"

namespace tilescope {

class KnownReplays;
class TritonCompiler;

struct EngineOptions {
  std::filesystem::path root;          // holds kernels/, assets/, docs/, shaders/; empty: found automatically
  std::filesystem::path cache_folder;  // compiled modules; empty: the user's cache folder
  int simulator_threads = 0;           // 0: one per core
};

/// The current phase of a run, for a progress line; fraction in [0, 1].
struct Progress {
  enum class Phase { compile, inputs, execute, simulate, compare, time } phase;
  double fraction;
};
using ProgressFunction = std::function<void(const Progress&)>;

class Engine {
 public:
  static std::shared_ptr<Engine> open(const EngineOptions& options);
  ~Engine();

  /// The root folder: TILESCOPE_ROOT, the source tree above the program, or its installation.
  const std::filesystem::path& root() const { return root_; }
  /// Absent with a reason: no NVRTC, no driver, no GPU.
  const Result<std::shared_ptr<Compiler>>& compiler() const { return compiler_; }
  /// The front end of a source file, by its language. Those of Triton and of PTX are never absent.
  Result<std::shared_ptr<Compiler>> compiler_for(std::string_view file) const;
  TritonCompiler& triton() { return *triton_; }
  /// For the window: the first move of a slider does not wait for a compiler to start (Compiler::keep_warm).
  void keep_compilers_warm();
  const Result<std::shared_ptr<Executor>>& gpu() const { return gpu_; }
  Executor& simulator() { return *simulator_; }
  /// The GPUs that can be modelled, in the order of assets/gpus.toml. Absent if that file is.
  const Result<std::vector<GpuSpec>>& gpus() const { return gpus_; }
  /// The GPU that the simulator imitates: the one with this id; if the id is empty, this machine's GPU if the table has
  /// it, else an H200.
  Result<GpuSpec> modelled_gpu(const std::string& id) const;

  /// Compiles, runs on the request's device, compares, observes. Thread-safe for one call at a time per engine.
  Result<RunResult> run(const Request& request, std::stop_token stop = {}, const ProgressFunction& progress = {});
  /// The same for a plan without a lab (tilescope exec); it has no reference, so no correctness.
  Result<RunResult> run_plan(Plan plan, const Request& request, std::stop_token stop = {},
                             const ProgressFunction& progress = {});
  /// The rung and the configuration that a request resolves to, checked against what the lab allows.
  Result<Resolved> resolve(const Request& request) const;
  /// The plan of a request: source read, defines set, buffers and launches decided. Does not compile.
  Result<Plan> plan(const Request& request) const;

 private:
  std::filesystem::path root_;
  Result<std::shared_ptr<Compiler>> compiler_ = fail(ErrorId::nvrtc_missing, "not opened");
  std::shared_ptr<TritonCompiler> triton_;
  std::shared_ptr<Compiler> ptx_source_;
  Result<std::shared_ptr<Executor>> gpu_ = fail(ErrorId::driver_missing, "not opened");
  std::unique_ptr<Executor> simulator_;
  Result<std::vector<GpuSpec>> gpus_ = fail(ErrorId::asset_missing, "gpus.toml", "assets");
  struct InputCache;  // initial contents of the last run: moving a slider rarely changes them
  std::unique_ptr<InputCache> inputs_;
  std::unique_ptr<KnownReplays> replays_;  // for the block-order model: kept if a slider changes only the order

  Engine();
  Result<Plan> plan(const Request& request, const Resolved& resolved) const;
  Result<void> plant_bugs(Plan& plan, const Lab& lab, const Rung& rung, const std::vector<std::string>& on) const;
  friend class RunInProgress;
};

}  // namespace tilescope
