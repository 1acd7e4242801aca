#include "app/views/launch_choice.hpp"

#include <algorithm>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/wording.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kMostName = 168, kLeastSentence = 320;  // unscaled pixels

const std::vector<Launch>& launches_of(const PanelContext& context) { return context.result->plan.launches; }

bool has_choice(const PanelContext& context) { return context.result && launches_of(context).size() > 1; }

/// An arrow to the previous (−1) or the next launch (+1). True when it was pressed.
bool draw_arrow(PanelContext& context, float x, float y, int side) {
  const float button = context.px(18), half = context.px(4);
  const std::string name = std::string("launch.") + (side < 0 ? "previous" : "next");
  ImGui::SetCursorScreenPos({x, y - context.px(10)});
  const bool pressed = hit_area(name.c_str(), {button, context.px(20)});
  const bool hovered = ImGui::IsItemHovered();
  explain(context, context.strings("launch.meaning"));
  mark(context, name, {x, y - context.px(10)}, {x + button, y + context.px(10)});
  const float centre = x + button / 2, tip = static_cast<float>(side) * half * 0.9F;
  const ImVec2 points[] = {{centre - tip / 2, y - half}, {centre + tip / 2, y}, {centre - tip / 2, y + half}};
  ImGui::GetWindowDrawList()->AddPolyline(points, 3, hovered ? context.theme.text : context.theme.muted, 0,
                                          context.px(1.5F));
  return pressed;
}

std::string number_text(const PanelContext& context) {
  const std::string count =
      context.view.hides(ShownNumber::launches) ? "?" : std::to_string(launches_of(context).size());
  return context.strings.format("launch.number", fmt::arg("number", context.result->launch + 1),
                                fmt::arg("count", count));
}

void draw_menu(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(8), context.px(8)));
  if (ImGui::BeginPopup("launches")) {
    for (uint32_t i = 0; i < launches_of(context).size(); ++i) {
      const Launch& launch = launches_of(context)[i];
      const std::string text = context.strings.format(
          "launch.item", fmt::arg("number", i + 1), fmt::arg("kernel", kernel_name(launch.kernel)),
          fmt::arg("blocks", count_of_blocks(context.strings, static_cast<int64_t>(launch.grid.count()))),
          fmt::arg("threads", with_separators(launch.block.count())));
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(text.c_str(), i == context.result->launch)) context.session.set_launch(i);
      ImGui::PopID();
      mark(context, "launch." + std::to_string(i), ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace

float draw_launch_choice(PanelContext& context, float x, float y, float right) {
  if (!has_choice(context)) return x;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont *small = context.fonts.small, *bold = context.fonts.small_semibold;
  const auto count = static_cast<int>(launches_of(context).size()), shown = static_cast<int>(context.result->launch);
  ImGui::PushID("launch");
  x += draw_text(list, small, {x, centred_top(small, y)}, theme.muted, context.strings("launch.title")).x;
  x += context.px(4);
  int by = draw_arrow(context, x, y, -1) ? -1 : 0;
  x += context.px(18);
  x += draw_text(list, bold, {x, centred_top(bold, y)}, theme.text, number_text(context)).x;
  if (draw_arrow(context, x, y, 1)) by = 1;
  x += context.px(18);
  if (by != 0) context.session.set_launch(static_cast<uint32_t>((shown + by + count) % count));

  const float chevron = context.px(16), room = std::min(context.px(kMostName), right - x - chevron);
  const std::string kernel = kernel_name(launches_of(context)[static_cast<size_t>(shown)].kernel);
  const std::string name = room > context.px(24) ? fit_text(small, kernel, room) : std::string();
  const float width = text_size(small, name).x + chevron;
  const ImVec2 low{x, y - context.px(11)}, high{x + width, y + context.px(11)};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("menu", {width, high.y - low.y})) open_menu(context.view, "launches");
  const ImU32 colour = ImGui::IsItemHovered() ? theme.accent : theme.text;
  explain(context, context.strings.format("launch.menu_meaning", fmt::arg("kernel", kernel)));
  mark(context, "launch.menu", low, high);
  draw_text(list, small, {low.x, centred_top(small, y)}, colour, name);
  draw_chevron(list, {high.x - context.px(8), y}, context.px(8), theme.muted);
  ImGui::SetNextWindowPos({low.x, high.y + context.px(4)}, ImGuiCond_Always);
  draw_menu(context);
  ImGui::PopID();
  return high.x + context.px(12);
}

ImVec2 launch_before_sentence(PanelContext& context, ImVec2 low, float right) {
  const float behind = draw_launch_choice(context, low.x, low.y + context.px(12), right);
  if (behind == low.x) return low;
  if (right - behind >= context.px(kLeastSentence)) return {behind, low.y};
  return {low.x, low.y + context.px(24)};
}

void launch_in_corner(PanelContext& context) {
  const ImVec2 low = ImGui::GetWindowPos();
  draw_launch_choice(context, low.x + context.px(24), low.y + context.px(24),
                     low.x + ImGui::GetWindowWidth() - context.px(24));
}

}  // namespace tilescope
