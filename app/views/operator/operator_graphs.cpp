// The page of the operator view about torch.compile: the graphs of two ways side by side, and why it stopped.
#include <algorithm>

#include "app/draw/small_button.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/operator/operator_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kGraphGap = 20, kGraphButton = 24, kGraphLine = 20, kGraphsBeside = 620, kGraphsLeast = 150;

/// Without what follows each statement to free its operands: "…;  silu = None".
std::string without_deletions(const std::string& graph) {
  std::string text;
  for (size_t begin = 0; begin < graph.size();) {
    const size_t end = std::min(graph.find('\n', begin), graph.size());
    const std::string_view line = std::string_view(graph).substr(begin, end - begin);
    text.append(line.substr(0, line.ends_with(" = None") ? line.find(";  ") : line.size())).append("\n");
    begin = end + 1;
  }
  return text;
}

/// All graphs of a way, one below the other.
std::string graphs_text(const Strings& strings, const std::vector<std::string>& graphs) {
  std::string text;
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (graphs.size() > 1)
      text += (i == 0 ? "# " : "\n# ") +
              strings.format("view.operator.graph_of", fmt::arg("number", i + 1), fmt::arg("count", graphs.size())) +
              "\n";
    text += without_deletions(graphs[i]);
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

void OperatorView::draw_graphs_page(PanelContext& context, ImVec2 low, ImVec2 high) {
  float y = low.y;
  if (!shown_) {
    y += draw_source(context, {low.x, y}, high.x - low.x);
    draw_measure(context, {low.x, y}, high.x - low.x);
    return;
  }
  ImVec2 at{low.x, y};
  for (const bool lowered : {false, true}) {
    const char* key = lowered ? "view.operator.lowered" : "view.operator.captured";
    bool pressed = false;
    at.x = small_button(context, lowered ? "operator lowered" : "operator captured", context.strings(key),
                        context.strings(std::string(key) + "_meaning"), at, lowered == lowered_, &pressed) +
           context.px(6);
    if (pressed) lowered_ = lowered;
  }
  y += context.px(kGraphButton + 10);
  const float width = high.x - low.x, gap = context.px(kGraphGap);
  if (width >= context.px(kGraphsBeside)) {
    const float half = (width - gap) / 2;
    draw_graph_column(context, 0, {low.x, y}, {low.x + half, high.y});
    draw_graph_column(context, 1, {low.x + half + gap, y}, high);
    return;
  }
  const float height = std::max((high.y - y - gap) / 2, context.px(kGraphsLeast));
  ImGui::SetCursorScreenPos({low.x, y});
  ImGui::BeginChild("operator graphs", {width, high.y - y}, false, ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float right = origin.x + ImGui::GetContentRegionAvail().x;
  draw_graph_column(context, 0, origin, {right, origin.y + height});
  draw_graph_column(context, 1, {origin.x, origin.y + height + gap}, {right, origin.y + 2 * height + gap});
  ImGui::SetCursorScreenPos({origin.x, origin.y + 2 * height + gap - 1});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
}

/// The ways to choose from, the breaks of the chosen one with the first reason, and its graphs.
void OperatorView::draw_graph_column(PanelContext& context, size_t index, ImVec2 low, ImVec2 high) {
  Column& column = columns_[index];
  const Strings& strings = context.strings;
  ImVec2 at = low;
  for (size_t i = 0; i < shown_->variants.size(); ++i) {
    const std::string name = shown_->variants[i].name();
    const float width = small_button_width(context, name);
    if (at.x > low.x && at.x + width > high.x) at = {low.x, at.y + context.px(kGraphButton + 4)};
    bool pressed = false;
    at.x = small_button(context, fmt::format("operator variant {} {}", index + 1, i + 1).c_str(), name,
                        strings("view.operator.variant_meaning"), at, i == column.variant, &pressed) +
           context.px(6);
    if (pressed) column.variant = i;
  }
  column.variant = std::min(column.variant, shown_->variants.size() - 1);
  const OperatorVariant& variant = shown_->variants[column.variant];
  float y = at.y + context.px(kGraphButton + 6);
  std::string breaks = variant.graph_breaks
                           ? strings.format("view.operator.breaks_of", fmt::arg("breaks", *variant.graph_breaks),
                                            fmt::arg("graphs", variant.captured.size()))
                           : strings("view.operator.not_captured");
  if (!variant.reasons.empty()) breaks += " " + variant.reasons.front();
  ImFont* font = context.fonts.small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool broken = variant.graph_breaks.value_or(0) > 0;
  draw_text(list, font, {low.x, y}, broken ? context.theme.error : context.theme.muted,
            fit_text(font, breaks, high.x - low.x));
  std::string whole = breaks;
  for (size_t i = 1; i < variant.reasons.size(); ++i) whole += "\n" + variant.reasons[i];
  explain_rect(context, {low.x, y}, {high.x, y + context.px(kGraphLine)}, whole);
  mark(context, fmt::format("operator_breaks_{}", index + 1), {low.x, y}, {high.x, y + context.px(kGraphLine)});
  y += context.px(kGraphLine + 6);
  const std::string text = graphs_text(strings, lowered_ ? variant.lowered : variant.captured);
  if (text != column.shown) {
    column.shown = text;
    column.view.buffer.reset(text);
  }
  CodeView::Hooks hooks;
  hooks.fill = [&](uint32_t line) -> ImU32 {
    const std::string_view words = column.view.buffer.line(line);
    const bool ours = words.find("tilescope") != std::string_view::npos ||
                      words.find("triton_kernel_wrapper") != std::string_view::npos;
    return ours ? mix(context.theme.window, context.theme.accent, 0.14F) : 0;
  };
  const ImVec2 room{high.x - low.x, std::max(context.px(30), high.y - y)};
  const std::string id = fmt::format("operator graph {}", index + 1);
  ImGui::SetCursorScreenPos({low.x, y});
  ImGui::BeginChild(id.c_str(), room, false, kFixedArea);
  column.view.draw(context, id.c_str(), room, hooks);
  ImGui::EndChild();
  mark(context, fmt::format("operator_graph_{}", index + 1), {low.x, y}, high);
}

}  // namespace tilescope
