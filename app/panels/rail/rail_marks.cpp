#include "app/panels/rail/rail_marks.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/lab_marks.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {
namespace {

constexpr float kSegment = 13, kSegmentGap = 2, kSegmentHeight = 2, kDots = 20;  // unscaled pixels
constexpr const char* kMarksMenu = "progress menu";

std::string exercises_text(const PanelContext& context) {
  if (context.workshop == nullptr) return {};
  const auto& exercises = context.workshop->catalogue().exercises;
  const auto solved = std::ranges::count_if(exercises, [&](const Exercise& one) {
    return context.workshop->record(one.name).state >= ExerciseState::correct;
  });
  return "\n" + context.strings.format("workshop.solved", fmt::arg("done", solved), fmt::arg("all", exercises.size()));
}

void draw_marks_menu(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(8), context.px(8)));
  if (ImGui::BeginPopup(kMarksMenu)) {
    const auto item = [&](const char* key) {
      const bool pressed = ImGui::Selectable(context.strings(key).c_str());
      mark(context, key, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
      return pressed;
    };
    if (item("palette.certificate")) context.view.asks_for_certificate = true;
    if (item("palette.progress_json")) context.view.asks_for_progress_json = true;
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

/// Three dots, whose right end is at `right`.
void draw_menu_button(PanelContext& context, ImVec2 right) {
  const float half = context.px(kDots / 2);
  const ImVec2 centre{right.x - half, right.y}, low{centre.x - half, centre.y - half},
      high{centre.x + half, centre.y + half};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("keep progress", {2 * half, 2 * half})) open_menu(context.view, kMarksMenu);
  const bool hovered = ImGui::IsItemHovered();
  if (!ImGui::IsPopupOpen(kMarksMenu)) explain(context, context.strings("rail.progress_menu"));
  mark(context, "keep progress", low, high);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) list->AddRectFilled(low, high, context.theme.raised, context.px(4));
  for (const float step : {-1.0F, 0.0F, 1.0F})
    list->AddCircleFilled({centre.x + step * context.px(4.5F), centre.y}, context.px(1.4F),
                          hovered ? context.theme.text : context.theme.muted, 10);
  draw_marks_menu(context);
}

}  // namespace

void draw_lab_marks(const PanelContext& context, ImVec2 left, const std::vector<PartDone>& parts) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = context.px(kSegment), height = std::max(2.0F, std::round(context.px(kSegmentHeight)));
  const float top = std::round(left.y - height / 2);
  for (float x = left.x; const PartDone& part : parts) {
    const float done = static_cast<float>(part.done) / static_cast<float>(part.all);
    list->AddRectFilled({x, top}, {x + width, top + height}, mix(context.theme.panel, context.theme.muted, 0.4F));
    if (done > 0) list->AddRectFilled({x, top}, {x + width * done, top + height}, context.theme.ok);
    x += width + context.px(kSegmentGap);
  }
}

std::string marks_text(const PanelContext& context, const Lab& lab, const std::vector<PartDone>& parts) {
  const auto learned = context.session.learned.find(lab.name);
  const Score score = learned != context.session.learned.end() ? score_of(learned->second) : Score();
  static constexpr const char* kParts[] = {"rail.part_lesson",    "rail.part_predictions", "rail.part_bugs",
                                           "rail.part_exercises", "rail.part_own_edit",    "rail.part_review"};
  std::string text = context.strings(lab.title);
  for (const PartDone& part : parts) {
    text += part.complete() ? "\n✓ " : "\n– ";
    text += context.strings(kParts[static_cast<size_t>(part.part)]);
    if (part.all > 1)
      text += context.strings.format("rail.part_count", fmt::arg("done", part.done), fmt::arg("all", part.all));
    if (part.part == ProgressPart::predictions && score.all > 0)
      text += "\n   " + context.strings.format("rail.score_of_questions", fmt::arg("right", score.right),
                                               fmt::arg("all", score.all));
  }
  return text;
}

void draw_marks_total(PanelContext& context, ImVec2 at, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const MarksTotal total = total_of(context.session.learned, [&](const Lab& lab) { return extras_of(context, lab); });
  const float left = at.x + context.px(16), right = at.x + width - context.px(16);
  const float line = std::max(1.0F, std::round(context.view.scale));
  list->AddRectFilled({at.x, at.y}, {at.x + width, at.y + line}, theme.separator);
  const float middle = at.y + context.px(19), top = centred_top(context.fonts.small, middle);
  const float beside = right - context.px(kDots + 2);
  draw_text(
      list, context.fonts.small, {left, top}, theme.muted,
      context.strings.format("rail.progress_count", fmt::arg("done", total.earned), fmt::arg("all", total.marks)));
  const float bar = at.y + context.px(34), height = context.px(4);
  list->AddRectFilled({left, bar}, {right, bar + height}, theme.separator, height / 2);
  if (total.share > 0)
    list->AddRectFilled({left, bar},
                        {left + std::max(height, (right - left) * static_cast<float>(total.share)), bar + height},
                        theme.ok, height / 2);
  mark(context, "progress", at, {beside, at.y + context.px(kMarksTotal)});
  explain_rect(context, at, {beside, at.y + context.px(kMarksTotal)},
               context.strings.format("rail.progress_meaning", fmt::arg("done", total.complete_labs),
                                      fmt::arg("all", total.labs)) +
                   exercises_text(context));
  draw_menu_button(context, {right + context.px(4), middle});
}

}  // namespace tilescope
