#include "app/views/lesson/lesson_cards.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/recall/schedule.hpp"
#include "app/views/lesson/lesson_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kCardsNumber = 28, kState = 132, kLine = 22, kBetween = 10, kGuessedRow = 54;

/// "new", "due", or when it is asked again.
std::string state_text(const PanelContext& context, const CardRecord* record) {
  if (record == nullptr) return context.strings("review.new");
  const int64_t now = context.recall->now();
  return is_due(record, now) ? context.strings("review.due") : time_until(context.strings, record->due, now);
}

}  // namespace

bool LessonCards::are_there(const PanelContext& context, const std::string& lab) {
  return context.recall != nullptr && !context.recall->cards_of(lab).empty();
}

float LessonCards::height(const PanelContext& context, const std::string& lab) const {
  if (const auto found = heights_.find(lab); found != heights_.end()) return found->second;
  const size_t rows = context.recall != nullptr ? context.recall->cards_of(lab).size() : 0;
  return context.px(kGuessedRow) * static_cast<float>(rows + 1);
}

bool LessonCards::draw(PanelContext& context, LessonView& text, const std::string& lab, ImVec2 at, float width) {
  const Lab* known = find_lab(lab);
  if (known == nullptr || context.recall == nullptr) return false;
  shown_lab_ = lab;
  float y = at.y;
  size_t number = 0;
  for (const ReviewCard& card : context.recall->cards_of(lab))
    y += draw_row(context, text, {known, &card}, ++number, {at.x, y}, width);
  y += draw_end(context, {at.x, y}, width);
  const float height = std::ceil(y - at.y);
  mark(context, "lesson cards", at, {at.x + width, y});
  const auto [kept, added] = heights_.try_emplace(lab, height);
  const bool changed = added || std::fabs(kept->second - height) > 0.5F;
  kept->second = height;
  return changed;
}

void LessonCards::unfold(PanelContext& context, const LabCard& card) {
  open_[card.lab->name] = face_.show(context, card);
  context.session.learned[card.lab->name].cards_opened = true;
}

/// The question, which folds and unfolds the rest. Returns the height.
float LessonCards::draw_row(PanelContext& context, LessonView& text, const LabCard& card, size_t number, ImVec2 at,
                            float width) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float top = at.y, left = at.x + context.px(kCardsNumber), right = at.x + width - context.px(24);
  const auto found = open_.find(card.lab->name);
  const bool open = found != open_.end() && found->second.card == card;
  const CardRecord* record = record_of(context.session.learned, card);
  ImFont *body = context.fonts.body, *small = context.fonts.small;
  const float first = top + context.px(kBetween + kLine / 2);
  // An unfolded card says its question itself, with links and terms.
  const std::string question = plain_text_of(context.strings(card.card->question));
  const float room = right - context.px(kState) - left;
  const TextRun measured[] = {{body, theme.text, question}};
  const float lines = open ? context.px(kLine) : flow_text(nullptr, {left, top}, room, context.px(kLine), measured);
  const ImVec2 low{at.x, top}, high{at.x + width, top + lines + 2 * context.px(kBetween)};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(card.card->id.c_str());
  const bool pressed = hit_area("card row", {width, high.y - low.y});
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  mark(context, fmt::format("card row {}", number), low, high);
  const float line = std::max(1.0F, std::round(context.px(1)));
  list->AddRectFilled({at.x, top}, {at.x + width, top + line}, theme.separator);
  draw_text(list, context.fonts.small_semibold,
            {at.x + context.px(4), centred_top(context.fonts.small_semibold, first)}, open ? theme.accent : theme.muted,
            std::to_string(number));
  if (!open) {
    const TextRun inked[] = {{body, hovered ? theme.accent : theme.text, question}};
    flow_text(list, {left, top + context.px(kBetween)}, room, context.px(kLine), inked);
  }
  const std::string state = state_text(context, record);
  const bool due = record != nullptr && is_due(record, context.recall->now());
  const float state_right = right - context.px(4);
  draw_text_right(list, small, {state_right, centred_top(small, first)}, due ? theme.waiting : theme.muted, state);
  if (record != nullptr && record->box > 0 && !due)
    draw_check(list, {state_right - text_size(small, state).x - context.px(12), first}, context.px(9), theme.ok,
               context.px(1.5F));
  const ImVec2 arrow{at.x + width - context.px(10), first};
  const float half = context.px(2.5F);
  if (open)
    draw_chevron(list, arrow, context.px(7), theme.muted);
  else
    list->AddTriangleFilled({arrow.x - half, arrow.y - half * 1.3F}, {arrow.x + half, arrow.y},
                            {arrow.x - half, arrow.y + half * 1.3F}, theme.muted);
  float height = high.y - low.y;
  if (open) {
    height +=
        face_.draw(context, text, found->second, {left, top + height - context.px(4)}, right - left) + context.px(12);
    list->AddRectFilled({at.x - context.px(10), top + line}, {at.x - context.px(8), top + height}, theme.accent);
    const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    seen_ = top < window.y + size.y && top + height > window.y;
  }
  if (pressed) {
    if (open)
      open_.erase(card.lab->name);
    else
      unfold(context, card);
  }
  return height;
}

/// The way to the cards of all labs. Returns the height.
float LessonCards::draw_end(PanelContext& context, ImVec2 at, float width) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + width, at.y + std::max(1.0F, std::round(context.px(1)))}, theme.separator);
  const DueCards due = context.recall->due(context.session.learned);
  float height = context.px(12);
  if (due.all() > 0) {
    const std::string label = due.all() == 1
                                  ? context.strings("review.one_of_all_labs")
                                  : context.strings.format("review.cards_of_all_labs", fmt::arg("count", due.all()));
    if (text_button(context, "review all", label, {at.x + width, at.y + height}, /*right=*/true, /*quiet=*/true))
      context.view.tab = "review";
    height += context.px(kTextButton + 12);
  }
  return height;
}

bool LessonCards::takes_digits() const {
  const auto found = open_.find(shown_lab_);
  return seen_ && found != open_.end() && CardFace::takes_digits(found->second);
}

bool LessonCards::keys(PanelContext& context, const std::string& lab) {
  const auto found = open_.find(lab);
  if (!seen_ || found == open_.end()) return false;
  if (CardFace::keys(context, found->second)) return true;
  if (!found->second.answered || !key_went_down(Key::enter)) return false;
  const auto& cards = context.recall->cards_of(lab);
  const auto next = static_cast<size_t>(found->second.card.card - cards.data()) + 1;
  if (next < cards.size())
    unfold(context, {found->second.card.lab, &cards[next]});
  else
    open_.erase(found);
  return true;
}

}  // namespace tilescope
