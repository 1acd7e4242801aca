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

/// What the parts of the table share.
struct TableFrame {
  PanelContext& context;
  const GraphShown& shown;
  const GraphChoice& choice;
  TableColumns columns;
  std::array<TableUnits, 2> units;  // of prefill and of decode
  ImFont *small, *bold;
  float row;  // height

  const TableUnits& units_of(size_t phase) const { return units[columns.phases[phase] ? 1 : 0]; }
};

/// The name of each phase, with its tokens where there is room.
void draw_phase_names(const TableFrame& frame, float middle) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Strings& strings = frame.context.strings;
  const Theme& theme = frame.context.theme;
  for (size_t phase = 0; phase < frame.columns.phases.size(); ++phase) {
    const bool decode = frame.columns.phases[phase];
    const std::string what = strings.format(decode ? "view.graph.decode_tokens" : "view.graph.prefill_tokens",
                                            fmt::arg("tokens", with_separators(frame.choice.options.sequence)));
    const std::string name = strings(decode ? "view.graph.decode" : "view.graph.prefill");
    const float wide = text_size(frame.bold, name).x + frame.context.px(8) + text_size(frame.small, what).x;
    const float end = frame.columns.rights[4 * phase + 3];
    if (wide > 4 * (end - frame.columns.rights[4 * phase + 2])) {
      draw_text_right(list, frame.bold, {end, centred_top(frame.bold, middle)}, theme.text, name);
      continue;
    }
    draw_text(list, frame.bold, {end - wide, centred_top(frame.bold, middle)}, theme.text, name);
    draw_text_right(list, frame.small, {end, centred_top(frame.small, middle)}, theme.muted, what);
  }
}

/// Returns the y of the line below it.
float draw_table_head(const TableFrame& frame, float y) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = frame.context.theme;
  if (frame.choice.source != GraphSource::own) {
    draw_phase_names(frame, y + frame.row / 2);
    y += frame.row;
  }
  const float top = centred_top(frame.small, y + frame.row / 2);
  draw_text(
      list, frame.small, {frame.columns.name_left, top}, theme.muted,
      frame.context.strings(frame.choice.level == GraphLevel::modules ? "view.graph.module" : "view.graph.operator"));
  for (size_t phase = 0; phase < frame.columns.phases.size(); ++phase) {
    const TableUnits& unit = frame.units_of(phase);
    const std::array<std::string, 4> heads{unit.flops_name, unit.bytes_name, "FLOP/B", "µs"};
    for (size_t column = 0; column < heads.size(); ++column)
      draw_text_right(list, frame.small, {frame.columns.rights[4 * phase + column], top}, theme.muted, heads[column]);
  }
  separator_line(frame.context, y + frame.row);
  return y + frame.row;
}

/// Returns whether the row was pressed.
bool draw_table_row(const TableFrame& frame, size_t index, ImVec2 low, bool on) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const GraphRow& row = frame.shown.rows[index];
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = ImGui::GetWindowWidth();
  const ImVec2 high{low.x + width, low.y + frame.row};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(index));
  const bool pressed = hit_area("row", {width, frame.row});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  constexpr size_t kMostMarks = 256;
  if (index < kMostMarks) mark(context, fmt::format("graph.row.{}", index), low, high);
  if (on || hovered) list->AddRectFilled(low, high, on ? theme.raised : theme.panel);
  if (on) list->AddRectFilled(low, {low.x + context.px(2), high.y}, theme.accent);
  const float middle = low.y + frame.row / 2;
  float x = frame.columns.name_left;
  if (row.number > 0) {
    const float half = context.px(kTablePlate) / 2;
    draw_text_centred(list, frame.bold, {x + half, middle}, theme.accent, std::to_string(row.number));
    x += context.px(kTablePlate + 4);
  }
  ImFont* font = on ? frame.bold : frame.small;
  draw_text(list, font, {x, centred_top(font, middle)}, theme.text,
            fit_text(font, row.name, frame.columns.name_left + frame.columns.name_width - x));
  for (size_t phase = 0; phase < frame.columns.phases.size(); ++phase) {
    const auto& of = frame.columns.phases[phase] ? row.decode : row.prefill;
    if (of) draw_numbers(context, frame.columns, phase, middle, font, of->cost, of->seconds, frame.units_of(phase));
  }
  return pressed;
}

void draw_table_total(const TableFrame& frame, float middle) {
  const GraphSide& side = frame.shown.side(frame.choice.decode);
  const std::string text = frame.context.strings.format("view.graph.total_of", fmt::arg("matmuls", side.products));
  draw_text(ImGui::GetWindowDrawList(), frame.bold, {frame.columns.name_left, centred_top(frame.bold, middle)},
            frame.context.theme.text, fit_text(frame.bold, text, frame.columns.name_width));
  for (size_t phase = 0; phase < frame.columns.phases.size(); ++phase) {
    const ModuleCost& total = frame.shown.side(frame.columns.phases[phase]).total;
    draw_numbers(frame.context, frame.columns, phase, middle, frame.bold, total.cost, total.seconds,
                 frame.units_of(phase));
  }
}

}  // namespace

void GraphView::draw_table(PanelContext& context) {
  if (!shown_) return;
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float row = context.px(kTableRow);
  const TableFrame frame{.context = context,
                         .shown = *shown_,
                         .choice = choice_,
                         .columns = columns_for(context, *shown_, choice_.decode, window.x, size.x),
                         .units = {units_for(shown_->prefill), units_for(shown_->side(true))},
                         .small = context.fonts.small,
                         .bold = context.fonts.small_semibold,
                         .row = row};
  const float y = draw_table_head(frame, window.y + context.px(6));
  const float bottom = window.y + size.y - row - context.px(6);
  begin_area("graph rows", {window.x, y + 1, window.x + size.x, std::max(bottom, y + 2)}, ImGuiWindowFlags_NoNav);
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
  while (clipper.Step()) {
    for (int index = clipper.DisplayStart; index < clipper.DisplayEnd; ++index) {
      const std::optional<size_t> box = shown_->rows[static_cast<size_t>(index)].box;
      const ImVec2 low{window.x, top.y + row * static_cast<float>(index)};
      if (draw_table_row(frame, static_cast<size_t>(index), low, box && box == canvas_.selected()) && box)
        canvas_.select(box);
    }
  }
  ImGui::EndChild();
  separator_line(context, bottom);
  draw_table_total(frame, bottom + context.px(3) + row / 2);
}

}  // namespace tilescope
