#include "engine/tune/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace tilescope {
namespace {

constexpr std::string_view kNames[] = {"exhaustive", "random", "halving"};
constexpr int kFirstSamples = 1;  // in successive halving

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Rounds of halving until one is left, each with twice the samples of the one before, up to a full measurement.
size_t rounds_of(size_t candidates) {
  size_t rounds = 0;
  for (; candidates > 1; candidates = (candidates + 1) / 2) ++rounds;
  return std::max<size_t>(rounds, 1);
}
int samples_in(size_t round) { return std::min(kFullSamples, kFirstSamples << std::min<size_t>(round, 8)); }
size_t samples_of_halving(size_t candidates) {
  size_t all = 0;
  for (size_t round = 0, left = candidates, rounds = rounds_of(candidates); round < rounds; ++round) {
    all += left * static_cast<size_t>(samples_in(round));
    left = (left + 1) / 2;
  }
  return all;
}

class Searching {
 public:
  Searching(const SearchPlan& plan, size_t candidates, const MeasureCandidate& measure,
            const std::function<void(std::span<const size_t>)>& upcoming,
            const std::function<void(const SearchStep&)>& progress, const std::stop_token& stop)
      : plan_(plan),
        measure_(measure),
        upcoming_(upcoming),
        progress_(progress),
        stop_(stop),
        samples_(candidates),
        medians_(candidates) {
    search_.kind = plan.kind;
    search_.seed = plan.seed;
  }

