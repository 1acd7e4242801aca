// The order view drawn without a window: every order at every size, pointer, clicks, playback, and its message where
// there is nothing to show.
#include <gmock/gmock.h>

#include "app/views/order/order_view.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/order_result.hpp"
#include "tests/gui/vector_add_result.hpp"

namespace tilescope {
namespace {

using Kind = OrderTraffic::Kind;
using testing::make_product;

class DrawnOrder : public testing::DrawnPanel {
 protected:
  void SetUp() override {
    DrawnPanel::SetUp();
    session->select_lab("grouped-order");
  }
  OrderView order;
  const Draw draw_order = [this](PanelContext& context) { order.draw(context); };
  const Draw draw_order_bytes = [this](PanelContext& context) { order.draw_bytes(context); };
  const Draw draw_tabs = [this](PanelContext& context) { order.draw_tabs(context, /*with_bytes=*/true); };

  /// The middle of a tile of a map, by its row and column.
  ImVec2 tile(size_t map, uint32_t row, uint32_t column) {
    const OrderPicture& picture = order.picture(result);
    const auto found = view.marks.find(fmt::format("order.map.{}", map));
    EXPECT_NE(found, view.marks.end());
    if (found == view.marks.end()) return {-1, -1};
    const ImVec2 low = found->second.low, high = found->second.high;
    const auto part = [](uint32_t at, uint32_t all) {
      return (static_cast<float>(at) + 0.5F) / static_cast<float>(all);
    };
    return {low.x + (high.x - low.x) * part(column, picture.columns),
            low.y + (high.y - low.y) * part(row, picture.rows)};
  }
};

TEST_F(DrawnOrder, EveryOrderDrawsInEveryRoom) {
  for (const Kind kind : {Kind::row_major, Kind::grouped, Kind::hilbert})
    for (const auto& [rows, columns] : {std::pair{1U, 1U}, {8U, 8U}, {64U, 32U}, {256U, 512U}, {3U, 200U}}) {
      result = make_product({.rows = rows, .columns = columns, .resident = 132, .launched = kind, .group = 8});
      for (const ImVec2 room : {ImVec2(1104, 584), ImVec2(784, 360), ImVec2(320, 160), ImVec2(40, 20)})
        for (const ImVec2 pointer : {ImVec2(-1, -1), ImVec2(200, 200), ImVec2(700, 180), ImVec2(500, 560)})
          EXPECT_GT(draw(draw_order, room, pointer), 0);
      EXPECT_GT(draw(draw_order_bytes, {552, 304}), 0);
      for (const OrderTab tab :
           {OrderTab::bytes, OrderTab::groups, OrderTab::waves, OrderTab::sweep, OrderTab::ladder, OrderTab::source}) {
        order.show_tab(tab);
        EXPECT_GT(draw(draw_tabs, {784, 260}), 0);
        EXPECT_GT(draw(draw_tabs, {40, 20}), 0);
      }
    }
}

TEST_F(DrawnOrder, PointingAtATileLightsItsBlockAndAClickSelectsIt) {
  result = make_product({.rows = 8, .columns = 8, .group = 2});
  draw(draw_order, {1104, 584});
  // Tile (3, 4) is the 9th of the second group of 16: block 16 + 2 · 4 + 1.
  draw(draw_order, {1104, 584}, tile(1, 3, 4));
  EXPECT_EQ(view.hover.block, 25U);
  EXPECT_THAT(view.explained, ::testing::HasSubstr("number 25 of 64"));
  // In row-major order it is number 28, and still block 25 of this launch.
  draw(draw_order, {1104, 584}, tile(0, 3, 4));
  EXPECT_EQ(view.hover.block, 25U);
  EXPECT_THAT(view.explained, ::testing::HasSubstr("number 28 of 64"));
  EXPECT_THAT(view.explained, ::testing::HasSubstr("block 25"));
  click(draw_order, {1104, 584}, tile(0, 0, 0));
  EXPECT_EQ(view.selection.block, 0U);
}

TEST_F(DrawnOrder, TheStripOfWavesIsPressed) {
  result = make_product({});
  draw(draw_order, {1104, 584});
  const Mark strip = view.marks.at("order.waves");
  const float last = strip.high.x - 4;
  click(draw_order, {1104, 584}, {last, strip.centre().y});
  EXPECT_EQ(window_of(view, *result->block_order), (OrderWindow{60, 64, 6}));
  click(draw_order, {1104, 584}, view.marks.at("playback.back").centre());
  EXPECT_EQ(window_of(view, *result->block_order).wave, 5U);
  click(draw_order, {1104, 584}, view.marks.at("playback.play").centre());
  EXPECT_TRUE(view.playback.playing);
}

TEST_F(DrawnOrder, WithoutCountersThereIsAWayToASizeThatHasThem) {
  const Config small = default_config(session->lab(), DeviceKind::sim);  // the window opens the lab with different
                                                                         // values
  for (const auto& [name, value] : small.sizes) session->set_size(name, value);
  for (const auto& [name, value] : small.params) session->set_param(name, value);
  ASSERT_NE(session->request().config.size("M"), 8192);
  auto product = make_product({});
  product->config.sizes = {{"M", 512}, {"N", 512}, {"K", 512}};
  result = product;
  draw(draw_order_bytes, {552, 304});
  ASSERT_TRUE(view.marks.contains("order.go_to_counted"));
  click(draw_order_bytes, {552, 304}, view.marks.at("order.go_to_counted").centre());
  const Config& wanted = session->request().config;
  EXPECT_EQ(wanted.size("M"), 8192);
  EXPECT_EQ(wanted.size("K"), 8192);
  EXPECT_EQ(wanted.param("BM"), 128);
  EXPECT_EQ(wanted.param("BN"), 256);
}

TEST_F(DrawnOrder, WhereTheSizeWasCountedItIsShown) {
  auto product = make_product({});
  product->config.sizes = {{"M", 8192}, {"N", 8192}, {"K", 8192}};
  product->config.params = {{"BM", 128}, {"BN", 256}, {"BK", 64}, {"GROUP_M", 2}};
  result = product;
  draw(draw_order_bytes, {552, 304});
  EXPECT_FALSE(view.marks.contains("order.go_to_counted"));
  EXPECT_TRUE(view.marks.contains("order.strips")) << "the sum by hand stands beside the counters";
  EXPECT_TRUE(view.marks.contains("order.strips_beside"));
}

TEST_F(DrawnOrder, TheBarShowsTheRangeOfAModelThatIsNotSure) {
  auto product = make_product({});
  result = product;
  draw(draw_order_bytes, {552, 304});
  EXPECT_FALSE(view.marks.contains("order.range")) << "it is sure";
  OrderModel& model = *product->block_order;
  model.bounds = {model.launched.device_bytes_read / 2, model.launched.device_bytes_read * 2};
  draw(draw_order_bytes, {552, 304});
  ASSERT_TRUE(view.marks.contains("order.range"));
  const Mark range = view.marks.at("order.range");
  constexpr float kEnd = 4;                                // half the height of the line's ends
  const float left = view.marks.at("order.strips").low.x;  // where all bars begin
  EXPECT_NEAR((range.high.x - kEnd - left) / (range.low.x + kEnd - left), 4, 0.2) << "the scale is that of the bars";
}

TEST_F(DrawnOrder, ALabWithoutAModelOffersOne) {
  result = testing::make_vector_add({});
  draw(draw_order, {1104, 584});
  ASSERT_TRUE(view.marks.contains("order.model_it"));
  EXPECT_FALSE(session->request().model_order);
  click(draw_order, {1104, 584}, view.marks.at("order.model_it").centre());
  EXPECT_TRUE(session->request().model_order);
  session->cancel();
}

TEST_F(DrawnOrder, NothingToShowSaysWhy) {
  EXPECT_GT(draw(draw_order, {1104, 584}), 0);  // nothing has run
  auto refused = make_product({});
  refused->block_order->reason = Phrase("block 3 is no shift of block 0");
  result = refused;
  EXPECT_GT(draw(draw_order, {1104, 584}), 0);
  EXPECT_FALSE(has_order(result));
  EXPECT_FALSE(view.marks.contains("order.waves"));
}

TEST_F(DrawnOrder, AViewThatIsNotShownHoldsNoResult) {
  result = make_product({});
  const std::weak_ptr<const RunResult> watched = result;
  draw(draw_order, {1104, 584});
  result.reset();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace tilescope
