// What the traffic view derives from runs of the labs, and the pictures of shared memory's banks, without a window.
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <set>

#include "app/observed/traffic_banks.hpp"
#include "app/observed/traffic_choice.hpp"
#include "app/observed/traffic_seen.hpp"
#include "app/views/traffic/traffic_chart.hpp"
#include "engine/run/engine.hpp"
#include "engine/traffic/access/block_traffic.hpp"
#include "engine/traffic/block_order/model_error.hpp"
#include "tests/gui/drawn_panel.hpp"

namespace tilescope {
namespace {

const Strings& texts() {
  static const Strings strings = *Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  return strings;
}

/// A run of a lab on the simulator; null, and the test is skipped, without NVRTC.
std::shared_ptr<const RunResult> run_lab(const std::string& lab, const std::string& rung,
                                         const std::map<std::string, int64_t>& sizes,
                                         const decltype(Request::broken)& broken = {}) {
  static const auto engine = Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 1});
  Request request{.lab = lab, .rung = rung, .config = default_config(*find_lab(lab), DeviceKind::sim)};
  for (const auto& [name, value] : sizes) request.config.sizes[name] = value;
  request.broken = broken;
  auto result = engine->run(request);
  if (!result) return nullptr;
  return std::make_shared<const RunResult>(std::move(*result));
}
std::shared_ptr<const RunResult> transpose(const std::string& rung) {
  return run_lab("transpose", rung, {{"rows", 128}, {"columns", 128}});
}
#define RUN_OR_SKIP(result, call) \
  const auto result = call;       \
  if (!result) GTEST_SKIP() << "no NVRTC"

const LedgerRow* row_of(const std::vector<LedgerRow>& rows, Space space, AccessKind kind) {
  for (const LedgerRow& row : rows)
    if (row.space == space && row.kind == kind) return &row;
  return nullptr;
}

// ---- runs of the labs ----

TEST(TrafficOfTranspose, ANaiveStoreMovesASectorForEveryFloat) {
  RUN_OR_SKIP(result, transpose("reads-coalesced"));
  const auto rows = ledger_rows(*result);
  const LedgerRow* store = row_of(rows, Space::global, AccessKind::store);
  ASSERT_NE(store, nullptr);
  EXPECT_DOUBLE_EQ(store->movement.steps_per_request(), 32);
  EXPECT_DOUBLE_EQ(store->movement.used(), 0.125);
  const TrafficSentence said = traffic_sentence(texts(), *result);
  EXPECT_TRUE(said.waste);
  ASSERT_TRUE(said.worst);
  EXPECT_EQ(rows[*said.worst].kind, AccessKind::store);
  EXPECT_FALSE(make_chart(*result).uses_shared());
}

TEST(TrafficOfTranspose, AColumnOfTheTileTakes32PassesUntilItIsPaddedOrSwizzled) {
  RUN_OR_SKIP(conflicts, transpose("shared-tile"));
  const auto rows = ledger_rows(*conflicts);
  const LedgerRow* read = row_of(rows, Space::shared, AccessKind::load);
  ASSERT_NE(read, nullptr);
  EXPECT_DOUBLE_EQ(read->movement.steps_per_request(), 32);
  EXPECT_DOUBLE_EQ(read->movement.needed_per_request(), 1);
  const TrafficSentence said = traffic_sentence(texts(), *conflicts);
  EXPECT_TRUE(said.waste);
  EXPECT_EQ(said.finding, "32 wavefronts for one read.");
  EXPECT_THAT(said.reason, ::testing::HasSubstr(fmt::format("line {}", read->line)));
  for (const char* rung : {"padded-tile", "swizzled-tile", "batched-loads", "whole-tiles", "grouped-tiles"}) {
    const auto without = transpose(rung);
    ASSERT_NE(without, nullptr);
    EXPECT_FALSE(traffic_sentence(texts(), *without).waste) << rung;
    EXPECT_EQ(total_movement(without->traffic, Space::shared).conflicts(), 0U) << rung;
  }
}

