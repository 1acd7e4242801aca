// cmake --install, and the program that runs from the installed folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class Installed : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tilescope-install-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    const std::string command =
        "cmake --install '" TILESCOPE_BINARY "' --prefix '" + (folder_ / "prefix").string() + "'";
    ASSERT_EQ(call(command), 0) << said();
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs from the root folder, without the variables that tell the program where its source tree is.
  int call(const std::string& command) const {
    const std::string whole =
        "cd / && env -u TILESCOPE_ROOT " + command + " >'" + (folder_ / "said").string() + "' 2>&1";
    const int status = std::system(whole.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said() const { return read_text(folder_ / "said").value_or(""); }
  std::string program() const { return (folder_ / "prefix" / "bin" / "tilescope").string(); }

  fs::path folder_;
};

TEST_F(Installed, TheProgramRunsALabFromItsPrefix) {
  ASSERT_EQ(call(program() + " run vector-add --json"), 0) << said();
  EXPECT_THAT(said(), testing::HasSubstr("\"status\": \"ok\""));
}

TEST_F(Installed, ItTakesPicturesWithItsOwnFontsTextsAndShaders) {
  const fs::path picture = folder_ / "picture.png";
  const int status = call(program() + " shot vector-add --panel lesson --out " + picture.string());
  if (status == 3) GTEST_SKIP() << said();  // no display
  ASSERT_EQ(status, 0) << said();
  EXPECT_GT(fs::file_size(picture), 10'000U);
}

TEST_F(Installed, WithoutWhatItReadsItSaysSo) {
  fs::remove_all(folder_ / "prefix" / "share");
  EXPECT_NE(call(program() + " run vector-add"), 0);
  EXPECT_THAT(said(), testing::StartsWith("tilescope: "));
}

}  // namespace
}  // namespace tilescope
