// The skills page: what a learner of GPU operators should be able to do, and what answered cards and judged exercises
// say about it. The view has a tab only while it is shown; the rail and the palette open it.
//
//     Memory
//     Tell from addresses how many sectors a request touches        ████████░░░  62%
//     4 of 5 cards, 1 of 2 exercises, 1 due    Coalescing  Fix a strided kernel
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/recall/recall.hpp"
#include "app/views/view.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kSkillsSide = 24, kTop = 24, kGap = 48, kBar = 96, kPercent = 40, kLine = 20, kColumn = 620, kTwo = 900;

class SkillsView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool concerns(const Session&) const override { return false; }
  bool needs_no_run() const override { return true; }
  Lower lower(const PanelContext&, bool) const override { return {.lowered = 2000}; }  // as far as it goes
};

struct Pen {
  PanelContext& context;
  ImDrawList* list;
  float left, right, y;
  float px(float value) const { return context.px(value); }
  float width() const { return right - left; }
};

bool is_solved(const PanelContext& context, const std::string& exercise) {
  return context.workshop != nullptr && context.workshop->record(exercise).state >= ExerciseState::correct;
}

/// "4 of 5 cards, 1 of 2 exercises, 1 due"
std::string counts_text(const Strings& strings, const Strength& one) {
  std::string text;
  const auto append = [&](const std::string& part) { text += (text.empty() ? "" : strings("review.comma")) + part; };
  if (one.cards > 0)
    append(strings.format("skills.cards", fmt::arg("some", one.cards_right), fmt::arg("all", one.cards)));
  if (one.exercises > 0)
    append(strings.format("skills.exercises", fmt::arg("some", one.exercises_done), fmt::arg("all", one.exercises)));
  return text;
}

/// A link, in the line or on the next one. Returns whether it was pressed.
bool draw_link(Pen& pen, float& x, const std::string& id, const std::string& label, bool done,
               const std::string& meaning) {
  PanelContext& context = pen.context;
  ImFont* font = context.fonts.small;
  const float shape = done ? pen.px(14) : 0, width = text_size(font, label).x + shape;
  if (x > pen.left && x + width > pen.right) {
    x = pen.left;
    pen.y += pen.px(kLine);
  }
  const float middle = pen.y + pen.px(kLine / 2);
  const ImVec2 low{x, pen.y}, high{x + width, pen.y + pen.px(kLine)};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(id.c_str(), {width, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context, meaning);
  mark(context, id, low, high);
  if (done) draw_check(pen.list, {x + pen.px(5), middle}, pen.px(9), context.theme.ok, pen.px(1.5F));
  draw_text(pen.list, font, {x + shape, centred_top(font, middle)},
            hovered ? context.theme.accent : mix(context.theme.window, context.theme.accent, 0.8F), label);
  x += width + pen.px(14);
  return pressed;
}

void draw_links(Pen& pen, float x, const Skill& skill) {
  PanelContext& context = pen.context;
  for (const std::string& name : skill.labs)
    if (const Lab* lab = find_lab(name); lab != nullptr)
      if (draw_link(pen, x, "skill lab " + skill.id + " " + name, context.strings(lab->title), false,
                    context.strings("review.to_lesson"))) {
        context.session.select_lab(name);
        context.view.tab = "lesson";
      }
  if (context.workshop == nullptr) return;
  for (const std::string& name : skill.exercises)
    if (const Exercise* exercise = context.workshop->catalogue().find(name); exercise != nullptr)
      if (draw_link(pen, x, "skill exercise " + skill.id + " " + name, context.strings(exercise->title),
                    is_solved(context, name), context.strings("lesson.link_exercise")))
        context.workshop->open(context.session, name);
}

void draw_skill(Pen& pen, const Strength& one) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  ImFont *body = context.fonts.body, *small = context.fonts.small;
  const float top = pen.y, middle = top + pen.px(kLine / 2);
  const float bar_right = pen.right - pen.px(kPercent), bar_left = bar_right - pen.px(kBar), height = pen.px(4);
  const bool known = one.value > 0;
  const TextRun title[] = {
      {body, known ? theme.text : mix(theme.window, theme.text, 0.82F), context.strings(one.skill->title)}};
  pen.list->AddRectFilled({bar_left, middle - height / 2}, {bar_right, middle + height / 2}, theme.separator,
                          height / 2);
  if (known)
    pen.list->AddRectFilled(
        {bar_left, middle - height / 2},
        {bar_left + std::max(height, static_cast<float>(one.value) * (bar_right - bar_left)), middle + height / 2},
        theme.ok, height / 2);
  draw_text_right(pen.list, small, {pen.right, centred_top(small, middle)}, known ? theme.text : theme.muted,
                  fmt::format("{:.0f}%", 100 * one.value));
  pen.y += flow_text(pen.list, {pen.left, pen.y}, bar_left - pen.px(20) - pen.left, pen.px(kLine), title);
  mark(context, "skill " + one.skill->id, {pen.left, top}, {pen.right, pen.y});
  explain_rect(context, {bar_left, top}, {pen.right, top + pen.px(kLine)}, context.strings("skills.how"));
  const std::string counts = counts_text(context.strings, one);
  float x = pen.left;
  const auto note = [&](const std::string& text, ImU32 colour) {
    x += draw_text(pen.list, small, {x, centred_top(small, pen.y + pen.px(kLine / 2))}, colour, text).x + pen.px(14);
  };
  note(counts, theme.muted);
  if (one.due > 0) note(context.strings.format("review.count_due", fmt::arg("count", one.due)), theme.waiting);
  draw_links(pen, x, *one.skill);
  pen.y += pen.px(kLine + 14);
}

