// The running maximum and sum of one row after each step over the keys.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/plots/axis.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/plane/plane_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kTraceHeader = 24, kTraceTitle = 18, kAxis = 22, kLeft = 44, kLabels = 92, kBetween = 8, kTableRow = 20;
constexpr float kLeastPlot = 44, kMostPlot = 110, kCross = 6;

/// A number with few enough digits that a column of them can be compared.
std::string figure(double value) {
  if (!std::isfinite(value)) return value > 0 ? "∞" : std::isnan(value) ? "NaN" : "−∞";
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e5 || size < 1e-3)) return short_number(value);
  return fmt::format("{:.{}f}", value, size < 10 ? 3 : size < 1000 ? 2 : 1);
}

struct StepPlot {
  ImVec2 low, high;
  plots::AxisRange y;
  size_t steps = 1;
  float x(double step) const {
    return low.x + (high.x - low.x) * static_cast<float>(step / static_cast<double>(steps));
  }
  float at(double value) const {
    return high.y - (high.y - low.y) * static_cast<float>(std::clamp(y.fraction(value), -0.05, 1.05));
  }
  float pitch() const { return (high.x - low.x) / static_cast<float>(steps); }
};

/// The range of finite values, with a small margin.
plots::AxisRange range_of(const SoftmaxTrace& trace, bool sums) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  const auto take = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const SoftmaxStep& step : trace.steps) {
    if (sums) {
      take(step.l);
    } else {
      take(step.m);
      if (trace.steps.size() <= 512) take(step.largest);
    }
  }
  if (low > high) return {plots::AxisScale::linear, 0, 1};
  if (sums) return {plots::AxisScale::linear, 0, high > 0 ? high * 1.08 : 1};
  const double room = std::max((high - low) * 0.08, 0.02);
  return {plots::AxisScale::linear, low - room, high + room};
}

void draw_grid(PlaneFrame& frame, const StepPlot& plot) {
  const Theme& theme = frame.context.theme;
  ImFont* font = frame.context.fonts.small;
  const auto ticks =
      plots::fitting_ticks(plot.y, static_cast<double>(plot.high.y - plot.low.y), static_cast<double>(frame.px(10)),
                           [&](std::string_view) { return static_cast<double>(line_height(font)); });
  for (const plots::Tick& tick : ticks) {
    const float y = std::round(plot.at(tick.value));
    frame.list->AddRectFilled({plot.low.x, y}, {plot.high.x, y + 1}, theme.grid);
    draw_text_right(frame.list, font, {plot.low.x - frame.px(8), centred_top(font, y)}, theme.muted, tick.label);
  }
}

/// The current step, and the steps that rescaled the earlier part.
void draw_moments(PlaneFrame& frame, const StepPlot& plot) {
  const Theme& theme = frame.context.theme;
  if (frame.done < plot.steps)
    frame.list->AddRectFilled(
        {plot.x(static_cast<double>(frame.done)), plot.low.y},
        {std::max(plot.x(static_cast<double>(frame.done + 1)), plot.x(static_cast<double>(frame.done)) + frame.px(2)),
         plot.high.y},
        theme.raised);
  const ImU32 colour = mix(theme.window, theme.error, 0.7F);
  const float line = std::max(1.0F, frame.px(1)), dash = frame.px(3);
  for (size_t step = 0; step < frame.trace->steps.size() && step <= frame.done; ++step) {
    if (!frame.trace->steps[step].raised) continue;
    const float x = std::round(plot.x(static_cast<double>(step)));
    for (float y = plot.low.y; y < plot.high.y; y += 2 * dash)
      frame.list->AddRectFilled({x, y}, {x + line, std::min(y + dash, plot.high.y)}, colour);
  }
}

