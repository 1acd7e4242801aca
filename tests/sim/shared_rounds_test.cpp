// Equal iterations of a loop do not hide a race in an iteration that differs.
#include <algorithm>
#include <array>
#include <bit>
#include <random>

#include "engine/sim/checks/races_shared.hpp"
#include "run_kernel.hpp"

namespace tilescope {
namespace {

constexpr int kNever = -1;

LaunchReport run(const std::string& kernel, int turns, int odd, uint32_t blocks = 1, uint32_t threads = 256) {
  static const CompiledModule module = module_of("shared_rounds");
  Machinery machine;
  machine.input("in", std::vector<float>(8192, 1.5F));
  machine.input("out", std::vector<float>(8192, 0));
  machine.value(turns);
  machine.value(odd);
  return machine.run(module, kernel, {blocks, 1, 1}, {threads, 1, 1});
}

/// "id, mark of the line, mark of the other side's line, count" for each finding.
std::vector<std::string> findings_of(const LaunchReport& report) {
  std::vector<std::string> texts;
  for (const Finding& finding : report.findings) {
    const size_t other = finding.message.find("shared_rounds.cu:", finding.message.find("), and "));
    const std::string line =
        other == std::string::npos
            ? "none"
            : mark_of("shared_rounds", static_cast<uint32_t>(std::stoul(finding.message.substr(other + 17))));
    texts.push_back(finding.id + ", " + mark_of("shared_rounds", finding.line) + ", " + line + ", " +
                    std::to_string(finding.count));
  }
  return texts;
}
using Texts = std::vector<std::string>;

TEST(SharedRounds, AWarpThatLooksTooEarlyInOneTurnOfManyIsFound) {
  for (const int odd : {0, 1, 5, 19}) {
    const auto report = run("early_look", 20, odd);
    EXPECT_EQ(findings_of(report), (Texts{"shared-race, [write], [read], 32"})) << odd;
    EXPECT_EQ(report.findings.at(0).thread, (Dim3{0, 0, 0}));
  }
  EXPECT_EQ(findings_of(run("early_look", 20, kNever)), Texts{});
}
TEST(SharedRounds, LookingAtOnesOwnElementInOneTurnOfManyIsSilent) {
  for (const int odd : {0, 1, 5, 19}) EXPECT_EQ(findings_of(run("early_look_at_own", 20, odd)), Texts{}) << odd;
}
TEST(SharedRounds, ABarrierThatIsMissingInOneTurnOfManyIsFound) {
  for (const int odd : {1, 5, 19})
    EXPECT_EQ(findings_of(run("missing_barrier", 20, odd)), (Texts{"shared-race, [write], [read], 256"})) << odd;
  EXPECT_EQ(findings_of(run("missing_barrier", 20, kNever)), Texts{});
}
TEST(SharedRounds, LanesThatDoNotWaitForOneAnotherInOneTurnOfManyAreFound) {
  for (const int odd : {0, 1, 5, 19})
    EXPECT_EQ(findings_of(run("missing_syncwarp", 20, odd, 1, 64)), (Texts{"shared-race, [write], [read], 64"})) << odd;
  EXPECT_EQ(findings_of(run("missing_syncwarp", 20, kNever, 1, 64)), Texts{});
}
TEST(SharedRounds, WarpsThatWriteTheSameValueButInOneTurnAreFound) {
  for (const int odd : {0, 1, 5, 19}) {
    const auto texts = findings_of(run("other_value", 20, odd));
    ASSERT_EQ(texts.size(), 1U) << odd;
    EXPECT_EQ(texts[0].substr(0, 29), "shared-race, [write], [write]") << odd;
  }
  EXPECT_EQ(findings_of(run("other_value", 20, kNever)), Texts{});
}
TEST(SharedRounds, LanesThatWriteTheSameValueButInOneTurnAreFound) {
  for (const int odd : {0, 1, 5, 19})
    EXPECT_EQ(findings_of(run("other_value_of_lane", 20, odd)), (Texts{"shared-race, [lane 1], [lane 0], 1"})) << odd;
  EXPECT_EQ(findings_of(run("other_value_of_lane", 20, kNever)), Texts{});
}
TEST(SharedRounds, ABlockThatIsNotLikeTheOthersIsNamed) {
  const auto report = run("odd_block", 1, 6, 10);
  EXPECT_EQ(findings_of(report), (Texts{"uninitialised-read, [read], none, 128", "shared-race, [write], [read], 256"}));
  EXPECT_EQ(report.findings.back().block, (Dim3{6, 0, 0}));
  EXPECT_EQ(findings_of(run("odd_block", 1, kNever, 10)), Texts{});
}
TEST(SharedRounds, WarpsThatDropOutAreSilentAndWhatTheyDoInsteadIsFound) {
  EXPECT_EQ(findings_of(run("fewer_and_fewer", 9, kNever)), Texts{});
  EXPECT_EQ(findings_of(run("fewer_and_fewer", 9, 5)), (Texts{"shared-race, [write], [read], 1"}));
}
TEST(SharedRounds, RacesAreFoundAmongMorePlacesThanAreRemembered) {
  EXPECT_EQ(findings_of(run("never_twice", 4200, 4150)), (Texts{"shared-race, [write], [read], 32"}));
  EXPECT_EQ(findings_of(run("never_twice", 4200, kNever)), Texts{});
}

/// Rounds of random accesses, repeated with deviations. They go to two checks for the same kernel, except that one
/// check's kernel has an extra, never executed instruction that keeps it from relying on earlier rounds.
class Players {
 public:
  explicit Players(uint32_t seed)
      : random_(seed),
        fresh_program_(program(true)),
        repeating_program_(program(false)),
        fresh_(fresh_program_, kBytes, kWarps),
        repeating_(repeating_program_, kBytes, kWarps) {
    for (auto& round : rounds_)
      for (uint32_t warp = 0; warp < kWarps; ++warp)
        for (uint32_t i = below(7); i > 0; --i) round[warp].push_back(any_step(warp, below(24) == 0));
  }

