#include "engine/bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <numeric>
#include <utility>

#include "engine/bench/race.hpp"
#include "engine/bench/timing_point.hpp"
#include "engine/gpu/buffer_sets.hpp"
#include "engine/gpu/timing_method.hpp"
#include "engine/names.hpp"
#include "engine/reference/cub.hpp"
#include "engine/reference/cublas.hpp"
#include "engine/reference/cublaslt.hpp"
#include "engine/reference/python.hpp"
#include "engine/run/paths.hpp"

namespace tilescope {
namespace {

std::string now_in_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// Whether a reference is a library that is called in this process.
bool is_library(ReferenceKind kind) {
  return kind == ReferenceKind::cublas || kind == ReferenceKind::cublaslt || kind == ReferenceKind::cub;
}

/// A call of a library, and what it said about its choice.
struct LibraryCall {
  EnqueueCall call;
  std::string note = {};
};

uint64_t bytes_of(std::span<const std::shared_ptr<DeviceBuffer>> buffers) {
  uint64_t bytes = 0;
  for (const auto& buffer : buffers) bytes += buffer->bytes();
  return bytes;
}

/// A rung that computed the right result: what it takes to run it again.
struct CheckedRung {
  size_t series;
  CompiledModule compiled;
  std::vector<Launch> launches;
  std::vector<double> pilot = {};  // cold executions, ms
};

/// Above this a rung is not put into graphs beside a short one: fifty executions would take long, and what its launch
/// costs and what is left in the L2 no longer counts.
constexpr double kTooLongForGraphsMs = 0.2;
/// The check's own run is pilot enough for a rung that takes longer.
constexpr double kLongPilotMs = 50;

/// Of a map: a scheme that takes so many times as long as the fastest is not raced; its pilot is time enough.
constexpr double kHopeless = 8;
/// After which the chip is cool and its power budget full again.
constexpr std::chrono::milliseconds kRest(150);

class Sweep {
 public:
  Sweep(Engine& engine, const Lab& lab, const BenchRequest& request, std::stop_token stop,
        const BenchProgress& progress)
      : engine_(engine), lab_(lab), request_(request), stop_(std::move(stop)), progress_(progress) {}

  Result<SpeedReport> carry_out();

 private:
  Result<void> name_series();
  Result<void> name_schemes();
  Config config_at(int64_t size) const;
  std::string place_text(int64_t size) const;
  void open_references();
  Result<void> measure_size(int64_t size);
  Result<std::vector<CheckedRung>> check_rungs(const Config& config, int64_t size);
  Result<void> add_rungs(std::span<const CheckedRung> rungs);
  Result<void> add_references(const Config& config);
  Result<void> add_copy(size_t series, double useful_bytes);
  void add_python(size_t series, const ReferenceSpec& spec, const Config& config);
  Result<LibraryCall> library_call(const ReferenceSpec& spec, const Config& config, const AddressSet& addresses);
  Result<LibraryCall> fastest_proposal(const std::string& operation, const Config& config, const AddressSet& addresses);
  Result<void> add_library(size_t series, const ReferenceSpec& spec, const Config& config);
  Result<bool> agrees(const TimedWork& work, std::span<const uint64_t> addresses, const Config& config) const;
  Result<void> add_work(size_t series, TimedWork work, const TimingMethod& method, double estimate_ms = 0);
  Result<void> choose_method(std::span<CheckedRung> rungs);
  Result<void> settle();
  std::map<std::string, int64_t> tuned(const std::string& rung, const Config& config) const;
  void keep_points(const Config& config, int64_t size);
  void report_progress(double within_size) const;

  const ReferenceSpec& reference(size_t series) const { return lab_.references[series - first_reference_]; }
  uint32_t clock() const { return (*engine_.gpu())->device().sm_clock_mhz; }

  Engine& engine_;
  const Lab& lab_;
  const BenchRequest& request_;
  std::stop_token stop_;
  const BenchProgress& progress_;
  SpeedReport report_;
  std::vector<int64_t> sizes_;
  size_t sizes_done_ = 0;
  size_t first_reference_ = 0;
  std::unique_ptr<PythonReference> python_;
  std::shared_ptr<CublasReference> cublas_;
  std::shared_ptr<CublasLtReference> cublaslt_;
  std::shared_ptr<CubReference> cub_;
  bool settled_ = true;
  GpuSpec gpu_;  // of a map: what its schemes are tuned for

