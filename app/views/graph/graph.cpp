// The graph view: where operators come from. A layer of a Transformer, or a model of the learner's own, as a graph of
// operators, with what each of them costs on the chosen GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "app/draw/widgets.hpp"
#include "app/sandbox/folder_listing.hpp"
#include "app/views/graph/graph_view.hpp"
#include "engine/graph/graph_file.hpp"
#include "engine/graph/operators.hpp"
#include "engine/numbers.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kGraphSide = 24, kChoices = 30, kLegend = 22;
constexpr float kGraphLower = 96;  // the graph is high, so the area below it starts lower
constexpr float kLowView = 520;    // height of the view below which the options are folded
constexpr float kBriefView = 340;  // below this height the sentence has its first part only
constexpr const char* kGraphLab = "transformer-graph";
constexpr double kMicro = 1e6;

const ViewRegistration registered_graph{{"graph", 96, make_view<GraphView>, /*leads=*/true}};

std::string compact(double value) {
  static constexpr std::array<const char*, 5> kUnits{" ", " k", " M", " G", " T"};
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return graph_number(value) + kUnits[unit];
}

GraphRow::Phase phase_of(const GraphSide& side, const GraphBox& box) {
  GraphRow::Phase phase{.nodes = box.nodes, .cost = {}};
  for (const size_t node : box.nodes) {
    phase.cost += side.costs[node];
    phase.cost.rate = side.costs[node].rate;
    phase.seconds += side.costs[node].seconds();
    phase.matmuls += side.numbers[node] > 0 ? 1 : 0;
  }
  return phase;
}

/// Boxes of one graph correspond to those of the other by the name of the operator, or by the turn of the module.
std::vector<std::string> keys_of(const OperatorGraph& graph, const GraphPieces& pieces, GraphLevel level) {
  std::map<std::string, size_t> turns;
  std::vector<std::string> keys;
  keys.reserve(pieces.boxes.size());
  for (const GraphBox& box : pieces.boxes) {
    if (box.nodes.empty())
      keys.emplace_back();
    else if (level == GraphLevel::operators)
      keys.push_back(graph.nodes[box.nodes.front()].name);
    else
      keys.push_back(fmt::format("{} {}", box.name, ++turns[box.name]));
  }
  return keys;
}

/// The rows of prefill in their order, each operator that only decode has after the one before it.
std::vector<GraphRow> rows_of(const Strings& strings, const GraphShown& shown, const GraphChoice& choice,
                              const GraphPieces& drawn) {
  const bool of_layer = choice.source != GraphSource::own;
  std::vector<GraphRow> rows;
  std::map<std::string, size_t> known;
  for (const bool decode : {false, true}) {
    if (decode && !shown.decode) continue;
    const GraphSide& side = shown.side(decode);
    const GraphPieces pieces = pieces_of(side.graph, choice.level);
    const std::vector<std::string> keys = keys_of(side.graph, pieces, choice.level);
    for (size_t box = 0; box < pieces.boxes.size(); ++box) {
      if (keys[box].empty()) continue;
      const auto [found, added] = known.try_emplace(keys[box], rows.size());
      if (added) {
        GraphRow row;
        const GraphNode& first = side.graph.nodes[pieces.boxes[box].nodes.front()];
        row.is_module = choice.level == GraphLevel::modules && !first.module.empty();
        row.name =
            row.is_module ? title_of_module(strings, first.module, of_layer) : title_of_node(strings, first, of_layer);
        if (!row.is_module) row.number = side.numbers[pieces.boxes[box].nodes.front()];
        row.module = first.module;
        rows.push_back(std::move(row));
      }
      (decode ? rows[found->second].decode : rows[found->second].prefill) = phase_of(side, pieces.boxes[box]);
    }
  }
  const std::vector<std::string> keys = keys_of(shown.side(choice.decode).graph, drawn, choice.level);
  for (size_t box = 0; box < keys.size(); ++box)
    if (const auto found = known.find(keys[box]); !keys[box].empty() && found != known.end())
      rows[found->second].box = box;
  return rows;
}

}  // namespace

void open_own_graph(OwnGraph& own, const std::filesystem::path& file) {
  ++own.version;
  own.typed = file.string();
  own.graph.reset();
  own.error.reset();
  own.file = file;
  auto graph = read_graph(file);
  if (graph)
    own.graph = std::move(*graph);
  else
    own.error = graph.error();
}

