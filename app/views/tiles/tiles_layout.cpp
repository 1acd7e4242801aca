#include "app/views/tiles/tiles_layout.hpp"

#include <algorithm>
#include <cmath>

#include "app/observed/trace_index.hpp"

namespace tilescope {
namespace {

/// Rounded up; 0 if the divisor is 0.
int64_t divided_up(int64_t value, int64_t by) { return by > 0 ? (value + by - 1) / by : 0; }

/// Adds a rectangle, or extends the last one downwards.
void append(std::vector<CellRect>& rects, const CellRect& next) {
  if (next.x1 <= next.x0) return;
  if (!rects.empty()) {
    CellRect& last = rects.back();
    if (last.x0 == next.x0 && last.x1 == next.x1 && last.y1 == next.y0) {
      last.y1 = next.y1;
      return;
    }
    if (last.y0 == next.y0 && last.y1 == next.y1 && last.x1 == next.x0) {
      last.x1 = next.x1;
      return;
    }
  }
  rects.push_back(next);
}

/// Adds units [begin, end), laid out in rows of `width` units; scale_x and scale_y convert units to cells.
void append_stretch(std::vector<CellRect>& rects, int64_t begin, int64_t end, int64_t width, double scale_x,
                    double scale_y) {
  const int64_t first_row = begin / width, last_row = (end - 1) / width;
  const auto row = [&](int64_t from, int64_t to, int64_t low, int64_t high) {
    append(rects, {static_cast<double>(low) * scale_x, static_cast<double>(from) * scale_y,
                   static_cast<double>(high) * scale_x, static_cast<double>(to) * scale_y});
  };
  if (first_row == last_row) {
    row(first_row, first_row + 1, begin - first_row * width, end - first_row * width);
    return;
  }
  int64_t full = first_row, full_end = last_row + 1;
  if (begin % width != 0) row(full, full + 1, begin - full * width, width), ++full;
  if (end % width != 0) --full_end;
  if (full_end > full) row(full, full_end, 0, width);
  if (end % width != 0) row(last_row, last_row + 1, 0, end - last_row * width);
}

/// The output that the picture shows: the one with the most written elements.
int32_t mapped_buffer(const TileMap& tiles) {
  int32_t best = -1;
  size_t most = 0;
  for (size_t i = 0; i < tiles.buffers.size(); ++i) {
    const BufferMap& one = tiles.buffers[i];
    if (one.writes.empty()) continue;
    const size_t weight = (one.role == Role::scratch ? 0 : size_t{1} << 60) + static_cast<size_t>(count_of(one)) + 1;
    if (weight <= most) continue;
    most = weight;
    best = static_cast<int32_t>(i);
  }
  return best;
}

/// The statement that wrote most of a buffer in a block; −1 if its accesses are not recorded.
int32_t main_store(const TraceIndex& index, const BlockAccesses& block, int32_t buffer) {
  int32_t best = -1;
  size_t most = 0;
  for (size_t i = 0; i < index.statements().size(); ++i) {
    const Statement& one = index.statements()[i];
    if (!one.writes() || one.buffer != buffer) continue;
    size_t weight = 0;
    for (uint32_t warp = 0; warp < block.warps(); ++warp) weight += block.of(i, warp).size() * one.bytes_per_lane;
    if (weight <= most) continue;
    most = weight;
    best = static_cast<int32_t>(i);
  }
  return best;
}

/// Whether the first step of a block wrote one contiguous range without gaps between its warps.
bool first_step_is_dense(const RunResult& result, const BlockAccesses& block, size_t statement, int64_t tile) {
  int64_t low = 0, high = -1;
  for (uint32_t warp = 0; warp < block.warps(); ++warp) {
    const auto access = block.find(statement, warp, 0);
    if (!access) continue;
    const WarpAccess shown = warp_access(result, *access);
    low = high < low ? shown.first_element : std::min(low, shown.first_element);
    high = std::max(high, shown.last_element);
  }
  return high >= low && high - low + 1 <= tile;
}

/// Whether a block stores past the end of a buffer.
bool leaves_buffer(TraceIndex& index, uint32_t block, int32_t buffer) {
  constexpr size_t kMostAccesses = 4096;  // only the first accesses of a block with more are examined
  const BlockAccesses& accesses = index.block(block);
  size_t seen = 0;
  for (size_t i = 0; i < index.statements().size(); ++i) {
    const Statement& one = index.statements()[i];
    if (!one.writes() || one.buffer != buffer) continue;
    for (uint32_t warp = accesses.warps(); warp-- > 0;)
      for (uint32_t access : accesses.of(i, warp)) {
        if (++seen > kMostAccesses) return false;
        if (warp_access(index.result(), access).any_outside()) return true;
      }
  }
  return false;
}

void find_steps(TileShape& shape, TraceIndex& index, const BufferMap& map, uint32_t first, uint32_t last) {
  const RunResult& result = index.result();
  const BlockAccesses accesses = index.block(first);
  const int32_t statement = main_store(index, accesses, shape.buffer);
  if (statement < 0) return;
  const auto chosen = static_cast<size_t>(statement);
  const auto width = static_cast<int64_t>(index.statements()[chosen].bytes_per_lane / size_of(map.type));
  const int64_t tile = static_cast<int64_t>(result.tiles.block.count()) * std::max<int64_t>(1, width);
  if (!first_step_is_dense(result, accesses, chosen, tile)) return;
  shape.tile = tile;
  shape.tiles_per_block = std::max(1U, accesses.steps(chosen));
  shape.last_tiles = std::max(1U, index.block(last).steps(chosen));
}

/// The layout of the first block's elements, and the number of blocks with fewer.
void find_pieces(TileShape& shape, const BufferMap& map, std::span<const ElementRange> ranges) {
  const int64_t length = ranges[0].end - ranges[0].begin;
  shape.pieces = static_cast<int64_t>(ranges.size());
  if (ranges.size() > 1) shape.stride = ranges[1].begin - ranges[0].begin;
  shape.piece = length;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].begin != ranges[0].begin + static_cast<int64_t>(i) * shape.stride ||
        ranges[i].end - ranges[i].begin != length)
      shape.piece = 0;
  for (size_t block = 0; block + 1 < map.writes_first.size(); ++block) {
    int64_t elements = 0;
    for (const ElementRange& range : map.writes_of(static_cast<uint32_t>(block))) elements += range.end - range.begin;
    if (elements > 0 && elements < shape.block_elements) ++shape.cut_blocks;
  }
}

