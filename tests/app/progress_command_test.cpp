// tilescope progress: what it prints, and that a text which is not accepted is noticed when it is judged again.
#include "app/window/progress_command.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/exercises/judge.hpp"
#include "app/recall/recall.hpp"
#include "app/workshop/record.hpp"
#include "engine/text_file.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ProgressCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(home_);
    fs::create_directories(home_ / "tilescope");
    setenv("XDG_CONFIG_HOME", home_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CONFIG_HOME");
    fs::remove_all(home_);
  }
  void keep(const json& progress) {
    std::ofstream(home_ / "tilescope" / "progress.json") << json{{"format", 1}, {"labs", progress}}.dump();
  }
  /// Judges the model answer of add-ten, as the window does, and keeps it.
  void solve_add_ten() {
    const ExerciseCatalogue catalogue = read_exercises(engine_->root());
    const Exercise& exercise = *catalogue.find("add-ten");
    const Submission submission{.file = "add-ten.cu",
                                .text = read_text(exercise.solution(KernelLanguage::cuda)).value()};
    const Judgement judgement = judge(engine_, exercise, submission, {.stop = {}, .progress = {}});
    ASSERT_EQ(judgement.verdict, Judgement::Verdict::all_goals) << judgement.reason;
    ExerciseRecord record;
    record.state = ExerciseState::all_goals;
    ASSERT_TRUE(add_version(home_ / "tilescope" / "exercises" / "add-ten", record, submission, judgement));
  }
  std::string run(const ProgressOptions& options, int status) {
    std::ostringstream out, problems;
    EXPECT_EQ(progress_command(engine_, options, out, problems), status) << out.str() << problems.str();
    return out.str() + problems.str();
  }
  json printed() { return json::parse(run({.json = true, .verify = {}}, 0)); }
  static json row(const json& all, const std::string& lab) {
    for (const json& one : all["labs"])
      if (one["name"] == lab) return one;
    return {};
  }
  std::string saved(const json& all) {
    const fs::path file = home_ / "progress.json";
    std::ofstream(file) << all.dump();
    return file.string();
  }

  fs::path home_ = own_test_folder();
  std::shared_ptr<Engine> engine_ =
      Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 1});
};

TEST_F(ProgressCommand, NothingIsDoneWithoutAProfile) {
  const json all = printed();
  EXPECT_TRUE(all["exercises"].empty());
  for (const json& lab : all["labs"]) {
    EXPECT_FALSE(lab["lesson_read"]);
    for (const char* part : {"steps", "predictions", "bugs_found", "exercises_correct"})
      EXPECT_EQ(lab[part]["done"], 0) << lab["name"];
  }
  EXPECT_GT(row(all, "softmax")["steps"]["all"], 4);
}

TEST_F(ProgressCommand, CountsWhatTheWindowKept) {
  keep({{"softmax",
         {{"lesson_read", true},
          {"steps",
           {{"eight-passes", {{"pressed", 2}, {"answer", 2}}},
            {"a-row-apart", {{"pressed", 0}, {"answer", 3}}},
            {"online", json::object()}}}}}});
  const json softmax = row(printed(), "softmax");
  EXPECT_TRUE(softmax["lesson_read"]);
  EXPECT_EQ(softmax["steps"]["done"], 2) << "the third has a question that is not answered";
  EXPECT_EQ(softmax["answers"]["right"], 1);
  EXPECT_EQ(softmax["answers"]["all"], 2);
  EXPECT_EQ(softmax["marks"],
            (json{{"read", true}, {"predicted", false}, {"bug found", false}, {"exercise", false}, {"review", false}}));
  const std::string table = run({.verify = {}}, 0);
  EXPECT_NE(table.find("softmax                   ✓       0/4"), std::string::npos) << table;
  EXPECT_NE(table.find("1 of "), std::string::npos) << table;
}

TEST_F(ProgressCommand, CountsCardsOfTheReviewAndTheirMark) {
  const Recall recall(TILESCOPE_SOURCE);
  json cards = json::object();
  for (const ReviewCard& card : recall.cards_of("softmax"))
    cards[card.id] = {{"box", 1}, {"due", 200}, {"answered", 100}, {"tries", 1}, {"right", 1}};
  ASSERT_GT(cards.size(), 3U);
  keep({{"softmax", {{"cards", cards}}}});
  const json all = printed();
  EXPECT_EQ(row(all, "softmax")["cards_right_once"]["done"], cards.size());
  EXPECT_EQ(row(all, "softmax")["marks"]["review"], true);
  EXPECT_EQ(all["marks"]["done"], 1);
  EXPECT_EQ(all["cards_right_once"]["done"], cards.size());
}

TEST_F(ProgressCommand, AcceptedTextsAreJudgedAgain) {
  if (!engine_->compiler()) GTEST_SKIP() << engine_->compiler().error().message;
  solve_add_ten();
  json all = printed();
  ASSERT_EQ(all["exercises"].size(), 1U);
  EXPECT_EQ(all["exercises"][0]["state"], "all goals");
  EXPECT_EQ(row(all, "hello")["exercises_correct"]["done"], 1);
  EXPECT_EQ(all["exercises_correct"]["done"], 1);
  EXPECT_EQ(all["exercises_with_all_goals"], 1);
  EXPECT_EQ(all["texts_sha256"].get<std::string>().size(), 64U);
  EXPECT_NE(run({.verify = saved(all)}, 0).find("1 of 1 accepted texts hold"), std::string::npos);
  json& accepted = all["exercises"][0]["accepted"];
  accepted["text"] = accepted["text"].get<std::string>() + "\n// changed";
  EXPECT_NE(run({.verify = saved(all)}, 1).find("not the one that was exported"), std::string::npos);
}

TEST_F(ProgressCommand, AFileOfSomethingElseIsRefused) {
  EXPECT_NE(run({.verify = saved(json::array())}, 2).find("no progress that Tilescope exported"), std::string::npos);
  EXPECT_NE(run({.verify = "/there/is/none.json"}, 2).find("cannot read"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
