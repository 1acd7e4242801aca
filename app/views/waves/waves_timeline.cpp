// The grid over time: for the model one bar per wave, as high as the fraction of slots that it fills; for a
// measurement, the number of blocks on each SM.
#include <algorithm>
#include <cmath>

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/playback.hpp"
#include "app/views/waves/waves_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kTimelineTitle = 22, kScale = 18;
constexpr uint32_t kColumns = 512;  // of the measured picture

std::string wave_sentence(const WavesFrame& frame, uint64_t wave) {
  const WaveSchedule& waves = frame.picture.schedule;
  const uint64_t first = waves.first_of(wave), held = waves.blocks_in(wave);
  return frame.context.strings.format(
      "waves.explain_wave", fmt::arg("wave", with_separators(wave + 1)), fmt::arg("first", with_separators(first)),
      fmt::arg("last", with_separators(first + held - 1)), fmt::arg("held", with_separators(held)),
      fmt::arg("places", with_separators(waves.resident())), fmt::arg("busy", waves.busy_multiprocessors(wave)),
      fmt::arg("processors", waves.multiprocessors));
}

/// Equal waves, drawn as one if each would be too narrow.
struct Stretch {
  uint64_t first = 0, count = 1;
};

std::vector<Stretch> stretches_of(const WaveSchedule& waves, float width, float least) {
  const uint64_t all = waves.waves();
  if (width / static_cast<float>(all) >= least) {
    std::vector<Stretch> each;
    for (uint64_t wave = 0; wave < all; ++wave) each.push_back({wave, 1});
    return each;
  }
  return {{0, all - 1}, {all - 1, 1}};
}

void draw_bar(WavesFrame& frame, const Stretch& stretch, ImVec2 low, ImVec2 high) {
  const Theme& theme = frame.context.theme;
  const WaveSchedule& waves = frame.picture.schedule;
  const uint64_t last = stretch.first + stretch.count - 1;
  const auto of_last = static_cast<float>(waves.blocks_in(last)) / static_cast<float>(waves.resident());
  const float top = high.y - std::max(frame.px(1), std::round((high.y - low.y) * of_last));
  if (top > low.y + 1) hatch(frame.list, low, {high.x, top}, mix(theme.window, theme.muted, 0.45F), frame.px(6));
  frame.list->AddRectFilled({low.x, top}, high, theme.separator);
  const uint64_t begin = waves.first_of(stretch.first), end = std::min(waves.blocks, waves.first_of(last + 1));
  if (frame.issued <= begin) return;
  const bool whole = frame.issued >= end;
  const bool now = waves.first_resident(frame.issued) >= begin && waves.first_resident(frame.issued) < end;
  const float share = whole ? 1 : static_cast<float>(frame.issued - begin) / static_cast<float>(end - begin);
  const ImU32 done = mix(theme.separator, theme.muted, 0.6F);
  // A wave fills from the bottom while it is issued; a group of waves from the left.
  if (stretch.count == 1)
    frame.list->AddRectFilled({low.x, high.y - (high.y - top) * share}, high, now ? theme.accent : done);
  else
    frame.list->AddRectFilled({low.x, top}, {low.x + (high.x - low.x) * share, high.y},
                              whole && !now ? done : theme.accent);
}

void draw_labels(WavesFrame& frame, const Stretch& stretch, ImVec2 low, ImVec2 high) {
  const Theme& theme = frame.context.theme;
  ImFont* font = frame.context.fonts.small;
  const WaveSchedule& waves = frame.picture.schedule;
  const std::string name = stretch.count == 1
                               ? with_separators(stretch.first + 1)
                               : frame.context.strings.format("waves.stretch", fmt::arg("first", 1),
                                                              fmt::arg("last", with_separators(stretch.count)));
  const float middle = (low.x + high.x) / 2;
  if (text_size(font, name).x <= high.x - low.x)
    draw_text_centred(frame.list, font, {middle, high.y + frame.px(10)}, theme.muted, name);
  if (stretch.first + stretch.count != waves.waves() || waves.last_wave_blocks() == waves.resident()) return;
  // The percentage of the last wave, on its empty part or, if that is too low, on its bar.
  const std::string filled = fmt::format("{:.0f}%", std::max(1.0, 100 * waves.last_wave_filled()));
  const ImVec2 size = text_size(font, filled);
  if (size.x + frame.px(4) > high.x - low.x) return;
  const float empty = (high.y - low.y) * static_cast<float>(1 - waves.last_wave_filled());
  const bool on_bar = empty <= size.y + frame.px(4);
  const float y = !on_bar ? low.y + empty - size.y / 2 - frame.px(2) : high.y - size.y / 2 - frame.px(4);
  if (!on_bar)
    frame.list->AddRectFilled({middle - size.x / 2 - frame.px(3), y - size.y / 2},
                              {middle + size.x / 2 + frame.px(3), y + size.y / 2}, theme.window, frame.px(3));
  draw_text_centred(frame.list, font, {middle, y},
                    on_bar && frame.issued >= waves.blocks ? theme.on_accent : theme.text, filled);
}

