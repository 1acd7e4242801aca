// Where a tooltip stands: never over the thing that it explains, nor over an error message. Beside the controls it is
// always at their left, beside the rail at its right; elsewhere below, or wherever there is room.
#pragma once

#include <imgui.h>

#include <span>

#include "app/draw/marks.hpp"

namespace tilescope {

/// What the window has where, in pixels.
struct TooltipRoom {
  ImVec2 display;
  float rail_right = 0, column_left = 0;  // between them are the views
  std::span<const Mark> keep_free = {};   // what no tooltip covers: error messages
};

bool overlap(const Mark& one, const Mark& other);

/// The thing that is explained: the area, or the part around the pointer where the area is so large, as a map is, that
/// no tooltip would fit beside it. `scale`: of the interface, here and below.
Mark explained_part(const Mark& area, ImVec2 pointer, float scale);

/// The rectangle of a tooltip of this size. Where nothing else is free it may cover what is to be kept free, never what
/// it explains.
Mark place_tooltip(const Mark& explained, ImVec2 pointer, ImVec2 size, const TooltipRoom& room, float scale);

}  // namespace tilescope
