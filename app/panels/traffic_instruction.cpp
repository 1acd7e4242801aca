// One warp instruction: 32 lanes, the addresses they ask for, and the 128-byte lines and 32-byte sectors that move.
#include <algorithm>
#include <cmath>

#include "app/panels/tiles_lanes.hpp"
#include "app/panels/tiles_playback.hpp"
#include "app/panels/tiles_view.hpp"
#include "app/panels/traffic_view.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

/// Which access is shown, and what it can be exchanged for.
struct Choice {
  TraceIndex& index;
  AccessPlace at;
  uint32_t blocks;
  std::vector<size_t> statements;  // those that the block executes
};

/// ‹ value ›: −1 or +1 where an arrow was pressed.
int stepper(PanelContext& context, const char* id, float& x, float y, std::string_view label, std::string_view value,
            std::string_view help) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  ImFont* small = context.fonts.small;
  ImFont* bold = context.fonts.small_semibold;
  const float button = context.px(18), half = context.px(4);
  x += draw_text(list, small, {x, centred_top(small, y)}, theme.muted, label).x + context.px(4);
  int by = 0;
  ImGui::PushID(id);
  for (const int side : {-1, 1}) {
    ImGui::SetCursorScreenPos({x, y - context.px(10)});
    ImGui::PushID(side);
    if (ImGui::InvisibleButton("step", {button, context.px(20)})) by = side;
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    explain(context, help);
    mark(context, std::string("traffic.") + (side < 0 ? "previous_" : "next_") + id, {x, y - context.px(10)},
         {x + button, y + context.px(10)});
    const float centre = x + button / 2, tip = static_cast<float>(side) * half * 0.9F;
    const ImVec2 points[] = {{centre - tip / 2, y - half}, {centre + tip / 2, y}, {centre - tip / 2, y + half}};
    list->AddPolyline(points, 3, hovered ? theme.text : theme.muted, 0, context.px(1.5F));
    x += button;
    if (side < 0) x += draw_text(list, bold, {x, centred_top(bold, y)}, theme.text, value).x;
  }
  ImGui::PopID();
  x += context.px(10);
  return by;
}

void choose(PanelContext& context, Choice& choice, size_t statement, uint32_t block, uint32_t warp, uint32_t step) {
  const BlockAccesses& accesses = choice.index.block(block);
  if (const auto access = accesses.nearest(statement, warp, step)) {
    context.view.selection = select_access(choice.index.result(), *access, context.view.selection.lane);
    return;
  }
  context.view.selection = {.block = block,
                            .access = {},
                            .lane = {},
                            .line = choice.index.statements()[statement].line,
                            .buffer = {},
                            .element = {}};
}

uint32_t moved_by(uint32_t value, int by, uint32_t count) {
  return static_cast<uint32_t>((static_cast<int64_t>(value) + by + count) % count);
}

void draw_steppers(PanelContext& context, Choice& choice, ImVec2 low) {
  const Strings& strings = context.strings;
  const Statement& statement = choice.index.statements()[choice.at.statement];
  const BlockAccesses& block = choice.index.block(choice.at.block);
  const uint32_t warps = block.warps(), steps = block.steps(choice.at.statement);
  const AccessPlace at = choice.at;
  float x = low.x;
  const float y = low.y + context.px(12);
  if (const int by = stepper(context, "line", x, y, strings("traffic.line"), std::to_string(statement.line),
                             strings("traffic.line_meaning"))) {
    const auto here = std::find(choice.statements.begin(), choice.statements.end(), at.statement);
    const auto place = static_cast<uint32_t>(here - choice.statements.begin());
    choose(context, choice, choice.statements[moved_by(place, by, static_cast<uint32_t>(choice.statements.size()))],
           at.block, at.warp, at.step);
  }
  if (const int by =
          stepper(context, "block", x, y, strings("traffic.block"),
                  block_number(choice.index.result().tiles.grid, at.block), strings("traffic.block_meaning")))
    choose(context, choice, at.statement, moved_by(at.block, by, choice.blocks), at.warp, at.step);
  if (const int by = stepper(context, "warp", x, y, strings("traffic.warp"), std::to_string(at.warp),
                             strings("traffic.warp_meaning")))
    choose(context, choice, at.statement, at.block, moved_by(at.warp, by, warps), at.step);
  if (steps <= 1) return;
  if (const int by = stepper(context, "step", x, y, strings("traffic.step"), std::to_string(at.step),
                             strings("traffic.step_meaning")))
    choose(context, choice, at.statement, at.block, at.warp, moved_by(at.step, by, steps));
}

