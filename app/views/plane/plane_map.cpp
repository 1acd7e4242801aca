// Queries down, keys across: the strips of all blocks of a head, and the keys of one block by state.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/draw/widgets.hpp"
#include "app/observed/wording.hpp"
#include "app/views/plane/plane_view.hpp"
#include "app/views/playback_button.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kHeader = 28, kBand = 12, kBandPitch = 17, kBands = 44, kName = 20, kAxis = 22, kMapSide = 150,
                kLine = 18;
constexpr float kKeyLabel = 120;  // width that the keys' label may take below a narrower plane
constexpr float kLeastCell = 4;   // smaller cells cannot be distinguished

struct PlaneArea {
  ImVec2 low, high;                            // the plane itself
  float band_k = 0, band_v = 0, column_q = 0;  // tops of the bands, left edge of the column
  float right = 0, bottom = 0;                 // of the whole area
  float per_key = 1, per_query = 1;
  float x(int64_t key) const { return low.x + static_cast<float>(key) * per_key; }
  float y(int64_t query) const { return low.y + static_cast<float>(query) * per_query; }
};

PlaneArea lay_out(const PlaneFrame& frame, ImVec2 low, ImVec2 high) {
  const PlaneExtents& all = frame.picture.extents;
  PlaneArea area{.right = high.x, .bottom = high.y};
  area.band_k = low.y + frame.px(kHeader);
  area.band_v = area.band_k + frame.px(kBandPitch);
  area.column_q = low.x;
  area.low = {low.x + frame.px(kName), area.band_k + frame.px(kBands)};
  const float room_x = std::max(high.x - area.low.x - frame.px(kMapSide), frame.px(40));
  const float room_y = std::max(high.y - frame.px(kAxis) - area.low.y, frame.px(40));
  const float aspect = std::clamp(static_cast<float>(all.keys) / static_cast<float>(all.queries), 0.5F, 4.0F);
  const float width = std::floor(std::min(room_x, room_y * aspect));
  const float height = std::floor(std::min(room_y, std::max(width / aspect, frame.px(16))));
  area.high = {area.low.x + width, area.low.y + height};
  area.per_key = width / static_cast<float>(all.keys);
  area.per_query = height / static_cast<float>(all.queries);
  return area;
}

/// Consecutive cells of one colour, with a gap if cells are large enough to be distinguished.
void draw_cells(PlaneFrame& frame, const PlaneArea& area, std::span<const KeyState> states, float top, float bottom) {
  const int64_t width = frame.picture.key_block, keys = frame.picture.extents.keys;
  const float pitch = static_cast<float>(width) * area.per_key;
  const float gap = pitch >= frame.px(kLeastCell) ? std::max(1.0F, frame.px(1)) : 0;
  for (size_t cell = 0; cell < states.size();) {
    size_t end = cell + 1;
    while (gap == 0 && end < states.size() && states[end] == states[cell]) ++end;
    if (states[cell] != KeyState::untouched) {
      const float x0 = area.x(static_cast<int64_t>(cell) * width);
      float x1 = area.x(std::min(static_cast<int64_t>(end) * width, keys)) - gap;
      if (states[cell] == KeyState::computing) x1 = std::max(x1, x0 + frame.px(2));  // even one key of many is visible
      frame.list->AddRectFilled({x0, top}, {x1, bottom}, key_colour(frame.context.theme, states[cell]));
    }
    cell = end;
  }
}

ImU32 other_colour(const Theme& theme) { return mix(theme.window, theme.muted, theme.dark ? 0.16F : 0.2F); }

/// What the head's other blocks touch.
void draw_others(PlaneFrame& frame, const PlaneArea& area) {
  const ImU32 colour = other_colour(frame.context.theme);
  const float line = std::max(1.0F, std::floor(frame.context.view.scale));
  for (const size_t index : frame.picture.of_head(frame.strip.head)) {
    const PlaneStrip& strip = frame.picture.strips[index];
    const float y0 = area.y(strip.queries.begin), y1 = area.y(strip.queries.end);
    const float gap = y1 - y0 >= frame.px(kLeastCell) ? line : 0;
    for (const ElementRange& keys : strip.keys)
      frame.list->AddRectFilled({area.x(keys.begin), y0}, {area.x(keys.end), std::max(y1 - gap, y0 + 0.5F)}, colour);
    const bool own = strip.block == frame.strip.block;
    frame.list->AddRectFilled({area.column_q, y0}, {area.column_q + frame.px(kBand), std::max(y1 - gap, y0 + 0.5F)},
                              own ? frame.context.theme.accent : colour);
  }
  const float pitch = static_cast<float>(frame.picture.key_block) * area.per_key;
  if (pitch < frame.px(kLeastCell)) return;
  for (int64_t cell = 1; cell < frame.picture.key_cells(); ++cell) {
    const float x = area.x(cell * frame.picture.key_block);
    frame.list->AddRectFilled({x - line, area.low.y}, {x, area.high.y}, frame.context.theme.window);
  }
}

