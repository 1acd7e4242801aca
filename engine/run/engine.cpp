// The engine's state, and how a request is resolved before compilation: run.cpp executes it.
#include "engine/run/engine.hpp"

#include <algorithm>
#include <cstring>

#include "engine/compile/ptx_source.hpp"
#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/gpu/gpu_executor.hpp"
#include "engine/gpu/interop_record.hpp"
#include "engine/kernel_language.hpp"
#include "engine/names.hpp"
#include "engine/run/input_cache.hpp"
#include "engine/run/observe_order.hpp"
#include "engine/run/paths.hpp"
#include "engine/sim/simulator.hpp"
#include "engine/text_file.hpp"
#include "engine/tune/maps/tuned.hpp"

namespace tilescope {
namespace {

/// A lab's file contains all its rungs. In an edited one, errors in any rung are reported; a user's own file runs
/// despite errors in its other kernels.
OtherKernels other_kernels_of(const Request& request) {
  const Lab *shipped = find_lab(request.lab), *own = request.own_lab.get();
  if (shipped == nullptr) return OtherKernels::may_fail;
  const bool edited = request.edited_source || (own != nullptr && own->kernel_file != shipped->kernel_file);
  return edited ? OtherKernels::compiled : OtherKernels::left_out;
}

}  // namespace

Engine::Engine() : inputs_(std::make_unique<InputCache>()), replays_(std::make_unique<KnownReplays>()) {}
Engine::~Engine() = default;

std::shared_ptr<Engine> Engine::open(const EngineOptions& options) {
  std::shared_ptr<Engine> engine(new Engine);
  engine->root_ = options.root.empty() ? find_root() : options.root;
  const auto cache = options.cache_folder.empty() ? user_cache_folder() / "modules" : options.cache_folder;
  engine->compiler_ = Compiler::open(cache);
  engine->triton_ = open_triton({.root = engine->root_, .cache_folder = cache});
  engine->ptx_source_ = open_ptx_source();
  engine->gpu_ = open_gpu([record = InteropRecord::in(user_cache_folder())] { record.note(); });
  engine->simulator_ = make_simulator(options.simulator_threads);
  set_tuning_folders({.kernels = engine->root_ / "kernels",
                      .recordings = engine->root_ / "assets" / "recordings" / "tune",
                      .cache = (options.cache_folder.empty() ? user_cache_folder() : options.cache_folder) / "tuning"});
  engine->gpus_ = read_gpu_specs(engine->root_ / "assets" / "gpus.toml");
  return engine;
}

Result<std::shared_ptr<Compiler>> Engine::compiler_for(std::string_view file) const {
  switch (language_of(file)) {
    case KernelLanguage::triton:
      return triton_;
    case KernelLanguage::ptx:
      return ptx_source_;
    case KernelLanguage::cuda:
      break;
  }
  return compiler_;
}

void Engine::keep_compilers_warm() {
  if (compiler_) (*compiler_)->keep_warm();
  triton_->keep_warm();
}

Result<GpuSpec> Engine::modelled_gpu(const std::string& id) const {
  if (!gpus_) return forward(gpus_);
  const GpuSpec* spec = nullptr;
  if (id.empty() && gpu_) spec = find_gpu_of_driver(*gpus_, (*gpu_)->device().name);
  if (spec == nullptr) spec = find_gpu(*gpus_, id.empty() ? kUsualGpu : id);
  if (spec == nullptr) return fail(ErrorId::gpu_not_found, id, gpu_ids(*gpus_));
  return *spec;
}

Result<Resolved> Engine::resolve(const Request& request) const {
  const Lab* lab = lab_of(request);
  if (lab == nullptr) {
    return fail(ErrorId::lab_not_found, request.lab, join_names(labs()));
  }
  const Rung* rung = find_rung(*lab, request.rung);
  if (rung == nullptr) {
    return fail(ErrorId::rung_not_found, request.lab, request.rung, join_names(lab->rungs));
  }
  if (auto valid = validate(*lab, request.config, request.device); !valid) return forward(valid);
  Result<GpuSpec> gpu = GpuSpec();
  if (rung->pick) gpu = modelled_gpu(request.device == DeviceKind::gpu ? std::string() : request.gpu);
  if (!gpu) return forward(gpu);
  auto resolved = tilescope::resolve(*lab, *rung, request.config, *gpu);
  if (resolved && resolved->rung->check)
    if (auto possible = resolved->rung->check(resolved->config); !possible) return forward(possible);
  return resolved;
}

Result<Plan> Engine::plan(const Request& request) const {
  const auto resolved = resolve(request);
  if (!resolved) return forward(resolved);
  return plan(request, *resolved);
}

/// Changes the rung's source, and headers beside it, according to the enabled switches.
Result<void> Engine::plant_bugs(Plan& plan, const Lab& lab, const Rung& rung,
                                const std::vector<std::string>& on) const {
  auto planted = with_bugs(std::move(plan.source_text), lab.break_it, on, rung.kernel_file);
  if (!planted) return forward(planted);
  plan.source_text = std::move(*planted);
  if (language_of(plan.source_file) != KernelLanguage::cuda) return {};
  for (const std::string& header : headers_with_bugs(lab.break_it, on)) {
    const std::filesystem::path file = (root_ / plan.source_file).parent_path() / header;
    auto text = read_text(file);
    if (!text) return fail(ErrorId::file_not_found, file.string(), std::strerror(errno));
    auto changed = with_bugs(std::move(*text), lab.break_it, on, header);
    if (!changed) return forward(changed);
    plan.headers.push_back({file.string(), std::move(*changed)});
  }
  return {};
}

Result<Plan> Engine::plan(const Request& request, const Resolved& resolved) const {
  const Lab* lab = resolved.lab;
  const Rung* rung = resolved.rung;
  const Config& config = resolved.config;
  Plan plan;
  plan.source_file = source_file_of(*lab, *rung);
  if (request.edited_source) {
    plan.source_text = *request.edited_source;
  } else if (lab->source_text && rung->kernel_file.empty()) {
    plan.source_text = *lab->source_text;
  } else {
    auto text = read_text(root_ / plan.source_file);
    if (!text) return fail(ErrorId::file_not_found, (root_ / plan.source_file).string(), std::strerror(errno));
    plan.source_text = std::move(*text);
  }
  plan.defines = lab->defines;
  plan.include_folders = lab->include_folders;
  for (const auto& param : lab->params)
    if (!param.model_only && !param.of_triton)
      plan.defines.push_back({param.name, std::to_string(config.param(param.name))});
  if (auto planted = plant_bugs(plan, *lab, *rung, request.broken); !planted) return forward(planted);
  plan.architecture = rung->architecture;
  plan.buffers = rung->buffers ? rung->buffers(config) : lab->buffers(config);
  plan.launches = rung->launches(config);
  for (const BreakIt& one : lab->break_it) {
    const bool on = std::ranges::find(request.broken, one.name) != request.broken.end();
    if (!on || !one.concerns(rung->name)) continue;
    if (one.relaunch) one.relaunch(config, plan.launches);
    plan.unchecked = plan.unchecked || one.unchecked;
  }
  if (rung->variables) plan.variables = rung->variables(config);
  plan.from_lab = !request.own_lab;
  plan.other_kernels = other_kernels_of(request);
  return plan;
}

}  // namespace tilescope
