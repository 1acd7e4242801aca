#include "app/views/tiles/tiles_pack.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

struct Extent {
  double width = 0, height = 0;
};

/// The scale of a matrix: pixels per element, and the stretch of a thin one, from 0 to 1.
struct Scale {
  double element = 0, stretch = 0;
};

Extent extent_at(const PackItem& item, const Scale& scale, const PackGaps& gaps) {
  if (item.columns <= 0 || item.rows <= 0) return {item.least_width, item.least_height};
  Extent extent{item.columns * scale.element, item.rows * scale.element};
  // A small one is first enlarged in proportion.
  const double short_of = std::max(item.least_width / extent.width, item.least_height / extent.height);
  const double room = std::min(std::max(extent.width, item.least_width) / extent.width,
                               std::max(extent.height, item.least_height) / extent.height);
  const double grown = std::max(1.0, std::min(short_of, room));
  extent.width = std::max(extent.width * grown, item.least_width);
  extent.height = std::max(extent.height * grown, item.least_height);
  // A thin one is stretched, but at most to a square.
  const double wide = item.least_width + scale.stretch * std::max(0.0, gaps.thin_width - item.least_width);
  const double high = item.least_height + scale.stretch * std::max(0.0, gaps.thin_height - item.least_height);
  const Extent before = extent;
  extent.width = std::max(before.width, std::min(wide, before.height));
  extent.height = std::max(before.height, std::min(high, before.width));
  return extent;
}

/// One side in columns from top to bottom; nothing if a picture is higher than the available height. Returns the width.
double pack_side(std::span<const PackItem> items, std::vector<PackedItem>& packed, double height, const Scale& scale,
                 const PackGaps& gaps) {
  packed.clear();
  double x = 0, y = 0, column = 0;
  size_t first = 0;  // first item of the column
  const auto end_column = [&] {
    for (size_t i = first; i < packed.size(); ++i) {
      packed[i].room_width = column;
      const bool last = i + 1 == packed.size();
      packed[i].room_height = (last ? height : packed[i + 1].y - gaps.header - gaps.down) - packed[i].y;
    }
    first = packed.size();
  };
  for (const PackItem& item : items) {
    const Extent extent = extent_at(item, scale, gaps);
    if (gaps.header + extent.height > height) return -1;
    if (y > 0 && y + gaps.header + extent.height > height) {
      end_column();
      x += column + gaps.across;
      y = column = 0;
    }
    packed.push_back({x, y + gaps.header, extent.width, extent.height, 0, 0});
    column = std::max({column, extent.width, item.least_column});
    y += gaps.header + extent.height + gaps.down;
  }
  end_column();
  return items.empty() ? 0 : x + column;
}

bool pack_at(std::span<const PackItem> inputs, std::span<const PackItem> outputs, double width, double height,
             const Scale& scale, const PackGaps& gaps, PackedSides& sides) {
  PackedSides made;
  made.inputs_width = pack_side(inputs, made.inputs, height, scale, gaps);
  made.outputs_width = pack_side(outputs, made.outputs, height, scale, gaps);
  if (made.inputs_width < 0 || made.outputs_width < 0 || made.inputs_width + made.outputs_width > width) return false;
  made.fits = true;
  sides = std::move(made);
  return true;
}

}  // namespace

PackedSides pack_sides(std::span<const PackItem> inputs, std::span<const PackItem> outputs, double width, double height,
                       const PackGaps& gaps) {
  constexpr double kSmallestElement = 1e-9;
  constexpr int kSteps = 40;
  PackedSides sides;
  if (!pack_at(inputs, outputs, width, height, {kSmallestElement, 0}, gaps, sides)) return sides;
  // Bisection between a scale that fits and one that does not.
  double fits = kSmallestElement, too_large = gaps.largest_element;
  if (pack_at(inputs, outputs, width, height, {too_large, 0}, gaps, sides)) fits = too_large;
  for (int step = 0; step < kSteps && fits < too_large; ++step) {
    const double middle = std::sqrt(fits * too_large);
    (pack_at(inputs, outputs, width, height, {middle, 0}, gaps, sides) ? fits : too_large) = middle;
  }
  // The remaining room goes to the thin ones.
  constexpr int kStretches = 20;
  for (int step = kStretches; step > 0; --step)
    if (pack_at(inputs, outputs, width, height, {fits, static_cast<double>(step) / kStretches}, gaps, sides)) break;
  return sides;
}

}  // namespace tilescope
