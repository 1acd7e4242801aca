#include "app/areas.hpp"

namespace tilescope {

void begin_area(const char* id, const Area& area, ImGuiWindowFlags flags) {
  ImGui::SetCursorScreenPos({area.left, area.top});
  ImGui::BeginChild(id, {area.width(), area.height()}, false,
                    flags | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
}

void edge(const Theme& theme, float left, float top, float right, float bottom) {
  ImGui::GetWindowDrawList()->AddRectFilled({left, top}, {right, bottom}, theme.separator);
}

}  // namespace tilescope
