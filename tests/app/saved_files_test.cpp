// What the learner saves is in one folder, and no file there is lost.
#include "app/session/saved_files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class SavedFilesTest : public ::testing::Test {
 protected:
  SavedFilesTest() {
    std::string name = (fs::temp_directory_path() / "tilescope-saved-XXXXXX").string();
    folder = mkdtemp(name.data());
    for (const char* variable : {"HOME", "XDG_DOCUMENTS_DIR", "XDG_CONFIG_HOME"})
      if (const char* value = std::getenv(variable)) kept.emplace_back(variable, value);
    setenv("HOME", folder.c_str(), 1);
    unsetenv("XDG_DOCUMENTS_DIR");
    unsetenv("XDG_CONFIG_HOME");
  }
  ~SavedFilesTest() override {
    unsetenv("XDG_DOCUMENTS_DIR");
    unsetenv("XDG_CONFIG_HOME");
    for (const auto& [variable, value] : kept) setenv(variable.c_str(), value.c_str(), 1);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  static std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  fs::path folder;
  std::vector<std::pair<std::string, std::string>> kept;
};

TEST_F(SavedFilesTest, TheFolderIsInTheUsersDocuments) {
  EXPECT_EQ(saved_files_folder(), folder / "tilescope");
  write(folder / ".config" / "user-dirs.dirs",
        "# a comment\nXDG_MUSIC_DIR=\"$HOME/Music\"\nXDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n");
  EXPECT_EQ(saved_files_folder(), folder / "Dokumente" / "tilescope");
  setenv("XDG_DOCUMENTS_DIR", "/elsewhere", 1);
  EXPECT_EQ(saved_files_folder(), fs::path("/elsewhere/tilescope"));
  setenv("XDG_DOCUMENTS_DIR", "relative", 1);
  EXPECT_EQ(saved_files_folder(), folder / "Dokumente" / "tilescope");
}

TEST_F(SavedFilesTest, TheFolderIsMadeWhenItIsNeeded) {
  ASSERT_FALSE(fs::exists(folder / "tilescope"));
  const auto made = make_saved_files_folder();
  ASSERT_TRUE(made);
  EXPECT_TRUE(fs::is_directory(*made));
  fs::remove(*made);
  write(folder / "tilescope", "a file is in the way");
  EXPECT_FALSE(make_saved_files_folder());
}

TEST_F(SavedFilesTest, ACopyIsSavedOverItself) {
  const auto first = save_copy(folder, "softmax-naive", "one");
  const auto second = save_copy(folder, "softmax-naive", "two");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->file, folder / "softmax-naive.cu");
  EXPECT_EQ(second->file, first->file);
  EXPECT_FALSE(second->is_new_name);
  EXPECT_EQ(read(first->file), "two");
}

TEST_F(SavedFilesTest, ACopyOfAPythonKernelHasItsEnding) {
  const auto saved = save_copy(folder, "softmax-triton", "one", ".py");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->file, folder / "softmax-triton.py");
  write(folder / "softmax-triton.py", "mine");
  EXPECT_EQ(save_copy(folder, "softmax-triton", "two", ".py")->file, folder / "softmax-triton-2.py");
}

TEST_F(SavedFilesTest, AFileOfSomebodyElseStays) {
  write(folder / "softmax-naive.cu", "mine");
  const auto saved = save_copy(folder, "softmax-naive", "one");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->file, folder / "softmax-naive-2.cu");
  EXPECT_TRUE(saved->is_new_name);
  EXPECT_EQ(read(folder / "softmax-naive.cu"), "mine");
  const auto again = save_copy(folder, "softmax-naive", "two");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->file, folder / "softmax-naive-2.cu");
}

TEST_F(SavedFilesTest, ACopyThatWasChangedSinceStays) {
  ASSERT_TRUE(save_copy(folder, "softmax-naive", "one"));
  write(folder / "softmax-naive.cu", "one, and what I added in another editor");
  const auto saved = save_copy(folder, "softmax-naive", "two");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->file, folder / "softmax-naive-2.cu");
  EXPECT_EQ(read(folder / "softmax-naive.cu"), "one, and what I added in another editor");
}

TEST_F(SavedFilesTest, ReplacingKeepsLinksAndPermissionsAndLeavesNothingBeside) {
  write(folder / "real.cu", "old");
  fs::permissions(folder / "real.cu", fs::perms::owner_all | fs::perms::group_read);
  fs::create_symlink(folder / "real.cu", folder / "link.cu");
  ASSERT_TRUE(replace_file(folder / "link.cu", "new"));
  EXPECT_TRUE(fs::is_symlink(folder / "link.cu"));
  EXPECT_EQ(read(folder / "real.cu"), "new");
  EXPECT_EQ(fs::status(folder / "real.cu").permissions(), fs::perms::owner_all | fs::perms::group_read);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);
}

TEST_F(SavedFilesTest, WhatCannotBeReplacedStays) {
  write(folder / "taken" / "inside", "old");
  const auto written = replace_file(folder / "taken", "new");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().id, ErrorId::file_not_written);
  EXPECT_EQ(read(folder / "taken" / "inside"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1) << "no temporary file is left";
}

TEST_F(SavedFilesTest, ANewFileHasTheUsualPermissions) {
  write(folder / "usual", "");
  ASSERT_TRUE(replace_file(folder / "new.json", "text"));
  EXPECT_EQ(read(folder / "new.json"), "text");
  EXPECT_EQ(fs::status(folder / "new.json").permissions(), fs::status(folder / "usual").permissions());
}

TEST_F(SavedFilesTest, AFolderThatIsNotThereIsAnError) {
  const auto written = replace_file(folder / "none" / "x.json", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().id, ErrorId::file_not_written);
}

}  // namespace
}  // namespace tilescope
