// Laying the tile view out: which buffers, where their cells lie, and what is under the pointer.
#include <algorithm>
#include <cmath>

#include "app/panels/tiles_sentence.hpp"
#include "app/panels/tiles_view.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

constexpr int64_t kMostScannedElements = int64_t{1} << 22;
constexpr size_t kMostRunsInCell = 8;
constexpr float kHeader = 24, kRoomyRow = 24;
constexpr int64_t kFewRows = 3;  // so few rows may be higher
constexpr float kFewRow = 40;

/// Stretches of one writer inside each cell. A cell written by very many blocks shows the one in its middle.
std::vector<WrittenRun> find_runs(const TileGrid& cells, const BufferMap& map) {
  std::vector<WrittenRun> runs;
  const bool scan = !cells.matrix && cells.count <= kMostScannedElements;
  for (int64_t cell = 0; cell < cells.cells(); ++cell) {
    const int64_t row = cell / cells.columns;
    const auto column = static_cast<float>(cell % cells.columns);
    const auto writer_of = [&](int64_t element) {
      return element >= 0 && static_cast<size_t>(element) < map.writer.size() ? map.writer[static_cast<size_t>(element)]
                                                                              : BufferMap::kNobody;
    };
    if (!scan) {
      runs.push_back({column, column + 1, row, writer_of(cells.middle_of(cell))});
      continue;
    }
    const int64_t begin = cell * cells.per_cell, end = std::min(cells.count, begin + cells.per_cell);
    const auto place = [&](int64_t e) {
      return column + static_cast<float>(e - begin) / static_cast<float>(cells.per_cell);
    };
    const size_t first = runs.size();
    for (int64_t e = begin; e < end;) {
      const uint32_t writer = writer_of(e);
      int64_t stop = e + 1;
      while (stop < end && writer_of(stop) == writer) ++stop;
      runs.push_back({place(e), place(stop), row, writer});
      if (runs.size() - first > kMostRunsInCell) {
        runs.resize(first);
        runs.push_back({column, place(end), row, writer_of(cells.middle_of(cell))});
        break;
      }
      e = stop;
    }
  }
  return runs;
}

struct Side {
  float x, width;
};

/// Stacks the buffers of one side; those for which there is no room are counted in `left_out`.
void stack(TilePicture& picture, std::vector<BufferPicture>& side, size_t& left_out, Side at, ImVec2 vertical,
           float unit, bool output) {
  const float least = (kHeader + 32) * unit, height = vertical.y - vertical.x;
  const auto room = static_cast<size_t>(std::max(1.0F, std::floor(height / least)));
  left_out = side.size() > room ? side.size() - room : 0;
  side.resize(std::min(side.size(), room));
  if (side.empty()) return;
  const float gap = 8 * unit;
  const float each = std::floor((height - gap * static_cast<float>(side.size() - 1)) / static_cast<float>(side.size()));
  float top = vertical.x;
  for (BufferPicture& one : side) {
    const BufferMap& map = picture.result->tiles.buffers[one.buffer];
    const float body = each - kHeader * unit;
    const TileGrid cells = output ? output_cells(picture.shape, map, picture.grid.cells, at.width / unit, body / unit)
                                  : input_cells(picture.shape, map, picture.grid.cells, at.width / unit, body / unit);
    const ImVec2 origin{at.x, top + kHeader * unit};
    // One output beside a contiguous mapping has the rows of the grid, so that connectors run straight.
    const bool aligned = output && side.size() == 1 && cells.rows() == picture.grid.cells.rows() && !cells.matrix;
    const bool few = cells.rows() <= kFewRows;
    const float most_row = output ? (few ? kFewRow : kRoomyRow) : (few ? 20 : 11);
    one.at = place_cells(cells, origin, at.width, body, most_row * unit, unit);
    if (aligned) one.at.pitch_y = picture.grid.pitch_y;
    if (output && !one.at.textured() && !map.writer.empty()) one.runs = find_runs(cells, map);
    // Small inputs stand close together; those that fill their share keep it.
    top += output ? each + gap : std::min(each + gap, kHeader * unit + one.at.height() + 24 * unit);
  }
}

