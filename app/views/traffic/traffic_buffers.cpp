// The list of buffers beside the memory chart: bytes and hit rates by level. The chart shows the selected one.
#include <algorithm>
#include <array>

#include "app/draw/widgets.hpp"
#include "app/observed/wording.hpp"
#include "app/views/playback.hpp"
#include "app/views/traffic/traffic_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kBuffersRow = 20;

struct Column {
  const char* heading;
  const char* meaning;
  std::string (*text)(const ChartUse&);
  bool modelled;
  bool essential = true;  // shown even if there is little room
};

std::string bytes_of(uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }
std::string rate_of(const LevelTraffic& level) {
  return level.read_sectors == 0 ? "–" : percent_text(level.read_hit_rate());
}

constexpr std::array<Column, 6> kColumns{{
    {"traffic.asked", "traffic.asked_meaning", [](const ChartUse& use) { return bytes_of(use.asked_bytes()); }, false},
    {"traffic.l1_hits", "traffic.l1_hits_meaning", [](const ChartUse& use) { return rate_of(use.levels.l1); }, true},
    {"traffic.l2_bytes", "traffic.l2_bytes_meaning",
     [](const ChartUse& use) { return bytes_of(use.levels.l2.bytes()); }, true, false},
    {"traffic.l2_hits", "traffic.l2_hits_meaning", [](const ChartUse& use) { return rate_of(use.levels.l2); }, true},
    {"traffic.device_in", "traffic.device_in_meaning",
     [](const ChartUse& use) { return bytes_of(use.levels.device_bytes_read); }, true},
    {"traffic.device_out", "traffic.device_out_meaning",
     [](const ChartUse& use) { return bytes_of(use.levels.device_bytes_written); }, true, false},
}};

struct Grid {
  ImVec2 low;
  float width = 0, row = 0;
  std::array<float, kColumns.size()> edges{};  // right edges; 0: omitted
};

Grid lay_out(PanelContext& context, const MemoryChart& chart, ImVec2 low, float width) {
  Grid grid{low, width, context.px(kBuffersRow), {}};
  // As wide as the widest number, so that the columns stay close together.
  const bool roomy = width >= context.px(500);
  float x = low.x + context.px(roomy ? 96 : 56);
  const auto widen = [&](const ChartUse& use, const Column& column, float wide) {
    return std::max(wide, text_size(context.fonts.small_semibold, column.text(use)).x);
  };
  for (size_t i = 0; i < kColumns.size(); ++i) {
    if ((kColumns[i].modelled && !chart.modelled) || (!roomy && !kColumns[i].essential)) continue;
    float wide = text_size(context.fonts.small, context.strings(kColumns[i].heading)).x;
    wide = widen(chart.total, kColumns[i], wide);
    for (const ChartUse& use : chart.buffers) wide = widen(use, kColumns[i], wide);
    if (x + wide > low.x + width) break;
    grid.edges[i] = x + wide;
    x += wide + context.px(16);
  }
  return grid;
}

void draw_headings(PanelContext& context, const Grid& grid) {
  ImFont* small = context.fonts.small;
  const float y = grid.low.y + grid.row / 2;
  draw_text(ImGui::GetWindowDrawList(), small, {grid.low.x + context.px(10), centred_top(small, y)},
            context.theme.muted, context.strings("traffic.buffer"));
  for (size_t i = 0; i < kColumns.size(); ++i) {
    if (grid.edges[i] == 0) continue;
    const std::string& heading = context.strings(kColumns[i].heading);
    draw_text_right(ImGui::GetWindowDrawList(), small, {grid.edges[i], centred_top(small, y)}, context.theme.muted,
                    heading);
    explain_rect(context, {grid.edges[i] - text_size(small, heading).x, grid.low.y},
                 {grid.edges[i], grid.low.y + grid.row}, context.strings(kColumns[i].meaning));
  }
}

