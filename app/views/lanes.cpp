#include "app/views/lanes.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

constexpr float kLanes = 32;

struct LaneRow {
  ImVec2 low, high;
  float pitch, gap;
  float x(int lane) const { return low.x + static_cast<float>(lane) * pitch; }
};

ImU32 role_of(const PanelContext& context, const WarpAccess& access) {
  return access.writes ? context.theme.write : context.theme.read;
}

void draw_lane(PanelContext& context, const WarpAccess& access, const LaneRow& row, int lane, bool chosen,
               bool hovered) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float unit = context.view.scale;
  const ImVec2 low{row.x(lane), row.low.y}, high{row.x(lane + 1) - row.gap, row.high.y};
  const ImVec2 centre{(low.x + high.x) / 2, (low.y + high.y) / 2};
  const std::string number = std::to_string(lane);
  const bool fits = text_size(context.fonts.small, "00").x + unit <= high.x - low.x;
  const bool labelled = fits || lane % 4 == 0 || chosen;
  if (!access.is_active(lane)) {
    hatch(list, low, high, mix(theme.window, theme.muted, 0.4F), 5 * unit);
    if (labelled && fits) {
      list->AddRectFilled({centre.x - 9 * unit, centre.y - 7 * unit}, {centre.x + 9 * unit, centre.y + 7 * unit},
                          theme.window);
      draw_text_centred(list, context.fonts.small, centre, mix(theme.window, theme.muted, 0.8F), number);
    }
    return;
  }
  const float strength = chosen ? 1.0F : hovered ? 0.7F : 0.38F;
  const bool wrong = access.is_outside(lane) || (conflicting_lanes(access) >> lane & 1) != 0;
  const ImU32 role = wrong ? theme.error : role_of(context, access);
  const ImU32 surface = mix(theme.window, role, strength);
  list->AddRectFilled(low, high, surface, 3 * unit);
  if (chosen)
    list->AddRect({low.x - unit, low.y - unit}, {high.x + unit, high.y + unit}, theme.accent, 4 * unit, 0, 2 * unit);
  if (labelled)
    draw_text_centred(list, chosen ? context.fonts.small_semibold : context.fonts.small, centre,
                      readable_on(surface, theme), number);
}

int lane_under_pointer(PanelContext& context, const WarpAccess& access, const LaneRow& row) {
  ImGui::SetCursorScreenPos(row.low);
  hit_area("lanes", {row.high.x - row.low.x, row.high.y - row.low.y + context.px(8)});
  if (!ImGui::IsItemHovered()) return -1;
  const int lane = std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - row.low.x) / row.pitch), 0, 31);
  point_at_lane(context, access, lane);
  return lane;
}

std::vector<std::pair<float, float>> spans_of(const WarpAccess& access, const LaneRow& row) {
  std::vector<std::pair<float, float>> spans;
  for (const SectorRun& run : access.runs)
    spans.emplace_back(row.x(run.first_lane), row.x(run.last_lane + 1) - row.gap);
  return spans;
}

void draw_labels(PanelContext& context, const LaneRow& row, std::span<const std::pair<float, float>> spans,
                 const std::vector<std::vector<std::string>>& texts, float y, bool left) {
  ImFont* font = context.fonts.small;
  std::vector<std::vector<float>> widths;
  for (const auto& offered : texts) {
    widths.emplace_back();
    for (const std::string& text : offered) widths.back().push_back(text_size(font, text).x);
  }
  std::vector<std::pair<float, float>> at(spans.begin(), spans.end());
  for (size_t i = 0; left && i < at.size(); ++i) at[i].second = at[i].first + widths[i].back();
  const auto labels = place_labels(at, widths, row.low.x, row.high.x, context.px(8));
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i].shown) continue;
    const float x = labels[i].centre - widths[i][labels[i].text] / 2;
    draw_text(ImGui::GetWindowDrawList(), font, {x, centred_top(font, y)}, context.theme.muted,
              texts[i][labels[i].text]);
  }
}

/// Below each shared memory lane the first bank that it needs; above, the bytes.
void draw_banks(PanelContext& context, const WarpAccess& access, const LaneRow& row) {
  const uint32_t conflicts = conflicting_lanes(access);
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  std::vector<std::pair<float, float>> spans;
  std::vector<std::vector<std::string>> bytes;
  for (int lane = 0; lane < 32; ++lane) {
    if (!access.is_active(lane)) continue;
    const int64_t offset = access.offset[static_cast<size_t>(lane)];
    spans.emplace_back(row.x(lane), row.x(lane + 1) - row.gap);
    bytes.push_back({with_separators(offset)});
    const bool fits = text_size(font, "00").x + context.px(1) <= row.pitch - row.gap;
    if (!fits && lane % 4 != 0) continue;
    draw_text_centred(list, font, {(spans.back().first + spans.back().second) / 2, row.high.y + context.px(20)},
                      (conflicts >> lane & 1) != 0 ? context.theme.error : context.theme.muted,
                      std::to_string(bank_of(offset)));
  }
  draw_labels(context, row, spans, bytes, row.low.y - context.px(10), /*left=*/true);
  const std::string label = context.strings("tiles.banks");
  const float right = row.low.x - context.px(8), middle = row.high.y + context.px(20);
  draw_text_right(list, font, {right, centred_top(font, middle)}, context.theme.muted, label);
  mark(context, "tiles.bank_label", {right - text_size(font, label).x, middle - context.px(8)},
       {right, middle + context.px(8)});
}

}  // namespace

