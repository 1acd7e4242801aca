// The operator view: each way shows its code or why there is none, a recording becomes graphs and a table, an export
// writes a folder, and everything is drawn in both languages.
#include "app/views/operator/operator_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "app/draw/text.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const ImVec2 kOperatorRoom{1050, 560};

OperatorRecording made_up_recording() {
  const auto variant = [](std::string name, std::string language, int64_t breaks, std::vector<std::string> graphs) {
    OperatorVariant one{.variant = std::move(name), .language = std::move(language), .graph_breaks = breaks};
    one.captured = std::move(graphs);
    one.lowered = {"class GraphModule:\n    lowered = " + one.variant};
    one.kernels = 3;
    one.call_us = 12.34;
    return one;
  };
  OperatorRecording recording{.lab = "pytorch-op", .date = "2026-01-02T03:04:05", .gpu = "a GPU", .torch = "2.11"};
  recording.variants = {variant("eager", "pytorch", 0, {"silu = eager"}),
                        variant("launch", "cuda", 1, {"silu = before", "mul = after"}),
                        variant("custom_op", "cuda", 0, {"torch.ops.tilescope.add_rmsnorm.default"})};
  recording.variants[1].reasons = {"a call of ctypes"};
  return recording;
}

class OperatorScreen : public DrawnPanel {
 protected:
  void SetUp() override {
    DrawnPanel::SetUp();
    session->select_lab("pytorch-op");
  }
  Draw drawing_operator() {
    return [this](PanelContext& context) { shown.draw(context); };
  }
  void draw_twice(ImVec2 room = kOperatorRoom) {
    draw(drawing_operator(), room);
    for (int frame = 0; frame < 1000 && shown.files().pending(); ++frame) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      draw(drawing_operator(), room);
    }
    draw(drawing_operator(), room);
  }
  void click_on(const std::string& name) {
    ASSERT_TRUE(view.marks.contains(name)) << name;
    const Mark mark = view.marks[name];
    click(drawing_operator(), kOperatorRoom, {(mark.low.x + mark.high.x) / 2, (mark.low.y + mark.high.y) / 2});
    draw_twice();
  }
  std::vector<std::string> drawn() {
    std::vector<DrawnText> recorded;
    record_texts(&recorded);
    draw(drawing_operator(), kOperatorRoom);
    record_texts(nullptr);
    std::vector<std::string> texts;
    for (const DrawnText& text : recorded) texts.push_back(text.text);
    return texts;
  }
  OperatorView shown;
};

TEST_F(OperatorScreen, BelongsToLabsThatAreExported) {
  for (const auto& [lab, is_exported] : {std::pair{"pytorch-op", true}, {"gelu", true}, {"attention", false}}) {
    session->select_lab(lab);
    EXPECT_EQ(shown.concerns(*session), is_exported) << lab;
  }
}

TEST_F(OperatorScreen, AWayShowsItsCodeAndItsMarkedLines) {
  draw_twice();
  ASSERT_NE(shown.files().folder(), nullptr);
  EXPECT_TRUE(view.marks.contains("operator_code"));
  click_on("operator way library");
  EXPECT_THAT(shown.files().folder()->find("torch_op.py")->text, HasSubstr("\"FRAGMENT\""));
  EXPECT_TRUE(is_operator_line("definitions.define(\"add_rmsnorm\" + SCHEMA)"));
  EXPECT_FALSE(is_operator_line("    return out, hidden"));
}

TEST_F(OperatorScreen, ATritonOpOfACudaRungSaysWhy) {
  draw_twice();
  click_on("operator way triton_op");
  EXPECT_EQ(shown.files().folder(), nullptr);
  EXPECT_TRUE(view.marks.contains("operator_problem"));
  EXPECT_FALSE(view.marks.contains("operator_code"));
  session->select_rung("triton-fused");
  draw_twice();
  EXPECT_TRUE(view.marks.contains("operator_code"));
}

TEST_F(OperatorScreen, CodeFollowsTheSettings) {
  draw_twice();
  EXPECT_THAT(shown.files().folder()->find("torch_op.py")->text, HasSubstr("(rows, 1, 1), (128, 1, 1)"));
  session->set_param("BLOCK", 512);
  draw_twice();
  EXPECT_THAT(shown.files().folder()->find("torch_op.py")->text, HasSubstr("(rows, 1, 1), (512, 1, 1)"));
}

TEST_F(OperatorScreen, ARecordingBecomesATableWithItsBadge) {
  draw_twice();
  shown.show_recording(made_up_recording(), Badge::recorded);
  shown.show_page(OperatorPage::cost);
  draw_twice();
  EXPECT_TRUE(view.marks.contains("operator_row_3"));
  EXPECT_FALSE(view.marks.contains("operator_row_4"));
  const std::vector<std::string> texts = drawn();
  EXPECT_THAT(texts, ::testing::Contains("12.3"));
  EXPECT_THAT(texts, ::testing::Contains("custom_op (cuda)"));
  EXPECT_THAT(texts, ::testing::Contains("RECORDED"));
}

TEST_F(OperatorScreen, GraphsOfTwoWaysStandSideBySideWithTheirBreaks) {
  draw_twice();
  shown.show_recording(made_up_recording(), Badge::measured);
  shown.show_page(OperatorPage::graphs);
  draw_twice();
  EXPECT_TRUE(view.marks.contains("operator_graph_1"));
  EXPECT_TRUE(view.marks.contains("operator_graph_2"));
  click_on("operator variant 1 2");
  EXPECT_THAT(drawn(), ::testing::Contains(HasSubstr("Graph breaks: 1; graphs: 2. a call of ctypes")));
}

TEST_F(OperatorScreen, AnExportWritesTheFolder) {
  if (!session->engine().compiler()) GTEST_SKIP() << session->engine().compiler().error().message;
  const fs::path folder = fs::temp_directory_path() / ("tilescope-export-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  draw_twice();
  shown.set_folder(folder.string());
  click_on("operator_export");
  for (int frame = 0; frame < 600 && shown.said().empty(); ++frame) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    draw_twice();
  }
  EXPECT_THAT(shown.said(), HasSubstr(folder.string()));
  EXPECT_TRUE(fs::exists(folder / "kernel.ptx"));
  EXPECT_TRUE(fs::exists(folder / "test_operator.py"));
  fs::remove_all(folder);
}

TEST_F(OperatorScreen, EveryPageIsDrawnInBothLanguagesAndSizes) {
  for (const Language language : {Language::en, Language::zh})
    for (const ImVec2 room : {kOperatorRoom, ImVec2{560, 420}, ImVec2{330, 300}})
      for (const OperatorPage page : {OperatorPage::code, OperatorPage::graphs, OperatorPage::cost}) {
        strings.language = language;
        draw_twice(room);
        shown.show_recording(made_up_recording(), Badge::recorded);
        shown.show_page(page);
        draw_twice(room);
        EXPECT_GT(draw(drawing_operator(), room), 0);
      }
}

}  // namespace
}  // namespace tilescope::testing
