// The roofline: operations per second over operations per byte of device memory, both in powers of ten. A timed point
// has its marker; an untimed one is a tick on the roof, its upper limit.
#include <algorithm>
#include <cmath>

#include "app/draw/plots/plot.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/speed_model.hpp"
#include "app/panels/speed/speed_views.hpp"
#include "engine/bench/counters.hpp"
#include "engine/bench/roofline.hpp"
#include "engine/bench/timed_place.hpp"

namespace tilescope {
namespace {

using plots::Axis_X1, plots::Axis_Y1;

constexpr double kTera = 1e12;
constexpr double kTick = 1.35;  // distance of a tick's end from the roof, as a factor
constexpr float kKey = 22;      // unscaled pixels

enum RoofLabel { kFarRoofLabel, kRoofLabel, kRungLabel, kReferenceLabel, kSelectedLabel };  // by priority

/// What a line of the plot represents.
struct Drawn {
  const RooflinePoint* point = nullptr;
  const Roof* roof = nullptr;
};

std::string roof_name(const PanelContext& context, const Roof& roof) {
  std::string names;
  bool tensor = false;
  for (const PeakRate rate : roof.rates) {
    names += (names.empty() ? "" : context.strings("speed.comma")) + std::string(name_of(rate));
    tensor |= rate != PeakRate::fp32 && rate != PeakRate::fp64 && rate != PeakRate::fp64_tensor;
  }
  return tensor ? context.strings.format("speed.roof_tensor", fmt::arg("types", names)) : names;
}

std::string flops_text(double flops) {
  const double tera = flops / kTera;
  return tera < 0.1 ? fmt::format("{:.2g}", tera) : plots::number_text(tera, tera < 1 ? 0.01 : tera < 100 ? 0.1 : 1);
}

std::string title_of(const PanelContext& context, const SpeedReport* report, const RooflinePoint& point) {
  if (!point.is_rung) return point.name;
  if (report != nullptr)
    if (const TimingSeries* series = rung_series(*report, point.name))
      return series_title(context.lab(), *series, context.strings);
  const TimingSeries series{.name = point.name, .is_rung = true, .unavailable = {}, .points = {}};
  return series_title(context.lab(), series, context.strings);
}

double power_below(double value) { return std::pow(10.0, std::floor(std::log10(value) + 1e-9)); }
double power_above(double value) { return std::pow(10.0, std::ceil(std::log10(value) - 1e-9)); }

/// Ranges that include all points and the knees of all roofs.
struct Ranges {
  double x_low, x_high, y_low, y_high;
};
Ranges ranges_of(const Roofline& roofline) {
  const double highest = roofline.roofs.empty() ? kTera : roofline.roofs.back().flops_per_second;
  const double knee = highest / roofline.bytes_per_second;
  double least = roofline.bytes_per_second > 0 && !roofline.roofs.empty()
                     ? roofline.roofs.front().flops_per_second / roofline.bytes_per_second
                     : 1;
  double most = knee, slowest = highest;
  for (const RooflinePoint& point : roofline.points) {
    if (point.intensity <= 0) continue;
    least = std::min(least, point.intensity);
    most = std::max(most, point.intensity);
    slowest = std::min(slowest,
                       point.time != nullptr ? std::min(point.flops_per_second, point.attainable) : point.attainable);
  }
  Ranges ranges{power_below(least / 2), power_above(most * 2), power_below(slowest / kTera / 1.5), 0};
  ranges.y_high = std::max(highest / kTera * 1.6, ranges.y_low * 10);
  return ranges;
}

void setup_axis(plots::Axis axis, const char* label, double low, double high) {
  plots::SetupAxis(axis, label);
  plots::SetupAxisScale(axis, plots::Scale_Log2);
  plots::SetupAxisLimits(axis, low, high);
  std::vector<double> values;
  std::vector<std::string> texts;
  for (double value = power_above(low); value <= high * 1.0001; value *= 10) {
    values.push_back(value);
    texts.push_back(value < 1 ? fmt::format("{:g}", value) : with_separators(std::llround(value)));
  }
  std::vector<const char*> labels;
  labels.reserve(texts.size());
  for (const std::string& text : texts) labels.push_back(text.c_str());
  plots::SetupAxisTicks(axis, values.data(), static_cast<int>(values.size()), labels.data());
}

/// The slope of the memory bandwidth up to the highest roof; then each roof from its knee on.
void plot_roofs(const PanelContext& context, const Roofline& roofline, const Ranges& ranges,
                std::vector<Drawn>& drawn) {
  const Theme& theme = context.theme;
  const double slope = roofline.bytes_per_second / kTera;
  const double begin = std::max(ranges.x_low, ranges.y_low / slope);
  const double top = roofline.roofs.empty() ? ranges.y_high : roofline.roofs.back().flops_per_second / kTera;
  const double xs[] = {begin, top / slope}, ys[] = {begin * slope, top};
  plots::SetNextLineStyle(theme.text, 1.5F);
  plots::PlotLine("", xs, ys, 2);
  drawn.push_back({});
  for (const Roof& roof : roofline.roofs) {
    const bool used = std::any_of(roofline.points.begin(), roofline.points.end(), [&](const RooflinePoint& point) {
      return std::find(roof.rates.begin(), roof.rates.end(), point.rate) != roof.rates.end();
    });
    const double height = roof.flops_per_second / kTera;
    const double roof_xs[] = {height / slope, ranges.x_high}, roof_ys[] = {height, height};
    plots::LabelStyle label;
    label.value = flops_text(roof.flops_per_second);
    label.priority = used ? kRoofLabel : kFarRoofLabel;
    plots::SetNextLabel(label);
    plots::SetNextLineStyle(used ? theme.text : theme.muted, used ? 1.5F : 1.0F);
    plots::PlotLine(roof_name(context, roof).c_str(), roof_xs, roof_ys, 2,
                    used ? plots::LineFlags_None : plots::LineFlags_Dashed);
    drawn.push_back({nullptr, &roof});
  }
}

void plot_points(const PanelContext& context, const Roofline& roofline, const SpeedReport* report,
                 std::vector<Drawn>& drawn) {
  const Theme& theme = context.theme;
  int rungs = 0, references = 0;
  for (const RooflinePoint& point : roofline.points) {
    const int number = point.is_rung ? rungs++ : references++;
    if (point.intensity <= 0) continue;
    const bool selected = point.is_rung && point.name == context.rung().name;
    const ImU32 colour = !point.is_rung ? theme.reference : selected ? theme.accent : theme.muted;
    plots::LabelStyle label;
    label.emphasis = selected;
    label.priority = selected ? kSelectedLabel : point.is_rung ? kRungLabel : kReferenceLabel;
    label.value = (point.time != nullptr ? "" : "≤ ") +
                  flops_text(point.time != nullptr ? point.flops_per_second : point.attainable);
    plots::SetNextLabel(label);
    const std::string title = title_of(context, report, point);
    plots::SetNextLineStyle(colour, selected ? 2.5F : 1.5F);
    if (point.time != nullptr) {
      const double x = point.intensity, y = point.flops_per_second / kTera;
      plots::SetNextMarkerStyle(point.is_rung ? plots::rung_marker(number) : plots::reference_marker(number),
                                selected ? 5.0F : 4.0F, !point.counted);
      plots::PlotLine(title.c_str(), &x, &y, 1);
    } else {
      const double y = point.attainable / kTera, xs[] = {point.intensity, point.intensity},
                   ys[] = {y / kTick, y * kTick};
      plots::PlotLine(title.c_str(), xs, ys, 2);
    }
    drawn.push_back({&point, nullptr});
  }
}

std::string roof_sentence(const PanelContext& context, const SpeedReport* report, const RooflinePoint& point) {
  const Strings& words = context.strings;
  std::string text = words.format(
      point.counted ? "speed.roof_point_counted" : "speed.roof_point_useful",
      fmt::arg("name", title_of(context, report, point)), fmt::arg("intensity", short_number(point.intensity)),
      fmt::arg("bytes", bytes_text(point.bytes)), fmt::arg("badge", badge_text(context, Badge::modelled)));
  text += words.format("speed.roof_attainable", fmt::arg("speed", flops_text(point.attainable)),
                       fmt::arg("badge", badge_text(context, Badge::modelled)));
  if (point.time == nullptr) return text + words("speed.roof_not_timed");
  return text +
         words.format("speed.roof_timed", fmt::arg("speed", flops_text(point.flops_per_second)),
                      fmt::arg("share", fmt::format("{:.0f}%", 100 * point.flops_per_second / point.attainable)),
                      fmt::arg("time", milliseconds_text(point.time->median_ms)),
                      fmt::arg("badge", badge_text(context, report != nullptr ? report->badge : Badge::recorded)));
}

/// The meaning of markers and ticks, each with its badge; returns the height.
float draw_key(PanelContext& context, const Roofline& roofline, const SpeedReport* report, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  float x = low.x, y = low.y;
  const float row = context.px(kKey);
  const auto entry = [&](const char* key, Badge badge, const auto& paint) {
    const std::string& text = context.strings(key);
    const float wide = context.px(16) + text_size(font, text).x + context.px(8) + badge_width(context, badge);
    if (x > low.x && x + wide > low.x + width) {
      x = low.x;
      y += row;
    }
    paint(ImVec2(x + context.px(5), y + row / 2));
    draw_text(list, font, {x + context.px(16), centred_top(font, y + row / 2)}, theme.muted, text);
    draw_badge(context, list, {x + wide, y + (row - context.px(20)) / 2}, badge);
    x += wide + context.px(16);
  };
  const auto any = [&](const auto& which) {
    return std::any_of(roofline.points.begin(), roofline.points.end(), which);
  };
  const auto marker = [&](bool hollow) {
    return [&, hollow](ImVec2 at) {
      plots::draw_marker(list, plots::Marker_Circle, at, context.px(3.5F), theme.muted, theme.window, hollow);
    };
  };
  const Badge timed = report != nullptr ? report->badge : Badge::recorded;
  if (any([](const RooflinePoint& one) { return one.time != nullptr && one.counted; }))
    entry("speed.roof_key_counted", timed, marker(false));
  if (any([](const RooflinePoint& one) { return one.time != nullptr && !one.counted; }))
    entry("speed.roof_key_useful", timed, marker(true));
  if (any([](const RooflinePoint& one) { return one.time == nullptr; }))
    entry("speed.roof_key_tick", Badge::modelled, [&](ImVec2 at) {
      list->AddRectFilled({at.x - context.px(1), at.y - context.px(6)}, {at.x + context.px(1), at.y + context.px(6)},
                          theme.muted);
    });
  return y + row - low.y;
}

/// The shown configuration: that of the timed size nearest to the wanted one, as in the ladder.
Config shown_config(const PanelContext& context, const SpeedReport* report, const GpuSpec& gpu) {
  const Config& wanted = context.session.request().config;
  if (report == nullptr || !same_gpu(report->gpu, gpu.driver_name)) return wanted;
  const Ladder ladder = make_ladder(context.lab(), *report, place_in_sweep(context.lab(), wanted));
  return ladder.rows.empty() ? wanted : config_of_place(context.lab(), *report, ladder.size);
}

/// Above the slope, where no point can be.
void draw_slope_name(const PanelContext& context, const Roofline& roofline, const Ranges& ranges) {
  const double slope = roofline.bytes_per_second / kTera;
  const std::string name = context.strings.format("speed.roof_slope", fmt::arg("speed", short_number(slope)));
  const plots::Area area = plots::PlotArea();
  if (area.high.x <= area.low.x) return;  // too low to be drawn
  const plots::AxisRange across{plots::AxisScale::log2, ranges.x_low, ranges.x_high},
      up{plots::AxisScale::log2, ranges.y_low, ranges.y_high};
  const ImVec2 extent = text_size(context.fonts.small, name);
  const float width = area.high.x - area.low.x, height = area.high.y - area.low.y;
  const double begin = std::max(ranges.x_low, ranges.y_low / slope);
  const float left = area.low.x + width * static_cast<float>(across.fraction(begin)) + context.px(6);
  // The slope is nearest at the right end of the text.
  const double end = across.value((left + extent.x + context.px(4) - area.low.x) / width);
  const float bottom = area.high.y - height * static_cast<float>(up.fraction(end * slope)) - context.px(4);
  if (bottom - extent.y < area.low.y) return;
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small, {std::round(left), std::round(bottom - extent.y)},
            context.theme.muted, name);
}

std::string unit_text(const PanelContext& context, const Roofline& roofline, const SpeedReport* report) {
  std::string sizes;
  const bool many = context.lab().sizes.size() > 3;  // batch × heads × … : their names would not fit
  for (const Size& size : context.lab().sizes) {
    const std::string value = with_separators(roofline.config.size(size.name));
    sizes += many ? (sizes.empty() ? "" : " × ") + value
                  : fmt::format("{}{} = {}", sizes.empty() ? "" : context.strings("speed.comma"), size.name, value);
  }
  if (report != nullptr)
    if (const auto place = exact_place(context.lab(), *report, roofline.config))
      sizes = fmt::format("{} = {}", report->size_name, place_text(*report, *place));
  const bool elsewhere = roofline.config.sizes != context.session.request().config.sizes;
  return context.strings.format(elsewhere ? "speed.roof_unit_nearest" : "speed.roof_unit",
                                fmt::arg("gpu", roofline.gpu), fmt::arg("sizes", sizes));
}

}  // namespace

