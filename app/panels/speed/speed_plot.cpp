#include "app/panels/speed/speed_plot.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/draw/plots/plot.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/baseline.hpp"
#include "app/observed/speed_model.hpp"
#include "engine/bench/speed_unit.hpp"

namespace tilescope {
namespace {

using plots::Axis_X1, plots::Axis_Y1;

enum LabelPriority { kOther, kReference, kSelected };

struct Curve {
  std::vector<double> xs, ys, low, high;
  std::vector<int> breaks;  // points after a size that only other series have
};
Curve curve_of(const TimingSeries& series, const SpeedQuantity& quantity, const std::set<int64_t>& sizes) {
  Curve curve;
  for (const auto& point : series.points) {
    const auto next = curve.xs.empty() ? sizes.end() : sizes.upper_bound(static_cast<int64_t>(curve.xs.back()));
    if (next != sizes.end() && *next < point.size) curve.breaks.push_back(static_cast<int>(curve.xs.size()));
    curve.xs.push_back(static_cast<double>(point.size));
    curve.ys.push_back(quantity.of(point));
    curve.low.push_back(quantity.low(point));
    curve.high.push_back(quantity.high(point));
  }
  return curve;
}

std::string speed_text(double speed) { return plots::number_text(speed, speed < 100 ? 0.1 : 1); }

int64_t current_size(const PanelContext& context) {
  return place_in_sweep(context.lab(), context.session.request().config);
}

plots::LabelStyle label_of(const PanelContext& context, const TimingSeries& series) {
  const bool selected = is_selected(context, series);
  plots::LabelStyle label;
  label.emphasis = selected;
  // If not all names fit, those of the references and of the rung that picks take precedence.
  const Rung* rung = series.is_rung ? find_rung(context.lab(), series.name) : nullptr;
  const bool stays = !series.is_rung || (rung != nullptr && rung->pick);
  label.priority = selected ? kSelected : stays || is_pinned(context, series) ? kReference : kOther;
  return label;
}

/// Line style and marker of a series: references are hollow, the device copy is dashed.
bool set_series_style(const PanelContext& context, const TimingSeries& series, int rungs, int references) {
  const bool dashed = is_device_copy(context.lab(), series);
  const float weight = is_selected(context, series) ? 2.0F : is_pinned(context, series) ? 1.75F : 1.25F;
  plots::SetNextLineStyle(colour_of_series(context, series), weight);
  if (!dashed)
    plots::SetNextMarkerStyle(series.is_rung ? plots::rung_marker(rungs) : plots::reference_marker(references),
                              is_selected(context, series) ? 4.0F : 3.25F, !series.is_rung);
  return dashed;
}

/// Explains the point under the pointer, and selects its rung on a click.
void react(PanelContext& context, const SpeedReport& report, const TimingSeries& series, const TimingPoint& point,
           bool clicked) {
  if (series.is_rung) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (clicked && series.is_rung && find_rung(context.lab(), series.name) != nullptr)
    context.session.select_rung(series.name);
  explain(context, point_sentence(context, report, series, point));
}

/// The hairline at the current size, and the ring on the selected rung: at the current size if this run was timed on
/// this machine, else at the nearest size of the sweep.
void mark_current_size(const PanelContext& context, const SpeedReport& report, const SizeRange& range,
                       const SpeedQuantity& quantity) {
  const int64_t size = current_size(context);
  if (size >= range.low && size <= range.high) {
    const std::string name = fmt::format("{} = {}", report.size_name, place_text(report, size));
    plots::PlotHairline(name.c_str(), static_cast<double>(size), context.theme.separator);
  }
  // A pinned time of this machine, dimmed.
  const Baseline* baseline = context.view.baseline.get();
  if (baseline != nullptr && baseline->timing && baseline->request.lab == context.lab().name &&
      report.badge == Badge::measured && baseline->timing->size >= range.low && baseline->timing->size <= range.high)
    plots::PlotRing(static_cast<double>(baseline->timing->size), quantity.of(*baseline->timing),
                    pinned_colour(context.theme), "");
  const TimingSeries* series = rung_series(report, context.rung().name);
  const TimingPoint* point = series != nullptr ? nearest_point(*series, size) : nullptr;
  const RunResult* run = context.result.get();
  const bool timed_here = report.badge == Badge::measured && run != nullptr && run->timing && !context.stale &&
                          run->timing->size >= range.low && run->timing->size <= range.high;
  if (timed_here) point = &*run->timing;
  if (point == nullptr) return;
  // A run on this machine is timed at its own sizes.
  const double shown = timed_here && !quantity.time ? speed_of_run(context.lab(), *run) : quantity.of(*point);
  plots::PlotRing(static_cast<double>(point->size), shown, context.theme.accent, speed_text(shown).c_str());
}

/// While a sweep runs, the axis already spans the lab's whole range, so that lines grow without rescaling.
SizeRange axis_range(const PanelContext& context, SizeRange timed) {
  const std::vector<int64_t> sweep = sweep_of(context.lab());
  if (!context.session.bench_running() || sweep.empty()) return timed;
  return {std::min(timed.low, sweep.front()), std::max(timed.high, sweep.back())};
}

void setup_sweep(const PanelContext& context, const SpeedReport& report, const SizeRange& range,
                 const SpeedQuantity& quantity) {
  plots::SetStyle({context.theme, context.fonts, context.view.scale});
  const SizeRange axis = axis_range(context, range);
  plots::SetupAxis(Axis_X1, report.size_name.c_str());
  plots::SetupAxisScale(Axis_X1, plots::Scale_Log2);
  plots::SetupAxisLimits(Axis_X1, static_cast<double>(axis.low),
                         static_cast<double>(std::max(axis.high, axis.low * 2)));
  plots::SetupAxis(Axis_Y1, quantity.unit);
  plots::SetupAxisLimits(Axis_Y1, 0, plots::tidy_limit(quantity.largest()));
  plots::SetupLabelColumn(context.strings.format("speed.at", fmt::arg("size", short_place_text(report, range.high))));
}

}  // namespace

ImU32 pinned_colour(const Theme& theme) { return mix(theme.window, theme.accent, 0.55F); }

bool is_selected(const PanelContext& context, const TimingSeries& series) {
  return series.is_rung && series.name == context.rung().name;
}

bool is_pinned(const PanelContext& context, const TimingSeries& series) {
  const Baseline* baseline = context.view.baseline.get();
  return baseline != nullptr && series.is_rung && baseline->request.lab == context.lab().name &&
         series.name == baseline->request.rung && !is_selected(context, series);
}

ImU32 colour_of_series(const PanelContext& context, const TimingSeries& series) {
  const Theme& theme = context.theme;
  if (!series.is_rung) return theme.reference;
  if (is_pinned(context, series)) return pinned_colour(theme);
  return is_selected(context, series) ? theme.accent : theme.muted;
}

std::string point_sentence(const PanelContext& context, const SpeedReport& report, const TimingSeries& series,
                           const TimingPoint& point) {
  const Strings& strings = context.strings;
  const double speed = speed_at(context.lab(), report, point);
  const std::string sentence = strings.format(
      "speed.point", fmt::arg("name", series_title(context.lab(), series, strings)),
      fmt::arg("size_name", report.size_name), fmt::arg("size", place_text(report, point.size)),
      fmt::arg("speed", speed_text(speed)), fmt::arg("unit", speed_unit_of(context.lab())),
      fmt::arg("low", speed_text(low_speed(point, speed))), fmt::arg("high", speed_text(high_speed(point, speed))),
      fmt::arg("time", milliseconds_text(point.median_ms)), fmt::arg("samples", with_separators(point.samples)),
      fmt::arg("cache", strings(point.cold_l2 ? "speed.point_cold" : "speed.point_warm")));
  std::string all = sentence;
  if (point.burst_ms > 0)
    all += "\n" + strings.format("speed.point_burst",
                                 fmt::arg("speed", speed_text(speed * point.median_ms / point.burst_ms)),
                                 fmt::arg("unit", speed_unit_of(context.lab())));
  if (const auto host = series.host_us.find(point.size); host != series.host_us.end())
    all += "\n" + strings.format("speed.point_host", fmt::arg("time", fmt::format("{:.1f}", host->second)));
  if (is_pinned(context, series)) all += "\n" + strings("speed.pinned");
  return point.note.empty() ? all : all + "\n" + strings.note(point.note);
}

void draw_size_sweep(PanelContext& context, const SpeedReport& report, ImVec2 size) {
  const auto range = sizes_of(report);
  if (!range || !plots::BeginPlot("sweep", size)) return;
  const SpeedQuantity quantity = quantity_of(context.lab(), report);
  setup_sweep(context, report, *range, quantity);
  std::set<int64_t> sizes;
  for (const TimingSeries& series : report.series)
    for (const TimingPoint& point : series.points) sizes.insert(point.size);
  std::vector<size_t> drawn;
  int rungs = 0, references = 0;
  for (size_t i = 0; i < report.series.size(); ++i) {
    const TimingSeries& series = report.series[i];
    const int rung = series.is_rung ? rungs++ : 0, reference = series.is_rung ? 0 : references++;
    if (series.points.empty()) continue;
    const Curve curve = curve_of(series, quantity, sizes);
    const auto count = static_cast<int>(curve.xs.size());
    if (is_selected(context, series)) {
      plots::SetNextFillStyle(with_alpha(context.theme.accent, 0.25F));
      plots::SetNextBreaks(curve.breaks);
      plots::PlotShaded("", curve.xs.data(), curve.low.data(), curve.high.data(), count);
    }
    plots::LabelStyle label = label_of(context, series);
    if (const TimingPoint* last = point_at(series, range->high)) label.value = speed_text(quantity.of(*last));
    plots::SetNextLabel(label);
    plots::SetNextBreaks(curve.breaks);
    const bool dashed = set_series_style(context, series, rung, reference);
    const std::string name = series_title(context.lab(), series, context.strings);
    plots::PlotLine(name.c_str(), curve.xs.data(), curve.ys.data(), count,
                    dashed ? plots::LineFlags_Dashed : plots::LineFlags_None);
    drawn.push_back(i);
  }
  mark_current_size(context, report, *range, quantity);
  plots::EndPlot();
  if (const auto hovered = plots::HoveredItem()) {
    const TimingSeries& series = report.series[drawn[static_cast<size_t>(hovered->item)]];
    react(context, report, series, series.points[static_cast<size_t>(hovered->point)], hovered->clicked);
  } else {
    explain(context, context.strings.format(quantity.time ? "speed.sweep_meaning_time" : "speed.sweep_meaning",
                                            fmt::arg("bytes", context.strings(context.lab().bytes_formula))));
  }
}

// Unscaled pixels.
constexpr float kLadderHead = 26, kTwoLadderColumns = 620;

Ladder shown_ladder(const PanelContext& context, const SpeedReport& report) {
  return make_ladder(context.lab(), report, ladder_size(context.view, context.lab(), report));
}

float height_of(const PanelContext& context, const Ladder& ladder) {
  constexpr float kRow = 18, kGap = 8;
  return context.px(kLadderHead + kRow * static_cast<float>(ladder.rows.size()) + kGap);
}
float ladder_height(const PanelContext& context, const SpeedReport& report) {
  return height_of(context, shown_ladder(context, report));
}

/// Rows [first, last) of the ladder. Names, numbers and bars have equal widths in all columns.
void draw_ladder_column(PanelContext& context, const SpeedReport& report, const Ladder& ladder, size_t first,
                        size_t last, const std::string& unit, ImVec2 size) {
  if (first == last || !plots::BeginPlot(first == 0 ? "ladder" : "ladder, second column", size)) return;
  double most = 100;
  for (const auto& row : ladder.rows) most = std::max(most, row.percent);
  plots::SetStyle({context.theme, context.fonts, context.view.scale});
  plots::SetupAxis(Axis_X1, "", plots::AxisFlags_NoTickLabels);
  plots::SetupAxisLimits(Axis_X1, 0, most * 1.02);
  plots::SetupAxis(Axis_Y1, unit.c_str(), plots::AxisFlags_NoTickLabels | plots::AxisFlags_Invert);
  plots::SetupAxisLimits(Axis_Y1, -0.5, static_cast<double>(last - first) - 0.5);
  const bool time = context.lab().sweep_shows_time;
  plots::SetupLabelColumn("%", time ? "" : speed_unit_of(context.lab()));
  for (size_t k = 0; k < ladder.rows.size(); ++k) {
    const Ladder::Row& row = ladder.rows[k];
    const TimingSeries& series = report.series[row.series];
    const std::string name = series_title(context.lab(), series, context.strings);
    plots::LabelStyle label = label_of(context, series);
    label.value = plots::number_text(row.percent, row.percent < 9.95 ? 0.1 : 1);
    label.note =
        time ? milliseconds_text(row.point->median_ms) : speed_text(speed_at(context.lab(), report, *row.point));
    if (k < first || k >= last) {
      plots::ReserveBarLabel(name.c_str(), label);
      continue;
    }
    plots::SetNextLabel(label);
    plots::SetNextLineStyle(colour_of_series(context, series), 1);
    plots::SetNextMarkerStyle(plots::Marker_None, 0, /*hollow=*/!series.is_rung);
    const auto position = static_cast<double>(k - first);
    plots::PlotBars(name.c_str(), &row.percent, &position, 1, 0.5, plots::BarsFlags_Horizontal);
  }
  plots::PlotHairline("", 100, context.theme.reference, /*dashed=*/true);
  plots::EndPlot();
  if (const auto hovered = plots::HoveredItem()) {
    const Ladder::Row& row = ladder.rows[first + static_cast<size_t>(hovered->item)];
    react(context, report, report.series[row.series], *row.point, hovered->clicked);
  }
}

void draw_speed_ladder(PanelContext& context, const SpeedReport& report, ImVec2 size) {
  const Ladder ladder = shown_ladder(context, report);
  if (ladder.rows.empty()) return;
  const Strings& strings = context.strings;
  const TimingSeries* best = rung_series(report, ladder.best);
  const std::string best_name =
      ladder.best_is_reference || best == nullptr ? ladder.best : series_title(context.lab(), *best, strings);
  const std::string unit =
      strings.format("speed.percent_of", fmt::arg("best", best_name), fmt::arg("size_name", report.size_name),
                     fmt::arg("size", place_text(report, ladder.size)));
  const size_t rows = ladder.rows.size();
  // If there are too many rows for the height, a wide panel shows them in two columns.
  if (height_of(context, ladder) <= size.y || size.x < context.px(kTwoLadderColumns))
    return draw_ladder_column(context, report, ladder, 0, rows, unit, size);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float between = context.px(32), width = std::floor((size.x - between) / 2);
  const size_t left = (rows + 1) / 2;
  draw_ladder_column(context, report, ladder, 0, left, unit, {width, size.y});
  ImGui::SetCursorScreenPos({low.x + width + between, low.y});
  // The shorter column ends with an empty row, so that bars are aligned.
  const float row = (size.y - context.px(kLadderHead)) / static_cast<float>(left);
  const float missing = row * static_cast<float>(2 * left - rows);
  draw_ladder_column(context, report, ladder, left, rows, " ", {width, size.y - missing});
}

}  // namespace tilescope
