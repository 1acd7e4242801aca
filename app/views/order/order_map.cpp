// The map of one order: tiles of the output, and at its edges the operand strips that the resident tiles need.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/order/order_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kMapTitle = 26, kStrip = 8, kStripGap = 4, kLetter = 14;
constexpr float kWidestCell = 72, kHighestCell = 44;
constexpr double kStretch = 1.4;  // maximum deviation of a map from the output's aspect ratio

/// A pitch in whole pixels if cells are drawn with gaps, so that all have equal width.
float pitch_of(float room, uint32_t cells, float most, float unit) {
  const float pitch = std::min(most * unit, room / static_cast<float>(cells));
  return pitch >= 4 * unit ? std::floor(pitch) : pitch;
}

/// The strips of an operand along one edge; consecutive strips of one colour form one rectangle.
void draw_needed_strips(OrderFrame& frame, const OrderMapPlace& map, const std::vector<bool>& needed, bool vertical,
                        std::optional<uint32_t> hovered) {
  const Theme& theme = frame.context.theme;
  const float unit = frame.unit(), across = kStrip * unit, gap = kStripGap * unit;
  const uint32_t cells = vertical ? map.rows : map.columns;
  const auto strips = static_cast<uint32_t>(needed.size());
  const auto rectangle = [&](uint32_t from, uint32_t to, ImU32 colour) {
    if (vertical)
      frame.list->AddRectFilled({map.low.x - gap - across, map.y(from)}, {map.low.x - gap, map.y(to)}, colour);
    else
      frame.list->AddRectFilled({map.x(from), map.low.y - gap - across}, {map.x(to), map.low.y - gap}, colour);
  };
  rectangle(0, cells, tile_colour(theme, TileState::waiting));
  std::vector<bool> lit(cells, false);
  for (uint32_t strip = 0; strip < strips; ++strip)
    if (needed[strip]) lit[uint64_t{strip} * cells / strips] = true;
  for (uint32_t from = 0; from < cells;) {
    uint32_t to = from + 1;
    while (to < cells && lit[to] == lit[from]) ++to;
    if (lit[from]) rectangle(from, to, theme.read);
    from = to;
  }
  const float line = std::max(1.0F, std::floor(unit));
  for (uint32_t cell = 1; map.apart(unit) && cell < cells; ++cell) {
    const float at = (vertical ? map.y(cell) : map.x(cell)) - line;
    if (vertical)
      frame.list->AddRectFilled({map.low.x - gap - across, at}, {map.low.x - gap, at + line}, theme.window);
    else
      frame.list->AddRectFilled({at, map.low.y - gap - across}, {at + line, map.low.y - gap}, theme.window);
  }
  if (!hovered) return;
  const auto cell = static_cast<uint32_t>(uint64_t{*hovered} * cells / strips);
  const float least = 3 * unit;  // visible even if cells are thin
  if (vertical)
    frame.list->AddRectFilled({map.low.x - gap - across, map.y(cell)},
                              {map.low.x - gap, std::max(map.y(cell + 1), map.y(cell) + least)}, theme.text);
  else
    frame.list->AddRectFilled({map.x(cell), map.low.y - gap - across},
                              {std::max(map.x(cell + 1), map.x(cell) + least), map.low.y - gap}, theme.text);
}

void draw_cells(OrderFrame& frame, const ShownOrder& order, const OrderMapPlace& map) {
  const Theme& theme = frame.context.theme;
  const auto states = cell_states(frame.picture, order, frame.window, map.rows, map.columns);
  const bool matrix = frame.picture.matrix;
  if (matrix) frame.list->AddRectFilled(map.low, map.high(), tile_colour(theme, TileState::waiting));
  const uint64_t blocks = frame.model().blocks;
  for (uint32_t row = 0; row < map.rows; ++row) {
    const TileState* of_row = states.data() + size_t{row} * map.columns;
    // Without a matrix the last row may be short.
    uint32_t columns = map.columns;
    if (!matrix && map.rows == frame.picture.rows && map.columns == frame.picture.columns)
      columns = static_cast<uint32_t>(std::min<uint64_t>(columns, blocks - std::min(blocks, uint64_t{row} * columns)));
    for (uint32_t from = 0; from < columns;) {
      uint32_t to = from + 1;
      while (to < columns && of_row[to] == of_row[from]) ++to;
      if (!matrix || of_row[from] != TileState::waiting)
        frame.list->AddRectFilled({map.x(from), map.y(row)}, {map.x(to), map.y(row + 1)},
                                  tile_colour(theme, of_row[from]));
      from = to;
    }
  }
  if (!map.apart(frame.unit())) return;
  const float line = std::max(1.0F, std::floor(frame.unit()));
  const ImVec2 high = map.high();
  for (uint32_t column = 1; column <= map.columns; ++column)
    frame.list->AddRectFilled({map.x(column) - line, map.low.y}, {map.x(column), high.y}, theme.window);
  for (uint32_t row = 1; row <= map.rows; ++row)
    frame.list->AddRectFilled({map.low.x, map.y(row) - line}, {high.x, map.y(row)}, theme.window);
}