TEST(TrafficOfTranspose, TheBuffersOfTheChartAddUpToItsTotal) {
  RUN_OR_SKIP(result, transpose("shared-tile"));
  const MemoryChart chart = make_chart(*result);
  ASSERT_TRUE(chart.modelled);
  ASSERT_EQ(chart.buffers.size(), 2U);
  uint64_t asked = 0, device = 0;
  for (const ChartUse& use : chart.buffers) {
    asked += use.asked_bytes();
    device += use.device_bytes();
  }
  EXPECT_EQ(asked, chart.total.asked_bytes());
  EXPECT_EQ(device, chart.total.device_bytes());
  EXPECT_EQ(chart.total.loads.moved(), 128U * 128 * 4);
  EXPECT_EQ(chart.total.shared_reads.useful, 128U * 128 * 4);
  EXPECT_EQ(chart.buffers[0].stores.requests, 0U);  // in
  EXPECT_EQ(chart.buffers[1].loads.requests, 0U);   // out
}

/// A norm writes means in addition to its rows, attention a float per query: small, and not what a learner looks for.
TEST(ShownFirst, IsTheStoreToTheLargestResult) {
  const std::vector<std::array<std::string, 3>> cases{{"layernorm", "several-rows", "out"},
                                                      {"attention", "flash-lazy-rescale", "o"}};
  for (const auto& [lab, rung, buffer] : cases) {
    RUN_OR_SKIP(result, run_lab(lab, rung, {}));
    const TraceIndex index(result);
    ASSERT_GE(index.default_statement(), 0);
    const Statement& shown = index.statements()[static_cast<size_t>(index.default_statement())];
    EXPECT_TRUE(shown.writes());
    EXPECT_EQ(result->plan.buffers[static_cast<size_t>(shown.buffer)].name, buffer);
  }
}

/// The copies of A in matmul-fp32 transpose it: 4 rows for 8 values of k, in one bank without padding, in 8 with it.
TEST(TrafficOfMatmul, ConflictsOfAsynchronousCopiesAreInTheChart) {
  RUN_OR_SKIP(padded, run_lab("matmul-fp32", "double-buffered", {}));
  RUN_OR_SKIP(unpadded, run_lab("matmul-fp32", "double-buffered", {}, {"NO_PADDING"}));
  const DataMovement with = make_chart(*padded).total.shared_copies;
  const DataMovement without = make_chart(*unpadded).total.shared_copies;
  EXPECT_EQ(with.conflicts(), 0U);
  EXPECT_EQ(without.needed_passes, with.needed_passes);
  EXPECT_GT(without.passes, 4 * with.passes);
}

TEST(TrafficOfTranspose, ThePassesOfAllPicturesAreThoseOfTheLedger) {
  for (const char* rung :
       {"shared-tile", "padded-tile", "swizzled-tile", "batched-loads", "whole-tiles", "grouped-tiles"}) {
    RUN_OR_SKIP(result, transpose(rung));
    uint64_t passes = 0, needed = 0;
    for (uint32_t access = 0; access < result->trace.accesses.size(); ++access) {
      if (!is_shared(result->trace.accesses[access])) continue;
      const BankPicture picture = bank_picture(*result, access);
      passes += picture.passes;
      needed += picture.needed;
    }
    const DataMovement shared = total_movement(result->traffic, Space::shared);
    EXPECT_EQ(passes, shared.passes) << rung;
    EXPECT_EQ(needed, shared.needed_passes) << rung;
  }
}

