// The strip below the map: block › tile › warp › lanes › sectors of one access of one warp.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/traffic_facts.hpp"
#include "app/observed/wording.hpp"
#include "app/views/lanes.hpp"
#include "app/views/questions.hpp"
#include "app/views/tiles/tiles_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr uint32_t kMostRows = 12;  // steps drawn individually; more are drawn as one column of proportional height

struct Warps {
  size_t statement = 0;
  uint32_t step = 0, steps = 0, warp = 0, warps = 0;
};

ImU32 role_of(const TilesFrame& frame) {
  return frame.shown->writes ? frame.context.theme.write : frame.context.theme.read;
}

/// "tile" if the steps of a block are tiles, otherwise "step".
const char* key_of_step(const TilesFrame& frame) {
  return frame.picture.shape.tiles_per_block > 1 ? "tiles.crumb_tile" : "tiles.crumb_step";
}

std::string buffer_name(const TilesFrame& frame) {
  if (frame.shown->space == Space::shared) return frame.context.strings("tiles.shared_memory");
  return frame.shown->buffer < 0 ? frame.context.strings("tiles.memory")
                                 : frame.result().plan.buffers[static_cast<size_t>(frame.shown->buffer)].name;
}

/// "out[10, 448 … 479]": rows and columns of a matrix, bytes of shared memory.
std::string where_text(const TilesFrame& frame, const WarpAccess& access) {
  if (access.space == Space::shared) {
    const int64_t width = access.element_bytes;
    return frame.context.strings.format(
        "tiles.shared_bytes",
        fmt::arg("range", range_text(access.first_element * width, (access.last_element + 1) * width - 1)));
  }
  const auto buffer = static_cast<size_t>(access.buffer);
  const bool matrix = access.buffer >= 0 && is_matrix(frame.map(buffer)) && access.first_element >= 0;
  if (!matrix) return buffer_name(frame) + "[" + range_text(access.first_element, access.last_element) + "]";
  const int64_t width = frame.map(buffer).shape.back();
  int64_t left = width, right = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (!access.is_active(lane)) continue;
    left = std::min(left, access.element(lane) % width);
    right = std::max(right, (access.element(lane) + access.elements_per_lane() - 1) % width);
  }
  return fmt::format("{}[{}, {}]", buffer_name(frame),
                     range_text(access.first_element / width, access.last_element / width), range_text(left, right));
}

std::string lanes_text(const TilesFrame& frame, std::string_view key) {
  const WarpAccess& shown = *frame.shown;
  if (shown.space == Space::shared)
    return frame.context.strings.format(
        key != "tiles.lanes_and_bytes" ? "tiles.wavefronts_of" : "tiles.lanes_and_wavefronts",
        fmt::arg("active", shown.active), fmt::arg("wavefronts", shown.shared.wavefronts),
        fmt::arg("passes", shown.shared.passes));
  const bool one = key == "tiles.lanes_and_bytes" && shown.cost.sectors == 1;
  return frame.context.strings.format(one ? "tiles.lanes_and_bytes_one" : key, fmt::arg("active", shown.active),
                                      fmt::arg("sectors", shown.cost.sectors),
                                      fmt::arg("used", with_separators(shown.cost.useful_bytes)),
                                      fmt::arg("moved", with_separators(shown.moved_bytes())));
}

