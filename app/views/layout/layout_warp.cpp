// The chosen warp by lane, and the chosen lane by register.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/views/layout/layout_view.hpp"

namespace tilescope {
namespace {

constexpr float kWarpTitle = 24, kHighestRow = 22, kRegisterCell = 26;
constexpr uint32_t kNarrowLabels = 4;  // every fourth lane is numbered where two digits do not fit
constexpr float kLeastRegisters = 96;  // title and a row of registers below the tile

std::string range_text(int64_t first, int64_t count) {
  return count == 1 ? std::to_string(first) : fmt::format("{}–{}", first, first + count - 1);
}

/// "‹ 1 of 2 ›": which repetition of the tile. Returns where it begins.
float draw_parts(LayoutFrame& frame, float right, float middle) {
  PanelContext& context = frame.context;
  const uint32_t parts = frame.parts();
  if (parts < 2) return right;
  ImFont* small = context.fonts.small;
  const auto arrow = [&](const char* name, float x, bool back) {
    const ImVec2 low{x, middle - frame.px(10)}, high{x + frame.px(18), middle + frame.px(10)};
    ImGui::SetCursorScreenPos(low);
    if (hit_area(name, {high.x - low.x, high.y - low.y}))
      choose_lane(frame, frame.cursor.warp, frame.cursor.lane, (frame.cursor.part + (back ? parts - 1 : 1)) % parts);
    const ImU32 colour = ImGui::IsItemHovered() ? context.theme.text : context.theme.muted;
    const ImVec2 centre{x + frame.px(9), middle};
    const float side = back ? frame.px(2) : -frame.px(2);
    const ImVec2 points[] = {{centre.x + side, centre.y - frame.px(4)},
                             {centre.x - side, centre.y},
                             {centre.x + side, centre.y + frame.px(4)}};
    frame.list->AddPolyline(points, 3, colour, 0, frame.px(1.5F));
    explain(context, context.strings("layout.parts_meaning"));
    mark(context, name, low, high);
  };
  const std::string text =
      context.strings.format("layout.part", fmt::arg("part", frame.cursor.part + 1), fmt::arg("parts", parts));
  const float width = text_size(small, text).x;
  arrow("layout_next", right - frame.px(18), false);
  draw_text(frame.list, small, {right - frame.px(20) - width, centred_top(small, middle)}, context.theme.text, text);
  arrow("layout_previous", right - frame.px(40) - width, true);
  return right - frame.px(44) - width;
}

void draw_tile_title(LayoutFrame& frame, const TileCells& cells, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  ImFont *bold = context.fonts.small_semibold, *small = context.fonts.small;
  const float middle = low.y + frame.px(10);
  const std::string title = context.strings.format("layout.warp_title", fmt::arg("warp", frame.cursor.warp));
  const float x = low.x + draw_text(frame.list, bold, {low.x, centred_top(bold, middle)}, context.theme.text, title).x +
                  frame.px(8);
  const float room = draw_parts(frame, right, middle) - frame.px(8) - x;
  const WarpTile& tile = frame.picture.tile;
  const bool flat = frame.tensor().shape.size() == 1;
  const int64_t first = cells.first_row * frame.picture.grid.columns + cells.first_column;
  const std::string about = context.strings.format(flat ? "layout.tile_elements" : "layout.tile_about",
                                                   fmt::arg("rows", range_text(cells.first_row, tile.rows)),
                                                   fmt::arg("columns", range_text(cells.first_column, tile.columns)),
                                                   fmt::arg("elements", range_text(first, tile.rows * tile.columns)));
  draw_text(frame.list, small, {x, centred_top(small, middle)}, context.theme.muted, fit_text(small, about, room));
}

}  // namespace

float draw_warp_tile(LayoutFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const WarpTile& tile = frame.picture.tile;
  const TileCells& cells = tile_cells(frame.picture, frame.cursor.entry, frame.cursor.warp, frame.cursor.part);
  draw_tile_title(frame, cells, low, high.x);
  // A row of 128 elements is broken into four, so that lanes can be read.
  const int64_t wrap = tile.rows == 1 ? std::max<int64_t>(tile.columns / 4, 1) : tile.columns;
  const int64_t rows = tile.rows * tile.columns / wrap;
  const float top = low.y + frame.px(kWarpTitle), room = high.y - top - frame.px(kLeastRegisters);
  const float row_height = std::floor(std::clamp(room / static_cast<float>(rows), frame.px(5), frame.px(kHighestRow)));
  const float width = (high.x - low.x) / static_cast<float>(wrap), gap = std::max(1.0F, std::round(frame.px(1)));
  ImFont* small = context.fonts.small;
  const float widest = text_size(small, "31").x + frame.px(2);
  const ImU32 ground = colour_of_warp(theme, frame.cursor.warp, frame.tensor().layout.warps());
  const ImVec2 end{high.x, top + row_height * static_cast<float>(rows)};
  ImGui::SetCursorScreenPos({low.x, top});
  const bool pressed = hit_area("tile", {end.x - low.x, std::max(end.y - top, 1.0F)});
  const bool over = ImGui::IsItemHovered();
  mark(context, "layout.tile", {low.x, top}, end);
  const std::vector<TileCells::Cell> held = cells.cells;  // a press moves the cursor
  const auto cell_at = [&](int64_t index) { return held[static_cast<size_t>(index)]; };
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < wrap;) {
      const TileCells::Cell cell = cell_at(row * wrap + column);
      int64_t next = column + 1;
      while (next < wrap && cell_at(row * wrap + next).lane == cell.lane) ++next;
      const ImVec2 a{low.x + static_cast<float>(column) * width, top + static_cast<float>(row) * row_height};
      const ImVec2 b{low.x + static_cast<float>(next) * width - gap, a.y + row_height - gap};
      const bool chosen = cell.lane == frame.cursor.lane;
      const bool here = over && mouse.x >= a.x && mouse.x < b.x + gap && mouse.y >= a.y && mouse.y < b.y + gap;
      if (here) {
        frame.lit = LitLane{frame.cursor.warp, cell.lane};
        if (pressed) choose_lane(frame, frame.cursor.warp, cell.lane, frame.cursor.part);
        const Coordinates first = frame.tensor().layout.element(cell.reg, cell.lane, frame.cursor.warp);
        explain(context, context.strings.format("layout.cell_meaning",
                                                fmt::arg("element", frame.tensor().name + elements_text(first, first)),
                                                fmt::arg("warp", frame.cursor.warp), fmt::arg("lane", cell.lane),
                                                fmt::arg("reg", cell.reg)));
      }
      const bool lit = here || (frame.lit && frame.lit->warp == frame.cursor.warp && frame.lit->lane == cell.lane);
      const ImU32 fill = chosen ? theme.accent : lit ? mix(ground, theme.text, 0.35F) : ground;
      frame.list->AddRectFilled(a, b, fill, frame.px(2));
      // Narrow cells are numbered now and then, rather than as long as a lane has one digit.
      const bool narrow = b.x - a.x < widest && next - column == 1;
      const std::string text = std::to_string(cell.lane);
      const bool numbered =
          narrow ? chosen || (cell.lane % kNarrowLabels == 0 && width * kNarrowLabels > widest) : b.x - a.x >= widest;
      if (row_height >= frame.px(11) && numbered)
        draw_text_centred(frame.list, chosen ? context.fonts.small_semibold : small, {(a.x + b.x) / 2, (a.y + b.y) / 2},
                          readable_on(fill, theme), text);
      column = next;
    }
  }
  return end.y;
}

