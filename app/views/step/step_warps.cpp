// The row at the top of the step view: block, source line, and the warps of the block with their states.
#include <algorithm>
#include <bit>
#include <cmath>

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/wording.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/step/step_view.hpp"

namespace tilescope {
namespace {

/// label ‹ value ›: returns −1 or +1 if an arrow was pressed.
int stepper(StepFrame& frame, const char* id, float& x, float y, std::string_view label, std::string_view value,
            std::string_view help) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  ImFont* small = context.fonts.small;
  ImFont* bold = context.fonts.small_semibold;
  const float button = context.px(18), half = context.px(4);
  x += draw_text(frame.list, small, {x, centred_top(small, y)}, theme.muted, label).x + context.px(4);
  int by = 0;
  for (const int side : {-1, 1}) {
    const std::string name = std::string(side < 0 ? "previous_" : "next_") + id;
    ImGui::SetCursorScreenPos({x, y - context.px(10)});
    if (hit_area(name.c_str(), {button, context.px(20)})) by = side;
    const bool hovered = ImGui::IsItemHovered();
    explain(context, help);
    mark(context, "step." + name, {x, y - context.px(10)}, {x + button, y + context.px(10)});
    const float centre = x + button / 2, tip = static_cast<float>(side) * half * 0.9F;
    const ImVec2 points[] = {{centre - tip / 2, y - half}, {centre + tip / 2, y}, {centre - tip / 2, y + half}};
    frame.list->AddPolyline(points, 3, hovered ? theme.text : theme.muted, 0, context.px(1.5F));
    x += button;
    if (side < 0) x += draw_text(frame.list, bold, {x, centred_top(bold, y)}, theme.text, value).x;
  }
  x += context.px(14);
  return by;
}

void choose_block(PanelContext& context, uint64_t block) {
  context.view.selection = {.block = static_cast<uint32_t>(block),
                            .access = {},
                            .lane = context.view.selection.lane,
                            .line = context.view.selection.line,
                            .buffer = {},
                            .element = {}};
}

const char* state_key(const StepWarpState& state) {
  switch (state.state) {
    case StepWarpState::State::at_barrier:
      return "step.warp_at_barrier";
    case StepWarpState::State::for_lanes:
      return "step.warp_for_lanes";
    case StepWarpState::State::exited:
      return "step.warp_exited";
    case StepWarpState::State::trapped:
      return "step.warp_trapped";
    case StepWarpState::State::ready:
      break;
  }
  return "step.warp_ready";
}

/// The cell of one warp: its state is shown by its colour and also by its shape, for colour-blind users.
void draw_warp(StepFrame& frame, uint32_t warp, ImVec2 low, ImVec2 high, bool hovered, bool numbered) {
  const PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float unit = context.view.scale;
  const StepWarpState state = frame.record().state_at(warp, frame.step_number);
  const bool shown = warp == frame.warp;
  const ImVec2 centre{(low.x + high.x) / 2, (low.y + high.y) / 2};
  using State = StepWarpState::State;
  ImU32 surface = mix(theme.window, theme.muted, 0.22F), ink = theme.text;
  if (state.state == State::at_barrier || state.state == State::for_lanes) {
    surface = mix(theme.window, theme.waiting, theme.dark ? 0.34F : 0.3F);
    ink = readable_on(surface, theme);
  }
  if (state.state == State::trapped) surface = mix(theme.window, theme.error, 0.5F);
  if (hovered) surface = mix(surface, theme.text, 0.12F);
  if (state.state == State::exited) {
    hatch(frame.list, low, high, mix(theme.window, theme.muted, 0.35F), 5 * unit);
    ink = mix(theme.window, theme.muted, 0.85F);
    if (numbered)
      frame.list->AddRectFilled({centre.x - 9 * unit, centre.y - 7 * unit}, {centre.x + 9 * unit, centre.y + 7 * unit},
                                theme.window);
  } else {
    frame.list->AddRectFilled(low, high, surface, 3 * unit);
  }
  // A bar below the number: it waits at a barrier.
  if (state.state == State::at_barrier)
    frame.list->AddRectFilled({low.x + 3 * unit, high.y - 3 * unit}, {high.x - 3 * unit, high.y - unit}, theme.waiting);
  if (shown)
    frame.list->AddRect({low.x - unit, low.y - unit}, {high.x + unit, high.y + unit}, theme.accent, 4 * unit, 0,
                        2 * unit);
  if (numbered)
    draw_text_centred(frame.list, shown ? context.fonts.small_semibold : context.fonts.small, centre, ink,
                      std::to_string(warp));
}

/// "5 of 8 wait at barrier 0"
std::string barrier_text(const StepFrame& frame) {
  uint32_t waiting = 0, left = 0;
  int barrier = -1;
  for (uint32_t warp = 0; warp < frame.record().warps; ++warp) {
    const StepWarpState state = frame.record().state_at(warp, frame.step_number);
    if (state.state == StepWarpState::State::exited) ++left;
    if (state.state != StepWarpState::State::at_barrier) continue;
    ++waiting;
    barrier = barrier < 0 ? state.barrier : std::min<int>(barrier, state.barrier);
  }
  const auto& strings = frame.context.strings;
  if (waiting != 0)
    return strings.format("step.waiting_count", fmt::arg("count", waiting), fmt::arg("all", frame.record().warps),
                          fmt::arg("barrier", barrier));
  if (left != 0)
    return strings.format("step.left_count", fmt::arg("count", left), fmt::arg("all", frame.record().warps));
  return {};
}

void draw_warp_cells(StepFrame& frame, float x, float right, float y) {
  PanelContext& context = frame.context;
  const uint32_t warps = frame.record().warps;
  const float unit = context.view.scale, height = 22 * unit;
  const std::string text = barrier_text(frame);
  const std::string widest = context.strings.format("step.waiting_count", fmt::arg("count", warps),
                                                    fmt::arg("all", warps), fmt::arg("barrier", 15));
  const float note = text_size(context.fonts.small, widest).x + 16 * unit;
  float room = right - x;
  const bool noted = room - note > static_cast<float>(warps) * 16 * unit;
  if (noted) room -= note;
  const float pitch = std::floor(std::min(30 * unit, room / static_cast<float>(warps)));
  const float gap = std::max(1.0F, std::round(2 * unit)), width = pitch * static_cast<float>(warps);
  const ImVec2 low{x, y - height / 2};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area("warps", {width, height});
  int hovered = -1;
  if (ImGui::IsItemHovered()) {
    hovered = std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - x) / pitch), 0, static_cast<int>(warps) - 1);
    const auto warp = static_cast<uint32_t>(hovered);
    const StepWarpState state = frame.record().state_at(warp, frame.step_number);
    explain(context, context.strings.format(state_key(state), fmt::arg("warp", warp),
                                            fmt::arg("barrier", static_cast<int>(state.barrier))));
    if (pressed && frame.index.count(warp) != 0) {
      // The next step of that warp in execution order.
      const auto steps = frame.record().steps_of(warp);
      const auto next = std::ranges::lower_bound(steps, frame.step_number);
      frame.cursor().playing = false;
      go_to_step(context, frame.index, warp,
                 std::min<uint64_t>(static_cast<uint64_t>(next - steps.begin()), steps.size() - 1));
    }
  }
  mark(context, "step.warps", low, {x + width, y + height / 2});
  const float digits = text_size(context.fonts.small, "00").x + unit;
  const bool all_numbered = pitch - gap >= digits;
  const uint32_t every = 4 * pitch >= digits + 3 * unit ? 4 : 8;  // for the others
  for (uint32_t warp = 0; warp < warps; ++warp) {
    const float x0 = x + static_cast<float>(warp) * pitch;
    draw_warp(frame, warp, {x0, low.y}, {x0 + pitch - gap, low.y + height}, static_cast<int>(warp) == hovered,
              all_numbered || warp % every == 0);
  }
  if (noted && !text.empty())
    draw_text_right(frame.list, context.fonts.small, {right, centred_top(context.fonts.small, y)}, context.theme.muted,
                    text);
}

}  // namespace

