// The distribution of errors below the tolerance, in the space beside the table if there are no findings.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/correctness_model.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/correctness/correctness_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kSpreadTitle = 28, kLabels = 20, kLeastBars = 24, kLeastWidth = 240;  // unscaled pixels

/// Cached while the result stays.
const std::optional<ErrorSpread>& kept_spread(const CorrectnessFrame& frame) {
  CorrectnessState& state = frame.state;
  if (!state.spread_of.is(frame.context.result) || state.spread_output != frame.output) {
    state.spread_of = ResultReference(frame.context.result);
    state.spread_output = frame.output;
    state.spread = spread_of(frame.run, frame.output, frame.buffer);
  }
  return state.spread;
}

}  // namespace

void draw_error_spread(CorrectnessFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const float bars_top = low.y + context.px(kSpreadTitle), bars_bottom = high.y - context.px(kLabels);
  if (high.x - low.x < context.px(kLeastWidth) || bars_bottom - bars_top < context.px(kLeastBars)) return;
  const auto& spread = kept_spread(frame);
  if (!spread || spread->elements == 0) return;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const std::string title =
      spread->every == 1 ? context.strings("correctness.spread")
                         : context.strings.format("correctness.spread_sampled", fmt::arg("every", spread->every));
  draw_text(list, font, low, theme.muted, fit_text(font, title, high.x - low.x));
  static constexpr std::array<const char*, ErrorSpread::kBuckets> kNames{"0",     "10⁻⁶", "10⁻⁵", "10⁻⁴",
                                                                         "0.001", "0.01", "0.1",  "> 1"};
  const uint64_t most = *std::max_element(spread->counts.begin(), spread->counts.end());
  const float each = (high.x - low.x) / static_cast<float>(ErrorSpread::kBuckets);
  const float line = std::max(1.0F, std::round(context.view.scale));
  for (size_t bucket = 0; bucket < ErrorSpread::kBuckets; ++bucket) {
    const uint64_t count = spread->counts[bucket];
    const float x = low.x + each * static_cast<float>(bucket), right = x + each - context.px(6);
    const float share = static_cast<float>(static_cast<double>(count) / static_cast<double>(most));
    // Even a single element among a hundred thousand is visible.
    const float tall = count == 0 ? 0 : std::max(context.px(2), share * (bars_bottom - bars_top - context.px(16)));
    const bool above = bucket + 1 == ErrorSpread::kBuckets;
    list->AddRectFilled({x, bars_bottom - tall}, {right, bars_bottom}, above ? theme.error : theme.accent);
    list->AddRectFilled({x, bars_bottom}, {right, bars_bottom + line}, theme.separator);
    draw_text_centred(list, font, {(x + right) / 2, bars_bottom + context.px(kLabels / 2 + 1)},
                      above && count > 0 ? theme.error : theme.muted, kNames[bucket]);
    const double percent = 100.0 * static_cast<double>(count) / static_cast<double>(spread->elements);
    const std::string value = percent >= 9.95 ? fmt::format("{:.0f}%", percent) : fmt::format("{:.1f}%", percent);
    if (count > 0)
      draw_text_centred(list, font, {(x + right) / 2, bars_bottom - tall - context.px(9)}, theme.text, value);
    const bool equal = bucket == 0;
    explain_rect(context, {x, bars_top}, {x + each, high.y},
                 context.strings.format(
                     equal   ? "correctness.spread_equal"
                     : above ? "correctness.spread_above"
                             : "correctness.spread_part",
                     fmt::arg("count", with_separators(count)), fmt::arg("all", with_separators(spread->elements)),
                     fmt::arg("low", bucket == 1 ? "0" : kNames[bucket]),
                     fmt::arg("high", bucket + 2 < ErrorSpread::kBuckets ? kNames[bucket + 1] : "1")));
  }
  mark(context, "error spread", low, high);
}

}  // namespace tilescope
