// Shared by the parts of the tile view: the picture derived from one result, and the state of one frame.
//
//     inputs ──▶ grid of blocks ──▶ outputs        tiles_map.cpp, tiles_connectors.cpp
//       close up: one block's elements             tiles_cameras.cpp, tiles_near.cpp
//     grid › block › warp › lane                   tiles_crumbs.cpp
//     block › tile › warp › lanes › sectors        tiles_strip.cpp
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/cell_texture.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/context.hpp"
#include "app/views/plane/plane_view.hpp"
#include "app/views/tiles/tiles_layout.hpp"
#include "app/views/tiles/tiles_product.hpp"
#include "app/views/tiles/tiles_readers.hpp"
#include "app/views/tiles/tiles_zoom.hpp"
#include "app/views/view.hpp"

namespace tilescope {

/// The part of one cell that one block writes, in units of cells along x; y is the cell's row.
struct WrittenRun {
  float x0, x1;
  int64_t row;
  uint32_t writer;  // BufferMap::kNobody if nothing was written
};

/// A map of cells on the screen.
struct Placement {
  TileGrid cells;
  ImVec2 origin{0, 0};
  double first_column = 0, first_row = 0;  // the cell position at the origin
  float pitch_x = 1, pitch_y = 1;          // cell pitch
  float gap_x = 0, gap_y = 0, group_gap = 0;
  bool whole = false;  // cells begin at whole pixels, so that the gaps between them have equal width

  float x(double column) const;
  float y(double row) const;
  ImVec2 low(const CellRect& rect) const { return {x(rect.x0), y(rect.y0)}; }
  /// The far corner, minus the gap after a cell that ends there.
  ImVec2 high(const CellRect& rect) const;
  float width() const { return static_cast<float>(cells.columns) * pitch_x; }
  float height() const { return static_cast<float>(cells.rows()) * pitch_y; }
  /// The element (or block) under a point; −1 if there is none.
  int64_t at(ImVec2 point) const;
  /// Distances in elements from the left and top edges, as cells.
  float element_x(int64_t column) const {
    return x(static_cast<double>(column) / static_cast<double>(cells.cell_width));
  }
  float element_y(int64_t row) const { return y(static_cast<double>(row) / static_cast<double>(cells.cell_height)); }
  bool textured() const { return cells.cells() > kMostRectangles; }
};
/// Places a map with its top left at `origin` in an area; rows are at most `most_row` high.
Placement place_cells(const TileGrid& cells, ImVec2 origin, float width, float height, float most_row, float unit);

/// Places a matrix in a rectangle of that size and fills it.
Placement place_matrix(const TileGrid& cells, ImVec2 origin, float width, float height, float unit);

/// The position of a map's camera, and its target.
struct MapCamera {
  bool near = false;    // it moves to the elements, not to the whole buffer
  Camera from, to;      // in elements
  double progress = 1;  // from 0 to 1
  double grown = 0;     // a vector's close-up grows out of its block, 0 to 1
  ImVec2 low, high;     // start position of that growth
};

/// A buffer of the picture.
struct BufferPicture {
  size_t buffer = 0;
  Placement home;                // the whole buffer
  ImVec2 low{0, 0}, high{0, 0};  // its available area, which a close-up fills
  std::vector<WrittenRun> runs;  // outputs drawn as rectangles
  TileGrid elements;             // one element per cell
  MapCamera camera;
  Placement at;                            // what is visible in this frame
  ImVec2 seen_low{0, 0}, seen_high{0, 0};  // and the corners of the visible area
  bool near = false;                       // single elements are visible, not cells of several
  Viewport viewport() const { return {high.x - low.x, high.y - low.y}; }
  int64_t edge_columns = 0, edge_rows = 0;  // for a matrix, including the overhang of its last tiles
  /// Whether a point is to the right of or below a matrix, in the overhang of its last tiles.
  bool in_last_tile(ImVec2 point) const;
  bool contains(ImVec2 point) const {
    return point.x >= seen_low.x && point.y >= seen_low.y && point.x < seen_high.x && point.y < seen_high.y;
  }
};

/// The last target of a camera.
struct Aim {
  TilesLevel level = TilesLevel::grid;
  uint32_t block = 0;
  std::optional<uint32_t> access;
  std::optional<int> lane;
  bool operator==(const Aim&) const = default;
};

/// The close-up picture of a buffer's elements, and its inputs.
struct NearTexture {
  CellTexture texture;
  int64_t column = 0, row = 0, columns = 0, rows = 0, step_x = 0, step_y = 0;  // elements; texels are steps apart
  TilesLevel level = TilesLevel::grid;
  uint64_t issued = 0;
  uint32_t focus = 0;
  bool dark = true, made = false;
};

/// Everything derived from a result and the view's size; rebuilt when either changes.
struct TilePicture {
  ResultReference result;
  TileShape shape;
  std::optional<Tail> tail;
  std::vector<BufferPicture> inputs, outputs;
  std::vector<size_t> inputs_left_out, outputs_left_out;  // buffers for which there is no room
  std::optional<Product> product;                         // C = A · B
  bool as_product = false;                                // laid out as a product
  Placement grid;
  CellTexture grid_texture;
  std::vector<CellTexture> output_textures;  // by output; only grows, so that no texture is lost
  ImVec2 low{0, 0}, high{0, 0};              // the area of the layout
  std::vector<NearTexture> near_textures;    // by buffer; only grows
  uint64_t texture_issued = ~0ULL;           // state of the textures
  bool texture_dark = true;
  Aim aim;
  bool aimed = false;
  BlockReaders readers;

