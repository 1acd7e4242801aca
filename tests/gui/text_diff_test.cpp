// What two texts have in common: facts that hold for any two texts, and the changes a reader would name in small ones.
#include "app/draw/editor/text_diff.hpp"

#include <gmock/gmock.h>

#include <random>
#include <string>

namespace tilescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Makes the right text from the left one: equal parts are copied from the left.
template <class Things>
Things applied(const Things& left, const Things& right, const std::vector<DiffRun>& runs) {
  Things made;
  uint32_t at_left = 0, at_right = 0;
  for (const DiffRun& run : runs) {
    EXPECT_EQ(run.left, at_left);
    EXPECT_EQ(run.right, at_right);
    EXPECT_TRUE(!run.equal || run.left_count == run.right_count);
    const auto& from = run.equal ? left : right;
    const uint32_t first = run.equal ? run.left : run.right;
    made.insert(made.end(), from.begin() + first, from.begin() + first + run.right_count);
    at_left += run.left_count;
    at_right += run.right_count;
  }
  EXPECT_EQ(at_left, left.size());
  EXPECT_EQ(at_right, right.size());
  return made;
}

uint32_t changes_in(const std::vector<DiffRun>& runs) {
  uint32_t changes = 0;
  for (const DiffRun& run : runs) changes += run.equal ? 0 : run.left_count + run.right_count;
  return changes;
}

/// By the table of all pairs of prefixes: slow and certain.
uint32_t fewest_changes(const std::vector<uint32_t>& left, const std::vector<uint32_t>& right) {
  std::vector<std::vector<uint32_t>> common(left.size() + 1, std::vector<uint32_t>(right.size() + 1, 0));
  for (size_t i = 0; i < left.size(); ++i)
    for (size_t j = 0; j < right.size(); ++j)
      common[i + 1][j + 1] = left[i] == right[j] ? common[i][j] + 1 : std::max(common[i][j + 1], common[i + 1][j]);
  return static_cast<uint32_t>(left.size() + right.size()) - 2 * common.back().back();
}

std::vector<uint32_t> some_numbers(std::mt19937& random, uint32_t most, uint32_t kinds) {
  std::vector<uint32_t> numbers(random() % (most + 1));
  for (uint32_t& number : numbers) number = static_cast<uint32_t>(random() % kinds);
  return numbers;
}

TEST(SequenceDiff, MakesTheOtherSequenceWithTheFewestChanges) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const uint32_t kinds = 1 + static_cast<uint32_t>(random() % 12);
    const auto left = some_numbers(random, 40, kinds), right = some_numbers(random, 40, kinds);
    const auto runs = diff_sequences(left, right);
    ASSERT_EQ(applied(left, right, runs), right);
    ASSERT_EQ(changes_in(runs), fewest_changes(left, right)) << "round " << round;
  }
}

TEST(SequenceDiff, RunsTakeTurns) {
  const std::vector<uint32_t> left{1, 2, 3, 4}, right{1, 9, 4};
  EXPECT_THAT(diff_sequences(left, right),
              ElementsAre(DiffRun{true, 0, 1, 0, 1}, DiffRun{false, 1, 2, 1, 1}, DiffRun{true, 3, 1, 2, 1}));
}

TEST(SequenceDiff, TheExampleOfMyersPaper) {
  const std::vector<uint32_t> left{'a', 'b', 'c', 'a', 'b', 'b', 'a'}, right{'c', 'b', 'a', 'b', 'a', 'c'};
  EXPECT_EQ(changes_in(diff_sequences(left, right)), 5U);
}

// Without a bound on the search this is 10¹⁰ steps; with it the test ends at once.
TEST(SequenceDiff, LongSequencesWithNextToNothingInCommonAreStillRight) {
  std::mt19937 random(2);
  std::vector<uint32_t> left(50000), right(50000);
  for (auto* numbers : {&left, &right})
    for (uint32_t& number : *numbers) number = static_cast<uint32_t>(random() % 1000);
  EXPECT_EQ(applied(left, right, diff_sequences(left, right)), right);
}

TEST(SequenceDiff, LongSequencesThatDifferInOnePlace) {
  std::vector<uint32_t> left(200000);
  for (uint32_t i = 0; i < left.size(); ++i) left[i] = i % 1000;
  std::vector<uint32_t> right = left;
  right[100000] = 5000;
  EXPECT_EQ(changes_in(diff_sequences(left, right)), 2U);
}

TEST(LineDiff, EmptyEqualAndEntirelyDifferentTexts) {
  const Lines some{"a", "b"}, other{"c"};
  EXPECT_THAT(diff_lines({}, {}), IsEmpty());
  EXPECT_THAT(diff_lines(some, some), ElementsAre(DiffRun{true, 0, 2, 0, 2}));
  EXPECT_THAT(diff_lines({}, some), ElementsAre(DiffRun{false, 0, 0, 0, 2}));
  EXPECT_THAT(diff_lines(some, {}), ElementsAre(DiffRun{false, 0, 2, 0, 0}));
  EXPECT_THAT(diff_lines(some, other), ElementsAre(DiffRun{false, 0, 2, 0, 1}));
}

