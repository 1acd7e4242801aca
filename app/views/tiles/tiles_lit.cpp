// Highlights what the focused block touched in the maps: as filled cells in the overview, as outlines in close-up.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/tiles/tiles_view.hpp"

namespace tilescope {

std::vector<Box> boxes_of(const Placement& at, std::span<const ElementRange> ranges, float least) {
  constexpr size_t kMostLitRectangles = 2000;
  std::vector<Box> boxes;
  for (const CellRect& rect : rects_of(at.cells, ranges, kMostLitRectangles)) {
    Box box{at.low(rect), at.high(rect)};
    box.high.x = std::max(box.high.x, box.low.x + least);
    box.high.y = std::max(box.high.y, box.low.y + least);
    boxes.push_back(box);
  }
  return boxes;
}

std::span<const ElementRange> touched_by_focus(const TilesFrame& frame, size_t buffer, bool output) {
  const BufferMap& map = frame.map(buffer);
  const auto& first = output ? map.writes_first : map.reads_first;
  if (size_t{frame.focus} + 1 >= first.size()) return {};
  return output ? map.writes_of(frame.focus) : map.reads_of(frame.focus);
}

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

namespace {

std::vector<ElementRange> lane_elements(const WarpAccess& access, int lane) {
  return {{access.element(lane), access.element(lane) + access.elements_per_lane()}};
}

void outline(TilesFrame& frame, const Box& box, ImU32 colour, float thickness) {
  const float unit = frame.context.view.scale, out = thickness * unit / 2;
  frame.list->AddRect({box.low.x - out - unit, box.low.y - out - unit},
                      {box.high.x + out + unit, box.high.y + out + unit}, frame.context.theme.window, 2 * unit, 0,
                      (thickness + 1) * unit);
  frame.list->AddRect({box.low.x - out, box.low.y - out}, {box.high.x + out, box.high.y + out}, colour, 2 * unit, 0,
                      thickness * unit);
}

/// The lane that is hovered or selected, if it takes part in the shown access.
std::optional<int> shown_lane(const TilesFrame& frame) {
  if (!frame.shown) return {};
  for (const Selection* from : {&frame.context.view.hover, &frame.context.view.selection})
    if (from->lane && from->access == frame.shown->access && frame.shown->is_active(*from->lane)) return from->lane;
  return {};
}

/// What the shown lane reads of an input in all of its accesses; and the element of the shown access itself.
void draw_lane_lit(TilesFrame& frame, const BufferPicture& picture, bool output) {
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale;
  const auto lane = shown_lane(frame);
  if (!lane) return;
  if (!output && frame.shown->writes) {
    const auto read = lane_reads(frame.index, frame.shown->block, frame.shown->warp, *lane, picture.buffer);
    for (const Box& box : boxes_of(picture.at, read, 3 * unit)) {
      const bool roomy = picture.near && std::min(box.high.x - box.low.x, box.high.y - box.low.y) >= 12 * unit;
      if (!roomy) frame.list->AddRectFilled(box.low, box.high, theme.read);  // else it keeps its number
      if (picture.near) outline(frame, box, roomy ? theme.read : theme.text, roomy ? 3 : 1);
    }
  }
  if (frame.shown->buffer != static_cast<int64_t>(picture.buffer)) return;
  for (const Box& box : boxes_of(picture.at, lane_elements(*frame.shown, *lane), 3 * unit))
    outline(frame, box, frame.context.view.hover.lane == lane ? theme.text : theme.accent, 2);
}

/// In close-up, highlighted elements keep their colours and are outlined.
void draw_lit_near(TilesFrame& frame, const BufferPicture& picture, bool output) {
  const ImU32 role = output ? frame.context.theme.write : frame.context.theme.read;
  constexpr size_t kMostOutlines = 128;
  const auto ranges = touched_by_focus(frame, picture.buffer, output);
  const auto boxes = boxes_of(picture.at, ranges, 1);
  const bool far = frame.context.view.zoom.level <= TilesLevel::block;
  if (far && boxes.size() <= kMostOutlines)
    for (const Box& box : boxes) outline(frame, box, role, 1.5F);
  if (frame.shown && frame.shown->buffer == static_cast<int64_t>(picture.buffer)) {
    const auto access = boxes_of(picture.at, elements_of(*frame.shown), 1);
    constexpr size_t kFewPieces = 8;  // many small ones would be nothing but frames
    const float least = 8 * frame.context.view.scale;
    for (const Box& box : access) {
      const bool small = std::min(box.high.x - box.low.x, box.high.y - box.low.y) < least;
      if (small && access.size() > kFewPieces)
        frame.list->AddRectFilled(box.low, box.high, role);
      else
        outline(frame, box, role, 1.5F);
    }
  }
}

void draw_lit_from_afar(TilesFrame& frame, const BufferPicture& picture, bool output) {
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale;
  const ImU32 role = output ? theme.write : theme.read;
  const auto ranges = touched_by_focus(frame, picture.buffer, output);
  const auto boxes = boxes_of(picture.at, ranges, 2 * unit);
  const auto step = boxes_of(picture.at, step_elements(frame, picture.buffer), 2 * unit);
  const bool large = !boxes.empty() && boxes.front().high.y - boxes.front().low.y >= 6 * unit && boxes.size() <= 64;
  const bool pale = !output && !step.empty();  // the step stands out against the block's other reads
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
    // The gaps between tiles stay: each cell is filled separately.
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

/// What a kernel reads of a buffer that it also writes.
void draw_read_in_place(TilesFrame& frame, const BufferPicture& picture) {
  const auto& map = frame.map(picture.buffer);
  if (map.reads.empty() || size_t{frame.focus} + 1 >= map.reads_first.size()) return;
  const auto reads = map.reads_of(frame.focus), writes = touched_by_focus(frame, picture.buffer, true);
  const bool same = reads.size() == writes.size() &&
                    std::equal(reads.begin(), reads.end(), writes.begin(),
                               [](const auto& a, const auto& b) { return a.begin == b.begin && a.end == b.end; });
  if (same) return;  // element by element in place: the frame of the written elements is enough
  constexpr size_t kMostOutlines = 64;
  const auto boxes = boxes_of(picture.at, reads, 2 * frame.context.view.scale);
  if (boxes.size() > kMostOutlines) return;
  for (const Box& box : boxes) outline(frame, box, frame.context.theme.read, 1);
}

}  // namespace

void draw_lit(TilesFrame& frame, const BufferPicture& picture, bool output) {
  const float beyond = (picture.near ? 1 : 4) * frame.context.view.scale;  // frames are drawn around their content
  frame.list->PushClipRect({picture.seen_low.x - beyond, picture.seen_low.y - beyond},
                           {picture.seen_high.x + beyond, picture.seen_high.y + beyond}, true);
  if (picture.near)
    draw_lit_near(frame, picture, output);
  else
    draw_lit_from_afar(frame, picture, output);
  if (output) draw_read_in_place(frame, picture);
  draw_lane_lit(frame, picture, output);
  frame.list->PopClipRect();
}

}  // namespace tilescope
