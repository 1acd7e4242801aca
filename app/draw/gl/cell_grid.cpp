#include "app/draw/gl/cell_grid.hpp"

#include <algorithm>

#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr int kWarp = 32;
constexpr int kSmallestWithGap = 6;

/// Cells per row of a vector: a multiple of a warp if there is room, so that no warp is split across rows.
int vector_columns(int64_t count, int width, int pixels) {
  int columns = std::max(1, width / pixels);
  if (columns >= kWarp) columns -= columns % kWarp;
  return static_cast<int>(std::min<int64_t>(columns, count));
}

void fit_vector(CellGrid& grid, int width, int height, int smallest, int largest) {
  for (int pixels = largest; pixels >= smallest; --pixels) {
    grid.cell_pixels = pixels;
    grid.columns = vector_columns(grid.count, width, pixels);
    if (ceil_divide(grid.count, grid.columns) * pixels <= height) break;
  }
  const int64_t rows = std::max(1, height / grid.cell_pixels);
  grid.cell_columns = std::max<int64_t>(1, ceil_divide(grid.count, grid.columns * rows));
  grid.row_length = grid.columns * grid.cell_columns;
  grid.rows = static_cast<int>(ceil_divide(grid.count, grid.row_length));
}

void fit_matrix(CellGrid& grid, int width, int height, int smallest, int largest) {
  const int64_t rows = ceil_divide(grid.count, grid.row_length);
  const int64_t room = std::min(width / grid.row_length, height / rows);
  grid.cell_pixels = static_cast<int>(std::clamp<int64_t>(room, smallest, largest));
  grid.cell_columns = ceil_divide(grid.row_length, std::max(1, width / grid.cell_pixels));
  grid.cell_rows = ceil_divide(rows, std::max(1, height / grid.cell_pixels));
  grid.columns = static_cast<int>(ceil_divide(grid.row_length, grid.cell_columns));
  grid.rows = static_cast<int>(ceil_divide(rows, grid.cell_rows));
}

}  // namespace

CellGrid fit_cells(std::span<const int64_t> shape, int64_t limit, int width, int height, int smallest, int largest) {
  CellGrid grid;
  grid.count = shape.empty() ? 0 : 1;
  for (const int64_t extent : shape) grid.count *= extent;
  grid.count = std::min(grid.count, limit);
  if (grid.count <= 0 || width <= 0 || height <= 0) return {};
  const bool matrix = shape.size() >= 2 && shape.back() > 1;
  if (matrix) {
    grid.row_length = shape.back();
    fit_matrix(grid, width, height, smallest, largest);
  } else {
    fit_vector(grid, width, height, smallest, largest);
  }
  grid.gap = grid.cell_pixels >= kSmallestWithGap ? 1 : 0;
  return grid;
}

std::optional<Cell> cell_at(const CellGrid& grid, float x, float y) {
  if (x < 0 || y < 0 || x >= static_cast<float>(grid.width()) || y >= static_cast<float>(grid.height()))
    return std::nullopt;
  const Cell cell{static_cast<int>(x) / grid.cell_pixels, static_cast<int>(y) / grid.cell_pixels};
  if (!elements_of(grid, cell)) return std::nullopt;
  return cell;
}

std::optional<Cell> cell_of(const CellGrid& grid, int64_t element) {
  if (element < 0 || element >= grid.count) return std::nullopt;
  return Cell{static_cast<int>(element % grid.row_length / grid.cell_columns),
              static_cast<int>(element / grid.row_length / grid.cell_rows)};
}

std::optional<CellElements> elements_of(const CellGrid& grid, Cell cell) {
  if (cell.column < 0 || cell.row < 0 || cell.column >= grid.columns || cell.row >= grid.rows) return std::nullopt;
  const int64_t total_rows = ceil_divide(grid.count, grid.row_length);
  CellElements elements{};
  elements.first_row = cell.row * grid.cell_rows;
  elements.first_column = cell.column * grid.cell_columns;
  elements.first = elements.first_row * grid.row_length + elements.first_column;
  if (elements.first >= grid.count) return std::nullopt;
  elements.last_row = std::min(elements.first_row + grid.cell_rows, total_rows) - 1;
  elements.last_column = std::min(elements.first_column + grid.cell_columns, grid.row_length) - 1;
  elements.last = std::min(elements.last_row * grid.row_length + elements.last_column, grid.count - 1);
  if (elements.first_row == elements.last_row) elements.last_column = elements.last % grid.row_length;
  return elements;
}

}  // namespace tilescope
