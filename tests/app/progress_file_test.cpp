// progress.json: what was earned is still there after a restart, an update, a newer version, a damaged disk and a kill.
#include "app/session/progress_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/workshop/record.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

class ProgressFileTest : public ::testing::Test {
 protected:
  ProgressFileTest() : folder(fs::temp_directory_path() / ("tilescope-progress-file-" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~ProgressFileTest() override { fs::remove_all(folder); }

  void put(const fs::path& file, const std::string& text) const { std::ofstream(file) << text; }
  json kept() const { return json::parse(read_text(file()).value_or(""), nullptr, false); }
  fs::path settings() const { return folder / "settings.json"; }
  fs::path file() const { return folder / "progress.json"; }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  /// Something in every field.
  static ProgressByLab full() {
    LabProgress lab{.lesson_read = true, .predictions = {1}, .broken = {"DROP_MASK"}, .own_edit = true};
    lab.guesses["0"] = {{{7, 13, 26}, 13, 7}, {{4, 7, 13}, 7, 7}};
    lab.guesses["fastest, NVIDIA H200, 8192"] = {{{3, 4}, 4, 4}};
    lab.skipped = {"2"};
    lab.steps = {{"one", {}}, {"two", {.pressed = 1, .answer = 2}}};
    lab.cards["stride"] = {.box = 2, .due = 2000, .answered = 1000, .tries = 3, .right = 2};
    lab.cards_opened = true;
    return {{"vector-add", lab}, {"softmax", {.lesson_read = true}}};
  }

  fs::path folder;
};

TEST_F(ProgressFileTest, EverythingComesBack) {
  ProgressByLab progress = full();
  ProgressFile before(settings());
  EXPECT_FALSE(before.is_kept(progress));
  ASSERT_TRUE(before.keep(progress));
  EXPECT_TRUE(before.is_kept(progress));
  EXPECT_EQ(kept()["format"], 1);
  EXPECT_EQ(ProgressFile(settings()).learned(), full());
  EXPECT_EQ(read_progress(settings()), full());
  EXPECT_EQ(files(), 1U) << "no temporary file stays";
}

TEST_F(ProgressFileTest, ALabThatWasOnlyLookedAtIsNothingToWrite) {
  const ProgressFile file(settings());
  EXPECT_TRUE(file.is_kept({{"softmax", {}}}));
}

// What the version before progress.json wrote.
constexpr const char* kOldSettings = R"({"format": 1, "light": true, "progress": {"softmax": {"lesson_read": true,
    "predictions": [0], "broken": [], "own_edit": false, "guesses": {}, "skipped": [], "steps": {"online": {}},
    "cards": {}, "cards_opened": false}}})";

TEST_F(ProgressFileTest, ProgressInTheSettingsOfAnOlderVersionIsTakenOverOnce) {
  put(settings(), kOldSettings);
  EXPECT_TRUE(read_progress(settings()).at("softmax").lesson_read) << "as the command line sees it before";
  ProgressFile taken(settings());
  ProgressByLab progress = taken.learned();
  EXPECT_TRUE(progress.at("softmax").lesson_read);
  EXPECT_TRUE(progress.at("softmax").steps.contains("online"));
  EXPECT_FALSE(taken.is_kept(progress));
  EXPECT_FALSE(taken.settings_may_go()) << "they are its only place";
  ASSERT_TRUE(taken.keep(progress));
  EXPECT_TRUE(taken.settings_may_go());
  // Now the settings do not count any more.
  put(settings(), R"({"format": 1, "progress": {"softmax": {"own_edit": true}}})");
  EXPECT_EQ(ProgressFile(settings()).learned(), progress);
  EXPECT_EQ(read_progress(settings()), progress);
}

