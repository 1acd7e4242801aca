// Positions of matrices in the tile view: in columns on both sides of the grid, all at one scale, so that buffers of
// equal shape look the same everywhere. Pure geometry.
#pragma once

#include <span>
#include <vector>

namespace tilescope {

/// A buffer to be placed. Sizes are in pixels.
struct PackItem {
  double columns = 0, rows = 0;              // elements of a matrix; 0: a vector, which gets its minimum size
  double least_width = 0, least_height = 0;  // minimum size of its picture
  double least_column = 0;                   // minimum width for its header
};

/// Position of its picture, relative to the top left of its side, and the space up to its neighbours.
struct PackedItem {
  double x = 0, y = 0, width = 0, height = 0;
  double room_width = 0, room_height = 0;
};

struct PackedSides {
  std::vector<PackedItem> inputs, outputs;
  double inputs_width = 0, outputs_width = 0;
  bool fits = false;  // else nothing is placed: there is no room even for the minimum sizes
};

/// Spacing between the pictures, in pixels.
struct PackGaps {
  double header = 24;  // above each picture
  double across = 20, down = 8;
  double thin_width = 140, thin_height = 96;  // a thinner matrix is stretched to this
  double largest_element = 40;
};

/// Elements are square, and as large as `width` (of both sides together) and `height` allow. Only a matrix much longer
/// than wide (or wider than long) is stretched across to be readable.
PackedSides pack_sides(std::span<const PackItem> inputs, std::span<const PackItem> outputs, double width, double height,
                       const PackGaps& gaps);

}  // namespace tilescope
