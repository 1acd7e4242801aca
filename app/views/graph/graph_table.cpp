// The table: a row for each operator or module, with its FLOPs, bytes, intensity and time bound in prefill and in
// decode.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/graph/graph_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kTableRow = 22, kLeastColumn = 51, kTableSide = 16, kTableName = 108, kTablePlate = 18;
constexpr double kTableMicro = 1e6;

/// Units in which the columns of a phase are given: those in which its largest number is readable.
struct TableUnits {
  double flops = 1, bytes = 1;
  const char *flops_name = "FLOP", *bytes_name = "B";
};
TableUnits units_for(const GraphSide& side) {
  double flops = 0, bytes = 0;
  for (const NodeCost& cost : side.costs) {
    flops = std::max(flops, cost.flops);
    bytes = std::max(bytes, cost.bytes());
  }
  TableUnits units;
  constexpr std::array<std::pair<double, const char*>, 4> kFlops{
      {{1e3, "kFLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}}};
  constexpr std::array<std::pair<double, const char*>, 3> kBytes{{{1e3, "KB"}, {1e6, "MB"}, {1e9, "GB"}}};
  for (const auto& [unit, name] : kFlops)
    if (flops >= unit) units.flops = unit, units.flops_name = name;
  for (const auto& [unit, name] : kBytes)
    if (bytes >= unit) units.bytes = unit, units.bytes_name = name;
  return units;
}

struct TableColumns {
  float name_left = 0, name_width = 0;
  std::vector<bool> phases;   // false: prefill; the phases that have columns
  std::vector<float> rights;  // of four columns for each phase
};

TableColumns columns_for(const PanelContext& context, const GraphShown& shown, bool decode, float left, float width) {
  TableColumns columns{.name_left = left + context.px(kTableSide), .phases = {}, .rights = {}};
  const float inner = width - context.px(2 * kTableSide), both = context.px(kTableName + 8 * kLeastColumn);
  columns.phases = {shown.decode ? decode : false};
  if (shown.decode && inner >= both) columns.phases = {false, true};
  const auto count = static_cast<float>(4 * columns.phases.size());
  const float each = std::clamp((inner - context.px(kTableName)) / count, context.px(kLeastColumn), context.px(78));
  columns.name_width = inner - each * count;
  for (float column = 1; column <= count; ++column)
    columns.rights.push_back(columns.name_left + columns.name_width + each * column);
  return columns;
}

void draw_numbers(const PanelContext& context, const TableColumns& columns, size_t phase, float middle, ImFont* font,
                  const NodeCost& cost, double seconds, const TableUnits& units) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::array<std::string, 4> texts{graph_number(cost.flops / units.flops),
                                         graph_number(cost.bytes() / units.bytes), graph_number(cost.intensity()),
                                         graph_number(seconds * kTableMicro)};
  for (size_t column = 0; column < texts.size(); ++column) {
    const bool bound = column == 3 && !cost.bound_by_memory() && seconds > 0;
    draw_text_right(
        list, font, {columns.rights[4 * phase + column], centred_top(font, middle)},
        column == 3 && seconds > 0 ? (bound ? context.theme.text : context.theme.accent) : context.theme.text,
        texts[column]);
  }
}

}  // namespace

void GraphView::draw_table(PanelContext& context) {
  if (!shown_) return;
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float row = context.px(kTableRow), right = window.x + size.x;
  const TableColumns columns = columns_for(context, *shown_, choice_.decode, window.x, size.x);
  ImFont *small = context.fonts.small, *bold = context.fonts.small_semibold;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float y = window.y + context.px(6);
  std::array<TableUnits, 2> units{units_for(shown_->prefill), units_for(shown_->side(true))};
  const bool of_own = choice_.source == GraphSource::own;
  if (!of_own)
    for (size_t phase = 0; phase < columns.phases.size(); ++phase) {
      const bool decode = columns.phases[phase];
      const std::string what = strings.format(decode ? "view.graph.decode_tokens" : "view.graph.prefill_tokens",
                                              fmt::arg("tokens", with_separators(choice_.options.sequence)));
      const std::string name = strings(decode ? "view.graph.decode" : "view.graph.prefill");
      const float wide = text_size(bold, name).x + context.px(8) + text_size(small, what).x;
      const float end = columns.rights[4 * phase + 3];
      if (wide > 4 * (end - columns.rights[4 * phase + 2])) {
        draw_text_right(list, bold, {end, centred_top(bold, y + row / 2)}, theme.text, name);
        continue;
      }
      draw_text(list, bold, {end - wide, centred_top(bold, y + row / 2)}, theme.text, name);
      draw_text_right(list, small, {end, centred_top(small, y + row / 2)}, theme.muted, what);
    }
  if (!of_own) y += row;
  draw_text(list, small, {columns.name_left, centred_top(small, y + row / 2)}, theme.muted,
            strings(choice_.level == GraphLevel::modules ? "view.graph.module" : "view.graph.operator"));
  for (size_t phase = 0; phase < columns.phases.size(); ++phase) {
    const TableUnits& unit = units[columns.phases[phase] ? 1 : 0];
    const std::array<std::string, 4> heads{unit.flops_name, unit.bytes_name, "FLOP/B", "µs"};
    for (size_t column = 0; column < heads.size(); ++column)
      draw_text_right(list, small, {columns.rights[4 * phase + column], centred_top(small, y + row / 2)}, theme.muted,
                      heads[column]);
  }
  y += row;
  separator_line(context, y);
  const float bottom = window.y + size.y - row - context.px(6);
  begin_area("graph rows", {window.x, y + 1, right, std::max(bottom, y + 2)}, ImGuiWindowFlags_NoNav);
  if (const GraphRow* selected = selected_row()) {
    const auto index = static_cast<size_t>(selected - shown_->rows.data());
    const float at = row * static_cast<float>(index), room = ImGui::GetWindowHeight();
    if (shown_row_ != index && (at < ImGui::GetScrollY() || at + row > ImGui::GetScrollY() + room))
      ImGui::SetScrollY(std::max(0.0F, at - room / 2));
    shown_row_ = index;
  }
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown_->rows.size()), row);
  while (clipper.Step())
    for (int index = clipper.DisplayStart; index < clipper.DisplayEnd; ++index) {
      const GraphRow& one = shown_->rows[static_cast<size_t>(index)];
      const ImVec2 low{window.x, top.y + row * static_cast<float>(index)};
      ImDrawList* rows = ImGui::GetWindowDrawList();
      ImGui::SetCursorScreenPos(low);
      ImGui::PushID(index);
      if (hit_area("row", {size.x, row}) && one.box) canvas_.select(one.box);
      const bool hovered = ImGui::IsItemHovered();
      ImGui::PopID();
      constexpr int kMostMarks = 256;
      if (index < kMostMarks) mark(context, fmt::format("graph.row.{}", index), low, {right, low.y + row});
      const bool on = one.box && one.box == canvas_.selected();
      if (on || hovered) rows->AddRectFilled(low, {right, low.y + row}, on ? theme.raised : theme.panel);
      if (on) rows->AddRectFilled(low, {low.x + context.px(2), low.y + row}, theme.accent);
      const float middle = low.y + row / 2;
      float x = columns.name_left;
      if (one.number > 0) {
        const float half = context.px(kTablePlate) / 2;
        draw_text_centred(rows, bold, {x + half, middle}, theme.accent, std::to_string(one.number));
        x += context.px(kTablePlate + 4);
      }
      ImFont* font = on ? bold : small;
      draw_text(rows, font, {x, centred_top(font, middle)}, theme.text,
                fit_text(font, one.name, columns.name_left + columns.name_width - x));
      for (size_t phase = 0; phase < columns.phases.size(); ++phase)
        if (const auto& of = columns.phases[phase] ? one.decode : one.prefill)
          draw_numbers(context, columns, phase, middle, font, of->cost, of->seconds,
                       units[columns.phases[phase] ? 1 : 0]);
    }
  ImGui::EndChild();
  separator_line(context, bottom);
  const float middle = bottom + context.px(3) + row / 2;
  const GraphSide& side = shown_->side(choice_.decode);
  draw_text(
      list, bold, {columns.name_left, centred_top(bold, middle)}, theme.text,
      fit_text(bold, strings.format("view.graph.total_of", fmt::arg("matmuls", side.products)), columns.name_width));
  for (size_t phase = 0; phase < columns.phases.size(); ++phase) {
    const GraphSide& of = shown_->side(columns.phases[phase]);
    draw_numbers(context, columns, phase, middle, bold, of.total.cost, of.total.seconds,
                 units[columns.phases[phase] ? 1 : 0]);
  }
}

}  // namespace tilescope