TEST_F(ProgressFileTest, WhatANewerVersionWroteStays) {
  const char* const newer = R"({"format": 3, "streak": [1, 2], "labs": {
      "fp8-matmul": {"lesson_read": true, "medal": "gold"},
      "vector-add": {"lesson_read": true, "minutes": 12, "predictions": [0, 77], "broken": ["DROP_MASK", "LATER"],
        "guesses": {"0": [{"choices": [1, 2], "answer": 2, "pressed": 1}, {"interval": [1, 2]}],
                    "later": {"odd": true}},
        "steps": {"gone": {"pressed": 1, "answer": 1, "seconds": 9}},
        "cards": {"gone": {"box": 1, "due": 20, "answered": 10, "tries": 1, "right": 1, "ease": 2.5}}}}})";
  put(file(), newer);
  ProgressFile opened(settings());
  ProgressByLab progress = opened.learned();
  EXPECT_TRUE(progress.at("vector-add").lesson_read);
  EXPECT_FALSE(progress.contains("fp8-matmul")) << "there is no such lab here";
  progress["vector-add"].own_edit = true;
  progress["softmax"].lesson_read = true;
  ASSERT_TRUE(opened.keep(progress));
  json expected = json::parse(newer);
  expected["labs"]["vector-add"]["own_edit"] = true;
  expected["labs"]["softmax"]["lesson_read"] = true;
  EXPECT_EQ(kept(), expected);
  // Names that this version does not know earn nothing.
  const auto parts = parts_of(*find_lab("vector-add"), progress.at("vector-add"));
  EXPECT_EQ(parts[1].done, 1U);
  EXPECT_EQ(parts[2].done, 1U);
}

TEST_F(ProgressFileTest, AQuestionThatWasSkippedAndThenAnsweredIsNoLongerSkipped) {
  put(file(), R"({"format": 1, "labs": {"softmax": {"skipped": ["1"]}}})");
  ProgressFile opened(settings());
  ProgressByLab progress = opened.learned();
  progress["softmax"].skipped.clear();
  progress["softmax"].guesses["1"] = {{{1, 2}, 2, 2}};
  ASSERT_TRUE(opened.keep(progress));
  EXPECT_TRUE(ProgressFile(settings()).learned().at("softmax").skipped.empty());
}

TEST_F(ProgressFileTest, DamagedAnswersAreLeftOutAndOneIsKeptPerSetting) {
  const auto progress = progress_from(R"({"format": 1, "labs": {"softmax": 7, "vector-add": {
      "lesson_read": 1, "predictions": [0, -1, "x"], "broken": ["DROP_MASK", 3], "skipped": ["1", 2],
      "cards": {"a": {"box": 9, "tries": 1}}, "guesses": {"0": [{"choices": [1, 2], "answer": 2, "pressed": 1},
      {"choices": [1, 2], "answer": 2, "pressed": 2}, {"choices": [1, "x"], "answer": 1, "pressed": 1}, 7],
      "3": "no"}}}})");
  LabProgress expected{.predictions = {0}, .broken = {"DROP_MASK"}};
  expected.guesses["0"] = {{{1, 2}, 2, 1}};
  expected.skipped = {"1"};
  EXPECT_EQ(progress, (ProgressByLab{{"vector-add", expected}}));
}

class DamagedProgress : public ProgressFileTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(DamagedProgress, IsKeptAsideAndNotOverwritten) {
  put(file(), GetParam());
  EXPECT_TRUE(read_progress(settings()).empty());
  EXPECT_TRUE(fs::exists(file())) << "reading changes nothing";
  ProgressFile opened(settings());
  EXPECT_TRUE(opened.learned().empty());
  EXPECT_THAT(opened.damaged().filename().string(), HasSubstr("progress.json.damaged-2"));
  ProgressByLab progress = full();
  ASSERT_TRUE(opened.keep(progress));
  EXPECT_EQ(read_text(opened.damaged()), GetParam());
  EXPECT_EQ(ProgressFile(settings()).learned(), full());
  EXPECT_TRUE(ProgressFile(settings()).damaged().empty());
}

