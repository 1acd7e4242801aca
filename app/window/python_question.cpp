#include "app/window/python_question.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/sandbox/sandbox.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kWidth = 520, kTop = 160, kButton = 128, kButtonHeight = 32, kPadding = 20;

bool draw_choice(PanelContext& context, const char* id, bool primary) {
  const std::string& text = context.strings(id);
  const bool pressed = hit_area(id, {context.px(kButton), context.px(kButtonHeight)});
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  mark(context, id, low, high);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool hovered = ImGui::IsItemHovered();
  list->AddRectFilled(low, high, hovered ? context.theme.grid : context.theme.raised, context.px(6));
  if (primary) list->AddRect(low, high, context.theme.accent, context.px(6));
  ImFont* font = context.fonts.small;
  draw_text(list, font, {(low.x + high.x - text_size(font, text).x) / 2, centred_top(font, (low.y + high.y) / 2)},
            context.theme.text, text);
  return pressed;
}

}  // namespace

void draw_python_question(PanelContext& context, Sandbox& sandbox) {
  const auto file = sandbox.question();
  if (!file) return;
  const float width = std::min(context.px(kWidth), ImGui::GetIO().DisplaySize.x - context.px(32));
  ImGui::SetNextWindowPos({std::round((ImGui::GetIO().DisplaySize.x - width) / 2), context.px(kTop)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(kPadding), context.px(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  ImGui::Begin("python question", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove);
  ImGui::PushFont(context.fonts.body_semibold);
  ImGui::TextUnformatted(context.strings.format("python.title", fmt::arg("file", file->filename().string())).c_str());
  ImGui::PopFont();
  const std::string text = context.strings.format("python.text", fmt::arg("file", file->string()));
  const TextRun run[] = {{context.fonts.small, context.theme.text, text}};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = flow_text(ImGui::GetWindowDrawList(), {at.x, at.y + context.px(8)},
                                 width - 2 * context.px(kPadding), context.px(20), run);
  ImGui::Dummy({0, height + context.px(20)});
  const bool run_it = draw_choice(context, "python.run", true) || key_went_down(Key::enter);
  ImGui::SameLine(0, context.px(12));
  const bool leave = draw_choice(context, "python.leave", false) || key_went_down(Key::escape);
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  if (run_it || leave) sandbox.answer(run_it);
}

}  // namespace tilescope
