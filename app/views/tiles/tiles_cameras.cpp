// The cameras over the buffers: their targets by level and selection, and movement by mouse and wheel.
#include <algorithm>
#include <cmath>

#include "app/views/playback.hpp"
#include "app/views/tiles/tiles_view.hpp"

namespace tilescope {
namespace {

constexpr double kSeconds = 0.3;       // duration of a movement between levels
constexpr double kWheelFactor = 1.25;  // per notch

/// A camera over the elements that shows the whole buffer.
Camera home_camera(const BufferPicture& one) {
  const TileGrid& cells = one.home.cells;
  Camera camera;
  camera.pixels_x = static_cast<double>(one.home.pitch_x) / static_cast<double>(cells.matrix ? cells.cell_width : 1);
  camera.pixels_y = static_cast<double>(one.home.pitch_y) / static_cast<double>(cells.matrix ? cells.cell_height : 1);
  if (cells.matrix) return camera;
  // A vector's close-up has different rows: showing all of them is its maximum distance.
  const CellRect all{0, 0, static_cast<double>(one.elements.columns), static_cast<double>(one.elements.rows())};
  return fit_camera(all, one.viewport(), kLargestFitted);
}

double eased(double t) { return t * t * (3 - 2 * t); }

/// Whether it is A or B of a product: these follow C.
bool follows_product(const TilePicture& picture, const BufferPicture& one) {
  return picture.as_product && one.buffer != picture.product->c;
}

Camera camera_now(const BufferPicture& one) {
  return between(one.camera.from, one.camera.to, eased(one.camera.progress));
}

/// The elements of one lane in a buffer: those of the access itself, or of its warp's nearest access there.
std::optional<ElementRange> lane_target(TraceIndex& index, const BufferPicture& one, const WarpAccess& access, int lane,
                                        bool writes) {
  if (access.buffer == static_cast<int64_t>(one.buffer) && access.is_active(lane)) {
    const int64_t element = access.element(lane);
    return ElementRange{element, element + access.elements_per_lane()};
  }
  auto touched = lane_touch_near(index, access, lane, one.buffer, writes);
  if (!touched && writes) touched = lane_touch_near(index, access, lane, one.buffer, /*writes=*/false);
  return touched;
}

/// The region of a buffer that a level shows; nothing if the block does not touch it.
std::optional<CellRect> region_of(TraceIndex& index, const BufferPicture& one, const Aim& aim) {
  const RunResult& result = index.result();
  const BufferMap& map = result.tiles.buffers[one.buffer];
  const bool writes = !map.writer.empty();
  const auto& first = writes ? map.writes_first : map.reads_first;
  if (size_t{aim.block} + 1 >= first.size()) return {};
  const auto ranges = writes ? map.writes_of(aim.block) : map.reads_of(aim.block);
  std::optional<WarpAccess> access;
  if (aim.access && aim.level >= TilesLevel::warp) access = warp_access(result, *aim.access);
  if (!access || access->active == 0)
    return near_extent_of(one.elements, ranges, ranges.empty() ? 0 : ranges.front().begin);
  if (aim.level == TilesLevel::lane && aim.lane)
    if (const auto own = lane_target(index, one, *access, *aim.lane, writes))
      return extent_of(one.elements, {&*own, 1});
  if (access->buffer == static_cast<int64_t>(one.buffer))
    return near_extent_of(one.elements, elements_of(*access), access->first_element);
  // In a different buffer: what the same warp reads or writes there.
  const auto touched = writes ? warp_writes(index, access->block, access->warp, one.buffer)
                              : warp_reads(index, access->block, access->warp, one.buffer);
  if (!touched.empty()) return near_extent_of(one.elements, touched, touched[touched.size() / 2].begin);
  return near_extent_of(one.elements, ranges, ranges.empty() ? 0 : ranges.front().begin);
}

/// Shows at most a margin beyond the buffer (including the overhang of its last tiles).
Camera on_buffer(const BufferPicture& one, Camera camera) {
  constexpr double kBeside = 0.04;  // fraction of the visible part
  const TileGrid& all = one.elements;
  const auto columns = static_cast<double>(all.matrix ? std::max(all.matrix_columns, one.edge_columns) : all.columns);
  const auto rows = static_cast<double>(std::max(all.rows(), one.edge_rows));
  const auto moved = [](double position, double seen, double count, double beside) {
    if (seen >= count) return position;
    return std::clamp(position, -beside * seen, count - seen + beside * seen);
  };
  camera.column = moved(camera.column, one.viewport().width / camera.pixels_x, columns, all.matrix ? kBeside : 0);
  camera.row = moved(camera.row, one.viewport().height / camera.pixels_y, rows, kBeside);
  return camera;
}

Camera camera_for(const BufferPicture& one, const CellRect& region, TilesLevel level, double unit) {
  const Viewport viewport = one.viewport();
  Camera camera = fit_camera(region, viewport, kLargestFitted * unit);
  const auto columns = static_cast<double>(one.elements.columns);
  if (!one.elements.matrix && region.x0 <= 0 && region.x1 >= columns) {  // whole rows of a vector fill the width
    camera.pixels_x = std::max(camera.pixels_x, std::min(2 * camera.pixels_y, viewport.width / columns));
    camera.column = 0;
  }
  if (!one.elements.matrix && columns * camera.pixels_x <= viewport.width)
    camera.column = 0;  // aligned to the left edge
  if (level < TilesLevel::warp) return camera;
  if (level == TilesLevel::warp && !one.elements.matrix) return camera;  // rows of whole warps
  // At lane level the numbers must be readable, even if a warp's elements are far apart.
  const double least_x = (level == TilesLevel::lane ? 32 : 22) * unit;
  const double least_y = (level == TilesLevel::lane ? 22 : kNumberHeight) * unit;
  if (level == TilesLevel::warp && region.x1 - region.x0 > 1 && region.y1 - region.y0 > 1 && camera.pixels_y < 5 * unit)
    return camera;  // a warp spread over a whole tile: the picture matters more than the numbers
  const double factor = std::max({1.0, least_x / camera.pixels_x, least_y / camera.pixels_y});
  // Towards the region, which need not be in the middle: a vector's rows begin at the left edge.
  const auto middle = [](double low, double high, double from, double pixels, double room) {
    return std::clamp(((low + high) / 2 - from) * pixels, 0.0, room);
  };
  camera = zoomed(camera, factor, middle(region.x0, region.x1, camera.column, camera.pixels_x, viewport.width),
                  middle(region.y0, region.y1, camera.row, camera.pixels_y, viewport.height));
  return keep_in_view(on_buffer(one, camera), viewport, region);
}

void send(BufferPicture& one, const std::optional<CellRect>& region, TilesLevel level, bool same_level, bool animate,
          double unit) {
  MapCamera& camera = one.camera;
  const bool near = region && level != TilesLevel::grid;
  // A region that is already visible needs no movement.
  if (same_level && near && camera.near && camera.progress >= 1 && shows(camera.to, one.viewport(), *region)) return;
  const bool was_home = !camera.near && camera.progress >= 1 && camera.grown <= 0;
  if (!near && was_home) return;
  camera.from = was_home ? home_camera(one) : camera_now(one);
  camera.to = near ? camera_for(one, *region, level, unit) : home_camera(one);
  if (!one.home.cells.matrix) {  // it grows out of its block
    if (was_home && near) camera.from = camera.to;
    if (!near) camera.to = camera.from;
  }
  if (near && was_home) {
    camera.low = one.low;
    camera.high = one.high;
  }
  camera.near = near;
  camera.progress = animate ? 0 : 1;
}

/// The start of a vector's growing close-up: the block's cells in the whole buffer.
void grow_from(const TilePicture& picture, BufferPicture& one, uint32_t block) {
  const BufferMap& map = picture.result->tiles.buffers[one.buffer];
  const bool writes = !map.writer.empty();
  const auto& first = writes ? map.writes_first : map.reads_first;
  if (one.home.cells.matrix || size_t{block} + 1 >= first.size()) return;
  const auto rects = rects_of(one.home.cells, writes ? map.writes_of(block) : map.reads_of(block), 64);
  if (rects.empty()) return;
  one.camera.low = one.home.low(rects.front());
  one.camera.high = one.home.high(rects.front());
}

void aim_cameras(TilePicture& picture, TraceIndex& index, const Aim& aim, bool animate, double unit) {
  const bool same_level = picture.aimed && picture.aim.level == aim.level;
  for (auto* side : {&picture.inputs, &picture.outputs})
    for (BufferPicture& one : *side) {
      if (follows_product(picture, one)) continue;
      const bool home = !one.camera.near;
      send(one, region_of(index, one, aim), aim.level, same_level, animate && picture.aimed, unit);
      if (home && one.camera.near) grow_from(picture, one, aim.block);
    }
  picture.aim = aim;
  picture.aimed = true;
}

/// Computes the visible part of a map in this frame.
void see(BufferPicture& one) {
  MapCamera& camera = one.camera;
  const double t = eased(camera.progress);
  if (!one.home.cells.matrix) camera.grown = camera.near ? std::max(camera.grown, t) : std::min(camera.grown, 1 - t);
  const bool home = !camera.near && camera.progress >= 1;
  one.near = !home;
  one.at = one.home;
  one.seen_low = one.low;
  one.seen_high = one.high;
  if (home) {
    camera.grown = 0;
    return;
  }
  Camera now = camera_now(one);
  if (!one.home.cells.matrix && camera.grown < 1) {
    const auto mixed = [&](float from, float to) { return from + (to - from) * static_cast<float>(camera.grown); };
    one.seen_low = {mixed(camera.low.x, one.low.x), mixed(camera.low.y, one.low.y)};
    one.seen_high = {mixed(camera.high.x, one.high.x), mixed(camera.high.y, one.high.y)};
    // The same part of the buffer in less space.
    const double x = std::max(1e-3, static_cast<double>(one.seen_high.x - one.seen_low.x)) / one.viewport().width;
    const double y = std::max(1e-3, static_cast<double>(one.seen_high.y - one.seen_low.y)) / one.viewport().height;
    now.pixels_x *= x;
    now.pixels_y *= y;
  }
  one.at.whole = false;
  one.at.cells = one.elements;
  one.at.origin = one.seen_low;
  one.at.first_column = now.column;
  one.at.first_row = now.row;
  one.at.pitch_x = static_cast<float>(now.pixels_x);
  one.at.pitch_y = static_cast<float>(now.pixels_y);
  one.at.gap_x = one.at.gap_y = one.at.group_gap = 0;
}

/// A has C's rows, B has C's columns.
void see_product(TilePicture& picture) {
  const BufferPicture* c = nullptr;
  for (const BufferPicture& one : picture.outputs)
    if (one.buffer == picture.product->c) c = &one;
  if (c == nullptr) return;
  for (BufferPicture& one : picture.inputs) {
    one.near = c->near;
    one.at = one.home;
    one.seen_low = one.low;
    one.seen_high = one.high;
    if (!c->near) continue;
    const Camera home = home_camera(one);
    const bool a = one.buffer == picture.product->a;
    one.at.whole = false;
    one.at.cells = one.elements;
    one.at.pitch_x = a ? static_cast<float>(home.pixels_x) : c->at.pitch_x;
    one.at.pitch_y = a ? c->at.pitch_y : static_cast<float>(home.pixels_y);
    one.at.first_column = a ? 0 : c->at.first_column;
    one.at.first_row = a ? c->at.first_row : 0;
    one.at.gap_x = one.at.gap_y = one.at.group_gap = 0;
  }
}

Aim wanted_aim(const PanelContext& context, TraceIndex& index) {
  const ViewState& view = context.view;
  const uint64_t blocks = index.result().tiles.grid.count();
  Aim aim{.level = view.zoom.level, .block = 0, .access = {}, .lane = {}};
  // Without the hovered block: the map would move away under the pointer.
  ViewState still;
  still.selection = view.selection;
  still.playback = view.playback;
  still.animate = view.animate;
  aim.block = focus_block(still, blocks);
  if (aim.level < TilesLevel::warp) return aim;
  aim.access = index.shown_access({}, view.selection, aim.block);
  if (aim.level == TilesLevel::lane && aim.access) {
    const WarpAccess access = warp_access(index.result(), *aim.access);
    aim.lane = view.selection.lane;
    for (int lane = 0; lane < 32 && !(aim.lane && access.is_active(*aim.lane)); ++lane)
      if (access.is_active(lane)) aim.lane = lane;
  }
  return aim;
}

BufferPicture* map_at(TilePicture& picture, ImVec2 point) {
  for (auto* side : {&picture.inputs, &picture.outputs})
    for (BufferPicture& one : *side)
      if (one.contains(point)) return &one;
  return nullptr;
}

/// The map whose camera is moved by dragging this one.
BufferPicture* moved_map(TilePicture& picture, BufferPicture* one) {
  if (one == nullptr || !follows_product(picture, *one)) return one;
  for (BufferPicture& output : picture.outputs)
    if (output.buffer == picture.product->c) return &output;
  return nullptr;
}

void set_camera(BufferPicture& one, const Camera& camera) {
  const Camera home = home_camera(one);
  const Camera kept = kept_inside(camera, home, one.elements, one.viewport());
  one.camera.from = one.camera.to = kept;
  one.camera.progress = 1;
  one.camera.near = !(kept == home);
  one.camera.grown = one.camera.near ? 1 : 0;
}

/// Adopts the level that a map has reached by manual zoom.
void take_level(PanelContext& context, const TilePicture& picture, TraceIndex& index, const BufferPicture& one) {
  TilesLevel level = TilesLevel::grid;
  const auto region = region_of(index, one, {TilesLevel::block, picture.aim.block, {}, {}});
  if (one.camera.near && region)
    level = level_of(one.camera.to, one.viewport(), *region, static_cast<double>(context.view.scale));
  context.view.zoom.level = level;
}

void select_under(PanelContext& context, const TilePicture& picture, const BufferPicture& one, ImVec2 pointer) {
  const int64_t element = one.at.at(pointer);
  if (element < 0) return;
  const Selection found = select_element(*picture.result, one.buffer, element);
  if (found.block) context.view.selection = found;
}

void wheel_over(PanelContext& context, TilePicture& picture, TraceIndex& index, BufferPicture& one, float wheel) {
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  if (!one.near) select_under(context, picture, one, pointer);
  const bool vector = !one.home.cells.matrix;
  if (vector && (!one.near || one.camera.progress < 1)) {  // the change from cells to elements is one step, not gradual
    if (wheel > 0) context.view.zoom.level = TilesLevel::block;
    return;
  }
  Camera camera = one.near ? camera_now(one) : home_camera(one);
  const double largest = kLargestElement * static_cast<double>(context.view.scale);
  double factor = std::pow(kWheelFactor, static_cast<double>(wheel));
  factor = std::min(factor, std::max(1.0, largest / std::max(camera.pixels_x, camera.pixels_y)));
  camera =
      zoomed(camera, factor, static_cast<double>(pointer.x - one.low.x), static_cast<double>(pointer.y - one.low.y));
  const auto block = region_of(index, one, {TilesLevel::block, picture.aim.block, {}, {}});
  if (vector && wheel < 0 && block) {  // back to the cells once the block has become small
    const Camera fitted = fit_camera(*block, one.viewport(), kLargestFitted);
    if (camera.pixels_x < 0.6 * fitted.pixels_x) {
      context.view.zoom.level = TilesLevel::grid;
      return;
    }
  }
  set_camera(one, camera);
  take_level(context, picture, index, one);
  // The map that was moved stays unchanged; the others follow to the level.
  const Aim aim = wanted_aim(context, index);
  const MapCamera kept = one.camera;
  aim_cameras(picture, index, aim, context.view.animate, static_cast<double>(context.view.scale));
  one.camera = kept;
}

}  // namespace

void move_cameras(PanelContext& context, TilePicture& picture, TraceIndex& index) {
  const Aim aim = wanted_aim(context, index);
  // Going to lane level selects a lane.
  const bool arrives = !picture.aimed || picture.aim.level != aim.level;
  if (aim.lane && aim.access && arrives && !context.view.selection.lane)
    context.view.selection = select_access(index.result(), *aim.access, aim.lane);
  if (!picture.aimed || !(aim == picture.aim))
    aim_cameras(picture, index, aim, context.view.animate, static_cast<double>(context.view.scale));
  const double step = std::min(static_cast<double>(ImGui::GetIO().DeltaTime), 0.1) / kSeconds;
  bool moving = false;
  for (auto* side : {&picture.inputs, &picture.outputs})
    for (BufferPicture& one : *side) {
      MapCamera& camera = one.camera;
      if (camera.progress < 1) camera.progress = context.view.animate ? std::min(1.0, camera.progress + step) : 1;
      moving = moving || camera.progress < 1;
      if (!follows_product(picture, one)) see(one);
    }
  if (picture.as_product) see_product(picture);
  context.view.zoom.moving = moving;
}

void zoom_by_hand(PanelContext& context, TilePicture& picture, TraceIndex& index) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0)) {
    const ImVec2 start{io.MouseClickedPos[0]};
    BufferPicture* one = moved_map(picture, map_at(picture, start));
    if (one == nullptr || !one->camera.near || one->camera.progress < 1) return;
    Camera camera = one->camera.to;
    camera.column -= static_cast<double>(io.MouseDelta.x) / camera.pixels_x;
    camera.row -= static_cast<double>(io.MouseDelta.y) / camera.pixels_y;
    set_camera(*one, camera);
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  }
  const float wheel = io.MouseWheel;
  if (wheel == 0 || !ImGui::IsItemHovered()) return;
  if (const int64_t block = picture.grid.at(io.MousePos); block >= 0) {
    if (wheel > 0)
      context.view.selection = {.block = static_cast<uint32_t>(block),
                                .access = {},
                                .lane = {},
                                .line = context.view.selection.line,
                                .buffer = {},
                                .element = {}};
    if (wheel > 0) context.view.zoom.level = std::max(context.view.zoom.level, TilesLevel::block);
    if (wheel < 0) change_level(context.view, -1);
    return;
  }
  if (BufferPicture* one = moved_map(picture, map_at(picture, io.MousePos)))
    wheel_over(context, picture, index, *one, wheel);
}

}  // namespace tilescope