  // Of the size being measured. The order matters: what is declared last goes first.
  std::vector<std::shared_ptr<DeviceBuffer>> buffers_;
  std::unique_ptr<GpuTimer> timer_;
  TimingMethod method_;
  double fastest_ms_ = 0;                                         // of the rungs' pilots
  std::vector<std::pair<size_t, std::vector<double>>> hopeless_;  // series that are not raced, with their pilots
  std::optional<BufferSets> rotated_;
  std::vector<CopySets> copies_;
  std::vector<BufferSets> library_sets_;
  std::vector<Contestant> contestants_;
};

Result<SpeedReport> Sweep::carry_out() {
  if (!engine_.gpu()) return tl::unexpected(engine_.gpu().error());
  const DeviceInfo device = (*engine_.gpu())->device();
  report_.lab = lab_.name;
  report_.gpu = device.name;
  report_.driver_version = device.driver_version;
  report_.cuda_version = device.cuda_version;
  report_.memory_clock_mhz = device.memory_clock_mhz;
  report_.tilescope_version = TILESCOPE_VERSION;
  report_.date = now_in_utc();
  if (engine_.compiler()) report_.nvrtc_version = (*engine_.compiler())->version();
  report_.command = request_.command;
  report_.is_map = request_.map;
  report_.size_name = sweep_name(lab_);
  report_.shapes = lab_.points;
  report_.bytes_formula = lab_.bytes_formula.en;
  report_.config = request_.config;
  if (auto ok = request_.map ? name_schemes() : name_series(); !ok) return tl::unexpected(ok.error());
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
    copies_.clear();
    library_sets_.clear();
    rotated_.reset();
    timer_.reset();
    buffers_.clear();
    if (!measured) {
      // Sizes ascend, so where one does not fit the rest do not either.
      const ErrorId id = measured.error().id;
      const bool full = id == ErrorId::too_large_for_gpu || id == ErrorId::out_of_memory;
      if (full && sizes_done_ > 0 && request_.sizes.empty() && report_.shapes.empty()) break;
      return tl::unexpected(measured.error());
    }
    ++sizes_done_;
    report_progress(0);
  }
  report_.clock_state = settled_ ? "sustained" : "burst";
  return std::move(report_);
}

/// One series per rung asked for and per reference, in the lab's order.
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
  if (first_reference_ == 0) return fail(ErrorId::usage, fmt::format("lab '{}' has no kernels to time", lab_.name));
  if (!request_.references) return {};
  for (const ReferenceSpec& spec : lab_.references) {
    report_.series.push_back({.name = spec.name, .is_rung = false, .unavailable = {}, .points = {}});
  }
  return {};
}

/// The shapes of the map, and one series per scheme.
Result<void> Sweep::name_schemes() {
  if (!lab_.scheme_map) return fail(ErrorId::usage, fmt::format("lab '{}' has no map of schemes", lab_.name));
  const SchemeMap& map = *lab_.scheme_map;
  auto gpu = engine_.modelled_gpu("");
  if (!gpu) return tl::unexpected(gpu.error());
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

std::string Sweep::place_text(int64_t size) const {
  return report_.shapes.empty() ? std::to_string(size) : report_.shapes[static_cast<size_t>(size) - 1].name;
}

/// Starts the Python child if a reference needs it, and notes why a reference is missing.
void Sweep::open_references() {
  std::string no_python;
  for (size_t series = first_reference_; series < report_.series.size(); ++series) {
    const ReferenceKind kind = reference(series).kind;
    if (kind == ReferenceKind::device_copy || is_library(kind)) continue;
    if (!python_ && no_python.empty()) {
      auto opened =
          PythonReference::open({.script = engine_.root() / "assets" / "python" / "reference_child.py"}, stop_);
      if (opened) {
        python_ = std::move(*opened);
        report_.torch_version = python_->versions().torch;
        report_.triton_version = python_->versions().triton;
      } else {
        no_python = opened.error().message;
      }
    }
    report_.series[series].unavailable = python_ ? python_->missing(kind) : no_python;
  }
}

Result<void> Sweep::measure_size(int64_t size) {
  const Config config = config_at(size);
  auto rungs = check_rungs(config, size);
  if (!rungs) return tl::unexpected(rungs.error());
  auto timer = GpuTimer::open(context_of(*buffers_.front()));
  if (!timer) return tl::unexpected(timer.error());
  timer_ = std::move(*timer);
  if (auto ok = choose_method(*rungs); !ok) return ok;
  if (auto ok = add_rungs(*rungs); !ok) return ok;
  if (auto ok = add_references(config); !ok) return ok;
  if (auto ok = settle(); !ok) return ok;
  const auto optional = [this](size_t series) { return series >= first_reference_; };
  auto raced = race(
      contestants_, request_.seconds_per_size, optional, [this] { return clock(); },
      [this](double fraction) { report_progress(fraction); }, stop_);
  if (!raced) return raced;
  // Where the operations count and not the bytes, the power limit decides about the clock.
  if (lab_.speed_unit == SpeedUnit::teraflops && method_.cold())
    if (auto taken = burst(contestants_, kRest, optional, stop_); !taken) return taken;
  keep_points(config, size);
  if (python_) (void)python_->release(stop_);  // a child that has died says so at its next turn
  return {};
}

/// Correctness before timing. The buffers of the rung that has the most stay, for all to be timed on: a rung's own
/// scratch comes after what it shares with the others.
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
    auto run = engine_.run(request, stop_);
    if (!run) return tl::unexpected(run.error());
    for (const Correctness& output : run->correctness) {
      if (output.pass) continue;
      return fail(ErrorId::kernel_misbehaved,
                  fmt::format("rung '{}' computes wrong results at {} = {} and is not timed: in '{}', {}", request.rung,
                              report_.size_name, place_text(size), output.buffer, output.reason));
    }
    checked.push_back({series, std::move(run->compiled), std::move(run->plan.launches)});
    if (run->run_ms > kLongPilotMs) checked.back().pilot = {run->run_ms};
    if (bytes_of(run->device_buffers) > bytes_of(buffers_)) buffers_ = std::move(run->device_buffers);
  }
  return checked;
}

