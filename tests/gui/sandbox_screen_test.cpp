// A user's own file under pointer and keys, without a window.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "app/panels/controls/sandbox_fields.hpp"
#include "app/window/file_dialog.hpp"
#include "tests/app/host_programs.hpp"
#include "tests/app/sandbox_kernels.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using namespace testing;  // NOLINT: the fixture and the kernels
using ::testing::ElementsAre;

class SandboxScreenTest : public ScreenTest {
 protected:
  SandboxScreenTest() {
    folder = own_test_folder();
    write("saxpy.cu", kSaxpy);
    write("two.cu", std::string(kMatmul) + kScale);
    fs::create_directory(folder / "deeper");
    write("deeper/hello.cu", kHello);
    write("notes.txt", "no kernel");
  }
  ~SandboxScreenTest() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  bool until(const std::function<bool()>& so) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::seconds(30)) {
      frame();
      if (so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }
  bool shows(const std::string& name) {
    return until([&] { return screen->sandbox.is_shown(screen->session) && screen->sandbox.file() == folder / name; });
  }
  bool open(const std::string& name) {
    screen->open_file(folder / name);
    return shows(name);
  }
  void type_into(const std::string& field, const char* text) {
    click("field." + field);
    frames(2);
    type(text);  // replaces the selected old text
    frames(2);
  }
  bool has_mark(const std::string& name) { return screen->marks().contains(name); }

  fs::path folder;
};

TEST_F(SandboxScreenTest, TheRailOpensTheDialogAndTheDialogAFile) {
  click("own.open");
  frames(2);
  ASSERT_TRUE(has_mark("dialog.path"));
  ImGui::GetIO().KeyCtrl = false;
  type((folder.string() + "/sax").c_str());
  frames(3);
  press(Key::escape);
  EXPECT_FALSE(has_mark("dialog.path"));
}

TEST_F(SandboxScreenTest, FoldersAreEnteredAndFilesOpenedByClicks) {
  ASSERT_TRUE(open("saxpy.cu"));  // the dialog begins in the folder of the newest file
  press(Key::o, /*control=*/true);
  ASSERT_TRUE(until([&] { return has_mark("dialog.entry.deeper"); }));
  EXPECT_TRUE(has_mark("dialog.entry.two.cu"));
  EXPECT_FALSE(has_mark("dialog.entry.notes.txt"));
  click("dialog.entry.deeper");
  ASSERT_TRUE(until([&] { return has_mark("dialog.entry.hello.cu"); }));
  click("dialog.entry.hello.cu");
  EXPECT_TRUE(shows("deeper/hello.cu"));
  EXPECT_FALSE(has_mark("dialog.path"));
}

TEST_F(SandboxScreenTest, WhatIsTypedGoesOnFromTheFolderAndEnterOpens) {
  ASSERT_TRUE(open("saxpy.cu"));
  click("own.open");
  ASSERT_TRUE(until([&] { return has_mark("dialog.entry.two.cu"); }));
  type("tw");
  ASSERT_TRUE(until([&] { return !has_mark("dialog.entry.saxpy.cu"); }));
  EXPECT_TRUE(has_mark("dialog.entry.two.cu"));
  press(Key::enter);
  EXPECT_TRUE(shows("two.cu"));
}

TEST_F(SandboxScreenTest, TheRailListsFilesInAnOrderThatStaysAndGoesBackToThem) {
  ASSERT_TRUE(open("saxpy.cu"));
  ASSERT_TRUE(open("two.cu"));
  frames(2);
  const std::vector<fs::path> listed = screen->sandbox.listed();
  EXPECT_THAT(listed, ElementsAre(folder / "saxpy.cu", folder / "two.cu"));
  click("own.1");
  EXPECT_TRUE(shows("saxpy.cu"));
  frames(2);
  EXPECT_EQ(screen->sandbox.listed(), listed);  // though the file is the newest now
  EXPECT_EQ(screen->sandbox.recent().front(), folder / "saxpy.cu");
  click("lab.vector-add");
  frames(2);
  EXPECT_EQ(screen->session.lab().name, "vector-add");
  EXPECT_TRUE(has_mark("rung.grid-stride"));
}

