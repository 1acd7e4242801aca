#include <algorithm>
#include <chrono>
#include <future>
#include <set>

#include "engine/clock.hpp"
#include "engine/compile/machine_access.hpp"
#include "engine/run/block_usage.hpp"
#include "engine/run/compare.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/input_cache.hpp"
#include "engine/run/inputs.hpp"
#include "engine/run/kernels.hpp"
#include "engine/run/limits.hpp"
#include "engine/run/observe_order.hpp"
#include "engine/run/plan_compilation.hpp"
#include "engine/run/show_launch.hpp"
#include "engine/run/source_text.hpp"
#include "engine/run/statistics.hpp"
#include "engine/run/triton_launch.hpp"
#include "engine/run/variables.hpp"
#include "engine/sim/state/residency.hpp"
#include "engine/traffic/access/ledger.hpp"
#include "engine/traffic/access/ptxas_changes.hpp"
#include "engine/traffic/access/tile_map.hpp"
#include "engine/traffic/caches/hierarchy.hpp"
#include "engine/traffic/schedule/waves.hpp"

namespace tilescope {

using Clock = std::chrono::steady_clock;
using SharedBuffers = std::vector<std::shared_ptr<const HostBuffer>>;

/// Executes one request step by step; its members are the state passed between steps.
class RunInProgress {
 public:
  /// For a plan without a lab, `resolved` has neither lab nor rung.
  RunInProgress(Engine& engine, const Request& request, Resolved resolved, const std::stop_token& stop,
                const ProgressFunction& progress)
      : engine_(engine), lab_(resolved.lab), rung_(resolved.rung), stop_(stop), progress_(progress) {
    result_.request = request;
    result_.rung = rung_ != nullptr ? rung_->name : request.rung;
    result_.config = std::move(resolved.config);
    result_.pick = std::move(resolved.pick);
    result_.version = TILESCOPE_VERSION;
    result_.date = utc_now();
    too_large_ = is_too_large(lab_, request.config);
    sampled_ = too_large_ && !on_gpu();
  }

  Result<RunResult> carry_out(Plan plan) {
    const auto start = Clock::now();
    result_.plan = std::move(plan);
    if (auto chosen = choose_gpu(); !chosen) return forward(chosen);
    if (auto fits = check_size(); !fits) return forward(fits);
    if (auto compiled = compile(); !compiled) return forward(compiled);
    const Result<void> executed = execute();
    if (auto compiled = finish_compiling(); !compiled) return forward(compiled);
    if (!executed) return explained(executed.error());
    if (has_machine_code_) find_occupancy(result_);
    result_.launch = launch_to_show(result_, rung_);
    make_views();
    if (auto modelled = model_order(); !modelled) return forward(modelled);
    judge_outputs();
    if (!result_.request.tell_findings) result_.findings.clear();
    if (!result_.plan.from_lab) result_.warnings = doubts_about(result_.plan, result_.compiled);
    result_.total_ms = milliseconds_since(start);
    return std::move(result_);
  }

 private:
  bool on_gpu() const { return result_.request.device == DeviceKind::gpu; }

  void report(Progress::Phase phase, double fraction) const {
    if (progress_) progress_({phase, fraction});
  }

  Result<void> choose_gpu() {
    auto spec = engine_.modelled_gpu(result_.request.gpu);
    if (!spec) return forward(spec);
    result_.modelled_gpu = std::move(*spec);
    return {};
  }

  Result<void> check_size() const {
    return sampled_ ? Result<void>() : check_memory(result_.plan, result_.request.device);
  }

