// The 32 lanes of the warp at a step: which of them execute it, and where the others are.
#include <algorithm>
#include <bit>
#include <cmath>

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/step/step_view.hpp"

namespace tilescope {
namespace {

const char* lane_key(LaneState state) {
  switch (state) {
    case LaneState::executes:
      return "step.lane_executes";
    case LaneState::guarded_off:
      return "step.lane_guarded_off";
    case LaneState::elsewhere:
      return "step.lane_elsewhere";
    case LaneState::waits:
      return "step.lane_waits";
    case LaneState::left:
      break;
  }
  return "step.lane_left";
}

void draw_lane(const StepFrame& frame, LaneState state, int lane, ImVec2 low, ImVec2 high, bool labelled) {
  const PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float unit = context.view.scale;
  const ImVec2 centre{(low.x + high.x) / 2, (low.y + high.y) / 2};
  const bool chosen = lane == frame.selected_lane, hovered = lane == frame.hovered_lane;
  ImU32 ink = mix(theme.window, theme.muted, 0.8F);
  switch (state) {
    case LaneState::executes: {
      const ImU32 surface = mix(theme.window, theme.accent, hovered ? 0.6F : 0.38F);
      frame.list->AddRectFilled(low, high, surface, 3 * unit);
      ink = readable_on(surface, theme);
      break;
    }
    case LaneState::waits:
    case LaneState::elsewhere: {
      const ImU32 surface = mix(theme.window, theme.waiting, state == LaneState::waits ? 0.34F : 0.14F);
      frame.list->AddRectFilled(low, high, surface, 3 * unit);
      frame.list->AddRectFilled({low.x + 3 * unit, high.y - 3 * unit}, {high.x - 3 * unit, high.y - unit},
                                mix(theme.window, theme.waiting, state == LaneState::waits ? 1.0F : 0.6F));
      ink = readable_on(surface, theme);
      break;
    }
    case LaneState::guarded_off:
      frame.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                          mix(theme.window, theme.muted, 0.6F), 3 * unit);
      break;
    case LaneState::left:
      hatch(frame.list, low, high, mix(theme.window, theme.muted, 0.4F), 5 * unit);
      if (labelled)
        frame.list->AddRectFilled({centre.x - 9 * unit, centre.y - 7 * unit},
                                  {centre.x + 9 * unit, centre.y + 7 * unit}, theme.window);
      break;
  }
  if (chosen)
    frame.list->AddRect({low.x - unit, low.y - unit}, {high.x + unit, high.y + unit}, theme.accent, 4 * unit, 0,
                        2 * unit);
  if (labelled)
    draw_text_centred(frame.list, chosen ? context.fonts.small_semibold : context.fonts.small, centre, ink,
                      std::to_string(lane));
}

/// "24 lanes wait at line 18, 8–31"
std::string path_text(const StepFrame& frame, const StepPath& path) {
  const char* key = path.state == StepPath::State::pending      ? "step.path_pending"
                    : path.state == StepPath::State::at_barrier ? "step.path_at_barrier"
                                                                : "step.path_for_lanes";
  const StepInstruction& where = frame.record().instructions[path.instruction];
  return frame.context.strings.format(
      key, fmt::arg("count", std::popcount(path.lanes)), fmt::arg("line", step_line_text(frame.context, where.line)),
      fmt::arg("barrier", static_cast<int>(path.barrier)), fmt::arg("lanes", lanes_text(path.lanes)));
}

/// The positions of the warp's other lanes, one line each.
float draw_paths(StepFrame& frame, ImVec2 low, float right) {
  const PanelContext& context = frame.context;
  const auto paths = frame.record().paths_of(frame.step());
  constexpr size_t kMost = 3;
  ImFont* font = context.fonts.small;
  float y = low.y;
  for (size_t i = 0; i < paths.size(); ++i) {
    const bool more = i + 1 == kMost && paths.size() > kMost;
    const float middle = y + context.px(10);
    const ImU32 colour =
        mix(context.theme.window, context.theme.waiting, paths[i].state == StepPath::State::pending ? 0.6F : 1.0F);
    frame.list->AddRectFilled({low.x, middle - context.px(4)}, {low.x + context.px(8), middle + context.px(4)}, colour);
    const std::string text = more ? context.strings.format("step.more_paths", fmt::arg("count", paths.size() - i))
                                  : path_text(frame, paths[i]);
    draw_text(frame.list, font, {low.x + context.px(16), centred_top(font, middle)}, context.theme.text,
              fit_text(font, text, right - low.x - context.px(16)));
    y += context.px(20);
    if (more) break;
  }
  return y - low.y;
}

}  // namespace

