// Three ways to look for the fastest configuration under a budget. They know nothing of GPUs: `measure` takes samples
// of a candidate, from a GPU or from a recorded map.
//
//   exhaustive   every candidate, in order, each with all samples
//   random       candidates in a random order, each with all samples
//   halving      many candidates with few samples; then the faster half of them with twice as many, and so on
//                (successive halving). The samples of a candidate add up
//
//   regret       time of the found one / time of the best one in the whole map − 1: 0.05 means 5% slower
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "engine/result.hpp"
#include "engine/tune/maps/tune_map.hpp"

namespace tilescope {

enum class SearchKind : uint8_t { exhaustive, random, halving };
constexpr SearchKind kSearchKinds[] = {SearchKind::exhaustive, SearchKind::random, SearchKind::halving};
std::string_view name_of(SearchKind kind);
std::optional<SearchKind> search_kind_named(std::string_view name);

/// Samples of one candidate that is timed in full.
constexpr int kFullSamples = 12;

struct SearchPlan {
  SearchKind kind = SearchKind::exhaustive;
  uint64_t seed = 1;
  size_t trials = 0;   // candidates timed in full, or as many samples in smaller portions; 0: no limit
  double seconds = 0;  // 0: no limit
  bool operator==(const SearchPlan&) const = default;
};

struct CandidateSamples {
  std::vector<double> samples;  // milliseconds; empty: it is not right, or cannot run
  double seconds = 0;           // what measuring took
};
/// `samples` more of a candidate. An Error ends the search.
using MeasureCandidate = std::function<Result<CandidateSamples>(size_t candidate, int samples)>;

struct SearchStep {
  size_t candidate = 0;
  int samples = 0;
  double estimate_ms = 0;  // the median of all of its samples so far; 0: it is not right
  size_t best = 0;         // the candidate that would be chosen now
  double best_ms = 0;      // by its own samples; 0: none is right yet
  double seconds = 0;      // spent so far
};
struct Search {
  SearchKind kind = SearchKind::exhaustive;
  uint64_t seed = 0;
  std::vector<SearchStep> steps;
  std::optional<size_t> found;
  size_t tried = 0;            // different candidates
  size_t samples = 0;          // taken in all
  bool out_of_budget = false;  // candidates were left
};

/// `upcoming` is told the candidates of the next round, in order, so that they can be compiled ahead.
Result<Search> run_search(const SearchPlan& plan, size_t candidates, const MeasureCandidate& measure,
                          const std::function<void(std::span<const size_t>)>& upcoming = {},
                          const std::function<void(const SearchStep&)>& progress = {}, std::stop_token stop = {});

/// How many candidates successive halving starts with, so that all its rounds take the samples of `trials` full ones.
size_t halving_start(size_t candidates, size_t trials);

/// Time of `found` over the best time of the map, minus 1. Both are those of the first pass: final times are taken
/// under longer load, so they are not comparable with the times of configurations that have no final one.
double regret_of(const TuneMap& map, size_t found);

/// A search over a complete map in place of a GPU: samples are drawn from the recorded ones, with replacement.
/// `candidates` are the possible entries; a step names an index into the map's entries.
Search replay(const TuneMap& map, const SearchPlan& plan);

struct RegretOfSeeds {
  SearchKind kind = SearchKind::exhaustive;
  size_t seeds = 0, tried = 0, samples = 0;  // in one search
  double median = 0, worst = 0;
  double seconds = 0;  // for one search: compiling and timing as recorded
  /// Median and worst regret after each step, over the seeds.
  std::vector<double> median_by_step, worst_by_step;
  std::vector<double> cost_by_step;  // samples so far over those of a full measurement
};
/// Replays with seeds 1, 2, …
RegretOfSeeds replay_seeds(const TuneMap& map, SearchPlan plan, size_t seeds);

}  // namespace tilescope
