#include "app/panels/source/diff_view.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

using Kind = DiffRow::Kind;

constexpr float kTwoColumns = 900;     // unscaled pixels that two columns need
constexpr float kNarrowShare = 0.45F;  // of the width: the rung that has run has a margin on its right

uint32_t line_on(const DiffRow& row, size_t side) { return side == 0 ? row.left : row.right; }
bool is_change(const DiffRow& row) {
  return row.kind == Kind::changed || row.kind == Kind::removed || row.kind == Kind::added;
}
ImU32 colour_of(const Theme& theme, size_t side) { return side == 0 ? theme.error : theme.ok; }

}  // namespace

bool DiffView::has_two_columns(const PanelContext& context, float width) { return width >= context.px(kTwoColumns); }

float DiffView::second_column(const PanelContext& context, float width, size_t run_side) {
  const float share = run_side == kRight ? kNarrowShare : 1 - kNarrowShare;
  return has_two_columns(context, width) ? std::round(width * share) : 0;
}

void DiffView::show(SourceDiff diff, const std::vector<std::string>& lines, Syntax syntax) {
  diff_ = std::move(diff);
  highlighter_.set_syntax(syntax);
  if (lines != lines_) {
    const LineChange everything{0, highlighter_.line_count(), lines.size()};
    lines_ = lines;
    highlighter_.update(lines_, {&everything, 1});
  }
  open_.clear();
  laid_out_ = false;
  at_top_ = true;
}

DiffView::Geometry DiffView::measure(const PanelContext& context, size_t run_side) const {
  Geometry geometry;
  geometry.low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  geometry.high = {geometry.low.x + size.x, geometry.low.y + size.y};
  geometry.row_height = context.px(20);
  geometry.cell = text_size(context.fonts.code, "0").x;
  geometry.two_columns = has_two_columns(context, size.x);
  const float middle = geometry.low.x + second_column(context, size.x, run_side);
  geometry.columns[kLeft] = {geometry.low.x, geometry.two_columns ? middle : geometry.high.x};
  geometry.columns[kRight] = {middle, geometry.high.x};
  return geometry;
}

bool DiffView::lay_out(const PanelContext& context, const Geometry& geometry, const Hooks& hooks) {
  const float width = geometry.high.x - geometry.low.x;
  if (laid_out_ && laid_out_two_ == geometry.two_columns && laid_out_width_ == width &&
      laid_out_key_ == hooks.margin_key)
    return false;
  laid_out_ = true;
  laid_out_two_ = geometry.two_columns;
  laid_out_width_ = width;
  laid_out_key_ = hooks.margin_key;
  placed_.clear();
  const auto cells = [&](size_t side, float margin) {
    const float room = geometry.columns[side].width() - text_offset(context) - margin;
    return static_cast<uint32_t>(std::max(room / geometry.cell, 8.0F));
  };
  uint32_t top = 0;
  for (const DiffRow& row : rows_on_screen(diff_, geometry.two_columns, open_)) {
    Placed placed{.row = row, .top = top};
    for (const size_t side : {kLeft, kRight}) {
      const uint32_t line = line_on(row, side);
      const bool hidden = !geometry.two_columns && side != hooks.run_side && line_on(row, 1 - side) != 0;
      if (line == 0 || hidden) continue;
      const bool margin = side == hooks.run_side && hooks.has_margin && hooks.has_margin(line);
      const uint32_t wide = cells(side, context.px(12)), first = margin ? cells(side, hooks.margin_width) : wide;
      wrap_line(lines_[line - 1], line - 1, {first, wide}, &placed.text[side]);
      placed.height = std::max(placed.height, static_cast<uint32_t>(placed.text[side].size()));
    }
    top += placed.height;
    placed_.push_back(std::move(placed));
  }
  return true;
}

