// The card of a run in which the simulator's checks found nothing.
#include <algorithm>
#include <cmath>

#include "app/draw/sentences.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/panels/controls/controls_parts.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

/// Distinguishes a fixed kernel from one that never had a finding.
void follow(FixedFinding& fixed, const std::shared_ptr<const RunResult>& result) {
  const auto& last = fixed.last;
  if (result == last) return;
  const bool same =
      last && result && last->request.lab == result->request.lab && last->request.rung == result->request.rung;
  const bool had = same && !last->findings.empty();
  fixed.id = had ? last->findings.front().id : std::string();
  fixed.last = result;
}

}  // namespace

void no_findings_card(Column& column) {
  const PanelContext& context = column.context;
  FixedFinding& fixed = column.context.view.fixed_finding;
  follow(fixed, context.result);
  const auto& error = context.session.error();
  const bool failed_now = error && error->id != ErrorId::cancelled;
  if (!context.result || !context.result->findings.empty() || failed_now) return;
  if (!context.result->request.tell_findings) return;
  if (!context.result->observed && context.result->blocks_sampled == 0) return;  // nothing was checked
  const Strings& text = context.strings;
  const float top = column.y;
  {
    const Dimmed dimmed(column);
    ImFont* font = column.fonts().body_semibold;
    // A green check mark beside wrong values would look like a pass.
    const bool wrong = verdict_of_result(context.result.get(), std::nullopt, text).kind == ResultVerdict::Kind::wrong;
    const ImVec2 centre{column.left + column.px(6.5F), column.y + column.px(23)};
    if (wrong)
      column.list->AddCircle(centre, column.px(5), column.theme().muted, 16, column.px(1.5F));
    else
      draw_check(column.list, centre, column.px(12), column.theme().ok, column.px(1.75F));
    draw_badge(column.context, column.list, {column.right, column.y + column.px(13)}, Badge::simulated);
    const float left = column.left + column.px(22);
    const float room = column.width() - badge_width(context, Badge::simulated) - column.px(30);
    column.text(font, left, 28, wrong ? column.theme().text : column.theme().ok,
                fit_text(font, text("controls.no_findings"), room));
    column.y += column.px(40);
    if (!fixed.id.empty())
      paragraph(column, text.format("controls.findings_gone", fmt::arg("id", finding_name(text, fixed.id))),
                column.theme().text);
    const uint64_t sampled = context.result->blocks_sampled;
    const bool never_ran = context.result->plan.unchecked && context.result->simulated_warps == 0;
    if (wrong)
      paragraph(column, text(never_ran ? "controls.wrong_never_ran" : "controls.wrong_without_findings"),
                column.theme().text);
    else
      paragraph(column,
                sampled != 0 ? text.format("controls.checked_sampled", fmt::arg("count", with_separators(sampled)))
                             : text("controls.checked_for"),
                column.theme().muted);
  }
  explain_rect(column.context, {column.left, top}, {column.right, column.y}, text("controls.checked_meaning"));
  mark(column.context, "card.no_findings", {column.left, top}, {column.right, column.y});
  column.separator(14);
}

}  // namespace tilescope
