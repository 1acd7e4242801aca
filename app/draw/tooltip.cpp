#include "app/draw/tooltip.hpp"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kGap = 8, kMargin = 4;  // to the thing, to the window's edge
constexpr float kLargest = 160;         // shorter side of the largest thing that is explained as a whole
constexpr float kAboutPointer = 14;     // else the area this far around the pointer

float clamped(float value, float size, float extent, float margin) {
  return std::max(margin, std::min(value, extent - margin - size));
}

Mark at(ImVec2 low, ImVec2 size) { return {low, {low.x + size.x, low.y + size.y}}; }

bool is_free(const Mark& place, const Mark& explained, const TooltipRoom& room) {
  const bool inside =
      place.low.x >= 0 && place.low.y >= 0 && place.high.x <= room.display.x && place.high.y <= room.display.y;
  return inside && !overlap(place, explained) &&
         std::ranges::none_of(room.keep_free, [&](const Mark& one) { return overlap(place, one); });
}

}  // namespace

bool overlap(const Mark& one, const Mark& other) {
  return one.low.x < other.high.x && other.low.x < one.high.x && one.low.y < other.high.y && other.low.y < one.high.y;
}

Mark explained_part(const Mark& area, ImVec2 pointer, float scale) {
  if (std::min(area.high.x - area.low.x, area.high.y - area.low.y) <= kLargest * scale) return area;
  const float about = kAboutPointer * scale;
  return {{std::max(area.low.x, pointer.x - about), std::max(area.low.y, pointer.y - about)},
          {std::min(area.high.x, pointer.x + about), std::min(area.high.y, pointer.y + about)}};
}

Mark place_tooltip(const Mark& explained, ImVec2 pointer, ImVec2 size, const TooltipRoom& room, float scale) {
  const float gap = kGap * scale, margin = kMargin * scale;
  const float x = clamped(pointer.x - 2 * gap, size.x, room.display.x, margin);
  const float y = clamped(explained.low.y, size.y, room.display.y, margin);
  const float above = explained.low.y - gap - size.y, below = explained.high.y + gap;
  if (explained.low.x >= room.column_left || explained.high.x <= room.rail_right) {
    // The neighbours of a row are rows; only a tooltip beside the column covers none of them.
    const bool in_column = explained.low.x >= room.column_left;
    const float beside = in_column ? std::max(margin, std::min(explained.low.x, room.column_left) - gap - size.x)
                                   : std::max(explained.high.x, room.rail_right) + gap;
    for (const float top : {y, explained.high.y - size.y, above, below}) {
      const Mark place = at({beside, clamped(top, size.y, room.display.y, margin)}, size);
      if (is_free(place, explained, room)) return place;
    }
    return at({beside, y}, size);
  }
  const std::array<Mark, 6> places{
      at({x, below}, size),
      at({x, above}, size),
      at({explained.high.x + gap, y}, size),
      at({explained.low.x - gap - size.x, y}, size),
      at({clamped(explained.low.x, size.x, room.display.x, margin), below + size.y}, size),
      at({clamped(explained.low.x, size.x, room.display.x, margin), above - size.y}, size),
  };
  for (const Mark& place : places)
    if (is_free(place, explained, room)) return place;
  // Something will be covered then, but not what is explained.
  const TooltipRoom empty{room.display, room.rail_right, room.column_left, {}};
  for (const Mark& place : places)
    if (is_free(place, explained, empty)) return place;
  return at({x, clamped(below, size.y, room.display.y, margin)}, size);
}

}  // namespace tilescope
