// Matrix products are drawn as they are usually written: A left of C, B above it, with common rows and columns.
#pragma once

#include <optional>

#include "app/views/tiles/tiles_layout.hpp"

namespace tilescope {

/// Indices into TileMap::buffers: c = a · b.
struct Product {
  size_t a = 0, b = 0, c = 0;
};
/// Whether the mapped buffer is a product of two inputs, from the shapes and from what a block was seen to read: whole
/// rows of A and whole columns of B, those of its own tile of C.
std::optional<Product> product_of(const TileShape& shape, const TileMap& tiles);

/// Sizes of the three matrices on the screen, pixels.
struct ProductSizes {
  double a_width = 0, b_height = 0, c_width = 0, c_height = 0;
};
/// `gap_x` lies between A and C, `gap_y` between B and C. K is drawn to the scale of C where that leaves it visible.
ProductSizes product_sizes(double m, double n, double k, double width, double height, double gap_x, double gap_y,
                           double unit);

}  // namespace tilescope
