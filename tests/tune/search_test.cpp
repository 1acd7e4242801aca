#include "engine/tune/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace tilescope {
namespace {

constexpr size_t kCandidates = 64;
constexpr size_t kBest = 37;

/// Candidate kBest takes 1 ms, every other one more.
double true_ms(size_t candidate) {
  return candidate == kBest ? 1.0 : 1.05 + 0.03 * static_cast<double>(candidate * 29 % kCandidates);
}

/// Times without noise; each sample takes what it says.
Result<CandidateSamples> measure_exactly(size_t candidate, int samples) {
  CandidateSamples measured;
  measured.samples.assign(static_cast<size_t>(samples), true_ms(candidate));
  measured.seconds = samples * true_ms(candidate) / 1000;
  return measured;
}

TEST(Search, TriesEverythingAndFindsTheBest) {
  const auto search = run_search({.kind = SearchKind::exhaustive}, kCandidates, measure_exactly);
  ASSERT_TRUE(search);
  EXPECT_EQ(search->found, kBest);
  EXPECT_EQ(search->tried, kCandidates);
  EXPECT_EQ(search->samples, kCandidates * kFullSamples);
  EXPECT_FALSE(search->out_of_budget);
}

TEST(Search, StopsAtItsTrials) {
  for (const SearchKind kind : {SearchKind::exhaustive, SearchKind::random}) {
    const auto search = run_search({.kind = kind, .trials = 10}, kCandidates, measure_exactly);
    ASSERT_TRUE(search);
    EXPECT_EQ(search->tried, 10U);
    EXPECT_TRUE(search->out_of_budget);
  }
}

TEST(Search, HalvingSeesMoreCandidatesForTheSameSamples) {
  for (const size_t trials : {8, 16, 32}) {
    const auto search = run_search({.kind = SearchKind::halving, .trials = trials}, kCandidates, measure_exactly);
    ASSERT_TRUE(search);
    EXPECT_GE(search->tried, std::min(kCandidates, 2 * trials)) << trials;
    EXPECT_LE(search->samples, trials * kFullSamples) << trials;
  }
}

TEST(Search, HalvingStartsWithAsManyAsItsRoundsPayFor) {
  // 16 · 1 + 8 · 2 + 4 · 4 + 2 · 8 = 64 samples; 17 candidates need a round more: 103 of the 96.
  EXPECT_EQ(halving_start(kCandidates, 8), 16U);
  EXPECT_EQ(halving_start(4, 8), 4U);
  EXPECT_EQ(halving_start(0, 8), 0U);
}

TEST(Search, HalvingFindsTheBestAmongThoseThatItSees) {
  const auto search = run_search({.kind = SearchKind::halving, .seed = 5, .trials = 64}, kCandidates, measure_exactly);
  ASSERT_TRUE(search);
  EXPECT_EQ(search->tried, kCandidates);
  EXPECT_EQ(search->found, kBest);
}

TEST(Search, ASeedGivesTheSameOrderAndAnotherSeedAnother) {
  const auto order = [](uint64_t seed) {
    std::vector<size_t> candidates;
    const auto search =
        run_search({.kind = SearchKind::random, .seed = seed, .trials = 12}, kCandidates, measure_exactly);
    for (const SearchStep& step : search->steps) candidates.push_back(step.candidate);
    return candidates;
  };
  EXPECT_EQ(order(3), order(3));
  EXPECT_NE(order(3), order(4));
  const std::vector<size_t> third = order(3);
  EXPECT_EQ(std::set<size_t>(third.begin(), third.end()).size(), 12U);
}

TEST(Search, EndsWhenItsSecondsAreUsedUp) {
  const MeasureCandidate slow = [](size_t, int samples) -> Result<CandidateSamples> {
    return CandidateSamples{std::vector<double>(static_cast<size_t>(samples), 1.0), 2.0};
  };
  const auto random = run_search({.kind = SearchKind::random, .seconds = 9}, kCandidates, slow);
  ASSERT_TRUE(random);
  EXPECT_EQ(random->steps.size(), 5U);  // the fifth begins at 8 seconds
  EXPECT_TRUE(random->out_of_budget);
  // Each round of halving has its share of the time, so that the later ones are reached.
  const auto halving = run_search({.kind = SearchKind::halving, .seconds = 60}, kCandidates, slow);
  ASSERT_TRUE(halving);
  const auto most = std::ranges::max_element(halving->steps, {}, &SearchStep::samples);
  EXPECT_GE(most->samples, 8);
}

TEST(Search, ACandidateThatIsNotRightIsNeverFound) {
  const MeasureCandidate measure = [](size_t candidate, int samples) -> Result<CandidateSamples> {
    if (candidate == kBest) return CandidateSamples{.seconds = 0.1};
    return measure_exactly(candidate, samples);
  };
  for (const SearchKind kind : kSearchKinds) {
    const auto search = run_search({.kind = kind}, kCandidates, measure);
    ASSERT_TRUE(search);
    EXPECT_NE(search->found, kBest);
    EXPECT_TRUE(search->found);
  }
}

TEST(Search, AnErrorEndsItAndASearchOfNothingFindsNothing) {
  const MeasureCandidate broken = [](size_t, int) -> Result<CandidateSamples> { return fail(ErrorId::no_gpu, "gone"); };
  const auto search = run_search({}, kCandidates, broken);
  ASSERT_FALSE(search);
  EXPECT_EQ(search.error().id, ErrorId::no_gpu);
  const auto nothing = run_search({.kind = SearchKind::halving, .trials = 4}, 0, measure_exactly);
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->found);
}

