// The tools of the differential corpus detect the errors that they are for.
#include "tests/differential/runner.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/sim/simulator.hpp"

namespace tilescope::differential {
namespace {

Outcome outcome_of(const Scenario& scenario) {
  Outcome outcome;
  for (const ScenarioBuffer& buffer : scenario.buffers) outcome.buffers.push_back(buffer.initial);
  return outcome;
}

TEST(Comparison, FindsTheOneElementThatDiffers) {
  Scenario scenario;
  const auto buffer = scenario.inout<int>("x", {1, 2, 3, 4});
  scenario.expect<int>(buffer, {1, 2, 5, 4});
  const auto difference = difference_from_expected(scenario, outcome_of(scenario));
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(*difference, "x[2] is 3 and not 5 (1 of 4 elements differ)");
}

TEST(Comparison, TellsMinusZeroFromZeroWhereBitsMustBeEqual) {
  Scenario scenario;
  const auto buffer = scenario.inout<float>("x", {0.0F});
  scenario.expect<float>(buffer, {-0.0F});
  EXPECT_TRUE(difference_from_expected(scenario, outcome_of(scenario)).has_value());
}

TEST(Comparison, NearMeansTheStatedBoundAndNoMore) {
  Scenario scenario;
  const auto buffer = scenario.inout<float>("x", {1000.0F});
  scenario.expect<float>(buffer, {1000.5F}, near(0, 0.5, "half a unit"));
  EXPECT_FALSE(difference_from_expected(scenario, outcome_of(scenario)).has_value());
  scenario.expect<float>(buffer, {1000.625F}, near(0, 0.5, "half a unit"));
  EXPECT_TRUE(difference_from_expected(scenario, outcome_of(scenario)).has_value());
  scenario.expectations.clear();
  scenario.expect<float>(buffer, {NAN}, near(1, 1e9, "anything but not a number"));
  EXPECT_TRUE(difference_from_expected(scenario, outcome_of(scenario)).has_value());
}

TEST(Comparison, SameElementsForgivesTheOrderAlone) {
  Scenario scenario;
  const auto buffer = scenario.inout<int>("x", {3, 1, 2});
  scenario.expect<int>(buffer, {1, 2, 3}, same_elements("any order"));
  EXPECT_FALSE(difference_from_expected(scenario, outcome_of(scenario)).has_value());
  scenario.expect<int>(buffer, {1, 2, 2}, same_elements("any order"));
  EXPECT_TRUE(difference_from_expected(scenario, outcome_of(scenario)).has_value());
}

TEST(Comparison, OfTwoExecutorsLooksAtOutputsOnly) {
  Scenario scenario;
  scenario.scratch<int>("scratch", 1);
  scenario.inout<int>("out", {1});
  const Outcome one = outcome_of(scenario);
  Outcome other = one;
  other.buffers[0][0] = std::byte{9};
  EXPECT_FALSE(difference_between(scenario, one, other).has_value());
  other.buffers[1][0] = std::byte{9};
  EXPECT_TRUE(difference_between(scenario, one, other).has_value());
}

TEST(HalfValues, AreRoundedToNearestEven) {
  // IEEE 754 binary16: 1 + 2^-11 lies half-way between 1 and the next; 65520 is the first that overflows.
  EXPECT_EQ(half_of(1.0F).bits, 0x3c00);
  EXPECT_EQ(half_of(1.0F + 0x1p-11F).bits, 0x3c00);
  EXPECT_EQ(half_of(1.0F + 0x3p-11F).bits, 0x3c02);
  EXPECT_EQ(half_of(-65519.0F).bits, 0xfbff);
  EXPECT_EQ(half_of(65520.0F).bits, 0x7c00);
  EXPECT_EQ(half_of(0x1p-24F).bits, 0x0001);
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) ASSERT_EQ(half_of(float_of({static_cast<uint16_t>(bits)})).bits, bits);
}

TEST(RunScenario, ReportsWhatAKernelDoesWrong) {
  const auto compiler = Compiler::open({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  CompileRequest request;
  request.file = "reader.cu";
  request.text = "extern \"C\" __global__ void reader(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }";
  const auto module = (*compiler)->compile(request, {});
  ASSERT_TRUE(module.has_value());
  const auto simulator = make_simulator(1);
  Scenario scenario;
  const auto never_written = scenario.scratch<int>("x", 32);
  const auto out = scenario.output<int>("y", 32);
  scenario.launch("reader", {1}, {32}, 0, never_written, out);
  const auto outcome = run_scenario(*simulator, *module, scenario, {});
  ASSERT_TRUE(outcome.has_value());
  ASSERT_EQ(outcome->findings.size(), 1U);
  EXPECT_EQ(outcome->findings[0].id, "uninitialised-read");
}

}  // namespace
}  // namespace tilescope::differential
