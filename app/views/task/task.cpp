// The task of an exercise, and how the newest judgement went, case by case.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/exercises/goals.hpp"
#include "app/exercises/submission.hpp"
#include "app/views/task/task_view.hpp"
#include "app/workshop/workshop.hpp"
#include "engine/numbers.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

const ViewRegistration registered_task{{"task", 95, make_view<TaskView>, /*leads=*/true}};

// Unscaled pixels.
constexpr float kRow = 26, kLine = 20, kLeastCases = 300, kMostCases = 440;

std::string sizes_text(const std::map<std::string, int64_t>& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, with_separators(value));
  return text;
}

void draw_state(const PanelContext& context, ImVec2 centre, CaseOutcome::State state) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float line = std::max(1.5F, context.px(1.75F));
  switch (state) {
    case CaseOutcome::State::correct:
      return draw_check(list, centre, context.px(10), theme.ok, line);
    case CaseOutcome::State::finding:
      return draw_finding_mark(list, centre, context.px(12), theme.error, line);
    case CaseOutcome::State::wrong:
    case CaseOutcome::State::failed:
      return draw_cross(list, centre, context.px(9), theme.error, line);
    case CaseOutcome::State::not_run:
      break;
  }
  list->AddCircle(centre, context.px(4), mix(theme.window, theme.muted, 0.7F), 16, context.px(1.25F));
}

/// "2026-11-26T14:03:00Z" → "Judged on 2026-11-26 at 14:03 (UTC)."
std::string judged_when(const Strings& strings, const JudgedVersion& version) {
  const std::string date = version.time.substr(0, 10);
  const std::string clock = version.time.size() >= 16 ? version.time.substr(11, 5) : std::string();
  return strings.format("workshop.judged_when", fmt::arg("date", date), fmt::arg("time", clock));
}

/// Why a version was refused that was judged before the exercise was opened: its cases do not say it any more.
std::string kept_reason(const PanelContext& context, const Workshop& workshop) {
  const JudgedVersion* kept = workshop.kept_version();
  if (kept == nullptr || kept->what.empty() || workshop.hides_findings()) return {};
  const std::string text = context.strings.say(kept->what);
  return kept->what.english().ends_with('.') ? text : text + context.strings("workshop.stop");
}

}  // namespace

LessonView::Page TaskText::page(const PanelContext& context) const {
  const Workshop& workshop = *context.workshop;
  const Exercise& exercise = workshop.exercise();
  const std::string language = context.strings.language == Language::en ? "en" : "zh";
  Page page{.id = lab_name_of(exercise), .file = exercise.folder / ("task." + language + ".md")};
  page.before = "# " + context.strings(exercise.title) + "\n\n";
  if (!workshop.record().solution) return page;
  const bool triton = workshop.language() == KernelLanguage::triton;
  page.id += triton ? " solution in Triton" : " solution";
  page.after = fmt::format("\n\n## {}\n\n{}\n\n```{}\n{}```\n", context.strings("workshop.solution"),
                           read_text(exercise.folder / ("solution." + language + ".md")).value_or(""),
                           triton ? "python" : "cuda", workshop.solution_text());
  return page;
}

bool TaskView::concerns(const Session& session) const { return shows_exercise(session); }

bool TaskView::moving(const Session& session, const ViewState& view) const { return text_.moving(session, view); }

Lower TaskView::lower(const PanelContext&, bool) const { return {Lower::Areas::source}; }

void TaskView::draw(PanelContext& context) {
  Workshop* workshop = context.workshop;
  if (workshop == nullptr || !workshop->is_shown(context.session))
    return empty_state(context, context.strings("view.task.none"), context.strings("view.task.choose"));
  const ImVec2 origin = ImGui::GetCursorScreenPos(), size = ImGui::GetWindowSize();
  const float cases = std::clamp(size.x * 0.36F, context.px(kLeastCases), context.px(kMostCases));
  const float text = size.x - cases;
  ImGui::SetCursorScreenPos(origin);
  ImGui::BeginChild("task text", {text, size.y}, false, ImGuiWindowFlags_NoNav);
  text_.draw(context);
  ImGui::EndChild();
  const float line = std::max(1.0F, std::round(context.view.scale));
  ImGui::GetWindowDrawList()->AddRectFilled({origin.x + text, origin.y}, {origin.x + text + line, origin.y + size.y},
                                            context.theme.separator);
  ImGui::SetCursorScreenPos({origin.x + text + line, origin.y});
  ImGui::BeginChild("task cases", {cases - line, size.y}, false, ImGuiWindowFlags_NoNav);
  draw_cases(context, *workshop);
  ImGui::EndChild();
}

