// The source panel and the lesson under keys and pointer, without a window.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "app/panels/source/source_headers.hpp"
#include "engine/compile/used_parts.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;

class SourcePanelTest : public testing::ScreenTest {
 protected:
  const std::optional<std::string>& edited() { return screen->session.request().edited_source; }
  /// Longer than the pause after which an edit is run.
  void wait() { frames(40); }
  std::string line_mark(uint32_t line) { return "source.line." + std::to_string(line); }
  /// The first visible line: where the kernel of the rung begins.
  uint32_t first_line() {
    uint32_t first = 1;
    while (first < 1000 && !screen->marks().contains(line_mark(first))) ++first;
    return first;
  }
};

TEST_F(SourcePanelTest, OpensAtTheKernelOfTheRung) {
  frames(3);
  const uint32_t first = first_line();
  click("rung.grid-stride");
  frames(3);
  EXPECT_GT(first_line(), first);
}

TEST_F(SourcePanelTest, ClickingALineSelectsIt) {
  frames(3);
  const uint32_t line = first_line() + 2;
  click(line_mark(line));
  EXPECT_EQ(screen->view.selection.line, line);
}

TEST_F(SourcePanelTest, ALineSelectedElsewhereIsScrolledTo) {
  screen->view.selection.line = 1;
  frames(3);
  EXPECT_TRUE(screen->marks().contains(line_mark(1)));
}

TEST_F(SourcePanelTest, TypingWithoutEditingChangesNothing) {
  frames(3);
  click(line_mark(first_line()));
  type("x");
  wait();
  EXPECT_FALSE(edited());
}

TEST_F(SourcePanelTest, AnEditIsTakenOverWhenTypingPausesAndRevertTakesItBack) {
  click("source.edit");
  frames(2);
  type("hello");
  EXPECT_FALSE(edited()) << "too early";
  wait();
  ASSERT_TRUE(edited());
  EXPECT_THAT(*edited(), HasSubstr("hello"));
  click("source.revert");
  wait();
  EXPECT_FALSE(edited());
}

TEST_F(SourcePanelTest, DigitsTypedIntoTheSourceDoNotChangeTheTab) {
  click("source.edit");
  frames(2);
  const std::string before = screen->view.tab;
  press(Key::digit_1);
  EXPECT_EQ(screen->view.tab, before);
}

TEST_F(SourcePanelTest, EachLabKeepsItsOwnText) {
  click("source.edit");
  frames(2);
  type("mine");
  wait();
  ASSERT_TRUE(edited());
  click("lab.vector-multiply");
  frames(3);
  EXPECT_FALSE(edited());
  click("lab.vector-add");
  frames(3);
  ASSERT_TRUE(edited());
  EXPECT_THAT(*edited(), HasSubstr("mine"));
}

TEST_F(SourcePanelTest, ASyntaxErrorIsShownAndTheTextBeforeItStays) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  click("source.edit");
  frames(2);
  type("no_such_type x; ");
  wait();
  screen->session.submit();
  ASSERT_TRUE(settle());
  ASSERT_TRUE(screen->session.error());
  EXPECT_EQ(screen->session.error()->id, ErrorId::compile_failed);
  EXPECT_TRUE(screen->marks().contains("source.error"));
}

