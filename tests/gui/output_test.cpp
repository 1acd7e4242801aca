// A kernel's printf output in the correctness view.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drawn_panel.hpp"

namespace tilescope {
namespace {

class PrintedOutput : public testing::DrawnPanel {
 protected:
  /// Four correct elements and this printed text.
  static std::shared_ptr<const RunResult> run_that_printed(const std::string& text) {
    auto run = std::make_shared<RunResult>();
    run->plan.buffers = {{.name = "out", .type = DType::f32, .shape = {4}, .role = Role::output}};
    run->buffers = {std::make_shared<const HostBuffer>(DType::f32, 4)};
    Correctness check;
    check.buffer = "out";
    check.pass = true;
    check.checked = 4;
    check.expected = {0, 0, 0, 0};
    run->correctness = {check};
    run->output = text;
    return run;
  }

  std::optional<Mark> shown(const std::string& text, ImVec2 size = {900, 700}) {
    result = run_that_printed(text);
    draw(drawing("correctness"), size);
    const auto mark = view.marks.find("output");
    return mark == view.marks.end() ? std::nullopt : std::optional(mark->second);
  }
};

TEST_F(PrintedOutput, HasNoPlaceWhereNothingWasPrinted) { EXPECT_FALSE(shown("").has_value()); }

TEST_F(PrintedOutput, TakesThePlaceOfItsLinesUpToEight) {
  const auto height = [](const std::optional<Mark>& mark) { return mark ? mark->high.y - mark->low.y : 0.0F; };
  std::string text;
  std::vector<float> heights;
  for (int line = 1; line <= 20; ++line) {
    text += "line\n";
    heights.push_back(height(shown(text, {900, 900})));
  }
  EXPECT_GT(heights[0], 0);
  EXPECT_GT(heights[1], heights[0]);
  EXPECT_GT(heights[7], heights[6]);
  EXPECT_EQ(heights[8], heights[7]);
  EXPECT_EQ(heights[19], heights[7]);
}

TEST_F(PrintedOutput, LeavesTheMapsMostOfAShortView) {
  const auto mark = shown(std::string(100, '\n'), {900, 480});
  ASSERT_TRUE(mark);
  EXPECT_LT(mark->high.y - mark->low.y, 240);
}

TEST_F(PrintedOutput, IsDrawnAlsoWhereItIsNoText) {
  const auto mark = shown(std::string("\xff\xfe\0 %s %n\n", 11));
  EXPECT_TRUE(mark.has_value());
}

}  // namespace
}  // namespace tilescope
