// The step view: replays one block, one warp instruction at a time, as the simulator executed it.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/observed/source_model.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/step/step_view.hpp"
#include "engine/step_record.hpp"

namespace tilescope {
namespace {

constexpr double kStepsPerSecond = 6;

const ViewRegistration registered_step{{"step", 50, make_view<StepView>}};

StepsShown& steps_of(ViewState& view) {
  if (view.steps == nullptr) view.steps = std::make_shared<StepsShown>();
  return *view.steps;
}

Dim3 grid_of(const RunResult& result) {
  return result.plan.launches[std::min<size_t>(result.launch, result.plan.launches.size() - 1)].grid;
}

/// The block to step through: the selected one.
uint64_t wanted_block(const PanelContext& context) {
  const uint64_t blocks = grid_of(*context.result).count();
  const auto& chosen = context.view.selection.block;
  return chosen && *chosen < blocks ? *chosen : usual_block(*context.result);
}

/// If the selection was changed elsewhere, goes to its step. False: it has no access of this block.
bool follow_selection(PanelContext& context, StepsShown& panel) {
  const Selection& selection = context.view.selection;
  const StepIndex& index = *panel.index;
  StepCursor& cursor = context.view.step;
  const auto& trace = context.result->trace;
  if (selection.access && *selection.access < trace.accesses.size()) {
    if (const auto place = index.place_of_access(trace.accesses[*selection.access])) {
      cursor.warp = place->first;
      cursor.position = place->second;
      cursor.playing = false;
      return true;
    }
  }
  if (index.count(cursor.warp) == 0 || !selection.line) return false;
  if (index.line_at(cursor.warp, cursor.position) == *selection.line) return false;
  if (const auto position = index.find_line(cursor.warp, cursor.position, *selection.line)) {
    cursor.position = *position;
    cursor.playing = false;
  }
  return false;
}

/// A new record starts at the selected access, else at what the checks found. The selection is otherwise unchanged, so
/// that it can still follow the next run's suggestion.
void begin_at(PanelContext& context, StepsShown& panel) {
  StepCursor& cursor = context.view.step;
  const StepIndex& index = *panel.index;
  cursor.playing = false;
  if (cursor.warp >= index.record().warps || index.count(cursor.warp) == 0) cursor.warp = 0;
  if (panel.other_window) {
    go_to_step(context, index, cursor.warp, cursor.position);
    return;
  }
  if (!follow_selection(context, panel))
    if (const auto mark = index.first_mark()) go_to_step(context, index, mark->first, mark->second);
  panel.synced = context.view.selection;
}

void advance(StepFrame& frame) {
  StepCursor& cursor = frame.cursor();
  if (!cursor.playing || !frame.context.view.animate) return;
  cursor.since_step += std::min(static_cast<double>(ImGui::GetIO().DeltaTime), 0.1);
  if (cursor.since_step < 1 / kStepsPerSecond) return;
  cursor.since_step = 0;
  if (frame.position + 1 >= frame.index.count(frame.warp)) {
    cursor.playing = false;
    return;
  }
  go_to_step(frame.context, frame.index, frame.warp, frame.position + 1);
  frame.position = cursor.position;
  frame.step_number = frame.index.step_at(frame.warp, frame.position);
}

float draw_sentence(StepFrame& frame, ImVec2 low, float right) {
  const Theme& theme = frame.context.theme;
  const Fonts& fonts = frame.context.fonts;
  const StepSentence said = step_sentence(frame);
  const std::string space = frame.context.strings.language == Language::en ? " " : "";
  const bool warned = !said.warning.empty();
  const std::string& last = warned ? said.warning : said.quiet;
  const std::string reason = said.reason.empty() ? "" : space + said.reason, after = last.empty() ? "" : space + last;
  const std::string failure = space + failure_sentence(*frame.context.result, frame.context.strings,
                                                       warned ? WithFindings::no : WithFindings::yes);
  const TextRun runs[] = {{fonts.body_semibold, theme.text, said.finding},
                          {fonts.body, theme.text, reason},
                          {fonts.body, warned ? theme.error : theme.muted, after},
                          {fonts.body, theme.error, failure}};
  return flow_text(frame.list, low, right - low.x, frame.context.px(24), runs);
}

/// Lanes, values and the preceding results, in a column.
void draw_column(StepFrame& frame, ImVec2 low, ImVec2 high) {
  const float unit = frame.context.view.scale;
  const float lanes = draw_step_lanes(frame, low, high.x);
  const float values_y = std::floor(low.y + lanes + 8 * unit);
  const float values = draw_step_values(frame, {low.x, values_y}, high);
  draw_step_trail(frame, {low.x, std::floor(values_y + values + 10 * unit)}, high);
}

void draw_record(PanelContext& context, const StepIndex& index) {
  // Unscaled pixels. In a narrow window the instructions are below the lanes; a low one scrolls.
  constexpr float kLeastBeside = 620, kLeastBody = 220, kColumn = 300, kInstructions = 200, kTrack = 44;
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const ImVec2 origin{window.x, window.y - ImGui::GetScrollY()};
  const float unit = context.view.scale, left = origin.x + 24 * unit, right = origin.x + size.x - 24 * unit;
  StepFrame frame = begin_step_frame(context, index);
  const float said = draw_sentence(frame, {left, origin.y + 12 * unit}, right);
  const float warps_y = std::floor(origin.y + 12 * unit + said + 8 * unit);
  ImGui::PushID("step");
  const float warps = draw_step_warps(frame, {left, warps_y}, right);
  const bool beside = right - left >= kLeastBeside * unit;
  const float top = std::floor(warps_y + warps + 14 * unit);
  const float least = top + (beside ? kLeastBody : kColumn + kInstructions) * unit + kTrack * unit;
  const float bottom = std::max(origin.y + size.y, least), low = bottom - kTrack * unit;
  if (beside) {
    const float split = std::floor(left + std::clamp((right - left) * 0.36F, 272 * unit, 440 * unit));
    draw_column(frame, {split + 28 * unit, top}, {right, low - 8 * unit});
    draw_step_ptx(frame, {left, top}, {split, low - 8 * unit});
  } else {
    const float middle = low - kInstructions * unit;
    draw_column(frame, {left, top}, {right, middle - 8 * unit});
    draw_step_ptx(frame, {left, middle}, {right, low - 8 * unit});
  }
  draw_step_track(frame, {left, bottom - 40 * unit}, {right, bottom - 8 * unit});
  ImGui::PopID();
  ImGui::SetCursorScreenPos({origin.x, bottom - 1});
  ImGui::Dummy({1, 1});
  end_step_frame(context);
}

void draw_waiting(PanelContext& context) {
  launch_in_corner(context);
  if (const auto error = context.session.steps_error()) {
    empty_state(context, context.strings("step.no_record_title"),
                with_file_names(as_sentence(context.strings, *error), *error));
    return;
  }
  empty_state(context, context.strings("step.recording_title"), context.strings("step.recording_hint"));
}

}  // namespace

void go_to_step(PanelContext& context, const StepIndex& index, uint32_t warp, uint64_t position) {
  if (warp >= index.record().warps || index.count(warp) == 0) return;
  StepCursor& cursor = context.view.step;
  cursor.warp = warp;
  cursor.position = std::min<uint64_t>(position, index.count(warp) - 1);
  cursor.since_step = 0;
  const Step& step = index.at(warp, cursor.position);
  const auto lane = context.view.selection.lane;
  Selection selection;
  if (const auto access = index.access_of(step)) selection = select_access(*context.result, *access, lane);
  selection.block = static_cast<uint32_t>(index.record().block);
  selection.lane = lane;
  const uint32_t line = index.instruction(step).line;
  selection.line = line != 0 ? std::optional(line) : context.view.selection.line;
  context.view.selection = selection;
  steps_of(context.view).synced = selection;
}

const StepIndex* steps_in_view(PanelContext& context) {
  const Strings& strings = context.strings;
  if (!context.result || context.result->plan.launches.empty()) {
    empty_state(context, strings("step.empty_title"), strings("step.empty_hint"));
    return nullptr;
  }
  follow_result(context.view, context.result);
  StepsShown& panel = steps_of(context.view);
  StepCursor& cursor = context.view.step;
  const uint64_t block = wanted_block(context);
  if (panel.block != block || !panel.result.is(context.result)) {
    panel.block = block;
    panel.result = ResultReference(context.result);
    panel.index.reset();
    cursor.first_step = 0;
  }
  context.session.want_steps({.block = block, .first_step = cursor.first_step});
  const auto record = context.session.steps();
  if (record && (!panel.index || !panel.index->is_of(record))) {
    panel.other_window = panel.index != nullptr;
    panel.index = std::make_unique<StepIndex>(record, context.result);
    panel.fresh = true;
  }
  // While a later window is being recorded, the last one stays.
  if (!panel.index || context.session.steps_error()) {
    panel.index.reset();
    draw_waiting(context);
    return nullptr;
  }
  if (std::exchange(panel.fresh, false)) {
    begin_at(context, panel);
  } else if (context.view.selection != panel.synced) {
    follow_selection(context, panel);
    panel.synced = context.view.selection;
  }
  if (panel.index->count(cursor.warp) == 0) {
    empty_state(context, strings("step.no_steps_title"), strings("step.no_steps_hint"));
    return nullptr;
  }
  return panel.index.get();
}

StepFrame begin_step_frame(PanelContext& context, const StepIndex& index) {
  StepCursor& cursor = context.view.step;
  cursor.position = std::min<uint64_t>(cursor.position, index.count(cursor.warp) - 1);
  StepFrame frame{.context = context,
                  .index = index,
                  .list = ImGui::GetWindowDrawList(),
                  .warp = cursor.warp,
                  .position = cursor.position,
                  .step_number = index.step_at(cursor.warp, cursor.position)};
  frame.hovered_lane = context.view.hover.lane.value_or(steps_of(context.view).hovered_lane);
  frame.selected_lane = context.view.selection.lane.value_or(-1);
  advance(frame);
  return frame;
}

void end_step_frame(PanelContext& context) {
  steps_of(context.view).hovered_lane = context.view.hover.lane.value_or(-1);
}

bool steps_move(const Session& session, const ViewState& view) {
  return view.step.playing || session.recording_steps();
}

bool StepView::moving(const Session& session, const ViewState& view) const { return steps_move(session, view); }

bool StepView::keys(PanelContext& context) {
  step_keys(context);
  return true;
}

void StepView::apply_to_result(ViewState& view, const ShotWishes& wishes) {
  view.step.warp = wishes.warp.value_or(view.step.warp);
  view.step.position = wishes.step.value_or(view.step.position);
}

void StepView::play(ViewState& view, int) { view.step.playing = true; }

void StepView::draw(PanelContext& context) {
  const StepIndex* index = steps_in_view(context);
  if (index == nullptr) return;
  draw_record(context, *index);
  dim_if_stale(context);
}

void step_keys(PanelContext& context) {
  const StepsShown& panel = steps_of(context.view);
  // After a change of lab the previous steps still exist, but their result does not.
  if (!context.result || !panel.result.is(context.result)) return;
  if (!panel.index || panel.index->count(context.view.step.warp) == 0) return;
  take_step_keys(context, *panel.index);
}

}  // namespace tilescope
