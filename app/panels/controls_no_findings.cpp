// The card of a run in which the simulator's checks found nothing.
#include <algorithm>
#include <cmath>

#include "app/panels/controls_parts.hpp"
#include "app/sentences.hpp"

namespace tilescope {
namespace {

/// The run before, to tell a mended kernel from one that never had a finding.
struct Kept {
  std::shared_ptr<const RunResult> last;
  std::string mended;  // the finding that the run before `last` had
};

Kept& kept() {
  static Kept all;
  static int frame = 0;
  if (ImGui::GetFrameCount() < frame) all = Kept();  // another window
  frame = ImGui::GetFrameCount();
  return all;
}

void follow(Kept& all, const std::shared_ptr<const RunResult>& result) {
  if (result == all.last) return;
  const bool same = all.last && result && all.last->request.lab == result->request.lab &&
                    all.last->request.rung == result->request.rung;
  const bool had = same && !all.last->findings.empty();
  all.mended = had ? all.last->findings.front().id : std::string();
  all.last = result;
}

}  // namespace

void no_findings_card(Column& column) {
  const PanelContext& context = column.context;
  Kept& all = kept();
  follow(all, context.result);
  const auto& error = context.session.error();
  const bool failed_now = error && error->id != ErrorId::cancelled;
  if (!context.result || !context.result->observed || !context.result->findings.empty() || failed_now) return;
  const Strings& text = context.strings;
  const float top = column.y;
  {
    const Dimmed dimmed(column);
    ImFont* font = column.fonts().body_semibold;
    draw_check(column.list, {column.left + column.px(6.5F), column.y + column.px(23)}, column.px(12), column.theme().ok,
               column.px(1.75F));
    draw_badge(column.context, column.list, {column.right, column.y + column.px(13)}, Badge::simulated);
    const float left = column.left + column.px(22);
    const float room = column.width() - badge_width(context, Badge::simulated) - column.px(30);
    column.text(font, left, 28, column.theme().ok, fit_text(font, text("controls.no_findings"), room));
    column.y += column.px(40);
    if (!all.mended.empty())
      paragraph(column, text.format("controls.findings_gone", fmt::arg("id", finding_name(text, all.mended))),
                column.theme().text);
    const uint64_t sampled = context.result->blocks_sampled;
    paragraph(column,
              sampled != 0 ? text.format("controls.checked_sampled",
                                         fmt::arg("count", with_separators(static_cast<int64_t>(sampled))))
                           : text("controls.checked_for"),
              column.theme().muted);
  }
  explain_rect(column.context, {column.left, top}, {column.right, column.y}, text("controls.checked_meaning"));
  mark(column.context, "card.no_findings", {column.left, top}, {column.right, column.y});
  column.separator(14);
}

}  // namespace tilescope
