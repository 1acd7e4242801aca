// Facts about the zoomed tiles: cameras, levels, which lanes touch an element, and the layout of a product.
#include "app/views/tiles/tiles_zoom.hpp"

#include <gtest/gtest.h>

#include "app/views/tiles/tiles_product.hpp"
#include "app/views/tiles/tiles_readers.hpp"
#include "tests/gui/matrix_result.hpp"
#include "tests/gui/vector_add_result.hpp"

namespace tilescope {
namespace {

TileShape shape_of(const std::shared_ptr<const RunResult>& result) {
  TraceIndex index(result);
  return tile_shape(index);
}

using testing::make_matmul;
using testing::make_transpose;
using testing::make_vector_add;
using testing::MatrixRecorder;

constexpr Viewport kRoom{500, 280};

TileGrid matrix_elements(int64_t rows, int64_t columns) {
  return {.count = rows * columns, .columns = columns, .matrix = true, .matrix_columns = columns};
}

// ---- cameras ----

TEST(Camera, AFittedRegionIsSeenWhole) {
  for (const CellRect& region :
       {CellRect{32, 64, 64, 96}, CellRect{0, 0, 1000, 600}, CellRect{5, 5, 6, 6}, CellRect{0, 7, 4096, 8}}) {
    const Camera camera = fit_camera(region, kRoom, kLargestFitted);
    EXPECT_TRUE(shows(camera, kRoom, region));
    EXPECT_LE(camera.pixels_x, kLargestFitted);
    EXPECT_LE(camera.pixels_x, 2 * camera.pixels_y + 1e-9);
    EXPECT_LE(camera.pixels_y, camera.pixels_x + 1e-9);
  }
}

TEST(Camera, WhatLiesUnderThePointerStaysThere) {
  const Camera camera{10, 20, 3, 2};
  const Camera near = zoomed(camera, 1.25, 120, 90);
  EXPECT_NEAR(near.column + 120 / near.pixels_x, camera.column + 120 / camera.pixels_x, 1e-9);
  EXPECT_NEAR(near.row + 90 / near.pixels_y, camera.row + 90 / camera.pixels_y, 1e-9);
  const Camera back = zoomed(near, 1 / 1.25, 120, 90);
  EXPECT_NEAR(back.column, camera.column, 1e-9);
  EXPECT_NEAR(back.pixels_x, camera.pixels_x, 1e-9);
}

TEST(Camera, OnTheWayItNeverShowsWhatNeitherEndShows) {
  const Camera far{0, 0, 0.5, 0.4}, near{320, 448, 12, 8};
  EXPECT_EQ(between(far, near, 0), far);
  EXPECT_EQ(between(far, near, 1), near);
  double last = 0;
  for (double t = 0; t <= 1; t += 0.05) {
    const Camera now = between(far, near, t);
    EXPECT_GE(now.pixels_x, last);
    last = now.pixels_x;
    // The target is in view throughout the zoom.
    EXPECT_TRUE(shows(now, kRoom, {near.column + 1, near.row + 1, near.column + 10, near.row + 10})) << t;
  }
}

TEST(Camera, NoFurtherAwayThanTheWholeBuffer) {
  const TileGrid elements = matrix_elements(600, 1000);
  const Camera home{0, 0, 0.5, 0.4};
  EXPECT_EQ(kept_inside({-80, -10, 0.3, 0.2}, home, elements, kRoom), home);
  const Camera lost = kept_inside({99999, -99999, 4, 4}, home, elements, kRoom);
  EXPECT_LT(lost.column, 1000);
  EXPECT_GT(lost.row + kRoom.height / lost.pixels_y, 0);
}

TEST(NearColumns, ARowIsMadeOfWholeWarps) {
  for (const int64_t elements : {1, 31, 256, 1024, 4096, 100000}) EXPECT_EQ(near_columns(elements, kRoom) % 32, 0);
  EXPECT_EQ(near_columns(1024, kRoom), 32);
}

TEST(NearExtent, PiecesFarApartAreLookedAtOneByOne) {
  const TileGrid elements = element_grid({.count = 1 << 20, .per_cell = 256, .columns = 64}, 32);
  const std::vector<ElementRange> strided{{0, 256}, {24832, 25088}, {49664, 49920}};
  const auto near = near_extent_of(elements, strided, 24900);
  ASSERT_TRUE(near);
  EXPECT_LE(near->y0, 24832 / 32);
  EXPECT_GE(near->y1, 25088 / 32);
  EXPECT_LT(near->y1 - near->y0, 64);
  // Elements of one tile of a matrix belong together.
  const auto result = make_transpose(96, 64);
  const auto tile = near_extent_of(matrix_elements(64, 96), result->tiles.buffers[1].writes_of(3), 0);
  EXPECT_EQ(tile, (CellRect{32, 32, 64, 64}));
}

TEST(TilesLevel, NearerIsNeverALevelFurtherAway) {
  const CellRect block{320, 448, 352, 480};
  Camera camera{0, 0, 0.5, 0.4};
  TilesLevel last = TilesLevel::grid;
  EXPECT_EQ(level_of(camera, kRoom, block, 1), TilesLevel::grid);
  for (int notch = 0; notch < 24; ++notch) {
    camera = zoomed(camera, 1.25, 200, 200);
    const TilesLevel level = level_of(camera, kRoom, block, 1);
    EXPECT_GE(level, last);
    last = level;
  }
  EXPECT_EQ(last, TilesLevel::lane);
  EXPECT_EQ(level_of(fit_camera(block, kRoom, kLargestFitted), kRoom, block, 1), TilesLevel::block);
}

TEST(TilesLevel, GoesFromGridToLaneAndBack) {
  ViewState view;
  for (int i = 0; i < 5; ++i) change_level(view, +1);
  EXPECT_EQ(view.zoom.level, TilesLevel::lane);
  for (int i = 0; i < 5; ++i) change_level(view, -1);
  EXPECT_EQ(view.zoom.level, TilesLevel::grid);
}

// ---- who touches an element ----

TEST(Touchers, ATransposesElementIsWrittenByTheLaneThatReadItsMirror) {
  const auto result = make_transpose(96, 64);
  BlockReaders readers;
  for (const auto& [row, column] : {std::pair<int64_t, int64_t>{0, 0}, {37, 41}, {95, 63}, {64, 32}}) {
    const int64_t in = row * 64 + column, out = column * 96 + row;
    const auto writer = writer_of(*result, 1, out);
    ASSERT_TRUE(writer);
    EXPECT_EQ(writer->block, static_cast<uint32_t>(row / 32 * 2 + column / 32));
    EXPECT_EQ(writer->warp, static_cast<uint32_t>(row % 8));
    EXPECT_EQ(lane_touching(*result, writer->access, 1, out), column % 32);
    const auto reader = readers.reader_of(result, writer->block, 0, in);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->warp, writer->warp);
    EXPECT_EQ(lane_touching(*result, reader->access, 0, in), column % 32);
    // Other blocks do not read it.
    EXPECT_FALSE(readers.reader_of(result, (writer->block + 1) % 6, 0, in));
  }
}

TEST(Touchers, WhatALaneReadsIsAllOfItsSteps) {
  const auto result = make_transpose(96, 64);
  TraceIndex index(result);
  const auto read = lane_reads(index, 3, 5, 7, 0);  // block (1, 1), rows 32 + 5 + 8·step, column 32 + 7
  ASSERT_EQ(read.size(), 4U);
  for (int64_t step = 0; step < 4; ++step)
    EXPECT_EQ(read[static_cast<size_t>(step)].begin, (32 + 5 + 8 * step) * 64 + 39);
  EXPECT_TRUE(lane_reads(index, 3, 5, 7, 1).empty());  // it only writes there
  int64_t all = 0;
  for (const ElementRange& range : warp_reads(index, 3, 5, 0)) all += range.end - range.begin;
  EXPECT_EQ(all, 4 * 32);
}

TEST(Touchers, ElementsOfNobodyAndOutsideTheBufferHaveNone) {
  const auto result = make_transpose(40, 40);
  EXPECT_FALSE(writer_of(*result, 1, 40 * 40));
  EXPECT_FALSE(writer_of(*result, 1, -1));
  EXPECT_FALSE(writer_of(*result, 0, 5));  // an input
  EXPECT_FALSE(writer_of(*result, 9, 5));  // no such buffer
  BlockReaders readers;
  EXPECT_FALSE(readers.reader_of(result, 99, 0, 5));
}

// ---- banks ----

TEST(SharedAccess, LanesOfOneBankInDifferentRowsConflict) {
  MatrixRecorder recorder({testing::matrix("in", 32, 32, Role::input)}, {1, 1, 1}, {32, 1, 1});
  for (const int64_t pitch : {32, 33}) {
    recorder.shared(static_cast<uint32_t>(pitch), AccessKind::load, 0, 0, [&](int lane) { return lane * pitch * 4; });
  }
  recorder.shared(40, AccessKind::load, 0, 0, [](int) { return int64_t{128}; });  // one word for all: no conflict
  const auto result = recorder.result();
  const WarpAccess column = warp_access(*result, 0), padded = warp_access(*result, 1), same = warp_access(*result, 2);
  EXPECT_EQ(conflicting_lanes(column), 0xffffffffU);
  EXPECT_EQ(column.shared.wavefronts, 32U);
  EXPECT_EQ(conflicting_lanes(padded), 0U);
  EXPECT_EQ(conflicting_lanes(same), 0U);
  EXPECT_EQ(padded.offset[1], 132);  // from the start of shared memory
  EXPECT_EQ(column.cost.sectors, 0U);
}

TEST(SharedAccess, ALineThatOnlyTouchesSharedMemoryIsFound) {
  MatrixRecorder recorder({testing::matrix("in", 32, 32, Role::input)}, {1, 1, 1}, {32, 1, 1});
  recorder.access(5, AccessKind::load, 0, 0, 0, [](int lane) { return lane; });
  recorder.shared(5, AccessKind::store, 0, 0, [](int lane) { return lane * 4; });
  recorder.shared(9, AccessKind::load, 0, 0, [](int lane) { return lane * 4; });
  const TraceIndex index(recorder.result());
  ASSERT_GE(index.statement_at(9), 0);
  EXPECT_EQ(index.statements()[static_cast<size_t>(index.statement_at(9))].space, Space::shared);
  EXPECT_EQ(index.statements()[static_cast<size_t>(index.statement_at(5))].space, Space::global);
}

// ---- products ----

std::optional<Product> product_in(const std::shared_ptr<RunResult>& result) {
  return product_of(shape_of(result), result->tiles);
}

TEST(Product, AMatmulIsRecognisedByWhatItsBlocksRead) {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{40, 72, 24}, {64, 64, 64}, {8, 32, 5}}) {
    const auto product = product_in(make_matmul(m, n, k));
    ASSERT_TRUE(product) << m << " " << n << " " << k;
    EXPECT_EQ(product->a, 0U);
    EXPECT_EQ(product->b, 1U);
    EXPECT_EQ(product->c, 2U);
  }
}

