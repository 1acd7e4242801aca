#include "engine/bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "engine/bench/sweep.hpp"
#include "engine/bench/timed_place.hpp"
#include "engine/bench/timing_point.hpp"
#include "engine/clock.hpp"
#include "engine/names.hpp"
#include "engine/run/paths.hpp"

namespace tilescope {
namespace {

uint64_t buffer_bytes(std::span<const std::shared_ptr<DeviceBuffer>> buffers) {
  uint64_t bytes = 0;
  for (const auto& buffer : buffers) bytes += buffer->bytes();
  return bytes;
}

/// Above this a rung is not put into graphs beside a short one: fifty executions would take long, and launch overhead
/// and L2 contents no longer matter.
constexpr double kTooLongForGraphsMs = 0.2;
/// For a rung that takes longer, the correctness run itself serves as pilot.
constexpr double kLongPilotMs = 50;

/// For a map: a scheme that takes this many times as long as the fastest is not raced; its pilot is accurate enough.
constexpr double kHopeless = 8;
/// Idle time after which the chip is cool and its power budget is full again.
constexpr std::chrono::milliseconds kRest(150);

}  // namespace

Sweep::Sweep(Engine& engine, const Lab& lab, const BenchRequest& request, std::stop_token stop,
             const BenchProgress& progress)
    : engine_(engine),
      lab_(lab),
      request_(request),
      stop_(std::move(stop)),
      progress_(progress),
      references_({.assets = engine.root() / "assets", .cache = user_cache_folder()}) {}

Result<SpeedReport> Sweep::carry_out() {
  if (!engine_.gpu()) return forward(engine_.gpu());
  const DeviceInfo device = (*engine_.gpu())->device();
  report_.lab = lab_.name;
  report_.gpu = device.name;
  report_.driver_version = device.driver_version;
  report_.cuda_version = device.cuda_version;
  report_.memory_clock_mhz = device.memory_clock_mhz;
  report_.tilescope_version = TILESCOPE_VERSION;
  report_.date = utc_now();
  if (engine_.compiler()) report_.nvrtc_version = (*engine_.compiler())->version();
  report_.command = request_.command;
  report_.is_map = request_.map;
  report_.size_name = sweep_name(lab_);
  report_.shapes = lab_.points;
  report_.bytes_formula = lab_.bytes_formula.en;
  report_.config = request_.config;
  if (auto ok = request_.map ? name_schemes() : name_series(); !ok) return forward(ok);
  sizes_ = request_.sizes.empty() ? sweep_of(lab_) : request_.sizes;
  if (request_.map) {
    sizes_.resize(report_.shapes.size());
    std::iota(sizes_.begin(), sizes_.end(), 1);
  }
  std::sort(sizes_.begin(), sizes_.end());
  sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
  report_progress(0);
  open_references();
  for (int64_t size : sizes_) {
    if (stop_.stop_requested()) return fail(ErrorId::cancelled);
    auto measured = measure_size(size);
    contestants_.clear();
    hopeless_.clear();
    rotated_.reset();
    timer_.reset();
    buffers_.clear();
    if (!measured) {
      // Sizes ascend, so if one does not fit, the later ones do not either.
      const ErrorId id = measured.error().id;
      const bool full = id == ErrorId::too_large_for_gpu || id == ErrorId::out_of_memory;
      if (full && sizes_done_ > 0 && request_.sizes.empty() && report_.shapes.empty()) break;
      return forward(measured);
    }
    ++sizes_done_;
    report_.clock_state = settled_ ? "sustained" : "burst";
    report_progress(0);
  }
  return std::move(report_);
}

/// One series per requested rung and per reference, in the lab's order.
Result<void> Sweep::name_series() {
  for (const std::string& wanted : request_.rungs) {
    if (find_rung(lab_, wanted)) continue;
    return fail(ErrorId::rung_not_found, lab_.name, wanted, join_names(lab_.rungs));
  }
  for (const Rung& rung : lab_.rungs) {
    const auto& wanted = request_.rungs;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), rung.name) == wanted.end()) continue;
    report_.series.push_back({.name = rung.name, .is_rung = true, .unavailable = {}, .points = {}});
  }
  first_reference_ = report_.series.size();
  if (first_reference_ == 0) return fail(ErrorId::usage, phrase("lab '{}' has no kernels to time", lab_.name));
  if (!request_.references) return {};
  for (const ReferenceSpec& spec : lab_.references) {
    report_.series.push_back({.name = spec.name, .is_rung = false, .unavailable = {}, .points = {}});
  }
  return {};
}

