// Edits survive the end of the program, whichever way it ends.
#include "app/session/kept_edits.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class KeptEditsTest : public ::testing::Test {
 protected:
  KeptEditsTest() : folder(fs::temp_directory_path() / ("kept-edits-" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
  }
  ~KeptEditsTest() override { fs::remove_all(folder); }
  fs::path folder;
};

TEST_F(KeptEditsTest, AnEditIsThereAgainAtTheNextStart) {
  const std::string text = "__global__ void f() {}\n\n// 中文, a tab\t, no newline at the end";
  {
    KeptEdits edits(folder);
    edits.keep(lab_edit_name("softmax"), {text, "base"});
    edits.keep(file_edit_name("/home/me/a file.cu"), {"", "other"});
  }
  const KeptEdits again(folder);
  ASSERT_NE(again.find("lab:softmax"), nullptr);
  EXPECT_EQ(*again.find("lab:softmax"), (KeptEdits::Edit{text, "base"}));
  EXPECT_EQ(*again.find("file:/home/me/a file.cu"), (KeptEdits::Edit{"", "other"}));
}

TEST_F(KeptEditsTest, WhatWasRevertedIsGone) {
  {
    KeptEdits edits(folder);
    edits.keep("lab:a", {"text", "base"});
    edits.flush();
    edits.drop("lab:a");
  }
  EXPECT_TRUE(KeptEdits(folder).all().empty());
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(KeptEditsTest, TheNewestTextIsKept) {
  {
    KeptEdits edits(folder);
    for (int i = 0; i < 100; ++i) edits.keep("lab:a", {"text " + std::to_string(i), "base"});
  }
  EXPECT_EQ(KeptEdits(folder).find("lab:a")->text, "text 99");
}

TEST_F(KeptEditsTest, AProcessThatIsKilledLosesNothing) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    KeptEdits edits(folder);
    edits.keep("lab:a", {"typed before the end", "base"});
    edits.flush();
    [[maybe_unused]] const ssize_t written = ::write(ready[1], "x", 1);
    ::pause();
  }
  ::close(ready[1]);  // if the child ends early, the read ends too
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_NE(KeptEdits(folder).find("lab:a"), nullptr);
  EXPECT_EQ(KeptEdits(folder).find("lab:a")->text, "typed before the end");
}

TEST_F(KeptEditsTest, ADamagedFileIsLeftAloneAndHidesNoOther) {
  fs::create_directories(folder);
  std::ofstream(folder / "half.edit") << "tilescope ed";
  std::ofstream(folder / "notes.txt") << "mine";
  { KeptEdits(folder).keep("lab:a", {"text", "base"}); }
  const KeptEdits again(folder);
  EXPECT_EQ(again.all().size(), 1U);
  EXPECT_TRUE(fs::exists(folder / "half.edit"));
}

TEST_F(KeptEditsTest, AFolderThatCannotBeWrittenIsSaid) {
  std::ofstream(folder) << "a file where the folder should be";
  KeptEdits edits(folder);
  edits.keep("lab:a", {"text", "base"});
  edits.flush();
  ASSERT_TRUE(edits.problem());
  EXPECT_EQ(edits.problem()->id, ErrorId::file_not_written);
  EXPECT_NE(edits.find("lab:a"), nullptr);
  fs::remove(folder);
  edits.keep("lab:a", {"more text", "base"});
  edits.flush();
  EXPECT_FALSE(edits.problem()) << "the newest edit is on the disk";
}

TEST_F(KeptEditsTest, OnlyTheUserReadsTheFolder) {
  KeptEdits edits(folder);
  edits.keep("lab:a", {"text", "base"});
  edits.flush();
  EXPECT_FALSE(edits.problem());
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
}

}  // namespace
}  // namespace tilescope
