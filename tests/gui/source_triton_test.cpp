// The source panel with a Triton rung: its Python file beside the CUDA file of the lab, edits of both, and what the
// compiler made of the kernel.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "app/panels/source/source_view.hpp"
#include "engine/sha256.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(SourceKernel, APythonFunctionIsFoundWithItsCommentAndDecorators) {
  const std::vector<std::string> lines{"# add(x) is below",
                                       "@triton.jit",
                                       "def helper(x):",
                                       "    return add(x)",
                                       "",
                                       "# One.",
                                       "@triton.jit",
                                       "def add(x,",
                                       "        y):",
                                       "",
                                       "    return x + helper(y)",
                                       ""};
  const auto kernel = find_kernel(lines, "add", KernelLanguage::triton);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->first, 6U);
  EXPECT_EQ(kernel->signature, 8U);
  EXPECT_EQ(kernel->last, 11U);
  EXPECT_FALSE(find_kernel(lines, "subtract", KernelLanguage::triton));
}

// Lines of the TTGIR of a reduction, as Triton 3.6.0 writes them.
constexpr std::string_view kTtgir = R"(#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32]}>
#loc = loc("/lab/kernels/sum.py":3:0)
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @sum(%x: !tt.ptr<f32> loc("x"(#loc))) {
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #blocked> loc(#loc25)
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32 loc(callsite(#loc8 at #loc17)), %b: f32 loc(callsite(#loc8 at #loc17))):
      tt.reduce.return %a : f32 loc(#loc35)
    }) : (tensor<512xf32, #blocked>) -> f32 loc(#loc35)
    tt.return loc(#loc21)
  } loc(#loc)
} loc(#loc)
#loc8 = loc("/opt/triton/language/standard.py":263:15)
#loc17 = loc("/lab/kernels/sum.py":7:30)
#loc21 = loc("/lab/kernels/sum.py":8:4)
#loc25 = loc("v"(#loc26))
#loc26 = loc("/lab/kernels/sum.py":6:8)
#loc35 = loc(callsite(#loc8 at #loc17))
)";

TEST(SourceTtgir, HasNoLocationsAndTheSourceLineOfEachOperation) {
  const Listing listing = read_mlir(kTtgir, "kernels/sum.py");
  EXPECT_EQ(listing.text.find("loc("), std::string::npos);
  EXPECT_TRUE(listing.text.starts_with("#blocked = "));
  const auto line_at = [&](uint32_t index) {
    size_t begin = 0;
    while (index-- > 0) begin = listing.text.find('\n', begin) + 1;
    return listing.text.substr(begin, listing.text.find('\n', begin) - begin);
  };
  ASSERT_TRUE(listing.first_of(6));
  EXPECT_THAT(line_at(*listing.first_of(6)), HasSubstr("tt.load"));
  // Code of Triton's library belongs to the line that calls it, also where a block is opened.
  ASSERT_TRUE(listing.first_of(7));
  EXPECT_THAT(line_at(*listing.first_of(7)), HasSubstr("tt.reduce"));
  EXPECT_FALSE(listing.first_of(263));
  EXPECT_FALSE(listing.first_of(3)) << "the function as a whole is no line";
}

TEST(SourcePtxOfTriton, InlinedCodeBelongsToTheLineInItsComment) {
  const Listing listing = read_ptx(
      ".visible .entry sum(\n)\n{\n.loc 1 6 8 // sum.py:6:8\nld.global.b32 %r1, [%rd1];\n"
      ".loc 2 263 15 // standard.py:263:15 @[ sum.py:7:30 ]\nadd.f32 %r2, %r1, %r1;\n"
      ".loc 1 2 4 // sum.py:2:4 @[ sum.py:8:1 ]\nmul.f32 %r2, %r1, %r1;\nret;\n}\n"
      ".file 1 \"/lab/kernels/sum.py\"\n.file 2 \"/opt/triton/language/standard.py\"\n",
      "sum", "kernels/sum.py");
  EXPECT_EQ(*listing.first_of(7), *listing.first_of(6) + 1);
  EXPECT_EQ(*listing.first_of(8), *listing.first_of(2)) << "its own line, and the one that calls it";
  EXPECT_FALSE(listing.first_of(263));
}

class TritonSourceTest : public testing::ScreenTest {
 protected:
  const std::optional<std::string>& edited() { return screen->session.request().edited_source; }
  bool has(const std::string& mark) { return screen->marks().contains(mark); }
  void edit(const std::string& text) {
    if (!has("source.edit")) ADD_FAILURE();
    press(Key::e, /*control=*/true);
    frames(2);
    type(text.c_str());
    frames(40);
  }
};

TEST_F(TritonSourceTest, ShowsThePythonFileAtTheKernel) {
  screen->session.select_rung("triton-two-tiles");
  frames(3);
  std::ifstream stream(engine->root() / "kernels" / "elementwise.py");
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto kernel = find_kernel(lines, screen->session.rung().kernels.front(), KernelLanguage::triton);
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(has("source.line." + std::to_string(kernel->signature)));
  EXPECT_TRUE(has("source_page.ttgir"));
  screen->session.select_rung("grid-stride");
  frames(3);
  EXPECT_FALSE(has("source_page.ttgir")) << "a CUDA kernel has none";
}

TEST_F(TritonSourceTest, EachFileKeepsItsOwnEdit) {
  edit("// cuda\n");
  ASSERT_TRUE(edited());
  const std::string cuda = *edited();
  click("rung.triton-tile");
  frames(3);
  EXPECT_FALSE(edited()) << "the edit is not of this file";
  edit("# python\n");
  ASSERT_TRUE(edited());
  const std::string python = *edited();
  EXPECT_THAT(python, HasSubstr("@triton.jit"));
  click("rung.triton-two-tiles");
  frames(3);
  EXPECT_EQ(edited(), python) << "it is the same file";
  click("rung.grid-stride");
  frames(3);
  EXPECT_EQ(edited(), cuda);
  screen->session.select_lab("softmax");
  frames(3);
  EXPECT_TRUE(screen->session.is_edited("vector-add"));
  screen->session.select_lab("vector-add");
  frames(3);
  EXPECT_EQ(edited(), cuda);
  click("rung.triton-tile");
  frames(3);
  EXPECT_EQ(edited(), python);
}

TEST_F(TritonSourceTest, TheLastKeysBeforeAnotherFileAreKept) {
  screen->session.select_rung("triton-tile");
  frames(3);
  press(Key::e, /*control=*/true);
  frames(2);
  type("# typed\n");
  frame();
  ASSERT_FALSE(edited()) << "the pause is not over";
  screen->session.select_rung("grid-stride");
  frames(60);
  EXPECT_FALSE(edited());
  screen->session.select_rung("triton-tile");
  frames(3);
  ASSERT_TRUE(edited());
  EXPECT_THAT(*edited(), HasSubstr("# typed"));
}

TEST_F(TritonSourceTest, EditsOfBothFilesAreThereAtTheNextStart) {
  std::string name = (fs::temp_directory_path() / "tilescope-edits-XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  screen->restore_edits(folder);
  edit("// cuda\n");
  screen->session.select_rung("triton-tile");
  frames(3);
  edit("# python\n");
  ASSERT_TRUE(edited());
  EXPECT_EQ(screen->edits().all().size(), 2U);
  const Fonts fonts = screen->fonts;
  screen.reset();
  screen = std::make_unique<Screen>(engine, testing::shared_strings(), testing::shared_recordings());
  screen->fonts = fonts;
  screen->session.auto_run = false;
  screen->restore_edits(folder);
  screen->session.select_lab("vector-add");
  frames(3);
  ASSERT_TRUE(edited());
  EXPECT_THAT(*edited(), HasSubstr("// cuda"));
  screen->session.select_rung("triton-tile");
  frames(3);
  ASSERT_TRUE(edited());
  EXPECT_THAT(*edited(), HasSubstr("# python"));
  click("source.revert");
  frames(40);
  EXPECT_EQ(screen->edits().all().size(), 1U) << "only the edit of this file is gone";
  screen.reset();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

TEST_F(TritonSourceTest, OnlyRungsOfTheSameFileAreCompared) {
  screen->view.bottom_height = 600;
  screen->session.select_rung("triton-tile");
  frames(3);
  press(Key::d);
  frames(3);
  click("comparison.rung");
  frames(3);
  EXPECT_TRUE(has("source.compare.triton-two-tiles"));
  EXPECT_FALSE(has("source.compare.thread-per-element"));
}

TEST_F(TritonSourceTest, PagesShowWhatTheCompilerMadeOfTheKernel) {
  screen->session.select_rung("triton-tile");
  screen->session.submit();
  ASSERT_TRUE(settle());
  ASSERT_NE(screen->session.result(), nullptr) << (screen->session.error() ? screen->session.error()->message : "");
  for (const char* page : {"ttir", "ttgir", "ptx", "python"}) {
    click(std::string("source_page.") + page);
    frames(3);
    EXPECT_EQ(has("source.line.14"), std::string(page) == "python") << page;
  }
}

TEST_F(TritonSourceTest, AnErrorOfTritonsCompilerIsAtItsPythonLine) {
  screen->session.select_rung("triton-tile");
  screen->session.submit();
  ASSERT_TRUE(settle());
  std::string text = screen->session.result()->plan.source_text;
  const std::string good = "tl.load(a + i, mask=mask)";
  const size_t at = text.find(good);
  ASSERT_NE(at, std::string::npos);
  const auto line =
      static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n')) + 1;
  text.replace(at, good.size(), "tl.load(a + no_such_name, mask=mask)");
  screen->session.set_source(text);
  screen->session.submit();
  ASSERT_TRUE(settle());
  frames(2);
  ASSERT_TRUE(screen->session.error());
  if (screen->session.error()->id == ErrorId::triton_missing) GTEST_SKIP() << screen->session.error()->message;
  const auto errors = compile_errors(screen->session.error());
  ASSERT_FALSE(errors.empty()) << screen->session.error()->message;
  EXPECT_EQ(errors.front().line, line);
  EXPECT_TRUE(is_in_file(errors.front(), "kernels/elementwise.py"));
  EXPECT_TRUE(has("source.error"));
}

TEST_F(TritonSourceTest, SlidersOfTheOtherLanguageAreHidden) {
  EXPECT_TRUE(has("slider.BLOCK"));
  EXPECT_FALSE(has("slider.num_warps"));
  screen->session.select_rung("triton-tile");
  frames(3);
  EXPECT_TRUE(has("slider.BLOCK_SIZE"));
  EXPECT_TRUE(has("slider.num_warps"));
  EXPECT_FALSE(has("slider.BLOCK"));
  EXPECT_FALSE(has("fold.sliders")) << "nothing is folded";
}

}  // namespace
}  // namespace tilescope
