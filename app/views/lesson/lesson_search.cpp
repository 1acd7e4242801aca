// Finds text in the lesson: Ctrl+F, a bar in the corner of the view, and highlighted matches behind the text.
#include <algorithm>
#include <cmath>

#include "app/draw/editor/find_parts.hpp"
#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/lesson/lesson_view.hpp"

namespace tilescope {
namespace {

constexpr float kFindWidth = 420, kFindHeight = 36;  // unscaled pixels

}  // namespace

/// Ctrl+F searches the source instead if the pointer or the keyboard focus is there.
void LessonView::take_keys(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool typing_elsewhere = io.WantTextInput && !finding_;
  if (io.KeyCtrl && !io.KeyAlt && key_went_down(Key::f) && !context.view.source_active && !typing_elsewhere)
    finding_ = find_wants_focus_ = true;
}

void LessonView::update_matches(PanelContext& context) {
  if (!finding_ || (!matches_due_ && matched_pattern_ == pattern_)) return;
  const bool typed = matched_pattern_ != pattern_;
  matches_due_ = false;
  matched_pattern_ = pattern_;
  matches_ = find_in_lesson(layout_, pattern_, metrics(context));
  match_ = std::min(match_, matches_.empty() ? 0 : matches_.size() - 1);
  if (!typed || matches_.empty()) return;
  // The first match from the current reading position on.
  const float from = ImGui::GetScrollY();
  const auto next =
      std::ranges::find_if(matches_, [&](const LessonMatch& one) { return one.parts.front().baseline >= from; });
  match_ = next == matches_.end() ? 0 : static_cast<size_t>(next - matches_.begin());
  show_match(ImGui::GetWindowHeight());
}

void LessonView::go_to_match(PanelContext& context, bool forward) {
  update_matches(context);
  if (matches_.empty()) return;
  match_ = (match_ + (forward ? 1 : matches_.size() - 1)) % matches_.size();
  show_match(ImGui::GetWindowHeight());
}

/// Scrolls the match to a third of the height, if it is not visible.
void LessonView::show_match(float visible) {
  const LessonMatch& match = matches_[match_];
  const float y = match.parts.front().baseline, at = ImGui::GetScrollY();
  if (y > at + visible * 0.1F && y < at + visible * 0.85F) return;
  const PlacedBlock& placed = layout_.blocks[match.placed];
  places_[lab_] = {placed.block, y - placed.y - visible / 3};
  settling_ = 2;
}

void LessonView::draw_matches(PanelContext& context, ImVec2 origin) {
  if (!finding_ || matched_pattern_.empty()) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  for (size_t index = 0; index < matches_.size(); ++index)
    for (const LessonMatchPart& part : matches_[index].parts) {
      const bool current = index == match_;
      const ImVec2 low{origin.x + part.x0, origin.y + part.baseline - context.px(15)};
      const ImVec2 high{origin.x + part.x1, origin.y + part.baseline + context.px(5)};
      list->AddRectFilled(low, high, mix(theme.window, theme.waiting, current ? 0.42F : 0.2F), context.px(2));
      if (current) list->AddRect(low, high, theme.waiting, context.px(2));
      if (current) mark(context, "lesson.match", low, high);
    }
}

/// In the corner of the view, above the text.
void LessonView::draw_find_bar(PanelContext& context) {
  if (!finding_) return;
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float width = std::min(context.px(kFindWidth), size.x - context.px(32)), height = context.px(kFindHeight);
  const ImVec2 low{std::round(window.x + size.x - width - context.px(24)), window.y + context.px(8)};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::BeginChild("lesson find", {width, height}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, {low.x + width, low.y + height}, context.theme.panel, context.px(6));
  list->AddRect(low, {low.x + width, low.y + height}, context.theme.separator, context.px(6));
  const float middle = low.y + height / 2;
  const float field = width - context.px(8 + 82 + 96);
  const FindField typed =
      find_field(context, "lesson.pattern", "lesson.find", pattern_, {low.x + context.px(8), low.y + context.px(1)},
                 field, std::exchange(find_wants_focus_, false));
  float x = low.x + context.px(14) + field;
  const bool back = ImGui::GetIO().KeyShift;
  if (typed.enter || key_repeats(Key::f3)) go_to_match(context, !back);
  find_wants_focus_ = typed.enter;
  if (find_sign(context, "lesson.previous", "source.find_previous", FindSign::up, x, middle))
    go_to_match(context, false);
  if (find_sign(context, "lesson.next", "source.find_next", FindSign::down, x, middle)) go_to_match(context, true);
  const bool none = matches_.empty();
  const std::string count = matched_pattern_.empty() ? std::string()
                            : none                   ? context.strings("source.find_none")
                                   : context.strings.format("source.find_count", fmt::arg("current", match_ + 1),
                                                            fmt::arg("count", matches_.size()));
  ImFont* font = context.fonts.small;
  float close = low.x + width - context.px(30);
  draw_text(list, font, {x + context.px(4), centred_top(font, middle)},
            none ? context.theme.error : context.theme.muted, fit_text(font, count, close - x - context.px(6)));
  if (find_sign(context, "lesson.close", "source.find_close", FindSign::close, close, middle) || typed.escape)
    finding_ = false;
  ImGui::EndChild();
}

}  // namespace tilescope
