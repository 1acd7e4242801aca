#include "app/window/screen_areas.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"

namespace tilescope {

SplitterDrag splitter(PanelContext& context, const char* id, ImVec2 low, ImVec2 high) {
  const bool vertical = high.y - low.y > high.x - low.x;
  const float reach = context.px(4), line = std::max(1.0F, std::round(context.view.scale));
  const ImVec2 corner = vertical ? ImVec2(low.x - reach, low.y) : ImVec2(low.x, low.y - reach);
  const ImVec2 size = vertical ? ImVec2(2 * reach + line, high.y - low.y) : ImVec2(high.x - low.x, 2 * reach + line);
  begin_area(id, {corner.x, corner.y, corner.x + size.x, corner.y + size.y}, kFixedArea);
  ImGui::SetCursorScreenPos(corner);
  hit_area(id, size);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  mark(context, id, corner, {corner.x + size.x, corner.y + size.y});
  const ImU32 colour = active || hovered ? context.theme.accent : context.theme.separator;
  ImGui::GetWindowDrawList()->AddRectFilled(low, vertical ? ImVec2(low.x + line, high.y) : ImVec2(high.x, low.y + line),
                                            colour);
  if (active || hovered) ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  const bool reset = hovered && ImGui::IsMouseDoubleClicked(0);
  const float moved = vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
  ImGui::EndChild();
  return {active, reset, active ? moved / context.view.scale : 0};
}

}  // namespace tilescope
