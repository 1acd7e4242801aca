// Below the graph, at the right: the chosen operator, worked out, and the roofline.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/draw/widgets.hpp"
#include "app/views/graph/graph_view.hpp"
#include "engine/graph/operators.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kCardSide = 16, kCardLine = 20, kCardTitle = 30, kCardLabel = 88, kPartTabs = 30;
constexpr float kLeastForBoth = 400;  // height of the area: below it card and roofline take turns
constexpr double kCardMicro = 1e6;

std::string shapes_of(const OperatorGraph& graph, const GraphNode& node) {
  std::string text;
  for (const size_t input : node.inputs)
    text.append(text.empty() ? "" : ", ").append(text_of_shape(graph.tensors[input].shape));
  return text + " → " + text_of_shape(graph.tensors[node.output].shape);
}

/// "q 16.8 MB + k 16.8 MB + 268 MB written"
std::string bytes_of_tensors(const Strings& strings, const OperatorGraph& graph, const GraphNode& node) {
  std::string text;
  std::vector<size_t> done;
  for (const size_t input : node.inputs) {
    if (std::ranges::find(done, input) != done.end()) continue;
    done.push_back(input);
    const double bytes = bytes_read_of(graph, node, input);
    if (bytes > 0)
      text.append(text.empty() ? "" : " + ").append(graph.tensors[input].name).append(" ").append(three_figures(bytes));
  }
  const double written = bytes_written(graph, node);
  if (written > 0)
    text.append(text.empty() ? "" : " + ")
        .append(strings.format("view.graph.written", fmt::arg("bytes", three_figures(written))));
  return text;
}

}  // namespace

void GraphView::draw_node(PanelContext& context) {
  const GraphRow* row = selected_row();
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  if (row == nullptr || !shown_)
    return empty_state(context, strings("view.graph.no_node"), strings("view.graph.no_node_hint"));
  const bool decode = choice_.decode && shown_->decode.has_value();
  const auto& phase = decode ? row->decode : row->prefill;
  if (!phase) return;
  const OperatorGraph& graph = shown_->side(decode).graph;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont *small = context.fonts.small, *bold = context.fonts.body_semibold;
  const ImVec2 window = ImGui::GetWindowPos();
  const float left = window.x + context.px(kCardSide),
              right = window.x + ImGui::GetWindowWidth() - context.px(kCardSide);
  float y = ImGui::GetCursorScreenPos().y + context.px(6);
  const float title = y + context.px(kCardTitle) / 2;
  const bool memory = phase->cost.bound_by_memory();
  const bool one = phase->nodes.size() == 1;
  float end = right;
  if (!one || !find_operator(graph.nodes[phase->nodes.front()].type)->lab.empty()) {
    const std::string& text = strings(one ? "view.graph.open_lab" : "view.graph.show_operators");
    const float wide = text_size(context.fonts.small_semibold, text).x + context.px(20);
    end = right - wide - context.px(8);
    const ImVec2 low{right - wide, title - context.px(12)}, high{right, title + context.px(12)};
    ImGui::SetCursorScreenPos(low);
    const bool pressed = hit_area("open lab", {wide, high.y - low.y});
    const bool hovered = ImGui::IsItemHovered();
    explain(context, strings(one ? "view.graph.open_lab_meaning" : "view.graph.show_operators_meaning"));
    mark(context, "graph.open_lab", low, high);
    list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                  hovered ? theme.accent : theme.separator, context.px(6), 0, context.px(1));
    draw_text_centred(list, context.fonts.small_semibold, {(low.x + high.x) / 2, title},
                      hovered ? theme.text : theme.accent, text);
    if (pressed && row->box) return open_lab(context, *row->box);
  }
  const std::string name = row->number > 0 ? fmt::format("{}. {}", row->number, row->name) : row->name;
  const std::string fitted = fit_text(bold, name, end - left);
  const float after =
      left + draw_text(list, bold, {left, centred_top(bold, title)}, theme.text, fitted).x + context.px(10);
  const std::string& bound = strings(memory ? "view.graph.by_memory" : "view.graph.by_compute");
  if (after + text_size(bold, bound).x <= end)
    draw_text(list, bold, {after, centred_top(bold, title)}, memory ? theme.accent : theme.muted, bound);
  y += context.px(kCardTitle) + context.px(2);
  const auto line = [&](const char* key, const std::string& text) {
    if (text.empty()) return;
    const TextRun label[] = {{small, theme.muted, strings(key)}};
    flow_text(list, {left, y}, context.px(kCardLabel), context.px(kCardLine), label);
    const float from = left + context.px(kCardLabel);
    const TextRun runs[] = {{small, theme.text, text}};
    y += std::max(context.px(kCardLine), flow_text(list, {from, y}, right - from, context.px(kCardLine), runs));
  };
  if (one) {
    const GraphNode& node = graph.nodes[phase->nodes.front()];
    const OperatorType& type = *find_operator(node.type);
    line("view.graph.card_operator", std::string(strings.language == Language::en ? type.en : type.zh));
    line("view.graph.card_shapes", shapes_of(graph, node));
    const std::string formula = flops_formula(graph, node), flops = graph_number(phase->cost.flops / 1e6) + " MFLOP";
    line("view.graph.card_flops", formula.empty() ? flops : formula + " = " + flops);
    const std::string tensors = bytes_of_tensors(strings, graph, node);
    line("view.graph.card_bytes",
         tensors.empty() ? strings("view.graph.moves_nothing") : tensors + " = " + three_figures(phase->cost.bytes()));
  } else {
    line("view.graph.card_operators", strings.format("view.graph.card_count", fmt::arg("count", phase->nodes.size()),
                                                     fmt::arg("matmuls", phase->matmuls)));
    line("view.graph.card_flops", graph_number(phase->cost.flops / 1e6) + " MFLOP");
    line("view.graph.card_bytes", three_figures(phase->cost.bytes()));
  }
  const double ridge = ridge_of(shown_->side(decode), shown_->gpu);
  const auto peak = shown_->gpu.peak.of(phase->cost.rate);
  const double own_ridge =
      peak && shown_->gpu.bytes_per_second > 0 && one ? *peak / shown_->gpu.bytes_per_second : ridge;
  line("view.graph.card_intensity",
       strings.format(phase->cost.intensity() < own_ridge ? "view.graph.below_ridge" : "view.graph.above_ridge",
                      fmt::arg("intensity", graph_number(phase->cost.intensity())),
                      fmt::arg("ridge", graph_number(own_ridge)),
                      fmt::arg("rate", one ? fmt::format("({})", name_of(phase->cost.rate)) : std::string())));
  line("view.graph.card_time",
       strings.format("view.graph.time_bounds", fmt::arg("bytes", graph_number(phase->cost.bytes_seconds * kCardMicro)),
                      fmt::arg("flops", graph_number(phase->cost.flops_seconds * kCardMicro))));
  ImGui::SetCursorScreenPos({window.x, y + context.px(4)});
}

