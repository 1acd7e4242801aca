// The ledger: the source's margin grown to columns. What each line asked for, and what moved for it.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/traffic_choice.hpp"
#include "app/panels/source/source_view.hpp"
#include "app/views/playback.hpp"
#include "app/views/questions.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr size_t kCount = LedgerColumns::kCount;
constexpr std::array<const char*, kCount> kHeadings{"traffic.requests", "traffic.steps", "traffic.rate",
                                                    "traffic.useful",   "traffic.moved", "traffic.used"};
constexpr std::array<const char*, kCount> kMeanings{"traffic.requests_meaning", "traffic.steps_meaning",
                                                    "traffic.rate_meaning",     "traffic.useful_meaning",
                                                    "traffic.moved_meaning",    "traffic.used_meaning"};
constexpr std::array<bool, kCount> kEssential{true, true, true, false, false, true};  // where there is little room
constexpr float kLedgerRow = 20;                                                      // unscaled; of the code

using Figures = std::array<std::string, kCount>;

/// The number that a question asks for if it veils a row.
ShownNumber asked_of(const DataMovement& movement) {
  return movement.passes > 0 ? ShownNumber::wavefronts : ShownNumber::sectors;
}

Figures figures_of(const DataMovement& movement, bool total) {
  // Sectors and passes are no sum.
  return {with_separators(movement.requests),
          total ? std::string() : with_separators(movement.steps()),
          total ? std::string() : fmt::format("{:.1f}", movement.steps_per_request()),
          bytes_text(static_cast<double>(movement.useful)),
          bytes_text(static_cast<double>(movement.moved())),
          percent_text(movement.used())};
}

ImU32 role_of(const Theme& theme, const LedgerRow& row) {
  if (is_wasteful(row.movement)) return theme.error;
  const bool writes = row.writes() || (row.is_shared() && row.kind == AccessKind::async_copy);
  return writes ? theme.write : theme.read;
}

/// A small sign that the machine code has other operations than the PTX: two crossing arrows would not be seen, a
/// delta is.
void draw_delta(ImDrawList* list, ImVec2 centre, float size, ImU32 colour) {
  const ImVec2 points[] = {{centre.x, centre.y - size / 2},
                           {centre.x + size / 2, centre.y + size / 2},
                           {centre.x - size / 2, centre.y + size / 2}};
  list->AddPolyline(points, 3, colour, ImDrawFlags_Closed, size / 6);
}

}  // namespace

std::span<const size_t> SourcePanel::rows_of(uint32_t line) const {
  const auto found = by_line_.find(line);
  return found == by_line_.end() ? std::span<const size_t>{} : std::span<const size_t>(found->second);
}

void SourcePanel::lay_out_columns(PanelContext& context, float width) {
  std::array<float, kCount> widths{};
  const auto widen = [&](ImFont* font, const Figures& texts) {
    for (size_t i = 0; i < kCount; ++i) widths[i] = std::max(widths[i], text_size(font, texts[i]).x);
  };
  Figures headings;
  for (size_t i = 0; i < kCount; ++i) headings[i] = context.strings(kHeadings[i]);
  widen(context.fonts.small, headings);
  float label = 0;
  for (const LedgerRow& row : rows_) {
    widen(context.fonts.small_semibold, figures_of(row.movement, false));
    label = std::max(label, text_size(context.fonts.small, kind_text(context.strings, row.space, row.kind)).x);
  }
  widen(context.fonts.small_semibold, figures_of(row_total_, true));
  const bool roomy = width >= context.px(900);
  const float gap = context.px(roomy ? 24 : 14);
  columns_ = {};
  float from_right = context.px(20);
  for (size_t i = kCount; i-- > 0;) {
    columns_.edges[i] = -1;
    if (!roomy && !kEssential[i]) continue;
    columns_.edges[i] = from_right;
    from_right += widths[i] + gap;
  }
  columns_.label = from_right + label + context.px(4);
  columns_.width = columns_.label + context.px(32);
  // In a narrow panel the usual margin, of bytes and sectors, has to do.
  constexpr float kLeastSource = 240;
  if (width - columns_.width < context.px(kLeastSource)) columns_ = {};
}

void SourcePanel::draw_headings(PanelContext& context, ImVec2 low, float right, float middle) {
  ImFont* small = context.fonts.small;
  for (size_t i = 0; i < kCount; ++i) {
    if (columns_.edges[i] < 0) continue;
    const float edge = right - columns_.edges[i];
    const std::string& heading = context.strings(kHeadings[i]);
    draw_text_right(ImGui::GetWindowDrawList(), small, {edge, centred_top(small, middle)}, context.theme.muted,
                    heading);
    explain_rect(context, {edge - text_size(small, heading).x, low.y}, {edge, low.y + context.px(kSourceHeader)},
                 context.strings(kMeanings[i]));
  }
}

void SourcePanel::draw_figures(PanelContext& context, const DataMovement& movement, bool total, float right,
                               float middle) {
  const float fade = context.stale ? 0.4F : 1.0F;
  const auto shade = [&](ImU32 colour) { return mix(context.theme.window, colour, fade); };
  const Figures texts = figures_of(movement, total);
  const bool waste = !total && is_wasteful(movement), conflict = waste && movement.passes > 0;
  for (size_t i = 0; i < kCount; ++i) {
    if (columns_.edges[i] < 0) continue;
    if (i > 0 && context.view.hides(asked_of(movement))) {  // requests do not give the answer away
      if (!texts[i].empty())
        draw_veiled_text_right(context, ImGui::GetWindowDrawList(), context.fonts.small,
                               {right - columns_.edges[i], centred_top(context.fonts.small, middle)}, texts[i]);
      continue;
    }
    const bool bad = waste && (i == 2 || i == 4 || i == 5 || (i == 1 && conflict));
    ImFont* font = total || bad ? context.fonts.small_semibold : context.fonts.small;
    draw_text_right(ImGui::GetWindowDrawList(), font, {right - columns_.edges[i], centred_top(font, middle)},
                    shade(bad ? context.theme.error : context.theme.text), texts[i]);
  }
}

