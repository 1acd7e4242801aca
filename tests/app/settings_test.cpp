// What is remembered is restored; an unreadable file changes nothing.
#include "app/window/settings.hpp"

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
  before->view.tab = "traffic";
  before->view.controls_width = 320;
  before->view.ladder_sizes = {{"softmax", "8192 × 4096"}};
  before->session.select_lab("vector-add");
  before->session.select_rung("grid-stride");
  before->session.set_param("BLOCK", 512);
  before->session.set_size("n", 4096);
  before->session.set_gpu("a100");
  LabProgress progress{.lesson_read = true, .predictions = {1}, .broken = {"DROP_MASK"}, .own_edit = true};
  progress.guesses["0"] = {{{7, 13, 26}, 13, 7}, {{4, 7, 13}, 7, 7}};
  progress.guesses["fastest, NVIDIA H200, 8192"] = {{{3, 4}, 4, 4}};
  progress.skipped = {"2"};
  before->view.veils = false;
  before->session.learned = {{"vector-add", progress}, {"softmax", {.lesson_read = true}}};
  ASSERT_TRUE(write_settings(*before, file));

  const auto after = screen();
  read_settings(*after, file);
  EXPECT_EQ(after->strings.language, Language::zh);
  EXPECT_TRUE(after->view.light);
  EXPECT_EQ(after->view.tab, "traffic");
  EXPECT_EQ(after->view.controls_width, 320);
  EXPECT_EQ(after->view.ladder_sizes, before->view.ladder_sizes);
  EXPECT_EQ(after->session.lab().name, "vector-add");
  EXPECT_EQ(after->session.rung().name, "grid-stride");
  EXPECT_EQ(after->session.request().config.param("BLOCK"), 512);
  EXPECT_EQ(after->session.request().config.size("n"), 4096);
  EXPECT_EQ(after->session.request().gpu, "a100");
  EXPECT_EQ(after->session.learned, before->session.learned);
  EXPECT_FALSE(after->view.veils);
}

TEST_F(SettingsTest, AFileWhoseNameIsNotUtf8CanBeRemembered) {
  const auto made = screen();
  made->sandbox.restore({fs::path("/tmp/k\xE4rnel.cu")}, {});
  ASSERT_TRUE(write_settings(*made, file));
  const auto after = screen();
  read_settings(*after, file);
  ASSERT_EQ(after->sandbox.recent().size(), 1U);
  EXPECT_EQ(after->sandbox.recent().front(), fs::path("/tmp/k\uFFFDrnel.cu"));
}

TEST_F(SettingsTest, LabsThatWereOnlyOpenedByAnOlderVersionAreNotDone) {
  put(R"({"format": 1, "light": true, "finished_labs": ["vector-add", "softmax"]})");
  const auto made = screen();
  read_settings(*made, file);
  EXPECT_TRUE(made->view.light) << "the rest of the file is taken over";
  EXPECT_TRUE(made->session.learned.empty());
  EXPECT_FALSE(settings_of(*made).contains("finished_labs"));
}

TEST_F(SettingsTest, ProgressThatTheLabsDoNotHaveIsLeftOut) {
  put(R"({"format": 1, "progress": {"no-such-lab": {"lesson_read": true}, "softmax": 7,
          "vector-add": {"lesson_read": 1, "predictions": [0, 99, -1, "x"], "broken": ["DROP_MASK", "NO_SUCH", 3]}}})");
  const auto made = screen();
  read_settings(*made, file);
  const ProgressByLab expected{{"vector-add", {.predictions = {0}, .broken = {"DROP_MASK"}}}};
  EXPECT_EQ(made->session.learned, expected);
}

TEST_F(SettingsTest, DamagedAnswersAreLeftOutAndOneIsKeptPerSetting) {
  put(R"({"format": 1, "progress": {"vector-add": {"skipped": ["1", 2], "guesses": {"0": [
          {"choices": [1, 2], "answer": 2, "pressed": 1}, {"choices": [1, 2], "answer": 2, "pressed": 2},
          {"choices": [1, "x"], "answer": 1, "pressed": 1}, 7], "3": "no"}}}})");
  const auto made = screen();
  read_settings(*made, file);
  LabProgress expected;
  expected.guesses["0"] = {{{1, 2}, 2, 1}};
  expected.skipped = {"1"};
  EXPECT_EQ(made->session.learned, (ProgressByLab{{"vector-add", expected}}));
}

TEST_F(SettingsTest, TheChosenLaunchOfALabComesBack) {
  const auto before = screen();
  before->session.select_lab("softmax");
  before->session.select_rung("five-kernels");
  before->session.set_launch(2);
  before->session.select_lab("vector-add");
  ASSERT_TRUE(write_settings(*before, file));
  const auto after = screen();
  read_settings(*after, file);
  EXPECT_FALSE(after->session.request().launch);
  after->session.select_lab("softmax");
  EXPECT_EQ(after->session.request().launch, 2U);
  after->session.select_rung("thread-per-row");
  EXPECT_FALSE(after->session.request().launch) << "the rung has launches of its own";
}

TEST_F(SettingsTest, SplittersThatWereDraggedComeBackAndOthersFollowTheWindow) {
  const auto before = screen();
  before->view.source_width = 700;
  before->view.lower_hidden = true;
  ASSERT_TRUE(write_settings(*before, file));
  const auto after = screen();
  read_settings(*after, file);
  EXPECT_EQ(after->view.source_width, 700);
  EXPECT_EQ(after->view.bottom_height, 0);
  EXPECT_TRUE(after->view.lower_hidden);
  // What an earlier version wrote when nothing had been dragged.
  put(R"({"format": 1, "source_width": 640, "bottom_height": 368})");
  const auto older = screen();
  read_settings(*older, file);
  EXPECT_EQ(older->view.source_width, 0);
  EXPECT_EQ(older->view.bottom_height, 0);
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
        R"({"format": 1, "ladder_sizes": {"softmax": 3}})", R"({"format": 1, "ladder_sizes": "all"})",
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
