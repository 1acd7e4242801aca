#include "app/draw/plots/plot_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/draw/plots/label_spread.hpp"
#include "app/draw/text.hpp"

namespace tilescope::plots {
namespace {

// Unscaled pixels.
constexpr float kLabelStep = 18;    // between direct labels
constexpr float kTallStep = 36;     // between labels with a value below the name
constexpr float kLeader = 20;       // from the axes to the markers of the column
constexpr float kMarkerWidth = 12;  // marker to name
constexpr float kColumnGap = 12;
constexpr float kTickGap = 8;      // tick label to axes
constexpr float kLeastArea = 150;  // minimum width of the axes beside labels,
constexpr float kGoodArea = 155;   // and beside long names

constexpr float kRounding = 0.5F;  // positions are rounded to whole pixels, widths are not

float width_of(ImFont* font, std::string_view text) { return text.empty() ? 0 : text_size(font, text).x; }

struct ColumnWidths {
  float name = 0, note = 0, value = 0;
  bool notes = false, values = false, values_below = false;
  float total(float scale, bool bars) const {
    const float gap = kColumnGap * scale;
    float width = bars ? 0 : (kLeader + kMarkerWidth) * scale + (values_below ? std::max(name, value) : name);
    if (notes) width += note + gap;
    if (values && !values_below) width += value + gap;
    return width;
  }
};

ColumnWidths widest(const Plot& plot, const Style& style) {
  ColumnWidths widths;
  const auto widen = [&](const Item& item) {
    widths.name = std::max(widths.name, width_of(label_font(item, style), item.name));
    widths.note = std::max(widths.note, width_of(style.fonts.small, item.label.note));
    widths.value = std::max(widths.value, width_of(label_font(item, style), item.label.value));
  };
  for (const Item& item : plot.items)
    if (item.labelled()) widen(item);
  std::ranges::for_each(plot.reserved, widen);
  if (widths.value > 0) widths.value = std::max(widths.value, width_of(style.fonts.small, plot.value_title));
  if (widths.note > 0) widths.note = std::max(widths.note, width_of(style.fonts.small, plot.note_title));
  return widths;
}

/// The most detailed column that leaves room for the axes; nothing if none does. Values move below the names before
/// names are truncated, if there is enough height for all.
std::optional<ColumnWidths> choose_column(const ColumnWidths& full, float room, const Style& style, bool bars,
                                          bool tall_labels_fit) {
  struct Choice {
    float name_limit, least_area;
    bool notes, values, below = false;
  };
  constexpr std::array<Choice, 7> kChoices{{{150, kGoodArea, true, true},
                                            {150, kGoodArea, false, true},
                                            {134, kGoodArea, false, true},
                                            {150, kLeastArea, false, true, /*below=*/true},
                                            {96, kLeastArea, false, true},
                                            {110, kLeastArea, false, false},
                                            {76, kLeastArea, false, false}}};
  for (const Choice& choice : kChoices) {
    ColumnWidths widths = full;
    widths.name = std::min(full.name, choice.name_limit * style.scale);
    widths.notes = choice.notes && full.note > 0;
    widths.values = choice.values && full.value > 0;
    widths.values_below = choice.below;
    if (bars && !widths.values) continue;
    if (choice.below && (bars || !widths.values || !tall_labels_fit)) continue;
    if (room - widths.total(style.scale, bars) >= choice.least_area * style.scale) return widths;
  }
  return std::nullopt;
}

float left_margin(const Plot& plot, const Style& style, bool bars) {
  float width = 0;
  if (bars) {
    for (const Item& item : plot.items)
      if (item.kind == Item::Kind::bars) width = std::max(width, width_of(label_font(item, style), item.name));
    for (const Item& item : plot.reserved) width = std::max(width, width_of(label_font(item, style), item.name));
    width = std::min(width, plot.size.x * 0.42F);
  } else if ((plot.y.flags & AxisFlags_NoTickLabels) == 0) {
    for (const Tick& tick : plot.y.ticks.empty() ? ticks_of(plot.y.range, 10) : plot.y.ticks)
      width = std::max(width, width_of(style.fonts.small, tick.label));
  }
  return width + kTickGap * style.scale;
}

void place_column(Layout& layout, const std::optional<ColumnWidths>& column, float right_margin, const Style& style) {
  const float s = style.scale;
  layout.area.high.x = layout.high.x - right_margin;
  if (!column) return;
  layout.column = true;
  layout.values = column->values;
  layout.values_below = column->values_below;
  layout.label_height = (column->values_below ? kTallStep : kLabelStep) * s;
  layout.notes = column->notes;
  layout.area.high.x = layout.high.x - column->total(s, layout.bars);
  layout.value_right = layout.high.x;
  const bool value_column = column->values && !column->values_below;
  layout.note_right = layout.high.x - (value_column ? column->value + kColumnGap * s : 0);
  layout.marker_x = layout.area.high.x + kLeader * s;
  layout.name_x = layout.marker_x + kMarkerWidth * s;
}

void place_line_labels(Layout& layout, const Plot& plot, const Style& style, float name_width) {
  std::vector<size_t> items;
  std::vector<int> priorities;
  for (size_t i = 0; i < plot.items.size(); ++i) {
    const Item& item = plot.items[i];
    if (item.kind != Item::Kind::line || item.xs.empty() || item.name.empty()) continue;
    items.push_back(i);
    priorities.push_back(item.label.priority);
  }
  const float step = layout.label_height;
  // A tall label stays inside the axes by as much as a one-line label may extend beyond them.
  const float inset = (step - kLabelStep * style.scale) / 2;
  const float low = layout.area.low.y + inset, high = layout.area.high.y - inset;
  const auto room = static_cast<size_t>(std::max(0.0F, (high - low) / step) + 1);
  std::vector<float> wanted;
  for (const size_t kept : keep_labels(priorities, room)) {
    const Item& item = plot.items[items[kept]];
    const ImVec2 end(layout.x_of(plot, item.xs.back()), layout.y_of(plot, item.ys.back()));
    layout.labels.push_back(
        {items[kept], end, 0, fit_text(label_font(item, style), item.name, name_width + kRounding)});
    wanted.push_back(std::clamp(end.y, low, high));
  }
  const std::vector<float> centres = spread_labels(wanted, step, low, high);
  for (size_t i = 0; i < centres.size(); ++i) layout.labels[i].centre = std::round(centres[i]);
}

void place_bar_labels(Layout& layout, const Plot& plot, const Style& style, float name_width) {
  std::vector<size_t> items;
  std::vector<int> priorities;
  std::vector<float> centres;
  for (size_t i = 0; i < plot.items.size(); ++i) {
    const Item& item = plot.items[i];
    if (item.kind != Item::Kind::bars || item.ys.empty()) continue;
    items.push_back(i);
    priorities.push_back(item.label.priority);
    centres.push_back(layout.y_of(plot, item.ys.front()));
  }
  for (const size_t kept : keep_apart(centres, priorities, line_height(style.fonts.small))) {
    const Item& item = plot.items[items[kept]];
    const ImVec2 end(layout.x_of(plot, item.xs.front()), centres[kept]);
    layout.labels.push_back({items[kept], end, std::round(centres[kept]),
                             fit_text(label_font(item, style), item.name, name_width + kRounding)});
  }
}

std::vector<PlacedTick> place_ticks(const AxisSetup& axis, float low, float high, double gap, bool vertical,
                                    const Style& style) {
  ImFont* font = style.fonts.small;
  const auto extent = [font, vertical](std::string_view text) -> double {
    return vertical ? line_height(font) : text_size(font, text).x;
  };
  const double length = std::abs(high - low);
  std::vector<PlacedTick> placed;
  double end = -1e30;  // right end of the last label along a horizontal axis
  for (const Tick& tick : axis.ticks.empty() ? fitting_ticks(axis.range, length, gap, extent) : axis.ticks) {
    const auto fraction = static_cast<float>(axis.range.fraction(tick.value));
    const float at = std::round(low + fraction * (high - low));
    const double half = extent(tick.label) / 2;
    if (!vertical && at - half < end) continue;  // given ticks may be too many
    end = at + half + gap;
    placed.push_back({at, tick.label});
  }
  return placed;
}

}  // namespace

ImFont* label_font(const Item& item, const Style& style) {
  return item.label.emphasis ? style.fonts.small_semibold : style.fonts.small;
}

float Layout::x_of(const Plot& plot, double value) const {
  return area.low.x + static_cast<float>(plot.x.range.fraction(value)) * (area.high.x - area.low.x);
}
float Layout::y_of(const Plot& plot, double value) const {
  auto fraction = static_cast<float>(plot.y.range.fraction(value));
  if ((plot.y.flags & AxisFlags_Invert) != 0) fraction = 1 - fraction;
  return area.high.y - fraction * (area.high.y - area.low.y);
}

Layout lay_out(const Plot& plot, const Style& style) {
  const float s = style.scale;
  const float line = line_height(style.fonts.small);
  Layout layout;
  layout.low = plot.low;
  layout.high = ImVec2(plot.low.x + plot.size.x, plot.low.y + plot.size.y);
  layout.bars =
      std::any_of(plot.items.begin(), plot.items.end(), [](const Item& item) { return item.kind == Item::Kind::bars; });
  const bool x_labels = (plot.x.flags & AxisFlags_NoTickLabels) == 0;
  layout.top_row = layout.low.y;
  layout.bottom_row = layout.high.y - line;
  layout.area.low.y = layout.low.y + line + 10 * s;
  layout.area.high.y = x_labels ? layout.bottom_row - 9 * s : layout.high.y - 4 * s;
  const float left = left_margin(plot, style, layout.bars);
  layout.area.low.x = layout.low.x + left;

  const float right_margin = 14 * s + width_of(style.fonts.small, plot.x.label);
  const auto labelled =
      std::count_if(plot.items.begin(), plot.items.end(), [](const Item& item) { return item.labelled(); });
  const bool tall_fit = static_cast<float>(labelled) * kTallStep * s <= layout.area.high.y - layout.area.low.y;
  const auto column = choose_column(widest(plot, style), plot.size.x - left, style, layout.bars, tall_fit);
  place_column(layout, column, right_margin, style);
  for (float* edge : {&layout.area.low.x, &layout.area.low.y, &layout.area.high.x, &layout.area.high.y})
    *edge = std::round(*edge);
  if (layout.bars)
    place_bar_labels(layout, plot, style, left - kTickGap * s);
  else if (column)
    place_line_labels(layout, plot, style, column->name);

  if (x_labels) layout.x_ticks = place_ticks(plot.x, layout.area.low.x, layout.area.high.x, 10 * s, false, style);
  if (!layout.bars) layout.y_ticks = place_ticks(plot.y, layout.area.high.y, layout.area.low.y, 22 * s, true, style);
  return layout;
}

}  // namespace tilescope::plots
