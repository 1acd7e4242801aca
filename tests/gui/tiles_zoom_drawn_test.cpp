// The zoomed tile view, drawn without a window: wheel, drag, double click, breadcrumb, keys, and odd results.
#include <gtest/gtest.h>

#include <set>

#include "app/draw/keys.hpp"
#include "app/views/tiles/tiles_readers.hpp"
#include "app/views/tiles/tiles_zoom.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/matrix_result.hpp"
#include "tests/gui/vector_add_result.hpp"

namespace tilescope {
namespace {

using testing::make_matmul;
using testing::make_transpose;
using testing::make_vector_add;
using testing::MatrixRecorder;

const ImVec2 kSize{1104, 520};

class ZoomedTiles : public testing::DrawnPanel {
 protected:
  void wheel(ImVec2 pointer, float by) {
    ImGui::GetIO().MouseWheel = by;
    draw(drawing("tiles"), kSize, pointer);
    ImGui::GetIO().MouseWheel = 0;
    settle(pointer);
  }
  void settle(ImVec2 pointer = {-1, -1}) {
    for (int frame = 0; frame < 40 && (frame < 2 || view.zoom.moving); ++frame) draw(drawing("tiles"), kSize, pointer);
    EXPECT_FALSE(view.zoom.moving);
  }
  ImVec2 centre(const char* mark) { return view.marks.at(mark).centre(); }
};

TEST_F(ZoomedTiles, TheWheelGoesFromTheGridToTheLanesAndBack) {
  result = make_transpose(96, 128);
  settle();
  const ImVec2 pointer = centre("tiles.out");
  TilesLevel last = TilesLevel::grid;
  for (int notch = 0; notch < 20; ++notch) {
    wheel(pointer, 1);
    EXPECT_GE(view.zoom.level, last);
    last = view.zoom.level;
  }
  EXPECT_EQ(last, TilesLevel::lane);
  EXPECT_TRUE(view.selection.block);  // the block that was zoomed into
  for (int notch = 0; notch < 40; ++notch) wheel(pointer, -1);
  EXPECT_EQ(view.zoom.level, TilesLevel::grid);
}

// At the lane level each map shows what the chosen lane touches there: its own element, and the elements that this lane
// reads or writes in the other buffers.
TEST_F(ZoomedTiles, TheChosenLaneIsSeenInEveryMap) {
  const auto seen = [&](const char* name) {
    std::set<int64_t> elements;
    const Mark map = view.marks.at(name);
    for (float y = map.low.y + 2; y < map.high.y; y += 6)
      for (float x = map.low.x + 2; x < map.high.x; x += 6) {
        draw(drawing("tiles"), kSize, {x, y});
        if (view.hover.element) elements.insert(*view.hover.element);
      }
    return elements;
  };
  for (const bool vector : {true, false})
    for (const int lane : {0, 13, 31}) {
      result = vector ? make_vector_add({.n = 98432, .tiles = 4}) : make_transpose(96, 128);
      view = {};
      draw(drawing("tiles"), kSize);
      TraceIndex& index = trace_index(view, result);
      const auto access = index.shown_access({}, {.block = 1}, 1);
      ASSERT_TRUE(access);
      const WarpAccess chosen = warp_access(*result, *access);
      view.selection = select_access(*result, *access, lane);
      view.zoom.level = TilesLevel::lane;
      settle();
      const auto output = static_cast<size_t>(vector ? 2 : 1);
      const auto written = lane_touch_near(index, chosen, lane, output, /*writes=*/true);
      const auto read = lane_touch_near(index, chosen, lane, 0, /*writes=*/false);
      ASSERT_TRUE(written && read);
      EXPECT_TRUE(seen("tiles.out").contains(written->begin)) << (vector ? "vector" : "matrix") << ", lane " << lane;
      EXPECT_TRUE(seen(vector ? "tiles.a" : "tiles.in").contains(read->begin)) << lane;
      if (!vector) continue;
      draw(drawing("tiles"), kSize, {view.marks.at("tiles.out").low.x + 2, centre("tiles.out").y});
      EXPECT_TRUE(view.hover.element) << "nothing of the map is left empty beside the rows, lane " << lane;
    }
}

TEST_F(ZoomedTiles, TheElementUnderThePointerStaysThere) {
  result = make_transpose(96, 128);
  settle();
  const Mark out = view.marks.at("tiles.out");
  const ImVec2 pointer{out.low.x + 70, out.low.y + 90};
  draw(drawing("tiles"), kSize, pointer);
  const auto before = view.hover.element;
  ASSERT_TRUE(before);
  for (int notch = 0; notch < 6; ++notch) wheel(pointer, 1);
  EXPECT_EQ(view.hover.element, before);
}

TEST_F(ZoomedTiles, ADragMovesTheMapAndSelectsNothing) {
  result = make_transpose(512, 512);
  settle();
  const ImVec2 pointer = centre("tiles.out");
  for (int notch = 0; notch < 9; ++notch) wheel(pointer, 1);
  const Selection selected = view.selection;
  const auto before = view.hover.element;
  draw(drawing("tiles"), kSize, pointer, /*pressed=*/true);
  draw(drawing("tiles"), kSize, {pointer.x + 40, pointer.y + 30}, true);
  draw(drawing("tiles"), kSize, {pointer.x + 60, pointer.y + 30}, true);
  draw(drawing("tiles"), kSize, {pointer.x + 60, pointer.y + 30}, false);
  draw(drawing("tiles"), kSize, {pointer.x + 60, pointer.y + 30}, false);
  EXPECT_EQ(view.selection, selected);
  EXPECT_EQ(view.hover.element, before);  // it moved with the pointer
}

TEST_F(ZoomedTiles, ADoubleClickOnABlockGoesToIt) {
  for (const bool vector : {false, true}) {
    result = vector ? make_vector_add({.n = 98432, .tiles = 4}) : make_transpose(96, 128);
    view.zoom.level = TilesLevel::grid;
    settle();
    const Mark grid = view.marks.at("tiles.grid");
    const ImVec2 pointer{grid.low.x + 3, grid.low.y + 3};
    draw(drawing("tiles"), kSize, pointer);
    draw(drawing("tiles"), kSize, pointer, true);
    draw(drawing("tiles"), kSize, pointer, false);
    draw(drawing("tiles"), kSize, pointer, true);
    draw(drawing("tiles"), kSize, pointer, false);
    EXPECT_EQ(view.zoom.level, TilesLevel::block);
    EXPECT_EQ(view.selection.block, 0U);
    settle();
    for (int frame = 0; frame < 30; ++frame) draw(drawing("tiles"), kSize);  // the next click is not a third one
  }
}

TEST_F(ZoomedTiles, TheBreadcrumbAndTheButtonsGoToTheirLevels) {
  result = make_transpose(96, 128);
  settle();
  const std::pair<const char*, TilesLevel> steps[] = {
      {"zoom.block", TilesLevel::block}, {"zoom.lane", TilesLevel::lane}, {"zoom.warp", TilesLevel::warp},
      {"zoom.in", TilesLevel::lane},     {"zoom.out", TilesLevel::warp},  {"zoom.grid", TilesLevel::grid},
      {"zoom.out", TilesLevel::grid}};
  for (const auto& [mark, level] : steps) {
    click(drawing("tiles"), kSize, centre(mark));
    settle();
    EXPECT_EQ(view.zoom.level, level) << mark;
    if (level == TilesLevel::lane) {
      EXPECT_TRUE(view.selection.lane);  // going to a lane selects it
    }
  }
}

TEST_F(ZoomedTiles, TheKeysGoNearerFurtherAndToTheNeighbours) {
  result = make_transpose(96, 128);
  settle();
  const auto type = [&](ImWchar code) {
    ImGui::GetIO().AddInputCharacter(code);
    ImGui::NewFrame();
    PanelContext context{{view, strings, dark_theme(), fonts}, *session, view, nullptr, result};
    zoom_keys(context);
    ImGui::Render();
  };
  type('+');
  EXPECT_EQ(view.zoom.level, TilesLevel::block);
  type('=');
  EXPECT_EQ(view.zoom.level, TilesLevel::warp);
  type('-');
  EXPECT_EQ(view.zoom.level, TilesLevel::block);
  const uint32_t block = view.selection.block.value_or(0);
  const auto hold = [](Key key, bool down) {
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().KeysDown[code_of(key)] = down;
#else
    ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(code_of(key)), down);
#endif
  };
  hold(Key::down, true);
  type('x');
  hold(Key::down, false);
  EXPECT_EQ(view.selection.block, block + 1);
  hold(Key::backspace, true);
  type('x');
  hold(Key::backspace, false);
  EXPECT_EQ(view.zoom.level, TilesLevel::grid);
}

TEST_F(ZoomedTiles, NothingMovesWhileNothingMayMove) {
  result = make_transpose(96, 128);
  view.animate = false;
  settle();
  view.zoom.level = TilesLevel::block;
  draw(drawing("tiles"), kSize);
  EXPECT_FALSE(view.zoom.moving);
  const Mark first = view.marks.at("tiles.out");
  draw(drawing("tiles"), kSize);
  EXPECT_EQ(view.marks.at("tiles.out").low.x, first.low.x);
}

TEST_F(ZoomedTiles, HoveringAnElementFromNearNamesItsLane) {
  result = make_transpose(96, 128);
  view.animate = false;
  view.zoom.level = TilesLevel::block;
  view.selection.block = 5;
  settle();
  const ImVec2 pointer = centre("tiles.out");
  draw(drawing("tiles"), kSize, pointer);
  ASSERT_TRUE(view.hover.element && view.hover.lane && view.hover.access);
  // out is 128 × 96: element (c, r) is written by lane c mod 32, at the line of the store
  EXPECT_EQ(*view.hover.lane, *view.hover.element / 96 % 32);
  EXPECT_EQ(view.hover.line, testing::kTransposeStore);
  // and the lane that reads it from the input
  draw(drawing("tiles"), kSize, {200, 200});
  ASSERT_TRUE(view.hover.element && view.hover.lane);
  EXPECT_EQ(*view.hover.lane, *view.hover.element % 128 % 32);
  EXPECT_EQ(view.hover.line, testing::kTransposeLoad);
}

TEST_F(ZoomedTiles, TheSameAccessOpensInTheOtherViews) {
  result = make_transpose(96, 128);
  settle();
  view.selection.block = 4;
  settle();
  for (const auto& [mark, tab] : {std::pair{"tiles.to_traffic", "traffic"}, {"tiles.to_step", "step"}}) {
    view.tab = "tiles";
    click(drawing("tiles"), kSize, centre(mark));
    EXPECT_EQ(view.tab, tab);
    ASSERT_TRUE(view.selection.access);
    EXPECT_EQ(result->trace.accesses[*view.selection.access].block, 4U);
    EXPECT_EQ(view.selection.line, testing::kTransposeStore);
  }
}

// ---- every level of every kind of result, in every room ----

std::shared_ptr<RunResult> in_place() {
  MatrixRecorder recorder({testing::matrix("x", 64, 64, Role::inout)}, {4, 1, 1}, {32, 1, 1});
  for (uint32_t block = 0; block < 4; ++block)
    for (int64_t row = block * 16; row < block * 16 + 16; ++row)
      for (const int64_t half : {0, 32}) {
        // each element gets its right neighbour
        recorder.access(4, AccessKind::load, 0, block, 0,
                        [&](int lane) -> int64_t { return half + lane + 1 < 64 ? row * 64 + half + lane + 1 : -1; });
        recorder.access(5, AccessKind::store, 0, block, 0, [&](int lane) { return row * 64 + half + lane; });
      }
  return recorder.result();
}

std::shared_ptr<RunResult> never_written() {
  MatrixRecorder recorder({testing::matrix("in", 64, 64, Role::input), testing::matrix("out", 64, 64, Role::output)},
                          {4, 1, 1}, {32, 1, 1});
  for (uint32_t block = 0; block < 4; ++block)
    recorder.access(4, AccessKind::load, 0, block, 0, [&](int lane) { return int64_t{block} * 64 + lane; });
  return recorder.result();
}

std::shared_ptr<RunResult> many_outputs() {
  std::vector<BufferSpec> buffers;
  buffers.reserve(12);
  for (int i = 0; i < 12; ++i) buffers.push_back(testing::matrix("out" + std::to_string(i), 40, 32, Role::output));
  MatrixRecorder recorder(buffers, {40, 1, 1}, {32, 1, 1});
  for (uint32_t block = 0; block < 40; ++block)
    for (size_t buffer = 0; buffer < buffers.size(); ++buffer)
      recorder.access(4, AccessKind::store, buffer, block, 0, [&](int lane) { return int64_t{block} * 32 + lane; });
  return recorder.result();
}

std::shared_ptr<RunResult> three_dimensions() {
  MatrixRecorder recorder({{.name = "out", .type = DType::f32, .shape = {3, 32, 40}, .role = Role::output}}, {2, 4, 3},
                          {32, 1, 1});
  for (uint32_t block = 0; block < 24; ++block)
    for (int64_t row = 0; row < 8; ++row)
      recorder.access(4, AccessKind::store, 0, block, 0, [&](int lane) -> int64_t {
        const int64_t column = block % 2 * 32 + lane, y = block / 2 % 4 * 8 + row, z = block / 8;
        return column < 40 ? (z * 32 + y) * 40 + column : -1;
      });
  return recorder.result();
}

std::shared_ptr<RunResult> no_elements() {
  MatrixRecorder recorder({{.name = "in", .type = DType::f32, .shape = {0}, .role = Role::input},
                           {.name = "out", .type = DType::f32, .shape = {0, 8}, .role = Role::output}},
                          {2, 1, 1}, {32, 1, 1});
  return recorder.result();
}

TEST_F(ZoomedTiles, EveryKindOfResultDrawsAtEveryLevelInEveryRoom) {
  const std::vector<std::shared_ptr<RunResult>> results{make_transpose(1, 1),
                                                        make_transpose(100, 64),
                                                        make_matmul(40, 72, 24),
                                                        make_matmul(1, 32, 1),
                                                        in_place(),
                                                        never_written(),
                                                        many_outputs(),
                                                        three_dimensions(),
                                                        no_elements(),
                                                        make_vector_add({.n = 1}),
                                                        make_vector_add({.n = 98432, .tiles = 4, .grid_stride = true}),
                                                        make_vector_add({.n = 1 << 20, .access_budget = 1000})};
  for (const auto& one : results)
    for (const bool animate : {false, true})
      for (const TilesLevel level : {TilesLevel::grid, TilesLevel::block, TilesLevel::warp, TilesLevel::lane}) {
        result = one;
        view.animate = animate;
        view.zoom.level = level;
        for (const ImVec2 room : {ImVec2(1104, 520), ImVec2(784, 320), ImVec2(320, 120), ImVec2(40, 20)})
          for (const ImVec2 pointer : {ImVec2(-1, -1), ImVec2(120, 120), ImVec2(700, 150), ImVec2(500, 470)})
            EXPECT_GT(draw(drawing("tiles"), room, pointer), 0);
      }
}

}  // namespace
}  // namespace tilescope
