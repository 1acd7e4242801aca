// The page of the fusion view that shows a graph: its groups in colours, and every merge and refusal with its reason.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/fusion/fusion_view.hpp"
#include "engine/graph/operators.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kCanvasShare = 0.52F, kReasonRow = 20, kChosenRow = 28;

/// The number of each group among those of several operators, from 1; 0: it has one operator.
std::vector<size_t> numbers_of_groups(const FusedGroups& fused) {
  std::vector<size_t> numbers;
  size_t last = 0;
  for (const auto& group : fused.groups) numbers.push_back(group.size() > 1 ? ++last : 0);
  return numbers;
}

/// "3 kernels instead of 6: 470 MB instead of 1,208 MB, 114 µs instead of 284 µs." and the number of groups.
std::string sum_text(const Strings& strings, const FusionGraph& graph) {
  const FusionGraph::Total before = graph.total(false), after = graph.total(true);
  return strings.format("view.fusion.sum", fmt::arg("after", after.launches), fmt::arg("before", before.launches),
                        fmt::arg("bytes_after", three_figures(after.bytes)),
                        fmt::arg("bytes_before", three_figures(before.bytes)));
}

}  // namespace

std::vector<GraphFace> FusionView::faces(const PanelContext& context) const {
  const Strings& strings = context.strings;
  const std::vector<size_t> numbers = numbers_of_groups(graph_.fused);
  std::vector<GraphFace> faces;
  double most = 0;
  for (const NodeCost& cost : graph_.costs) most = std::max(most, predicted_seconds(cost, graph_.gpu));
  const GraphPieces pieces = pieces_of(graph_.graph, GraphLevel::operators);
  for (const GraphBox& box : pieces.boxes) {
    GraphFace face{.title = box.name};
    if (!box.nodes.empty()) {
      const size_t node = box.nodes.front(), group = graph_.fused.group_of[node], number = numbers[group];
      const GraphNode& one = graph_.graph.nodes[node];
      const double seconds = predicted_seconds(graph_.costs[node], graph_.gpu);
      face.title = one.name == one.type ? one.name : one.name + " = " + one.type;
      face.left = graph_.is_apart(node) ? strings("view.fusion.apart")
                  : number > 0          ? strings.format("view.fusion.group", fmt::arg("number", number))
                                        : strings("view.fusion.alone");
      face.right = fusion_micro(seconds);
      face.bar = most > 0 ? static_cast<float>(seconds / most) : 0;
      face.bar_of_memory = graph_.costs[node].bound_by_memory();
      if (number > 0) {
        face.outline = fusion_group_colour(context.theme, number - 1);
        face.fill = mix(context.theme.panel, face.outline, 0.14F);
      }
      face.explanation = strings.format(
          "view.fusion.box",
          fmt::arg("type",
                   strings.language == Language::en ? find_operator(one.type)->en : find_operator(one.type)->zh),
          fmt::arg("shape", text_of_shape(graph_.graph.tensors[one.output].shape)),
          fmt::arg("bytes", three_figures(graph_.costs[node].bytes())), fmt::arg("time", fusion_micro(seconds)));
    } else if (box.input) {
      face.explanation = text_of_shape(graph_.graph.tensors[*box.input].shape);
    }
    faces.push_back(std::move(face));
  }
  return faces;
}

void FusionView::draw_graph_page(PanelContext& context, ImVec2 low, ImVec2 high) {
  const std::string sum = sum_text(context.strings, graph_);
  const TextRun run[] = {{context.fonts.body_semibold, context.theme.text, sum}};
  float y = low.y;
  y += flow_text(ImGui::GetWindowDrawList(), {low.x, y}, high.x - low.x, context.px(22), run);
  mark(context, "fusion_sum", low, {high.x, y});
  y += context.px(4);
  const float canvas = std::floor((high.y - y) * kCanvasShare);
  canvas_.draw(context, {low.x, y}, {high.x, y + canvas});
  mark(context, "fusion_groups", {low.x, y}, {high.x, y + canvas});
  if (const auto opened = canvas_.take_opened(); opened && !canvas_.pieces().boxes[*opened].nodes.empty())
    toggle_apart(canvas_.pieces().boxes[*opened].nodes.front());
  y += canvas + context.px(4);
  y += draw_chosen(context, {low.x, y}, high.x);
  draw_reasons(context, {low.x, y}, high);
}