void outline_tile(OrderFrame& frame, const OrderMapPlace& map, uint32_t tile, ImU32 colour) {
  const OrderPicture& picture = frame.picture;
  const double row = static_cast<double>(picture.row_of(tile)) * map.rows / picture.rows;
  const double column = static_cast<double>(picture.column_of(tile)) * map.columns / picture.columns;
  const float unit = frame.unit(), least = 6 * unit;
  ImVec2 low{map.x(std::floor(column)), map.y(std::floor(row))};
  ImVec2 high{map.x(std::floor(column) + 1), map.y(std::floor(row) + 1)};
  const ImVec2 grow{std::max(0.0F, least - (high.x - low.x)) / 2, std::max(0.0F, least - (high.y - low.y)) / 2};
  low = {std::floor(low.x - grow.x) - unit, std::floor(low.y - grow.y) - unit};
  high = {std::ceil(high.x + grow.x), std::ceil(high.y + grow.y)};
  frame.list->AddRect({low.x - 0.5F * unit, low.y - 0.5F * unit}, {high.x + 0.5F * unit, high.y + 0.5F * unit},
                      frame.context.theme.window, 0, 0, 3 * unit);
  frame.list->AddRect({low.x - 0.5F * unit, low.y - 0.5F * unit}, {high.x + 0.5F * unit, high.y + 0.5F * unit}, colour,
                      0, 0, 1.5F * unit);
}

std::string need_text(const OrderFrame& frame, const OrderNeed& need, const char* key) {
  const OrderModel& model = frame.model();
  return frame.context.strings.format(key, fmt::arg("rows", need.row_count), fmt::arg("columns", need.column_count),
                                      fmt::arg("a", operand_name(model.operands[model.row_operand].name)),
                                      fmt::arg("b", operand_name(model.operands[model.column_operand].name)),
                                      fmt::arg("bytes", three_figures(static_cast<double>(need.bytes))));
}

/// The order's name, and what the resident blocks need: the longest text that fits.
void draw_title(OrderFrame& frame, const ShownOrder& order, const OrderNeed& need, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  const Fonts& fonts = context.fonts;
  const float base = low.y + 17 * frame.unit();
  const std::string name = order_name(context.strings, order.kind, order.group);
  const float after = low.x + draw_text(frame.list, fonts.body_semibold,
                                        {low.x, baseline_top(fonts.body_semibold, base)}, context.theme.text, name)
                                  .x;
  std::vector<std::string> forms;
  if (frame.picture.matrix)
    forms = {need_text(frame, need, "order.need"), need_text(frame, need, "order.need_rows"),
             need_text(frame, need, "order.need_short")};
  forms.push_back(
      context.strings.format("order.need_bytes", fmt::arg("bytes", three_figures(static_cast<double>(need.bytes)))));
  for (const std::string& form : forms) {
    const float width = text_size(fonts.small, form).x;
    if (after + 12 * frame.unit() + width > right) continue;
    draw_text_right(frame.list, fonts.small, {right, baseline_top(fonts.small, base)}, context.theme.muted, form);
    explain_rect(context, {right - width, low.y}, {right, low.y + kMapTitle * frame.unit()},
                 context.strings("order.need_meaning"));
    return;
  }
}

void draw_letters(OrderFrame& frame, const OrderMapPlace& map) {
  const OrderModel& model = frame.model();
  ImFont* font = frame.context.fonts.small;
  const float unit = frame.unit(), y = map.low.y - (kStripGap + kStrip / 2) * unit;
  const auto short_name = [](const std::string& name) { return name.size() <= 2 ? operand_name(name) : std::string(); };
  const std::string rows = short_name(model.operands[model.row_operand].name);
  const std::string columns = short_name(model.operands[model.column_operand].name);
  const float x = map.low.x - (kStripGap + kStrip / 2) * unit;
  draw_text(frame.list, font, {x - text_size(font, rows).x / 2, centred_top(font, y)}, frame.context.theme.read, rows);
  draw_text(frame.list, font, {map.high().x + 5 * unit, centred_top(font, y)}, frame.context.theme.read, columns);
}

/// Position of the map in the box of an order.
OrderMapPlace place_in_box(const OrderFrame& frame, ImVec2 low, ImVec2 high) {
  const float unit = frame.unit();
  const bool strips = frame.picture.matrix;
  const float edge = strips ? (kStrip + kStripGap) * unit : 0, letter = strips ? kLetter * unit : 0;
  return place_order_map(frame.picture, {low.x + edge, low.y + kMapTitle * unit + edge + (strips ? 2 * unit : 0)},
                         {high.x - letter, high.y}, unit);
}

}  // namespace

ImU32 tile_colour(const Theme& theme, TileState state) {
  switch (state) {
    case TileState::waiting:
      return mix(theme.window, theme.muted, theme.dark ? 0.10F : 0.14F);
    case TileState::done:
      return mix(theme.window, theme.muted, theme.dark ? 0.32F : 0.42F);
    case TileState::resident:
      break;
  }
  return theme.accent;
}

