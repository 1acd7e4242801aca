#include "engine/run/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

constexpr size_t kCount = 100000;  // several pieces

HostBuffer correct_output() {
  HostBuffer buffer(DType::f32, kCount);
  for (size_t i = 0; i < kCount; ++i) buffer.as<float>()[i] = static_cast<float>(i) * 0.5F + 1;
  return buffer;
}

void expected_values(size_t begin, size_t end, double* values) {
  for (size_t i = begin; i < end; ++i) values[i - begin] = static_cast<double>(i) * 0.5 + 1;
}

Correctness check(const HostBuffer& got) { return compare("out", got, {1e-6, 1e-6}, expected_values); }

TEST(Compare, ARightAnswerPasses) {
  const Correctness result = check(correct_output());
  EXPECT_TRUE(result.pass) << result.reason;
  EXPECT_EQ(result.checked, kCount);
  EXPECT_EQ(result.largest_error, 0);
}

TEST(Compare, ZerosNeverPass) {
  EXPECT_FALSE(check(HostBuffer(DType::f32, kCount)).pass);
  // Not even if the tolerance would allow each of them.
  EXPECT_FALSE(compare("out", HostBuffer(DType::f32, kCount), {1e9, 1}, expected_values).pass);
}

TEST(Compare, AnUntouchedOutputNeverPasses) {
  const auto poisoned = make_contents({.name = "out", .shape = {int64_t{kCount}}, .fill = Fill::poison}, 0, 1);
  const Correctness result = check(*poisoned);
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.untouched, kCount);
}

TEST(Compare, OneUntouchedElementFailsAndIsNamed) {
  HostBuffer got = correct_output();
  const auto poison = static_cast<uint32_t>(poison_of(DType::f32));
  std::memcpy(got.bytes.data() + 4 * 77777, &poison, 4);
  const Correctness result = check(got);
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.untouched, 1U);
  EXPECT_EQ(result.reason, "1 of 100000 elements were never written");
}

TEST(Compare, ANanNeverPasses) {
  HostBuffer got = correct_output();
  got.as<float>()[5] = std::nanf("");
  const Correctness result = check(got);
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.nan, 1U);
  EXPECT_EQ(result.first->index, 5U);
}

TEST(Compare, TheFirstMismatchAndTheLargestErrorAreFound) {
  HostBuffer got = correct_output();
  got.as<float>()[90000] += 100;
  got.as<float>()[60000] += 2;
  const Correctness result = check(got);
  EXPECT_EQ(result.mismatches, 2U);
  EXPECT_EQ(result.first->index, 60000U);
  EXPECT_EQ(result.first->expected, 30001.0);
  EXPECT_EQ(result.largest_error_index, 90000U);
  EXPECT_NEAR(result.largest_error, 100, 0.01);
}

TEST(Compare, TheToleranceIsAbsolutePlusRelative) {
  HostBuffer got(DType::f32, 1);
  const auto expect_ten = [](size_t, size_t, double* values) { values[0] = 10; };
  got.as<float>()[0] = 10.05F;
  EXPECT_TRUE(compare("out", got, {0.01, 0.005}, expect_ten).pass);   // allowed 0.06
  EXPECT_FALSE(compare("out", got, {0.01, 0.001}, expect_ten).pass);  // allowed 0.02
}

TEST(Compare, TheReferenceIsKeptBeyondTheRoundingOfAFloat) {
  HostBuffer got(DType::f32, 1);
  got.as<float>()[0] = 1;
  const auto expect = [](size_t, size_t, double* values) { values[0] = 1 + 1e-9; };
  const Correctness result = compare("out", got, {1e-6, 1e-6}, expect);
  EXPECT_EQ(result.expected[0], 1.0F);
  EXPECT_NEAR(double{result.expected[0]} + result.expected_rest[0] - 1, 1e-9, 1e-16);
}

TEST(Compare, NothingToCheckIsNoPass) {
  EXPECT_FALSE(compare("out", HostBuffer(DType::f32, 0), {}, expected_values).pass);
}

TEST(CompareSome, ComparesRunsAllOverTheOutputAndSaysHowMuch) {
  const Correctness result = compare_some("out", correct_output(), {1e-6, 1e-6}, expected_values, 10000);
  EXPECT_TRUE(result.pass) << result.reason;
  EXPECT_EQ(result.elements, kCount);
  EXPECT_GE(result.checked, 9000U);
  EXPECT_LE(result.checked, 10000U);
}

TEST(CompareSome, AWrongTileOfTheOutputIsNoticed) {
  for (const size_t begin : {size_t{0}, size_t{40000}, kCount - 2000}) {
    HostBuffer got = correct_output();
    for (size_t i = begin; i < begin + 2000; ++i) got.as<float>()[i] += 1;
    EXPECT_FALSE(compare_some("out", got, {1e-6, 1e-6}, expected_values, 10000).pass) << begin;
  }
}

TEST(CompareSome, OneUntouchedElementIsNoticedWhereverItIs) {
  const auto poison = static_cast<uint32_t>(poison_of(DType::f32));
  for (const size_t index : {size_t{3}, size_t{77777}, kCount - 1}) {
    HostBuffer got = correct_output();
    std::memcpy(got.bytes.data() + 4 * index, &poison, 4);
    const Correctness result = compare_some("out", got, {1e-6, 1e-6}, expected_values, 10000);
    EXPECT_EQ(result.untouched, 1U);
    EXPECT_FALSE(result.pass);
  }
}

TEST(CompareSome, AnOutputThatIsSmallEnoughIsComparedWhole) {
  EXPECT_EQ(compare_some("out", correct_output(), {1e-6, 1e-6}, expected_values, kCount).checked, kCount);
}

}  // namespace
}  // namespace tilescope