TEST(TrafficOfTranspose, WithTheGlobalStoreGoesTheSharedReadThatFeedsIt) {
  RUN_OR_SKIP(result, transpose("shared-tile"));
  TraceIndex index(result);
  const auto rows = ledger_rows(*result);
  const auto store = access_of_row(index, *row_of(rows, Space::global, AccessKind::store), 5, {});
  ASSERT_TRUE(store);
  const Selection chosen = select_access(*result, *store);
  const ShownAccesses shown = shown_accesses(index, rows, {}, chosen, 5);
  EXPECT_EQ(shown.global, store);
  EXPECT_FALSE(shown.shared_chosen);
  ASSERT_TRUE(shown.shared);
  const Access &a = result->trace.accesses[*store], &b = result->trace.accesses[*shown.shared];
  EXPECT_EQ(a.block, b.block);
  EXPECT_EQ(a.warp, b.warp);
  EXPECT_LT(b.sequence, a.sequence);
  EXPECT_EQ(result->trace.sites[b.site].kind, AccessKind::load);
  // And in the other direction.
  const ShownAccesses back = shown_accesses(index, rows, {}, select_access(*result, *shown.shared), 5);
  EXPECT_TRUE(back.shared_chosen);
  EXPECT_EQ(back.shared, shown.shared);
  EXPECT_EQ(back.global, store);
}

TEST(TrafficOfTranspose, ALineThatIsPointedAtShowsWhatItWastesMost) {
  RUN_OR_SKIP(result, transpose("shared-tile"));
  TraceIndex index(result);
  const auto rows = ledger_rows(*result);
  const LedgerRow* read = row_of(rows, Space::shared, AccessKind::load);
  Selection hover;
  hover.line = read->line;
  const ShownAccesses shown = shown_accesses(index, rows, hover, {}, 5);
  EXPECT_TRUE(shown.shared_chosen);
  ASSERT_TRUE(shown.shared);
  EXPECT_EQ(result->trace.sites[result->trace.accesses[*shown.shared].site].line, read->line);
}

TEST(TrafficOfTranspose, ARungThatHasRunIsShownBesideItsNeighbour) {
  ViewState view;
  RUN_OR_SKIP(naive, transpose("reads-coalesced"));
  RUN_OR_SKIP(tile, transpose("shared-tile"));
  TraceIndex index(tile);
  const auto rows = ledger_rows(*tile);
  const auto store = access_of_row(index, *row_of(rows, Space::global, AccessKind::store), 5, {});
  const auto load = access_of_row(index, *row_of(rows, Space::global, AccessKind::load), 5, {});
  ASSERT_TRUE(store && load);
  const WarpAccess stored = warp_access(*tile, *store), loaded = warp_access(*tile, *load);
  EXPECT_EQ(access_of_neighbour(view, *tile, stored), nullptr) << "none has run";
  remember_accesses(view, naive);
  remember_accesses(view, tile);
  const SeenAccess* other = access_of_neighbour(view, *tile, stored);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->rung, "reads-coalesced");
  EXPECT_EQ(other->access.cost.sectors, 32U);
  EXPECT_EQ(access_of_neighbour(view, *tile, loaded), nullptr) << "both read alike";
  RUN_OR_SKIP(other_size, run_lab("transpose", "shared-tile", {{"rows", 64}, {"columns", 128}}));
  EXPECT_EQ(access_of_neighbour(view, *other_size, stored), nullptr) << "of another size";
}

TEST(TrafficOfGroupedOrder, AsynchronousCopiesPassRegistersAndTheL1By) {
  RUN_OR_SKIP(result, run_lab("grouped-order", "grouped", {{"M", 128}, {"N", 128}, {"K", 64}}));
  const MemoryChart chart = make_chart(*result);
  EXPECT_EQ(chart.total.loads.requests, 0U);
  EXPECT_GT(chart.total.copies_past_l1.requests, 0U);
  EXPECT_EQ(chart.total.copies.requests, 0U);
  EXPECT_EQ(chart.total.l2_to_l1_bytes(), 0U);
  EXPECT_GT(chart.total.shared_reads.requests, 0U);
  const auto rows = ledger_rows(*result);
  TraceIndex index(result);
  // A copy's two sides belong together: what it reads, and where it writes that.
  const auto copy = access_of_row(index, *row_of(rows, Space::global, AccessKind::async_copy), 0, {});
  ASSERT_TRUE(copy);
  const ShownAccesses shown = shown_accesses(index, rows, {}, select_access(*result, *copy), 0);
  ASSERT_TRUE(shown.shared);
  EXPECT_EQ(result->trace.sites[result->trace.accesses[*shown.shared].site].kind, AccessKind::async_copy);
  // An ldmatrix of four matrices takes one pass per matrix.
  for (uint32_t access = 0; access < result->trace.accesses.size(); ++access) {
    if (!result->trace.sites[result->trace.accesses[access].site].is_matrix) continue;
    const BankPicture picture = bank_picture(*result, access);
    EXPECT_EQ(picture.groups, 4U);
    EXPECT_EQ(picture.passes, 4U);
    EXPECT_EQ(picture.words.size(), 4U * 8 * 4);  // matrices × rows × words
    return;
  }
  FAIL() << "no ldmatrix";
}

