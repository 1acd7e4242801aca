#include "app/views/playback_button.hpp"

#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

void draw_icon(ImDrawList* list, ImVec2 centre, float unit, PlaybackIcon icon, ImU32 colour) {
  const float half = 5 * unit;
  const auto bar = [&](float x) {
    list->AddRectFilled({centre.x + x - unit, centre.y - half}, {centre.x + x + unit, centre.y + half}, colour);
  };
  switch (icon) {
    case PlaybackIcon::back:
      bar(-4 * unit);
      list->AddTriangleFilled({centre.x + half, centre.y - half}, {centre.x + half, centre.y + half},
                              {centre.x - 2 * unit, centre.y}, colour);
      return;
    case PlaybackIcon::play:
      draw_play(list, centre, 11 * unit, colour);
      return;
    case PlaybackIcon::pause:
      bar(-3 * unit);
      bar(3 * unit);
      return;
    case PlaybackIcon::forward:
      bar(4 * unit);
      list->AddTriangleFilled({centre.x - half, centre.y - half}, {centre.x - half, centre.y + half},
                              {centre.x + 2 * unit, centre.y}, colour);
      return;
  }
}

}  // namespace

bool playback_button(PanelContext& context, const char* id, ImVec2 low, PlaybackIcon icon, std::string_view help) {
  const float size = context.px(24);
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(id, {size, size});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered)
    ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + size, low.y + size}, context.theme.raised, context.px(6));
  explain(context, help);
  mark(context, std::string("playback.") + id, low, {low.x + size, low.y + size});
  draw_icon(ImGui::GetWindowDrawList(), {low.x + size / 2, low.y + size / 2}, context.view.scale, icon,
            hovered ? context.theme.text : context.theme.muted);
  return pressed;
}

}  // namespace tilescope