  /// Compiles as far as execution needs. The simulator needs only the PTX, and the machine code often takes longer than
  /// the simulation. A GPU needs the machine code first. So does the simulator if blocks may wait for each other: then
  /// the number of resident blocks matters, which depends on the registers.
  Result<void> compile() {
    report(Progress::Phase::compile, 0);
    const auto compiler = engine_.compiler_for(result_.plan.source_file);
    if (!compiler) return forward(compiler);
    CompilationTarget target{.kernels_folder = (engine_.root() / "kernels").string(),
                             .architecture = (*compiler)->nearest_target(result_.modelled_gpu.architecture),
                             .may_differ = !on_gpu(),
                             .machine_code = result_.request.machine_code || on_gpu() || sampled_ || wants_order(),
                             .native = on_gpu()};
    if (on_gpu() && engine_.gpu()) target.architecture = (*engine_.gpu())->device().architecture;
    compilation_.emplace(*compiler, result_.plan, target, stop_);
    auto module = compilation_->ptx();
    if (module && (on_gpu() || sampled_ || blocks_may_wait(module->ptx))) {
      if (!std::exchange(target.machine_code, true)) compilation_.emplace(*compiler, result_.plan, target, stop_);
      module = compilation_->machine_code();
    }
    has_machine_code_ = target.machine_code;
    if (!module) return explained(module.error());
    result_.compiled = std::move(*module);
    return {};
  }

  /// Waits for the machine code, and with it the resource usage. A compile error takes precedence over an execution
  /// error.
  Result<void> finish_compiling() {
    auto module = compilation_->machine_code();
    if (!module) return explained(module.error());
    result_.compiled = std::move(*module);
    result_.compile_ms = compilation_->milliseconds();
    if (on_gpu() && !result_.compiled.triton.empty())
      result_.machine_code_note = phrase(
          "the views show the PTX that Triton makes for sm_80; the GPU ran what Triton lowers for {}, and may load "
          "and compute otherwise",
          result_.compiled.cubin_target);
    else if (has_machine_code_ && result_.compiled.cubin_target != result_.modelled_gpu.architecture)
      result_.machine_code_note = phrase("the machine code, and with it the registers, is that of {}, not of {}",
                                         result_.compiled.cubin_target, result_.modelled_gpu.architecture);
    return {};
  }

  tl::unexpected<Error> explained(const Error& error) const {
    return tl::unexpected<Error>(compilation_->explained(error, result_.plan.launches));
  }

  Result<void> execute() {
    if (auto settled = settle(); !settled) return settled;
    if (auto filled = fill_inputs(); !filled) return filled;
    if (on_gpu())
      if (auto ran = run_on_gpu(); !ran) return ran;
    return simulate();
  }

  Result<void> settle() {
    if (!result_.compiled.triton.empty()) return settle_triton(result_.plan, result_.compiled);
    if (auto kernels = settle_kernels(result_.plan, result_.compiled, compilation_->declared()); !kernels)
      return kernels;
    return settle_variables(result_.plan, result_.compiled, result_.request.seed);
  }

  /// The lab's parameter for the number of blocks per SM; 0: as many as fit.
  int64_t ctas_as_set() const {
    const auto& params = result_.config.params;
    const auto set = params.find("CTAS_PER_SM");
    return set != params.end() ? set->second : 0;
  }

  /// Scratch of a GPU run that no view shows has no host copy: it may be larger than everything else. It is initialised
  /// to zeros; reads of unwritten scratch are found by the simulator.
  bool leaves_out_scratch() const { return on_gpu() && !reason_not_to_observe().empty(); }
  bool is_left_out(const BufferSpec& spec) const {
    const bool is_read = lab_ != nullptr && spec.name == lab_->schedule_buffer;
    return spec.role == Role::scratch && (spec.fill == Fill::zero || spec.fill == Fill::poison) && !is_read;
  }

  /// Left out: the buffer exists only on the GPU.
  bool is_empty_here(size_t buffer) const {
    return initial_[buffer]->count() < static_cast<size_t>(result_.plan.buffers[buffer].count());
  }

  /// If blocks are only sampled, nothing is filled in: they read zeros.
  Result<void> fill_inputs() {
    if (sampled_) return {};
    report(Progress::Phase::inputs, 0);
    auto& cache = *engine_.inputs_;
    const bool without_scratch = leaves_out_scratch();
    if (!cache.holds(result_.plan.buffers, result_.request.seed, without_scratch)) {
      cache = {};
      SharedBuffers contents;
      for (size_t i = 0; i < result_.plan.buffers.size(); ++i) {
        const BufferSpec& spec = result_.plan.buffers[i];
        if (without_scratch && is_left_out(spec)) {
          contents.push_back(std::make_shared<const HostBuffer>(spec.type, 0));
          continue;
        }
        auto made = make_contents(spec, i, result_.request.seed);
        if (!made) return forward(made);
        contents.push_back(std::make_shared<const HostBuffer>(std::move(*made)));
        if (stop_.stop_requested()) return fail(ErrorId::cancelled);
      }
      cache = {result_.request.seed, result_.plan.buffers, std::move(contents), without_scratch};
    }
    initial_ = cache.contents;
    return {};
  }

