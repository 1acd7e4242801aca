// Loop nests: what is read, which dependences there are, and what they allow.
#include "engine/graph/loops.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

LoopPair read(const std::string& first, const std::string& second) {
  auto pair = loops_from_text(first + "\n" + second);
  EXPECT_TRUE(pair) << (pair ? "" : pair.error().message);
  return pair ? *pair : LoopPair();
}
std::string problem(const std::string& text) {
  const auto pair = loops_from_text(text);
  return pair ? "" : pair.error().message;
}
const Dependence* find(const LoopFusion& fusion, DependenceKind kind, const std::string& array) {
  for (const Dependence& one : fusion.dependences)
    if (one.kind == kind && one.array == array) return &one;
  return nullptr;
}
constexpr const char* kWritesB = "for i in 0..8, j in 0..8: b[i, j] = exp(a[i, j])";

TEST(Loops, TheSameElementInTheSameIterationMayBeFused) {
  const LoopFusion fusion = analyse(read(kWritesB, "for i in 0..8, j in 0..8: c[i, j] = b[i, j] + a[i, j]"));
  EXPECT_TRUE(fusion.same_bounds);
  EXPECT_TRUE(fusion.legal());
  EXPECT_TRUE(fusion.one_kernel());
  EXPECT_TRUE(fusion.can_tile);
  const Dependence* raw = find(fusion, DependenceKind::raw, "b");
  ASSERT_NE(raw, nullptr);
  EXPECT_EQ(raw->pairs, 64U);
  EXPECT_EQ(raw->distance, Iteration{});
  EXPECT_NE(find(fusion, DependenceKind::rar, "a"), nullptr);
}

TEST(Loops, AnEarlierElementMayBeFusedButNotAsThreads) {
  const LoopFusion fusion = analyse(read(kWritesB, "for i in 0..8, j in 0..8: c[i, j] = b[i, j] + b[i, j - 1]"));
  EXPECT_TRUE(fusion.legal());
  EXPECT_FALSE(fusion.one_kernel()) << "thread j reads what thread j − 1 writes";
  const Dependence* raw = find(fusion, DependenceKind::raw, "b");
  ASSERT_NE(raw, nullptr);
  EXPECT_EQ(raw->apart, 56U);
  EXPECT_EQ(raw->second[1] - raw->first[1], 1);
  EXPECT_TRUE(fusion.can_tile);
}

TEST(Loops, ALaterElementIsNotThereYet) {
  const LoopFusion fusion = analyse(read(kWritesB, "for i in 0..8, j in 0..8: c[i, j] = b[i, j + 1]"));
  EXPECT_FALSE(fusion.legal());
  const Dependence* raw = find(fusion, DependenceKind::raw, "b");
  ASSERT_NE(raw, nullptr);
  EXPECT_TRUE(raw->prevents_fusion());
  EXPECT_EQ(raw->reversed, 56U);
  EXPECT_EQ(raw->distance, (Iteration{0, -1, 0}));
  EXPECT_EQ(raw->element, (std::vector<int64_t>{0, 1}));
}

TEST(Loops, ATransposedReadIsReversedAboveTheDiagonal) {
  const LoopFusion fusion = analyse(read(kWritesB, "for i in 0..8, j in 0..8: c[i, j] = b[j, i]"));
  EXPECT_FALSE(fusion.legal());
  const Dependence* raw = find(fusion, DependenceKind::raw, "b");
  ASSERT_NE(raw, nullptr);
  EXPECT_EQ(raw->reversed, 28U);
  EXPECT_FALSE(raw->distance);
}

TEST(Loops, OverwritingWhatIsStillReadIsWriteAfterRead) {
  const char* reads_ahead = "for i in 0..8: b[i] = a[i + 1]";
  const LoopFusion right = analyse(read(reads_ahead, "for i in 0..8: a[i] = c[i]"));
  EXPECT_TRUE(right.legal()) << "a[i + 1] is read one iteration before it is written";
  EXPECT_FALSE(right.one_kernel());
  const LoopFusion wrong = analyse(read("for i in 0..8: b[i] = a[i - 1]", "for i in 0..8: a[i] = c[i]"));
  EXPECT_FALSE(wrong.legal());
  EXPECT_TRUE(find(wrong, DependenceKind::war, "a")->prevents_fusion());
}

TEST(Loops, TheLastWriteMustStayTheLast) {
  const LoopFusion fusion = analyse(read("for i in 0..8: b[i] = a[i]", "for i in 0..8: b[i + 1] = c[i]"));
  EXPECT_FALSE(fusion.legal());
  EXPECT_TRUE(find(fusion, DependenceKind::waw, "b")->prevents_fusion());
}

TEST(Loops, AReductionIsNeededWhole) {
  const LoopFusion fusion =
      analyse(read("for i in 0..8, j in 0..8: s[i] += a[i, j]", "for i in 0..8, j in 0..8: c[i, j] = a[i, j] / s[i]"));
  EXPECT_FALSE(fusion.legal());
  EXPECT_TRUE(find(fusion, DependenceKind::raw, "s")->prevents_fusion());
  EXPECT_FALSE(find(fusion, DependenceKind::rar, "a")->prevents_fusion());
}

