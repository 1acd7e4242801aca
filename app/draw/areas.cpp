#include "app/draw/areas.hpp"

#include <algorithm>

namespace tilescope {

void begin_area(const char* id, const Area& area, ImGuiWindowFlags flags) {
  ImGui::SetCursorScreenPos({area.left, area.top});
  ImGui::BeginChild(id, {area.width(), area.height()}, false,
                    flags | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
}

void edge(const Theme& theme, float left, float top, float right, float bottom) {
  ImGui::GetWindowDrawList()->AddRectFilled({left, top}, {right, bottom}, theme.separator);
}

bool hit_area(const char* id, ImVec2 size) {
  const bool empty = !(size.x >= 1 && size.y >= 1);
  const bool pressed = ImGui::InvisibleButton(id, {std::max(1.0F, size.x), std::max(1.0F, size.y)});
  return pressed && !empty;
}

}  // namespace tilescope
