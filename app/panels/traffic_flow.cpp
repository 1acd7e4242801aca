// Bytes between registers and global memory, one band per buffer and direction, drawn to scale.
#include <algorithm>
#include <cmath>

#include "app/panels/traffic_view.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

constexpr float kRow = 48, kThickest = 16;
constexpr size_t kMostBands = 6;

struct Nodes {
  ImVec2 registers_low, registers_high, memory_low, memory_high;
};

void draw_node(PanelContext& context, ImVec2 low, ImVec2 high, std::string_view title) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, context.theme.raised, context.px(6));
  draw_text(list, context.fonts.body_semibold, {low.x + context.px(12), low.y + context.px(10)}, context.theme.text,
            title);
}

void node_line(PanelContext& context, ImVec2 low, int line, std::string_view text) {
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small,
            {low.x + context.px(12), low.y + context.px(36 + 20 * static_cast<float>(line))}, context.theme.muted,
            text);
}

void describe_registers(PanelContext& context, const TrafficPicture& picture, ImVec2 low) {
  const RunResult& result = *picture.result;
  if (result.plan.launches.empty()) return;
  const size_t launch = std::min<size_t>(result.tiles.launch, result.plan.launches.size() - 1);
  const KernelInfo* kernel = result.compiled.find(result.plan.launches[launch].kernel);
  if (kernel == nullptr || kernel->registers == 0) return;
  const int64_t threads = static_cast<int64_t>(result.tiles.block.count());
  node_line(context, low, 0, context.strings.format("traffic.registers_thread", fmt::arg("count", kernel->registers)));
  node_line(context, low, 1,
            context.strings.format("traffic.registers_block",
                                   fmt::arg("count", with_separators(threads * kernel->registers))));
}

/// A band with a point at its right end, or its left one; the unused share below in vermilion.
void draw_band(PanelContext& context, float x0, float x1, float middle, float height, const Band& band) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 role = band.write ? context.theme.write : context.theme.read;
  const float point = context.px(10), top = middle - height / 2, bottom = middle + height / 2;
  const auto shape = [&](float from, float to, ImU32 colour) {
    list->PushClipRect({x0 - 1, from}, {x1 + 1, to}, true);
    if (band.write) {
      const ImVec2 points[] = {{x0, top}, {x1 - point, top}, {x1, middle}, {x1 - point, bottom}, {x0, bottom}};
      list->AddConvexPolyFilled(points, 5, colour);
    } else {
      const ImVec2 points[] = {{x0, middle}, {x0 + point, top}, {x1, top}, {x1, bottom}, {x0 + point, bottom}};
      list->AddConvexPolyFilled(points, 5, colour);
    }
    list->PopClipRect();
  };
  const uint64_t wasted = band.movement.wasted();
  shape(top - 1, bottom + 1, role);
  if (wasted == 0) return;
  const float share = static_cast<float>(wasted) / static_cast<float>(band.movement.moved());
  shape(bottom - std::max(context.px(2), height * share), bottom + 1, context.theme.error);
}

std::string band_text(const PanelContext& context, const Band& band) {
  return context.strings.format(band.write ? "traffic.band_written" : "traffic.band_read",
                                fmt::arg("buffer", band.name),
                                fmt::arg("moved", bytes_text(static_cast<double>(band.movement.moved()))));
}

std::string rate_text(const PanelContext& context, const char* key, const Band& band) {
  return context.strings.format(key, fmt::arg("sectors", figure_text(band.movement.sectors_per_request())));
}

/// The longest wording of the rates that fits beside every band; null if none does.
const char* fitting_rate(const PanelContext& context, std::span<const Band> bands, float room) {
  for (const char* key : {"traffic.per_request", "traffic.per_request_short"}) {
    const bool fits = std::all_of(bands.begin(), bands.end(), [&](const Band& band) {
      return text_size(context.fonts.small_semibold, band_text(context, band)).x +
                 text_size(context.fonts.small, rate_text(context, key, band)).x + context.px(12) <=
             room;
    });
    if (fits) return key;
  }
  return nullptr;
}

void draw_band_row(PanelContext& context, const Nodes& nodes, float top, const Band& band, uint64_t most,
                   const char* rate_key) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float x0 = nodes.registers_high.x + context.px(8), x1 = nodes.memory_low.x - context.px(8);
  const bool waste = is_wasteful(band.movement);
  float x = x0 + context.px(4);
  const float text_y = top + context.px(11);
  ImFont* bold = context.fonts.small_semibold;
  ImFont* small = context.fonts.small;
  const std::string what = band_text(context, band);
  x += draw_text(list, bold, {x, centred_top(bold, text_y)}, theme.text, what).x + context.px(8);
  if (rate_key != nullptr)
    draw_text(list, small, {x, centred_top(small, text_y)}, waste ? theme.error : theme.muted,
              rate_text(context, rate_key, band));
  const float share = static_cast<float>(band.movement.moved()) / static_cast<float>(std::max<uint64_t>(1, most));
  const float height = std::max(context.px(2), std::round(context.px(kThickest) * share));
  draw_band(context, x0, x1, top + context.px(31), height, band);
  explain_rect(context, {x0, top}, {x1, top + context.px(kRow)},
               context.strings.format(
                   band.write ? "traffic.explain_write" : "traffic.explain_read", fmt::arg("buffer", band.name),
                   fmt::arg("requests", with_separators(static_cast<int64_t>(band.movement.requests))),
                   fmt::arg("sectors", with_separators(static_cast<int64_t>(band.movement.sectors))),
                   fmt::arg("moved", bytes_text(static_cast<double>(band.movement.moved()))),
                   fmt::arg("used", percent_text(band.movement.used()))));
}

