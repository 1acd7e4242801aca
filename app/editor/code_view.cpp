#include "app/editor/code_view.hpp"

#include <algorithm>
#include <cmath>

#include "app/widgets.hpp"

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
  // Rows without text only make room for what stands beside them.
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
  reveal_line_ = line;
  reveal_body_ = reveal_last_ = line;
  reveal_place_ = place;
}

void CodeView::reveal_lines(uint32_t first, uint32_t body, uint32_t last) {
  reveal(first, Place::top);
  reveal_body_ = body;
  reveal_last_ = last;
}

void CodeView::update(const PanelContext& context, const Hooks& hooks, float width) {
  highlighter_.update(buffer.lines(), buffer.take_changes());
  font_ = context.fonts.code;
  const float cell = text_size(font_, "0").x;
  const auto cells_in = [&](float pixels) { return static_cast<uint32_t>(std::max(pixels / cell, 8.0F)); };
  const uint32_t wide = cells_in(width - text_offset(context) - context.px(16));
  if (!rows_.empty() && rows_revision_ == buffer.revision() && rows_cells_ == wide &&
      rows_margin_key_ == hooks.margin_key)
    return;
  rows_revision_ = buffer.revision();
  rows_cells_ = wide;
  rows_margin_key_ = hooks.margin_key;
  rows_.clear();
  first_row_.clear();
  const uint32_t narrow = cells_in(width - text_offset(context) - hooks.margin_width);
  for (uint32_t line = 0; line < buffer.lines().size(); ++line) {
    first_row_.push_back(rows_.size());
    const uint32_t beside = hooks.margin_rows ? hooks.margin_rows(line) : 0;
    wrap_line(buffer.line(line), line, {beside > 0 ? narrow : wide, wide, std::max(beside, 1U)}, &rows_);
  }
  first_row_.push_back(rows_.size());
}

void CodeView::scroll(const Geometry& geometry, float visible_height) {
  std::optional<float> target;
  const float at = ImGui::GetScrollY();
  const auto nearest = [&](size_t first, size_t last) {
    const float low = geometry.row_height * static_cast<float>(first);
    const float high = geometry.row_height * static_cast<float>(last + 1);
    if (low < at) target = low;
    if (high > at + visible_height) target = high - visible_height;
  };
  if (reveal_line_ && *reveal_line_ < buffer.lines().size()) {
    size_t first = first_row_[*reveal_line_];
    const size_t end = first_row_[std::min<size_t>(reveal_last_ + 1, buffer.lines().size())];
    if (geometry.row_height * static_cast<float>(end - first) > visible_height && reveal_body_ < buffer.lines().size())
      first = first_row_[reveal_body_];
    const float y = geometry.row_height * static_cast<float>(first);
    if (reveal_place_ == Place::top) target = y;
    if (reveal_place_ == Place::middle)
      target = y - std::floor(visible_height / 2 / geometry.row_height) * geometry.row_height;
    if (reveal_place_ == Place::nearest) nearest(first, first_row_[*reveal_line_ + 1] - 1);
  } else if (reveal_cursor_) {
    nearest(row_of(buffer.cursor()), row_of(buffer.cursor()));
  }
  reveal_line_.reset();
  reveal_cursor_ = false;
  if (target) ImGui::SetScrollY(std::max(*target, 0.0F));
}

CodeView::Outcome CodeView::draw(PanelContext& context, const char* id, ImVec2 size, const Hooks& hooks) {
  Outcome outcome;
  const uint64_t before = buffer.revision();
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
  update(context, hooks, window.x);
  geometry.row_height = context.px(20);
  geometry.cell = text_size(font_, "0").x;
  geometry.text_x = geometry.low.x + text_offset(context);
  scroll(geometry, window.y);
  geometry.origin = ImGui::GetCursorScreenPos();
  const float content = geometry.row_height * static_cast<float>(rows_.size());
  ImGui::InvisibleButton("text", {std::max(window.x, 1.0F), std::max(content, std::max(window.y, 1.0F))});
  take_mouse(geometry, outcome);
  if (focused_) take_keys(geometry, window.y);
  update(context, hooks, window.x);  // keys may have changed the text
  draw_rows(context, geometry, hooks, outcome);
  ImGui::EndChild();
  outcome.edited = buffer.revision() != before;
  return outcome;
}

