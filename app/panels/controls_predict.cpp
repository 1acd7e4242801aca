// The predict card: a question that is answered before the run reveals the number.
#include <algorithm>

#include "app/panels/controls_parts.hpp"

namespace tilescope {
namespace {

constexpr float kLine = 20;

/// A lab's question for the current values, and what was pressed.
struct Question {
  const Predict& predict;
  std::string key;               // in ViewState::guesses
  std::vector<int64_t> choices;  // ascending, each once
  int64_t answer;
  std::optional<int> pressed;  // index into choices

  bool right() const { return pressed && is_answer(static_cast<size_t>(*pressed)); }
  bool is_answer(size_t index) const { return index < choices.size() && choices[index] == answer; }
};

Question current_question(PanelContext& context) {
  const Lab& lab = context.lab();
  int& number = context.view.questions[lab.name];
  number = std::clamp(number, 0, static_cast<int>(lab.predicts.size()) - 1);
  const Predict& predict = lab.predicts[static_cast<size_t>(number)];
  const Config& config = context.session.request().config;
  Question question{predict, lab.name + "/" + std::to_string(number), predict.choices(config), predict.answer(config),
                    std::nullopt};
  auto& choices = question.choices;
  std::sort(choices.begin(), choices.end());
  choices.erase(std::unique(choices.begin(), choices.end()), choices.end());  // small sizes make some of them equal
  if (const auto guess = context.view.guesses.find(question.key); guess != context.view.guesses.end())
    question.pressed = guess->second;
  return question;
}

/// "next", at the right of the title.
void next_question(Column& column) {
  const Lab& lab = column.context.lab();
  if (lab.predicts.size() < 2) return;
  ImFont* font = column.fonts().small;
  const std::string& label = column.context.strings("controls.next_question");
  const ImVec2 size = text_size(font, label);
  ImGui::SetCursorScreenPos({column.right - size.x, column.y + column.px(14)});
  if (ImGui::InvisibleButton("next question", {size.x, column.px(kLine)})) {
    int& number = column.context.view.questions[lab.name];
    number = (number + 1) % static_cast<int>(lab.predicts.size());
  }
  mark(column.context, "next question", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  column.text_right(font, column.right, 28, ImGui::IsItemHovered() ? column.theme().text : column.theme().muted, label);
}

/// One choice; returns its right edge.
float choice_button(Column& column, const Question& question, size_t index, float x) {
  PanelContext& context = column.context;
  const Theme& theme = column.theme();
  ImFont* font = column.fonts().small;
  const std::string label = with_separators(question.choices[index]);
  const float width = std::max(column.px(56), text_size(font, label).x + column.px(20));
  const ImVec2 low{x, column.y}, high{x + width, column.y + column.px(24)};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(index));
  if (ImGui::InvisibleButton("choice", {width, high.y - low.y}) && !question.pressed) {
    context.view.guesses[question.key] = static_cast<int>(index);
    context.view.reveal_answer = true;
  }
  const bool hovered = ImGui::IsItemHovered() && !question.pressed;
  ImGui::PopID();
  mark(context, "choice." + std::to_string(index), low, high);
  ImU32 frame = hovered ? theme.muted : theme.separator, ink = theme.text;
  if (question.pressed && question.is_answer(index))
    frame = ink = theme.ok;
  else if (question.pressed == static_cast<int>(index))
    frame = ink = theme.error;
  column.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, frame, column.px(6), 0,
                       column.px(1));
  draw_text_centred(column.list, font, {(low.x + high.x) / 2, (low.y + high.y) / 2}, ink, label);
  return high.x;
}

/// "Right: 49." or "It is 49.", and why.
void reveal(Column& column, const Question& question) {
  const PanelContext& context = column.context;
  const Fonts& fonts = column.fonts();
  const std::string verdict = context.strings.format(question.right() ? "controls.right" : "controls.wrong",
                                                     fmt::arg("answer", with_separators(question.answer)));
  const std::string why =
      question.predict.why ? " " + context.strings(question.predict.why(context.session.request().config)) : "";
  const ImU32 colour = question.right() ? column.theme().ok : column.theme().error;
  const TextRun runs[] = {{fonts.small_semibold, colour, verdict}, {fonts.small, column.theme().text, why}};
  column.y += column.px(6);
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kLine), runs);
}

}  // namespace

void predict_card(Column& column) {
  PanelContext& context = column.context;
  if (context.lab().predicts.empty()) return;
  next_question(column);
  card_title(column, "controls.predict", std::nullopt);
  const Question question = current_question(context);
  const TextRun asked[] = {{column.fonts().small, column.theme().text, context.strings(question.predict.question)}};
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kLine), asked) + column.px(4);
  float x = column.left;
  for (size_t index = 0; index < question.choices.size(); ++index)
    x = choice_button(column, question, index, x) + column.px(8);
  column.y += column.px(24);
  if (question.pressed) reveal(column, question);
  column.y += column.px(8);
}

}  // namespace tilescope
