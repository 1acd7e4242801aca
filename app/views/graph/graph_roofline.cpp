// The nodes of the graph on the roofline of the GPU, each at the highest rate that its time bound allows: prefill as
// filled markers, decode as hollow ones.
#include <algorithm>
#include <cmath>

#include "app/draw/plots/plot.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/graph/graph_view.hpp"

namespace tilescope {
namespace {

constexpr double kTeraFlops = 1e12;
constexpr size_t kMostPoints = 14;  // of a phase: those that take longest

struct NodePoint {
  size_t row = 0;
  bool decode = false, selected = false;
  double intensity = 0, rate = 0, seconds = 0;
};

/// Operators of the same kind lie on each other; the one that takes longest stands for them.
std::vector<NodePoint> points_of_phase(const GraphShown& shown, bool decode, std::optional<size_t> selected_row) {
  std::vector<NodePoint> points;
  for (size_t row = 0; row < shown.rows.size(); ++row) {
    const auto& phase = decode ? shown.rows[row].decode : shown.rows[row].prefill;
    if (!phase || phase->cost.intensity() <= 0 || phase->seconds <= 0) continue;
    points.push_back({row, decode, selected_row == row, phase->cost.intensity(), phase->cost.flops / phase->seconds,
                      phase->seconds});
  }
  std::ranges::stable_sort(points, [](const NodePoint& one, const NodePoint& other) {
    return std::pair(one.selected, one.seconds) > std::pair(other.selected, other.seconds);
  });
  std::vector<NodePoint> kept;
  constexpr double kSameX = 1.08;
  for (const NodePoint& point : points) {
    const bool near = std::ranges::any_of(kept, [&](const NodePoint& other) {
      return std::max(point.intensity, other.intensity) < kSameX * std::min(point.intensity, other.intensity) &&
             std::max(point.rate, other.rate) < kSameX * std::min(point.rate, other.rate);
    });
    if (!near && kept.size() < kMostPoints) kept.push_back(point);
  }
  return kept;
}

double decade_below(double value) { return std::pow(10.0, std::floor(std::log10(value))); }
double decade_above(double value) { return std::pow(10.0, std::ceil(std::log10(value))); }

void setup_decades(plots::Axis axis, const char* label, double low, double high) {
  plots::SetupAxis(axis, label);
  plots::SetupAxisScale(axis, plots::Scale_Log2);
  plots::SetupAxisLimits(axis, low, high);
  std::vector<double> values;
  std::vector<std::string> texts;
  for (double value = decade_above(low * 0.999); value <= high * 1.0001; value *= 10) {
    values.push_back(value);
    texts.push_back(value < 1 ? fmt::format("{:g}", value) : with_separators(std::llround(value)));
  }
  std::vector<const char*> labels;
  labels.reserve(texts.size());
  for (const std::string& text : texts) labels.push_back(text.c_str());
  plots::SetupAxisTicks(axis, values.data(), static_cast<int>(values.size()), labels.data());
}

}  // namespace

std::optional<size_t> draw_graph_roofline(PanelContext& context, const GraphShown& shown, bool decode,
                                          std::optional<size_t> selected_row, ImVec2 size) {
  const Theme& theme = context.theme;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  std::vector<NodePoint> points;
  for (const bool of_decode : {!decode, decode})
    if (!of_decode || shown.decode)
      for (const NodePoint& point : points_of_phase(shown, of_decode, selected_row)) points.push_back(point);
  const double slope = shown.gpu.bytes_per_second / kTeraFlops;
  const double roof = ridge_of(shown.side(decode), shown.gpu) * slope;
  if (points.empty() || slope <= 0 || roof <= 0 || size.x < context.px(120) || size.y < context.px(90)) return {};
  const float title = context.px(24);
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small_semibold,
            {origin.x, centred_top(context.fonts.small_semibold, origin.y + title / 2)}, theme.text,
            context.strings("view.graph.roofline"));
  const float after =
      text_size(context.fonts.small_semibold, context.strings("view.graph.roofline")).x + context.px(10);
  const std::string what = context.strings.format(shown.decode ? "view.graph.roofline_key" : "view.graph.roofline_of",
                                                  fmt::arg("gpu", shown.gpu.name));
  const float badge = badge_width(context, Badge::modelled);
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small,
            {origin.x + after, centred_top(context.fonts.small, origin.y + title / 2)}, theme.muted,
            fit_text(context.fonts.small, what, size.x - after - badge - context.px(10)));
  draw_badge(context, ImGui::GetWindowDrawList(), {origin.x + size.x, origin.y + context.px(2)}, Badge::modelled);
  double least = 1, most = roof / slope;
  for (const NodePoint& point : points) {
    least = std::min(least, point.intensity);
    most = std::max(most, point.intensity);
  }
  const double x_low = decade_below(least), x_high = decade_above(most * 1.5), y_low = decade_below(least * slope),
               y_high = roof * 2;
  ImGui::SetCursorScreenPos({origin.x, origin.y + title});
  if (!plots::BeginPlot("graph roofline", {size.x, size.y - title})) return {};
  plots::SetStyle({theme, context.fonts, context.view.scale});
  setup_decades(plots::Axis_X1, "FLOP/B", x_low, x_high);
  setup_decades(plots::Axis_Y1, "TFLOP/s", y_low, y_high);
  const double begin = std::max(x_low, y_low / slope), ridge = roof / slope;
  const double xs[] = {begin, ridge, x_high}, ys[] = {begin * slope, roof, roof};
  plots::SetNextLineStyle(theme.reference, 1.5F);
  plots::PlotLine("", xs, ys, 3);
  for (const NodePoint& point : points) {
    const GraphRow& row = shown.rows[point.row];
    plots::LabelStyle label;
    label.priority = point.selected ? 3 : point.decode == decode ? 2 : 1;
    label.emphasis = point.selected && point.decode == decode;
    label.value = graph_number(point.intensity);
    plots::SetNextLabel(label);
    plots::SetNextLineStyle(label.emphasis           ? theme.accent
                            : point.decode == decode ? theme.text
                                                     : theme.muted,
                            label.emphasis ? 2.5F : 1.5F);
    plots::SetNextMarkerStyle(plots::Marker_Circle, label.emphasis ? 5.0F : 3.5F, point.decode);
    const double x = point.intensity, y = point.rate / kTeraFlops;
    const std::string name = row.number > 0 ? fmt::format("{}. {}", row.number, row.name) : row.name;
    plots::PlotLine(name.c_str(), &x, &y, 1);
  }
  plots::EndPlot();
  const auto hovered = plots::HoveredItem();
  if (!hovered || hovered->item == 0) {
    explain(context, context.strings("view.graph.roofline_meaning"));
    return {};
  }
  const NodePoint& point = points[static_cast<size_t>(hovered->item) - 1];
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context, context.strings.format(point.decode ? "view.graph.point_decode" : "view.graph.point_prefill",
                                          fmt::arg("name", shown.rows[point.row].name),
                                          fmt::arg("intensity", graph_number(point.intensity)),
                                          fmt::arg("rate", graph_number(point.rate / kTeraFlops))));
  if (hovered->clicked) return point.row;
  return {};
}

}  // namespace tilescope