/// A sum, or a count: blocks read more elements than there are blocks, and write fewer.
bool is_gathered(const TileMap& tiles, const TileShape& shape) {
  int64_t read = 0;
  for (const BufferMap& one : tiles.buffers) {
    if (one.role != Role::input) continue;
    for (const ElementRange& range : one.reads) read += range.end - range.begin;
  }
  return shape.blocks > 1 && shape.written < shape.blocks && read > shape.blocks;
}

}  // namespace

int64_t TileGrid::rows() const {
  return matrix ? divided_up(matrix_rows(), cell_height) : divided_up(cells(), columns);
}

int64_t TileGrid::cells() const {
  return matrix ? columns * divided_up(matrix_rows(), cell_height) : divided_up(count, per_cell);
}

int64_t TileGrid::cell_of(int64_t element) const {
  if (element < 0 || element >= count) return -1;
  if (!matrix) return element / per_cell;
  return element / matrix_columns / cell_height * columns + element % matrix_columns / cell_width;
}

int64_t TileGrid::middle_of(int64_t cell) const {
  if (cell < 0 || cell >= cells()) return -1;
  if (!matrix) {
    const int64_t begin = cell * per_cell, end = std::min(count, begin + per_cell);
    return begin + (end - begin) / 2;
  }
  const int64_t top = cell / columns * cell_height, left = cell % columns * cell_width;
  const int64_t row = top + (std::min(matrix_rows(), top + cell_height) - top) / 2;
  const int64_t column = left + (std::min(matrix_columns, left + cell_width) - left) / 2;
  const int64_t element = row * matrix_columns + column;
  return element < count ? element : -1;
}

int64_t TileGrid::element_at(double x, double y) const {
  if (x < 0 || y < 0 || count == 0) return -1;
  if (matrix) {
    const auto column = static_cast<int64_t>(x * static_cast<double>(cell_width));
    const auto row = static_cast<int64_t>(y * static_cast<double>(cell_height));
    if (column >= matrix_columns || row >= matrix_rows()) return -1;
    const int64_t element = row * matrix_columns + column;
    return element < count ? element : -1;
  }
  if (x >= static_cast<double>(columns)) return -1;
  const double position = (std::floor(y) * static_cast<double>(columns) + x) * static_cast<double>(per_cell);
  const auto element = static_cast<int64_t>(position);
  return element < count ? element : -1;
}

