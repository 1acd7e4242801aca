// A buffer's elements in close-up: coloured by the warp, then by the lane, that wrote them (or reads them, for an
// input).
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/tiles/tiles_view.hpp"

namespace tilescope {
namespace {

constexpr float kTexel = 2;  // minimum width of a texel in unscaled pixels

/// The visible rows and columns of elements.
struct Seen {
  int64_t column = 0, row = 0, columns = 0, rows = 0;
};

Seen seen_elements(const BufferPicture& one) {
  const TileGrid& cells = one.at.cells;
  const int64_t all_columns = cells.matrix ? cells.matrix_columns : cells.columns, all_rows = cells.rows();
  const auto low = [](double at, int64_t all) {
    return static_cast<int64_t>(std::clamp(std::floor(at), 0.0, static_cast<double>(all)));
  };
  const auto high = [](double at, int64_t all) {
    return static_cast<int64_t>(std::clamp(std::ceil(at), 0.0, static_cast<double>(all)));
  };
  const double across = static_cast<double>(one.seen_high.x - one.seen_low.x) / static_cast<double>(one.at.pitch_x);
  const double down = static_cast<double>(one.seen_high.y - one.seen_low.y) / static_cast<double>(one.at.pitch_y);
  Seen seen{low(one.at.first_column, all_columns), low(one.at.first_row, all_rows), 0, 0};
  seen.columns = std::max<int64_t>(0, high(one.at.first_column + across, all_columns) - seen.column);
  seen.rows = std::max<int64_t>(0, high(one.at.first_row + down, all_rows) - seen.row);
  return seen;
}

int64_t element_of(const BufferPicture& one, int64_t column, int64_t row) {
  const TileGrid& cells = one.at.cells;
  const int64_t element = row * (cells.matrix ? cells.matrix_columns : cells.columns) + column;
  return element < cells.count ? element : -1;
}

/// The access shown as an element's own: the one that wrote it, or the focused block's access that reads it.
std::optional<ElementToucher> toucher_of(TilesFrame& frame, const BufferPicture& one, bool output, int64_t element) {
  if (output) return writer_of(frame.result(), one.buffer, element);
  return frame.picture.readers.reader_of(frame.context.result, frame.focus, one.buffer, element);
}

ImU32 element_colour(TilesFrame& frame, const BufferPicture& one, bool output, int64_t element) {
  const Theme& theme = frame.context.theme;
  const TilesLevel level = frame.context.view.zoom.level;
  if (level == TilesLevel::grid && output) {
    const auto& writer = frame.map(one.buffer).writer;
    const uint32_t block =
        static_cast<size_t>(element) < writer.size() ? writer[static_cast<size_t>(element)] : BufferMap::kNobody;
    if (block == BufferMap::kNobody || block >= frame.issued) return idle_colour(theme);
    return block_colour(theme, block, frame.result().tiles.grid.count(), block == frame.focus);
  }
  const auto toucher = toucher_of(frame, one, output, element);
  if (!toucher || toucher->block >= frame.issued) return idle_colour(theme);
  const bool lit = toucher->block == frame.focus;
  if (level < TilesLevel::warp) return part_colour(theme, toucher->warp, warps_of(frame.result()), lit);
  const int lane = lane_touching(frame.result(), toucher->access, one.buffer, element);
  return lane < 0 ? idle_colour(theme) : part_colour(theme, static_cast<uint32_t>(lane), 32, lit);
}

/// Colours of the visible elements as a texture, rebuilt when these change. If elements are smaller than a texel, only
/// every n-th is drawn.
void draw_elements(TilesFrame& frame, const BufferPicture& one, bool output, const Seen& seen) {
  const float unit = frame.context.view.scale, texel = kTexel * unit;
  const auto step = [&](float pitch) { return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(texel / pitch))); };
  const int64_t step_x = step(one.at.pitch_x), step_y = step(one.at.pitch_y);
  // Multiples of the step from the buffer's start, so that nothing flickers while the camera moves.
  const int64_t column = seen.column / step_x * step_x, row = seen.row / step_y * step_y;
  const int64_t columns = (seen.column + seen.columns - column + step_x - 1) / step_x;
  const int64_t rows = (seen.row + seen.rows - row + step_y - 1) / step_y;
  NearTexture& made = frame.picture.near_textures[one.buffer];
  const bool dark = frame.context.theme.dark;
  const TilesLevel level = frame.context.view.zoom.level;
  const bool same = made.made && made.column == column && made.row == row && made.columns == columns &&
                    made.rows == rows && made.step_x == step_x && made.step_y == step_y && made.level == level &&
                    made.issued == frame.issued && made.focus == frame.focus && made.dark == dark;
  if (!same) {
    std::vector<ImU32> colours(static_cast<size_t>(columns * rows), frame.context.theme.window);
    const TileGrid& cells = one.at.cells;
    const int64_t all_columns = cells.matrix ? cells.matrix_columns : cells.columns, all_rows = cells.rows();
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x) {
        const int64_t element = element_of(one, std::min(all_columns - 1, column + x * step_x + step_x / 2),
                                           std::min(all_rows - 1, row + y * step_y + step_y / 2));
        if (element >= 0) colours[static_cast<size_t>(y * columns + x)] = element_colour(frame, one, output, element);
      }
    made.texture.upload(static_cast<int>(columns), static_cast<int>(rows), colours);
    made.column = column, made.row = row, made.columns = columns, made.rows = rows;
    made.step_x = step_x, made.step_y = step_y;
    made.level = level, made.issued = frame.issued, made.focus = frame.focus, made.dark = dark;
    made.made = true;
  }
  const ImVec2 low{one.at.x(static_cast<double>(column)), one.at.y(static_cast<double>(row))};
  const ImVec2 high{one.at.x(static_cast<double>(column + columns * step_x)),
                    one.at.y(static_cast<double>(row + rows * step_y))};
  if (made.texture.ready())
    frame.list->AddImage(made.texture.id(), low, high);
  else
    frame.list->AddRectFilled(low, high, idle_colour(frame.context.theme));
}

