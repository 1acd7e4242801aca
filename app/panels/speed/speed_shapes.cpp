// A sweep over shapes. Shapes do not form an axis: no line connects one to the next. Shapes are columns,
// implementations are rows, and each cell has its bar from zero on one linear scale, so that bars are comparable along
// rows and columns; a speed too small for a visible bar is still given as a number.
//
//   GB/s                  262144 × 128   4096 × 1024   8192 × 4096  …
//   2 One thread per row  ▏         219  ▏        57   ▏        116
//   6 Row in registers    ▇▏        510  ▇▇▇▇  2,944   ▇▇▇▇▇▇ 4,088
//   ─────────────────────────────────────────────────────────────────
//   ○ copy                ▯▯▯▯▯▯▯ 4,144  ▯▯▯▯▯ 3,566   ▯▯▯▯▯▯ 4,138
#include <algorithm>
#include <cmath>

#include "app/draw/plots/axis.hpp"
#include "app/draw/plots/marker.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/speed_model.hpp"
#include "app/panels/speed/speed_plot.hpp"
#include "app/panels/speed/speed_views.hpp"
#include "engine/bench/timed_place.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kHeadLine = 16, kNameGap = 18, kLeastName = 92, kMostName = 190, kLeastColumn = 44, kCellGap = 5;
constexpr float kLeastRow = 15, kMostRow = 26, kBetween = 7;  // kBetween: separates rungs from references

/// A shape's name on one line or two.
struct ColumnHead {
  std::string first, second;
};
ColumnHead one_line(const std::string& name) { return {"", name}; }
/// "8192 ×" over "4096"; a name without a cross stays on its line.
ColumnHead two_lines(const std::string& name) {
  constexpr std::string_view kCross = "×";
  const size_t cross = name.find(kCross);
  const size_t rest = cross == std::string::npos ? cross : name.find_first_not_of(' ', cross + kCross.size());
  return rest == std::string::npos ? one_line(name)
                                   : ColumnHead{name.substr(0, cross + kCross.size()), name.substr(rest)};
}

/// All names in the longest form that fits for each of them.
std::vector<ColumnHead> column_heads(ImFont* font, const SpeedReport& report, float width) {
  const auto fits = [&](const ColumnHead& head) {
    return text_size(font, head.first).x <= width && text_size(font, head.second).x <= width;
  };
  std::vector<ColumnHead> heads;
  for (const bool brief : {false, true})
    for (const bool split : {false, true}) {
      heads.clear();
      for (size_t i = 0; i < report.shapes.size(); ++i) {
        const auto shape = static_cast<int64_t>(i) + 1;
        const std::string name = brief ? short_place_text(report, shape) : place_text(report, shape);
        heads.push_back(split ? two_lines(name) : one_line(name));
      }
      if (std::ranges::all_of(heads, fits)) return heads;
    }
  for (ColumnHead& head : heads) head = {fit_text(font, head.first, width), fit_text(font, head.second, width)};
  return heads;
}

class ShapeTable {
 public:
  ShapeTable(PanelContext& context, const SpeedReport& report, ImVec2 low, float width)
      : context_(context),
        report_(report),
        quantity_(quantity_of(context.lab(), report)),
        full_(plots::tidy_limit(quantity_.largest())),
        here_(exact_place(context.lab(), report, context.session.request().config)),
        list_(ImGui::GetWindowDrawList()),
        font_(context.fonts.small),
        low_(low),
        width_(width) {
    for (const bool rungs : {true, false}) {
      int references = 0;
      for (const TimingSeries& series : report.series) {
        if (series.is_rung != rungs) continue;
        const int number = rungs ? number_of(context.lab(), series.name) : references++;
        if (!series.points.empty()) rows_.push_back({&series, number});
      }
    }
    float widest = 0;
    for (const Row& row : rows_) widest = std::max(widest, text_size(context.fonts.small, title_of(row)).x);
    const auto columns = static_cast<float>(std::max<size_t>(1, report.shapes.size()));
    const float most = std::min(context.px(kMostName), width - columns * context.px(kLeastColumn));
    name_ =
        std::clamp(widest + context.px(kNameGap + 8), context.px(kLeastName), std::max(most, context.px(kLeastName)));
    column_ = std::max(1.0F, std::floor((width - name_) / columns));
    heads_ = column_heads(font_, report, cell_width());
    for (const Row& row : rows_)
      for (const TimingPoint& point : row.series->points)
        brief_ |= text_size(context.fonts.small_semibold, figure(quantity_.of(point))).x > cell_width();
    two_lines_ = std::ranges::any_of(heads_, [](const ColumnHead& head) { return !head.first.empty(); });
  }

  /// The height with rows of minimum height.
  float least_height() const { return head_height() + context_.px(kBetween + 4 + kLeastRow * row_count()); }