std::vector<LaneLabel> place_labels(std::span<const std::pair<float, float>> spans,
                                    std::span<const std::vector<float>> widths, float low, float high, float gap) {
  std::vector<LaneLabel> labels(spans.size());
  float taken = low - gap;  // right edge of the last label
  for (size_t i = 0; i < spans.size(); ++i) {
    const auto [begin, end] = spans[i];
    labels[i].centre = (begin + end) / 2;
    if (widths[i].empty()) continue;
    size_t chosen = 0;
    while (chosen + 1 < widths[i].size() && widths[i][chosen] > end - begin) ++chosen;
    const float width = widths[i][chosen];
    if (width > high - low) continue;
    const float centre = std::clamp(labels[i].centre, low + width / 2, high - width / 2);
    const float apart = width <= end - begin ? gap / 2 : gap;  // inside its own span it may be closer
    if (centre - width / 2 < taken + (taken < low ? 0 : apart)) continue;
    labels[i] = {centre, chosen, true};
    taken = centre + width / 2;
  }
  return labels;
}

void point_at_lane(PanelContext& context, const WarpAccess& access, int lane) {
  if (!context.result) return;
  const Strings& strings = context.strings;
  if (!access.is_active(lane)) {
    explain(context, strings.format("tiles.explain_lane_masked", fmt::arg("lane", lane)));
    return;
  }
  const int64_t offset = access.offset[static_cast<size_t>(lane)];
  const std::string name = access.buffer < 0 ? strings("tiles.memory")
                                             : context.result->plan.buffers[static_cast<size_t>(access.buffer)].name;
  if (access.space == Space::shared) {
    const bool conflict = (conflicting_lanes(access) >> lane & 1) != 0;
    explain(context, strings.format(access.is_matrix ? "tiles.explain_lane_matrix"
                                    : conflict       ? "tiles.explain_lane_conflict"
                                                     : "tiles.explain_lane_bank",
                                    fmt::arg("lane", lane), fmt::arg("bytes", access.bytes_per_lane),
                                    fmt::arg("offset", with_separators(offset)), fmt::arg("bank", bank_of(offset))));
    context.view.hover = select_access(*context.result, access.access, lane);
    if (ImGui::IsItemClicked()) context.view.selection = context.view.hover;
    return;
  }
  const bool outside = access.is_outside(lane);
  explain(context, strings.format(outside         ? access.writes ? "tiles.explain_lane_writes_outside"
                                                                  : "tiles.explain_lane_reads_outside"
                                  : access.writes ? "tiles.explain_lane_writes"
                                                  : "tiles.explain_lane_reads",
                                  fmt::arg("lane", lane), fmt::arg("bytes", access.bytes_per_lane),
                                  fmt::arg("where", name + "[" + with_separators(access.element(lane)) + "]"),
                                  fmt::arg("offset", with_separators(offset)),
                                  fmt::arg("sector", with_separators(floor_divide(offset, kSectorBytes)))));
  context.view.hover = select_access(*context.result, access.access, lane);
  if (ImGui::IsItemClicked()) context.view.selection = context.view.hover;
}

void draw_lane_row(PanelContext& context, const WarpAccess& access, ImVec2 low, ImVec2 high) {
  const float unit = context.view.scale;
  LaneRow row{low, high, (high.x - low.x) / kLanes, std::max(1.0F, std::round(2 * unit))};
  const int hovered = lane_under_pointer(context, access, row);
  mark(context, "tiles.lanes", low, high);
  const Selection &selection = context.view.selection, &hover = context.view.hover;
  for (int lane = 0; lane < 32; ++lane)
    draw_lane(context, access, row, lane, selection.access == access.access && selection.lane == lane,
              lane == hovered || (hover.access == access.access && hover.lane == lane));

  if (access.space == Space::shared) return draw_banks(context, access, row);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 bracket = role_of(context, access);
  const auto spans = spans_of(access, row);
  const float y = std::floor(row.high.y + 8 * unit) + 0.5F, tick = 5 * unit;
  std::vector<std::vector<std::string>> elements, sectors;
  for (size_t i = 0; i < spans.size(); ++i) {
    const float x0 = std::floor(spans[i].first) + 0.5F,
                x1 = std::max(x0 + 2 * unit, std::floor(spans[i].second) - 0.5F);
    const ImVec2 points[] = {{x0, y - tick}, {x0, y}, {x1, y}, {x1, y - tick}};
    list->AddPolyline(points, 4, bracket, 0, 1.0F);
    const SectorRun& run = access.runs[i];
    const std::string number = with_separators(run.sector);
    elements.push_back({with_separators(access.element(run.first_lane))});
    sectors.push_back({context.strings.format("tiles.sector_long", fmt::arg("sector", number)),
                       context.strings.format("tiles.sector", fmt::arg("sector", number)), number});
  }
  draw_labels(context, row, spans, elements, row.low.y - 10 * unit, /*left=*/true);
  draw_labels(context, row, spans, sectors, row.high.y + 20 * unit, /*left=*/false);
}

}  // namespace tilescope