  void play(uint32_t turns) {
    for (uint32_t turn = 0; turn < turns; ++turn) {
      if (below(40) == 0) both([](SharedRaces& races) { races.begin(); });
      play_round(rounds_[below(8) == 0 ? below(kRounds) : turn % kRounds]);
      both([](SharedRaces& races) { races.meet_all(); });
      compare();
    }
    both([](SharedRaces& races) { races.finish(); });
    compare();
  }

  uint32_t repeated = 0, found = 0, deviations = 0;

 private:
  static constexpr uint32_t kBytes = 4096, kWarps = 4, kRounds = 3, kSites = 6;
  struct Step {
    uint32_t site = 0, offset = 0, changed = 0xffffffff;
    AccessPattern* pattern = nullptr;
    bool synchronises = false;  // before the step
  };

  static Program program(bool has_strong) {
    Program program;
    for (uint32_t i = 0; i < kSites; ++i) {
      MemorySite site;
      site.space = Space::shared;
      site.kind = i % 2 == 0 ? AccessKind::load : AccessKind::store;
      site.bytes_per_lane = 4U << i / 2;
      program.sites.push_back(site);
    }
    for (uint32_t bytes : {4, 8, 16}) {
      MemorySite copy;
      copy.space = Space::shared;
      copy.kind = AccessKind::async_copy;
      copy.bytes_per_lane = bytes;
      program.sites.push_back(copy);
    }
    MemorySite strong;
    strong.space = Space::shared;
    strong.bytes_per_lane = 4;
    strong.is_strong = true;
    if (has_strong) program.sites.push_back(strong);
    return program;
  }

  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

  /// In the warp's own quarter of shared memory, or anywhere.
  Step any_step(uint32_t warp, bool anywhere) {
    Step step;
    step.site = below(kSites);
    const uint32_t bytes = 4U << step.site / 2;
    std::array<uint64_t, 32> addresses{};
    const uint32_t form = below(4), lanes_mask = below(3) == 0 ? random_() | 1 : 0xffffffff;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t place = form == 0 ? 0 : form == 1 ? 31 - lane : form == 2 ? below(32) : lane;
      addresses[lane] = place * bytes;
    }
    const uint64_t base = addresses[static_cast<size_t>(std::countr_zero(lanes_mask))];
    step.pattern = memo_.find(addresses.data(), base, lanes_mask, bytes);
    const uint32_t first = (anywhere ? below(4) : warp) * kBytes / 4 + below(2) * 512;
    step.offset = first + static_cast<uint32_t>(base);
    step.synchronises = below(3) != 0;
    return step;
  }

