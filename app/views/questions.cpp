#include "app/views/questions.hpp"

#include <algorithm>

#include "app/draw/widgets.hpp"
#include "app/observed/speed_model.hpp"
#include "app/observed/speed_questions.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {
namespace {

const LabProgress& progress_of(const PanelContext& context) {
  static const LabProgress none;
  const auto found = context.session.learned.find(context.lab().name);
  return found != context.session.learned.end() ? found->second : none;
}

std::vector<int64_t> values_of(const Question& question) {
  std::vector<int64_t> values;
  values.reserve(question.choices.size());
  for (const auto& [value, label] : question.choices) values.push_back(value);
  return values;
}

/// What the learner has done with the question.
void look_up(Question& question, const LabProgress& progress) {
  if (const Guess* guess = progress.guess_at(question.key, values_of(question), question.answer))
    question.pressed = guess->pressed;
  question.skipped = progress.skipped.contains(question.key);
}

Question own_question(const PanelContext& context, int number, const ChosenRung& chosen) {
  const Predict& predict = context.lab().predicts[static_cast<size_t>(number)];
  // A rung that picks runs with the parameters that it picks.
  const Config& config = chosen.rung != nullptr ? chosen.config : context.session.request().config;
  Question question{.key = std::to_string(number),
                    .own = number,
                    .text = context.strings(predict.question),
                    .why = [&predict, &strings = context.strings,
                            config] { return predict.why ? strings(predict.why(config)) : std::string(); },
                    .choices = {},
                    .answer = predict.answer(config),
                    .rungs = predict.rungs,
                    .veils = predict.veils,
                    .badge = {},
                    .pressed = {},
                    .skipped = false,
                    .here = predict.rungs.empty() || predict.concerns(context.rung().name) ||
                            (chosen.rung != nullptr && predict.concerns(chosen.rung->name))};
  std::vector<int64_t> values = predict.choices(config);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());  // small sizes make some of them equal
  for (const int64_t value : values) question.choices.emplace_back(value, with_separators(value));
  return question;
}

Question timed_question(SpeedQuestion&& asked, Badge badge) {
  return {.key = std::move(asked.key),
          .own = {},
          .text = std::move(asked.text),
          .why = [why = std::move(asked.why)] { return why; },
          .choices = std::move(asked.choices),
          .answer = asked.answer,
          .rungs = {},
          .veils = ShownNumber::speed,
          .badge = badge,
          .pressed = {},
          .skipped = false,
          .here = true};
}

/// The first question for a rung: an open one of its own, then one about all rungs, then an answered one, then those
/// about other rungs.
size_t first_question(const std::vector<Question>& questions) {
  const auto rank = [](const Question& question) {
    const int about = question.is_open() ? 0 : question.here ? 2 : 4;
    return about + (question.rungs.empty() ? 1 : 0);
  };
  size_t best = 0;
  for (size_t number = 1; number < questions.size(); ++number)
    if (rank(questions[number]) < rank(questions[best])) best = number;
  return best;
}

constexpr float kRoomForText = 120;  // unscaled height of a veil that says what to do

void draw_veil_text(PanelContext& context, ImDrawList* list, ImVec2 centre, float width) {
  ImFont* font = context.fonts.small;
  const std::string text = fit_text(font, context.strings("controls.veil_meaning"), width - context.px(32));
  const ImVec2 half{text_size(font, text).x / 2 + context.px(8), context.px(11)};
  list->AddRectFilled({centre.x - half.x, centre.y - half.y}, {centre.x + half.x, centre.y + half.y},
                      context.theme.panel, context.px(3));
  draw_text_centred(list, font, centre, context.theme.muted, text);
}

/// A planted bug, an edited kernel or a kernel of the learner's own does not behave as the answers assume; and what it
/// changes must be visible.
bool may_veil(const PanelContext& context) {
  const bool exercise = context.workshop != nullptr && context.workshop->is_shown(context.session);
  const Request& request = context.session.request();
  return context.view.veils && !exercise && !context.session.shows_own() && request.broken.empty() &&
         !request.edited_source;
}

}  // namespace

const SpeedReport* shown_report(const Session& session) {
  const auto& live = session.live_speed();
  return live != nullptr && !live->series.empty() ? live.get() : session.recording();
}

std::vector<Question> questions_of(const PanelContext& context) {
  std::vector<Question> questions;
  const Lab& lab = context.lab();
  const ChosenRung chosen = chosen_rung(context);
  constexpr size_t kTimed = 2;
  questions.reserve(lab.predicts.size() + kTimed);
  for (int number = 0; number < static_cast<int>(lab.predicts.size()); ++number)
    questions.push_back(own_question(context, number, chosen));
  if (const SpeedReport* report = shown_report(context.session); report != nullptr && !lab.predicts.empty()) {
    const int64_t size = ladder_size(context.view, lab, *report);
    for (const auto& ask : {which_is_fastest, how_many_times_faster})
      if (auto asked = ask(lab, *report, size, context.strings))
        questions.push_back(timed_question(std::move(*asked), report->badge));
  }
  const LabProgress& progress = progress_of(context);
  for (Question& question : questions) look_up(question, progress);
  return questions;
}