/// A lab with two rungs whose lines are known: kernels/elementwise.cu.
class ComparisonTest : public SourcePanelTest {
 protected:
  void SetUp() override {
    screen->view.bottom_height = 600;  // a kernel is completely visible
    screen->session.select_rung("tile-per-cta");
    frames(3);
    press(Key::d);
    frames(3);
  }
  /// 1-based lines of a kernel.
  KernelLines lines_of(const std::string& kernel, const std::string& file = "elementwise.cu") {
    std::ifstream stream(engine->root() / "kernels" / file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return find_kernel(lines, kernel).value();
  }
  bool is_there(const std::string& side, uint32_t line) {
    return screen->marks().contains("source." + side + "." + std::to_string(line));
  }
};

TEST_F(ComparisonTest, TheKeyPutsTheRungBeforeItBesideTheShownOne) {
  EXPECT_TRUE(is_there("left", lines_of("thread_per_element").signature));
  EXPECT_TRUE(is_there("right", lines_of("tile_per_cta").signature));
  EXPECT_FALSE(is_there("right", lines_of("thread_per_element").signature));
  press(Key::d);
  frames(3);
  EXPECT_FALSE(is_there("right", lines_of("tile_per_cta").signature));
}

TEST_F(ComparisonTest, AnotherRungCanBeChosenAndIsKeptForItsLab) {
  click("comparison.rung");
  frames(3);
  click("source.compare.grid-stride");
  frames(3);
  EXPECT_TRUE(is_there("right", lines_of("grid_stride").signature)) << "it is the later one";
  EXPECT_TRUE(is_there("left", lines_of("tile_per_cta").signature));
  screen->session.select_lab("transpose");
  frames(3);
  screen->session.select_lab("vector-add");
  frames(3);
  EXPECT_TRUE(is_there("right", lines_of("grid_stride").signature));
  screen->session.select_rung("grid-stride");  // a rung cannot be compared with itself
  frames(3);
  EXPECT_TRUE(is_there("left", lines_of("tiles_per_cta").signature));
}

TEST_F(ComparisonTest, TheFirstRungIsComparedWithTheNextInTheOrderOfTheLadder) {
  screen->session.select_rung("thread-per-element");
  frames(3);
  EXPECT_TRUE(is_there("left", lines_of("thread_per_element").signature));
  EXPECT_TRUE(is_there("right", lines_of("tile_per_cta").signature));
  EXPECT_LT(screen->marks().at("comparison.run").high.x, screen->marks().at("comparison.rung").low.x);
}

TEST_F(ComparisonTest, TheEarlierRungIsAtTheLeftWhicheverRuns) {
  const auto& rungs = screen->session.lab().rungs;
  for (size_t run = 0; run < rungs.size(); ++run)
    for (size_t other = 0; other < rungs.size(); ++other) {
      if (run == other || rungs[run].pick || rungs[other].pick) continue;
      if (!rungs[run].kernel_file.empty() || !rungs[other].kernel_file.empty()) continue;  // not the lab's CUDA file
      SCOPED_TRACE(rungs[run].name + " and " + rungs[other].name);
      screen->session.select_rung(rungs[run].name);
      screen->view.diff_with["vector-add"] = rungs[other].name;
      frames(3);
      EXPECT_TRUE(is_there("left", lines_of(rungs[std::min(run, other)].kernels.front()).signature));
      EXPECT_TRUE(is_there("right", lines_of(rungs[std::max(run, other)].kernels.front()).signature));
      const uint32_t last = lines_of(rungs[std::min(run, other)].kernels.front()).last;
      if (!is_there("left", last)) continue;  // a long kernel
      click("source.left." + std::to_string(last));
      EXPECT_EQ(screen->view.selection.line, lines_of(rungs[run].kernels.front()).last)
          << "both end with a brace: the one that runs is meant";
    }
}

TEST_F(SourcePanelTest, ButtonsStayWhereTheyArePressed) {
  for (const std::string tab : {"tiles", "traffic", "step"})
    for (const Language language : {Language::en, Language::zh}) {
      screen->view.tab = tab;
      screen->strings.language = language;
      frames(3);
      const Marks before = screen->marks();
      for (const char* button : {"source.ptx", "source.diff", "source.edit"}) {
        click(button);
        frames(3);
        for (const char* each : {"source.ptx", "source.edit", "source.diff", "source.maximise"})
          EXPECT_EQ(screen->marks().at(each).low.x, before.at(each).low.x) << each << " after " << button;
        click(button);
        frames(3);
      }
    }
}

TEST_F(ComparisonTest, AClickedLineIsSelectedAndItsEqualMeansTheOneThatRuns) {
  const uint32_t own = lines_of("tile_per_cta").last, other = lines_of("thread_per_element").last;
  click("source.right." + std::to_string(own));
  EXPECT_EQ(screen->view.selection.line, own);
  screen->view.selection.line = 1;
  click("source.left." + std::to_string(other));  // both end with a brace
  EXPECT_EQ(screen->view.selection.line, own);
}

TEST_F(ComparisonTest, PointingAtALineLightsItElsewhere) {
  const uint32_t line = lines_of("tile_per_cta").signature;
  point_at(centre("source.right." + std::to_string(line)));
  frame();
  EXPECT_EQ(screen->view.hover.line, line);
}

TEST_F(ComparisonTest, AFoldOpensAndCloses) {
  screen->session.select_lab("transpose");
  screen->session.select_rung("padded-tile");
  frames(3);
  ASSERT_TRUE(screen->marks().contains("source.fold.1"));
  const uint32_t hidden = lines_of("padded_tile", "transpose.cu").signature + 6;
  for (const bool open : {false, true, false}) {
    EXPECT_EQ(is_there("right", hidden), open);
    click("source.fold.1");
    frames(3);
  }
}

TEST_F(ComparisonTest, EditingPtxAndFindingShowTheSourceAgain) {
  click("source.edit");
  EXPECT_FALSE(screen->view.diff);
  press(Key::d);
  EXPECT_FALSE(screen->view.diff) << "a letter that is typed is no key";
}

TEST_F(ComparisonTest, BesideTheRungThatHasRunIsWhatItsLinesMoved) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.submit();
  ASSERT_TRUE(settle());
  frames(8);
  point_at(centre("source.right." + std::to_string(lines_of("tile_per_cta").signature)));
  for (const auto& row : screen->session.result()->traffic.lines)
    EXPECT_TRUE(row.space != Space::global || is_there("right", row.line)) << row.line;
}

