// Screen positions of elements and blocks: pure geometry, in cells.
//
//   flow     one-dimensional data (vectors, one-dimensional grids) is laid out row by row:
//            element e is in cell e / per_cell; cells go left to right, `columns` per row
//   matrix   a buffer of rows × columns is divided into parts of cell_height × cell_width
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/observed/rectangles.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

class TraceIndex;  // app/observed/trace_index.hpp

/// A rectangle in units of cells; fractions are positions inside a cell.
struct CellRect {
  double x0, y0, x1, y1;
  bool operator==(const CellRect&) const = default;
};

struct TileGrid {
  int64_t count = 0;     // elements or blocks
  int64_t per_cell = 1;  // flow: elements or blocks per cell
  int64_t columns = 1;   // cells per row
  int64_t group = 1;     // number of neighbouring cells that form a group, with a wider gap after it
  bool matrix = false;
  int64_t matrix_columns = 1, cell_height = 1, cell_width = 1;  // matrix: elements

  int64_t matrix_rows() const { return (count + matrix_columns - 1) / matrix_columns; }
  int64_t rows() const;
  int64_t cells() const;
  /// The cell that contains an element; −1 if outside.
  int64_t cell_of(int64_t element) const;
  /// An element in the middle of a cell; −1 for an empty cell.
  int64_t middle_of(int64_t cell) const;
  /// The element at a point in units of cells; −1 if outside.
  int64_t element_at(double x, double y) const;
};

/// Elements [begin, end) as rectangles, at most `limit` of them; touching ones are merged.
std::vector<CellRect> rects_of(const TileGrid& grid, std::span<const ElementRange> ranges, size_t limit = 4096);

/// Layout of the observed mapping in the tile view.
struct TileShape {
  int64_t blocks = 0;
  int64_t tile = 1;               // elements that a block writes per step
  int64_t tiles_per_block = 1;    // for the first block
  int64_t last_tiles = 1;         // for the last block
  int64_t block_elements = 0;     // written by the first block
  int64_t elements = 0;           // in the mapped buffer
  int64_t written = 0;            // number of elements that are written
  int64_t rows = 0, columns = 0;  // the matrix rectangle that the first block writes; 0 if it is not a rectangle
  int64_t stride = 0;             // elements from one of a block's tiles to its next, if they are not adjacent
  int64_t pieces = 1;             // number of contiguous ranges that the first block writes
  int64_t piece = 0;              // elements per range, if all have one length and are `stride` apart; else 0
  int64_t cut_blocks = 0;         // blocks that write something, but less than the first
  bool contiguous = false;        // every block writes one range, in block order, all but the last of equal length
  bool gathered = false;          // the blocks' reads are combined into fewer elements than there are blocks
  int32_t buffer = -1;            // the mapped output; −1 if nothing was written
};
TileShape tile_shape(TraceIndex& index);

/// The rectangle of the first block that reads (or writes) the buffer.
std::optional<TileRectangle> tile_rectangle(const BufferMap& buffer, bool writes);

/// The part of the last block beyond the data: masked elements, hatched in the picture.
struct Tail {
  int64_t block = 0, left = 0, masked = 0;
  bool outside = false;  // not masked: the elements past the end of the buffer are written
};
std::optional<Tail> tail_of(const TileShape& shape, TraceIndex& index);

/// Above this number of blocks or cells, textures replace rectangles.
constexpr int64_t kMostRectangles = 512;
/// Maximum number of texels of a texture, and maximum side of a matrix's texture.
constexpr int64_t kMostTexels = 16384, kMostTexelsAcross = 128;

/// Columns of blocks for a one-dimensional grid in an area of that shape (pixels): few and wide while the numbers fit,
/// then near-square cells.
int64_t grid_columns(int64_t blocks, double width, double height, double roomy_row);

/// The grid of blocks; a grid of two or three dimensions keeps its x extent as columns.
TileGrid grid_cells(const Dim3& grid, double width, double height, double roomy_row);
/// A buffer beside the grid. With a contiguous mapping its rows align with the grid's.
TileGrid output_cells(const TileShape& shape, const BufferMap& buffer, const TileGrid& grid, double width,
                      double height);
TileGrid input_cells(const TileShape& shape, const BufferMap& buffer, const TileGrid& grid, double width,
                     double height);

}  // namespace tilescope
