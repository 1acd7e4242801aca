// What the screen keeps of an edit to an own file: the text, and the digest of the file that it started from.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "engine/sha256.hpp"
#include "tests/app/sandbox_kernels.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class KeptEditsScreenTest : public testing::ScreenTest {
 protected:
  KeptEditsScreenTest() {
    std::string name = (fs::temp_directory_path() / "tilescope-edits-XXXXXX").string();
    folder = mkdtemp(name.data());
    file = folder / "saxpy.cu";
    write(testing::kSaxpy);
    screen->restore_edits(folder / "edits");
  }
  ~KeptEditsScreenTest() override {
    screen.reset();  // it writes to the folder
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  void write(const std::string& text) const { std::ofstream(file, std::ios::binary) << text; }
  bool until(const std::function<bool()>& so) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::seconds(30)) {
      frame();
      if (so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }
  bool open() {
    screen->open_file(file);
    return until([&] { return screen->sandbox.is_shown(screen->session); });
  }
  void edit(const std::string& text) {
    screen->session.set_source(text);
    frames(2);
  }
  std::string base() const {
    const KeptEdits::Edit* edit = screen->edits().find(file_edit_name(file));
    return edit != nullptr ? edit->base : "none";
  }

  fs::path folder, file;
};

TEST_F(KeptEditsScreenTest, AConflictIsStillKnownAfterARestart) {
  const std::string original = testing::kSaxpy, elsewhere = original + "// elsewhere\n";
  ASSERT_TRUE(open());
  edit(original + "// mine\n");
  EXPECT_EQ(base(), sha256_of(original));
  write(elsewhere);
  ASSERT_TRUE(until([&] { return screen->sandbox.changed_beside_edits(); }));
  edit(original + "// mine, and more\n");
  EXPECT_EQ(base(), sha256_of(original)) << "the edit was made from the text before the change";

  screen->session.select_lab("vector-add");
  frame();
  const Fonts fonts = screen->fonts;
  screen.reset();
  screen = std::make_unique<Screen>(engine, testing::shared_strings(), testing::shared_recordings());
  screen->fonts = fonts;
  screen->session.auto_run = false;
  screen->restore_edits(folder / "edits");
  ASSERT_TRUE(open());
  frames(2);
  EXPECT_TRUE(screen->sandbox.changed_beside_edits());
  EXPECT_EQ(screen->session.request().edited_source, original + "// mine, and more\n");

  screen->sandbox.keep_edits();  // the learner keeps the edit
  edit(original + "// mine at last\n");
  EXPECT_EQ(base(), sha256_of(elsewhere));
}

/// A frame takes 1/60 s here, so this is within the pause after which an edit is run.
TEST_F(KeptEditsScreenTest, ALabThatIsLeftWhileTypingKeepsTheLastKeysAndTheNextLabGetsNone) {
  screen->session.select_lab("vector-add");
  frames(2);
  press(Key::e, /*control=*/true);
  frames(2);
  type("// typed\n");
  frame();
  ASSERT_FALSE(screen->session.request().edited_source) << "the pause is not over";
  screen->session.select_lab("softmax");
  frames(60);
  EXPECT_FALSE(screen->session.request().edited_source);
  EXPECT_FALSE(screen->session.is_edited("softmax"));
  screen->session.select_lab("vector-add");
  frames(2);
  ASSERT_TRUE(screen->session.request().edited_source);
  EXPECT_NE(screen->session.request().edited_source->find("// typed"), std::string::npos);
}

TEST_F(KeptEditsScreenTest, AnOwnFileThatIsLeftWhileTypingKeepsTheLastKeys) {
  ASSERT_TRUE(open());
  frames(2);
  press(Key::e, /*control=*/true);
  frames(2);
  type("// typed\n");
  frame();
  ASSERT_FALSE(screen->session.request().edited_source) << "the pause is not over";
  screen->session.select_lab("softmax");
  frames(60);
  EXPECT_FALSE(screen->session.is_edited("softmax"));
  ASSERT_TRUE(open());
  frames(2);
  ASSERT_TRUE(screen->session.request().edited_source);
  EXPECT_NE(screen->session.request().edited_source->find("// typed"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