/// A kernel that calls much code in headers.
class HeaderTest : public SourcePanelTest {
 protected:
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
    screen->session.select_lab("matmul-tensor-core");
    screen->session.select_rung("multi-stage");
    screen->session.submit();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(screen->session.result());
    frames(8);
  }
  std::string header_mark(uint32_t line) { return "source.header_line." + std::to_string(line); }
  bool shows_header() {
    return std::ranges::any_of(screen->marks(),
                               [](const auto& one) { return one.first.starts_with("source.header_line."); });
  }
  void choose(const std::string& file) {
    click("pages.choice");
    frames(3);
    click("pages." + file);
    frames(3);
  }
  /// A line of a header with traffic, and one of the lines that called it.
  std::pair<uint32_t, uint32_t> line_with_traffic(std::string_view header) {
    for (const Site& site : screen->session.result()->trace.sites)
      if (site.space == Space::global && site.origin_file.ends_with(header)) return {site.origin_line, site.line};
    return {};
  }
};

TEST_F(HeaderTest, IsChosenUnderTheFilesNameAndLeftAgain) {
  EXPECT_FALSE(shows_header());
  choose("matmul_tiles.cuh");
  EXPECT_TRUE(shows_header());
  choose("matmul_tensor_core.cu");
  EXPECT_FALSE(shows_header());
}

TEST_F(HeaderTest, ALineThatIsSelectedElsewhereIsShownWhereItsAccessStands) {
  const auto [line, caller] = line_with_traffic("matmul_tiles.cuh");
  ASSERT_NE(line, 0U);
  choose("matmul_tiles.cuh");
  screen->view.selection = {};
  frames(8);
  screen->view.selection.line = caller;
  frames(3);
  EXPECT_TRUE(screen->marks().contains(header_mark(line)));
  // A line outside the header brings the file back.
  screen->view.selection = {};
  screen->view.selection.line = 1;
  frames(3);
  EXPECT_FALSE(shows_header());
  EXPECT_TRUE(screen->marks().contains(line_mark(1)));
}

TEST_F(HeaderTest, PressingALineSelectsALineThatCalledIt) {
  const auto [line, caller] = line_with_traffic("matmul_tiles.cuh");
  ASSERT_NE(line, 0U);
  choose("matmul_tiles.cuh");
  frames(8);
  screen->view.selection = {};
  screen->view.selection.line = caller;
  frames(3);
  ASSERT_TRUE(screen->marks().contains(header_mark(line)));
  click(header_mark(line));
  const auto& result = screen->session.result();
  const auto selected = line_of(screen->view.selection, result.get());
  ASSERT_TRUE(selected);
  EXPECT_THAT(callers_of(*result, "matmul_tiles.cuh", line), ::testing::Contains(*selected));
  EXPECT_TRUE(shows_header()) << "the page stays";
}