std::vector<CellRect> rects_of(const TileGrid& grid, std::span<const ElementRange> ranges, size_t limit) {
  std::vector<CellRect> rects;
  for (const ElementRange& range : ranges) {
    const int64_t begin = std::max<int64_t>(0, range.begin), end = std::min(grid.count, range.end);
    if (begin >= end) continue;
    if (grid.matrix) {
      append_stretch(rects, begin, end, grid.matrix_columns, 1.0 / static_cast<double>(grid.cell_width),
                     1.0 / static_cast<double>(grid.cell_height));
    } else {
      append_stretch(rects, begin, end, grid.columns * grid.per_cell, 1.0 / static_cast<double>(grid.per_cell), 1.0);
    }
    if (rects.size() >= limit) break;
  }
  return rects;
}

TileShape tile_shape(TraceIndex& index) {
  TileShape shape;
  const TileMap& tiles = index.result().tiles;
  shape.blocks = static_cast<int64_t>(tiles.grid.count());
  shape.buffer = mapped_buffer(tiles);
  if (shape.buffer < 0) return shape;
  const BufferMap& map = tiles.buffers[static_cast<size_t>(shape.buffer)];
  shape.elements = count_of(map);
  for (const ElementRange& range : map.writes) shape.written += range.end - range.begin;
  shape.written = std::min(shape.written, shape.elements);
  if (is_gathered(tiles, shape)) {  // no block has its own tile
    shape.gathered = true;
    shape.tile = shape.block_elements = shape.written;
    return shape;
  }

  const auto known = static_cast<int64_t>(map.writes_first.size()) - 1;
  int64_t first = 0, last = known - 1;
  while (first < known && map.writes_of(static_cast<uint32_t>(first)).empty()) ++first;
  while (last > first && map.writes_of(static_cast<uint32_t>(last)).empty()) --last;
  if (first >= known) return shape;
  const auto ranges = map.writes_of(static_cast<uint32_t>(first));
  for (const ElementRange& range : ranges) shape.block_elements += range.end - range.begin;
  if (is_matrix(map))
    if (const auto tile = rectangle_of(map, ranges)) shape.rows = tile->rows, shape.columns = tile->columns;
  find_pieces(shape, map, ranges);

  const int64_t length = ranges[0].end - ranges[0].begin;
  int64_t irregular = 0;
  for (int64_t block = first; block < last && irregular < 2; ++block) {
    const auto own = map.writes_of(static_cast<uint32_t>(block));
    const int64_t begin = ranges[0].begin + (block - first) * length;
    if (own.size() != 1 || own[0].begin != begin || own[0].end != begin + length) ++irregular;
  }
  // One block may also write the few elements that whole vectors do not cover.
  shape.contiguous = tiles.grid.y * tiles.grid.z == 1 && first == 0 && !is_matrix(map) &&
                     (irregular == 0 || (irregular == 1 && last > 2)) &&
                     (map.writes_of(static_cast<uint32_t>(last)).size() == 1 || last > 2);
  shape.tile = length;
  find_steps(shape, index, map, static_cast<uint32_t>(first), static_cast<uint32_t>(last));
  if (!shape.contiguous) return shape;
  shape.block_elements =
      shape.blocks > 1 && last > first ? length : std::max(length, shape.tile * shape.tiles_per_block);
  if (shape.block_elements != shape.tile * shape.tiles_per_block) {
    shape.tile = shape.block_elements;
    shape.tiles_per_block = shape.last_tiles = 1;
  }
  return shape;
}

std::optional<TileRectangle> tile_rectangle(const BufferMap& buffer, bool writes) {
  const auto& first = writes ? buffer.writes_first : buffer.reads_first;
  if (!is_matrix(buffer)) return {};
  for (uint32_t block = 0; size_t{block} + 1 < first.size(); ++block) {
    const auto ranges = writes ? buffer.writes_of(block) : buffer.reads_of(block);
    if (ranges.empty()) continue;
    const auto tile = rectangle_of(buffer, ranges);
    const int64_t width = buffer.shape.back(), row = ranges[0].begin / width, column = ranges[0].begin % width;
    // Only if its corner lies on the tile grid.
    if (!tile || row % tile->rows != 0 || column % tile->columns != 0) return {};
    return tile;
  }
  return {};
}