/// The last key that each query attends to.
void draw_mask(PlaneFrame& frame, const PlaneArea& area) {
  if (!frame.picture.masked) return;
  const int64_t queries = frame.picture.extents.queries;
  constexpr int64_t kPieces = 96;
  std::vector<ImVec2> points;
  for (int64_t piece = 0; piece <= kPieces; ++piece) {
    const int64_t query = piece * queries / kPieces;
    const int64_t seen = frame.picture.spec.visible(frame.result().config, std::min(query, queries - 1));
    points.emplace_back(area.x(query == queries ? seen : std::max<int64_t>(seen - 1, 0)), area.y(query));
  }
  frame.list->AddPolyline(points.data(), static_cast<int>(points.size()),
                          mix(frame.context.theme.window, frame.context.theme.text, 0.6F), 0, frame.px(1));
}

void draw_bands(PlaneFrame& frame, const PlaneArea& area, std::span<const KeyState> states) {
  PanelContext& context = frame.context;
  ImFont* font = context.fonts.small;
  const struct {
    const char* name;
    float top;
    bool read;
  } bands[] = {{"K", area.band_k, frame.walk.reads_k}, {"V", area.band_v, frame.walk.reads_v}};
  for (const auto& band : bands) {
    const float bottom = band.top + frame.px(kBand), y = (band.top + bottom) / 2;
    draw_text(frame.list, font, {area.column_q + frame.px(2), centred_top(font, y)}, context.theme.muted, band.name);
    if (band.read) {
      frame.list->AddRectFilled({area.low.x, band.top}, {area.high.x, bottom}, other_colour(context.theme));
      draw_cells(frame, area, states, band.top, bottom);
    } else {
      frame.list->AddRect({area.low.x + 0.5F, band.top + 0.5F}, {area.high.x - 0.5F, bottom - 0.5F},
                          context.theme.separator);
    }
    explain_rect(context, {area.low.x, band.top}, {area.high.x, bottom},
                 context.strings(band.read ? "plane.band_meaning" : "plane.band_not_read"));
  }
  draw_text(frame.list, font, {area.column_q + frame.px(1), area.high.y + frame.px(4)}, context.theme.muted, "Q");
}

/// The keys being computed, labelled below the plane.
void draw_axis(PlaneFrame& frame, const PlaneArea& area) {
  PanelContext& context = frame.context;
  ImFont* font = context.fonts.small;
  const float y = area.high.y + frame.px(12);
  const int64_t last = frame.picture.extents.keys - 1;
  const std::string first_text = context.strings("plane.key_zero"), last_text = with_separators(last);
  float from = area.low.x, to = std::max(area.high.x, area.low.x + frame.px(kKeyLabel));
  const ImVec2 of_first = text_size(font, first_text), of_last = text_size(font, last_text);
  std::string now;
  float centre = 0;
  if (frame.done < frame.walk.steps.size()) {
    const WalkStep& step = frame.walk.steps[frame.done];
    const bool plain = !frame.walk.reads_k || !frame.walk.reads_v;
    now = step.end_key - step.first_key == 1
              ? context.strings.format("plane.one_key", fmt::arg("key", with_separators(step.first_key)))
              : context.strings.format(plain ? "plane.keys_now" : "plane.keys_of_step", fmt::arg("step", frame.done),
                                       fmt::arg("first", with_separators(step.first_key)),
                                       fmt::arg("last", with_separators(step.end_key - 1)));
    centre = area.x((step.first_key + step.end_key) / 2);
    const float line = std::max(1.0F, frame.px(1)), top = area.y(frame.strip.queries.end);
    frame.list->AddRectFilled({centre, top}, {centre + line, area.high.y + frame.px(3)},
                              mix(context.theme.window, context.theme.accent, 0.55F));
  }
  const float width = text_size(font, now).x, half = width / 2;
  centre = std::clamp(centre, from + half, std::max(to - half, from + half));
  const bool over_first = !now.empty() && centre - half < from + of_first.x + frame.px(8);
  const bool over_last = !now.empty() && centre + half > area.high.x - of_last.x - frame.px(8);
  if (!over_first) draw_text(frame.list, font, {from, centred_top(font, y)}, context.theme.muted, first_text);
  if (!over_last)
    draw_text_right(frame.list, font, {area.high.x, centred_top(font, y)}, context.theme.muted, last_text);
  if (!now.empty()) draw_text_centred(frame.list, font, {centre, y}, context.theme.text, now);
}

