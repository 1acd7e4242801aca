// The events of one warp in order of execution, with a row per region of shared memory: when it is filled, how long it
// waits, when it is read. This is order, not time.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/shared/shared_view.hpp"

namespace tilescope {
namespace {

constexpr float kPipelineHeader = 28, kRow = 22, kLeastRow = 14, kNames = 112, kPipelineLegend = 22, kLeastPitch = 3,
                kMostPitch = 12;  // unscaled
constexpr size_t kMostRows = 8;

using Kind = SharedEvent::Kind;

/// The visible events.
struct Track {
  float left = 0, right = 0, pitch = 1, top = 0;
  size_t first = 0, count = 0;  // number of events
  size_t rows = 0;              // number of regions
  float row = 0;                // height of one
  float x(size_t event) const { return left + (static_cast<float>(event) - static_cast<float>(first)) * pitch; }
  bool shows(size_t event) const { return event >= first && event < first + count; }
};

size_t rows_of(const SharedFrame& frame) { return std::min(frame.picture.regions().size(), kMostRows); }

bool multiplies(const SharedFrame& frame) {
  const auto events = frame.picture.events(frame.step.warp);
  return std::any_of(events.begin(), events.end(), [](const SharedEvent& one) { return one.kind == Kind::multiply; });
}

ImU32 colour_of(const Theme& theme, Kind kind) {
  switch (kind) {
    case Kind::copy:
    case Kind::store:
      return theme.write;
    case Kind::load:
      return theme.read;
    case Kind::multiply:
      return theme.ok;
    case Kind::wait:
      return theme.waiting;
    case Kind::commit:
    case Kind::barrier:
      break;
  }
  return theme.muted;
}

const char* key_of(Kind kind) {
  switch (kind) {
    case Kind::copy:
      return "shared.event_copy";
    case Kind::store:
      return "shared.event_store";
    case Kind::load:
      return "shared.event_load";
    case Kind::commit:
      return "shared.event_commit";
    case Kind::wait:
      return "shared.event_wait";
    case Kind::barrier:
      return "shared.event_barrier";
    case Kind::multiply:
      break;
  }
  return "shared.event_multiply";
}

void draw_spans(SharedFrame& frame, const Track& track) {
  const Theme& theme = frame.context().theme;
  for (const SharedSpan& span : frame.spans) {
    const auto row = static_cast<size_t>(span.region);
    if (row >= track.rows || span.last < track.first || span.first >= track.first + track.count) continue;
    const float y = track.top + (static_cast<float>(row) + 0.5F) * track.row;
    const float from = std::max(track.x(span.first), track.left);
    const float to = std::min(track.x(span.last) + track.pitch, track.right);
    const float half = std::min(frame.px(span.filling ? 2 : 5), track.row / 2 - 2);
    const ImU32 colour =
        span.filling
            ? mix(theme.window, theme.waiting, 0.75F)
            : mix(theme.window, colour_of_buffer(theme, frame.picture, frame.picture.regions()[row].buffer), 0.26F);
    frame.step.list->AddRectFilled({from, y - half}, {to, y + half}, colour);
  }
}

/// Barriers and waits span all rows; copies and reads are in their region's row, products in the last one.
void draw_events(SharedFrame& frame, const Track& track) {
  const Theme& theme = frame.context().theme;
  const auto events = frame.picture.events(frame.step.warp);
  const float bottom = track.top + static_cast<float>(track.rows + (multiplies(frame) ? 1 : 0)) * track.row;
  const float width = std::max(1.0F, std::min(track.pitch - 1, frame.px(5)));
  for (size_t i = track.first; i < std::min(track.first + track.count, events.size()); ++i) {
    const SharedEvent& event = events[i];
    const float x = track.x(i);
    const ImU32 colour = colour_of(theme, event.kind);
    if (event.kind == Kind::barrier || event.kind == Kind::wait) {
      frame.step.list->AddRectFilled({x, track.top - frame.px(4)}, {x + std::max(1.0F, frame.px(1)), bottom},
                                     mix(theme.window, colour, event.kind == Kind::wait ? 0.8F : 0.55F));
      continue;
    }
    if (event.kind == Kind::commit) {
      frame.step.list->AddTriangleFilled({x - frame.px(3), track.top - frame.px(6)},
                                         {x + frame.px(3), track.top - frame.px(6)}, {x, track.top - frame.px(1)},
                                         colour);
      continue;
    }
    const size_t row = event.kind == Kind::multiply ? track.rows : static_cast<size_t>(event.region);
    if (event.kind != Kind::multiply && (event.region < 0 || row >= track.rows)) continue;
    const float y = track.top + (static_cast<float>(row) + 0.5F) * track.row;
    const float half = std::min(frame.px(event.kind == Kind::load ? 5 : 8), track.row / 2 - 1);
    frame.step.list->AddRectFilled({x, y - half}, {x + width, y + half}, colour);
  }
}

void draw_row_names(SharedFrame& frame, const Track& track, float left) {
  PanelContext& context = frame.context();
  ImFont* small = context.fonts.small;
  const float room = track.left - left - frame.px(8);
  for (size_t row = 0; row < track.rows; ++row) {
    const float y = track.top + (static_cast<float>(row) + 0.5F) * track.row;
    const bool read = frame.moment.reading == static_cast<int32_t>(row);
    ImFont* font = read ? context.fonts.small_semibold : small;
    draw_text(frame.step.list, font, {left, centred_top(font, y)}, read ? context.theme.text : context.theme.muted,
              fit_text(font, region_text(context, frame.result(), frame.picture, static_cast<int32_t>(row)), room));
    frame.step.list->AddRectFilled({track.left, track.top + static_cast<float>(row + 1) * track.row - 1},
                                   {track.right, track.top + static_cast<float>(row + 1) * track.row},
                                   context.theme.grid);
  }
  if (!multiplies(frame)) return;
  const float y = track.top + (static_cast<float>(track.rows) + 0.5F) * track.row;
  draw_text(frame.step.list, small, {left, centred_top(small, y)}, context.theme.muted,
            fit_text(small, context.strings("shared.products"), room));
}

void draw_legend(SharedFrame& frame, const Track& track, float left, float y) {
  PanelContext& context = frame.context();
  ImFont* small = context.fonts.small;
  const auto events = frame.picture.events(frame.step.warp);
  float x = left;
  for (const Kind kind :
       {Kind::copy, Kind::store, Kind::load, Kind::multiply, Kind::commit, Kind::wait, Kind::barrier}) {
    if (std::none_of(events.begin(), events.end(), [&](const SharedEvent& one) { return one.kind == kind; })) continue;
    const std::string name = context.strings(key_of(kind));
    const float width = frame.px(12) + text_size(small, name).x + frame.px(12);
    if (x + width > track.right + frame.px(12)) break;
    const ImU32 colour = colour_of(context.theme, kind);
    if (kind == Kind::commit)
      frame.step.list->AddTriangleFilled({x, y - frame.px(3)}, {x + frame.px(7), y - frame.px(3)},
                                         {x + frame.px(3.5F), y + frame.px(3)}, colour);
    else if (kind == Kind::wait || kind == Kind::barrier)
      frame.step.list->AddRectFilled({x + frame.px(3), y - frame.px(6)}, {x + frame.px(4), y + frame.px(6)}, colour);
    else
      frame.step.list->AddRectFilled({x, y - frame.px(4)}, {x + frame.px(7), y + frame.px(4)}, colour);
    draw_text(frame.step.list, small, {x + frame.px(12), centred_top(small, y)}, context.theme.muted, name);
    x += width;
  }
}

void point_at_track(SharedFrame& frame, const Track& track, float bottom) {
  PanelContext& context = frame.context();
  const auto events = frame.picture.events(frame.step.warp);
  ImGui::SetCursorScreenPos({track.left, track.top});
  hit_area("pipeline", {std::max(track.right - track.left, 1.0F), std::max(bottom - track.top, 1.0F)});
  mark(context, "shared.pipeline", {track.left, track.top}, {track.right, bottom});
  if (!ImGui::IsItemHovered() || events.empty()) return;
  const auto at =
      static_cast<size_t>(std::max((ImGui::GetIO().MousePos.x - track.left) / track.pitch, 0.0F)) + track.first;
  if (at >= events.size()) return;
  const SharedEvent& event = events[at];
  const Step& step = frame.step.record().steps[event.step];
  const StepInstruction& instruction = frame.step.record().instructions[step.instruction];
  explain(context, context.strings.format(
                       event.region >= 0 ? "shared.explain_event_in" : "shared.explain_event",
                       fmt::arg("what", context.strings(key_of(event.kind))),
                       fmt::arg("region", region_text(context, frame.result(), frame.picture, event.region)),
                       fmt::arg("line", step_line_text(context, instruction.line)), fmt::arg("ptx", instruction.text)));
  context.view.hover.line = instruction.line;
  if (ImGui::IsItemClicked())
    go_to_step(context, frame.step.index, frame.step.warp, frame.step.index.position_of(event.step));
}

void draw_header(SharedFrame& frame, ImVec2 low, float right) {
  PanelContext& context = frame.context();
  const float y = low.y + frame.px(10);
  const float badge_left = right - draw_badge(context, frame.step.list, {right, low.y}, Badge::simulated);
  const std::string title = context.strings.format("shared.pipeline", fmt::arg("warp", frame.step.warp));
  const float width = draw_text(frame.step.list, context.fonts.small_semibold,
                                {low.x, centred_top(context.fonts.small_semibold, y)}, context.theme.text, title)
                          .x;
  draw_text(frame.step.list, context.fonts.small, {low.x + width + frame.px(10), centred_top(context.fonts.small, y)},
            context.theme.muted,
            fit_text(context.fonts.small, context.strings("shared.pipeline_order"),
                     badge_left - low.x - width - frame.px(18)));
  explain_rect(context, low, {badge_left, low.y + frame.px(20)}, context.strings("shared.pipeline_meaning"));
}

}  // namespace

float pipeline_height(const SharedFrame& frame) {
  const size_t rows = rows_of(frame) + (multiplies(frame) ? 1 : 0);
  return frame.px(kPipelineHeader + 8 + kPipelineLegend) + static_cast<float>(rows) * frame.px(kRow);
}

void draw_shared_pipeline(SharedFrame& frame, ImVec2 low, ImVec2 high) {
  draw_header(frame, low, high.x);
  const auto events = frame.picture.events(frame.step.warp);
  Track track{.left = low.x + frame.px(kNames), .right = high.x, .top = low.y + frame.px(kPipelineHeader + 8)};
  const float room = high.y - track.top - frame.px(kPipelineLegend);
  const size_t of_products = multiplies(frame) ? 1 : 0;
  const auto fitting = static_cast<size_t>(std::max(room / frame.px(kLeastRow), 2.0F)) - of_products;
  track.rows = std::min(rows_of(frame), std::max<size_t>(fitting, 1));
  track.row = std::min(frame.px(kRow), std::floor(room / static_cast<float>(track.rows + of_products)));
  if (events.empty()) {
    draw_text(frame.step.list, frame.context().fonts.small, {low.x, track.top}, frame.context().theme.muted,
              frame.context().strings("shared.no_events"));
    return;
  }
  const float width = track.right - track.left;
  track.pitch = std::clamp(width / static_cast<float>(events.size()), frame.px(kLeastPitch), frame.px(kMostPitch));
  track.count = std::min(events.size(), static_cast<size_t>(width / track.pitch));
  const auto now = event_at(frame.picture, frame.step.warp, frame.step.step_number);
  // If not all events fit, the cursor stays in the middle.
  const size_t middle = now.value_or(0);
  track.first = std::min(middle > track.count / 2 ? middle - track.count / 2 : 0, events.size() - track.count);
  const float bottom = track.top + static_cast<float>(track.rows + of_products) * track.row;
  draw_row_names(frame, track, low.x);
  draw_spans(frame, track);
  draw_events(frame, track);
  if (now && track.shows(*now)) {
    const float x = track.x(*now) + track.pitch / 2;
    frame.step.list->AddRectFilled({x - frame.px(1), track.top - frame.px(6)}, {x + frame.px(1), bottom},
                                   frame.context().theme.accent);
  }
  draw_legend(frame, track, low.x, bottom + frame.px(kPipelineLegend) / 2 + frame.px(2));
  point_at_track(frame, track, bottom);
}

}  // namespace tilescope
