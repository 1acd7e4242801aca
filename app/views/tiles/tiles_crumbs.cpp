// grid › block (3, 7) › warp 5 › lane 9: the zoom level of the tile view with clickable levels, and two buttons.
#include <algorithm>
#include <array>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/wording.hpp"
#include "app/views/tiles/tiles_view.hpp"

namespace tilescope {
namespace {

struct Crumb {
  TilesLevel level;
  std::string text;
  const char* help;
  std::string widest;  // the widest text for any block and lane: nothing moves during playback
};

std::vector<Crumb> crumbs_of(const TilesFrame& frame) {
  const Strings& strings = frame.context.strings;
  const Dim3& grid = frame.result().tiles.grid;
  const auto block = [&](uint64_t number) {
    return strings.format("tiles.level_block", fmt::arg("block", block_number(grid, static_cast<uint32_t>(number))));
  };
  const std::string all = strings("tiles.level_grid");
  std::vector<Crumb> crumbs{{TilesLevel::grid, all, "tiles.to_grid", all}};
  crumbs.push_back({TilesLevel::block, block(frame.focus), "tiles.to_block", block(grid.count() - 1)});
  if (!frame.shown) return crumbs;
  const auto warp = [&](uint32_t number) { return strings.format("tiles.level_warp", fmt::arg("warp", number)); };
  crumbs.push_back({TilesLevel::warp, warp(frame.shown->warp), "tiles.to_warp", warp(warps_of(frame.result()) - 1)});
  const Selection& selection = frame.context.view.selection;
  const bool chosen = selection.lane && selection.access == frame.shown->access;
  const auto lane = [&](int number) { return strings.format("tiles.level_lane", fmt::arg("lane", number)); };
  crumbs.push_back({TilesLevel::lane, chosen ? lane(*selection.lane) : strings("tiles.level_lanes"), "tiles.to_lane",
                    chosen ? lane(31) : strings("tiles.level_lanes")});
  return crumbs;
}

/// + or −, 18 pixels square. Returns whether it was pressed.
bool sign_button(PanelContext& context, const char* id, ImVec2 centre, bool plus, bool enabled, std::string_view help) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float half = context.px(9), arm = context.px(4), thin = std::max(1.0F, context.px(1.5F));
  const ImVec2 low{centre.x - half, centre.y - half}, high{centre.x + half, centre.y + half};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(id, {2 * half, 2 * half});
  const bool hovered = ImGui::IsItemHovered() && enabled;
  explain(context, help);
  mark(context, std::string("zoom.") + id, low, high);
  if (hovered) list->AddRectFilled(low, high, context.theme.raised, context.px(4));
  const ImU32 colour = !enabled  ? mix(context.theme.window, context.theme.muted, 0.4F)
                       : hovered ? context.theme.text
                                 : context.theme.muted;
  list->AddRectFilled({centre.x - arm, centre.y - thin / 2}, {centre.x + arm, centre.y + thin / 2}, colour);
  if (plus) list->AddRectFilled({centre.x - thin / 2, centre.y - arm}, {centre.x + thin / 2, centre.y + arm}, colour);
  return pressed && enabled;
}

bool crumb(TilesFrame& frame, const Crumb& one, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const TilesLevel level = context.view.zoom.level;
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(one.help, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  explain(context, context.strings(one.help));
  static constexpr std::array<const char*, 4> kMarks{"zoom.grid", "zoom.block", "zoom.warp", "zoom.lane"};
  mark(context, kMarks[static_cast<size_t>(one.level)], low, high);
  const bool here = one.level == level, passed = one.level < level;
  const ImU32 colour = here      ? context.theme.accent
                       : hovered ? context.theme.text
                       : passed  ? context.theme.text
                                 : context.theme.muted;
  ImFont* font = here ? context.fonts.small_semibold : context.fonts.small;
  draw_text(frame.list, font, {low.x, centred_top(font, (low.y + high.y) / 2)}, colour, one.text);
  if (hovered && !here)
    frame.list->AddRectFilled({low.x, high.y - context.px(3)}, {high.x, high.y - context.px(2)}, colour);
  return pressed;
}

}  // namespace

float draw_zoom_crumbs(TilesFrame& frame, float right, float centre, float least_left) {
  PanelContext& context = frame.context;
  TilesZoom& zoom = context.view.zoom;
  ImFont* font = context.fonts.small_semibold;  // the widest font: nothing moves when the current level changes
  const std::string_view arrow = "  ›  ";
  const float gap = text_size(context.fonts.small, arrow).x, height = context.px(20);
  auto crumbs = crumbs_of(frame);
  float buttons = context.px(44), width = 0;
  std::vector<float> widths;
  widths.reserve(crumbs.size());
  for (const Crumb& one : crumbs)
    widths.push_back(std::max(text_size(font, one.text).x, text_size(font, one.widest).x));
  for (const float one : widths) width += one + gap;
  // If there is no room for all, the levels below the next one are omitted.
  while (crumbs.size() > static_cast<size_t>(zoom.level) + 1 && crumbs.size() > 1 &&
         right - buttons - width < least_left) {
    width -= widths.back() + gap;
    crumbs.pop_back();
    widths.pop_back();
  }
  ImGui::PushID("zoom");
  const float plus_x = right - context.px(9);
  if (sign_button(context, "in", {plus_x, centre}, true, zoom.level != TilesLevel::lane,
                  context.strings("tiles.zoom_in")))
    change_level(context.view, +1);
  if (sign_button(context, "out", {plus_x - context.px(20), centre}, false, zoom.level != TilesLevel::grid,
                  context.strings("tiles.zoom_out")))
    change_level(context.view, -1);
  float x = right - buttons - width + gap - context.px(8);
  if (x < least_left - context.px(40)) {  // room only for the buttons
    ImGui::PopID();
    return right - buttons;
  }
  const float left = x;
  for (size_t i = 0; i < crumbs.size(); ++i) {
    if (i > 0)
      x += draw_text(frame.list, context.fonts.small, {x, centred_top(context.fonts.small, centre)},
                     mix(context.theme.window, context.theme.muted, 0.6F), arrow)
               .x;
    const float shown = text_size(font, crumbs[i].text).x;
    if (crumb(frame, crumbs[i], {x, centre - height / 2}, {x + shown, centre + height / 2}))
      zoom.level = crumbs[i].level;
    x += shown;
  }
  ImGui::PopID();
  return left;
}

}  // namespace tilescope
