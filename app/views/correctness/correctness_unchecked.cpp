// Runs without a reference: the outputs as a map and in numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/sentences.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/correctness_model.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/correctness/correctness_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kUncheckedPadding = 24, kRow = 24, kUncheckedTitle = 24, kBar = 88, kTable = 320, kGutter = 40;
constexpr size_t kMostFindings = 4;

/// The shown output; a row of tabs if there are several.
size_t choose_output(PanelContext& context, CorrectnessState& state, const RunResult& run) {
  size_t& chosen = state.unchecked;
  if (state.unchecked_lab != run.request.lab || chosen >= run.statistics.size()) chosen = 0;
  state.unchecked_lab = run.request.lab;
  if (run.statistics.size() < 2) return 0;
  std::vector<std::string> names;
  for (const OutputStatistics& one : run.statistics) names.push_back(run.plan.buffers[one.buffer].name);
  chosen = static_cast<size_t>(tab_row(context, "output", names, static_cast<int>(chosen), context.px(28)));
  return chosen;
}

/// A sentence about an output whose correct values are unknown.
float draw_sentence(PanelContext& context, const RunResult& run, const OutputStatistics& output, ImVec2 low,
                    float right) {
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Badge badge = run.device.kind == DeviceKind::gpu ? Badge::measured : Badge::simulated;
  const float badge_wide = draw_badge(context, list, {right, low.y + context.px(2)}, badge);
  const auto name = fmt::arg("name", run.plan.buffers[output.buffer].name);
  std::string finding = strings.format("correctness.unchecked", name);
  ImU32 colour = theme.text;
  if (output.untouched > 0) {
    finding = strings.format("correctness.untouched_of", fmt::arg("count", with_separators(output.untouched)),
                             fmt::arg("all", with_separators(output.count)), name);
    colour = theme.error;
  } else if (output.nan > 0) {
    finding = strings.format("correctness.nan_of", fmt::arg("count", with_separators(output.nan)),
                             fmt::arg("all", with_separators(output.count)), name);
    colour = theme.error;
  }
  std::string quiet = " " + strings("correctness.unchecked_hint");
  for (const Phrase& warning : run.warnings)
    quiet += (strings.language == Language::en ? " " : "") + sentence(strings, warning);
  const TextRun runs[] = {{context.fonts.body_semibold, colour, finding}, {context.fonts.body, theme.muted, quiet}};
  return flow_text(list, low, right - low.x - badge_wide - context.px(24), context.px(24), runs);
}

/// Name, and the colour scale at the right.
void draw_legend(PanelContext& context, const std::string& name, const HeatMaps::Picture& picture, ImVec2 low,
                 float right) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const float centre = low.y + context.px(kUncheckedTitle) / 2, half = context.px(4), width = context.px(kBar);
  draw_text(list, context.fonts.code, {low.x, centred_top(context.fonts.code, centre)}, theme.text, name);
  float x = right;
  x -= draw_text_right(list, font, {x, centred_top(font, centre)}, theme.muted, short_number(picture.high)).x;
  x -= context.px(8);
  constexpr int kPieces = 16;
  for (int i = 0; i < kPieces; ++i) {
    const float a = static_cast<float>(i) / kPieces, b = static_cast<float>(i + 1) / kPieces;
    list->AddRectFilledMultiColor({x - width * (1 - a), centre - half}, {x - width * (1 - b), centre + half},
                                  viridis(a), viridis(b), viridis(b), viridis(a));
  }
  x -= width + context.px(8);
  draw_text_right(list, font, {x, centred_top(font, centre)}, theme.muted, short_number(picture.low));
}