std::string step_line_text(const PanelContext&, uint32_t line) { return line == 0 ? "—" : std::to_string(line); }

float draw_step_warps(StepFrame& frame, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  const Strings& strings = context.strings;
  const float height = context.px(26), y = low.y + height / 2;
  const StepRecord& record = frame.record();
  const uint64_t blocks = record.grid.count();
  float x = draw_launch_choice(context, low.x, y, low.x + (right - low.x) / 3);
  if (const int by = stepper(frame, "block", x, y, strings("step.block"), block_number(record.grid, record.block),
                             strings("step.block_meaning")))
    choose_block(context, (record.block + blocks + static_cast<uint64_t>(by)) % blocks);
  if (const int by = stepper(frame, "line", x, y, strings("step.line"),
                             step_line_text(context, frame.instruction().line), strings("step.line_meaning"))) {
    frame.cursor().playing = false;
    go_to_step(context, frame.index, frame.warp,
               by < 0 ? frame.index.previous_line(frame.warp, frame.position)
                      : frame.index.next_line(frame.warp, frame.position));
  }
  ImFont* font = context.fonts.small;
  const float label = text_size(font, strings("step.warps")).x + context.px(8);
  // In a narrow window the warps have a separate row.
  constexpr float kLeastWarp = 10;
  const bool below = right - x - label < static_cast<float>(record.warps) * context.px(kLeastWarp);
  const float warps_x = below ? low.x : x, warps_y = below ? y + height : y;
  draw_text(frame.list, font, {warps_x, centred_top(font, warps_y)}, context.theme.muted, strings("step.warps"));
  draw_warp_cells(frame, warps_x + label, right, warps_y);
  return below ? 2 * height : height;
}

}  // namespace tilescope
