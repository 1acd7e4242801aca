// The plane of queries and keys, a block's loop over the keys, the online softmax of a row, and what rungs allocate.
// Small results are hand-made; runs on the simulator are compared with what the kernels themselves wrote.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/panels/speed/memory_sweep.hpp"
#include "app/views/plane/plane_rows.hpp"
#include "engine/run/engine.hpp"
#include "tests/gui/matrix_result.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {
namespace {

constexpr int64_t kQueries = 8, kKeys = 8, kDepth = 4, kTile = 4;

/// Two heads of O per head of K and V, tiles of 4 queries and 4 keys, two warps that each copy two rows of a tile.
struct Kernel {
  bool causal = true, async = true, backwards = false;
};

BufferSpec heads(const char* name, int64_t count, int64_t length, Role role) {
  return {.name = name, .type = DType::f32, .shape = {1, count, length, kDepth}, .role = role};
}

std::shared_ptr<RunResult> make_result(const Kernel& kernel) {
  MatrixRecorder record({heads("q", 2, kQueries, Role::input), heads("k", 1, kKeys, Role::input),
                         heads("v", 1, kKeys, Role::input), heads("o", 2, kQueries, Role::output)},
                        {4, 1, 1}, {64, 1, 1});
  for (uint32_t block = 0; block < 4; ++block) {
    const int64_t head = block / 2, tile = block % 2, steps = kernel.causal ? tile + 1 : kKeys / kTile;
    for (uint32_t warp = 0; warp < 2; ++warp) {
      const auto rows = [&](int64_t first_row) {
        return [=](int lane) { return lane < 2 ? (first_row + 2 * warp + lane) * kDepth : int64_t{-1}; };
      };
      const auto copy = [&](int64_t step) {
        const int64_t at = kernel.backwards ? steps - 1 - step : step;
        const AccessKind kind = kernel.async ? AccessKind::async_copy : AccessKind::load;
        record.access(10, kind, 1, block, warp, rows(at * kTile), kDepth);
        record.access(11, kind, 2, block, warp, rows(at * kTile), kDepth);
      };
      if (kernel.async) copy(0);
      for (int64_t step = 0; step < steps; ++step) {
        if (kernel.async && step + 1 < steps) copy(step + 1);
        if (!kernel.async) copy(step);
        record.shared(20, AccessKind::load, block, warp, [](int lane) { return lane * 4; });
      }
      record.access(30, AccessKind::store, 3, block, warp, rows(head * kQueries + tile * kTile), kDepth);
    }
  }
  auto result = record.result();
  result->tiles.blocks_observed = 4;
  return result;
}

PlaneSpec spec_of(bool causal) {
  return {.visible = [causal](const Config&, int64_t query) { return causal ? query + 1 : kKeys; },
          .scale = [](const Config&) { return 0.5; }};
}

PlanePicture picture_of(const std::shared_ptr<RunResult>& result, bool causal = true) {
  PlanePicture picture;
  EXPECT_TRUE(take_plane(picture, result, spec_of(causal)));
  return picture;
}

TEST(Plane, AStripIsWhatABlockWritesOfOAndReadsOfKAndV) {
  const auto result = make_result({});
  const PlanePicture picture = picture_of(result);
  ASSERT_EQ(picture.strips.size(), 4U);
  const PlaneStrip& last = *picture.strip_of(3);
  EXPECT_EQ(last.head, 1);
  EXPECT_EQ(last.queries.begin, 4);
  EXPECT_EQ(last.queries.end, 8);
  ASSERT_EQ(last.keys.size(), 1U);
  EXPECT_EQ(last.keys[0].begin, 0);
  EXPECT_EQ(last.keys[0].end, 8);
  EXPECT_EQ(picture.strip_of(2)->keys[0].end, 4) << "its queries see no later key";
  EXPECT_EQ(picture.of_head(0).size(), 2U);
  EXPECT_TRUE(picture.masked);
}

TEST(Plane, BlocksAboveTheDiagonalAreCountedAsSkippedOnlyWhereNobodyReadsThem) {
  const auto causal = make_result({});
  const CellCount cells = count_cells(picture_of(causal), 0);
  EXPECT_EQ(cells.all, 4);
  EXPECT_EQ(cells.skipped(), 1);
  const auto full = make_result({.causal = false});
  EXPECT_EQ(count_cells(picture_of(full, false), 0).skipped(), 0);
  // A mask that the kernel does not use skips nothing.
  EXPECT_EQ(count_cells(picture_of(full, true), 0).skipped(), 0);
}

TEST(Plane, TheWalkIsInTheOrderOfTheAccesses) {
  for (const bool backwards : {false, true}) {
    const auto result = make_result({.backwards = backwards});
    const PlanePicture picture = picture_of(result);
    const KeyWalk walk = walk_of(picture, *picture.strip_of(1));
    ASSERT_EQ(walk.steps.size(), 2U);
    EXPECT_EQ(walk.steps[0].first_key, backwards ? 4 : 0);
    EXPECT_EQ(walk.steps[1].first_key, backwards ? 0 : 4);
    EXPECT_EQ(walk.widest(), kTile) << "both warps' rows together";
    EXPECT_EQ(walk.passes(), 1);
  }
}

TEST(Plane, ACopyThatWasIssuedBeforeTheBlockReadIsArriving) {
  const auto result = make_result({});
  const PlanePicture picture = picture_of(result);
  const KeyWalk walk = walk_of(picture, *picture.strip_of(3));
  EXPECT_EQ(key_states(walk, 0, kTile, kKeys), (std::vector{KeyState::computing, KeyState::arriving}));
  EXPECT_EQ(key_states(walk, 1, kTile, kKeys), (std::vector{KeyState::seen, KeyState::computing}));
  EXPECT_EQ(key_states(walk, 2, kTile, kKeys), (std::vector{KeyState::seen, KeyState::seen}));
  const KeyWalk half = walk_of(picture, *picture.strip_of(2));
  EXPECT_EQ(key_states(half, 0, kTile, kKeys), (std::vector{KeyState::computing, KeyState::untouched}));
}

TEST(Plane, WhatIsLoadedAtOnceNeverArrives) {
  const auto result = make_result({.async = false});
  const PlanePicture picture = picture_of(result);
  const KeyWalk walk = walk_of(picture, *picture.strip_of(3));
  EXPECT_EQ(key_states(walk, 0, kTile, kKeys), (std::vector{KeyState::computing, KeyState::to_come}));
}

TEST(Plane, BuffersOfAnotherShapeHaveNoPlane) {
  auto result = make_result({});
  result->plan.buffers[1].shape = {kKeys, kDepth};
  PlanePicture picture;
  EXPECT_FALSE(take_plane(picture, result, spec_of(true)));
  auto unseen = make_result({});
  unseen->observed = false;
  EXPECT_FALSE(take_plane(picture, unseen, spec_of(true)));
}

TEST(Plane, NeighboursAndOtherHeadsAreFoundByTheirQueries) {
  const auto result = make_result({});
  const PlanePicture picture = picture_of(result);
  EXPECT_EQ(neighbour_strip(picture, 2, 1)->block, 3U);
  EXPECT_EQ(neighbour_strip(picture, 3, 1), nullptr) << "the next block is another head's";
  EXPECT_EQ(strip_in_head(picture, *picture.strip_of(3), 0)->block, 1U);
  EXPECT_EQ(strip_at(picture, 1, 5, 7)->block, 3U);
}

TEST(PlaneSentence, SaysWhatABlockKeepsAndSkips) {
  const auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  ASSERT_TRUE(strings);
  const auto result = make_result({});
  const PlanePicture picture = picture_of(result);
  const auto said = [&](uint32_t block) {
    const PlaneStrip& strip = *picture.strip_of(block);
    return plane_sentence(*strings, picture, strip, walk_of(picture, strip));
  };
  EXPECT_EQ(said(3).finding, "The S×S matrix is never stored.");
  EXPECT_EQ(said(3).reason, "Block 3 keeps 4 rows of Q and loops once over 2 K/V blocks; none is skipped.");
  EXPECT_EQ(said(2).reason, "Block 2 keeps 4 rows of Q and reads a single K/V block; 1 above the diagonal is skipped.");
}

RowInputs inputs_with(const std::vector<float>& scores, int64_t visible) {
  // One query (1, 0, …) and keys (score, 0, …).
  auto q = std::make_shared<HostBuffer>(DType::f32, kDepth);
  auto k = std::make_shared<HostBuffer>(DType::f32, scores.size() * kDepth);
  std::fill(q->as<float>().begin(), q->as<float>().end(), 0.0F);
  std::fill(k->as<float>().begin(), k->as<float>().end(), 0.0F);
  q->as<float>()[0] = 1;
  for (size_t key = 0; key < scores.size(); ++key) k->as<float>()[key * kDepth] = scores[key];
  RowInputs inputs{.q = q, .k = k, .extents = {1, 1, 1, static_cast<int64_t>(scores.size()), kDepth}};
  inputs.visible = visible;
  for (int64_t key = 0; key < static_cast<int64_t>(scores.size()); key += 2) inputs.steps.push_back({key, key + 2});
  return inputs;
}

TEST(SoftmaxTrace, AfterEachStepMAndLAreThoseOfAllKeysSoFar) {
  const std::vector<float> scores{1, 3, 2, 2.5F, 7, -4, 6, 6.5F};
  const SoftmaxTrace trace = trace_of(inputs_with(scores, 8));
  ASSERT_EQ(trace.steps.size(), 4U);
  for (size_t step = 0; step < 4; ++step) {
    const std::span<const float> so_far(scores.data(), 2 * step + 2);
    const double m = *std::max_element(so_far.begin(), so_far.end());
    double l = 0;
    for (const float score : so_far) l += std::exp(score - m);
    EXPECT_DOUBLE_EQ(trace.steps[step].m, m) << step;
    EXPECT_NEAR(trace.steps[step].l, l, 1e-12) << step;
  }
  EXPECT_FALSE(trace.steps[0].raised) << "nothing was there to be rescaled";
  EXPECT_FALSE(trace.steps[1].raised);
  EXPECT_TRUE(trace.steps[2].raised);
  EXPECT_NEAR(trace.steps[2].rescale, std::exp(3.0 - 7.0), 1e-12);
  EXPECT_EQ(trace.steps[3].rescale, 1);
}

TEST(SoftmaxTrace, MaskedKeysAddNothing) {
  const SoftmaxTrace trace = trace_of(inputs_with({1, 3, 2, 9, 9, 9}, 3));
  EXPECT_EQ(trace.steps[1].m, 3);
  EXPECT_NEAR(trace.steps[1].l, std::exp(-2.0) + 1 + std::exp(-1.0), 1e-12);
  EXPECT_EQ(trace.steps[2].first_key, trace.steps[2].end_key);
  EXPECT_EQ(trace.steps[2].l, trace.steps[1].l);
  EXPECT_EQ(trace_of(inputs_with({1, 2}, 0)).steps[0].l, 0) << "a query that sees no key";
}

TEST(SoftmaxTrace, TheTableHasTheNewestStepsAndTheLastRescalings) {
  SoftmaxTrace trace;
  trace.steps.resize(20);
  for (const size_t step : {1, 2, 4, 10, 15}) trace.steps[step].raised = true;
  EXPECT_EQ(rows_worth_seeing(trace, 13, 5), (std::vector<size_t>{4, 10, 11, 12, 13}));
  EXPECT_EQ(rows_worth_seeing(trace, 1, 5), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(rows_worth_seeing(trace, 99, 2), (std::vector<size_t>{18, 19}));
}

TEST(PlaneCursor, TheSumsOfARowAreKeptUntilAnotherIsAskedFor) {
  auto result = make_result({});
  auto q = std::make_shared<HostBuffer>(DType::f32, 2 * kQueries * kDepth);
  auto k = std::make_shared<HostBuffer>(DType::f32, kKeys * kDepth);
  std::iota(q->as<float>().begin(), q->as<float>().end(), -3.0F);
  std::iota(k->as<float>().begin(), k->as<float>().end(), -9.0F);
  result->buffers = {q, k, nullptr, nullptr};
  const PlanePicture picture = picture_of(result);
  const KeyWalk walk = walk_of(picture, *picture.strip_of(3));
  RowTraces rows;
  const SoftmaxTrace* first = rows.take(picture, walk, 13);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->row, 13);
  EXPECT_EQ(first->source, SoftmaxTrace::Source::inputs);
  EXPECT_EQ(rows.take(picture, walk, 13), first);
  EXPECT_EQ(rows.take(picture, walk, 14)->row, 14);
}

// ---- What the lab's rungs allocate

TEST(PlaneBytes, TheScoresGrowWithTheSquareAndTheRestDoesNot) {
  const Lab* lab = find_lab("attention");
  ASSERT_NE(lab, nullptr);
  Config config = default_config(*lab, DeviceKind::sim);
  config.sizes = {{"batch", 1}, {"heads", 16}, {"kv_heads", 16}, {"queries", 2048}, {"keys", 2048}};
  config.params["HEAD_DIM"] = 128;
  // O of 2-byte elements and a float per row; 4 bytes per score.
  constexpr double kOutputs = 16 * 2048 * 128 * 2 + 16 * 2048 * 4, kScores = 4.0 * 16 * 2048 * 2048;
  EXPECT_EQ(allocated_bytes(*lab, *find_rung(*lab, "flash-mma"), config), kOutputs);
  EXPECT_EQ(allocated_bytes(*lab, *find_rung(*lab, "unfused"), config), kOutputs + kScores);
  const MemorySweep sweep = memory_sweep(*lab, config);
  EXPECT_EQ(line_of(sweep, "unfused")->power, 2);
  EXPECT_EQ(line_of(sweep, "flash-mma")->power, 1);
  EXPECT_EQ(line_of(sweep, "flash-mma"), line_of(sweep, "flash-fp32")) << "one line for what is the same";
  EXPECT_EQ(sweep.lengths.back(), 131072);
}

// ---- Runs on the simulator

class PlaneRun : public ::testing::Test {
 protected:
  /// 200 keys, one head of 64; tiles of 64 × 64.
  std::shared_ptr<const RunResult> run(const std::string& rung, bool causal = true, int64_t queries = 200) {
    static const auto engine = Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 1});
    if (!engine->compiler()) return nullptr;
    Request request{
        .lab = "attention", .rung = rung, .config = default_config(*find_lab("attention"), DeviceKind::sim)};
    request.config.sizes = {{"batch", 1}, {"heads", 2}, {"kv_heads", 1}, {"queries", queries}, {"keys", 200}};
    request.config.params["CAUSAL"] = causal ? 1 : 0;
    request.config.params["BLOCK_M"] = 64;
    auto result = engine->run(request);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::make_shared<const RunResult>(std::move(*result)) : nullptr;
  }
  PlanePicture take(const std::shared_ptr<const RunResult>& result) {
    PlanePicture picture;
    EXPECT_TRUE(take_plane(picture, result, *find_lab("attention")->plane));
    return picture;
  }
  /// The value that the kernel itself wrote.
  static double lse(const RunResult& result, int64_t row) {
    for (size_t i = 0; i < result.plan.buffers.size(); ++i)
      if (result.plan.buffers[i].name == "lse") return value_at(*result.buffers[i], static_cast<size_t>(row));
    return NAN;
  }
};