TEST(LineDiff, AnyTwoTextsOfCodeAreMadeOfEachOther) {
  static constexpr std::string_view kLines[] = {"}",        "", "  }", "int x = 0;", "  f(x);", "void f(int x) {",
                                                "  x += 1;"};
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    Lines left, right;
    for (const uint32_t number : some_numbers(random, 20, 7)) left.push_back(kLines[number]);
    for (const uint32_t number : some_numbers(random, 20, 7)) right.push_back(kLines[number]);
    const auto runs = diff_lines(left, right);
    ASSERT_EQ(applied(left, right, runs), right);
    for (const DiffRun& run : runs)
      for (uint32_t i = 0; run.equal && i < run.left_count; ++i) ASSERT_EQ(left[run.left + i], right[run.right + i]);
    for (size_t i = 1; i < runs.size(); ++i) ASSERT_NE(runs[i - 1].equal, runs[i].equal);
  }
}

TEST(LineDiff, AnAddedFunctionBeginsAtItsOwnFirstLine) {
  const Lines left = lines_of("void f() {\n  a();\n}\n\nvoid h() {\n  c();\n}\n");
  const Lines right = lines_of("void f() {\n  a();\n}\n\nvoid g() {\n  b();\n}\n\nvoid h() {\n  c();\n}\n");
  EXPECT_THAT(diff_lines(left, right),
              ElementsAre(DiffRun{true, 0, 4, 0, 4}, DiffRun{false, 4, 0, 4, 4}, DiffRun{true, 4, 3, 8, 3}));
}

TEST(LineDiff, AnAddedLoopKeepsItsOwnBrace) {
  const Lines left = lines_of("for (i) {\n  f();\n}\n");
  const Lines right = lines_of("for (i) {\n  for (j) {\n    g();\n  }\n  f();\n}\n");
  EXPECT_THAT(diff_lines(left, right),
              ElementsAre(DiffRun{true, 0, 1, 0, 1}, DiffRun{false, 1, 0, 1, 3}, DiffRun{true, 1, 2, 4, 2}));
}

TEST(LineDiff, ABraceBetweenTwoChangesIsNothingInCommon) {
  const Lines left = lines_of("a();\n}\nb();\n"), right = lines_of("c();\n}\nd();\n");
  EXPECT_THAT(diff_lines(left, right), ElementsAre(DiffRun{false, 0, 3, 0, 3}));
}

TEST(LineDiff, AStatementBetweenTwoChangesIsKept) {
  const Lines left = lines_of("a();\n__syncthreads();\nb();\n"), right = lines_of("c();\n__syncthreads();\nd();\n");
  EXPECT_EQ(changes_in(diff_lines(left, right)), 4U);
}

TEST(WordDiff, NamesTheWordsThatChanged) {
  const WordDiff diff =
      diff_words("  __shared__ float tile[TILE][TILE];", "  __shared__ float tile[TILE][TILE + PAD];");
  EXPECT_THAT(diff.left, IsEmpty());
  EXPECT_THAT(diff.right, ElementsAre(ByteRange{34, 40}));  // " + PAD"
  EXPECT_GT(diff.similarity, 0.9);
}

TEST(WordDiff, WordsAreWhole) {
  const WordDiff diff = diff_words("int row = 4;", "int rows = 4;");
  EXPECT_THAT(diff.left, ElementsAre(ByteRange{4, 7}));
  EXPECT_THAT(diff.right, ElementsAre(ByteRange{4, 8}));
}

TEST(WordDiff, EqualAndEmptyLines) {
  EXPECT_THAT(diff_words("f(x);", "f(x);").left, IsEmpty());
  EXPECT_EQ(diff_words("", "").similarity, 1);
  EXPECT_EQ(diff_words("f(x);", "").similarity, 0);
  EXPECT_THAT(diff_words("", "x").right, ElementsAre(ByteRange{0, 1}));
}

TEST(LinePairs, AChangedLineStandsBesideWhatItBecame) {
  const Lines left = lines_of("int row = top + threadIdx.y;\nint column = left + threadIdx.x;\n");
  const Lines right = lines_of("// swapped\nint row = top + threadIdx.x;\nint column = left + threadIdx.y;\n");
  EXPECT_THAT(pair_lines(left, right), ElementsAre(LinePair{0, 1}, LinePair{1, 2}));
}

TEST(LinePairs, LinesWithoutAWordAndLinesWithNothingInCommonStandAlone) {
  EXPECT_THAT(pair_lines(Lines{"}", "f(x);"}, Lines{"}", "return 0;"}), IsEmpty());
}

}  // namespace
}  // namespace tilescope
