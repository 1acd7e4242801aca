#include "app/draw/editor/code_view.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/draw/editor/bracket_match.hpp"
#include "app/draw/widgets.hpp"

namespace tilescope {

float CodeView::width_of(const Geometry& geometry, std::string_view text) const {
  return code_width(font_, geometry.cell, text);
}

float CodeView::x_in_row(const Geometry& geometry, const CodeRow& row, size_t column) const {
  const std::string& line = buffer.line(row.line);
  column = std::clamp<size_t>(column, row.begin, row.end);
  return geometry.text_x + geometry.cell * static_cast<float>(row.indent) +
         width_of(geometry, std::string_view(line).substr(row.begin, column - row.begin));
}

size_t CodeView::row_of(TextPosition position) const {
  size_t row = first_row_[position.line];
  // Rows without text only reserve space for what is drawn beside them.
  while (row + 1 < first_row_[position.line + 1] && position.column >= rows_[row + 1].begin &&
         rows_[row + 1].begin < rows_[row + 1].end)
    ++row;
  return row;
}

TextPosition CodeView::position_at(const Geometry& geometry, ImVec2 mouse) const {
  const float down = (mouse.y - geometry.origin.y) / geometry.row_height;
  const auto index = static_cast<size_t>(std::clamp(down, 0.0F, static_cast<float>(rows_.size() - 1)));
  const CodeRow& row = rows_[index];
  const std::string& line = buffer.line(row.line);
  size_t column = row.begin;
  float x = x_in_row(geometry, row, row.begin);
  while (column < row.end) {
    size_t next = column + 1;
    while (next < row.end && (static_cast<unsigned char>(line[next]) & 0xC0) == 0x80) ++next;
    const float width = width_of(geometry, std::string_view(line).substr(column, next - column));
    if (mouse.x < x + width / 2) break;
    x += width;
    column = next;
  }
  return {row.line, column};
}

void CodeView::reveal(uint32_t line, Place place) {
  aim_ = {.first = line, .body = line, .line = line, .last = line, .place = place};
  aim_is_due_ = true;
}

void CodeView::reveal_lines(uint32_t first, uint32_t body, uint32_t last) {
  aim_ = {.first = first, .body = body, .line = first, .last = last, .place = Place::top};
  aim_is_due_ = true;
}

void CodeView::reveal_in(uint32_t first, uint32_t body, uint32_t line) {
  aim_ = {.first = first, .body = body, .line = line, .last = line, .place = Place::nearest, .with_line = true};
  aim_is_due_ = true;
}

void CodeView::keep(uint32_t line) {
  reveal(line, Place::nearest);
  aim_is_due_ = false;
}

bool CodeView::update(const DrawContext& context, const Hooks& hooks, float width) {
  highlighter_.update(buffer.lines(), buffer.take_changes());
  font_ = context.fonts.code;
  const float cell = text_size(font_, "0").x;
  const auto cells_in = [&](float pixels) { return static_cast<uint32_t>(std::max(pixels / cell, 8.0F)); };
  const uint32_t wide = cells_in(width - text_offset(context) - context.px(16));
  const uint32_t narrow = cells_in(width - text_offset(context) - hooks.margin_width);
  if (!rows_.empty() && rows_revision_ == buffer.revision() && rows_wide_ == wide && rows_narrow_ == narrow &&
      rows_margin_key_ == hooks.margin_key)
    return false;
  rows_revision_ = buffer.revision();
  rows_wide_ = wide;
  rows_narrow_ = narrow;
  rows_margin_key_ = hooks.margin_key;
  rows_.clear();
  first_row_.clear();
  for (uint32_t line = 0; line < buffer.lines().size(); ++line) {
    first_row_.push_back(rows_.size());
    const uint32_t beside = hooks.margin_rows ? hooks.margin_rows(line) : 0;
    wrap_line(buffer.line(line), line, {beside > 0 ? narrow : wide, wide, std::max(beside, 1U)}, &rows_);
  }
  first_row_.push_back(rows_.size());
  return true;
}

/// Shows the line with its neighbours. A line more than a screen away is centred, where it is found quickly.
float CodeView::scroll_near(uint32_t line, float from, float row_height, float visible_height) const {
  const auto room = static_cast<size_t>(std::max(visible_height / row_height, 1.0F));
  size_t first = first_row_[line], end = first_row_[line + 1];
  for (uint32_t above = 1; above <= std::min(line, kAbove) && end - first_row_[line - above] <= room; ++above)
    first = first_row_[line - above];
  for (uint32_t below = 1; below <= kBelow && line + 1 + below < first_row_.size(); ++below)
    if (first_row_[line + 1 + below] - first <= room) end = first_row_[line + 1 + below];
  const float low = row_height * static_cast<float>(first), high = row_height * static_cast<float>(end);
  if (low >= from && high <= from + visible_height) return from;
  if (high < from - visible_height || low > from + 2 * visible_height) {
    const float middle = row_height * static_cast<float>(first_row_[line]);
    return std::min(low, middle - std::floor(visible_height / 2 / row_height) * row_height);
  }
  return low < from ? low : std::ceil((high - visible_height) / row_height) * row_height;
}

float CodeView::scroll_to(const Aim& aim, float from, float row_height, float visible_height) const {
  const auto last_line = static_cast<uint32_t>(buffer.lines().size() - 1);
  const uint32_t line = std::min(aim.line, last_line), end = std::min(aim.last, last_line) + 1;
  const auto y_of = [&](uint32_t index) {
    return row_height * static_cast<float>(first_row_[std::min(index, last_line)]);
  };
  const auto fits = [&](uint32_t first) {
    return first_row_[end] >= first_row_[std::min(first, last_line)] &&
           row_height * static_cast<float>(first_row_[end]) - y_of(first) <= visible_height;
  };
  for (const uint32_t start : {aim.first, aim.body}) {
    // The lines above it may precede the function.
    const uint32_t top = std::min(start, line - std::min(line, kAbove));
    if (aim.with_line && start <= line && fits(top)) return y_of(top);
  }
  if (aim.place == Place::top) return y_of(fits(aim.first) ? aim.first : aim.body);
  if (aim.place == Place::middle) return y_of(line) - std::floor(visible_height / 2 / row_height) * row_height;
  return scroll_near(line, from, row_height, visible_height);
}

/// The scroll position for this frame, if it changes. `moved`: rows have different heights than in the last frame.
std::optional<float> CodeView::next_scroll(bool moved, float row_height, float visible_height) {
  std::optional<float> target;
  if (moved) {  // the top row keeps its position
    const size_t line = std::min(top_.line, buffer.lines().size() - 1);
    const size_t row = std::min(first_row_[line] + top_.column, first_row_[line + 1] - 1);
    target = row_height * static_cast<float>(row) + (line == top_.line ? above_top_ : 0);
  }
  const float from = target.value_or(scroll_);
  if (aim_ && (moved || aim_is_due_)) {
    target = scroll_to(*aim_, from, row_height, visible_height);
  } else if (reveal_cursor_) {
    const float low = row_height * static_cast<float>(row_of(buffer.cursor()));
    if (low < from) target = low;
    if (low + row_height > from + visible_height) target = low + row_height - visible_height;
  }
  aim_is_due_ = reveal_cursor_ = false;
  if (target && std::abs(std::max(*target, 0.0F) - scroll_) < 0.5F) target.reset();
  return target;
}

void CodeView::note_top(float row_height) {
  scroll_ = ImGui::GetScrollY();
  const auto row = std::min(static_cast<size_t>(std::max(scroll_ / row_height, 0.0F)), rows_.size() - 1);
  top_ = {rows_[row].line, row - first_row_[rows_[row].line]};
  above_top_ = scroll_ - row_height * static_cast<float>(row);
}

CodeView::Outcome CodeView::draw(DrawContext& context, const char* id, ImVec2 size, const Hooks& hooks) {
  Outcome outcome;
  const uint64_t before = buffer.revision();
  const float row_height = context.px(20);
  // Laid out before the window begins, so that it starts at the right scroll position.
  const bool rows_changed = update(context, hooks, size.x);
  const bool moved = rows_changed || visible_height_ != size.y;
  visible_height_ = size.y;
  const auto target = next_scroll(moved, row_height, size.y);
  const float content = row_height * static_cast<float>(rows_.size());
  ImGui::SetNextWindowContentSize({0, std::max(content, 1.0F)});
  if (target) ImGui::SetNextWindowScroll({-1, std::max(*target, 0.0F)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::BeginChild(id, size, false, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  if (wants_focus_) ImGui::SetWindowFocus();
  wants_focus_ = false;
  focused_ = ImGui::IsWindowFocused();

  Geometry geometry;
  geometry.low = ImGui::GetWindowPos();
  const ImVec2 window = ImGui::GetWindowSize();
  geometry.high = {geometry.low.x + window.x, geometry.low.y + window.y};
  geometry.row_height = row_height;
  geometry.cell = text_size(font_, "0").x;
  geometry.text_x = geometry.low.x + text_offset(context);
  // The wheel or the scroll bar was used: the reader looks elsewhere.
  if (!target && !moved && std::abs(ImGui::GetScrollY() - scroll_) > 0.5F) aim_.reset();
  geometry.origin = ImGui::GetCursorScreenPos();
  mark(context, std::string(id) + ".text", geometry.low, geometry.high);
  hit_area("text", {std::max(window.x, 1.0F), std::max(content, std::max(window.y, 1.0F))});
  take_mouse(geometry, outcome);
  if (focused_) take_keys(geometry, window.y);
  update(context, hooks, window.x);  // keys may have changed the text
  draw_rows(context, geometry, hooks, outcome);
  note_top(row_height);
  ImGui::EndChild();
  outcome.edited = std::exchange(bar_edited_, false) || buffer.revision() != before;
  if (gone_to_line_) outcome.clicked = std::exchange(gone_to_line_, {});
  return outcome;
}

void CodeView::draw_rows(DrawContext& context, const Geometry& geometry, const Hooks& hooks, Outcome& outcome) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const auto first = static_cast<size_t>(std::max((geometry.low.y - geometry.origin.y) / geometry.row_height, 0.0F));
  const auto y_of = [&](size_t index) { return geometry.origin.y + geometry.row_height * static_cast<float>(index); };
  // The backgrounds of all rows are drawn first: what is drawn beside a line may extend over its wrapped rows.
  for (size_t index = first; hooks.fill && index < rows_.size() && y_of(index) < geometry.high.y; ++index)
    if (const ImU32 fill = hooks.fill(rows_[index].line); fill != 0)
      list->AddRectFilled({geometry.low.x, y_of(index)}, {geometry.high.x, y_of(index) + geometry.row_height}, fill);
  draw_brackets(context, geometry);
  for (size_t index = first; index < rows_.size(); ++index) {
    const CodeRow& row = rows_[index];
    const float y = y_of(index);
    if (y >= geometry.high.y) break;
    const ImVec2 low{geometry.low.x, y}, high{geometry.high.x, y + geometry.row_height};
    draw_matches(context, geometry, index);
    const bool first_of_line = index == first_row_[row.line];
    if (first_of_line) {
      ImU32 colour = hooks.number_colour ? hooks.number_colour(row.line) : 0;
      if (colour == 0) colour = theme.muted;
      const std::string number = hooks.number ? hooks.number(row.line) : std::to_string(row.line + 1);
      draw_text_right(list, context.fonts.small,
                      {geometry.text_x - context.px(14), centred_top(context.fonts.small, y + geometry.row_height / 2)},
                      colour, number);
    }
    const float end = draw_row_text(context, geometry, row, y, hooks, outcome);
    if (first_of_line && hooks.decorate) hooks.decorate(row.line, low, high, end);
  }
  if (editable && focused_) draw_cursor(context, geometry);
}

float CodeView::draw_row_text(DrawContext& context, const Geometry& geometry, const CodeRow& row, float y,
                              const Hooks& hooks, Outcome& outcome) {
  return draw_code_row(context, buffer.line(row.line), highlighter_.tokens(row.line), row,
                       {x_in_row(geometry, row, row.begin), y, geometry.row_height, geometry.cell}, hooks.is_parameter,
                       &outcome.parameter);
}

void CodeView::draw_range(DrawContext& context, const Geometry& geometry, size_t index, TextRange range, ImU32 colour,
                          bool outline) {
  const CodeRow& row = rows_[index];
  if (range.empty() || row.line < range.begin.line || row.line > range.end.line) return;
  if (row.begin == row.end && index > first_row_[row.line]) return;
  const size_t begin = row.line == range.begin.line ? range.begin.column : 0;
  const bool past_end = row.line < range.end.line;  // the end of the line is selected too
  const size_t end = past_end ? row.end : range.end.column;
  if (end < row.begin || begin > row.end) return;
  const float y = geometry.origin.y + geometry.row_height * static_cast<float>(index);
  const float x0 = x_in_row(geometry, row, begin);
  const float x1 = x_in_row(geometry, row, end) + (past_end ? context.px(4) : 0);
  if (x1 <= x0) return;
  const ImVec2 low{x0, y + context.px(1)}, high{x1, y + geometry.row_height - context.px(1)};
  if (outline)
    ImGui::GetWindowDrawList()->AddRect(low, high, colour, context.px(2));
  else
    ImGui::GetWindowDrawList()->AddRectFilled({x0, y}, {x1, y + geometry.row_height}, colour);
}

/// Every match in the row; the current one is highlighted more strongly.
void CodeView::draw_matches(DrawContext& context, const Geometry& geometry, size_t index) {
  const bool finding = bar_ == Bar::find || bar_ == Bar::replace;
  const CodeRow& row = rows_[index];
  const TextRange selection = buffer.selection();
  bool is_match = false;
  for (TextPosition from{row.line, 0}; finding && !pattern_.empty();) {
    const auto match = buffer.find(pattern_, from);
    if (!match || match->begin.line != row.line || match->begin < from) break;
    const bool current = *match == selection;
    is_match = is_match || current;
    draw_range(context, geometry, index, *match,
               mix(context.theme.window, context.theme.waiting, current ? 0.42F : 0.18F));
    if (current) {
      draw_range(context, geometry, index, *match, context.theme.waiting, /*outline=*/true);
      const float y = geometry.origin.y + geometry.row_height * static_cast<float>(index);
      const float x = x_in_row(geometry, row, match->begin.column);
      mark(context, "source.match", {x, y}, {x_in_row(geometry, row, match->end.column), y + geometry.row_height});
    }
    from = match->end;
  }
  if (!is_match)
    draw_range(context, geometry, index, selection, mix(context.theme.window, context.theme.accent, 0.28F));
}

/// The bracket at the cursor and its match.
void CodeView::draw_brackets(DrawContext& context, const Geometry& geometry) {
  if (!focused_ || !buffer.selection().empty()) return;
  const auto tokens = [this](size_t line) { return std::span<const Token>(highlighter_.tokens(line)); };
  const auto brackets = matching_brackets(buffer.lines(), tokens, buffer.cursor());
  if (!brackets) return;
  for (const TextPosition at : {brackets->first, brackets->second}) {
    const TextRange range{at, {at.line, at.column + 1}};
    draw_range(context, geometry, row_of(at), range, mix(context.theme.window, context.theme.muted, 0.28F));
    draw_range(context, geometry, row_of(at), range, context.theme.muted, /*outline=*/true);
  }
}

void CodeView::draw_cursor(DrawContext& context, const Geometry& geometry) {
  const double phase = std::fmod(ImGui::GetTime() - cursor_since_, 1.0);
  if (context.screen.animate && phase > 0.55) return;
  const size_t index = row_of(buffer.cursor());
  const float x = std::round(x_in_row(geometry, rows_[index], buffer.cursor().column));
  const float y = geometry.origin.y + geometry.row_height * static_cast<float>(index);
  ImGui::GetWindowDrawList()->AddRectFilled(
      {x, y + context.px(1)}, {x + context.px(2), y + geometry.row_height - context.px(1)}, context.theme.accent);
}

}  // namespace tilescope