/// "Correct, but 32 sectors per request; the goal is at most 4.1." Returns the height.
float TaskView::draw_verdict(PanelContext& context, const Workshop& workshop, ImVec2 at, float width) {
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  const auto judgement = workshop.judgement();
  std::string title, rest;
  ImU32 colour = theme.muted;
  if (workshop.judging()) {
    title = strings.format("workshop.judging", fmt::arg("done", judgement ? judgement->correct_cases() : 0),
                           fmt::arg("all", workshop.exercise().cases.size()));
  } else if (!judgement) {
    title = strings("workshop.not_judged");
    rest = strings("workshop.press_judge");
  } else if (judgement->broken) {
    title = strings("workshop.broken");
    rest = strings.message(*judgement->broken);
    colour = theme.error;
  } else {
    switch (judgement->verdict) {
      case Judgement::Verdict::all_goals:
        title = strings("workshop.all_goals");
        colour = theme.ok;
        break;
      case Judgement::Verdict::correct:
        title = strings("workshop.correct_but");
        rest = strings.say(judgement->what) + strings("workshop.stop");
        colour = theme.ok;
        break;
      case Judgement::Verdict::refused:
        title = strings.format("workshop.refused", fmt::arg("done", judgement->correct_cases()),
                               fmt::arg("all", judgement->cases.size()));
        rest = judgement->error ? strings.message(*judgement->error) : kept_reason(context, workshop);
        colour = theme.error;
    }
  }
  const std::string space = strings("review.space");
  if (judgement && workshop.judgement_is_old() && !workshop.judging())
    rest += (rest.empty() ? "" : space) + strings("workshop.old");
  if (const JudgedVersion* kept = workshop.kept_version())
    rest += (rest.empty() ? "" : space) + judged_when(strings, *kept);
  float y = at.y;
  draw_text(ImGui::GetWindowDrawList(), context.fonts.body_semibold, {at.x, y}, colour,
            fit_text(context.fonts.body_semibold, title, width));
  mark(context, "task.verdict", {at.x, y}, {at.x + width, y + context.px(kLine)});
  y += context.px(kLine + 6);
  if (!rest.empty()) {
    mark(context, "task.verdict.rest", {at.x, y}, {at.x + width, y + context.px(kLine)});
    const TextRun run[] = {{context.fonts.small, colour == theme.muted ? theme.muted : theme.text, rest}};
    y += flow_text(ImGui::GetWindowDrawList(), {at.x, y}, width, context.px(kLine), run) + context.px(4);
  }
  return y - at.y;
}

void TaskView::draw_cases(PanelContext& context, Workshop& workshop) {
  const Exercise& exercise = workshop.exercise();
  const auto judgement = workshop.judgement();
  const ImVec2 window = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetWindowWidth() - context.px(2 * 16);
  ImVec2 at{window.x + context.px(16), window.y + context.px(20)};
  const bool judged = judgement != nullptr && badge_fits(context, workshop, at, width);
  at.y += draw_verdict(context, workshop, at,
                       width - (judged ? badge_width(context, Badge::simulated) + context.px(12) : 0));
  bool hidden = false;
  for (size_t i = 0; i < exercise.cases.size(); ++i) {
    const ExerciseCase& one = exercise.cases[i];
    if (i == 0 || one.hidden != hidden) {
      hidden = one.hidden;
      at.y += context.px(8);
      draw_text(ImGui::GetWindowDrawList(), context.fonts.small, at, context.theme.muted,
                context.strings(hidden ? "workshop.hidden_cases" : "workshop.cases"));
      at.y += context.px(kLine + 4);
    }
    at.y += draw_case(context, workshop, i, at, width);
  }
  ImGui::SetCursorScreenPos({window.x, at.y});
  ImGui::Dummy({1, context.px(24)});
}

