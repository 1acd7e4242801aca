// The result map and the error map, with their legends, side by side.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/draw/plots/axis.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/correctness_model.hpp"
#include "app/observed/rectangles.hpp"
#include "app/views/correctness/correctness_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kGutter = 32, kTitle = 24, kBar = 88;

/// One map: its rectangle with the title row, and its content.
struct MapView {
  HeatMaps::Kind kind;
  ImVec2 low, high;
  CellGrid grid;
  HeatMaps::Picture picture;
  ImVec2 corner;  // corner of the cells
};

std::string title_of(const CorrectnessFrame& frame, const MapView& map) {
  const Strings& strings = frame.context.strings;
  const bool error = map.kind == HeatMaps::Kind::error;
  const int64_t each = map.grid.cell_columns * map.grid.cell_rows;
  if (map.grid.count < frame.spec().count())
    return strings.format("correctness.first_of", fmt::arg("count", with_separators(map.grid.count)));
  if (each <= 1) return error ? std::string() : strings("correctness.got");
  return strings.format(error ? "correctness.largest_of" : "correctness.mean_of",
                        fmt::arg("count", with_separators(each)));
}

/// An end of the value scale, to a hundredth of its length.
std::string end_text(double value, const HeatMaps::Picture& picture) {
  const double length = picture.high - picture.low;
  const double step = length > 0 ? std::pow(10.0, std::floor(std::log10(length)) - 1) : 0.1;
  std::string text = plots::number_text(value, step);
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

/// "low ▂▂▂▂ high  ■ what is failing", with its right edge at the position. Returns its left edge.
float draw_legend(const CorrectnessFrame& frame, const MapView& map) {
  PanelContext& context = frame.context;
  const Strings& strings = context.strings;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const bool error = map.kind == HeatMaps::Kind::error;
  const float centre = map.low.y + context.px(kTitle) / 2, text_top = centred_top(font, centre);
  float x = map.high.x;
  const bool failing = error || frame.check().nan > 0;
  if (failing) {
    x -= draw_text_right(list, font, {x, text_top}, theme.muted,
                         strings(error ? "correctness.above" : "correctness.nan"))
             .x;
    x -= context.px(6);
    const float side = context.px(8);
    list->AddRectFilled({x - side, centre - side / 2}, {x, centre + side / 2}, theme.error);
    x -= side + context.px(14);
  }
  const std::string high = error ? strings("correctness.times_allowed") : end_text(map.picture.high, map.picture);
  const std::string low = error ? "≤ 10⁻⁴" : end_text(map.picture.low, map.picture);
  x -= draw_text_right(list, font, {x, text_top}, theme.muted, high).x + context.px(8);
  // The bar shrinks in favour of the map's name if there is little room.
  const float width = context.px(map.high.x - map.low.x < context.px(400) ? kBar / 2 : kBar), half = context.px(4);
  constexpr int kPieces = 16;
  for (int i = 0; i < kPieces; ++i) {
    const float a = static_cast<float>(i) / kPieces, b = static_cast<float>(i + 1) / kPieces;
    list->AddRectFilledMultiColor({x - width * (1 - a), centre - half}, {x - width * (1 - b), centre + half},
                                  viridis(a), viridis(b), viridis(b), viridis(a));
  }
  const float right = map.high.x;
  x -= width + context.px(8);
  x -= draw_text_right(list, font, {x, text_top}, theme.muted, low).x;
  explain_rect(context, {x, map.low.y}, {right, map.low.y + context.px(kTitle)},
               strings(error ? "correctness.error_scale" : "correctness.value_scale"));
  return x;
}

/// The name in the code font, then as much of its description as fits before the legend.
void draw_title(const CorrectnessFrame& frame, const MapView& map, float room) {
  PanelContext& context = frame.context;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool error = map.kind == HeatMaps::Kind::error;
  std::string name =
      error ? "|" + frame.check().buffer + " − " + context.strings("correctness.expected") + "|" : frame.check().buffer;
  if (error && text_size(context.fonts.small_semibold, name).x > room) name = context.strings("correctness.error_name");
  ImFont* font = error ? context.fonts.small_semibold : context.fonts.code;
  const float centre = map.low.y + context.px(kTitle) / 2;
  const ImVec2 position{map.low.x, centred_top(font, centre)};
  const float width = text_size(font, name).x;
  if (width > room) return;
  draw_text(list, font, position, context.theme.text, name);
  const std::string what = title_of(frame, map);
  if (width + context.px(10) + text_size(context.fonts.small, what).x > room) return;
  draw_text(list, context.fonts.small, {map.low.x + width + context.px(10), centred_top(context.fonts.small, centre)},
            context.theme.muted, what);
}

/// A frame that is visible on every colour of the scale, in both themes: a light line between two dark ones.
void frame_line(const CorrectnessFrame& frame, const ImVec2* points, size_t count, ImU32 light) {
  constexpr ImU32 kDark = IM_COL32(10, 13, 17, 255);
  const float thickness = frame.context.px(1.5F);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddPolyline(points, static_cast<int>(count), kDark, ImDrawFlags_Closed, 3 * thickness);
  list->AddPolyline(points, static_cast<int>(count), light, ImDrawFlags_Closed, thickness);
}
constexpr ImU32 kSelectedLine = IM_COL32(255, 255, 255, 255), kBlockLine = IM_COL32(190, 200, 212, 255);

/// Outlines the cells of elements [begin, end) in reading order, like a text selection over several lines.
void outline(const CorrectnessFrame& frame, const MapView& map, int64_t begin, int64_t end, ImU32 colour) {
  const auto first = cell_of(map.grid, begin), last = cell_of(map.grid, std::min(end, map.grid.count) - 1);
  if (!first || !last) return;
  const auto pitch = static_cast<float>(map.grid.cell_pixels);
  const float thickness = frame.context.px(1.5F), out = 1.5F * thickness;
  const auto x = [&](int column) { return map.corner.x + static_cast<float>(column) * pitch; };
  const auto y = [&](int row) { return map.corner.y + static_cast<float>(row) * pitch; };
  const float start = x(first->column) - out, stop = x(last->column + 1) + out;
  const float left = x(0) - out, right = x(map.grid.columns) + out;
  const float top = y(first->row) - out, bottom = y(last->row + 1) + out;
  const float below_first = y(first->row + 1) - out, above_last = y(last->row) + out;
  std::vector<ImVec2> points{{start, top}, {stop, top}, {stop, bottom}, {start, bottom}};
  if (first->row != last->row)
    points = {{start, top},   {right, top},   {right, above_last}, {stop, above_last},
              {stop, bottom}, {left, bottom}, {left, below_first}, {start, below_first}};
  frame_line(frame, points.data(), points.size(), colour);
}

/// Outlines a rectangle of a matrix: its first and its last element.
void outline_rectangle(const CorrectnessFrame& frame, const MapView& map, int64_t first, int64_t last, ImU32 colour) {
  const auto low = cell_of(map.grid, first), high = cell_of(map.grid, last);
  if (!low || !high) return;
  const auto pitch = static_cast<float>(map.grid.cell_pixels);
  const float thickness = frame.context.px(1.5F), out = 1.5F * thickness;
  const ImVec2 corner{map.corner.x + static_cast<float>(low->column) * pitch - out,
                      map.corner.y + static_cast<float>(low->row) * pitch - out};
  const ImVec2 end{map.corner.x + static_cast<float>(high->column + 1) * pitch + out,
                   map.corner.y + static_cast<float>(high->row + 1) * pitch + out};
  const std::array<ImVec2, 4> points{corner, ImVec2{end.x, corner.y}, end, ImVec2{corner.x, end.y}};
  frame_line(frame, points.data(), points.size(), colour);
}

/// The cells that the selected or hovered block wrote, and the selected element.
void draw_selection(const CorrectnessFrame& frame, const MapView& map) {
  const PanelContext& context = frame.context;
  const ViewState& view = context.view;
  const auto block = view.selection.block;
  if (block && frame.run.observed && frame.buffer < frame.run.tiles.buffers.size()) {
    const BufferMap& written = frame.run.tiles.buffers[frame.buffer];
    constexpr size_t kMostPieces = 4;
    if (*block + 1 < written.writes_first.size()) {
      const auto ranges = written.writes_of(*block);
      if (is_rectangle(written, ranges))
        outline_rectangle(frame, map, ranges.front().begin, ranges.back().end - 1, kBlockLine);
      else if (ranges.size() <= kMostPieces)
        for (const ElementRange& range : ranges) outline(frame, map, range.begin, range.end, kBlockLine);
    }
  }
  if (const auto element = selected_element(frame)) outline(frame, map, *element, *element + 1, kSelectedLine);
  if (frame.pointed) outline(frame, map, *frame.pointed, *frame.pointed + 1, kSelectedLine);
}

std::string cell_sentence(const CorrectnessFrame& frame, const CellElements& elements, int64_t worst) {
  const Strings& strings = frame.context.strings;
  const ElementFacts facts = facts_of(frame.run, frame.output, frame.buffer, worst);
  const auto text = [](const std::optional<double>& value, auto format) { return value ? format(*value) : "–"; };
  const std::string got = text(facts.got, value_text), expected = text(facts.expected, value_text);
  const std::string error = text(facts.error, error_text), allowed = text(facts.allowed, error_text);
  const std::string at = element_text(frame.spec(), worst), name = frame.check().buffer;
  if (elements.first == elements.last)
    return strings.format("correctness.element", fmt::arg("name", name), fmt::arg("index", at), fmt::arg("got", got),
                          fmt::arg("expected", expected), fmt::arg("error", error), fmt::arg("allowed", allowed));
  return strings.format(
      "correctness.cell", fmt::arg("name", name), fmt::arg("first", element_text(frame.spec(), elements.first)),
      fmt::arg("last", element_text(frame.spec(), elements.last)), fmt::arg("index", at), fmt::arg("got", got),
      fmt::arg("expected", expected), fmt::arg("error", error), fmt::arg("allowed", allowed));
}

/// The worst element of a cell, searched row by row.
int64_t worst_of_cell(const CorrectnessFrame& frame, const CellGrid& grid, const CellElements& elements) {
  int64_t worst = elements.first;
  double largest = -1;
  for (int64_t row = elements.first_row; row <= elements.last_row; ++row) {
    const int64_t begin = row * grid.row_length + elements.first_column;
    const int64_t end = std::min(row * grid.row_length + elements.last_column, grid.count - 1);
    if (begin > end) continue;
    const int64_t candidate = worst_element(frame.run, frame.output, frame.buffer, begin, end);
    const double error = facts_of(frame.run, frame.output, frame.buffer, candidate).error.value_or(0);
    if (std::isnan(error)) return candidate;
    if (error <= largest) continue;
    largest = error;
    worst = candidate;
  }
  return worst;
}

void draw_map(CorrectnessFrame& frame, MapView& map) {
  PanelContext& context = frame.context;
  const bool error = map.kind == HeatMaps::Kind::error;
  map.corner = {map.low.x, map.low.y + context.px(kTitle + 4)};
  if (error && frame.check().expected.size() < static_cast<size_t>(map.grid.count)) {
    draw_title(frame, map, map.high.x - map.low.x);
    const std::string reason = context.strings.format(
        "correctness.too_large", fmt::arg("most", with_separators(Correctness::kErrorMapElements)));
    const TextRun runs[] = {{context.fonts.small, context.theme.muted, reason}};
    flow_text(ImGui::GetWindowDrawList(), map.corner, map.high.x - map.low.x, context.px(20), runs);
    return;
  }
  const HeatMaps::Request request{map.kind, frame.output, map.grid, context.theme.error, !context.view.animate};
  map.picture = context.heat_maps->draw(request, context.result);
  const float legend = draw_legend(frame, map);
  draw_title(frame, map, legend - map.low.x - context.px(16));
  const ImVec2 size(static_cast<float>(map.grid.width()), static_cast<float>(map.grid.height()));
  if (size.x < 1 || size.y < 1) return;
  const ImVec2 end{map.corner.x + size.x, map.corner.y + size.y};
  ImGui::SetCursorScreenPos(map.corner);
  hit_area(error ? "map.error" : "map.result", size);
  mark(context, error ? "map.error" : "map.result", map.corner, end);
  ImGui::GetWindowDrawList()->AddImage(map.picture.texture, map.corner, end, {0, 0}, {1, 1});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto cell = cell_at(map.grid, mouse.x - map.corner.x, mouse.y - map.corner.y);
  if (!cell) return;
  const CellElements elements = *elements_of(map.grid, *cell);
  const int64_t worst = worst_of_cell(frame, map.grid, elements);
  frame.pointed = worst;
  if (ImGui::IsItemClicked()) pick_element(frame, worst);
  explain(context, cell_sentence(frame, elements, worst));
}

}  // namespace

float draw_error_maps(CorrectnessFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const float gutter = context.px(kGutter), width = std::floor((high.x - low.x - gutter) / 2);
  const float rows = high.y - low.y - context.px(kTitle + 4);
  if (context.heat_maps == nullptr || rows < context.px(16) || width < context.px(64)) return high.y;
  const CellGrid grid =
      HeatMaps::fit(frame.run, frame.output, static_cast<int>(width), static_cast<int>(rows), context.view.scale);
  if (grid.count == 0) return high.y;
  MapView result{HeatMaps::Kind::value, low, {low.x + width, high.y}, grid, {}, {}};
  MapView error{HeatMaps::Kind::error, {low.x + width + gutter, low.y}, high, grid, {}, {}};
  draw_map(frame, result);
  draw_map(frame, error);
  draw_selection(frame, result);
  if (!frame.check().expected.empty()) draw_selection(frame, error);
  return std::min(high.y, result.corner.y + static_cast<float>(grid.height()));
}

}  // namespace tilescope
