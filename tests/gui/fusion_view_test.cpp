// The fusion view: an edited text gives other groups, an error keeps the last graph, loops answer, and everything is
// drawn in both languages.
#include "app/views/fusion/fusion_view.hpp"

#include <gtest/gtest.h>

#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/drawn_texts.hpp"
#include "tests/gui/text_faults.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {
namespace {

const ImVec2 kRoom{1050, 560};

std::string names_of(const FusionGraph& graph) {
  std::string text;
  for (const auto& group : graph.fused.groups) {
    if (!text.empty()) text += " | ";
    for (size_t i = 0; i < group.size(); ++i) text += (i > 0 ? " " : "") + graph.graph.nodes[group[i]].name;
  }
  return text;
}

class FusionScreen : public DrawnPanel {
 protected:
  void SetUp() override {
    DrawnPanel::SetUp();
    session->select_lab("fusion");
  }
  Draw drawing_fusion() {
    return [this](PanelContext& context) { fusion.draw(context); };
  }
  void draw_twice(ImVec2 room = kRoom) {
    draw(drawing_fusion(), room);
    draw(drawing_fusion(), room);
  }
  ImVec2 middle_of(const std::string& name) {
    EXPECT_TRUE(view.marks.contains(name)) << name;
    const Mark& mark = view.marks[name];
    return {(mark.low.x + mark.high.x) / 2, (mark.low.y + mark.high.y) / 2};
  }
  FusionView fusion;
};

TEST_F(FusionScreen, BelongsToTheLabFusionOnly) {
  EXPECT_TRUE(fusion.concerns(*session));
  session->select_lab("softmax");
  EXPECT_FALSE(fusion.concerns(*session));
}

TEST_F(FusionScreen, AnEditChangesTheGroups) {
  draw_twice();
  EXPECT_EQ(names_of(fusion.graph()), "scaled shifted y total");
  fusion.set_graph_text("x: f32[64, 32]\nw: f32[32, 8]\na = relu(x)\nb = matmul(a, w)\nc = gelu(b)\n");
  draw_twice();
  EXPECT_EQ(names_of(fusion.graph()), "a | b c");
  EXPECT_TRUE(view.marks.contains("graph.box.c"));
}

TEST_F(FusionScreen, AnErrorNamesItsLineAndKeepsTheLastGraph) {
  draw_twice();
  fusion.set_graph_text("x: f32[64, 32]\na = relu(x)\nb = add(a, nothing)\n");
  draw_twice();
  ASSERT_TRUE(fusion.graph().problem);
  EXPECT_EQ(fusion.graph().problem->line, 2U);
  EXPECT_TRUE(view.marks.contains("fusion_error"));
  EXPECT_EQ(names_of(fusion.graph()), "scaled shifted y total");
  EXPECT_TRUE(view.marks.contains("graph.box.total"));
  fusion.set_graph_text("x: f32[64, 32]\na = relu(x)\n");
  draw_twice();
  EXPECT_FALSE(fusion.graph().problem);
  EXPECT_EQ(names_of(fusion.graph()), "a");
}

TEST_F(FusionScreen, ShapesThatDoNotMeetAreAnErrorOfTheirLine) {
  draw_twice();
  fusion.set_graph_text("x: f32[64, 32]\ny: f32[64, 31]\n\nz = add(x, y)\n");
  draw_twice();
  ASSERT_TRUE(fusion.graph().problem);
  EXPECT_EQ(fusion.graph().problem->line, 3U);
}

TEST_F(FusionScreen, AnOperatorIsKeptApartByItsButton) {
  draw_twice();
  click(drawing_fusion(), kRoom, middle_of("graph.box.y"));
  draw_twice();
  click(drawing_fusion(), kRoom, middle_of("fusion_apart"));
  draw_twice();
  EXPECT_EQ(names_of(fusion.graph()), "scaled shifted | y | total");
  click(drawing_fusion(), kRoom, middle_of("fusion_apart"));
  draw_twice();
  EXPECT_EQ(names_of(fusion.graph()), "scaled shifted y total");
}

TEST_F(FusionScreen, AnExampleReplacesTheTextAndUndoBringsItBack) {
  draw_twice();
  click(drawing_fusion(), kRoom, middle_of("fusion example 3"));
  draw_twice();
  EXPECT_EQ(names_of(fusion.graph()), "h | total | scaled largest");
}

TEST_F(FusionScreen, LoopsAreJudgedAsTheyAreTyped) {
  fusion.show_page(FusionPage::loops);
  draw_twice();
  EXPECT_TRUE(fusion.loops().fusion.one_kernel());
  EXPECT_TRUE(view.marks.contains("fusion_misses"));
  fusion.set_loops_text("for i in 0..8: y[i] = x[i]\nfor i in 0..8: z[i] = y[i + 1]\n");
  draw_twice();
  EXPECT_FALSE(fusion.loops().fusion.legal());
  EXPECT_FALSE(view.marks.contains("fusion_misses"));
  EXPECT_TRUE(view.marks.contains("fusion_dependences"));
  fusion.set_loops_text("for i in 0..8: y[i] = x[i]\nfor i in 0..8 z[i] = y[i]\n");
  draw_twice();
  ASSERT_TRUE(fusion.loops().problem);
  EXPECT_EQ(fusion.loops().problem->line, 1U);
  EXPECT_FALSE(fusion.loops().fusion.legal()) << "the last nests stay";
}

TEST_F(FusionScreen, EveryPageIsDrawnInBothLanguagesAndSizes) {
  for (const Language language : {Language::en, Language::zh}) {
    strings.language = language;
    for (const ImVec2 room : {kRoom, ImVec2(760, 330)})
      for (const FusionPage page : {FusionPage::graph, FusionPage::loops, FusionPage::cost}) {
        fusion.show_page(page);
        draw_twice(room);
        EXPECT_TRUE(view.marks.contains("fusion_page.0"));
        EXPECT_EQ(view.marks.contains("fusion_bars"), page == FusionPage::cost);
      }
  }
}

TEST_F(FusionScreen, TheCostPageShowsTheTermsOfTheWholeGraph) {
  draw_twice();
  const FusionGraph::Total before = fusion.graph().total(false), after = fusion.graph().total(true);
  EXPECT_EQ(before.launches, 4U);
  EXPECT_EQ(after.launches, 1U);
  const double matrix = 4.0 * 8192 * 4096;
  EXPECT_EQ(before.bytes, 7 * matrix + 4 * (2 * 4096 + 8192));
  EXPECT_EQ(after.bytes, matrix + 4 * (2 * 4096 + 8192));
}

TEST_F(FusionScreen, TheExamplesAreWhatTheirTextsSay) {
  for (const FusionExample& example : graph_examples()) {
    fusion.set_graph_text(example.text);
    draw_twice();
    EXPECT_FALSE(fusion.graph().problem) << example.text;
  }
  EXPECT_EQ(names_of(fusion.graph()), "m | d e | t | out") << "softmax, the last";
  fusion.show_page(FusionPage::loops);
  std::string legal;
  for (const FusionExample& example : loop_examples()) {
    fusion.set_loops_text(example.text);
    draw_twice();
    EXPECT_FALSE(fusion.loops().problem) << example.text;
    legal += fusion.loops().fusion.legal() ? '+' : '-';
  }
  EXPECT_EQ(legal, "++--+");
}

}  // namespace
}  // namespace tilescope::testing
