// The traffic view: what moves between registers, shared memory, caches and device memory, and how much of it was
// requested.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/views/playback.hpp"
#include "app/views/questions.hpp"
#include "app/views/sampled_run.hpp"
#include "app/views/traffic/traffic_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kCompactBelow = 500;  // unscaled height of the view

const ViewRegistration registered_traffic{{"traffic", 30, make_view<TrafficView>}};

void take_result(TrafficPicture& picture, const PanelContext& context) {
  const auto& result = context.result;
  const bool same = picture.result.is(result);
  if (same && picture.language == context.strings.language) return;
  picture.language = context.strings.language;
  picture.sentence = traffic_sentence(context.strings, *result);
  if (same) return;
  picture.result = ResultReference(result);
  picture.chart = make_chart(*result);
  picture.rows = ledger_rows(*result);
  picture.of_block.reset();
}

/// A click goes to the line of the most wasteful row.
float draw_sentence(PanelContext& context, const TrafficPicture& picture, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  const TrafficSentence& said = picture.sentence;
  // Chinese needs no space between sentences.
  const std::string space = context.strings.language == Language::en ? " " : "";
  const std::string reason = space + said.reason, failure = space + failure_sentence(*context.result, context.strings);
  const TextRun runs[] = {{context.fonts.body_semibold, said.waste ? theme.error : theme.text, said.finding},
                          {context.fonts.body, theme.text, reason},
                          {context.fonts.body, theme.error, failure}};
  const float line = context.px(picture.compact ? 22 : 24);
  if (context.view.hides(ShownNumber::sectors) || context.view.hides(ShownNumber::wavefronts)) {
    const float veiled = flow_text(nullptr, low, width, line, runs);
    draw_veil(context, ImGui::GetWindowDrawList(), low, {low.x + width, low.y + veiled - context.px(2)});
    return veiled;
  }
  const float height = flow_text(ImGui::GetWindowDrawList(), low, width, line, runs);
  if (!said.worst) return height;
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area("sentence", {std::max(width, 1.0F), std::max(height, 1.0F)});
  mark(context, "traffic.sentence", low, {low.x + width, low.y + height});
  if (!ImGui::IsItemHovered() && !pressed) return height;
  explain(context, context.strings("traffic.sentence_meaning"));
  const uint32_t focus = focus_block(context.view, picture.result->tiles.grid.count());
  const LedgerRow& row = picture.rows[*said.worst];
  const auto access = access_of_row(trace_index(context.view, context.result), row, focus, {});
  if (!access) return height;
  context.view.hover = select_access(*context.result, *access);
  if (pressed) context.view.selection = context.view.hover;
  return height;
}

float draw_notes(PanelContext& context, const RunResult& result, ImVec2 low, float width) {
  float y = low.y;
  for (const std::string& note : notes_of(context.strings, result)) {
    const TextRun run[] = {{context.fonts.small, context.theme.muted, note}};
    y += flow_text(ImGui::GetWindowDrawList(), {low.x, y}, width, context.px(20), run);
  }
  return y - low.y;
}

void draw_observed(PanelContext& context, TrafficPicture& picture) {
  take_result(picture, context);
  const ImVec2 window = ImGui::GetWindowPos(), origin = ImGui::GetCursorScreenPos();
  const float left = window.x + context.px(24), width = ImGui::GetWindowWidth() - context.px(48);
  picture.compact = ImGui::GetWindowHeight() < context.px(kCompactBelow);
  float y = origin.y + context.px(picture.compact ? 8 : 12);
  y += draw_sentence(context, picture, {left, y}, width) + context.px(picture.compact ? 6 : 12);
  if (context.view.hides(ShownNumber::sectors) || context.view.hides(ShownNumber::wavefronts))
    return draw_veil(context, ImGui::GetWindowDrawList(), {left, y},
                     {left + width, std::max(y, window.y + ImGui::GetWindowHeight() - context.px(12))});
  if (!picture.rows.empty()) {
    y += draw_flow(context, picture, {left, y}, width) + context.px(picture.compact ? 4 : 12);
    if (!picture.compact) y += draw_notes(context, *picture.result, {left, y}, width) + context.px(4);
    separator_line(context, y);
    y += context.px(picture.compact ? 4 : 8);
    y += draw_instruction(context, picture, {left, y}, width);
  }
  ImGui::SetCursorScreenPos({window.x, y});
  ImGui::Dummy({1, context.px(picture.compact ? 4 : 12)});
}

}  // namespace

std::vector<std::string> notes_of(const Strings& strings, const RunResult& result) {
  std::vector<std::string> notes;
  if (result.blocks_sampled > 0)
    notes.push_back(strings.format(
        "traffic.note_sampled", fmt::arg("blocks", with_separators(result.blocks_sampled)),
        fmt::arg("all",
                 with_separators(result.plan.launches.empty() ? 0 : result.plan.launches.front().grid.count()))));
  else if (!result.trace.complete)
    notes.push_back(strings.format("traffic.note_cut",
                                   fmt::arg("blocks", with_separators(result.trace.blocks_recorded)),
                                   fmt::arg("all", with_separators(result.tiles.grid.count()))));
  const bool changed = std::ranges::any_of(result.traffic.lines, &LineTraffic::changed_by_ptxas);
  if (changed) notes.push_back(strings("traffic.note_changed"));
  if (!result.not_compared_reason.empty())
    notes.push_back(
        strings.format("traffic.note_not_compared", fmt::arg("reason", strings.say(result.not_compared_reason))));
  if (!result.machine_code_note.empty()) notes.push_back(sentence(strings, result.machine_code_note));
  return notes;
}

const ChartUse& shown_use(const TrafficPicture& picture) {
  const auto named = [&](const std::string& name) {
    return std::find_if(picture.chart.buffers.begin(), picture.chart.buffers.end(),
                        [&](const ChartUse& use) { return use.name == name; });
  };
  for (const std::string& name : {picture.hovered_buffer, picture.chosen_buffer}) {
    if (name.empty()) continue;
    if (const auto found = named(name); found != picture.chart.buffers.end()) return *found;
  }
  return picture.chart.total;
}

bool is_lit(const ViewState& view, int lane, uint32_t access, const std::optional<uint32_t>& partner) {
  return view.hover.lane == lane && view.hover.access && (*view.hover.access == access || view.hover.access == partner);
}

bool is_selected(const ViewState& view, int lane, uint32_t access, const std::optional<uint32_t>& partner) {
  return view.selection.lane == lane && view.selection.access &&
         (*view.selection.access == access || view.selection.access == partner);
}

ImU32 unused_colour(const Theme& theme) { return mix(theme.window, theme.error, 0.55F); }

ImU32 pass_colour(const Theme& theme, uint32_t group, uint32_t groups) {
  const float step = groups <= 1 ? 0 : 0.62F / static_cast<float>(groups - 1);
  return mix(theme.window, theme.ok, 1.0F - step * static_cast<float>(group));
}

/// The source shows a ledger in its margin. In a small window the view is high, so the area below it starts lower.
Lower TrafficView::lower(const PanelContext&, bool stacked) const {
  constexpr float kLower = 64;
  return {.areas = Lower::Areas::source, .lowered = stacked ? kLower : 0};
}

void TrafficView::draw(PanelContext& context) {
  if (!context.result) {
    empty_state(context, context.strings("traffic.empty_title"), context.strings("traffic.empty_hint"));
    return;
  }
  if (!context.result->observed) {
    draw_not_observed(context);
    return;
  }
  follow_result(context.view, context.result);
  draw_observed(context, picture_);
  dim_if_stale(context);
}

}  // namespace tilescope