TEST_F(PlaneRun, FlashSkipsWhatLiesAboveTheDiagonal) {
  for (const char* rung : {"flash-fp32", "flash-mma", "flash-lazy-rescale"}) {
    const auto result = run(rung);
    if (!result) GTEST_SKIP() << "needs NVRTC";
    const PlanePicture picture = take(result);
    EXPECT_EQ(picture.key_block, 64) << rung;
    // Tiles of queries see 1, 2, 3 and 4 of 4 blocks of keys.
    EXPECT_EQ(count_cells(picture, 1).all, 16) << rung;
    EXPECT_EQ(count_cells(picture, 1).skipped(), 3 + 2 + 1) << rung;
    for (const PlaneStrip& strip : picture.strips) {
      const KeyWalk walk = walk_of(picture, strip);
      EXPECT_EQ(walk.steps.size(), static_cast<size_t>(strip.queries.begin / 64 + 1)) << rung;
      EXPECT_EQ(walk.passes(), 1) << rung;
      for (size_t step = 0; step < walk.steps.size(); ++step)
        EXPECT_EQ(walk.steps[step].first_key, static_cast<int64_t>(step) * 64) << rung;
    }
  }
}

TEST_F(PlaneRun, QueriesBeforeTheFirstKeyHaveNoSteps) {
  for (const char* rung : {"flash-fp32", "flash-mma", "flash-lazy-rescale"}) {
    const auto result = run(rung, true, 400);  // the last query sees the last key, so the first 200 see none
    if (!result) GTEST_SKIP() << "needs NVRTC";
    const PlanePicture picture = take(result);
    for (const PlaneStrip& strip : picture.strips) {
      const KeyWalk walk = walk_of(picture, strip);
      EXPECT_EQ(walk.steps.empty(), strip.queries.end <= 200) << rung << " " << strip.queries.begin;
      EXPECT_EQ(key_states(walk, 0, picture.key_block, 200).size(), 4U) << rung;
    }
  }
}

