// The tile view: what each block reads and writes, as observed by the simulator.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/observed/waves_model.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/playback.hpp"
#include "app/views/questions.hpp"
#include "app/views/sampled_run.hpp"
#include "app/views/tiles/tiles_sentence.hpp"
#include "app/views/tiles/tiles_view.hpp"
#include "app/views/tiles/tiles_waves.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kTilesLeastMap = 150, kControls = 40, kTilesStrip = 124;

const ViewRegistration registered_tiles{{"tiles", 20, make_view<TilesView>}};

/// The colour scale of the maps. Returns its width; draws if `list` is not null.
float draw_legend(PanelContext& context, ImDrawList* list, ImVec2 top_right, const char* what, uint64_t count) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const float unit = context.view.scale, y = top_right.y + 12 * unit, bar = 96 * unit;
  const std::string last = with_separators(count - 1);
  const std::string first = context.strings(what) + "  0";
  const float of_last = top_right.x - text_size(font, last).x;
  const float right = of_last - 10 * unit, left = right - bar;
  const float x = left - 10 * unit - text_size(font, first).x;
  if (list == nullptr) return top_right.x - x;
  const bool counts_blocks = std::string_view(what) == "tiles.legend" && context.view.hides(ShownNumber::blocks);
  if (counts_blocks)
    draw_veiled_text(context, list, font, {of_last, centred_top(font, y)}, last);
  else
    draw_text(list, font, {of_last, centred_top(font, y)}, theme.muted, last);
  constexpr int kPieces = 16;
  for (int i = 0; i < kPieces; ++i) {
    const float x0 = left + bar * static_cast<float>(i) / kPieces,
                x1 = left + bar * static_cast<float>(i + 1) / kPieces;
    const ImU32 from = viridis(static_cast<float>(i) / kPieces), to = viridis(static_cast<float>(i + 1) / kPieces);
    list->AddRectFilledMultiColor({x0, y - 4 * unit}, {x1, y + 4 * unit}, from, to, to, from);
  }
  draw_text(list, font, {x, centred_top(font, y)}, theme.muted, first);
  explain_rect(context, {x, top_right.y}, {top_right.x, top_right.y + 24 * unit},
               context.strings(std::string(what) + "_meaning"));
  return top_right.x - x;
}

/// The sentence, with the legend at its right, or below it if both would be too narrow. Returns the height.
float draw_sentence(PanelContext& context, const TilePicture& picture, ImVec2 low, float right) {
  const Theme& theme = context.theme;
  const auto said = tiles_sentence(context.strings, *context.result, picture.shape);
  const uint64_t blocks = context.result->tiles.grid.count();
  const TilesLevel level = context.view.zoom.level;
  const uint64_t parts = level == TilesLevel::grid    ? blocks
                         : level == TilesLevel::block ? warps_of(*context.result)
                                                      : 32;
  const char* what = level == TilesLevel::grid    ? "tiles.legend"
                     : level == TilesLevel::block ? "tiles.legend_warp"
                                                  : "tiles.legend_lane";
  const WaveSchedule* waves = shown_waves(*context.result);
  const bool by_wave =
      level == TilesLevel::grid && newest_block(context.view, blocks) && waves != nullptr && waves->runs();
  const auto draw_its_legend = [&](ImDrawList* list, float y) {
    return by_wave ? draw_state_legend(context, list, {right, y}) : draw_legend(context, list, {right, y}, what, parts);
  };
  const float beside = parts > 1 ? draw_its_legend(nullptr, low.y) + context.px(24) : 0;
  const bool below = beside > 0 && right - low.x - beside < context.px(300);
  // Chinese needs no space between sentences.
  const std::string space = context.strings.language == Language::en ? " " : "";
  const bool warned = !said.warning.empty();
  const std::string& last = warned ? said.warning : said.quiet;
  const std::string reason = space + said.reason, after = last.empty() ? "" : space + last;
  const std::string failure =
      space + failure_sentence(*context.result, context.strings, warned ? WithFindings::no : WithFindings::yes);
  const TextRun runs[] = {{context.fonts.body_semibold, theme.text, said.finding},
                          {context.fonts.body, theme.text, reason},
                          {context.fonts.body, warned ? theme.error : theme.muted, after},
                          {context.fonts.body, theme.error, failure}};
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float room = below ? 0 : beside;
  const ImVec2 from = launch_before_sentence(context, low, right - room);
  const bool veiled = context.view.hides(ShownNumber::blocks);
  const float said_width = right - from.x - room;
  const float said_height = flow_text(veiled ? nullptr : list, from, said_width, context.px(24), runs);
  if (veiled) draw_veil(context, list, from, {from.x + said_width, from.y + said_height - context.px(2)});
  const float height = from.y - low.y + said_height;
  if (beside <= 0) return height;
  draw_its_legend(list, below ? low.y + height : low.y);
  return below ? height + context.px(24) : height;
}