void draw_value_map(PanelContext& context, const RunResult& run, size_t output, ImVec2 low, ImVec2 high) {
  const float rows = high.y - low.y - context.px(kUncheckedTitle + 4);
  if (context.heat_maps == nullptr || rows < context.px(16) || high.x - low.x < context.px(64)) return;
  const size_t buffer = run.statistics[output].buffer;
  const CellGrid grid =
      HeatMaps::fit(run, output, static_cast<int>(high.x - low.x), static_cast<int>(rows), context.view.scale);
  if (grid.count == 0) return;
  const HeatMaps::Request request{HeatMaps::Kind::value, output, grid, context.theme.error, !context.view.animate};
  const HeatMaps::Picture picture = context.heat_maps->draw(request, context.result);
  draw_legend(context, run.plan.buffers[buffer].name, picture, low, high.x);
  const ImVec2 corner{low.x, low.y + context.px(kUncheckedTitle + 4)};
  const ImVec2 end{corner.x + static_cast<float>(grid.width()), corner.y + static_cast<float>(grid.height())};
  if (end.x <= corner.x || end.y <= corner.y) return;
  ImGui::SetCursorScreenPos(corner);
  hit_area("map.result", {end.x - corner.x, end.y - corner.y});
  mark(context, "map.result", corner, end);
  ImGui::GetWindowDrawList()->AddImage(picture.texture, corner, end, {0, 0}, {1, 1});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto cell = cell_at(grid, mouse.x - corner.x, mouse.y - corner.y);
  const auto elements = cell ? elements_of(grid, *cell) : std::nullopt;
  if (!elements) return;
  const int64_t first = elements->first;
  context.view.hover = select_element(run, buffer, first);
  if (ImGui::IsItemClicked()) context.view.selection = select_element(run, buffer, first);
  explain(context,
          fmt::format("{}[{}] = {}", run.plan.buffers[buffer].name, element_text(run.plan.buffers[buffer], first),
                      value_text(value_at(*run.buffers[buffer], static_cast<size_t>(first)))));
}

/// Name and value, one pair per line.
void draw_numbers(PanelContext& context, const RunResult& run, const OutputStatistics& output, ImVec2 low,
                  float right) {
  const Strings& strings = context.strings;
  const BufferSpec& buffer = run.plan.buffers[output.buffer];
  const auto at = [&](double value, uint64_t index) {
    return short_number(value) + "   [" + element_text(buffer, static_cast<int64_t>(index)) + "]";
  };
  const bool any = output.finite > 0;
  struct Line {
    const char* key;
    std::string value;
    bool bad;
  };
  const std::array<Line, 9> lines{
      {{"correctness.elements", with_separators(output.count), false},
       {"correctness.smallest", any ? at(output.low, output.low_index) : "–", false},
       {"correctness.largest", any ? at(output.high, output.high_index) : "–", false},
       {"correctness.mean", any ? short_number(output.mean) : "–", false},
       {"correctness.deviation", any ? short_number(output.deviation) : "–", false},
       {"correctness.zeros", with_separators(output.zeros), false},
       {"correctness.nan", with_separators(output.nan), output.nan > 0},
       {"correctness.infinite", with_separators(output.infinite), output.infinite > 0},
       {"correctness.never_written", with_separators(output.untouched), output.untouched > 0}}};
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  for (const Line& line : lines) {
    const float top = centred_top(font, low.y + context.px(kRow) / 2);
    draw_text(list, font, {low.x, top}, context.theme.muted, strings(line.key));
    draw_text_right(list, font, {right, top}, line.bad ? context.theme.error : context.theme.text, line.value);
    low.y += context.px(kRow);
  }
}

}  // namespace

void draw_unchecked(PanelContext& context, CorrectnessState& state) {
  const RunResult& run = *context.result;
  const ImVec2 origin = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float left = origin.x + context.px(kUncheckedPadding),
              right = origin.x + size.x - context.px(kUncheckedPadding);
  float top = origin.y + context.px(12), bottom = origin.y + size.y - context.px(8);
  if (run.statistics.size() > 1) {
    ImGui::SetCursorScreenPos({left, origin.y + context.px(4)});
    top = origin.y + context.px(40);
  }
  const bool any = !run.statistics.empty();
  const size_t output = any ? choose_output(context, state, run) : 0;
  if (any) {
    top += draw_sentence(context, run, run.statistics[output], {left, top}, right) + context.px(8);
  } else {
    const TextRun none[] = {
        {context.fonts.body_semibold, context.theme.text, context.strings("correctness.no_outputs")}};
    top += flow_text(ImGui::GetWindowDrawList(), {left, top}, right - left, context.px(24), none) + context.px(8);
  }
  const size_t findings = std::min(run.findings.size(), kMostFindings);
  if (findings > 0) {
    bottom -= context.px(kRow) * static_cast<float>(findings + 1) + context.px(8);
    separator_line(context, bottom);
    draw_findings(context, run, {left, bottom + context.px(4)}, right, findings, true);
    bottom -= context.px(8);
  }
  const float printed = output_height(context, state, bottom - top);
  if (printed > 0)
    draw_output(context, state, {left, any ? bottom - printed : top}, {right, any ? bottom : top + printed});
  if (!any) return;
  const float table = std::min(context.px(kTable), (right - left) * 0.45F);
  draw_numbers(context, run, run.statistics[output], {right - table, top}, right);
  draw_value_map(context, run, output, {left, top},
                 {right - table - context.px(kGutter), bottom - printed - context.px(8)});
}

}  // namespace tilescope
