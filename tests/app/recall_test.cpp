// Review cards: their files, their numbers against runs of the simulator, when they are asked again, and what the
// answers say about skills.
#include "app/recall/recall.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "app/commands/commands.hpp"
#include "app/commands/parse.hpp"
#include "app/exercises/exercise.hpp"
#include "app/observed/run_values.hpp"
#include "app/recall/schedule.hpp"
#include "app/sandbox/reading/expression.hpp"
#include "engine/run/engine.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMinute = 60, kDay = 24 * 3600, kNow = 1'800'000'000;

size_t letters_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

const Recall& shipped() {
  static const Recall recall{fs::path(TILESCOPE_SOURCE)};
  return recall;
}

TEST(ReviewCards, EveryLabHasEnoughAndTheirTextsFit) {
  for (const Error& problem : shipped().problems()) ADD_FAILURE() << problem.message;
  for (const Lab& lab : labs()) {
    SCOPED_TRACE(lab.name);
    const auto& cards = shipped().cards_of(lab.name);
    EXPECT_GE(cards.size(), 6U);
    EXPECT_GE(std::ranges::count_if(cards, &ReviewCard::asks_for_number), 2);
    std::set<size_t> positions;
    size_t with_choices = 0;
    for (const ReviewCard& card : cards) {
      SCOPED_TRACE(card.id);
      EXPECT_NE(shipped().find_skill(card.skill), nullptr) << card.skill;
      for (const Text& choice : card.choices) {
        EXPECT_LE(letters_of(choice.en), 90U) << choice.en;
        EXPECT_LE(letters_of(choice.zh), 60U) << choice.zh;
      }
      if (card.asks_for_number()) continue;
      positions.insert(card.right);
      ++with_choices;
    }
    if (with_choices > 3) {
      EXPECT_GT(positions.size(), 1U) << "the right choice is always the same one";
    }
  }
}

TEST(ReviewCards, NumbersAreThoseOfARun) {
  const auto engine = Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 0});
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  size_t checked = 0;
  for (const LabCard& one : shipped().cards()) {
    const ReviewCard& card = *one.card;
    if (card.run.empty()) continue;
    SCOPED_TRACE(one.lab->name + ": " + card.id);
    std::vector<std::string> words{"tilescope", "run"};
    const std::regex blank("\\s+");
    std::copy(std::sregex_token_iterator(card.run.begin(), card.run.end(), blank, -1), std::sregex_token_iterator(),
              std::back_inserter(words));
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    const auto invocation = parse_command_line(static_cast<int>(arguments.size()), arguments.data(), {});
    ASSERT_TRUE(invocation) << invocation.error().message;
    const auto* options = std::get_if<RunOptions>(&*invocation);
    ASSERT_NE(options, nullptr) << card.run;
    const auto request = make_request(*options);
    ASSERT_TRUE(request) << request.error().message;
    const auto result = engine->run(*request);
    if (!result && result.error().id == ErrorId::triton_missing) continue;
    ASSERT_TRUE(result) << result.error().message;
    const auto value = evaluate(card.answer, [&](std::string_view name) -> std::optional<Checked<long double>> {
      const auto found = run_value(name, *result);
      if (!found) return std::nullopt;
      return Checked<long double>(static_cast<long double>(*found));
    });
    ASSERT_TRUE(value) << card.answer;
    EXPECT_NEAR(static_cast<double>(*value), card.number, card.tolerance + 1e-9) << card.answer;
    ++checked;
  }
  EXPECT_GE(checked, labs().size()) << "most labs have a number that a run gives";
}

TEST(ReviewCards, NumbersAreReadAsPeopleTypeThem) {
  EXPECT_EQ(typed_number("4096"), 4096);
  EXPECT_EQ(typed_number(" 4,096 "), 4096);
  EXPECT_EQ(typed_number("-0.5"), -0.5);
  EXPECT_EQ(typed_number("1e3"), 1000);
  for (const char* text : {"", "four", "12 sectors", "1..2", "nan", "inf"}) EXPECT_FALSE(typed_number(text)) << text;
}

