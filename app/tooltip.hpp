// Where a tooltip stands: never over the thing that it explains, nor over an error message. Beside the controls it is
// always at their left, beside the rail at its right; elsewhere below, or wherever there is room.
#pragma once

#include <imgui.h>

#include <span>

#include "app/marks.hpp"

namespace tilescope {

/// What the window has where, in pixels.
struct TooltipRoom {
  ImVec2 display;
  float rail_right = 0, column_left = 0;  // between them are the views
  std::span<const Mark> keep_free = {};   // error messages, and what else is not to be covered
};

bool overlap(const Mark& one, const Mark& other);

/// The thing that is explained. Of an area that is larger than a tooltip could stand beside, such as a map, that is
/// what is about the pointer.
Mark explained_part(const Mark& area, ImVec2 pointer, float scale);

/// The rectangle of a tooltip of this size.
Mark place_tooltip(const Mark& explained, ImVec2 pointer, ImVec2 size, const TooltipRoom& room, float scale);

}  // namespace tilescope
