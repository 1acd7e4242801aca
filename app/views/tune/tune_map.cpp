// The heat map: a cell for each pair of values of two axes. Impossible cells are hatched, wrong ones crossed, and the
// fastest is outlined.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/tune/tune_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kMapLabels = 64, kMapHead = 36, kMostWide = 96, kMostHigh = 44, kLegendLine = 22;
constexpr double kSlowest = 4;  // this many times slower than the best, and more, has the end of the scale

/// 1 for the fastest, 0 for one that is kSlowest times slower.
float speed_of_cell(double ratio) {
  return static_cast<float>(std::clamp(1 - std::log2(ratio) / std::log2(kSlowest), 0.0, 1.0));
}

}  // namespace

float TuneView::draw_heat_map(PanelContext& context, ImVec2 low, ImVec2 high) {
  const TuneMap& map = *shown_map();
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = context.fonts.small;
  const TuneAxis &down = map.axes[slice_.down], &across = map.axes[slice_.across];
  const ImVec2 corner{low.x + context.px(kMapLabels), low.y + context.px(kMapHead)};
  const auto rows = static_cast<float>(slice_.rows), columns = static_cast<float>(slice_.columns);
  const ImVec2 cell{std::floor(std::min((high.x - corner.x) / columns, context.px(kMostWide))),
                    std::floor(std::min((high.y - corner.y) / rows, context.px(kMostHigh)))};
  if (cell.x < context.px(6) || cell.y < context.px(6)) return low.y;
  draw_text(list, small, {low.x, centred_top(small, corner.y - context.px(10))}, theme.muted, down.name);
  if (slice_.columns > 1) draw_text(list, context.fonts.small_semibold, {corner.x, low.y}, theme.muted, across.name);
  // Where cells are small, every second, third … value is named.
  float widest = 0;
  for (const int64_t value : across.values) widest = std::max(widest, text_size(small, std::to_string(value)).x);
  const auto step = [](float label, float pitch) {
    return static_cast<size_t>(std::max(1.0F, std::ceil(label / pitch)));
  };
  const size_t column_step = step(widest + context.px(4), cell.x), row_step = step(line_height(small), cell.y);
  for (size_t column = 0; column < slice_.columns && slice_.columns > 1; column += column_step)
    draw_text_centred(list, small, {corner.x + (static_cast<float>(column) + 0.5F) * cell.x, corner.y - context.px(10)},
                      theme.text, fit_text(small, std::to_string(across.values[column]), cell.x));
  for (size_t row = 0; row < slice_.rows; ++row) {
    const float top = corner.y + static_cast<float>(row) * cell.y;
    if (row % row_step == 0)
      draw_text_right(list, small, {corner.x - context.px(8), centred_top(small, top + cell.y / 2)}, theme.text,
                      std::to_string(down.values[row]));
    for (size_t column = 0; column < slice_.columns; ++column) {
      const ImVec2 from{corner.x + static_cast<float>(column) * cell.x + context.px(1), top + context.px(1)};
      const ImVec2 to{from.x + cell.x - context.px(2), from.y + cell.y - context.px(2)};
      draw_cell(context, slice_.cell(row, column), from, to);
      mark(context, fmt::format("tune.cell.{}.{}", row, column), from, to);
    }
  }
  const float end = corner.y + rows * cell.y;
  mark(context, "tune.map", corner, {corner.x + columns * cell.x, end});
  draw_legend(context, {corner.x, end + context.px(6)}, high.x);
  return end + context.px(6 + kLegendLine);
}

