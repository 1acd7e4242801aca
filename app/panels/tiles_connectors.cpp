// The lines that join the focused block to what it reads and writes.
#include <algorithm>
#include <cmath>

#include "app/panels/tiles_view.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostConnectedRows = 6;

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

/// The part of a box that is seen; nothing where it lies outside.
std::optional<Box> seen_part(const BufferPicture& one, Box box) {
  box.low = {std::max(box.low.x, one.seen_low.x), std::max(box.low.y, one.seen_low.y)};
  box.high = {std::min(box.high.x, one.seen_high.x), std::min(box.high.y, one.seen_high.y)};
  if (box.low.x >= box.high.x || box.low.y >= box.high.y) return {};
  return box;
}

std::vector<Box> seen_boxes(const TilesFrame& frame, const BufferPicture& one, bool output) {
  std::vector<Box> seen;
  for (const Box& box : boxes_of(one.at, touched_by_focus(frame, one.buffer, output), 2 * frame.context.view.scale))
    if (const auto part = seen_part(one, box)) seen.push_back(*part);
  return seen;
}

std::optional<Box> hull(const std::vector<Box>& boxes) {
  if (boxes.empty()) return {};
  Box all = boxes.front();
  for (const Box& box : boxes) {
    all.low = {std::min(all.low.x, box.low.x), std::min(all.low.y, box.low.y)};
    all.high = {std::max(all.high.x, box.high.x), std::max(all.high.y, box.high.y)};
  }
  return all;
}

/// The rows of A and the columns of B run on to the tile of C that they make.
void draw_product_guides(TilesFrame& frame) {
  const TilePicture& picture = frame.picture;
  const float thin = std::max(1.0F, frame.context.view.scale);
  const ImU32 colour = with_alpha(frame.context.theme.read, 0.6F);
  const BufferPicture* c = mapped_picture(picture);
  const auto tile = c == nullptr ? std::nullopt : hull(seen_boxes(frame, *c, true));
  if (!tile) return;
  for (const BufferPicture& one : picture.inputs) {
    const auto strip = hull(seen_boxes(frame, one, false));
    if (!strip) continue;
    if (one.buffer == picture.product->a) {
      for (const float y : {strip->low.y, strip->high.y})
        frame.list->AddLine({strip->high.x, y}, {tile->low.x, y}, colour, thin);
    } else {
      for (const float x : {strip->low.x, strip->high.x})
        frame.list->AddLine({x, strip->high.y}, {x, tile->low.y}, colour, thin);
    }
  }
}

}  // namespace

void draw_connectors(TilesFrame& frame) {
  const TilePicture& picture = frame.picture;
  const Placement& grid = picture.grid;
  if (picture.as_product) {
    if (frame.focus < frame.issued) draw_product_guides(frame);
    return;
  }
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
    const auto rows = rows_to_connect(seen_boxes(frame, one, false));
    for (const Box& box : rows) {
      reads = true;
      const float end = one.near ? one.seen_high.x : one.at.origin.x + one.at.width();
      const float edge = end + 4 * unit, from = gutter(one.at, box);
      frame.list->AddLine({box.high.x, from}, {edge, from}, theme.read, thin);
      curve(frame.list, {edge, from}, {left, y}, theme.read, thin);
    }
  }
  if (reads) {
    arrow(frame.list, {left, y}, 7 * unit, theme.read);
    frame.list->AddLine({left, y}, {block.low.x, y}, theme.read, thin);
  }
  for (const BufferPicture& one : picture.outputs) {
    const auto rows = rows_to_connect(seen_boxes(frame, one, true));
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
