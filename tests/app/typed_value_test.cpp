// Values typed instead of dragged on a slider: which are taken, and the reason why others are refused.
#include "app/panels/controls/typed_value.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

std::optional<Checked<long double>> names(std::string_view name) {
  if (name == "n") return 4096.0L;
  return std::nullopt;
}

Checked<int64_t> typed(std::string_view text) { return typed_value(text, {.low = 1, .high = int64_t{1} << 24}, names); }

TEST(TypedValue, TakesNumbersAndArithmetic) {
  EXPECT_EQ(typed("98432"), 98432);
  EXPECT_EQ(typed("98,432"), 98432);
  EXPECT_EQ(typed(" 1_000 "), 1000);
  EXPECT_EQ(typed("1,048,576"), 1048576);
  EXPECT_EQ(typed("2^20"), 1048576);
  EXPECT_EQ(typed("2^16+5"), 65541);
  EXPECT_EQ(typed("64*1024"), 65536);
  EXPECT_EQ(typed("1<<20"), 1048576);
  EXPECT_EQ(typed("(1 << 10) + 1"), 1025);
  EXPECT_EQ(typed("1 << 10 + 1"), 2048);  // as in C++: the sum first
  EXPECT_EQ(typed("4096 >> 3"), 512);
  EXPECT_EQ(typed("96k"), 96000);
  EXPECT_EQ(typed("3M"), 3000000);
  EXPECT_EQ(typed("1e6"), 1000000);
  EXPECT_EQ(typed("0x100"), 256);
  EXPECT_EQ(typed("n/2"), 2048);
  EXPECT_EQ(typed("max(n, 5000)"), 5000);  // a comma that groups no digits stays one
}

TEST(TypedValue, RefusesWhatIsNoWholeNumber) {
  for (const char* text : {"", " ", "abc", "12x", "2^", "2^x", "^3", "nan", "inf", "k", "1 <<", "1 < 2", "m*2"})
    EXPECT_FALSE(typed(text)) << text;
  EXPECT_EQ(typed("abc").error().key, "sandbox.unknown_name");
  EXPECT_EQ(typed("2^").error().key, "sandbox.breaks_off");
  EXPECT_EQ(typed("n/3").error().key, "sandbox.not_whole_rounded");
}

TEST(TypedValue, RefusesWhatIsOutOfRangeInsteadOfClampingIt) {
  const auto large = typed("99999999999");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error(),
            (Problem{"controls.out_of_range", {{"value", "99,999,999,999"}, {"low", "1"}, {"high", "16,777,216"}}}));
  EXPECT_EQ(typed("0").error().key, "controls.out_of_range");
  EXPECT_EQ(typed("-4").error().key, "controls.out_of_range");
  EXPECT_FALSE(typed("1e400"));
  EXPECT_FALSE(typed("2^20k"));
}

TEST(TypedValue, RefusesWhatLiesBetweenThePossibleValues) {
  const std::vector<int64_t> values{32, 64, 128, 256, 512, 1024};
  const TypedRange range{.low = 32, .high = 1024, .values = values};
  EXPECT_EQ(typed_value("2^7", range, names), 128);
  const auto between = typed_value("100", range, names);
  ASSERT_FALSE(between);
  EXPECT_EQ(between.error(),
            (Problem{"controls.not_a_value", {{"value", "100"}, {"values", "32, 64, 128, 256, 512, 1,024"}}}));
}

}  // namespace
}  // namespace tilescope
