// The tensor as a whole, coloured by warp; and the rows of shared memory.
#include <algorithm>
#include <cmath>

#include "app/views/layout/layout_view.hpp"

namespace tilescope {
namespace {

constexpr float kMapTitle = 24, kLargestCell = 14;
constexpr uint32_t kMostInLegend = 8;

/// Cells of the map on the screen.
struct MapPlace {
  ImVec2 origin;
  float cell_width = 1, cell_height = 1;
  ImVec2 corner(int64_t row, int64_t column) const {
    return {origin.x + static_cast<float>(column) * cell_width, origin.y + static_cast<float>(row) * cell_height};
  }
};

MapPlace place_of(const LayoutFrame& frame, ImVec2 low, ImVec2 high) {
  const LayoutGrid& grid = frame.picture.grid;
  const float most = frame.px(kLargestCell);
  return {low, std::min((high.x - low.x) / static_cast<float>(grid.columns), most),
          std::min((high.y - low.y) / static_cast<float>(grid.rows), most)};
}

struct CellColour {
  ImU32 fill = 0;
  uint32_t thread = 0;  // cells of one thread are drawn as one piece
  bool operator==(const CellColour&) const = default;
};

/// The colours of a frame: by warp and shade, or by group of banks.
class CellColours {
 public:
  explicit CellColours(const LayoutFrame& frame) : frame_(frame) {
    const Theme& theme = frame.context.theme;
    const uint32_t count =
        frame.in_shared() ? static_cast<uint32_t>(bank_groups(frame.tensor())) : frame.tensor().layout.warps();
    for (uint32_t i = 0; i < count; ++i) {
      colours_.push_back(colour_of_warp(theme, i, count));
      repeated_.push_back(mix(colours_.back(), theme.window, 0.35F));
    }
  }

  CellColour of(int64_t row, int64_t column) const {
    const LayoutGrid& grid = frame_.picture.grid;
    if (frame_.in_shared()) {
      const uint32_t group = frame_.picture.bank_groups[static_cast<size_t>(row * grid.columns + column)];
      return {colours_[group], group};
    }
    const ElementHolder& holder = grid.at(row, column);
    const CellColour colour{0, holder.warp * 32 + holder.lane};
    if (frame_.lit && holder.warp == frame_.lit->warp && holder.lane == frame_.lit->lane)
      return {frame_.context.theme.text, colour.thread};
    if (holder.warp == frame_.cursor.warp && holder.lane == frame_.cursor.lane)
      return {frame_.context.theme.accent, colour.thread};
    const bool repeats = holder.reg / frame_.picture.tile.registers % 2 == 1;
    return {(repeats ? repeated_ : colours_)[holder.warp], colour.thread};
  }

 private:
  const LayoutFrame& frame_;
  std::vector<ImU32> colours_, repeated_;
};

void draw_cells(LayoutFrame& frame, const MapPlace& place) {
  const LayoutGrid& grid = frame.picture.grid;
  const float gap = place.cell_height >= frame.px(5) ? std::max(1.0F, std::round(frame.px(1))) : 0;
  const float split = place.cell_width >= frame.px(3) ? std::max(1.0F, std::round(frame.px(0.75F))) : 0;
  const CellColours colours(frame);
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t column = 0; column < grid.columns;) {
      const CellColour colour = colours.of(row, column);
      int64_t end = column + 1;
      while (end < grid.columns) {
        const CellColour next = colours.of(row, end);
        if (split > 0 ? next != colour : next.fill != colour.fill) break;
        ++end;
      }
      const ImVec2 low = place.corner(row, column), high = place.corner(row + 1, end);
      frame.list->AddRectFilled(low, {high.x - split, high.y - gap}, colour.fill);
      column = end;
    }
  }
}

