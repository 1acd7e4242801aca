// Correctness: every output beside its double-precision reference.
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/correctness_model.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/correctness/correctness_view.hpp"
#include "app/views/sampled_run.hpp"

namespace tilescope {
namespace {

constexpr float kPadding = 24;  // unscaled pixels

const ViewRegistration registered_correctness{{"correctness", 80, make_view<CorrectnessView>}};

/// The shown output: the learner's choice while the lab stays the same; else the first that fails.
size_t choose_output(PanelContext& context, CorrectnessState& state, const RunResult& run) {
  std::optional<size_t>& chosen = state.chosen;
  if (state.lab != run.request.lab || (chosen && *chosen >= run.correctness.size())) chosen.reset();
  state.lab = run.request.lab;
  const size_t shown = chosen.value_or(first_failing_output(run));
  if (run.correctness.size() < 2) return shown;
  std::vector<std::string> names;
  for (const auto& check : run.correctness) names.push_back(check.buffer);
  const int picked = tab_row(context, "output", names, static_cast<int>(shown), context.px(28));
  if (picked != static_cast<int>(shown)) chosen = static_cast<size_t>(picked);
  return chosen.value_or(shown);
}

/// The sentence, with the badge at its right. Returns its height.
float draw_verdict(PanelContext& context, const RunResult& run, size_t output, ImVec2 low, float right) {
  const Theme& theme = context.theme;
  const Badge badge = run.device.kind == DeviceKind::gpu ? Badge::measured : Badge::simulated;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float badge_wide = draw_badge(context, list, {right, low.y + context.px(2)}, badge);
  const Verdict verdict = verdict_of(run, output, context.strings);
  const std::string reason = " " + verdict.reason, quiet = " " + verdict.quiet, found = " " + verdict.found;
  const ImU32 finding = run.correctness[output].pass ? theme.text : theme.error;
  const TextRun runs[] = {{context.fonts.body_semibold, finding, verdict.finding},
                          {context.fonts.body, theme.text, reason},
                          {context.fonts.body, theme.muted, quiet},
                          {context.fonts.body, theme.error, found}};
  return flow_text(list, low, right - low.x - badge_wide - context.px(24), context.px(24), runs);
}

/// Why there is nothing to compare.
void draw_nothing(PanelContext& context) {
  const Strings& strings = context.strings;
  const auto& error = context.session.error();
  if (error && error->id == ErrorId::form_incomplete)
    empty_state(context, strings("controls.no_result"), strings("sandbox.mend_form"));
  else if (error)
    empty_state(context, strings.message(*error), strings.hint(*error));
  else if (!context.result)
    empty_state(context, strings("correctness.empty"), strings("correctness.empty_hint"));
  else if (context.result->blocks_sampled > 0)
    empty_state(context, strings("correctness.not_compared"), strings("controls.not_compared"));
  else
    empty_state(context, strings("correctness.not_compared"), strings("correctness.not_compared_hint"));
  offer_full_run(context);
}

void draw_compared(PanelContext& context, CorrectnessState& state, const RunResult& run) {
  const ImVec2 origin = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float left = origin.x + context.px(kPadding), right = origin.x + size.x - context.px(kPadding);
  const float bottom = origin.y + size.y;
  float top = origin.y + context.px(12);
  if (run.correctness.size() > 1) {
    ImGui::SetCursorScreenPos({left, origin.y + context.px(4)});
    top = origin.y + context.px(40);
  }
  const size_t output = choose_output(context, state, run);
  const auto buffer = HeatMaps::buffer_of(run, output);
  top += draw_verdict(context, run, output, {left, top}, right) + context.px(8);
  if (!buffer) return;

  CorrectnessFrame frame{.context = context, .state = state, .run = run, .output = output, .buffer = *buffer};
  const StripLayout layout = lay_out_strip(frame, {right - left, bottom - top});
  const float strip = std::floor(bottom - layout.height);
  const float printed = output_height(context, state, strip - top);
  const float most = strip - printed - context.px(12);
  const float ends = draw_error_maps(frame, {left, top}, {right, most});
  // Height that the maps do not need goes to the strip, not between the two.
  const float begins = printed > 0 ? strip : std::floor(strip - std::max(0.0F, most - ends));
  if (printed > 0) draw_output(context, state, {left, strip - printed}, {right, strip});
  separator_line(context, begins);
  draw_correctness_strip(frame, layout, {left, begins}, {right, bottom});
  if (frame.pointed) context.view.hover = select_element(run, frame.buffer, *frame.pointed);
}

}  // namespace

void pick_element(CorrectnessFrame& frame, int64_t element) {
  frame.context.view.selection = select_element(frame.run, frame.buffer, element);
}

std::optional<int64_t> selected_element(const CorrectnessFrame& frame) {
  const Selection& selection = frame.context.view.selection;
  if (selection.buffer != frame.buffer || !selection.element) return std::nullopt;
  if (*selection.element < 0 || *selection.element >= frame.spec().count()) return std::nullopt;
  return selection.element;
}

const char* CorrectnessView::empty_reason(const std::shared_ptr<const RunResult>& result) const {
  const bool anything = !result->correctness.empty() || !result->statistics.empty() || !result->output.empty() ||
                        !result->findings.empty();
  return anything ? nullptr : "view.correctness.empty_reason";
}

void CorrectnessView::draw(PanelContext& context) {
  const auto& run = context.result;
  if (!run || (run->correctness.empty() && run->statistics.empty() && run->output.empty() && run->findings.empty()))
    return draw_nothing(context);
  if (context.result->correctness.empty())
    draw_unchecked(context, state_);
  else
    draw_compared(context, state_, *context.result);
  dim_if_stale(context);
}

}  // namespace tilescope
