// How near the tile view looks at a buffer: a camera over its elements. Pure geometry, without a window.
//
//     grid    the whole buffer, coloured by block
//     block   the tile of one block, coloured by warp
//     warp    one access of one warp, coloured by lane
//     lane    one element and its neighbours, with the lanes' numbers
#pragma once

#include <optional>
#include <span>

#include "app/observed/trace_index.hpp"
#include "app/observed/view_state.hpp"
#include "app/views/context.hpp"
#include "app/views/tiles/tiles_layout.hpp"

namespace tilescope {

struct Camera {
  double column = 0, row = 0;         // at the top left of the viewport
  double pixels_x = 1, pixels_y = 1;  // of an element
  bool operator==(const Camera&) const = default;
};

struct Viewport {
  double width = 0, height = 0;  // pixels
};

/// The elements of a buffer one by one: a matrix by its rows and columns, a vector in rows of `columns` elements.
TileGrid element_grid(const TileGrid& cells, int64_t columns);
/// Elements in a row of a vector seen from near: a multiple of a warp, so that a block of so many elements is as large
/// as it can be.
int64_t near_columns(int64_t block_elements, const Viewport& viewport);

/// The smallest rectangle of rows and columns that holds the ranges; nothing if they are empty.
std::optional<CellRect> extent_of(const TileGrid& elements, std::span<const ElementRange> ranges);
/// The same, of the range that `near` lies in where the ranges lie far apart from each other.
std::optional<CellRect> near_extent_of(const TileGrid& elements, std::span<const ElementRange> ranges, int64_t near);

/// Shows a rectangle as large as it fits, with a margin; an element is no larger than `largest` pixels, and at most
/// twice as wide as it is high.
Camera fit_camera(const CellRect& region, const Viewport& viewport, double largest);
/// Nearer by a factor; what lies at a point of the viewport stays there.
Camera zoomed(const Camera& camera, double factor, double x, double y);
/// Moved no further than needed so that a rectangle is seen, or its top left part where it is larger than the viewport.
Camera keep_in_view(Camera camera, const Viewport& viewport, const CellRect& region);
/// Never further away than `home`, and no further off than the buffer reaches.
Camera kept_inside(Camera camera, const Camera& home, const TileGrid& elements, const Viewport& viewport);
/// On the way, t from 0 to 1: size changes evenly to the eye, and what both show does not wander.
Camera between(const Camera& from, const Camera& to, double t);
/// Whether a rectangle lies inside what the camera shows.
bool shows(const Camera& camera, const Viewport& viewport, const CellRect& region);

/// How near a camera is, by the size that a block of that extent has in its viewport.
TilesLevel level_of(const Camera& camera, const Viewport& viewport, const CellRect& block, double unit);

/// + and − go a level nearer and further away, Backspace away; ↑ and ↓ to the block, warp or lane before and after.
void zoom_keys(PanelContext& context);
/// What is selected in place of `selection`, one block, warp or lane on (or back).
Selection neighbour(TraceIndex& index, const Selection& selection, TilesLevel level, int by);

/// A level nearer (+1) or further away (−1), as far as there is one.
void change_level(ViewState& view, int by);

/// The lowest element, unscaled pixels, in which the number of a lane is drawn.
inline constexpr double kNumberHeight = 14;
/// The largest element that a camera comes to by itself, and by hand.
inline constexpr double kLargestFitted = 44, kLargestElement = 96;

}  // namespace tilescope