void draw_title(LayoutFrame& frame, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  const ProgramTensor& tensor = frame.tensor();
  ImFont *bold = context.fonts.small_semibold, *small = context.fonts.small;
  const float middle = low.y + frame.px(10);
  const std::string name = tensor_name(frame);
  float x = low.x + draw_text(frame.list, bold, {low.x, centred_top(bold, middle)}, context.theme.text, name).x;
  x += frame.px(8);
  x += draw_text(frame.list, small, {x, centred_top(small, middle)}, context.theme.muted,
                 shape_text(tensor.shape) + "  " + tensor.element)
           .x;
  // The colours, from the right.
  const uint32_t warps = tensor.layout.warps();
  const bool shared = frame.in_shared();
  const uint32_t count = shared ? static_cast<uint32_t>(bank_groups(tensor)) : warps;
  if (count < 2 || count > kMostInLegend) return;
  const float step = frame.px(22);
  const std::string& what = context.strings(shared ? "layout.banks" : "layout.warp");
  const float left = right - static_cast<float>(count) * step, start = left - frame.px(6) - text_size(small, what).x;
  if (start < x + frame.px(12)) return;
  draw_text(frame.list, small, {start, centred_top(small, middle)}, context.theme.muted, what);
  for (uint32_t i = 0; i < count; ++i) {
    const ImVec2 square{left + static_cast<float>(i) * step, middle - frame.px(8)};
    const ImVec2 end{square.x + step - frame.px(3), middle + frame.px(8)};
    const ImU32 fill = colour_of_warp(context.theme, i, count);
    frame.list->AddRectFilled(square, end, fill, frame.px(2));
    draw_text_centred(frame.list, small, {(square.x + end.x) / 2, middle}, readable_on(fill, context.theme),
                      std::to_string(i));
  }
  explain_rect(context, {start, low.y}, {right, low.y + frame.px(20)},
               context.strings(shared ? "layout.banks_meaning" : "layout.warp_meaning"));
}

void take_pointer(LayoutFrame& frame, const MapPlace& place) {
  PanelContext& context = frame.context;
  const LayoutGrid& grid = frame.picture.grid;
  const ImVec2 end = place.corner(grid.rows, grid.columns);
  ImGui::SetCursorScreenPos(place.origin);
  const bool pressed =
      hit_area("map", {std::max(end.x - place.origin.x, 1.0F), std::max(end.y - place.origin.y, 1.0F)});
  mark(context, "layout.map", place.origin, end);
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto index = [](float at, float from, float size, int64_t count) {
    return std::clamp<int64_t>(static_cast<int64_t>((at - from) / size), 0, count - 1);
  };
  const int64_t row = index(mouse.y, place.origin.y, place.cell_height, grid.rows);
  const int64_t column = index(mouse.x, place.origin.x, place.cell_width, grid.columns);
  const ElementHolder& holder = grid.at(row, column);
  const Coordinates element = coordinates_of(grid, frame.tensor().shape, row, column);
  const std::string text = frame.tensor().name + elements_text(element, element);
  if (frame.in_shared()) {
    const int64_t offset = frame.tensor().shared->offset(element) * frame.tensor().element_bytes;
    explain(context,
            context.strings.format("layout.shared_cell_meaning", fmt::arg("element", text),
                                   fmt::arg("offset", with_separators(offset)), fmt::arg("bank", offset / 4 % 32)));
    return;
  }
  frame.lit = LitLane{holder.warp, holder.lane};
  explain(context,
          context.strings.format("layout.cell_meaning", fmt::arg("element", text), fmt::arg("warp", holder.warp),
                                 fmt::arg("lane", holder.lane), fmt::arg("reg", holder.reg)));
  if (pressed) choose_lane(frame, holder.warp, holder.lane, holder.reg / frame.picture.tile.registers);
}