// ---- pictures of one access ----

/// The lanes of `mask` at lane · stride bytes of shared memory.
RunResult one_shared_access(int64_t stride, uint32_t bytes, AccessKind kind = AccessKind::load,
                            uint32_t mask = 0xffffffff) {
  RunResult result;
  result.trace.sites.push_back({.line = 7, .space = Space::shared, .kind = kind, .bytes_per_lane = bytes});
  LanePattern pattern{};
  for (size_t lane = 0; lane < 32; ++lane) pattern[lane] = static_cast<int64_t>(lane) * stride;
  result.trace.patterns.push_back(pattern);
  result.trace.accesses.push_back({.base = uint64_t{1} << kRegionBits, .mask = mask});
  return result;
}

TEST(BankPicture, AColumnOf32WordRowsIsOneBankAndAsManyTurnsAsLanes) {
  const BankPicture picture = bank_picture(one_shared_access(128, 4), 0);
  EXPECT_EQ(picture.passes, 32U);
  EXPECT_EQ(picture.needed, 1U);
  EXPECT_EQ(picture.ways, 32U);
  ASSERT_EQ(picture.words.size(), 32U);
  std::set<uint32_t> turns;
  for (const BankWord& word : picture.words) {
    EXPECT_EQ(word.bank(), 0);
    EXPECT_EQ(std::popcount(word.lanes), 1);
    turns.insert(word.turn);
  }
  EXPECT_EQ(turns.size(), 32U);
  EXPECT_EQ(picture.rows().size(), 32U);
  EXPECT_EQ(bank_text(texts(), picture), "32 lanes on bank 0");
}

TEST(BankPicture, OneMoreWordARowSpreadsTheColumnOverAllBanks) {
  const auto padded = with_padding(bank_picture(one_shared_access(128, 4), 0));
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->from, 32);
  EXPECT_EQ(padded->to, 33);
  EXPECT_EQ(padded->picture.passes, 1U);
  std::set<int> banks;
  for (const BankWord& word : padded->picture.words) banks.insert(word.bank());
  EXPECT_EQ(banks.size(), 32U);
}

TEST(BankPicture, PaddingIsOfferedOnlyForColumnsThatConflict) {
  EXPECT_FALSE(with_padding(bank_picture(one_shared_access(4, 4), 0)));    // a row
  EXPECT_FALSE(with_padding(bank_picture(one_shared_access(132, 4), 0)));  // padded already
  EXPECT_FALSE(with_padding(bank_picture(one_shared_access(8, 4), 0)));    // every other word of a row
  EXPECT_TRUE(with_padding(bank_picture(one_shared_access(256, 4), 0)));
}

TEST(BankPicture, WideLanesGoInHalvesAndQuarters) {
  const BankPicture quarters = bank_picture(one_shared_access(16, 16), 0);
  EXPECT_EQ(quarters.groups, 4U);
  EXPECT_EQ(quarters.passes, 4U);
  EXPECT_EQ(quarters.ways, 1U);
  EXPECT_EQ(quarters.group_of(7), 0U);
  EXPECT_EQ(quarters.group_of(8), 1U);
  const BankPicture halves = bank_picture(one_shared_access(8, 8), 0);
  EXPECT_EQ(halves.groups, 2U);
  EXPECT_EQ(halves.group_of(15), 0U);
  EXPECT_EQ(halves.group_of(16), 1U);
}

