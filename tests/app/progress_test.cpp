// What counts as done in a lab, from hand-made facts.
#include "app/session/progress.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

LabProgress all_of(const Lab& lab) {
  LabProgress progress{.lesson_read = true, .own_edit = true};
  for (size_t question = 0; question < lab.predicts.size(); ++question)
    progress.predictions.insert(static_cast<int>(question));
  for (const BreakIt& one : lab.break_it) progress.broken.insert(one.name);
  return progress;
}

TEST(Progress, ALabIsCompleteWhenAllOfItsPartsAre) {
  for (const Lab& lab : labs()) {
    const LabProgress whole = all_of(lab);
    EXPECT_TRUE(is_complete(lab, whole)) << lab.name;
    EXPECT_FALSE(is_complete(lab, {})) << lab.name;
    LabProgress unread = whole, unwritten = whole, unanswered = whole, unbroken = whole;
    unread.lesson_read = false;
    unwritten.own_edit = false;
    EXPECT_FALSE(is_complete(lab, unread) || is_complete(lab, unwritten)) << lab.name;
    if (!whole.predictions.empty()) {
      unanswered.predictions.erase(unanswered.predictions.begin());
      EXPECT_FALSE(is_complete(lab, unanswered)) << lab.name;
    }
    if (!whole.broken.empty()) {
      unbroken.broken.erase(unbroken.broken.begin());
      EXPECT_FALSE(is_complete(lab, unbroken)) << lab.name;
    }
  }
}

TEST(Progress, PartsThatALabDoesNotHaveAreNotAskedFor) {
  Lab bare = *find_lab("vector-add");
  EXPECT_EQ(parts_of(bare, {}).size(), 4U);
  bare.predicts.clear();
  bare.break_it.clear();
  ASSERT_EQ(parts_of(bare, {}).size(), 2U);
  EXPECT_TRUE(is_complete(bare, {.lesson_read = true, .own_edit = true}));
  // Parts that an older version knew and this one does not are not counted.
  for (const PartDone& part : parts_of(*find_lab("vector-add"), {.predictions = {7}, .broken = {"GONE"}}))
    EXPECT_EQ(part.done, 0U);
}

TEST(Progress, OneWholeLabIsOneOfAllAndItsShare) {
  const ProgressByLab progress{{"softmax", all_of(*find_lab("softmax"))}};
  EXPECT_EQ(complete_labs(progress), 1U);
  EXPECT_NEAR(share_done(progress), 1.0 / static_cast<double>(labs().size()), 0.02);
  EXPECT_EQ(complete_labs({}), 0U);
  EXPECT_EQ(share_done({}), 0);
}

RunResult make_run(const std::string& rung, bool passes) {
  RunResult result;
  result.request.lab = "vector-add";
  result.request.rung = result.rung = rung;
  result.observed = true;
  result.correctness.push_back({.buffer = "out", .pass = passes});
  return result;
}

TEST(Progress, ASwitchCountsWhenItsFailureWasShown) {
  const Lab& lab = *find_lab("vector-add");
  LabProgress progress;
  RunResult run = make_run("grid-stride", true);
  run.request.broken = {"DROP_MASK"};
  note_run(lab, run, "", progress);
  EXPECT_TRUE(progress.broken.empty()) << "at sizes that fill all blocks nothing goes wrong";
  run.correctness.front().pass = false;
  note_run(lab, run, "", progress);
  EXPECT_TRUE(progress.broken.contains("DROP_MASK"));

  LabProgress other;
  run = make_run("grid-stride", true);
  run.request.broken = {"ONE_TOO_FAR"};
  run.findings.emplace_back();
  note_run(lab, run, "", other);
  EXPECT_TRUE(other.broken.contains("ONE_TOO_FAR")) << "a finding shows it, too";
  run.request.broken = {"NO_SUCH"};
  note_run(lab, run, "", other);
  EXPECT_EQ(other.broken.size(), 1U);
}

TEST(Progress, ASwitchThatOnlySlowsCountsWhenItRanWhereItDoesSomething) {
  Lab lab = *find_lab("vector-add");
  lab.break_it = {{.name = "SLOW", .rungs = {"grid-stride"}, .only_slower = true}};
  LabProgress progress;
  RunResult run = make_run("vector-loads", true);
  run.request.broken = {"SLOW"};
  note_run(lab, run, "", progress);
  EXPECT_TRUE(progress.broken.empty());
  run = make_run("grid-stride", true);
  run.request.broken = {"SLOW"};
  note_run(lab, run, "", progress);
  EXPECT_TRUE(progress.broken.contains("SLOW"));
}

}  // namespace
}  // namespace tilescope