/// Rows of the column beside the plane.
struct Rows {
  float top, bottom;
};

/// The block's row of the plane: its cells, a frame, the selected query, and their names. Returns the names' rows
/// beside the plane, if they are there.
std::optional<Rows> draw_own(PlaneFrame& frame, const PlaneArea& area, std::span<const KeyState> states) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float y0 = area.y(frame.strip.queries.begin);
  const float y1 = std::max(area.y(frame.strip.queries.end), y0 + frame.px(3));
  const auto& keys = frame.strip.keys;
  const float begin = keys.empty() ? area.low.x : area.x(keys.front().begin);
  const float end = keys.empty() ? area.low.x : area.x(keys.back().end);
  frame.list->AddRectFilled({begin, y0}, {end, y1}, theme.window);
  draw_cells(frame, area, states, y0, y1);
  const float line = std::max(1.0F, frame.px(1));
  frame.list->AddRect({begin - line, y0 - line}, {end + line, y1 + line}, theme.text, 0, 0, line);
  const float row = area.y(frame.query()) + area.per_query / 2;
  const int64_t seen = frame.picture.masked ? frame.picture.spec.visible(frame.result().config, frame.query())
                                            : frame.picture.extents.keys;
  if (y1 - y0 >= frame.px(6))
    frame.list->AddRectFilled({begin, row - line / 2}, {std::clamp(area.x(seen), begin, end), row + line / 2},
                              theme.error);
  const std::string block = context.strings.format(
      "plane.block", fmt::arg("block", block_number(frame.result().tiles.grid, frame.strip.block)));
  const std::string query = context.strings.format("plane.row", fmt::arg("row", with_separators(frame.query())));
  ImFont *strong = context.fonts.small_semibold, *font = context.fonts.small;
  const float width = std::max(text_size(strong, block).x, text_size(font, query).x), centre = (y0 + y1) / 2;
  const bool inside = end + frame.px(12) + width < area.high.x;
  const float x = inside ? end + frame.px(8) : area.high.x + frame.px(12);
  // Beside the plane, not below it.
  const float least = area.low.y + frame.px(kLine), most = std::max(area.high.y - frame.px(kLine), least);
  // If there is little room, they leave the rest of the column to the legend.
  const bool upper = centre < (area.low.y + area.high.y) / 2, tight = area.high.y - area.low.y < frame.px(260);
  const float y = inside || !tight ? std::clamp(centre, least, most) : upper ? least : most;
  draw_text(frame.list, strong, {x, centred_top(strong, y - frame.px(8))}, theme.text,
            fit_text(strong, block, area.right - x));
  draw_text(frame.list, font, {x, centred_top(font, y + frame.px(8))}, theme.error, query);
  mark(context, "plane.own", {begin, y0}, {end, y1});
  if (inside) return {};
  return Rows{y - frame.px(17), y + frame.px(17)};
}

