// What the order view shows, calculated from hand-made results.
#include "app/observed/order_model.hpp"

#include <gmock/gmock.h>

#include "tests/gui/order_result.hpp"

namespace tilescope {
namespace {

using Kind = OrderTraffic::Kind;
using ::testing::ElementsAre;
using testing::make_product;
using testing::TiledProduct;

Strings strings_in(Language language) {
  auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  EXPECT_TRUE(strings.has_value());
  strings->language = language;
  return *strings;
}

std::vector<Kind> kinds(const OrderPicture& picture) {
  std::vector<Kind> found;
  for (const ShownOrder& order : picture.orders) found.push_back(order.kind);
  return found;
}

TEST(OrderPicture, RowMajorStandsBesideTheLaunchedOrderAndHilbertBesideBoth) {
  const auto grouped = make_product({.launched = Kind::grouped});
  EXPECT_THAT(kinds(make_order_picture(grouped)), ElementsAre(Kind::row_major, Kind::grouped));
  EXPECT_EQ(make_order_picture(grouped).launched, 1U);
  const auto row_major = make_product({.launched = Kind::row_major});
  EXPECT_THAT(kinds(make_order_picture(row_major)), ElementsAre(Kind::row_major, Kind::grouped));
  EXPECT_EQ(make_order_picture(row_major).launched, 0U);
  const auto hilbert = make_product({.launched = Kind::hilbert});
  EXPECT_THAT(kinds(make_order_picture(hilbert)), ElementsAre(Kind::row_major, Kind::grouped, Kind::hilbert));
  EXPECT_EQ(make_order_picture(hilbert).launched, 2U);
}

TEST(OrderPicture, EveryOrderHasEachTileOnceAndTheLaunchIsInBlockOrder) {
  for (const Kind kind : {Kind::row_major, Kind::grouped, Kind::hilbert}) {
    const TiledProduct product{.rows = 6, .columns = 5, .launched = kind, .group = 4};
    const auto result = make_product(product);
    const OrderPicture picture = make_order_picture(result);
    for (const ShownOrder& order : picture.orders) {
      EXPECT_EQ(order.tile_at, testing::tiles_of(product, order.kind, order.group));
      for (uint32_t position = 0; position < order.tile_at.size(); ++position)
        EXPECT_EQ(order.position_of[order.tile_at[position]], position);
    }
    for (uint32_t block = 0; block < 30; ++block) {
      const auto& operands = result->block_order->operands;
      EXPECT_EQ(picture.row_of(picture.tile_of_block(block)), operands[0].strip_of_block[block]);
      EXPECT_EQ(picture.column_of(picture.tile_of_block(block)), operands[1].strip_of_block[block]);
      EXPECT_EQ(picture.block_of_tile(picture.tile_of_block(block)), block);
    }
  }
}

// 8 × 8 tiles, 10 at a time, groups of two rows: wave 1 is blocks 10 to 19, i.e. columns 5 to 7 of the first group and
// columns 0 and 1 of the second.
TEST(OrderStates, AWaveIsResidentWhatCameBeforeIsDoneAndTheRestWaits) {
  const auto result = make_product({});
  const OrderPicture picture = make_order_picture(result);
  const OrderWindow window = wave_window(picture.model(), 1);
  EXPECT_EQ(window, (OrderWindow{10, 20, 1}));
  const ShownOrder& grouped = picture.orders[1];
  const auto cells = cell_states(picture, grouped, window, 8, 8);
  std::string text;
  for (size_t cell = 0; cell < cells.size(); ++cell)
    text += std::string(cell % 8 == 0 && cell > 0 ? "/" : "") + ".dR"[static_cast<size_t>(cells[cell])];
  EXPECT_EQ(text, "dddddRRR/dddddRRR/RR....../RR....../......../......../......../........");
}

TEST(OrderStates, NeedsAreTheStripsOfTheResidentTilesCountedOnce) {
  const auto result = make_product({});
  const OrderPicture picture = make_order_picture(result);
  const OrderWindow window = wave_window(picture.model(), 1);
  const OrderNeed grouped = need_of(picture, picture.orders[1], window);
  EXPECT_EQ(grouped.row_count, 4U);
  EXPECT_EQ(grouped.column_count, 5U);
  EXPECT_EQ(grouped.bytes, 4U * 1000 + 5U * 3000);
  EXPECT_THAT(grouped.rows, ElementsAre(true, true, true, true, false, false, false, false));
  EXPECT_THAT(grouped.columns, ElementsAre(true, true, false, false, false, true, true, true));
  // Row-major: blocks 10 to 19 are columns 2 to 7 of row 1 and 0 to 3 of row 2.
  const OrderNeed row_major = need_of(picture, picture.orders[0], window);
  EXPECT_EQ(row_major.row_count, 2U);
  EXPECT_EQ(row_major.column_count, 8U);
  EXPECT_EQ(row_major.bytes, 2U * 1000 + 8U * 3000);
}

TEST(OrderStates, EveryWaveNeedsWhatTheModelSays) {
  const auto result = make_product({.rows = 13, .columns = 7, .resident = 9, .group = 4});
  const OrderPicture picture = make_order_picture(result);
  for (const ShownOrder& order : picture.orders)
    for (uint64_t wave = 0; wave < picture.waves(); ++wave) {
      const OrderNeed need = need_of(picture, order, wave_window(picture.model(), wave));
      EXPECT_EQ(need.bytes, order.traffic->waves[wave].needed_bytes);
      EXPECT_EQ(need.row_count, order.traffic->waves[wave].strips[0]);
      EXPECT_EQ(need.column_count, order.traffic->waves[wave].strips[1]);
    }
}

TEST(OrderStates, ACellThatStandsForSeveralTilesShowsAResidentOne) {
  const auto result = make_product({.rows = 64, .columns = 64, .resident = 1, .group = 64});
  const OrderPicture picture = make_order_picture(result);
  for (uint64_t wave = 0; wave < picture.waves(); wave += 97) {
    const auto cells = cell_states(picture, picture.orders[1], wave_window(picture.model(), wave), 16, 8);
    EXPECT_EQ(std::count(cells.begin(), cells.end(), TileState::resident), 1) << wave;
  }
}

TEST(OrderStates, WithoutAMatrixOfTilesBlocksFollowOneAnother) {
  const auto result = make_product({.rows = 1, .columns = 23, .resident = 4});
  result->block_order->tile_rows = result->block_order->tile_columns = 0;
  result->block_order->others.clear();
  const OrderPicture picture = make_order_picture(result);
  EXPECT_FALSE(picture.matrix);
  ASSERT_EQ(picture.orders.size(), 1U);
  EXPECT_GE(uint64_t{picture.rows} * picture.columns, 23U);
  for (uint32_t block = 0; block < 23; ++block) EXPECT_EQ(picture.tile_of_block(block), block);
  EXPECT_EQ(need_of(picture, picture.orders[0], wave_window(picture.model(), 2)).bytes, 1000U + 4U * 3000);
}

// ---- playback ----

TEST(OrderPlayback, AFrontOfResidentBlocksMovesBlockByBlock) {
  const auto result = make_product({});
  const OrderModel& model = *result->block_order;
  ViewState view;
  view.playback.position = 0;
  EXPECT_EQ(window_of(view, model), (OrderWindow{0, 0, 0}));
  step_block(view, model, 4);
  EXPECT_EQ(window_of(view, model), (OrderWindow{0, 4, 0}));
  step_block(view, model, 9);
  EXPECT_EQ(window_of(view, model), (OrderWindow{3, 13, 1}));
}

TEST(OrderPlayback, WavesAreSteppedToTheirEndsAndTheLastOneIsShort) {
  const auto result = make_product({});  // 64 blocks: six waves of ten, one of four
  const OrderModel& model = *result->block_order;
  ViewState view;
  show_wave(view, model, 0);
  EXPECT_EQ(window_of(view, model), (OrderWindow{0, 10, 0}));
  step_wave(view, model, 1);
  EXPECT_EQ(window_of(view, model), (OrderWindow{10, 20, 1}));
  step_block(view, model, 3);  // in the third wave
  step_wave(view, model, 1);
  EXPECT_EQ(window_of(view, model), (OrderWindow{20, 30, 2}));
  step_wave(view, model, 100);
  EXPECT_EQ(window_of(view, model), (OrderWindow{60, 64, 6}));
  step_wave(view, model, -1);
  EXPECT_EQ(window_of(view, model), (OrderWindow{50, 60, 5}));
}

TEST(OrderPlayback, PlayingEndsWithTheLastWaveAndBeginsAnewAfterIt) {
  const auto result = make_product({});
  const OrderModel& model = *result->block_order;
  ViewState view;
  toggle_order(view, model);
  EXPECT_TRUE(view.playback.playing);
  for (int frame = 0; frame < 10000 && view.playback.playing; ++frame) advance_order(view, model, 0.1);
  EXPECT_FALSE(view.playback.playing);
  EXPECT_EQ(window_of(view, model).end, 64U);
  toggle_order(view, model);
  EXPECT_EQ(window_of(view, model).end, 0U);
}

TEST(OrderPlayback, BeforeAnythingIsPlayedAWholeWaveOfTheUsualNeedIsShown) {
  const auto result = make_product({.rows = 64, .columns = 32, .resident = 132, .group = 8});
  const OrderModel& model = *result->block_order;
  const OrderWindow window = window_of({}, model);
  EXPECT_EQ(window.end - window.first, 132U);
  const OrderNeed need = need_of(make_order_picture(result), make_order_picture(result).orders[1], window);
  EXPECT_EQ(need.row_count, 8U) << "a wave inside one group, as most are";
  EXPECT_EQ(need.column_count, 17U);
}

TEST(OrderPart, HoldsTheOldestResidentBlock) {
  for (const int64_t group : {2, 5, 8}) {
    const auto result = make_product({.rows = 40, .columns = 30, .resident = 50, .group = group});
    const OrderPicture picture = make_order_picture(result);
    for (const ShownOrder& order : picture.orders)
      for (uint64_t wave = 0; wave < picture.waves(); ++wave) {
        const OrderWindow window = wave_window(picture.model(), wave);
        const TilePart part = part_around(picture, order, window, 5, 12);
        const uint32_t tile = order.tile_at[window.first];
        EXPECT_GE(picture.row_of(tile), part.row);
        EXPECT_LT(picture.row_of(tile), part.row + part.rows);
        EXPECT_GE(picture.column_of(tile), part.column);
        EXPECT_LT(picture.column_of(tile), part.column + part.columns);
        EXPECT_LE(part.row + part.rows, 40U);
        EXPECT_LE(part.column + part.columns, 30U);
      }
  }
}

// ---- figures ----

TEST(OrderFigures, BytesHaveThreeFigures) {
  EXPECT_EQ(three_figures(2.86e9), "2.86 GB");
  EXPECT_EQ(three_figures(187e6), "187 MB");
  EXPECT_EQ(three_figures(88080384), "88.1 MB");
  EXPECT_EQ(three_figures(999.6e6), "1.00 GB");
  EXPECT_EQ(three_figures(512), "512 B");
}

TEST(OrderFigures, OrdersHaveNamesInBothLanguages) {
  EXPECT_EQ(order_name(strings_in(Language::en), Kind::grouped, 8), "Grouped by 8");
  EXPECT_EQ(order_name(strings_in(Language::zh), Kind::grouped, 8), "每 8 行一组");
  EXPECT_EQ(order_name(strings_in(Language::en), Kind::row_major, 0), "Row-major");
}

TEST(OrderFigures, CountersOfSeveralOrdersAreOfOneSet) {
  RecordedCounters counters;
  const auto row = [](Kind kind, int64_t group, double bytes) {
    return CounterRow{
        .sizes = {{"M", 1}}, .order = kind, .group = group, .blocks_per_multiprocessor = 1, .device_bytes_read = bytes};
  };
  counters.sets = {
      {.gpu = "NVIDIA H200", .date = "2026-01-01", .rows = {row(Kind::row_major, 0, 1), row(Kind::grouped, 2, 2)}},
      {.gpu = "NVIDIA H200", .date = "2026-01-02", .own_kernel = true, .rows = {row(Kind::grouped, 4, 3)}}};
  const auto result = make_product({});
  result->config.sizes = {{"M", 1}};
  const std::vector<std::pair<Kind, int64_t>> orders{{Kind::row_major, 0}, {Kind::grouped, 2}, {Kind::grouped, 4}};
  const auto found = counted_together(&counters, *result, result->config, orders);
  ASSERT_TRUE(found[0] && found[1]);
  EXPECT_EQ(found[0].set, found[1].set);
  EXPECT_FALSE(found[2]) << "another kernel's";
}

}  // namespace
}  // namespace tilescope
