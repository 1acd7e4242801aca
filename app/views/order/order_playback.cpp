// The row below the maps: play, step by wave, the strip of all waves, the colour legend.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/order/order_view.hpp"
#include "app/views/playback_button.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

float draw_buttons(OrderFrame& frame, float left, float y) {
  PanelContext& context = frame.context;
  ViewState& view = context.view;
  const OrderModel& model = frame.model();
  const float size = context.px(24), top = y - size / 2;
  const bool playing = view.playback.playing;
  float x = left - context.px(6);
  if (playback_button(context, "play", {x, top}, playing ? PlaybackIcon::pause : PlaybackIcon::play,
                      context.strings(playing ? "order.pause" : "order.play")))
    toggle_order(view, model);
  x += size;
  if (playback_button(context, "back", {x, top}, PlaybackIcon::back, context.strings("order.previous_wave")))
    step_wave(view, model, -1);
  x += size;
  if (playback_button(context, "on", {x, top}, PlaybackIcon::forward, context.strings("order.next_wave")))
    step_wave(view, model, 1);
  return x + size + context.px(10);
}

/// "Wave 7 of 16  blocks 792–923 of 2,048", with a width that stays constant during playback. Returns its right edge.
float draw_place(OrderFrame& frame, float left, float right, float y) {
  PanelContext& context = frame.context;
  const Strings& strings = context.strings;
  const Fonts& fonts = context.fonts;
  const uint64_t waves = frame.picture.waves(), blocks = frame.model().blocks;
  const auto wave_text = [&](uint64_t wave) {
    return strings.format("order.wave_of", fmt::arg("wave", with_separators(wave)),
                          fmt::arg("all", with_separators(waves)));
  };
  const auto blocks_text = [&](uint64_t first, uint64_t last) {
    return strings.format("order.blocks_of", fmt::arg("first", with_separators(first)),
                          fmt::arg("last", with_separators(last)), fmt::arg("all", with_separators(blocks)));
  };
  const OrderWindow& window = frame.window;
  const std::string wave = window.end == 0 ? strings("order.before") : wave_text(window.wave + 1);
  draw_text(frame.list, fonts.body_semibold, {left, centred_top(fonts.body_semibold, y)}, context.theme.text, wave);
  float x = left +
            std::max(text_size(fonts.body_semibold, wave_text(waves)).x,
                     text_size(fonts.body_semibold, strings("order.before")).x) +
            context.px(10);
  const float room = text_size(fonts.small, blocks_text(blocks - 1, blocks - 1)).x;
  if (x + room > right) return x;
  if (window.end > 0)
    draw_text(frame.list, fonts.small, {x, centred_top(fonts.small, y)}, context.theme.muted,
              blocks_text(window.first, window.end - 1));
  return x + room + context.px(16);
}

/// Right-aligned; omitted if there is no room. Returns its left edge.
float draw_legend(OrderFrame& frame, float left, float right, float y) {
  PanelContext& context = frame.context;
  static constexpr std::array<std::pair<const char*, TileState>, 3> kStates{{{"order.done", TileState::done},
                                                                             {"order.resident", TileState::resident},
                                                                             {"order.waiting", TileState::waiting}}};
  ImFont* font = context.fonts.small;
  float width = 0;
  for (const auto& [key, state] : kStates) width += context.px(8 + 6 + 18) + text_size(font, context.strings(key)).x;
  if (right - width < left) return right;
  float x = right - width + context.px(18);
  const float edge = x;
  for (const auto& [key, state] : kStates) {
    const float half = context.px(4);
    frame.list->AddRectFilled({x, y - half}, {x + 2 * half, y + half}, tile_colour(context.theme, state));
    if (state == TileState::waiting)
      frame.list->AddRect({x, y - half}, {x + 2 * half, y + half}, context.theme.separator);
    x += context.px(14);
    x += draw_text(frame.list, font, {x, centred_top(font, y)}, context.theme.muted, context.strings(key)).x +
         context.px(18);
  }
  explain_rect(context, {edge, y - context.px(10)}, {right, y + context.px(10)},
               context.strings.format("order.states_meaning",
                                      fmt::arg("resident", with_separators(frame.model().resident_blocks)),
                                      fmt::arg("gpu", frame.model().gpu)));
  return edge;
}

void draw_waves(OrderFrame& frame, float x0, float x1, float y) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const auto waves = static_cast<int64_t>(frame.picture.waves());
  const float half = context.px(4), reach = context.px(10);
  const float pitch = std::min(context.px(28), (x1 - x0) / static_cast<float>(waves));
  x1 = x0 + pitch * static_cast<float>(waves);
  ImGui::SetCursorScreenPos({x0, y - reach});
  hit_area("waves", {x1 - x0, 2 * reach});
  mark(context, "order.waves", {x0, y - half}, {x1, y + half});
  const auto pointed =
      std::clamp<int64_t>(static_cast<int64_t>(std::floor((ImGui::GetIO().MousePos.x - x0) / pitch)), 0, waves - 1);
  if (ImGui::IsItemActive()) show_wave(context.view, frame.model(), static_cast<uint64_t>(pointed));
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    const auto& wave = frame.model().launched.waves[static_cast<size_t>(pointed)];
    explain(context, context.strings.format(
                         "order.explain_wave", fmt::arg("wave", with_separators(static_cast<uint64_t>(pointed) + 1)),
                         fmt::arg("first", with_separators(wave.first_block)),
                         fmt::arg("last", with_separators(wave.first_block + wave.blocks - 1)),
                         fmt::arg("needs", three_figures(static_cast<double>(wave.needed_bytes))),
                         fmt::arg("reads", three_figures(static_cast<double>(wave.device_bytes_read)))));
  }
  const auto now = static_cast<int64_t>(frame.window.wave);
  const bool none = frame.window.end == 0;
  if (pitch < context.px(5)) {  // no room for separate parts
    const float at = x0 + pitch * static_cast<float>(none ? 0 : now), end = std::max(at + context.px(3), at + pitch);
    frame.list->AddRectFilled({x0, y - half}, {x1, y + half}, tile_colour(theme, TileState::waiting));
    frame.list->AddRectFilled({x0, y - half}, {at, y + half}, tile_colour(theme, TileState::done));
    if (!none) frame.list->AddRectFilled({at, y - half}, {std::min(end, x1), y + half}, theme.accent);
    return;
  }
  for (int64_t wave = 0; wave < waves; ++wave) {
    const float low = std::round(x0 + pitch * static_cast<float>(wave));
    const float high = std::round(x0 + pitch * static_cast<float>(wave + 1)) - context.px(2);
    const TileState state = none || wave > now ? TileState::waiting
                            : wave == now      ? TileState::resident
                                               : TileState::done;
    const ImU32 colour = tile_colour(theme, state);
    frame.list->AddRectFilled({low, y - half}, {high, y + half},
                              hovered && wave == pointed && wave != now ? mix(colour, theme.text, 0.35F) : colour,
                              context.px(1));
  }
}

}  // namespace

void draw_order_playback(OrderFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const float y = std::round((low.y + high.y) / 2);
  ImGui::PushID("order");
  const float after = draw_buttons(frame, low.x, y);
  const float left = draw_place(frame, after, high.x, y);
  const float right = draw_legend(frame, left + context.px(120), high.x, y) - context.px(24);
  if (right - left > context.px(60)) draw_waves(frame, left, right, y);
  ImGui::PopID();
}

}  // namespace tilescope
