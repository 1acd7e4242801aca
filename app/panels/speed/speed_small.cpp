// Times at small sizes: a row per implementation, a column per size, the best of each column marked.
#include <algorithm>
#include <cmath>

#include "app/draw/plots/marker.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/speed_model.hpp"
#include "app/panels/speed/speed_views.hpp"
#include "engine/bench/small_sizes.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kSmallRow = 22, kColumn = 96, kSmallLeastName = 110;

/// "M = N = K"
std::string sizes_name(const Lab& lab) {
  std::string name = lab.sweep_size;
  for (const std::string& other : lab.sweep_with) name += " = " + other;
  return name;
}

void draw_cell(PanelContext& context, const SmallSizesRow& row, size_t place, int64_t size, float right, float top) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const TimingPoint* time = row.times[place];
  const bool best = row.best[place];
  ImFont* font = best ? context.fonts.small_semibold : context.fonts.small;
  const float centre = top + context.px(kSmallRow) / 2, y = centred_top(font, centre);
  if (time == nullptr) {
    draw_text_right(list, font, {right, y}, theme.muted, "–");
    return;
  }
  const std::string text = milliseconds_text(time->median_ms);
  const float wide = draw_text_right(list, font, {right, y}, best ? theme.ok : theme.text, text).x;
  if (best)
    draw_check(list, {right - wide - context.px(12), centre}, context.px(9), theme.ok,
               std::max(1.5F, context.px(1.5F)));
  explain_rect(
      context, {right - context.px(kColumn) + context.px(8), top}, {right, top + context.px(kSmallRow)},
      context.strings.format(
          "speed.small_cell", fmt::arg("name", row.name),
          fmt::arg("size", fmt::format("{} = {}", sizes_name(context.lab()), with_separators(size))),
          fmt::arg("time", text), fmt::arg("low", milliseconds_text(time->low_ms)),
          fmt::arg("high", milliseconds_text(time->high_ms)), fmt::arg("samples", with_separators(time->samples)),
          fmt::arg("cache", context.strings(time->cold_l2 ? "speed.point_cold" : "speed.point_warm")),
          fmt::arg("best", best ? context.strings("speed.small_best") : std::string())));
}

const TimingSeries* series_named(const SpeedReport& report, const SmallSizesRow& row) {
  for (const TimingSeries& series : report.series)
    if (series.name == row.name && series.is_rung == row.is_rung) return &series;
  return nullptr;
}

/// Marker and name as in the sweep; a click selects the rung.
void draw_name(PanelContext& context, const SpeedReport& report, const SmallSizesRow& row, int number, ImVec2 low,
               float width) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool selected = row.is_rung && row.name == context.rung().name;
  const ImU32 colour = !row.is_rung ? theme.reference : selected ? theme.accent : theme.muted;
  const float centre = low.y + context.px(kSmallRow) / 2;
  plots::draw_marker(list, row.is_rung ? plots::rung_marker(number) : plots::reference_marker(number),
                     {low.x + context.px(5), centre}, context.px(3.5F), colour, theme.window, !row.is_rung);
  const TimingSeries* series = series_named(report, row);
  const std::string title = series != nullptr ? series_title(context.lab(), *series, context.strings) : row.name;
  ImFont* font = selected ? context.fonts.small_semibold : context.fonts.small;
  draw_text(list, font, {low.x + context.px(18), centred_top(font, centre)},
            row.is_rung && !selected ? theme.text : colour, fit_text(font, title, width - context.px(22)));
  if (!row.is_rung || find_rung(context.lab(), row.name) == nullptr) {
    explain_rect(context, low, {low.x + width, low.y + context.px(kSmallRow)},
                 row.unavailable.empty() ? title : title + ": " + context.strings.note(row.unavailable));
    return;
  }
  ImGui::SetCursorScreenPos(low);
  const std::string id = "small." + row.name;
  if (hit_area(id.c_str(), {width, context.px(kSmallRow)})) context.session.select_rung(row.name);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  mark(context, id, low, {low.x + width, low.y + context.px(kSmallRow)});
}

}  // namespace

bool has_small_sizes(const Lab& lab, const SpeedReport& report) { return !make_small_sizes(lab, report).empty(); }

void draw_small_sizes(PanelContext& context, const SpeedReport& report, ImVec2 low, ImVec2 size) {
  const Theme& theme = context.theme;
  const SmallSizesTable table = make_small_sizes(context.lab(), report);
  const auto columns = static_cast<float>(table.sizes.size());
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("small sizes", size, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float column = std::min(context.px(kColumn), (size.x - context.px(kSmallLeastName)) / std::max(1.0F, columns));
  const float width = std::min(size.x, context.px(260) + columns * column), name = width - columns * column;
  const float row = context.px(kSmallRow), begin = ImGui::GetCursorScreenPos().y;
  const auto right_of = [&](size_t place) { return low.x + name + static_cast<float>(place + 1) * column; };
  float y = begin;
  draw_text(list, font, {low.x, centred_top(font, y + row / 2)}, theme.muted,
            fit_text(font, sizes_name(context.lab()), name));
  for (size_t i = 0; i < table.sizes.size(); ++i)
    draw_text_right(list, font, {right_of(i), centred_top(font, y + row / 2)}, theme.muted,
                    with_separators(table.sizes[i]));
  y += row;
  list->AddRectFilled({low.x, y}, {low.x + width, y + std::max(1.0F, context.px(1))}, theme.separator);
  y += context.px(4);
  int rungs = 0, references = 0;
  for (const SmallSizesRow& one : table.rows) {
    if (one.is_rung && one.name == context.rung().name)
      list->AddRectFilled({low.x, y}, {low.x + width, y + row}, theme.raised);
    draw_name(context, report, one, one.is_rung ? rungs++ : references++, {low.x, y}, name);
    for (size_t i = 0; i < table.sizes.size(); ++i) draw_cell(context, one, i, table.sizes[i], right_of(i), y);
    y += row;
  }
  const bool missing = std::any_of(table.rows.begin(), table.rows.end(), [](const SmallSizesRow& one) {
    return one.unavailable.empty() && std::find(one.times.begin(), one.times.end(), nullptr) != one.times.end();
  });
  if (missing) {
    const std::string text = context.strings.format("speed.small_missing", fmt::arg("lab", context.lab().name));
    const TextRun runs[] = {{font, theme.muted, text}};
    y += context.px(8);
    y += flow_text(list, {low.x, y}, size.x, context.px(18), runs);
  }
  ImGui::SetCursorScreenPos({low.x, begin});
  ImGui::Dummy({1, y - begin});
  ImGui::EndChild();
}

}  // namespace tilescope
