// Typing over a slider's value. A click on the number starts it, Enter or a click elsewhere accepts the value, Escape
// restores the old one. An invalid value stays in the field, in red, with the reason below it.
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/draw/keys.hpp"
#include "app/panels/controls/controls_slider.hpp"
#include "app/panels/controls/typed_value.hpp"

namespace tilescope {
namespace {

constexpr float kField = 148, kReasonLine = 18;  // unscaled pixels

void end_typing(ViewState& view) {
  view.typing_in.clear();
  view.typed.clear();
  view.typing_refused = false;
}

/// Sizes and parameters of the lab by name: n/2, BLOCK*4.
std::optional<Checked<long double>> value_of_name(const PanelContext& context, std::string_view name) {
  const Config& config = context.session.request().config;
  for (const auto* values : {&config.sizes, &config.params})
    for (const auto& [key, value] : *values)
      if (key == name) return static_cast<long double>(value);
  return std::nullopt;
}

std::string reason_of(const PanelContext& context, const Problem& problem) {
  // The Sandbox's sentence would name the Sandbox's fields.
  if (problem.key == "sandbox.unknown_name") return context.strings.format("controls.unknown_name", problem.places);
  return context.strings.format(problem.key, problem.places);
}

}  // namespace

void begin_typing(ViewState& view, const Slider& slider) {
  view.typing_in = slider.name;
  view.typed = std::to_string(slider.value);
  view.typing_starts = true;
  view.typing_refused = false;
}

std::optional<int64_t> typing_field(Column& column, const Slider& slider) {
  PanelContext& context = column.context;
  ViewState& view = context.view;
  const float width = column.px(kField), height = column.px(22);
  const ImVec2 low{column.right - width, column.y - column.px(1)}, high{column.right, low.y + height};
  ImGui::SetCursorScreenPos(low);
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(column.px(8), std::floor((height - line_height(column.fonts().body)) / 2)));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, column.px(4));
  ImGui::PushFont(column.fonts().body);
  if (std::exchange(view.typing_starts, false)) ImGui::SetKeyboardFocusHere();
  const bool entered = ImGui::InputText("##typed", &view.typed,
                                        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  const bool left = ImGui::IsItemDeactivated(), active = ImGui::IsItemActive();
  ImGui::PopFont();
  ImGui::PopStyleVar(2);
  mark(context, "typing." + slider.name, low, high);
  explain(context, slider.typing_help);
  if ((left || !active) && key_went_down(Key::escape)) {
    end_typing(view);
    return std::nullopt;
  }
  const auto lookup = [&](std::string_view name) { return value_of_name(context, name); };
  const auto value = typed_value(view.typed, {slider.low, slider.high, slider.typed_values()}, lookup);
  if ((entered || left) && value) {
    end_typing(view);
    return *value;
  }
  if (entered || left) {
    view.typing_refused = true;
    view.typing_starts = entered;  // Enter leaves the field, but the value must be corrected
  }
  const bool refused = view.typing_refused && !value;
  column.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                       refused ? column.theme().error : column.theme().accent, column.px(4), 0, column.px(1));
  if (!refused) return std::nullopt;
  const std::string reason = reason_of(context, value.error());
  const TextRun run[] = {{column.fonts().small, column.theme().error, reason}};
  const float top = column.y + column.px(24);
  const float tall = flow_text(column.list, {column.left, top}, column.width(), column.px(kReasonLine), run);
  mark(context, "problem.typing." + slider.name, {column.left, top}, {column.right, top + tall});
  column.y += tall + column.px(4);  // the track moves down
  return std::nullopt;
}

}  // namespace tilescope