  template <class Do>
  void both(const Do& act) {
    act(fresh_);
    act(repeating_);
  }

  void execute(uint32_t warp, const Step& step) {
    if (step.synchronises) ++synchronisations_[warp];
    const uint32_t now = synchronisations_[warp];
    fresh_.access(warp, now, step.site, *step.pattern, step.offset, step.changed);
    if (repeating_.repeat(warp, now, step.site, *step.pattern, step.offset, step.changed))
      ++repeated;
    else
      repeating_.access(warp, now, step.site, *step.pattern, step.offset, step.changed);
  }

  /// A step that is not in the round.
  void deviate(uint32_t warp, Step step) {
    ++deviations;
    switch (below(8)) {
      case 0:
        return execute(warp, any_step(warp, true));
      case 1:
        step.synchronises = !step.synchronises;
        return execute(warp, step);
      case 2:
        return;  // left out
      case 3:
        step.site = (step.site + 1) % 2 + step.site / 2 * 2;
        return execute(warp, step);
      case 4:
        return both([&](SharedRaces& races) { races.keep_patterns(); });
      case 5: {
        const uint32_t others = 1 + below(15);
        return both([&](SharedRaces& races) { races.open(1, others); });
      }
      case 6:
        return both([&](SharedRaces& races) {
          races.begin_copy(warp, kSites + step.site / 2, *step.pattern, step.offset);
          races.end_copies(warp, 0);
        });
      default:
        both([&](SharedRaces& races) { races.release(warp, 0); });
        return both([&](SharedRaces& races) { races.acquire((warp + 1) % kWarps, 0); });
    }
  }

  void play_round(const std::array<std::vector<Step>, kWarps>& round) {
    const bool deviates = below(5) == 0;
    std::array<size_t, kWarps> next{};
    for (uint32_t warp = below(kWarps);
         std::any_of(next.begin(), next.end(),
                     [&](const size_t& i) { return i < round[static_cast<size_t>(&i - next.data())].size(); });
         warp = below(kWarps)) {
      if (next[warp] == round[warp].size()) continue;
      Step step = round[warp][next[warp]++];
      if (below(4) == 0) step.changed = below(2) == 0 ? 0 : static_cast<uint32_t>(random_());
      if (deviates && below(6) == 0)
        deviate(warp, step);
      else
        execute(warp, step);
    }
  }

  void compare() {
    const auto key = [](const SharedRace& race) {
      return std::array<uint64_t, 10>{static_cast<uint64_t>(race.kind),
                                      race.first.site,
                                      race.first.warp,
                                      race.first.lane,
                                      race.second.site,
                                      race.second.warp,
                                      race.second.lane,
                                      race.offset,
                                      race.count,
                                      race.same_value ? 1U : 0U};
    };
    const auto fresh = fresh_.take_found(), repeating = repeating_.take_found();
    ASSERT_EQ(fresh.size(), repeating.size());
    for (size_t i = 0; i < fresh.size(); ++i) ASSERT_EQ(key(fresh[i]), key(repeating[i]));
    found += static_cast<uint32_t>(fresh.size());
  }

  std::mt19937 random_;
  PatternMemo memo_;
  Program fresh_program_, repeating_program_;
  SharedRaces fresh_, repeating_;
  std::array<std::array<std::vector<Step>, kWarps>, kRounds> rounds_;
  std::array<uint32_t, kWarps> synchronisations_{};
};

TEST(SharedRounds, WhatIsRepeatedIsJudgedAsIfItWereNew) {
  uint32_t repeated = 0, found = 0, deviations = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Players players(seed);
    players.play(60);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
    repeated += players.repeated;
    found += players.found;
    deviations += players.deviations;
  }
  EXPECT_GT(repeated, 20000U);  // otherwise nothing has been compared
  EXPECT_GT(found, 1000U);
  EXPECT_GT(deviations, 1000U);
}

}  // namespace
}  // namespace tilescope