TEST(Product, ASumOfSquareMatricesIsNone) {
  EXPECT_FALSE(product_in(make_matmul(64, 64, 64, /*as_sum=*/true)));
  EXPECT_FALSE(product_in(make_transpose(64, 64)));
  EXPECT_FALSE(product_in(make_vector_add({.n = 1000})));
}

TEST(Product, RowsAndColumnsHaveOneScaleAndFit) {
  for (const double m : {8.0, 1000.0, 32768.0})
    for (const double n : {8.0, 1000.0, 32768.0})
      for (const double k : {8.0, 136.0, 32768.0}) {
        const ProductSizes sizes = product_sizes(m, n, k, 800, 260, 20, 24, 1);
        EXPECT_LE(sizes.a_width + 20 + sizes.c_width, 800 + 1e-6);
        EXPECT_LE(sizes.b_height + 24 + sizes.c_height, 260 + 1e-6);
        for (const double size : {sizes.a_width, sizes.b_height, sizes.c_width, sizes.c_height}) EXPECT_GE(size, 1);
      }
}

// ---- tiles of matrices ----

TEST(MatrixTiles, CellsAreTheTilesThatBlocksWrite) {
  const auto result = make_transpose(100, 64);  // out is 64 × 100
  const TileShape shape = shape_of(result);
  const TileGrid cells = output_cells(shape, result->tiles.buffers[1], {}, 500, 280);
  EXPECT_EQ(cells.cell_width, 32);
  EXPECT_EQ(cells.cell_height, 32);
  EXPECT_EQ(cells.columns, 4);  // the last cell extends past the matrix
  for (uint32_t block = 0; block < 8; ++block)
    for (const ElementRange& range : result->tiles.buffers[1].writes_of(block))
      EXPECT_EQ(cells.cell_of(range.begin), cells.cell_of(result->tiles.buffers[1].writes_of(block)[0].begin));
  EXPECT_EQ(shape.cut_blocks, 2);  // blocks with only 4 of 32 rows of `in`
  EXPECT_EQ(tile_rectangle(result->tiles.buffers[0], /*writes=*/false), (TileRectangle{32, 32}));
}

