// The page of the operator view about cost: graph breaks, kernels and µs per call of each way, from a recording or
// measured here.
#include <algorithm>
#include <array>

#include "app/draw/small_button.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/operator/operator_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kOperatorRow = 24, kOperatorText = 20, kNameShare = 0.28F;

struct CostColumn {
  const char* key;
  std::string (*text)(const OperatorVariant&);
};

std::string count_of(const std::optional<int64_t>& count) { return count ? std::to_string(*count) : std::string("–"); }
std::string micro_of(const std::optional<double>& micro) {
  return micro ? fmt::format("{:.1f}", *micro) : std::string("–");
}

const std::array<CostColumn, 6>& cost_columns() {
  static const std::array<CostColumn, 6> columns{{
      {"view.operator.breaks", [](const OperatorVariant& one) { return count_of(one.graph_breaks); }},
      {"view.operator.kernels", [](const OperatorVariant& one) { return count_of(one.kernels); }},
      {"view.operator.call", [](const OperatorVariant& one) { return micro_of(one.call_us); }},
      {"view.operator.step", [](const OperatorVariant& one) { return micro_of(one.step_us); }},
      {"view.operator.compiled", [](const OperatorVariant& one) { return micro_of(one.compiled_us); }},
      {"view.operator.replay", [](const OperatorVariant& one) { return micro_of(one.replay_us); }},
  }};
  return columns;
}

const char* meaning_of_row(const std::string& variant) {
  if (variant == "eager") return "view.operator.row_eager";
  if (variant == "library") return "view.operator.row_library";
  if (variant == "custom_op") return "view.operator.row_custom_op";
  if (variant == "triton_op") return "view.operator.row_triton_op";
  return "view.operator.row_launch";
}

float operator_paragraph(PanelContext& context, ImVec2 low, float width, const std::string& text, ImU32 colour) {
  const TextRun run[] = {{context.fonts.small, colour, text}};
  return flow_text(ImGui::GetWindowDrawList(), low, width, context.px(kOperatorText), run) + context.px(6);
}

/// "rows = 256, columns = 256", in the lab's order.
std::string sizes_text(const Lab& lab, const SizeValues& sizes) {
  std::string text;
  for (const Size& size : lab.sizes)
    if (const auto value = sizes.find(size.name); value != sizes.end())
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", size.name, value->second);
  return text;
}

}  // namespace

float OperatorView::draw_source(PanelContext& context, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  if (!shown_)
    return operator_paragraph(context, low, width, strings("view.operator.no_recording"), context.theme.text);
  const std::string text =
      strings.format("view.operator.source", fmt::arg("gpu", shown_->gpu), fmt::arg("date", shown_->date.substr(0, 10)),
                     fmt::arg("torch", shown_->torch), fmt::arg("cuda", shown_->cuda),
                     fmt::arg("triton", shown_->triton), fmt::arg("sizes", sizes_text(context.lab(), shown_->sizes)));
  const float height = operator_paragraph(context, low, width, text, context.theme.muted);
  explain_rect(context, low, {low.x + width, low.y + height}, shown_->command);
  return height;
}

float OperatorView::draw_cost_table(PanelContext& context, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const auto& columns = cost_columns();
  const float first = width * kNameShare, each = (width - first) / static_cast<float>(columns.size());
  float y = low.y;
  for (size_t i = 0; i < columns.size(); ++i) {
    const float right = low.x + first + each * static_cast<float>(i + 1);
    const std::string key = columns[i].key;
    draw_text_right(list, font, {right, y}, theme.muted, fit_text(font, strings(key), each - context.px(6)));
    explain_rect(context, {right - each, y}, {right, y + context.px(kOperatorRow)}, strings(key + "_meaning"));
  }
  y += context.px(kOperatorRow);
  for (size_t row = 0; row < shown_->variants.size(); ++row) {
    const OperatorVariant& one = shown_->variants[row];
    const ImVec2 row_low{low.x, y}, row_high{low.x + width, y + context.px(kOperatorRow)};
    if (row % 2 == 0) list->AddRectFilled(row_low, row_high, mix(theme.window, theme.raised, 0.5F));
    const float text = centred_top(font, (row_low.y + row_high.y) / 2);
    draw_text(list, font, {low.x + context.px(6), text}, theme.text,
              fit_text(font, one.name(), first - context.px(12)));
    for (size_t i = 0; i < columns.size(); ++i) {
      const bool broken = i == 0 && one.graph_breaks.value_or(0) > 0;
      draw_text_right(list, font, {low.x + first + each * static_cast<float>(i + 1) - context.px(2), text},
                      broken ? theme.error : theme.text, columns[i].text(one));
    }
    std::string explained = strings(meaning_of_row(one.variant));
    for (const std::string& problem : one.problems) explained += "\n" + problem;
    explain_rect(context, row_low, row_high, {.title = one.name(), .text = explained, .quiet = {}});
    mark(context, fmt::format("operator_row_{}", row + 1), row_low, row_high);
    y = row_high.y;
  }
  return y + context.px(10) - low.y;
}

/// The button that measures here, and what came of it.
float OperatorView::draw_measure(PanelContext& context, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  bool pressed = false;
  small_button(context, "operator_measure",
               strings(trial_.running() ? "view.operator.measuring" : "view.operator.measure"),
               strings("view.operator.measure_meaning"), low, false, &pressed);
  float y = low.y + context.px(kOperatorRow + 8);
  if (pressed && trial_.running())
    trial_.stop();
  else if (pressed) {
    trial_said_.clear();
    trial_.start([engine = &context.session.engine(), request = context.session.request()](std::stop_token stop) {
      return measure_operator(*engine, request, stop);
    });
  }
  if (trial_said_.empty()) return y - low.y;
  const float height = operator_paragraph(context, {low.x, y}, width, trial_said_, context.theme.error);
  mark(context, "operator_trial_said", {low.x, y}, {low.x + width, y + height});
  return y + height - low.y;
}

void OperatorView::draw_cost_page(PanelContext& context, ImVec2 low, ImVec2 high) {
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("operator cost", {high.x - low.x, high.y - low.y}, false, ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  float y = origin.y;
  if (shown_) {
    const float table = std::min(width, context.px(900));
    const float height = draw_cost_table(context, {origin.x, y}, table);
    mark(context, "operator_table", {origin.x, y}, {origin.x + table, y + height});
    y += height;
  }
  y += draw_source(context, {origin.x, y}, width);
  if (shown_)
    y += operator_paragraph(context, {origin.x, y}, width,
                            context.strings.format("view.operator.cost_note", fmt::arg("rounds", shown_->rounds),
                                                   fmt::arg("calls", shown_->calls)),
                            context.theme.muted);
  if (shown_ && spread_)
    y += operator_paragraph(
        context, {origin.x, y}, width,
        context.strings.format("view.operator.spread", fmt::arg("ratio", fmt::format("{:.1f}", *spread_))),
        context.theme.muted);
  y += draw_measure(context, {origin.x, y}, width);
  ImGui::SetCursorScreenPos({origin.x, y});
  ImGui::Dummy({1, context.px(4)});
  ImGui::EndChild();
}

}  // namespace tilescope
