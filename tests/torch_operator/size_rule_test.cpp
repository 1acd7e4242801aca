// Formulas of sizes: found where there is one, and none where there is not.
#include "engine/torch_operator/size_rule.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "engine/numbers.hpp"

namespace tilescope {
namespace {

SizeDomain free_size(const std::string& name, int64_t most, int64_t multiple = 1) {
  return {.name = name, .value = 1024, .min = multiple, .max = most, .multiple_of = multiple, .is_free = true};
}

std::optional<SizeRule> rule_of(const std::function<int64_t(const SizeValues&)>& function,
                                const std::vector<SizeDomain>& domains) {
  const std::vector<SizeValues> probes = probes_of(domains);
  std::vector<int64_t> values;
  for (const SizeValues& sizes : probes) values.push_back(function(sizes));
  return find_rule(function, domains, probes, values);
}

TEST(SizeRule, AGridOfTilesIsACeilingDivision) {
  const auto rule =
      rule_of([](const SizeValues& at) { return ceil_divide(at.at("n"), 1024); }, {free_size("n", 1 << 30)});
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->python(), "cdiv(n, 1024)");
}

TEST(SizeRule, ADivisorNeedNotBeAPowerOfTwo) {
  const auto rule =
      rule_of([](const SizeValues& at) { return 3 * ceil_divide(at.at("n"), 96); }, {free_size("n", 1 << 24)});
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->python(), "cdiv(n, 96) * 3");
}

TEST(SizeRule, TwoSizesAreJoinedOrMultiplied) {
  const std::vector<SizeDomain> sizes{free_size("rows", 1 << 15), free_size("columns", 1 << 15)};
  const auto joined =
      rule_of([](const SizeValues& at) { return ceil_divide(at.at("rows") * at.at("columns"), 256); }, sizes);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->python(), "cdiv(rows * columns, 256)");
  const auto tiles = rule_of(
      [](const SizeValues& at) { return ceil_divide(at.at("rows"), 32) * ceil_divide(at.at("columns"), 64); }, sizes);
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->at({{"rows", 33}, {"columns", 65}}), 4);
  const auto one = rule_of([](const SizeValues& at) { return at.at("rows"); }, sizes);
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->is("rows"));
}

TEST(SizeRule, ATileOfARowIsAPowerOfTwo) {
  const auto rule = rule_of(
      [](const SizeValues& at) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at.at("columns")))); },
      {free_size("columns", 4096)});
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->python(), "next_power_of_2(columns)");
}

TEST(SizeRule, AGridMayHaveAMost) {
  const auto rule = rule_of([](const SizeValues& at) { return std::min<int64_t>(512, ceil_divide(at.at("n"), 128)); },
                            {free_size("n", 1 << 28)});
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->python(), "min(cdiv(n, 128), 512)");
}

TEST(SizeRule, NoneIsInventedForWhatNoFormulaHas) {
  EXPECT_FALSE(rule_of([](const SizeValues& at) { return at.at("n") * at.at("n"); }, {free_size("n", 1 << 20)}));
  EXPECT_FALSE(rule_of([](const SizeValues& at) { return at.at("n") < 5000 ? at.at("n") : 2 * at.at("n"); },
                       {free_size("n", 1 << 20)}));
  EXPECT_FALSE(rule_of([](const SizeValues& at) { return at.at("n") == 127 ? 2 : 1; }, {free_size("n", 1 << 20)}));
}

TEST(SizeRule, ProbesHaveTheEndsOfADomainAndOnlyItsValues) {
  const SizeDomain domain = free_size("columns", 4096, 8);
  const std::vector<int64_t> probes = probes_of(domain);
  EXPECT_EQ(probes.front(), 8);
  EXPECT_EQ(probes.back(), 4096);
  for (const int64_t value : probes) EXPECT_TRUE(domain.has(value)) << value;
}

}  // namespace
}  // namespace tilescope