std::optional<Tail> tail_of(const TileShape& shape, TraceIndex& index) {
  if (shape.gathered) return std::nullopt;
  if (shape.buffer < 0 || shape.written < shape.elements) return {};
  const int64_t piece = shape.contiguous ? shape.block_elements : shape.tile;
  if (piece <= 0 || shape.elements % piece == 0) return {};
  const int64_t left = shape.elements % piece;
  Tail tail{shape.contiguous ? shape.elements / piece : -1, left, piece - left};
  const auto& writer = index.result().tiles.buffers[static_cast<size_t>(shape.buffer)].writer;
  if (!writer.empty()) tail.outside = leaves_buffer(index, writer.back(), shape.buffer);
  return tail;
}

int64_t grid_columns(int64_t blocks, double width, double height, double roomy_row) {
  if (blocks <= 8) return std::max<int64_t>(1, blocks);
  int64_t columns = 8;
  while (columns < blocks) {
    const double row = std::min(roomy_row, height / static_cast<double>(divided_up(blocks, columns)));
    const double column = width / static_cast<double>(columns);
    if (row >= 0.8 * roomy_row || row >= 0.8 * column) break;
    columns *= 2;
  }
  return columns;
}

TileGrid grid_cells(const Dim3& grid, double width, double height, double roomy_row) {
  TileGrid cells;
  cells.count = static_cast<int64_t>(grid.count());
  if (uint64_t{grid.y} * grid.z > 1 && grid.x > 1) {
    cells.matrix = true;
    cells.matrix_columns = grid.x;
    const int64_t rows = int64_t{grid.y} * grid.z;
    cells.cell_width = divided_up(grid.x, 128);
    cells.cell_height = divided_up(rows, 128);
    cells.columns = divided_up(grid.x, cells.cell_width);
    return cells;
  }
  cells.per_cell = std::max<int64_t>(1, divided_up(cells.count, kMostTexels));
  cells.columns = grid_columns(cells.cells(), width, height, roomy_row);
  return cells;
}

namespace {

TileGrid matrix_cells(const BufferMap& buffer) {
  TileGrid cells{.count = count_of(buffer), .matrix = true, .matrix_columns = buffer.shape.back()};
  const int64_t rows = cells.matrix_rows();
  cells.cell_width = divided_up(cells.matrix_columns, kMostTexelsAcross);
  cells.cell_height = divided_up(rows, kMostTexelsAcross);
  // Divided like the blocks' observed tiles.
  auto tile = tile_rectangle(buffer, /*writes=*/true);
  if (!tile) tile = tile_rectangle(buffer, /*writes=*/false);
  if (tile) {
    cells.cell_width = tile->columns * std::max<int64_t>(1, divided_up(cells.cell_width, tile->columns));
    cells.cell_height = tile->rows * std::max<int64_t>(1, divided_up(cells.cell_height, tile->rows));
  }
  cells.columns = divided_up(cells.matrix_columns, cells.cell_width);
  return cells;
}

TileGrid flow_cells(int64_t count, int64_t per_cell, double width, double height) {
  TileGrid cells{.count = count, .per_cell = std::max<int64_t>(1, per_cell)};
  cells.per_cell *= std::max<int64_t>(1, divided_up(cells.cells(), kMostTexels));
  cells.columns = grid_columns(cells.cells(), width, height, 24);
  return cells;
}

}  // namespace

TileGrid output_cells(const TileShape& shape, const BufferMap& buffer, const TileGrid& grid, double width,
                      double height) {
  if (is_matrix(buffer)) return matrix_cells(buffer);
  const int64_t count = count_of(buffer);
  if (count != shape.elements) return flow_cells(count, divided_up(count, kMostRectangles), width, height);
  if (!shape.contiguous) return flow_cells(count, shape.tile, width, height);
  TileGrid cells{.count = count, .per_cell = shape.block_elements * grid.per_cell, .columns = grid.columns};
  const int64_t tiles = shape.tiles_per_block;
  if (tiles > 1 && grid.per_cell == 1 && cells.cells() * tiles <= kMostTexels) {
    cells.per_cell = shape.tile;
    cells.columns *= tiles;
    cells.group = tiles;
  }
  return cells;
}

TileGrid input_cells(const TileShape& shape, const BufferMap& buffer, const TileGrid& grid, double width,
                     double height) {
  TileGrid cells = output_cells(shape, buffer, grid, width, height);
  if (cells.group > 1) {
    cells.per_cell *= cells.group;
    cells.columns /= cells.group;
    cells.group = 1;
  }
  return cells;
}

}  // namespace tilescope
