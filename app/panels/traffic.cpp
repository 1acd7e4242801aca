// The traffic view: what moves between registers and global memory, and how much of it was asked for.
#include <algorithm>
#include <cmath>

#include "app/panels/traffic_view.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

void take_result(TrafficPicture& picture, const std::shared_ptr<const RunResult>& result) {
  if (picture.result.is(result)) return;
  picture = {ResultReference(result), total_movement(result->traffic), bands_of(result->traffic), ledger_rows(*result)};
}

float draw_sentence(PanelContext& context, const TrafficPicture& picture, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  const TrafficSentence said = traffic_sentence(context.strings, *picture.result);
  // Chinese needs no space between its sentences.
  const std::string reason = (context.strings.language == Language::en ? " " : "") + said.reason;
  const TextRun runs[] = {{context.fonts.body_semibold, said.waste ? theme.error : theme.text, said.finding},
                          {context.fonts.body, theme.text, reason}};
  return flow_text(ImGui::GetWindowDrawList(), low, width, context.px(24), runs);
}

void draw_observed(PanelContext& context) {
  static TrafficPicture picture;  // kept between frames; rebuilt when the result changes
  take_result(picture, context.result);
  const ImVec2 window = ImGui::GetWindowPos(), origin = ImGui::GetCursorScreenPos();
  const float left = window.x + context.px(24), width = ImGui::GetWindowWidth() - context.px(48);
  const bool beside = width >= context.px(960);
  float y = origin.y + context.px(12);
  y += draw_sentence(context, picture, {left, y}, width) + context.px(12);
  if (picture.total.requests > 0) {
    y += draw_flow(context, picture, {left, y}, width) + context.px(16);
    separator_line(context, y);
    y += context.px(10);
    const float instruction = beside ? std::floor(width * 0.5F) : width;
    const float below = draw_instruction(context, {left, y}, instruction);
    const ImVec2 ledger =
        beside ? ImVec2(left + std::floor(width * 0.545F), y) : ImVec2(left, y + below + context.px(16));
    const float ledger_height = draw_ledger(context, picture, ledger, left + width - ledger.x);
    y = std::max(y + below, ledger.y + ledger_height);
  }
  ImGui::SetCursorScreenPos({window.x, y});
  ImGui::Dummy({1, context.px(16)});
}

}  // namespace

void draw_traffic(PanelContext& context) {
  if (!context.result) {
    empty_state(context, context.strings("traffic.empty_title"), context.strings("traffic.empty_hint"));
    return;
  }
  if (!context.result->observed) {
    empty_state(context, context.strings("tiles.not_observed_title"), context.result->not_observed_reason);
    return;
  }
  follow_result(context.view, context.result);
  draw_observed(context);
  dim_if_stale(context);
}

}  // namespace tilescope
