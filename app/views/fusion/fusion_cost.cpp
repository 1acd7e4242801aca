// The page of the fusion view about time: the graph with a kernel for each operator and with a kernel for each group,
// whether computing a result twice would pay, and predicted beside measured times of the labs that fuse.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/draw/widgets.hpp"
#include "app/views/fusion/fusion_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kCostBar = 22, kBarRow = 46, kCostLine = 20, kPairRow = 22, kPairTabs = 26, kCostLeft = 400,
                kCostBetween = 40;
constexpr float kSlimBar = 7;
constexpr size_t kMostGroups = 10;
constexpr float kBesideFrom = 880;  // the width from which both halves stand beside each other

/// The three terms of the model, as colours.
std::array<ImU32, 3> term_colours(const Theme& theme) { return {theme.write, theme.read, theme.reference}; }

std::array<double, 3> terms_of(const FusionGraph::Total& total) {
  return {total.launch_seconds, total.bytes_seconds, total.flops_seconds};
}

/// launch | bytes | FLOPs as one bar of `width` for `most` seconds.
void draw_terms(PanelContext& context, ImVec2 low, float width, double most, const std::array<double, 3>& seconds,
                float height = kCostBar) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto colours = term_colours(context.theme);
  float x = low.x;
  for (size_t term = 0; term < seconds.size(); ++term) {
    const float length = most > 0 ? width * static_cast<float>(seconds[term] / most) : 0;
    if (length > 0) list->AddRectFilled({x, low.y}, {x + length, low.y + context.px(height)}, colours[term]);
    x += length;
  }
}

/// "launches 2.7 µs · bytes 335 µs · FLOPs 6.0 µs"
std::string terms_text(const Strings& strings, const std::array<double, 3>& seconds) {
  return strings.format("view.fusion.terms", fmt::arg("launch", fusion_micro(seconds[0])),
                        fmt::arg("bytes", fusion_micro(seconds[1])), fmt::arg("flops", fusion_micro(seconds[2])));
}

std::string error_text(const std::optional<double>& error) {
  return error ? fmt::format("{}{:.0f}%", *error < 0 ? "−" : "+", std::abs(*error) * 100) : std::string("–");
}

/// A paragraph. Returns its height.
float draw_paragraph(PanelContext& context, ImVec2 low, float width, const std::string& text, bool muted) {
  const TextRun run[] = {{context.fonts.small, muted ? context.theme.muted : context.theme.text, text}};
  return flow_text(ImGui::GetWindowDrawList(), low, width, context.px(kCostLine), run) + context.px(4);
}

/// The colours of the terms, with their names.
float draw_legend(PanelContext& context, ImVec2 low) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const auto colours = term_colours(context.theme);
  const std::array<const char*, 3> names{"view.fusion.term_launch", "view.fusion.term_bytes", "view.fusion.term_flops"};
  float x = low.x;
  const float middle = low.y + context.px(kCostLine) / 2;
  for (size_t term = 0; term < names.size(); ++term) {
    const float half = context.px(5);
    list->AddRectFilled({x, middle - half}, {x + 2 * half, middle + half}, colours[term], context.px(2));
    const std::string& name = context.strings(names[term]);
    draw_text(list, font, {x + context.px(16), centred_top(font, middle)}, context.theme.muted, name);
    x += context.px(16 + 16) + text_size(font, name).x;
  }
  return context.px(kCostLine + 6);
}

/// "Launches are worth as much as bytes if the tensors were 12 times smaller": where the two savings are equal.
std::string break_even_text(const Strings& strings, const FusionGraph& graph) {
  const FusionGraph::Total before = graph.total(false), after = graph.total(true);
  const double launches = before.launch_seconds - after.launch_seconds,
               bytes = before.bytes_seconds - after.bytes_seconds;
  if (before.launches == after.launches) return strings("view.fusion.nothing_saved");
  std::string text = strings.format("view.fusion.saved", fmt::arg("launches", before.launches - after.launches),
                                    fmt::arg("launch_time", fusion_micro(launches)),
                                    fmt::arg("bytes", three_figures(before.bytes - after.bytes)),
                                    fmt::arg("byte_time", fusion_micro(bytes)));
  if (launches <= 0 || bytes <= 0) return text;
  const std::string space = strings.language == Language::en ? " " : "";
  const double factor = bytes > launches ? bytes / launches : launches / bytes;
  return text + space +
         strings.format(bytes > launches ? "view.fusion.even_smaller" : "view.fusion.even_larger",
                        fmt::arg("factor", short_number(std::round(factor * 10) / 10)));
}