void draw_modelled(WavesFrame& frame, ImVec2 low, ImVec2 high) {
  const WaveSchedule& waves = frame.picture.schedule;
  const float gap = frame.px(2), width = high.x - low.x;
  const auto stretches = stretches_of(waves, width, frame.px(6));
  // The last of very many waves would be too narrow at scale: it has a fixed width.
  const float last_width =
      stretches.size() == waves.waves() ? width / static_cast<float>(stretches.size()) : frame.px(48);
  const float others = stretches.size() > 1 ? (width - last_width) / static_cast<float>(stretches.size() - 1) : 0;
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area("timeline", {std::max(1.0F, width), std::max(1.0F, high.y - low.y)});
  for (size_t i = 0; i < stretches.size(); ++i) {
    const float x = low.x + others * static_cast<float>(i), own = i + 1 == stretches.size() ? last_width : others;
    const ImVec2 from{std::round(x), low.y}, to{std::round(x + own) - gap, high.y};
    draw_bar(frame, stretches[i], from, to);
    draw_labels(frame, stretches[i], from, to);
    const uint64_t wave = stretches[i].first + stretches[i].count - 1;
    explain_rect(frame.context, from, to, wave_sentence(frame, wave));
    if (pressed && ImGui::IsMouseHoveringRect(from, {to.x + gap, to.y}))
      seek_playback(frame.context.view, waves.blocks,
                    static_cast<double>(std::min(waves.blocks, waves.first_of(wave + 1))));
  }
}

void draw_measured(WavesFrame& frame, ImVec2 low, ImVec2 high) {
  MeasuredTexture& kept = frame.texture;
  const Theme& theme = frame.context.theme;
  const BlockTimes& times = *frame.times();
  const MeasuredPlaces& places = frame.picture.measured;
  if (!kept.result.is(frame.context.result) || kept.dark != theme.dark) {
    std::vector<ImU32> colours;
    for (const float held : places.residency(times, kColumns))
      colours.push_back(
          mix(theme.window, theme.accent, std::min(1.0F, held / static_cast<float>(std::max(1U, places.slots())))));
    kept.texture.upload(static_cast<int>(kColumns), static_cast<int>(places.multiprocessors()), colours);
    kept.result = ResultReference(frame.context.result);
    kept.dark = theme.dark;
  }
  frame.list->AddRectFilled(low, high, theme.separator);
  if (kept.texture.ready()) frame.list->AddImage(kept.texture.id(), low, high);
  ImFont* font = frame.context.fonts.small;
  const float y = high.y + frame.px(10);
  draw_text(frame.list, font, {low.x, centred_top(font, y)}, theme.muted, "0");
  draw_text_right(frame.list, font, {high.x, centred_top(font, y)}, theme.muted,
                  fmt::format("{:.1f} µs", times.total_us));
  explain_rect(frame.context, low, high,
               frame.context.strings.format("waves.explain_measured", fmt::arg("most", places.slots())));
  if (times.total_us <= 0) return;
  const float x = low.x + (high.x - low.x) * static_cast<float>(frame.time_us / times.total_us);
  frame.list->AddRectFilled({x, low.y - frame.px(2)}, {x + std::max(1.0F, frame.px(1)), high.y + frame.px(2)},
                            theme.text);
}

}  // namespace

void draw_wave_timeline(WavesFrame& frame, ImVec2 low, ImVec2 high) {
  const bool measured = frame.times() != nullptr;
  const Fonts& fonts = frame.context.fonts;
  const Theme& theme = frame.context.theme;
  const float y = low.y + frame.px(kTimelineTitle) / 2 - frame.px(2);
  const float x = low.x + draw_text(frame.list, fonts.small_semibold, {low.x, centred_top(fonts.small_semibold, y)},
                                    theme.text, frame.context.strings("waves.timeline"))
                              .x;
  const std::string what = frame.context.strings(measured ? "waves.timeline_measured" : "waves.timeline_modelled");
  draw_text(frame.list, fonts.small, {x + frame.px(10), centred_top(fonts.small, y)}, theme.muted,
            fit_text(fonts.small, what, high.x - x - frame.px(10)));
  const ImVec2 from{low.x, low.y + frame.px(kTimelineTitle)}, to{high.x, high.y - frame.px(kScale)};
  mark(frame.context, "waves.timeline", from, to);
  if (measured)
    draw_measured(frame, from, to);
  else
    draw_modelled(frame, from, to);
}

}  // namespace tilescope