void GraphView::draw_node_and_roofline(PanelContext& context) {
  if (!shown_) return;
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const auto roofline = [&](float top) {
    const float side = context.px(kCardSide);
    ImGui::SetCursorScreenPos({window.x + side, top});
    std::optional<size_t> selected;
    if (const GraphRow* row = selected_row()) selected = static_cast<size_t>(row - shown_->rows.data());
    const auto pressed = draw_graph_roofline(context, *shown_, choice_.decode, selected,
                                             {size.x - 2 * side, window.y + size.y - top - context.px(6)});
    if (pressed && shown_->rows[*pressed].box) canvas_.select(shown_->rows[*pressed].box);
  };
  if (size.y >= context.px(kLeastForBoth)) {
    draw_node(context);
    const float y = std::max(ImGui::GetCursorScreenPos().y, window.y + context.px(150));
    separator_line(context, y);
    if (shown_) roofline(y + context.px(8));
    return;
  }
  const std::array<std::string, 2> names{context.strings("view.graph.node"), context.strings("view.graph.roofline")};
  ImGui::SetCursorScreenPos({window.x + context.px(kCardSide), window.y});
  const int current = tab_ == GraphTab::roofline ? 1 : 0;
  const int chosen = tab_row(context, "graph.part", names, current, context.px(kPartTabs));
  if (chosen != current) tab_ = chosen == 1 ? GraphTab::roofline : GraphTab::node;
  ImGui::SetCursorScreenPos({window.x, window.y + context.px(kPartTabs)});
  if (chosen == 1)
    roofline(window.y + context.px(kPartTabs + 4));
  else
    draw_node(context);
}

void GraphView::draw_lower(PanelContext& context, const Area& left, const Area& right) {
  if (left.width() > 0 && left.height() > 0) {
    begin_area("graph table", left, kFixedArea | ImGuiWindowFlags_NoNav);
    draw_table(context);
    edge(context.theme, left.right - 1, left.top, left.right, left.bottom);
    ImGui::EndChild();
  }
  if (right.width() > 0 && right.height() > 0) {
    begin_area("graph node", right, ImGuiWindowFlags_NoNav);
    draw_node_and_roofline(context);
    ImGui::EndChild();
  }
}

void GraphView::draw_lower_stacked(PanelContext& context, const Area& whole) {
  if (whole.width() <= 0 || whole.height() <= 0) return;
  begin_area("graph stacked", {whole.left, whole.top, whole.right, whole.top + context.px(kPartTabs)},
             kFixedArea | ImGuiWindowFlags_NoNav);
  ImGui::SetCursorScreenPos({whole.left + context.px(kCardSide), whole.top});
  const std::array<std::string, 3> names{context.strings("view.graph.table"), context.strings("view.graph.node"),
                                         context.strings("view.graph.roofline")};
  tab_ = static_cast<GraphTab>(tab_row(context, "graph.stacked", names, static_cast<int>(tab_), context.px(kPartTabs)));
  ImGui::EndChild();
  const Area below{whole.left, whole.top + context.px(kPartTabs), whole.right, whole.bottom};
  if (below.height() <= 0) return;
  begin_area("graph part", below, ImGuiWindowFlags_NoNav);
  if (tab_ == GraphTab::table) {
    draw_table(context);
  } else if (tab_ == GraphTab::node) {
    draw_node(context);
  } else if (shown_) {
    std::optional<size_t> selected;
    if (const GraphRow* row = selected_row()) selected = static_cast<size_t>(row - shown_->rows.data());
    const float side = context.px(kCardSide);
    ImGui::SetCursorScreenPos({below.left + side, below.top + context.px(4)});
    const auto pressed = draw_graph_roofline(context, *shown_, choice_.decode, selected,
                                             {below.width() - 2 * side, below.height() - context.px(10)});
    if (pressed && shown_->rows[*pressed].box) canvas_.select(shown_->rows[*pressed].box);
  }
  ImGui::EndChild();
}

}  // namespace tilescope
