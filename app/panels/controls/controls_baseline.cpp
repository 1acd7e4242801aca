// The pinned result beside the present one.
//
//   Baseline                     Pin this · Unpin
//   Vector add, Thread per element
//   n = 98,432, BLOCK 256
//   [SIMULATED]       pinned      now
//   sectors           36,912   36,912       =
//   useful              100%      50%  −50 pt
//   [MEASURED]
//   time              240 µs   180 µs   0.75×
#include <algorithm>
#include <cmath>

#include "app/observed/baseline.hpp"
#include "app/panels/controls/controls_parts.hpp"
#include "app/views/questions.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kLine = 20, kRatio = 52, kValue = 70;

bool can_pin(const PanelContext& context) {
  return context.result != nullptr &&
         (context.view.baseline == nullptr || !is_baseline(*context.view.baseline, *context.result));
}

void draw_name(Column& column, const Baseline& baseline) {
  PanelContext& context = column.context;
  const Theme& theme = column.theme();
  ImFont* font = column.fonts().small;
  const float top = column.y;
  const std::string name = baseline_name(baseline, context.strings),
                    values = baseline_values(baseline, context.strings);
  column.text(font, column.left, 14, theme.text, fit_text(font, name, column.width()));
  column.y += column.px(kLine);
  column.text(font, column.left, 14, theme.muted, fit_text(font, values, column.width()));
  column.y += column.px(kLine + 4);
  explain_rect(context, {column.left, top}, {column.right, column.y}, name + "\n" + values);
}

/// The badge of the numbers below it; the first group also has the column heads.
void draw_group(Column& column, Badge badge, bool first) {
  if (!first) column.y += column.px(6);
  PanelContext& context = column.context;
  ImFont* font = column.fonts().small;
  const float wide = badge_width(context, badge);
  draw_badge(context, column.list, {column.left + wide, column.y + column.px(1)}, badge);
  if (first) {
    const float now = column.right - column.px(kRatio), before = now - column.px(kValue);
    if (before - text_size(font, context.strings("baseline.before")).x > column.left + wide + column.px(4))
      column.text_right(font, before, 15, column.theme().muted, context.strings("baseline.before"));
    column.text_right(font, now, 15, column.theme().muted, context.strings("baseline.now"));
  }
  column.y += column.px(24);
}

/// The number that an open question may hide, in the present run and in its ratio to the pinned one.
bool is_veiled(const PanelContext& context, std::string_view key) {
  if (key == "baseline.wavefronts" || key == "baseline.conflicts") return context.view.hides(ShownNumber::wavefronts);
  if (key == "baseline.time") return context.view.hides(ShownNumber::speed);
  static constexpr std::string_view kOfSectors[] = {"baseline.read", "baseline.written", "baseline.atomics",
                                                    "baseline.sectors", "baseline.useful"};
  return std::ranges::find(kOfSectors, key) != std::end(kOfSectors) && context.view.hides(ShownNumber::sectors);
}

void draw_figure(Column& column, const ComparedFigure& figure) {
  const Theme& theme = column.theme();
  const Fonts& fonts = column.fonts();
  const float now = column.right - column.px(kRatio), before = now - column.px(kValue);
  const float label_room = before - column.px(kValue) + column.px(6) - column.left;
  column.text(fonts.small, column.left, 14, theme.muted,
              fit_text(fonts.small, column.context.strings(figure.key), label_room));
  column.text_right(fonts.small, before, 14, theme.muted, figure.before);
  const std::string name = figure.key;
  if (is_veiled(column.context, name)) {
    const ImVec2 top_right{now, baseline_top(fonts.small, column.y + column.px(14))};
    draw_veiled_text_right(column.context, column.list, fonts.small, top_right, figure.now);
    mark(column.context, name, {column.left, column.y}, {column.right, column.y + column.px(kLine)});
    column.y += column.px(kLine);
    return;
  }
  column.text_right(fonts.small, now, 14, theme.text, figure.now);
  using Change = ComparedFigure::Change;
  const ImU32 ink = figure.change == Change::better  ? theme.ok
                    : figure.change == Change::worse ? theme.error
                                                     : theme.muted;
  column.text_right(fonts.small_semibold, column.right, 14, ink, figure.ratio);
  mark(column.context, name, {column.left, column.y}, {column.right, column.y + column.px(kLine)});
  explain_rect(column.context, {column.left, column.y}, {column.right, column.y + column.px(kLine)},
               column.context.strings(name + "_meaning"));
  column.y += column.px(kLine);
}

}  // namespace

void pin_baseline(PanelContext& context) {
  if (context.result == nullptr) return;
  if (context.view.baseline != nullptr && is_baseline(*context.view.baseline, *context.result))
    context.view.baseline.reset();
  else
    context.view.baseline = std::make_shared<const Baseline>(make_baseline(*context.result));
}

void baseline_card(Column& column) {
  PanelContext& context = column.context;
  if (context.view.baseline == nullptr) return;
  const auto baseline = context.view.baseline;  // a copy, because it may be unpinned here
  const Strings& text = context.strings;
  card_title(column, "baseline.title", std::nullopt);
  column.y -= column.px(36);
  bool unpin = false, pin = false;
  const float left = text_link(column, "baseline.unpin", text("baseline.unpin"), text("baseline.unpin_meaning"),
                               column.right, 28, &unpin);
  if (can_pin(context))
    text_link(column, "baseline.pin", text("baseline.pin_this"), text("baseline.pin_meaning"), left - column.px(14), 28,
              &pin);
  column.y += column.px(36);
  draw_name(column, *baseline);
  if (context.result == nullptr || is_baseline(*baseline, *context.result)) {
    paragraph(column, text("baseline.same"), column.theme().muted);
  } else {
    const Dimmed dimmed(column);
    std::optional<Badge> group;
    for (const ComparedFigure& figure : compare_figures(baseline->figures, figures_of(*context.result))) {
      if (group != figure.badge) draw_group(column, figure.badge, !group);
      group = figure.badge;
      draw_figure(column, figure);
    }
  }
  column.separator(14);
  if (unpin) context.view.baseline.reset();
  if (pin) pin_baseline(context);
}

void baseline_link(Column& column) {
  PanelContext& context = column.context;
  if (context.view.baseline != nullptr || context.result == nullptr) return;
  bool pin = false;
  const std::string& label = context.strings("baseline.pin");
  const float right = column.left + text_size(column.fonts().small, label).x;
  text_link(column, "baseline.pin", label, context.strings("baseline.pin_meaning"), right, 26, &pin);
  column.text_right(column.fonts().small, column.right, 26, column.theme().muted, "B");
  column.y += column.px(24);
  column.separator(14);
  if (pin) pin_baseline(context);
}

}  // namespace tilescope