/// The shapes of the map, and one series per scheme.
Result<void> Sweep::name_schemes() {
  if (!lab_.scheme_map) return fail(ErrorId::usage, phrase("lab '{}' has no map of schemes", lab_.name));
  const SchemeMap& map = *lab_.scheme_map;
  auto gpu = engine_.modelled_gpu("");
  if (!gpu) return forward(gpu);
  gpu_ = std::move(*gpu);
  report_.size_name = map.rows + " × " + map.columns;
  report_.shapes = map_points(lab_);
  for (const SchemeMap::Scheme& scheme : map.schemes)
    report_.series.push_back({.name = scheme.rung, .is_rung = true, .unavailable = {}, .points = {}});
  first_reference_ = report_.series.size();
  return {};
}

Config Sweep::config_at(int64_t size) const {
  if (!request_.map) return sweep_config(lab_, request_.config, size);
  Config config = request_.config;
  for (const auto& [name, value] : report_.shapes[static_cast<size_t>(size) - 1].sizes) config.sizes[name] = value;
  return config;
}

Result<void> Sweep::measure_size(int64_t size) {
  const Config config = config_at(size);
  auto rungs = check_rungs(config, size);
  if (!rungs) return forward(rungs);
  auto timer = GpuTimer::open(context_of(*buffers_.front()));
  if (!timer) return forward(timer);
  timer_ = std::move(*timer);
  if (auto ok = choose_method(*rungs); !ok) return ok;
  if (auto ok = add_rungs(*rungs); !ok) return ok;
  if (auto ok = add_references(config, size); !ok) return ok;
  if (auto ok = settle(); !ok) return ok;
  const auto optional = [this](size_t series) { return series >= first_reference_; };
  // If operations count rather than bytes, the power limit decides the clock.
  const bool computes = lab_.speed_unit == SpeedUnit::teraflops && method_.cold();
  const RaceTime time{request_.seconds_per_size, computes && (*engine_.gpu())->clock_is_capped()};
  auto raced = race(
      contestants_, time, optional, [this] { return clock(); }, [this](double fraction) { report_progress(fraction); },
      stop_);
  if (!raced) return raced;
  if (computes)
    if (auto taken = burst(contestants_, kRest, optional, stop_); !taken) return taken;
  keep_points(config, size);
  references_.release(stop_);
  return {};
}

/// All rungs are timed on the same buffers: those of the rung with the most, whose scratch follows what it shares with
/// the others. Where rungs compute different things, each place has the largest buffer that a rung has there.
void Sweep::keep_buffers(std::vector<std::shared_ptr<DeviceBuffer>> more) {
  if (buffer_bytes(more) > buffer_bytes(buffers_)) std::swap(more, buffers_);
  for (size_t i = 0; i < more.size(); ++i) {
    if (i >= buffers_.size())
      buffers_.push_back(std::move(more[i]));
    else if (more[i]->bytes() > buffers_[i]->bytes())
      buffers_[i] = std::move(more[i]);
  }
}