TEST_F(PlaneRun, OnlyKernelsWithAsynchronousCopiesHaveABlockInFlight) {
  const auto stages = run("flash-stages"), lazy = run("flash-lazy-rescale"), mma = run("flash-mma"),
             fp32 = run("flash-fp32");
  if (!stages || !lazy || !mma || !fp32) GTEST_SKIP() << "needs NVRTC";
  const auto states_of = [&](const std::shared_ptr<const RunResult>& result) {
    const PlanePicture picture = take(result);
    const PlaneStrip* strip = strip_at(picture, 0, 199, 0);
    return key_states(walk_of(picture, *strip), 1, 64, 200);
  };
  // Two stages: one block is multiplied, one is in flight.
  for (const auto& result : {stages, lazy})
    EXPECT_EQ(states_of(result),
              (std::vector{KeyState::seen, KeyState::computing, KeyState::arriving, KeyState::to_come}));
  for (const auto& result : {mma, fp32})
    EXPECT_EQ(states_of(result),
              (std::vector{KeyState::seen, KeyState::computing, KeyState::to_come, KeyState::to_come}));
}

TEST_F(PlaneRun, TheSumsOfARowComeToWhatTheKernelWrote) {
  const auto result = run("flash-lazy-rescale");
  if (!result) GTEST_SKIP() << "needs NVRTC";
  const PlanePicture picture = take(result);
  for (const int64_t query : {0, 63, 64, 130, 199}) {
    const PlaneStrip* strip = strip_at(picture, 1, query, 0);
    ASSERT_NE(strip, nullptr);
    const int64_t row = 200 + query;
    const auto inputs = inputs_of(picture, walk_of(picture, *strip), row);
    ASSERT_TRUE(inputs);
    const SoftmaxStep last = trace_of(*inputs).steps.back();
    EXPECT_NEAR(last.m + std::log(last.l), lse(*result, row), 1e-3) << query;
  }
}

