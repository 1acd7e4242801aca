// Which lines of the source are visible, in every lab, at every width, after every change.
#include <gmock/gmock.h>

#include <algorithm>

#include "app/observed/source_model.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

class SourcePlaceTest : public testing::ScreenTest {
 protected:
  /// Whether this part of the source panel is completely visible.
  bool is_seen(const std::string& name) const {
    const Marks& marks = screen->marks();
    const auto found = marks.find(name), text = marks.find("source.text");
    return found != marks.end() && text != marks.end() && found->second.low.y >= text->second.low.y - 0.5F &&
           found->second.high.y <= text->second.high.y + 0.5F;
  }
  bool shows_line(uint32_t line) const { return is_seen("source.line." + std::to_string(line)); }
  /// Rows of the ledger with figures.
  int figures() const {
    return static_cast<int>(std::ranges::count_if(
        screen->marks(), [&](const auto& one) { return one.first.starts_with("ledger.") && is_seen(one.first); }));
  }
  std::optional<uint32_t> selected() const { return line_of(screen->view.selection, screen->session.result().get()); }
  /// Whether a line of the kernel's own file moves global memory.
  bool moves_global_memory(uint32_t line) const {
    const std::string file = source_file_of(screen->session.lab());
    return std::ranges::any_of(screen->session.result()->traffic.lines, [&](const LineTraffic& one) {
      return one.line == line && one.space == Space::global && one.file.ends_with(file);
    });
  }
  /// The first visible line.
  uint32_t first_line() const {
    uint32_t first = 1;
    while (first < 2000 && !shows_line(first)) ++first;
    return first;
  }
  KernelLines kernel_lines() const {
    const std::string source = screen->session.result()->plan.source_text;
    std::vector<std::string> lines;
    for (size_t begin = 0; begin <= source.size();) {
      const size_t end = std::min(source.find('\n', begin), source.size());
      lines.push_back(source.substr(begin, end - begin));
      begin = end + 1;
    }
    return find_body(lines, screen->session.chosen()->kernels.front(), language_of(screen->session.source_file()))
        .value_or(KernelLines{1, 1, 1});
  }
  bool run() {
    screen->session.submit();
    if (!settle() || !screen->session.result()) return false;
    frames(4);
    return true;
  }
  /// What must hold for the traffic view, whatever happened before.
  void expect_ledger(const std::string& what) {
    frames(4);
    SCOPED_TRACE(screen->session.lab().name + " " + screen->session.rung().name + ": " + what);
    const auto line = selected();
    // In a window that is too narrow for the ledger's columns the margin has figures for global memory only.
    const bool of_file = screen->session.result()->plan.source_file == screen->session.source_file();
    const bool has_figures = of_file && (window.x >= 1280 || (line && moves_global_memory(*line)));
    EXPECT_GE(figures(), has_figures ? 1 : 0);
    if (!line) return;
    EXPECT_TRUE(shows_line(*line)) << "line " << *line << ", from " << first_line() << " on";
    // Small windows have at most seven rows, and each line may take three.
    const uint32_t neighbours = window.y > 800 ? 3 : window.y == 800 ? 2 : 1;
    for (uint32_t above = 1; above <= std::min(neighbours, *line - 1); ++above)
      EXPECT_TRUE(shows_line(*line - above)) << "line " << *line << ", from " << first_line() << " on";
  }
  void scroll_source(float wheel) {
    const Mark text = screen->marks().at("source.text");
    ImGui::GetIO().MousePos = {text.low.x + 100, (text.low.y + text.high.y) / 2};
    frame();
    ImGui::GetIO().MouseWheel = wheel;
    frame();
    frames(2);
  }
};

class LedgerOfLab : public SourcePlaceTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(LedgerOfLab, ShowsTheSelectedLineAfterEveryChange) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.select_lab(GetParam());
  ASSERT_TRUE(run()) << (screen->session.error() ? screen->session.error()->message : "");
  if (!screen->session.result()->observed) {  // it opens with a size at which only some blocks are executed
    for (const auto& [name, value] : default_config(screen->session.lab(), DeviceKind::sim).sizes)
      screen->session.set_size(name, value);
    ASSERT_TRUE(run());
  }
  ASSERT_FALSE(screen->session.result()->traffic.lines.empty());
  frames(4);
  screen->view.tab = "traffic";
  expect_ledger("from the tiles");
  for (const std::string tab : {"lesson", "step", "waves", "shared"}) {
    screen->view.tab = tab;
    frames(3);
    screen->view.tab = "traffic";
    expect_ledger("from another view");
  }
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(1440, 900), ImVec2(2560, 1600), ImVec2(1024, 700),
                            ImVec2(1920, 1080), ImVec2(1600, 1000)}) {
    window = size;
    expect_ledger(std::to_string(static_cast<int>(size.x)) + " wide");
  }
  screen->strings.language = Language::zh;
  expect_ledger("in Chinese");
  screen->view.tab = "tiles";
  screen->strings.language = Language::en;
  frames(3);
  screen->view.tab = "traffic";
  expect_ledger("in English");
  screen->view.controls_width = 420;
  expect_ledger("a wider column at the right");
  const auto& rungs = screen->session.lab().rungs;
  screen->session.select_rung(rungs.back().pick && rungs.size() > 1 ? rungs[rungs.size() - 2].name : rungs.back().name);
  frames(3);
  if (!run()) return;  // some of the last rungs need special values
  expect_ledger("another rung");
}

