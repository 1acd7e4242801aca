// Where elements and blocks lie on the screen: pure geometry, in cells.
//
//   flow     one-dimensional things (vectors, one-dimensional grids) run row by row:
//            element e lies in cell e / per_cell; cells go left to right, `columns` to a row
//   matrix   a buffer of rows × columns is cut into cell_height × cell_width pieces
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

/// A rectangle in units of cells; fractions lie inside a cell.
struct CellRect {
  double x0, y0, x1, y1;
  bool operator==(const CellRect&) const = default;
};

struct TileGrid {
  int64_t count = 0;     // elements or blocks
  int64_t per_cell = 1;  // flow: of them in a cell
  int64_t columns = 1;   // cells in a row
  int64_t group = 1;     // neighbouring cells that belong together, a wider gap after them
  bool matrix = false;
  int64_t matrix_columns = 1, cell_height = 1, cell_width = 1;  // matrix: elements

  int64_t matrix_rows() const { return (count + matrix_columns - 1) / matrix_columns; }
  int64_t rows() const;
  int64_t cells() const;
  /// The cell an element lies in; −1 outside.
  int64_t cell_of(int64_t element) const;
  /// An element in the middle of a cell; −1 for a cell that holds none.
  int64_t middle_of(int64_t cell) const;
  /// The element at a point in units of cells; −1 outside.
  int64_t element_at(double x, double y) const;
};

/// Elements [begin, end) as rectangles, at most `limit` of them, merged where they touch.
std::vector<CellRect> rects_of(const TileGrid& grid, std::span<const ElementRange> ranges, size_t limit = 4096);

/// How the observed mapping is laid out in the tile view.
struct TileShape {
  int64_t blocks = 0;
  int64_t tile = 1;               // elements that a block writes in one step
  int64_t tiles_per_block = 1;    // of the first block
  int64_t last_tiles = 1;         // of the last block
  int64_t block_elements = 0;     // written by the first block
  int64_t elements = 0;           // of the buffer that is mapped
  int64_t written = 0;            // of them
  int64_t rows = 0, columns = 0;  // of the rectangle of a matrix that the first block writes; 0 where it is none
  int64_t stride = 0;             // elements from a block's tile to its next, when they do not touch
  int64_t pieces = 1;             // stretches that the first block writes
  int64_t piece = 0;              // elements of each, if they are of one length and `stride` apart; else 0
  int64_t cut_blocks = 0;         // blocks that write less than the first, but something
  bool contiguous = false;        // every block writes one stretch, in block order, all but the last of one length
  bool gathered = false;          // what the blocks have read comes together in fewer elements than there are blocks
  int32_t buffer = -1;            // the output that is mapped; −1 if nothing was written
};
TileShape tile_shape(TraceIndex& index);

/// That of the first block which reads (or writes) the buffer.
std::optional<TileRectangle> tile_rectangle(const BufferMap& buffer, bool writes);

/// What the last block leaves undone: masked places hatched in the picture.
struct Tail {
  int64_t block = 0, left = 0, masked = 0;
  bool outside = false;  // not masked at all: the places are written past the end of the buffer
};
std::optional<Tail> tail_of(const TileShape& shape, TraceIndex& index);

/// Above this number of blocks or cells, textures take the place of rectangles.
constexpr int64_t kMostRectangles = 512;
/// A texture never has more texels than this, that of a matrix no more on a side than the second.
constexpr int64_t kMostTexels = 16384, kMostTexelsAcross = 128;

/// Columns of blocks for a one-dimensional grid in an area of that shape (pixels): few and roomy while the numbers fit,
/// then near-square cells.
int64_t grid_columns(int64_t blocks, double width, double height, double roomy_row);

/// The grid of blocks; a grid of two or three dimensions keeps its x extent as columns.
TileGrid grid_cells(const Dim3& grid, double width, double height, double roomy_row);
/// A buffer beside it. With a contiguous mapping its rows are those of the grid.
TileGrid output_cells(const TileShape& shape, const BufferMap& buffer, const TileGrid& grid, double width,
                      double height);
TileGrid input_cells(const TileShape& shape, const BufferMap& buffer, const TileGrid& grid, double width,
                     double height);

}  // namespace tilescope
