// The bar above a CodeView: find, replace, go to a line.
#include <imgui.h>

#include <algorithm>
#include <charconv>

#include "app/draw/editor/code_view.hpp"
#include "app/draw/editor/find_parts.hpp"
#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kRow = 34, kLeft = 20, kField = 260;

}  // namespace

float CodeView::bar_height() const { return bar_ == Bar::none ? 0 : bar_ == Bar::replace ? 2 * kRow - 4 : kRow; }

void CodeView::open_bar(Bar bar) {
  bar_ = bar;
  bar_wants_focus_ = bar != Bar::none;
  wants_focus_ = false;
  line_text_.clear();
  const std::string selected = buffer.selected_text();
  if (bar != Bar::go_to_line && !selected.empty() && selected.find('\n') == std::string::npos) pattern_ = selected;
}

void CodeView::close_bar() {
  if (bar_ == Bar::none) return;
  bar_ = Bar::none;
  wants_focus_ = true;
}

void CodeView::find_next(bool forward) {
  const TextRange selection = buffer.selection();
  const auto match = buffer.find(pattern_, forward ? selection.end : selection.begin, forward);
  if (!match) return;
  buffer.place(match->begin);
  buffer.place(match->end, true);
  reveal(static_cast<uint32_t>(match->begin.line), Place::nearest);
}

/// The search for a changed pattern starts at the last match.
void CodeView::take_pattern() {
  buffer.place(buffer.selection().begin);
  find_next(true);
}

void CodeView::replace_match() {
  const TextRange selection = buffer.selection();
  const auto match = buffer.find(pattern_, selection.begin);
  if (match == selection) {
    buffer.paste(replacement_);
    bar_edited_ = true;
  }
  find_next(true);
}

std::string CodeView::count_text(const DrawContext& context, bool* none) const {
  size_t count = 0, current = 0;
  for (TextPosition from{}; !pattern_.empty();) {
    const auto match = buffer.find(pattern_, from);
    if (!match || match->begin < from) break;
    ++count;
    if (*match == buffer.selection()) current = count;
    from = match->end;
  }
  *none = count == 0;
  if (pattern_.empty()) return {};
  if (count == 0) return context.strings("source.find_none");
  if (current == 0) return context.strings.format("source.find_all", fmt::arg("count", count));
  return context.strings.format("source.find_count", fmt::arg("current", current), fmt::arg("count", count));
}

void CodeView::draw_find_row(DrawContext& context, ImVec2 low, float width) {
  const float middle = low.y + context.px(kRow) / 2 - context.px(1);
  const FindField field = find_field(context, "find.pattern", "source.find", pattern_, low, context.px(kField),
                                     std::exchange(bar_wants_focus_, false));
  const bool back = ImGui::GetIO().KeyShift;
  if (field.changed) take_pattern();
  if (field.enter || key_repeats(Key::f3)) find_next(!back);
  bar_wants_focus_ = bar_wants_focus_ || field.enter;
  float x = low.x + context.px(kField + 6);
  if (find_sign(context, "find.previous", "source.find_previous", FindSign::up, x, middle)) find_next(false);
  if (find_sign(context, "find.next", "source.find_next", FindSign::down, x, middle)) find_next(true);
  bool none = false;
  const std::string count = count_text(context, &none);
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small,
            {x + context.px(8), centred_top(context.fonts.small, middle)},
            none ? context.theme.error : context.theme.muted, count);
  float end = low.x + width - context.px(24 + 12);
  if (find_sign(context, "find.close", "source.find_close", FindSign::close, end, middle) || field.escape) close_bar();
}

void CodeView::draw_replace_row(DrawContext& context, ImVec2 low) {
  const float middle = low.y + context.px(kRow) / 2 - context.px(1);
  const FindField field = find_field(context, "find.replacement", "source.replace", replacement_, low,
                                     context.px(kField), std::exchange(replacement_wants_focus_, false));
  if (field.escape) close_bar();
  float x = low.x + context.px(kField + 6);
  const bool one = find_word(context, "find.replace", context.strings("source.replace_one"),
                             "source.replace_one_meaning", x, middle);
  if (one || field.enter) replace_match();
  replacement_wants_focus_ = field.enter;
  if (find_word(context, "find.replace_all", context.strings("source.replace_all"), "source.replace_all_meaning", x,
                middle))
    bar_edited_ = buffer.replace_all(pattern_, replacement_) > 0 || bar_edited_;
}

void CodeView::draw_line_row(DrawContext& context, ImVec2 low, float width) {
  const float middle = low.y + context.px(kRow) / 2 - context.px(1);
  const FindField field = find_field(context, "find.line", "source.go_to", line_text_, low, context.px(120),
                                     std::exchange(bar_wants_focus_, false));
  size_t line = 0;
  const auto [end, failed] = std::from_chars(line_text_.data(), line_text_.data() + line_text_.size(), line);
  const bool good = failed == std::errc() && end == line_text_.data() + line_text_.size() && line > 0;
  const auto index = static_cast<uint32_t>(std::min(line, buffer.lines().size()) - (good ? 1 : 0));
  if (good && (field.changed || field.enter)) {
    buffer.place({index, 0});
    reveal(index, Place::middle);
  }
  const std::string range = context.strings.format("source.go_to_range", fmt::arg("count", buffer.lines().size()));
  const bool wrong = !line_text_.empty() && !good;
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small,
            {low.x + context.px(132), centred_top(context.fonts.small, middle)},
            wrong ? context.theme.error : context.theme.muted, range);
  float right = low.x + width - context.px(24 + 12);
  const bool close = find_sign(context, "find.close", "source.find_close", FindSign::close, right, middle);
  if (field.enter && good) gone_to_line_ = index;
  if (close || field.escape || (field.enter && good)) return close_bar();
  bar_wants_focus_ = field.enter;
}

void CodeView::draw_bar(DrawContext& context, float width) {
  if (bar_ == Bar::replace && !editable) bar_ = Bar::find;  // editing has ended, or a different lab is shown
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 row{low.x + context.px(kLeft), low.y};
  const float room = width - context.px(kLeft);
  const Bar bar = bar_;
  const float height = context.px(bar_height());
  if (bar == Bar::go_to_line) {
    draw_line_row(context, row, room);
  } else {
    draw_find_row(context, row, room);
    if (bar == Bar::replace && bar_ != Bar::none) draw_replace_row(context, {row.x, row.y + context.px(kRow - 4)});
  }
  ImGui::SetCursorScreenPos({low.x, low.y + height});
}

}  // namespace tilescope