bool GraphView::concerns(const Session& session) const {
  return session.lab().name == kGraphLab || session.lab().name == "fusion";
}

Lower GraphView::lower(const PanelContext&, bool) const { return {.areas = Lower::Areas::own, .lowered = kGraphLower}; }

void GraphView::apply(ViewState&, const ShotWishes& wishes) {
  if (wishes.bottom == "groups") choice_.level = GraphLevel::modules;
  if (wishes.bottom == "roofline") tab_ = GraphTab::roofline;
}

/// Whatever the choice asks for, built anew only when something of it has changed.
void GraphView::update(const PanelContext& context) {
  if (choice_.source == GraphSource::lab) {
    if (context.lab().name == kGraphLab)
      choice_.options = lab_layer(context.session.request().config, context.rung().name);
    else
      choice_.source = GraphSource::llama, choice_.options = llama_7b();
  }
  const auto gpu = context.session.engine().modelled_gpu(context.session.request().gpu);
  if (!gpu) {
    error_ = gpu.error();
    shown_.reset();
    key_.reset();
    return;
  }
  Key key{choice_, gpu->id, context.strings.language == Language::en ? "en" : "zh", own_.version, context.theme.dark};
  if (key_ == key) return;
  key_ = std::move(key);
  build(context, rates_of(*gpu));
}

void GraphView::build(const PanelContext& context, const GpuRates& gpu) {
  // The same operator stays selected when sizes or the phase change.
  std::string was;
  if (const GraphRow* row = selected_row()) was = row->name;
  shown_.reset();
  error_.reset();
  GraphShown shown{.prefill = {.graph = {}, .costs = {}, .numbers = {}, .total = {}, .matmuls = {}},
                   .decode = {},
                   .rows = {},
                   .gpu = gpu};
  if (choice_.source == GraphSource::own) {
    error_ = own_.error;
    if (!own_.graph) return;
    shown.prefill = side_of(*own_.graph, gpu);
  } else {
    TransformerOptions options = choice_.options;
    options.phase = Phase::prefill;
    auto prefill = transformer_layer(options);
    options.phase = Phase::decode;
    auto decode = transformer_layer(options);
    if (!prefill || !decode) {
      error_ = !prefill ? prefill.error() : decode.error();
      return;
    }
    shown.prefill = side_of(std::move(*prefill), gpu);
    shown.decode = side_of(std::move(*decode), gpu);
  }
  GraphPieces pieces = pieces_of(shown.side(choice_.decode).graph, choice_.level);
  shown.rows = rows_of(context.strings, shown, choice_, pieces);
  shown_ = std::move(shown);
  // Only what is written in the boxes has changed: they stay where they are.
  const bool same = pieces.arrows == canvas_.pieces().arrows && pieces.boxes.size() == canvas_.pieces().boxes.size();
  std::vector<GraphFace> looks = faces(context);
  const bool named_alike =
      same && std::ranges::equal(pieces.boxes, canvas_.pieces().boxes, {}, &GraphBox::name, &GraphBox::name);
  if (named_alike)
    canvas_.set_faces(std::move(looks));
  else
    canvas_.show(std::move(pieces), std::move(looks));
  if (canvas_.selected()) return;
  double most = -1;
  std::optional<size_t> best;
  for (const GraphRow& row : shown_->rows) {
    const auto& phase = choice_.decode ? row.decode : row.prefill;
    if (!row.box || !phase) continue;
    if (row.name == was) most = 1e30, best = row.box;
    if (phase->seconds > most) most = phase->seconds, best = row.box;
  }
  canvas_.select(best);
}

