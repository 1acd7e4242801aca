// The inset of a map: a part drawn large with block numbers, and lines to its position in the map.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/order/order_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kMargin = 10, kPad = 12, kInsetTitle = 25, kRow = 19, kLeast = 3 * kRow;
constexpr uint32_t kMostRows = 8, kMostColumns = 12, kLeastRows = 2, kLeastColumns = 4;

float number_width(const OrderFrame& frame) {
  return text_size(frame.context.fonts.small, std::to_string(frame.model().blocks - 1)).x;
}

/// The first and the last row with a resident tile.
std::pair<uint32_t, uint32_t> window_rows(const OrderFrame& frame, const ShownOrder& order) {
  uint32_t low = frame.picture.rows, high = 0;
  for (uint64_t position = frame.window.first; position < frame.window.end; ++position) {
    const uint32_t row = frame.picture.row_of(order.tile_at[position]);
    low = std::min(low, row);
    high = std::max(high, row);
  }
  return {low, high};
}

}  // namespace

bool numbers_fit(const OrderFrame& frame, const OrderMapPlace& map) {
  const bool one_each = map.rows == frame.picture.rows && map.columns == frame.picture.columns;
  return one_each && map.pitch_x >= number_width(frame) + 2.5F * frame.unit() && map.pitch_y >= 17 * frame.unit();
}

void draw_tile_number(OrderFrame& frame, const ShownOrder& order, uint32_t tile, ImVec2 centre) {
  const uint32_t position = order.position_of[tile];
  if (position >= frame.model().blocks) return;
  const Theme& theme = frame.context.theme;
  const TileState state = state_of(position, frame.window);
  const ImU32 ink = state == TileState::resident ? theme.on_accent
                    : state == TileState::done   ? mix(theme.window, theme.text, 0.8F)
                                                 : theme.muted;
  draw_text_centred(frame.list, frame.context.fonts.small, centre, ink, std::to_string(position));
}

std::optional<OrderInset> place_inset(const OrderFrame& frame, const ShownOrder& order, const OrderMapPlace& map) {
  const float unit = frame.unit();
  const bool moving = frame.context.view.playback.playing && frame.context.view.animate;
  // Numbers that change in every frame are unreadable, and three maps leave no room.
  if (moving || frame.picture.orders.size() > 2 || numbers_fit(frame, map) || frame.window.end == frame.window.first)
    return {};
  const auto [first, last] = window_rows(frame, order);
  const double scale = static_cast<double>(map.rows) / frame.picture.rows;
  const float above = map.y(first * scale) - map.low.y, below = map.high().y - map.y((last + 1) * scale);
  OrderInset inset;
  inset.below = below >= above;
  const float room = std::max(above, below) - 2 * kMargin * unit;
  inset.cell_x = std::floor(number_width(frame) + 8 * unit);
  inset.cell_y = kRow * unit;
  const float across = map.high().x - map.low.x - 2 * (kMargin + kPad) * unit;
  const float down = room - (kInsetTitle + kPad) * unit;
  if (across < inset.cell_x * kLeastColumns || down < kLeast * unit) return {};
  const auto columns = std::min(kMostColumns, static_cast<uint32_t>(across / inset.cell_x));
  const auto rows = std::min(kMostRows, static_cast<uint32_t>(down / inset.cell_y));
  inset.part = part_around(frame.picture, order, frame.window, rows, columns);
  if (inset.part.rows < kLeastRows || inset.part.columns < kLeastColumns) return {};
  const ImVec2 size{inset.cell_x * static_cast<float>(inset.part.columns) + 2 * kPad * unit,
                    inset.cell_y * static_cast<float>(inset.part.rows) + (kInsetTitle + kPad) * unit};
  // Below its part, as far as the map's edges allow.
  const double columns_scale = static_cast<double>(map.columns) / frame.picture.columns;
  const float middle =
      (map.x(inset.part.column * columns_scale) + map.x((inset.part.column + inset.part.columns) * columns_scale)) / 2;
  inset.low.x = std::round(std::clamp(middle - size.x / 2, map.low.x + kMargin * unit,
                                      std::max(map.low.x + kMargin * unit, map.high().x - kMargin * unit - size.x)));
  const float gap = std::max(kMargin * unit, std::min(28 * unit, (std::max(above, below) - size.y) / 2));
  inset.low.y = std::round(inset.below ? map.y((last + 1) * scale) + gap : map.y(first * scale) - gap - size.y);
  inset.high = {inset.low.x + size.x, inset.low.y + size.y};
  inset.cells = {inset.low.x + kPad * unit, inset.low.y + kInsetTitle * unit};
  return inset;
}