/// Correctness before timing.
Result<std::vector<CheckedRung>> Sweep::check_rungs(const Config& config, int64_t size) {
  std::vector<CheckedRung> checked;
  for (size_t series = 0; series < first_reference_; ++series) {
    Request request;
    request.lab = lab_.name;
    request.rung = report_.series[series].name;
    request.config = config;
    for (const auto& [name, value] : tuned(request.rung, config)) request.config.params[name] = value;
    request.device = DeviceKind::gpu;
    request.observe = false;
    // A shape that a rung refuses, such as a row that no tile holds, leaves a gap. So does a missing compiler of
    // Triton.
    const auto resolved = engine_.resolve(request);
    if (!resolved && validate(lab_, request.config, DeviceKind::gpu)) {
      miss(report_.series[series], size, resolved.error().message);
      continue;
    }
    auto run = engine_.run(request, stop_);
    if (!run && run.error().id == ErrorId::triton_missing) {
      miss(report_.series[series], size, run.error().message);
      continue;
    }
    if (!run) return forward(run);
    for (const Correctness& output : run->correctness) {
      if (output.pass) continue;
      return fail(ErrorId::kernel_misbehaved,
                  phrase("rung '{}' computes wrong results at {} = {} and is not timed: in '{}', {}", request.rung,
                         report_.size_name, place_name(report_, size), output.buffer, output.reason));
    }
    checked.push_back({series, std::move(run->compiled), std::move(run->plan.launches)});
    if (run->run_ms > kLongPilotMs) checked.back().pilot = {run->run_ms};
    keep_buffers(std::move(run->device_buffers));
  }
  return checked;
}

/// Chooses one method for all: single cold executions, or graphs of many if the fastest rung is too short for them.
Result<void> Sweep::choose_method(std::span<CheckedRung> rungs) {
  double fastest = 1e9;
  for (CheckedRung& rung : rungs) {
    if (rung.pilot.empty()) {
      AddressSet addresses;
      for (const auto& buffer : buffers_) addresses.push_back(buffer->address());
      auto work = timer_->launches(rung.compiled, rung.launches, std::span(&addresses, 1));
      if (!work) return forward(work);
      auto pilot = timer_->cold(*work, 3);
      if (!pilot) return forward(pilot);
      rung.pilot = std::move(*pilot);
    }
    fastest = std::min(fastest, bootstrap_median(rung.pilot).median);
  }
  fastest_ms_ = fastest;
  method_ = choose_timing(fastest, (*engine_.gpu())->device().l2_bytes, buffer_bytes(buffers_));
  if (method_.cold()) return {};
  auto rotated = BufferSets::copies_of(buffers_, method_.sets);
  if (!rotated) return forward(rotated);
  rotated_ = std::move(*rotated);
  return {};
}

Result<void> Sweep::add_rungs(std::span<const CheckedRung> rungs) {
  AddressSet own;
  for (const auto& buffer : buffers_) own.push_back(buffer->address());
  const std::vector<AddressSet> sets = method_.cold() ? std::vector<AddressSet>{own} : rotated_->addresses();
  for (const CheckedRung& rung : rungs) {
    const double pilot_ms = bootstrap_median(rung.pilot).median;
    if (request_.map && pilot_ms > kHopeless * fastest_ms_) {
      hopeless_.emplace_back(rung.series, rung.pilot);
      continue;
    }
    auto work = timer_->launches(rung.compiled, rung.launches, sets);
    if (!work) return forward(work);
    const bool alone = pilot_ms > kTooLongForGraphsMs;
    if (auto ok = add_work(rung.series, std::move(*work), alone ? TimingMethod() : method_, alone ? pilot_ms : 0); !ok)
      return ok;
  }
  return {};
}

/// Adds work that is queued in this process.
Result<void> Sweep::add_work(size_t series, TimedWork work, const TimingMethod& method, double estimate_ms) {
  Contestant contestant;
  contestant.series = series;
  contestant.method = method;
  contestant.estimate_ms = estimate_ms;
  auto sampler = make_sampler(*timer_, std::move(work), method);
  if (!sampler) return forward(sampler);
  contestant.take = std::move(*sampler);
  return add_contestant(std::move(contestant));
}

/// Without an estimate, a pilot measures how long the contestant's samples take.
Result<void> Sweep::add_contestant(Contestant contestant) {
  if (contestant.estimate_ms <= 0) {
    auto pilot = contestant.take(2);
    if (!pilot) return forward(pilot);
    contestant.estimate_ms = bootstrap_median(*pilot).median * std::max(contestant.method.executions, 1);
  }
  contestants_.push_back(std::move(contestant));
  return {};
}

