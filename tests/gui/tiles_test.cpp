// Facts about the tile view: which cell holds an element, what is highlighted for a block, which access is shown, and
// the texts.
#include <gtest/gtest.h>

#include "app/observed/trace_index.hpp"
#include "app/views/lanes.hpp"
#include "app/views/playback.hpp"
#include "app/views/tiles/tiles_layout.hpp"
#include "app/views/tiles/tiles_sentence.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/matrix_result.hpp"
#include "tests/gui/vector_add_result.hpp"

namespace tilescope {
namespace {

TileShape shape_of(const std::shared_ptr<const RunResult>& result) {
  TraceIndex index(result);
  return tile_shape(index);
}
std::optional<Tail> tail_in(const TileShape& shape, const std::shared_ptr<const RunResult>& result) {
  TraceIndex index(result);
  return tail_of(shape, index);
}

using testing::make_vector_add;
using testing::VectorAdd;

constexpr double kWidth = 536, kGridWidth = 208, kHeight = 300;

struct Laid {
  std::shared_ptr<RunResult> result;
  TileShape shape;
  TileGrid grid, out;
};
Laid lay(const VectorAdd& vectors) {
  Laid laid{make_vector_add(vectors), {}, {}, {}};
  laid.shape = shape_of(laid.result);
  laid.grid = grid_cells(laid.result->tiles.grid, kGridWidth, kHeight, 24);
  laid.out = output_cells(laid.shape, laid.result->tiles.buffers[2], laid.grid, kWidth, kHeight);
  return laid;
}

Strings load_strings() {
  auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  return strings ? std::move(*strings) : Strings{};
}

// ---- cells ↔ elements ----

TEST(TileGrid, EveryElementLiesWhereItsCellSaysItDoes) {
  for (const int64_t n : {1, 31, 1000, 98432}) {
    const TileGrid cells{.count = n, .per_cell = 256, .columns = 32};
    for (int64_t element : {int64_t{0}, n / 3, n - 1}) {
      const int64_t cell = cells.cell_of(element);
      const double x = static_cast<double>(cell % 32) + (static_cast<double>(element % 256) + 0.5) / 256;
      EXPECT_EQ(cells.element_at(x, static_cast<double>(cell / 32) + 0.5), element) << "n = " << n;
    }
    EXPECT_EQ(cells.cell_of(n), -1);
    EXPECT_EQ(cells.cell_of(-1), -1);
  }
}

TEST(TileGrid, AMatrixKeepsItsRowsAndColumns) {
  const TileGrid cells{
      .count = 100 * 60, .columns = 6, .matrix = true, .matrix_columns = 60, .cell_height = 8, .cell_width = 10};
  EXPECT_EQ(cells.rows(), 13);
  EXPECT_EQ(cells.cell_of(9 * 60 + 25), 1 * 6 + 2);
  EXPECT_EQ(cells.element_at(2.55, 1.15), 9 * 60 + 25);
  EXPECT_EQ(cells.element_at(6.0, 0.5), -1);
  EXPECT_EQ(cells.middle_of(12 * 6), 98 * 60 + 5);  // the last row of cells has half the height
}

TEST(TileGrid, ARangeInsideOneRowIsOneRectangle) {
  const TileGrid cells{.count = 4096, .per_cell = 256, .columns = 8};
  const ElementRange range{256, 640};
  EXPECT_EQ(rects_of(cells, {&range, 1}), (std::vector<CellRect>{{1, 0, 2.5, 1}}));
}

TEST(TileGrid, ARangeOverRowsIsAtMostThreeRectangles) {
  const TileGrid cells{.count = 1 << 20, .per_cell = 256, .columns = 8};
  const ElementRange range{256, 2048 * 5 + 512};
  EXPECT_EQ(rects_of(cells, {&range, 1}), (std::vector<CellRect>{{1, 0, 8, 1}, {0, 1, 8, 5}, {0, 5, 2, 6}}));
}

TEST(TileGrid, ATileOfAMatrixIsOneRectangle) {
  const TileGrid cells{
      .count = 64 * 64, .columns = 4, .matrix = true, .matrix_columns = 64, .cell_height = 16, .cell_width = 16};
  std::vector<ElementRange> rows;
  for (int64_t row = 16; row < 32; ++row) rows.push_back({row * 64 + 32, row * 64 + 48});
  EXPECT_EQ(rects_of(cells, rows), (std::vector<CellRect>{{2, 1, 3, 2}}));
}

TEST(TileGrid, NothingOutsideTheBufferLights) {
  const TileGrid cells{.count = 100, .per_cell = 10, .columns = 5};
  const std::vector<ElementRange> ranges{{-5, 5}, {95, 200}, {300, 400}};
  EXPECT_EQ(rects_of(cells, ranges), (std::vector<CellRect>{{0, 0, 0.5, 1}, {4.5, 1, 5, 2}}));
}

TEST(GridColumns, NumbersDecideWhileTheyFit) {
  EXPECT_EQ(grid_columns(1, kGridWidth, kHeight, 24), 1);
  EXPECT_EQ(grid_columns(97, kGridWidth, kHeight, 24), 8);
  EXPECT_EQ(grid_columns(385, kGridWidth, kHeight, 24), 16);
  EXPECT_EQ(grid_columns(4096, kGridWidth, kHeight, 24), 64);
}

// ---- the observed mapping ----

TEST(TileShape, NinetySevenBlocksWalkFourTilesOf256) {
  const Laid laid = lay({.n = 98432, .tiles = 4});
  EXPECT_EQ(laid.shape.blocks, 97);
  EXPECT_EQ(laid.shape.tile, 256);
  EXPECT_EQ(laid.shape.tiles_per_block, 4);
  EXPECT_TRUE(laid.shape.contiguous);
  EXPECT_EQ(laid.shape.written, 98432);
  EXPECT_EQ(laid.out.columns, 8 * 4);
  EXPECT_EQ(laid.out.group, 4);
  EXPECT_EQ(laid.out.rows(), laid.grid.rows());  // connectors are straight
  const auto tail = tail_in(laid.shape, laid.result);
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->block, 96);
  EXPECT_EQ(tail->left, 128);
  EXPECT_EQ(tail->masked, 896);
}

TEST(TileShape, VectorLoadsHaveTilesOfFourElementsAThread) {
  const Laid laid = lay({.n = 98432, .tiles = 4, .vector = 4});
  EXPECT_EQ(laid.shape.blocks, 25);
  EXPECT_EQ(laid.shape.tile, 1024);
  EXPECT_EQ(laid.shape.tiles_per_block, 4);
  EXPECT_EQ(tail_in(laid.shape, laid.result)->masked, 24 * 4096 + 4096 - 98432);
}

TEST(TileShape, AGridStrideIsNotContiguousAndItsStrideIsTheGrid) {
  const Laid laid = lay({.n = 98432, .tiles = 4, .grid_stride = true});
  EXPECT_FALSE(laid.shape.contiguous);
  EXPECT_EQ(laid.shape.tile, 256);
  EXPECT_EQ(laid.shape.tiles_per_block, 4);
  EXPECT_EQ(laid.shape.stride, 97 * 256);
  const auto lit = rects_of(laid.out, laid.result->tiles.buffers[2].writes_of(53));
  EXPECT_EQ(lit.size(), 4U);  // four tiles that do not touch
}

TEST(TileShape, OneElementIsOneBlockWithTheRestMasked) {
  const Laid laid = lay({.n = 1});
  EXPECT_EQ(laid.shape.blocks, 1);
  EXPECT_EQ(laid.out.cells(), 1);
  EXPECT_EQ(tail_in(laid.shape, laid.result)->masked, 255);
}

TEST(TileShape, AMultipleOfTheTileHasNoTail) {
  const Laid laid = lay({.n = 1 << 20, .tiles = 4});
  EXPECT_FALSE(tail_in(laid.shape, laid.result));
}

TEST(TileShape, ATailWithoutItsMaskIsWrittenPastTheEnd) {
  Laid laid = lay({.n = 98432, .tiles = 4});
  EXPECT_FALSE(tail_in(laid.shape, laid.result)->outside);
  laid.result->plan.buffers[2].shape = {98431};  // the last lane of the last block now stores past the end
  EXPECT_TRUE(tail_in(laid.shape, laid.result)->outside);
}

TEST(TileShape, LanesThatSkipElementsAreNotCalledATile) {
  // Each thread writes elements that are 4 apart: the first step of a block has holes.
  const Laid laid = lay({.n = 8192, .spread = 4});
  EXPECT_NE(laid.shape.tile, 256);
}

TEST(TileShape, LargeMapsStayWithinTheirTexels) {
  for (const int64_t n : {int64_t{1} << 20, int64_t{1} << 22})
    for (const bool stride : {false, true}) {
      const Laid laid = lay({.n = n, .tiles = 2, .grid_stride = stride});
      EXPECT_LE(laid.grid.cells(), kMostTexels);
      EXPECT_LE(laid.out.cells(), kMostTexels);
      EXPECT_EQ(laid.out.cell_of(n - 1), laid.out.cells() - 1);
    }
}

TEST(TileShape, BlocksLightTheirOwnElementsOnly) {
  for (const VectorAdd& vectors :
       {VectorAdd{.n = 31}, VectorAdd{.n = 98432, .tiles = 4}, VectorAdd{.n = 98432, .tiles = 4, .vector = 4},
        VectorAdd{.n = 98432, .tiles = 4, .grid_stride = true}}) {
    const Laid laid = lay(vectors);
    double lit = 0;
    for (uint32_t block = 0; block < laid.shape.blocks; ++block)
      for (const CellRect& rect : rects_of(laid.out, laid.result->tiles.buffers[2].writes_of(block)))
        lit += (rect.x1 - rect.x0) * (rect.y1 - rect.y0);
    EXPECT_NEAR(lit * static_cast<double>(laid.out.per_cell), static_cast<double>(vectors.n), 1e-6 * 98432);
  }
}

// ---- labels, playback, words ----

TEST(PlaceLabels, TheLongestTextThatFitsIsChosen) {
  const std::vector<std::pair<float, float>> spans{{0, 100}, {100, 140}};
  const std::vector<std::vector<float>> widths{{90, 40}, {90, 40}};
  const auto labels = place_labels(spans, widths, 0, 200, 8);
  EXPECT_EQ(labels[0].text, 0U);
  EXPECT_EQ(labels[1].text, 1U);
  EXPECT_TRUE(labels[0].shown && labels[1].shown);
}

TEST(PlaceLabels, LabelsNeverMeet) {
  std::vector<std::pair<float, float>> spans;
  std::vector<std::vector<float>> widths;
  for (int i = 0; i < 32; ++i) {
    spans.emplace_back(i * 17.0F, i * 17.0F + 15.0F);
    widths.push_back({44});
  }
  float right = -8;
  int shown = 0;
  for (const LaneLabel& label : place_labels(spans, widths, 0, 544, 8)) {
    if (!label.shown) continue;
    EXPECT_GE(label.centre - 22, right + (shown == 0 ? 0 : 8));
    EXPECT_LE(label.centre + 22, 544);
    right = label.centre + 22;
    ++shown;
  }
  EXPECT_GE(shown, 8);
}

TEST(TilePlayback, EverythingIsShownUntilSomethingIsPlayed) {
  ViewState view;
  EXPECT_EQ(issued_blocks(view, 97), 97U);
  step_playback(view, 97, -1);
  EXPECT_EQ(issued_blocks(view, 97), 96U);
  EXPECT_EQ(newest_block(view, 97), 95U);
  step_playback(view, 97, -200);
  EXPECT_EQ(issued_blocks(view, 97), 0U);
  EXPECT_FALSE(newest_block(view, 97));
}

TEST(TilePlayback, PlayingEndsWithEverythingShown) {
  ViewState view;
  toggle_playback(view, 97);
  EXPECT_EQ(issued_blocks(view, 97), 0U);
  for (int frame = 0; frame < 60 * 7; ++frame) advance_playback(view, 97, 1 / 60.0);
  EXPECT_FALSE(view.playback.playing);
  EXPECT_EQ(issued_blocks(view, 97), 97U);
}

TEST(TilePlayback, ScreenshotsShowTheWholePicture) {
  ViewState view;
  view.animate = false;
  view.playback.position = 3;
  EXPECT_EQ(issued_blocks(view, 97), 97U);
}

std::string said(const VectorAdd& vectors) {
  const auto result = make_vector_add(vectors);
  static const Strings strings = load_strings();
  const ViewSentence sentence = tiles_sentence(strings, *result, shape_of(result));
  return sentence.finding + " " + sentence.reason + (sentence.quiet.empty() ? "" : " " + sentence.quiet);
}

TEST(TilesSentence, SaysWhatTheBlocksDo) {
  EXPECT_EQ(said({.n = 98432, .tiles = 4}),
            "97 blocks write 98,432 elements; each processes 4 tiles of 256 elements. 35 of 132 SMs get no block.");
  EXPECT_EQ(said({.n = 98432}), "385 blocks write 98,432 elements; each writes one tile of 256. 2.9 blocks per SM.");
  EXPECT_EQ(said({.n = 98432, .tiles = 4, .grid_stride = true}),
            "97 blocks write 98,432 elements; each processes 3–4 tiles of 256 elements, 24,832 elements apart. 35 of "
            "132 SMs get no "
            "block.");
  EXPECT_EQ(said({.n = 31, .processors = 0}),
            "1 block writes 31 elements; 225 of its 256 threads have nothing to write.");
  EXPECT_EQ(said({.n = 1, .processors = 0}), "1 block writes 1 element; 255 of its 256 threads have nothing to write.");
}

TEST(TilesSentence, AFindingOfALaunchThatIsNotShownIsNotSaid) {
  const auto result = make_vector_add({.n = 98432});
  result->plan.launches.assign(3, Launch{.kernel = "first"});
  result->findings = {{.id = "out-of-bounds", .launch = 2, .line = 5, .block = {3, 0, 0}}};
  EXPECT_TRUE(tiles_sentence(load_strings(), *result, shape_of(result)).warning.empty());
  result->launch = 2;
  EXPECT_FALSE(tiles_sentence(load_strings(), *result, shape_of(result)).warning.empty());
}

TEST(TilesSentence, OfAMatrixABlockWritesRowsTimesColumns) {
  const auto said_of_rows = [](int64_t width) {
    const auto result = make_vector_add({.n = 256 * 1024});
    result->tiles.buffers[2].shape = {256 * 1024 / width, width};
    return tiles_sentence(load_strings(), *result, shape_of(result)).reason;
  };
  EXPECT_EQ(said_of_rows(64), "write 262,144 elements; each writes a tile of 4 × 64.");
  EXPECT_EQ(said_of_rows(1024), "write 262,144 elements; each writes a tile of 1 × 256.");
  const auto cut = make_vector_add({.n = 256 * 1024});  // 256 elements do not form a rectangle in rows of 100
  cut->tiles.buffers[2].shape = {2621, 100};
  EXPECT_EQ(shape_of(cut).rows, 0);
}

TEST(TilesSentence, AFindingIsSaidWithItsBlockAndLine) {
  const auto result = make_vector_add({.n = 98432});
  result->findings.push_back({.id = "out-of-bounds", .count = 128, .line = 21, .block = {384, 0, 0}});
  const ViewSentence sentence = tiles_sentence(load_strings(), *result, shape_of(result));
  EXPECT_EQ(sentence.warning, "Block 384 has a finding at line 21: out-of-bounds ×128.");
  EXPECT_FALSE(block_of({.block = {385, 0, 0}}, result->tiles.grid));
  EXPECT_EQ(block_of({.block = {3, 2, 1}}, {4, 5, 6}), 1U * 20 + 2 * 4 + 3);
}

TEST(TilesSentence, SaysHowFarTheRecordGoes) {
  const std::string text = said({.n = 1 << 20, .access_budget = 2400});
  EXPECT_NE(text.find("the record holds the first 100: they write 25,600 elements"), std::string::npos) << text;
}

TEST(TilesSentence, ElementsApartAreNotCalledATile) {
  auto result = make_vector_add({.n = 1024, .block = 32});
  BufferMap& out = result->tiles.buffers[2];
  out.writes.clear();
  out.writes_first = {0};
  for (int64_t block = 0; block < 32; ++block) {  // elements that are 32 apart, as in a matrix's columns
    for (int64_t row = 0; row < 32; ++row) out.writes.push_back({row * 32 + block, row * 32 + block + 1});
    out.writes_first.push_back(static_cast<uint32_t>(out.writes.size()));
  }
  const ViewSentence sentence = tiles_sentence(load_strings(), *result, shape_of(result));
  EXPECT_NE(sentence.reason.find("each writes 32 elements, 32 apart."), std::string::npos) << sentence.reason;
}

TEST(TilesSentence, ASumIsGatheredAndNotATileOfEachBlock) {
  const auto sum_of = [](bool atomics) {
    auto result = make_vector_add({.n = 1024, .block = 32});
    BufferMap& out = result->tiles.buffers[2];
    out.shape = {1};
    out.writes.clear();
    out.writes_first = {0};
    for (int64_t block = 0; block < 32; ++block) {  // all blocks add to it, or the last one writes it
      if (atomics || block == 31) out.writes.push_back({0, 1});
      out.writes_first.push_back(static_cast<uint32_t>(out.writes.size()));
    }
    return result;
  };
  for (const bool atomics : {false, true}) {
    const auto result = sum_of(atomics);
    const TileShape shape = shape_of(result);
    EXPECT_EQ(tiles_sentence(load_strings(), *result, shape).reason,
              "write 1 element; all that they read is combined there.");
    EXPECT_FALSE(tail_in(shape, result));
  }
}

TEST(TilesSentence, SaysHowManyTilesAreCutByTheEdge) {
  const auto result = testing::make_transpose(100, 64);
  const ViewSentence sentence = tiles_sentence(load_strings(), *result, shape_of(result));
  EXPECT_NE(sentence.reason.find("each writes a tile of 32 × 32."), std::string::npos) << sentence.reason;
  EXPECT_NE(sentence.quiet.find("2 blocks at the edge write less."), std::string::npos) << sentence.quiet;
}

TEST(TilesSentence, OfASampledGridItSaysSo) {
  auto result = make_vector_add({.n = 98432});
  result->blocks_sampled = 64;
  const ViewSentence sentence = tiles_sentence(load_strings(), *result, shape_of(result));
  EXPECT_NE(sentence.quiet.find("Only 64 of them were run"), std::string::npos) << sentence.quiet;
}

}  // namespace
}  // namespace tilescope