std::optional<size_t> shown_question(const PanelContext& context, const std::vector<Question>& questions) {
  if (questions.empty()) return {};
  const auto shown = context.view.questions.find(context.lab().name);
  const int number = shown != context.view.questions.end() ? shown->second.number : 0;
  return static_cast<size_t>(std::clamp(number, 0, static_cast<int>(questions.size()) - 1));
}

std::optional<size_t> next_open(const std::vector<Question>& questions, size_t from) {
  for (size_t step = 1; step < questions.size(); ++step)
    if (const size_t number = (from + step) % questions.size(); questions[number].is_open()) return number;
  return {};
}

void ask_questions(PanelContext& context) {
  ViewState& view = context.view;
  view.veiled.clear();
  const std::vector<Question> questions = questions_of(context);
  if (questions.empty()) return;
  ViewState::ShownQuestion& shown = view.questions[context.lab().name];
  if (shown.rung != context.rung().name)
    shown = {static_cast<int>(first_question(questions)), context.rung().name, false};
  if (!may_veil(context)) {
    shown.at_top = false;
    return;
  }
  size_t number = *shown_question(context, questions);
  // Questions that a moved slider asks again wait for the end of the drag: the slider must not move away from the
  // pointer.
  if (!shown.at_top && !ImGui::IsMouseDown(0)) {
    const auto open = questions[number].is_open() ? std::optional(number) : next_open(questions, number);
    if (open) number = *open;
    shown.number = static_cast<int>(number);
    shown.at_top = open.has_value();
  }
  // Only what the card asks for: a lab with six open questions would show hardly anything.
  const Question& question = questions[number];
  if (shown.at_top && question.veils && question.is_open()) view.veiled.insert(*question.veils);
}

void answer_question(PanelContext& context, const Question& question, int64_t value) {
  LabProgress& progress = context.session.learned[context.lab().name];
  progress.guesses[question.key].push_back(
      {.choices = values_of(question), .answer = question.answer, .pressed = value});
  progress.skipped.erase(question.key);
  if (question.own) progress.predictions.insert(*question.own);
}

void skip_question(PanelContext& context, const std::vector<Question>& questions, size_t number) {
  context.session.learned[context.lab().name].skipped.insert(questions[number].key);
  ViewState::ShownQuestion& shown = context.view.questions[context.lab().name];
  if (const auto next = next_open(questions, number))
    shown.number = static_cast<int>(*next);
  else
    shown.at_top = false;
}

void draw_veil(PanelContext& context, ImDrawList* list, ImVec2 low, ImVec2 high) {
  const Theme& theme = context.theme;
  const float corner = context.px(3);
  list->AddRectFilled(low, high, mix(theme.panel, theme.muted, 0.16F), corner);
  hatch(list, low, high, mix(theme.panel, theme.muted, 0.42F), context.px(6));
  ImFont* font = context.fonts.small_semibold;
  const ImVec2 centre{(low.x + high.x) / 2, (low.y + high.y) / 2}, mark_size = text_size(font, "?");
  const ImVec2 half{mark_size.x / 2 + context.px(4), std::min(mark_size.y, high.y - low.y) / 2};
  list->AddRectFilled({centre.x - half.x, centre.y - half.y}, {centre.x + half.x, centre.y + half.y}, theme.panel,
                      corner);
  draw_text_centred(list, font, centre, theme.accent, "?");
  if (high.y - low.y > context.px(kRoomForText))
    draw_veil_text(context, list, {centre.x, centre.y + context.px(28)}, high.x - low.x);
  mark(context, fmt::format("veil.{:.0f}.{:.0f}", low.x, low.y), low, high);
  explain_rect(context, low, high, context.strings("controls.veil_meaning"));
}

void draw_veiled_text(PanelContext& context, ImDrawList* list, ImFont* font, ImVec2 position, std::string_view text) {
  const ImVec2 size = text_size(font, text);
  draw_veil(context, list, position, {position.x + std::max(size.x, context.px(24)), position.y + size.y});
}

void draw_veiled_text_right(PanelContext& context, ImDrawList* list, ImFont* font, ImVec2 top_right,
                            std::string_view text) {
  const float width = std::max(text_size(font, text).x, context.px(24));
  draw_veil(context, list, {top_right.x - width, top_right.y}, {top_right.x, top_right.y + text_size(font, text).y});
}

}  // namespace tilescope
