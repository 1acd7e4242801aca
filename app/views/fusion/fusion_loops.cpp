// The page of the fusion view that shows two loop nests: their dependences, whether they may become one, and the nests
// that fusing and tiling make of them.
#include <algorithm>
#include <array>

#include "app/draw/widgets.hpp"
#include "app/views/fusion/fusion_view.hpp"
#include "engine/graph/loops_answer.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kDependenceRow = 22, kNestRow = 18;
constexpr std::array<int64_t, 3> kTileSteps{2, 4, 8};
constexpr std::array<size_t, 3> kRoomSteps{8, 16, 32};

/// What a kind of dependence is, for the tooltip.
const char* meaning_of_kind(DependenceKind kind) {
  switch (kind) {
    case DependenceKind::raw:
      return "view.fusion.raw";
    case DependenceKind::war:
      return "view.fusion.war";
    case DependenceKind::waw:
      return "view.fusion.waw";
    case DependenceKind::rar:
      break;
  }
  return "view.fusion.rar";
}

/// Lines of code in the code font. Returns the height.
float draw_code(PanelContext& context, ImVec2 low, float width, const std::string& text) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  float y = low.y;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    draw_text(list, context.fonts.code, {low.x, y}, context.theme.text,
              fit_text(context.fonts.code, text.substr(at, end - at), width));
    y += context.px(kNestRow);
    at = end + 1;
  }
  return y - low.y;
}

/// "label  2  4  8", of which one is chosen.
template <class T, size_t kCount>
bool draw_steps(PanelContext& context, const char* id, const std::string& label, const std::string& meaning, ImVec2& at,
                const std::array<T, kCount>& values, T& value) {
  ImFont* font = context.fonts.small;
  draw_text(ImGui::GetWindowDrawList(), font, {at.x, centred_top(font, at.y + context.px(12))}, context.theme.muted,
            label);
  at.x += text_size(font, label).x + context.px(8);
  bool changed = false;
  for (const T one : values) {
    bool pressed = false;
    const std::string name = fmt::format("{} {}", id, one);
    at.x = small_button(context, name.c_str(), fmt::format("{}", one), meaning, at, one == value, &pressed) +
           context.px(4);
    if (!pressed || one == value) continue;
    value = one;
    changed = true;
  }
  at.x += context.px(16);
  return changed;
}

}  // namespace

void FusionView::draw_loops_page(PanelContext& context, ImVec2 low, ImVec2 high) {
  if (!loops_.pair) return;
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("fusion loops", {high.x - low.x, high.y - low.y}, false, ImGuiWindowFlags_NoNav);
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, inside = context.px(22);
  ImDrawList* list = ImGui::GetWindowDrawList();
  float y = origin.y;
  const bool legal = loops_.fusion.legal();
  const ImVec2 sign{origin.x + context.px(8), y + context.px(12)};
  if (legal)
    draw_check(list, sign, context.px(11), theme.ok, context.px(2));
  else
    draw_cross(list, sign, context.px(10), theme.error, context.px(2));
  const std::string stop = strings("view.fusion.stop");
  const std::string verdict = strings.say(verdict_of(*loops_.pair, loops_.fusion)) + stop;
  std::string rest;
  if (legal) {
    const std::string space = strings.language == Language::en ? " " : "";
    rest = space + strings.say(threads_of(*loops_.pair, loops_.fusion)) + stop + space +
           strings.say(tiling_of(loops_.fusion)) + stop;
  }
  const TextRun runs[] = {{context.fonts.body_semibold, theme.text, verdict}, {context.fonts.body, theme.text, rest}};
  const float said = flow_text(list, {origin.x + inside, y}, width - inside, context.px(22), runs);
  mark(context, "fusion_verdict", {origin.x, y}, {origin.x + width, y + said});
  y += said + context.px(10);
  if (loops_.fusion.same_bounds) y += draw_dependences(context, {origin.x, y}, width) + context.px(10);
  if (legal) y += draw_nests(context, {origin.x, y}, width);
  ImGui::SetCursorScreenPos({origin.x, y});
  ImGui::Dummy({1, context.px(4)});
  ImGui::EndChild();
}

