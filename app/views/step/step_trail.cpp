// What one lane of the warp computed just before a step: the origin of the displayed values.
#include <algorithm>
#include <bit>

#include "app/draw/widgets.hpp"
#include "app/views/step/step_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

struct PastResult {
  uint64_t position;
  uint32_t step;
  uint32_t reg;
  ValueKind kind;
};

/// The most recent results of a lane before a step, newest first.
std::vector<PastResult> results_before(const StepFrame& frame, int lane, size_t most) {
  std::vector<PastResult> results;
  constexpr uint64_t kFarthest = 512;
  const uint64_t end = frame.position > kFarthest ? frame.position - kFarthest : 0;
  for (uint64_t position = frame.position; position-- > end && results.size() < most;) {
    const uint32_t index = frame.index.step_at(frame.warp, position);
    const Step& step = frame.record().steps[index];
    if ((step.executed >> lane & 1) == 0) continue;
    for (const StepOperand& operand : frame.index.instruction(step).writes)
      if (results.size() < most) results.push_back({position, index, operand.reg, operand.kind});
  }
  return results;
}

void draw_result(StepFrame& frame, const PastResult& result, int lane, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  ImFont* small = context.fonts.small;
  ImFont* code = context.fonts.code;
  const float middle = (low.y + high.y) / 2;
  const StepRecord& record = frame.record();
  const StepInstruction& instruction = frame.index.instruction(record.steps[result.step]);
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(result.position));
  ImGui::PushID(static_cast<int>(result.reg));
  const bool pressed = hit_area("result", {high.x - low.x, high.y - low.y});
  ImGui::PopID();
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  const std::string number = with_separators(record.first_step + result.position + 1);
  explain(context, context.strings.format("step.before_meaning", fmt::arg("step", number),
                                          fmt::arg("line", step_line_text(context, instruction.line)),
                                          fmt::arg("text", instruction.text)));
  if (hovered) {
    frame.list->AddRectFilled(low, high, mix(theme.window, theme.raised, 0.6F));
    frame.lit_writer = result.step;
    if (instruction.line != 0) context.view.hover.line = instruction.line;
  }
  draw_text_right(frame.list, small, {low.x + context.px(34), centred_top(small, middle)},
                  mix(theme.window, theme.muted, 0.7F), number);
  const std::string name = frame.index.register_text(result.reg);
  float x = low.x + context.px(46);
  x += draw_text(frame.list, small, {x, centred_top(small, middle)}, theme.text, name).x;
  const auto value = record.value_at(frame.warp, result.reg, result.step);
  const float value_right = low.x + context.px(200);
  if (value && value->is_known(lane)) {
    const std::string text = step_value_text(frame, result.reg, result.kind, *value, lane);
    draw_text_right(frame.list, small, {value_right, centred_top(small, middle)}, theme.text,
                    fit_text(small, text, value_right - x - context.px(8)));
  }
  draw_text(frame.list, code, {value_right + context.px(20), centred_top(code, middle)},
            mix(theme.window, theme.muted, 0.75F),
            fit_text(code, instruction.text, high.x - value_right - context.px(20)));
  if (!pressed) return;
  frame.cursor().playing = false;
  go_to_step(context, frame.index, frame.warp, result.position);
}

}  // namespace

void draw_step_trail(StepFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const float row = context.px(20);
  const auto rows = static_cast<int64_t>((high.y - low.y) / row) - 1;
  const Step& step = frame.step();
  if (rows < 2 || step.active == 0) return;
  const int chosen = frame.hovered_lane >= 0 ? frame.hovered_lane : frame.selected_lane;
  const int lane = chosen >= 0 ? chosen : std::countr_zero(step.executed != 0 ? step.executed : step.active);
  constexpr int64_t kMost = 8;
  const auto results = results_before(frame, lane, static_cast<size_t>(std::min(rows, kMost)));
  if (results.empty()) return;
  ImFont* font = context.fonts.small;
  draw_text(frame.list, font, {low.x, centred_top(font, low.y + row / 2)}, context.theme.muted,
            context.strings.format("step.before", fmt::arg("lane", lane)));
  float y = low.y + row;
  for (const PastResult& result : results) {
    draw_result(frame, result, lane, {low.x, y}, {high.x, y + row});
    y += row;
  }
}

}  // namespace tilescope