/// Constant over each step, solid up to the cursor and dashed beyond it.
void draw_stairs(PlaneFrame& frame, const StepPlot& plot, double SoftmaxStep::*value, ImU32 colour) {
  const auto& steps = frame.trace->steps;
  const size_t reached = std::min(frame.done + 1, steps.size());
  std::vector<ImVec2> points;
  const auto flush = [&](ImU32 with, float weight) {
    if (points.size() > 1) frame.list->AddPolyline(points.data(), static_cast<int>(points.size()), with, 0, weight);
    points.clear();
  };
  for (size_t step = 0; step < reached; ++step) {
    if (!std::isfinite(steps[step].*value)) {
      flush(colour, frame.px(2));
      continue;
    }
    const float y = plot.at(steps[step].*value), x = plot.x(static_cast<double>(step));
    // Many steps share a pixel: a corner is only needed where the value changes.
    if (points.empty() || std::abs(points.back().y - y) > 0.25F) points.emplace_back(x, y);
    points.emplace_back(plot.x(static_cast<double>(step + 1)), y);
  }
  flush(colour, frame.px(2));
  const ImU32 rest = mix(frame.context.theme.window, frame.context.theme.muted, 0.7F);
  const float dash = frame.px(3), line = std::max(1.0F, frame.px(1));
  for (float x = plot.x(static_cast<double>(reached)); x < plot.high.x; x += 2 * dash) {
    const auto step = std::min(static_cast<size_t>((x - plot.low.x) / plot.pitch()), steps.size() - 1);
    if (!std::isfinite(steps[step].*value)) continue;
    const float y = std::round(plot.at(steps[step].*value));
    frame.list->AddRectFilled({x, y}, {std::min(x + dash, plot.high.x), y + line}, rest);
  }
}

/// The maximum score of each step.
void draw_crosses(PlaneFrame& frame, const StepPlot& plot) {
  if (plot.pitch() < frame.px(kCross)) return;
  const Theme& theme = frame.context.theme;
  for (size_t step = 0; step < frame.trace->steps.size(); ++step) {
    const double largest = frame.trace->steps[step].largest;
    if (!std::isfinite(largest)) continue;
    draw_cross(frame.list, {plot.x(static_cast<double>(step) + 0.5), plot.at(largest)}, frame.px(5),
               mix(theme.window, theme.text, step <= frame.done ? 0.75F : 0.3F), frame.px(1.25F));
  }
}

void draw_label(PlaneFrame& frame, const StepPlot& plot, const char* name, double value, ImU32 colour) {
  ImFont* font = frame.context.fonts.small_semibold;
  const float y = std::clamp(std::isfinite(value) ? plot.at(value) : plot.high.y, plot.low.y, plot.high.y);
  draw_text(frame.list, font, {plot.high.x + frame.px(8), centred_top(font, y)}, colour,
            fmt::format("{} {}", name, figure(value)));
}

/// The steps axis below the lower plot.
void draw_steps_axis(PlaneFrame& frame, const StepPlot& plot) {
  const Theme& theme = frame.context.theme;
  ImFont* font = frame.context.fonts.small;
  const float y = plot.high.y + frame.px(12);
  // Steps, or for a stored row its keys.
  const bool stored = frame.trace->source == SoftmaxTrace::Source::stored;
  const double each = stored ? static_cast<double>(frame.picture.extents.keys) / static_cast<double>(plot.steps) : 1;
  const plots::AxisRange range{plots::AxisScale::linear, 0, static_cast<double>(plot.steps) * each};
  const auto width = [&](std::string_view text) { return static_cast<double>(text_size(font, text).x); };
  for (const plots::Tick& tick : plots::fitting_ticks(range, static_cast<double>(plot.high.x - plot.low.x),
                                                      static_cast<double>(frame.px(24)), width)) {
    if (tick.value != std::floor(tick.value) || tick.value >= range.high) continue;
    const std::string text = with_separators(static_cast<int64_t>(tick.value));
    const float centre = plot.x(tick.value / each + 0.5);
    if (centre + text_size(font, text).x / 2 > plot.high.x) continue;
    draw_text_centred(frame.list, font, {centre, y}, theme.muted, text);
  }
  const bool keys = stored || frame.walk.widest() <= 1;
  draw_text(frame.list, font, {plot.high.x + frame.px(8), centred_top(font, y)}, theme.muted,
            frame.context.strings(keys ? "plane.axis_key" : "plane.axis_block"));
}

void point_at_plot(PlaneFrame& frame, const StepPlot& plot, const char* id) {
  ImGui::SetCursorScreenPos(plot.low);
  hit_area(id, {plot.high.x - plot.low.x, plot.high.y - plot.low.y});
  mark(frame.context, std::string("plane.") + id, plot.low, plot.high);
  if (!ImGui::IsItemHovered() && !ImGui::IsItemActive()) return;
  const float at = (ImGui::GetIO().MousePos.x - plot.low.x) / plot.pitch();
  const auto step = static_cast<size_t>(std::clamp(at, 0.0F, static_cast<float>(plot.steps - 1)));
  const SoftmaxStep& of = frame.trace->steps[step];
  explain(frame.context,
          frame.context.strings.format(
              of.raised ? "plane.explain_raised" : "plane.explain_step", fmt::arg("step", with_separators(step)),
              fmt::arg("first", with_separators(of.first_key)), fmt::arg("last", with_separators(of.end_key - 1)),
              fmt::arg("largest", figure(of.largest)), fmt::arg("m", figure(of.m)), fmt::arg("l", figure(of.l)),
              fmt::arg("rescale", figure(of.rescale))));
  if (!ImGui::IsItemActive()) return;
  frame.context.view.plane.playing = false;
  frame.context.view.plane.step = static_cast<double>(step);
}