float OrderMapPlace::x(double column) const {
  return std::round(low.x + static_cast<float>(column * static_cast<double>(pitch_x)));
}
float OrderMapPlace::y(double row) const {
  return std::round(low.y + static_cast<float>(row * static_cast<double>(pitch_y)));
}

OrderMapPlace place_order_map(const OrderPicture& picture, ImVec2 low, ImVec2 high, float unit) {
  OrderMapPlace map;
  map.low = {std::round(low.x), std::round(low.y)};
  const float room_x = std::max(8.0F, high.x - map.low.x), room_y = std::max(8.0F, high.y - map.low.y);
  const auto natural = static_cast<float>(picture.aspect), stretch = static_cast<float>(kStretch);
  const float width = std::min(room_x, room_y * natural * stretch);
  const float height = std::min(room_y, room_x / natural * stretch);
  map.columns = std::min(picture.columns, static_cast<uint32_t>(width));
  map.rows = std::min(picture.rows, static_cast<uint32_t>(height));
  map.pitch_x = pitch_of(width, map.columns, kWidestCell, unit);
  map.pitch_y = pitch_of(height, map.rows, kHighestCell, unit);
  return map;
}

std::optional<uint32_t> point_at_order_map(OrderFrame& frame, const ShownOrder& order, ImVec2 low, ImVec2 high) {
  const OrderMapPlace map = place_in_box(frame, low, high);
  const ImVec2 far = map.high();
  if (far.x <= map.low.x || far.y <= map.low.y) return {};
  ImGui::SetCursorScreenPos(map.low);
  hit_area("map", {far.x - map.low.x, far.y - map.low.y});
  mark(frame.context, fmt::format("order.map.{}", &order - frame.picture.orders.data()), map.low, far);
  if (!ImGui::IsItemHovered()) return {};
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const OrderPicture& picture = frame.picture;
  uint32_t row = 0, column = 0;
  const auto inset = place_inset(frame, order, map);
  if (inset && pointer.x >= inset->low.x && pointer.x < inset->high.x && pointer.y >= inset->low.y &&
      pointer.y < inset->high.y) {
    const float across = (pointer.x - inset->cells.x) / inset->cell_x,
                down = (pointer.y - inset->cells.y) / inset->cell_y;
    if (across < 0 || down < 0 || across >= static_cast<float>(inset->part.columns) ||
        down >= static_cast<float>(inset->part.rows))
      return {};
    row = inset->part.row + static_cast<uint32_t>(down);
    column = inset->part.column + static_cast<uint32_t>(across);
  } else {
    const auto cell = [](float at, float pitch, uint32_t cells, uint32_t tiles) {
      const double part = std::clamp(static_cast<double>(at / pitch) / cells, 0.0, 1.0);
      return std::min(tiles - 1, static_cast<uint32_t>(part * tiles));
    };
    row = cell(pointer.y - map.low.y, map.pitch_y, map.rows, picture.rows);
    column = cell(pointer.x - map.low.x, map.pitch_x, map.columns, picture.columns);
  }
  const uint32_t tile = row * picture.columns + column;
  if (tile >= order.position_of.size() || order.position_of[tile] >= frame.model().blocks) return {};
  return tile;
}

void draw_order_map(OrderFrame& frame, const ShownOrder& order, ImVec2 low, ImVec2 high) {
  const OrderMapPlace map = place_in_box(frame, low, high);
  const OrderNeed need = need_of(frame.picture, order, frame.window);
  draw_title(frame, order, need, {map.low.x, low.y}, map.high().x);
  if (frame.picture.matrix) {
    const auto row = frame.hovered ? std::optional(frame.picture.row_of(*frame.hovered)) : std::nullopt;
    const auto column = frame.hovered ? std::optional(frame.picture.column_of(*frame.hovered)) : std::nullopt;
    draw_needed_strips(frame, map, need.rows, /*vertical=*/true, row);
    draw_needed_strips(frame, map, need.columns, /*vertical=*/false, column);
    draw_letters(frame, map);
  }
  draw_cells(frame, order, map);
  if (numbers_fit(frame, map))
    for (uint32_t tile = 0; tile < order.position_of.size(); ++tile)
      draw_tile_number(frame, order, tile,
                       {map.x(frame.picture.column_of(tile)) + (map.pitch_x - frame.unit()) / 2,
                        map.y(frame.picture.row_of(tile)) + (map.pitch_y - frame.unit()) / 2});
  const Theme& theme = frame.context.theme;
  if (frame.selected) outline_tile(frame, map, *frame.selected, mix(theme.window, theme.text, 0.75F));
  if (const auto inset = place_inset(frame, order, map)) draw_inset(frame, order, map, *inset);
  if (frame.hovered) outline_tile(frame, map, *frame.hovered, theme.text);
}

}  // namespace tilescope
