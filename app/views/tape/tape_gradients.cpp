// Below the picture of the tape: the chosen step, and a row for each gradient.
#include <algorithm>
#include <array>

#include "app/draw/widgets.hpp"
#include "app/views/tape/tape_view.hpp"
#include "engine/autograd/tape_text.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

constexpr float kGradientsLine = 20, kGradientsRow = 20;   // unscaled pixels
constexpr std::array<float, 3> kEnds{0.30F, 0.62F, 1.0F};  // right ends of the columns, as shares of the width

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

}  // namespace

/// Chooses the box, and shows the kernel of its step in the source panel.
void TapeView::choose(PanelContext& context, size_t box) {
  chosen_ = box;
  const TapeBox& one = picture_.boxes[box];
  if (!one.node) return;
  for (const TapeStep& step : shown_.tape.steps) {
    if (step.node != *one.node) continue;
    if ((step.kind == TapeStep::Kind::backward) != (one.kind == TapeBox::Kind::backward)) continue;
    const std::string kernel = kernels_of(shown_.tape, step).front();
    context.view.quote = SourceQuote{"kernels/autograd.cu", "extern \"C\" __global__ void " + kernel + "("};
    return;
  }
}

/// What the chosen step launches, reads and writes.
std::string TapeView::chosen_text(const PanelContext& context) const {
  const Strings& strings = context.strings;
  if (!chosen_ || *chosen_ >= picture_.boxes.size()) return strings("view.tape.choose");
  const TapeBox& box = picture_.boxes[*chosen_];
  const TapeProgram& program = shown_.tape.program;
  if (!box.node) {
    const bool gradient = box.kind == TapeBox::Kind::gradient;
    if (box.kind == TapeBox::Kind::upstream) return strings.format("view.tape.upstream", fmt::arg("name", box.title));
    size_t parts = 0;
    for (const TapeNode& node : program.nodes)
      parts += static_cast<size_t>(std::ranges::count(node.inputs, *box.value));
    return strings.format(gradient ? (parts > 1 ? "view.tape.gradient_sum" : "view.tape.gradient") : "view.tape.value",
                          fmt::arg("name", box.title), fmt::arg("parts", parts));
  }
  const TapeNode& node = program.nodes[*box.node];
  const bool backward = box.kind == TapeBox::Kind::backward;
  std::string text;
  for (const TapeStep& step : shown_.tape.steps) {
    if (step.node != *box.node || (step.kind == TapeStep::Kind::backward) != backward) continue;
    if (!text.empty()) {
      text += strings("view.tape.runs_again");
      break;
    }
    const std::string kernels = joined(kernels_of(shown_.tape, step));
    if (!backward) {
      text = strings.format("view.tape.forward_step", fmt::arg("kernels", kernels));
      continue;
    }
    std::vector<std::string> stored, added;
    for (const TapeGradient& one : step.gradients)
      (one.add ? added : stored).push_back("d" + program.values[one.value].name);
    text = strings.format("view.tape.backward_step", fmt::arg("kernels", kernels));
    if (!stored.empty()) text += strings.format("view.tape.stores", fmt::arg("names", joined(stored)));
    if (!added.empty()) text += strings.format("view.tape.adds", fmt::arg("names", joined(added)));
  }
  std::vector<std::string> needs;
  for (const TapeSaved& one : shown_.tape.saved)
    if (backward && one.node == *box.node && !one.for_recompute) needs.push_back(saved_label(context, one));
  if (!needs.empty()) text += strings.format("view.tape.needs", fmt::arg("names", joined(needs)));
  if (backward && needs.empty() && node.op == TapeOperator::add) text += strings("view.tape.needs_nothing");
  return text;
}

float TapeView::draw_chosen(PanelContext& context, ImVec2 low, float width) {
  const std::string text = chosen_text(context);
  const TextRun run[] = {{context.fonts.small, chosen_ ? context.theme.text : context.theme.muted, text}};
  const float height = flow_text(ImGui::GetWindowDrawList(), low, width, context.px(kGradientsLine), run);
  mark(context, "tape_chosen", low, {low.x + width, low.y + height});
  return height + context.px(10);
}

/// Whether the kernels of the shown run compute this program. What they keep makes no difference.
bool TapeView::computes_shown(const PanelContext& context) const {
  if (!context.result || context.result->request.lab != "autograd") return false;
  auto of_run = program_of_rung(context.result->rung, Save::all);
  return of_run && text_of(*of_run) == text_of(with_save(shown_.tape.program, Save::all));
}

/// The gradient of each input: by formulas beside differences, both in double here; and the kernel's of the shown run,
/// if the run computes this program.
float TapeView::draw_gradients(PanelContext& context, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  float y = low.y;
  const bool of_run = computes_shown(context);
  draw_text(list, context.fonts.small_semibold, {low.x, y}, theme.text, strings("view.tape.gradients"));
  if (of_run)
    draw_badge(context, list, {low.x + width, y - context.px(2)},
               context.result->device.kind == DeviceKind::gpu ? Badge::measured : Badge::simulated);
  y += context.px(kGradientsRow + 4);
  const auto end = [&](size_t i) { return low.x + width * kEnds[i]; };
  const std::array<const char*, 3> heads{"view.tape.parts", "view.tape.formula", "view.tape.kernel"};
  const std::array<const char*, 3> meanings{"view.tape.parts_meaning", "view.tape.formula_meaning",
                                            "view.tape.kernel_meaning"};
  for (size_t i = 0; i < heads.size(); ++i) {
    const float from = i == 0 ? low.x + context.px(70) : end(i - 1) + context.px(8);
    const std::string head = fit_text(font, strings(heads[i]), end(i) - from);
    draw_text_right(list, font, {end(i), y}, theme.muted, head);
    explain_rect(context, {from, y}, {end(i), y + context.px(kGradientsRow)}, strings(meanings[i]));
  }
  y += context.px(kGradientsRow);
  for (const CheckedGradient& one : shown_.checked) {
    draw_text(list, font, {low.x, y}, theme.text, fit_text(font, one.name, context.px(66)));
    draw_text_right(list, font, {end(0), y}, theme.text, fmt::format("{}", one.parts));
    draw_text_right(list, font, {end(1), y}, theme.text,
                    strings.format("view.tape.off_by", fmt::arg("error", fmt::format("{:.1e}", one.deviation)),
                                   fmt::arg("estimate", fmt::format("{:.1e}", one.difference_error))));
    std::string kernel = "–";
    bool wrong = false;
    if (of_run)
      for (const Correctness& checked : context.result->correctness)
        if (checked.buffer == one.name) {
          kernel = fmt::format("{:.1e}", checked.largest_error);
          wrong = !checked.pass;
        }
    const float left = end(2) - draw_text_right(list, font, {end(2), y}, wrong ? theme.error : theme.text, kernel).x;
    const ImVec2 sign{left - context.px(12), y + context.px(kGradientsRow) / 2 - context.px(1)};
    if (of_run && wrong) draw_cross(list, sign, context.px(8), theme.error, context.px(1.5F));
    if (of_run && !wrong && kernel != "–") draw_check(list, sign, context.px(9), theme.ok, context.px(1.5F));
    mark(context, "tape_gradient " + one.name, {low.x, y}, {low.x + width, y + context.px(kGradientsRow)});
    y += context.px(kGradientsRow);
  }
  mark(context, "tape_gradients", low, {low.x + width, y});
  return y - low.y + context.px(6);
}

}  // namespace tilescope