void draw_inset(OrderFrame& frame, const ShownOrder& order, const OrderMapPlace& map, const OrderInset& inset) {
  const Theme& theme = frame.context.theme;
  const OrderPicture& picture = frame.picture;
  const TilePart& part = inset.part;
  const float unit = frame.unit();
  const double down = static_cast<double>(map.rows) / picture.rows;
  const double across = static_cast<double>(map.columns) / picture.columns;
  const ImVec2 low{map.x(part.column * across) - unit, map.y(part.row * down) - unit};
  const ImVec2 high{map.x((part.column + part.columns) * across), map.y((part.row + part.rows) * down)};
  const ImU32 line = mix(theme.window, theme.text, 0.8F), leader = mix(theme.window, theme.muted, 0.8F);
  const float from = inset.below ? high.y : low.y, to = inset.below ? inset.low.y : inset.high.y;
  frame.list->AddLine({low.x, from}, {inset.low.x, to}, leader, unit);
  frame.list->AddLine({high.x, from}, {inset.high.x, to}, leader, unit);
  frame.list->AddRect(low, high, line, 0, 0, unit);
  frame.list->AddRectFilled(inset.low, inset.high, theme.window, 6 * unit);
  frame.list->AddRect({inset.low.x + 0.5F, inset.low.y + 0.5F}, {inset.high.x - 0.5F, inset.high.y - 0.5F},
                      mix(theme.separator, theme.muted, 0.4F), 6 * unit, 0, unit);
  const std::string title = frame.context.strings.format(
      picture.matrix ? "order.part" : "order.part_of_blocks", fmt::arg("row", with_separators(part.row)),
      fmt::arg("last_row", with_separators(part.row + part.rows - 1)), fmt::arg("column", with_separators(part.column)),
      fmt::arg("last_column", with_separators(part.column + part.columns - 1)));
  ImFont* font = frame.context.fonts.small;
  draw_text(frame.list, font, {inset.cells.x, centred_top(font, inset.low.y + (kInsetTitle / 2 + 1) * unit)},
            theme.muted, fit_text(font, title, inset.high.x - inset.cells.x - kPad * unit));
  for (uint32_t row = 0; row < part.rows; ++row) {
    for (uint32_t column = 0; column < part.columns; ++column) {
      const uint32_t tile = (part.row + row) * picture.columns + part.column + column;
      if (tile >= order.position_of.size() || order.position_of[tile] >= frame.model().blocks) continue;
      const ImVec2 cell{inset.cells.x + inset.cell_x * static_cast<float>(column),
                        inset.cells.y + inset.cell_y * static_cast<float>(row)};
      const ImVec2 end{cell.x + inset.cell_x - 2 * unit, cell.y + inset.cell_y - 2 * unit};
      frame.list->AddRectFilled(cell, end, tile_colour(theme, state_of(order.position_of[tile], frame.window)),
                                2 * unit);
      draw_tile_number(frame, order, tile, {(cell.x + end.x) / 2, (cell.y + end.y) / 2});
      if (frame.hovered && *frame.hovered == tile)
        frame.list->AddRect({cell.x - unit, cell.y - unit}, {end.x + unit, end.y + unit}, theme.text, 3 * unit, 0,
                            1.5F * unit);
    }
  }
}

}  // namespace tilescope