void TuneView::draw_cell(PanelContext& context, const TuneCell& cell, ImVec2 low, ImVec2 high) {
  const TuneMap& map = *shown_map();
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const ImVec2 centre{(low.x + high.x) / 2, (low.y + high.y) / 2};
  if (!cell.entry) return;
  const TuneEntry& entry = map.entries[*cell.entry];
  ImU32 fill = theme.panel;
  std::string text;
  if (entry.state == TuneState::timed && best_) {
    const double ratio = map.times_best(*cell.entry);
    fill = viridis(speed_of_cell(std::max(1.0, ratio)));
    text = cell.entry == best_ ? context.strings("view.tune.fastest") : fmt::format("{:.2f}×", ratio);
  } else if (entry.state == TuneState::untried && entry.facts) {
    fill = mix(theme.panel, theme.read, 0.15F + 0.5F * static_cast<float>(entry.facts->occupancy));
    text = context.strings.format("view.tune.ctas", fmt::arg("count", entry.facts->ctas_per_multiprocessor));
  } else if (entry.state == TuneState::untried) {
    fill = mix(theme.panel, theme.read, 0.3F * static_cast<float>(cell.possible) / static_cast<float>(cell.entries));
    text = fmt::format("{} / {}", cell.possible, cell.entries);
  }
  list->AddRectFilled(low, high, fill, context.px(2));
  if (entry.state == TuneState::impossible) hatch(list, low, high, theme.separator, context.px(6));
  if (entry.state == TuneState::wrong || entry.state == TuneState::failed)
    draw_cross(list, centre, std::min(high.x - low.x, high.y - low.y) * 0.4F, theme.error, context.px(2));
  if (cell.entry == best_)
    list->AddRect({low.x - 0.5F, low.y - 0.5F}, {high.x + 0.5F, high.y + 0.5F}, theme.accent, context.px(2), 0,
                  context.px(2));
  const ImVec2 size = text_size(font, text);
  if (!text.empty() && size.x <= high.x - low.x - context.px(2) && size.y <= high.y - low.y + context.px(2))
    draw_text_centred(list, font, centre, readable_on(fill, theme), text);
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, high)) return;
  pointed_ = cell.entry;
  std::string says = sentence_of_entry(context, *cell.entry);
  if (cell.entries > 1)
    says += tune_gap(context.strings) + context.strings.format("view.tune.cell_of", fmt::arg("possible", cell.possible),
                                                               fmt::arg("all", cell.entries));
  explain_rect(context, low, high, says);
  if (entry.state == TuneState::impossible) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsMouseClicked(0)) use_entry(context, *cell.entry);
}

/// The scale, and what the marks mean; what does not fit is left out.
void TuneView::draw_legend(PanelContext& context, ImVec2 low, float right) {
  const TuneMap& map = *shown_map();
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float unit = context.px(1), middle = low.y + context.px(kLegendLine) / 2, box = context.px(12);
  float x = low.x;
  const auto put = [&](const std::string& text, const auto& paint) {
    const float width = box + 5 * unit + text_size(font, text).x;
    if (x + width > right) return;
    paint(ImVec2(x, middle - box / 2), ImVec2(x + box, middle + box / 2));
    draw_text(list, font, {x + box + 5 * unit, centred_top(font, middle)}, theme.muted, text);
    x += width + 16 * unit;
  };
  if (best_) {
    put(context.strings("view.tune.legend_fast"),
        [&](ImVec2 from, ImVec2 to) { list->AddRectFilled(from, to, viridis(1), 2 * unit); });
    put(context.strings("view.tune.legend_slow"),
        [&](ImVec2 from, ImVec2 to) { list->AddRectFilled(from, to, viridis(0), 2 * unit); });
  }
  if (!best_ && map.count(TuneState::untried) > 0)
    put(context.strings("view.tune.legend_possible"),
        [&](ImVec2 from, ImVec2 to) { list->AddRectFilled(from, to, mix(theme.panel, theme.read, 0.3F), 2 * unit); });
  if (map.count(TuneState::impossible) > 0)
    put(context.strings("view.tune.legend_impossible"), [&](ImVec2 from, ImVec2 to) {
      list->AddRectFilled(from, to, theme.panel, 2 * unit);
      hatch(list, from, to, theme.separator, 5 * unit);
    });
  if (map.count(TuneState::wrong) + map.count(TuneState::failed) > 0)
    put(context.strings("view.tune.legend_wrong"), [&](ImVec2 from, ImVec2 to) {
      draw_cross(list, {(from.x + to.x) / 2, (from.y + to.y) / 2}, box * 0.7F, theme.error, 2 * unit);
    });
}

}  // namespace tilescope