/// A row for each dependence: kind, array, distance, pairs, and how many would be reversed.
float FusionView::draw_dependences(PanelContext& context, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float row = context.px(kDependenceRow);
  const std::array<float, 5> at{low.x, low.x + width * 0.18F, low.x + width * 0.36F, low.x + width * 0.58F,
                                low.x + width * 0.76F};
  const std::array<const char*, 5> heads{"view.fusion.kind", "view.fusion.array", "view.fusion.distance",
                                         "view.fusion.pairs", "view.fusion.reversed"};
  for (size_t i = 0; i < at.size(); ++i) {
    const float room = (i + 1 < at.size() ? at[i + 1] : low.x + width) - at[i] - context.px(6);
    draw_text(list, font, {at[i], centred_top(font, low.y + row / 2)}, theme.muted,
              fit_text(font, strings(heads[i]), room));
    explain_rect(context, {at[i], low.y}, {at[i] + room, low.y + row}, strings(std::string(heads[i]) + "_meaning"));
  }
  float y = low.y + row;
  const size_t loops = loops_.pair->first.loops.size();
  for (const Dependence& one : loops_.fusion.dependences) {
    const std::string distance = one.distance ? text_of_iteration(*one.distance, loops) : strings("view.fusion.varies");
    const std::array<std::string, 5> cells{std::string(name_of(one.kind)), one.array, distance,
                                           with_separators(one.pairs), with_separators(one.reversed)};
    const ImU32 colour = one.prevents_fusion() ? theme.error : theme.text;
    for (size_t i = 0; i < at.size(); ++i)
      draw_text(list, i == 1 || i == 2 ? context.fonts.code : font,
                {at[i], centred_top(i == 1 || i == 2 ? context.fonts.code : font, y + row / 2)}, colour, cells[i]);
    explain_rect(context, {low.x, y}, {low.x + width, y + row}, strings(meaning_of_kind(one.kind)));
    y += row;
  }
  if (loops_.fusion.dependences.empty()) {
    draw_text(list, font, {low.x, centred_top(font, y + row / 2)}, theme.muted,
              fit_text(font, strings("view.fusion.independent"), width));
    y += row;
  }
  mark(context, "fusion_dependences", low, {low.x + width, y});
  return y - low.y;
}

/// The fused nest and the tiled one, and how many elements each order loads into a small memory.
float FusionView::draw_nests(PanelContext& context, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* bold = context.fonts.small_semibold;
  float y = low.y;
  draw_text(list, bold, {low.x, y}, context.theme.text, strings("view.fusion.fused_nest"));
  y += context.px(kDependenceRow);
  y += draw_code(context, {low.x, y}, width, fused_text(*loops_.pair)) + context.px(8);
  if (loops_.fusion.can_tile) {
    draw_text(list, bold, {low.x, y}, context.theme.text, strings("view.fusion.tiled_nest"));
    y += context.px(kDependenceRow);
    y += draw_code(context, {low.x, y}, width, tiled_text(*loops_.pair, loops_.tiles())) + context.px(8);
  }
  ImVec2 at{low.x, y};
  bool changed = false;
  if (loops_.fusion.can_tile)
    changed = draw_steps(context, "fusion tile", strings("view.fusion.tile"), strings("view.fusion.tile_meaning"), at,
                         kTileSteps, loops_.tile);
  if (draw_steps(context, "fusion room", strings("view.fusion.room"), strings("view.fusion.room_meaning"), at,
                 kRoomSteps, loops_.capacity) ||
      changed)
    loops_.count();
  y += context.px(30);
  const LoopMisses& misses = loops_.misses;
  const std::string counted = strings.format(loops_.fusion.can_tile ? "view.fusion.misses_tiled" : "view.fusion.misses",
                                             fmt::arg("accesses", misses.accesses), fmt::arg("room", loops_.capacity),
                                             fmt::arg("separate", misses.separate), fmt::arg("fused", misses.fused),
                                             fmt::arg("tiled", misses.tiled));
  const TextRun run[] = {{context.fonts.body, context.theme.text, counted}};
  const float said = flow_text(list, {low.x, y}, width, context.px(22), run);
  mark(context, "fusion_misses", {low.x, y}, {low.x + width, y + said});
  return y + said - low.y;
}

}  // namespace tilescope
