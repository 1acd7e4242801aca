// The fusion view: which operators of a graph one kernel may compute, whether two loop nests may become one, and what
// that saves.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/page_head.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/fusion/fusion_view.hpp"

namespace tilescope {
namespace {

const ViewRegistration registered_fusion{{"fusion", 97, make_view<FusionView>, /*leads=*/true}};

// Unscaled pixels.
constexpr float kFusionLower = 110;
constexpr float kTextLeast = 280, kTextMost = 540, kErrorRow = 20;
constexpr float kBesideLeast = 560;  // width from which the text stands beside what it gives
constexpr float kTextHeight = 220, kPageHeight = 300;

}  // namespace

ImU32 fusion_group_colour(const Theme& theme, size_t number) {
  const std::array<ImU32, 5> colours{theme.read, theme.write, theme.ok, theme.reference, theme.waiting};
  return colours[number % colours.size()];
}

std::string fusion_micro(double seconds) {
  const double micro = seconds * 1e6;
  if (micro >= 1000) return with_separators(std::llround(micro)) + " µs";
  return fmt::format("{:.{}f} µs", micro, micro >= 100 ? 0 : micro >= 10 ? 1 : 2);
}

FusionView::FusionView() {
  graph_text_.view.buffer.reset(graph_examples().front().text);
  loops_text_.view.buffer.reset(loop_examples().front().text);
}

Lower FusionView::lower(const PanelContext&, bool) const { return {.lowered = kFusionLower}; }

void FusionView::apply(ViewState&, const ShotWishes& wishes) {
  if (wishes.bottom == "loops") page_ = FusionPage::loops;
  if (wishes.bottom == "cost") page_ = FusionPage::cost;
}

bool FusionView::keys(PanelContext&) {
  return page_ == FusionPage::graph && !graph_text_.view.focused() && !ImGui::GetIO().WantTextInput && canvas_.keys();
}

void FusionView::toggle_apart(size_t node) {
  const std::string& name = graph_.graph.nodes[node].name;
  if (graph_.apart.erase(name) == 0) graph_.apart.insert(name);
  graph_.build(graph_.gpu);
}

void FusionView::update(const PanelContext& context) {
  const auto spec = context.session.engine().modelled_gpu(context.session.request().gpu);
  if (spec && spec->id != gpu_) {
    gpu_ = spec->id;
    graph_.gpu = fusion_rates(*spec, &graph_.launch_of);
    graph_.build(graph_.gpu);
  }
  if (graph_text_.taken != graph_text_.view.buffer.revision()) {
    graph_text_.taken = graph_text_.view.buffer.revision();
    graph_.take(graph_text_.view.buffer.text());
  }
  if (loops_text_.taken != loops_text_.view.buffer.revision()) {
    loops_text_.taken = loops_text_.view.buffer.revision();
    loops_.take(loops_text_.view.buffer.text());
  }
  const std::string language = context.strings.language == Language::en ? "en" : "zh";
  if (shown_version_ == graph_.version && language_ == language && dark_ == context.theme.dark) return;
  const std::optional<size_t> chosen = canvas_.selected();
  std::string name = chosen ? canvas_.pieces().boxes[*chosen].name : std::string();
  canvas_.show(pieces_of(graph_.graph, GraphLevel::operators), faces(context));
  const auto& boxes = canvas_.pieces().boxes;
  const auto found = std::ranges::find(boxes, name, &GraphBox::name);
  if (!name.empty() && found != boxes.end()) canvas_.select(static_cast<size_t>(found - boxes.begin()));
  shown_version_ = graph_.version;
  language_ = language;
  dark_ = context.theme.dark;
}

void FusionView::draw(PanelContext& context) {
  update(context);
  const Strings& strings = context.strings;
  const std::array<ViewPage, 3> pages{
      ViewPage{strings("view.fusion.graph"), {strings("view.fusion.graph_meaning"), false}, Badge::modelled},
      ViewPage{strings("view.fusion.loops"), {strings("view.fusion.loops_meaning"), false}, {}},
      ViewPage{strings("view.fusion.cost"), {strings("view.fusion.cost_meaning"), false}, Badge::modelled}};
  int page = static_cast<int>(page_);
  const auto area = page_head(context, "fusion_page", pages, page);
  page_ = static_cast<FusionPage>(page);
  if (!area) return;
  if (page_ == FusionPage::cost) return draw_cost_page(context, area->low, area->high);
  draw_text_page(context, area->low, area->high);
}

/// The text beside what it gives, or above it in a narrow window; it scrolls where there is too little room for both.
void FusionView::draw_text_page(PanelContext& context, ImVec2 low, ImVec2 high) {
  const bool beside = high.x - low.x >= context.px(kBesideLeast);
  const float text_height = context.px(kTextHeight), rest = context.px(kPageHeight);
  const float height = std::max(high.y - low.y, beside ? rest : text_height + rest);
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("fusion page", {high.x - low.x, high.y - low.y}, false, ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - (height > high.y - low.y ? context.px(8) : 0);
  const float share = page_ == FusionPage::graph ? 0.38F : 0.48F;  // a nest is a long line
  const float column = std::clamp(width * share, context.px(kTextLeast), context.px(kTextMost)), gap = context.px(20);
  const ImVec2 text_high{origin.x + (beside ? column : width), origin.y + (beside ? height : text_height)};
  const bool graph = page_ == FusionPage::graph;
  draw_text_column(context, graph ? graph_text_ : loops_text_, graph ? graph_examples() : loop_examples(),
                   graph ? graph_.problem : loops_.problem, origin, text_high);
  if (beside) {
    const float line = std::max(1.0F, std::round(context.px(1))), x = origin.x + column + gap / 2;
    ImGui::GetWindowDrawList()->AddRectFilled({x, origin.y - context.px(10)}, {x + line, origin.y + height},
                                              context.theme.separator);
  }
  const ImVec2 page_low = beside ? ImVec2(origin.x + column + gap, origin.y)
                                 : ImVec2(origin.x, origin.y + text_height + context.px(12)),
               page_high{origin.x + width, origin.y + height};
  if (graph)
    draw_graph_page(context, page_low, page_high);
  else
    draw_loops_page(context, page_low, page_high);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({1, height - 1});
  ImGui::EndChild();
}

void FusionView::draw_text_column(PanelContext& context, FusionText& text, std::span<const FusionExample> examples,
                                  const std::optional<TextProblem>& problem, ImVec2 low, ImVec2 high) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImVec2 at = low;
  const std::string current = text.view.buffer.text();
  for (size_t i = 0; i < examples.size(); ++i) {
    const std::string& title = context.strings(examples[i].key);
    const float width = text_size(context.fonts.small, title).x + context.px(16);
    if (at.x > low.x && at.x + width > high.x) at = {low.x, at.y + context.px(kSmallButtonHeight + 6)};
    bool pressed = false;
    const std::string id = fmt::format("fusion example {}", i + 1);
    at.x = small_button(context, id.c_str(), title, context.strings("view.fusion.example_meaning"), at,
                        current == examples[i].text, &pressed) +
           context.px(6);
    if (pressed) {
      text.view.buffer.select_all();
      text.view.buffer.paste(examples[i].text);
      text.view.buffer.place({0, 0});
      graph_.apart.clear();
    }
  }
  const float top = at.y + context.px(kSmallButtonHeight + 8);
  std::string what;
  float error = 0;
  if (problem) {
    what = context.strings.message(problem->error) + context.strings("view.fusion.stop") +
           context.strings("view.fusion.kept");
    const TextRun run[] = {{context.fonts.small, theme.error, what}};
    error = flow_text(nullptr, {0, 0}, high.x - low.x, context.px(kErrorRow), run) + context.px(8);
  }
  CodeView::Hooks hooks;
  hooks.fill = [&](uint32_t line) -> ImU32 {
    return problem && problem->line == line ? mix(theme.window, theme.error, 0.16F) : 0;
  };
  const float height = std::max(context.px(40), high.y - error - top);
  ImGui::SetCursorScreenPos({low.x, top});
  ImGui::BeginChild("fusion text", {high.x - low.x, height}, false, kFixedArea);
  text.view.draw(context, page_ == FusionPage::graph ? "graph text" : "loops text", {high.x - low.x, height}, hooks);
  ImGui::EndChild();
  mark(context, "fusion_text", {low.x, top}, {high.x, top + height});
  if (!problem) return;
  const TextRun run[] = {{context.fonts.small, theme.error, what}};
  flow_text(list, {low.x, high.y - error + context.px(4)}, high.x - low.x, context.px(kErrorRow), run);
  mark(context, "fusion_error", {low.x, high.y - error}, high);
}

}  // namespace tilescope
