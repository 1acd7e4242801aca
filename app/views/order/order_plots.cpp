// Below the maps: bytes and speed against GROUP_M, sums over the waves; and the panels that every view has.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "app/draw/plots/plot.hpp"
#include "app/draw/widgets.hpp"
#include "app/panels/speed/speed_plot.hpp"
#include "app/views/order/order_view.hpp"
#include "engine/bench/speed_unit.hpp"

namespace tilescope {
namespace {

using plots::Axis_X1, plots::Axis_Y1;
using Kind = OrderTraffic::Kind;

// Unscaled pixels.
constexpr float kPlotsPadding = 24, kTabs = 32, kLegend = 22, kPlotsBottom = 8, kBetween = 20;

struct Curve {
  std::vector<double> xs, ys;
  void add(double x, double y) {
    xs.push_back(x);
    ys.push_back(y);
  }
  bool empty() const { return xs.empty(); }
  int count() const { return static_cast<int>(xs.size()); }
};

/// The data for each group of one size.
struct GroupCurves {
  double unit = 1e9;             // bytes per unit of the curves
  const char* unit_name = "GB";  // chosen for the largest value
  Curve modelled, counted;
  Curve recorded_speed;  // TFLOP/s of the recorded times
  Curve measured_speed;  // TFLOP/s of runs on this machine's GPU
  const CounterSet* set = nullptr;
  std::vector<int64_t> groups;  // of the modelled points
};

std::map<std::string, int64_t> values_of_run(const RunResult& result) {
  std::map<std::string, int64_t> values = result.config.params;
  values.insert(result.config.sizes.begin(), result.config.sizes.end());
  return values;
}

double largest(std::initializer_list<const Curve*> curves) {
  double most = 0;
  for (const Curve* curve : curves)
    for (const double y : curve->ys) most = std::max(most, y);
  return most;
}
/// The unit in which a value has up to three digits before its decimal point.
std::pair<double, const char*> unit_for(double bytes) {
  if (bytes >= 1e9) return {1e9, "GB"};
  return bytes >= 1e6 ? std::pair(1e6, "MB") : std::pair(1e3, "KB");
}
void divide(Curve& curve, double by) {
  for (double& y : curve.ys) y /= by;
}
/// The step of a value's third digit.
double third_figure(double value) {
  return value > 0 ? std::min(1.0, std::pow(10.0, std::floor(std::log10(value)) - 2)) : 1;
}

double smallest(std::initializer_list<const Curve*> curves) {
  double least = 1e300;
  for (const Curve* curve : curves)
    for (const double y : curve->ys) least = std::min(least, y);
  return least;
}

GroupCurves group_curves(const PanelContext& context, const OrderPicture& picture, const MeasuredTimes& times,
                         OrderBytes bytes) {
  GroupCurves curves;
  const RunResult& result = *picture.result;
  std::map<std::string, int64_t> values = values_of_run(result);
  std::vector<std::pair<Kind, int64_t>> orders;
  for (const OrderTraffic& one : picture.model().others)
    if (one.kind != Kind::hilbert) orders.emplace_back(one.kind, one.group);
  const auto found = counted_together(context.session.counters(), result, result.config, orders);
  for (size_t i = 0; i < orders.size(); ++i) {
    const int64_t group = orders[i].first == Kind::row_major ? 1 : orders[i].second;
    const auto x = static_cast<double>(group);
    curves.groups.push_back(group);
    const OrderTraffic& traffic = *picture.model().find(orders[i].first, orders[i].second);
    curves.modelled.add(x, modelled_bytes(traffic, bytes));
    if (found[i]) {
      curves.set = found[i].set;
      curves.counted.add(x, counted_bytes(*found[i].row, bytes));
      if (found[i].row->nanoseconds > 0)
        curves.recorded_speed.add(x, teraflops(context.lab(), result.config, found[i].row->nanoseconds / 1e6));
    }
    values[kGroupParam] = group;
    if (const auto time = times.milliseconds.find({result.request.lab, values}); time != times.milliseconds.end())
      curves.measured_speed.add(x, teraflops(context.lab(), result.config, time->second));
  }
  std::tie(curves.unit, curves.unit_name) = unit_for(largest({&curves.modelled, &curves.counted}));
  divide(curves.modelled, curves.unit);
  divide(curves.counted, curves.unit);
  return curves;
}

/// The launch's group; 0 if its order is neither row-major nor grouped.
int64_t current_group(const OrderPicture& picture) {
  const ShownOrder& launched = picture.orders[picture.launched];
  if (launched.kind == Kind::row_major) return 1;
  return launched.kind == Kind::grouped ? launched.group : 0;
}

void plot(const Curve& curve, ImU32 colour, plots::Marker marker, bool modelled) {
  if (curve.empty()) return;
  plots::SetNextLineStyle(colour, modelled ? 1.25F : 2.0F);
  plots::SetNextMarkerStyle(marker, 3.5F, /*hollow=*/modelled);
  plots::PlotLine("", curve.xs.data(), curve.ys.data(), curve.count(),
                  modelled ? plots::LineFlags_Dashed : plots::LineFlags_None);
}

void ring(const PanelContext& context, const OrderPicture& picture, const Curve& curve) {
  const auto group = static_cast<double>(current_group(picture));
  for (size_t i = 0; i < curve.xs.size(); ++i)
    if (curve.xs[i] == group)
      plots::PlotRing(group, curve.ys[i], context.theme.accent,
                      plots::number_text(curve.ys[i], third_figure(curve.ys[i])).c_str());
}

void setup_groups(const PanelContext& context, const GroupCurves& curves, const char* unit, double low, double high) {
  plots::SetStyle({context.theme, context.fonts, context.view.scale});
  plots::SetupAxis(Axis_X1, "");
  plots::SetupAxisScale(Axis_X1, plots::Scale_Log2);
  const auto last = static_cast<double>(std::max<int64_t>(2, curves.groups.empty() ? 2 : curves.groups.back()));
  plots::SetupAxisLimits(Axis_X1, 1, last);
  plots::SetupAxis(Axis_Y1, unit);
  plots::SetupAxisLimits(Axis_Y1, low, high);
}

/// Explains the point, and selects its group on a click.
void react_to_group(PanelContext& context, double group, bool clicked, const std::string& text) {
  explain(context, text);
  const Lab& lab = context.lab();
  const bool known =
      std::any_of(lab.params.begin(), lab.params.end(), [](const Param& param) { return param.name == kGroupParam; });
  if (!known) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!clicked) return;
  const auto uses = [](const Rung& rung) {
    return std::find(rung.params.begin(), rung.params.end(), kGroupParam) != rung.params.end();
  };
  if (!uses(context.rung()))
    for (const Rung& rung : lab.rungs)
      if (uses(rung)) {
        context.session.select_rung(rung.name);
        break;
      }
  context.session.set_param(kGroupParam, static_cast<int64_t>(group));
}

void draw_bytes_against_group(PanelContext& context, const OrderPicture& picture, const GroupCurves& curves,
                              bool device, ImVec2 size) {
  const Strings& strings = context.strings;
  if (!plots::BeginPlot("groups", size)) return;
  const std::string unit =
      strings.format(device ? "order.device_unit" : "order.l2_unit", fmt::arg("unit", curves.unit_name));
  setup_groups(context, curves, unit.c_str(), 0, plots::tidy_limit(largest({&curves.modelled, &curves.counted})));
  plot(curves.counted, context.theme.ok, plots::Marker_Circle, /*modelled=*/false);
  plot(curves.modelled, context.theme.accent, plots::Marker_Circle, /*modelled=*/true);
  ring(context, picture, curves.counted.empty() ? curves.modelled : curves.counted);
  plots::EndPlot();
  mark(context, "order.groups", plots::PlotArea().low, plots::PlotArea().high);
  const auto hovered = plots::HoveredItem();
  if (!hovered) return;
  const bool counted = hovered->item == 0 && !curves.counted.empty();
  const Curve& curve = counted ? curves.counted : curves.modelled;
  const auto point = static_cast<size_t>(hovered->point);
  react_to_group(context, curve.xs[point], hovered->clicked,
                 strings.format(counted ? "order.point_counted" : "order.point_modelled",
                                fmt::arg("group", static_cast<int64_t>(curve.xs[point])),
                                fmt::arg("bytes", three_figures(curve.ys[point] * curves.unit)),
                                fmt::arg("what", strings(device ? "order.from_device" : "order.from_l2"))));
}

void draw_speed_against_group(PanelContext& context, const OrderPicture& picture, const GroupCurves& curves,
                              ImVec2 size) {
  if (!plots::BeginPlot("group speed", size)) return;
  // Speeds differ only by a tenth, so the axis begins near the slowest.
  const double most = largest({&curves.recorded_speed, &curves.measured_speed});
  const double least = smallest({&curves.recorded_speed, &curves.measured_speed});
  const double step = most >= 400 ? 50 : most >= 80 ? 10 : 1;
  const double low = std::max(0.0, std::floor((least - (most - least) * 0.5) / step) * step);
  // Names the kernel if it is not the lab's.
  const bool other = curves.measured_speed.empty() && curves.set != nullptr && !curves.set->own_kernel;
  const std::string unit = other ? "TFLOP/s" + context.strings("speed.comma") + curves.set->name : "TFLOP/s";
  setup_groups(context, curves, unit.c_str(), low, std::max(low + step, std::ceil((most + step * 0.2) / step) * step));
  plot(curves.recorded_speed, context.theme.ok, plots::Marker_Circle, /*modelled=*/false);
  plot(curves.measured_speed, context.theme.text, plots::Marker_Square, /*modelled=*/false);
  ring(context, picture, curves.measured_speed.empty() ? curves.recorded_speed : curves.measured_speed);
  plots::EndPlot();
  const auto hovered = plots::HoveredItem();
  if (!hovered) return;
  const bool recorded = hovered->item == 0 && !curves.recorded_speed.empty();
  const Curve& curve = recorded ? curves.recorded_speed : curves.measured_speed;
  const auto point = static_cast<size_t>(hovered->point);
  react_to_group(context, curve.xs[point], hovered->clicked,
                 context.strings.format(recorded ? "order.speed_recorded" : "order.speed_measured",
                                        fmt::arg("group", static_cast<int64_t>(curve.xs[point])),
                                        fmt::arg("speed", plots::number_text(curve.ys[point], 1))));
}

/// A line in the plots: its name, or the badge of its data.
struct LegendEntry {
  std::string text;
  std::optional<Badge> badge;
  ImU32 colour;
  plots::Marker marker;
  bool hollow;
};
/// Below the plots, from the left; what does not fit is omitted. `badge`: applies to all lines.
void draw_legend(PanelContext& context, ImVec2 low, float right, const std::vector<LegendEntry>& entries,
                 const std::string& note, std::optional<Badge> badge) {
  ImFont* font = context.fonts.small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = low.y + context.px(kLegend / 2);
  float x = low.x;
  if (badge) right -= draw_badge(context, list, {right, y - context.px(10)}, *badge) + context.px(12);
  for (const LegendEntry& entry : entries) {
    const float badge_room = entry.badge ? badge_width(context, *entry.badge) : 0;
    const float gap = entry.badge && !entry.text.empty() ? context.px(6) : 0;
    const float width = context.px(18) + badge_room + gap + text_size(font, entry.text).x;
    if (x + width > right) return;
    list->AddLine({x, y}, {x + context.px(12), y}, entry.colour, context.px(1.25F));
    plots::draw_marker(list, entry.marker, {x + context.px(6), y}, context.px(3.25F), entry.colour,
                       context.theme.window, entry.hollow);
    if (entry.badge) draw_badge(context, list, {x + context.px(18) + badge_room, y - context.px(10)}, *entry.badge);
    draw_text(list, font, {x + context.px(18) + badge_room + gap, centred_top(font, y)}, context.theme.text,
              entry.text);
    x += width + context.px(18);
  }
  if (x + text_size(font, note).x <= right)
    draw_text_right(list, font, {right, centred_top(font, y)}, context.theme.muted, note);
}

void draw_groups(PanelContext& context, const OrderPicture& picture, const GroupCurves& curves, bool device, ImVec2 low,
                 ImVec2 high) {
  const bool speeds = !curves.recorded_speed.empty() || !curves.measured_speed.empty();
  const float bottom = high.y - context.px(kLegend), between = context.px(kBetween);
  const float width = speeds ? (high.x - low.x - between) / 2 : high.x - low.x;
  ImGui::SetCursorScreenPos(low);
  draw_bytes_against_group(context, picture, curves, device, {width, bottom - context.px(6) - low.y});
  if (speeds) {
    ImGui::SetCursorScreenPos({low.x + width + between, low.y});
    draw_speed_against_group(context, picture, curves, {width, bottom - context.px(6) - low.y});
  }
  std::vector<LegendEntry> entries;
  if (!curves.counted.empty())
    entries.push_back({curves.set != nullptr ? curves.set->name : "", Badge::recorded, context.theme.ok,
                       plots::Marker_Circle, false});
  entries.push_back({"", Badge::modelled, context.theme.accent, plots::Marker_Circle, true});
  if (!curves.measured_speed.empty())
    entries.push_back({"", Badge::measured, context.theme.text, plots::Marker_Square, false});
  draw_legend(context, {low.x, bottom}, high.x, entries,
              context.strings(speeds ? "order.group_on_both" : "order.group_on_axis"), {});
}

/// Sums over the waves of one order: bytes from device memory, strips needed.
struct WaveCurves {
  Curve bytes, strips;
};
WaveCurves wave_curves(const OrderTraffic& traffic) {
  WaveCurves curves;
  double bytes = 0, strips = 0, wave = 0;
  curves.bytes.add(0, 0);
  curves.strips.add(0, 0);
  for (const WaveTraffic& one : traffic.waves) {
    bytes += static_cast<double>(one.device_bytes_read);
    for (const uint32_t count : one.strips) strips += count;
    curves.bytes.add(++wave, bytes);
    curves.strips.add(wave, strips);
  }
  return curves;
}

ImU32 colour_of(const PanelContext& context, const ShownOrder& order, size_t index) {
  if (order.launched) return context.theme.accent;
  return index == 0 ? context.theme.muted : context.theme.reference;
}

void draw_wave_plot(PanelContext& context, const OrderPicture& picture, const char* id, const char* unit,
                    Curve WaveCurves::*which, std::vector<WaveCurves> curves, ImVec2 size) {
  const Strings& strings = context.strings;
  if (!plots::BeginPlot(id, size)) return;
  double most = 0;
  for (const WaveCurves& one : curves) most = std::max(most, (one.*which).ys.back());
  const bool of_strips = which == &WaveCurves::strips;
  const auto [scale, unit_name] = of_strips ? std::pair(1.0, "") : unit_for(most);
  for (WaveCurves& one : curves) divide(one.*which, scale);
  const auto waves = static_cast<double>(picture.waves());
  plots::SetStyle({context.theme, context.fonts, context.view.scale});
  plots::SetupAxis(Axis_X1, "");
  plots::SetupAxisLimits(Axis_X1, 0, std::max(1.0, waves));
  plots::SetupAxis(Axis_Y1, strings.format(unit, fmt::arg("unit", unit_name)).c_str());
  plots::SetupAxisLimits(Axis_Y1, 0, plots::tidy_limit(most / scale));
  for (size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = curves[i].*which;
    const ShownOrder& order = picture.orders[i];
    plots::SetNextLineStyle(colour_of(context, order, i), order.launched ? 2.0F : 1.25F);
    plots::PlotLine("", curve.xs.data(), curve.ys.data(), curve.count());
  }
  const OrderWindow window = window_of(context.view, picture.model());
  const double now = window.end == 0 ? 0 : static_cast<double>(window.wave + 1);
  plots::PlotHairline("", now, context.theme.separator);
  const Curve& launched = curves[picture.launched].*which;
  const auto index = static_cast<size_t>(now);
  if (index < launched.ys.size())
    plots::PlotRing(now, launched.ys[index], context.theme.accent,
                    plots::number_text(launched.ys[index], of_strips ? 1 : third_figure(launched.ys[index])).c_str());
  plots::EndPlot();
  const auto hovered = plots::HoveredItem();
  if (!hovered) return;
  const ShownOrder& order = picture.orders[static_cast<size_t>(hovered->item)];
  const Curve& curve = curves[static_cast<size_t>(hovered->item)].*which;
  const double value = curve.ys[static_cast<size_t>(hovered->point)];
  const std::string amount = of_strips ? plots::number_text(value, 1) : three_figures(value * scale);
  explain(context, strings.format(of_strips ? "order.sum_strips" : "order.sum_bytes",
                                  fmt::arg("order", order_name(strings, order.kind, order.group)),
                                  fmt::arg("wave", hovered->point), fmt::arg("amount", amount)));
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hovered->clicked && hovered->point > 0)
    show_wave(context.view, picture.model(), static_cast<uint64_t>(hovered->point - 1));
}