namespace {

/// Registers whose elements follow each other in a row.
struct RegisterRun {
  uint32_t first = 0, count = 0;
};

std::vector<RegisterRun> runs_of(const LayoutFrame& frame, uint32_t most) {
  const TensorLayout& layout = frame.tensor().layout;
  std::vector<RegisterRun> runs;
  for (uint32_t reg = 0; reg < layout.registers(); ++reg) {
    bool follows = !runs.empty() && runs.back().count < most;
    if (follows) {
      Coordinates next = layout.element(reg - 1, frame.cursor.lane, frame.cursor.warp);
      ++next.back();
      follows = next == layout.element(reg, frame.cursor.lane, frame.cursor.warp);
    }
    if (follows)
      ++runs.back().count;
    else
      runs.push_back({reg, 1});
  }
  // Those of the part that is looked at come first: there may be no room for all.
  std::stable_partition(runs.begin(), runs.end(), [&](const RegisterRun& run) {
    return run.first / frame.picture.tile.registers == frame.cursor.part;
  });
  return runs;
}

uint32_t registers_from(const std::vector<RegisterRun>& runs, size_t first) {
  uint32_t count = 0;
  for (; first < runs.size(); ++first) count += runs[first].count;
  return count;
}

/// "a: byte 210,080" of the lane's access; "masked" where the lane takes no part.
std::string address_text(const LayoutFrame& frame, const RegisterRun& run) {
  const Strings& strings = frame.context.strings;
  for (const TensorAccess& one : frame.picture.accesses) {
    if (one.warp != frame.cursor.warp || one.first_register != run.first) continue;
    const Access& access = frame.result().trace.accesses[one.access];
    if ((access.mask >> frame.cursor.lane & 1) == 0) return strings("layout.masked");
    const RegionOffset at = region_of(frame.result().trace.address(access, static_cast<int>(frame.cursor.lane)));
    if (at.buffer < 0 || at.buffer >= static_cast<int64_t>(frame.result().plan.buffers.size())) return {};
    return strings.format("layout.address",
                          fmt::arg("buffer", frame.result().plan.buffers[static_cast<size_t>(at.buffer)].name),
                          fmt::arg("offset", with_separators(at.offset)));
  }
  return {};
}

}  // namespace

