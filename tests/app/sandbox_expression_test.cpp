// What the fields of the Sandbox understand, and the reasons for what they refuse.
#include <gtest/gtest.h>

#include "app/sandbox/reading/expression.hpp"

namespace tilescope {
namespace {

const NameLookup kNames = [](std::string_view name) -> std::optional<Checked<long double>> {
  if (name == "n") return 1000.0L;
  if (name == "block.x") return 256.0L;
  if (name == "cols") return 7.0L;
  return std::nullopt;
};

double value(std::string_view text) {
  const auto result = evaluate(text, kNames);
  EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().key);
  return result ? static_cast<double>(*result) : 0;
}
std::string problem(std::string_view text) {
  const auto result = evaluate_whole(text, kNames, 1, 1e6L);
  return result ? "none" : result.error().key;
}

TEST(Expression, HasTheArithmeticOfTheLanguageThatKernelsAreWrittenIn) {
  EXPECT_EQ(value("n"), 1000);
  EXPECT_EQ(value(" 2 + 3 * 4 "), 14);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("10 - 2 - 3"), 5);
  EXPECT_EQ(value("-cols + 8"), 1);
  EXPECT_EQ(value("n % 300"), 100);
  EXPECT_EQ(value("0x10"), 16);
  EXPECT_EQ(value("1.5f"), 1.5);
  EXPECT_EQ(value("1e-5"), 1e-5);
}

TEST(Expression, RoundsOnlyWhereItIsTold) {
  EXPECT_EQ(value("n/256"), 3.90625);
  EXPECT_EQ(value("ceil(n/256)"), 4);
  EXPECT_EQ(value("ceil(n / block.x)"), 4);
  EXPECT_EQ(value("floor(n/256)"), 3);
  EXPECT_EQ(value("min(n, 64) + max(1, cols)"), 71);
  EXPECT_EQ(value("log2(1024) * sqrt(16)"), 40);
}

TEST(Expression, TakesPowersAndUnitsAsPeopleWriteThem) {
  EXPECT_EQ(value("2^20"), 1048576);
  EXPECT_EQ(value("3*2^4"), 48);
  EXPECT_EQ(value("64k"), 64000);
  EXPECT_EQ(value("2M"), 2e6);
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(problem(""), "sandbox.empty_field");
  EXPECT_EQ(problem("   "), "sandbox.empty_field");
  EXPECT_EQ(problem("ceil(n/"), "sandbox.breaks_off");
  EXPECT_EQ(problem("n +"), "sandbox.breaks_off");
  EXPECT_EQ(problem("12 34"), "sandbox.not_understood");
  EXPECT_EQ(problem("n)"), "sandbox.not_understood");
  EXPECT_EQ(problem("12x"), "sandbox.not_understood");
  EXPECT_EQ(problem("rows"), "sandbox.unknown_name");
  EXPECT_EQ(problem("ceiling(n)"), "sandbox.unknown_function");
  EXPECT_EQ(problem("n/0"), "sandbox.division_by_zero");
  EXPECT_EQ(problem("10^400"), "sandbox.too_large");
  EXPECT_EQ(problem("0"), "sandbox.too_small");
  EXPECT_EQ(problem("-3"), "sandbox.too_small");
  EXPECT_EQ(problem("1e7"), "sandbox.too_large");
  EXPECT_EQ(problem("2.5"), "sandbox.not_whole");
  EXPECT_EQ(problem("n/3"), "sandbox.not_whole_rounded");
}

TEST(Expression, EveryBeginningOfAnExpressionIsAnsweredWithoutHarm) {
  const std::string whole = "ceil((n+255)/min(block.x,2^8))*3-0x1f%7";
  for (size_t length = 0; length <= whole.size(); ++length) (void)evaluate(whole.substr(0, length), kNames);
  (void)evaluate(std::string(100000, '('), kNames);
  (void)evaluate(std::string(100000, '-'), kNames);
  EXPECT_TRUE(evaluate(whole, kNames));
}

TEST(Expression, ExtentsAreSeparatedByCommasTimesOrAnX) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(split_extents("n"), Texts{"n"});
  EXPECT_EQ(split_extents("rows, cols"), (Texts{"rows", "cols"}));
  EXPECT_EQ(split_extents("min(a, b), 4"), (Texts{"min(a, b)", "4"}));
  EXPECT_EQ(split_extents("64x32"), (Texts{"64", "32"}));
  EXPECT_EQ(split_extents("n x 4"), (Texts{"n", "4"}));
  EXPECT_EQ(split_extents("n × 4"), (Texts{"n", "4"}));
  EXPECT_EQ(split_extents("max_x"), Texts{"max_x"});
}

}  // namespace
}  // namespace tilescope
