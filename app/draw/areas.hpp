// Parts of the window as child windows, and lines between them.
#pragma once

#include <imgui.h>

#include "app/draw/theme.hpp"

namespace tilescope {

/// A rectangle of the window in pixels.
struct Area {
  float left = 0, top = 0, right = 0, bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
};

constexpr ImGuiWindowFlags kFixedArea = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

/// A child window over an area, which must not be empty. ImGui::EndChild ends it.
void begin_area(const char* id, const Area& area, ImGuiWindowFlags flags);
/// A line between two areas, drawn by the area that ends there.
void edge(const Theme& theme, float left, float top, float right, float bottom);

/// A pressable area at the cursor, like ImGui::InvisibleButton. An area without width or height is drawn but cannot be
/// pressed; ImGui would end the program.
bool hit_area(const char* id, ImVec2 size);

}  // namespace tilescope
