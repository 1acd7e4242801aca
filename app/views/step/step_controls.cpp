// The row for moving through the steps, and its keys.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/step/step_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

enum class Icon : uint8_t { first, stop_back, back, play, pause, on, stop_on, last };

void draw_icon(ImDrawList* list, ImVec2 centre, float unit, Icon icon, ImU32 colour) {
  const float half = 5 * unit;
  const auto bar = [&](float x) {
    list->AddRectFilled({centre.x + x - unit, centre.y - half}, {centre.x + x + unit, centre.y + half}, colour);
  };
  // A triangle that points to one side.
  const auto arrow = [&](float x, float side, float width) {
    const ImVec2 tip{centre.x + x + side * width / 2, centre.y};
    const float base = centre.x + x - side * width / 2;
    if (side > 0)
      list->AddTriangleFilled({base, centre.y - half}, tip, {base, centre.y + half}, colour);
    else
      list->AddTriangleFilled({base, centre.y - half}, {base, centre.y + half}, tip, colour);
  };
  switch (icon) {
    case Icon::first:
      bar(-5 * unit);
      arrow(1 * unit, -1, 8 * unit);
      return;
    case Icon::stop_back:
      arrow(-3 * unit, -1, 6 * unit);
      arrow(3 * unit, -1, 6 * unit);
      return;
    case Icon::back:
      arrow(0, -1, 8 * unit);
      return;
    case Icon::play:
      draw_play(list, centre, 12 * unit, colour);
      return;
    case Icon::pause:
      bar(-3 * unit);
      bar(3 * unit);
      return;
    case Icon::on:
      arrow(0, 1, 8 * unit);
      return;
    case Icon::stop_on:
      arrow(-3 * unit, 1, 6 * unit);
      arrow(3 * unit, 1, 6 * unit);
      return;
    case Icon::last:
      arrow(-1 * unit, 1, 8 * unit);
      bar(5 * unit);
      return;
  }
}

struct Button {
  const char* id;
  Icon icon;
  const char* help;
};

void toggle_play(StepCursor& cursor, uint64_t count) {
  cursor.playing = !cursor.playing;
  cursor.since_step = 0;
  if (cursor.playing && cursor.position + 1 >= count) cursor.position = 0;
}

/// The target of a button.
uint64_t target_of(const StepIndex& index, uint32_t warp, uint64_t position, Icon icon) {
  const uint64_t last = index.count(warp) - 1;
  switch (icon) {
    case Icon::first:
      return 0;
    case Icon::stop_back:
      return index.previous_stop(warp, position);
    case Icon::back:
      return position == 0 ? 0 : position - 1;
    case Icon::on:
      return std::min(position + 1, last);
    case Icon::stop_on:
      return index.next_stop(warp, position);
    case Icon::last:
      return last;
    default:
      return position;
  }
}

void act(PanelContext& context, const StepIndex& index, Icon icon) {
  StepCursor& cursor = context.view.step;
  if (icon == Icon::play || icon == Icon::pause) {
    toggle_play(cursor, index.count(cursor.warp));
    return;
  }
  cursor.playing = false;
  go_to_step(context, index, cursor.warp, target_of(index, cursor.warp, cursor.position, icon));
}

/// Returns the x after the buttons.
float draw_step_buttons(StepFrame& frame, float left, float y) {
  PanelContext& context = frame.context;
  const bool playing = frame.cursor().playing;
  const std::array<Button, 7> buttons{
      {{"first", Icon::first, "step.first"},
       {"stop_back", Icon::stop_back, "step.stop_back"},
       {"back", Icon::back, "step.back"},
       {"play", playing ? Icon::pause : Icon::play, playing ? "step.pause" : "step.play"},
       {"on", Icon::on, "step.on"},
       {"stop_on", Icon::stop_on, "step.stop_on"},
       {"last", Icon::last, "step.last"}}};
  const float size = context.px(24);
  float x = left - context.px(6);
  for (const Button& button : buttons) {
    const ImVec2 low{x, y - size / 2}, high{x + size, y + size / 2};
    ImGui::SetCursorScreenPos(low);
    const bool pressed = hit_area(button.id, {size, size});
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) frame.list->AddRectFilled(low, high, context.theme.raised, context.px(6));
    explain(context, context.strings(button.help));
    mark(context, std::string("step.") + button.id, low, high);
    draw_icon(frame.list, {x + size / 2, y}, context.view.scale, button.icon,
              hovered || button.icon == Icon::pause ? context.theme.text : context.theme.muted);
    if (pressed) act(context, frame.index, button.icon);
    x += size;
  }
  return x;
}

std::string position_text(const StepFrame& frame, uint64_t position) {
  const StepRecord& record = frame.record();
  const uint64_t all = record.executed[frame.warp];
  return frame.context.strings.format(record.finished ? "step.position" : "step.position_open",
                                      fmt::arg("step", with_separators(record.first_step + position + 1)),
                                      fmt::arg("all", with_separators(all)));
}

/// The nearest finding of the warp outside the window.
const StepFinding* finding_elsewhere(const StepFrame& frame) {
  for (const StepFinding& finding : frame.record().findings)
    if (finding.step == Step::kNone && finding.warp == frame.warp) return &finding;
  return nullptr;
}

