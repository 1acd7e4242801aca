// Follows docs/adding-an-exercise.md: writes the files of its example, and judges them as the page says.
#include "tests/documents/extended_program.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class AddingAnExercise : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "adding an exercise";
    fs::remove_all(folder_);
    const std::string page = testing::read_text(testing::kSource / "docs/adding-an-exercise.md");
    // Every line that is a path in backquotes is followed by that file.
    const std::string begin = "\n`my-exercises/";
    for (size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
      const size_t end = page.find('`', at + 2);
      const std::string name = page.substr(at + 2, end - at - 2);
      if (page.substr(end, 2) != "`\n") continue;
      const fs::path file = folder_ / name;
      fs::create_directories(file.parent_path());
      std::ofstream(file) << testing::code_block(page, name);
      ++files_;
    }
  }

  testing::Outcome run(const std::string& words) const {
    return testing::shell("export TILESCOPE_ROOT='" + testing::kSource.string() + "' TILESCOPE_EXERCISES='" +
                          (folder_ / "my-exercises").string() + "'; cd '" + folder_.string() + "'; '" +
                          (testing::kBinary / "tilescope").string() + "' exercise " + words);
  }

  fs::path folder_;
  int files_ = 0;
};

TEST_F(AddingAnExercise, TheFilesOfTheDocumentAreAnExercise) {
  EXPECT_GE(files_, 12);
  EXPECT_THAT(run("list").output, HasSubstr("clip"));
  const testing::Outcome tested = run("test clip");
  EXPECT_EQ(tested.status, 0) << tested.output;

  const testing::Outcome solved = run("check clip my-exercises/clip/solution.cu --json");
  ASSERT_EQ(solved.status, 0) << solved.output;
  EXPECT_EQ(nlohmann::json::parse(solved.output).at("verdict"), "all goals");

  const testing::Outcome started = run("start clip work");
  EXPECT_EQ(started.status, 0) << started.output;
  EXPECT_EQ(run("start clip work").status, 2) << "a file that is there is not overwritten";
  EXPECT_EQ(run("check clip work/clip.cu").status, 1) << "the stub is not a solution";

  const testing::Outcome table = run("check clip my-exercises/clip/wrong --csv -");
  EXPECT_EQ(table.status, 1);
  EXPECT_THAT(table.output, StartsWith("file,exercise,verdict,"));
  EXPECT_THAT(table.output, HasSubstr("zeros.cu,clip,refused,"));
}

TEST_F(AddingAnExercise, WhatIsNotThereIsSaid) {
  const testing::Outcome unknown = run("check nothing my-exercises/clip/solution.cu");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, HasSubstr("there is no exercise 'nothing'"));
  const testing::Outcome missing = run("check clip nowhere.cu");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.output, HasSubstr("cannot read nowhere.cu"));
  fs::create_directories(folder_ / "empty");
  EXPECT_THAT(run("check clip empty").output, HasSubstr("it has no .cu and no .py files"));
}

}  // namespace
}  // namespace tilescope
