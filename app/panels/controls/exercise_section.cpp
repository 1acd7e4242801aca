// What an exercise asks for beyond a correct result, the Judge button, and the launch.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/exercises/goals.hpp"
#include "app/panels/controls/exercise_parts.hpp"

namespace tilescope {
namespace {

constexpr float kSectionRow = 24, kButton = 32, kSectionField = 26;  // unscaled pixels

/// A line of the card of goals: mark, what, the learner's value, the limit.
void goal_row(Column& column, std::optional<bool> met, const std::string& what, const std::string& value,
              const std::string& limit, const std::string& meaning) {
  const Theme& theme = column.theme();
  ImFont* font = column.fonts().small;
  const float row = column.px(kSectionRow), middle = column.y + row / 2, top = centred_top(font, middle);
  const float line = std::max(1.5F, column.px(1.75F));
  const ImVec2 centre{column.left + column.px(5), middle};
  if (!met)
    column.list->AddCircle(centre, column.px(4), mix(theme.panel, theme.muted, 0.7F), 16, column.px(1.25F));
  else if (*met)
    draw_check(column.list, centre, column.px(10), theme.ok, line);
  else
    draw_cross(column.list, centre, column.px(8), theme.error, line);
  const float limit_left = column.right - text_size(font, limit).x;
  draw_text(column.list, font, {limit_left, top}, theme.muted, limit);
  ImFont* strong = column.fonts().small_semibold;
  float left = limit_left;
  if (!value.empty()) {
    left -= column.px(10) + text_size(strong, value).x;
    draw_text(column.list, strong, {left, top}, met && !*met ? theme.error : theme.text, value);
  }
  draw_text(column.list, font, {column.left + column.px(18), top}, theme.text,
            fit_text(font, what, left - column.left - column.px(28)));
  explain_rect(column.context, {column.left, column.y}, {column.right, column.y + row}, meaning);
  column.y += row;
}

/// "≤ 4.1"
std::string limit_sign(const Goal& goal) {
  constexpr const char* kSigns[] = {"≤", "≥", "="};
  return fmt::format("{} {}", kSigns[static_cast<size_t>(goal.bound)], goal_number(goal.limit));
}

/// A text with a title above it; true, and `text` is new, once it was edited.
bool text_field(Column& column, const std::string& name, const std::string& title, const std::string& meaning,
                std::string& text, float x, float width) {
  ImFont* font = column.fonts().small;
  column.text(font, x, 14, column.theme().muted, fit_text(font, title, width));
  const ImVec2 low{x, column.y + column.px(20)}, high{x + width, low.y + column.px(kSectionField)};
  std::string typed = text;
  ImGui::SetCursorScreenPos(low);
  ImGui::SetNextItemWidth(width);
  ImGui::PushID(name.c_str());
  ImGui::PushFont(font);
  ImGui::PushStyleVar(
      ImGuiStyleVar_FramePadding,
      ImVec2(column.px(8), std::max(0.0F, std::floor((column.px(kSectionField) - line_height(font)) / 2))));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, column.px(4));
  ImGui::InputText("##field", &typed, ImGuiInputTextFlags_AutoSelectAll);
  const bool done = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  ImGui::PopID();
  mark(column.context, "launch." + name, low, high);
  explain(column.context, meaning);
  if (!done || typed == text) return false;
  text = typed;
  return true;
}

bool launch_field(Column& column, const std::string& name, std::string& text, float x, float width) {
  const Strings& strings = column.context.strings;
  return text_field(column, name, strings("workshop." + name), strings("workshop." + name + "_meaning"), text, x,
                    width);
}

/// BLOCK=1024 of a launch in Triton.
bool keyword_field(Column& column, Define& keyword, float x, float width) {
  return text_field(column, keyword.name, keyword.name, column.context.strings("workshop.keyword_meaning"),
                    keyword.value, x, width);
}

}  // namespace

float field_button(Column& column, const char* id, const std::string& text, const std::string& meaning, float x,
                   bool* pressed, bool lit) {
  const Theme& theme = column.theme();
  ImFont* font = column.fonts().small;
  const ImVec2 low{x, column.y}, high{x + text_size(font, text).x + column.px(20), column.y + column.px(kSectionField)};
  ImGui::SetCursorScreenPos(low);
  *pressed = hit_area(id, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  explain(column.context, meaning);
  mark(column.context, id, low, high);
  if (hovered || lit) column.list->AddRectFilled(low, high, theme.raised, column.px(4));
  column.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                       lit ? theme.accent : theme.separator, column.px(4), 0, column.px(1));
  draw_text(column.list, font, {x + column.px(10), centred_top(font, (low.y + high.y) / 2)}, theme.text, text);
  return high.x + column.px(8);
}