Result<void> Sweep::settle() {
  auto settled = settle_clocks(
      [this]() -> Result<void> {
        Contestant& busy =
            *std::min_element(contestants_.begin(), contestants_.end(),
                              [](const Contestant& a, const Contestant& b) { return a.estimate_ms < b.estimate_ms; });
        auto taken = busy.take(static_cast<int>(std::clamp(20.0 / (busy.estimate_ms + 0.1), 1.0, 100.0)));
        if (!taken) return forward(taken);
        return {};
      },
      [this] { return clock(); }, stop_);
  if (!settled) return forward(settled);
  settled_ = settled_ && *settled;
  return {};
}

/// The parameters that a scheme was compiled with at this shape.
std::map<std::string, int64_t> Sweep::tuned(const std::string& rung, const Config& config) const {
  if (!request_.map || !lab_.scheme_map->tune) return {};
  return lab_.scheme_map->tune(rung, config, gpu_);
}

/// A series without a point at any size yet is marked unavailable and not tried again.
void Sweep::miss(TimingSeries& series, int64_t size, const std::string& reason) {
  if (series.points.empty())
    series.unavailable = reason;
  else
    series.gaps[size] = reason;
}

void Sweep::keep_points(const Config& config, int64_t size) {
  for (auto& [place, samples] : std::exchange(hopeless_, {})) {
    TimingSeries& series = report_.series[place];
    series.points.push_back(make_point(samples, lab_.useful_bytes(config), {}));  // cold
    series.points.back().size = size;
    series.points.back().params = tuned(series.name, config);
  }
  for (Contestant& contestant : contestants_) {
    TimingSeries& series = report_.series[contestant.series];
    if (!contestant.dropped.empty()) {
      miss(series, size, contestant.dropped);
      continue;
    }
    TimingPoint point = make_point(contestant.samples, lab_.useful_bytes(config), contestant.method);
    point.size = size;
    point.params = tuned(series.name, config);
    point.note = contestant.note;
    point.burst_ms = bootstrap_median(contestant.rested).median;
    if (auto& clocks = contestant.clocks; !clocks.empty()) {
      std::sort(clocks.begin(), clocks.end());
      point.sm_clock_mhz = clocks[clocks.size() / 2];
      const bool first = report_.sm_clock_max_mhz == 0;
      report_.sm_clock_min_mhz = first ? clocks.front() : std::min(report_.sm_clock_min_mhz, clocks.front());
      report_.sm_clock_max_mhz = std::max(report_.sm_clock_max_mhz, clocks.back());
    }
    series.points.push_back(point);
  }
  // The memory clock is also read under load, because it is lower at rest.
  const uint32_t memory = (*engine_.gpu())->device().memory_clock_mhz;
  report_.memory_clock_mhz = std::max(report_.memory_clock_mhz, memory);
}

void Sweep::report_progress(double within_size) const {
  if (!progress_) return;
  const double sizes = static_cast<double>(std::max<size_t>(sizes_.size(), 1));
  progress_(report_, (static_cast<double>(sizes_done_) + within_size) / sizes);
}

Result<SpeedReport> bench(Engine& engine, const BenchRequest& request, std::stop_token stop,
                          const BenchProgress& progress) {
  const Lab* lab = find_lab(request.lab);
  if (!lab) {
    return fail(ErrorId::lab_not_found, request.lab, join_names(labs()));
  }
  BenchRequest complete = request;
  const Config defaults = default_config(*lab, DeviceKind::gpu);
  complete.config.sizes.insert(defaults.sizes.begin(), defaults.sizes.end());
  complete.config.params.insert(defaults.params.begin(), defaults.params.end());
  if (complete.map) {
    complete.sizes.clear();
    complete.rungs.clear();
    complete.references = false;
  }
  return Sweep(engine, *lab, complete, std::move(stop), progress).carry_out();
}

}  // namespace tilescope
