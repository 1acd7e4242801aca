// What helps with an exercise: the question for its bug, hints, earlier versions, the solution, the way to the next
// one.
#include <algorithm>
#include <cmath>

#include "app/draw/menus.hpp"
#include "app/panels/controls/exercise_parts.hpp"

namespace tilescope {
namespace {

constexpr float kHelpLine = 20, kHelpRow = 24, kHelpField = 26;
constexpr size_t kVersionsShown = 6;

/// "2026-11-25T14:07:31Z" → "14:07", in UTC.
std::string clock_of(const std::string& time) { return time.size() >= 16 ? time.substr(11, 5) : time; }

std::string kind_title(const Strings& strings, std::string kind) {
  std::ranges::replace(kind, '-', '_');
  return strings("workshop.bug_" + kind);
}

/// The kind of bug that is chosen from a list.
void kind_choice(Column& column, ViewState& view) {
  PanelContext& context = column.context;
  const Theme& theme = column.theme();
  ImFont* font = column.fonts().small;
  const ImVec2 low{column.left, column.y}, high{column.right, column.y + column.px(kHelpField)};
  ImGui::PushID("bug kind");
  ImGui::SetCursorScreenPos(low);
  if (hit_area("choice", {high.x - low.x, high.y - low.y})) open_menu(context.view, "kinds");
  mark(context, "bug.kind", low, high);
  explain(context, context.strings("workshop.bug_kind_meaning"));
  column.list->AddRectFilled(low, high, ImGui::IsItemHovered() ? mix(theme.raised, theme.accent, 0.10F) : theme.raised,
                             column.px(4));
  const std::string title =
      view.bug_kind.empty() ? context.strings("workshop.bug_kind") : kind_title(context.strings, view.bug_kind);
  draw_text(column.list, font, {low.x + column.px(8), centred_top(font, (low.y + high.y) / 2)},
            view.bug_kind.empty() ? theme.muted : theme.text, fit_text(font, title, column.width() - column.px(32)));
  draw_chevron(column.list, {high.x - column.px(10), (low.y + high.y) / 2}, column.px(8), theme.muted);
  ImGui::SetNextWindowPos({low.x, high.y + column.px(2)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(column.px(8), column.px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(column.px(8), column.px(4)));
  if (ImGui::BeginPopup("kinds")) {
    for (const std::string& kind : bug_kinds()) {
      if (ImGui::Selectable(kind_title(context.strings, kind).c_str(), kind == view.bug_kind, 0,
                            {column.width() - column.px(16), 0}))
        view.bug_kind = kind;
      mark(context, "bug.kind." + kind, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
  ImGui::PopID();
  column.y += column.px(kHelpField + 8);
}

/// Judgement::reason in a few words.
std::string reason_text(const Strings& strings, const std::string& reason) {
  if (reason.empty()) return strings("workshop.version_good");
  if (reason.starts_with("goal: ")) return strings("workshop.reason_goal");
  for (const char* known : {"result", "compile", "launch", "time", "error"})
    if (reason == known) return strings(std::string("workshop.reason_") + known);
  return strings.finding_name(reason);
}

/// A square for each case of a version.
float draw_letters(Column& column, float x, float middle, const std::string& letters) {
  const Theme& theme = column.theme();
  const float side = column.px(7), gap = column.px(2);
  for (const char letter : letters) {
    const ImU32 colour = letter == '+'                    ? theme.ok
                         : letter == 'x' || letter == '!' ? theme.error
                                                          : mix(theme.panel, theme.muted, 0.35F);
    column.list->AddRectFilled({x, middle - side / 2}, {x + side, middle + side / 2}, colour, column.px(1));
    x += side + gap;
  }
  return x;
}

/// A paragraph in which `words` between backquotes are code.
void with_code(Column& column, std::string_view text) {
  std::vector<TextRun> runs;
  for (bool code = false; !text.empty(); code = !code) {
    const size_t end = std::min(text.find('`'), text.size());
    if (end > 0) {
      ImFont* font = code ? column.fonts().code : column.fonts().small;
      runs.push_back({font, code ? column.theme().read : column.theme().text, text.substr(0, end)});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kHelpLine), runs);
}

}  // namespace

void bug_card(Column& column, Workshop& workshop) {
  if (!workshop.exercise().bug) return;
  PanelContext& context = column.context;
  const Strings& strings = context.strings;
  const ExerciseRecord& record = workshop.record();
  card_title(column, "workshop.bug", std::nullopt);
  if (record.bug_found) {
    paragraph(column, strings("workshop.bug_found"), column.theme().ok);
    return column.separator(14);
  }
  const auto line = context.view.selection.line;
  paragraph(column,
            line ? strings.format("workshop.bug_line", fmt::arg("line", *line)) : strings("workshop.bug_choose_line"),
            line ? column.theme().text : column.theme().muted);
  column.y += column.px(6);
  kind_choice(column, context.view);
  bool pressed = false;
  const float after = field_button(column, "bug_answer", strings("workshop.bug_answer"),
                                   strings("workshop.bug_answer_meaning"), column.left, &pressed);
  if (pressed && line && !context.view.bug_kind.empty())
    workshop.guess_bug(context.session, *line, context.view.bug_kind);
  if (record.bug_guesses > 0 && !record.bug_found) {
    ImFont* font = column.fonts().small;
    const std::string text = strings.format("workshop.bug_wrong", fmt::arg("count", record.bug_guesses));
    draw_text(column.list, font, {after, centred_top(font, column.y + column.px(kHelpField / 2))}, column.theme().error,
              fit_text(font, text, column.right - after));
  }
  column.y += column.px(kHelpField);
  column.separator(14);
}

void hints_card(Column& column, Workshop& workshop) {
  const Strings& strings = column.context.strings;
  const auto& hints = workshop.exercise().hints;
  if (hints.empty()) return;
  const int shown = std::min(workshop.record().hints, static_cast<int>(hints.size()));
  card_title(column, "workshop.hints", std::nullopt);
  for (int i = 0; i < shown; ++i) {
    with_code(column, strings(hints[static_cast<size_t>(i)]));
    column.y += column.px(8);
  }
  if (shown < static_cast<int>(hints.size())) {
    bool pressed = false;
    field_button(column, "hint",
                 strings.format("workshop.show_hint", fmt::arg("number", shown + 1), fmt::arg("all", hints.size())),
                 strings("workshop.show_hint_meaning"), column.left, &pressed);
    if (pressed) workshop.show_hint();
    column.y += column.px(kHelpField);
  }
  column.separator(14);
}

void versions_card(Column& column, Workshop& workshop) {
  PanelContext& context = column.context;
  const Strings& strings = context.strings;
  const auto& versions = workshop.record().versions;
  card_title(column, "workshop.versions", std::nullopt);
  if (context.session.newest_source()) {
    bool pressed = false;
    const float title = std::exchange(column.y, column.y - column.px(36));
    text_link(column, "restore_start", strings("workshop.restore_start"), strings("workshop.restore_start_meaning"),
              column.right, 28, &pressed);
    column.y = title;
    if (pressed) workshop.restore_start(context.session);
  }
  if (versions.empty()) paragraph(column, strings("workshop.no_versions"), column.theme().muted);
  ImFont* font = column.fonts().small;
  const size_t count = std::min(kVersionsShown, versions.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t index = versions.size() - 1 - i;
    const JudgedVersion& version = versions[index];
    const float row = column.px(kHelpRow), middle = column.y + row / 2;
    const ImVec2 low{column.left - column.px(6), column.y}, high{column.right + column.px(6), column.y + row};
    ImGui::SetCursorScreenPos(low);
    const std::string id = fmt::format("version_{}", version.number);
    const bool pressed = hit_area(id.c_str(), {high.x - low.x, row});
    const bool hovered = ImGui::IsItemHovered();
    mark(context, id, low, high);
    explain(context, strings.format("workshop.version_meaning", fmt::arg("number", version.number)) +
                         (version.what.empty() || workshop.hides_findings() ? "" : "\n" + strings.say(version.what)));
    if (hovered) column.list->AddRectFilled(low, high, column.theme().raised, column.px(4));
    const std::string number = std::to_string(version.number);
    draw_text(column.list, font, {column.left, centred_top(font, middle)}, column.theme().muted, number);
    draw_text(column.list, font, {column.left + column.px(24), centred_top(font, middle)}, column.theme().text,
              clock_of(version.time));
    const float after = draw_letters(column, column.left + column.px(66), middle, version.cases);
    const bool secret = workshop.hides_findings() && !version.reason.empty();
    const std::string outcome = secret ? strings("workshop.version_refused") : reason_text(strings, version.reason);
    draw_text_right(column.list, font, {column.right, centred_top(font, middle)},
                    version.reason.empty() ? column.theme().ok : column.theme().muted,
                    fit_text(font, outcome, column.right - after - column.px(8)));
    column.y += row;
    if (pressed) {
      workshop.restore_version(context.session, index);
      break;  // the list may be different now
    }
  }
  column.separator(14);
}

void solution_row(Column& column, Workshop& workshop) {
  PanelContext& context = column.context;
  const Strings& strings = context.strings;
  column.y += column.px(12);
  bool solution = false, next = false;
  float x = column.left;
  if (!workshop.record().solution)
    x = field_button(column, "solution", strings("workshop.show_solution"), strings("workshop.show_solution_meaning"),
                     x, &solution);
  if (solution) {
    workshop.show_solution();
    context.view.tab = "task";
    context.view.lesson_anchor = strings("workshop.solution_anchor");
  }
  if (const Exercise* following = workshop.next()) {
    field_button(column, "next_exercise", strings("workshop.next"),
                 strings.format("workshop.next_meaning", fmt::arg("title", strings(following->title))), x, &next);
    if (next) workshop.open(context.session, following->name, workshop.language());
  }
  column.y += column.px(kHelpField);
  column.separator(14);
}

}  // namespace tilescope
