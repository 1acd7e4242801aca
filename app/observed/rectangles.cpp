#include "app/observed/rectangles.hpp"

namespace tilescope {

int64_t count_of(const BufferMap& buffer) {
  int64_t total = 1;
  for (int64_t extent : buffer.shape) total *= extent;
  return buffer.shape.empty() ? 0 : total;
}

bool is_matrix(const BufferMap& buffer) {
  return buffer.shape.size() >= 2 && buffer.shape.back() > 1 && count_of(buffer) > buffer.shape.back();
}

std::optional<TileRectangle> rectangle_of(const BufferMap& matrix, std::span<const ElementRange> ranges) {
  if (ranges.empty()) return {};
  const int64_t width = matrix.shape.back(), begin = ranges[0].begin, length = ranges[0].end - begin;
  if (ranges.size() == 1 && begin % width == 0 && length % width == 0)  // whole rows form one range
    return TileRectangle{length / width, width};
  for (size_t row = 0; row < ranges.size(); ++row)
    if (ranges[row].begin != begin + static_cast<int64_t>(row) * width || ranges[row].end != ranges[row].begin + length)
      return {};
  if (begin % width + length > width) return {};
  return TileRectangle{static_cast<int64_t>(ranges.size()), length};
}

bool is_rectangle(const BufferMap& buffer, std::span<const ElementRange> ranges) {
  return is_matrix(buffer) && rectangle_of(buffer, ranges).has_value();
}

}  // namespace tilescope