void draw_group(Pen& pen, const std::string& group, const std::vector<Strength>& all) {
  PanelContext& context = pen.context;
  ImFont* font = context.fonts.body_semibold;
  draw_text(pen.list, font, {pen.left, pen.y}, context.theme.text, context.strings("skills." + group));
  pen.y += pen.px(26);
  const float line = std::max(1.0F, std::round(context.view.scale));
  pen.list->AddRectFilled({pen.left, pen.y}, {pen.right, pen.y + line}, context.theme.separator);
  pen.y += pen.px(10);
  for (const Strength& one : all)
    if (one.skill->group == group) draw_skill(pen, one);
  pen.y += pen.px(16);
}

void SkillsView::draw(PanelContext& context) {
  if (context.recall == nullptr) return;
  const auto all = context.recall->strengths(context.session.learned,
                                             [&](const std::string& name) { return is_solved(context, name); });
  const ImVec2 start = ImGui::GetCursorScreenPos(), size = ImGui::GetWindowSize();
  const float left = std::round(start.x + context.px(kSkillsSide)), room = size.x - context.px(2 * kSkillsSide + 12);
  const bool two = room >= context.px(kTwo);
  const float column = two ? std::min((room - context.px(kGap)) / 2, context.px(kColumn)) : room;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float y = std::round(start.y + context.px(kTop));
  const auto shown = std::ranges::count_if(all, [](const Strength& one) { return one.value > 0; });
  const std::string title =
      context.strings.format("skills.shown", fmt::arg("some", shown), fmt::arg("all", all.size()));
  draw_text(list, context.fonts.title_semibold, {left, y}, context.theme.text, title);
  mark(context, "skills shown", {left, y}, {left + column, y + context.px(26)});
  y += context.px(32);
  const TextRun how[] = {{context.fonts.body, context.theme.muted, context.strings("skills.how")}};
  y += flow_text(list, {left, y}, std::min(room, context.px(2 * kColumn)), context.px(22), how) + context.px(24);
  // A group goes into the column that is shorter so far.
  Pen columns[] = {{context, list, left, left + column, y},
                   {context, list, left + column + context.px(kGap), left + 2 * column + context.px(kGap), y}};
  for (const std::string& group : skill_groups())
    draw_group(columns[two && columns[1].y < columns[0].y ? 1 : 0], group, all);
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy({1, std::max(columns[0].y, columns[1].y) - start.y + context.px(kTop)});
}

const ViewRegistration registered_skills{{"skills", 101, make_view<SkillsView>}};

}  // namespace
}  // namespace tilescope
