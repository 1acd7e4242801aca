#include "engine/tune/tuning.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>

#include "engine/bench/measure.hpp"
#include "engine/bench/race.hpp"
#include "engine/clock.hpp"
#include "engine/gpu/buffer_sets.hpp"
#include "engine/gpu/timing_method.hpp"
#include "engine/tune/compile_ahead.hpp"
#include "engine/tune/maps/tuned.hpp"

namespace tilescope {
namespace {

constexpr double kMostMs = 400;          // GPU time for the samples of one turn
constexpr double kFinalSeconds = 1.0;    // for all finalists
constexpr double kLongestInGraph = 0.2;  // milliseconds; longer ones are timed alone
constexpr size_t kStoreEvery = 16;       // measurements between two writings of the cache

/// A configuration that computed the right result, with all that is needed to time it.
struct Prepared {
  std::shared_ptr<BufferSets> sets;
  TimingMethod method;
  Sampler sampler;
  double estimate_ms = 0;  // for one sample
};

/// The time below which no configuration can be, by the GPU's peak rates.
double least_ms(const Lab& lab, const Rung& rung, const Config& config, const GpuSpec& gpu) {
  double seconds = 0;
  if (lab.useful_bytes && gpu.memory_bytes_per_second > 0)
    seconds = lab.useful_bytes(config) / gpu.memory_bytes_per_second;
  const PeakRate rate = lab.peak_rate ? lab.peak_rate(rung.name, config) : PeakRate::fp32;
  if (const auto peak = gpu.peak.of(rate); peak && lab.flops) seconds = std::max(seconds, lab.flops(config) / *peak);
  return seconds * 1000;
}

std::vector<size_t> bytes_of_each(std::span<const std::shared_ptr<DeviceBuffer>> buffers) {
  std::vector<size_t> bytes;
  for (const auto& buffer : buffers) bytes.push_back(buffer->bytes());
  return bytes;
}

class Tuner {
 public:
  Tuner(Engine& engine, const TuneRequest& request, const std::function<void(const TuneProgress&)>& progress,
        const std::stop_token& stop)
      : engine_(engine), request_(request), progress_(progress), stop_(stop) {}

  Result<Tuning> carry_out() {
    if (!engine_.gpu()) return forward(engine_.gpu());
    if (auto ready = prepare_map(); !ready) return forward(ready);
    ahead_ = std::make_unique<CompileAhead>(engine_, request_.space, map_);
    const auto start = std::chrono::steady_clock::now();
    auto searched = search();
    if (searched) searched = time_finalists();
    if (measured_ > 0) map_.seconds = milliseconds_since(start) / 1000;
    keep();
    if (!searched) return forward(searched);
    if (!map_.best())
      return fail(ErrorId::kernel_misbehaved,
                  phrase("no configuration of the {} that were tried computes the right result",
                         map_.count(TuneState::wrong) + map_.count(TuneState::failed)));
    tuning_.map = std::move(map_);
    tuning_.from_cache = measured_ == 0;
    return std::move(tuning_);
  }

 private:
  Result<void> prepare_map() {
    auto space = make_space(engine_, request_.space);
    if (!space) return forward(space);
    map_ = std::move(*space);
    map_.command = request_.command;
    if (auto described = describe_map(engine_, request_.space, map_); !described) return described;
    lab_ = find_lab(request_.space.lab);
    rung_ = find_rung(*lab_, request_.space.rung);
    auto gpu = engine_.modelled_gpu("");
    if (!gpu) return forward(gpu);
    const double bound = least_ms(*lab_, *rung_, request_.space.config, *gpu);
    uint64_t bytes = 0;
    const auto buffers = rung_->buffers ? rung_->buffers(request_.space.config) : lab_->buffers(request_.space.config);
    for (const BufferSpec& buffer : buffers)
      bytes += static_cast<uint64_t>(buffer.count()) * static_cast<uint64_t>(size_of(buffer.type));
    method_ = choose_timing(bound, (*engine_.gpu())->device().l2_bytes, bytes);
    bound_ms_ = bound;
    folder_ = tuning_folders().cache;
    if (request_.use_cache && !folder_.empty()) load_cached(map_, folder_, tuning_.cache_note);
    for (size_t i = 0; i < map_.entries.size(); ++i)
      if (map_.entries[i].state != TuneState::impossible) candidates_.push_back(i);
    return {};
  }

