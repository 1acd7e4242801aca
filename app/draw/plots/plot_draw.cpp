#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "app/draw/areas.hpp"
#include "app/draw/plots/plot_layout.hpp"
#include "app/draw/text.hpp"

namespace tilescope::plots {
namespace {

constexpr float kReach = 48;          // maximum distance of the pointer from a point
constexpr float kMarkerSpacing = 13;  // markers nearer than this along x are skipped

/// One drawing of one plot.
class Drawing {
 public:
  Drawing(const Plot& plot, const Style& style, ImDrawList* list)
      : plot_(plot), style_(style), theme_(style.theme), list_(list), layout_(lay_out(plot, style)) {}

  Drawn run() {
    find_hovered();
    draw_grid();
    list_->PushClipRect(shifted(layout_.area.low, -px(8), -px(8)), shifted(layout_.area.high, px(8), px(8)), true);
    for (const int layer : {0, 1, 2})
      for (size_t i = 0; i < plot_.items.size(); ++i)
        if (layer_of(i) == layer) draw_item(i);
    list_->PopClipRect();
    draw_top_row();
    draw_ticks();
    draw_labels();
    draw_ring_values();
    drawn_.area = layout_.area;
    return std::move(drawn_);
  }

 private:
  float px(float value) const { return value * style_.scale; }
  static ImVec2 shifted(ImVec2 point, float x, float y) { return {point.x + x, point.y + y}; }
  ImVec2 at(double x, double y) const { return {layout_.x_of(plot_, x), layout_.y_of(plot_, y)}; }
  /// 0 background, 1 data, 2 selected or hovered.
  int layer_of(size_t index) const {
    const Item& item = plot_.items[index];
    if (item.kind == Item::Kind::shaded || (item.kind == Item::Kind::hairline && !item.dashed)) return 0;
    const bool front = item.label.emphasis || is_hovered(index);
    return front || item.kind == Item::Kind::ring || item.kind == Item::Kind::hairline ? 2 : 1;
  }
  bool is_hovered(size_t index) const { return hovered_index_ == static_cast<int>(index); }

  void put(ImFont* font, ImVec2 position, ImU32 colour, const std::string& text) {
    if (text.empty()) return;
    position = ImVec2(std::round(position.x), std::round(position.y));
    const ImVec2 size = draw_text(list_, font, position, colour, text);
    drawn_.texts.push_back({text, position, shifted(position, size.x, size.y)});
  }
  void put_right(ImFont* font, ImVec2 position, ImU32 colour, const std::string& text) {
    put(font, shifted(position, -text_size(font, text).x, 0), colour, text);
  }

  void find_hovered();
  void hover_lines(ImVec2 mouse);
  void hover_bars(ImVec2 mouse);
  void hover_labels(ImVec2 mouse);
  void set_hovered(size_t index, int point, bool on_label);
  void draw_grid();
  void draw_item(size_t index);
  void draw_line(const Item& item, bool hovered);
  void draw_dashed(std::span<const ImVec2> points, ImU32 colour, float weight);
  void draw_markers(const Item& item, std::span<const ImVec2> points, ImU32 colour);
  void draw_band(const Item& item);
  void draw_bars(const Item& item, bool hovered);
  void draw_vertical(double x, const Item& item);
  void draw_ticks();
  void draw_top_row();
  void draw_labels();
  void draw_line_label(const PlacedLabel& label);
  void draw_bar_label(const PlacedLabel& label);
  void draw_ring_values();
  ImU32 line_colour(const Item& item, bool hovered) const {
    return hovered && item.colour == theme_.muted ? mix(theme_.muted, theme_.text, 0.6F) : item.colour;
  }

