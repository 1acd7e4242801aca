#include "app/views/tiles/tiles_waves.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/waves_model.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kRow = 26, kIcons = 82;  // of the playback's buttons, beside its track

/// Number of blocks resident on an SM.
uint32_t held_by(const WaveSchedule& waves, uint64_t issued, uint32_t processor) {
  const uint64_t resident = issued - waves.first_resident(issued);
  return static_cast<uint32_t>(resident / waves.multiprocessors +
                               (processor < resident % waves.multiprocessors ? 1 : 0));
}

std::string processor_sentence(const TilesFrame& frame, const WaveSchedule& waves, uint32_t processor) {
  const Strings& strings = frame.context.strings;
  const uint64_t first = waves.first_resident(frame.issued);
  const uint32_t held = held_by(waves, frame.issued, processor);
  std::string blocks;
  for (uint32_t slot = 0; slot < held; ++slot)
    blocks += (slot == 0 ? "" : ", ") + with_separators(first + processor + uint64_t{slot} * waves.multiprocessors);
  return strings.format(held == 0 ? "tiles.processor_empty" : "tiles.processor_holds", fmt::arg("processor", processor),
                        fmt::arg("held", held), fmt::arg("places", waves.blocks_per_multiprocessor),
                        fmt::arg("blocks", blocks));
}

}  // namespace

bool is_schedule(const RunResult& result, size_t buffer) {
  const Lab* lab = lab_of(result.request);
  return lab != nullptr && !lab->schedule_buffer.empty() && result.plan.buffers[buffer].name == lab->schedule_buffer;
}

float processor_row_height(const RunResult& result) {
  const WaveSchedule* waves = shown_waves(result);
  return waves != nullptr && waves->runs() && waves->blocks > 1 ? kRow : 0;
}

float draw_state_legend(PanelContext& context, ImDrawList* list, ImVec2 top_right) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const float unit = context.view.scale, y = top_right.y + 12 * unit;
  const ImU32 own = block_colour(theme, 1, 3, /*lit=*/true);
  float x = top_right.x;
  const auto entry = [&](const char* key, ImU32 colour) {  // right to left
    const std::string& text = context.strings(key);
    x -= text_size(font, text).x;
    if (list != nullptr) draw_text(list, font, {x, centred_top(font, y)}, theme.muted, text);
    x -= 14 * unit;
    if (list != nullptr) list->AddRectFilled({x, y - 4 * unit}, {x + 8 * unit, y + 4 * unit}, colour);
    x -= 14 * unit;
  };
  entry("tiles.state_waiting", idle_colour(theme));
  entry("tiles.state_resident", own);
  entry("tiles.state_done", done_colour(theme, own));
  if (list != nullptr)
    explain_rect(context, {x + 14 * unit, top_right.y}, {top_right.x, top_right.y + 24 * unit},
                 context.strings("tiles.states_meaning"));
  return top_right.x - x - 14 * unit;
}

void draw_processor_row(TilesFrame& frame, ImVec2 low, ImVec2 high) {
  const WaveSchedule* waves = shown_waves(frame.result());
  if (waves == nullptr || !waves->runs()) return;
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const float unit = context.view.scale, y = std::round((low.y + high.y) / 2);
  const uint64_t first = waves->first_resident(frame.issued);
  const auto text = [&](uint64_t held) {
    return context.strings.format("tiles.resident", fmt::arg("held", with_separators(held)),
                                  fmt::arg("places", with_separators(waves->resident())));
  };
  const float badge = draw_badge(context, frame.list, {high.x, y - 10 * unit}, Badge::modelled) + 10 * unit;
  const float room = text_size(font, text(waves->resident())).x + badge;
  draw_text(frame.list, font, {low.x, centred_top(font, y)}, theme.muted, context.strings("tiles.processors"));
  draw_text_right(frame.list, font, {high.x - badge, centred_top(font, y)}, theme.muted, text(frame.issued - first));
  for (const auto& [from, to] :
       {std::pair(low.x, low.x + (kIcons - 8) * unit), std::pair(high.x - room, high.x - badge)})
    explain_rect(context, {from, y - 10 * unit}, {to, y + 10 * unit}, context.strings("tiles.processors_meaning"));
  const float x0 = low.x + kIcons * unit, x1 = high.x - room - 20 * unit, half = 7 * unit;
  if (x1 - x0 < static_cast<float>(waves->multiprocessors)) return;  // less than a pixel each
  const float pitch = std::min(16 * unit, (x1 - x0) / static_cast<float>(waves->multiprocessors));
  const float gap = pitch >= 4 * unit ? std::max(1.0F, std::floor(unit)) : 0;
  const uint32_t focused = waves->place_of(frame.focus).multiprocessor;
  for (uint32_t processor = 0; processor < waves->multiprocessors; ++processor) {
    const float left = std::floor(x0 + pitch * static_cast<float>(processor));
    const float right = std::floor(x0 + pitch * static_cast<float>(processor + 1)) - gap;
    const float share = static_cast<float>(held_by(*waves, frame.issued, processor)) /
                        static_cast<float>(waves->blocks_per_multiprocessor);
    const float top = std::round(y + half - 2 * half * share);
    frame.list->AddRectFilled({left, y - half}, {right, y + half}, theme.separator);
    if (share > 0) frame.list->AddRectFilled({left, top}, {right, y + half}, theme.accent);
    if (processor == focused)
      frame.list->AddRect({left - 2 * unit, y - half - 2 * unit}, {right + 2 * unit, y + half + 2 * unit}, theme.text,
                          0, 0, std::max(1.0F, unit));
    if (ImGui::IsMouseHoveringRect({left, y - half}, {right + gap, y + half}))
      explain_rect(context, {left, y - half}, {right + gap, y + half}, processor_sentence(frame, *waves, processor));
  }
  mark(context, "tiles.processors", {x0, y - half},
       {x0 + pitch * static_cast<float>(waves->multiprocessors), y + half});
}

}  // namespace tilescope