void draw_waves(PanelContext& context, const OrderPicture& picture, ImVec2 low, ImVec2 high) {
  std::vector<WaveCurves> curves;
  std::vector<LegendEntry> entries;
  for (size_t i = 0; i < picture.orders.size(); ++i) {
    const ShownOrder& order = picture.orders[i];
    curves.push_back(wave_curves(*order.traffic));
    entries.push_back({order_name(context.strings, order.kind, order.group),
                       {},
                       colour_of(context, order, i),
                       plots::Marker_None,
                       false});
  }
  const float bottom = high.y - context.px(kLegend), between = context.px(kBetween);
  const ImVec2 size{(high.x - low.x - between) / 2, bottom - context.px(6) - low.y};
  ImGui::SetCursorScreenPos(low);
  draw_wave_plot(context, picture, "wave sums", "order.sum_unit", &WaveCurves::bytes, curves, size);
  ImGui::SetCursorScreenPos({low.x + size.x + between, low.y});
  draw_wave_plot(context, picture, "wave strips", "order.strips_unit", &WaveCurves::strips, curves, size);
  draw_legend(context, {low.x, bottom}, high.x, entries, context.strings("order.waves_on_both"), Badge::modelled);
}

const char* name_of_tab(OrderTab tab) {
  static constexpr std::array<const char*, 6> kNames{"order.tab_bytes", "order.tab_groups", "order.tab_waves",
                                                     "speed.sweep",     "speed.ladder",     "header.tab_source"};
  return kNames[static_cast<size_t>(tab)];
}

