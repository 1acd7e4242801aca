// The predict card: a question that the learner answers before the run reveals the number.
//
//   Predict                         ‹ 1 of 3 ›
//   Rung 3, Several tiles per CTA
//   8 tiles per CTA: how many CTAs?
//   ┌─────┐ ┌──────┐ ┌───────┐
//   │ ✗ 7 │ │ ✓ 13 │ │  26   │
//   └─────┘ └──────┘ └───────┘
//   It is 13. A CTA covers 8 × BLOCK elements: …
#include <algorithm>

#include "app/panels/controls/controls_parts.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kLine = 20, kChoice = 24, kBetween = 8, kMark = 9;

/// A lab's question for the current values, and the chosen answer.
struct Question {
  const Predict& predict;
  int number = 0;                // index into Lab::predicts
  std::string key;               // in ViewState::guesses
  std::vector<int64_t> choices;  // ascending, each once
  int64_t answer;
  std::optional<int> pressed;  // index into choices

  bool right() const { return pressed && is_answer(static_cast<size_t>(*pressed)); }
  bool is_answer(size_t index) const { return index < choices.size() && choices[index] == answer; }
};

std::string key_of(const Lab& lab, int number) { return lab.name + "/" + std::to_string(number); }

/// The first question for a rung: its own first unanswered one, or its own first one; questions not tied to a rung come
/// after these.
int first_question(const PanelContext& context) {
  const Lab& lab = context.lab();
  const ChosenRung chosen = chosen_rung(context);
  const auto rank = [&](int number) {
    const Predict& predict = lab.predicts[static_cast<size_t>(number)];
    const bool concerned =
        predict.concerns(context.rung().name) || (chosen.rung != nullptr && predict.concerns(chosen.rung->name));
    const int about = predict.rungs.empty() ? 1 : concerned ? 0 : 2;
    return 2 * about + (context.view.guesses.contains(key_of(lab, number)) ? 1 : 0);
  };
  int best = 0;
  for (int number = 1; number < static_cast<int>(lab.predicts.size()); ++number)
    if (rank(number) < rank(best)) best = number;
  return best;
}