TEST_F(HeaderTest, LinesThatALessonQuotesAreShownWhereTheyStand) {
  const std::string text = "template <bool ALIGNED>\nstruct Pipeline {";
  screen->view.quote = SourceQuote{"kernels/matmul_tiles.cuh", text};
  frames(3);
  EXPECT_FALSE(screen->view.quote) << "it is taken over";
  EXPECT_EQ(screen->view.header, "matmul_tiles.cuh");
  std::ifstream stream(std::string(TILESCOPE_SOURCE) + "/kernels/matmul_tiles.cuh");
  const std::string header(std::istreambuf_iterator<char>(stream), {});
  const auto at = static_cast<ptrdiff_t>(header.find(text));
  EXPECT_TRUE(screen->marks().contains(
      header_mark(static_cast<uint32_t>(std::count(header.begin(), header.begin() + at, '\n')) + 1)));
  screen->view.quote = SourceQuote{"kernels/matmul_tensor_core.cu", "// ---- Rung 1: mma.sync, with each register"};
  frames(3);
  EXPECT_FALSE(shows_header());
  screen->view.quote = SourceQuote{"kernels/no_such.cuh", "nothing"};
  frames(3);
  EXPECT_FALSE(shows_header()) << "what is not included is passed over";
}

TEST_F(HeaderTest, EditingAndComparingLeaveIt) {
  choose("matmul_tiles.cuh");
  click("source.edit");
  frames(3);
  EXPECT_FALSE(shows_header());
  click("source.edit");
  frames(3);
  choose("matmul_tiles.cuh");
  screen->session.select_rung("ldmatrix");
  frames(3);
  EXPECT_FALSE(shows_header()) << "the kernel of the rung is shown";
}

TEST_F(HeaderTest, AComparisonReachesIntoHeaders) {
  // Only one of the two rungs uses cp_async_commit_group of common.cuh.
  press(Key::d);
  frames(3);
  const Screen& shown = *screen;
  EXPECT_TRUE(shown.view.diff);
  std::ifstream stream(std::string(TILESCOPE_SOURCE) + "/kernels/matmul_tensor_core.cu");
  const auto lines_of_file =
      static_cast<uint32_t>(std::ranges::count(std::string(std::istreambuf_iterator<char>(stream), {}), '\n'));
  // Rows of headers are numbered after those of the file.
  for (int page = 0; page < 60; ++page) {
    for (const auto& [mark, rect] : shown.marks()) {
      if (!mark.starts_with("source.right.")) continue;
      if (static_cast<uint32_t>(std::stoul(mark.substr(13))) > lines_of_file + 1) return;
    }
    ImGui::GetIO().MousePos = centre("comparison.rung");
    ImGui::GetIO().MousePos.y += 200;
    ImGui::GetIO().MouseWheel = -5;
    frame();
    frame();
  }
  FAIL() << "no line of a header";
}

/// A rung that picks a different one.
class PickedRungTest : public ComparisonTest {
 protected:
  void SetUp() override {
    screen->session.select_lab("softmax");
    screen->session.select_rung("auto");
    frames(3);
  }
};

TEST_F(PickedRungTest, TheKernelThatItPicksIsShownBeforeItHasRun) {
  screen->session.set_size("columns", 504);  // short rows: a few lanes hold one
  frames(3);
  EXPECT_TRUE(screen->marks().contains(line_mark(lines_of("several_rows", "softmax.cu").signature)));
  screen->session.set_size("columns", 505);  // not a multiple of the vector width
  frames(3);
  EXPECT_TRUE(screen->marks().contains(line_mark(lines_of("several_rows_by_element", "softmax.cu").signature)));
}

TEST_F(PickedRungTest, IsComparedWithTheRungBeforeThePickedOne) {
  press(Key::d);
  frames(3);
  EXPECT_TRUE(is_there("right", lines_of("several_rows", "softmax.cu").signature) ||
              screen->marks().contains("source.fold.0"));
  EXPECT_EQ(screen->marks().count("comparison.rung"), 1U);
  click("comparison.rung");
  frames(3);
  EXPECT_FALSE(screen->marks().contains("source.compare.several-rows")) << "the picked rung itself";
  EXPECT_FALSE(screen->marks().contains("source.compare.auto"));
  EXPECT_TRUE(screen->marks().contains("source.compare.online"));
}

