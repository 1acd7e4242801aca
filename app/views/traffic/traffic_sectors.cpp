// The lanes of one access, the addresses that they request, and the 128-byte lines and 32-byte sectors that move.
#include <algorithm>
#include <cmath>

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/lanes.hpp"
#include "app/views/traffic/traffic_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

/// Lines side by side; a wider gap marks omitted lines.
struct MemoryRow {
  std::vector<MemoryLine> lines;
  std::vector<float> x;  // left edge of each line
  float width = 0;       // per line
  float at(int64_t byte) const {
    const int64_t line = floor_divide(byte, kLineBytes);
    for (size_t i = 0; i < lines.size(); ++i)
      if (lines[i].line == line)
        return x[i] + width * static_cast<float>(byte - line * static_cast<int64_t>(kLineBytes)) / kLineBytes;
    return x.empty() ? 0 : x.front();
  }
};

MemoryRow lay_out_lines(const WarpAccess& access, float left, float width, float unit) {
  MemoryRow row;
  row.lines = memory_lines(access);
  const auto count = static_cast<float>(row.lines.size());
  float gaps = 0;
  const float near = (row.lines.size() > 8 ? 1 : 3) * unit, far = (row.lines.size() > 8 ? 2 : 8) * unit;
  const auto gap_before = [&](size_t i) { return row.lines[i].line == row.lines[i - 1].line + 1 ? near : far; };
  for (size_t i = 1; i < row.lines.size(); ++i) gaps += gap_before(i);
  row.width = (width - gaps) / std::max(1.0F, count);
  for (size_t i = 0; i < row.lines.size(); ++i) {
    if (i > 0) left += row.width + gap_before(i);
    row.x.push_back(left);
  }
  return row;
}

void draw_memory(PanelContext& context, const WarpAccess& access, const MemoryRow& row, float top, float height) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const ImU32 role = access.writes ? theme.write : theme.read, vain = unused_colour(theme);
  const float byte = row.width / kLineBytes, sector = byte * kSectorBytes;
  const float gap = sector >= context.px(8) ? context.px(1) : 0;
  for (size_t i = 0; i < row.lines.size(); ++i) {
    for (size_t k = 0; k < kLineBytes / kSectorBytes; ++k) {
      const float x = row.x[i] + static_cast<float>(k) * sector;
      list->AddRectFilled({x, top}, {x + sector - gap, top + height},
                          row.lines[i].touches(k) ? vain : idle_colour(theme));
    }
    for (size_t from = 0; from < kLineBytes;) {
      size_t to = from;
      const bool used = row.lines[i].used[from];
      // Runs end at sectors, so that the gaps between sectors stay visible.
      while (to < kLineBytes && row.lines[i].used[to] == used && (to == from || to % kSectorBytes != 0)) ++to;
      if (used) {
        const float end = row.x[i] + static_cast<float>(to) * byte - (to % kSectorBytes == 0 ? gap : 0);
        list->AddRectFilled({row.x[i] + static_cast<float>(from) * byte, top}, {end, top + height}, role);
      }
      from = to;
    }
  }
}

void draw_number_labels(PanelContext& context, const std::vector<std::pair<float, float>>& spans,
                        const std::vector<std::vector<std::string>>& texts, float low, float high, float y) {
  ImFont* font = context.fonts.small;
  std::vector<std::vector<float>> widths;
  for (const auto& offered : texts) {
    widths.emplace_back();
    for (const std::string& text : offered) widths.back().push_back(text_size(font, text).x);
  }
  const auto labels = place_labels(spans, widths, low, high, context.px(8));
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels[i].shown)
      draw_text(ImGui::GetWindowDrawList(), font,
                {labels[i].centre - widths[i][labels[i].text] / 2, centred_top(font, y)}, context.theme.muted,
                texts[i][labels[i].text]);
}

/// Numbers of the touched sectors (all, every second one or one per line, depending on the room), and of the lines if
/// there are several.
float draw_memory_labels(PanelContext& context, const MemoryRow& row, float low, float high, float y) {
  const Strings& strings = context.strings;
  std::vector<std::pair<float, float>> sectors, lines;
  std::vector<std::vector<std::string>> sector_texts, line_texts;
  const float sector = row.width * kSectorBytes / kLineBytes;
  const std::string widest = with_separators(row.lines.back().line * 4 + 3);
  size_t every = 1;
  while (every < 4 && text_size(context.fonts.small, widest).x + context.px(6) > sector * static_cast<float>(every))
    every *= 2;
  const std::string last_line =
      strings.format("traffic.line_number", fmt::arg("line", with_separators(row.lines.back().line)));
  const bool many = row.lines.size() > 1 && text_size(context.fonts.small, last_line).x > row.width;
  for (size_t i = 0; i < row.lines.size(); ++i) {
    const std::string line = with_separators(row.lines[i].line);
    lines.emplace_back(row.x[i], row.x[i] + row.width);
    // The first number includes the meaning of the row.
    if (i == 0 && many)
      lines.back().second =
          row.x[0] + text_size(context.fonts.small, strings.format("traffic.line_number", fmt::arg("line", line))).x;
    line_texts.push_back({strings.format("traffic.line_number", fmt::arg("line", line)), line});
    for (size_t k = 0; k < kLineBytes / kSectorBytes; k += every) {
      if (!row.lines[i].touches(k)) continue;
      const float x = row.x[i] + static_cast<float>(k) * sector;
      const std::string number = with_separators(row.lines[i].line * 4 + static_cast<int64_t>(k));
      sectors.emplace_back(x, x + sector);
      sector_texts.push_back({strings.format("tiles.sector", fmt::arg("sector", number)), number});
    }
  }
  if (many) {  // no room for each line's sectors
    draw_number_labels(context, lines, line_texts, low, high, y);
    return context.px(16);
  }
  draw_number_labels(context, sectors, sector_texts, low, high, y);
  if (row.lines.size() < 2) return context.px(16);
  draw_number_labels(context, lines, line_texts, low, high, y + context.px(18));
  return context.px(34);
}