  Result<void> search() {
    const MeasureCandidate measure = [this](size_t candidate, int samples) {
      return take(candidates_[candidate], samples);
    };
    const auto upcoming = [this](std::span<const size_t> round) {
      std::vector<size_t> unknown;
      for (const size_t candidate : round)
        if (map_.entries[candidates_[candidate]].state == TuneState::untried) unknown.push_back(candidates_[candidate]);
      ahead_->expect(unknown);
    };
    const auto progress = [this](const SearchStep& step) {
      SearchStep mine = step;
      mine.candidate = candidates_[step.candidate], mine.best = candidates_[step.best];
      tuning_.steps.push_back(mine);
      if (measured_ % kStoreEvery == kStoreEvery - 1) keep();
      report(false);
    };
    auto searched = run_search(request_.search, candidates_.size(), measure, upcoming, progress, stop_);
    if (!searched) return forward(searched);
    tuning_.search = std::move(*searched);
    tuning_.search.steps = tuning_.steps;
    if (tuning_.search.found) tuning_.search.found = candidates_[*tuning_.search.found];
    return {};
  }

  /// Samples of an entry: those that the cache knows are free.
  Result<CandidateSamples> take(size_t index, int samples) {
    TuneEntry& entry = map_.entries[index];
    const auto start = std::chrono::steady_clock::now();
    CandidateSamples measured;
    if (entry.state == TuneState::wrong || entry.state == TuneState::failed || entry.state == TuneState::impossible)
      return measured;
    size_t& used = used_[index];
    for (; samples > 0 && used < entry.samples.size(); --samples) measured.samples.push_back(entry.samples[used++]);
    if (samples > 0) {
      auto fresh = measure_fresh(index, samples);
      if (!fresh) return forward(fresh);
      measured.samples.insert(measured.samples.end(), fresh->begin(), fresh->end());
      used = entry.samples.size();
    }
    measured.seconds = milliseconds_since(start) / 1000;
    return measured;
  }

  Result<std::vector<double>> measure_fresh(size_t index, int samples) {
    TuneEntry& entry = map_.entries[index];
    ++measured_;
    auto prepared = prepare(index);
    if (!prepared) return forward(prepared);
    if (*prepared == nullptr) return std::vector<double>();
    const double each = std::max((*prepared)->estimate_ms, 1e-3);
    const int count = std::clamp(static_cast<int>(kMostMs / each), 1, samples);
    auto taken = (*prepared)->sampler(count);
    if (!taken) return forward(taken);
    entry.samples.insert(entry.samples.end(), taken->begin(), taken->end());
    const Interval interval = bootstrap_median(entry.samples);
    entry.median_ms = interval.median, entry.low_ms = interval.low, entry.high_ms = interval.high;
    entry.state = TuneState::timed;
    return taken;
  }

  /// Compiles, runs and compares. Null: it is not right, or cannot run, which the entry then says.
  Result<Prepared*> prepare(size_t index) {
    if (const auto known = prepared_.find(index); known != prepared_.end()) return &known->second;
    TuneEntry& entry = map_.entries[index];
    auto compiled = ahead_->get(index, stop_);
    if (!compiled) return forward(compiled);
    entry.facts = compiled->facts;
    entry.compile_ms = std::max(entry.compile_ms, compiled->compile_ms);
    if (compiled->state == TuneState::impossible) {
      entry.state = compiled->state, entry.limiter = compiled->limiter, entry.why = compiled->why;
      return nullptr;
    }
    const auto run = engine_.run(request_of(request_.space, map_, index), stop_);
    if (!run && run.error().id == ErrorId::cancelled) return forward(run);
    if (!run) {
      entry.state = TuneState::failed, entry.why = run.error().what;
      return nullptr;
    }
    for (const Correctness& output : run->correctness) {
      if (output.pass) continue;
      entry.state = TuneState::wrong, entry.why = phrase("'{}' is not right: {}", output.buffer, output.reason);
      return nullptr;
    }
    return add_sampler(index, *run);
  }

  Result<Prepared*> add_sampler(size_t index, const RunResult& run) {
    Prepared prepared;
    const bool alone = run.run_ms > kLongestInGraph;
    prepared.method = alone ? TimingMethod() : method_;
    if (auto sets = sets_for(run.device_buffers, prepared.method); !sets)
      return forward(sets);
    else
      prepared.sets = std::move(*sets);
    auto work = timer_->launches(run.compiled, run.plan.launches, prepared.sets->addresses());
    if (!work) return forward(work);
    auto sampler = make_sampler(*timer_, std::move(*work), prepared.method);
    if (!sampler) return forward(sampler);
    prepared.sampler = std::move(*sampler);
    prepared.estimate_ms =
        prepared.method.cold() ? run.run_ms : std::max(bound_ms_, run.run_ms / 4) * prepared.method.executions;
    return &prepared_.emplace(index, std::move(prepared)).first->second;
  }