/// The rectangle of the chosen warp that is looked at closely.
void draw_outline(LayoutFrame& frame, const MapPlace& place) {
  if (frame.in_shared()) return;
  const TileCells& cells = tile_cells(frame.picture, frame.cursor.entry, frame.cursor.warp, frame.cursor.part);
  const int64_t row = cells.first_row, column = cells.first_column;
  const ImVec2 low = place.corner(row, column);
  const ImVec2 high = place.corner(row + frame.picture.tile.rows, column + frame.picture.tile.columns);
  const float line = std::max(1.0F, frame.px(1.25F));
  frame.list->AddRect({low.x - line, low.y - line}, {high.x + line, high.y + line}, frame.context.theme.text, 0, 0,
                      line);
}

}  // namespace

void draw_tensor_map(LayoutFrame& frame, ImVec2 low, ImVec2 high) {
  draw_title(frame, low, high.x);
  const float top = low.y + frame.px(kMapTitle);
  if (frame.picture.grid.holders.empty() || high.y - top < frame.px(24)) return;
  const MapPlace place = place_of(frame, {low.x, top}, high);
  take_pointer(frame, place);
  draw_cells(frame, place);
  draw_outline(frame, place);
}

/// Rows of 128 bytes, as the banks have them: which run of the tensor lies where.
void draw_shared_rows(LayoutFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const ProgramTensor& tensor = frame.tensor();
  const LayoutGrid& grid = frame.picture.grid;
  ImFont *bold = context.fonts.small_semibold, *small = context.fonts.small;
  const float middle = low.y + frame.px(10);
  const float x = low.x + draw_text(frame.list, bold, {low.x, centred_top(bold, middle)}, theme.text,
                                    context.strings("layout.shared_rows"))
                              .x;
  const int64_t vec = tensor.shared->vec, run = vec * tensor.element_bytes;
  draw_text(frame.list, small, {x + frame.px(8), centred_top(small, middle)}, theme.muted,
            fit_text(small, context.strings.format("layout.shared_rows_about", fmt::arg("run", vec)),
                     high.x - x - frame.px(8)));
  const int64_t per_row = std::max<int64_t>(kBankBytes / std::max<int64_t>(run, 1), 1);
  const float label = frame.px(44), step = frame.px(22), top = low.y + frame.px(kMapTitle);
  const auto rows = static_cast<int64_t>((high.y - top) / step);
  const float width = (high.x - low.x - label) / static_cast<float>(per_row);
  const size_t fast = static_cast<size_t>(tensor.shared->order.front());
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t column = 0; column < grid.columns; ++column) {
      const Coordinates element = coordinates_of(grid, tensor.shape, row, column);
      const int64_t offset = tensor.shared->offset(element) * tensor.element_bytes;
      const int64_t line = offset / kBankBytes, place = offset % kBankBytes / std::max<int64_t>(run, 1);
      if (element[fast] % vec != 0 || line >= rows) continue;
      const float left = low.x + label + static_cast<float>(place) * width, y = top + static_cast<float>(line) * step;
      if (place == 0)
        draw_text_right(frame.list, small, {low.x + label - frame.px(8), centred_top(small, y + step / 2)}, theme.muted,
                        with_separators(line * kBankBytes));
      const ImU32 fill =
          colour_of_warp(theme, static_cast<uint32_t>(element[fast] / vec % per_row), static_cast<uint32_t>(per_row));
      frame.list->AddRectFilled({left, y}, {left + width - frame.px(2), y + step - frame.px(2)}, fill, frame.px(2));
      Coordinates last = element;
      last[fast] += vec - 1;
      if (const std::string text = elements_text(element, element); text_size(small, text).x <= width - frame.px(4))
        draw_text_centred(frame.list, small, {left + width / 2 - frame.px(1), y + step / 2 - frame.px(1)},
                          readable_on(fill, theme), text);
      explain_rect(context, {left, y}, {left + width, y + step},
                   context.strings.format(
                       "layout.shared_run_meaning", fmt::arg("elements", tensor.name + elements_text(element, last)),
                       fmt::arg("offset", with_separators(offset)), fmt::arg("first", offset / 4 % 32),
                       fmt::arg("last", (offset + run - 1) / 4 % 32)));
    }
  }
  mark(context, "layout.shared", {low.x, top}, high);
}

}  // namespace tilescope
