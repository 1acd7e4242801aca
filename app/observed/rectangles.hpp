// Treats buffers as matrices: which elements are the rows of a rectangle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/run_result.hpp"

namespace tilescope {

int64_t count_of(const BufferMap& buffer);
bool is_matrix(const BufferMap& buffer);

/// Rows and columns of a matrix that one block touches at a time, if they form a rectangle that tiles the matrix.
struct TileRectangle {
  int64_t rows = 0, columns = 0;
  bool operator==(const TileRectangle&) const = default;
};
/// The rectangle of the matrix that the ranges form, if they do.
std::optional<TileRectangle> rectangle_of(const BufferMap& matrix, std::span<const ElementRange> ranges);
/// Whether ranges are the rows of one rectangle of a matrix, at any position.
bool is_rectangle(const BufferMap& buffer, std::span<const ElementRange> ranges);

}  // namespace tilescope