void draw_lane(PanelContext& context, const SectorView& view, int lane, ImVec2 low, ImVec2 high, float to, float to_y,
               bool lit) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const WarpAccess& access = *view.access;
  if (!access.is_active(lane)) {
    hatch(list, low, high, mix(theme.window, theme.muted, 0.4F), context.px(5));
    return;
  }
  const ImU32 role = access.is_outside(lane) ? theme.error : access.writes ? theme.write : theme.read;
  const ImU32 surface = lit ? role : mix(theme.window, role, 0.38F);
  list->AddRectFilled(low, high, surface);
  list->AddLine({(low.x + high.x) / 2, high.y + 1}, {to, to_y}, lit ? role : mix(theme.window, role, 0.5F),
                lit ? context.px(1.5F) : 1.0F);
  if ((lane % 4 == 0 || lane == 31) && high.y - low.y >= context.px(16))
    draw_text_centred(list, context.fonts.small, {(low.x + high.x) / 2, (low.y + high.y) / 2},
                      readable_on(surface, theme), std::to_string(lane));
}

}  // namespace

std::string cost_text(const Strings& strings, const WarpAccess& access) {
  const auto lines = memory_lines(access);
  const std::string used = with_separators(access.cost.useful_bytes);
  const std::string moved = with_separators(access.moved_bytes());
  if (lines.size() == 1)
    return strings.format("traffic.one_line", fmt::arg("line", with_separators(lines.front().line)),
                          fmt::arg("used", used), fmt::arg("moved", moved));
  return strings.format("traffic.several_lines", fmt::arg("lines", lines.size()),
                        fmt::arg("sectors", access.cost.sectors), fmt::arg("used", used), fmt::arg("moved", moved));
}

void point_at_sectors(PanelContext& context, const SectorView& view, ImVec2 low, float width) {
  const WarpAccess& access = *view.access;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  ImGui::SetCursorScreenPos(low);
  hit_area("lanes to memory", {std::max(width, 1.0F), context.px(view.lanes)});
  mark(context, "traffic.lanes", low, {low.x + width, low.y + context.px(view.lanes)});
  if (ImGui::IsItemHovered())
    point_at_lane(context, access, std::clamp(static_cast<int>((pointer.x - low.x) / width * 32), 0, 31));
  const ImVec2 memory{low.x, low.y + context.px(view.lanes + view.fan)};
  ImGui::SetCursorScreenPos(memory);
  hit_area("sectors", {std::max(width, 1.0F), context.px(view.bar)});
  mark(context, "traffic.sectors", memory, {memory.x + width, memory.y + context.px(view.bar)});
  if (!ImGui::IsItemHovered()) return;
  const MemoryRow row = lay_out_lines(access, low.x, width, context.view.scale);
  for (int lane = 0; lane < 32; ++lane) {
    if (!access.is_active(lane)) continue;
    const int64_t offset = access.offset[static_cast<size_t>(lane)];
    const float from = row.at(offset), to = row.at(offset + access.bytes_per_lane - 1) + row.width / kLineBytes;
    if (pointer.x >= from && pointer.x < to) return point_at_lane(context, access, lane);
  }
  explain(context, context.strings("traffic.sector_meaning"));
}

float draw_sectors(PanelContext& context, const SectorView& view, ImVec2 low, float width) {
  const WarpAccess& access = *view.access;
  const MemoryRow row = lay_out_lines(access, low.x, width, context.view.scale);
  if (row.lines.empty()) return 0;
  const float pitch = width / 32, gap = std::max(1.0F, context.px(1));
  const float lanes_bottom = low.y + context.px(view.lanes), memory_top = lanes_bottom + context.px(view.fan);
  draw_memory(context, access, row, memory_top, context.px(view.bar));
  for (int lane = 0; lane < 32; ++lane) {
    const float x0 = low.x + static_cast<float>(lane) * pitch;
    const int64_t offset = access.offset[static_cast<size_t>(lane)];
    const float to = (row.at(offset) + row.at(offset + access.bytes_per_lane - 1) + row.width / kLineBytes) / 2;
    const bool lit = view.interactive && (is_lit(context.view, lane, access.access, view.partner) ||
                                          is_selected(context.view, lane, access.access, view.partner));
    draw_lane(context, view, lane, {x0, low.y}, {x0 + pitch - gap, lanes_bottom}, to, memory_top - 1, lit);
    if (!lit || !access.is_active(lane)) continue;
    // Frames the bytes that the lane requests.
    const float from = row.at(offset), end = row.at(offset + access.bytes_per_lane - 1) + row.width / kLineBytes;
    ImGui::GetWindowDrawList()->AddRect({from - 1, memory_top - 1},
                                        {std::max(end, from + 2) + 1, memory_top + context.px(view.bar) + 1},
                                        context.theme.accent, 0, 0, context.px(1.5F));
  }
  const float labels = view.interactive ? draw_memory_labels(context, row, low.x, low.x + width,
                                                             memory_top + context.px(view.bar) + context.px(10))
                                        : 0;
  return memory_top + context.px(view.bar) + context.px(4) + labels - low.y;
}

}  // namespace tilescope
