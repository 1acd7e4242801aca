// What counts as done in a lab, from hand-made facts.
#include "app/session/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilescope {
namespace {

LabProgress all_of(const Lab& lab) {
  LabProgress progress{.lesson_read = true, .own_edit = true};
  for (size_t question = 0; question < lab.predicts.size(); ++question)
    progress.predictions.insert(static_cast<int>(question));
  for (const BreakIt& one : lab.break_it) progress.broken.insert(one.name);
  return progress;
}

bool is_complete(const Lab& lab, const LabProgress& progress, const LabExtras& extras) {
  return std::ranges::all_of(parts_of(lab, progress, extras), &PartDone::complete);
}

const PartDone& part_of(const std::vector<PartDone>& parts, ProgressPart part) {
  return *std::ranges::find(parts, part, &PartDone::part);
}

constexpr LabExtras kAll{.exercises = 2, .exercises_correct = 2, .cards = 3, .cards_right = 3};

TEST(Progress, ALabIsCompleteWhenAllOfItsMarksAreEarned) {
  for (const Lab& lab : labs()) {
    const LabProgress whole = all_of(lab);
    EXPECT_TRUE(is_complete(lab, whole, kAll)) << lab.name;
    EXPECT_FALSE(is_complete(lab, {}, {})) << lab.name;
    LabProgress unread = whole, unanswered = whole, unbroken = whole;
    unread.lesson_read = false;
    EXPECT_FALSE(is_complete(lab, unread, kAll)) << lab.name;
    LabExtras wrong = kAll, forgotten = kAll;
    wrong.exercises_correct = 1;
    forgotten.cards_right = 2;
    EXPECT_FALSE(is_complete(lab, whole, wrong) || is_complete(lab, whole, forgotten)) << lab.name;
    if (!whole.predictions.empty()) {
      unanswered.predictions.erase(unanswered.predictions.begin());
      EXPECT_FALSE(is_complete(lab, unanswered, kAll)) << lab.name;
    }
    if (!whole.broken.empty()) {
      unbroken.broken.erase(unbroken.broken.begin());
      EXPECT_FALSE(is_complete(lab, unbroken, kAll)) << lab.name;
    }
  }
}

TEST(Progress, ALabHasFiveMarks) {
  const auto parts = parts_of(*find_lab("vector-add"), {.own_edit = true}, kAll);
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(part_of(parts, ProgressPart::exercises).done, 2U);
  EXPECT_EQ(part_of(parts, ProgressPart::review).all, 3U);
  EXPECT_EQ(std::ranges::count(parts, ProgressPart::own_edit, &PartDone::part), 0) << "there are exercises";
}

TEST(Progress, AnEditOfOnesOwnStandsInWhereALabHasNoExercise) {
  const auto parts = parts_of(*find_lab("vector-add"), {.own_edit = true}, {.cards = 3});
  EXPECT_TRUE(part_of(parts, ProgressPart::own_edit).complete());
  EXPECT_EQ(parts.size(), 5U);
}

TEST(Progress, MarksThatALabDoesNotHaveAreNotAskedFor) {
  Lab bare = *find_lab("vector-add");
  EXPECT_EQ(parts_of(bare, {}).size(), 4U) << "without review cards";
  bare.predicts.clear();
  bare.break_it.clear();
  ASSERT_EQ(parts_of(bare, {}).size(), 2U);
  EXPECT_TRUE(is_complete(bare, {.lesson_read = true, .own_edit = true}, {}));
  // Names of a different version are not counted.
  for (const PartDone& part : parts_of(*find_lab("vector-add"), {.predictions = {7}, .broken = {"GONE"}}))
    EXPECT_EQ(part.done, 0U);
}

TEST(Progress, TheTotalCountsEarnedMarksAndTheShareAlsoWhatIsHalfDone) {
  const auto extras = [](const Lab& lab) { return lab.name == "softmax" ? kAll : LabExtras{.cards = 4}; };
  const ProgressByLab progress{{"softmax", all_of(*find_lab("softmax"))}};
  const MarksTotal total = total_of(progress, extras);
  EXPECT_EQ(total.labs, labs().size());
  EXPECT_EQ(total.complete_labs, 1U);
  EXPECT_EQ(total.earned, 5U);
  EXPECT_DOUBLE_EQ(total.share, 5.0 / static_cast<double>(total.marks));
  // Two of four cards: no mark, and half of one in the share.
  const auto half = [](const Lab& lab) {
    return lab.name == "gelu" ? LabExtras{.cards = 4, .cards_right = 2} : LabExtras{.cards = 4};
  };
  EXPECT_EQ(total_of({}, half).earned, 0U);
  EXPECT_DOUBLE_EQ(total_of({}, half).share, 0.5 / static_cast<double>(total.marks));
  EXPECT_EQ(total_of({}, [](const Lab&) { return LabExtras(); }).share, 0);
}

TEST(Progress, OfTwoRecordsOfACardTheNewerOneCounts) {
  ProgressByLab into{{"softmax", {}}}, other{{"softmax", {}}};
  into["softmax"].cards["a"] = {.box = 1, .due = 30, .answered = 20, .tries = 1, .right = 1};
  other["softmax"].cards["a"] = {.box = 2, .due = 50, .answered = 40, .tries = 2, .right = 2};
  into["softmax"].guesses["0"] = {{{1, 2}, 2, 1}};
  other["softmax"].guesses["0"] = {{{1, 2}, 2, 2}, {{3, 4}, 3, 3}};
  other["softmax"].skipped = {"0", "1"};
  add_progress(into, other);
  EXPECT_EQ(into["softmax"].cards["a"].box, 2);
  EXPECT_EQ(into["softmax"].guesses["0"], (std::vector<Guess>{{{1, 2}, 2, 1}, {{3, 4}, 3, 3}}));
  EXPECT_EQ(into["softmax"].skipped, (std::set<std::string>{"1"})) << "what was answered is not skipped";
  add_progress(other, into);
  EXPECT_EQ(other["softmax"].cards["a"].box, 2);
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