const char* meaning_of_tab(OrderTab tab) {
  static constexpr std::array<const char*, 6> kMeanings{"order.tab_bytes_meaning",  "order.tab_groups_meaning",
                                                        "order.tab_waves_meaning",  "speed.tab_sweep_meaning",
                                                        "speed.tab_ladder_meaning", "tab.source_meaning"};
  return kMeanings[static_cast<size_t>(tab)];
}

}  // namespace

const MeasuredTimes& OrderView::measured_times(const PanelContext& context) {
  const auto& result = context.result;
  if (!result || times_.last.is(result)) return times_;
  times_.last = ResultReference(result);
  if (result->timing) times_.milliseconds[{result->request.lab, values_of_run(*result)}] = result->timing->median_ms;
  return times_;
}

/// The tabs that apply here.
std::vector<OrderTab> OrderView::tabs(const PanelContext& context, bool with_bytes) {
  std::vector<OrderTab> tabs;
  if (with_bytes) tabs.push_back(OrderTab::bytes);
  if (picture(context.result).matrix) tabs.push_back(OrderTab::groups);
  tabs.push_back(OrderTab::waves);
  if (!context.session.shows_own()) tabs.insert(tabs.end(), {OrderTab::sweep, OrderTab::ladder});
  tabs.push_back(OrderTab::source);
  return tabs;
}

