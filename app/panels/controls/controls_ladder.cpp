// The rungs, each with its speed relative to the lab's reference: live if this machine has measured, else recorded. The
// size is the ladder's own; the head names it and a drop-down changes it, the sliders do not.
#include <algorithm>
#include <cmath>

#include "app/draw/menus.hpp"
#include "app/observed/speed_model.hpp"
#include "app/panels/controls/controls_parts.hpp"
#include "engine/bench/speed_unit.hpp"
#include "engine/bench/timed_place.hpp"

namespace tilescope {
namespace {

constexpr float kLadderRow = 28, kBar = 44, kBarRight = 44;  // kBarRight: distance of the bar's end from the column's
                                                             // right edge

/// The data of the rows.
struct Speeds {
  const SpeedReport* report = nullptr;  // null: nothing was measured
  Ladder ladder;
  double full = 109;  // percent at the bar's end; more if a rung is faster still

  const Ladder::Row* of(const std::string& rung) const {
    for (const Ladder::Row& row : ladder.rows)
      if (report->series[row.series].is_rung && report->series[row.series].name == rung) return &row;
    return nullptr;
  }
};

Speeds speeds_of(const PanelContext& context) {
  Speeds speeds{.report = shown_report(context.session)};
  if (speeds.report == nullptr) return speeds;
  speeds.ladder = make_ladder(context.lab(), *speeds.report, ladder_size(context.view, context.lab(), *speeds.report));
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

/// Rows show a rate if the field uses rates of operations; otherwise the percentage of the reference.
bool gives_speeds(const Lab& lab) { return lab.speed_unit == SpeedUnit::teraflops; }

/// Name of what 100% is; a rung by its title.
std::string reference_name(const PanelContext& context, const Ladder& ladder) {
  const Rung* rung = ladder.best_is_reference ? nullptr : find_rung(context.lab(), ladder.best);
  return rung != nullptr ? context.strings(rung->title) : ladder.best;
}

std::string row_meaning(const PanelContext& context, const Rung& rung, const Speeds& speeds, const Ladder::Row* row) {
  const Ladder& ladder = speeds.ladder;
  const std::string& title = context.strings(rung.title);
  if (row == nullptr || context.view.hides(ShownNumber::speed)) return title;
  return context.strings.format(
      "controls.rung_meaning", fmt::arg("rung", title), fmt::arg("percent", std::lround(row->percent)),
      fmt::arg("reference", reference_name(context, ladder)), fmt::arg("speed", speed_text(context, speeds, *row)),
      fmt::arg("unit", speed_unit_of(context.lab())), fmt::arg("size_name", speeds.report->size_name),
      fmt::arg("gpu", short_gpu(speeds.report->gpu)), fmt::arg("size", place_text(*speeds.report, ladder.size)));
}

/// The recorded sizes, the largest at the top.
void draw_size_choices(PanelContext& context, const SpeedReport& report, int64_t shown) {
  const std::vector<int64_t> sizes = timed_sizes(report);
  const float row = ImGui::GetTextLineHeightWithSpacing(), padding = context.px(8);
  constexpr float kMostRows = 14;
  const float rows = std::min(kMostRows, static_cast<float>(sizes.size()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding, padding));
  ImGui::SetNextWindowSizeConstraints({0, 0}, {context.px(280), row * rows + 2 * padding});
  if (ImGui::BeginPopup("ladder size")) {
    for (auto at = sizes.rbegin(); at != sizes.rend(); ++at) {
      const int64_t size = *at;
      const std::string text = place_text(report, size);
      if (ImGui::Selectable(text.c_str(), size == shown, 0, {context.px(160), 0}))
        context.view.ladder_sizes[context.lab().name] = place_name(report, size);
      mark(context, "ladder.size." + place_name(report, size), ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

/// "% of copy  at 8,192 ▾": the unit of the rows, and the size at which they were timed, which can be changed.
struct LadderHead {
  std::string unit, size;
  float unit_width, size_width;  // of the texts, including the chevron

  LadderHead(const Column& column, const Speeds& speeds)
      : unit(gives_speeds(column.context.lab())
                 ? std::string(speed_unit_of(column.context.lab()))
                 : column.context.strings.format("controls.percent_of",
                                                 fmt::arg("reference", reference_name(column.context, speeds.ladder)))),
        size(column.context.strings.format("controls.ladder_at",
                                           fmt::arg("size", brief_place_text(*speeds.report, speeds.ladder.size)))),
        unit_width(text_size(column.fonts().small, unit).x),
        size_width(text_size(column.fonts().small, size).x + column.px(18)) {}
};

void draw_head(Column& column, const Speeds& speeds, const LadderHead& head, float left, float right, float below) {
  PanelContext& context = column.context;
  ImFont* font = column.fonts().small;
  const float room = right - head.size_width - column.px(8) - left;
  const std::string unit = fit_text(font, head.unit, room);
  column.text(font, left, below, column.theme().muted, unit);
  if (unit != head.unit)
    explain_rect(context, {left, column.y + column.px(below - 16)}, {left + room, column.y + column.px(below + 6)},
                 head.unit);
  const float at = left + std::min(head.unit_width, room) + column.px(8);
  const ImVec2 low{at - column.px(4), column.y + column.px(below - 16)};
  const ImVec2 high{at + head.size_width, column.y + column.px(below + 6)};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("ladder.size", {high.x - low.x, high.y - low.y})) open_menu(context.view, "ladder size");
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context, context.strings("controls.ladder_size_meaning"));
  mark(context, "ladder.size", low, high);
  const ImU32 ink = hovered ? column.theme().accent : column.theme().text;
  column.text(font, at, below, ink, head.size);
  draw_chevron(column.list, {high.x - column.px(7), (low.y + high.y) / 2}, column.px(8),
               hovered ? column.theme().accent : column.theme().muted);
  ImGui::SetNextWindowPos({low.x, high.y + column.px(2)}, ImGuiCond_Always);
  draw_size_choices(context, *speeds.report, speeds.ladder.size);
}

/// Title, unit, size and badge, on two lines if one is too short.
void draw_title(Column& column, const Speeds& speeds) {
  PanelContext& context = column.context;
  const Fonts& fonts = column.fonts();
  const std::string& title = context.strings("controls.rungs");
  column.text(fonts.body_semibold, column.left, 32, column.theme().text, title);
  if (!speeds.ladder.rows.empty()) {
    const float after = column.left + text_size(fonts.body_semibold, title).x + column.px(10);
    const float badge =
        draw_badge(context, column.list, {column.right, column.y + column.px(17)}, speeds.report->badge);
    const LadderHead head(column, speeds);
    const float right = column.right - badge - column.px(8);
    if (after + head.unit_width + column.px(8) + head.size_width <= right) {
      draw_head(column, speeds, head, after, right, 32);
    } else {
      column.y += column.px(22);
      draw_head(column, speeds, head, column.left, column.right, 32);
    }
  }
  column.y += column.px(44);
}

/// The row as a pressable item, with its surface.
void row_button(Column& column, const Rung& rung, bool selected, const std::string& meaning) {
  const Theme& theme = column.theme();
  const ImVec2 low{column.left - column.px(8), column.y};
  const ImVec2 high{column.right + column.px(8), column.y + column.px(kLadderRow)};
  ImGui::SetCursorScreenPos(low);
  if (hit_area(rung.name.c_str(), {high.x - low.x, high.y - low.y})) column.context.session.select_rung(rung.name);
  if (ImGui::IsItemHovered() && !selected) column.list->AddRectFilled(low, high, theme.grid, column.px(6));
  explain(column.context, meaning);
  mark(column.context, "rung." + rung.name, low, high);
  if (!selected) return;
  column.list->AddRectFilled(low, high, theme.raised, column.px(6));
  column.list->AddRectFilled({low.x, low.y + column.px(6)}, {low.x + column.px(2), high.y - column.px(6)},
                             theme.accent);
}

void draw_row(Column& column, const Rung& rung, int number, const Speeds& speeds) {
  PanelContext& context = column.context;
  const Fonts& fonts = column.fonts();
  const bool selected = rung.name == context.rung().name;
  const Ladder::Row* row = speeds.of(rung.name);
  row_button(column, rung, selected, row_meaning(context, rung, speeds, row));
  ImFont* font = selected ? fonts.small_semibold : fonts.small;
  const float middle = column.y + column.px(kLadderRow / 2), top = centred_top(font, middle);
  draw_text_right(column.list, fonts.small, {column.left + column.px(14), top}, column.theme().muted,
                  std::to_string(number));
  const float room = column.width() - column.px(20 + 8) - (row != nullptr ? column.px(kBarRight + kBar) : 0);
  draw_text(column.list, font, {column.left + column.px(20), top}, column.theme().text,
            fit_text(font, context.strings(rung.title), room));
  if (row != nullptr && context.view.hides(ShownNumber::speed)) {
    draw_veil(context, column.list, {column.right - column.px(kBarRight + kBar), column.y + column.px(7)},
              {column.right, column.y + column.px(kLadderRow - 7)});
  } else if (row != nullptr) {
    draw_bar(column, middle, row->percent, speeds.full, selected);
    draw_text_right(column.list, font, {column.right, top}, column.theme().text,
                    gives_speeds(context.lab()) ? speed_text(context, speeds, *row)
                                                : fmt::format("{}%", std::lround(row->percent)));
  }
  column.y += column.px(kLadderRow);
}

}  // namespace

void ladder_section(Column& column) {
  const Speeds speeds = speeds_of(column.context);
  draw_title(column, speeds);
  const float first = column.y;
  int number = 0;
  for (const Rung& rung : column.context.lab().rungs) draw_row(column, rung, ++number, speeds);
  if (speeds.ladder.rows.empty() || column.context.view.hides(ShownNumber::speed)) return;
  // The reference line across all rows.
  const float bar = column.right - column.px(kBarRight + kBar);
  const float x = std::round(bar + column.px(kBar) * static_cast<float>(100 / speeds.full));
  const float line = std::max(1.0F, std::round(column.px(1)));
  column.list->AddRectFilled({x, first + column.px(4)}, {x + line, column.y - column.px(4)}, column.theme().reference);
}

}  // namespace tilescope
