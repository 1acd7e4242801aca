// Matrix products are drawn as usual in the literature: A left of C, B above it, with common rows and columns.
#pragma once

#include <optional>

#include "app/views/tiles/tiles_layout.hpp"

namespace tilescope {

/// Indices into TileMap::buffers: c = a · b.
struct Product {
  size_t a = 0, b = 0, c = 0;
};
/// The matrix product whose result is the mapped buffer, if there is one, judged by the shapes and by a block's
/// observed reads: whole rows of A and whole columns of B, those of its own tile of C.
std::optional<Product> product_of(const TileShape& shape, const TileMap& tiles);

/// Sizes of the three matrices on the screen, pixels.
struct ProductSizes {
  double a_width = 0, b_height = 0, c_width = 0, c_height = 0;
};
/// `gap_x` separates A and C, `gap_y` separates B and C. K is drawn at the scale of C if it remains visible.
ProductSizes product_sizes(double m, double n, double k, double width, double height, double gap_x, double gap_y,
                           double unit);

}  // namespace tilescope