/// Lines side by side; a wider gap where lines between them are left out.
struct MemoryRow {
  std::vector<MemoryLine> lines;
  std::vector<float> x;  // left edge of each line
  float width = 0;       // of a line
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
  const ImU32 role = access.writes ? theme.write : theme.read, vain = mix(theme.window, theme.error, 0.55F);
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
      // Runs end at sectors, so that the gaps between sectors stay.
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

/// Numbers of the touched sectors (every one, every other or one a line, as there is room), and of the lines where
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
  for (size_t i = 0; i < row.lines.size(); ++i) {
    const std::string line = with_separators(row.lines[i].line);
    lines.emplace_back(row.x[i], row.x[i] + row.width);
    line_texts.push_back({strings.format("traffic.line_number", fmt::arg("line", line)), line});
    for (size_t k = 0; k < kLineBytes / kSectorBytes; k += every) {
      if (!row.lines[i].touches(k)) continue;
      const float x = row.x[i] + static_cast<float>(k) * sector;
      const std::string number = with_separators(row.lines[i].line * 4 + static_cast<int64_t>(k));
      sectors.emplace_back(x, x + sector);
      sector_texts.push_back({strings.format("tiles.sector", fmt::arg("sector", number)), number});
    }
  }
  draw_number_labels(context, sectors, sector_texts, low, high, y);
  if (row.lines.size() < 2) return context.px(16);
  draw_number_labels(context, lines, line_texts, low, high, y + context.px(18));
  return context.px(34);
}

float draw_lanes_to_memory(PanelContext& context, const WarpAccess& access, ImVec2 low, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const bool roomy = ImGui::GetWindowHeight() >= context.px(480);
  const float lane_height = context.px(roomy ? 24 : 20), fan = context.px(roomy ? 48 : 24);
  const float bar = context.px(roomy ? 20 : 14), pitch = width / 32;
  const float gap = std::max(1.0F, context.px(1));
  const ImU32 role = access.writes ? theme.write : theme.read;
  const MemoryRow row = lay_out_lines(access, low.x, width, context.view.scale);
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton("lanes to memory", {width, lane_height});
  mark(context, "traffic.lanes", low, {low.x + width, low.y + lane_height});
  int hovered = -1;
  if (ImGui::IsItemHovered()) {
    hovered = std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - low.x) / pitch), 0, 31);
    point_at_lane(context, access, hovered);
  }
  const Selection &selection = context.view.selection, &hover = context.view.hover;
  const float memory_top = low.y + lane_height + fan;
  draw_memory(context, access, row, memory_top, bar);
  for (int lane = 0; lane < 32; ++lane) {
    const float x0 = low.x + static_cast<float>(lane) * pitch, x1 = x0 + pitch - gap;
    const bool chosen = lane == hovered || (hover.lane == lane && hover.access == access.access) ||
                        (selection.lane == lane && selection.access == access.access);
    const ImVec2 corner{x1, low.y + lane_height};
    if (!access.is_active(lane)) {
      hatch(list, {x0, low.y}, corner, mix(theme.window, theme.muted, 0.4F), context.px(5));
      continue;
    }
    const ImU32 lane_role = access.is_outside(lane) ? theme.error : role;
    const ImU32 surface = chosen ? lane_role : mix(theme.window, lane_role, 0.38F);
    list->AddRectFilled({x0, low.y}, corner, surface);
    const int64_t offset = access.offset[static_cast<size_t>(lane)];
    const float to = (row.at(offset) + row.at(offset + access.bytes_per_lane - 1) + row.width / kLineBytes) / 2;
    list->AddLine({(x0 + x1) / 2, low.y + lane_height + 1}, {to, memory_top - 1},
                  chosen ? lane_role : mix(theme.window, lane_role, 0.5F), chosen ? context.px(1.5F) : 1.0F);
    if (lane % 4 == 0 || lane == 31)
      draw_text_centred(list, context.fonts.small, {(x0 + x1) / 2, low.y + lane_height / 2},
                        readable_on(surface, theme), std::to_string(lane));
  }
  const float labels = draw_memory_labels(context, row, low.x, low.x + width, memory_top + bar + context.px(10));
  return lane_height + fan + bar + context.px(4) + labels;
}