TEST_F(PickedRungTest, WhatItMovesIsOnLinesOfTheKernelThatItPicked) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  for (const char* lab : {"softmax", "rmsnorm", "layernorm", "reduction-sum"}) {
    SCOPED_TRACE(lab);
    screen->session.select_lab(lab);
    screen->session.select_rung("auto");
    screen->session.submit();
    ASSERT_TRUE(settle());
    const RunResult& result = *screen->session.result();
    std::vector<std::string> kernels;
    for (const Launch& launch : result.plan.launches) kernels.push_back(launch.kernel);
    const auto parts = used_parts(result.plan.source_text, kernels);
    for (const LineTraffic& row : result.traffic.lines) {
      EXPECT_EQ(file_name_of(row.file), find_lab(lab)->kernel_file) << "line " << row.line;
      EXPECT_TRUE(std::ranges::any_of(
          parts, [&](const UsedPart& part) { return row.line >= part.first_line && row.line <= part.last_line; }))
          << "line " << row.line;
    }
  }
}

TEST_F(PickedRungTest, SwitchesOfThePickedRungAreThere) {
  screen->session.select_lab("reduction-sum");
  screen->session.select_rung("auto");
  frames(3);
  ASSERT_NE(screen->session.chosen(), nullptr);
  const std::string picked = screen->session.chosen()->resolved.rung->name;
  for (const BreakIt& one : screen->session.lab().break_it)
    EXPECT_EQ(screen->marks().contains("break." + one.name), one.concerns(picked) || one.concerns("auto")) << one.name;
}

TEST_F(SourcePanelTest, ShowsAPlantedBugAsADifferenceUntilItIsGoneOrTheKernelIsEdited) {
  frames(3);
  EXPECT_FALSE(screen->marks().contains("source.planted"));
  screen->session.set_broken("DROP_MASK", true);
  frames(3);
  EXPECT_TRUE(screen->marks().contains("source.planted"));
  click("source.edit");
  frames(3);
  EXPECT_FALSE(screen->marks().contains("source.planted"));
  click("source.edit");
  frames(3);
  EXPECT_TRUE(screen->marks().contains("source.planted"));
  EXPECT_FALSE(edited()) << "what is shown is no edit";
  screen->session.set_broken("DROP_MASK", false);
  frames(3);
  EXPECT_FALSE(screen->marks().contains("source.planted"));
}

TEST_F(SourcePanelTest, LessonLinksAct) {
  screen->view.tab = "lesson";
  screen->session.select_lab("vector-multiply");
  frames(4);
  click("link.lab:vector-add");
  EXPECT_EQ(screen->session.lab().name, "vector-add");
  screen->view.lesson_anchor = "1-one-thread-per-element";
  screen->session.select_rung("grid-stride");
  frames(4);
  click("link.rung:thread-per-element");
  EXPECT_EQ(screen->session.rung().name, "thread-per-element");
}

TEST_F(SourcePanelTest, TheLessonIsWhereItWasLeft) {
  screen->view.tab = "lesson";
  frames(4);
  ASSERT_TRUE(screen->marks().contains("lesson.outline.exercises"));
  click("lesson.outline.exercises");
  frames(4);
  ASSERT_TRUE(screen->marks().contains("link.set:BLOCK=32"));
  click("lab.vector-multiply");
  frames(4);
  EXPECT_FALSE(screen->marks().contains("link.set:BLOCK=32"));
  click("lab.vector-add");
  frames(4);
  ASSERT_TRUE(screen->marks().contains("link.set:BLOCK=32"));
  click("link.set:BLOCK=32");
  EXPECT_EQ(param("BLOCK"), 32);
  click("language.zh");
  frames(4);
  EXPECT_TRUE(screen->marks().contains("link.set:BLOCK=32")) << "the same place in the other language";
}

}  // namespace
}  // namespace tilescope