TEST(Loops, BoundsMustBeEqualAndNamesNeedNot) {
  EXPECT_FALSE(analyse(read("for i in 0..8: b[i] = a[i]", "for i in 0..7: c[i] = b[i]")).same_bounds);
  EXPECT_FALSE(analyse(read("for i in 0..8: b[i] = a[i]", "for i in 0..8, j in 0..1: c[i] = b[i]")).same_bounds);
  EXPECT_TRUE(analyse(read("for i in 0..8: b[i] = a[i]", "for k in 0..8: c[k] = b[k]")).one_kernel());
}

// Distance (1, −1): legal in order, but a tile that is one row high would need the tile beside it first.
TEST(Loops, ADependenceThatGoesBackwardsInOneLoopForbidsTiles) {
  const LoopFusion fusion = analyse(read(kWritesB, "for i in 0..8, j in 0..8: c[i, j] = b[i - 1, j + 1]"));
  EXPECT_TRUE(fusion.legal());
  EXPECT_FALSE(fusion.can_tile);
}

TEST(Loops, FusingAndTilingLoadLess) {
  const LoopPair pair =
      read("for i in 0..32, j in 0..32: b[i, j] = a[i, j]", "for i in 0..32, j in 0..32: c[i, j] = b[i, j] + a[j, i]");
  const LoopMisses misses = count_misses(pair, 128, {8, 8, 0});
  EXPECT_EQ(misses.accesses, 1024U * 5);
  EXPECT_EQ(misses.separate, 1024U * 2 + 1024U * 2 + 1024U)
      << "a, b, then b, c, and a once per element: rows fit, columns do not";
  EXPECT_LT(misses.fused, misses.separate);
  EXPECT_LT(misses.tiled, misses.fused);
  EXPECT_EQ(count_misses(pair, 1 << 20, {8, 8, 0}).tiled, 1024U * 3) << "each element once";
}

TEST(Loops, ProblemsNameTheirLine) {
  const std::string good = "for i in 0..8: b[i] = a[i]\n";
  EXPECT_EQ(problem(good), "line 1 of the loops: two nests are needed, each in a line");
  EXPECT_EQ(problem(good + good + good), "line 3 of the loops: there are two nests already");
  EXPECT_EQ(problem(good + "for i in 0..8: c[i] = b[k]"),
            "line 2 of the loops: no loop of the nest has the variable 'k'");
  EXPECT_EQ(problem("for i in 8..8: b[i] = a[i]"), "line 1 of the loops: the loop over 'i' has no iteration");
  EXPECT_EQ(problem("for i in 0..8, i in 0..8: b[i] = a[i]"), "line 1 of the loops: two loops have the variable 'i'");
  EXPECT_EQ(problem("for i in 0..n: b[i] = a[i]"), "line 1 of the loops: a loop has the form i in 0..8");
  EXPECT_EQ(problem("for i in 0..8000: b[i] = a[i]"),
            "line 1 of the loops: a nest has at most 4096 iterations, and this one has 8000");
  EXPECT_EQ(problem("for i in 0..999999, j in 0..999999: b[i] = a[i]"),
            "line 1 of the loops: a nest has at most 4096 iterations, and this one has 999999");
  EXPECT_EQ(problem("while true"), "line 1 of the loops: a nest begins with 'for'");
  EXPECT_EQ(problem("for i in 0..8: b = a[i]"), "line 1 of the loops: 'b' needs subscripts, as in b[i]");
  EXPECT_EQ(problem("for i in 0..8: b[i] = (a[i]"), "line 1 of the loops: it ends too early");
  EXPECT_EQ(problem("for i in 0..8: b[i] = "), "line 1 of the loops: it ends too early");
  EXPECT_EQ(problem("for i in 0..8: b[i * i] = a[i]"), "line 1 of the loops: '* i] = a[i]' is not understood");
  EXPECT_EQ(problem("for i in 0..8: b[i] = a[i]; c[i] = 1"), "line 1 of the loops: '; c[i] = 1' is not understood");
}

TEST(Loops, SubscriptsAreSumsOfLoopVariables) {
  const LoopPair pair = read("for i in 0..4, j in 0..4: b[4*i + j] = a[2 * i - j + 3, 0]",
                             "for i in 0..4, j in 0..4: c[i, j] = b[4*i + j] # flat");
  ASSERT_EQ(pair.first.accesses.size(), 2U);
  EXPECT_EQ(pair.first.accesses[0].subscripts[0].constant, 3);
  EXPECT_EQ(pair.first.accesses[0].subscripts[0].factors, (std::vector<int64_t>{2, -1}));
  EXPECT_EQ(pair.first.statement, "b[4*i + j] = a[2 * i - j + 3, 0]");
  EXPECT_TRUE(analyse(pair).one_kernel());
}

}  // namespace
}  // namespace tilescope