  Result<Search> carry_out() {
    std::vector<size_t> order(samples_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::mt19937_64 random(plan_.seed);
    if (plan_.kind != SearchKind::exhaustive) std::shuffle(order.begin(), order.end(), random);
    const size_t all = order.size();
    if (plan_.kind == SearchKind::halving && plan_.trials > 0) order.resize(halving_start(all, plan_.trials));
    if (plan_.kind != SearchKind::halving && plan_.trials > 0) order.resize(std::min(all, plan_.trials));
    auto done = plan_.kind == SearchKind::halving ? halve(order) : measure_all(order, kFullSamples, plan_.seconds);
    if (!done) return forward(done);
    search_.out_of_budget = search_.out_of_budget || order.size() < all;
    search_.found = best();
    return std::move(search_);
  }

 private:
  /// Until the budget of time is used up.
  Result<void> measure_all(std::span<const size_t> order, int samples, double until) {
    if (upcoming_) upcoming_(order);
    for (const size_t candidate : order) {
      if (stop_.stop_requested()) return fail(ErrorId::cancelled);
      if (until > 0 && seconds_ >= until) {
        search_.out_of_budget = true;
        return {};
      }
      if (auto measured = take(candidate, samples); !measured) return measured;
    }
    return {};
  }

  /// Each round has an equal share of the time. Candidates that it does not reach drop out.
  Result<void> halve(std::vector<size_t> left) {
    const size_t rounds = rounds_of(left.size());
    for (size_t round = 0; round < rounds && !left.empty(); ++round) {
      const double until = plan_.seconds * static_cast<double>(round + 1) / static_cast<double>(rounds);
      if (auto done = measure_all(left, samples_in(round), until); !done) return done;
      std::erase_if(left, [this](size_t candidate) { return samples_[candidate].empty(); });
      std::ranges::stable_sort(left, {}, [this](size_t candidate) { return medians_[candidate]; });
      left.resize((left.size() + 1) / 2);
    }
    return {};
  }

  Result<void> take(size_t candidate, int count) {
    auto measured = measure_(candidate, count);
    if (!measured) return forward(measured);
    seconds_ += measured->seconds;
    std::vector<double>& mine = samples_[candidate];
    if (std::ranges::find(seen_, candidate) == seen_.end()) seen_.push_back(candidate);
    mine.insert(mine.end(), measured->samples.begin(), measured->samples.end());
    medians_[candidate] = median_of(mine);
    search_.tried = seen_.size();
    search_.samples += measured->samples.size();
    SearchStep step{.candidate = candidate, .samples = count, .estimate_ms = medians_[candidate], .seconds = seconds_};
    if (const auto now = best()) {
      step.best = *now;
      step.best_ms = medians_[*now];
    }
    search_.steps.push_back(step);
    if (progress_) progress_(step);
    return {};
  }

  /// The fastest of those with the most samples: few samples say little.
  std::optional<size_t> best() const {
    std::optional<size_t> best;
    size_t most = 0;
    double fastest = 0;
    for (const size_t candidate : seen_) {
      const size_t count = samples_[candidate].size();
      if (count == 0 || count < most) continue;
      if (!best || count > most || medians_[candidate] < fastest) best = candidate, fastest = medians_[candidate];
      most = count;
    }
    return best;
  }

  const SearchPlan& plan_;
  const MeasureCandidate& measure_;
  const std::function<void(std::span<const size_t>)>& upcoming_;
  const std::function<void(const SearchStep&)>& progress_;
  const std::stop_token& stop_;
  std::vector<std::vector<double>> samples_;
  std::vector<double> medians_;  // one for each of them
  std::vector<size_t> seen_;
  double seconds_ = 0;
  Search search_;
};

/// Possible and timed in full, or found wrong: what a search could meet.
std::vector<size_t> candidates_of(const TuneMap& map) {
  std::vector<size_t> candidates;
  for (size_t i = 0; i < map.entries.size(); ++i) {
    const TuneState state = map.entries[i].state;
    if (state != TuneState::impossible && state != TuneState::untried) candidates.push_back(i);
  }
  return candidates;
}

}  // namespace

std::string_view name_of(SearchKind kind) { return kNames[static_cast<size_t>(kind)]; }
std::optional<SearchKind> search_kind_named(std::string_view name) {
  for (const SearchKind kind : kSearchKinds)
    if (name_of(kind) == name) return kind;
  return std::nullopt;
}

size_t halving_start(size_t candidates, size_t trials) {
  const size_t budget = trials * static_cast<size_t>(kFullSamples);
  size_t start = std::min<size_t>(candidates, 1);
  while (start < candidates && samples_of_halving(start + 1) <= budget) ++start;
  return start;
}

Result<Search> run_search(const SearchPlan& plan, size_t candidates, const MeasureCandidate& measure,
                          const std::function<void(std::span<const size_t>)>& upcoming,
                          const std::function<void(const SearchStep&)>& progress, std::stop_token stop) {
  return Searching(plan, candidates, measure, upcoming, progress, stop).carry_out();
}

double regret_of(const TuneMap& map, size_t found) {
  if (map.entries[found].state != TuneState::timed) return HUGE_VAL;
  double best = HUGE_VAL;
  for (const TuneEntry& entry : map.entries)
    if (entry.state == TuneState::timed) best = std::min(best, entry.median_ms);
  return map.entries[found].median_ms / best - 1;
}

Search replay(const TuneMap& map, const SearchPlan& plan) {
  const std::vector<size_t> candidates = candidates_of(map);
  std::mt19937_64 random(plan.seed * 0x9E3779B97F4A7C15ULL + 1);
  std::vector<bool> compiled(candidates.size());
  const MeasureCandidate measure = [&](size_t candidate, int count) -> Result<CandidateSamples> {
    const TuneEntry& entry = map.entries[candidates[candidate]];
    CandidateSamples measured;
    if (!compiled[candidate]) measured.seconds += entry.compile_ms / 1000;
    compiled[candidate] = true;
    for (int i = 0; i < count && !entry.samples.empty(); ++i)
      measured.samples.push_back(entry.samples[random() % entry.samples.size()]);
    for (const double sample : measured.samples) measured.seconds += sample / 1000;
    return measured;
  };
  auto search = run_search(plan, candidates.size(), measure);
  if (!search) return {.kind = plan.kind, .seed = plan.seed};  // a replay has no errors of its own
  for (SearchStep& step : search->steps) {
    step.candidate = candidates[step.candidate];
    step.best = candidates[step.best];
  }
  if (search->found) search->found = candidates[*search->found];
  return std::move(*search);
}

RegretOfSeeds replay_seeds(const TuneMap& map, SearchPlan plan, size_t seeds) {
  RegretOfSeeds all{.kind = plan.kind, .seeds = seeds};
  std::vector<double> ends;
  std::vector<std::vector<double>> by_step;
  for (size_t seed = 1; seed <= seeds; ++seed) {
    plan.seed = seed;
    const Search search = replay(map, plan);
    if (!search.found) continue;
    ends.push_back(regret_of(map, *search.found));
    all.tried = search.tried;
    all.samples = search.samples;
    all.seconds += search.steps.back().seconds / static_cast<double>(seeds);
    if (by_step.size() < search.steps.size()) {
      by_step.resize(search.steps.size());
      all.cost_by_step.clear();
      double cost = 0;
      for (const SearchStep& step : search.steps)
        all.cost_by_step.push_back(cost += static_cast<double>(step.samples) / kFullSamples);
    }
    for (size_t i = 0; i < search.steps.size(); ++i)
      if (search.steps[i].best_ms > 0) by_step[i].push_back(regret_of(map, search.steps[i].best));
  }
  for (std::vector<double>& regrets : by_step) {
    all.median_by_step.push_back(median_of(regrets));
    all.worst_by_step.push_back(regrets.empty() ? 0 : std::ranges::max(regrets));
  }
  all.median = median_of(ends);
  all.worst = ends.empty() ? 0 : std::ranges::max(ends);
  return all;
}

}  // namespace tilescope