/// A complete map over one axis, each entry with samples around its true time.
TuneMap made_up_map(double noise) {
  TuneMap map{.lab = "autotune", .rung = "one-size", .gpu = "a made-up GPU", .axes = {{.name = "X"}}};
  std::mt19937 random(7);
  std::normal_distribution<double> spread(0, noise);
  for (size_t i = 0; i < kCandidates; ++i) {
    map.axes.front().values.push_back(static_cast<int64_t>(i));
    TuneEntry entry{.values = {static_cast<int64_t>(i)}, .state = TuneState::timed};
    for (int sample = 0; sample < kFullSamples; ++sample)
      entry.samples.push_back(true_ms(i) * std::max(0.5, 1 + spread(random)));
    entry.median_ms = entry.low_ms = entry.high_ms = true_ms(i);
    map.entries.push_back(std::move(entry));
  }
  return map;
}

TEST(Search, RegretIsTheTimeThatTheChoiceCosts) {
  TuneMap map = made_up_map(0);
  EXPECT_DOUBLE_EQ(regret_of(map, kBest), 0);
  EXPECT_DOUBLE_EQ(regret_of(map, 0), true_ms(0) - 1);
  map.entries[0].state = TuneState::wrong;
  EXPECT_TRUE(std::isinf(regret_of(map, 0)));
}

TEST(Search, AReplayWithoutNoiseHasTheRegretOfWhatItMissed) {
  const TuneMap map = made_up_map(0);
  EXPECT_DOUBLE_EQ(replay_seeds(map, {.kind = SearchKind::exhaustive}, 3).worst, 0);
  const RegretOfSeeds random = replay_seeds(map, {.kind = SearchKind::random, .trials = 8}, 200);
  // A trial in eight finds the best one, so at least half of the seeds miss it.
  EXPECT_GT(random.median, 0.04);
  EXPECT_GE(random.worst, random.median);
  const RegretOfSeeds halving = replay_seeds(map, {.kind = SearchKind::halving, .trials = 8}, 200);
  EXPECT_LT(halving.median, random.median);  // it sees twice as many
  EXPECT_EQ(random.median_by_step.size(), 8U);
  EXPECT_NEAR(random.cost_by_step.back(), 8, 1e-9);
}

TEST(Search, NoiseMakesTheFastestOfManySamplesTooFast) {
  const TuneMap map = made_up_map(0.3);
  const Search search = replay(map, {.kind = SearchKind::halving, .seed = 2, .trials = 8});
  ASSERT_TRUE(search.found);
  double fastest = 1e9;
  for (const SearchStep& step : search.steps) fastest = std::min(fastest, step.estimate_ms);
  EXPECT_LT(fastest, 1.0);  // no candidate is that fast
}

TEST(Search, AReplayLeavesOutWhatIsImpossibleAndCountsWhatIsWrong) {
  TuneMap map = made_up_map(0);
  for (size_t i = 0; i < 10; ++i) map.entries[i].state = TuneState::impossible;
  map.entries[10].state = TuneState::wrong;
  map.entries[10].samples.clear();
  const Search search = replay(map, {.kind = SearchKind::exhaustive});
  EXPECT_EQ(search.tried, kCandidates - 10);
  EXPECT_EQ(search.steps.front().candidate, 10U);
  EXPECT_EQ(search.found, kBest);
}

}  // namespace
}  // namespace tilescope