std::vector<GraphFace> GraphView::faces(const PanelContext& context) const {
  const Strings& strings = context.strings;
  const GraphSide& side = shown_->side(choice_.decode);
  const GraphPieces pieces = pieces_of(side.graph, choice_.level);
  double longest = 0;
  for (const GraphRow& row : shown_->rows)
    if (const auto& phase = choice_.decode && shown_->decode ? row.decode : row.prefill; phase && row.box)
      longest = std::max(longest, phase->seconds);
  std::vector<GraphFace> looks(pieces.boxes.size());
  for (size_t box = 0; box < looks.size(); ++box)
    if (pieces.boxes[box].input) {
      looks[box].title = pieces.boxes[box].name;
      looks[box].explanation =
          strings.format("view.graph.input_meaning",
                         fmt::arg("shape", text_of_shape(side.graph.tensors[*pieces.boxes[box].input].shape)));
    }
  for (const GraphRow& row : shown_->rows) {
    const auto& phase = choice_.decode && shown_->decode ? row.decode : row.prefill;
    if (!row.box || !phase) continue;
    GraphFace& face = looks[*row.box];
    face.title = row.name;
    face.number = row.number;
    face.left = compact(phase->cost.flops);
    face.right = three_figures(phase->cost.bytes());
    face.bar = longest > 0 ? static_cast<float>(phase->seconds / longest) : 0;
    face.bar_of_memory = phase->cost.bound_by_memory();
    face.raised = phase->matmuls > 0;
    face.explanation =
        strings.format(face.bar_of_memory ? "view.graph.box_meaning_memory" : "view.graph.box_meaning_compute",
                       fmt::arg("name", row.name), fmt::arg("flops", compact(phase->cost.flops)),
                       fmt::arg("bytes", face.right), fmt::arg("intensity", graph_number(phase->cost.intensity())),
                       fmt::arg("time", graph_number(phase->seconds * kMicro)));
  }
  return looks;
}

const GraphRow* GraphView::selected_row() const {
  if (!shown_ || !canvas_.selected()) return nullptr;
  for (const GraphRow& row : shown_->rows)
    if (row.box == canvas_.selected()) return &row;
  return nullptr;
}

bool GraphView::draw_choices(PanelContext& context, float width) {
  const Strings& strings = context.strings;
  ImVec2 origin = ImGui::GetCursorScreenPos();
  const float height = context.px(kChoices);
  std::vector<std::string> sources{"LLaMA-7B", "BERT-base", strings("view.graph.this_lab"), strings("view.graph.own")};
  std::vector<TabNote> notes{{strings("view.graph.llama_meaning"), false},
                             {strings("view.graph.bert_meaning"), false},
                             {strings("view.graph.this_lab_meaning"), context.lab().name != kGraphLab},
                             {strings("view.graph.own_meaning"), false}};
  const int chosen = tab_row(context, "graph.source", sources, static_cast<int>(choice_.source), height, notes);
  if (chosen != static_cast<int>(choice_.source)) {
    choice_.source = static_cast<GraphSource>(chosen);
    if (choice_.source == GraphSource::llama) choice_.options = llama_7b();
    if (choice_.source == GraphSource::bert) choice_.options = bert_base();
    if (choice_.source == GraphSource::own) choice_.decode = false;
  }
  const std::array<std::string, 2> levels{strings("view.graph.modules"), strings("view.graph.operators")};
  const std::array<std::string, 2> phases{strings("view.graph.prefill"), strings("view.graph.decode")};
  const auto wide = [&](const std::array<std::string, 2>& names) {
    return text_size(context.fonts.small_semibold, names[0]).x + text_size(context.fonts.small_semibold, names[1]).x +
           context.px(24);
  };
  const float badge = badge_width(context, Badge::modelled) + context.px(24);
  const float right_part = badge + wide(levels) + context.px(40) + wide(phases);
  float of_sources = context.px(24) * static_cast<float>(sources.size());
  for (const std::string& source : sources) of_sources += text_size(context.fonts.small_semibold, source).x;
  const bool two_rows = of_sources + right_part > width;
  if (two_rows) origin.y += height;
  const bool badge_below = right_part > width;  // beside the legend
  const float x = origin.x + width - (badge_below ? 0 : badge) - wide(levels);
  if (choice_.source != GraphSource::own) {
    const float left = two_rows ? origin.x : x - wide(phases) - context.px(40);
    ImGui::SetCursorScreenPos({left, origin.y});
    const int phase = tab_row(context, "graph.phase", phases, choice_.decode ? 1 : 0, height);
    choice_.decode = phase == 1;
  }
  ImGui::SetCursorScreenPos({x, origin.y});
  const std::array<TabNote, 2> level_notes{TabNote{strings("view.graph.modules_meaning"), false},
                                           TabNote{strings("view.graph.operators_meaning"), false}};
  const int level = tab_row(context, "graph.level", levels, static_cast<int>(choice_.level), height, level_notes);
  choice_.level = static_cast<GraphLevel>(level);
  if (!badge_below)
    draw_badge(context, ImGui::GetWindowDrawList(), {origin.x + width, origin.y + (height - context.px(20)) / 2},
               Badge::modelled);
  ImGui::SetCursorScreenPos({origin.x, origin.y + height + context.px(6)});
  return !badge_below;
}

