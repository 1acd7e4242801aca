// Pass or fail, beside the badge, visible in every view and at every window size.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/observed/trace_index.hpp"
#include "app/window/header_parts.hpp"

namespace tilescope {
namespace {

using Kind = ResultVerdict::Kind;

constexpr float kLeastTitle = 220;  // unscaled width reserved for stage and lab before the text is reduced to the mark
constexpr float kMark = 12;

ImU32 colour_of(const Theme& theme, const ResultVerdict& verdict) {
  if (verdict.kind == Kind::matches) return theme.ok;
  return verdict.bad() ? theme.error : theme.muted;
}

/// ✓, ✗, a triangle for findings, – if there is nothing to compare: never distinguished by colour alone.
void draw_mark(ImDrawList* list, const PanelContext& context, const ResultVerdict& verdict, ImVec2 centre,
               ImU32 colour) {
  const float size = context.px(kMark), thick = context.px(1.75F);
  if (verdict.kind == Kind::matches) return draw_check(list, centre, size, colour, thick);
  if (verdict.kind == Kind::wrong || verdict.kind == Kind::failed) return draw_cross(list, centre, size, colour, thick);
  if (verdict.kind == Kind::findings) return draw_finding_mark(list, centre, size, colour, thick);
  list->AddLine({centre.x - size * 0.35F, centre.y}, {centre.x + size * 0.35F, centre.y}, colour, thick);
}

void go_to_what_is_wrong(PanelContext& context) {
  context.view.tab = "correctness";
  const auto& error = context.session.error();
  if (error && error->id != ErrorId::cancelled) return;
  if (context.result && !context.result->findings.empty())
    select_finding(context.view, *context.result, context.result->findings.front());
}

}  // namespace

float draw_header_verdict(PanelContext& context, const HeaderLine& line, float x, float left) {
  const ResultVerdict verdict = verdict_of_result(context.result.get(), context.session.error(), context.strings);
  if (verdict.kind == Kind::none) return x;
  ImFont* font = context.fonts.small_semibold;
  const float side = context.px(kMark), gap = context.px(7), padding = context.px(8);
  const float room = x - left - context.px(kLeastTitle) - side - gap - 2 * padding;
  std::string text = verdict.text;
  if (text_size(font, text).x > room) text = verdict.brief;
  const float wide = text.empty() ? side : side + gap + text_size(font, text).x;
  const ImVec2 low{std::round(x - wide - 2 * padding), line.centre - context.px(12)};
  const ImVec2 high{x, line.centre + context.px(12)};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("verdict", {high.x - low.x, high.y - low.y})) go_to_what_is_wrong(context);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const std::string also = verdict.kind == Kind::failed ? as_sentence(context.strings, *context.session.error())
                           : context.result             ? failure_sentence(*context.result, context.strings)
                                                        : std::string();
  explain(context, context.strings(verdict.bad() ? "verdict.bad_meaning" : "verdict.meaning") +
                       (also.empty() ? "" : "\n" + also));
  mark(context, "verdict", low, high);
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) list->AddRectFilled(low, high, theme.raised, context.px(6));
  const float strength = context.stale ? 0.45F : 1.0F;
  const ImU32 colour = with_alpha(colour_of(theme, verdict), strength);
  draw_mark(list, context, verdict, {low.x + padding + side / 2, line.centre}, colour);
  const ImU32 ink = verdict.kind == Kind::not_compared ? theme.muted : verdict.bad() ? theme.error : theme.text;
  draw_text(list, font, {low.x + padding + side + gap, centred_top(font, line.centre)}, with_alpha(ink, strength),
            text);
  return low.x;
}

}  // namespace tilescope