Question current_question(PanelContext& context) {
  const Lab& lab = context.lab();
  ViewState::ShownQuestion& shown = context.view.questions[lab.name];
  if (shown.rung != context.rung().name) shown = {first_question(context), context.rung().name};
  const int number = std::clamp(shown.number, 0, static_cast<int>(lab.predicts.size()) - 1);
  const Predict& predict = lab.predicts[static_cast<size_t>(number)];
  const Config& config = context.session.request().config;
  Question question{predict,     number, key_of(lab, number), predict.choices(config), predict.answer(config),
                    std::nullopt};
  auto& choices = question.choices;
  std::sort(choices.begin(), choices.end());
  choices.erase(std::unique(choices.begin(), choices.end()), choices.end());  // small sizes make some of them equal
  if (const auto guess = context.view.guesses.find(question.key); guess != context.view.guesses.end())
    question.pressed = guess->second;
  return question;
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

/// "‹ 1 of 3 ›" at the right of the title.
void question_numbers(Column& column, int number) {
  PanelContext& context = column.context;
  const int all = static_cast<int>(context.lab().predicts.size());
  if (all < 2) return;
  ImFont* font = column.fonts().small;
  const std::string text = context.strings.format("controls.of", fmt::arg("some", number + 1), fmt::arg("all", all));
  const float width = text_size(font, text).x, right = column.right - column.px(10);
  const float text_right = right - column.px(14);
  column.text_right(font, text_right, 28, column.theme().muted, text);
  int step = arrow(column, "next question", right, 1) ? 1 : 0;
  step -= arrow(column, "previous question", text_right - width - column.px(14), -1) ? 1 : 0;
  if (step != 0) context.view.questions[context.lab().name] = {(number + step + all) % all, context.rung().name};
}

/// The rungs that a question concerns; a press selects the first of them.
void about_rungs(Column& column, const Predict& predict) {
  PanelContext& context = column.context;
  if (predict.rungs.empty()) return;
  const Rung* first = find_rung(context.lab(), predict.rungs.front());
  if (first == nullptr) return;
  const std::string numbers =
      rung_numbers(context.lab(), [&](const Rung& rung) { return predict.concerns(rung.name); });
  const bool one = predict.rungs.size() == 1;
  std::string text =
      context.strings.format(one ? "controls.about_rung" : "controls.about_rungs", fmt::arg("rungs", numbers));
  if (one) text += context.strings("speed.comma") + context.strings(first->title);
  ImFont* font = column.fonts().small;
  const std::string shown = fit_text(font, text, column.width());
  const ImVec2 low{column.left, column.y}, high{column.left + text_size(font, shown).x, column.y + column.px(kLine)};
  const bool chosen = predict.concerns(context.rung().name);
  bool hovered = false;
  if (!chosen) {
    ImGui::SetCursorScreenPos(low);
    if (hit_area("question's rung", {std::max(1.0F, high.x - low.x), high.y - low.y})) {
      const int number = context.view.questions[context.lab().name].number;
      context.session.select_rung(first->name);
      context.view.questions[context.lab().name] = {number, first->name};
    }
    hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    explain(context, context.strings.format("lesson.link_rung", fmt::arg("name", context.strings(first->title))));
    mark(context, "question.rung", low, high);
  }
  const ImU32 ink = chosen ? column.theme().muted : hovered ? column.theme().text : column.theme().accent;
  draw_text(column.list, font, {low.x, centred_top(font, (low.y + high.y) / 2)}, ink, shown);
  column.y += column.px(kLine);
}

/// ✓ on the answer, ✗ on a wrong choice that was pressed: never distinguished by colour alone.
enum class ChoiceMark { none, check, cross };
ChoiceMark mark_of(const Question& question, size_t index) {
  if (!question.pressed) return ChoiceMark::none;
  if (question.is_answer(index)) return ChoiceMark::check;
  return question.pressed == static_cast<int>(index) ? ChoiceMark::cross : ChoiceMark::none;
}

float choice_width(const Column& column, const Question& question, size_t index) {
  const float text = text_size(column.fonts().small, with_separators(question.choices[index])).x;
  const float shape = question.pressed ? column.px(kMark + 6) : 0;
  return std::max(column.px(56), text + shape + column.px(20));
}

void choice_button(Column& column, const Question& question, size_t index, float x) {
  PanelContext& context = column.context;
  const Theme& theme = column.theme();
  const std::string label = with_separators(question.choices[index]);
  const ImVec2 low{x, column.y}, high{x + choice_width(column, question, index), column.y + column.px(kChoice)};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(index));
  if (hit_area("choice", {high.x - low.x, high.y - low.y}) && !question.pressed) {
    context.view.guesses[question.key] = static_cast<int>(index);
    context.view.reveal_answer = true;
    context.session.learned[context.lab().name].predictions.insert(question.number);
  }
  const bool hovered = ImGui::IsItemHovered() && !question.pressed;
  explain(context, context.strings("controls.predict_meaning"));
  ImGui::PopID();
  mark(context, "choice." + std::to_string(index), low, high);
  const ChoiceMark shape = mark_of(question, index);
  ImU32 frame = hovered ? theme.muted : theme.separator, ink = question.pressed ? theme.muted : theme.text;
  if (shape == ChoiceMark::check) frame = ink = theme.ok;
  if (shape == ChoiceMark::cross) frame = ink = theme.error;
  column.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, frame, column.px(6), 0,
                       column.px(1));
  ImFont* font = shape == ChoiceMark::check ? column.fonts().small_semibold : column.fonts().small;
  const ImVec2 centre{(low.x + high.x) / 2, (low.y + high.y) / 2};
  const float room = shape == ChoiceMark::none ? 0 : column.px(kMark + 6);
  const float text = text_size(font, label).x, left = centre.x - (text + room) / 2;
  const ImVec2 at{left + column.px(kMark / 2), centre.y};
  if (shape == ChoiceMark::check) draw_check(column.list, at, column.px(kMark), ink, column.px(1.5F));
  if (shape == ChoiceMark::cross) draw_cross(column.list, at, column.px(kMark), ink, column.px(1.5F));
  if (shape != ChoiceMark::none) mark(context, shape == ChoiceMark::check ? "choice.check" : "choice.cross", low, high);
  draw_text_centred(column.list, font, {left + room + text / 2, centre.y}, ink, label);
}

/// Side by side, on as many lines as needed.
void choice_buttons(Column& column, const Question& question) {
  float x = column.left;
  for (size_t index = 0; index < question.choices.size(); ++index) {
    const float width = choice_width(column, question, index);
    if (x > column.left && x + width > column.right) {
      x = column.left;
      column.y += column.px(kChoice + kBetween);
    }
    choice_button(column, question, index, x);
    x += width + column.px(kBetween);
  }
  column.y += column.px(kChoice);
}

/// "Right: 49." or "It is 49.", and why.
void reveal(Column& column, const Question& question) {
  PanelContext& context = column.context;
  const Fonts& fonts = column.fonts();
  const std::string verdict = context.strings.format(question.right() ? "controls.right" : "controls.wrong",
                                                     fmt::arg("answer", with_separators(question.answer)));
  const std::string why =
      question.predict.why ? " " + context.strings(question.predict.why(context.session.request().config)) : "";
  const ImU32 colour = question.right() ? column.theme().ok : column.theme().error;
  const TextRun runs[] = {{fonts.small_semibold, colour, verdict}, {fonts.small, column.theme().text, why}};
  column.y += column.px(6);
  const float top = column.y;
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kLine), runs);
  mark(context, "answer", {column.left, top}, {column.right, column.y});
}

}  // namespace

bool predict_card(Column& column) {
  PanelContext& context = column.context;
  if (context.lab().predicts.empty()) return false;
  const Question question = current_question(context);
  question_numbers(column, question.number);
  card_title(column, "controls.predict", std::nullopt);
  column.y -= column.px(4);
  about_rungs(column, question.predict);
  const TextRun asked[] = {{column.fonts().small, column.theme().text, context.strings(question.predict.question)}};
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kLine), asked) + column.px(4);
  choice_buttons(column, question);
  if (question.pressed) reveal(column, question);
  column.y += column.px(12);
  // In the frame of the press there is no answer to scroll to yet.
  return question.pressed && std::exchange(context.view.reveal_answer, false);
}

}  // namespace tilescope