void draw_roofline(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size) {
  const auto gpu = context.session.engine().modelled_gpu(context.session.request().gpu);
  ImGui::SetCursorScreenPos(low);
  if (!gpu) return empty_state(context, context.strings("speed.roof_none"), as_sentence(context.strings, gpu.error()));
  const Config config = shown_config(context, report, *gpu);
  const Roofline roofline = make_roofline(context.lab(), config, *gpu, report, context.session.counted_bytes(config));
  const float key = draw_key(context, roofline, report, low, size.x) + context.px(6);
  ImGui::SetCursorScreenPos({low.x, low.y + key});
  if (roofline.points.empty() || !plots::BeginPlot("roofline", {size.x, std::max(size.y - key, context.px(60))}))
    return;
  plots::SetStyle({context.theme, context.fonts, context.view.scale});
  const Ranges ranges = ranges_of(roofline);
  setup_axis(Axis_X1, "FLOP/B", ranges.x_low, ranges.x_high);
  setup_axis(Axis_Y1, unit_text(context, roofline, report).c_str(), ranges.y_low, ranges.y_high);
  plots::SetupLabelColumn("TFLOP/s");
  std::vector<Drawn> drawn;
  plot_roofs(context, roofline, ranges, drawn);
  plot_points(context, roofline, report, drawn);
  plots::EndPlot();
  draw_slope_name(context, roofline, ranges);
  const auto hovered = plots::HoveredItem();
  if (!hovered) return explain(context, context.strings("speed.roof_meaning"));
  const Drawn& item = drawn[static_cast<size_t>(hovered->item)];
  if (item.point != nullptr) {
    if (hovered->clicked && item.point->is_rung) context.session.select_rung(item.point->name);
    if (item.point->is_rung) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    explain(context, roof_sentence(context, report, *item.point));
  } else if (item.roof != nullptr) {
    explain(context, context.strings.format("speed.roof_roof", fmt::arg("name", roof_name(context, *item.roof)),
                                            fmt::arg("speed", flops_text(item.roof->flops_per_second)),
                                            fmt::arg("gpu", roofline.gpu)));
  }
}

}  // namespace tilescope
