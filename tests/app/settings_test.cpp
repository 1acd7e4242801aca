// What is remembered comes back; a file that cannot be read changes nothing.
#include "app/settings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class SettingsTest : public ::testing::Test {
 protected:
  SettingsTest()
      : engine(Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 1})),
        folder(fs::temp_directory_path() / ("tilescope-settings-" + std::to_string(::getpid()))),
        file(folder / "deeper" / "settings.json") {}
  ~SettingsTest() override { fs::remove_all(folder); }

  std::unique_ptr<Screen> screen() const {
    auto made = std::make_unique<Screen>(engine, *Strings::load(fs::path(TILESCOPE_SOURCE) / "assets" / "strings"));
    made->session.auto_run = false;
    return made;
  }
  void put(const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::shared_ptr<Engine> engine;
  fs::path folder, file;
};

TEST_F(SettingsTest, EverythingComesBack) {
  const auto before = screen();
  before->strings.language = Language::zh;
  before->view.light = true;
  before->view.tab = Tab::traffic;
  before->view.controls_width = 320;
  before->session.select_lab(labs()[1].name);
  before->session.select_rung("grid-stride");
  before->session.set_param("BLOCK", 512);
  before->session.set_size("n", 4096);
  before->session.set_gpu("a100");
  before->session.finished_labs = {labs()[0].name};
  ASSERT_TRUE(write_settings(*before, file));

  const auto after = screen();
  read_settings(*after, file);
  EXPECT_EQ(after->strings.language, Language::zh);
  EXPECT_TRUE(after->view.light);
  EXPECT_EQ(after->view.tab, Tab::traffic);
  EXPECT_EQ(after->view.controls_width, 320);
  EXPECT_EQ(after->session.lab().name, labs()[1].name);
  EXPECT_EQ(after->session.rung().name, "grid-stride");
  EXPECT_EQ(after->session.request().config.param("BLOCK"), 512);
  EXPECT_EQ(after->session.request().config.size("n"), 4096);
  EXPECT_EQ(after->session.request().gpu, "a100");
  EXPECT_TRUE(after->session.finished_labs.contains(labs()[0].name));
}

TEST_F(SettingsTest, WritingLeavesNoOtherFile) {
  ASSERT_TRUE(write_settings(*screen(), file));
  ASSERT_TRUE(write_settings(*screen(), file));
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()), 1);
}

TEST_F(SettingsTest, AFolderThatCannotBeWrittenIsAnError) {
  put("x");
  const auto written = write_settings(*screen(), file / "below" / "a-file");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().id, ErrorId::file_not_written);
}

class UnreadableSettings : public SettingsTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(UnreadableSettings, AreIgnored) {
  put(GetParam());
  const auto expected = settings_of(*screen());
  const auto made = screen();
  read_settings(*made, file);
  EXPECT_EQ(settings_of(*made), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Files, UnreadableSettings,
    ::testing::Values(
        "", "{", "\x00\xff garbage", "[]", "7", R"({"format": 99, "light": true})", R"({"light": true})",
        R"({"format": "1", "light": true})", R"({"format": 1, "light": "yes", "tab": "tiles"})",
        R"({"format": 1, "tab": 1000, "rail_width": null, "labs": [1, 2], "finished_labs": {"a": 1}})",
        R"({"format": 1, "labs": {"no-such-lab": {"rung": "x"}, "vector-add": 3}, "lab": "no-such-lab"})"));

TEST_F(SettingsTest, ValuesOutOfRangeAreBroughtInside) {
  put(R"({"format": 1, "labs": {"vector-add": {"rung": "no-such-rung", "device": "sim",
          "sizes": {"n": -7, "m": 3}, "params": {"BLOCK": 300, "OTHER": 1}}}, "lab": "vector-add"})");
  const auto made = screen();
  read_settings(*made, file);
  EXPECT_TRUE(validate(made->session.lab(), made->session.request().config, made->session.request().device));
  EXPECT_EQ(made->session.request().config.param("BLOCK"), 256);
  EXPECT_FALSE(made->session.request().config.params.contains("OTHER"));
}

TEST_F(SettingsTest, AMissingFileChangesNothing) {
  const auto expected = settings_of(*screen());
  const auto made = screen();
  read_settings(*made, folder / "none.json");
  EXPECT_EQ(settings_of(*made), expected);
}

}  // namespace
}  // namespace tilescope
