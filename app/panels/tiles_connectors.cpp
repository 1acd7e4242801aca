// What the focused block touched: elements lit in their maps, and the lines that join them to the block.
#include <algorithm>
#include <cmath>

#include "app/panels/tiles_view.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostLitRectangles = 2000, kMostConnectedRows = 6;

/// Rectangles on the screen, never thinner than can be seen.
struct Box {
  ImVec2 low, high;
};
std::vector<Box> boxes_of(const Placement& at, std::span<const ElementRange> ranges, float least) {
  std::vector<Box> boxes;
  for (const CellRect& rect : rects_of(at.cells, ranges, kMostLitRectangles)) {
    Box box{at.low(rect), at.high(rect)};
    box.high.x = std::max(box.high.x, box.low.x + least);
    box.high.y = std::max(box.high.y, box.low.y + least);
    boxes.push_back(box);
  }
  return boxes;
}

std::span<const ElementRange> touched(const TilesFrame& frame, size_t buffer, bool output) {
  const BufferMap& map = frame.map(buffer);
  const auto& first = output ? map.writes_first : map.reads_first;
  if (size_t{frame.focus} + 1 >= first.size()) return {};
  return output ? map.writes_of(frame.focus) : map.reads_of(frame.focus);
}

/// A triangle that points right.
void arrow(ImDrawList* list, ImVec2 tip, float size, ImU32 colour) {
  list->AddTriangleFilled({tip.x - size, tip.y - size * 0.7F}, {tip.x, tip.y}, {tip.x - size, tip.y + size * 0.7F},
                          colour);
}

/// A curve that leaves and arrives horizontally.
void curve(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness) {
  if (std::abs(from.y - to.y) < 1) {
    list->AddLine(from, to, colour, thickness);
    return;
  }
  const float middle = (from.x + to.x) / 2;
  list->AddBezierCubic(from, {middle, from.y}, {middle, to.y}, to, colour, thickness, 24);
}

/// The y of the gutter under a box: between rows, so that a line there crosses no number.
float gutter(const Placement& at, const Box& box) {
  return std::round(box.high.y + at.gap_y / 2) - (at.gap_y > 0 ? 0.5F : 0.0F);
}

/// One box per row, few of them: the first ones, and the last.
std::vector<Box> rows_to_connect(const std::vector<Box>& boxes) {
  std::vector<Box> rows;
  for (const Box& box : boxes) {
    if (!rows.empty() && rows.back().low.y == box.low.y) continue;
    if (rows.size() >= kMostConnectedRows) break;
    rows.push_back(box);
  }
  return rows;
}

}  // namespace

std::vector<ElementRange> step_elements(TilesFrame& frame, size_t buffer) {
  if (!frame.shown || frame.shown->buffer != static_cast<int64_t>(buffer)) return {};
  const auto at = frame.index.place(frame.shown->access);
  if (!at) return {};
  const BlockAccesses& block = frame.index.block(at->block);
  std::vector<ElementRange> ranges;
  for (uint32_t warp = 0; warp < block.warps(); ++warp) {
    const auto access = block.find(at->statement, warp, at->step);
    if (!access) continue;
    const WarpAccess one = warp_access(frame.result(), *access);
    const int64_t width = one.elements_per_lane();
    for (int lane = 0; lane < 32; ++lane) {
      if (!one.is_active(lane)) continue;
      const int64_t begin = one.element(lane);
      if (!ranges.empty() && ranges.back().end == begin)
        ranges.back().end = begin + width;
      else
        ranges.push_back({begin, begin + width});
    }
  }
  return ranges;
}

