#include "app/draw/plots/plot.hpp"

#include <utility>

#include "app/draw/plots/plot_items.hpp"

namespace tilescope::plots {
namespace {

// As in ImGui and ImPlot: one plot at a time, on the thread that draws the window.
struct Context {
  std::optional<Style> style;
  Plot plot;
  Item next;  // style of the next item
  Drawn drawn;
};
Context& context() {
  static Context instance;
  return instance;
}

AxisSetup& setup_of(Axis axis) { return axis == Axis_X1 ? context().plot.x : context().plot.y; }

Item& add(Item::Kind kind, const char* name, const double* xs, const double* ys, int count) {
  Item item = std::exchange(context().next, Item{});
  item.kind = kind;
  item.name = name;
  if (xs != nullptr) item.xs.assign(xs, xs + count);
  if (ys != nullptr) item.ys.assign(ys, ys + count);
  return context().plot.items.emplace_back(std::move(item));
}

}  // namespace

void SetStyle(const Style& style) { context().style.emplace(style); }

bool BeginPlot(const char* id, ImVec2 size) {
  context().plot = Plot{};
  context().next = Item{};
  context().plot.id = id;
  context().plot.low = ImGui::GetCursorScreenPos();
  context().plot.size = size;
  return true;
}

void EndPlot() {
  Context& now = context();
  now.drawn = draw_plot(now.plot, *now.style, ImGui::GetWindowDrawList());
}

void SetupAxis(Axis axis, const char* label, int flags) {
  setup_of(axis).label = label != nullptr ? label : "";
  setup_of(axis).flags = flags;
}
void SetupAxisScale(Axis axis, Scale scale) {
  setup_of(axis).range.scale = scale == Scale_Log2 ? AxisScale::log2 : AxisScale::linear;
}
void SetupAxisLimits(Axis axis, double low, double high) {
  setup_of(axis).range.low = low;
  setup_of(axis).range.high = high;
}
void SetupAxisTicks(Axis axis, const double* values, int count, const char* const labels[]) {
  for (int i = 0; i < count; ++i) setup_of(axis).ticks.push_back({values[i], labels[i]});
}

void SetNextLineStyle(ImU32 colour, float weight) {
  context().next.colour = colour;
  context().next.weight = weight;
}
void SetNextFillStyle(ImU32 colour) { context().next.fill = colour; }
void SetNextMarkerStyle(Marker marker, float size, bool hollow) {
  context().next.marker = marker;
  context().next.marker_size = size;
  context().next.hollow = hollow;
}
void SetNextBreaks(std::vector<int> breaks) { context().next.breaks = std::move(breaks); }
void SetNextLabel(LabelStyle label) { context().next.label = std::move(label); }

void PlotLine(const char* label, const double* xs, const double* ys, int count, int flags) {
  add(Item::Kind::line, label, xs, ys, count).dashed = (flags & LineFlags_Dashed) != 0;
}
void PlotShaded(const char* label, const double* xs, const double* ys1, const double* ys2, int count) {
  add(Item::Kind::shaded, label, xs, ys1, count).ys2.assign(ys2, ys2 + count);
}
void PlotBars(const char* label, const double* values, const double* positions, int count, double bar_size, int) {
  add(Item::Kind::bars, label, values, positions, count).bar_size = bar_size;
}
void PlotInfLines(const char* label, const double* values, int count, int) {
  add(Item::Kind::lines_at, label, values, nullptr, count);
}
void PlotHairline(const char* label, double x, ImU32 colour, bool dashed) {
  Item& item = add(Item::Kind::hairline, label, &x, nullptr, 1);
  item.colour = colour;
  item.dashed = dashed;
}
void PlotRing(double x, double y, ImU32 colour, const char* value) {
  add(Item::Kind::ring, value, &x, &y, 1).colour = colour;
}

void SetupLabelColumn(std::string value_title, std::string note_title) {
  context().plot.value_title = std::move(value_title);
  context().plot.note_title = std::move(note_title);
}

void ReserveBarLabel(const char* name, LabelStyle label) {
  Item& item = context().plot.reserved.emplace_back();
  item.kind = Item::Kind::bars;
  item.name = name;
  item.label = std::move(label);
}

bool IsPlotHovered() { return context().drawn.hovered; }
std::optional<Hovered> HoveredItem() { return context().drawn.item; }
const std::vector<TextBox>& TextBoxes() { return context().drawn.texts; }
Area PlotArea() { return context().drawn.area; }

}  // namespace tilescope::plots
