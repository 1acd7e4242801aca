// Below the switches of "Break it": why an enabled switch shows no effect in the result, and sizes at which it does.
#include <algorithm>

#include "app/observed/result_verdict.hpp"
#include "app/panels/controls/controls_parts.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

/// The first switch that should show an effect in the result but does not; null if there is none. A result with
/// findings or wrong values counts as an effect, whichever switch caused it.
const BreakIt* unseen_switch(const PanelContext& context) {
  const RunResult* result = context.result.get();
  if (result == nullptr || context.stale || context.session.error()) return nullptr;
  const Request& request = result->request;
  if (request.device != DeviceKind::sim || request.edited_source || !result->findings.empty()) return nullptr;
  if (verdict_of_result(result, std::nullopt, context.strings).bad()) return nullptr;
  const ChosenRung chosen = chosen_rung(context);
  if (chosen.rung == nullptr) return nullptr;
  for (const BreakIt& one : context.lab().break_it)
    if (!one.only_slower && one.concerns(chosen.rung->name) &&
        std::ranges::find(request.broken, one.name) != request.broken.end())
      return &one;
  return nullptr;
}

/// Values at which every block is executed and every switch shows an effect; tests check this for a lab's defaults.
/// Only sizes are changed if that suffices. Nothing if they are the present values.
std::optional<Config> telling_config(const PanelContext& context) {
  const Lab& lab = context.lab();
  const ChosenRung chosen = chosen_rung(context);
  const Config& present = context.session.request().config;
  const Config defaults = default_config(lab, DeviceKind::sim);
  Config wanted = present;
  wanted.sizes = defaults.sizes;
  const bool possible = validate(lab, wanted, DeviceKind::sim) && chosen.rung != nullptr &&
                        (!chosen.rung->check || chosen.rung->check(wanted));
  if (wanted == present || !possible) wanted = defaults;
  if (wanted == present) return std::nullopt;
  return wanted;
}

std::string why_unseen(const PanelContext& context, const BreakIt& one) {
  const Strings& strings = context.strings;
  const RunResult& result = *context.result;
  const std::string& title = strings(one.title);
  if (result.blocks_sampled == 0) return strings.format("controls.no_effect", fmt::arg("switch", title));
  const auto count = [](uint64_t value) { return with_separators(value); };
  return strings.format("controls.no_effect_sampled", fmt::arg("switch", title),
                        fmt::arg("count", count(result.blocks_sampled)),
                        fmt::arg("all", count(result.plan.launches[result.launch].grid.count())));
}

/// Every tile is a multiple of a warp, or of a few elements: such sizes are rarely cut off.
bool are_round(const Config& config) {
  return std::ranges::all_of(config.sizes, [](const auto& size) { return size.second % 32 == 0; });
}

/// "Go to M = 1,000, N = 1,000, K = 136", or to all defaults if the sizes are already those.
std::string link_text(const PanelContext& context, const Config& wanted) {
  if (wanted.sizes == context.session.request().config.sizes) return context.strings("controls.no_effect_defaults");
  std::string sizes;
  for (const Size& size : context.lab().sizes)
    sizes += (sizes.empty() ? "" : context.strings("speed.comma")) +
             fmt::format("{} = {}", size.name, with_separators(wanted.size(size.name)));
  return context.strings.format("controls.no_effect_go", fmt::arg("sizes", sizes));
}

}  // namespace

void no_effect_note(Column& column) {
  PanelContext& context = column.context;
  const BreakIt* one = unseen_switch(context);
  if (one == nullptr) return;
  const float top = column.y;
  column.y += column.px(4);
  paragraph(column, why_unseen(context, *one), column.theme().text);
  if (are_round(context.result->config))
    paragraph(column, context.strings("controls.no_effect_round"), column.theme().muted);
  if (const auto wanted = telling_config(context)) {
    ImFont* font = column.fonts().small;
    const std::string text = fit_text(font, link_text(context, *wanted), column.width());
    bool pressed = false;
    text_link(column, "break.telling_size", text, context.strings("controls.no_effect_go_meaning"),
              column.left + text_size(font, text).x, 15, &pressed);
    column.y += column.px(20);
    if (pressed) {
      for (const auto& [name, value] : wanted->sizes) context.session.set_size(name, value);
      for (const auto& [name, value] : wanted->params) context.session.set_param(name, value);
    }
  }
  mark(context, "break.no_effect", {column.left, top}, {column.right, column.y});
  column.y += column.px(4);
}

}  // namespace tilescope
