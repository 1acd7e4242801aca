// Buffers as matrices: which elements are the rows of a rectangle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/run_result.hpp"

namespace tilescope {

int64_t count_of(const BufferMap& buffer);
bool is_matrix(const BufferMap& buffer);

/// Rows and columns of a matrix that one block touches at a time, if that is a rectangle from which the matrix is
/// tiled.
struct TileRectangle {
  int64_t rows = 0, columns = 0;
  bool operator==(const TileRectangle&) const = default;
};
/// The rows of one rectangle of the matrix, if that is what the ranges are.
std::optional<TileRectangle> rectangle_of(const BufferMap& matrix, std::span<const ElementRange> ranges);
/// Whether ranges are the rows of one rectangle of a matrix, wherever it lies.
bool is_rectangle(const BufferMap& buffer, std::span<const ElementRange> ranges);

}  // namespace tilescope