  /// Copies of the buffers, which outlive the process that ran the kernel; shared by all configurations with buffers of
  /// these sizes.
  Result<std::shared_ptr<BufferSets>> sets_for(std::span<const std::shared_ptr<DeviceBuffer>> buffers,
                                               const TimingMethod& method) {
    if (!timer_) {
      auto timer = GpuTimer::open(context_of(*buffers.front()));
      if (!timer) return forward(timer);
      timer_ = std::move(*timer);
    }
    std::pair<std::vector<size_t>, int> key{bytes_of_each(buffers), method.sets};
    if (const auto known = sets_.find(key); known != sets_.end()) return known->second;
    auto copies = BufferSets::copies_of(buffers, method.sets);
    if (!copies) return forward(copies);
    return sets_.emplace(std::move(key), std::make_shared<BufferSets>(std::move(*copies))).first->second;
  }

  /// The fastest few again, in turns.
  Result<void> time_finalists() {
    std::vector<size_t> ranking;
    for (size_t i = 0; i < map_.entries.size(); ++i)
      if (map_.entries[i].state == TuneState::timed) ranking.push_back(i);
    std::ranges::stable_sort(ranking, {}, [this](size_t index) { return map_.entries[index].median_ms; });
    ranking.resize(std::min(ranking.size(), kFinalists));
    const auto is_final = [this](size_t index) { return map_.entries[index].final_ms > 0; };
    if (measured_ == 0 && std::ranges::all_of(ranking, is_final)) return {};
    std::vector<Contestant> contestants;
    for (const size_t index : ranking) {
      auto prepared = prepare(index);
      if (!prepared) return forward(prepared);
      if (*prepared == nullptr) continue;
      Contestant contestant{.series = index, .take = (*prepared)->sampler, .estimate_ms = (*prepared)->estimate_ms};
      contestant.method = (*prepared)->method;
      contestants.push_back(std::move(contestant));
    }
    Executor& gpu = **engine_.gpu();
    const bool computes = lab_->speed_unit == SpeedUnit::teraflops && method_.cold();
    const RaceTime time{kFinalSeconds, computes && gpu.clock_is_capped()};
    report(true);
    auto raced = race(
        contestants, time, [](size_t) { return true; }, [&] { return gpu.device().sm_clock_mhz; },
        [this](double) { report(true); }, stop_);
    if (!raced) return raced;
    for (TuneEntry& entry : map_.entries) entry.final_ms = entry.final_low_ms = entry.final_high_ms = 0;
    for (const Contestant& contestant : contestants) {
      if (!contestant.dropped.empty() || contestant.samples.empty()) continue;
      const Interval interval = bootstrap_median(contestant.samples);
      TuneEntry& entry = map_.entries[contestant.series];
      entry.final_ms = interval.median, entry.final_low_ms = interval.low, entry.final_high_ms = interval.high;
      if (!contestant.clocks.empty()) map_.sm_clock_mhz = contestant.clocks.back();
    }
    ++measured_;
    return {};
  }

  void report(bool finals) const {
    if (!progress_) return;
    progress_({.map = map_, .steps = &tuning_.steps, .of = candidates_.size(), .finals = finals});
  }

  /// A cache that cannot be written costs only the time that it would save.
  void keep() {
    if (measured_ == 0) return;
    if (auto stored = store_cached(map_, folder_); !stored) tuning_.cache_note = stored.error().message;
  }

  Engine& engine_;
  const TuneRequest& request_;
  const std::function<void(const TuneProgress&)>& progress_;
  std::stop_token stop_;
  const Lab* lab_ = nullptr;
  const Rung* rung_ = nullptr;
  TuneMap map_;
  Tuning tuning_;
  std::vector<size_t> candidates_;  // entries that are possible, as the search numbers them
  std::map<size_t, size_t> used_;   // samples of an entry that the search has had
  size_t measured_ = 0;             // entries measured here, not in the cache
  std::filesystem::path folder_;
  double bound_ms_ = 0;
  TimingMethod method_;
  std::unique_ptr<GpuTimer> timer_;
  std::map<std::pair<std::vector<size_t>, int>, std::shared_ptr<BufferSets>> sets_;
  std::map<size_t, Prepared> prepared_;
  std::unique_ptr<CompileAhead> ahead_;
};

}  // namespace

Result<Tuning> tune(Engine& engine, const TuneRequest& request,
                    const std::function<void(const TuneProgress&)>& progress, std::stop_token stop) {
  return Tuner(engine, request, progress, stop).carry_out();
}

}  // namespace tilescope
