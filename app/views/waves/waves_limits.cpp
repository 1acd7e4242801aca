// The limits on an SM's blocks, and the same grid on other GPUs.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/waves/waves_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kLimitsBar = 4;

void bar(WavesFrame& frame, float x0, float x1, float y, float share, ImU32 colour) {
  const float half = frame.px(kLimitsBar) / 2;
  frame.list->AddRectFilled({x0, y - half}, {x1, y + half}, frame.context.theme.separator, half);
  if (share > 0)
    frame.list->AddRectFilled({x0, y - half}, {x0 + std::max(2 * half, (x1 - x0) * std::min(1.0F, share)), y + half},
                              colour, half);
}

std::string allowed_text(const WavesFrame& frame, const ResourceLimit& limit) {
  const Strings& strings = frame.context.strings;
  if (!limit.blocks) return strings("waves.no_limit");
  return *limit.blocks == 1 ? strings("waves.allows_one")
                            : strings.format("waves.allows", fmt::arg("blocks", *limit.blocks));
}

/// Columns of the rows of limits.
struct LimitColumns {
  float detail = 0, bar = 0, value = 0;  // widths
};

void draw_limit(WavesFrame& frame, const ResourceLimit& limit, ImVec2 low, float width, const LimitColumns& columns) {
  const Theme& theme = frame.context.theme;
  const Fonts& fonts = frame.context.fonts;
  const float y = low.y + frame.row() / 2, right = low.x + width;
  ImFont* font = limit.limiting ? fonts.small_semibold : fonts.small;
  if (limit.limiting)
    frame.list->AddRectFilled({low.x - frame.px(10), low.y}, {right + frame.px(6), low.y + frame.row()}, theme.raised,
                              frame.px(4));
  if (limit.limiting)
    frame.list->AddRectFilled({low.x - frame.px(10), low.y}, {low.x - frame.px(8), low.y + frame.row()}, theme.accent);
  const std::string name = limit_name(frame.context.strings, limit.limit);
  const float named = low.x + draw_text(frame.list, font, {low.x, centred_top(font, y)}, theme.text, name).x;
  const float bar_left = right - columns.value - columns.bar;
  const std::string detail = limit_detail(frame.context.strings, frame.picture, limit.limit);
  if (named + frame.px(10) + text_size(fonts.small, detail).x <= bar_left - frame.px(12))
    draw_text_right(frame.list, fonts.small, {bar_left - frame.px(12), centred_top(fonts.small, y)}, theme.muted,
                    detail);
  const auto most = static_cast<float>(frame.result().modelled_gpu.max_blocks_per_multiprocessor);
  const float share = limit.blocks ? static_cast<float>(*limit.blocks) / most : 1;
  bar(frame, bar_left, right - columns.value - frame.px(12), y, share, limit.limiting ? theme.accent : theme.muted);
  draw_text_right(frame.list, font, {right, centred_top(font, y)}, limit.limiting ? theme.text : theme.muted,
                  allowed_text(frame, limit));
  mark(frame.context, "waves.limit." + std::string(name_of(limit.limit)), low, {right, low.y + frame.row()});
  explain_rect(frame.context, low, {right, low.y + frame.row()},
               limit_sentence(frame.context.strings, limit) +
                   frame.context.strings.format("waves.a_block_takes", fmt::arg("detail", detail)));
}

/// Resident warps out of the maximum.
float draw_occupancy(WavesFrame& frame, ImVec2 low, float width) {
  const Strings& strings = frame.context.strings;
  ImFont* font = frame.context.fonts.small;
  const GpuSpec& gpu = frame.result().modelled_gpu;
  const WaveSchedule& waves = frame.picture.schedule;
  const uint32_t warps = waves.blocks_per_multiprocessor * waves.warps_per_block;
  const double share = static_cast<double>(warps) / gpu.max_warps_per_multiprocessor;
  const std::string text =
      strings.format("waves.occupancy", fmt::arg("warps", warps), fmt::arg("most", gpu.max_warps_per_multiprocessor),
                     fmt::arg("share", fmt::format("{:.0f}", 100 * share)));
  std::string threads =
      strings.format("waves.registers_each", fmt::arg("registers", frame.picture.usage.registers_per_thread),
                     fmt::arg("threads", with_separators(frame.picture.usage.threads)));
  if (const uint32_t spilled = frame.picture.spilled_bytes; spilled > 0)
    threads += strings.format("waves.spilled", fmt::arg("bytes", with_separators(spilled)));
  const float y = low.y + frame.row() / 2;
  const float used = draw_text(frame.list, font, {low.x, centred_top(font, y)}, frame.context.theme.text, text).x;
  explain_rect(frame.context, low, {low.x + width, low.y + frame.row()}, strings("waves.occupancy_meaning"));
  if (frame.picture.usage.registers_per_thread == 0) return frame.row();
  if (used + frame.px(16) + text_size(font, threads).x <= width) {
    draw_text_right(frame.list, font, {low.x + width, centred_top(font, y)}, frame.context.theme.muted, threads);
    return frame.row();
  }
  draw_text(frame.list, font, {low.x, centred_top(font, y + (frame.row() - frame.px(4)))}, frame.context.theme.muted,
            threads);
  return 2 * frame.row() - frame.px(4);
}

struct GpuColumns {
  float processors, held, waves, bar, filled;  // right edges, and the bar's left edge
};