/// Lines in the window colour between elements; wider ones between the tiles of a matrix.
void draw_gaps(TilesFrame& frame, const BufferPicture& one, const Seen& seen) {
  const float unit = frame.context.view.scale, least = 5 * unit;
  const ImU32 colour = frame.context.theme.window;
  const TileGrid& tiles = one.home.cells;
  const bool tiled = tiles.matrix && one.edge_columns % tiles.cell_width == 0;
  const bool apart = std::min(one.at.pitch_x, one.at.pitch_y) >= least;
  const auto width = [&](int64_t at, float pitch, int64_t tile) {
    const bool border = tiled && tile > 1 && at % tile == 0;
    if (apart) return border ? 3 * unit : unit;
    return border && pitch * static_cast<float>(tile) >= 2 * least ? 2 * unit : 0.0F;
  };
  const int64_t by_x = apart ? 1 : tiled ? tiles.cell_width : 0, by_y = apart ? 1 : tiled ? tiles.cell_height : 0;
  for (int64_t column = by_x > 0 ? seen.column / by_x * by_x : 1; by_x > 0 && column <= seen.column + seen.columns;
       column += by_x) {
    const float w = width(column, one.at.pitch_x, tiles.cell_width), x = one.at.x(static_cast<double>(column)) - w / 2;
    if (w > 0) frame.list->AddRectFilled({x, one.seen_low.y}, {x + w, one.seen_high.y}, colour);
  }
  for (int64_t row = by_y > 0 ? seen.row / by_y * by_y : 1; by_y > 0 && row <= seen.row + seen.rows; row += by_y) {
    const float w = width(row, one.at.pitch_y, tiles.cell_height), y = one.at.y(static_cast<double>(row)) - w / 2;
    if (w > 0) frame.list->AddRectFilled({one.seen_low.x, y}, {one.seen_high.x, y + w}, colour);
  }
}

void draw_lane_number(TilesFrame& frame, const BufferPicture& one, bool output, int64_t element, ImVec2 centre) {
  const auto toucher = toucher_of(frame, one, output, element);
  if (!toucher || toucher->block >= frame.issued) return;
  const int lane = lane_touching(frame.result(), toucher->access, one.buffer, element);
  if (lane < 0) return;
  const Selection& selection = frame.context.view.selection;
  const bool chosen = selection.access == toucher->access && selection.lane == lane;
  const ImU32 surface =
      part_colour(frame.context.theme, static_cast<uint32_t>(lane), 32, toucher->block == frame.focus);
  draw_text_centred(frame.list, chosen ? frame.context.fonts.small_semibold : frame.context.fonts.small, centre,
                    readable_on(surface, frame.context.theme), std::to_string(lane));
}