Badge badge_of(const PlaneFrame& frame) {
  if (frame.trace->source == SoftmaxTrace::Source::inputs) return Badge::modelled;
  return frame.result().request.device == DeviceKind::gpu ? Badge::measured : Badge::simulated;
}

void draw_header(PlaneFrame& frame, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  const float y = low.y + frame.px(10);
  float end = right;
  const char* title = "plane.trace";
  const char* source = frame.result().request.broken.empty() ? "plane.from_inputs" : "plane.from_inputs_mended";
  if (frame.trace != nullptr) {
    end -= draw_badge(context, frame.list, {right, low.y}, badge_of(frame)) + frame.px(10);
    if (frame.trace->source == SoftmaxTrace::Source::buffer) source = "plane.from_run";
    if (frame.trace->source == SoftmaxTrace::Source::stored) {
      title = "plane.stored_row";
      source = "plane.from_matrix";
    }
  }
  ImFont *strong = context.fonts.small_semibold, *font = context.fonts.small;
  std::string text = context.strings.format(title, fmt::arg("row", with_separators(frame.query())));
  if (text_size(strong, text).x > end - low.x)
    text = context.strings.format("plane.trace_brief", fmt::arg("row", with_separators(frame.query())));
  const float x = low.x + draw_text(frame.list, strong, {low.x, centred_top(strong, y)}, context.theme.text,
                                    fit_text(strong, text, end - low.x))
                              .x;
  if (frame.trace == nullptr) return;
  const std::string from = context.strings(source);
  if (x + frame.px(50) < end)
    draw_text(frame.list, font, {x + frame.px(10), centred_top(font, y)}, context.theme.muted,
              fit_text(font, from, end - x - frame.px(10)));
  explain_rect(context, low, {right, low.y + frame.px(20)}, context.strings(std::string(source) + "_meaning"));
}

/// If the run has recorded a row, but a different one is shown.
float draw_noted_link(PlaneFrame& frame, ImVec2 low) {
  const std::optional<int64_t> row = noted_row(frame.picture);
  if (!row || *row == frame.row) return 0;
  PanelContext& context = frame.context;
  ImFont* font = context.fonts.small;
  const int64_t queries = frame.picture.extents.queries;
  const std::string text = context.strings.format("plane.go_to_noted", fmt::arg("row", with_separators(*row % queries)),
                                                  fmt::arg("head", with_separators(*row / queries)));
  const ImVec2 size = text_size(font, text);
  ImGui::SetCursorScreenPos(low);
  if (hit_area("noted", {size.x, frame.px(kTraceTitle)})) {
    for (const PlaneStrip& strip : frame.picture.strips)
      if (const int64_t query = *row - strip.head * queries;
          query >= strip.queries.begin && query < strip.queries.end) {
        context.view.selection = {};
        context.view.selection.block = strip.block;
        context.view.plane.row = row;
        break;
      }
  }
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  mark(context, "plane.noted", low, {low.x + size.x, low.y + frame.px(kTraceTitle)});
  draw_text(frame.list, font, {low.x, centred_top(font, low.y + frame.px(kTraceTitle) / 2)}, context.theme.accent,
            text);
  return frame.px(kTraceTitle + 4);
}

