#include "app/window/dialog_button.hpp"

#include <imgui.h>

#include "app/draw/widgets.hpp"

namespace tilescope {

bool draw_dialog_button(PanelContext& context, const char* id, bool primary) {
  constexpr float kDialogButtonWidth = 128, kDialogButtonHeight = 32;  // unscaled pixels
  const std::string& text = context.strings(id);
  const bool pressed = hit_area(id, {context.px(kDialogButtonWidth), context.px(kDialogButtonHeight)});
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  mark(context, id, low, high);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool hovered = ImGui::IsItemHovered();
  list->AddRectFilled(low, high, hovered ? context.theme.grid : context.theme.raised, context.px(6));
  if (primary) list->AddRect(low, high, context.theme.accent, context.px(6));
  draw_text_centred(list, context.fonts.small, {(low.x + high.x) / 2, (low.y + high.y) / 2}, context.theme.text, text);
  return pressed;
}

}  // namespace tilescope