  using DeviceBuffers = std::vector<std::shared_ptr<DeviceBuffer>>;

  /// Allocates buffers with their contents; zeros if blocks are only sampled.
  Result<DeviceBuffers> allocate(Executor& executor, bool zeros = false) const {
    DeviceBuffers buffers;
    for (size_t i = 0; i < result_.plan.buffers.size(); ++i) {
      const BufferSpec& spec = result_.plan.buffers[i];
      const bool empty = zeros || is_empty_here(i);
      auto buffer = executor.allocate({.name = spec.name,
                                       .type = spec.type,
                                       .count = static_cast<size_t>(spec.count()),
                                       .index = i,
                                       .zeros = empty});
      if (!buffer) return forward(buffer);
      if (empty) {
        buffers.push_back(std::move(*buffer));
        continue;
      }
      auto sent = executor.upload(**buffer, initial_[i]->bytes, spec.fill == Fill::poison);
      if (!sent) return forward(sent);
      buffers.push_back(std::move(*buffer));
    }
    return buffers;
  }

  /// Copies back what the kernel may have written; inputs stay shared with the cache.
  Result<SharedBuffers> download(Executor& executor, const DeviceBuffers& buffers) const {
    SharedBuffers contents = initial_;
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (result_.plan.buffers[i].role == Role::input || is_empty_here(i)) continue;
      auto back = std::make_shared<HostBuffer>(initial_[i]->type, initial_[i]->count());
      auto got = executor.download(*buffers[i], back->bytes);
      if (!got) return forward(got);
      contents[i] = std::move(back);
    }
    return contents;
  }

  /// The runtime refuses a launch, and the host does not ask.
  bool never_noticed(const Error& error) const { return result_.plan.unchecked && error.id == ErrorId::bad_launch; }

  Result<void> run_on_gpu() {
    report(Progress::Phase::execute, 0);
    if (!engine_.gpu()) return forward(engine_.gpu());
    Executor& gpu = **engine_.gpu();
    auto buffers = allocate(gpu);
    if (!buffers) return forward(buffers);
    result_.run_ms = 0;
    for (const auto& launch : result_.plan.launches) {
      auto ran = gpu.launch(result_.compiled, launch, *buffers, {}, stop_);
      if (!ran && never_noticed(ran.error())) continue;
      if (!ran) return forward(ran);
      result_.run_ms += ran->elapsed_ms;
      result_.output += ran->output;
    }
    auto contents = download(gpu, *buffers);
    if (!contents) return forward(contents);
    result_.buffers = std::move(*contents);
    result_.device = gpu.device();
    result_.device_buffers = std::move(*buffers);
    read_schedule();
    return {};
  }

  void read_schedule() {
    if (lab_ == nullptr || lab_->schedule_buffer.empty()) return;
    for (size_t i = 0; i < result_.plan.buffers.size() && !result_.plan.launches.empty(); ++i)
      if (result_.plan.buffers[i].name == lab_->schedule_buffer)
        result_.block_times = read_block_times(*result_.buffers[i], result_.plan.launches.back().grid.count());
  }

  /// Why a GPU run is not also simulated; empty if it is.
  Phrase reason_not_to_observe() const {
    if (!result_.request.observe) return Phrase("not asked for");
    if (lab_ == nullptr) return {};
    if (too_large_) return Phrase("the simulator would take too long for all of the blocks");
    for (const auto& size : lab_->sizes)
      if (result_.request.config.size(size.name) > size.max_sim)
        return make_error(ErrorId::too_large_to_simulate, size.name, result_.request.config.size(size.name),
                          size.max_sim)
            .what;
    return {};
  }