/// What the chosen operator is, and a button that keeps it out of groups. Returns the height.
float FusionView::draw_chosen(PanelContext& context, ImVec2 low, float right) {
  const Strings& strings = context.strings;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float height = context.px(kChosenRow), middle = low.y + context.px(12);
  const auto chosen = canvas_.selected();
  const bool of_node = chosen && !canvas_.pieces().boxes[*chosen].nodes.empty();
  if (!of_node) {
    const std::string hint = fit_text(font, strings("view.fusion.choose"), right - low.x);
    draw_text(list, font, {low.x, centred_top(font, middle)}, context.theme.muted, hint);
    return height;
  }
  const size_t node = canvas_.pieces().boxes[*chosen].nodes.front();
  const bool apart = graph_.is_apart(node);
  const std::string label = strings.format(apart ? "view.fusion.let_fuse" : "view.fusion.keep_apart",
                                           fmt::arg("name", graph_.graph.nodes[node].name));
  bool pressed = false;
  small_button(context, "fusion_apart", label, strings("view.fusion.keep_apart_meaning"), low, apart, &pressed);
  if (pressed) toggle_apart(node);
  return height;
}

/// Every edge that was considered: what joined and by which rule, what stays apart and why.
void FusionView::draw_reasons(PanelContext& context, ImVec2 low, ImVec2 high) {
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  if (high.y - low.y < context.px(kReasonRow)) return;
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("fusion reasons", {high.x - low.x, high.y - low.y}, false, ImGuiWindowFlags_NoNav);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, inside = context.px(20);
  float y = origin.y;
  const auto chosen = canvas_.selected();
  for (size_t i = 0; i < graph_.fused.steps.size(); ++i) {
    const FusionStep& step = graph_.fused.steps[i];
    const bool joined = graph_.fused.group_of[step.producer] == graph_.fused.group_of[step.consumer];
    if (!joined && !step.refusal) continue;
    const std::string text = strings.say(sentence_of(graph_.graph, step)) + strings("view.fusion.stop");
    const TextRun run[] = {{context.fonts.small, theme.text, text}};
    const float height = flow_text(nullptr, {0, 0}, width - inside, context.px(kReasonRow), run) + context.px(2);
    const auto box = canvas_.pieces().box_of[step.consumer];
    const bool lit = chosen && box == chosen;
    const ImVec2 row{origin.x, y}, end{origin.x + width, y + height};
    if (lit) list->AddRectFilled(row, end, theme.raised, context.px(4));
    ImGui::SetCursorScreenPos(row);
    ImGui::PushID(static_cast<int>(i));
    if (hit_area("reason", {width, height}) && box) canvas_.select(box);
    ImGui::PopID();
    const ImVec2 sign{origin.x + context.px(8), y + context.px(kReasonRow) / 2};
    if (joined)
      draw_check(list, sign, context.px(9), theme.ok, context.px(1.5F));
    else
      draw_cross(list, sign, context.px(8), theme.error, context.px(1.5F));
    flow_text(list, {origin.x + inside, y + context.px(1)}, width - inside, context.px(kReasonRow), run);
    if (y >= low.y && y + height <= high.y + 1) mark(context, fmt::format("fusion_reason {}", i + 1), row, end);
    y += height;
  }
  for (const std::string& name : graph_.apart) {
    if (!find_node(graph_.graph, name)) continue;
    draw_cross(list, {origin.x + context.px(8), y + context.px(kReasonRow) / 2}, context.px(8), theme.muted,
               context.px(1.5F));
    const std::string text = strings.format("view.fusion.kept_apart", fmt::arg("name", name));
    draw_text(list, context.fonts.small, {origin.x + inside, y + context.px(2)}, theme.muted,
              fit_text(context.fonts.small, text, width - inside));
    y += context.px(kReasonRow + 2);
  }
  mark(context, "fusion_reasons", low, high);
  ImGui::SetCursorScreenPos({origin.x, y});
  ImGui::Dummy({1, context.px(4)});
  ImGui::EndChild();
}

}  // namespace tilescope