std::vector<std::string> lab_names() {
  std::vector<std::string> names;
  for (const Lab& lab : labs()) names.push_back(lab.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Labs, LedgerOfLab, ::testing::ValuesIn(lab_names()), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_F(SourcePlaceTest, WhatTheLearnerScrolledToStaysThereUntilSomethingElseIsWorthSeeing) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.select_lab("softmax");
  ASSERT_TRUE(run());
  screen->view.tab = "traffic";
  frames(4);
  scroll_source(30);  // to the top
  const uint32_t top = first_line();
  ASSERT_FALSE(shows_line(selected().value_or(0)));
  window = {1920, 1080};
  frames(4);
  EXPECT_EQ(first_line(), top) << "the place is a line: not the pixels, and not the selection";
  window = {1280, 800};
  frames(4);
  EXPECT_EQ(first_line(), top);
  screen->view.tab = "tiles";
  frames(4);
  screen->view.tab = "traffic";
  expect_ledger("the view is opened again");
}

TEST_F(SourcePlaceTest, RowsThatAreWrappedAnewKeepTheLineAtTheTop) {
  screen->session.select_lab("matmul-fp32");
  frames(3);
  scroll_source(-20);
  const uint32_t top = first_line();
  ASSERT_GT(top, 20U);
  for (const float width : {1440.0F, 2560.0F, 1600.0F}) {
    window.x = width;
    frames(3);
    EXPECT_NEAR(first_line(), top, 1) << width;
  }
}

TEST_F(SourcePlaceTest, AChosenRungShowsTheHeadOfItsKernel) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  size_t turn = 0;
  for (const char* lab : {"matmul-fp32", "softmax", "attention", "matmul-tensor-core"}) {
    screen->session.select_lab(lab);
    frames(3);
    for (const Rung& rung : values_in_turn(screen->session.lab().rungs, turn++, 3)) {
      SCOPED_TRACE(std::string(lab) + " " + rung.name);
      screen->view.tab = "tiles";
      screen->session.select_rung(rung.name);
      frames(3);
      scroll_source(-3);  // like a user who has scrolled
      screen->session.submit();
      if (!settle() || !screen->session.result()) continue;
      if (screen->session.result()->request.rung != rung.name || screen->session.error()) continue;
      frames(8);
      const KernelLines kernel = kernel_lines();
      const auto line = selected();
      const bool inside = line && kernel.contains(*line);
      if (inside) {
        EXPECT_TRUE(shows_line(*line));
      }
      const std::string next = screen->session.lab().rungs.front().name;
      if (next == rung.name) continue;
      screen->session.select_rung(next);
      frames(3);
      screen->session.select_rung(rung.name);
      frames(3);
      // A long kernel shows the view's line if there is no room for both.
      EXPECT_TRUE(shows_line(kernel.signature) || (inside && shows_line(*line))) << "from " << first_line();
      screen->view.selection = {};
      frames(3);
      screen->session.select_rung(next);
      frames(3);
      screen->session.select_rung(rung.name);
      frames(3);
      EXPECT_TRUE(shows_line(kernel.signature)) << "from " << first_line();
    }
  }
}

TEST_F(SourcePlaceTest, AResultThatComesWhileAnotherViewIsShownIsNoChoice) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.select_lab("matmul-fp32");
  screen->session.select_rung("double-buffered");
  screen->view.tab = "lesson";
  ASSERT_TRUE(run());
  frames(20);
  screen->view.tab = "tiles";  // selects a line in a helper of the kernel
  frames(8);
  EXPECT_TRUE(shows_line(kernel_lines().signature)) << "from " << first_line();
}

TEST_F(SourcePlaceTest, AClickDoesNotMoveTheTextAndItsLineStaysInSight) {
  screen->session.select_lab("matmul-fp32");
  frames(3);
  const uint32_t top = first_line();
  click("source.line." + std::to_string(top));
  frames(3);
  EXPECT_EQ(first_line(), top);
  const uint32_t line = top + 6;
  click("source.line." + std::to_string(line));
  frames(2);
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(1600, 1000)}) {
    window = size;
    frames(3);
    EXPECT_TRUE(shows_line(line));
  }
}

}  // namespace
}  // namespace tilescope
