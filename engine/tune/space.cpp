#include "engine/tune/space.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/clock.hpp"
#include "engine/kernel_language.hpp"
#include "engine/names.hpp"
#include "engine/numbers.hpp"
#include "engine/run/block_usage.hpp"
#include "engine/run/kernels.hpp"
#include "engine/run/plan_compilation.hpp"
#include "engine/run/triton_launch.hpp"
#include "engine/traffic/schedule/occupancy.hpp"

namespace tilescope {
namespace {

constexpr size_t kCompilingThreads = 4;  // as many as the compiler has processes

bool is_axis(const Lab& lab, const std::string& name) {
  const auto param = std::ranges::find(lab.params, name, &Param::name);
  return param != lab.params.end() && !param->model_only && !param->of_problem && param->choices.empty() &&
         values_of(*param).size() > 1;
}

struct Subject {
  const Lab* lab = nullptr;
  const Rung* rung = nullptr;
};
Result<Subject> subject_of(const SpaceRequest& request) {
  const Lab* lab = find_lab(request.lab);
  if (lab == nullptr) return fail(ErrorId::lab_not_found, request.lab, join_names(labs()));
  const Rung* rung = find_rung(*lab, request.rung);
  if (rung == nullptr) return fail(ErrorId::rung_not_found, lab->name, request.rung, join_names(lab->rungs));
  if (rung->pick)
    return fail(ErrorId::usage, phrase("rung '{}' of lab '{}' picks its parameters itself: tune one that it picks",
                                       rung->name, lab->name));
  return Subject{lab, rung};
}

/// The axes as the request narrows them.
Result<std::vector<TuneAxis>> narrowed_axes(const Subject& subject, const SpaceRequest& request) {
  std::vector<TuneAxis> axes = axes_of(*subject.lab, *subject.rung);
  for (const auto& [name, values] : request.tried) {
    const auto axis = std::ranges::find(axes, name, &TuneAxis::name);
    if (axis == axes.end())
      return fail(ErrorId::parameter_not_found, subject.lab->name, name,
                  join_names(axes, [](const TuneAxis& one) { return one.name; }));
    for (const int64_t value : values)
      if (std::ranges::find(axis->values, value) == axis->values.end())
        return fail(ErrorId::parameter_range, name, value,
                    allowed_text(*std::ranges::find(subject.lab->params, name, &Param::name)));
    axis->values = values;
    std::ranges::sort(axis->values);
    axis->values.erase(std::unique(axis->values.begin(), axis->values.end()), axis->values.end());
  }
  std::erase_if(axes, [&](const TuneAxis& axis) { return std::ranges::count(request.fixed, axis.name) > 0; });
  if (axes.empty())
    return fail(ErrorId::usage,
                phrase("rung '{}' of lab '{}' has no parameter left to tune", subject.rung->name, subject.lab->name));
  return axes;
}

Result<size_t> count_of(const std::vector<TuneAxis>& axes) {
  size_t count = 1;
  const TuneAxis* longest = &axes.front();
  for (const TuneAxis& axis : axes) {
    count *= axis.values.size();
    if (axis.values.size() > longest->values.size()) longest = &axis;
  }
  if (count > kMostConfigurations)
    return fail(ErrorId::usage,
                phrase("the space has {} configurations, and at most {} are tuned: narrow it, as in --try {}={},{}, or "
                       "fix a parameter with --set",
                       with_separators(count), with_separators(kMostConfigurations), longest->name,
                       longest->values.front(), longest->values.back()));
  return count;
}

Config config_of(const SpaceRequest& space, const TuneMap& map, size_t entry) {
  Config config = space.config;
  for (size_t i = 0; i < map.axes.size(); ++i) config.params[map.axes[i].name] = map.entries[entry].values[i];
  return config;
}

void add_entries(TuneMap& map, size_t count) {
  for (size_t index = 0; index < count; ++index) {
    TuneEntry entry;
    entry.values.resize(map.axes.size());
    size_t left = index;
    for (size_t i = map.axes.size(); i-- > 0; left /= map.axes[i].values.size())
      entry.values[i] = map.axes[i].values[left % map.axes[i].values.size()];
    map.entries.push_back(std::move(entry));
  }
}

void forbid(TuneEntry& entry, Limiter limiter, Phrase why) {
  entry.state = TuneState::impossible;
  entry.limiter = limiter;
  entry.why = std::move(why);
}

/// None is possible: the error with the refusal of the first.
Result<void> some_possible(const TuneMap& map) {
  for (const TuneEntry& entry : map.entries)
    if (entry.state != TuneState::impossible) return {};
  return fail(ErrorId::usage, phrase("none of the {} configurations is possible; of the first: {}",
                                     with_separators(map.entries.size()), map.entries.front().why));
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  return line;
}

/// Marks what the GPU cannot hold. True if a CTA fits.
bool judge_fit(TuneEntry& entry, const GpuSpec& gpu, const BlockUsage& usage, const Occupancy& occupancy) {
  const auto count = [](uint64_t number) { return with_separators(number); };
  const uint32_t shared = usage.static_shared_bytes + usage.dynamic_shared_bytes;
  if (usage.threads > gpu.max_threads_per_block) {
    forbid(entry, Limiter::threads,
           phrase("a CTA would have {} threads, and the {} allows {}", count(usage.threads), gpu.name,
                  count(gpu.max_threads_per_block)));
  } else if (shared > gpu.shared_bytes_per_block) {
    forbid(entry, Limiter::shared,
           phrase("a CTA would take {} bytes of shared memory, and on the {} it has at most {}", count(shared),
                  gpu.name, count(gpu.shared_bytes_per_block)));
  } else if (occupancy.by_registers == 0) {
    forbid(entry, Limiter::registers,
           phrase("{} threads with {} registers each do not fit into the {} registers of an SM", count(usage.threads),
                  usage.registers_per_thread, count(gpu.registers_per_multiprocessor)));
  } else if (occupancy.by_shared == 0) {
    forbid(entry, Limiter::shared,
           phrase("a CTA would take {} bytes of shared memory, and on the {} it has at most {}", count(shared),
                  gpu.name, count(gpu.shared_bytes_per_multiprocessor)));
  }
  return entry.state != TuneState::impossible;
}

CompilationTarget target_of(const Engine& engine, const Compiler& compiler, DeviceKind device, const GpuSpec& gpu) {
  const bool measured = device == DeviceKind::gpu && engine.gpu().has_value();
  return {.kernels_folder = (engine.root() / "kernels").string(),
          .architecture = measured ? (*engine.gpu())->device().architecture : compiler.nearest_target(gpu.architecture),
          .may_differ = false,
          .machine_code = true,
          .native = true};
}

/// Errors that concern this configuration, and not the whole tuning.
bool is_of_configuration(ErrorId id) { return id == ErrorId::compile_failed || id == ErrorId::triton_failed; }

}  // namespace

std::vector<TuneAxis> axes_of(const Lab& lab, const Rung& rung) {
  std::vector<TuneAxis> axes;
  for (const Param& param : lab.params)
    if (std::ranges::find(rung.params, param.name) != rung.params.end() && is_axis(lab, param.name))
      axes.push_back({param.name, values_of(param)});
  return axes;
}

Limiter limiter_of(const Error& error) {
  const std::string& text = error.message;
  const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
  if (has("multiple of") || has("power of two") || has("divide")) return Limiter::divisibility;
  if (has("shared memory")) return Limiter::shared;
  if (has("register")) return Limiter::registers;
  if (has("WM =") || has("a warp multiplies")) return Limiter::divisibility;  // how the warps share the tile
  if (has("threads")) return Limiter::threads;
  return Limiter::other;
}

Result<TuneMap> make_space(const Engine& engine, const SpaceRequest& request) {
  const auto subject = subject_of(request);
  if (!subject) return forward(subject);
  if (auto valid = validate(*subject->lab, request.config, request.device); !valid) return forward(valid);
  if (auto gpu = engine.modelled_gpu(request.gpu); !gpu) return forward(gpu);
  auto axes = narrowed_axes(*subject, request);
  if (!axes) return forward(axes);
  const auto count = count_of(*axes);
  if (!count) return forward(count);
  TuneMap map{.lab = request.lab, .rung = request.rung, .sizes = request.config.sizes, .axes = std::move(*axes)};
  // What the rung does not use makes no difference, and is not part of the cache's key.
  for (const Param& param : subject->lab->params) {
    const bool used = std::ranges::count(subject->rung->params, param.name) > 0;
    const bool is_axis = std::ranges::find(map.axes, param.name, &TuneAxis::name) != map.axes.end();
    if (!is_axis && (used || param.of_problem || !param.choices.empty()))
      map.params[param.name] = request.config.param(param.name);
  }
  add_entries(map, *count);
  for (size_t i = 0; i < map.entries.size(); ++i)
    if (subject->rung->check)
      if (auto possible = subject->rung->check(config_of(request, map, i)); !possible)
        forbid(map.entries[i], limiter_of(possible.error()), possible.error().what);
  if (auto some = some_possible(map); !some) return forward(some);
  return map;
}

Request request_of(const SpaceRequest& space, const TuneMap& map, size_t entry) {
  Request request;
  request.lab = space.lab;
  request.rung = space.rung;
  request.config = config_of(space, map, entry);
  request.device = space.device;
  request.gpu = space.gpu;
  request.observe = false;
  return request;
}

Result<void> add_facts(Engine& engine, const SpaceRequest& space, TuneMap& map, size_t index, std::stop_token stop) {
  TuneEntry& entry = map.entries[index];
  if (entry.state == TuneState::impossible || entry.facts) return {};
  const auto subject = subject_of(space);
  if (!subject) return forward(subject);
  const Request request = request_of(space, map, index);
  auto plan = engine.plan(request);
  if (!plan) return forward(plan);
  const auto compiler = engine.compiler_for(plan->source_file);
  if (!compiler) return forward(compiler);
  const auto gpu = engine.modelled_gpu(space.gpu);
  if (!gpu) return forward(gpu);
  PlanCompilation compilation(*compiler, *plan, target_of(engine, **compiler, space.device, *gpu), stop);
  auto module = compilation.machine_code();
  if (!module && is_of_configuration(module.error().id)) {
    forbid(entry, Limiter::compiler, phrase("the compiler refuses it: {}", first_line(module.error().message)));
    return {};
  }
  if (!module) return forward(module);
  entry.compile_ms = module->from_cache ? entry.compile_ms : compilation.milliseconds();
  const bool triton = !module->triton.empty();
  const auto settled = triton ? settle_triton(*plan, *module) : settle_kernels(*plan, *module, compilation.declared());
  if (!settled) return forward(settled);
  const Launch launch = as_on_gpu(plan->launches[shown_launch(plan->launches, subject->rung->shown_kernels)]);
  const BlockUsage usage = usage_of(*module, launch);
  const Occupancy occupancy = occupancy_of(*gpu, usage, launch.grid.count());
  if (!judge_fit(entry, *gpu, usage, occupancy)) return {};
  const KernelInfo* kernel = module->find(launch.kernel);
  const auto ctas = static_cast<uint32_t>(occupancy.resident_blocks / std::max(gpu->multiprocessors, 1U));
  const double warps = static_cast<double>(ctas) * static_cast<double>((usage.threads + 31) / 32);
  entry.facts = {
      .threads = usage.threads,
      .registers = usage.registers_per_thread,
      .shared_bytes = usage.static_shared_bytes + usage.dynamic_shared_bytes,
      .spill_bytes = kernel != nullptr ? kernel->spill_store_bytes + kernel->spill_load_bytes : 0,
      .ctas_per_multiprocessor = ctas,
      .occupancy = std::min(1.0, warps / std::max(gpu->max_warps_per_multiprocessor, 1U)),
      .waves = occupancy.waves,
      .requested_bytes = subject->rung->requested_bytes ? subject->rung->requested_bytes(request.config) : 0};
  return {};
}

Result<void> add_facts(Engine& engine, const SpaceRequest& space, TuneMap& map, std::span<const size_t> entries,
                       const std::function<void(size_t)>& progress, std::stop_token stop) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t done = 0;
  Result<void> outcome;
  const auto work = [&] {
    for (size_t at; (at = next.fetch_add(1)) < entries.size();) {
      auto added = stop.stop_requested() ? Result<void>(fail(ErrorId::cancelled))
                                         : add_facts(engine, space, map, entries[at], stop);
      const std::lock_guard lock(mutex);
      if (!added) {
        if (outcome) outcome = std::move(added);
        next = entries.size();
        return;
      }
      if (progress) progress(++done);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < std::min(kCompilingThreads, entries.size()); ++i) threads.emplace_back(work);
    work();
  }
  return outcome;
}

}  // namespace tilescope