void draw_colours(PanelContext& context, const WarpAccess& access, ImVec2 low) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const struct {
    ImU32 colour;
    const char* key;
  } entries[] = {{access.writes ? theme.write : theme.read, "traffic.used_bytes"},
                 {mix(theme.window, theme.error, 0.55F), "traffic.unused_bytes"},
                 {idle_colour(theme), "traffic.rest_of_line"}};
  float x = low.x;
  const float y = low.y + context.px(10);
  for (const auto& entry : entries) {
    list->AddRectFilled({x, y - context.px(4)}, {x + context.px(8), y + context.px(4)}, entry.colour);
    x += context.px(14);
    x += draw_text(list, context.fonts.small, {x, centred_top(context.fonts.small, y)}, theme.muted,
                   context.strings(entry.key))
             .x;
    x += context.px(18);
  }
}

std::string cost_text(const Strings& strings, const WarpAccess& access, const std::vector<MemoryLine>& lines) {
  const std::string used = with_separators(access.cost.useful_bytes);
  const std::string moved = with_separators(static_cast<int64_t>(access.moved_bytes()));
  if (lines.size() == 1)
    return strings.format("traffic.one_line", fmt::arg("line", with_separators(lines.front().line)),
                          fmt::arg("used", used), fmt::arg("moved", moved));
  return strings.format("traffic.several_lines", fmt::arg("lines", lines.size()),
                        fmt::arg("sectors", access.cost.sectors), fmt::arg("used", used), fmt::arg("moved", moved));
}

}  // namespace

float draw_instruction(PanelContext& context, ImVec2 low, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const Strings& strings = context.strings;
  const Fonts& fonts = context.fonts;
  const RunResult& result = *context.result;
  const uint64_t blocks = result.tiles.grid.count();
  TraceIndex& index = trace_index(context.result);
  const float title = context.px(24);
  draw_text(list, fonts.body_semibold, {low.x, centred_top(fonts.body_semibold, low.y + title / 2)}, theme.text,
            strings("traffic.one_instruction"));
  const uint32_t focus = focus_block(context.view, blocks);
  const auto access = index.shown_access(context.view.hover, context.view.selection, focus);
  const auto place = access ? index.place(*access) : std::nullopt;
  if (!place) {
    draw_text(list, fonts.small, {low.x, low.y + title + context.px(6)}, theme.muted,
              strings.format(focus < result.tiles.blocks_observed ? "tiles.no_access" : "tiles.not_recorded",
                             fmt::arg("block", block_number(result.tiles.grid, focus))));
    return title + context.px(32);
  }
  Choice choice{index, *place, static_cast<uint32_t>(blocks), {}};
  for (size_t i = 0; i < index.statements().size(); ++i)
    if (index.statements()[i].buffer >= 0 && index.block(focus).steps(i) > 0) choice.statements.push_back(i);
  ImGui::PushID("instruction");
  draw_steppers(context, choice, {low.x, low.y + title});
  const WarpAccess shown = warp_access(result, *access);
  const float label = low.y + 2 * title + context.px(14);
  const std::string what =
      strings.format(shown.writes ? "traffic.store_to" : "traffic.load_of",
                     fmt::arg("buffer", shown.buffer < 0 ? strings("tiles.memory")
                                                         : result.plan.buffers[static_cast<size_t>(shown.buffer)].name),
                     fmt::arg("bytes", shown.bytes_per_lane));
  const bool waste = shown.cost.useful_bytes * 10 < shown.moved_bytes() * 9;
  const std::string cost = cost_text(strings, shown, memory_lines(shown));
  const float cost_width = text_size(fonts.small, cost).x;
  draw_text(list, fonts.small, {low.x, centred_top(fonts.small, label)}, theme.text,
            fit_text(fonts.small, what, width - cost_width - context.px(12)));
  draw_text_right(list, fonts.small, {low.x + width, centred_top(fonts.small, label)},
                  waste ? theme.error : theme.muted, cost);
  float y = label + context.px(14);
  y += draw_lanes_to_memory(context, shown, {low.x, y}, width) + context.px(4);
  draw_colours(context, shown, {low.x, y});
  ImGui::PopID();
  return y + context.px(20) - low.y;
}

}  // namespace tilescope