void goals_card(Column& column, const Workshop& workshop) {
  const Strings& strings = column.context.strings;
  const Exercise& exercise = workshop.exercise();
  const auto judgement = workshop.judgement();
  card_title(column, "workshop.goals", Badge::simulated);
  column.y -= column.px(4);
  std::optional<bool> correct, clean;
  std::string cases, findings;
  if (judgement && !judgement->broken) {
    const bool refused = judgement->verdict == Judgement::Verdict::refused;
    if (!workshop.judging()) correct = !refused;
    cases = fmt::format("{} / {}", judgement->correct_cases(), judgement->cases.size());
    const auto found = std::ranges::count(judgement->cases, CaseOutcome::State::finding, &CaseOutcome::state);
    const JudgedVersion* kept = workshop.kept_version();
    if (kept == nullptr || kept->seed != 0) {  // an older record does not say
      if (found > 0 || !workshop.judging()) clean = found == 0;
      findings = std::to_string(found);
    }
  }
  goal_row(column, correct, strings("workshop.correct_cases"), cases, "", strings("workshop.correct_cases_meaning"));
  goal_row(column, clean, strings("workshop.findings"), findings, "= 0", strings("workshop.findings_meaning"));
  for (size_t i = 0; i < exercise.goals.size(); ++i) {
    const Goal& goal = exercise.goals[i];
    std::optional<bool> met;
    std::string value;
    if (judgement && judgement->goals[i].value) {
      met = judgement->goals[i].met;
      value = goal_number(*judgement->goals[i].value);
    }
    std::string name = strings.say(subject_of(goal));
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));  // English; no letter in Chinese
    std::string meaning =
        strings.format("workshop.goal_meaning", fmt::arg("what", name), fmt::arg("limit", strings.say(limit_of(goal))),
                       fmt::arg("case", goal.in_case + 1));
    if (badge_of(goal.measure) == Badge::modelled) meaning += "\n" + strings("workshop.goal_modelled");
    goal_row(column, met, name, value, limit_sign(goal), meaning);
  }
  column.y += column.px(12);
}

void judge_row(Column& column, Workshop& workshop) {
  const Theme& theme = column.theme();
  const Fonts& fonts = column.fonts();
  const bool judging = workshop.judging();
  const float height = column.px(kButton), middle = column.y + height / 2;
  const ImVec2 low{column.left, column.y}, high{column.left + column.px(168), column.y + height};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("judge", {high.x - low.x, height})) {
    if (judging)
      workshop.cancel();
    else
      workshop.judge(column.context.session);
  }
  const bool hovered = ImGui::IsItemHovered();
  mark(column.context, "judge", low, high);
  explain(column.context, column.context.strings(judging ? "workshop.cancel_meaning" : "workshop.judge_meaning"));
  const ImU32 surface = judging ? theme.error : theme.accent;
  column.list->AddRectFilled(low, high, hovered ? mix(surface, theme.text, 0.12F) : surface, column.px(6));
  if (!judging) draw_check(column.list, {low.x + column.px(18), middle}, column.px(11), theme.on_accent, column.px(2));
  draw_text(column.list, fonts.body_semibold,
            {low.x + column.px(judging ? 12 : 33), centred_top(fonts.body_semibold, middle - column.px(1))},
            theme.on_accent, column.context.strings(judging ? "controls.cancel" : "workshop.judge"));
  draw_text_right(column.list, fonts.small, {high.x - column.px(10), centred_top(fonts.small, middle)}, theme.on_accent,
                  judging ? "Esc" : "Ctrl+Enter");
  const auto judgement = workshop.judgement();
  if (judgement && !judging && judgement->milliseconds > 0)
    draw_text_right(column.list, fonts.small, {column.right, centred_top(fonts.small, middle)}, theme.muted,
                    fmt::format("{:.0f} ms", judgement->milliseconds));
  column.y += height;
}

/// Typing rewrites the launch line, so the text stays the whole submission.
void launch_card(Column& column, Workshop& workshop) {
  PanelContext& context = column.context;
  const Strings& strings = context.strings;
  card_title(column, "workshop.launch", std::nullopt);
  if (workshop.exercise().has_triton) {
    bool cuda = false, triton = false;
    const bool in_triton = workshop.language() == KernelLanguage::triton;
    const float next =
        field_button(column, "in_cuda", "CUDA", strings("workshop.in_cuda_meaning"), column.left, &cuda, !in_triton);
    field_button(column, "in_triton", "Triton", strings("workshop.in_triton_meaning"), next, &triton, in_triton);
    if (cuda || triton) workshop.set_language(context.session, triton ? KernelLanguage::triton : KernelLanguage::cuda);
    column.y += column.px(kSectionField + 10);
  }
  if (!workshop.launches()) {
    paragraph(column, strings.message(workshop.launches().error()), column.theme().error);
    return column.separator(14);
  }
  if (workshop.launches()->size() > 1) {
    paragraph(column, strings.format("workshop.launches", fmt::arg("count", workshop.launches()->size())),
              column.theme().muted);
    return column.separator(14);
  }
  LaunchLine launch = workshop.launches()->front();
  const float gap = column.px(8), half = (column.width() - gap) / 2;
  bool changed = launch_field(column, "grid", launch.grid, column.left, column.width());
  column.y += column.px(kSectionField + 26);
  if (workshop.language() == KernelLanguage::cuda) {
    changed = launch_field(column, "block", launch.block, column.left, half) || changed;
    changed = launch_field(column, "shared", launch.shared, column.left + half + gap, half) || changed;
    column.y += column.px(kSectionField + 26);
  } else {
    for (size_t i = 0; i < launch.keywords.size(); ++i) {
      // Two to a row.
      const float x = column.left + (i % 2 == 1 ? half + gap : 0);
      changed = keyword_field(column, launch.keywords[i], x, half) || changed;
      if (i % 2 == 1 || i + 1 == launch.keywords.size()) column.y += column.px(kSectionField + 26);
    }
  }
  if (changed) workshop.set_launch(context.session, launch);
  column.separator(8);
}

void exercise_section(Column& column, Workshop& workshop) {
  column.y -= column.px(8);
  goals_card(column, workshop);
  judge_row(column, workshop);
  column.separator(16);
  bug_card(column, workshop);
  launch_card(column, workshop);
  hints_card(column, workshop);
  versions_card(column, workshop);
  solution_row(column, workshop);
}

}  // namespace tilescope
