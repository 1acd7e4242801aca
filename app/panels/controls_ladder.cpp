// The rungs, each with its speed beside the best reference: live where this machine has measured, else recorded.
#include <algorithm>
#include <cmath>

#include "app/panels/controls_parts.hpp"
#include "app/panels/speed_model.hpp"
#include "engine/bench/speed_unit.hpp"

namespace tilescope {
namespace {

constexpr float kRow = 28, kBar = 44, kBarRight = 44;  // the bar ends so far from the column's right edge

/// What the rows are drawn from.
struct Speeds {
  const SpeedReport* report = nullptr;  // null: nothing was measured
  Ladder ladder;
  double full = 109;  // percent at the bar's end; more where a rung is faster still

  const Ladder::Row* of(const std::string& rung) const {
    for (const Ladder::Row& row : ladder.rows)
      if (report->series[row.series].is_rung && report->series[row.series].name == rung) return &row;
    return nullptr;
  }
};

Speeds speeds_of(const PanelContext& context) {
  Speeds speeds{.report = shown_report(context.session)};
  const int64_t place = place_in_sweep(context.lab(), context.session.request().config);
  if (speeds.report == nullptr || place == 0) return speeds;
  speeds.ladder = make_ladder(*speeds.report, place);
  for (const Ladder::Row& row : speeds.ladder.rows)
    if (speeds.report->series[row.series].is_rung) speeds.full = std::max(speeds.full, row.percent);
  return speeds;
}

void draw_bar(Column& column, float middle, double percent, double full, bool selected) {
  const Theme& theme = column.theme();
  const float left = column.right - column.px(kBarRight + kBar), right = column.right - column.px(kBarRight);
  const float half = column.px(2), end = left + (right - left) * static_cast<float>(std::min(1.0, percent / full));
  column.list->AddRectFilled({left, middle - half}, {right, middle + half}, theme.grid);
  column.list->AddRectFilled({left, middle - half}, {end, middle + half}, selected ? theme.accent : theme.muted);
}

std::string speed_text(const PanelContext& context, const Speeds& speeds, const Ladder::Row& row) {
  const double speed = speed_at(context.lab(), *speeds.report, *row.point);
  return speed < 9.95 ? fmt::format("{:.1f}", speed) : with_separators(std::llround(speed));
}

/// Where the field gives a rate of operations, the rows have that; else their share of the reference.
bool gives_speeds(const Lab& lab) { return lab.speed_unit == SpeedUnit::teraflops; }

std::string row_meaning(const PanelContext& context, const Rung& rung, const Speeds& speeds, const Ladder::Row* row) {
  const Ladder& ladder = speeds.ladder;
  const std::string& title = context.strings(rung.title);
  if (row == nullptr) return title;
  return context.strings.format(
      "controls.rung_meaning", fmt::arg("rung", title), fmt::arg("percent", std::lround(row->percent)),
      fmt::arg("reference", ladder.best), fmt::arg("speed", speed_text(context, speeds, *row)),
      fmt::arg("unit", speed_unit_of(context.lab())), fmt::arg("size", place_text(*speeds.report, ladder.size)));
}

void draw_title(Column& column, const Speeds& speeds) {
  PanelContext& context = column.context;
  const Fonts& fonts = column.fonts();
  const std::string& title = context.strings("controls.rungs");
  column.text(fonts.body_semibold, column.left, 32, column.theme().text, title);
  if (!speeds.ladder.rows.empty()) {
    const float after = column.left + text_size(fonts.body_semibold, title).x + column.px(10);
    const float badge =
        draw_badge(context, column.list, {column.right, column.y + column.px(17)}, speeds.report->badge);
    const std::string of =
        gives_speeds(context.lab())
            ? std::string(speed_unit_of(context.lab()))
            : context.strings.format("controls.percent_of", fmt::arg("reference", speeds.ladder.best));
    column.text(fonts.small, after, 32, column.theme().muted,
                fit_text(fonts.small, of, column.right - badge - column.px(8) - after));
  }
  column.y += column.px(44);
}

/// The row as a thing to press, with its surface.
void row_button(Column& column, const Rung& rung, bool selected, const std::string& meaning) {
  const Theme& theme = column.theme();
  const ImVec2 low{column.left - column.px(8), column.y};
  const ImVec2 high{column.right + column.px(8), column.y + column.px(kRow)};
  ImGui::SetCursorScreenPos(low);
  if (ImGui::InvisibleButton(rung.name.c_str(), {high.x - low.x, high.y - low.y}))
    column.context.session.select_rung(rung.name);
  if (ImGui::IsItemHovered() && !selected) column.list->AddRectFilled(low, high, theme.grid, column.px(6));
  explain(column.context, meaning);
  mark(column.context, "rung." + rung.name, low, high);
  if (!selected) return;
  column.list->AddRectFilled(low, high, theme.raised, column.px(6));
  column.list->AddRectFilled({low.x, low.y + column.px(6)}, {low.x + column.px(2), high.y - column.px(6)},
                             theme.accent);
}

void draw_row(Column& column, const Rung& rung, int number, const Speeds& speeds) {
  const PanelContext& context = column.context;
  const Fonts& fonts = column.fonts();
  const bool selected = rung.name == context.rung().name;
  const Ladder::Row* row = speeds.of(rung.name);
  row_button(column, rung, selected, row_meaning(context, rung, speeds, row));
  ImFont* font = selected ? fonts.small_semibold : fonts.small;
  const float middle = column.y + column.px(kRow / 2), top = centred_top(font, middle);
  draw_text_right(column.list, fonts.small, {column.left + column.px(14), top}, column.theme().muted,
                  std::to_string(number));
  const float room = column.width() - column.px(20 + 8) - (row != nullptr ? column.px(kBarRight + kBar) : 0);
  draw_text(column.list, font, {column.left + column.px(20), top}, column.theme().text,
            fit_text(font, context.strings(rung.title), room));
  if (row != nullptr) {
    draw_bar(column, middle, row->percent, speeds.full, selected);
    draw_text_right(column.list, font, {column.right, top}, column.theme().text,
                    gives_speeds(context.lab()) ? speed_text(context, speeds, *row)
                                                : fmt::format("{}%", std::lround(row->percent)));
  }
  column.y += column.px(kRow);
}

}  // namespace

const SpeedReport* shown_report(const Session& session) {
  const auto& live = session.live_speed();
  return live != nullptr && !live->series.empty() ? live.get() : session.recording();
}

void ladder_section(Column& column) {
  const Speeds speeds = speeds_of(column.context);
  draw_title(column, speeds);
  const float first = column.y;
  int number = 0;
  for (const Rung& rung : column.context.lab().rungs) draw_row(column, rung, ++number, speeds);
  if (speeds.ladder.rows.empty()) return;
  // The reference, through all rows.
  const float bar = column.right - column.px(kBarRight + kBar);
  const float x = std::round(bar + column.px(kBar) * static_cast<float>(100 / speeds.full));
  const float line = std::max(1.0F, std::round(column.px(1)));
  column.list->AddRectFilled({x, first + column.px(4)}, {x + line, column.y - column.px(4)}, column.theme().reference);
}

}  // namespace tilescope
