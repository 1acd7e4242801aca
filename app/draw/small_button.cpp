#include "app/draw/small_button.hpp"

#include "app/draw/widgets.hpp"

namespace tilescope {

float small_button_width(const DrawContext& context, const std::string& text) {
  return text_size(context.fonts.small, text).x + context.px(16);
}

float small_button(DrawContext& context, const char* id, const std::string& text, const std::string& meaning,
                   ImVec2 low, bool lit, bool* pressed) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const ImVec2 high{low.x + small_button_width(context, text), low.y + context.px(kSmallButtonHeight)};
  ImGui::SetCursorScreenPos(low);
  *pressed = hit_area(id, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  explain(context, meaning);
  mark(context, id, low, high);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered || lit) list->AddRectFilled(low, high, theme.raised, context.px(4));
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, lit ? theme.accent : theme.separator,
                context.px(4), 0, context.px(1));
  draw_text(list, font, {low.x + context.px(8), centred_top(font, (low.y + high.y) / 2)}, theme.text, text);
  return high.x;
}

}  // namespace tilescope