TEST(ReviewCards, TheOrderOfChoicesChanges) {
  const ReviewCard card{.id = "one", .choices = {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}}};
  std::set<std::vector<size_t>> orders;
  for (uint64_t showing = 0; showing < 40; ++showing) {
    auto order = shuffled_choices(card, showing);
    orders.insert(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3}));
  }
  EXPECT_GT(orders.size(), 10U);
}

std::string problem_with(const std::string& text) {
  const fs::path file = own_test_folder() / "cards.toml";
  std::ofstream(file) << text;
  const auto cards = read_cards(file);
  if (cards) return "";
  return std::regex_replace(cards.error().message, std::regex(".* cannot be used: "), "");
}

TEST(ReviewCards, AFileThatIsWrongIsSaidWithItsCard) {
  const std::string card =
      "[[cards]]\nid = \"one\"\nskill = \"tiling\"\nquestion = {en = \"a\", zh = \"b\"}\nbecause = {en = \"a\", zh = "
      "\"b\"}\n";
  const std::string choices = "choices.en = [\"a\", \"b\", \"c\"]\nchoices.zh = [\"a\", \"b\", \"c\"]\n";
  EXPECT_EQ(problem_with(card + "number = 3\n"), "");
  EXPECT_EQ(problem_with(card + choices + "right = 2\n"), "");
  EXPECT_EQ(problem_with(card + choices + "right = 3\n"), "card 'one': 'right' is no choice");
  EXPECT_EQ(problem_with(card + choices), "card 'one': 'right' is no choice");
  EXPECT_EQ(problem_with(card), "card 'one': a card has either choices or a number");
  EXPECT_EQ(problem_with(card + "number = 3\nrun = \"softmax\"\n"), "card 'one': 'run' and 'answer' belong together");
  EXPECT_EQ(problem_with(card + "number = 3\n" + card + "number = 3\n"), "card 'one': a second one has this id");
  EXPECT_EQ(problem_with(card + "number = 3\nhint = 1\n"), "card 'one': 'hint' is not a key of a card");
  EXPECT_EQ(problem_with("a = 1\n"), "'cards' is missing");
  EXPECT_NE(problem_with("[[cards]\n"), "");
}

TEST(ReviewSchedule, RightAnswersGrowTheInterval) {
  CardRecord record;
  int64_t now = kNow;
  for (const int64_t days : {1, 3, 7, 16, 35, 90, 90}) {
    EXPECT_TRUE(note_answer(record, true, now));
    EXPECT_EQ(record.due, now + days * kDay);
    EXPECT_FALSE(is_due(&record, record.due - 1));
    EXPECT_TRUE(is_due(&record, record.due));
    now = record.due;
  }
  EXPECT_EQ(record.box, CardRecord::kLastBox);
  EXPECT_EQ(record.right, 7);
}

TEST(ReviewSchedule, AWrongAnswerStartsAgain) {
  CardRecord record;
  note_answer(record, true, kNow);
  const int64_t later = record.due;
  note_answer(record, true, later);
  EXPECT_EQ(record.box, 2);
  EXPECT_TRUE(note_answer(record, false, later + 5)) << "it counts even before it is due";
  EXPECT_EQ(record.box, 0);
  EXPECT_EQ(record.due, later + 5 + 10 * kMinute);
  EXPECT_TRUE(record.was_right());
}

TEST(ReviewSchedule, ARightAnswerBeforeItIsDueShowsNothing) {
  CardRecord record;
  note_answer(record, true, kNow);
  const CardRecord before = record;
  EXPECT_FALSE(note_answer(record, true, kNow + kMinute));
  EXPECT_EQ(record, before);
}

TEST(ReviewSchedule, ARecordFromTheFutureIsDue) {
  CardRecord record;
  note_answer(record, true, kNow);
  EXPECT_TRUE(is_due(&record, kNow - 30 * kDay)) << "the clock was wrong when it was answered";
}

class Reviews : public ::testing::Test {
 protected:
  void SetUp() override {
    recall_.clock = [this] { return now_; };
  }
  LabCard card(const std::string& lab, size_t index) const { return {find_lab(lab), &recall_.cards_of(lab).at(index)}; }
  void answer(const LabCard& one, bool right) { note_answer(learned_[one.lab->name].cards[one.card->id], right, now_); }

  Recall recall_{fs::path(TILESCOPE_SOURCE)};
  ProgressByLab learned_;
  int64_t now_ = kNow;
};

