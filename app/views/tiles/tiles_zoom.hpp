// Zoom levels of the tile view for a buffer: a camera over its elements. Pure geometry, without a window.
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
  double pixels_x = 1, pixels_y = 1;  // pixels per element
  bool operator==(const Camera&) const = default;
};

struct Viewport {
  double width = 0, height = 0;  // pixels
};

/// The individual elements of a buffer: a matrix by its rows and columns, a vector in rows of `columns` elements.
TileGrid element_grid(const TileGrid& cells, int64_t columns);
/// Elements per row of a vector in close-up: a multiple of a warp, chosen so that a block of `block_elements` is as
/// large as possible.
int64_t near_columns(int64_t block_elements, const Viewport& viewport);

/// The smallest rectangle of rows and columns that contains the ranges; nothing if they are empty.
std::optional<CellRect> extent_of(const TileGrid& elements, std::span<const ElementRange> ranges);
/// The same; if the ranges are far apart, only for the range that contains `near`.
std::optional<CellRect> near_extent_of(const TileGrid& elements, std::span<const ElementRange> ranges, int64_t near);

/// Shows a rectangle as large as possible, with a margin; an element is at most `largest` pixels, and at most twice as
/// wide as it is high.
Camera fit_camera(const CellRect& region, const Viewport& viewport, double largest);
/// Zooms in by a factor around a point of the viewport.
Camera zoomed(const Camera& camera, double factor, double x, double y);
/// Moves only as far as needed to show a rectangle, or its top left part if it is larger than the viewport.
Camera keep_in_view(Camera camera, const Viewport& viewport, const CellRect& region);
/// Never zoomed out further than `home`, and never beyond the buffer.
Camera kept_inside(Camera camera, const Camera& home, const TileGrid& elements, const Viewport& viewport);
/// Interpolates with t from 0 to 1: the size changes at a visually constant rate, and the common part stays steady.
Camera between(const Camera& from, const Camera& to, double t);
/// Whether the camera shows the whole rectangle.
bool shows(const Camera& camera, const Viewport& viewport, const CellRect& region);

/// The zoom level of a camera, by the size of a block of that extent in its viewport.
TilesLevel level_of(const Camera& camera, const Viewport& viewport, const CellRect& block, double unit);

/// + and − zoom in and out by a level, Backspace zooms out; ↑ and ↓ go to the previous and next block, warp or lane.
void zoom_keys(PanelContext& context);
/// The selection that replaces `selection`: the next (or previous) block, warp or lane.
Selection neighbour(TraceIndex& index, const Selection& selection, TilesLevel level, int by);

/// One level in (+1) or out (−1), if there is one.
void change_level(ViewState& view, int by);

/// Minimum height of an element, unscaled pixels, at which its lane's number is drawn.
inline constexpr double kNumberHeight = 14;
/// Maximum element size: by automatic zoom, and by hand.
inline constexpr double kLargestFitted = 44, kLargestElement = 96;

}  // namespace tilescope