/// Links to the same access in the other views. Returns their left edge.
float draw_links(TilesFrame& frame, float right, float y) {
  PanelContext& context = frame.context;
  ImFont* font = context.fonts.small;
  const struct {
    const char *text, *help, *mark;
    const char* view;
  } links[] = {{"tiles.to_step", "tiles.to_step_meaning", "tiles.to_step", "step"},
               {"tiles.to_traffic", "tiles.to_traffic_meaning", "tiles.to_traffic", "traffic"}};
  for (const auto& link : links) {
    const std::string& text = context.strings(link.text);
    const float width = text_size(font, text).x, arrow = context.px(12);
    const ImVec2 low{right - width - arrow, y - context.px(10)}, high{right, y + context.px(10)};
    ImGui::SetCursorScreenPos(low);
    const bool pressed = hit_area(link.mark, {high.x - low.x, high.y - low.y});
    const bool hovered = ImGui::IsItemHovered();
    explain(context, context.strings(link.help));
    mark(context, link.mark, low, high);
    const ImU32 colour = hovered ? context.theme.text : context.theme.accent;
    draw_text(frame.list, font, {low.x, centred_top(font, y)}, colour, text);
    const float tip = right - context.px(2), half = context.px(3.5F);
    const ImVec2 points[] = {{tip - half, y - half}, {tip, y}, {tip - half, y + half}};
    frame.list->AddPolyline(points, 3, colour, 0, context.px(1.25F));
    if (pressed) {
      const auto lane =
          context.view.selection.access == frame.shown->access ? context.view.selection.lane : std::nullopt;
      context.view.selection = select_access(frame.result(), frame.shown->access, lane);
      context.view.tab = link.view;
    }
    right = low.x - context.px(16);
  }
  return right - context.px(4);
}

void draw_crumbs(TilesFrame& frame, ImVec2 low, float right, const Warps& at) {
  const Strings& strings = frame.context.strings;
  const Theme& theme = frame.context.theme;
  const Fonts& fonts = frame.context.fonts;
  const float unit = frame.context.view.scale, y = low.y + 18 * unit;
  const WarpAccess& shown = *frame.shown;
  std::vector<std::string> crumbs{
      strings.format("tiles.crumb_block", fmt::arg("block", block_number(frame.result().tiles.grid, frame.focus)))};
  if (at.steps > 1)
    crumbs.push_back(strings.format(key_of_step(frame), fmt::arg("step", with_separators(at.step)),
                                    fmt::arg("last", with_separators(at.steps - 1))));
  crumbs.push_back(strings.format("tiles.crumb_warp", fmt::arg("warp", at.warp), fmt::arg("last", at.warps - 1)));
  crumbs.push_back(where_text(frame, shown));
  right = draw_links(frame, right, y);
  // In a narrow window the step is dropped first, then the warp; the range is shortened last.
  const std::string arrow = "  ›  ";
  const auto font_of = [&](size_t i) { return i == 0 ? fonts.body_semibold : fonts.body; };
  const auto width_of = [&] {
    float width = 0;
    for (size_t i = 0; i < crumbs.size(); ++i)
      width += text_size(font_of(i), crumbs[i]).x + (i > 0 ? text_size(fonts.body, arrow).x : 0);
    return width;
  };
  const float room = right - 8 * unit - low.x;
  while (crumbs.size() > 2 && width_of() > room) crumbs.erase(crumbs.begin() + 1);
  if (const float over = width_of() - room; over > 0)
    crumbs.back() = fit_text(fonts.body, crumbs.back(), text_size(fonts.body, crumbs.back()).x - over);
  float x = low.x;
  for (size_t i = 0; i < crumbs.size(); ++i) {
    if (i > 0) x += draw_text(frame.list, fonts.body, {x, centred_top(fonts.body, y)}, theme.muted, arrow).x;
    // The range is the last crumb; past the end of its buffer it is an error.
    const ImU32 colour = i + 1 == crumbs.size() && shown.any_outside() ? theme.error : theme.text;
    x += draw_text(frame.list, font_of(i), {x, centred_top(font_of(i), y)}, colour, crumbs[i]).x;
  }
  explain_rect(frame.context, {low.x, y - 12 * unit}, {x, y + 12 * unit}, strings("tiles.strip_meaning"));
  std::string text = lanes_text(frame, "tiles.lanes_and_bytes");
  if (x + 16 * unit + text_size(fonts.small, text).x > right) text = lanes_text(frame, "tiles.bytes_used");
  if (x + 16 * unit + text_size(fonts.small, text).x > right) text = lanes_text(frame, "tiles.bytes_short");
  const bool waste = is_wasteful(shown) || shown.shared.wavefronts > shown.shared.passes;
  if (x + 16 * unit + text_size(fonts.small, text).x > right) return;
  const ShownNumber asked = shown.space == Space::shared ? ShownNumber::wavefronts : ShownNumber::sectors;
  if (frame.context.view.hides(asked))
    return draw_veiled_text_right(frame.context, frame.list, fonts.small, {right, centred_top(fonts.small, y)}, text);
  draw_text_right(frame.list, fonts.small, {right, centred_top(fonts.small, y)}, waste ? theme.error : theme.muted,
                  text);
  explain_rect(frame.context, {right - text_size(fonts.small, text).x, y - 10 * unit}, {right, y + 10 * unit},
               strings(shown.space == Space::shared ? "tiles.wavefronts_meaning" : "tiles.lanes_and_bytes_meaning"));
}