void SourcePanel::draw_row(PanelContext& context, const LedgerRow& row, ImVec2 low, ImVec2 high) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const Strings& strings = context.strings;
  const float middle = (low.y + high.y) / 2, fade = context.stale ? 0.4F : 1.0F;
  const std::string kind = kind_text(strings, row.space, row.kind);
  const ImU32 role = mix(theme.window, role_of(theme, row), fade);
  const float x = high.x - columns_.label, square = x - context.px(16);
  list->AddRectFilled({square, middle - context.px(4)}, {square + context.px(8), middle + context.px(4)}, role);
  draw_text(list, context.fonts.small, {x, centred_top(context.fonts.small, middle)},
            mix(theme.window, theme.text, fade), kind);
  draw_figures(context, row.movement, false, high.x, middle);
  const LineTraffic& line = result_->traffic.lines[row.index];
  if (line.changed_by_ptxas)
    draw_delta(list, {square - context.px(10), middle}, context.px(9), mix(theme.window, theme.waiting, fade));
  std::string text =
      strings.format(row.is_shared() ? "traffic.row_shared" : "traffic.row_global", fmt::arg("kind", kind),
                     fmt::arg("buffers", row.buffers.empty() ? strings("tiles.memory") : row.buffers),
                     fmt::arg("requests", with_separators(row.movement.requests)),
                     fmt::arg("steps", with_separators(row.movement.steps())),
                     fmt::arg("needed", with_separators(row.movement.needed_passes)),
                     fmt::arg("conflicts", with_separators(row.movement.conflicts())),
                     fmt::arg("used", percent_text(row.movement.used())));
  if (line.changed_by_ptxas) text += " " + change_text(strings, line);
  if (context.view.hides(asked_of(row.movement))) return;
  explain_rect(context, low, high, text);
}

void SourcePanel::draw_rows(PanelContext& context, uint32_t line, ImVec2 low, ImVec2 high) {
  float y = low.y;
  for (const size_t index : rows_of(line)) {
    const ImVec2 row_low{high.x - columns_.width + context.px(8), y}, row_high{high.x, y + context.px(kLedgerRow)};
    const LedgerRow& row = rows_[index];
    draw_row(context, row, row_low, row_high);
    mark(context,
         fmt::format("ledger.{}.{}.{}", row.line, row.is_shared() ? "shared" : "global",
                     row.writes() ? "write" : "read"),
         row_low, row_high);
    if (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
        ImGui::IsMouseHoveringRect(row_low, row_high) && ImGui::IsMouseClicked(0))
      pressed_row_ = index;
    y += context.px(kLedgerRow);
  }
}

/// A row's line is selected as any line is; with it goes an access of the row's kind.
void SourcePanel::take_row(PanelContext& context) {
  if (!pressed_row_ || !context.result || *pressed_row_ >= rows_.size()) return;
  const LedgerRow& row = rows_[*pressed_row_];
  pressed_row_.reset();
  TraceIndex& index = trace_index(context.view, context.result);
  const uint64_t blocks = context.result->tiles.grid.count();
  if (blocks == 0) return;
  const uint32_t block = context.view.selection.block.value_or(focus_block(context.view, blocks));
  std::optional<AccessPlace> near;
  if (context.view.selection.access) near = index.place(*context.view.selection.access);
  const auto access = access_of_row(index, row, block, near);
  if (!access) return;
  context.view.selection = select_access(*context.result, *access, context.view.selection.lane);
  selected_here_ = true;
}

void SourcePanel::draw_column_total(PanelContext& context, ImVec2 low, ImVec2 high) {
  const float middle = std::round((low.y + high.y) / 2) - context.px(1);
  const bool total = !rows_.empty() && lines_agree();
  const float left = high.x - columns_.width + context.px(8);
  draw_notice(context, low, (total ? left : high.x) - low.x - context.px(16), middle);
  if (!total) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = context.fonts.small;
  list->AddRectFilled({left, low.y}, {high.x - context.px(16), low.y + context.px(1)}, context.theme.separator);
  size_t here = 0;
  const auto counts = [&](const LedgerRow& row) { return row.is_shared() == total_is_shared_; };
  for (const auto& [line, rows] : by_line_)
    here += static_cast<size_t>(std::ranges::count_if(rows, [&](size_t row) { return counts(rows_[row]); }));
  const auto all = static_cast<size_t>(std::ranges::count_if(rows_, counts));
  const std::string kind = all == rows_.size() ? "traffic.total" : "traffic.total_global";
  const std::string label =
      here == all ? context.strings(kind) : context.strings.format(kind + "_elsewhere", fmt::arg("count", all - here));
  draw_text(list, small, {high.x - columns_.label, centred_top(small, middle)}, context.theme.muted, label);
  draw_figures(context, row_total_, true, high.x, middle);
  explain_rect(context, {left, low.y}, high, context.strings("traffic.total_meaning"));
}

}  // namespace tilescope