TilesLevel level_named(std::string_view name) {
  return name == "lane"    ? TilesLevel::lane
         : name == "warp"  ? TilesLevel::warp
         : name == "block" ? TilesLevel::block
                           : TilesLevel::grid;
}

}  // namespace

void TilesView::draw_observed(PanelContext& context) {
  TilePicture& picture = picture_;
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const ImVec2 origin{window.x, window.y - ImGui::GetScrollY()};
  const float unit = context.view.scale, left = origin.x + 24 * unit, right = origin.x + size.x - 24 * unit;
  const uint64_t blocks = context.result->tiles.grid.count();
  advance_playback(context.view, blocks, static_cast<double>(ImGui::GetIO().DeltaTime));

  TraceIndex& index = trace_index(context.view, context.result);
  take_result(picture, index, context.result);
  const float top = origin.y + 12 * unit;
  const float of_switch = draw_plane_switch(context, plane_, {right, top});
  const float said = draw_sentence(context, picture, {left, top}, right - (of_switch > 0 ? of_switch + 20 * unit : 0));
  const bool playable = blocks > 1;
  const ImVec2 low{left, std::floor(top + said + 6 * unit)};
  const WaveSchedule* waves = shown_waves(*context.result);
  const float processors = processor_row_height(*context.result) * unit;
  // In a low window, the strip is reached by scrolling.
  const float least = low.y + kTilesLeastMap * unit + processors + (kControls + kTilesStrip) * unit;
  const float bottom = std::max(origin.y + size.y, least), strip = bottom - kTilesStrip * unit;
  const ImVec2 high{right, std::floor(strip - kControls * unit - processors)};
  if (high.y - low.y < 48 * unit || right - left < 200 * unit) return;  // too little room to distinguish anything
  if (!picture.fits(low, high)) lay_out_tiles(picture, low, high, unit);

  move_cameras(context, picture, index);
  point_at_map(context, picture, index);
  TilesFrame frame{.context = context,
                   .index = index,
                   .picture = picture,
                   .list = ImGui::GetWindowDrawList(),
                   .access = {},
                   .shown = {}};
  frame.issued = issued_blocks(context.view, blocks);
  if (newest_block(context.view, blocks) && waves != nullptr && waves->runs()) frame.waves = waves;
  frame.focus = focus_block(context.view, blocks);
  frame.access = frame.index.shown_access(context.view.hover, context.view.selection, frame.focus);
  if (frame.access) frame.shown = warp_access(*context.result, *frame.access);
  draw_map(frame);
  if (processors > 0) draw_processor_row(frame, {left, high.y + 4 * unit}, {right, strip - 36 * unit});
  // Playback and zoom level share one row of controls.
  const float least_left = left + std::floor((right - left) * (playable ? 0.55F : 0.1F));
  const float crumbs = draw_zoom_crumbs(frame, right, strip - 22 * unit, least_left);
  if (playable)
    draw_playback_row(context, {left, strip - 36 * unit}, {crumbs - 28 * unit, strip - 8 * unit}, blocks, waves);
  separator_line(context, strip);
  draw_strip(frame, {left, strip}, {right, bottom});
  ImGui::SetCursorScreenPos({origin.x, bottom - 1});
  ImGui::Dummy({1, 1});
}

bool TilesView::keys(PanelContext& context) {
  if (shows_plane(context, plane_)) {
    plane_keys(context, plane_);
    return true;
  }
  playback_keys(context);
  zoom_keys(context);
  return true;
}

bool TilesView::moving(const Session&, const ViewState& view) const {
  return view.playback.playing || view.zoom.moving || view.plane.playing || plane_.working();
}

void TilesView::apply(ViewState& view, const ShotWishes& wishes) {
  view.zoom.level = level_named(wishes.zoom);
  view.plane = {.as_tiles = view.zoom.level != TilesLevel::grid};
  if (wishes.issued) view.plane.step = static_cast<double>(*wishes.issued);
}

/// Zooms in level by level, and out again.
void TilesView::play(ViewState& view, int frame) {
  constexpr int kFramesOfALevel = 12;
  view.plane.playing = true;
  if (frame % kFramesOfALevel != 0) return;
  const int turn = frame / kFramesOfALevel % 6;
  view.zoom.level = static_cast<TilesLevel>(turn <= 3 ? turn : 6 - turn);
}

void TilesView::draw(PanelContext& context) {
  if (!context.result) {
    empty_state(context, context.strings("tiles.empty_title"), context.strings("tiles.empty_hint"));
    return;
  }
  const RunResult& result = *context.result;
  if (!result.observed || result.tiles.grid.count() == 0) {
    draw_not_observed(context);
    return;
  }
  if (shows_plane(context, plane_)) return draw_plane(context, plane_);
  follow_result(context.view, context.result);
  draw_observed(context);
  dim_if_stale(context);
}

}  // namespace tilescope