  /// Runs the launches, and on the simulator takes the resulting buffer contents.
  Result<void> simulate() {
    if (on_gpu()) result_.not_observed_reason = reason_not_to_observe();
    if (!result_.not_observed_reason.empty()) return {};
    Executor& simulator = engine_.simulator();
    auto buffers = allocate(simulator, sampled_);
    if (!buffers) return forward(buffers);
    const auto start = Clock::now();
    if (auto ran = simulate_launches(simulator, *buffers); !ran) return ran;
    result_.simulate_ms = milliseconds_since(start);
    if (on_gpu()) return {};
    result_.run_ms = result_.simulate_ms;
    result_.device = simulator.device();
    result_.device.multiprocessors = result_.modelled_gpu.multiprocessors;
    if (sampled_) return {};
    auto contents = download(simulator, *buffers);
    if (!contents) return forward(contents);
    result_.buffers = std::move(*contents);
    return {};
  }

  /// Derives the views' data from the simulated launches; nothing for a GPU run that is not simulated.
  void make_views() {
    if (!result_.not_observed_reason.empty()) return;
    if (sampled_)
      finish_sample();
    else
      observe();
  }

  /// Counters of the executed blocks only; the buffers do not hold the kernel's results.
  void finish_sample() {
    result_.traffic.counters = counters_;
    note_sample(result_);
    for (const BufferSpec& spec : result_.plan.buffers)
      result_.buffers.push_back(std::make_shared<const HostBuffer>(spec.type, 0));
  }

  bool wants_order() const { return result_.request.model_order || (lab_ != nullptr && lab_->models_block_order); }

  /// The last launch in the order of its blocks, on the GPU that is modelled. Its blocks find the inputs, or zeros
  /// where the simulator would take too long for all of them.
  Result<void> model_order() {
    if (!wants_order()) return {};
    if (result_.plan.launches.empty()) return {};
    report(Progress::Phase::simulate, 0);
    const GpuSpec& gpu = result_.modelled_gpu;
    Executor& simulator = engine_.simulator();
    auto buffers = allocate(simulator, too_large_);
    if (!buffers) return forward(buffers);
    const Launch& launch = result_.plan.launches.back();
    const int64_t chosen = ctas_as_set();
    const Residency residency = resident_blocks(gpu, usage_of(result_.compiled, launch));
    const auto per_multiprocessor =
        chosen != 0 ? static_cast<uint32_t>(chosen) : static_cast<uint32_t>(residency.blocks / gpu.multiprocessors);
    const OrderSubject subject{.module = result_.compiled,
                               .launch = launch,
                               .specs = result_.plan.buffers,
                               .buffers = *buffers,
                               .known = engine_.replays_.get(),
                               .progress = [&](double fraction) { report(Progress::Phase::simulate, fraction); }};
    auto order = model_block_order(simulator, subject, gpu, per_multiprocessor, stop_);
    if (!order) return forward(order);
    order->residency = chosen != 0 ? Phrase("as set") : residency.reason;
    result_.block_order = std::move(*order);
    return {};
  }

  Result<void> simulate_launches(Executor& simulator, const DeviceBuffers& buffers) {
    const size_t count = result_.plan.launches.size();
    for (size_t i = 0; i < count; ++i) {
      LaunchOptions options;
      options.count_traffic = result_.request.observe;
      options.record_accesses = result_.request.observe && !sampled_;
      if (sampled_) options.blocks = sample_of(result_.plan.launches[i].grid);
      options.access_budget -= std::min(options.access_budget, result_.trace.accesses.size());
      options.launch_index = static_cast<uint32_t>(i);
      options.gpu = std::make_shared<const GpuSpec>(result_.modelled_gpu);
      options.source = source_with_defines(result_.plan);
      options.progress = [&](double fraction) {
        report(Progress::Phase::simulate, (static_cast<double>(i) + fraction) / static_cast<double>(count));
      };
      auto ran = simulator.launch(result_.compiled, result_.plan.launches[i], buffers, options, stop_);
      if (!ran && never_noticed(ran.error())) continue;
      if (!ran) return forward(ran);
      append_launch(result_.trace, sites_, ran->trace, ran->sites, options.launch_index);
      add_counters(counters_, ran->counters);
      result_.simulated_warps += ran->warps;
      if (!on_gpu()) result_.output += ran->output;
      for (Finding& finding : ran->findings) {
        finding.launch = options.launch_index;
        result_.findings.push_back(std::move(finding));
      }
      if (ran->stopped_by_finding) break;
    }
    return {};
  }