void DiffView::scroll(const Geometry& geometry, bool moved, size_t run_side) {
  if (std::exchange(at_top_, false)) {
    ImGui::SetScrollY(0);
  } else if (moved) {  // what was at the top stays there
    const auto same = std::ranges::find(placed_, top_, &Placed::row);
    if (same != placed_.end()) ImGui::SetScrollY(geometry.row_height * static_cast<float>(same->top));
  }
  // Rows that have just been laid out have their room only in the next frame: then once more.
  const std::optional<uint32_t> line = moved ? reveal_line_ : std::exchange(reveal_line_, {});
  if (!line) return;
  // The line of the rung that has run where both have it.
  const Placed* found = nullptr;
  for (const Placed& placed : placed_) {
    if (line_on(placed.row, run_side) == *line) found = &placed;
    if (line_on(placed.row, run_side) == *line) break;
    if (line_on(placed.row, 1 - run_side) == *line && found == nullptr) found = &placed;
    if (placed.row.kind == Kind::fold && found == nullptr && diff_.fold_of(*line) == placed.row.fold) found = &placed;
  }
  if (found == nullptr) return;
  const float low = geometry.row_height * static_cast<float>(found->top);
  const float high = low + geometry.row_height * static_cast<float>(found->height);
  const float at = ImGui::GetScrollY(), visible = geometry.high.y - geometry.low.y;
  if (low < at) ImGui::SetScrollY(low);
  if (high > at + visible) ImGui::SetScrollY(high - visible);
}

const DiffView::Placed* DiffView::row_at(const Geometry& geometry, float y) const {
  const float down = (y - geometry.origin.y) / geometry.row_height;
  if (down < 0) return nullptr;
  const auto after = std::ranges::upper_bound(placed_, static_cast<uint32_t>(down), {}, &Placed::top);
  if (after == placed_.begin()) return nullptr;
  const Placed& placed = *(after - 1);
  return static_cast<uint32_t>(down) < placed.top + placed.height ? &placed : nullptr;
}

ImVec2 DiffView::corner_of(const Geometry& geometry, const Placed& placed, size_t side) const {
  return {geometry.columns[side].left, geometry.origin.y + geometry.row_height * static_cast<float>(placed.top)};
}
ImVec2 DiffView::end_of(const Geometry& geometry, const Placed& placed, size_t side) const {
  const float height = geometry.row_height * static_cast<float>(placed.height);
  return {geometry.columns[side].right, corner_of(geometry, placed, side).y + height};
}

/// In a row that both have, the line of the rung that has run is meant wherever one points.
void DiffView::take_mouse(PanelContext& context, const Geometry& geometry, size_t run_side, Outcome& outcome) {
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Placed* placed = row_at(geometry, mouse.y);
  if (placed == nullptr) return;
  const DiffRow& row = placed->row;
  const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (row.kind == Kind::fold) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const bool closed = !open_.contains(row.fold);
    explain_rect(context, corner_of(geometry, *placed, kLeft), end_of(geometry, *placed, kRight),
                 context.strings(closed ? "source.diff_open" : "source.diff_close"));
    if (!clicked) return;
    closed ? (void)open_.insert(row.fold) : (void)open_.erase(row.fold);
    laid_out_ = false;
    return;
  }
  const size_t side = geometry.two_columns && mouse.x < geometry.columns[kRight].left ? kLeft : kRight;
  const bool both = row.kind == Kind::equal || row.kind == Kind::changed;
  uint32_t line = both && line_on(row, run_side) != 0 ? line_on(row, run_side) : line_on(row, side);
  if (!geometry.two_columns && line == 0) line = row.left;
  if (line == 0) return;
  outcome.hovered = line;
  if (clicked) outcome.clicked = line;
}

void DiffView::draw_ground(PanelContext& context, const Geometry& geometry, const Placed& placed, const Hooks& hooks) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const DiffRow& row = placed.row;
  const bool both = row.left != 0 && row.right != 0 && (row.kind == Kind::equal || row.kind == Kind::changed);
  for (const size_t side : {kLeft, kRight}) {
    if (!geometry.two_columns && placed.text[side].empty()) continue;
    const uint32_t line = line_on(row, side);
    ImU32 colour = line != 0 && is_change(row) ? mix(theme.window, colour_of(theme, side), 0.13F) : 0;
    if (line == 0 && is_change(row)) colour = mix(theme.window, theme.raised, 0.35F);
    ImU32 fill = line != 0 ? hooks.fill(line) : 0;
    if (fill == 0 && both) fill = hooks.fill(line_on(row, 1 - side));
    if (fill != 0) colour = is_change(row) && line != 0 ? mix(fill, colour_of(theme, side), 0.13F) : fill;
    const size_t column = geometry.two_columns ? side : kLeft;
    if (colour != 0) list->AddRectFilled(corner_of(geometry, placed, column), end_of(geometry, placed, column), colour);
  }
}

