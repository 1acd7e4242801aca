#include "app/window/certificate_dialog.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/session/saved_files.hpp"
#include "app/window/dialog_button.hpp"

namespace tilescope {
namespace {

constexpr float kDialogWidth = 460, kDialogTop = 160, kDialogPadding = 20;

void draw_note(PanelContext& context, const std::string& text, float width, float gap) {
  const TextRun run[] = {{context.fonts.small, context.theme.muted, text}};
  const float height = flow_text(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), width, context.px(20), run);
  ImGui::Dummy({0, height + gap});
}

}  // namespace

bool draw_certificate_dialog(PanelContext& context) {
  ViewState& view = context.view;
  if (!view.asks_for_certificate) return false;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(context.px(kDialogWidth), screen.x - context.px(32));
  const float room = width - 2 * context.px(kDialogPadding);
  ImGui::SetNextWindowPos({std::round((screen.x - width) / 2), context.px(kDialogTop)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(kDialogPadding), context.px(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  ImGui::Begin("certificate", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove);
  const bool opened = ImGui::IsWindowAppearing();
  ImGui::PushFont(context.fonts.body_semibold);
  ImGui::TextUnformatted(context.strings("certificate.title").c_str());
  ImGui::PopFont();
  ImGui::Dummy({0, context.px(6)});
  draw_note(context, context.strings("certificate.dialog"), room, context.px(12));
  ImGui::SetNextItemWidth(room);
  if (opened) ImGui::SetKeyboardFocusHere();
  ImGui::InputTextWithHint("##learner", context.strings("certificate.name_hint").c_str(), &view.learner);
  mark(context, "learner", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  ImGui::Dummy({0, context.px(12)});
  draw_note(context, context.strings.format("certificate.saved_in", fmt::arg("folder", saved_files_folder().string())),
            room, context.px(16));
  const bool save = draw_dialog_button(context, "certificate.save", true) || (!opened && key_went_down(Key::enter));
  ImGui::SameLine(0, context.px(12));
  const bool leave = draw_dialog_button(context, "certificate.cancel", false) || key_went_down(Key::escape);
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  if (save || leave) view.asks_for_certificate = false;
  return save && !leave;
}

}  // namespace tilescope