  void observe() {
    result_.traffic = make_ledger(result_.trace, std::move(sites_), counters_, result_.plan.buffers);
    result_.observed = result_.request.observe;
    if (!result_.observed) {
      result_.not_observed_reason = Phrase("not asked for");
      return;
    }
    if (result_.plan.launches.empty()) return;
    std::future<HierarchyTraffic> hierarchy;
    if (has_machine_code_) {  // how many blocks share an L1 follows from the registers
      compare_machine_code();
      // Beside the tile map: both only read the trace.
      hierarchy = std::async(std::launch::async, [this] {
        return replay_hierarchy(result_.modelled_gpu, result_.trace, result_.plan.launches, result_.occupancy,
                                result_.plan.buffers, stop_);
      });
    }
    result_.tiles =
        make_tile_map(result_.trace, result_.plan.launches[result_.launch], result_.launch, result_.plan.buffers);
    if (hierarchy.valid()) result_.hierarchy = hierarchy.get();
  }

  /// Compares each kernel once, however often it is launched.
  void compare_machine_code() {
    std::set<std::string> compared;
    for (size_t i = 0; i < result_.plan.launches.size(); ++i) {
      const std::string& kernel = result_.plan.launches[i].kernel;
      if (!compared.insert(kernel).second) continue;
      const bool done = mark_changed_lines(result_.traffic, result_.trace, static_cast<uint32_t>(i),
                                           machine_accesses(result_.compiled.cubin, kernel));
      if (!done && result_.not_compared_reason.empty())
        result_.not_compared_reason = phrase("the machine code of {} has no source lines", kernel);
    }
  }

  void judge_outputs() {
    if (sampled_) return;
    report(Progress::Phase::compare, 0);
    if (lab_ != nullptr && lab_->reference)
      compare_outputs();
    else
      count_outputs();
  }

  void compare_outputs() {
    const auto& reference = rung_->reference ? rung_->reference : lab_->reference;
    size_t output = 0;
    for (size_t i = 0; i < result_.plan.buffers.size(); ++i) {
      const BufferSpec& spec = result_.plan.buffers[i];
      if (spec.role != Role::output && spec.role != Role::inout) continue;
      const auto expected = [&, output](size_t begin, size_t end, double* values) {
        reference(result_.config, initial_, output, begin, end, values);
      };
      const Tolerance tolerance = tolerance_of(*lab_, result_.rung, result_.config, spec.type);
      const size_t most = elements_to_compare(*lab_, result_.config, result_.buffers[i]->count());
      result_.correctness.push_back(compare_some(spec.name, *result_.buffers[i], tolerance, expected, most));
      ++output;
    }
  }

  void count_outputs() {
    for (size_t i = 0; i < result_.plan.buffers.size(); ++i) {
      const BufferSpec& spec = result_.plan.buffers[i];
      if (spec.role != Role::output && spec.role != Role::inout) continue;
      result_.statistics.push_back(count_output(*result_.buffers[i], spec.fill == Fill::poison));
      result_.statistics.back().buffer = i;
    }
  }

  Engine& engine_;
  const Lab* lab_;    // null: the plan has no lab
  const Rung* rung_;  // likewise
  std::stop_token stop_;
  const ProgressFunction& progress_;
  RunResult result_;
  bool too_large_ = false;  // the simulator would take too long for all of the blocks
  bool has_machine_code_ = true;
  bool sampled_ = false;  // it executes some of them, and nothing else does
  std::optional<PlanCompilation> compilation_;
  SharedBuffers initial_;
  std::vector<SiteCount> sites_;
  Counters counters_;
};

Result<RunResult> Engine::run(const Request& request, std::stop_token stop, const ProgressFunction& progress) {
  auto resolved = resolve(request);
  if (!resolved) return forward(resolved);
  auto made = plan(request, *resolved);
  if (!made) return forward(made);
  return RunInProgress(*this, request, std::move(*resolved), stop, progress).carry_out(std::move(*made));
}

Result<RunResult> Engine::run_plan(Plan plan, const Request& request, std::stop_token stop,
                                   const ProgressFunction& progress) {
  Resolved no_lab{.config = request.config};
  return RunInProgress(*this, request, std::move(no_lab), stop, progress).carry_out(std::move(plan));
}

}  // namespace tilescope