float DiffView::x_of(const Geometry& geometry, const CodeRow& row, std::string_view line, size_t side,
                     uint32_t column) const {
  column = std::clamp(column, row.begin, row.end);
  return geometry.columns[side].left + text_offset_ + geometry.cell * static_cast<float>(row.indent) +
         code_width(font_, geometry.cell, line.substr(row.begin, column - row.begin));
}

void DiffView::draw_words(PanelContext& context, const Geometry& geometry, const Placed& placed, size_t side) {
  if (placed.row.kind != Kind::changed) return;
  const WordDiff& words = diff_.words[placed.row.words];
  const std::string& line = lines_[line_on(placed.row, side) - 1];
  const size_t column = geometry.two_columns ? side : kLeft;
  const ImU32 colour = mix(context.theme.window, colour_of(context.theme, side), 0.38F);
  float y = corner_of(geometry, placed, column).y;
  for (const CodeRow& row : placed.text[side]) {
    for (const ByteRange& range : side == kLeft ? words.left : words.right) {
      if (range.end <= row.begin || range.begin >= row.end) continue;
      const float left = x_of(geometry, row, line, column, range.begin);
      const float right = x_of(geometry, row, line, column, range.end);
      ImGui::GetWindowDrawList()->AddRectFilled(
          {left, y + context.px(2)}, {right, y + geometry.row_height - context.px(2)}, colour, context.px(3));
    }
    y += geometry.row_height;
  }
}

void DiffView::draw_side(PanelContext& context, const Geometry& geometry, const Placed& placed, size_t side,
                         const Hooks& hooks, Outcome& outcome) {
  const uint32_t line = line_on(placed.row, side);
  if (placed.text[side].empty()) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const size_t column = geometry.two_columns ? side : kLeft;
  const ImVec2 low = corner_of(geometry, placed, column);
  ImVec2 high = end_of(geometry, placed, column);
  const float text_x = low.x + text_offset(context), middle = low.y + geometry.row_height / 2;
  const ImU32 number = is_change(placed.row) ? theme.muted : mix(theme.window, theme.muted, 0.7F);
  draw_text_right(list, context.fonts.small, {text_x - context.px(26), centred_top(context.fonts.small, middle)},
                  number, std::to_string(hooks.number ? hooks.number(line) : line));
  if (is_change(placed.row)) {
    draw_text_centred(list, context.fonts.code, {text_x - context.px(13), middle}, colour_of(theme, side),
                      side == kLeft ? "−" : "+");
    const char* meaning = placed.row.kind == Kind::changed ? "source.diff_changed_meaning"
                          : side == kLeft                  ? "source.diff_removed_meaning"
                                                           : "source.diff_added_meaning";
    explain_rect(context, {text_x - context.px(22), low.y}, {text_x - context.px(4), high.y}, context.strings(meaning));
  }
  float y = low.y, end = text_x;
  for (const CodeRow& row : placed.text[side]) {
    const float x = text_x + geometry.cell * static_cast<float>(row.indent);
    const float row_end =
        draw_code_row(context, lines_[line - 1], highlighter_.tokens(line - 1), row,
                      {x, y, geometry.row_height, geometry.cell}, hooks.is_parameter, &outcome.parameter);
    if (y == low.y) end = row_end;
    y += geometry.row_height;
  }
  high.y = low.y + geometry.row_height;
  mark(context, (side == kLeft ? "source.left." : "source.right.") + std::to_string(line), low, high);
  if (side == hooks.run_side && hooks.decorate) hooks.decorate(line, low, high, end);
}