TEST_F(PlaneRun, WhatTheOnlineKernelNotedAgreesWithItsInputs) {
  const auto result = run("online-row");
  if (!result) GTEST_SKIP() << "needs NVRTC";
  const PlanePicture picture = take(result);
  EXPECT_EQ(picture.key_block, 1);
  const int64_t row = noted_row(picture).value();
  EXPECT_EQ(row, 199);
  const auto noted = left_trace(picture, row);
  ASSERT_TRUE(noted);
  EXPECT_EQ(noted->source, SoftmaxTrace::Source::buffer);
  ASSERT_EQ(noted->steps.size(), 200U);
  EXPECT_FALSE(left_trace(picture, row - 1)) << "only one row is noted";
  const KeyWalk walk = walk_of(picture, *strip_at(picture, 0, row, 0));
  ASSERT_EQ(walk.steps.size(), 200U);
  const SoftmaxTrace own = trace_of(*inputs_of(picture, walk, row));
  for (size_t key = 0; key < 200; ++key) {
    EXPECT_NEAR(noted->steps[key].m, own.steps[key].m, 1e-3) << key;
    EXPECT_NEAR(noted->steps[key].l, own.steps[key].l, 1e-2 * own.steps[key].l) << key;
    EXPECT_EQ(noted->steps[key].raised, own.steps[key].raised) << key;
  }
  EXPECT_NEAR(noted->steps.back().m + std::log(noted->steps.back().l), lse(*result, row), 1e-3);
}

TEST_F(PlaneRun, TheUnfusedRungLeavesItsProbabilitiesBehind) {
  const auto result = run("unfused");
  if (!result) GTEST_SKIP() << "needs NVRTC";
  const PlanePicture picture = take(result);
  EXPECT_TRUE(picture.stores_scores());
  EXPECT_EQ(count_cells(picture, 0).skipped(), 0) << "masked scores are stored, too";
  const auto stored = left_trace(picture, 150);
  ASSERT_TRUE(stored);
  double sum = 0;
  for (const SoftmaxStep& step : stored->steps) {
    sum += step.l;
    if (step.first_key > 150) {
      EXPECT_EQ(step.l, 0) << step.first_key;
    }
  }
  EXPECT_NEAR(sum, 1, 1e-4);
  // The lab shows the first of three launches: a block multiplies its tile of Q by its tile of K once.
  ASSERT_EQ(result->plan.launches[result->tiles.launch].kernel, "score_tiles");
  EXPECT_NEAR(walk_of(picture, picture.strips.front()).passes(), 1, 0.01);
}

}  // namespace
}  // namespace tilescope::testing
