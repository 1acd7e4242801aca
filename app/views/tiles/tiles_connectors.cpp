// The lines that connect the focused block to what it reads and writes.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/tiles/tiles_view.hpp"

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

/// The y of the gutter below a box: between rows, so that a line there crosses no number.
float gutter(const Placement& at, const Box& box) {
  return std::round(box.high.y + at.gap_y / 2) - (at.gap_y > 0 ? 0.5F : 0.0F);
}

/// One box per row, limited to the first few and the last.
std::vector<Box> rows_to_connect(const std::vector<Box>& boxes) {
  std::vector<Box> rows;
  for (const Box& box : boxes) {
    if (!rows.empty() && rows.back().low.y == box.low.y) continue;
    if (rows.size() >= kMostConnectedRows) break;
    rows.push_back(box);
  }
  return rows;
}

/// The visible part of a box; nothing if it is outside.
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

/// The rows of A and the columns of B, extended to the tile of C that they produce.
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

namespace {

/// The point where the lines on the grid's side meet: at the focused block.
struct Hub {
  Box block;
  float y = 0, left = 0, right = 0;
};

std::optional<Hub> hub_of(const TilesFrame& frame) {
  const Placement& grid = frame.picture.grid;
  if (frame.result().tiles.grid.count() == 0 || frame.focus >= frame.issued) return {};
  const float unit = frame.context.view.scale;
  const int64_t at = grid.cells.cell_of(frame.focus);
  const auto column = static_cast<double>(at % grid.cells.columns), row = static_cast<double>(at / grid.cells.columns);
  const CellRect cell{column, row, column + 1, row + 1};
  Hub hub{.block = {grid.low(cell), grid.high(cell)}};
  hub.y = gutter(grid, hub.block);
  hub.left = grid.origin.x - 10 * unit;
  hub.right = grid.origin.x + grid.width() + 10 * unit;
  return hub;
}

/// The path of a line through one buffer: it leaves (or enters) the map at `edge`.
struct Way {
  Box box;
  float edge = 0, y = 0;
};

std::vector<Way> ways_of(const TilesFrame& frame, const BufferPicture& one, bool output) {
  const float unit = frame.context.view.scale;
  const float end = one.near ? one.seen_high.x : one.at.origin.x + one.at.width();
  const float begin = one.near ? one.seen_low.x : one.at.origin.x;
  std::vector<Way> ways;
  for (const Box& box : rows_to_connect(seen_boxes(frame, one, output)))
    ways.push_back({box, output ? begin - 6 * unit : end + 4 * unit, gutter(one.at, box)});
  return ways;
}

}  // namespace

void draw_connectors(TilesFrame& frame) {
  const TilePicture& picture = frame.picture;
  const auto hub = picture.as_product ? std::nullopt : hub_of(frame);
  if (!hub) return;
  const Theme& theme = frame.context.theme;
  const float thin = std::max(1.0F, frame.context.view.scale);
  for (const BufferPicture& one : picture.inputs)
    for (const Way& way : ways_of(frame, one, false))
      curve(frame.list, {way.edge, way.y}, {hub->left, hub->y}, theme.read, thin);
  for (const BufferPicture& one : picture.outputs)
    for (const Way& way : ways_of(frame, one, true))
      curve(frame.list, {hub->right, hub->y}, {way.edge, way.y}, theme.write, thin);
}

void draw_connector_ends(TilesFrame& frame) {
  const TilePicture& picture = frame.picture;
  if (picture.as_product) {
    if (frame.focus < frame.issued) draw_product_guides(frame);
    return;
  }
  const auto hub = hub_of(frame);
  if (!hub) return;
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale, thin = std::max(1.0F, unit);
  bool reads = false, writes = false;
  for (const BufferPicture& one : picture.inputs)
    for (const Way& way : ways_of(frame, one, false)) {
      reads = true;
      frame.list->AddLine({way.box.high.x, way.y}, {way.edge, way.y}, theme.read, thin);
    }
  if (reads) {
    arrow(frame.list, {hub->left, hub->y}, 7 * unit, theme.read);
    frame.list->AddLine({hub->left, hub->y}, {hub->block.low.x, hub->y}, theme.read, thin);
  }
  for (const BufferPicture& one : picture.outputs)
    for (const Way& way : ways_of(frame, one, true)) {
      writes = true;
      frame.list->AddLine({way.edge, way.y}, {way.box.low.x, way.y}, theme.write, thin);
      arrow(frame.list, {way.edge, way.y}, 7 * unit, theme.write);
    }
  if (writes) frame.list->AddLine({hub->block.high.x, hub->y}, {hub->right, hub->y}, theme.write, thin);
}

}  // namespace tilescope