TEST_F(SandboxScreenTest, TheCrossTakesAFileOffTheListAndLeavesItOnTheDisk) {
  ASSERT_TRUE(open("saxpy.cu"));
  ASSERT_TRUE(open("two.cu"));
  frames(2);
  click("own.1.remove");
  frames(2);
  EXPECT_THAT(screen->sandbox.listed(), ElementsAre(folder / "two.cu"));
  EXPECT_TRUE(fs::exists(folder / "saxpy.cu"));
  EXPECT_THAT(screen->message, ::testing::HasSubstr("saxpy.cu"));
  EXPECT_EQ(screen->sandbox.file(), folder / "two.cu");
  // The file that is shown: this returns to the previous lab, unless something is unsaved.
  screen->session.set_source(std::string("// mine\n") + kMatmul);
  frames(2);
  click("own.1.remove");
  frames(2);
  EXPECT_EQ(screen->sandbox.listed().size(), 1U);
  screen->session.set_source(std::nullopt);
  frames(2);
  click("own.1.remove");
  frames(3);
  EXPECT_TRUE(screen->sandbox.listed().empty());
  EXPECT_EQ(screen->session.lab().name, "vector-add");
  EXPECT_TRUE(fs::exists(folder / "two.cu"));
}

TEST_F(SandboxScreenTest, ARightClickOffersWhatCanBeDoneWithTheFile) {
  ASSERT_TRUE(open("saxpy.cu"));
  frames(2);
  point_at(centre("own.1"));
  ImGui::GetIO().MouseDown[1] = true;
  frame();
  ImGui::GetIO().MouseDown[1] = false;
  frames(3);
  ASSERT_TRUE(has_mark("rail.copy_path"));
  click("rail.remove");
  frames(2);
  EXPECT_TRUE(screen->sandbox.listed().empty());
  EXPECT_TRUE(fs::exists(folder / "saxpy.cu"));
}

TEST_F(SandboxScreenTest, AFileThatCannotRunSaysWhatIsWrongWhereTheViewIs) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  write("broken.cu", "\n__global__ void k(float* x) {\n  x[0] = nothing_of_that_name;\n}\n");
  write("none.cu", "int main() { return 0; }\n");
  for (const char* name : {"broken.cu", "none.cu"}) {
    ASSERT_TRUE(open(name));
    screen->session.submit();
    ASSERT_TRUE(settle());
    for (const ViewSpec& view : views()) {
      if (screen->views().at(view.name).needs_no_run()) continue;
      screen->view.tab = view.name;
      frames(2);
      EXPECT_TRUE(has_mark("view.trouble")) << name << " " << view.name;
    }
  }
  ASSERT_TRUE(open("broken.cu"));
  screen->session.submit();
  ASSERT_TRUE(settle());
  click("view.trouble");
  EXPECT_EQ(screen->view.selection.line, 3U);
  ASSERT_TRUE(open("saxpy.cu"));
  screen->session.submit();
  ASSERT_TRUE(settle());
  EXPECT_FALSE(has_mark("view.trouble"));
}

TEST_F(SandboxScreenTest, AChangeOnDiskBesideEditsIsToldAtTheSourceWithTwoChoices) {
  for (const char* chosen : {"conflict.mine", "conflict.disk"}) {
    write("saxpy.cu", kSaxpy);
    ASSERT_TRUE(open("saxpy.cu"));
    const std::string mine = std::string("// mine\n") + kSaxpy, theirs = std::string("// theirs\n") + kSaxpy;
    screen->session.set_source(mine);
    frames(2);
    EXPECT_FALSE(has_mark("source.conflict"));
    write("saxpy.cu", theirs);
    ASSERT_TRUE(until([&] { return has_mark("source.conflict"); }));
    frames(2);
    EXPECT_THAT(screen->message, ::testing::HasSubstr("saxpy.cu"));
    click(chosen);
    frames(3);
    EXPECT_FALSE(has_mark("source.conflict"));
    const auto& edited = screen->session.request().edited_source;
    EXPECT_EQ(edited.has_value(), std::string(chosen) == "conflict.mine");
    EXPECT_EQ(edited.value_or(mine), mine);
    EXPECT_EQ(screen->session.lab().source_text, theirs);
    screen->session.set_source(std::nullopt);
    frames(2);
    ASSERT_TRUE(open("two.cu"));
  }
}

