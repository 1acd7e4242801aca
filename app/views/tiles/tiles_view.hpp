// What the parts of the tile view share: the picture derived from one result, and the state of one frame.
//
//     inputs ──▶ grid of blocks ──▶ outputs        tiles_map.cpp, tiles_connectors.cpp
//       from near: one block's elements            tiles_cameras.cpp, tiles_near.cpp
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

/// Part of one cell written by one block, in units of cells along x; y is the cell's row.
struct WrittenRun {
  float x0, x1;
  int64_t row;
  uint32_t writer;  // BufferMap::kNobody where nothing was written
};

/// A map of cells at its place on the screen.
struct Placement {
  TileGrid cells;
  ImVec2 origin{0, 0};
  double first_column = 0, first_row = 0;  // what lies at the origin, in cells
  float pitch_x = 1, pitch_y = 1;          // of a cell
  float gap_x = 0, gap_y = 0, group_gap = 0;
  bool whole = false;  // cells begin at whole pixels, so that the gaps between them are of one width

  float x(double column) const;
  float y(double row) const;
  ImVec2 low(const CellRect& rect) const { return {x(rect.x0), y(rect.y0)}; }
  /// The far corner, less the gap after a cell that ends there.
  ImVec2 high(const CellRect& rect) const;
  float width() const { return static_cast<float>(cells.columns) * pitch_x; }
  float height() const { return static_cast<float>(cells.rows()) * pitch_y; }
  /// The element (or block) under a point; −1 if there is none.
  int64_t at(ImVec2 point) const;
  /// Elements from the left edge and from the top, as cells.
  float element_x(int64_t column) const {
    return x(static_cast<double>(column) / static_cast<double>(cells.cell_width));
  }
  float element_y(int64_t row) const { return y(static_cast<double>(row) / static_cast<double>(cells.cell_height)); }
  bool textured() const { return cells.cells() > kMostRectangles; }
};
/// Places a map with its top left at `origin` in an area; rows no higher than `most_row`.
Placement place_cells(const TileGrid& cells, ImVec2 origin, float width, float height, float most_row, float unit);

/// Places a matrix in a rectangle of that size, all of which it fills.
Placement place_matrix(const TileGrid& cells, ImVec2 origin, float width, float height, float unit);

/// Where the camera of a map is, and where it goes.
struct MapCamera {
  bool near = false;    // it goes to the elements, not to the whole buffer
  Camera from, to;      // over the elements
  double progress = 1;  // from 0 to 1
  double grown = 0;     // a vector's near picture grows out of its block, 0 to 1
  ImVec2 low, high;     // from where
};

/// A buffer of the picture.
struct BufferPicture {
  size_t buffer = 0;
  Placement home;                // the whole buffer
  ImVec2 low{0, 0}, high{0, 0};  // the room that it has; seen from near it fills that
  std::vector<WrittenRun> runs;  // outputs drawn as rectangles
  TileGrid elements;             // one to a cell
  MapCamera camera;
  Placement at;                            // what is seen in this frame
  ImVec2 seen_low{0, 0}, seen_high{0, 0};  // and between which corners
  bool near = false;                       // single elements are seen, not cells of them
  Viewport viewport() const { return {high.x - low.x, high.y - low.y}; }
  int64_t edge_columns = 0, edge_rows = 0;  // of a matrix, with what its last tiles reach beyond it
  /// Whether a point lies beside or below a matrix, where its last tiles reach beyond it.
  bool in_last_tile(ImVec2 point) const;
  bool contains(ImVec2 point) const {
    return point.x >= seen_low.x && point.y >= seen_low.y && point.x < seen_high.x && point.y < seen_high.y;
  }
};

/// What a camera was last sent to.
struct Aim {
  TilesLevel level = TilesLevel::grid;
  uint32_t block = 0;
  std::optional<uint32_t> access;
  std::optional<int> lane;
  bool operator==(const Aim&) const = default;
};

/// The picture of a buffer's elements from near, and what it was made of.
struct NearTexture {
  CellTexture texture;
  int64_t column = 0, row = 0, columns = 0, rows = 0, step_x = 0, step_y = 0;  // elements; texels are steps apart
  TilesLevel level = TilesLevel::grid;
  uint64_t issued = 0;
  uint32_t focus = 0;
  bool dark = true, made = false;
};

