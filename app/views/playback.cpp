#include "app/views/playback.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/trace_index.hpp"
#include "app/observed/waves_model.hpp"
#include "app/views/playback_button.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr double kWholeGridSeconds = 6;

/// A notch at the start of each wave except the first.
void draw_notches(PanelContext& context, float x0, float x1, float y, const WaveSchedule& waves) {
  const uint64_t all = waves.waves();
  if (all < 2 || (x1 - x0) / static_cast<float>(all) < context.px(8)) return;
  const float line = std::max(1.0F, std::floor(context.view.scale));
  for (uint64_t wave = 1; wave < all; ++wave) {
    const double share = static_cast<double>(waves.first_of(wave)) / static_cast<double>(waves.blocks);
    const float x = std::round(x0 + (x1 - x0) * static_cast<float>(share));
    ImGui::GetWindowDrawList()->AddRectFilled({x, y - context.px(5)}, {x + line, y + context.px(5)},
                                              context.theme.muted);
  }
}

void draw_track(PanelContext& context, float x0, float x1, float y, uint64_t blocks, const WaveSchedule* waves) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float reach = context.px(6);
  ImGui::SetCursorScreenPos({x0 - reach, y - context.px(10)});
  hit_area("track", {x1 - x0 + 2 * reach, context.px(20)});
  if (ImGui::IsItemActive()) {
    const double at = std::clamp((ImGui::GetIO().MousePos.x - x0) / (x1 - x0), 0.0F, 1.0F);
    seek_playback(context.view, blocks, std::round(at * static_cast<double>(blocks)));
    if (at >= 1) end_playback(context.view);
  }
  explain(context, context.strings("tiles.order_meaning"));
  mark(context, "playback.track", {x0, y - context.px(4)}, {x1, y + context.px(4)});
  const float done = static_cast<float>(issued_blocks(context.view, blocks)) / static_cast<float>(blocks);
  const float handle = x0 + (x1 - x0) * done, half = context.px(1.5F);
  const bool moving = context.view.playback.position >= 0 && context.view.animate;
  const ImU32 colour = moving ? theme.accent : theme.muted;
  list->AddRectFilled({x0, y - half}, {x1, y + half}, theme.separator, half);
  list->AddRectFilled({x0, y - half}, {handle, y + half}, mix(theme.separator, colour, moving ? 1.0F : 0.5F), half);
  if (waves != nullptr) draw_notches(context, x0, x1, y, *waves);
  list->AddCircleFilled({handle, y}, context.px(5), colour, 24);
}

std::string wave_part(const PanelContext& context, const WaveSchedule* waves, uint64_t block) {
  if (waves == nullptr || !waves->runs()) return {};
  return context.strings.format("tiles.in_wave", fmt::arg("wave", with_separators(block / waves->resident() + 1)),
                                fmt::arg("waves", with_separators(waves->waves())));
}

std::string position_text(const PanelContext& context, uint64_t blocks, const WaveSchedule* waves) {
  const auto all = static_cast<int64_t>(blocks);
  const bool everything = context.view.playback.position < 0 || !context.view.animate;
  if (everything)
    return context.strings.format(blocks == 1 ? "tiles.the_only_block" : "tiles.all_blocks",
                                  fmt::arg("all", with_separators(all)));
  const auto newest = newest_block(context.view, blocks);
  if (!newest) return context.strings.format("tiles.no_block_yet", fmt::arg("all", with_separators(all)));
  return context.strings.format("tiles.block_of", fmt::arg("block", with_separators(*newest)),
                                fmt::arg("all", with_separators(all))) +
         wave_part(context, waves, *newest);
}

}  // namespace

uint64_t issued_blocks(const ViewState& view, uint64_t blocks) {
  if (view.playback.position < 0 || !view.animate) return blocks;
  return std::min(blocks, static_cast<uint64_t>(view.playback.position));
}

std::optional<uint32_t> newest_block(const ViewState& view, uint64_t blocks) {
  if (view.playback.position < 0 || !view.animate) return {};
  const uint64_t issued = issued_blocks(view, blocks);
  if (issued == 0) return {};
  return static_cast<uint32_t>(issued - 1);
}

uint32_t focus_block(const ViewState& view, uint64_t blocks) {
  const auto valid = [&](const std::optional<uint32_t>& block) { return block && *block < blocks; };
  if (valid(view.hover.block)) return *view.hover.block;
  if (const auto newest = newest_block(view, blocks)) return *newest;
  if (valid(view.selection.block)) return *view.selection.block;
  return usual_block(blocks);
}

