#include "app/views/tiles/tiles_product.hpp"

#include <algorithm>
#include <cmath>

#include "app/views/tiles/tiles_zoom.hpp"

namespace tilescope {
namespace {

struct MatrixShape {
  int64_t rows = 0, columns = 0;
};

std::optional<MatrixShape> matrix_shape(const BufferMap& map) {
  if (map.shape.size() != 2 || map.shape[0] < 1 || map.shape[1] < 1) return {};
  return MatrixShape{map.shape[0], map.shape[1]};
}

std::optional<CellRect> extent(const BufferMap& map, std::span<const ElementRange> ranges) {
  const auto shape = matrix_shape(map);
  if (!shape) return {};
  const TileGrid elements{.count = shape->rows * shape->columns,
                          .columns = shape->columns,
                          .matrix = true,
                          .matrix_columns = shape->columns};
  return extent_of(elements, ranges);
}

bool block_multiplies(const TileMap& tiles, const Product& product, uint32_t block) {
  const auto c = extent(tiles.buffers[product.c], tiles.buffers[product.c].writes_of(block));
  const auto a = extent(tiles.buffers[product.a], tiles.buffers[product.a].reads_of(block));
  const auto b = extent(tiles.buffers[product.b], tiles.buffers[product.b].reads_of(block));
  if (!c || !a || !b) return false;
  const auto depth = static_cast<double>(tiles.buffers[product.a].shape[1]);
  return a->x0 == 0 && a->x1 == depth && a->y0 == c->y0 && a->y1 == c->y1 &&  // its rows of A
         b->y0 == 0 && b->y1 == depth && b->x0 == c->x0 && b->x1 == c->x1;    // and its columns of B
}

}  // namespace

std::optional<Product> product_of(const TileShape& shape, const TileMap& tiles) {
  if (shape.buffer < 0) return {};
  const auto c = static_cast<size_t>(shape.buffer);
  const auto of_c = matrix_shape(tiles.buffers[c]);
  if (!of_c) return {};
  const auto known = static_cast<int64_t>(tiles.buffers[c].writes_first.size()) - 1;
  int64_t block = 0;
  while (block < known && tiles.buffers[c].writes_of(static_cast<uint32_t>(block)).empty()) ++block;
  if (block >= known) return {};
  for (size_t a = 0; a < tiles.buffers.size(); ++a)
    for (size_t b = 0; b < tiles.buffers.size(); ++b) {
      if (a == b || a == c || b == c) continue;
      const auto of_a = matrix_shape(tiles.buffers[a]), of_b = matrix_shape(tiles.buffers[b]);
      if (!of_a || !of_b || !tiles.buffers[a].writes.empty() || !tiles.buffers[b].writes.empty()) continue;
      if (of_a->rows != of_c->rows || of_b->columns != of_c->columns || of_a->columns != of_b->rows) continue;
      // A single tile of equal matrices could also be their sum.
      const bool told_apart = shape.blocks > 1 || of_a->rows != of_a->columns || of_b->rows != of_b->columns;
      const Product found{a, b, c};
      if (told_apart && block_multiplies(tiles, found, static_cast<uint32_t>(block))) return found;
    }
  return {};
}

ProductSizes product_sizes(double m, double n, double k, double width, double height, double gap_x, double gap_y,
                           double unit) {
  constexpr double kWidest = 1.25, kTallest = 1.25;  // limits on an element's aspect ratio
  const double least_width = 40 * unit, least_height = 24 * unit;
  // The depth is allocated first: to scale, but neither too small to see nor more than C.
  const double b_share = std::clamp(k / (m + k), 0.0, 0.3), a_share = std::clamp(k / (n + k), 0.0, 0.3);
  ProductSizes sizes;
  sizes.b_height = std::max(least_height, b_share * (height - gap_y));
  sizes.a_width = std::max(least_width, a_share * (width - gap_x));
  sizes.c_height = std::max(1.0, height - gap_y - sizes.b_height);
  sizes.c_width = std::max(1.0, width - gap_x - sizes.a_width);
  const double x = std::min(sizes.c_width / n, kWidest * sizes.c_height / m);
  const double y = std::min(sizes.c_height / m, kTallest * x);
  sizes.c_width = std::max(std::min(sizes.c_width, least_width), x * n);
  sizes.c_height = std::max(std::min(sizes.c_height, least_height), y * m);
  // Once the scale is known, A is at most as wide as it implies.
  sizes.a_width = std::min(sizes.a_width, std::max(least_width, x * k));
  sizes.b_height = std::min(sizes.b_height, std::max(least_height, y * k));
  return sizes;
}

}  // namespace tilescope
