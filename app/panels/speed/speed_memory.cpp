// Bytes that the rungs of a plane allocate, against the length of the sequence.
#include <algorithm>
#include <cmath>

#include "app/draw/plots/plot.hpp"
#include "app/draw/widgets.hpp"
#include "app/panels/speed/memory_sweep.hpp"
#include "app/panels/speed/speed_views.hpp"
#include "app/views/panels.hpp"

namespace tilescope {
namespace {

/// The chosen rung if it belongs to the line, else the first one; and the number of others.
std::string line_name(const PanelContext& context, const MemoryCurve& line, const std::string& rung) {
  const auto chosen =
      std::find_if(line.rungs.begin(), line.rungs.end(), [&](const Rung* one) { return one->name == rung; });
  std::string name = context.strings((chosen != line.rungs.end() ? *chosen : line.rungs.front())->title);
  if (line.rungs.size() > 1)
    name += context.strings.format("plane.and_others", fmt::arg("count", line.rungs.size() - 1));
  return name;
}

const char* growth_of(const MemoryCurve& line) { return line.power == 2 ? "O(N²)" : line.power == 1 ? "O(N)" : ""; }

/// A tick per factor of a thousand.
void setup_bytes_axis(double low, double high) {
  static const struct {
    double value;
    const char* name;
  } kTicks[] = {{1e3, "1 KB"}, {1e4, "10 KB"},  {1e5, "100 KB"},  {1e6, "1 MB"},  {1e7, "10 MB"}, {1e8, "100 MB"},
                {1e9, "1 GB"}, {1e10, "10 GB"}, {1e11, "100 GB"}, {1e12, "1 TB"}, {1e13, "10 TB"}};
  std::vector<double> values;
  std::vector<const char*> names;
  const bool sparse = high / low > 1e5;
  for (size_t i = 0; i < std::size(kTicks); ++i)
    if (kTicks[i].value >= low && kTicks[i].value <= high && (!sparse || i % 2 == 1)) {
      values.push_back(kTicks[i].value);
      names.push_back(kTicks[i].name);
    }
  plots::SetupAxisTicks(plots::Axis_Y1, values.data(), static_cast<int>(values.size()), names.data());
}

void draw_lines(PanelContext& context, const MemorySweep& sweep, const std::string& rung) {
  const std::vector<double> lengths(sweep.lengths.begin(), sweep.lengths.end());
  for (size_t i = 0; i < sweep.lines.size(); ++i) {
    const MemoryCurve& line = sweep.lines[i];
    const bool chosen = line_of(sweep, rung) == &line;
    const ImU32 colour = chosen ? context.theme.accent : line.power >= 2 ? context.theme.error : context.theme.muted;
    plots::SetNextLineStyle(colour, chosen ? 2.0F : 1.25F);
    plots::SetNextMarkerStyle(plots::rung_marker(static_cast<int>(i)));
    plots::SetNextLabel({.value = growth_of(line), .priority = chosen ? 2 : 1, .emphasis = chosen});
    plots::PlotLine(line_name(context, line, rung).c_str(), lengths.data(), line.bytes.data(),
                    static_cast<int>(lengths.size()));
  }
}

/// For a label, the point of the longest sequence.
void explain_point(PanelContext& context, const MemorySweep& sweep, const std::string& rung, ImVec2 low, ImVec2 high) {
  const auto hovered = plots::HoveredItem();
  if (!hovered || static_cast<size_t>(hovered->item) >= sweep.lines.size()) return;
  const MemoryCurve& line = sweep.lines[static_cast<size_t>(hovered->item)];
  const size_t point = hovered->on_label ? line.bytes.size() - 1 : static_cast<size_t>(hovered->point);
  if (point >= line.bytes.size()) return;
  const std::string name = line_name(context, line, rung), length = with_separators(sweep.lengths[point]),
                    bytes = bytes_text(line.bytes[point]);
  explain_rect(context, low, high,
               context.strings.format("plane.explain_bytes", fmt::arg("rung", name), fmt::arg("length", length),
                                      fmt::arg("bytes", bytes)));
}

const GpuSpec* modelled_gpu(const PanelContext& context) {
  if (context.result && !context.result->modelled_gpu.name.empty()) return &context.result->modelled_gpu;
  return nullptr;
}

}  // namespace

const MemorySweep& known_sweep(const PanelContext& context) {
  KnownMemory& known = context.panels->speed->memory;
  const Lab& lab = context.lab();
  const Config& config = context.session.request().config;
  if (known.lab != &lab || !(known.config == config)) known = {&lab, config, memory_sweep(lab, config)};
  return known.sweep;
}

void draw_memory(PanelContext& context, ImVec2 low, ImVec2 size) {
  const Lab& lab = context.lab();
  const Config& config = context.session.request().config;
  const MemorySweep& sweep = known_sweep(context);
  if (sweep.lines.empty()) return;
  const std::string rung = chosen_rung(context).rung != nullptr ? chosen_rung(context).rung->name : std::string();
  const int64_t here = place_in_sweep(lab, config);
  double least = HUGE_VAL, most = 0;
  for (const MemoryCurve& line : sweep.lines) {
    least = std::min(least, line.bytes.front());
    most = std::max(most, line.bytes.back());
  }
  const GpuSpec* gpu = modelled_gpu(context);
  const auto memory = gpu != nullptr ? static_cast<double>(gpu->memory_bytes) : 0;
  least = std::pow(10, std::floor(std::log10(std::max(least, 1.0))));
  most = std::pow(10, std::ceil(std::log10(std::max({most, memory, 10.0}))));
  const float note = context.px(40);
  plots::SetStyle({context.theme, context.fonts, context.view.scale});
  ImGui::SetCursorScreenPos(low);
  mark(context, "plane.memory", low, {low.x + size.x, low.y + size.y});
  if (plots::BeginPlot("plane memory", {size.x, std::max(size.y - note, context.px(60))})) {
    plots::SetupAxis(plots::Axis_X1, "N");
    plots::SetupAxisScale(plots::Axis_X1, plots::Scale_Log2);
    const auto first = static_cast<double>(std::min(sweep.lengths.front(), std::max<int64_t>(here, 1)));
    const auto last = static_cast<double>(std::max(sweep.lengths.back(), here));
    plots::SetupAxisLimits(plots::Axis_X1, first, last);
    plots::SetupAxis(plots::Axis_Y1, context.strings("plane.bytes_axis").c_str());
    plots::SetupAxisScale(plots::Axis_Y1, plots::Scale_Log2);
    plots::SetupAxisLimits(plots::Axis_Y1, least, most);
    setup_bytes_axis(least, most);
    draw_lines(context, sweep, rung);
    if (memory > 0) {
      const double ends[] = {first, last}, level[] = {memory, memory};
      plots::SetNextLineStyle(context.theme.reference, 1.25F);
      plots::SetNextLabel({.value = bytes_text(memory), .priority = 3});
      plots::PlotLine(gpu->name.c_str(), ends, level, 2, plots::LineFlags_Dashed);
    }
    const auto current = static_cast<double>(here);
    plots::PlotHairline(with_separators(here).c_str(), current, context.theme.muted);
    if (const Rung* own = find_rung(lab, rung); own != nullptr && !own->pick) {
      const double bytes = allocated_bytes(lab, *own, config);
      plots::PlotRing(current, std::max(bytes, least), context.theme.accent, bytes_text(bytes).c_str());
    }
    plots::EndPlot();
    explain_point(context, sweep, rung, low, {low.x + size.x, low.y + size.y});
  }
  const TextRun run[] = {{context.fonts.small, context.theme.muted, context.strings("plane.memory_note")}};
  flow_text(ImGui::GetWindowDrawList(), {low.x, low.y + size.y - note + context.px(2)}, size.x, context.px(18), run);
}

}  // namespace tilescope
