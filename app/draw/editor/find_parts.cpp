#include "app/draw/editor/find_parts.hpp"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"

namespace tilescope {

FindField find_field(DrawContext& context, const char* name, const char* hint, std::string& text, ImVec2 low,
                     float width, bool takes_focus) {
  FindField field;
  ImGui::SetCursorScreenPos({low.x, low.y + context.px(4)});
  ImGui::PushFont(context.fonts.code);
  ImGui::SetNextItemWidth(width);
  const std::string id = std::string("##") + name;
  if (takes_focus) {
#if IMGUI_VERSION_NUM < 18900
    ImGui::SetKeyboardFocusHere();
#else
    // The windows around it take no part in navigation, where SetKeyboardFocusHere() looks for the item.
    ImGui::ActivateItemByID(ImGui::GetID(id.c_str()));
    ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
#endif
  }
  field.changed =
      ImGui::InputTextWithHint(id.c_str(), context.strings(hint).c_str(), &text, ImGuiInputTextFlags_AutoSelectAll);
  const bool ended = ImGui::IsItemDeactivated();
  field.enter = ended && key_went_down(Key::enter);
  field.escape = (ended || ImGui::IsItemActive()) && key_went_down(Key::escape);
  explain(context, context.strings(std::string(hint) + "_meaning"));
  mark(context, name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  ImGui::PopFont();
  return field;
}

bool find_sign(DrawContext& context, const char* name, const char* meaning, FindSign sign, float& x, float middle) {
  const float size = context.px(24), reach = context.px(4);
  const ImVec2 low{x, middle - size / 2}, centre{x + size / 2, middle};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(name, {size, size});
  const bool hovered = ImGui::IsItemHovered();
  explain(context, context.strings(meaning));
  mark(context, name, low, {low.x + size, low.y + size});
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) list->AddRectFilled(low, {low.x + size, low.y + size}, context.theme.raised, context.px(4));
  const ImU32 colour = hovered ? context.theme.text : context.theme.muted;
  if (sign == FindSign::close) {
    draw_cross(list, centre, context.px(9), colour, context.px(1.25F));
  } else {
    const float tip = sign == FindSign::up ? -reach / 2 : reach / 2;
    const ImVec2 points[] = {
        {centre.x - reach, centre.y - tip}, {centre.x, centre.y + tip}, {centre.x + reach, centre.y - tip}};
    list->AddPolyline(points, 3, colour, 0, context.px(1.5F));
  }
  x += size + context.px(2);
  return pressed;
}

bool find_word(DrawContext& context, const char* name, const std::string& text, const char* meaning, float& x,
               float middle) {
  ImFont* font = context.fonts.small;
  const ImVec2 size{text_size(font, text).x + context.px(16), context.px(24)};
  const ImVec2 low{x, middle - size.y / 2}, high{x + size.x, middle + size.y / 2};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(name, size);
  const bool hovered = ImGui::IsItemHovered();
  explain(context, context.strings(meaning));
  mark(context, name, low, high);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, mix(context.theme.window, context.theme.raised, hovered ? 1.0F : 0.6F), context.px(4));
  draw_text(list, font, {low.x + context.px(8), centred_top(font, middle)},
            hovered ? context.theme.text : context.theme.muted, text);
  x = high.x + context.px(6);
  return pressed;
}

}  // namespace tilescope