void draw_lit(TilesFrame& frame, const BufferPicture& picture, bool output) {
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale;
  const ImU32 role = output ? theme.write : theme.read;
  const auto ranges = touched(frame, picture.buffer, output);
  const auto boxes = boxes_of(picture.at, ranges, 2 * unit);
  const auto step = boxes_of(picture.at, step_elements(frame, picture.buffer), 2 * unit);
  const bool large = !boxes.empty() && boxes.front().high.y - boxes.front().low.y >= 6 * unit && boxes.size() <= 64;
  const bool pale = !output && !step.empty();  // the step stands out against the rest of what the block reads
  const ImU32 surface = output ? block_colour(theme, frame.focus, frame.result().tiles.grid.count(), true)
                        : pale ? mix(theme.window, role, 0.55F)
                               : role;
  for (const Box& box : boxes) {
    if (output && !large)
      frame.list->AddRectFilled({box.low.x - unit, box.low.y - unit}, {box.high.x + unit, box.high.y + unit}, role);
    else if (!output)
      frame.list->AddRectFilled(box.low, box.high, surface);
  }
  if (output && large) {
    // The gaps between tiles stay: each cell is filled by itself.
    for (const WrittenRun& run : picture.runs) {
      if (run.writer != frame.focus) continue;
      const CellRect rect{run.x0, static_cast<double>(run.row), run.x1, static_cast<double>(run.row) + 1};
      const ImVec2 low = picture.at.low(rect), high = picture.at.high(rect);
      frame.list->AddRectFilled(low, {std::max(high.x, low.x + 2 * unit), high.y}, surface);
    }
  }
  for (const Box& box : step) frame.list->AddRectFilled(box.low, box.high, role);
  if (!output || !large) return;
  for (const Box& box : boxes) {
    frame.list->AddRect({box.low.x - 2 * unit, box.low.y - 2 * unit}, {box.high.x + 2 * unit, box.high.y + 2 * unit},
                        theme.window, 4 * unit, 0, 2 * unit);
    frame.list->AddRect({box.low.x - 2 * unit, box.low.y - 2 * unit}, {box.high.x + 2 * unit, box.high.y + 2 * unit},
                        role, 4 * unit, 0, 1.5F * unit);
  }
}

void draw_connectors(TilesFrame& frame) {
  const TilePicture& picture = frame.picture;
  const Placement& grid = picture.grid;
  if (frame.result().tiles.grid.count() == 0 || frame.focus >= frame.issued) return;
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale, thin = std::max(1.0F, unit);
  const CellRect cell = [&] {
    const int64_t at = grid.cells.cell_of(frame.focus);
    const auto column = static_cast<double>(at % grid.cells.columns),
               row = static_cast<double>(at / grid.cells.columns);
    return CellRect{column, row, column + 1, row + 1};
  }();
  const Box block{grid.low(cell), grid.high(cell)};
  const float y = gutter(grid, block);
  const float left = grid.origin.x - 10 * unit, right = grid.origin.x + grid.width() + 10 * unit;
  bool reads = false, writes = false;
  for (const BufferPicture& one : picture.inputs) {
    const auto rows = rows_to_connect(boxes_of(one.at, touched(frame, one.buffer, false), 2 * unit));
    for (const Box& box : rows) {
      reads = true;
      const float edge = one.at.origin.x + one.at.width() + 4 * unit, from = gutter(one.at, box);
      frame.list->AddLine({box.high.x, from}, {edge, from}, theme.read, thin);
      curve(frame.list, {edge, from}, {left, y}, theme.read, thin);
    }
  }
  if (reads) {
    arrow(frame.list, {left, y}, 7 * unit, theme.read);
    frame.list->AddLine({left, y}, {block.low.x, y}, theme.read, thin);
  }
  for (const BufferPicture& one : picture.outputs) {
    const auto rows = rows_to_connect(boxes_of(one.at, touched(frame, one.buffer, true), 2 * unit));
    for (const Box& box : rows) {
      writes = true;
      const float edge = one.at.origin.x - 6 * unit, to = gutter(one.at, box);
      curve(frame.list, {right, y}, {edge, to}, theme.write, thin);
      frame.list->AddLine({edge, to}, {box.low.x, to}, theme.write, thin);
      arrow(frame.list, {edge, to}, 7 * unit, theme.write);
    }
  }
  if (writes) frame.list->AddLine({block.high.x, y}, {right, y}, theme.write, thin);
}

}  // namespace tilescope
