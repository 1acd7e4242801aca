// Draggable lines between areas.
#pragma once

#include <imgui.h>

#include "app/draw/areas.hpp"
#include "app/views/context.hpp"

namespace tilescope {

/// A draggable line; a small child window above the areas.
struct SplitterDrag {
  bool active = false, reset = false;
  float moved = 0;  // unscaled, along its axis
};
SplitterDrag splitter(PanelContext& context, const char* id, ImVec2 low, ImVec2 high);

}  // namespace tilescope
