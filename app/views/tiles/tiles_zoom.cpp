#include "app/views/tiles/tiles_zoom.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

constexpr double kMargin = 0.04;  // fraction of the viewport, on each side
constexpr double kWidest = 2;     // width of an element / its height

/// One axis of `between`: the position that keeps the common point of both ends fixed.
double moved(double from, double to, double pixels_from, double pixels_to, double pixels, double t) {
  const double a = 1 / pixels_from, b = 1 / pixels_to;
  if (std::abs(a - b) < 1e-9 * std::max(a, b)) return from + (to - from) * t;
  return from + (to - from) * (1 / pixels - a) / (b - a);
}

double kept(double position, double pixels, double count, double room) {
  const double seen = room / pixels;
  constexpr double kBeyond = 0.25;  // visible fraction beyond an edge, where masked elements are shown
  if (seen >= count) return std::clamp(position, count - seen - kBeyond * count, kBeyond * count);
  return std::clamp(position, -kBeyond * seen, count - seen + kBeyond * seen);
}

}  // namespace

TileGrid element_grid(const TileGrid& cells, int64_t columns) {
  TileGrid elements{.count = cells.count, .per_cell = 1, .columns = std::max<int64_t>(1, columns)};
  if (!cells.matrix) return elements;
  elements.matrix = true;
  elements.columns = elements.matrix_columns = cells.matrix_columns;
  return elements;
}

int64_t near_columns(int64_t block_elements, const Viewport& viewport) {
  constexpr int64_t kWarp = 32;
  int64_t best = kWarp;
  double largest = 0;
  for (int64_t columns = kWarp; columns <= 32 * kWarp; columns *= 2) {
    const auto rows = static_cast<double>((std::max<int64_t>(1, block_elements) + columns - 1) / columns);
    const double y = viewport.height / rows;
    const double x = std::min(viewport.width / static_cast<double>(columns), kWidest * y);
    const double size = std::min(x, y);
    if (size <= largest) continue;
    largest = size;
    best = columns;
  }
  return best;
}

std::optional<CellRect> extent_of(const TileGrid& elements, std::span<const ElementRange> ranges) {
  std::optional<CellRect> extent;
  for (const CellRect& rect : rects_of(elements, ranges)) {
    if (!extent) extent = rect;
    extent->x0 = std::min(extent->x0, rect.x0);
    extent->y0 = std::min(extent->y0, rect.y0);
    extent->x1 = std::max(extent->x1, rect.x1);
    extent->y1 = std::max(extent->y1, rect.y1);
  }
  return extent;
}

std::optional<CellRect> near_extent_of(const TileGrid& elements, std::span<const ElementRange> ranges, int64_t near) {
  const auto whole = extent_of(elements, ranges);
  if (!whole) return {};
  double count = 0;
  for (const ElementRange& range : ranges) count += static_cast<double>(range.end - range.begin);
  constexpr double kScattered = 8;  // area relative to that of the elements
  if ((whole->x1 - whole->x0) * (whole->y1 - whole->y0) <= kScattered * count) return whole;
  const ElementRange* chosen = &ranges.front();
  for (const ElementRange& range : ranges)
    if (range.begin <= near) chosen = &range;
  // Short ranges: some of their neighbours are shown too.
  constexpr int64_t kContext = 512;
  const int64_t middle = chosen->begin + (chosen->end - chosen->begin) / 2;
  const ElementRange around{std::max<int64_t>(0, std::min(chosen->begin, middle - kContext)),
                            std::min(elements.count, std::max(chosen->end, middle + kContext))};
  return extent_of(elements, {elements.matrix ? chosen : &around, 1});
}