/// The badge of the judgement, at the right end of the first line.
bool TaskView::badge_fits(PanelContext& context, const Workshop& workshop, ImVec2 at, float width) {
  if (workshop.judging() || workshop.judgement()->error) return false;
  const Badge badge = workshop.judgement()->device == DeviceKind::gpu ? Badge::measured : Badge::simulated;
  draw_badge(context, ImGui::GetWindowDrawList(), {at.x + width, at.y - context.px(1)}, badge);
  return true;
}

/// Returns the height.
float TaskView::draw_case(PanelContext& context, Workshop& workshop, size_t index, ImVec2 at, float width) {
  const ExerciseCase& one = workshop.exercise().cases[index];
  const auto judgement = workshop.judgement();
  const CaseOutcome* outcome = judgement ? &judgement->cases[index] : nullptr;
  const CaseOutcome::State state = outcome != nullptr ? outcome->state : CaseOutcome::State::not_run;
  // What a hidden case is stays hidden until it has been judged.
  const bool secret = one.hidden && state == CaseOutcome::State::not_run;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const float row = context.px(kRow), middle = at.y + row / 2;
  const ImVec2 low{at.x - context.px(8), at.y}, high{at.x + width + context.px(8), at.y + row};
  const bool current = workshop.shown_case() == index;
  if (current) {
    list->AddRectFilled(low, high, theme.raised, context.px(6));
    list->AddRectFilled({low.x, low.y + context.px(5)}, {low.x + context.px(2), high.y - context.px(5)}, theme.accent);
  }
  ImGui::PushID(static_cast<int>(index));
  ImGui::SetCursorScreenPos(low);
  if (hit_area("case", {high.x - low.x, row}) && !secret) workshop.show_case(context.session, index);
  const bool hovered = ImGui::IsItemHovered() && !secret;
  ImGui::PopID();
  mark(context, fmt::format("case.{}", index + 1), low, high);
  explain_rect(context, low, high, context.strings(secret ? "workshop.case_hidden_meaning" : "workshop.case_meaning"));
  draw_state(context, {at.x + context.px(6), middle}, state);
  std::string text = secret ? context.strings("workshop.case_hidden")
                            : sizes_text(outcome != nullptr ? outcome->sizes : sizes_of(one, workshop.seed()));
  const std::string& about = context.strings(one.about);
  if (!secret && !about.empty()) text += (text.empty() ? "" : " · ") + about;
  const std::string time = outcome != nullptr && outcome->milliseconds > 0 && state != CaseOutcome::State::not_run
                               ? fmt::format("{:.0f} ms", outcome->milliseconds)
                               : std::string();
  const float room = width - context.px(28) - (time.empty() ? 0 : text_size(font, time).x + context.px(12));
  draw_text(list, font, {at.x + context.px(22), centred_top(font, middle)},
            secret               ? theme.muted
            : hovered || current ? theme.text
                                 : mix(theme.window, theme.text, 0.85F),
            fit_text(font, text, room));
  draw_text_right(list, font, {at.x + width, centred_top(font, middle)}, theme.muted, time);
  float height = row;
  if (outcome != nullptr && !outcome->what.empty()) {
    const bool secret_finding = state == CaseOutcome::State::finding && workshop.hides_findings();
    const std::string what =
        secret_finding ? context.strings("workshop.finding_hidden") : context.strings.say(outcome->what);
    const TextRun run[] = {{font, theme.error, what}};
    height += context.px(2) + flow_text(list, {at.x + context.px(22), at.y + row + context.px(2)},
                                        width - context.px(22), context.px(kLine), run);
    mark(context, fmt::format("case.{}.what", index + 1), {at.x, at.y + row}, {at.x + width, at.y + height});
  }
  return height + context.px(2);
}

}  // namespace tilescope