void OrderView::draw_tabs(PanelContext& context, bool with_bytes) {
  if (!has_order(context.result)) return;
  const OrderPicture& picture = this->picture(context.result);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float left = origin.x + context.px(kPlotsPadding), right = origin.x + room.x - context.px(kPlotsPadding);
  const std::vector<OrderTab> tabs = this->tabs(context, with_bytes);
  std::vector<std::string> names;
  std::vector<TabNote> notes;
  for (const OrderTab tab : tabs) {
    names.push_back(context.strings(name_of_tab(tab)));
    notes.push_back({.meaning = context.strings(meaning_of_tab(tab))});
  }
  auto open = std::find(tabs.begin(), tabs.end(), tab_);
  if (open == tabs.end()) open = tabs.begin();
  ImGui::SetCursorScreenPos({left, origin.y + context.px(2)});
  const int chosen =
      tab_row(context, "order_tab", names, static_cast<int>(open - tabs.begin()), context.px(kTabs), notes);
  const OrderTab tab = tabs[static_cast<size_t>(chosen)];
  if (chosen != open - tabs.begin()) tab_ = tab;
  const float centre = origin.y + context.px(2 + kTabs / 2), top = origin.y + context.px(kTabs + 10);
  const ImVec2 low{left, top}, high{right, origin.y + room.y - context.px(kPlotsBottom)};
  if (high.y - low.y < context.px(40)) return;
  if (tab == OrderTab::bytes || tab == OrderTab::source) {
    ImGui::SetCursorScreenPos({origin.x, origin.y + context.px(kTabs + 2)});
    ImGui::BeginChild("order part", {room.x, room.y - context.px(kTabs + 2)}, false,
                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                          ImGuiWindowFlags_NoScrollWithMouse);
    tab == OrderTab::bytes ? draw_bytes(context) : draw_source(context);
    ImGui::EndChild();
  } else if (tab == OrderTab::sweep || tab == OrderTab::ladder) {
    context.view.bottom = tab == OrderTab::sweep ? BottomTab::sweep : BottomTab::ladder;
    const ShownSpeed shown = shown_speed(context);
    draw_speed_buttons(context, shown.report, right, centre);
    draw_speed_body(context, shown.report, low, {high.x - low.x, high.y - low.y});
  } else if (tab == OrderTab::groups) {
    draw_groups(context, picture, group_curves(context, picture, measured_times(context), bytes_),
                bytes_ == OrderBytes::device, low, high);
    dim_if_stale(context);
  } else {
    draw_waves(context, picture, low, high);
    dim_if_stale(context);
  }
}

}  // namespace tilescope
