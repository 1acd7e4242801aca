#include "engine/tune/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> opened = Engine::open({.root = TILESCOPE_SOURCE, .simulator_threads = 1});
  return *opened;
}

SpaceRequest autotune(std::map<std::string, std::vector<int64_t>> tried) {
  SpaceRequest request{.lab = "autotune", .rung = "one-size", .gpu = "h200"};
  request.config = default_config(*find_lab("autotune"), DeviceKind::gpu);
  request.tried = std::move(tried);
  return request;
}

/// 2 · 2 · 1 · 2 · 2 configurations. A lane holds BM · BN / (32 · WARPS) accumulators, and at most 128; a CTA takes
/// (BM + BN) · 64 · 2 · STAGES bytes, and on an H200 at most 232,448.
SpaceRequest sixteen() {
  return autotune({{"BM", {128, 256}}, {"BN", {128, 256}}, {"BK", {64}}, {"WARPS", {4, 8}}, {"STAGES", {4, 5}}});
}

TEST(Space, CountsItsConfigurationsAndTheirLimitersAsByHand) {
  const auto map = make_space(engine(), sixteen());
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->entries.size(), 16U);
  // Four warps: 128 × 256, 256 × 128 and 256 × 256. Eight warps: 256 × 256. Each with two numbers of stages.
  EXPECT_EQ(map->limiters().at(Limiter::registers), 8U);
  // Two of the others have 384 rows and columns in five stages: 245,760 bytes.
  EXPECT_EQ(map->limiters().at(Limiter::shared), 2U);
  EXPECT_EQ(map->count(TuneState::untried), 6U);
}

TEST(Space, SaysWhichLimitMakesAConfigurationImpossible) {
  const auto map = make_space(engine(), sixteen());
  ASSERT_TRUE(map);
  const auto entry = [&](int64_t bm, int64_t bn, int64_t warps, int64_t stages) -> const TuneEntry& {
    return map->entries[*map->index_of({{"BM", bm}, {"BN", bn}, {"BK", 64}, {"WARPS", warps}, {"STAGES", stages}})];
  };
  EXPECT_EQ(entry(128, 128, 4, 4).state, TuneState::untried);
  EXPECT_NE(entry(256, 256, 4, 4).why.english().find("take 512 registers"), std::string::npos);
  EXPECT_NE(entry(128, 256, 8, 5).why.english().find("245,760 bytes of shared memory"), std::string::npos);
}

TEST(Space, FindsCopiesThatDoNotDivideTheTile) {
  // 16 warps copy 512 · 16 / 128 = 64 rows of B at a time, and a k-tile of 32 has fewer.
  const auto map = make_space(engine(), autotune({{"BM", {128}}, {"BN", {64}}, {"BK", {32, 64}}, {"WARPS", {16}}}));
  ASSERT_TRUE(map) << map.error().message;
  const auto narrow = *map->index_of({{"BM", 128}, {"BN", 64}, {"BK", 32}, {"WARPS", 16}, {"STAGES", 2}});
  EXPECT_EQ(map->entries[narrow].limiter, Limiter::divisibility) << map->entries[narrow].why.english();
  const auto wide = *map->index_of({{"BM", 128}, {"BN", 64}, {"BK", 64}, {"WARPS", 16}, {"STAGES", 2}});
  EXPECT_EQ(map->entries[wide].state, TuneState::untried) << map->entries[wide].why.english();
}

TEST(Space, ThePossibleConfigurationsAreThoseThatTheLabRuns) {
  const Lab& lab = *find_lab("autotune");
  for (const char* name : {"one-size", "triton"}) {
    SpaceRequest request{.lab = "autotune", .rung = name, .gpu = "h200"};
    request.config = default_config(lab, DeviceKind::gpu);
    const auto map = make_space(engine(), request);
    ASSERT_TRUE(map) << map.error().message;
    for (size_t i = 0; i < map->entries.size(); ++i)
      EXPECT_EQ(map->entries[i].state != TuneState::impossible,
                engine().resolve(request_of(request, *map, i)).has_value())
          << map->text_of(i);
  }
}

/// The sentences of all labs are sorted by their words, so a new sentence must not fall through.
TEST(Space, EveryRefusalOfEveryLabHasALimiter) {
  for (const Lab& lab : labs())
    for (const Rung& rung : lab.rungs) {
      if (rung.pick || !rung.check || axes_of(lab, rung).empty()) continue;
      SpaceRequest request{.lab = lab.name, .rung = rung.name, .gpu = "h200"};
      request.config = default_config(lab, DeviceKind::gpu);
      std::vector<TuneAxis> axes = axes_of(lab, rung);
      for (const TuneAxis& axis : axes)  // ends and middle: a few hundred configurations
        request.tried[axis.name] = {axis.values.front(), axis.values[axis.values.size() / 2], axis.values.back()};
      while (request.tried.size() > 6) {
        request.fixed.push_back(request.tried.begin()->first);
        request.tried.erase(request.tried.begin());
      }
      const auto map = make_space(engine(), request);
      if (!map) continue;
      for (const TuneEntry& entry : map->entries) {
        if (entry.state != TuneState::impossible) continue;
        EXPECT_NE(entry.limiter, Limiter::other) << lab.name << " " << rung.name << ": " << entry.why.english();
      }
    }
}