/// The lane number in each element, if there is room for it.
void draw_lane_numbers(TilesFrame& frame, const BufferPicture& one, bool output, const Seen& seen) {
  const float unit = frame.context.view.scale;
  // Includes a space between neighbours, without which two numbers would read as one.
  const float width = text_size(frame.context.fonts.small_semibold, "00").x + 5 * unit;
  const float height = line_height(frame.context.fonts.small);
  const bool roomy = one.at.pitch_x >= width && one.at.pitch_y >= static_cast<float>(kNumberHeight) * unit;
  if (!roomy || frame.context.view.zoom.level < TilesLevel::warp) return;
  for (int64_t row = seen.row; row < seen.row + seen.rows; ++row) {
    for (int64_t column = seen.column; column < seen.column + seen.columns; ++column) {
      const int64_t element = element_of(one, column, row);
      if (element < 0) continue;
      const ImVec2 centre{one.at.x(static_cast<double>(column) + 0.5), one.at.y(static_cast<double>(row) + 0.5)};
      const bool whole = centre.x - width / 2 >= one.seen_low.x && centre.x + width / 2 <= one.seen_high.x &&
                         centre.y - height / 2 >= one.seen_low.y && centre.y + height / 2 <= one.seen_high.y;
      if (whole) draw_lane_number(frame, one, output, element, centre);
    }
  }
}

/// The elements past a vector's end that its last block masks off.
void draw_near_tail(TilesFrame& frame, const BufferPicture& one) {
  const auto& tail = frame.picture.tail;
  if (!tail || one.at.cells.matrix || static_cast<int32_t>(one.buffer) != frame.picture.shape.buffer) return;
  const Theme& theme = frame.context.theme;
  TileGrid beyond = one.at.cells;
  beyond.count += tail->masked;
  const ElementRange masked{one.at.cells.count, beyond.count};
  for (const CellRect& rect : rects_of(beyond, {&masked, 1}))
    hatch(frame.list, one.at.low(rect), one.at.high(rect),
          mix(theme.window, tail->outside ? theme.error : theme.muted, 0.5F), 5 * frame.context.view.scale);
}

}  // namespace

ImU32 part_colour(const Theme& theme, uint32_t part, uint32_t parts, bool lit) {
  const float t = parts > 1 ? static_cast<float>(part) / static_cast<float>(parts - 1) : 0.5F;
  return mix(viridis(t), theme.window, lit ? 0.12F : 0.66F);
}

uint32_t warps_of(const RunResult& result) { return static_cast<uint32_t>((result.tiles.block.count() + 31) / 32); }

void draw_edges(TilesFrame& frame, const BufferPicture& one) {
  const TileGrid& cells = one.at.cells;
  if (!cells.matrix || cells.count == 0) return;
  const Theme& theme = frame.context.theme;
  const float step = 5 * frame.context.view.scale;
  const ImU32 ink = mix(theme.window, theme.muted, 0.5F);
  const int64_t columns = cells.matrix_columns, rows = cells.matrix_rows();
  const float right = one.at.element_x(columns), bottom = one.at.element_y(rows);
  const float end_x = one.at.element_x(std::max(columns, one.edge_columns)),
              end_y = one.at.element_y(std::max(rows, one.edge_rows));
  const auto fill = [&](ImVec2 low, ImVec2 high) {
    low = {std::max(low.x, one.seen_low.x), std::max(low.y, one.seen_low.y)};
    high = {std::min(high.x, one.seen_high.x), std::min(high.y, one.seen_high.y)};
    if (high.x - low.x < 1 || high.y - low.y < 1) return;
    frame.list->AddRectFilled(low, high, theme.window);
    hatch(frame.list, low, high, ink, step);
  };
  // The overview's texels are whole tiles: the part past the matrix is covered again.
  fill({right, one.at.y(0)}, {end_x, end_y});
  fill({one.at.x(0), bottom}, {right, end_y});
}

void draw_near(TilesFrame& frame, const BufferPicture& one, bool output) {
  if (one.camera.grown < 1 && !one.home.cells.matrix)  // the overview below it is still visible, but muted
    frame.list->AddRectFilled(one.low, one.high, with_alpha(frame.context.theme.window, 0.5F));
  frame.list->PushClipRect(one.seen_low, one.seen_high, true);
  frame.list->AddRectFilled(one.seen_low, one.seen_high, frame.context.theme.window);
  const Seen seen = seen_elements(one);
  if (seen.columns > 0 && seen.rows > 0) {
    draw_elements(frame, one, output, seen);
    draw_gaps(frame, one, seen);
    draw_edges(frame, one);
    draw_near_tail(frame, one);
    draw_lane_numbers(frame, one, output, seen);
  }
  frame.list->PopClipRect();
}

}  // namespace tilescope
