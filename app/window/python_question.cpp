#include "app/window/python_question.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/sandbox/sandbox.hpp"
#include "app/window/dialog_button.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kQuestionWidth = 520, kTop = 160, kQuestionPadding = 20;

}  // namespace

void draw_python_question(PanelContext& context, Sandbox& sandbox) {
  const auto file = sandbox.question();
  if (!file) return;
  const float width = std::min(context.px(kQuestionWidth), ImGui::GetIO().DisplaySize.x - context.px(32));
  ImGui::SetNextWindowPos({std::round((ImGui::GetIO().DisplaySize.x - width) / 2), context.px(kTop)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(kQuestionPadding), context.px(16)));
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
                                 width - 2 * context.px(kQuestionPadding), context.px(20), run);
  ImGui::Dummy({0, height + context.px(20)});
  const bool run_it = draw_dialog_button(context, "python.run", true) || key_went_down(Key::enter);
  ImGui::SameLine(0, context.px(12));
  const bool leave = draw_dialog_button(context, "python.leave", false) || key_went_down(Key::escape);
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  if (run_it || leave) sandbox.answer(run_it);
}

}  // namespace tilescope
