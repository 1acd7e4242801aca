// What the parts of the order view share.
//
//     sentence
//     map   map   (map)        order_map.cpp, order_inset.cpp: tiles of C, strips of A and B
//     wave 7 of 16 ▮▮▮▮▯▯      order_playback.cpp
//     bytes      plots         order_bytes.cpp, order_plots.cpp: where source and speed are in other views
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/panel_context.hpp"
#include "app/panels/order_model.hpp"

namespace tilescope {

/// The picture of the shown result, made once per result. Only where has_order() holds.
const OrderPicture& order_picture(const std::shared_ptr<const RunResult>& result);

struct OrderFrame {
  PanelContext& context;
  const OrderPicture& picture;
  ImDrawList* list;
  OrderWindow window;
  std::optional<uint32_t> hovered, selected;  // tiles

  const OrderModel& model() const { return picture.model(); }
  float unit() const { return context.view.scale; }
};

/// A map at its place: tiles, or cells that stand for several where there are more tiles than pixels.
struct OrderMapPlace {
  ImVec2 low{0, 0};
  uint32_t rows = 1, columns = 1;  // cells
  float pitch_x = 1, pitch_y = 1;
  float x(double column) const;
  float y(double row) const;
  ImVec2 high() const { return {x(columns), y(rows)}; }
  bool apart(float unit) const { return pitch_x >= 4 * unit && pitch_y >= 4 * unit; }
};
/// In a box whose left and upper edges leave room for the strips.
OrderMapPlace place_order_map(const OrderPicture& picture, ImVec2 low, ImVec2 high, float unit);
/// Title and needs above, strips at the edges, tiles, the part with numbers. The pointer has been looked at before.
void draw_order_map(OrderFrame& frame, const ShownOrder& order, ImVec2 low, ImVec2 high);
/// The tile under the pointer, of the map or of its part with numbers.
std::optional<uint32_t> point_at_order_map(OrderFrame& frame, const ShownOrder& order, ImVec2 low, ImVec2 high);

/// The part with numbers, where it is drawn: in the half of the map that the window leaves free.
struct OrderInset {
  TilePart part;
  ImVec2 low, high, cells;  // the box; the corner of its first cell
  float cell_x = 0, cell_y = 0;
  bool below = true;  // the window
};
std::optional<OrderInset> place_inset(const OrderFrame& frame, const ShownOrder& order, const OrderMapPlace& map);
void draw_inset(OrderFrame& frame, const ShownOrder& order, const OrderMapPlace& map, const OrderInset& inset);
/// Whether every tile of the map has room for its number.
bool numbers_fit(const OrderFrame& frame, const OrderMapPlace& map);
void draw_tile_number(OrderFrame& frame, const ShownOrder& order, uint32_t tile, ImVec2 centre);

ImU32 tile_colour(const Theme& theme, TileState state);

void draw_order_playback(OrderFrame& frame, ImVec2 low, ImVec2 high);

/// Bars of the bytes in each order, modelled and counted.
void draw_order_bytes(PanelContext& context);
/// The tabs below the maps. `with_bytes`: there is no other place for the bars.
void draw_order_tabs(PanelContext& context, bool with_bytes);

/// Keys of the order view: play, by block, by wave, to the ends.
void order_keys(PanelContext& context);

}  // namespace tilescope
