// What the parts of the tile view share: the picture derived from one result, and the state of one frame.
//
//     inputs ──▶ grid of blocks ──▶ outputs        tiles_map.cpp, tiles_connectors.cpp
//     block › tile › warp › lanes › sectors        tiles_strip.cpp
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/panel_context.hpp"
#include "app/panels/tiles_index.hpp"
#include "app/panels/tiles_layout.hpp"
#include "app/panels/tiles_texture.hpp"

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
  float pitch_x = 1, pitch_y = 1;  // of a cell
  float gap_x = 0, gap_y = 0, group_gap = 0;

  float x(double column) const;
  float y(double row) const;
  ImVec2 low(const CellRect& rect) const { return {x(rect.x0), y(rect.y0)}; }
  /// The far corner, less the gap after a cell that ends there.
  ImVec2 high(const CellRect& rect) const;
  float width() const { return static_cast<float>(cells.columns) * pitch_x; }
  float height() const { return static_cast<float>(cells.rows()) * pitch_y; }
  /// The element (or block) under a point; −1 if there is none.
  int64_t at(ImVec2 point) const;
  bool textured() const { return cells.cells() > kMostRectangles; }
};
/// Places a map with its top left at `origin` in an area; rows no higher than `most_row`.
Placement place_cells(const TileGrid& cells, ImVec2 origin, float width, float height, float most_row, float unit);

/// A buffer of the picture.
struct BufferPicture {
  size_t buffer = 0;
  Placement at;
  std::vector<WrittenRun> runs;  // outputs drawn as rectangles
};

/// Everything derived from a result and the size of the view; rebuilt when either changes.
struct TilePicture {
  ResultReference result;
  TileShape shape;
  std::optional<Tail> tail;
  std::vector<BufferPicture> inputs, outputs;
  size_t inputs_left_out = 0, outputs_left_out = 0;  // those that there is no room for
  Placement grid;
  CellTexture grid_texture;
  std::vector<CellTexture> output_textures;  // by output; only grows, so that no texture is lost
  ImVec2 low{0, 0}, high{0, 0};              // where it was laid out
  uint64_t texture_issued = ~0ULL;           // state of the textures
  bool texture_dark = true;

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

  const RunResult& result() const { return *picture.result; }
  const BufferMap& map(size_t buffer) const { return picture.result->tiles.buffers[buffer]; }
};

/// Makes the picture that of a result; nothing if it is already.
void take_result(TilePicture& picture, const std::shared_ptr<const RunResult>& result);
/// Lays the picture out between two corners (headers included).
void lay_out_tiles(TilePicture& picture, ImVec2 low, ImVec2 high, float unit);
/// What is under the pointer becomes ViewState::hover, a click the selection. Before anything is drawn.
void point_at_map(PanelContext& context, const TilePicture& picture);
void draw_map(TilesFrame& frame);
/// Elements of a buffer that the focused block touched, and those of the shown step.
std::vector<ElementRange> step_elements(TilesFrame& frame, size_t buffer);
void draw_lit(TilesFrame& frame, const BufferPicture& picture, bool output);
void draw_connectors(TilesFrame& frame);

/// Colour of a block in the map; lit is the full scale, else it is quieter.
ImU32 block_colour(const Theme& theme, uint64_t block, uint64_t blocks, bool lit);
ImU32 idle_colour(const Theme& theme);
/// Diagonal lines over a rectangle: places that are masked off.
void hatch(ImDrawList* list, ImVec2 low, ImVec2 high, ImU32 colour, float step);

void draw_strip(TilesFrame& frame, ImVec2 low, ImVec2 high);

}  // namespace tilescope