TEST(Space, RefusesWhatCannotBeTunedInOneSentence) {
  const auto message = [&](const SpaceRequest& request) {
    const auto map = make_space(engine(), request);
    return map ? std::string("accepted") : map.error().message;
  };
  EXPECT_NE(message({.lab = "autotun", .rung = "one-size"}).find("there is no lab 'autotun'"), std::string::npos);
  SpaceRequest request = autotune({});
  request.rung = "tuned";
  EXPECT_NE(message(request).find("picks its parameters itself"), std::string::npos);
  EXPECT_NE(message(autotune({{"BM", {48}}})).find("BM = 48 is not possible"), std::string::npos);
  EXPECT_NE(message(autotune({{"TM", {8}}})).find("has no parameter 'TM'"), std::string::npos);
  EXPECT_NE(message(autotune({{"BM", {256}}, {"BN", {256}}, {"WARPS", {2, 4}}})).find("none of the"),
            std::string::npos);
  request = autotune({});
  request.fixed = {"BM", "BN", "BK", "WARPS", "STAGES"};
  EXPECT_NE(message(request).find("no parameter left to tune"), std::string::npos);
  SpaceRequest large{.lab = "matmul-fp32", .rung = "double-buffered"};
  large.config = default_config(*find_lab("matmul-fp32"), DeviceKind::gpu);
  EXPECT_NE(message(large).find("narrow it, as in --try"), std::string::npos) << message(large);
}

TEST(Space, CompilesAConfigurationAndCountsTheCtasThatFit) {
  if (!engine().compiler()) GTEST_SKIP() << engine().compiler().error().message;
  SpaceRequest request = autotune({{"BM", {128}}, {"BN", {128}}, {"BK", {64}}, {"WARPS", {4}}, {"STAGES", {3}}});
  auto map = make_space(engine(), request);
  ASSERT_TRUE(map) << map.error().message;
  const auto added = add_facts(engine(), request, *map, 0, {});
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_TRUE(map->entries[0].facts) << map->entries[0].why.english();
  const TuneFacts& facts = *map->entries[0].facts;
  EXPECT_EQ(facts.threads, 128U);
  EXPECT_EQ(facts.shared_bytes, 98304U);  // (128 + 128) · 64 · 2 · 3
  EXPECT_EQ(facts.spill_bytes, 0U);
  EXPECT_EQ(facts.ctas_per_multiprocessor, 2U);  // 2 · (98,304 + 1,024) of 233,472 bytes; a third does not fit
  EXPECT_GT(facts.registers, 128U);              // the accumulators alone
  // A and B of 4,096² are read 4,096 / 128 = 32 times, and C is written once, 2 bytes each.
  EXPECT_DOUBLE_EQ(facts.requested_bytes, 2.0 * 4096 * 4096 * (32 + 32 + 1));
}

/// The formula against what the simulator sees, at sizes that the tiles divide.
TEST(Space, TheRequestedBytesAreThoseThatTheCtasRequest) {
  if (!engine().compiler()) GTEST_SKIP() << engine().compiler().error().message;
  const Lab& lab = *find_lab("autotune");
  for (const int64_t bn : {64, 128}) {
    Request request{.lab = "autotune", .rung = "one-size", .config = default_config(lab, DeviceKind::sim)};
    for (const auto& [name, value] : std::map<std::string, int64_t>{{"M", 128}, {"N", 256}, {"K", 64}})
      request.config.sizes[name] = value;
    request.config.params["BN"] = bn;
    const auto run = engine().run(request);
    ASSERT_TRUE(run) << run.error().message;
    double bytes = 0;
    for (const BufferTraffic& buffer : run->traffic.buffers)
      bytes += static_cast<double>(buffer.read_useful + buffer.write_useful);
    EXPECT_DOUBLE_EQ(bytes, find_rung(lab, "one-size")->requested_bytes(request.config));
  }
}

TEST(Space, AKernelThatDoesNotFitOnAnOlderGpuIsImpossibleThere) {
  if (!engine().compiler()) GTEST_SKIP() << engine().compiler().error().message;
  SpaceRequest request = autotune({{"BM", {128}}, {"BN", {256}}, {"BK", {64}}, {"WARPS", {8}}, {"STAGES", {4}}});
  request.gpu = "a100";  // 163 KiB of shared memory for a CTA
  auto map = make_space(engine(), request);
  ASSERT_TRUE(map) << map.error().message;
  const std::vector<size_t> all{0};
  const auto added = add_facts(engine(), request, *map, all, {}, {});
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(map->entries[0].limiter, Limiter::shared) << map->entries[0].why.english();
}

}  // namespace
}  // namespace tilescope