  bool laid_out = false;
  bool fits(ImVec2 other_low, ImVec2 other_high) const {
    return laid_out && low.x == other_low.x && low.y == other_low.y && high.x == other_high.x && high.y == other_high.y;
  }
};

struct TilesFrame {
  PanelContext& context;
  TraceIndex& index;
  TilePicture& picture;
  ImDrawList* list;
  uint64_t issued = 0;
  uint32_t focus = 0;               // the explained block
  std::optional<uint32_t> access;   // the access shown in the strip
  std::optional<WarpAccess> shown;  // the same with its addresses
  /// During playback with known waves: blocks of earlier waves are done. Else null.
  const WaveSchedule* waves = nullptr;

  const RunResult& result() const { return *picture.result; }
  const BufferMap& map(size_t buffer) const { return picture.result->tiles.buffers[buffer]; }
};

class TilesView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool keys(PanelContext& context) override;
  bool moving(const Session& session, const ViewState& view) const override;
  void apply(ViewState& view, const ShotWishes& wishes) override;
  void play(ViewState& view, int frame) override;

 private:
  void draw_observed(PanelContext& context);

  TilePicture picture_;  // rebuilt when the result or the size changes
  Plane plane_;
};

/// Derives the picture from a result; does nothing if it already is.
void take_result(TilePicture& picture, TraceIndex& index, const std::shared_ptr<const RunResult>& result);
/// Lays the picture out between two corners (headers included): vectors fill their width, matrices have one scale.
void lay_out_tiles(TilePicture& picture, ImVec2 low, ImVec2 high, float unit);
/// Lays matrices out as C = A · B is usually drawn: A left of C, B above it.
void lay_out_product(TilePicture& picture, ImVec2 low, ImVec2 high, float unit);
/// The picture of the mapped buffer; null if nothing was written or there is no room for it.
const BufferPicture* mapped_picture(const TilePicture& picture);

/// Directs the cameras to the level and the selection, and advances them by a frame. Then every map knows its visible
/// part.
void move_cameras(PanelContext& context, TilePicture& picture, TraceIndex& index);
/// Wheel and drag over a map, centred on the pointer.
void zoom_by_hand(PanelContext& context, TilePicture& picture, TraceIndex& index);
/// What is under the pointer becomes ViewState::hover; a click selects it. Call before anything is drawn.
void point_at_map(PanelContext& context, TilePicture& picture, TraceIndex& index);
void draw_map(TilesFrame& frame);
/// The individual elements of a map in close-up.
void draw_near(TilesFrame& frame, const BufferPicture& one, bool output);
/// The area between the matrix and the end of its last tiles: hatched.
void draw_edges(TilesFrame& frame, const BufferPicture& one);
/// grid › block (3, 7) › warp 5 › lane 9, and the buttons. Its right edge is at `right`; returns its left edge.
float draw_zoom_crumbs(TilesFrame& frame, float right, float centre, float least_left);
/// Rectangles on the screen, never too thin to be visible.
struct Box {
  ImVec2 low, high;
};
std::vector<Box> boxes_of(const Placement& at, std::span<const ElementRange> ranges, float least);
/// Elements of a buffer that the focused block reads or writes, and those of the shown step.
std::span<const ElementRange> touched_by_focus(const TilesFrame& frame, size_t buffer, bool output);
std::vector<ElementRange> step_elements(TilesFrame& frame, size_t buffer);
void draw_lit(TilesFrame& frame, const BufferPicture& picture, bool output);
/// The lines between the maps, drawn below them; then their ends inside the maps, drawn above.
void draw_connectors(TilesFrame& frame);
void draw_connector_ends(TilesFrame& frame);

/// Colour of a block in the map; lit has the full scale, else it is muted.
ImU32 block_colour(const Theme& theme, uint64_t block, uint64_t blocks, bool lit);
/// Colour of a block of an earlier wave during playback.
ImU32 done_colour(const Theme& theme, ImU32 of_block);

/// Colour scale of the warps or lanes.
ImU32 part_colour(const Theme& theme, uint32_t part, uint32_t parts, bool lit);
uint32_t warps_of(const RunResult& result);

void draw_strip(TilesFrame& frame, ImVec2 low, ImVec2 high);

}  // namespace tilescope
