// The plane of queries and keys: what a block of an attention kernel reads and keeps, as observed by the simulator.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/plane/plane_view.hpp"
#include "app/views/playback.hpp"
#include "app/views/playback_button.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kPadding = 24, kBetween = 24, kPlayback = 32, kSwitch = 24;
// Below this width the row is drawn below the plane; below these heights the view scrolls.
constexpr float kLeastBeside = 620, kLeastPlane = 280, kLeastTrace = 300;
constexpr double kWalkSeconds = 6;

/// Selects the row whose steps the rung records when the learner switches to the rung.
void go_to_noted_row(PanelContext& context, const PlanePicture& picture) {
  const std::optional<int64_t> row = noted_row(picture);
  if (!row) return;
  for (const PlaneStrip& strip : picture.strips) {
    const int64_t query = *row - strip.head * picture.extents.queries;
    if (query < strip.queries.begin || query >= strip.queries.end) continue;
    context.view.selection = {};
    context.view.selection.block = strip.block;
    context.view.plane.row = row;
    return;
  }
}

/// Once per result.
void follow(PanelContext& context, Plane& plane) {
  const bool asked_for = plane.rung.empty() && context.view.selection.block;  // by the code that opened the window
  follow_result(context.view, context.result);
  if (plane.followed == plane.picture.generation) return;
  plane.followed = plane.picture.generation;
  plane.hover = {};
  if (plane.rung == context.result->rung) return;
  const bool first = std::exchange(plane.rung, context.result->rung).empty();
  if (!first) {
    context.view.plane.step = -1;
    context.view.plane.row.reset();
  }
  if (!asked_for) go_to_noted_row(context, plane.picture);
}

uint32_t explained_block(const PanelContext& context, const PlanePicture& picture) {
  for (const auto& block : {context.view.hover.block, context.view.selection.block})
    if (block && picture.strip_of(*block) != nullptr) return *block;
  const uint32_t usual = usual_block(*context.result);
  return picture.strip_of(usual) != nullptr ? usual : picture.strips.front().block;
}

float draw_sentence(PlaneFrame& frame, ImVec2 low, float width) {
  const Theme& theme = frame.context.theme;
  const PlaneSentence said = plane_sentence(frame.context.strings, frame.picture, frame.strip, frame.walk);
  // Chinese needs no space between sentences.
  const std::string space = frame.context.strings.language == Language::en ? " " : "";
  const std::string reason = space + said.reason, quiet = said.quiet.empty() ? "" : space + said.quiet;
  const std::string failure = space + failure_sentence(*frame.context.result, frame.context.strings);
  const TextRun runs[] = {{frame.context.fonts.body_semibold, theme.text, said.finding},
                          {frame.context.fonts.body, theme.text, reason},
                          {frame.context.fonts.body, theme.muted, quiet},
                          {frame.context.fonts.body, theme.error, failure}};
  const float right = low.x + width;
  const ImVec2 from = launch_before_sentence(frame.context, low, right);
  return from.y - low.y + flow_text(frame.list, from, right - from.x, frame.px(24), runs);
}

/// The name of a step: a key, a block of K and V, or just a step if not both are read.
struct StepNames {
  const char *one, *all;
};
StepNames names_of(const PlaneFrame& frame) {
  if (!frame.walk.reads_k || !frame.walk.reads_v) return {"plane.stretch_of", "plane.all_stretches"};
  if (frame.walk.widest() == 1) return {"plane.key_of", "plane.all_keys"};
  return {"plane.step_of", "plane.all_steps"};
}

std::string moment_text(const PlaneFrame& frame) {
  const size_t steps = frame.walk.steps.size();
  const StepNames names = names_of(frame);
  if (frame.done >= steps) return frame.context.strings.format(names.all, fmt::arg("all", with_separators(steps)));
  return frame.context.strings.format(names.one, fmt::arg("step", with_separators(frame.done)),
                                      fmt::arg("all", with_separators(steps)));
}

void draw_track(PlaneFrame& frame, float x0, float x1, float y) {
  const Theme& theme = frame.context.theme;
  PlaneCursor& cursor = frame.context.view.plane;
  const auto steps = static_cast<float>(frame.walk.steps.size());
  ImGui::SetCursorScreenPos({x0 - frame.px(6), y - frame.px(10)});
  hit_area("track", {x1 - x0 + frame.px(12), frame.px(20)});
  if (ImGui::IsItemActive()) {
    const float at = std::clamp((ImGui::GetIO().MousePos.x - x0) / (x1 - x0), 0.0F, 1.0F);
    cursor.playing = false;
    cursor.step = std::round(at * steps);
  }
  explain(frame.context, frame.context.strings("plane.track_meaning"));
  mark(frame.context, "playback.track", {x0, y - frame.px(4)}, {x1, y + frame.px(4)});
  const float handle = x0 + (x1 - x0) * static_cast<float>(frame.done) / std::max(steps, 1.0F), half = frame.px(1.5F);
  frame.list->AddRectFilled({x0, y - half}, {x1, y + half}, theme.separator, half);
  frame.list->AddRectFilled({x0, y - half}, {handle, y + half}, theme.accent, half);
  frame.list->AddCircleFilled({handle, y}, frame.px(5), theme.accent, 24);
}

