// What the screen is divided with: areas as child windows, lines between them, and lines that are dragged.
#pragma once

#include <imgui.h>

#include "app/panel_context.hpp"
#include "app/screen.hpp"

namespace tilescope {

constexpr ImGuiWindowFlags kFixedArea = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

/// A child window over an area, which must not be empty. ImGui::EndChild ends it.
void begin_area(const char* id, const Area& area, ImGuiWindowFlags flags);
/// A line between two areas, drawn by the area that it ends.
void edge(const Theme& theme, float left, float top, float right, float bottom);

/// A line that is dragged; a small child of its own, above the areas.
struct SplitterDrag {
  bool active = false, reset = false;
  float moved = 0;  // unscaled, along its axis
};
SplitterDrag splitter(PanelContext& context, const char* id, ImVec2 low, ImVec2 high);

}  // namespace tilescope
