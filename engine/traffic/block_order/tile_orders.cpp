// The traversal orders of a matrix of tiles for engine/traffic/block_order/issue_order.hpp.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "engine/traffic/block_order/issue_order.hpp"

namespace tilescope {
namespace {

/// A rectangle of cells: from a corner along two edges, one horizontal and one vertical. (row, column)
struct Rectangle {
  std::array<int64_t, 2> corner, along, across;
};

std::array<int64_t, 2> scaled(std::array<int64_t, 2> edge, int64_t length) {
  const auto sign = [](int64_t value) { return static_cast<int64_t>(value > 0) - static_cast<int64_t>(value < 0); };
  return {sign(edge[0]) * length, sign(edge[1]) * length};
}
std::array<int64_t, 2> plus(std::array<int64_t, 2> a, std::array<int64_t, 2> b) { return {a[0] + b[0], a[1] + b[1]}; }

/// An odd half is rounded to even, if that leaves something, so that the curve ends at the right corner.
int64_t half_of(int64_t length) {
  const int64_t half = length / 2;
  return half % 2 != 0 && length > 2 ? half + 1 : half;
}

/// The Hilbert curve for a rectangle: a long one is divided in two; any other is traversed up one side, along the far
/// side, and down again.
void walk(const Rectangle& area, uint32_t columns, std::vector<uint32_t>& cells) {
  const int64_t width = std::abs(area.along[0] + area.along[1]), height = std::abs(area.across[0] + area.across[1]);
  if (width == 0 || height == 0) return;
  if (width == 1 || height == 1) {
    const auto step = scaled(height == 1 ? area.along : area.across, 1);
    auto cell = area.corner;
    for (int64_t i = 0; i < std::max(width, height); ++i, cell = plus(cell, step))
      cells.push_back(static_cast<uint32_t>(cell[0] * columns + cell[1]));
    return;
  }
  const int64_t half_height = half_of(height);
  if (2 * width > 3 * height) {
    const int64_t half_width = half_of(width);
    walk({area.corner, scaled(area.along, half_width), area.across}, columns, cells);
    walk({plus(area.corner, scaled(area.along, half_width)), scaled(area.along, width - half_width), area.across},
         columns, cells);
    return;
  }
  const int64_t half_width = width / 2;
  walk({area.corner, scaled(area.across, half_height), scaled(area.along, half_width)}, columns, cells);
  walk({plus(area.corner, scaled(area.across, half_height)), area.along, scaled(area.across, height - half_height)},
       columns, cells);
  walk({plus(plus(area.corner, scaled(area.along, width - 1)), scaled(area.across, half_height - 1)),
        scaled(area.across, -half_height), scaled(area.along, -(width - half_width))},
       columns, cells);
}

}  // namespace

std::vector<uint32_t> grouped_tiles(uint32_t rows, uint32_t columns, uint32_t group) {
  std::vector<uint32_t> tiles;
  tiles.reserve(size_t{rows} * columns);
  for (uint32_t first = 0; first < rows; first += group)
    for (uint32_t column = 0; column < columns; ++column)
      for (uint32_t row = first; row < std::min(first + group, rows); ++row) tiles.push_back(row * columns + column);
  return tiles;
}

std::vector<uint32_t> hilbert_tiles(uint32_t rows, uint32_t columns) {
  std::vector<uint32_t> tiles;
  tiles.reserve(size_t{rows} * columns);
  if (rows > columns)
    walk({{0, 0}, {rows, 0}, {0, columns}}, columns, tiles);
  else
    walk({{0, 0}, {0, columns}, {rows, 0}}, columns, tiles);
  return tiles;
}

}  // namespace tilescope