void draw_playback(PlaneFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  PlaneCursor& cursor = context.view.plane;
  const size_t steps = frame.walk.steps.size();
  if (steps == 0) return;
  const float size = frame.px(24), y = std::round((low.y + high.y) / 2), top = y - size / 2;
  const float left = low.x - frame.px(6);
  ImGui::PushID("plane");
  if (playback_button(context, "back", {left, top}, PlaybackIcon::back, context.strings("plane.step_back")))
    step_plane(cursor, steps, -1);
  if (playback_button(context, "play", {left + size, top}, cursor.playing ? PlaybackIcon::pause : PlaybackIcon::play,
                      context.strings(cursor.playing ? "tiles.pause" : "plane.play")))
    toggle_plane(cursor, steps);
  if (playback_button(context, "on", {left + 2 * size, top}, PlaybackIcon::forward, context.strings("plane.step_on")))
    step_plane(cursor, steps, 1);
  ImFont* font = context.fonts.small;
  const std::string all = with_separators(steps);
  const StepNames names = names_of(frame);
  const float width =
      std::max(text_size(font, context.strings.format(names.one, fmt::arg("step", all), fmt::arg("all", all))).x,
               text_size(font, context.strings.format(names.all, fmt::arg("all", all))).x);
  draw_track(frame, left + 3 * size + frame.px(14), high.x - width - frame.px(20), y);
  draw_text_right(frame.list, font, {high.x, centred_top(font, y)}, context.theme.muted, moment_text(frame));
  ImGui::PopID();
}

void draw_observed(PanelContext& context, Plane& plane) {
  const PlanePicture& picture = plane.picture;
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const ImVec2 origin{window.x, window.y - ImGui::GetScrollY()};
  const float left = origin.x + context.px(kPadding), right = origin.x + size.x - context.px(kPadding);
  if (right - left < context.px(200) || size.y < context.px(120)) return;
  const bool hovered = plane.hover.block && picture.strip_of(*plane.hover.block) != nullptr;
  const uint32_t block = hovered ? *plane.hover.block : explained_block(context, picture);
  std::optional<int64_t> row = hovered ? plane.hover.row : context.view.plane.row;
  const PlaneStrip& strip = *picture.strip_of(block, row);
  const int64_t first_row = strip.head * picture.extents.queries;
  if (!row || *row < first_row + strip.queries.begin || *row >= first_row + strip.queries.end)
    row = first_row + (strip.queries.begin + strip.queries.end) / 2;
  if (plane.walk_generation != picture.generation || plane.walk.block != block || plane.walk.head != strip.head) {
    plane.walk = walk_of(picture, strip);
    plane.walk_generation = picture.generation;
  }
  if (!hovered || plane.hover.block == context.view.selection.block) plane.selected_steps = plane.walk.steps.size();
  advance_plane(context.view.plane, plane.walk.steps.size(), static_cast<double>(ImGui::GetIO().DeltaTime));
  PlaneFrame frame{.context = context,
                   .picture = picture,
                   .strip = strip,
                   .walk = plane.walk,
                   .trace = plane.rows.take(picture, plane.walk, *row),
                   .list = ImGui::GetWindowDrawList(),
                   .done = plane_done(context.view.plane, plane.walk.steps.size()),
                   .row = *row,
                   .working = plane.rows.busy()};
  const float top = origin.y + context.px(12);
  const float of_switch = draw_plane_switch(context, plane, {right, top}) + context.px(16);
  const float said = draw_sentence(frame, {left, top}, right - left - of_switch);
  const float body = std::floor(top + said + context.px(8)), between = context.px(kBetween);
  const bool beside = right - left >= context.px(kLeastBeside);
  const float bottom = std::max(origin.y + size.y, body + context.px(beside ? kLeastPlane : kLeastPlane + kLeastTrace));
  const float line = std::max(1.0F, std::floor(context.view.scale));
  const float middle = std::floor((left + right) / 2), plane_right = beside ? middle - between : right;
  const float plane_bottom = beside ? bottom : std::floor(bottom - context.px(kLeastTrace));
  const float playback = plane_bottom - context.px(kPlayback + 4);
  draw_plane_map(frame, {left, body}, {plane_right, playback});
  draw_playback(frame, {left, playback}, {plane_right, plane_bottom - context.px(4)});
  if (beside)
    frame.list->AddRectFilled({middle, body}, {middle + line, bottom}, context.theme.separator);
  else
    frame.list->AddRectFilled({left, plane_bottom}, {right, plane_bottom + line}, context.theme.separator);
  draw_row_trace(frame, beside ? ImVec2(middle + between, body) : ImVec2(left, plane_bottom + context.px(12)),
                 {right, bottom - context.px(8)});
  ImGui::SetCursorScreenPos({origin.x, bottom - 1});
  ImGui::Dummy({1, 1});
  plane.hover = frame.hover;
}

}  // namespace