/// "‹ earlier   further ›": other windows of the warp that can be recorded. Returns their left end.
float draw_windows(StepFrame& frame, float right, float y) {
  PanelContext& context = frame.context;
  const StepRecord& record = frame.record();
  StepCursor& cursor = frame.cursor();
  const uint64_t count = frame.index.count(frame.warp);
  float x = right;
  const auto link = [&](const char* id, const char* key, ImU32 colour) {
    const std::string& text = context.strings(key);
    const ImVec2 size = text_size(context.fonts.small, text);
    const ImVec2 low{x - size.x, y - context.px(10)};
    ImGui::SetCursorScreenPos(low);
    const bool pressed = hit_area(id, {size.x, context.px(20)});
    explain(context, context.strings(std::string(key) + "_meaning"));
    draw_text(frame.list, context.fonts.small, {low.x, centred_top(context.fonts.small, y)},
              ImGui::IsItemHovered() ? context.theme.text : colour, text);
    mark(context, std::string("step.") + id, low, {x, y + context.px(10)});
    x = low.x - context.px(14);
    if (pressed) cursor.playing = false;
    return pressed;
  };
  if (!record.ended[frame.warp] && link("further", "step.further", context.theme.accent)) {
    cursor.first_step = record.first_step + count;
    cursor.position = 0;
  }
  if (record.first_step != 0 && link("earlier", "step.earlier", context.theme.accent)) {
    cursor.first_step = record.first_step - std::min(record.first_step, count);
    cursor.position = record.first_step - cursor.first_step - 1;
  }
  if (const StepFinding* finding = finding_elsewhere(frame);
      finding != nullptr && link("finding", "step.to_finding", context.theme.error)) {
    constexpr uint64_t kBefore = 64;  // steps shown before it
    cursor.first_step = finding->own - std::min(finding->own, kBefore);
    cursor.position = finding->own - cursor.first_step;
  }
  return x;
}

void draw_ticks(StepFrame& frame, float x0, float x1, float y) {
  const PanelContext& context = frame.context;
  const auto last = static_cast<float>(std::max<uint64_t>(frame.index.count(frame.warp), 2) - 1);
  const auto at = [&](uint64_t position) { return std::round(x0 + (x1 - x0) * static_cast<float>(position) / last); };
  const auto& stops = frame.index.stops(frame.warp);
  // Omitted if they would overlap.
  if (static_cast<float>(stops.size()) * context.px(5) < x1 - x0)
    for (const uint64_t stop : stops) {
      const bool barrier = frame.index.instruction(frame.index.at(frame.warp, stop)).role == StepRole::barrier;
      const ImU32 colour = barrier ? context.theme.waiting : mix(context.theme.separator, context.theme.muted, 0.6F);
      const float x = at(stop), top = y - context.px(barrier ? 8 : 6);
      frame.list->AddRectFilled({x, top}, {x + std::max(1.0F, context.px(1)), y - context.px(3)}, colour);
    }
  for (const StepMark& mark : frame.index.marks(frame.warp)) {
    const float x = at(mark.position), half = context.px(4);
    frame.list->AddTriangleFilled({x - half, y + context.px(11)}, {x, y + context.px(4)},
                                  {x + half, y + context.px(11)}, context.theme.error);
  }
}

}  // namespace

void take_step_keys(PanelContext& context, const StepIndex& index) {
  const bool shift = ImGui::GetIO().KeyShift;
  StepCursor& cursor = context.view.step;
  const auto go = [&](uint64_t position) {
    cursor.playing = false;
    go_to_step(context, index, cursor.warp, position);
  };
  if (key_went_down(Key::space)) act(context, index, Icon::play);
  if (key_repeats(Key::left)) act(context, index, shift ? Icon::stop_back : Icon::back);
  if (key_repeats(Key::right)) act(context, index, shift ? Icon::stop_on : Icon::on);
  if (key_repeats(Key::up)) go(index.previous_line(cursor.warp, cursor.position));
  if (key_repeats(Key::down)) go(index.next_line(cursor.warp, cursor.position));
  if (key_went_down(Key::home)) act(context, index, Icon::first);
  if (key_went_down(Key::end)) act(context, index, Icon::last);
}

void draw_step_track(StepFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float y = std::round((low.y + high.y) / 2);
  const uint64_t count = frame.index.count(frame.warp);
  const float x0 = draw_step_buttons(frame, low.x, y) + context.px(12);
  const float right = draw_windows(frame, high.x, y);
  // The widest text determines the end of the track, so that nothing moves during playback.
  ImFont* font = context.fonts.small;
  const float room = text_size(font, position_text(frame, count - 1)).x + context.px(4);
  draw_text_right(frame.list, font, {right, centred_top(font, y)}, theme.muted, position_text(frame, frame.position));
  const float x1 = right - room - context.px(16);
  if (x1 < x0 + context.px(40)) return;
  const float reach = context.px(6);
  ImGui::SetCursorScreenPos({x0 - reach, y - context.px(12)});
  hit_area("track", {x1 - x0 + 2 * reach, context.px(24)});
  if (ImGui::IsItemActive()) {
    const double part = std::clamp((ImGui::GetIO().MousePos.x - x0) / (x1 - x0), 0.0F, 1.0F);
    frame.cursor().playing = false;
    const auto wanted = static_cast<uint64_t>(std::round(part * static_cast<double>(count - 1)));
    if (wanted != frame.position) go_to_step(context, frame.index, frame.warp, wanted);
  }
  explain(context, context.strings("step.track_meaning"));
  mark(context, "step.track", {x0, y - context.px(4)}, {x1, y + context.px(4)});
  const float done = count < 2 ? 0 : static_cast<float>(frame.position) / static_cast<float>(count - 1);
  const float handle = x0 + (x1 - x0) * done, half = context.px(1.5F);
  frame.list->AddRectFilled({x0, y - half}, {x1, y + half}, theme.separator, half);
  frame.list->AddRectFilled({x0, y - half}, {handle, y + half}, theme.accent, half);
  draw_ticks(frame, x0, x1, y);
  frame.list->AddCircleFilled({handle, y}, context.px(5), theme.accent, 24);
}

}  // namespace tilescope
