#include "engine/bench/race.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "engine/bench/timing_point.hpp"
#include "engine/gpu/buffer_sets.hpp"

namespace tilescope {
namespace {

class RaceTest : public testing::Test {
 protected:
  /// A contestant that records its turns and always takes `milliseconds`.
  Contestant runner(char name, double milliseconds) {
    Contestant contestant;
    contestant.series = contestants_.size();
    contestant.estimate_ms = milliseconds;
    contestant.take = [this, name, milliseconds](int count) -> Result<std::vector<double>> {
      turns_ += name;
      return std::vector<double>(static_cast<size_t>(count), milliseconds);
    };
    return contestant;
  }
  Result<void> run(double seconds = 0.1, std::stop_token stop = {}, bool capped = false) {
    return race(
        contestants_, {seconds, capped}, [](size_t series) { return series >= 2; }, [] { return 1500u; },
        [this](double fraction) { fractions_.push_back(fraction); }, stop);
  }
  std::vector<Contestant> contestants_;
  std::string turns_;
  std::vector<double> fractions_;
};

TEST_F(RaceTest, GoesThroughEveryOrderThereAndBack) {
  contestants_ = {runner('A', 1), runner('B', 2)};
  contestants_.push_back(runner('C', 3));
  contestants_.push_back(runner('D', 3));
  ASSERT_TRUE(run());
  EXPECT_THAT(turns_, testing::StartsWith("ABCDDCBA"));
  ASSERT_EQ(turns_.size() % 8, 0u);  // as often forwards as backwards
  std::set<std::string> orders;
  for (size_t at = 0; at < turns_.size(); at += 8) {
    const std::string there = turns_.substr(at, 4), back = turns_.substr(at + 4, 4);
    EXPECT_EQ(back, std::string(there.rbegin(), there.rend()));
    EXPECT_EQ(std::set<char>(there.begin(), there.end()).size(), 4u) << "everybody once: " << there;
    orders.insert(there);
  }
  EXPECT_GE(orders.size(), 3u) << "nobody always comes after the same one";
  EXPECT_EQ(fractions_.back(), 1.0);
}

TEST_F(RaceTest, GivesFastImplementationsMoreSamplesInTheSameTime) {
  contestants_ = {runner('A', 0.2), runner('B', 2)};
  ASSERT_TRUE(run(1.0));
  EXPECT_GT(contestants_[0].samples.size(), 3 * contestants_[1].samples.size());
  EXPECT_THAT(contestants_[1].samples, testing::Each(2.0));
  EXPECT_THAT(contestants_[1].clocks, testing::Each(1500u));
}

TEST_F(RaceTest, GivesEveryImplementationSomeSamplesHoweverSlow) {
  contestants_ = {runner('A', 5000)};
  ASSERT_TRUE(run(0.001));
  EXPECT_EQ(contestants_[0].samples.size(), 6u);  // the fewest that give a 95% interval of the median
}

TEST_F(RaceTest, LetsASlowImplementationTakeTurnsInBothDirections) {
  contestants_ = {runner('A', 1), runner('B', 5000)};
  ASSERT_TRUE(run());
  EXPECT_THAT(turns_, testing::StartsWith("ABAA"));
  EXPECT_EQ(std::count(turns_.begin(), turns_.end(), 'B'), 2);
  EXPECT_EQ(contestants_[1].samples.size(), 6u);
}

TEST_F(RaceTest, TakesSamplesAfterARestThereAndBack) {
  contestants_ = {runner('A', 1), runner('B', 2)};
  contestants_.push_back(runner('C', 5));  // more than four times slower than A
  const auto before = std::chrono::steady_clock::now();
  ASSERT_TRUE(burst(contestants_, std::chrono::milliseconds(5), [](size_t) { return false; }, {}));
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(20));  // four turns
  EXPECT_EQ(turns_, "ABBA");
  EXPECT_EQ(contestants_[0].rested.size(), 14u);
  EXPECT_THAT(contestants_[1].rested, testing::Each(2.0));
  EXPECT_TRUE(contestants_[2].rested.empty());
  EXPECT_TRUE(contestants_[0].samples.empty());
}

TEST_F(RaceTest, DropsAReferenceThatFailsAfterARest) {
  contestants_ = {runner('A', 1), runner('B', 1)};
  contestants_[1].series = 1;
  contestants_[1].take = [](int) -> Result<std::vector<double>> {
    return fail(ErrorId::reference_unavailable, "B", "it died");
  };
  ASSERT_TRUE(burst(contestants_, std::chrono::milliseconds(1), [](size_t series) { return series == 1; }, {}));
  EXPECT_EQ(contestants_[1].dropped, "B is not available: it died");
}

TEST_F(RaceTest, DropsAReferenceThatFailsAndGoesOn) {
  contestants_ = {runner('A', 1), runner('B', 1)};
  Contestant failing = runner('C', 1);
  failing.take = [](int) -> Result<std::vector<double>> {
    return fail(ErrorId::reference_unavailable, "C", "it died");
  };
  contestants_.push_back(failing);
  ASSERT_TRUE(run());
  EXPECT_EQ(contestants_[2].dropped, "C is not available: it died");
  EXPECT_FALSE(contestants_[0].samples.empty());
}

TEST_F(RaceTest, EndsWhereARungFails) {
  contestants_ = {runner('A', 1)};
  contestants_[0].take = [](int) -> Result<std::vector<double>> { return fail(ErrorId::cuda_failed, "k", "x"); };
  const auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, ErrorId::cuda_failed);
}

