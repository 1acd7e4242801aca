// The waves view: how the blocks of the grid are assigned to the SMs, what limits the number of resident blocks, and
// what the last wave leaves empty.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "app/draw/widgets.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/playback.hpp"
#include "app/views/questions.hpp"
#include "app/views/waves/waves_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kWavePadding = 24, kRight = 400, kLeastRight = 312, kWaveBetween = 40, kPlayback = 36;
constexpr float kWaveCompactBelow = 440;  // height of the view
constexpr float kTimeline = 104, kLeastProcessors = 150, kMostProcessors = 420;

const ViewRegistration registered_waves{{"waves", 70, make_view<WavesView>}};

float draw_sentence(PanelContext& context, const WavesPicture& picture, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  const WavesSentence said = waves_sentence(context.strings, picture);
  // Chinese needs no space between sentences.
  const std::string space = context.strings.language == Language::en ? " " : "";
  const std::string reason = space + said.reason, quiet = said.quiet.empty() ? "" : space + said.quiet;
  const std::string failure = space + failure_sentence(*context.result, context.strings);
  const TextRun runs[] = {{context.fonts.body_semibold, said.trouble ? theme.error : theme.text, said.finding},
                          {context.fonts.body, theme.text, reason},
                          {context.fonts.body, theme.muted, quiet},
                          {context.fonts.body, theme.error, failure}};
  const float right = low.x + width;
  const ImVec2 from = launch_before_sentence(context, low, right);
  const bool veiled = context.view.hides(ShownNumber::blocks);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = flow_text(veiled ? nullptr : list, from, right - from.x, context.px(24), runs);
  if (veiled) draw_veil(context, list, from, {right, from.y + height - context.px(2)});
  return from.y - low.y + height;
}

/// A title, its subject (the first of the wordings that fits), and the badge at the right.
void draw_header(WavesFrame& frame, ImVec2 low, float right, std::string_view title,
                 std::initializer_list<std::string> wordings, Badge badge) {
  const Fonts& fonts = frame.context.fonts;
  const float y = low.y + frame.px(10);
  const float badge_left = right - draw_badge(frame.context, frame.list, {right, low.y}, badge);
  const float width = draw_text(frame.list, fonts.small_semibold, {low.x, centred_top(fonts.small_semibold, y)},
                                frame.context.theme.text, title)
                          .x;
  const float x = low.x + width + frame.px(10), room = badge_left - frame.px(8) - x;
  for (const std::string& what : wordings) {
    const bool last = &what == wordings.end() - 1;
    if (!last && text_size(fonts.small, what).x > room) continue;
    draw_text(frame.list, fonts.small, {x, centred_top(fonts.small, y)}, frame.context.theme.muted,
              fit_text(fonts.small, what, room));
    break;
  }
  explain_rect(frame.context, {low.x, low.y}, {badge_left, low.y + frame.px(20)}, *wordings.begin());
}

/// SMs, playback and timeline, stacked.
void draw_left(WavesFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const WaveSchedule& waves = frame.picture.schedule;
  const Badge badge = frame.times() != nullptr ? Badge::measured : Badge::modelled;
  std::string what = wave_text(context.strings, waves, frame.issued);
  std::string brief = wave_text(context.strings, waves, frame.issued, /*brief=*/true);
  if (frame.times() != nullptr)
    what = brief = context.strings.format("waves.at_time", fmt::arg("time", fmt::format("{:.1f}", frame.time_us)),
                                          fmt::arg("all", fmt::format("{:.1f}", frame.times()->total_us)));
  draw_header(frame, low, high.x, context.strings("waves.processors"), {what, brief}, badge);
  const float timeline = high.y - frame.px(kTimeline), playback = timeline - frame.px(kPlayback);
  draw_processors(frame, {low.x, low.y + frame.header()}, {high.x, playback - frame.px(4)});
  std::string moment;
  if (frame.times() != nullptr)
    moment = context.strings.format("waves.moment", fmt::arg("time", fmt::format("{:.1f}", frame.time_us)),
                                    fmt::arg("all", fmt::format("{:.1f}", frame.times()->total_us)));
  draw_playback_row(context, {low.x, playback}, {high.x, timeline - frame.px(4)}, waves.blocks,
                    moment.empty() ? &waves : nullptr, moment);
  draw_wave_timeline(frame, {low.x, timeline}, high);
}