TEST_F(SandboxScreenTest, FieldsSayWhereTheyComeFrom) {
  write("program.cu", kVectorAddProgram);
  ASSERT_TRUE(open("program.cu"));
  frames(2);
  ASSERT_TRUE(has_mark("sandbox.launch"));
  const KernelForm& form = screen->sandbox.form();
  EXPECT_THAT(origin_text(screen->strings, form, "grid.x"), ::testing::HasSubstr("main(), line 17"));
  EXPECT_THAT(origin_text(screen->strings, form, "a.shape"), ::testing::HasSubstr("main(), line 13"));
  click("sandbox.launch");
  EXPECT_EQ(screen->view.selection.line, 18U);
  type_into("grid.x", "7");
  EXPECT_THAT(origin_text(screen->strings, screen->sandbox.form(), "grid.x"), ::testing::HasSubstr("ceil(n/block.x)"));
}

TEST_F(SandboxScreenTest, ARunWithoutFindingsSaysSoAndThatTheyAreGone) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.select_lab("vector-add");
  screen->session.submit();
  ASSERT_TRUE(settle());
  EXPECT_TRUE(has_mark("card.no_findings"));
  const float plain = screen->marks().at("card.no_findings").high.y - screen->marks().at("card.no_findings").low.y;
  screen->session.set_broken(screen->session.lab().break_it.front().name, true);
  screen->session.submit();
  ASSERT_TRUE(settle());
  ASSERT_FALSE(screen->session.result()->findings.empty());
  EXPECT_FALSE(has_mark("card.no_findings"));
  screen->session.set_broken(screen->session.lab().break_it.front().name, false);
  screen->session.submit();
  ASSERT_TRUE(settle());
  ASSERT_TRUE(has_mark("card.no_findings"));
  // The card has one line more.
  EXPECT_GT(screen->marks().at("card.no_findings").high.y - screen->marks().at("card.no_findings").low.y, plain);
}

TEST_F(SandboxScreenTest, SavingTellsTheWholePathAndSavesOverItsOwnCopy) {
  setenv("XDG_DOCUMENTS_DIR", folder.c_str(), 1);
  screen->session.select_lab("vector-add");
  frames(2);
  for (const char* text : {"// one\n", "// two\n"}) {
    screen->session.set_source(text);
    frames(2);
    click("source.save");
    frames(2);
    const std::string file = (folder / "tilescope" / "elementwise-").string();
    EXPECT_THAT(screen->message, ::testing::HasSubstr(file));
  }
  size_t copies = 0;
  for (const auto& entry : fs::directory_iterator(folder / "tilescope"))
    copies += entry.path().extension() == ".cu" ? 1 : 0;
  EXPECT_EQ(copies, 1U);
  unsetenv("XDG_DOCUMENTS_DIR");
}

TEST_F(SandboxScreenTest, SavingAnOwnFileSaysSavedAlsoWhileItDoesNotCompile) {
  ASSERT_TRUE(open("saxpy.cu"));
  screen->session.set_source("__global__ void broken(\n");
  screen->session.submit();
  ASSERT_TRUE(settle());
  ASSERT_TRUE(has_mark("source.save"));
  click("source.save");
  frames(2);
  EXPECT_THAT(screen->message, ::testing::HasSubstr("Saved saxpy.cu"));
}

TEST_F(SandboxScreenTest, TheCommandLineIsThereForLabsToo) {
  frames(2);
  EXPECT_TRUE(has_mark("sandbox.copy"));
}

TEST_F(SandboxScreenTest, AFieldThatIsWrongSaysSoBelowItself) {
  ASSERT_TRUE(open("saxpy.cu"));
  frames(2);
  EXPECT_FALSE(has_mark("problem.grid.x"));
  type_into("grid.x", "0");
  EXPECT_EQ(screen->sandbox.form().text("grid.x"), "0");
  ASSERT_TRUE(has_mark("problem.grid.x"));
  EXPECT_GT(screen->marks().at("problem.grid.x").low.y, screen->marks().at("field.grid.x").low.y);
  type_into("grid.x", "n/");
  EXPECT_TRUE(has_mark("problem.grid.x"));
  type_into("grid.x", "4");
  EXPECT_FALSE(has_mark("problem.grid.x"));
}

