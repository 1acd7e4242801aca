// The tape view: an edited program gives a different picture, an error keeps the last one, boxes show their kernels,
// and everything is drawn in both languages.
#include "app/views/tape/tape_view.hpp"

#include <gtest/gtest.h>

#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/drawn_texts.hpp"
#include "tests/gui/text_faults.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {
namespace {

const ImVec2 kRoom{1100, 620};

class TapeScreen : public DrawnPanel {
 protected:
  void SetUp() override {
    DrawnPanel::SetUp();
    session->select_lab("autograd");
    choose("chain", 0);
    draw_twice();  // the text of the rung is taken over, and stays until the learner changes it
  }
  void choose(const std::string& rung, int64_t save) {
    Request request = session->request();
    request.rung = rung;
    request.config.params["SAVE"] = save;
    session->set_request(request);
  }
  Draw drawing_tape() {
    return [this](PanelContext& context) { tape.draw(context); };
  }
  void draw_twice(ImVec2 room = kRoom) {
    draw(drawing_tape(), room);
    draw(drawing_tape(), room);
  }
  ImVec2 middle_of(const std::string& name) {
    EXPECT_TRUE(view.marks.contains(name)) << name;
    const Mark& mark = view.marks[name];
    return {(mark.low.x + mark.high.x) / 2, (mark.low.y + mark.high.y) / 2};
  }
  size_t lines_to(TapeBox::Kind kind, const std::string& title) const {
    const TapePicture& picture = tape.picture();
    return static_cast<size_t>(std::ranges::count_if(picture.lines, [&](const TapeLine& line) {
      return picture.boxes[line.to].kind == kind && picture.boxes[line.to].title == title;
    }));
  }
  size_t shown_nodes() const { return tape.shown().tape.program.nodes.size(); }
  TapeView tape;
};

TEST_F(TapeScreen, BelongsToTheLabAutogradOnly) {
  EXPECT_TRUE(tape.concerns(*session));
  session->select_lab("softmax");
  EXPECT_FALSE(tape.concerns(*session));
}

TEST_F(TapeScreen, TheTextIsTheProgramOfTheRungAndWhatItKeeps) {
  draw_twice();
  EXPECT_EQ(shown_nodes(), 5U);
  EXPECT_EQ(tape.shown().tape.recomputations(), 0U);
  choose("gelu", 0);
  draw_twice();
  EXPECT_EQ(shown_nodes(), 1U);
  choose("chain", 2);
  draw_twice();
  EXPECT_EQ(tape.shown().tape.recomputations(), 4U);
}

TEST_F(TapeScreen, AGradientOfTwoPartsHasTwoLinesOfWhichOneAdds) {
  draw_twice();
  EXPECT_EQ(lines_to(TapeBox::Kind::gradient, "dx"), 2U);
  EXPECT_EQ(lines_to(TapeBox::Kind::gradient, "dw"), 1U);
  EXPECT_EQ(std::ranges::count(tape.picture().lines, true, &TapeLine::adds), 1);
}

TEST_F(TapeScreen, WhatIsSavedGoesFromItsForwardBoxToItsBackwardBox) {
  draw_twice();
  std::vector<std::string> saved;
  for (const TapeLine& line : tape.picture().lines)
    if (line.style == TapeLine::Style::saved)
      saved.push_back(tape.picture().boxes[line.from].title + " > " + tape.picture().boxes[line.to].title);
  const std::vector<std::string> expected{"r = add(a, x) > layernorm′", "y = layernorm(r, …) > layernorm′",
                                          "h = add(p, b) > gelu′", "a = gelu(h) > gelu′"};
  EXPECT_EQ(saved, expected);
}

TEST_F(TapeScreen, BoxesDoNotOverlapAndLinesStayInThePicture) {
  for (const char* text : {"x: matrix\nh = mul(x, x)\nk = add(h, x)\nz = mul(k, h)\ny = add(z, x)\n",
                           "a, b, c, d: matrix\ng, e: vector\np = mul(a, b)\nq = mul(c, d)\nr = add(p, q)\n"
                           "n = layernorm(r, g, e)\nm = layernorm(n, g, e)\ny = add(m, p)\n"}) {
    tape.set_text(text);
    draw_twice();
    ASSERT_FALSE(tape.shown().error) << tape.shown().error->message;
    const TapePicture& picture = tape.picture();
    for (size_t i = 0; i < picture.boxes.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const TapeBox &one = picture.boxes[i], &other = picture.boxes[j];
        const bool apart = one.high.x <= other.low.x || other.high.x <= one.low.x || one.high.y <= other.low.y ||
                           other.high.y <= one.low.y;
        EXPECT_TRUE(apart) << one.title << " and " << other.title << " in\n" << text;
      }
    for (const TapeLine& line : picture.lines)
      for (const TapePoint& point : line.points) {
        EXPECT_TRUE(point.x >= 0 && point.x <= picture.width && point.y >= 0 && point.y <= picture.height) << text;
      }
  }
}

TEST_F(TapeScreen, AnErrorNamesItsLineAndKeepsTheLastProgram) {
  draw_twice();
  tape.set_text("x: matrix\ny = relu(z)\n");
  draw_twice();
  ASSERT_TRUE(tape.shown().error);
  EXPECT_EQ(tape.shown().line, 1U);
  EXPECT_TRUE(view.marks.contains("tape_error"));
  EXPECT_EQ(shown_nodes(), 5U);
  tape.set_text("x: matrix\ny = relu(x)\n");
  draw_twice();
  EXPECT_FALSE(tape.shown().error);
  EXPECT_EQ(shown_nodes(), 1U);
}

TEST_F(TapeScreen, APressedBoxShowsItsKernel) {
  draw_twice();
  click(drawing_tape(), kRoom, middle_of("tape_box backward a"));
  ASSERT_TRUE(view.quote);
  EXPECT_EQ(view.quote->file, "kernels/autograd.cu");
  EXPECT_EQ(view.quote->text, "extern \"C\" __global__ void gelu_backward_saved(");
  click(drawing_tape(), kRoom, middle_of("tape_box forward h"));
  ASSERT_TRUE(view.quote);
  EXPECT_EQ(view.quote->text, "extern \"C\" __global__ void add(");
}

TEST_F(TapeScreen, ButtonsChangeTheProgramAndWhatItKeeps) {
  draw_twice();
  click(drawing_tape(), kRoom, middle_of("tape save checkpoint"));
  draw_twice();
  EXPECT_EQ(tape.shown().tape.saved_bytes(40, 200), 0);
  EXPECT_EQ(tape.shown().tape.recomputations(), 4U);
  click(drawing_tape(), kRoom, middle_of("tape example layernorm"));
  draw_twice();
  EXPECT_EQ(shown_nodes(), 1U);
}

TEST_F(TapeScreen, EveryGradientAgreesWithItsDifferences) {
  for (const TapeExample& example : tape_examples()) {
    tape.set_text(example.text);
    draw_twice();
    EXPECT_FALSE(tape.shown().checked.empty());
    for (const CheckedGradient& one : tape.shown().checked) {
      EXPECT_LT(one.deviation, 1e-7) << example.rung << " " << one.name;
      EXPECT_TRUE(view.marks.contains("tape_gradient " + one.name)) << example.rung;
    }
  }
}

TEST_F(TapeScreen, ALongProgramScrollsAndCutsNoText) {
  std::string text = "x: matrix\nv0 = gelu(x)\n";
  for (int i = 1; i < 30; ++i) text += fmt::format("v{} = mul(v{}, x)\n", i, i - 1);
  tape.set_text(text);
  std::vector<DrawnText> texts;
  draw_twice();
  record_texts(&texts);
  draw(drawing_tape(), kRoom);
  record_texts(nullptr);
  EXPECT_EQ(shown_nodes(), 30U);
  for (const std::string& fault : faults_of(texts)) ADD_FAILURE() << fault;
}

TEST_F(TapeScreen, IsDrawnInBothLanguagesAndSizesWithoutFaults) {
  for (const Language language : {Language::en, Language::zh}) {
    strings.language = language;
    for (const int64_t save : {0, 1, 2})
      for (const ImVec2 room : {kRoom, ImVec2(760, 330)}) {
        choose("chain", save);
        std::vector<DrawnText> texts;
        draw_twice(room);
        record_texts(&texts);
        draw(drawing_tape(), room);
        record_texts(nullptr);
        EXPECT_TRUE(view.marks.contains("tape_sum"));
        EXPECT_TRUE(view.marks.contains("tape_picture"));
        for (const std::string& fault : faults_of(texts)) ADD_FAILURE() << save << ": " << fault;
      }
  }
}

}  // namespace
}  // namespace tilescope::testing