/// Above or below the names of the selected row, shortened if neither side has enough room.
void draw_legend(PlaneFrame& frame, const PlaneArea& area, std::optional<Rows> names) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const auto can_arrive = [](const WalkStep& step) { return step.async && step.computed; };
  std::vector<std::pair<std::string, ImU32>> entries;
  for (const KeyState state : {KeyState::seen, KeyState::computing, KeyState::arriving, KeyState::to_come})
    if (state != KeyState::arriving || std::any_of(frame.walk.steps.begin(), frame.walk.steps.end(), can_arrive))
      entries.emplace_back(context.strings(name_of(state)), key_colour(theme, state));
  entries.emplace_back(context.strings("plane.others"), other_colour(theme));
  const CellCount cells = count_cells(frame.picture, frame.strip.head);
  const float x = area.high.x + frame.px(12), room = area.right - x;
  std::vector<std::string> notes;
  notes.push_back(context.strings.format("plane.count", fmt::arg("skipped", with_separators(cells.skipped())),
                                         fmt::arg("all", with_separators(cells.all))));
  notes.push_back(context.strings(frame.picture.key_block == 1 ? "plane.count_keys" : "plane.count_blocks"));
  if (frame.picture.masked) notes.push_back(context.strings("plane.mask"));
  const auto height = [&] { return frame.px(kLine) * static_cast<float>(entries.size() + notes.size()) + frame.px(8); };
  // The keys' label below a narrow plane extends under the legend.
  const float foot = area.high.x >= area.low.x + frame.px(kKeyLabel) ? area.bottom : area.high.y;
  const float above = (names ? names->top : foot) - area.low.y, below = names ? foot - names->bottom : 0;
  // Entries without room are omitted, the most important last.
  if (height() > std::max(above, below)) entries.pop_back();
  while (height() > std::max(above, below) && !notes.empty()) notes.pop_back();
  while (height() > std::max(above, below) && !entries.empty()) entries.pop_back();
  if (entries.empty()) return;
  // At the foot of the plane if that is below the names.
  const float low = height() <= above ? area.low.y : std::max(names->bottom, std::min(area.high.y, foot) - height());
  float y = low + frame.px(kLine / 2);
  const float top = y - frame.px(kLine / 2);
  for (const std::string& note : notes) {
    draw_text(frame.list, font, {x, centred_top(font, y)}, theme.muted, fit_text(font, note, room));
    y += frame.px(kLine);
  }
  if (!notes.empty()) y += frame.px(8);
  for (const auto& [name, colour] : entries) {
    frame.list->AddRectFilled({x, y - frame.px(5)}, {x + frame.px(9), y + frame.px(4)}, colour);
    draw_text(frame.list, font, {x + frame.px(16), centred_top(font, y)}, theme.muted,
              fit_text(font, name, room - frame.px(16)));
    y += frame.px(kLine);
  }
  explain_rect(context, {x, top}, {area.right, y - frame.px(kLine / 2)}, context.strings("plane.legend_meaning"));
}

/// The head, and a control for selecting others.
void draw_header(PlaneFrame& frame, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float y = low.y + frame.px(10);
  const float badge = right - draw_badge(context, frame.list, {right, low.y}, Badge::simulated);
  ImFont *strong = context.fonts.small_semibold, *font = context.fonts.small;
  float x =
      low.x +
      draw_text(frame.list, strong, {low.x, centred_top(strong, y)}, theme.text, context.strings("plane.title")).x;
  x += frame.px(10);
  const int64_t heads = frame.picture.extents.heads;
  const std::string head = context.strings.format("plane.head", fmt::arg("head", with_separators(frame.strip.head)),
                                                  fmt::arg("heads", with_separators(heads)));
  if (x + text_size(font, head).x + frame.px(60) > badge) return;
  x += draw_text(frame.list, font, {x, centred_top(font, y)}, theme.muted, head).x + frame.px(6);
  if (heads < 2) return;
  ImGui::PushID("heads");
  for (const int by : {-1, 1}) {
    const ImVec2 corner{x, low.y - frame.px(2)};
    if (playback_button(context, by < 0 ? "head_before" : "head_after", corner,
                        by < 0 ? PlaybackIcon::back : PlaybackIcon::forward,
                        context.strings(by < 0 ? "plane.head_before" : "plane.head_after"))) {
      const int64_t wanted = (frame.strip.head + by + heads) % heads;
      if (const PlaneStrip* other = strip_in_head(frame.picture, frame.strip, wanted)) {
        context.view.selection = {};
        context.view.selection.block = other->block;
        context.view.plane.row = wanted * frame.picture.extents.queries + frame.query();
      }
    }
    x += frame.px(24);
  }
  ImGui::PopID();
}

std::string explanation(const PlaneFrame& frame, const PlaneStrip& strip, int64_t query, int64_t key) {
  const Strings& strings = frame.context.strings;
  bool touched = false;
  for (const ElementRange& range : strip.keys) touched |= key >= range.begin && key < range.end;
  std::string now;
  if (touched && strip.block == frame.strip.block) {
    const auto cell = static_cast<size_t>(key / frame.picture.key_block);
    const auto states = key_states(frame.walk, frame.done, frame.picture.key_block, frame.picture.extents.keys);
    if (states[cell] != KeyState::untouched)
      now = strings.format("plane.now", fmt::arg("state", strings(name_of(states[cell]))));
  }
  return strings.format(touched ? "plane.explain_touched" : "plane.explain_skipped",
                        fmt::arg("block", block_number(frame.result().tiles.grid, strip.block)),
                        fmt::arg("first", with_separators(strip.queries.begin)),
                        fmt::arg("last", with_separators(strip.queries.end - 1)),
                        fmt::arg("query", with_separators(query)), fmt::arg("key", with_separators(key))) +
         now;
}