void CodeView::draw_rows(PanelContext& context, const Geometry& geometry, const Hooks& hooks, Outcome& outcome) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const auto first = static_cast<size_t>(std::max((geometry.low.y - geometry.origin.y) / geometry.row_height, 0.0F));
  const auto y_of = [&](size_t index) { return geometry.origin.y + geometry.row_height * static_cast<float>(index); };
  // All of them first: what stands beside a line may reach over its further rows.
  for (size_t index = first; hooks.fill && index < rows_.size() && y_of(index) < geometry.high.y; ++index)
    if (const ImU32 fill = hooks.fill(rows_[index].line); fill != 0)
      list->AddRectFilled({geometry.low.x, y_of(index)}, {geometry.high.x, y_of(index) + geometry.row_height}, fill);
  for (size_t index = first; index < rows_.size(); ++index) {
    const CodeRow& row = rows_[index];
    const float y = y_of(index);
    if (y >= geometry.high.y) break;
    const ImVec2 low{geometry.low.x, y}, high{geometry.high.x, y + geometry.row_height};
    draw_matches(context, geometry, index);
    draw_range(context, geometry, index, buffer.selection(), mix(theme.window, theme.accent, 0.28F));
    const bool first_of_line = index == first_row_[row.line];
    if (first_of_line) {
      ImU32 colour = hooks.number_colour ? hooks.number_colour(row.line) : 0;
      if (colour == 0) colour = theme.muted;
      const std::string number = hooks.number ? hooks.number(row.line) : std::to_string(row.line + 1);
      draw_text_right(list, context.fonts.small,
                      {geometry.text_x - context.px(16), centred_top(context.fonts.small, y + geometry.row_height / 2)},
                      colour, number);
    }
    const float end = draw_row_text(context, geometry, row, y, hooks, outcome);
    if (first_of_line && hooks.decorate) hooks.decorate(row.line, low, high, end);
  }
  if (editable && focused_) draw_cursor(context, geometry);
}

float CodeView::draw_row_text(PanelContext& context, const Geometry& geometry, const CodeRow& row, float y,
                              const Hooks& hooks, Outcome& outcome) {
  return draw_code_row(context, buffer.line(row.line), highlighter_.tokens(row.line), row,
                       {x_in_row(geometry, row, row.begin), y, geometry.row_height, geometry.cell}, hooks.is_parameter,
                       &outcome.parameter);
}

void CodeView::draw_range(PanelContext& context, const Geometry& geometry, size_t index, TextRange range,
                          ImU32 colour) {
  const CodeRow& row = rows_[index];
  if (range.empty() || row.line < range.begin.line || row.line > range.end.line) return;
  if (row.begin == row.end && index > first_row_[row.line]) return;
  const size_t begin = row.line == range.begin.line ? range.begin.column : 0;
  const bool past_end = row.line < range.end.line;  // the line's end is selected too
  const size_t end = past_end ? row.end : range.end.column;
  if (end < row.begin || begin > row.end) return;
  const float y = geometry.origin.y + geometry.row_height * static_cast<float>(index);
  const float x0 = x_in_row(geometry, row, begin);
  const float x1 = x_in_row(geometry, row, end) + (past_end ? context.px(4) : 0);
  if (x1 > x0) ImGui::GetWindowDrawList()->AddRectFilled({x0, y}, {x1, y + geometry.row_height}, colour);
}

void CodeView::draw_matches(PanelContext& context, const Geometry& geometry, size_t index) {
  if (!finding_ || pattern_.empty()) return;
  const CodeRow& row = rows_[index];
  TextPosition from{row.line, 0};
  while (auto match = buffer.find(pattern_, from)) {
    if (match->begin.line != row.line || match->begin < from) break;
    draw_range(context, geometry, index, *match, mix(context.theme.window, context.theme.waiting, 0.30F));
    from = match->end;
  }
}

void CodeView::draw_cursor(PanelContext& context, const Geometry& geometry) {
  const double phase = std::fmod(ImGui::GetTime() - cursor_since_, 1.0);
  if (context.view.animate && phase > 0.55) return;
  const size_t index = row_of(buffer.cursor());
  const float x = std::round(x_in_row(geometry, rows_[index], buffer.cursor().column));
  const float y = geometry.origin.y + geometry.row_height * static_cast<float>(index);
  ImGui::GetWindowDrawList()->AddRectFilled(
      {x, y + context.px(1)}, {x + context.px(2), y + geometry.row_height - context.px(1)}, context.theme.accent);
}

}  // namespace tilescope
