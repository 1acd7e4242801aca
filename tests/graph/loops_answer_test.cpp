// Loop nests after fusing and tiling, as text, and what is said of them; worked out by hand.
#include "engine/graph/loops_answer.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

LoopPair nests(const std::string& first, const std::string& second) {
  auto pair = loops_from_text(first + "\n" + second);
  EXPECT_TRUE(pair) << (pair ? "" : pair.error().message);
  return pair ? *pair : LoopPair();
}
std::string said_of(const LoopPair& pair) { return verdict_of(pair, analyse(pair)).english(); }

TEST(FusedNest, HasBothStatementsInTheVariablesOfTheFirst) {
  const LoopPair pair =
      nests("for i in 0..8, j in 0..6: y[i, j] = exp(x[i, j])", "for r in 0..8, c in 0..6: z[c, r] = y[r, c] * c(r)");
  EXPECT_EQ(fused_text(pair),
            "for i in 0..8, j in 0..6:\n"
            "  y[i, j] = exp(x[i, j])\n"
            "  z[j, i] = y[i, j] * c(i)\n");
}

TEST(FusedNest, ExchangedVariablesDoNotMeet) {
  const LoopPair pair = nests("for i in 0..4, j in 0..4: y[i, j] = x[j]", "for j in 0..4, i in 0..4: z[j] = y[j, i]");
  EXPECT_EQ(fused_text(pair),
            "for i in 0..4, j in 0..4:\n"
            "  y[i, j] = x[j]\n"
            "  z[i] = y[i, j]\n");
}

TEST(TiledNest, HasALoopOverTilesOutsideAndEndsAtTheBounds) {
  const LoopPair pair =
      nests("for i in 0..8, j in 0..6: y[i, j] = x[i, j]", "for i in 0..8, j in 0..6: z[i, j] = y[i, j]");
  EXPECT_EQ(tiled_text(pair, {4, 4, 0}),
            "for i0 in 0..8 step 4, j0 in 0..6 step 4:\n"
            "  for i in i0..i0 + 4, j in j0..min(j0 + 4, 6):\n"
            "    y[i, j] = x[i, j]\n"
            "    z[i, j] = y[i, j]\n");
  EXPECT_EQ(tiled_text(pair, {0, 3, 0}),
            "for j0 in 0..6 step 3:\n"
            "  for i in 0..8, j in j0..j0 + 3:\n"
            "    y[i, j] = x[i, j]\n"
            "    z[i, j] = y[i, j]\n");
  EXPECT_EQ(tiled_text(pair, {8, 8, 8}), fused_text(pair)) << "one tile is the nest itself";
}

TEST(LoopVerdict, NamesTheElementAndBothIterations) {
  const LoopPair right = nests("for i in 0..4: y[i] = x[i]", "for i in 0..4: z[i] = y[i + 1]");
  EXPECT_EQ(said_of(right), "Illegal: iteration (0) would read y[1] before iteration (1) has written it");
  const LoopPair written = nests("for i in 0..4: y[i] = x[i - 1]", "for i in 0..4: x[i] = 0 * z[i]");
  EXPECT_EQ(said_of(written), "Illegal: iteration (0) would overwrite x[0] before iteration (1) has read it");
  const LoopPair both = nests("for i in 0..4: y[i] = x[i]", "for i in 0..4: y[i + 1] = z[i]");
  EXPECT_EQ(said_of(both), "Illegal: iteration (0) would write y[1] first, and iteration (1) would overwrite it");
  const LoopPair bounds = nests("for i in 0..4: y[i] = x[i]", "for i in 0..5: z[i] = y[i]");
  EXPECT_EQ(said_of(bounds), "Illegal: the bounds differ, 0..4 and 0..5");
}

TEST(LoopVerdict, SaysWhetherThreadsNeedABarrierAndTilesAreAllowed) {
  const LoopPair same = nests("for i in 0..4: y[i] = x[i]", "for i in 0..4: z[i] = y[i]");
  EXPECT_EQ(said_of(same), "Legal: no dependence is reversed");
  EXPECT_TRUE(threads_of(same, analyse(same)).english().starts_with("Each iteration may be a thread"));
  const LoopPair left = nests("for i in 0..4: y[i] = x[i]", "for i in 0..4: z[i] = y[i - 1]");
  EXPECT_EQ(said_of(left), "Legal: no dependence is reversed");
  EXPECT_TRUE(threads_of(left, analyse(left)).english().starts_with("A thread per iteration needs a barrier"));
  const LoopPair sum =
      nests("for i in 0..4, j in 0..4: y[i, j] = x[i, j]", "for i in 0..4, j in 0..4: total[i] += y[i, j]");
  EXPECT_EQ(said_of(sum), "Legal: no dependence is reversed");
  EXPECT_TRUE(threads_of(sum, analyse(sum)).english().starts_with("A thread per iteration needs a reduction"));
  // The element of the row above, one to the right: earlier in order, but backwards in j.
  const LoopPair above =
      nests("for i in 0..4, j in 0..4: y[i, j] = x[i, j]", "for i in 0..4, j in 0..4: z[i, j] = y[i - 1, j + 1]");
  EXPECT_EQ(said_of(above), "Legal: no dependence is reversed");
  EXPECT_TRUE(tiling_of(analyse(above)).english().starts_with("Not in tiles"));
}

}  // namespace
}  // namespace tilescope
