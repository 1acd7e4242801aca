#include "app/views/lesson/card_face.hpp"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/recall/schedule.hpp"
#include "app/views/lesson/lesson_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kLine = 22, kField = 30, kFieldWidth = 132, kNumber = 30;
constexpr int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;

std::string number_text(double number) {
  if (number == std::floor(number) && std::fabs(number) < 1e15) return with_separators(static_cast<int64_t>(number));
  return fmt::format("{:g}", number);
}

void answer(PanelContext& context, CardShowing& showing, bool right, size_t pressed) {
  LabProgress& progress = context.session.learned[showing.card.lab->name];
  const std::string& id = showing.card.card->id;
  const auto kept = progress.cards.find(id);
  CardRecord record = kept != progress.cards.end() ? kept->second : CardRecord();
  const bool counted = note_answer(record, right, context.recall->now());
  progress.cards[id] = record;
  showing.answered = CardShowing::Answered{pressed, right, counted, record.due};
}

void answer_with_choice(PanelContext& context, CardShowing& showing, size_t position) {
  if (showing.answered || position >= showing.order.size()) return;
  const size_t pressed = showing.order[position];
  answer(context, showing, pressed == showing.card.card->right, pressed);
}

void answer_with_number(PanelContext& context, CardShowing& showing) {
  const auto number = typed_number(showing.typed);
  showing.refused = !number;
  if (number)
    answer(context, showing, showing.card.card->is_right(*number), 0);
  else
    showing.wants_focus = true;
}

}  // namespace

struct CardFace::Pen {
  PanelContext& context;
  ImDrawList* list;
  float left, right, y;
  float px(float value) const { return context.px(value); }
  float width() const { return right - left; }
};

std::string time_until(const Strings& strings, int64_t due, int64_t now) {
  const int64_t rest = due - now;
  const auto text = [&](const char* one, const char* many, int64_t count) {
    return count == 1 ? strings(one) : strings.format(many, fmt::arg("count", count));
  };
  if (rest <= 0) return strings("review.now");
  if (rest <= kHour) return text("review.in_minute", "review.in_minutes", (rest + kMinute - 1) / kMinute);
  if (rest < 20 * kHour) return text("review.in_hour", "review.in_hours", (rest + kHour / 2) / kHour);
  return text("review.in_day", "review.in_days", std::max<int64_t>((rest + kDay / 2) / kDay, 1));
}

std::string plain_text_of(const std::string& markdown) {
  std::string text;
  for (const LessonBlock& block : parse_lesson(markdown).blocks)
    text += (text.empty() ? "" : " ") + plain_text(block.spans);
  return text;
}

float text_button_width(const PanelContext& context, const std::string& label) {
  return std::ceil(text_size(context.fonts.small_semibold, label).x + context.px(28));
}

bool text_button(PanelContext& context, const char* id, const std::string& label, ImVec2 at, bool right, bool quiet) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small_semibold;
  const float width = text_button_width(context, label);
  const ImVec2 low{right ? at.x - width : at.x, at.y}, high{low.x + width, at.y + context.px(kTextButton)};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(id, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (quiet)
    list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, hovered ? theme.muted : theme.separator,
                  context.px(6), 0, context.px(1));
  else
    list->AddRectFilled(low, high, hovered ? theme.accent : mix(theme.accent, theme.panel, 0.15F), context.px(6));
  draw_text_centred(list, font, {(low.x + high.x) / 2, (low.y + high.y) / 2}, quiet ? theme.text : theme.on_accent,
                    label);
  mark(context, id, low, high);
  return pressed;
}

CardShowing CardFace::show(const PanelContext& context, const LabCard& card) {
  const CardRecord* record = record_of(context.session.learned, card);
  const auto tries = static_cast<uint64_t>(record != nullptr ? record->tries : 0);
  return {.card = card,
          .order = shuffled_choices(*card.card, tries + 1000 * showings_++),
          .wants_focus = card.card->asks_for_number()};
}