TEST_F(SandboxScreenTest, KernelsRolesAndTypesAreChosenFromLists) {
  ASSERT_TRUE(open("two.cu"));
  frames(2);
  EXPECT_EQ(screen->sandbox.kernel(), "matmul");
  click("field.kernel");
  frames(2);
  click("choice.kernel.scale");
  ASSERT_TRUE(until([&] { return screen->session.rung().name == "scale"; }));
  frames(2);
  click("field.x.type");
  frames(2);
  click("choice.x.type.f32");
  frames(2);
  EXPECT_EQ(screen->sandbox.form().text("x.type"), "f32");
  type_into("template", "half");
  EXPECT_EQ(screen->sandbox.form().text("y.type"), "f16");
}

TEST_F(SandboxScreenTest, TheSliderIsThatOfN) {
  ASSERT_TRUE(open("saxpy.cu"));
  frames(2);
  const Mark track = screen->marks().at("slider.n");
  drag({track.low.x + 60, track.centre().y}, {track.low.x + 100, track.centre().y});
  frames(2);
  EXPECT_NE(screen->sandbox.form().text("n"), "65536");
  EXPECT_EQ(screen->sandbox.form().text("n"), std::to_string(screen->session.request().config.size("n")));
}

TEST_F(SandboxScreenTest, AFileThatCannotBeOpenedIsSaidInTheStatusBar) {
  screen->open_file(folder / "absent.cu");
  ASSERT_TRUE(until([&] { return !screen->message.empty(); }));
  EXPECT_THAT(screen->message, ::testing::HasSubstr("absent.cu"));
  EXPECT_EQ(screen->session.lab().name, "vector-add");
}

TEST_F(SandboxScreenTest, EveryTabDrawsInBothLanguagesBeforeAndAfterARun) {
  ASSERT_TRUE(open("saxpy.cu"));
  for (const bool run : {false, true}) {
    if (run && !engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
    if (run) screen->session.submit();
    ASSERT_TRUE(settle());
    for (const ViewSpec& view : views())
      for (const Language language : {Language::en, Language::zh}) {
        screen->view.tab = view.name;
        screen->strings.language = language;
        frames(2);
        EXPECT_GT(texts_in_view(), 1U) << view.name;
      }
  }
  ASSERT_NE(screen->session.result(), nullptr);
}

TEST(FileDialogTest, ATypedPathIsAFolderAndABeginning) {
  EXPECT_EQ(read_typed_path("/a/b/ker").folder, "/a/b");
  EXPECT_EQ(read_typed_path("/a/b/ker").beginning, "ker");
  EXPECT_EQ(read_typed_path("/a/b/").beginning, "");
  EXPECT_EQ(read_typed_path("/a").folder, "/");
  EXPECT_EQ(read_typed_path("x.cu").folder, fs::current_path());
  EXPECT_EQ(read_typed_path("x.cu").beginning, "x.cu");
}

TEST(FileDialogTest, CompletionGoesAsFarAsAllNamesAgree) {
  const std::vector<FolderEntry> entries{{"kernels", true}, {"kernel_a.cu", false}, {"kernel_b.cu", false}};
  EXPECT_EQ(common_completion(entries, "k"), "kernel");
  EXPECT_EQ(common_completion(entries, "kernel_a"), "kernel_a.cu");
  EXPECT_EQ(common_completion(entries, "kernels"), "kernels/");
  EXPECT_EQ(common_completion(entries, "x"), "x");
}

TEST(FileDialogTest, NamesThatBeginAsTypedComeFirst) {
  const std::vector<FolderEntry> entries{{".git", true}, {"my_scan.cu", false}, {"Scan.cu", false}};
  const auto shown = matching(entries, "scan");
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].name, "Scan.cu");
  EXPECT_EQ(matching(entries, "").size(), 2U);
  EXPECT_EQ(matching(entries, ".g").size(), 1U);
}

}  // namespace
}  // namespace tilescope