void draw_row(PanelContext& context, TrafficPicture& picture, const Grid& grid, const ChartUse& use, float y) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  float right = grid.low.x + context.px(96);
  for (const float edge : grid.edges) right = std::max(right, edge);
  const ImVec2 low{grid.low.x, y}, high{right + context.px(10), y + grid.row};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(use.name.c_str());
  const bool pressed = hit_area("buffer", {high.x - low.x, high.y - low.y});
  ImGui::PopID();
  picture.buffer_rows.push_back({use.name, low, high});
  const bool hovered = ImGui::IsItemHovered(), chosen = picture.chosen_buffer == use.name;
  mark(context, "traffic.buffer." + use.name, low, high);
  explain(context, context.strings(use.name.empty() ? "traffic.all_buffers_meaning" : "traffic.buffer_meaning"));
  if (pressed) picture.chosen_buffer = chosen ? std::string() : use.name;
  if (chosen || hovered)
    list->AddRectFilled(low, high, chosen ? theme.raised : mix(theme.window, theme.raised, 0.6F), context.px(4));
  if (chosen) list->AddRectFilled(low, {low.x + context.px(2), high.y}, theme.accent);
  ImFont* font = chosen ? context.fonts.small_semibold : context.fonts.small;
  const float middle = y + grid.row / 2;
  const std::string name = use.name.empty() ? context.strings("traffic.all_buffers") : use.name;
  const float left = low.x + context.px(10);
  float room = context.px(72);  // up to the first number
  for (size_t i = 0; i < kColumns.size(); ++i)
    if (grid.edges[i] != 0)
      room = std::min(room, grid.edges[i] - text_size(font, kColumns[i].text(use)).x - context.px(6) - left);
  draw_text(list, font, {left, centred_top(font, middle)}, theme.text, fit_text(font, name, room));
  for (size_t i = 0; i < kColumns.size(); ++i)
    if (grid.edges[i] != 0)
      draw_text_right(list, font, {grid.edges[i], centred_top(font, middle)}, theme.text, kColumns[i].text(use));
}

}  // namespace

float draw_buffer_table(PanelContext& context, TrafficPicture& picture, ImVec2 low, float right) {
  const MemoryChart& chart = picture.chart;
  if (chart.buffers.empty()) return 0;
  const Grid grid = lay_out(context, chart, low, right - low.x);
  ImGui::PushID("buffers");
  draw_headings(context, grid);
  picture.buffer_rows.clear();
  float y = low.y + grid.row;
  draw_row(context, picture, grid, chart.total, y);
  y += grid.row;
  for (const ChartUse& use : chart.buffers) {
    draw_row(context, picture, grid, use, y);
    y += grid.row;
  }
  ImGui::PopID();
  return y - low.y;
}

float draw_block(PanelContext& context, TrafficPicture& picture, ImVec2 low, float right) {
  const RunResult& result = *picture.result;
  const uint64_t blocks = result.tiles.grid.count();
  if (blocks == 0 || result.tiles.accesses_first.size() <= blocks) return 0;
  const uint32_t focus = focus_block(context.view, blocks);
  if (!picture.of_block || picture.block != focus) {
    const size_t last = std::min<size_t>(result.tiles.accesses_first[focus + size_t{1}], result.trace.accesses.size());
    const size_t first = std::min<size_t>(result.tiles.accesses_first[focus], last);
    picture.of_block = traffic_of(result.trace, first, last);
    picture.block = focus;
  }
  const BlockTraffic& block = *picture.of_block;
  if (block.global_requests + block.shared_requests == 0) return 0;
  const std::string number = block_number(result.tiles.grid, focus);
  std::string text = context.strings.format("traffic.of_block", fmt::arg("block", number),
                                            fmt::arg("requests", with_separators(block.global_requests)),
                                            fmt::arg("sectors", with_separators(block.global_sectors)),
                                            fmt::arg("bytes", bytes_of(block.global_sectors * kSectorBytes)));
  std::string of_shared;
  if (block.shared_requests > 0)
    of_shared =
        context.strings.format("traffic.of_block_shared", fmt::arg("passes", with_separators(block.shared_wavefronts)),
                               fmt::arg("conflicts", with_separators(block.bank_conflicts())));
  ImFont* small = context.fonts.small;
  const float row = context.px(kBuffersRow), room = right - low.x;
  const std::string whole = text + of_shared;
  const bool two = text_size(small, whole).x > room;
  float y = low.y;
  const auto draw_line = [&](std::string_view line) {
    draw_text(ImGui::GetWindowDrawList(), small, {low.x, centred_top(small, y + row / 2)}, context.theme.muted,
              fit_text(small, line, room));
    y += row;
  };
  draw_line(two ? text : whole);
  if (two)
    draw_line(context.strings.format("traffic.of_block_shared_alone",
                                     fmt::arg("passes", with_separators(block.shared_wavefronts)),
                                     fmt::arg("conflicts", with_separators(block.bank_conflicts()))));
  explain_rect(context, low, {right, y}, whole);
  return y - low.y;
}

}  // namespace tilescope