Camera fit_camera(const CellRect& region, const Viewport& viewport, double largest) {
  const double width = std::max(1.0, region.x1 - region.x0), height = std::max(1.0, region.y1 - region.y0);
  Camera camera;
  camera.pixels_x = std::min(largest, viewport.width * (1 - 2 * kMargin) / width);
  camera.pixels_y = std::min(largest, viewport.height * (1 - 2 * kMargin) / height);
  camera.pixels_x = std::max(1e-6, std::min(camera.pixels_x, kWidest * camera.pixels_y));
  camera.pixels_y = std::max(1e-6, std::min(camera.pixels_y, camera.pixels_x));
  camera.column = (region.x0 + region.x1) / 2 - viewport.width / camera.pixels_x / 2;
  camera.row = (region.y0 + region.y1) / 2 - viewport.height / camera.pixels_y / 2;
  return camera;
}

Camera zoomed(const Camera& camera, double factor, double x, double y) {
  Camera near = camera;
  near.pixels_x *= factor;
  near.pixels_y *= factor;
  near.column += x / camera.pixels_x - x / near.pixels_x;
  near.row += y / camera.pixels_y - y / near.pixels_y;
  return near;
}

Camera keep_in_view(Camera camera, const Viewport& viewport, const CellRect& region) {
  const auto moved_into = [](double position, double seen, double begin, double end) {
    return end - begin >= seen ? begin : std::clamp(position, end - seen, begin);
  };
  camera.column = moved_into(camera.column, viewport.width / camera.pixels_x, region.x0, region.x1);
  camera.row = moved_into(camera.row, viewport.height / camera.pixels_y, region.y0, region.y1);
  return camera;
}

Camera kept_inside(Camera camera, const Camera& home, const TileGrid& elements, const Viewport& viewport) {
  if (camera.pixels_x <= home.pixels_x * 1.001 && camera.pixels_y <= home.pixels_y * 1.001) return home;
  const double columns = static_cast<double>(elements.matrix ? elements.matrix_columns : elements.columns);
  const double rows = static_cast<double>(elements.rows());
  camera.column = kept(camera.column, camera.pixels_x, columns, viewport.width);
  camera.row = kept(camera.row, camera.pixels_y, rows, viewport.height);
  return camera;
}

Camera between(const Camera& from, const Camera& to, double t) {
  if (t <= 0) return from;
  if (t >= 1) return to;
  Camera now;
  now.pixels_x = from.pixels_x * std::pow(to.pixels_x / from.pixels_x, t);
  now.pixels_y = from.pixels_y * std::pow(to.pixels_y / from.pixels_y, t);
  now.column = moved(from.column, to.column, from.pixels_x, to.pixels_x, now.pixels_x, t);
  now.row = moved(from.row, to.row, from.pixels_y, to.pixels_y, now.pixels_y, t);
  return now;
}

bool shows(const Camera& camera, const Viewport& viewport, const CellRect& region) {
  constexpr double kSlack = 1e-6;
  return region.x0 >= camera.column - kSlack && region.y0 >= camera.row - kSlack &&
         region.x1 <= camera.column + viewport.width / camera.pixels_x + kSlack &&
         region.y1 <= camera.row + viewport.height / camera.pixels_y + kSlack;
}

TilesLevel level_of(const Camera& camera, const Viewport& viewport, const CellRect& block, double unit) {
  const double across = (block.x1 - block.x0) * camera.pixels_x / std::max(1.0, viewport.width);
  const double down = (block.y1 - block.y0) * camera.pixels_y / std::max(1.0, viewport.height);
  const double filled = std::max(across, down);
  if (filled < 0.3) return TilesLevel::grid;
  if (filled <= 1.3) return TilesLevel::block;
  const bool roomy = camera.pixels_x >= 30 * unit && camera.pixels_y >= 1.4 * kNumberHeight * unit;
  return roomy ? TilesLevel::lane : TilesLevel::warp;
}

void change_level(ViewState& view, int by) {
  const int level = std::clamp(static_cast<int>(view.zoom.level) + by, 0, static_cast<int>(TilesLevel::lane));
  view.zoom.level = static_cast<TilesLevel>(level);
}

}  // namespace tilescope
