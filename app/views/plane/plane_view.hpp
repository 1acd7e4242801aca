// Shared by the parts of the plane of queries and keys.
//
//     sentence                                              plane │ tiles
//     K and V                             │ row: m after each step
//     Q  queries down, keys across        │      l after each step
//     playback of the selected block      │      the steps as a table
#pragma once

#include <string>

#include "app/views/context.hpp"
#include "app/views/plane/plane_rows.hpp"

namespace tilescope {

/// What the pointer is on in the plane; used from the next frame on.
struct PlaneHover {
  std::optional<uint32_t> block;
  int64_t row = 0;  // in O, counted across all heads
};

/// State derived from the newest result and kept between frames.
struct Plane {
  PlanePicture picture;
  uint64_t followed = 0;  // the picture that the selection has followed
  std::string rung;       // the rung that produced it
  KeyWalk walk;           // keys of the block that was explained last
  uint64_t walk_generation = 0;
  RowTraces rows;
  PlaneHover hover;           // under the pointer in the last frame
  size_t selected_steps = 0;  // number of steps of the selected block, for the keyboard

  /// A row is being computed: the window must draw again.
  bool working() const { return rows.busy(); }
};

struct PlaneFrame {
  PanelContext& context;
  const PlanePicture& picture;
  const PlaneStrip& strip;  // the strip of the explained block
  const KeyWalk& walk;
  const SoftmaxTrace* trace = nullptr;  // null while it is computed, or if it is unknown
  ImDrawList* list = nullptr;
  size_t done = 0;  // completed steps
  int64_t row = 0;  // in O, counted across all heads
  bool working = false;
  PlaneHover hover = {};

  const RunResult& result() const { return *picture.result; }
  int64_t query() const { return row % picture.extents.queries; }
  float px(float value) const { return context.px(value); }
};

/// Whether the Tiles tab has a plane to show for the result, and whether it is selected.
bool has_plane(const PanelContext& context, Plane& plane);
bool shows_plane(const PanelContext& context, Plane& plane);
void draw_plane(PanelContext& context, Plane& plane);
/// "Plane  Tiles"; nothing for a result without a plane. Its right end is at `top_right`; returns its width.
float draw_plane_switch(PanelContext& context, Plane& plane, ImVec2 top_right);
/// Space, ← and →, Home and End step over the keys; ↑ and ↓ go to the block of the previous and next queries.
void plane_keys(PanelContext& context, Plane& plane);

/// Number of completed steps at the cursor, out of `steps`.
size_t plane_done(const PlaneCursor& cursor, size_t steps);
void step_plane(PlaneCursor& cursor, size_t steps, int by);
void toggle_plane(PlaneCursor& cursor, size_t steps);
void advance_plane(PlaneCursor& cursor, size_t steps, double seconds);

ImU32 key_colour(const Theme& theme, KeyState state);
const char* name_of(KeyState state);  // "plane.seen"
void draw_plane_map(PlaneFrame& frame, ImVec2 low, ImVec2 high);
void draw_row_trace(PlaneFrame& frame, ImVec2 low, ImVec2 high);
void draw_trace_table(PlaneFrame& frame, ImVec2 low, ImVec2 high);

}  // namespace tilescope