float CardFace::draw(PanelContext& context, LessonView& text, CardShowing& showing, ImVec2 at, float width) const {
  const ReviewCard& card = *showing.card.card;
  Pen pen{context, ImGui::GetWindowDrawList(), at.x, at.x + width, at.y};
  const std::string key = "card " + showing.card.lab->name + " " + card.id;
  const float question = text.draw_piece(context, key, context.strings(card.question), {at.x, pen.y}, width);
  mark(context, "card question", {at.x, pen.y}, {at.x + width, pen.y + question});
  pen.y += question + pen.px(10);
  if (card.asks_for_number())
    draw_field(pen, showing);
  else
    draw_choices(pen, showing);
  if (showing.answered) {
    draw_verdict(pen, showing);
    const float because =
        text.draw_piece(context, key + " because", context.strings(card.because), {at.x, pen.y}, width);
    mark(context, "card because", {at.x, pen.y}, {at.x + width, pen.y + because});
    pen.y += because;
  }
  return pen.y - at.y;
}

/// One below the other: they are sentences.
void CardFace::draw_choices(Pen& pen, CardShowing& showing) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  const ReviewCard& card = *showing.card.card;
  ImFont* font = context.fonts.body;
  for (size_t position = 0; position < showing.order.size(); ++position) {
    const size_t index = showing.order[position];
    const std::string& label = context.strings(card.choices[index]);
    const bool answered = showing.answered.has_value();
    const bool is_right = answered && index == card.right;
    const bool is_miss = answered && !is_right && index == showing.answered->pressed;
    const float text = pen.left + pen.px(kNumber), room = pen.right - pen.px(10) - text;
    const TextRun measured[] = {{font, theme.text, label}};
    const float height = flow_text(nullptr, {text, pen.y}, room, pen.px(kLine), measured) + pen.px(10);
    const ImVec2 low{pen.left, pen.y}, high{pen.right, pen.y + height};
    ImGui::SetCursorScreenPos(low);
    ImGui::PushID(static_cast<int>(position));
    const bool pressed = hit_area("card choice", {high.x - low.x, height});
    const bool hovered = ImGui::IsItemHovered() && !answered;
    ImGui::PopID();
    mark(context, fmt::format("card choice {}", position), low, high);
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImU32 frame = hovered ? theme.muted : theme.separator, ink = answered ? theme.muted : theme.text;
    if (is_right) frame = theme.ok, ink = theme.text;
    if (is_miss) frame = theme.error, ink = theme.text;
    if (hovered) pen.list->AddRectFilled(low, high, theme.raised, pen.px(6));
    if (is_right) pen.list->AddRectFilled(low, high, mix(theme.window, theme.ok, 0.14F), pen.px(6));
    pen.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, frame, pen.px(6), 0, pen.px(1));
    const ImVec2 shape{pen.left + pen.px(kNumber / 2), pen.y + pen.px(5 + kLine / 2)};
    if (is_right)
      draw_check(pen.list, shape, pen.px(10), theme.ok, pen.px(1.75F));
    else if (is_miss)
      draw_cross(pen.list, shape, pen.px(10), theme.error, pen.px(1.75F));
    else
      draw_text_centred(pen.list, context.fonts.small_semibold, shape, theme.muted, std::to_string(position + 1));
    if (is_right) mark(context, "card right", low, high);
    if (is_miss) mark(context, "card miss", low, high);
    const TextRun inked[] = {{font, ink, label}};
    flow_text(pen.list, {text, pen.y + pen.px(5)}, room, pen.px(kLine), inked);
    if (pressed) answer_with_choice(context, showing, position);
    pen.y += height + pen.px(6);
  }
  pen.y += pen.px(6);
}