void point_at_plane(PlaneFrame& frame, const PlaneArea& area) {
  PanelContext& context = frame.context;
  ImGui::SetCursorScreenPos({area.column_q, area.low.y});
  hit_area("plane", {area.high.x - area.column_q, area.high.y - area.low.y});
  mark(context, "plane.map", area.low, area.high);
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const PlaneExtents& all = frame.picture.extents;
  const auto query =
      std::clamp<int64_t>(static_cast<int64_t>((at.y - area.low.y) / area.per_query), 0, all.queries - 1);
  const auto key = std::clamp<int64_t>(static_cast<int64_t>((at.x - area.low.x) / area.per_key), 0, all.keys - 1);
  const PlaneStrip* strip = strip_at(frame.picture, frame.strip.head, query, key);
  if (strip == nullptr) return;
  explain(context, explanation(frame, *strip, query, key));
  context.view.hover.block = strip->block;
  frame.hover = {strip->block, frame.strip.head * all.queries + query};
  const float y = area.y(query) + area.per_query / 2;
  frame.list->AddRectFilled({area.low.x, y}, {area.high.x, y + std::max(1.0F, frame.px(1))},
                            with_alpha(context.theme.text, 0.35F));
  if (!ImGui::IsItemClicked()) return;
  if (context.view.selection.block != strip->block) {
    context.view.selection = {};
    context.view.selection.block = strip->block;
  }
  context.view.plane.row = frame.strip.head * all.queries + query;
}

/// A click into K or V moves the cursor to the step that reads there.
void point_at_bands(PlaneFrame& frame, const PlaneArea& area) {
  ImGui::SetCursorScreenPos({area.low.x, area.band_k});
  hit_area("bands", {area.high.x - area.low.x, area.band_v + frame.px(kBand) - area.band_k});
  mark(frame.context, "plane.bands", {area.low.x, area.band_k}, {area.high.x, area.band_v + frame.px(kBand)});
  if (!ImGui::IsItemClicked()) return;
  const auto key = static_cast<int64_t>((ImGui::GetIO().MousePos.x - area.low.x) / area.per_key);
  for (size_t step = 0; step < frame.walk.steps.size(); ++step)
    if (key >= frame.walk.steps[step].first_key && key < frame.walk.steps[step].end_key) {
      frame.context.view.plane.playing = false;
      frame.context.view.plane.step = static_cast<double>(step);
      return;
    }
}

}  // namespace

ImU32 key_colour(const Theme& theme, KeyState state) {
  switch (state) {
    case KeyState::seen:
      return mix(theme.window, theme.accent, 0.42F);
    case KeyState::computing:
      return theme.accent;
    case KeyState::arriving:
      return mix(theme.window, theme.waiting, 0.78F);
    case KeyState::to_come:
      return mix(theme.window, theme.muted, 0.45F);
    case KeyState::untouched:
      break;
  }
  return theme.window;
}

const char* name_of(KeyState state) {
  switch (state) {
    case KeyState::seen:
      return "plane.seen";
    case KeyState::computing:
      return "plane.computing";
    case KeyState::arriving:
      return "plane.arriving";
    case KeyState::to_come:
    case KeyState::untouched:
      break;
  }
  return "plane.to_come";
}

void draw_plane_map(PlaneFrame& frame, ImVec2 low, ImVec2 high) {
  draw_header(frame, low, high.x);
  const PlaneArea area = lay_out(frame, low, high);
  const std::vector<KeyState> states =
      key_states(frame.walk, frame.done, frame.picture.key_block, frame.picture.extents.keys);
  draw_bands(frame, area, states);
  draw_others(frame, area);
  const std::optional<Rows> names = draw_own(frame, area, states);
  draw_mask(frame, area);
  draw_axis(frame, area);
  draw_legend(frame, area, names);
  point_at_plane(frame, area);
  point_at_bands(frame, area);
}

}  // namespace tilescope