void draw_plot(PlaneFrame& frame, ImVec2 low, ImVec2 high, bool sums) {
  const Theme& theme = frame.context.theme;
  ImFont* font = frame.context.fonts.small;
  const bool stored = frame.trace->source == SoftmaxTrace::Source::stored;
  const char* title = stored ? "plane.of_stored" : sums ? "plane.of_l" : "plane.of_m";
  draw_text(frame.list, font, {low.x + frame.px(kLeft), low.y}, theme.muted,
            fit_text(font, frame.context.strings(title), high.x - low.x - frame.px(kLeft)));
  StepPlot plot{{low.x + frame.px(kLeft), low.y + frame.px(kTraceTitle)}, {high.x - frame.px(kLabels), high.y}, {}, 1};
  plot.steps = std::max<size_t>(frame.trace->steps.size(), 1);
  plot.y = range_of(*frame.trace, sums || stored);
  if (!stored) draw_moments(frame, plot);
  draw_grid(frame, plot);
  const size_t now = std::min(frame.done, plot.steps - 1);
  const SoftmaxStep& step = frame.trace->steps[now];
  if (stored) {
    for (size_t i = 0; i < frame.trace->steps.size(); ++i) {
      const float x = plot.x(static_cast<double>(i));
      frame.list->AddRectFilled({x, plot.at(frame.trace->steps[i].l)},
                                {std::max(plot.x(static_cast<double>(i + 1)) - 1, x + 1), plot.at(0)}, theme.write);
    }
    draw_steps_axis(frame, plot);
    return;
  }
  if (sums) {
    draw_stairs(frame, plot, &SoftmaxStep::l, theme.write);
    draw_label(frame, plot, "l", step.l, theme.write);
    draw_steps_axis(frame, plot);
  } else {
    draw_crosses(frame, plot);
    draw_stairs(frame, plot, &SoftmaxStep::m, theme.accent);
    draw_label(frame, plot, "m", step.m, theme.accent);
    if (plot.pitch() >= frame.px(kCross)) {
      const float y = std::min(plot.high.y - frame.px(4), std::max(plot.at(step.m) + frame.px(20), plot.low.y));
      const bool below = y < plot.at(step.m) + frame.px(16);
      const float at = below ? plot.at(step.m) - frame.px(18) : y;
      draw_cross(frame.list, {plot.high.x + frame.px(12), at}, frame.px(5), theme.muted, frame.px(1.25F));
      draw_text(frame.list, font, {plot.high.x + frame.px(20), centred_top(font, at)}, theme.muted,
                frame.context.strings("plane.largest"));
    }
  }
  point_at_plot(frame, plot, sums ? "l" : "m");
}

struct TableCell {
  std::string text;
  ImU32 colour;
  bool strong = false;
};
struct TableRow {
  std::array<TableCell, 6> cells;
  bool newest = false;
};

TableRow titles_of(const PlaneFrame& frame) {
  const Strings& strings = frame.context.strings;
  const bool keys = frame.walk.widest() <= 1;
  TableRow row;
  const char* const titles[] = {keys ? "plane.axis_key" : "plane.axis_block",
                                keys ? "plane.column_score" : "plane.largest",
                                "plane.column_m",
                                "plane.column_rescale",
                                "plane.column_l",
                                "plane.column_rescaled"};
  for (size_t i = 0; i < row.cells.size(); ++i) row.cells[i] = {strings(titles[i]), frame.context.theme.muted};
  return row;
}

TableRow row_of(const PlaneFrame& frame, size_t number, bool newest) {
  const Theme& theme = frame.context.theme;
  const SoftmaxStep& step = frame.trace->steps[number];
  const bool nothing = step.first_key == step.end_key;
  const ImU32 colour = step.raised ? theme.error : theme.text;
  const char* what = step.raised   ? "plane.new_maximum"
                     : nothing     ? "plane.nothing_seen"
                     : number == 0 ? "plane.first"
                                   : "plane.no";
  return {{{{with_separators(number), theme.text, newest},
            {nothing ? "—" : figure(step.largest), theme.text},
            {figure(step.m), colour, step.raised},
            {number == 0 ? "—" : figure(step.rescale), colour},
            {figure(step.l), theme.text},
            {frame.context.strings(what), step.raised ? theme.error : theme.muted}}},
          newest};
}

/// Right edges of the columns, evenly spread; 0 for a column without room: first those dropped whose content the colour
/// also shows, then those that the plot shows.
std::vector<float> column_edges(const PlaneFrame& frame, const std::vector<TableRow>& rows, float left, float right) {
  std::array<float, 6> widths{};
  for (const TableRow& row : rows)
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], text_size(frame.context.fonts.small_semibold, row.cells[i].text).x);
  std::array<bool, 6> shown{true, true, true, true, true, true};
  const auto needed = [&] {
    float sum = 0;
    for (size_t i = 0; i < widths.size(); ++i) sum += shown[i] ? widths[i] + frame.px(12) : 0;
    return sum - frame.px(12);
  };
  for (const size_t column : {size_t{5}, size_t{1}, size_t{3}})
    if (needed() > right - left) shown[column] = false;
  const auto gaps = static_cast<float>(std::count(shown.begin(), shown.end(), true) - 1);
  const float between = frame.px(12) + std::max(0.0F, right - left - needed()) / gaps;
  std::vector<float> edges(widths.size(), 0);
  float x = left - between;
  for (size_t i = 0; i < widths.size(); ++i)
    if (shown[i]) edges[i] = x += between + widths[i];
  return edges;
}

}  // namespace

