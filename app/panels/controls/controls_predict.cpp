// The predict card: a question that the learner answers before its number is shown. While it is open it stands above
// the rungs, and the number is veiled wherever it appears; afterwards it stands below the cards.
//
//   Predict                         ‹ 1 of 3 ›
//   Rung 3, Several tiles per CTA
//   8 tiles per CTA: how many CTAs?
//   ┌─────┐ ┌──────┐ ┌───────┐
//   │ ✗ 7 │ │ ✓ 13 │ │  26   │           Skip
//   └─────┘ └──────┘ └───────┘
//   The answer is 13. A CTA covers 8 × BLOCK elements: …      [RECORDED]
#include <algorithm>

#include "app/panels/controls/controls_parts.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kPredictLine = 20, kChoice = 24, kBetween = 8, kMark = 9;

const std::string& label_of(const Question& question, int64_t value) {
  static const std::string none;
  for (const auto& [choice, label] : question.choices)
    if (choice == value) return label;
  return none;
}

/// ‹ or ›, to the previous or next question. Returns whether it was pressed.
bool arrow(Column& column, const char* id, float centre, int direction) {
  PanelContext& context = column.context;
  const float middle = column.y + column.px(24), side = column.px(20);
  const ImVec2 low{centre - side / 2, middle - side / 2}, high{centre + side / 2, middle + side / 2};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(id, {side, side});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context, context.strings(direction > 0 ? "controls.next_question" : "controls.previous_question"));
  mark(context, id, low, high);
  const float half = column.px(4), tip = static_cast<float>(direction) * half / 2;
  const ImVec2 points[] = {{centre - tip, middle - half}, {centre + tip, middle}, {centre - tip, middle + half}};
  column.list->AddPolyline(points, 3, hovered ? column.theme().accent : column.theme().muted, ImDrawFlags_None,
                           column.px(1.5F));
  return pressed;
}

void show_question(PanelContext& context, size_t number) {
  context.view.questions[context.lab().name].number = static_cast<int>(number);
}

/// "‹ 1 of 3 ›" at the right of the title.
void question_numbers(Column& column, int number, int all) {
  PanelContext& context = column.context;
  if (all < 2) return;
  ImFont* font = column.fonts().small;
  const std::string text = context.strings.format("controls.of", fmt::arg("some", number + 1), fmt::arg("all", all));
  const float width = text_size(font, text).x, right = column.right - column.px(10);
  const float text_right = right - column.px(14);
  column.text_right(font, text_right, 28, column.theme().muted, text);
  int step = arrow(column, "next question", right, 1) ? 1 : 0;
  step -= arrow(column, "previous question", text_right - width - column.px(14), -1) ? 1 : 0;
  if (step != 0) show_question(context, static_cast<size_t>((number + step + all) % all));
}

/// The rungs that a question concerns; a press selects the first of them.
void about_rungs(Column& column, const Question& question) {
  PanelContext& context = column.context;
  if (question.rungs.empty()) return;
  const Rung* first = find_rung(context.lab(), question.rungs.front());
  if (first == nullptr) return;
  const auto concerned = [&](const std::string& rung) {
    return std::ranges::find(question.rungs, rung) != question.rungs.end();
  };
  const std::string numbers = rung_numbers(context.lab(), [&](const Rung& rung) { return concerned(rung.name); });
  const bool one = question.rungs.size() == 1;
  std::string text =
      context.strings.format(one ? "controls.about_rung" : "controls.about_rungs", fmt::arg("rungs", numbers));
  if (one) text += context.strings("speed.comma") + context.strings(first->title);
  ImFont* font = column.fonts().small;
  const std::string shown = fit_text(font, text, column.width());
  const ImVec2 low{column.left, column.y},
      high{column.left + text_size(font, shown).x, column.y + column.px(kPredictLine)};
  const bool chosen = concerned(context.rung().name);
  bool hovered = false;
  if (!chosen) {
    ImGui::SetCursorScreenPos(low);
    if (hit_area("question's rung", {std::max(1.0F, high.x - low.x), high.y - low.y})) {
      const int number = context.view.questions[context.lab().name].number;
      context.session.select_rung(first->name);
      context.view.questions[context.lab().name] = {number, first->name, false};
    }
    hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    explain(context, context.strings.format("lesson.link_rung", fmt::arg("name", context.strings(first->title))));
    mark(context, "question.rung", low, high);
  }
  const ImU32 ink = chosen ? column.theme().muted : hovered ? column.theme().text : column.theme().accent;
  draw_text(column.list, font, {low.x, centred_top(font, (low.y + high.y) / 2)}, ink, shown);
  column.y += column.px(kPredictLine);
}

