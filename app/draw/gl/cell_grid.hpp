// Maps the elements of a buffer to the cells of a heat map.
//
//   row_length elements ───────────────▶        one cell: cell_columns × cell_rows elements
//   ┌──┬──┬──┬──┐  row 0                        a matrix keeps its own rows;
//   │  │  │  │  │  row 1                        a vector is cut into rows of columns · cell_columns elements
//   └──┴──┴──┘     the last row may be short
//
// Cells are as large as the area allows, at least `smallest` pixels; if the elements still do not fit, a cell covers
// several. Pure arithmetic: no ImGui, no OpenGL.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tilescope {

struct CellGrid {
  int64_t count = 0;                        // elements shown
  int64_t row_length = 1;                   // elements
  int64_t cell_columns = 1, cell_rows = 1;  // elements per cell
  int columns = 0, rows = 0;                // cells
  int cell_pixels = 1;                      // side of a cell on the screen
  int gap = 0;                              // pixels between cells
  bool operator==(const CellGrid&) const = default;

  bool one_element_per_cell() const { return cell_columns == 1 && cell_rows == 1; }
  int width() const { return columns * cell_pixels; }  // on the screen, pixels
  int height() const { return rows * cell_pixels; }
};

/// The elements of one cell: matrix rows [first_row, last_row] and columns [first_column, last_column], clipped to the
/// buffer; first and last are the linear indices of its corners.
struct CellElements {
  int64_t first_row, last_row, first_column, last_column;
  int64_t first, last;
};

/// Cells for `shape` (outermost first; further leading dimensions are stacked as rows) in an area of pixels. Only the
/// first `limit` elements are shown.
CellGrid fit_cells(std::span<const int64_t> shape, int64_t limit, int width, int height, int smallest, int largest);

/// The cell at a pixel offset from the picture's top left corner; nothing outside the cells.
struct Cell {
  int column, row;
  bool operator==(const Cell&) const = default;
};
std::optional<Cell> cell_at(const CellGrid& grid, float x, float y);
/// The cell that contains an element; nothing if it is not shown.
std::optional<Cell> cell_of(const CellGrid& grid, int64_t element);
/// The elements of a cell; nothing for a cell past the last element.
std::optional<CellElements> elements_of(const CellGrid& grid, Cell cell);

}  // namespace tilescope