/// The element-wise operators with several readers: computed once, or in each reader?
std::vector<std::string> decision_texts(const Strings& strings, const FusionGraph& graph) {
  std::vector<std::string> texts;
  for (size_t node = 0; node < graph.graph.nodes.size(); ++node) {
    const auto decision = decide(graph.graph, graph.costs, node, graph.gpu);
    if (!decision || decision->readers < 2) continue;
    std::string text =
        strings.format(decision->should_fuse() ? "view.fusion.recompute" : "view.fusion.keep_once",
                       fmt::arg("name", graph.graph.nodes[node].name), fmt::arg("readers", decision->readers),
                       fmt::arg("fused", fusion_micro(decision->fused_seconds)),
                       fmt::arg("separate", fusion_micro(decision->separate_seconds)));
    if (decision->break_even_flops)
      text += (strings.language == Language::en ? " " : "") +
              strings.format("view.fusion.break_even",
                             fmt::arg("flops", short_number(std::round(*decision->break_even_flops))));
    texts.push_back(std::move(text));
  }
  return texts;
}

/// Where the columns of the table of a pair end, as fractions of its width; the first begins at the left.
constexpr std::array<float, 4> kPairEnds{0.56F, 0.71F, 0.87F, 1.0F};

}  // namespace

void FusionView::draw_cost_page(PanelContext& context, ImVec2 low, ImVec2 high) {
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("fusion cost", {high.x - low.x, high.y - low.y}, false, ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, between = context.px(kCostBetween);
  const bool beside = width >= context.px(kBesideFrom);
  const float left = beside ? std::min(context.px(kCostLeft), width * 0.42F) : width;
  float bottom = origin.y + draw_graph_cost(context, origin, left);
  const ImVec2 pairs{beside ? origin.x + left + between : origin.x, beside ? origin.y : bottom + context.px(16)};
  bottom = std::max(bottom, pairs.y + draw_pairs(context, pairs, beside ? width - left - between : width));
  ImGui::SetCursorScreenPos({origin.x, bottom});
  ImGui::Dummy({1, context.px(4)});
  ImGui::EndChild();
}

float FusionView::draw_graph_cost(PanelContext& context, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float y = low.y;
  const std::string title = strings.format("view.fusion.graph_on", fmt::arg("gpu", graph_.gpu.name));
  draw_text(list, context.fonts.small_semibold, {low.x, y}, theme.text,
            fit_text(context.fonts.small_semibold, title, width));
  y += context.px(kCostLine + 2);
  y += draw_legend(context, {low.x, y});
  const FusionGraph::Total before = graph_.total(false), after = graph_.total(true);
  const double most = std::max(before.seconds(), after.seconds());
  for (const auto& [key, total] : {std::pair{"view.fusion.unfused", &before}, {"view.fusion.in_groups", &after}}) {
    const std::string name = strings.format(key, fmt::arg("launches", total->launches));
    const std::array<double, 3> seconds = terms_of(*total);
    draw_text(list, context.fonts.small, {low.x, y}, theme.text, name);
    draw_text_right(list, context.fonts.small_semibold, {low.x + width, y}, theme.text, fusion_micro(total->seconds()));
    draw_terms(context, {low.x, y + context.px(kCostLine)}, width, most, seconds);
    explain_rect(context, {low.x, y}, {low.x + width, y + context.px(kBarRow)}, terms_text(strings, seconds));
    y += context.px(kBarRow + 6);
  }
  mark(context, "fusion_bars", low, {low.x + width, y});
  y += draw_paragraph(context, {low.x, y}, width, break_even_text(strings, graph_), false);
  for (const std::string& text : decision_texts(strings, graph_))
    y += draw_paragraph(context, {low.x, y}, width, text, false);
  std::string rates =
      strings.format("view.fusion.rates", fmt::arg("launch", fusion_micro(graph_.gpu.launch_seconds)),
                     fmt::arg("of", graph_.launch_of.empty() ? graph_.gpu.name : graph_.launch_of),
                     fmt::arg("bandwidth", with_separators(static_cast<int64_t>(graph_.gpu.bytes_per_second * 1e-9))));
  y += draw_paragraph(context, {low.x, y}, width, rates, true);
  mark(context, "fusion_even", low, {low.x + width, y});
  return y + draw_groups_cost(context, {low.x, y + context.px(8)}, width) - low.y;
}

/// A row for each group: its operators, and its time with a kernel for each of them above its time as one kernel.
float FusionView::draw_groups_cost(PanelContext& context, ImVec2 low, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  double most = 0;
  std::vector<size_t> groups;
  for (size_t group = 0; group < graph_.fused.groups.size(); ++group) {
    const double seconds = graph_.total_of_group(group, false).seconds();
    if (seconds <= 0 || groups.size() == kMostGroups) continue;
    groups.push_back(group);
    most = std::max(most, seconds);
  }
  if (groups.size() < 2) return 0;
  float y = low.y;
  draw_text(list, context.fonts.small_semibold, {low.x, y}, context.theme.text,
            context.strings("view.fusion.by_group"));
  y += context.px(kCostLine + 4);
  for (const size_t group : groups) {
    const FusionGraph::Total before = graph_.total_of_group(group, false), after = graph_.total_of_group(group, true);
    std::string names;
    for (const size_t node : graph_.fused.groups[group])
      names.append(names.empty() ? "" : ", ").append(graph_.graph.nodes[node].name);
    const bool several = graph_.fused.groups[group].size() > 1;
    const std::string times = several ? fusion_micro(before.seconds()) + " → " + fusion_micro(after.seconds())
                                      : fusion_micro(after.seconds());
    draw_text_right(list, font, {low.x + width, y}, context.theme.text, times);
    draw_text(list, font, {low.x, y}, context.theme.text,
              fit_text(font, names, width - text_size(font, times).x - context.px(12)));
    float bar = y + context.px(kCostLine);
    if (several) {
      draw_terms(context, {low.x, bar}, width, most, terms_of(before), kSlimBar);
      bar += context.px(kSlimBar + 2);
    }
    draw_terms(context, {low.x, bar}, width, most, terms_of(after), kSlimBar);
    bar += context.px(kSlimBar);
    explain_rect(context, {low.x, y}, {low.x + width, bar},
                 {.title = names, .text = terms_text(context.strings, terms_of(after)), .quiet = {}});
    y = bar + context.px(8);
  }
  mark(context, "fusion_by_group", low, {low.x + width, y});
  return y - low.y;
}

void FusionView::take_pairs(const PanelContext& context) {
  const auto live = context.session.live_speed();
  if (pairs_ && live == live_) return;
  live_ = live;
  const auto& gpus = context.session.engine().gpus();
  pairs_ = std::vector<PairTable>();
  if (!gpus) return;
  const FusionPair* pair = live ? find_fusion_pair(live->lab) : nullptr;
  if (pair != nullptr)
    if (auto table = compare_pair(*pair, *live, *gpus); table && !table->rows.empty())
      pairs_->push_back(std::move(*table));
  for (PairTable& table : compare_pairs(context.session.recordings(), *gpus)) pairs_->push_back(std::move(table));
}

/// Predicted beside measured: a table for the chosen lab.
float FusionView::draw_pairs(PanelContext& context, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont *font = context.fonts.small, *bold = context.fonts.small_semibold;
  float y = low.y;
  take_pairs(context);
  draw_text(list, bold, {low.x, y}, theme.text, fit_text(bold, strings("view.fusion.pairs_title"), width));
  y += context.px(kCostLine + 4);
  if (pairs_->empty()) {
    y += draw_paragraph(context, {low.x, y}, width, strings("view.fusion.no_recordings"), true);
    return y - low.y;
  }
  const auto chosen_gpu = context.session.engine().modelled_gpu(context.session.request().gpu);
  ImVec2 at{low.x, y};
  for (size_t i = 0; i < pairs_->size(); ++i) {
    const PairTable& one = (*pairs_)[i];
    std::string name = fmt::format("{} {}", one.pair->lab, one.type == DType::f32 ? "fp32" : name_of(one.type));
    if (!chosen_gpu || one.gpu != chosen_gpu->name) name += ", " + one.gpu;
    if (at.x > low.x && at.x + text_size(font, name).x + context.px(16) > low.x + width)
      at = {low.x, at.y + context.px(kPairTabs + 2)};
    bool pressed = false;
    at.x = small_button(context, fmt::format("fusion pair {}", i + 1).c_str(), name,
                        strings("view.fusion.pair_meaning"), at, i == pair_, &pressed) +
           context.px(6);
    if (pressed) pair_ = i;
  }
  y = at.y + context.px(kPairTabs + 8);
  const PairTable& table = (*pairs_)[std::min(pair_, pairs_->size() - 1)];
  const float badge = draw_badge(context, list, {low.x + width, y - context.px(2)}, table.badge);
  const std::string source =
      strings.format("view.fusion.measured_on", fmt::arg("gpu", table.gpu), fmt::arg("date", table.date.substr(0, 10)));
  draw_text(list, font, {low.x, y}, theme.muted, fit_text(font, source, width - badge - context.px(12)));
  explain_rect(context, {low.x, y}, {low.x + width - badge, y + context.px(kCostLine)}, table.command);
  y += context.px(kPairRow + 2);
  const auto end = [&](size_t i) { return low.x + width * kPairEnds[i]; };
  const std::array<const char*, 3> heads{"view.fusion.predicted", "view.fusion.measured", "view.fusion.error"};
  for (size_t i = 0; i < heads.size(); ++i)
    draw_text_right(list, font, {end(i + 1), y}, theme.muted, strings(heads[i]));
  y += context.px(kPairRow);
  const ImVec2 first{low.x, y};
  std::vector<PairReason> reasons;
  const auto draw_side = [&](const std::string& name, const PairSide& side) {
    const float left = low.x + context.px(12);
    draw_text(list, font, {left, y}, theme.text, fit_text(font, name, end(0) - left - context.px(6)));
    draw_text_right(list, font, {end(1), y}, theme.text, fusion_micro(side.seconds()));
    draw_text_right(list, font, {end(2), y}, theme.text,
                    side.measured_seconds ? fusion_micro(*side.measured_seconds) : std::string("–"));
    const bool large = side.reason != PairReason::none;
    draw_text_right(list, large ? bold : font, {end(3), y}, large ? theme.error : theme.text, error_text(side.error()));
    std::string explained = terms_text(strings, {side.launch_seconds, side.bytes_seconds, side.flops_seconds});
    if (large) explained += "\n" + strings.say(sentence_of(side.reason));
    explain_rect(context, {low.x, y}, {low.x + width, y + context.px(kPairRow)}, explained);
    if (large && std::ranges::find(reasons, side.reason) == reasons.end()) reasons.push_back(side.reason);
    y += context.px(kPairRow - 2);
  };
  for (const PairRow& row : table.rows) {
    std::string size = row.size;
    if (const auto predicted = row.predicted_speedup(), measured = row.measured_speedup(); predicted && measured)
      size += strings.format("view.fusion.faster", fmt::arg("predicted", fmt::format("{:.2f}", *predicted)),
                             fmt::arg("measured", fmt::format("{:.2f}", *measured)));
    draw_text(list, bold, {low.x, y}, theme.text, fit_text(bold, size, width));
    y += context.px(kPairRow - 2);
    if (row.unfused)
      draw_side(strings.format("view.fusion.rung", fmt::arg("rung", table.pair->unfused),
                               fmt::arg("launches", row.unfused->launches)),
                *row.unfused);
    draw_side(strings.format("view.fusion.rung", fmt::arg("rung", table.pair->fused),
                             fmt::arg("launches", row.fused.launches)),
              row.fused);
    y += context.px(4);
  }
  mark(context, "fusion_pairs", first, {low.x + width, y});
  y += context.px(2);
  if (table.pair->unfused.empty())
    y += draw_paragraph(context, {low.x, y}, width, strings("view.fusion.no_unfused"), true);
  for (const PairReason reason : reasons)
    y += draw_paragraph(context, {low.x, y}, width, strings.say(sentence_of(reason)), false);
  y += draw_paragraph(context, {low.x, y}, width, strings("view.fusion.pairs_note"), true);
  return y - low.y;
}

}  // namespace tilescope