void draw_lane_registers(LayoutFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  ImFont *bold = context.fonts.small_semibold, *small = context.fonts.small;
  if (high.y - low.y < frame.px(kWarpTitle + 24)) return;
  const LayoutCheck& check = check_of(frame.picture, frame.cursor.entry, frame.result());
  const float middle = low.y + frame.px(10);
  const std::string title = context.strings.format("layout.lane_title", fmt::arg("lane", frame.cursor.lane));
  const float x =
      low.x + draw_text(frame.list, bold, {low.x, centred_top(bold, middle)}, theme.text, title).x + frame.px(8);
  const std::vector<RegisterRun> runs = runs_of(frame, check.run > 0 ? check.run : frame.tensor().layout.registers());
  const bool has_addresses = !frame.picture.accesses.empty();
  const float cell_height = frame.px(22), row = cell_height + frame.px(has_addresses ? 42 : 26);
  float left = low.x, y = low.y + frame.px(kWarpTitle);
  std::string more;
  for (size_t i = 0; i < runs.size(); ++i) {
    const RegisterRun& run = runs[i];
    const Coordinates first = frame.tensor().layout.element(run.first, frame.cursor.lane, frame.cursor.warp);
    const Coordinates last =
        frame.tensor().layout.element(run.first + run.count - 1, frame.cursor.lane, frame.cursor.warp);
    const std::string elements = elements_text(first, last), address = has_addresses ? address_text(frame, run) : "";
    const float cells = static_cast<float>(run.count) *
                        std::min(frame.px(kRegisterCell), (high.x - low.x) / static_cast<float>(run.count));
    const float width = std::max({cells, text_size(small, elements).x, text_size(small, address).x});
    if (left > low.x && left + width > high.x) {
      left = low.x;
      y += row;
    }
    if (y + row > high.y + frame.px(4) && left == low.x && i > 0) {
      // What does not fit is counted beside the title.
      more = context.strings.format("layout.more_registers", fmt::arg("count", registers_from(runs, i)));
      break;
    }
    const bool in_part = run.first / frame.picture.tile.registers == frame.cursor.part;
    const float cell = cells / static_cast<float>(run.count);
    for (uint32_t r = 0; r < run.count; ++r) {
      const ImVec2 a{left + static_cast<float>(r) * cell, y}, b{a.x + cell - frame.px(1), y + cell_height};
      const ImU32 fill = in_part ? theme.accent : mix(theme.window, theme.accent, 0.4F);
      frame.list->AddRectFilled(a, b, fill, frame.px(2));
      const std::string number = std::to_string(run.first + r);
      if (text_size(small, number).x <= cell - frame.px(3))
        draw_text_centred(frame.list, small, {(a.x + b.x) / 2, (a.y + b.y) / 2}, readable_on(fill, theme), number);
    }
    draw_text(frame.list, small, {left, y + cell_height + frame.px(4)}, in_part ? theme.text : theme.muted, elements);
    if (!address.empty()) draw_text(frame.list, small, {left, y + cell_height + frame.px(20)}, theme.muted, address);
    left += width + frame.px(14);
  }
  draw_text_right(frame.list, small, {high.x, centred_top(small, middle)}, theme.muted, more);
  const float room = high.x - x - (more.empty() ? 0 : text_size(small, more).x + frame.px(8));
  const std::string about =
      context.strings.format("layout.lane_about", fmt::arg("count", frame.tensor().layout.registers()));
  draw_text(frame.list, small, {x, centred_top(small, middle)}, theme.muted, fit_text(small, about, room));
}

}  // namespace tilescope