INSTANTIATE_TEST_SUITE_P(Files, DamagedProgress,
                         ::testing::Values("", "{", "\xff garbage", "[]", R"({"labs": {}})",
                                           R"({"format": "1", "labs": {}})",
                                           R"({"format": 1, "labs": {"softmax": {"lesson_r)"));

TEST_F(ProgressFileTest, TwoDamagedFilesOfOneSecondAreBothKept) {
  put(file(), "{");
  const ProgressFile first(settings());
  put(file(), "[");
  const ProgressFile second(settings());
  EXPECT_NE(first.damaged(), second.damaged());
  EXPECT_EQ(files(), 2U);
}

TEST_F(ProgressFileTest, TwoWindowsDoNotTakeEachOthersProgressAway) {
  ProgressFile one(settings()), other(settings());
  ProgressByLab mine{{"softmax", {.lesson_read = true, .predictions = {0}}}};
  ProgressByLab theirs{{"softmax", {.predictions = {1}, .broken = {"X"}}}, {"gelu", {.own_edit = true}}};
  ASSERT_TRUE(one.keep(mine));
  ASSERT_TRUE(other.keep(theirs));
  const ProgressByLab both{{"softmax", {.lesson_read = true, .predictions = {0, 1}, .broken = {"X"}}},
                           {"gelu", {.own_edit = true}}};
  EXPECT_EQ(theirs, both) << "the second window shows what the first one earned";
  EXPECT_EQ(ProgressFile(settings()).learned(), both);
}

TEST_F(ProgressFileTest, AFolderThatCannotBeWrittenIsAnError) {
  put(folder / "file", "x");
  ProgressFile nowhere(folder / "file" / "settings.json");
  ProgressByLab progress = full();
  const auto written = nowhere.keep(progress);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().id, ErrorId::file_not_written);
  EXPECT_FALSE(nowhere.is_kept(progress));
}

/// A process that earns something all the time is killed at any moment: the file is whole, and has what it last said
/// that it had kept.
TEST_F(ProgressFileTest, AKilledProcessLeavesAWholeFile) {
  for (int round = 0; round < 5; ++round) {
    int said[2] = {};
    ASSERT_EQ(::pipe(said), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ProgressFile file(settings());
      ProgressByLab progress = file.learned();
      for (int answer = static_cast<int>(progress["softmax"].guesses["0"].size());; ++answer) {
        progress["softmax"].guesses["0"].push_back({.choices = {answer}, .answer = answer, .pressed = answer});
        if (!file.keep(progress) || ::write(said[1], &answer, sizeof answer) != sizeof answer) ::_exit(1);
      }
    }
    ::close(said[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 17 * round));
    ::kill(child, SIGKILL);
    int status = 0, answer = -1, last = -1;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it was killed, and did not end by itself";
    while (::read(said[0], &answer, sizeof answer) == sizeof answer) last = answer;
    ::close(said[0]);
    ASSERT_GE(last, 0) << "it has kept something";
    ProgressFile again(settings());
    EXPECT_TRUE(again.damaged().empty());
    EXPECT_GE(static_cast<int>(again.learned().at("softmax").guesses.at("0").size()), last + 1);
  }
}

// ---- The record of an exercise, a file of its own

TEST_F(ProgressFileTest, ARecordKeepsWhatANewerVersionWrote) {
  const fs::path record_file = folder / "record.json";
  put(record_file, R"({"format": 2, "state": "tried", "hints": 1, "stars": 3,
                       "versions": [{"number": 1, "file": "001.cu", "cases": "+x", "seconds": 12}]})");
  ExerciseRecord record = read_record(folder);
  record.state = ExerciseState::correct;
  ASSERT_TRUE(write_record(folder, record));
  const json now = json::parse(read_text(record_file).value());
  EXPECT_EQ(now["state"], "correct");
  EXPECT_EQ(now["stars"], 3);
  EXPECT_EQ(now["format"], 2);
  EXPECT_EQ(now["versions"][0]["seconds"], 12);
  EXPECT_EQ(now["versions"][0]["cases"], "+x");
}

TEST_F(ProgressFileTest, ADamagedRecordIsKeptAside) {
  put(folder / "record.json", "{\"state\": \"corr");
  ExerciseRecord record = read_record(folder);
  EXPECT_EQ(record.state, ExerciseState::not_started);
  record.state = ExerciseState::tried;
  ASSERT_TRUE(write_record(folder, record));
  EXPECT_EQ(files(), 2U);
  EXPECT_EQ(read_record(folder).state, ExerciseState::tried);
}

}  // namespace
}  // namespace tilescope