void point_at_block(PanelContext& context, const TilePicture& picture, int64_t block) {
  ViewState& view = context.view;
  const RunResult& result = *picture.result;
  const auto blocks = result.tiles.grid.count();
  view.hover.block = static_cast<uint32_t>(block);
  const std::string name = block_number(result.tiles.grid, static_cast<uint32_t>(block));
  std::string writes;
  if (picture.shape.buffer >= 0) {
    const BufferMap& map = result.tiles.buffers[static_cast<size_t>(picture.shape.buffer)];
    if (static_cast<size_t>(block) + 1 < map.writes_first.size()) {
      int64_t elements = 0;
      const auto ranges = map.writes_of(static_cast<uint32_t>(block));
      for (const ElementRange& range : ranges) elements += range.end - range.begin;
      if (!ranges.empty()) writes = map.name + "[" + range_text(ranges.front().begin, ranges.back().end - 1) + "]";
      explain_rect(context, picture.low, picture.high,
                   context.strings.format(
                       ranges.empty()       ? "tiles.explain_block_nothing"
                       : ranges.size() == 1 ? "tiles.explain_block"
                                            : "tiles.explain_block_pieces",
                       fmt::arg("block", name), fmt::arg("all", with_separators(static_cast<int64_t>(blocks))),
                       fmt::arg("elements", count_of_elements(context.strings, elements)), fmt::arg("where", writes),
                       fmt::arg("pieces", with_separators(static_cast<int64_t>(ranges.size())))));
    }
  }
  if (!ImGui::IsItemClicked()) return;
  view.selection = {.block = static_cast<uint32_t>(block),
                    .access = {},
                    .lane = {},
                    .line = view.selection.line,
                    .buffer = {},
                    .element = {}};
  if (view.playback.position >= 0) view.playback.position = static_cast<double>(block) + 1;
}

void point_at_element(PanelContext& context, const TilePicture& picture, size_t buffer, int64_t element) {
  const RunResult& result = *picture.result;
  const Selection picked = select_element(result, buffer, element);
  context.view.hover = picked;
  const BufferMap& map = result.tiles.buffers[buffer];
  std::string name = fmt::format("{}[{}]", map.name, with_separators(element));
  const auto at = static_cast<size_t>(element);
  const HostBuffer* values = buffer < result.buffers.size() ? result.buffers[buffer].get() : nullptr;
  if (values != nullptr && at < values->count()) name += fmt::format(" = {:.6g}", value_at(*values, at));
  if (!picked.block) {
    explain_rect(context, picture.low, picture.high,
                 context.strings.format(map.writer.empty() ? "tiles.explain_input" : "tiles.explain_untouched",
                                        fmt::arg("name", name)));
    return;
  }
  const std::string block = block_number(result.tiles.grid, *picked.block);
  if (picked.access && picked.lane) {
    const Access& access = result.trace.accesses[*picked.access];
    explain_rect(context, picture.low, picture.high,
                 context.strings.format("tiles.explain_element", fmt::arg("name", name), fmt::arg("block", block),
                                        fmt::arg("warp", access.warp), fmt::arg("lane", *picked.lane),
                                        fmt::arg("line", picked.line.value_or(0))));
  } else {
    explain_rect(
        context, picture.low, picture.high,
        context.strings.format("tiles.explain_element_block", fmt::arg("name", name), fmt::arg("block", block)));
  }
  if (!ImGui::IsItemClicked()) return;
  context.view.selection = picked;
  if (context.view.playback.position >= 0) context.view.playback.position = static_cast<double>(*picked.block) + 1;
}

}  // namespace

float Placement::x(double column) const { return origin.x + static_cast<float>(column * static_cast<double>(pitch_x)); }
float Placement::y(double row) const { return origin.y + static_cast<float>(row * static_cast<double>(pitch_y)); }

ImVec2 Placement::high(const CellRect& rect) const {
  ImVec2 corner{x(rect.x1), y(rect.y1)};
  const double column = std::round(rect.x1);
  if (std::abs(rect.x1 - column) < 1e-9)
    corner.x -= group_gap > 0 && static_cast<int64_t>(column) % cells.group == 0 ? group_gap : gap_x;
  if (std::abs(rect.y1 - std::round(rect.y1)) < 1e-9) corner.y -= gap_y;
  return corner;
}

int64_t Placement::at(ImVec2 point) const {
  const double column = static_cast<double>(point.x - origin.x) / static_cast<double>(pitch_x);
  const double row = static_cast<double>(point.y - origin.y) / static_cast<double>(pitch_y);
  return cells.element_at(column, row);
}

