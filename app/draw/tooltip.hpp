// Position of a tooltip: never over the thing that it explains, nor over an error message. At the controls it is always
// to their left, at the rail to its right; elsewhere below, or wherever there is room.
#pragma once

#include <imgui.h>

#include <span>

#include "app/draw/marks.hpp"

namespace tilescope {

/// The layout of the window, in pixels.
struct TooltipRoom {
  ImVec2 display;
  float rail_right = 0, column_left = 0;  // between them are the views
  std::span<const Mark> keep_free = {};   // areas that no tooltip may cover: error messages
};

bool overlap(const Mark& one, const Mark& other);

/// The thing that is explained: the area, or only the part around the pointer if the area (such as a map) is so large
/// that no tooltip would fit beside it. `scale`: of the interface, here and below.
Mark explained_part(const Mark& area, ImVec2 pointer, float scale);

/// The rectangle of a tooltip of this size. If nothing else is free it may cover areas of keep_free, but never what it
/// explains.
Mark place_tooltip(const Mark& explained, ImVec2 pointer, ImVec2 size, const TooltipRoom& room, float scale);

}  // namespace tilescope