/// ✓ on the answer, ✗ on a wrong choice that was pressed: never distinguished by colour alone.
enum class ChoiceMark { none, check, cross };
ChoiceMark mark_of(const Question& question, int64_t value) {
  if (!question.pressed) return ChoiceMark::none;
  if (value == question.answer) return ChoiceMark::check;
  return question.pressed == value ? ChoiceMark::cross : ChoiceMark::none;
}

float choice_width(const Column& column, const Question& question, const std::string& label) {
  const float text = text_size(column.fonts().small, label).x;
  const float shape = question.pressed ? column.px(kMark + 6) : 0;
  return std::min(std::max(column.px(56), text + shape + column.px(20)), column.width());
}

void choice_button(Column& column, const Question& question, size_t index, float x) {
  PanelContext& context = column.context;
  const Theme& theme = column.theme();
  const auto& [value, label] = question.choices[index];
  const float width = choice_width(column, question, label);
  const ImVec2 low{x, column.y}, high{x + width, column.y + column.px(kChoice)};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(index));
  if (hit_area("choice", {high.x - low.x, high.y - low.y}) && !question.pressed) {
    answer_question(context, question, value);
    context.view.reveal_answer = true;
  }
  const bool hovered = ImGui::IsItemHovered() && !question.pressed;
  explain(context, context.strings("controls.predict_meaning"));
  ImGui::PopID();
  mark(context, "choice." + std::to_string(index), low, high);
  const ChoiceMark shape = mark_of(question, value);
  ImU32 frame = hovered ? theme.muted : theme.separator, ink = question.pressed ? theme.muted : theme.text;
  if (shape == ChoiceMark::check) frame = ink = theme.ok;
  if (shape == ChoiceMark::cross) frame = ink = theme.error;
  column.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, frame, column.px(6), 0,
                       column.px(1));
  ImFont* font = shape == ChoiceMark::check ? column.fonts().small_semibold : column.fonts().small;
  const ImVec2 centre{(low.x + high.x) / 2, (low.y + high.y) / 2};
  const float room = shape == ChoiceMark::none ? 0 : column.px(kMark + 6);
  const std::string shown = fit_text(font, label, width - room - column.px(12));
  const float text = text_size(font, shown).x, left = centre.x - (text + room) / 2;
  const ImVec2 at{left + column.px(kMark / 2), centre.y};
  if (shape == ChoiceMark::check) draw_check(column.list, at, column.px(kMark), ink, column.px(1.5F));
  if (shape == ChoiceMark::cross) draw_cross(column.list, at, column.px(kMark), ink, column.px(1.5F));
  if (shape != ChoiceMark::none) mark(context, shape == ChoiceMark::check ? "choice.check" : "choice.cross", low, high);
  draw_text_centred(column.list, font, {left + room + text / 2, centre.y}, ink, shown);
}

/// Side by side, on as many lines as needed. Returns the right end of the last one.
float choice_buttons(Column& column, const Question& question) {
  float x = column.left;
  for (size_t index = 0; index < question.choices.size(); ++index) {
    const float width = choice_width(column, question, question.choices[index].second);
    if (x > column.left && x + width > column.right) {
      x = column.left;
      column.y += column.px(kChoice + kBetween);
    }
    choice_button(column, question, index, x);
    x += width + column.px(kBetween);
  }
  column.y += column.px(kChoice);
  return x;
}