TEST(BankPicture, AWordForAllLanesIsOneWordAndNoConflict) {
  const BankPicture picture = bank_picture(one_shared_access(0, 4), 0);
  ASSERT_EQ(picture.words.size(), 1U);
  EXPECT_EQ(picture.words[0].lanes, 0xffffffffU);
  EXPECT_EQ(picture.passes, 1U);
  EXPECT_EQ(bank_text(texts(), picture), "one word for 32 lanes");
}

TEST(BankPicture, IdleLanesAskForNothing) {
  const BankPicture picture = bank_picture(one_shared_access(128, 4, AccessKind::store, 0x0000000f), 0);
  EXPECT_EQ(picture.words.size(), 4U);
  EXPECT_EQ(picture.passes, 4U);
}

// ---- words ----

TEST(TrafficWords, ALineThatPtxasChangedSaysWhatBecameOfIt) {
  LineTraffic line;
  EXPECT_EQ(change_text(texts(), line), "");
  line.changed_by_ptxas = true;
  line.ptx_operations = {{.bits = 32, .count = 4}};
  line.machine_operations = {{.bits = 128, .count = 1}};
  EXPECT_THAT(change_text(texts(), line),
              ::testing::AllOf(::testing::HasSubstr("4 × 32 bits"), ::testing::HasSubstr("1 × 128 bits")));
  line.machine_operations.clear();
  EXPECT_THAT(change_text(texts(), line), ::testing::HasSubstr("none"));
}

TEST(TrafficWords, AKernelThatMovesNothingIsSaidToMoveNothing) {
  const TrafficSentence said = traffic_sentence(texts(), RunResult{});
  EXPECT_FALSE(said.waste);
  EXPECT_EQ(said.finding, texts()("traffic.nothing_moves"));
}

TEST(TrafficWords, AnAtomicIsNotCalledAStoreAndAWordForAWarpNotWaste) {
  RunResult result;
  result.traffic.lines = {
      {.line = 3, .kind = AccessKind::load, .requests = 100, .sectors = 400, .useful_bytes = 12800},
      {.line = 4, .kind = AccessKind::reduction, .requests = 100, .sectors = 100, .useful_bytes = 400}};
  EXPECT_FALSE(traffic_sentence(texts(), result).waste);
  result.traffic.lines[1].sectors = 3200;
  const TrafficSentence said = traffic_sentence(texts(), result);
  EXPECT_TRUE(said.waste);
  EXPECT_THAT(said.reason, ::testing::HasSubstr("the atomic on"));
  EXPECT_THAT(said.reason, ::testing::HasSubstr("32 sectors per request where 1 would do"));
}

TEST(TrafficWords, WhatAFewLanesWasteIsNotWhatTheRunIsAbout) {
  RunResult result;
  result.traffic.lines = {
      {.line = 3, .kind = AccessKind::load, .requests = 10000, .sectors = 40000, .useful_bytes = 1280000},
      {.line = 4, .kind = AccessKind::store, .requests = 20, .sectors = 200, .useful_bytes = 640}};
  EXPECT_TRUE(is_wasteful(movement_of(result.traffic.lines[1])));  // the ledger marks it
  EXPECT_FALSE(traffic_sentence(texts(), result).waste);
  result.traffic.lines[1].requests = 2000;
  result.traffic.lines[1].sectors = 20000;
  EXPECT_TRUE(traffic_sentence(texts(), result).waste);
}

TEST(TrafficWords, SharedMemoryAloneIsNotCalledWaste) {
  RunResult result;
  result.traffic.lines.push_back(
      {.line = 3, .space = Space::shared, .requests = 10, .useful_bytes = 40, .wavefronts = 10, .passes = 10});
  EXPECT_FALSE(traffic_sentence(texts(), result).waste);
  result.traffic.lines[0].wavefronts = 20;
  EXPECT_TRUE(traffic_sentence(texts(), result).waste);
}