void advance_playback(ViewState& view, uint64_t blocks, double seconds) {
  Playback& playback = view.playback;
  if (!playback.playing || !view.animate) return;
  const double speed = playback.blocks_per_second > 0 ? playback.blocks_per_second
                                                      : std::max(1.0, static_cast<double>(blocks) / kWholeGridSeconds);
  playback.position = std::max(0.0, playback.position) + speed * std::min(seconds, 0.1);
  if (playback.position < static_cast<double>(blocks)) return;
  playback.position = -1;
  playback.playing = false;
}

void toggle_playback(ViewState& view, uint64_t blocks) {
  Playback& playback = view.playback;
  playback.playing = !playback.playing;
  if (playback.playing && (playback.position < 0 || playback.position >= static_cast<double>(blocks)))
    playback.position = 0;
}

void step_playback(ViewState& view, uint64_t blocks, int64_t by) {
  Playback& playback = view.playback;
  playback.playing = false;
  const auto all = static_cast<int64_t>(blocks);
  int64_t issued = static_cast<int64_t>(issued_blocks(view, blocks));
  if (playback.position < 0 && by > 0) issued = 0;
  playback.position = static_cast<double>(std::clamp<int64_t>(issued + by, 0, all));
}

void step_playback_by_wave(ViewState& view, const WaveSchedule& waves, int direction) {
  Playback& playback = view.playback;
  playback.playing = false;
  const bool from_start = playback.position < 0 && direction > 0;
  const uint64_t issued = from_start ? 0 : issued_blocks(view, waves.blocks);
  playback.position = static_cast<double>(direction > 0 ? waves.next_wave(issued) : waves.previous_wave(issued));
}

void seek_playback(ViewState& view, uint64_t blocks, double position) {
  view.playback.playing = false;
  view.playback.position = std::clamp(position, 0.0, static_cast<double>(blocks));
}

void end_playback(ViewState& view) {
  view.playback.playing = false;
  view.playback.position = -1;
}

void draw_playback_row(PanelContext& context, ImVec2 low, ImVec2 high, uint64_t blocks, const WaveSchedule* waves,
                       std::string_view moment) {
  if (blocks == 0) return;
  const float size = context.px(24), y = std::round((low.y + high.y) / 2);
  const float top = y - size / 2;
  const bool playing = context.view.playback.playing;
  ImGui::PushID("playback");
  if (playback_button(context, "back", {low.x - context.px(6), top}, PlaybackIcon::back,
                      context.strings("tiles.step_back")))
    step_playback(context.view, blocks, -1);
  if (playback_button(context, "play", {low.x - context.px(6) + size, top},
                      playing ? PlaybackIcon::pause : PlaybackIcon::play,
                      context.strings(playing ? "tiles.pause" : "tiles.play")))
    toggle_playback(context.view, blocks);
  if (playback_button(context, "on", {low.x - context.px(6) + 2 * size, top}, PlaybackIcon::forward,
                      context.strings("tiles.step_on")))
    step_playback(context.view, blocks, 1);
  // The widest text determines the end of the track, so that nothing moves during playback; a narrow row omits the
  // wave.
  const auto widest = [&](const WaveSchedule* named) {
    const std::string last = context.strings.format("tiles.block_of", fmt::arg("block", with_separators(blocks)),
                                                    fmt::arg("all", with_separators(blocks))) +
                             wave_part(context, named, blocks - 1);
    return std::max(text_size(context.fonts.small, last).x,
                    text_size(context.fonts.small, position_text(context, blocks, named)).x);
  };
  const float x0 = low.x + 3 * size + context.px(10), end = high.x - context.px(20);
  const WaveSchedule* named = end - widest(waves) - x0 >= context.px(140) ? waves : nullptr;
  draw_text_right(ImGui::GetWindowDrawList(), context.fonts.small, {high.x, centred_top(context.fonts.small, y)},
                  context.theme.muted, moment.empty() ? position_text(context, blocks, named) : std::string(moment));
  const float x1 = end - widest(named);
  if (x1 > x0 + context.px(40)) draw_track(context, x0, x1, y, blocks, waves);
  ImGui::PopID();
}

void playback_keys(PanelContext& context) {
  if (!context.result || played_blocks(*context.result) == 0) return;
  ViewState& view = context.view;
  const uint64_t blocks = played_blocks(*context.result);
  const WaveSchedule* waves = shown_waves(*context.result);
  const bool by_wave = ImGui::GetIO().KeyShift && waves != nullptr;
  if (key_went_down(Key::space)) toggle_playback(view, blocks);
  for (const int direction : {-1, 1}) {
    if (!key_repeats(direction < 0 ? Key::left : Key::right)) continue;
    if (by_wave)
      step_playback_by_wave(view, *waves, direction);
    else
      step_playback(view, blocks, direction);
  }
  if (key_went_down(Key::home)) seek_playback(view, blocks, 0);
  if (key_went_down(Key::end)) end_playback(view);
}

}  // namespace tilescope