bool is_at_top(const PanelContext& context) {
  const auto shown = context.view.questions.find(context.lab().name);
  return shown != context.view.questions.end() && shown->second.at_top;
}

/// "Skip" while the question is open, then "Next question" if there is another open one; at the right of the choices,
/// or below them. `after`: their right end.
void question_link(Column& column, const std::vector<Question>& questions, size_t number, float after) {
  PanelContext& context = column.context;
  const bool open = questions[number].is_open() && is_at_top(context);  // below, nothing is veiled
  const auto next = next_open(questions, number);
  if (!open && (!next || !questions[number].pressed)) return;
  const std::string& text = context.strings(open ? "controls.skip_question" : "controls.go_to_next_question");
  const float width = text_size(column.fonts().small, text).x;
  if (after + width > column.right) column.y += column.px(kPredictLine + 6);  // on a line of its own
  const float y = column.y;
  column.y -= column.px(kChoice);
  bool pressed = false;
  text_link(column, open ? "skip_question" : "go_to_next_question", text,
            context.strings(open ? "controls.skip_question_meaning" : "controls.next_question"), column.right, 16,
            &pressed);
  column.y = y;
  if (!pressed) return;
  if (open)
    skip_question(context, questions, number);
  else
    show_question(context, *next);
}

/// "Right: 49." or "The answer is 49.", and why. A measured answer has the badge of its source.
void reveal(Column& column, const Question& question) {
  PanelContext& context = column.context;
  const Fonts& fonts = column.fonts();
  const std::string verdict = context.strings.format(question.right() ? "controls.right" : "controls.wrong",
                                                     fmt::arg("answer", label_of(question, question.answer)));
  const std::string why = " " + question.why();
  const ImU32 colour = question.right() ? column.theme().ok : column.theme().error;
  const TextRun runs[] = {{fonts.small_semibold, colour, verdict}, {fonts.small, column.theme().text, why}};
  column.y += column.px(6);
  const float top = column.y;
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kPredictLine), runs);
  if (question.badge) {
    column.y += column.px(4);
    draw_badge(context, column.list, {column.left + badge_width(context, *question.badge), column.y}, *question.badge);
    column.y += column.px(20);
  }
  mark(context, "answer", {column.left, top}, {column.right, column.y});
}

/// Returns whether an answer is shown.
bool draw_question(Column& column, const std::vector<Question>& questions, size_t number) {
  const Question& question = questions[number];
  question_numbers(column, static_cast<int>(number), static_cast<int>(questions.size()));
  card_title(column, "controls.predict", std::nullopt);
  column.y -= column.px(4);
  about_rungs(column, question);
  const TextRun asked[] = {{column.fonts().small, column.theme().text, question.text}};
  const float top = column.y;
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kPredictLine), asked);
  mark(column.context, "question.text", {column.left, top}, {column.right, column.y});
  explain_rect(column.context, {column.left, top}, {column.right, column.y},
               column.context.strings("controls.predict_meaning"));
  column.y += column.px(4);
  const float after = choice_buttons(column, question);
  question_link(column, questions, number, after);
  if (question.pressed) reveal(column, question);
  column.y += column.px(12);
  return question.pressed.has_value();
}

}  // namespace

void open_question(Column& column) {
  if (!is_at_top(column.context)) return;
  const std::vector<Question> questions = questions_of(column.context);
  const auto number = shown_question(column.context, questions);
  if (!number) return;
  draw_question(column, questions, *number);
  column.context.view.reveal_answer = false;  // it is in sight
  column.separator(0);
}

bool predict_card(Column& column) {
  if (is_at_top(column.context)) return false;
  const std::vector<Question> questions = questions_of(column.context);
  const auto number = shown_question(column.context, questions);
  if (!number) return false;
  // In the frame of the press there is no answer to scroll to yet.
  return draw_question(column, questions, *number) && std::exchange(column.context.view.reveal_answer, false);
}

}  // namespace tilescope