/// tests/labs/model_error_test.cpp compares the figures with the counters.
TEST(TrafficWords, TheModelsErrorIsSaidAsItIsKept) {
  const std::string said = model_error_text(texts());
  for (const double percent :
       {kDeviceReadError.largest_percent, kL2ReadError.largest_percent, kL2WriteError.largest_percent})
    EXPECT_THAT(said, ::testing::HasSubstr(figure_text(percent) + "%"));
  EXPECT_THAT(said, ::testing::HasSubstr(std::string(kDeviceReadError.gpu)));
}

// ---- drawn, without a window ----

class DrawnSharedTraffic : public testing::DrawnPanel {};

TEST_F(DrawnSharedTraffic, EveryRungOfTransposeDrawsInEveryRoom) {
  for (const Rung& rung : find_lab("transpose")->rungs) {
    result = transpose(rung.name);
    if (!result) GTEST_SKIP() << "no NVRTC";
    view.tab = "traffic";
    above = &views.at("traffic");
    for (const ImVec2 room : {ImVec2(1104, 520), ImVec2(784, 320), ImVec2(320, 120), ImVec2(40, 20)})
      for (const ImVec2 pointer : {ImVec2(-1, -1), ImVec2(600, 460), ImVec2(300, 100), ImVec2(900, 250)}) {
        EXPECT_GT(draw(drawing("traffic"), room, pointer), 0);
        EXPECT_GT(draw(draw_source, room, pointer), 0);
      }
  }
}

TEST_F(DrawnSharedTraffic, AWordUnderThePointerLightsItsLaneInBothPictures) {
  result = transpose("padded-tile");
  if (!result) GTEST_SKIP() << "no NVRTC";
  const ImVec2 room{1104, 900};
  draw(drawing("traffic"), room);
  ASSERT_TRUE(view.marks.contains("traffic.bank_lanes"));
  const Mark lanes = view.marks.at("traffic.bank_lanes");
  const ImVec2 fifth{lanes.low.x + (lanes.high.x - lanes.low.x) * 5.5F / 32, lanes.centre().y};
  draw(drawing("traffic"), room, fifth);
  EXPECT_EQ(view.hover.lane, 5);
  ASSERT_TRUE(view.hover.access);
  EXPECT_TRUE(is_shared(result->trace.accesses[*view.hover.access]));
  click(drawing("traffic"), room, fifth);
  EXPECT_EQ(view.selection.lane, 5);
  draw(drawing("traffic"), room);
  ASSERT_TRUE(view.marks.contains("traffic.lanes")) << "the global access of the same warp stays beside it";
}

TEST_F(DrawnSharedTraffic, AClickOnTheSentenceSelectsWhatItMeans) {
  result = transpose("writes-coalesced");
  if (!result) GTEST_SKIP() << "no NVRTC";
  const ImVec2 room{1104, 520};
  draw(drawing("traffic"), room);
  click(drawing("traffic"), room, view.marks.at("traffic.sentence").centre());
  ASSERT_TRUE(view.selection.access);
  const Access& access = result->trace.accesses[*view.selection.access];
  EXPECT_EQ(result->trace.sites[access.site].kind, AccessKind::load);  // a column of `in`
}

TEST_F(DrawnSharedTraffic, ASampledGridAndACutRecordSaySo) {
  auto sampled = std::make_shared<RunResult>();
  sampled->observed = true;
  sampled->blocks_sampled = 12;
  sampled->plan.launches.push_back({.kernel = "k", .grid = {1 << 20, 1, 1}, .block = {256, 1, 1}});
  sampled->tiles.grid = {1 << 20, 1, 1};
  sampled->traffic.lines.push_back({.line = 3, .requests = 10, .sectors = 40, .useful_bytes = 1280});
  sampled->hierarchy.reason = Phrase("the accesses of 0 of 1048576 blocks fit the record");
  result = sampled;
  EXPECT_GT(draw(drawing("traffic"), {1104, 520}), 0);
  EXPECT_FALSE(view.marks.contains("traffic.lanes"));
}

}  // namespace
}  // namespace tilescope