/// Single cold executions, or, where the fastest rung is too short for them, graphs of many: one method for all.
Result<void> Sweep::choose_method(std::span<CheckedRung> rungs) {
  double fastest = 1e9;
  for (CheckedRung& rung : rungs) {
    if (rung.pilot.empty()) {
      AddressSet addresses;
      for (const auto& buffer : buffers_) addresses.push_back(buffer->address());
      auto work = timer_->launches(rung.compiled, rung.launches, std::span(&addresses, 1));
      if (!work) return tl::unexpected(work.error());
      auto pilot = timer_->cold(*work, 3);
      if (!pilot) return tl::unexpected(pilot.error());
      rung.pilot = std::move(*pilot);
    }
    fastest = std::min(fastest, bootstrap_median(rung.pilot).median);
  }
  fastest_ms_ = fastest;
  method_ = choose_timing(fastest, (*engine_.gpu())->device().l2_bytes, bytes_of(buffers_));
  if (method_.cold()) return {};
  auto rotated = BufferSets::copies_of(buffers_, method_.sets);
  if (!rotated) return tl::unexpected(rotated.error());
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
    if (!work) return tl::unexpected(work.error());
    const bool alone = pilot_ms > kTooLongForGraphsMs;
    if (auto ok = add_work(rung.series, std::move(*work), alone ? TimingMethod() : method_, alone ? pilot_ms : 0); !ok)
      return ok;
  }
  return {};
}

/// A contestant of this process. Without an estimate a pilot tells how long its samples take.
Result<void> Sweep::add_work(size_t series, TimedWork work, const TimingMethod& method, double estimate_ms) {
  Contestant contestant;
  contestant.series = series;
  contestant.method = method;
  auto sampler = make_sampler(*timer_, std::move(work), method);
  if (!sampler) return tl::unexpected(sampler.error());
  contestant.take = std::move(*sampler);
  contestant.estimate_ms = estimate_ms;
  if (estimate_ms <= 0) {
    auto pilot = contestant.take(2);
    if (!pilot) return tl::unexpected(pilot.error());
    contestant.estimate_ms = bootstrap_median(*pilot).median * std::max(method.executions, 1);
  }
  contestants_.push_back(std::move(contestant));
  return {};
}

/// A reference that cannot be had at this size keeps its reason, unless it has points of other sizes.
Result<void> Sweep::add_references(const Config& config) {
  for (size_t series = first_reference_; series < report_.series.size(); ++series) {
    if (stop_.stop_requested()) return fail(ErrorId::cancelled);
    TimingSeries& shown = report_.series[series];
    if (!shown.unavailable.empty()) continue;
    const ReferenceSpec& spec = reference(series);
    if (is_library(spec.kind)) {
      if (auto ok = add_library(series, spec, config); !ok && shown.points.empty()) {
        shown.unavailable = ok.error().message;
      }
    } else if (spec.kind != ReferenceKind::device_copy) {
      add_python(series, spec, config);
    } else if (auto ok = add_copy(series, lab_.useful_bytes(config)); !ok) {
      if (ok.error().id != ErrorId::too_large_for_gpu) return ok;
      if (shown.points.empty()) shown.unavailable = ok.error().message;
    }
  }
  return {};
}