/// Everything derived from a result and the size of the view; rebuilt when either changes.
struct TilePicture {
  ResultReference result;
  TileShape shape;
  std::optional<Tail> tail;
  std::vector<BufferPicture> inputs, outputs;
  std::vector<size_t> inputs_left_out, outputs_left_out;  // buffers that there is no room for
  std::optional<Product> product;                         // C = A · B
  bool as_product = false;                                // and laid out as such
  Placement grid;
  CellTexture grid_texture;
  std::vector<CellTexture> output_textures;  // by output; only grows, so that no texture is lost
  ImVec2 low{0, 0}, high{0, 0};              // where it was laid out
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
  uint32_t focus = 0;               // the block that is explained
  std::optional<uint32_t> access;   // the access of the strip
  std::optional<WarpAccess> shown;  // the same, worked out
  /// While blocks are played, where the waves are known: then blocks of earlier waves are done. Else null.
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

  TilePicture picture_;  // rebuilt when the result or the room changes
  Plane plane_;
};

/// Makes the picture that of a result; nothing if it is already.
void take_result(TilePicture& picture, TraceIndex& index, const std::shared_ptr<const RunResult>& result);
/// Lays the picture out between two corners (headers included): vectors fill their width, matrices have one scale.
void lay_out_tiles(TilePicture& picture, ImVec2 low, ImVec2 high, float unit);
/// Lays matrices out as C = A · B is usually drawn: A left of C, B above it.
void lay_out_product(TilePicture& picture, ImVec2 low, ImVec2 high, float unit);
/// The picture of the buffer that is mapped; null if nothing was written or there is no room for it.
const BufferPicture* mapped_picture(const TilePicture& picture);

/// Sends the cameras to what the level and the selection say, and moves them on by a frame. Then every map knows what
/// of it is seen.
void move_cameras(PanelContext& context, TilePicture& picture, TraceIndex& index);
/// Wheel and drag over a map, towards the pointer.
void zoom_by_hand(PanelContext& context, TilePicture& picture, TraceIndex& index);
/// What is under the pointer becomes ViewState::hover, a click the selection. Before anything is drawn.
void point_at_map(PanelContext& context, TilePicture& picture, TraceIndex& index);
void draw_map(TilesFrame& frame);
/// The elements of a map one by one, when it is seen from near.
void draw_near(TilesFrame& frame, const BufferPicture& one, bool output);
/// What lies between the matrix and the end of its last tiles: hatched.
void draw_edges(TilesFrame& frame, const BufferPicture& one);
/// grid › block (3, 7) › warp 5 › lane 9, and the buttons. Its right edge at `right`; returns its left edge.
float draw_zoom_crumbs(TilesFrame& frame, float right, float centre, float least_left);
/// Rectangles on the screen, never thinner than can be seen.
struct Box {
  ImVec2 low, high;
};
std::vector<Box> boxes_of(const Placement& at, std::span<const ElementRange> ranges, float least);
/// Elements of a buffer that the focused block reads or writes, and those of the shown step.
std::span<const ElementRange> touched_by_focus(const TilesFrame& frame, size_t buffer, bool output);
std::vector<ElementRange> step_elements(TilesFrame& frame, size_t buffer);
void draw_lit(TilesFrame& frame, const BufferPicture& picture, bool output);
/// The lines between the maps, below them; then their ends inside the maps, above.
void draw_connectors(TilesFrame& frame);
void draw_connector_ends(TilesFrame& frame);

/// Colour of a block in the map; lit is the full scale, else it is quieter.
ImU32 block_colour(const Theme& theme, uint64_t block, uint64_t blocks, bool lit);
/// Of a block of an earlier wave, while blocks are played.
ImU32 done_colour(const Theme& theme, ImU32 of_block);

/// Scale of the warps or lanes.
ImU32 part_colour(const Theme& theme, uint32_t part, uint32_t parts, bool lit);
uint32_t warps_of(const RunResult& result);

void draw_strip(TilesFrame& frame, ImVec2 low, ImVec2 high);

}  // namespace tilescope