Placement place_cells(const TileGrid& cells, ImVec2 origin, float width, float height, float most_row, float unit) {
  Placement at{.cells = cells, .origin = origin};
  const auto rows = static_cast<float>(std::max<int64_t>(1, cells.rows()));
  at.pitch_x = width / static_cast<float>(std::max<int64_t>(1, cells.columns));
  at.pitch_y = std::min(most_row, height / rows);
  if (at.pitch_y >= 6 * unit) at.pitch_y = std::floor(at.pitch_y);
  if (at.pitch_x >= 8 * unit) at.pitch_x = std::floor(at.pitch_x);
  const bool cells_apart = !at.textured();
  at.gap_x = cells_apart && at.pitch_x >= 3 * unit ? unit : 0;
  at.gap_y = cells_apart && at.pitch_y >= 3 * unit ? (at.pitch_y >= 12 * unit ? 2 * unit : unit) : 0;
  at.group_gap = cells_apart && cells.group > 1 && at.pitch_x >= 3 * unit ? 3 * unit : 0;
  return at;
}

void take_result(TilePicture& picture, const std::shared_ptr<const RunResult>& result) {
  if (picture.result.is(result)) return;
  picture.result = ResultReference(result);
  picture.laid_out = false;
  picture.shape = tile_shape(result);
  picture.tail = tail_of(picture.shape, result);
}

void lay_out_tiles(TilePicture& picture, ImVec2 low, ImVec2 high, float unit) {
  const auto& result = picture.result;
  picture.laid_out = true;
  picture.low = low;
  picture.high = high;
  picture.texture_issued = ~0ULL;
  std::vector<size_t> read, written;
  for (size_t i = 0; i < result->tiles.buffers.size(); ++i) {
    const BufferMap& map = result->tiles.buffers[i];
    (map.role == Role::input && map.writes.empty() ? read : written).push_back(i);
  }
  picture.inputs.resize(read.size());
  picture.outputs.resize(written.size());
  picture.output_textures.resize(std::max(picture.output_textures.size(), written.size()));
  for (size_t i = 0; i < read.size(); ++i) picture.inputs[i].buffer = read[i];
  for (size_t i = 0; i < written.size(); ++i) {
    picture.outputs[i].buffer = written[i];
    picture.outputs[i].runs.clear();
  }
  const float width = high.x - low.x, header = kHeader * unit;
  const Side inputs{low.x, std::floor(width * 0.152F)};
  const Side grid{low.x + std::floor(width * 0.227F), std::floor(width * 0.197F)};
  const float out_x = low.x + std::floor(width * 0.515F);
  const Side outputs{out_x, high.x - out_x};
  // Below a picture without room to the right of its last cells, the tail's label needs a line.
  const float body = high.y - low.y - header;
  const TileGrid blocks = grid_cells(result->tiles.grid, grid.width / unit, body / unit, kRoomyRow);
  const float tail = picture.tail && (blocks.cells() > kMostRectangles || !picture.shape.contiguous) ? 20 * unit : 0;
  const bool few = blocks.rows() <= kFewRows && !blocks.matrix;
  const float square = static_cast<float>(blocks.columns) * kFewRow * unit <= grid.width
                           ? kFewRow * unit
                           : std::max(26 * unit, std::floor(grid.width / 8));
  const float row = few ? std::max(kRoomyRow * unit, square) : kRoomyRow * unit;
  picture.grid = place_cells(blocks, {grid.x, low.y + header}, grid.width, body - tail, row, unit);
  picture.grid.pitch_x = std::min(picture.grid.pitch_x, square);
  if (!picture.grid.textured() && picture.grid.pitch_x >= 12 * unit) picture.grid.gap_x = 2 * unit;
  stack(picture, picture.inputs, picture.inputs_left_out, inputs, {low.y, high.y}, unit, /*output=*/false);
  stack(picture, picture.outputs, picture.outputs_left_out, outputs, {low.y, high.y - tail}, unit, /*output=*/true);
}

void point_at_map(PanelContext& context, const TilePicture& picture) {
  if (picture.high.x <= picture.low.x || picture.high.y <= picture.low.y) return;
  ImGui::SetCursorScreenPos(picture.low);
  ImGui::InvisibleButton("map", {picture.high.x - picture.low.x, picture.high.y - picture.low.y});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  if (const int64_t block = picture.grid.at(pointer); block >= 0) {
    point_at_block(context, picture, block);
    return;
  }
  for (const auto* side : {&picture.inputs, &picture.outputs})
    for (const BufferPicture& one : *side)
      if (const int64_t element = one.at.at(pointer); element >= 0) {
        point_at_element(context, picture, one.buffer, element);
        return;
      }
}

}  // namespace tilescope