void DiffView::draw_fold(PanelContext& context, const Geometry& geometry, const Placed& placed, const Hooks& hooks) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const DiffFold& fold = diff_.folds[placed.row.fold];
  const ImVec2 low = corner_of(geometry, placed, kLeft), high = end_of(geometry, placed, kRight);
  const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
  const float middle = (low.y + high.y) / 2, text_x = low.x + text_offset(context);
  list->AddRectFilled({low.x, low.y + context.px(1)}, {high.x, high.y - context.px(1)},
                      mix(theme.window, theme.raised, hovered ? 0.9F : 0.55F));
  const ImU32 colour = hovered ? theme.text : theme.muted;
  if (open_.contains(placed.row.fold))
    draw_chevron(list, {text_x - context.px(13), middle}, context.px(8), colour);
  else
    draw_text_centred(list, context.fonts.small, {text_x - context.px(13), middle}, colour, "…");
  const std::string count = fold.lines == 1
                                ? context.strings("source.diff_equal_one")
                                : context.strings.format("source.diff_equal", fmt::arg("count", fold.lines));
  ImFont* font = context.fonts.small;
  const float end = text_x + draw_text(list, font, {text_x, centred_top(font, middle)}, colour, count).x;
  std::string names;
  for (const std::string& name : fold.names) names += (names.empty() ? "" : ", ") + name;
  float right = high.x - context.px(16);
  if (hooks.decorate_fold && !open_.contains(placed.row.fold))
    right -= hooks.decorate_fold(diff_.lines_of(fold, hooks.run_side == kRight), low, high);
  const float x = end + context.px(12), room = right - x;
  if (!names.empty() && room > context.px(40))
    draw_text(list, font, {x, centred_top(font, middle)}, mix(theme.window, theme.muted, 0.8F),
              fit_text(font, names, room));
  mark(context, "source.fold." + std::to_string(placed.row.fold), low, high);
}

/// In the gap above a part: the file that it is in.
void DiffView::draw_file(PanelContext& context, const Geometry& geometry, const Placed& gap, const Placed& next,
                         size_t side, const Hooks& hooks) {
  if (gap.row.kind != Kind::gap || next.text[side].empty() || !hooks.file) return;
  const std::string file = hooks.file(line_on(next.row, side));
  if (file.empty()) return;
  const ImVec2 low = corner_of(geometry, gap, geometry.two_columns ? side : kLeft);
  ImFont* font = context.fonts.small;
  draw_text(ImGui::GetWindowDrawList(), font,
            {low.x + text_offset(context), centred_top(font, low.y + geometry.row_height / 2)},
            mix(context.theme.window, context.theme.muted, 0.8F), file);
}

DiffView::Outcome DiffView::draw(PanelContext& context, ImVec2 size, const Hooks& hooks) {
  Outcome outcome;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::BeginChild("diff", size, false, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  font_ = context.fonts.code;
  text_offset_ = text_offset(context);
  Geometry geometry = measure(context, hooks.run_side);
  const bool moved = lay_out(context, geometry, hooks);
  scroll(geometry, moved, hooks.run_side);
  geometry.origin = ImGui::GetCursorScreenPos();
  const uint32_t rows = placed_.empty() ? 0 : placed_.back().top + placed_.back().height;
  const float content = geometry.row_height * static_cast<float>(rows);
  hit_area("text", {std::max(size.x, 1.0F), std::max(content, std::max(size.y, 1.0F))});
  take_mouse(context, geometry, hooks.run_side, outcome);
  const auto visible = [&](const Placed& placed) {
    return end_of(geometry, placed, kLeft).y > geometry.low.y && corner_of(geometry, placed, kLeft).y < geometry.high.y;
  };
  // All grounds first: what stands beside a line may reach over its further rows.
  for (const Placed& placed : placed_)
    if (visible(placed)) draw_ground(context, geometry, placed, hooks);
  if (geometry.two_columns) {
    const float x = geometry.columns[kRight].left;
    ImGui::GetWindowDrawList()->AddRectFilled({x, geometry.low.y}, {x + context.px(1), geometry.high.y},
                                              context.theme.separator);
  }
  for (size_t i = 0; i + 1 < placed_.size(); ++i)
    for (const size_t side : {kLeft, kRight})
      if (visible(placed_[i])) draw_file(context, geometry, placed_[i], placed_[i + 1], side, hooks);
  for (const Placed& placed : placed_) {
    if (!visible(placed)) continue;
    if (placed.row.kind == Kind::fold) draw_fold(context, geometry, placed, hooks);
    for (const size_t side : {kLeft, kRight}) {
      if (placed.text[side].empty()) continue;
      draw_words(context, geometry, placed, side);
      draw_side(context, geometry, placed, side, hooks, outcome);
    }
  }
  if (const Placed* first = row_at(geometry, geometry.low.y + 1); first != nullptr) top_ = first->row;
  ImGui::EndChild();
  return outcome;
}

}  // namespace tilescope
