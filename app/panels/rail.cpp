// The left rail: the labs by stage, the learner's own files, and how many labs passed.
#include <cmath>

#include "app/panel_context.hpp"
#include "app/sandbox/sandbox.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

constexpr float kRow = 24, kStageGap = 8, kFoot = 56;

void draw_stage(PanelContext& context, ImVec2 at, int stage) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float top = centred_top(context.fonts.small, at.y + context.px(kRow / 2));
  draw_text(list, context.fonts.small_semibold, {at.x + context.px(16), top}, context.theme.muted,
            std::to_string(stage));
  draw_text(list, context.fonts.small, {at.x + context.px(32), top}, context.theme.muted,
            context.strings("rail.stage_" + std::to_string(stage)));
}

void draw_lab(PanelContext& context, ImVec2 at, float width, const Lab& lab) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const bool current = lab.name == context.lab().name;
  const ImVec2 low{at.x + context.px(8), at.y}, high{at.x + width - context.px(8), at.y + context.px(kRow)};
  ImGui::SetCursorScreenPos(low);
  if (ImGui::InvisibleButton(lab.name.c_str(), {high.x - low.x, high.y - low.y})) context.session.select_lab(lab.name);
  const bool hovered = ImGui::IsItemHovered();
  mark(context, "lab." + lab.name, low, high);
  const float middle = (low.y + high.y) / 2;
  const bool finished = context.session.finished_labs.contains(lab.name);
  const bool bright = current || hovered || finished;
  if (current) {
    list->AddRectFilled(low, high, theme.raised, context.px(6));
    list->AddRectFilled({low.x, low.y + context.px(4)}, {low.x + context.px(2), high.y - context.px(4)}, theme.accent);
    draw_play(list, {at.x + context.px(20.5F), middle}, context.px(7), theme.accent);
  } else if (finished) {
    draw_check(list, {at.x + context.px(21), middle}, context.px(10), theme.ok, context.px(1.75F));
  }
  ImFont* font = current ? context.fonts.small_semibold : context.fonts.small;
  const std::string& title = context.strings(lab.title);
  const std::string shown = fit_text(font, title, width - context.px(32 + 12));
  draw_text(list, font, {at.x + context.px(32), centred_top(font, middle)},
            bright ? theme.text : mix(theme.panel, theme.text, 0.82F), shown);
  if (shown != title) explain_rect(context, low, high, title);
}