void GraphView::draw_sentence(PanelContext& context, float width) {
  const Strings& strings = context.strings;
  const GraphSide& side = shown_->side(choice_.decode);
  const double flops = side.total.cost.flops, seconds = side.total.seconds;
  std::string finding, reason;
  if (side.products == 0)
    finding = strings.format("view.graph.no_matmul", fmt::arg("count", with_separators(side.graph.nodes.size())));
  else
    finding = strings.format("view.graph.matmuls_do", fmt::arg("count", side.products),
                             fmt::arg("flops", percent_text(side.matmuls.flops / flops)),
                             fmt::arg("time", percent_text(side.matmul_seconds / seconds)));
  const auto& rates = shown_->gpu;
  if (shown_->decode) {
    const NodeCost &decode = shown_->decode->total.cost, &prefill = shown_->prefill.total.cost;
    reason = strings.format(decode.bound_by_memory() ? "view.graph.decode_memory" : "view.graph.decode_compute",
                            fmt::arg("bytes", three_figures(decode.bytes())), fmt::arg("flops", compact(decode.flops)),
                            fmt::arg("intensity", graph_number(decode.intensity())), fmt::arg("gpu", rates.name),
                            fmt::arg("ridge", graph_number(ridge_of(*shown_->decode, rates))),
                            fmt::arg("tokens", with_separators(choice_.options.sequence)),
                            fmt::arg("prefill", graph_number(prefill.intensity())));
  } else {
    reason = strings.format("view.graph.total", fmt::arg("flops", compact(flops)),
                            fmt::arg("bytes", three_figures(side.total.cost.bytes())),
                            fmt::arg("intensity", graph_number(side.total.cost.intensity())),
                            fmt::arg("time", graph_number(seconds * kMicro)), fmt::arg("gpu", rates.name));
  }
  const std::string space = strings.language == Language::en ? " " : "";
  const std::string second = space + reason;
  const bool brief = ImGui::GetWindowHeight() < context.px(kBriefView);
  const TextRun runs[] = {
      {context.fonts.body_semibold, context.theme.text, finding},
      {context.fonts.body, context.theme.text, brief ? std::string_view() : std::string_view(second)}};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = flow_text(ImGui::GetWindowDrawList(), at, width, context.px(22), runs);
  ImGui::SetCursorScreenPos({at.x, at.y + height + context.px(6)});
}

/// One line with the sizes: pressed, it shows or hides the options.
float GraphView::draw_fold(PanelContext& context, float width, bool unfolded) {
  const TransformerOptions& options = choice_.options;
  ImFont* small = context.fonts.small;
  const std::string whole = context.strings.format(
      "view.graph.options_line", fmt::arg("batch", with_separators(options.batch)),
      fmt::arg("sequence", with_separators(options.sequence)), fmt::arg("hidden", with_separators(options.hidden)),
      fmt::arg("heads", options.heads), fmt::arg("kv_heads", options.kv_heads),
      fmt::arg("mlp", with_separators(options.mlp)), fmt::arg("type", name_of(options.type)));
  const std::string text = fit_text(small, whole, width - context.px(20));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = context.px(22), middle = at.y + height / 2, wide = text_size(small, text).x + context.px(18);
  if (hit_area("fold options", {wide, height})) unfolded_ = !unfolded;
  const bool hovered = ImGui::IsItemHovered();
  explain(context, context.strings("view.graph.options_meaning"));
  mark(context, "graph.options", at, {at.x + wide, at.y + height});
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text(list, small, {at.x, centred_top(small, middle)}, hovered ? context.theme.accent : context.theme.muted,
            text);
  draw_chevron(list, {at.x + wide - context.px(7), middle}, context.px(8), context.theme.muted);
  return height;
}

void GraphView::draw_options(PanelContext& context, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  float height = 0;
  if (choice_.source == GraphSource::lab) {
    const TextRun runs[] = {{context.fonts.small, context.theme.muted, context.strings("view.graph.lab_sizes")}};
    height = flow_text(ImGui::GetWindowDrawList(), at, width, context.px(20), runs);
  } else {
    const bool low = ImGui::GetWindowHeight() < context.px(kLowView);
    const bool unfolded = unfolded_.value_or(!low);
    if (low || !unfolded) height = draw_fold(context, width, unfolded);
    ImGui::SetCursorScreenPos({at.x, at.y + height});
    if (unfolded) height += draw_layer_options(context, choice_.options, width);
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height + context.px(4)});
}