/// The total in words, at the right of the chart.
void draw_total(PanelContext& context, const TrafficPicture& picture, ImVec2 low, float right) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const Strings& strings = context.strings;
  const Fonts& fonts = context.fonts;
  const DataMovement& total = picture.total;
  const bool waste = is_wasteful(total);
  float baseline = low.y + context.px(24);
  const std::string moved = bytes_text(static_cast<double>(total.moved()));
  const ImVec2 figure{low.x, baseline_top(fonts.title_semibold, baseline)};
  float x = low.x + draw_text(list, fonts.title_semibold, figure, theme.text, moved).x + context.px(8);
  const std::string what = strings.format("traffic.moved_used", fmt::arg("used", percent_text(total.used())));
  if (x + text_size(fonts.body, what).x > right) {  // below instead
    x = low.x;
    baseline += context.px(22);
  }
  draw_text(list, fonts.body, {x, baseline_top(fonts.body, baseline)}, waste ? theme.error : theme.text, what);
  const std::string detail =
      strings.format("traffic.in_requests", fmt::arg("requests", with_separators(static_cast<int64_t>(total.requests))),
                     fmt::arg("sectors", with_separators(static_cast<int64_t>(total.sectors))));
  const TextRun runs[] = {{fonts.small, theme.muted, detail}};
  const float height = flow_text(list, {low.x, baseline + context.px(12)}, right - low.x, context.px(20), runs);
  const float badge_y = baseline + context.px(24) + height;
  const float badge = badge_width(context, Badge::simulated);
  draw_badge(context, list, {low.x + badge, badge_y}, Badge::simulated);
  const std::string counted = strings("traffic.what_is_counted");
  if (low.x + badge + context.px(8) + text_size(fonts.small, counted).x > right) return;
  draw_text(list, fonts.small, {low.x + badge + context.px(8), centred_top(fonts.small, badge_y + context.px(10))},
            theme.muted, counted);
}

}  // namespace

float draw_flow(PanelContext& context, const TrafficPicture& picture, ImVec2 low, float width) {
  const size_t shown = std::min(picture.bands.size(), kMostBands);
  const size_t left_out = picture.bands.size() - shown;
  const float height = std::max(context.px(2 * kRow), static_cast<float>(shown) * context.px(kRow));
  const float node = std::floor(std::clamp(width * 0.13F, context.px(128), context.px(144))),
              memory = std::floor(width * 0.47F);
  const Nodes nodes{
      low, {low.x + node, low.y + height}, {low.x + memory, low.y}, {low.x + memory + node, low.y + height}};
  draw_node(context, nodes.registers_low, nodes.registers_high, context.strings("traffic.registers"));
  describe_registers(context, picture, nodes.registers_low);
  draw_node(context, nodes.memory_low, nodes.memory_high,
            fit_text(context.fonts.body_semibold, context.strings("traffic.global_memory"), node - context.px(14)));
  uint64_t most = 0, held = 0;
  for (const Band& band : picture.bands) most = std::max(most, band.movement.moved());
  for (const BufferSpec& buffer : picture.result->plan.buffers)
    held += static_cast<uint64_t>(buffer.count()) * size_of(buffer.type);
  node_line(context, nodes.memory_low, 0,
            context.strings.format("traffic.buffers_hold", fmt::arg("count", picture.result->plan.buffers.size())));
  node_line(context, nodes.memory_low, 1, bytes_text(static_cast<double>(held)));
  const float room = nodes.memory_low.x - nodes.registers_high.x - context.px(16);
  const char* rate_key = fitting_rate(context, std::span(picture.bands).first(shown), room);
  for (size_t i = 0; i < shown; ++i)
    draw_band_row(context, nodes, low.y + static_cast<float>(i) * context.px(kRow), picture.bands[i], most, rate_key);
  const float right = low.x + width;
  draw_total(context, picture, {nodes.memory_high.x + context.px(28), low.y}, right);
  if (left_out > 0)
    draw_text(ImGui::GetWindowDrawList(), context.fonts.small,
              {nodes.registers_high.x + context.px(12), nodes.registers_high.y + context.px(4)}, context.theme.muted,
              context.strings.format("traffic.more_bands", fmt::arg("count", left_out)));
  return height + (left_out > 0 ? context.px(20) : 0);
}

}  // namespace tilescope
