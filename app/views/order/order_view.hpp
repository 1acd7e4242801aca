// Shared by the parts of the order view.
//
//     sentence
//     map   map   (map)        order_map.cpp, order_inset.cpp: tiles of C, strips of A and B
//     wave 7 of 16 ▮▮▮▮▯▯      order_playback.cpp
//     bytes      plots         order_bytes.cpp, order_plots.cpp: in place of source and speed
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/observed/order_model.hpp"
#include "app/views/context.hpp"
#include "app/views/view.hpp"

namespace tilescope {

/// Times of runs on this machine's GPU, by lab and values: each run measures only one group.
struct MeasuredTimes {
  std::map<std::pair<std::string, std::map<std::string, int64_t>>, double> milliseconds;
  ResultReference last;
};

/// The tabs below the maps; bytes has a separate area if there is room for both.
enum class OrderTab { bytes, groups, waves, sweep, ladder, source };

class OrderView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool keys(PanelContext& context) override;
  bool moving(const Session& session, const ViewState& view) const override;
  const char* empty_reason(const std::shared_ptr<const RunResult>& result) const override;
  Lower lower(const PanelContext& context, bool stacked) const override;
  void draw_lower(PanelContext& context, const Area& left, const Area& right) override;
  void draw_lower_stacked(PanelContext& context, const Area& whole) override;
  void show_source() override { tab_ = OrderTab::source; }
  void apply(ViewState& view, const ShotWishes& wishes) override;

  /// The picture of the shown result, built once per result. Requires has_order().
  const OrderPicture& picture(const std::shared_ptr<const RunResult>& result);
  /// Bars of the bytes in each order, modelled and counted.
  void draw_bytes(PanelContext& context);
  /// The tabs below the maps. `with_bytes`: the bars have no separate area.
  void draw_tabs(PanelContext& context, bool with_bytes);
  void show_tab(OrderTab tab) { tab_ = tab; }

 private:
  void draw_modelled(PanelContext& context);
  std::vector<OrderTab> tabs(const PanelContext& context, bool with_bytes);
  const MeasuredTimes& measured_times(const PanelContext& context);

  OrderPicture picture_;
  MeasuredTimes times_;
  OrderTab tab_ = OrderTab::groups;
  OrderBytes bytes_ = OrderBytes::device;
};

struct OrderFrame {
  PanelContext& context;
  const OrderPicture& picture;
  ImDrawList* list;
  OrderWindow window;
  std::optional<uint32_t> hovered, selected;  // tiles

  const OrderModel& model() const { return picture.model(); }
  float unit() const { return context.view.scale; }
};

/// A map on the screen: tiles, or cells that each represent several if there are more tiles than pixels.
struct OrderMapPlace {
  ImVec2 low{0, 0};
  uint32_t rows = 1, columns = 1;  // cells
  float pitch_x = 1, pitch_y = 1;
  float x(double column) const;
  float y(double row) const;
  ImVec2 high() const { return {x(columns), y(rows)}; }
  bool apart(float unit) const { return pitch_x >= 4 * unit && pitch_y >= 4 * unit; }
};
/// Placed in a box whose left and upper edges leave room for the strips.
OrderMapPlace place_order_map(const OrderPicture& picture, ImVec2 low, ImVec2 high, float unit);
/// Draws title and needs above, strips at the edges, tiles, and the inset with numbers. Call after point_at_order_map.
void draw_order_map(OrderFrame& frame, const ShownOrder& order, ImVec2 low, ImVec2 high);
/// The tile under the pointer, in the map or in its inset.
std::optional<uint32_t> point_at_order_map(OrderFrame& frame, const ShownOrder& order, ImVec2 low, ImVec2 high);

/// The inset with numbers, if it is drawn: in the half of the map that the window leaves free.
struct OrderInset {
  TilePart part;
  ImVec2 low, high, cells;  // the box; the corner of its first cell
  float cell_x = 0, cell_y = 0;
  bool below = true;  // the inset is below the window
};
std::optional<OrderInset> place_inset(const OrderFrame& frame, const ShownOrder& order, const OrderMapPlace& map);
void draw_inset(OrderFrame& frame, const ShownOrder& order, const OrderMapPlace& map, const OrderInset& inset);
/// Whether every tile of the map has room for its number.
bool numbers_fit(const OrderFrame& frame, const OrderMapPlace& map);
void draw_tile_number(OrderFrame& frame, const ShownOrder& order, uint32_t tile, ImVec2 centre);

ImU32 tile_colour(const Theme& theme, TileState state);

void draw_order_playback(OrderFrame& frame, ImVec2 low, ImVec2 high);

}  // namespace tilescope