float draw_right(WavesFrame& frame, ImVec2 low, float width) {
  PanelContext& context = frame.context;
  const Strings& strings = context.strings;
  const float right = low.x + width;
  float y = low.y;
  draw_header(frame, {low.x, y}, right, strings("waves.limits"),
              {strings.format("waves.limits_of", fmt::arg("gpu", frame.result().modelled_gpu.name)),
               strings.format("waves.limits_of_brief", fmt::arg("gpu", frame.result().modelled_gpu.name))},
              Badge::modelled);
  y += frame.header();
  y += draw_limits(frame, {low.x, y}, width) + frame.px(frame.compact ? 10 : 20);
  draw_header(frame, {low.x, y}, right, strings("waves.other_gpus"),
              {strings.format("waves.other_gpus_of", fmt::arg("target", frame.result().compiled.cubin_target)),
               strings.format("waves.other_gpus_of_brief", fmt::arg("target", frame.result().compiled.cubin_target))},
              Badge::modelled);
  y += frame.header();
  return y + draw_other_gpus(frame, {low.x, y}, width) - low.y;
}

}  // namespace

void WavesView::draw_known(PanelContext& context) {
  const WavesPicture& picture = picture_;
  const ImVec2 window = ImGui::GetWindowPos(), origin = ImGui::GetCursorScreenPos();
  const float left = window.x + context.px(kWavePadding),
              width = ImGui::GetWindowWidth() - context.px(2 * kWavePadding);
  if (width < context.px(80)) return;
  WavesFrame frame{.context = context, .picture = picture, .texture = texture_, .list = ImGui::GetWindowDrawList()};
  const uint64_t blocks = picture.schedule.blocks;
  frame.compact = ImGui::GetWindowHeight() < context.px(kWaveCompactBelow);
  advance_playback(context.view, blocks, static_cast<double>(ImGui::GetIO().DeltaTime));
  frame.issued = issued_blocks(context.view, blocks);
  if (frame.times() != nullptr)
    frame.time_us = moment_of(*frame.times(), context.view.animate ? context.view.playback.position : -1);

  const float around_sentence = context.px(frame.compact ? 8 : 12);
  float y = origin.y + around_sentence;
  y += draw_sentence(context, picture, {left, y}, width) + around_sentence;
  const bool beside = width >= context.px(kLeastRight + kWaveBetween + 240);
  const float of_right =
      beside ? std::clamp(std::floor(width * 0.38F), context.px(kLeastRight), context.px(kRight)) : width;
  const float of_left = beside ? width - of_right - context.px(kWaveBetween) : width;
  const float around = frame.header() + context.px(kPlayback + kTimeline);
  const float room = window.y + ImGui::GetWindowHeight() - context.px(12) - y - around;
  const float processors = std::clamp(room, context.px(kLeastProcessors), context.px(kMostProcessors));
  float bottom = y;
  if (picture.schedule.runs()) {
    draw_left(frame, {left, y}, {left + of_left, y + processors + around});
    bottom += processors + around;
  }
  const ImVec2 beside_it{picture.schedule.runs() && beside ? left + width - of_right : left,
                         picture.schedule.runs() && !beside ? bottom + context.px(20) : y};
  bottom = std::max(bottom, beside_it.y + draw_right(frame, beside_it, of_right));
  ImGui::SetCursorScreenPos({window.x, bottom});
  ImGui::Dummy({1, context.px(frame.compact ? 4 : 12)});
}

bool WavesView::moving(const Session&, const ViewState& view) const { return view.playback.playing; }

void WavesView::draw(PanelContext& context) {
  if (!context.result) {
    empty_state(context, context.strings("waves.empty_title"), context.strings("waves.empty_hint"));
    return;
  }
  const auto& gpus = context.session.engine().gpus();
  const std::span<const GpuSpec> table = gpus ? std::span<const GpuSpec>(*gpus) : std::span<const GpuSpec>();
  if (!take_waves(picture_, context.result, table)) {
    empty_state(context, context.strings("waves.unknown_title"), context.strings("waves.unknown_hint"));
    return;
  }
  follow_result(context.view, context.result);
  draw_known(context);
  dim_if_stale(context);
}

}  // namespace tilescope