void point_at_step_lane(StepFrame& frame, int lane, const std::string& text) {
  PanelContext& context = frame.context;
  explain(context, text);
  Selection hover;
  if (const auto access = frame.index.access_of(frame.step())) hover = select_access(*context.result, *access, lane);
  hover.block = static_cast<uint32_t>(frame.record().block);
  hover.lane = lane;
  if (frame.instruction().line != 0) hover.line = frame.instruction().line;
  context.view.hover = hover;
  if (!ImGui::IsItemClicked()) return;
  context.view.selection.lane = lane;
  go_to_step(context, frame.index, frame.warp, frame.position);  // the element that the lane touches follows
}

float draw_step_lanes(StepFrame& frame, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  const float unit = context.view.scale;
  ImFont* font = context.fonts.small;
  const float caption = low.y + 10 * unit;
  const Step& step = frame.step();
  const std::string of_warp = context.strings.format("step.lanes_of_warp", fmt::arg("warp", frame.warp));
  const std::string execute =
      context.strings.format("step.lanes_execute", fmt::arg("count", std::popcount(step.executed)),
                             fmt::arg("active", std::popcount(step.active)));
  draw_text_right(frame.list, font, {right, centred_top(font, caption)}, context.theme.muted, execute);
  const float room = right - low.x - text_size(font, execute).x - 12 * unit;
  if (text_size(font, of_warp).x <= room)
    draw_text(frame.list, font, {low.x, centred_top(font, caption)}, context.theme.muted, of_warp);
  const LaneCells cells{low.x, (right - low.x) / 32, std::max(1.0F, std::round(2 * unit))};
  const float top = low.y + 24 * unit, bottom = top + 24 * unit;
  const auto states = lane_states(frame.record(), step);
  ImGui::SetCursorScreenPos({low.x, top});
  hit_area("lanes", {right - low.x, bottom - top});
  mark(context, "step.lanes", {low.x, top}, {right, bottom});
  if (ImGui::IsItemHovered()) {
    const int lane = std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - low.x) / cells.pitch), 0, 31);
    frame.hovered_lane = lane;
    const LaneState state = states[static_cast<size_t>(lane)];
    std::string text = context.strings.format(lane_key(state), fmt::arg("lane", lane));
    if (const auto where = step_address_text(frame, lane); state == LaneState::executes && where)
      text = context.strings.format(frame.instruction().role == StepRole::load ? "step.lane_reads" : "step.lane_writes",
                                    fmt::arg("lane", lane), fmt::arg("where", *where));
    point_at_step_lane(frame, lane, text);
  }
  const bool all = cells.pitch - cells.gap >= text_size(font, "00").x + unit;
  for (int lane = 0; lane < 32; ++lane)
    draw_lane(frame, states[static_cast<size_t>(lane)], lane, {cells.x0(lane), top}, {cells.x1(lane), bottom},
              all || lane % 8 == 0);
  const float paths = draw_paths(frame, {low.x, bottom + 6 * unit}, right);
  return bottom - low.y + (paths > 0 ? paths + 6 * unit : 0);
}

}  // namespace tilescope