void point_at_warp(TilesFrame& frame, ImVec2 origin, float width, float height, const Warps& at) {
  ImGui::SetCursorScreenPos(origin);
  hit_area("warps", {width, height});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto warp =
      static_cast<uint32_t>(std::clamp((pointer.x - origin.x) / width, 0.0F, 0.999F) * static_cast<float>(at.warps));
  const auto step =
      static_cast<uint32_t>(std::clamp((pointer.y - origin.y) / height, 0.0F, 0.999F) * static_cast<float>(at.steps));
  const auto access = frame.index.block(frame.focus).find(at.statement, warp, step);
  if (!access) {
    explain(frame.context, frame.context.strings.format("tiles.explain_warp_masked", fmt::arg("warp", warp)));
    return;
  }
  const WarpAccess one = warp_access(frame.result(), *access);
  explain(frame.context,
          frame.context.strings.format(one.writes ? "tiles.explain_warp_writes" : "tiles.explain_warp_reads",
                                       fmt::arg("warp", warp), fmt::arg("where", where_text(frame, one))));
  frame.context.view.hover = select_access(frame.result(), *access);
  if (ImGui::IsItemClicked()) frame.context.view.selection = frame.context.view.hover;
}

/// The warps of the block, one row per step, vertically centred. Returns the box of the shown warp.
std::pair<ImVec2, ImVec2> draw_warps(TilesFrame& frame, float left, float middle, float room_x, const Warps& at) {
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale;
  const float cell_x = std::min(13 * unit, room_x / static_cast<float>(at.warps));
  const bool many = at.steps > kMostRows;
  const float room_y = 48 * unit, most_y = at.steps == 1 ? 26 * unit : 12 * unit;
  const float cell_y = std::min(most_y, room_y / static_cast<float>(at.steps));
  const float width = cell_x * static_cast<float>(at.warps), height = cell_y * static_cast<float>(at.steps);
  const ImVec2 origin{left, std::floor(middle - height / 2)};
  const BlockAccesses& block = frame.index.block(frame.focus);
  const float gap = cell_x >= 4 * unit ? unit : 0, gap_y = cell_y >= 4 * unit ? unit : 0;
  const ImU32 role = role_of(frame), row_tint = mix(theme.window, role, 0.38F);
  for (uint32_t warp = 0; warp < at.warps; ++warp) {
    const auto taken = static_cast<uint32_t>(block.of(at.statement, warp).size());
    const float x0 = origin.x + static_cast<float>(warp) * cell_x, x1 = x0 + cell_x - gap;
    if (many) {
      frame.list->AddRectFilled({x0, origin.y}, {x1, origin.y + cell_y * static_cast<float>(taken)},
                                idle_colour(theme));
      continue;
    }
    for (uint32_t step = 0; step < at.steps; ++step) {
      const float y0 = origin.y + static_cast<float>(step) * cell_y;
      const ImVec2 low{x0, y0}, high{x1, y0 + cell_y - gap_y};
      if (step < taken)
        frame.list->AddRectFilled(low, high, step == at.step ? row_tint : idle_colour(theme));
      else
        hatch(frame.list, low, high, mix(theme.window, theme.muted, 0.4F), 4 * unit);
    }
  }
  ImVec2 low{origin.x + static_cast<float>(at.warp) * cell_x, origin.y + static_cast<float>(at.step) * cell_y};
  ImVec2 high{low.x + cell_x - gap, low.y + std::max(cell_y - gap_y, 3 * unit)};
  frame.list->AddRectFilled(low, high, role);
  if (cell_y >= 10 * unit && at.steps > 1) {
    for (uint32_t step = 0; step < at.steps; ++step) {
      const float y = origin.y + (static_cast<float>(step) + 0.5F) * cell_y - gap_y / 2;
      draw_text_right(frame.list, frame.context.fonts.small,
                      {origin.x - 8 * unit, centred_top(frame.context.fonts.small, y)},
                      step == at.step ? theme.text : theme.muted, std::to_string(step));
    }
  }
  point_at_warp(frame, origin, width, height, at);
  return {low, high};
}

}  // namespace