void CardFace::draw_field(Pen& pen, CardShowing& showing) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.body;
  const float height = pen.px(kField), middle = pen.y + height / 2;
  const ImVec2 low{pen.left, pen.y}, high{pen.left + pen.px(kFieldWidth), pen.y + height};
  const std::string& unit = context.strings(showing.card.card->unit);
  float x = high.x + pen.px(10);
  if (showing.answered) {
    const ImU32 ink = showing.answered->right ? theme.ok : theme.error;
    pen.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, ink, pen.px(6), 0, pen.px(1));
    const ImVec2 shape{low.x + pen.px(14), middle};
    if (showing.answered->right)
      draw_check(pen.list, shape, pen.px(10), ink, pen.px(1.75F));
    else
      draw_cross(pen.list, shape, pen.px(10), ink, pen.px(1.75F));
    draw_text(pen.list, font, {low.x + pen.px(28), centred_top(font, middle)}, theme.text,
              fit_text(font, showing.typed, high.x - low.x - pen.px(36)));
  } else {
    ImGui::SetCursorScreenPos(low);
    ImGui::SetNextItemWidth(high.x - low.x);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        ImVec2(pen.px(10), std::max(0.0F, std::floor((height - line_height(font)) / 2))));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, pen.px(6));
    ImGui::PushFont(font);
    if (std::exchange(showing.wants_focus, false)) ImGui::SetKeyboardFocusHere();
    const bool entered = ImGui::InputText("##card number", &showing.typed,
                                          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    const bool active = ImGui::IsItemActive();
    ImGui::PopFont();
    ImGui::PopStyleVar(2);
    mark(context, "card field", low, high);
    if (typed_number(showing.typed)) showing.refused = false;
    pen.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                      showing.refused ? theme.error
                      : active        ? theme.accent
                                      : theme.separator,
                      pen.px(6), 0, pen.px(1));
    if (entered) answer_with_number(context, showing);
  }
  if (!unit.empty()) x += draw_text(pen.list, font, {x, centred_top(font, middle)}, theme.muted, unit).x + pen.px(14);
  if (!showing.answered &&
      text_button(context, "card check", context.strings("review.check"), {x, middle - pen.px(kTextButton / 2)}))
    answer_with_number(context, showing);
  pen.y += height + pen.px(8);
  if (showing.refused) {
    draw_text(pen.list, context.fonts.small, {pen.left, pen.y}, theme.error, context.strings("review.no_number"));
    pen.y += pen.px(kLine);
  }
  pen.y += pen.px(4);
}

void CardFace::draw_verdict(Pen& pen, const CardShowing& showing) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  const ReviewCard& card = *showing.card.card;
  const CardShowing::Answered& answered = *showing.answered;
  const std::string& unit = context.strings(card.unit);
  std::string verdict = context.strings(answered.right ? "review.right" : "review.wrong");
  if (!answered.right && card.asks_for_number())
    verdict = context.strings.format("review.wrong_number", fmt::arg("number", number_text(card.number)),
                                     fmt::arg("unit", unit.empty() ? unit : context.strings("review.space") + unit));
  const std::string when = time_until(context.strings, answered.due, context.recall->now());
  const std::string due =
      context.strings.format(answered.counted ? "review.again" : "review.not_counted", fmt::arg("when", when));
  ImFont *strong = context.fonts.body_semibold, *small = context.fonts.small;
  const float middle = pen.y + pen.px(11);
  const ImVec2 size = draw_text(pen.list, strong, {pen.left, centred_top(strong, middle)},
                                answered.right ? theme.ok : theme.error, verdict);
  mark(context, answered.right ? "card was right" : "card was wrong", {pen.left, pen.y},
       {pen.left + size.x, pen.y + pen.px(22)});
  // Below the verdict where there is no room beside it.
  if (pen.left + size.x + pen.px(20) + text_size(small, due).x > pen.right) pen.y += pen.px(kLine);
  draw_text_right(pen.list, small, {pen.right, centred_top(small, pen.y + pen.px(11))}, theme.muted, due);
  mark(context, "card again", {pen.right - text_size(small, due).x, pen.y}, {pen.right, pen.y + pen.px(22)});
  pen.y += pen.px(28);
}

bool CardFace::keys(PanelContext& context, CardShowing& showing) {
  if (!takes_digits(showing)) return false;
  for (size_t position = 0; position < showing.order.size(); ++position)
    if (key_went_down(static_cast<Key>(static_cast<size_t>(Key::digit_1) + position))) {
      answer_with_choice(context, showing, position);
      return true;
    }
  return false;
}

}  // namespace tilescope