TEST_F(Reviews, CardsComeFromLessonsThatWereRead) {
  EXPECT_EQ(recall_.due(learned_).all(), 0U);
  EXPECT_TRUE(recall_.session(learned_).empty());
  learned_["softmax"].lesson_read = true;
  EXPECT_EQ(recall_.due(learned_).fresh, recall_.cards_of("softmax").size());
  EXPECT_EQ(recall_.session(learned_).size(), recall_.cards_of("softmax").size());
}

TEST_F(Reviews, WhatIsLongestOverdueComesFirstAndTheNumberIsLimited) {
  for (const Lab& lab : labs()) learned_[lab.name].cards_opened = true;
  const LabCard first = card("transpose", 1), second = card("softmax", 0), third = card("vector-add", 2);
  answer(second, false);
  now_ += kMinute;
  answer(first, true);
  now_ += kMinute;
  answer(third, true);
  now_ += kDay - kMinute - 1;  // `third` is due in a minute
  const auto session = recall_.session(learned_);
  ASSERT_EQ(session.size(), Recall::kSession);
  EXPECT_EQ(session[0], second);
  EXPECT_NE(session[1], first);
  EXPECT_EQ(recall_.next_due(learned_), kNow + kMinute + kDay);
  now_ = kNow + 2 * kDay;
  const auto later = recall_.session(learned_);
  EXPECT_EQ(later[0], second);
  EXPECT_EQ(later[1], first);
  EXPECT_EQ(later[2], third);
  EXPECT_EQ(recall_.due(learned_).due, 3U);
}

TEST_F(Reviews, ARecordOfACardThatIsGoneDoesNoHarm) {
  learned_["softmax"].lesson_read = true;
  note_answer(learned_["softmax"].cards["no-such-card"], false, now_);
  note_answer(learned_["no-such-lab"].cards["x"], false, now_);
  now_ += kDay;
  EXPECT_EQ(recall_.due(learned_).due, 0U);
  EXPECT_EQ(recall_.session(learned_).size(), recall_.cards_of("softmax").size());
  EXPECT_EQ(recall_.right_once(learned_, "softmax"), 0U);
}

TEST_F(Reviews, SkillsCountAnswersAndJudgedExercisesOnly) {
  const auto none = [](const std::string&) { return false; };
  for (const Lab& lab : labs()) learned_[lab.name].lesson_read = true;
  for (const Strength& one : recall_.strengths(learned_, none)) EXPECT_EQ(one.value, 0) << one.skill->id;

  const LabCard answered = card("softmax", 0);
  answer(answered, true);
  for (const Strength& one : recall_.strengths(learned_, none)) {
    const bool is_its_own = one.skill->id == answered.card->skill;
    EXPECT_EQ(one.cards_right, is_its_own ? 1U : 0U) << one.skill->id;
    if (is_its_own) {
      EXPECT_NEAR(one.value, 0.5 / static_cast<double>(one.cards + one.exercises), 1e-9);
    }
  }
  answer(answered, false);
  for (const Strength& one : recall_.strengths(learned_, none)) EXPECT_EQ(one.value, 0) << one.skill->id;
  for (const Strength& one : recall_.strengths({}, [](const std::string&) { return true; }))
    EXPECT_EQ(one.exercises_done, one.exercises);
}

TEST(Skills, EachIsTaughtAndShownBySomething) {
  const ExerciseCatalogue catalogue = read_exercises(fs::path(TILESCOPE_SOURCE));
  std::map<std::string, size_t> cards;
  for (const LabCard& one : shipped().cards()) ++cards[one.card->skill];
  EXPECT_GE(shipped().skills().size(), 40U);
  for (const Skill& skill : shipped().skills()) {
    SCOPED_TRACE(skill.id);
    EXPECT_FALSE(skill.labs.empty());
    for (const std::string& lab : skill.labs) EXPECT_NE(find_lab(lab), nullptr) << lab;
    for (const std::string& name : skill.exercises) EXPECT_NE(catalogue.find(name), nullptr) << name;
    EXPECT_GT(cards[skill.id] + skill.exercises.size(), 0U);
  }
}

}  // namespace
}  // namespace tilescope