TEST_F(RaceTest, LetsEverybodySettleWhereTheClockIsCapped) {
  // Each contestant begins its turns with 0.1 s that does not count, and then delivers 0.2 s.
  std::vector<int> asked;
  contestants_ = {runner('A', 1.9), runner('B', 400)};
  contestants_[0].take = [&](int count) -> Result<std::vector<double>> {
    asked.push_back(count);
    return std::vector<double>(static_cast<size_t>(count), asked.size() % 2 == 1 ? 99 : 1.9);
  };
  ASSERT_TRUE(run(0.1, {}, true));
  EXPECT_EQ(asked, std::vector<int>({50, 100, 50, 100, 50, 100, 50, 100}));
  EXPECT_EQ(contestants_[0].samples.size(), 400u);
  EXPECT_THAT(contestants_[0].samples, testing::Each(1.9));
  EXPECT_EQ(contestants_[1].samples.size(), 8u);
  EXPECT_EQ(turns_, "BBBBBBBB");
}

TEST_F(RaceTest, TakesTheSecondsItIsGivenWhereTheClockIsCapped) {
  contestants_ = {runner('A', 9.9)};
  ASSERT_TRUE(run(8.0, {}, true));
  EXPECT_EQ(contestants_[0].samples.size(), 4u * 200u);
}

TEST_F(RaceTest, DropsAReferenceThatFailsWhileItSettles) {
  contestants_ = {runner('A', 1), runner('B', 1)};
  Contestant failing = runner('C', 1);
  failing.take = [](int) -> Result<std::vector<double>> {
    return fail(ErrorId::reference_unavailable, "C", "it died");
  };
  contestants_.push_back(failing);
  ASSERT_TRUE(run(0.1, {}, true));
  EXPECT_EQ(contestants_[2].dropped, "C is not available: it died");
  EXPECT_TRUE(contestants_[2].samples.empty());
  EXPECT_TRUE(contestants_[2].clocks.empty());
}

TEST_F(RaceTest, HonoursAStopRequestBetweenTurns) {
  std::stop_source stop;
  contestants_ = {runner('A', 1), runner('B', 1)};
  contestants_[1].take = [&stop](int) -> Result<std::vector<double>> {
    stop.request_stop();
    return std::vector<double>{1};
  };
  const auto result = run(0.1, stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, ErrorId::cancelled);
  EXPECT_EQ(turns_, "A");
}

Result<void> no_work() { return {}; }

TEST(SettleClocks, EndsOnceTheClockStandsStill) {
  uint32_t megahertz = 345;
  const auto settled = settle_clocks(no_work, [&] { return megahertz = std::min(megahertz + 400, 1980u); }, {});
  ASSERT_TRUE(settled);
  EXPECT_TRUE(*settled);
  EXPECT_EQ(megahertz, 1980u);
}

TEST(SettleClocks, SaysWhereTheClockNeverStandsStill) {
  uint32_t reading = 0;
  const auto settled = settle_clocks(no_work, [&] { return 1000 + 100 * (++reading % 2); }, {});
  ASSERT_TRUE(settled);
  EXPECT_FALSE(*settled);
}

TEST(SettleClocks, ClaimsNothingWhereTheClockIsUnknown) {
  const auto settled = settle_clocks(no_work, [] { return 0u; }, {});
  ASSERT_TRUE(settled);
  EXPECT_FALSE(*settled);
}

TEST(TimingMethod, BatchesWorkUnderTwentyMicroseconds) {
  constexpr uint64_t kL2 = 60 << 20;
  EXPECT_TRUE(choose_timing(0.020, kL2, 1000).cold());
  const TimingMethod method = choose_timing(0.019, kL2, 48 << 20);
  EXPECT_FALSE(method.cold());
  EXPECT_EQ(method.executions % method.sets, 0);  // every set equally often
  EXPECT_GE(choose_timing(0.0, kL2, 12).executions, 50);
}

TEST(TimingMethod, RotatesOverMoreBytesThanTheL2Holds) {
  EXPECT_EQ(sets_beyond(60 << 20, 12), 64);  // tiny: no more sets than 64
  EXPECT_GE(sets_beyond(60 << 20, 48 << 20) * 48, 2 * 60);
  EXPECT_EQ(sets_beyond(60 << 20, uint64_t{12} << 30), 2);
}

TEST(TimingPoints, GiveUsefulBytesOverTheMedian) {
  const TimingPoint point = make_point(std::vector<double>{3.0, 2.0, 9.0}, 12e9, {});
  EXPECT_EQ(point.median_ms, 3.0);
  EXPECT_DOUBLE_EQ(point.gigabytes_per_second(), 4000);
  EXPECT_EQ(point.samples, 3u);
  EXPECT_TRUE(point.cold_l2);
  EXPECT_FALSE(make_point(std::vector<double>{1.0}, 1, {.executions = 50, .sets = 2}).cold_l2);
}

}  // namespace
}  // namespace tilescope