TEST(MatrixTiles, LargeMatricesStayWithinTheirTexels) {
  BufferMap map{.shape = {30000, 20000}};
  map.writes = {{0, 20000}};
  map.writes_first = {0, 1};
  const TileGrid cells = output_cells({}, map, {}, 500, 280);
  EXPECT_LE(cells.columns, kMostTexelsAcross);
  EXPECT_LE(cells.rows(), kMostTexelsAcross);
}

// ---- keys ----

TEST(Neighbour, GoesThroughBlocksWarpsAndLanesAndStopsAtTheirEnds) {
  const auto result = make_transpose(96, 64);
  TraceIndex index(result);
  Selection selection;
  selection.block = 2;
  EXPECT_EQ(neighbour(index, selection, TilesLevel::block, 1).block, 3U);
  selection.block = 5;
  EXPECT_EQ(neighbour(index, selection, TilesLevel::grid, 1).block, 5U);

  selection = neighbour(index, selection, TilesLevel::block, -1);
  ASSERT_TRUE(selection.access);
  const uint32_t warp = result->trace.accesses[*selection.access].warp;
  const Selection next = neighbour(index, selection, TilesLevel::warp, 1);
  EXPECT_EQ(result->trace.accesses[*next.access].warp, warp + 1);
  EXPECT_EQ(result->trace.accesses[*next.access].block, 4U);
  Selection last = next;
  for (int i = 0; i < 10; ++i) last = neighbour(index, last, TilesLevel::warp, 1);
  EXPECT_EQ(result->trace.accesses[*last.access].warp, 7U);

  Selection lane = neighbour(index, last, TilesLevel::lane, 1);
  EXPECT_EQ(lane.lane, 0);
  lane = neighbour(index, lane, TilesLevel::lane, 1);
  EXPECT_EQ(lane.lane, 1);
  EXPECT_EQ(lane.access, last.access);
}

}  // namespace
}  // namespace tilescope