void draw_gpu(WavesFrame& frame, const GpuWaves& gpu, ImVec2 low, float width, const GpuColumns& at) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float right = low.x + width, bottom = low.y + frame.gpu_row(), y = low.y + frame.gpu_row() / 2;
  const bool chosen = gpu.id == frame.result().modelled_gpu.id;
  ImGui::SetCursorScreenPos({low.x - frame.px(10), low.y});
  ImGui::PushID(gpu.id.c_str());
  const bool pressed = hit_area("gpu", {width + frame.px(16), frame.gpu_row()});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  mark(context, "waves.gpu." + gpu.id, low, {right, bottom});
  if (chosen || hovered)
    frame.list->AddRectFilled({low.x - frame.px(10), low.y}, {right + frame.px(6), bottom}, theme.raised, frame.px(4));
  if (chosen) frame.list->AddRectFilled({low.x - frame.px(10), low.y}, {low.x - frame.px(8), bottom}, theme.accent);
  ImFont* font = chosen ? context.fonts.small_semibold : context.fonts.small;
  const float top = centred_top(font, y);
  draw_text(frame.list, font, {low.x, top}, theme.text, gpu.name);
  const WaveSchedule& waves = gpu.schedule;
  draw_text_right(frame.list, font, {at.processors, top}, theme.muted, std::to_string(waves.multiprocessors));
  if (!waves.runs()) {
    draw_text_right(frame.list, font, {right, top}, theme.error, context.strings("waves.does_not_fit"));
  } else {
    draw_text_right(frame.list, font, {at.held, top}, theme.muted, std::to_string(waves.blocks_per_multiprocessor));
    draw_text_right(frame.list, font, {at.waves, top}, theme.text, with_separators(waves.waves()));
    const double filled = waves.last_wave_filled();
    if (at.filled - at.bar > frame.px(56))
      bar(frame, at.bar, at.filled - frame.px(44), y, static_cast<float>(filled), chosen ? theme.accent : theme.muted);
    draw_text_right(frame.list, font, {at.filled, top}, theme.text,
                    fmt::format("{:.0f}%", std::max(1.0, 100 * filled)));
  }
  const bool simulated = context.session.request().device == DeviceKind::sim;
  if (hovered && simulated && !chosen) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    explain(context, context.strings.format("waves.choose_gpu", fmt::arg("gpu", gpu.name)));
  }
  if (pressed && simulated && !chosen) context.session.set_gpu(gpu.id);
}

}  // namespace

float draw_limits(WavesFrame& frame, ImVec2 low, float width) {
  ImFont* font = frame.context.fonts.small_semibold;
  LimitColumns columns;
  for (const ResourceLimit& limit : frame.picture.limits)
    columns.value = std::max(columns.value, text_size(font, allowed_text(frame, limit)).x);
  // The width that names and details leave.
  float before = 0;
  for (const ResourceLimit& limit : frame.picture.limits)
    before = std::max(
        before,
        text_size(font, limit_name(frame.context.strings, limit.limit)).x +
            text_size(frame.context.fonts.small, limit_detail(frame.context.strings, frame.picture, limit.limit)).x);
  columns.bar = std::clamp(width - columns.value - before - frame.px(34), frame.px(40), frame.px(110));
  float y = low.y;
  for (const ResourceLimit& limit : frame.picture.limits) {
    // Barriers are rarely the limit: they are shown only if they are.
    if (limit.limit == OccupancyLimit::barriers && !limit.limiting) continue;
    draw_limit(frame, limit, {low.x, y}, width, columns);
    y += frame.row();
  }
  y += draw_occupancy(frame, {low.x, y}, width);
  return y - low.y;
}

float draw_other_gpus(WavesFrame& frame, ImVec2 low, float width) {
  const Strings& strings = frame.context.strings;
  ImFont* font = frame.context.fonts.small;
  const float right = low.x + width, gap = frame.px(14);
  float name = 0;
  for (const GpuWaves& gpu : frame.picture.gpus)
    name = std::max(name, text_size(frame.context.fonts.small_semibold, gpu.name).x);
  const auto column = [&](const char* key, float least) {
    return std::max(text_size(font, strings(key)).x, frame.px(least)) + gap;
  };
  GpuColumns at{};
  at.processors = low.x + name + column("waves.column_processors", 24);
  at.held = at.processors + column("waves.column_held", 20);
  at.waves = at.held + column("waves.column_waves", 28);
  at.bar = at.waves + gap;
  at.filled = right;
  const float top = centred_top(font, low.y + frame.gpu_row() / 2);
  const ImU32 muted = frame.context.theme.muted;
  draw_text_right(frame.list, font, {at.processors, top}, muted, strings("waves.column_processors"));
  draw_text_right(frame.list, font, {at.held, top}, muted, strings("waves.column_held"));
  draw_text_right(frame.list, font, {at.waves, top}, muted, strings("waves.column_waves"));
  const bool roomy = at.waves + gap + text_size(font, strings("waves.column_last")).x <= at.filled;
  draw_text_right(frame.list, font, {at.filled, top}, muted,
                  strings(roomy ? "waves.column_last" : "waves.column_last_short"));
  float y = low.y + frame.gpu_row();
  for (const GpuWaves& gpu : frame.picture.gpus) {
    draw_gpu(frame, gpu, {low.x, y}, width, at);
    y += frame.gpu_row();
  }
  return y - low.y;
}

}  // namespace tilescope