void draw_row_trace(PlaneFrame& frame, ImVec2 low, ImVec2 high) {
  draw_header(frame, low, high.x);
  float y = low.y + frame.px(kTraceHeader + 2);
  y += draw_noted_link(frame, {low.x, y});
  if (frame.trace == nullptr || frame.trace->steps.empty()) {
    const TextRun run[] = {{frame.context.fonts.small, frame.context.theme.muted,
                            frame.context.strings(frame.working ? "plane.working" : "plane.no_trace")}};
    flow_text(frame.list, {low.x, y}, high.x - low.x, frame.px(20), run);
    return;
  }
  if (frame.trace->source == SoftmaxTrace::Source::stored)
    return draw_plot(frame, {low.x, y}, {high.x, high.y - frame.px(kAxis)}, /*sums=*/false);
  // The table has five rows if there is room for them below readable plots.
  const float fixed = frame.px(2 * kTraceTitle + kBetween + kAxis), room = high.y - y - fixed;
  const int fitting =
      static_cast<int>((room - 2 * frame.px(kLeastPlot + 26) - frame.px(kTableRow + 10)) / frame.px(kTableRow));
  const int rows = std::clamp(fitting, 0, 5);
  const float table = rows < 1 ? 0 : frame.px(kTableRow * static_cast<float>(rows + 1) + 10);
  const float plot = std::clamp(std::floor((room - table) / 2), frame.px(kLeastPlot), frame.px(kMostPlot + 30));
  draw_plot(frame, {low.x, y}, {high.x, y + frame.px(kTraceTitle) + plot}, /*sums=*/false);
  y += frame.px(kTraceTitle + kBetween) + plot;
  draw_plot(frame, {low.x, y}, {high.x, y + frame.px(kTraceTitle) + plot}, /*sums=*/true);
  y += frame.px(kTraceTitle + kAxis + 4) + plot;
  if (rows > 0) draw_trace_table(frame, {low.x, y}, {high.x, y + table});
}

void draw_trace_table(PlaneFrame& frame, ImVec2 low, ImVec2 high) {
  const Theme& theme = frame.context.theme;
  const SoftmaxTrace& trace = *frame.trace;
  const auto count = static_cast<size_t>((high.y - low.y - frame.px(10)) / frame.px(kTableRow)) - 1;
  const size_t newest = std::min(frame.done, trace.steps.size() - 1);
  std::vector<TableRow> rows{titles_of(frame)};
  for (const size_t row : rows_worth_seeing(trace, newest, count)) rows.push_back(row_of(frame, row, row == newest));
  const std::vector<float> edges = column_edges(frame, rows, low.x + frame.px(6), high.x - frame.px(6));
  float y = low.y + frame.px(kTableRow) / 2;
  for (const TableRow& row : rows) {
    if (row.newest)
      frame.list->AddRectFilled({low.x, y - frame.px(kTableRow / 2)}, {high.x, y + frame.px(kTableRow / 2)},
                                theme.raised, frame.px(4));
    for (size_t column = 0; column < row.cells.size(); ++column) {
      const TableCell& cell = row.cells[column];
      ImFont* font = cell.strong ? frame.context.fonts.small_semibold : frame.context.fonts.small;
      if (column == 0)
        draw_text(frame.list, font, {low.x + frame.px(6), centred_top(font, y)}, cell.colour, cell.text);
      else if (edges[column] > 0)
        draw_text_right(frame.list, font, {edges[column], centred_top(font, y)}, cell.colour, cell.text);
    }
    y += frame.px(kTableRow);
    if (&row != &rows.front()) continue;
    frame.list->AddRectFilled({low.x, low.y + frame.px(kTableRow)}, {high.x, low.y + frame.px(kTableRow) + 1},
                              theme.separator);
    y += frame.px(4);
  }
  mark(frame.context, "plane.table", low, high);
}

}  // namespace tilescope
