#include "engine/layout/tensor_layout.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace tilescope {
namespace {

TensorLayout layout_of(std::string_view text, const std::vector<int64_t>& shape) {
  const auto attribute = LayoutAliases().read(text);
  EXPECT_TRUE(attribute) << text;
  const auto layout = attribute ? TensorLayout::make(*attribute, shape) : std::nullopt;
  EXPECT_TRUE(layout) << text;
  return layout.value_or(TensorLayout{});
}

constexpr std::string_view kRows =
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>";
constexpr std::string_view kMma =
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>";

// Worked out by hand: a lane has 8 halves of a row, 4 lanes a row, a warp 8 rows, and after 4 warps it starts again.
TEST(TensorLayout, ABlockedLayoutGivesEachLaneARunOfARow) {
  const TensorLayout layout = layout_of(kRows, {64, 32});
  EXPECT_EQ(layout.registers(), 16U);
  EXPECT_EQ(layout.warps(), 4U);
  EXPECT_EQ(layout.element(0, 22, 1), (Coordinates{13, 16}));
  EXPECT_EQ(layout.element(7, 22, 1), (Coordinates{13, 23}));
  EXPECT_EQ(layout.element(8, 22, 1), (Coordinates{45, 16}));
}

// PTX ISA 9.0, figure of the accumulator of mma.m16n8k16: groupID = lane / 4 is the row, for c2 and c3 plus 8; the
// column is 2 * (lane % 4) + (i & 1).
TEST(TensorLayout, AnAccumulatorHasTheFragmentsOfThePtxManual) {
  const TensorLayout layout = layout_of(kMma, {16, 32});
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      for (uint32_t warp = 0; warp < 4; ++warp)
        EXPECT_EQ(layout.element(i, lane, warp),
                  (Coordinates{lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + (i & 1) + 8 * warp}));
}

// The same manual, operands of mma.m16n8k16 with 16-bit elements: a0, a1 in row groupID, a2, a3 eight rows below, a4 to
// a7 eight columns to the right; b0, b1 and b2, b3 in column groupID.
TEST(TensorLayout, OperandsHaveTheFragmentsOfThePtxManual) {
  const std::string parent(kMma);
  const TensorLayout a = layout_of("#ttg.dot_op<{opIdx = 0, parent = " + parent + ", kWidth = 2}>", {16, 16});
  const TensorLayout b = layout_of("#ttg.dot_op<{opIdx = 1, parent = " + parent + ", kWidth = 2}>", {16, 8});
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (uint32_t i = 0; i < 8; ++i) {
      const bool below = (i >= 2 && i < 4) || i >= 6;
      EXPECT_EQ(a.element(i, lane, 3),
                (Coordinates{lane / 4 + (below ? 8 : 0), lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)}));
    }
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(b.element(i, lane, 0), (Coordinates{lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane / 4}));
  }
}

TEST(TensorLayout, EachIsTheOneThatTritonComputes) {
  std::ifstream stream(std::string(TILESCOPE_SOURCE) + "/tests/layout/layouts.json");
  const auto recorded = nlohmann::json::parse(stream);
  ASSERT_GT(recorded["layouts"].size(), 100U);
  for (const auto& one : recorded["layouts"]) {
    const std::string text = one["layout"];
    const TensorLayout layout = layout_of(text, one["shape"]);
    const std::string what = text + " " + one["shape"].dump();
    EXPECT_EQ(layout.register_bases(), one["bases"]["register"].get<TensorLayout::Bases>()) << what;
    EXPECT_EQ(layout.lane_bases(), one["bases"]["lane"].get<TensorLayout::Bases>()) << what;
    EXPECT_EQ(layout.warp_bases(), one["bases"]["warp"].get<TensorLayout::Bases>()) << what;
  }
}

TEST(TensorLayout, EveryElementIsHeldByAThread) {
  std::ifstream stream(std::string(TILESCOPE_SOURCE) + "/tests/layout/layouts.json");
  const auto recorded = nlohmann::json::parse(stream);
  for (const auto& one : recorded["layouts"]) {
    const TensorLayout layout = layout_of(one["layout"].get<std::string>(), one["shape"]);
    std::set<Coordinates> held;
    for (uint32_t reg = 0; reg < layout.registers(); ++reg)
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t warp = 0; warp < layout.warps(); ++warp) held.insert(layout.element(reg, lane, warp));
    size_t elements = 1;
    for (const int64_t side : layout.shape()) elements *= static_cast<size_t>(side);
    EXPECT_EQ(held.size(), elements) << one["layout"] << one["shape"];
  }
}

TEST(TensorLayout, AliasesAndLinearLayoutsAreRead) {
  const LayoutAliases aliases(
      "#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
      "#linear = #ttg.linear<{register = [[0, 1], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = "
      "[[8, "
      "0]], block = []}>\n#loc = loc(unknown)\n");
  const auto slice = aliases.read("#ttg.slice<{dim = 1, parent = #linear}>");
  ASSERT_TRUE(slice);
  EXPECT_EQ(slice->text.find("#linear>"), std::string::npos);
  const auto layout = TensorLayout::make(*slice, {32});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->registers(), 2U) << "the register along the other dimension is gone";
  EXPECT_EQ(layout->element(1, 4, 1), (Coordinates{25}));
  EXPECT_TRUE(aliases.read("#blocked"));
  EXPECT_FALSE(aliases.read("#mma"));
  EXPECT_FALSE(aliases.read("#ttg.blocked<{sizePerThread = [4"));
}

TEST(TensorLayout, WhatIsUnknownIsNoLayout) {
  const auto hopper = LayoutAliases().read(
      "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>");
  ASSERT_TRUE(hopper);
  EXPECT_FALSE(TensorLayout::make(*hopper, {64, 128}));
  EXPECT_FALSE(TensorLayout::make(*LayoutAliases().read(kRows), {48, 32})) << "48 is not a power of two";
  EXPECT_FALSE(TensorLayout::make(*LayoutAliases().read(kRows), {64}));
}

// Worked out by hand for rows of 32 halves: two rows fill the 128 bytes of all banks, so they share a phase.
TEST(SharedLayout, SwizzlesVectorsOfARowByItsPhase) {
  const auto attribute =
      LayoutAliases().read("#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>");
  const auto layout = SharedLayout::make(*attribute, {64, 32});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->offset({0, 0}), 0);
  EXPECT_EQ(layout->offset({1, 9}), 32 + 9);
  EXPECT_EQ(layout->offset({2, 0}), 64 + 8);
  EXPECT_EQ(layout->offset({2, 8}), 64 + 0);
  EXPECT_EQ(layout->offset({7, 5}), 7 * 32 + 24 + 5);
  EXPECT_EQ(layout->offset({8, 5}), 8 * 32 + 5) << "the phases start again";
  std::set<int64_t> offsets;
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 32; ++column) offsets.insert(layout->offset({row, column}));
  EXPECT_EQ(offsets.size(), 64U * 32U) << "no two elements share a place";
  EXPECT_EQ(*offsets.rbegin(), 64 * 32 - 1);
}

}  // namespace
}  // namespace tilescope