/// A copy moves every byte twice, so half the bytes make the same traffic as the operation.
Result<void> Sweep::add_copy(size_t series, double useful_bytes) {
  const auto bytes = static_cast<size_t>(useful_bytes / 2);
  auto sets = CopySets::make(buffers_, bytes, method_.cold() ? 1 : method_.sets);
  if (!sets) return tl::unexpected(sets.error());
  copies_.push_back(std::move(*sets));
  return add_work(series, GpuTimer::copies(copies_.back().addresses(), bytes), method_);
}

/// What queues the operation of a library that is called in this process, opened when it is first needed. `addresses`
/// are those of buffers that it may try itself on.
Result<LibraryCall> Sweep::library_call(const ReferenceSpec& spec, const Config& config, const AddressSet& addresses) {
  const auto context = context_of(*buffers_.front());
  const std::string operation = operation_of(spec, config);
  const auto plain = [](Result<EnqueueCall> call) -> Result<LibraryCall> {
    if (!call) return tl::unexpected(call.error());
    return LibraryCall{.call = std::move(*call)};
  };
  if (spec.kind == ReferenceKind::cub) {
    if (!cub_ || cub_->context() != context) {
      auto opened = CubReference::open(
          context, {.source = engine_.root() / "assets" / "cub" / "device_sum.cu", .cache_folder = user_cache_folder()},
          stop_);
      if (!opened) return tl::unexpected(opened.error());
      cub_ = std::move(*opened);
    }
    return plain(CubReference::call(cub_, operation, config.sizes));
  }
  if (spec.kind == ReferenceKind::cublaslt) {
    if (!cublaslt_ || cublaslt_->context() != context) {
      auto opened = CublasLtReference::open(context);
      if (!opened) return tl::unexpected(opened.error());
      cublaslt_ = std::move(*opened);
    }
    return fastest_proposal(operation, config, addresses);
  }
  if (!cublas_ || cublas_->context() != context) {
    auto opened = CublasReference::open(context);
    if (!opened) return tl::unexpected(opened.error());
    cublas_ = std::move(*opened);
  }
  return plain(CublasReference::call(cublas_, operation, config));
}

/// cuBLASLt leaves the choice among its algorithms to the caller: each is timed a few times, the fastest is kept.
Result<LibraryCall> Sweep::fastest_proposal(const std::string& operation, const Config& config,
                                            const AddressSet& addresses) {
  constexpr int kSamples = 5;
  const auto product = product_named(operation, config);
  if (!product) return fail(ErrorId::reference_unavailable, "cuBLASLt", "there is no operation " + operation);
  auto proposals = CublasLtReference::proposals(cublaslt_, *product);
  if (!proposals) return tl::unexpected(proposals.error());
  LibraryCall fastest;
  double best = HUGE_VAL;
  for (auto& proposal : *proposals) {
    const auto times = timer_->cold(GpuTimer::calls(proposal.call, std::span(&addresses, 1)), kSamples);
    if (!times) continue;  // a proposal that the library itself then refuses
    const double median = bootstrap_median(*times).median;
    if (median >= best) continue;
    best = median;
    fastest = {.call = std::move(proposal.call),
               .note = fmt::format("{}, the fastest of {}", proposal.name, proposals->size())};
  }
  if (!fastest.call) return fail(ErrorId::reference_unavailable, "cuBLASLt", "none of its algorithms runs");
  return fastest;
}

/// On copies of the rungs' buffers; checked against what the rungs computed, which is right.
Result<void> Sweep::add_library(size_t series, const ReferenceSpec& spec, const Config& config) {
  auto copies = BufferSets::copies_of(buffers_, method_.cold() ? 1 : method_.sets);
  if (!copies) return tl::unexpected(copies.error());
  auto called = library_call(spec, config, copies->addresses().front());
  if (!called) return tl::unexpected(called.error());
  TimedWork work = GpuTimer::calls(std::move(called->call), copies->addresses());
  auto right = agrees(work, copies->addresses().front(), config);
  if (!right) return tl::unexpected(right.error());
  if (!*right) return fail(ErrorId::reference_unavailable, spec.name, "its result is not that of the rungs");
  library_sets_.push_back(std::move(*copies));
  if (auto added = add_work(series, std::move(work), method_); !added) return added;
  contestants_.back().note = std::move(called->note);
  return {};
}