  /// Returns its lower end.
  float draw(float height) {
    const float room = (height - head_height() - context_.px(kBetween + 4)) / row_count();
    row_ = std::floor(std::clamp(room, context_.px(kLeastRow), context_.px(kMostRow)));
    draw_here(height);
    float y = draw_heads();
    bool rungs = true;
    for (const Row& row : rows_) {
      if (rungs && !row.series->is_rung) {
        const float line = std::round(y + context_.px(kBetween / 2));
        if (&row != rows_.data())
          list_->AddRectFilled({low_.x, line}, {low_.x + width_, line + std::max(1.0F, context_.px(1))},
                               context_.theme.grid);
        y += context_.px(kBetween);
        rungs = false;
      }
      draw_row(row, y);
      y += row_;
    }
    return y;
  }

 private:
  struct Row {
    const TimingSeries* series;
    int number;  // for a rung, its number in the ladder; for a reference, its marker
  };

  /// Starts at 1; 0 for a rung that the lab no longer has.
  static int number_of(const Lab& lab, const std::string& rung) {
    const Rung* found = find_rung(lab, rung);
    return found != nullptr ? static_cast<int>(found - lab.rungs.data()) + 1 : 0;
  }
  /// "4,088", or "4.1k" if a column is too narrow for that.
  std::string figure(double value) const {
    if (brief_ && value >= 999.5) return fmt::format("{:.1f}k", value / 1000);
    return plots::number_text(value, value < 9.95 ? 0.1 : 1);
  }
  float row_count() const { return static_cast<float>(std::max<size_t>(1, rows_.size())); }
  std::string title_of(const Row& row) const { return series_title(context_.lab(), *row.series, context_.strings); }
  float left_of(size_t column) const { return low_.x + name_ + static_cast<float>(column) * column_; }
  float cell_width() const { return column_ - context_.px(kCellGap); }
  bool is_selected(const Row& row) const { return tilescope::is_selected(context_, *row.series); }
  ImU32 colour_of(const Row& row) const { return colour_of_series(context_, *row.series); }

  float head_height() const { return context_.px((two_lines_ ? 2 : 1) * kHeadLine + 6); }

  /// A column background under the shape that matches the sliders.
  void draw_here(float height) {
    if (!here_) return;
    const float left = left_of(static_cast<size_t>(*here_ - 1)) - context_.px(kCellGap / 2);
    const float bottom =
        std::min(low_.y + height, low_.y + head_height() + context_.px(kBetween + 4) + row_ * row_count());
    list_->AddRectFilled({left, low_.y}, {left + column_, bottom},
                         mix(context_.theme.window, context_.theme.raised, 0.7F), context_.px(4));
  }

  float draw_heads() {
    const Strings& strings = context_.strings;
    const float bottom = low_.y + head_height();
    draw_text(list_, font_, {low_.x, bottom - context_.px(22)}, context_.theme.muted, quantity_.unit);
    for (size_t i = 0; i < report_.shapes.size(); ++i) {
      const auto shape = static_cast<int64_t>(i) + 1;
      const ColumnHead& head = heads_[i];
      const bool here = here_ == shape;
      const ImU32 ink = here ? context_.theme.accent : context_.theme.text;
      const float right = left_of(i) + cell_width();
      draw_text_right(list_, font_, {right, bottom - context_.px(22)}, ink, head.second);
      if (!head.first.empty()) draw_text_right(list_, font_, {right, bottom - context_.px(38)}, ink, head.first);
      explain_rect(context_, {left_of(i), low_.y}, {right, bottom},
                   strings.format("speed.shapes_column", fmt::arg("name", report_.size_name),
                                  fmt::arg("shape", place_text(report_, shape))));
      mark(context_, "shapes." + std::to_string(shape), {left_of(i), low_.y}, {right, bottom});
    }
    return bottom + context_.px(4);
  }

  void draw_row(const Row& row, float top) {
    const bool selected = is_selected(row);
    const ImVec2 low{low_.x - context_.px(6), top}, high{low_.x + width_, top + row_};
    ImGui::SetCursorScreenPos(low);
    const std::string id = "shapes." + row.series->name;
    const bool pressed = hit_area(id.c_str(), {high.x - low.x, high.y - low.y});
    const bool can_be_chosen = row.series->is_rung && find_rung(context_.lab(), row.series->name) != nullptr;
    const bool hovered = ImGui::IsItemHovered();
    if (selected || (hovered && can_be_chosen))
      list_->AddRectFilled(low, high, selected ? context_.theme.raised : context_.theme.grid, context_.px(4));
    if (hovered && can_be_chosen) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (pressed && can_be_chosen) context_.session.select_rung(row.series->name);
    mark(context_, id, low, high);
    draw_name(row, top);
    for (size_t i = 0; i < report_.shapes.size(); ++i) draw_cell(row, i, top);
  }

