// Layout of the tile view: which buffers are shown, and where their cells are.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/tiles/tiles_pack.hpp"
#include "app/views/tiles/tiles_view.hpp"
#include "app/views/tiles/tiles_waves.hpp"

namespace tilescope {
namespace {

constexpr int64_t kMostScannedElements = int64_t{1} << 22;
constexpr size_t kMostRunsInCell = 8;
constexpr float kPictureHeader = 24, kRoomyRow = 24;
constexpr int64_t kFewRows = 3;  // this many rows may be higher
constexpr float kFewRow = 40;

/// The parts of each cell by writer. A cell with very many writers shows the one in its middle.
std::vector<WrittenRun> find_runs(const TileGrid& cells, const BufferMap& map) {
  std::vector<WrittenRun> runs;
  const bool scan = !cells.matrix && cells.count <= kMostScannedElements;
  for (int64_t cell = 0; cell < cells.cells(); ++cell) {
    const int64_t row = cell / cells.columns;
    const auto column = static_cast<float>(cell % cells.columns);
    const auto writer_of = [&](int64_t element) {
      return element >= 0 && static_cast<size_t>(element) < map.writer.size() ? map.writer[static_cast<size_t>(element)]
                                                                              : BufferMap::kNobody;
    };
    if (!scan) {
      runs.push_back({column, column + 1, row, writer_of(cells.middle_of(cell))});
      continue;
    }
    const int64_t begin = cell * cells.per_cell, end = std::min(cells.count, begin + cells.per_cell);
    const auto place = [&](int64_t e) {
      return column + static_cast<float>(e - begin) / static_cast<float>(cells.per_cell);
    };
    const size_t first = runs.size();
    for (int64_t e = begin; e < end;) {
      const uint32_t writer = writer_of(e);
      int64_t stop = e + 1;
      while (stop < end && writer_of(stop) == writer) ++stop;
      runs.push_back({place(e), place(stop), row, writer});
      if (runs.size() - first > kMostRunsInCell) {
        runs.resize(first);
        runs.push_back({column, place(end), row, writer_of(cells.middle_of(cell))});
        break;
      }
      e = stop;
    }
  }
  return runs;
}

struct Side {
  float x, width;
};

/// Maximum height of a row of cells: it grows with a large window.
float roomy_row(float height, float unit) { return std::clamp(height / 18, kRoomyRow * unit, 1.5F * kRoomyRow * unit); }

/// Keeps the first `room` buffers of a side; those that the launch uses take precedence.
std::vector<size_t> leave_out_beyond(const TilePicture& picture, std::vector<BufferPicture>& side, size_t room) {
  std::vector<size_t> left_out;
  if (side.size() <= room) return left_out;
  std::vector<bool> kept(side.size(), false);
  size_t places = room;
  for (const bool used : {true, false})
    for (size_t i = 0; i < side.size() && places > 0; ++i) {
      const BufferMap& map = picture.result->tiles.buffers[side[i].buffer];
      if (kept[i] || (map.reads.empty() && map.writer.empty()) == used) continue;
      kept[i] = true;
      --places;
    }
  std::vector<BufferPicture> shown;
  for (size_t i = 0; i < side.size(); ++i) {
    if (kept[i])
      shown.push_back(std::move(side[i]));
    else
      left_out.push_back(side[i].buffer);
  }
  side = std::move(shown);
  return left_out;
}

/// The size of a matrix among vectors: it fills its width, but its elements are at most twice as wide as high.
ImVec2 beside_vectors(const TileGrid& cells, float width, float height, float unit) {
  constexpr float kWidest = 2, kTallest = 1.25F;
  const auto columns = static_cast<float>(cells.columns * cells.cell_width),
             rows = static_cast<float>(cells.rows() * cells.cell_height);
  const float x = width / columns, y = height / rows;  // pixels of an element
  // A single row or column of elements is still a visible strip.
  return {std::max(std::min(x, kWidest * y) * columns, std::min(width, 40 * unit)),
          std::max(std::min(y, kTallest * x) * rows, std::min(height, 20 * unit))};
}

/// Stacks the buffers of one side; `left_out` are those without room.
void stack(TilePicture& picture, std::vector<BufferPicture>& side, std::vector<size_t>& left_out, Side at,
           ImVec2 vertical, float unit, bool output) {
  const float least = (kPictureHeader + 32) * unit, height = vertical.y - vertical.x;
  const auto room = static_cast<size_t>(std::max(1.0F, std::floor(height / least)));
  left_out = leave_out_beyond(picture, side, room);
  if (side.empty()) return;
  const float gap = 8 * unit;
  const float each = std::floor((height - gap * static_cast<float>(side.size() - 1)) / static_cast<float>(side.size()));
  float top = vertical.x;
  for (BufferPicture& one : side) {
    const BufferMap& map = picture.result->tiles.buffers[one.buffer];
    const float body = each - kPictureHeader * unit;
    const TileGrid cells = output ? output_cells(picture.shape, map, picture.grid.cells, at.width / unit, body / unit)
                                  : input_cells(picture.shape, map, picture.grid.cells, at.width / unit, body / unit);
    const ImVec2 origin{at.x, top + kPictureHeader * unit};
    one.low = origin;
    one.high = {at.x + at.width, origin.y + body};
    // A single output beside a contiguous mapping uses the grid's rows, so that connectors are straight.
    const bool aligned = output && side.size() == 1 && cells.rows() == picture.grid.cells.rows() && !cells.matrix;
    const bool few = cells.rows() <= kFewRows;
    const float roomy = roomy_row(height, unit) / unit;
    const float most_row = output ? (few ? kFewRow : roomy) : (few ? 20 : 11 * roomy / kRoomyRow);
    if (cells.matrix) {
      const ImVec2 size = beside_vectors(cells, at.width, body, unit);
      one.home = place_matrix(cells, origin, size.x, size.y, unit);
    } else {
      one.home = place_cells(cells, origin, at.width, body, most_row * unit, unit);
    }
    if (aligned) one.home.pitch_y = picture.grid.pitch_y;
    if (output && !one.home.textured() && !map.writer.empty()) one.runs = find_runs(cells, map);
    // Small inputs are stacked closely; those that fill their share keep it.
    top += output ? each + gap : std::min(each + gap, kPictureHeader * unit + one.home.height() + 24 * unit);
  }
}

}  // namespace

float Placement::x(double column) const {
  const float at = origin.x + static_cast<float>((column - first_column) * static_cast<double>(pitch_x));
  return whole ? std::round(at) : at;
}
float Placement::y(double row) const {
  const float at = origin.y + static_cast<float>((row - first_row) * static_cast<double>(pitch_y));
  return whole ? std::round(at) : at;
}

ImVec2 Placement::high(const CellRect& rect) const {
  ImVec2 corner{x(rect.x1), y(rect.y1)};
  const double column = std::round(rect.x1);
  if (std::abs(rect.x1 - column) < 1e-9)
    corner.x -= group_gap > 0 && static_cast<int64_t>(column) % cells.group == 0 ? group_gap : gap_x;
  if (std::abs(rect.y1 - std::round(rect.y1)) < 1e-9) corner.y -= gap_y;
  return corner;
}

int64_t Placement::at(ImVec2 point) const {
  const double column = static_cast<double>(point.x - origin.x) / static_cast<double>(pitch_x) + first_column;
  const double row = static_cast<double>(point.y - origin.y) / static_cast<double>(pitch_y) + first_row;
  return cells.element_at(column, row);
}

bool BufferPicture::in_last_tile(ImVec2 point) const {
  return at.cells.matrix && point.x >= seen_low.x && point.y >= seen_low.y && point.x < at.element_x(edge_columns) &&
         point.y < at.element_y(edge_rows);
}

Placement place_cells(const TileGrid& cells, ImVec2 origin, float width, float height, float most_row, float unit) {
  Placement at{.cells = cells, .origin = origin};
  const auto rows = static_cast<float>(std::max<int64_t>(1, cells.rows()));
  at.pitch_x = width / static_cast<float>(std::max<int64_t>(1, cells.columns));
  at.pitch_y = std::min(most_row, height / rows);
  if (at.pitch_y >= 6 * unit) at.pitch_y = std::floor(at.pitch_y);
  if (at.pitch_x >= 8 * unit) at.pitch_x = std::floor(at.pitch_x);
  const bool cells_apart = !at.textured();
  at.gap_x = cells_apart && at.pitch_x >= 3 * unit ? unit : 0;
  at.gap_y = cells_apart && at.pitch_y >= 3 * unit ? (at.pitch_y >= 12 * unit ? 2 * unit : unit) : 0;
  at.group_gap = cells_apart && cells.group > 1 && at.pitch_x >= 3 * unit ? 3 * unit : 0;
  return at;
}

Placement place_matrix(const TileGrid& cells, ImVec2 origin, float width, float height, float unit) {
  Placement at{.cells = cells, .origin = origin};
  at.pitch_x = width / static_cast<float>(std::max<int64_t>(1, cells.columns));
  at.pitch_y = height / static_cast<float>(std::max<int64_t>(1, cells.rows()));
  at.whole = true;
  const bool cells_apart = !at.textured();
  at.gap_x = cells_apart && at.pitch_x >= 4 * unit && cells.columns > 1 ? unit : 0;
  at.gap_y = cells_apart && at.pitch_y >= 4 * unit && cells.rows() > 1 ? unit : 0;
  return at;
}

void take_result(TilePicture& picture, TraceIndex& index, const std::shared_ptr<const RunResult>& result) {
  if (picture.result.is(result)) return;
  picture.result = ResultReference(result);
  picture.laid_out = false;
  picture.shape = tile_shape(index);
  picture.tail.reset();
  if (picture.shape.buffer >= 0 && !is_matrix(result->tiles.buffers[static_cast<size_t>(picture.shape.buffer)]))
    picture.tail = tail_of(picture.shape, index);
  picture.product = product_of(picture.shape, result->tiles);
  for (auto* side : {&picture.inputs, &picture.outputs}) side->clear();  // the cameras are reset
  picture.readers = {};
  picture.aimed = false;
  for (NearTexture& one : picture.near_textures) one.made = false;
}

namespace {

/// Assigns the buffers to the sides; their cameras are kept.
void choose_buffers(TilePicture& picture) {
  const TileMap& tiles = picture.result->tiles;
  const auto take = [](std::vector<BufferPicture>& side, size_t& count, size_t buffer) {
    if (count == side.size()) side.emplace_back();
    if (side[count].buffer != buffer) side[count].camera = {};
    side[count].buffer = buffer;
    side[count].runs.clear();
    ++count;
  };
  size_t read = 0, written = 0;
  for (size_t i = 0; i < tiles.buffers.size(); ++i) {
    const BufferMap& map = tiles.buffers[i];
    if (is_schedule(*picture.result, i)) continue;
    // Scratch memory of other rungs.
    if (map.role == Role::scratch && map.reads.empty() && map.writes.empty()) continue;
    if (map.role == Role::input && map.writes.empty())
      take(picture.inputs, read, i);
    else
      take(picture.outputs, written, i);
  }
  picture.inputs.resize(read);
  picture.outputs.resize(written);
  picture.output_textures.resize(std::max(picture.output_textures.size(), written));
  picture.near_textures.resize(std::max(picture.near_textures.size(), tiles.buffers.size()));
}

Placement place_grid(const TilePicture& picture, const TileGrid& blocks, ImVec2 origin, float width, float height,
                     float unit) {
  const bool few = blocks.rows() <= kFewRows && !blocks.matrix;
  const float square = static_cast<float>(blocks.columns) * kFewRow * unit <= width
                           ? kFewRow * unit
                           : std::max(26 * unit, std::floor(width / 8));
  const float row = few ? std::max(kRoomyRow * unit, square) : roomy_row(height, unit);
  Placement at = place_cells(blocks, origin, width, height, row, unit);
  at.pitch_x = std::min(at.pitch_x, square);
  if (blocks.matrix) {  // roughly with the shape of what it divides
    at.pitch_y = std::min(at.pitch_y, std::max(1.5F * at.pitch_x, 12 * unit));
    at.pitch_x = std::min(at.pitch_x, std::max(2.0F * at.pitch_y, 4 * unit));
  }
  if (!at.textured() && at.pitch_x >= 12 * unit && picture.result->tiles.grid.count() > 0) at.gap_x = 2 * unit;
  return at;
}

/// A buffer as an item in the columns of its side.
PackItem item_of(const TilePicture& picture, const BufferPicture& one, float unit) {
  constexpr float kNameLetter = 8.4F, kSquare = 28;  // of the header: its code letters, and the square before them
  const BufferMap& map = picture.result->tiles.buffers[one.buffer];
  PackItem item;
  item.least_column = static_cast<double>((kNameLetter * static_cast<float>(map.name.size()) + kSquare) * unit);
  item.least_width = static_cast<double>((is_matrix(map) ? 40 : 140) * unit);
  item.least_height = static_cast<double>(32 * unit);
  if (!is_matrix(map)) return item;
  const TileGrid cells = output_cells(picture.shape, map, picture.grid.cells, 0, 0);
  item.columns = static_cast<double>(cells.columns * cells.cell_width);
  item.rows = static_cast<double>(cells.rows() * cells.cell_height);
  return item;
}

void place_packed(const TilePicture& picture, BufferPicture& one, const PackedItem& at, ImVec2 corner, bool output,
                  float unit) {
  const BufferMap& map = picture.result->tiles.buffers[one.buffer];
  const auto x = static_cast<float>(std::floor(at.x)), y = static_cast<float>(std::floor(at.y));
  const auto width = static_cast<float>(std::floor(at.width)), height = static_cast<float>(std::floor(at.height));
  const ImVec2 origin{corner.x + x, corner.y + y};
  one.low = origin;
  one.high = {origin.x + static_cast<float>(at.room_width), origin.y + static_cast<float>(at.room_height)};
  const TileGrid cells = output ? output_cells(picture.shape, map, picture.grid.cells, width / unit, height / unit)
                                : input_cells(picture.shape, map, picture.grid.cells, width / unit, height / unit);
  one.home = cells.matrix ? place_matrix(cells, origin, width, height, unit)
                          : place_cells(cells, origin, width, height, (output ? kRoomyRow : 11) * unit, unit);
  if (output && !one.home.textured() && !map.writer.empty()) one.runs = find_runs(cells, map);
}

/// Matrices, and the vectors among them: in columns on both sides of the grid, at one scale.
void lay_out_matrices(TilePicture& picture, ImVec2 low, ImVec2 high, float grid_width, float unit) {
  const float width = high.x - low.x, height = high.y - low.y;
  // Space between a side and the grid for the connecting lines.
  const float least_between = std::max(36 * unit, std::floor(width * 0.055F)), most_between = std::floor(width * 0.12F);
  const PackGaps gaps{.header = static_cast<double>(kPictureHeader * unit),
                      .across = static_cast<double>(20 * unit),
                      .down = static_cast<double>(8 * unit),
                      .thin_width = static_cast<double>(140 * unit),
                      .thin_height = static_cast<double>(96 * unit),
                      .largest_element = static_cast<double>(40 * unit)};
  const auto room = static_cast<double>(width - grid_width - 2 * least_between);
  PackedSides sides;
  for (;;) {
    std::vector<PackItem> inputs, outputs;
    for (const BufferPicture& one : picture.inputs) inputs.push_back(item_of(picture, one, unit));
    for (const BufferPicture& one : picture.outputs) outputs.push_back(item_of(picture, one, unit));
    sides = pack_sides(inputs, outputs, room, static_cast<double>(height), gaps);
    if (sides.fits || inputs.size() + outputs.size() <= 1) break;
    // Not even at the minimum sizes: drop one buffer of the longer side.
    const bool in = inputs.size() >= outputs.size();
    auto& side = in ? picture.inputs : picture.outputs;
    auto& left_out = in ? picture.inputs_left_out : picture.outputs_left_out;
    for (const size_t buffer : leave_out_beyond(picture, side, side.size() - 1)) left_out.push_back(buffer);
  }
  if (!sides.fits) {
    picture.inputs.clear();
    picture.outputs.clear();
  }
  const auto of_inputs = static_cast<float>(std::ceil(sides.inputs_width)),
             of_outputs = static_cast<float>(std::ceil(sides.outputs_width));
  const float left = width - grid_width - of_inputs - of_outputs;
  const float between = std::floor(std::clamp(left / 3, least_between, most_between));
  const float grid_x = low.x + of_inputs + (picture.inputs.empty() ? 0 : between);
  const float outputs_x = grid_x + grid_width + between;
  picture.grid.origin.x = grid_x;
  for (size_t i = 0; i < sides.inputs.size(); ++i) {
    PackedItem at = sides.inputs[i];
    const bool last_column = at.x + at.room_width >= sides.inputs_width - 0.5;
    if (last_column) at.room_width += static_cast<double>(between - 36 * unit);
    place_packed(picture, picture.inputs[i], at, low, /*output=*/false, unit);
  }
  for (size_t i = 0; i < sides.outputs.size(); ++i) {
    PackedItem at = sides.outputs[i];
    const bool last_column = at.x + at.room_width >= sides.outputs_width - 0.5;
    if (last_column) at.room_width = static_cast<double>(high.x - outputs_x) - at.x;
    place_packed(picture, picture.outputs[i], at, {outputs_x, low.y}, /*output=*/true, unit);
  }
}

/// Values derived from a buffer's position.
void finish(const TilePicture& picture, BufferPicture& one) {
  const TileGrid& cells = one.home.cells;
  one.elements = element_grid(cells, near_columns(picture.shape.block_elements, one.viewport()));
  one.edge_columns = cells.matrix_columns;
  one.edge_rows = cells.matrix ? cells.matrix_rows() : 0;
  const BufferMap& map = picture.result->tiles.buffers[one.buffer];
  if (cells.matrix && (picture.as_product || tile_rectangle(map, /*writes=*/true) || tile_rectangle(map, false))) {
    one.edge_columns = cells.columns * cells.cell_width;
    one.edge_rows = cells.rows() * cells.cell_height;
  }
  one.at = one.home;
  one.seen_low = one.low;
  one.seen_high = one.high;
}

}  // namespace

const BufferPicture* mapped_picture(const TilePicture& picture) {
  for (const BufferPicture& one : picture.outputs)
    if (static_cast<int32_t>(one.buffer) == picture.shape.buffer) return &one;
  return nullptr;
}

void lay_out_tiles(TilePicture& picture, ImVec2 low, ImVec2 high, float unit) {
  const auto& result = picture.result;
  picture.laid_out = true;
  picture.low = low;
  picture.high = high;
  picture.texture_issued = ~0ULL;
  picture.inputs_left_out.clear();
  picture.outputs_left_out.clear();
  picture.aimed = false;  // the cameras' areas have changed
  choose_buffers(picture);
  const bool matrices =
      picture.shape.buffer >= 0 && is_matrix(result->tiles.buffers[static_cast<size_t>(picture.shape.buffer)]);
  // Vectors fill their width.
  const float width = high.x - low.x, header = kPictureHeader * unit;
  const Side inputs{low.x, std::floor(width * 0.152F)};
  const Side grid{low.x + std::floor(width * 0.227F), std::floor(width * (matrices ? 0.16F : 0.197F))};
  const float out_x = low.x + std::floor(width * 0.515F);
  const Side outputs{out_x, high.x - out_x};
  // Without room to the right of its last cells, the tail's label needs a line below the picture.
  const float body = high.y - low.y - header;
  const bool product = picture.product && body >= 140 * unit && width >= 560 * unit;
  picture.as_product = product;
  const float grid_x = product ? low.x : grid.x, grid_width = product ? std::floor(width * 0.19F) : grid.width;
  const TileGrid blocks = grid_cells(result->tiles.grid, grid_width / unit, body / unit, kRoomyRow);
  const float tail = picture.tail && (blocks.cells() > kMostRectangles || !picture.shape.contiguous) ? 20 * unit : 0;
  picture.grid = place_grid(picture, blocks, {grid_x, low.y + header}, grid_width, body - tail, unit);
  if (product) {
    lay_out_product(picture, {low.x + std::floor(width * 0.235F), low.y}, high, unit);
  } else if (matrices) {
    lay_out_matrices(picture, low, {high.x, high.y - tail}, grid_width, unit);
  } else {
    stack(picture, picture.inputs, picture.inputs_left_out, inputs, {low.y, high.y}, unit, /*output=*/false);
    stack(picture, picture.outputs, picture.outputs_left_out, outputs, {low.y, high.y - tail}, unit, /*output=*/true);
  }
  for (auto* side : {&picture.inputs, &picture.outputs})
    for (BufferPicture& one : *side) finish(picture, one);
}

void lay_out_product(TilePicture& picture, ImVec2 low, ImVec2 high, float unit) {
  const Product& product = *picture.product;
  const TileMap& tiles = picture.result->tiles;
  const float header = kPictureHeader * unit, gap = 20 * unit;
  const auto cells_of = [&](size_t buffer) {
    return output_cells(picture.shape, tiles.buffers[buffer], picture.grid.cells, 0, 0);
  };
  const TileGrid a = cells_of(product.a), b = cells_of(product.b), c = cells_of(product.c);
  // The last tiles of C may extend past it: A and B have the same rows and columns beside them.
  const auto m = static_cast<double>(c.rows() * c.cell_height), n = static_cast<double>(c.columns * c.cell_width);
  const auto k = static_cast<double>(tiles.buffers[product.a].shape[1]);
  const ProductSizes sizes =
      product_sizes(m, n, k, static_cast<double>(high.x - low.x), static_cast<double>(high.y - low.y - header),
                    static_cast<double>(gap), static_cast<double>(header), static_cast<double>(unit));
  const auto a_width = static_cast<float>(std::floor(sizes.a_width)),
             b_height = static_cast<float>(std::floor(sizes.b_height));
  const auto c_width = static_cast<float>(sizes.c_width), c_height = static_cast<float>(sizes.c_height);
  const float c_x = low.x + a_width + gap, b_y = low.y + header, c_y = b_y + b_height + header;
  const auto place = [&](std::vector<BufferPicture>& side, size_t buffer, const TileGrid& cells, ImVec2 origin,
                         float width, float height, float room_x, float room_y) {
    const auto one = std::find_if(side.begin(), side.end(), [&](const auto& each) { return each.buffer == buffer; });
    if (one == side.end()) return;
    one->low = origin;
    one->high = {origin.x + room_x, origin.y + room_y};
    one->home = place_matrix(cells, origin, width, height, unit);
    if (!one->home.textured() && !tiles.buffers[buffer].writer.empty())
      one->runs = find_runs(cells, tiles.buffers[buffer]);
  };
  // In close-up, C takes the space remaining at the right; A and B follow it.
  const float room_x = high.x - c_x, room_y = high.y - c_y;
  place(picture.outputs, product.c, c, {c_x, c_y}, c_width, c_height, room_x, room_y);
  // A is divided along its rows like C, and not along its depth; B the other way round.
  const auto strip = [](TileGrid cells, int64_t across, int64_t down) {
    cells.cell_width = across;
    cells.cell_height = down;
    cells.columns = (cells.matrix_columns + across - 1) / across;
    return cells;
  };
  const auto depth = tiles.buffers[product.a].shape[1];
  place(picture.inputs, product.a, strip(a, depth, c.cell_height), {low.x, c_y}, a_width, c_height, a_width, room_y);
  place(picture.inputs, product.b, strip(b, c.cell_width, depth), {c_x, b_y}, c_width, b_height, room_x, b_height);
  // All other buffers that the kernel touches have no position in this picture; they are named.
  const auto leave_out = [](std::vector<BufferPicture>& side, std::vector<size_t>& left_out,
                            std::span<const size_t> kept) {
    const auto gone = [&](const BufferPicture& one) {
      return std::find(kept.begin(), kept.end(), one.buffer) == kept.end();
    };
    for (const BufferPicture& one : side)
      if (gone(one)) left_out.push_back(one.buffer);
    side.erase(std::remove_if(side.begin(), side.end(), gone), side.end());
  };
  leave_out(picture.inputs, picture.inputs_left_out, std::array{product.a, product.b});
  leave_out(picture.outputs, picture.outputs_left_out, std::array{product.c});
}

}  // namespace tilescope