bool has_plane(const PanelContext& context, Plane& plane) {
  if (!context.result || !context.lab().plane || !context.result->observed) return false;
  const Lab* lab = lab_of(context.result->request);
  if (lab != nullptr && lab->name != context.lab().name) return false;  // a result of the previous lab
  return take_plane(plane.picture, context.result, *context.lab().plane);
}

bool shows_plane(const PanelContext& context, Plane& plane) {
  return !context.view.plane.as_tiles && has_plane(context, plane);
}

float draw_plane_switch(PanelContext& context, Plane& plane, ImVec2 top_right) {
  if (!has_plane(context, plane)) return 0;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const char* const keys[] = {"plane.plane", "plane.tiles"};
  float width = 0;
  for (const char* key : keys) width += std::round(text_size(font, context.strings(key)).x) + context.px(20);
  const float height = context.px(kSwitch);
  ImVec2 low{std::round(top_right.x - width), std::round(top_right.y)};
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {top_right.x - 0.5F, low.y + height - 0.5F}, theme.separator,
                context.px(6));
  ImGui::PushID("plane switch");
  for (const char* key : keys) {
    const bool tiles = key == keys[1], chosen = context.view.plane.as_tiles == tiles;
    const ImVec2 high{low.x + std::round(text_size(font, context.strings(key)).x) + context.px(20), low.y + height};
    ImGui::SetCursorScreenPos(low);
    if (hit_area(key, {high.x - low.x, height})) context.view.plane.as_tiles = tiles;
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    explain(context, context.strings(tiles ? "plane.tiles_meaning" : "plane.plane_meaning"));
    mark(context, key, low, high);
    if (chosen) list->AddRectFilled(low, high, theme.raised, context.px(6));
    draw_text_centred(list, font, {(low.x + high.x) / 2, (low.y + high.y) / 2}, chosen ? theme.text : theme.muted,
                      context.strings(key));
    low.x = high.x;
  }
  ImGui::PopID();
  return width;
}

void draw_plane(PanelContext& context, Plane& plane) {
  if (!has_plane(context, plane)) return;
  follow(context, plane);
  draw_observed(context, plane);
  dim_if_stale(context);
}

size_t plane_done(const PlaneCursor& cursor, size_t steps) {
  if (cursor.step < 0) return steps * 3 / 5;
  return std::min(static_cast<size_t>(cursor.step), steps);
}

void step_plane(PlaneCursor& cursor, size_t steps, int by) {
  cursor.playing = false;
  const auto done = static_cast<int64_t>(plane_done(cursor, steps));
  cursor.step = static_cast<double>(std::clamp<int64_t>(done + by, 0, static_cast<int64_t>(steps)));
}

void toggle_plane(PlaneCursor& cursor, size_t steps) {
  cursor.playing = !cursor.playing;
  if (!cursor.playing) return;
  const size_t done = plane_done(cursor, steps);
  cursor.step = done >= steps || cursor.step < 0 ? 0 : static_cast<double>(done);
}

void advance_plane(PlaneCursor& cursor, size_t steps, double seconds) {
  if (!cursor.playing) return;
  cursor.step += std::max(1.0, static_cast<double>(steps) / kWalkSeconds) * std::min(seconds, 0.1);
  if (cursor.step < static_cast<double>(steps)) return;
  cursor.step = static_cast<double>(steps);
  cursor.playing = false;
}

void plane_keys(PanelContext& context, Plane& plane) {
  PlaneCursor& cursor = context.view.plane;
  const size_t steps = plane.selected_steps;
  if (key_went_down(Key::space)) toggle_plane(cursor, steps);
  if (key_repeats(Key::left)) step_plane(cursor, steps, -1);
  if (key_repeats(Key::right)) step_plane(cursor, steps, 1);
  if (key_went_down(Key::home)) cursor.step = 0;
  if (key_went_down(Key::end)) cursor.step = static_cast<double>(steps);
  for (const int by : {-1, 1}) {
    if (!key_repeats(by < 0 ? Key::up : Key::down)) continue;
    const PlanePicture& picture = plane.picture;
    if (const PlaneStrip* next = neighbour_strip(picture, explained_block(context, picture), by)) {
      context.view.selection = {};
      context.view.selection.block = next->block;
      cursor.row.reset();
    }
  }
}

}  // namespace tilescope