  void draw_name(const Row& row, float top) {
    const bool selected = is_selected(row);
    const float centre = top + row_ / 2;
    // Rungs have their ladder numbers.
    if (row.series->is_rung)
      draw_text_right(list_, font_, {low_.x + context_.px(12), centred_top(font_, centre)}, context_.theme.muted,
                      std::to_string(row.number));
    else
      plots::draw_marker(list_, plots::reference_marker(row.number), {low_.x + context_.px(7), centre},
                         context_.px(3.25F), colour_of(row), context_.theme.window, /*hollow=*/true);
    ImFont* font = selected ? context_.fonts.small_semibold : font_;
    const std::string title = title_of(row);
    const float room = name_ - context_.px(kNameGap + 4);
    const std::string shown = fit_text(font, title, room);
    draw_text(list_, font, {low_.x + context_.px(kNameGap), centred_top(font, centre)},
              row.series->is_rung && !selected ? context_.theme.text : colour_of(row), shown);
    if (shown != title) explain_rect(context_, {low_.x, top}, {low_.x + name_, top + row_}, title);
  }

  void draw_cell(const Row& row, size_t column, float top) {
    const auto shape = static_cast<int64_t>(column) + 1;
    const ImVec2 low{left_of(column), top}, high{low.x + cell_width(), top + row_};
    mark(context_, fmt::format("shapes.{}.{}", row.series->name, shape), low, high);
    const float centre = top + row_ / 2;
    const TimingPoint* point = point_at(*row.series, shape);
    if (point == nullptr) return draw_missing(row, shape, low, high);
    const bool selected = is_selected(row);
    const auto x_of = [&](double value) {
      return low.x + (high.x - low.x) * static_cast<float>(std::clamp(value / full_, 0.0, 1.0));
    };
    const double value = quantity_.of(*point);
    const float half = std::round(std::min(row_ / 2 - context_.px(2), context_.px(8)));
    const ImVec2 from{low.x, centre - half}, to{std::max(x_of(value), low.x + context_.px(1)), centre + half};
    const ImU32 colour = colour_of(row),
                fill = mix(context_.theme.window, colour, row.series->is_rung ? (selected ? 0.45F : 0.28F) : 0.12F);
    list_->AddRectFilled(from, to, fill);
    if (!row.series->is_rung && to.x - from.x > context_.px(3))
      list_->AddRect({from.x + 0.5F, from.y + 0.5F}, {to.x - 0.5F, to.y - 0.5F},
                     mix(context_.theme.window, colour, 0.5F), 0, 0, context_.px(1));
    // The interval of the median, if it is wide enough to be visible.
    const float begin = x_of(quantity_.low(*point)), end = x_of(quantity_.high(*point));
    if (std::abs(end - begin) >= context_.px(3))
      list_->AddRectFilled({std::min(begin, end), centre + half - context_.px(2)},
                           {std::max(begin, end), centre + half}, colour);
    ImFont* font = selected ? context_.fonts.small_semibold : font_;
    const std::string text = figure(value);
    if (text_size(font, text).x <= high.x - low.x)
      draw_text_right(list_, font, {high.x, centred_top(font, centre)},
                      row.series->is_rung ? context_.theme.text : colour, text);
    explain_rect(context_, {low.x, top}, {high.x, top + row_}, point_sentence(context_, report_, *row.series, *point));
  }

  /// Why there is no time, in a word; hovering shows the full reason.
  void draw_missing(const Row& row, int64_t shape, ImVec2 low, ImVec2 high) {
    const Strings& strings = context_.strings;
    const auto gap = row.series->gaps.find(shape);
    const bool failed = gap != row.series->gaps.end();
    std::string text = strings(failed ? "speed.shapes_failed" : "speed.shapes_not_timed");
    if (text_size(font_, text).x > high.x - low.x) text = "–";
    draw_text_right(list_, font_, {high.x, centred_top(font_, (low.y + high.y) / 2)}, context_.theme.muted, text);
    explain_rect(context_, low, high,
                 strings.format("speed.shapes_missing", fmt::arg("name", title_of(row)),
                                fmt::arg("shape", place_text(report_, shape))) +
                     (failed ? "\n" + strings.note(gap->second) : ""));
  }

  PanelContext& context_;
  const SpeedReport& report_;
  SpeedQuantity quantity_;
  double full_;                  // the value of a bar that fills its cell
  std::optional<int64_t> here_;  // the shape that matches the sliders
  ImDrawList* list_;
  ImFont* font_;
  ImVec2 low_;
  float width_, name_ = 0, column_ = 0, row_ = 0;
  std::vector<Row> rows_;
  std::vector<ColumnHead> heads_;  // by shape
  bool two_lines_ = false, brief_ = false;
};

}  // namespace

float shape_sweep_height(PanelContext& context, const SpeedReport& report, float width) {
  return ShapeTable(context, report, {0, 0}, width).least_height();
}

void draw_shape_sweep(PanelContext& context, const SpeedReport& report, ImVec2 low, ImVec2 size) {
  ImGui::SetCursorScreenPos({low.x - context.px(8), low.y});
  // If there are too many rows for the height, they scroll.
  ImGui::BeginChild("shapes", {size.x + context.px(16), size.y}, false,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  ShapeTable table(context, report, {low.x, begin.y}, size.x);
  const float end = table.draw(std::max(size.y, table.least_height()));
  ImGui::SetCursorScreenPos(begin);
  ImGui::Dummy({1, end - begin.y});
  ImGui::EndChild();
}

}  // namespace tilescope