void GraphView::draw_legend(PanelContext& context, ImVec2 low, float right) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = context.fonts.small;
  const float middle = low.y + context.px(kLegend) / 2;
  float x = low.x;
  const auto entry = [&](const char* key, ImU32 colour, bool bar) {
    const std::string& text = context.strings(key);
    const float wide = text_size(small, text).x + (bar ? context.px(22) : 0);
    if (x + wide > right) return;
    if (bar) {
      list->AddRectFilled({x, middle - context.px(1)}, {x + context.px(14), middle + context.px(1)}, colour);
      x += context.px(20);
    }
    x += draw_text(list, small, {x, centred_top(small, middle)}, context.theme.muted, text).x + context.px(16);
  };
  entry(canvas_.compact() ? "view.graph.legend_brief" : "view.graph.legend", 0, false);
  entry("view.graph.by_memory", context.theme.accent, true);
  entry("view.graph.by_compute", context.theme.text, true);
}

void GraphView::draw(PanelContext& context) {
  update(context);
  const ImVec2 window = ImGui::GetWindowPos(), origin = ImGui::GetCursorScreenPos();
  const float left = window.x + context.px(kGraphSide), width = ImGui::GetWindowWidth() - context.px(2 * kGraphSide);
  const float bottom = window.y + ImGui::GetWindowHeight();
  if (width < context.px(120)) return;
  ImGui::SetCursorScreenPos({left, origin.y + context.px(4)});
  const bool has_badge = draw_choices(context, width);
  if (choice_.source == GraphSource::own) draw_own(context, width);
  update(context);
  if (!shown_) {
    const std::string why = error_ ? as_sentence(context.strings, *error_) : context.strings("view.graph.own_hint");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const TextRun runs[] = {{context.fonts.body, error_ ? context.theme.error : context.theme.muted, why}};
    const float height = flow_text(ImGui::GetWindowDrawList(), at, width, context.px(22), runs);
    mark(context, "graph.message", at, {at.x + width, at.y + height});
    ImGui::SetCursorScreenPos({at.x, at.y + height});
    if (choice_.source != GraphSource::own) draw_options(context, width);
    return;
  }
  draw_sentence(context, width);
  if (choice_.source != GraphSource::own) draw_options(context, width);
  update(context);
  if (!shown_) return;
  const float top = ImGui::GetCursorScreenPos().y, legend = bottom - context.px(kLegend);
  if (legend - top < context.px(40)) return;
  canvas_.draw(context, {left, top}, {left + width, legend});
  float right = left + width;
  if (!has_badge)
    right -= draw_badge(context, ImGui::GetWindowDrawList(), {right, legend}, Badge::modelled) + context.px(8);
  draw_legend(context, {left, legend}, right);
  if (const auto box = canvas_.take_opened()) open_lab(context, *box);
}

bool GraphView::keys(PanelContext& context) {
  if (!shown_) return false;
  const bool used = canvas_.keys();
  if (const auto box = canvas_.take_opened()) open_lab(context, *box);
  return used;
}

void GraphView::open_lab(PanelContext& context, size_t box) {
  const GraphBox& pressed = canvas_.pieces().boxes[box];
  const OperatorGraph& graph = shown_->side(choice_.decode).graph;
  if (pressed.nodes.size() != 1) {
    if (!pressed.nodes.empty()) choice_.level = GraphLevel::operators;  // a module has no lab: its operators have
    return;
  }
  const GraphNode& node = graph.nodes[pressed.nodes.front()];
  const NodeLab found = lab_of_node(graph, node, context.session.request().device);
  if (found.lab == nullptr) {
    context.view.say = context.strings.format("view.graph.no_lab", fmt::arg("name", node.name));
    return;
  }
  Session& session = context.session;
  session.select_lab(found.lab->name);
  for (const auto& [name, value] : found.sizes) session.set_size(name, value);
  for (const auto& [name, value] : found.params) session.set_param(name, value);
  context.view.tab = "tiles";
  const std::string title = context.strings(found.lab->title);
  context.view.say = found.changed.empty()
                         ? context.strings.format("view.graph.opened", fmt::arg("lab", title))
                         : context.strings.format("view.graph.opened_changed", fmt::arg("lab", title),
                                                  fmt::arg("sizes", fmt::format("{}", fmt::join(found.changed, ", "))));
}

}  // namespace tilescope