void draw_strip(TilesFrame& frame, ImVec2 low, ImVec2 high) {
  const Strings& strings = frame.context.strings;
  const Theme& theme = frame.context.theme;
  const Fonts& fonts = frame.context.fonts;
  const float unit = frame.context.view.scale;
  const auto place = frame.shown ? frame.index.place(frame.shown->access) : std::nullopt;
  if (!place || frame.shown->active == 0) {
    const bool recorded = frame.focus < frame.result().tiles.blocks_observed;
    const std::string block = block_number(frame.result().tiles.grid, frame.focus);
    const std::string why =
        strings.format(recorded ? "tiles.no_access" : "tiles.not_recorded", fmt::arg("block", block));
    const TextRun run[] = {{fonts.body, theme.muted, why}};
    flow_text(frame.list, {low.x, low.y + 6 * unit}, high.x - low.x, 24 * unit, run);
    return;
  }
  const BlockAccesses& block = frame.index.block(place->block);
  const Warps at{.statement = place->statement,
                 .step = place->step,
                 .steps = block.steps(place->statement),
                 .warp = place->warp,
                 .warps = block.warps()};
  ImGui::PushID("strip");
  draw_crumbs(frame, low, high.x, at);
  const float lanes_y = low.y + 56 * unit, lane_height = 26 * unit;
  const float map_x = low.x + (at.steps > 1 ? 16 * unit : 0);
  const float lanes_x = low.x + std::floor((high.x - low.x) * 0.167F);
  const auto [warp_low, warp_high] = draw_warps(frame, map_x, lanes_y + lane_height / 2,
                                                std::clamp(lanes_x - map_x - 24 * unit, 8 * unit, 104 * unit), at);
  const ImU32 guide = mix(theme.window, role_of(frame), 0.5F);
  frame.list->AddLine({warp_high.x, warp_low.y}, {lanes_x - 2 * unit, lanes_y}, guide, 1.0F);
  frame.list->AddLine({warp_high.x, warp_high.y}, {lanes_x - 2 * unit, lanes_y + lane_height}, guide, 1.0F);
  const bool shown_is_shared = frame.shown->space == Space::shared;
  std::string caption =
      strings.format(at.steps > 1 ? "tiles.warps_in_tile" : "tiles.warps_in_block", fmt::arg("last", at.warps - 1));
  // The word "bank" may be at its right (draw_lane_row).
  const float taken = shown_is_shared ? text_size(fonts.small, strings("tiles.banks")).x + 16 * unit : 0;
  const float room = lanes_x - map_x - 8 * unit - taken;
  if (text_size(fonts.small, caption).x > room) caption = strings.format("tiles.warps", fmt::arg("last", at.warps - 1));
  const float wide = text_size(fonts.small, caption).x;
  if (wide <= room) {
    draw_text(frame.list, fonts.small, {map_x, centred_top(fonts.small, low.y + 102 * unit)}, theme.muted, caption);
    mark(frame.context, "tiles.warps_label", {map_x, low.y + 94 * unit}, {map_x + wide, low.y + 110 * unit});
  }
  explain_rect(frame.context, {map_x, low.y + 92 * unit}, {map_x + room, low.y + 112 * unit},
               strings("tiles.warps_meaning"));
  draw_lane_row(frame.context, *frame.shown, {lanes_x, lanes_y}, {high.x, lanes_y + lane_height});
  ImGui::PopID();
}

}  // namespace tilescope
