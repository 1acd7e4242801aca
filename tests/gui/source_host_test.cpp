// The page Host of the source panel: the whole program at the present settings, to copy and to save.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/text_file.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class SourceHostTest : public testing::ScreenTest {
 protected:
  void SetUp() override {
    screen->session.select_lab("hello");
    frames(2);
    click("source.host");
    frames(2);
  }
  /// What the button Copy gives.
  std::string copied() {
    click("program copy");
    const char* text = ImGui::GetClipboardText();
    return text == nullptr ? std::string() : text;
  }
};

TEST_F(SourceHostTest, CopiesTheWholeProgram) {
  const std::string program = copied();
  EXPECT_THAT(program, HasSubstr("__global__ void whole_grid("));
  EXPECT_THAT(program, HasSubstr("whole_grid<<<grid, block>>>(d_a, d_out, n);"));
}

TEST_F(SourceHostTest, FollowsSlidersSwitchesAndRungsBeforeTheyRun) {
  EXPECT_THAT(copied(), HasSubstr("const dim3 grid(40);"));
  screen->session.set_param("BLOCK", 512);
  frames(2);
  EXPECT_THAT(copied(), HasSubstr("const dim3 grid(20);"));
  click("break.NO_CHECK");
  EXPECT_THAT(copied(), Not(HasSubstr("CHECK(cudaGetLastError());")));
  click("break.NO_CHECK");
  click("rung.one-thread");
  EXPECT_THAT(copied(), HasSubstr("one_thread<<<grid, block>>>"));
}

TEST_F(SourceHostTest, AgainShowsTheSource) {
  click("source.host");
  EXPECT_FALSE(screen->marks().contains("program copy"));
  EXPECT_TRUE(screen->marks().contains("source.line.17"));
}

TEST_F(SourceHostTest, SavesTheProgram) {
  const fs::path folder = fs::temp_directory_path() / ("tilescope-host-page-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  setenv("XDG_DOCUMENTS_DIR", folder.c_str(), 1);  // not the documents of the user who runs the tests
  click("source.save");
  const auto text = read_text(folder / "tilescope" / "hello-grid-program.cu");
  unsetenv("XDG_DOCUMENTS_DIR");
  fs::remove_all(folder);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, copied());
}

TEST_F(SourceHostTest, ALinkOfTheLessonOpensItAlsoWhereTheSourceIsHidden) {
  click("source.host");
  screen->view.tab = "lesson";
  screen->toggle_lower();
  frames(3);
  ASSERT_TRUE(screen->view.lower_hidden);
  ASSERT_FALSE(screen->marks().contains("program copy"));
  click("link.source:host");
  frames(2);
  EXPECT_FALSE(screen->view.lower_hidden);
  EXPECT_TRUE(screen->marks().contains("program copy"));
  screen->toggle_lower();
  frames(2);
  EXPECT_TRUE(screen->view.lower_hidden) << "it is shown once, not kept";
}

TEST_F(SourceHostTest, HasAPythonProgramForATritonRung) {
  screen->session.select_lab("vector-add");
  screen->session.select_rung("triton-tile");
  frames(2);
  click("source_page.host");
  frames(2);
  EXPECT_THAT(copied(), HasSubstr("import triton"));
}

}  // namespace
}  // namespace tilescope