  const Plot& plot_;
  const Style& style_;
  const Theme& theme_;
  ImDrawList* list_;
  Layout layout_;
  Drawn drawn_;
  int hovered_index_ = -1;
};

// ---- hover ----

void Drawing::set_hovered(size_t index, int point, bool on_label) {
  int number = 0;  // labelled items before this one
  for (size_t i = 0; i < index; ++i) number += plot_.items[i].labelled() ? 1 : 0;
  hovered_index_ = static_cast<int>(index);
  drawn_.item = Hovered{number, point, ImGui::IsItemClicked(), on_label};
}

void Drawing::find_hovered() {
  ImGui::SetCursorScreenPos(layout_.low);
  hit_area(plot_.id, plot_.size);
  if (!ImGui::IsItemHovered()) return;
  drawn_.hovered = true;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (layout_.bars)
    hover_bars(mouse);
  else if (mouse.x > layout_.area.high.x + px(8))
    hover_labels(mouse);
  else
    hover_lines(mouse);
}

void Drawing::hover_lines(ImVec2 mouse) {
  float nearest = px(kReach) * px(kReach);
  for (size_t i = 0; i < plot_.items.size(); ++i) {
    const Item& item = plot_.items[i];
    if (item.kind != Item::Kind::line) continue;
    for (size_t k = 0; k < item.xs.size(); ++k) {
      const ImVec2 point = at(item.xs[k], item.ys[k]);
      const float dx = point.x - mouse.x, dy = point.y - mouse.y;
      if (dx * dx + dy * dy >= nearest) continue;
      nearest = dx * dx + dy * dy;
      set_hovered(i, static_cast<int>(k), false);
    }
  }
}

void Drawing::hover_labels(ImVec2 mouse) {
  for (const PlacedLabel& label : layout_.labels)
    if (std::abs(mouse.y - label.centre) <= layout_.label_height / 2)
      set_hovered(label.item, static_cast<int>(plot_.items[label.item].xs.size()) - 1, true);
}

void Drawing::hover_bars(ImVec2 mouse) {
  for (size_t i = 0; i < plot_.items.size(); ++i) {
    const Item& item = plot_.items[i];
    if (item.kind != Item::Kind::bars) continue;
    for (size_t k = 0; k < item.ys.size(); ++k) {
      const float top = at(0, item.ys[k] - 0.5).y, bottom = at(0, item.ys[k] + 0.5).y;
      if (mouse.y >= std::min(top, bottom) && mouse.y < std::max(top, bottom))
        set_hovered(i, static_cast<int>(k), false);
    }
  }
}

// ---- axes ----

void Drawing::draw_grid() {
  if (layout_.bars || (plot_.y.flags & AxisFlags_NoGridLines) != 0) return;
  for (const PlacedTick& tick : layout_.y_ticks)
    list_->AddRectFilled({layout_.area.low.x, tick.at}, {layout_.area.high.x, tick.at + std::max(1.0F, px(1))},
                         theme_.grid);
}

void Drawing::draw_ticks() {
  ImFont* font = style_.fonts.small;
  const float line = line_height(font);
  float right = layout_.area.high.x;
  for (const PlacedTick& tick : layout_.x_ticks) {
    const float width = text_size(font, tick.label).x;
    put(font, {tick.at - width / 2, layout_.bottom_row}, theme_.muted, tick.label);
    right = std::max(right, tick.at + width / 2);
  }
  const float name_width = text_size(font, plot_.x.label).x;
  const bool room = right + px(10) + name_width <= layout_.high.x + px(4);
  if (!layout_.x_ticks.empty() && room) put(font, {right + px(10), layout_.bottom_row}, theme_.muted, plot_.x.label);
  if ((plot_.y.flags & AxisFlags_NoTickLabels) != 0) return;
  for (const PlacedTick& tick : layout_.y_ticks)
    put_right(font, {layout_.area.low.x - px(8), tick.at - line / 2}, theme_.muted, tick.label);
}

/// The unit at the left, the column's titles at the right, and between them as many names of vertical lines as fit.
void Drawing::draw_top_row() {
  ImFont* font = style_.fonts.small;
  const float y = layout_.top_row;
  const auto width = [font](const std::string& text) { return text.empty() ? 0 : text_size(font, text).x; };
  const std::string unit = fit_text(font, plot_.y.label, plot_.size.x);
  float left = layout_.low.x + width(unit), right = layout_.high.x;
  put(font, {layout_.low.x, y}, theme_.muted, unit);
  const auto title = [&](bool wanted, float edge, const std::string& text) {
    const float low = edge - width(text);
    if (!wanted || text.empty() || edge > right || low < left + px(12)) return;
    put(font, {low, y}, theme_.muted, text);
    right = low - px(8);
  };
  title(layout_.values, layout_.value_right, plot_.value_title);
  title(layout_.notes, layout_.note_right, plot_.note_title);
  for (const Item& item : plot_.items) {
    if (item.kind != Item::Kind::hairline || item.name.empty()) continue;
    const float wide = width(item.name), wanted = layout_.x_of(plot_, item.xs[0]) - wide / 2;
    const float low = left + (left > layout_.low.x ? px(12) : 0),
                high = right - (right < layout_.high.x ? px(12) : 0) - wide;
    if (low > high) continue;
    const float x = std::clamp(wanted, low, high);
    put(font, {x, y}, item.dashed ? item.colour : theme_.muted, item.name);
    left = x + wide;
  }
}

// ---- items ----

void Drawing::draw_item(size_t index) {
  const Item& item = plot_.items[index];
  switch (item.kind) {
    case Item::Kind::line:
      return draw_line(item, is_hovered(index));
    case Item::Kind::shaded:
      return draw_band(item);
    case Item::Kind::bars:
      return draw_bars(item, is_hovered(index));
    case Item::Kind::lines_at:
      for (const double x : item.xs) draw_vertical(x, item);
      return;
    case Item::Kind::hairline:
      return draw_vertical(item.xs[0], item);
    case Item::Kind::ring: {
      const ImVec2 centre = at(item.xs[0], item.ys[0]);
      list_->AddCircleFilled(centre, px(5.5F), theme_.window, 24);
      list_->AddCircle(centre, px(5.5F), item.colour, 24, px(2));
      return;
    }
  }
}

void Drawing::draw_dashed(std::span<const ImVec2> points, ImU32 colour, float weight) {
  const float dash = px(5), gap = px(4);
  float phase = 0;  // position in the current dash and gap
  for (size_t i = 1; i < points.size(); ++i) {
    const ImVec2 a = points[i - 1], b = points[i];
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    for (float start = -phase; start < length; start += dash + gap) {
      const float from = std::max(0.0F, start) / length, to = std::min(length, start + dash) / length;
      if (to <= from) continue;
      list_->AddLine({a.x + (b.x - a.x) * from, a.y + (b.y - a.y) * from},
                     {a.x + (b.x - a.x) * to, a.y + (b.y - a.y) * to}, colour, weight);
    }
    phase = std::fmod(phase + length, dash + gap);
  }
}

void Drawing::draw_line(const Item& item, bool hovered) {
  std::vector<ImVec2> points;
  for (size_t k = 0; k < item.xs.size(); ++k) points.push_back(at(item.xs[k], item.ys[k]));
  const ImU32 colour = line_colour(item, hovered);
  const float weight = px(item.weight + (hovered ? 0.75F : 0.0F));
  size_t first = 0;
  const auto draw_until = [&](size_t end) {
    const std::span<const ImVec2> joined(points.data() + first, end - first);
    if (item.dashed)
      draw_dashed(joined, colour, weight);
    else
      list_->AddPolyline(joined.data(), static_cast<int>(joined.size()), colour, ImDrawFlags_None, weight);
    first = end;
  };
  for (const int end : item.breaks) draw_until(static_cast<size_t>(end));
  draw_until(points.size());
  draw_markers(item, points, colour);
  if (hovered && drawn_.item && !drawn_.item->on_label) {
    const ImVec2 point = points[static_cast<size_t>(drawn_.item->point)];
    list_->AddCircle(point, px(6), colour, 24, px(1.5F));
  }
}

void Drawing::draw_markers(const Item& item, std::span<const ImVec2> points, ImU32 colour) {
  float next = 1e30F;  // from the right, so that the last point, which the label belongs to, always has a marker
  for (size_t k = points.size(); k-- > 0;) {
    if (points[k].x > next) continue;
    draw_marker(list_, item.marker, points[k], px(item.marker_size), colour, theme_.window, item.hollow);
    next = points[k].x - px(kMarkerSpacing);
  }
}

void Drawing::draw_band(const Item& item) {
  for (size_t k = 1; k < item.xs.size(); ++k) {
    if (std::binary_search(item.breaks.begin(), item.breaks.end(), static_cast<int>(k))) continue;
    list_->AddQuadFilled(at(item.xs[k - 1], item.ys[k - 1]), at(item.xs[k], item.ys[k]), at(item.xs[k], item.ys2[k]),
                         at(item.xs[k - 1], item.ys2[k - 1]), item.fill);
  }
}

void Drawing::draw_bars(const Item& item, bool hovered) {
  for (size_t k = 0; k < item.xs.size(); ++k) {
    const ImVec2 end = at(item.xs[k], item.ys[k]);
    const float row = std::abs(at(0, item.ys[k] + item.bar_size / 2).y - at(0, item.ys[k] - item.bar_size / 2).y);
    const float half = std::round(std::clamp(row, px(3), px(12)) / 2);
    const ImVec2 low(layout_.area.low.x, std::round(end.y) - half),
        high(std::max(end.x, low.x + px(1)), low.y + 2 * half);
    if (hovered)
      list_->AddRectFilled({layout_.area.low.x, low.y - px(3)}, {layout_.area.high.x, high.y + px(3)}, theme_.raised);
    if (item.hollow)
      list_->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, item.colour, 0, 0, px(1.25F));
    else
      list_->AddRectFilled(low, high, line_colour(item, hovered));
  }
}

void Drawing::draw_vertical(double x, const Item& item) {
  const float place = std::round(layout_.x_of(plot_, x)) + 0.5F;
  const std::array<ImVec2, 2> ends{ImVec2(place, layout_.area.low.y), ImVec2(place, layout_.area.high.y)};
  if (item.dashed)
    draw_dashed(ends, item.colour, std::max(1.0F, px(1)));
  else
    list_->AddLine(ends[0], ends[1], item.colour, std::max(1.0F, px(1)));
}

// ---- labels ----

void Drawing::draw_labels() {
  for (const PlacedLabel& label : layout_.labels) {
    if (layout_.bars)
      draw_bar_label(label);
    else
      draw_line_label(label);
    if (!layout_.column) continue;
    const Item& item = plot_.items[label.item];
    ImFont* font = label_font(item, style_);
    const float top = label.centre - line_height(font) / 2;
    if (layout_.notes) put_right(style_.fonts.small, {layout_.note_right, top}, theme_.muted, item.label.note);
    if (layout_.values_below)
      put(font, {layout_.name_x, label.centre}, theme_.text, item.label.value);
    else if (layout_.values)
      put_right(font, {layout_.value_right, top}, theme_.text, item.label.value);
  }
}

void Drawing::draw_line_label(const PlacedLabel& label) {
  const Item& item = plot_.items[label.item];
  const bool hovered = is_hovered(label.item);
  const ImU32 colour = line_colour(item, hovered);
  ImFont* font = label_font(item, style_);
  const ImVec2 marker(layout_.marker_x, label.centre);
  const std::array<ImVec2, 3> leader{
      shifted(label.from, px(5), 0), {layout_.area.high.x + px(7), label.from.y}, shifted(marker, -px(7), 0)};
  list_->AddPolyline(leader.data(), 3, mix(colour, theme_.window, 0.4F), ImDrawFlags_None, px(1));
  if (item.dashed)
    draw_dashed(std::array{shifted(marker, -px(7), 0), shifted(marker, px(7), 0)}, colour, px(item.weight));
  draw_marker(list_, item.marker, marker, px(item.marker_size), colour, theme_.window, item.hollow);
  const ImU32 text = item.colour == theme_.muted ? theme_.text : item.colour;
  const float above = layout_.values_below ? line_height(font) : line_height(font) / 2;
  put(font, {layout_.name_x, label.centre - above}, text, label.name);
}

void Drawing::draw_bar_label(const PlacedLabel& label) {
  const Item& item = plot_.items[label.item];
  ImFont* font = label_font(item, style_);
  const ImU32 text = item.colour == theme_.muted ? theme_.text : item.colour;
  put(font, {layout_.low.x, label.centre - line_height(font) / 2}, text, label.name);
}

/// Beside the ring, on the side where there is room; a patch of the surface colour behind it keeps it readable over
/// lines.
void Drawing::draw_ring_values() {
  ImFont* font = style_.fonts.small_semibold;
  for (const Item& item : plot_.items) {
    if (item.kind != Item::Kind::ring || item.name.empty()) continue;
    const ImVec2 centre = at(item.xs[0], item.ys[0]), size = text_size(font, item.name);
    float x = centre.x - px(10) - size.x;
    if (x < layout_.area.low.x + px(2)) x = centre.x + px(10);
    const float y =
        std::clamp(centre.y - size.y - px(3), layout_.area.low.y + px(2), layout_.area.high.y - size.y - px(2));
    if (x + size.x > layout_.area.high.x) continue;
    list_->AddRectFilled({x - px(3), y}, {x + size.x + px(3), y + size.y}, with_alpha(theme_.window, 0.8F), px(3));
    put(font, {x, y}, item.colour, item.name);
  }
}

}  // namespace

Drawn draw_plot(const Plot& plot, const Style& style, ImDrawList* list) {
  // If the plot were lower, the rows above and below the axes would overlap.
  const float least = 2 * line_height(style.fonts.small) + 24 * style.scale;
  if (plot.size.x < 1 || plot.size.y < least) return {};
  return Drawing(plot, style, list).run();
}

}  // namespace tilescope::plots