/// A row of the Sandbox's: returns whether it was pressed.
bool own_row(PanelContext& context, const std::string& id, ImVec2 at, float width, const std::string& title,
             bool current) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const ImVec2 low{at.x + context.px(8), at.y}, high{at.x + width - context.px(8), at.y + context.px(kRow)};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(id.c_str());
  const bool pressed = ImGui::InvisibleButton("own", {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  mark(context, id, low, high);
  const float middle = (low.y + high.y) / 2;
  if (current) {
    list->AddRectFilled(low, high, theme.raised, context.px(6));
    list->AddRectFilled({low.x, low.y + context.px(4)}, {low.x + context.px(2), high.y - context.px(4)}, theme.accent);
    draw_play(list, {at.x + context.px(20.5F), middle}, context.px(7), theme.accent);
  }
  ImFont* font = current ? context.fonts.small_semibold : context.fonts.small;
  draw_text(list, font, {at.x + context.px(32), centred_top(font, middle)},
            current || hovered ? theme.text : mix(theme.panel, theme.text, 0.82F),
            fit_text(font, title, width - context.px(32 + 12)));
  return pressed;
}

/// CUDA files of the learner's own, below the labs. Returns the height.
float draw_own_files(PanelContext& context, ImVec2 at, float width) {
  Sandbox& sandbox = *context.sandbox;
  const float top = at.y;
  const Fonts& fonts = context.fonts;
  at.y += context.px(kStageGap);
  draw_text(ImGui::GetWindowDrawList(), fonts.small,
            {at.x + context.px(32), centred_top(fonts.small, at.y + context.px(kRow / 2))}, context.theme.muted,
            context.strings("rail.sandbox"));
  explain_rect(context, at, {at.x + width, at.y + context.px(kRow)}, context.strings("rail.sandbox_meaning"));
  at.y += context.px(kRow);
  int number = 0;
  for (const std::filesystem::path& file : sandbox.recent()) {
    const bool current = sandbox.is_shown(context.session) && sandbox.file() == file;
    if (own_row(context, "own." + std::to_string(++number), at, width, file.filename().string(), current) && !current)
      sandbox.open(file);
    explain(context, file.string());
    at.y += context.px(kRow);
  }
  if (own_row(context, "own.open", at, width, context.strings("rail.open"), false)) context.view.asks_for_file = true;
  explain(context, context.strings("rail.open_meaning"));
  // A plus sign in the place where the others have their mark.
  const ImVec2 centre{at.x + context.px(20.5F), at.y + context.px(kRow / 2)};
  const float half = context.px(4), line = std::max(1.0F, context.px(1.25F));
  ImGui::GetWindowDrawList()->AddLine({centre.x - half, centre.y}, {centre.x + half, centre.y}, context.theme.muted,
                                      line);
  ImGui::GetWindowDrawList()->AddLine({centre.x, centre.y - half}, {centre.x, centre.y + half}, context.theme.muted,
                                      line);
  return at.y + context.px(kRow) - top;
}

void draw_progress(PanelContext& context, ImVec2 at, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const size_t all = labs().size();
  size_t done = 0;
  for (const Lab& lab : labs()) done += context.session.finished_labs.contains(lab.name) ? 1 : 0;
  const float left = at.x + context.px(16), right = at.x + width - context.px(16);
  const float line = std::max(1.0F, std::round(context.view.scale));
  list->AddRectFilled({at.x, at.y}, {at.x + width, at.y + line}, theme.separator);
  const float top = centred_top(context.fonts.small, at.y + context.px(19));
  draw_text(list, context.fonts.small, {left, top}, theme.muted, context.strings("rail.progress"));
  draw_text_right(list, context.fonts.small, {right, top}, theme.muted,
                  context.strings.format("rail.progress_count", fmt::arg("done", done), fmt::arg("all", all)));
  const float bar = at.y + context.px(34), height = context.px(4);
  list->AddRectFilled({left, bar}, {right, bar + height}, theme.separator, height / 2);
  if (done > 0)
    list->AddRectFilled({left, bar},
                        {left + (right - left) * static_cast<float>(done) / static_cast<float>(all), bar + height},
                        theme.ok, height / 2);
  explain_rect(context, at, {at.x + width, at.y + context.px(kFoot)}, context.strings("rail.progress_meaning"));
}

}  // namespace

void draw_rail(PanelContext& context) {
  const ImVec2 origin = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float foot = size.y - context.px(kFoot);
  // The list scrolls in a child of its own, so that the progress stays where it is.
  ImGui::SetCursorScreenPos(origin);
  ImGui::BeginChild("labs", {size.x, foot}, false, ImGuiWindowFlags_NoNav);
  ImVec2 at = ImGui::GetCursorScreenPos();
  at.y += context.px(16);
  int stage = -1;
  for (const Lab& lab : labs()) {
    if (lab.stage != stage) {
      if (stage >= 0) at.y += context.px(kStageGap);
      stage = lab.stage;
      draw_stage(context, at, stage);
      at.y += context.px(kRow);
    }
    draw_lab(context, at, size.x, lab);
    at.y += context.px(kRow);
  }
  if (context.sandbox != nullptr) at.y += draw_own_files(context, at, size.x);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({0, context.px(8)});
  ImGui::EndChild();
  draw_progress(context, {origin.x, origin.y + foot}, size.x);
}

}  // namespace tilescope
