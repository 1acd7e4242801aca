// The rungs, each with its speed beside the best reference: live where this machine has measured, else recorded.
#include <algorithm>
#include <cmath>

#include "app/panels/controls_parts.hpp"
#include "app/panels/speed_model.hpp"

namespace tilescope {
namespace {

constexpr float kRow = 28, kBar = 44, kBarRight = 44;  // the bar ends so far from the column's right edge

const Ladder::Row* row_of(const Ladder& ladder, const SpeedReport& report, const std::string& rung) {
  for (const Ladder::Row& row : ladder.rows)
    if (report.series[row.series].is_rung && report.series[row.series].name == rung) return &row;
  return nullptr;
}

void draw_bar(Column& column, float middle, double percent, double full, bool selected) {
  const Theme& theme = column.theme();
  const float left = column.right - column.px(kBarRight + kBar), right = column.right - column.px(kBarRight);
  const float half = column.px(2), end = left + (right - left) * static_cast<float>(std::min(1.0, percent / full));
  column.list->AddRectFilled({left, middle - half}, {right, middle + half}, theme.grid);
  column.list->AddRectFilled({left, middle - half}, {end, middle + half}, selected ? theme.accent : theme.muted);
}

std::string row_meaning(const PanelContext& context, const Rung& rung, const Ladder& ladder, const Ladder::Row* row) {
  const std::string& title = context.strings(rung.title);
  if (row == nullptr) return title;
  return context.strings.format("controls.rung_meaning", fmt::arg("rung", title),
                                fmt::arg("percent", std::lround(row->percent)), fmt::arg("reference", ladder.best),
                                fmt::arg("speed", with_separators(std::llround(row->point->gigabytes_per_second))),
                                fmt::arg("size", with_separators(ladder.size)));
}

}  // namespace

const SpeedReport* shown_report(const Session& session) {
  const auto& live = session.live_speed();
  return live != nullptr && !live->series.empty() ? live.get() : session.recording();
}

void ladder_section(Column& column) {
  PanelContext& context = column.context;
  const Theme& theme = column.theme();
  const Fonts& fonts = column.fonts();
  const Lab& lab = context.lab();
  const auto live = context.session.live_speed();  // kept while its points are drawn
  const SpeedReport* report = shown_report(context.session);
  const auto size = context.session.request().config.sizes.find(lab.sweep_size);
  const Ladder ladder = report != nullptr && size != context.session.request().config.sizes.end()
                            ? make_ladder(*report, size->second)
                            : Ladder{};

  const std::string& title = context.strings("controls.rungs");
  column.text(fonts.body_semibold, column.left, 32, theme.text, title);
  if (!ladder.rows.empty()) {
    const float after = column.left + text_size(fonts.body_semibold, title).x + column.px(10);
    const float badge = draw_badge(context, column.list, {column.right, column.y + column.px(17)}, report->badge);
    column.text(fonts.small, after, 32, theme.muted,
                fit_text(fonts.small, context.strings.format("controls.percent_of", fmt::arg("reference", ladder.best)),
                         column.right - badge - column.px(8) - after));
  }
  column.y += column.px(44);

  double full = 109;  // percent at the bar's end; more where a rung is faster still
  for (const Ladder::Row& row : ladder.rows)
    if (report->series[row.series].is_rung) full = std::max(full, row.percent);
  const float first = column.y;
  int number = 0;
  for (const Rung& rung : lab.rungs) {
    const bool selected = rung.name == context.rung().name;
    const float middle = column.y + column.px(kRow / 2);
    const ImVec2 low{column.left - column.px(8), column.y},
        high{column.right + column.px(8), column.y + column.px(kRow)};
    ImGui::SetCursorScreenPos(low);
    if (ImGui::InvisibleButton(rung.name.c_str(), {high.x - low.x, high.y - low.y}))
      context.session.select_rung(rung.name);
    if (ImGui::IsItemHovered() && !selected) column.list->AddRectFilled(low, high, theme.grid, column.px(6));
    mark(context, "rung." + rung.name, low, high);
    const Ladder::Row* row = report != nullptr ? row_of(ladder, *report, rung.name) : nullptr;
    explain(context, row_meaning(context, rung, ladder, row));
    if (selected) {
      column.list->AddRectFilled(low, high, theme.raised, column.px(6));
      column.list->AddRectFilled({low.x, low.y + column.px(6)}, {low.x + column.px(2), high.y - column.px(6)},
                                 theme.accent);
    }
    ImFont* font = selected ? fonts.small_semibold : fonts.small;
    const float top = centred_top(font, middle);
    draw_text_right(column.list, fonts.small, {column.left + column.px(14), top}, theme.muted,
                    std::to_string(++number));
    const float name = column.left + column.px(20);
    const float room = column.width() - column.px(20 + 8) - (row != nullptr ? column.px(kBarRight + kBar) : 0);
    draw_text(column.list, font, {name, top}, theme.text, fit_text(font, context.strings(rung.title), room));
    if (row != nullptr) {
      draw_bar(column, middle, row->percent, full, selected);
      draw_text_right(column.list, font, {column.right, top}, theme.text,
                      fmt::format("{}%", std::lround(row->percent)));
    }
    column.y += column.px(kRow);
  }
  if (!ladder.rows.empty()) {
    const float x =
        std::round(column.right - column.px(kBarRight + kBar) + column.px(kBar) * static_cast<float>(100 / full));
    column.list->AddRectFilled({x, first + column.px(4)},
                               {x + std::max(1.0F, std::round(column.px(1))), column.y - column.px(4)},
                               theme.reference);
  }
}

}  // namespace tilescope