/// Outputs are wiped, computed, and compared with those of the rungs: both may be off by the tolerance.
Result<bool> Sweep::agrees(const TimedWork& work, std::span<const uint64_t> addresses, const Config& config) const {
  const auto context = context_of(*buffers_.front());
  const auto specs = lab_.buffers(config);
  CurrentContext current(*context);
  if (!current) return tl::unexpected(context->error("the comparison", CUDA_ERROR_CONTEXT_IS_DESTROYED));
  const Driver& driver = context->driver();
  CUresult status = CUDA_SUCCESS;
  const auto step = [&status](CUresult result) { status = status == CUDA_SUCCESS ? result : status; };
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].role == Role::output)
      step(driver.memset_d8_async(addresses[i], 0xff, buffers_[i]->bytes(), context->stream()));
  if (auto ran = timer_->execute(work); !ran) return tl::unexpected(ran.error());
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role != Role::output) continue;
    const Tolerance tolerance = tolerance_of(lab_, report_.series.front().name, config, specs[i].type);
    HostBuffer expected(specs[i].type, static_cast<size_t>(specs[i].count())), got = expected;
    step(driver.memcpy_dtoh(expected.bytes.data(), buffers_[i]->address(), buffers_[i]->bytes()));
    step(driver.memcpy_dtoh(got.bytes.data(), addresses[i], buffers_[i]->bytes()));
    if (status != CUDA_SUCCESS) return tl::unexpected(context->error("the comparison", status));
    for (size_t k = 0; k < got.count(); ++k) {
      const double wanted = value_at(expected, k);
      const double allowed = 2 * (tolerance.absolute + tolerance.relative * std::abs(wanted));
      if (!(std::abs(value_at(got, k) - wanted) <= allowed)) return false;  // NaN is not either
    }
  }
  return true;
}

void Sweep::add_python(size_t series, const ReferenceSpec& spec, const Config& config) {
  PythonReference::Work work;
  work.kind = spec.kind;
  work.operation = operation_of(spec, config);
  if (const auto n = config.sizes.find(lab_.sweep_size); n != config.sizes.end()) work.n = n->second;
  work.sizes = config.sizes;
  work.params = config.params;
  work.sets = method_.cold() ? 1 : method_.sets;
  work.executions = method_.executions;
  work.flush_bytes = timer_->flush_bytes();
  TimingSeries& shown = report_.series[series];
  auto take = [this, kind = spec.kind, operation = work.operation](int count) {
    return python_->time(kind, operation, count, stop_);
  };
  auto prepared = python_->prepare(work, stop_);
  auto pilot = prepared ? take(2) : tl::unexpected(prepared.error());
  if (!pilot) {
    if (shown.points.empty() && pilot.error().id != ErrorId::cancelled) shown.unavailable = pilot.error().message;
    return;
  }
  Contestant contestant;
  contestant.series = series;
  contestant.take = take;
  contestant.method = method_;
  contestant.estimate_ms = bootstrap_median(*pilot).median * std::max(method_.executions, 1);
  contestants_.push_back(std::move(contestant));
}

Result<void> Sweep::settle() {
  auto settled = settle_clocks(
      [this]() -> Result<void> {
        Contestant& busy =
            *std::min_element(contestants_.begin(), contestants_.end(),
                              [](const Contestant& a, const Contestant& b) { return a.estimate_ms < b.estimate_ms; });
        auto taken = busy.take(static_cast<int>(std::clamp(20.0 / (busy.estimate_ms + 0.1), 1.0, 100.0)));
        if (!taken) return tl::unexpected(taken.error());
        return {};
      },
      [this] { return clock(); }, stop_);
  if (!settled) return tl::unexpected(settled.error());
  settled_ = settled_ && *settled;
  return {};
}

/// What a scheme was compiled with at this shape.
std::map<std::string, int64_t> Sweep::tuned(const std::string& rung, const Config& config) const {
  if (!request_.map || !lab_.scheme_map->tune) return {};
  return lab_.scheme_map->tune(rung, config, gpu_);
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
      if (series.points.empty()) series.unavailable = contestant.dropped;
      continue;
    }
    TimingPoint point = make_point(contestant.samples, lab_.useful_bytes(config), contestant.method);
    point.size = size;
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
  // The memory clock too is read under load; at rest it is lower.
  const uint32_t memory = (*engine_.gpu())->device().memory_clock_mhz;
  report_.memory_clock_mhz = std::max(report_.memory_clock_mhz, memory);
}

void Sweep::report_progress(double within_size) const {
  if (!progress_) return;
  const double sizes = static_cast<double>(std::max<size_t>(sizes_.size(), 1));
  progress_(report_, (static_cast<double>(sizes_done_) + within_size) / sizes);
}

}  // namespace

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
