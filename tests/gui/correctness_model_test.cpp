// What the correctness view says, from hand-made results.
#include "app/observed/correctness_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tilescope {
namespace {

/// out holds 0, 1, 2 …; every reference equals it except where a test changes it.
RunResult make_run(size_t count) {
  RunResult run;
  run.plan.buffers = {
      {.name = "out", .type = DType::f32, .shape = {static_cast<int64_t>(count)}, .role = Role::output}};
  HostBuffer buffer(DType::f32, count);
  Correctness check;
  check.buffer = "out";
  check.pass = true;
  check.checked = count;
  check.tolerance = {1e-6, 1e-6};
  for (size_t i = 0; i < count; ++i) {
    buffer.as<float>()[i] = static_cast<float>(i);
    check.expected.push_back(static_cast<float>(i));
  }
  run.buffers = {std::make_shared<const HostBuffer>(std::move(buffer))};
  run.correctness = {std::move(check)};
  return run;
}

Strings load_strings() {
  auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  EXPECT_TRUE(strings);
  return std::move(*strings);
}

TEST(CorrectnessModel, APassSaysHowManyAndTheLargestError) {
  RunResult run = make_run(98432);
  run.correctness[0].largest_error = 2.38e-7;
  run.correctness[0].largest_error_index = 512;
  const Verdict verdict = verdict_of(run, 0, load_strings());
  EXPECT_EQ(verdict.finding, "All 98,432 elements of out match.");
  EXPECT_EQ(verdict.reason, "The largest error is 2.4e-7, at [512].");
  EXPECT_EQ(verdict.quiet, "The tolerance is 1e-6 + 1e-6 · |expected|.");
}

TEST(CorrectnessModel, AFailureSaysHowManyAndTheFirst) {
  RunResult run = make_run(1000);
  run.correctness[0].pass = false;
  run.correctness[0].mismatches = 7;
  run.correctness[0].first = {640, 640, 1.5};
  const Verdict verdict = verdict_of(run, 0, load_strings());
  EXPECT_EQ(verdict.finding, "7 of 1,000 elements of out are wrong.");
  EXPECT_EQ(verdict.reason, "The first is [640]: expected 640, got 1.5.");
}

TEST(CorrectnessModel, UntouchedElementsAreSaidToBeUntouched) {
  RunResult run = make_run(1000);
  run.correctness[0].pass = false;
  run.correctness[0].mismatches = run.correctness[0].untouched = 128;
  run.correctness[0].first = {872, 872, std::nan("")};
  EXPECT_EQ(verdict_of(run, 0, load_strings()).finding, "128 of 1,000 elements of out were never written.");
}

TEST(CorrectnessModel, TheFirstFailingOutputIsShown) {
  RunResult run = make_run(10);
  run.correctness.push_back(run.correctness[0]);
  run.correctness.push_back(run.correctness[0]);
  EXPECT_EQ(first_failing_output(run), 0U);
  run.correctness[1].pass = false;
  EXPECT_EQ(first_failing_output(run), 1U);
}

TEST(CorrectnessModel, AnElementIsJudgedAgainstItsOwnTolerance) {
  RunResult run = make_run(1000);
  run.correctness[0].expected[900] = 900.0006F;  // allowed there: 0.0009
  run.correctness[0].expected[100] = 100.0006F;  // allowed there: 0.0001
  EXPECT_TRUE(facts_of(run, 0, 0, 900).pass);
  const ElementFacts facts = facts_of(run, 0, 0, 100);
  EXPECT_FALSE(facts.pass);
  EXPECT_NEAR(*facts.error, 6e-4, 1e-5);
  EXPECT_NEAR(*facts.allowed, 1.01e-4, 1e-6);
}

TEST(CorrectnessModel, TheRestOfARoundedReferenceCounts) {
  RunResult run = make_run(16);
  run.correctness[0].expected_rest.assign(16, 0);
  run.correctness[0].expected_rest[3] = 1e-7F;
  EXPECT_NEAR(*facts_of(run, 0, 0, 3).error, 1e-7, 1e-12);
}

TEST(CorrectnessModel, NoNumberIsTheWorstElement) {
  RunResult run = make_run(100);
  auto values = std::make_shared<HostBuffer>(*run.buffers[0]);
  values->as<float>()[20] = 1e6F;
  values->as<float>()[40] = std::nanf("");
  run.buffers[0] = values;
  EXPECT_EQ(worst_element(run, 0, 0, 0, 30), 20);
  EXPECT_EQ(worst_element(run, 0, 0, 0, 99), 40);
  EXPECT_FALSE(facts_of(run, 0, 0, 40).pass);
}

TEST(CorrectnessModel, BeyondWhatIsKeptOnlyTheFirstMismatchHasAReference) {
  RunResult run = make_run(100);
  run.correctness[0].expected.clear();
  run.correctness[0].first = {60, 61, 60};
  EXPECT_EQ(*facts_of(run, 0, 0, 60).expected, 61);
  EXPECT_FALSE(facts_of(run, 0, 0, 61).expected);
  EXPECT_FALSE(facts_of(run, 0, 0, 61).error);
}

TEST(CorrectnessModel, IndicesOfAMatrixAreRowAndColumn) {
  const BufferSpec matrix{.name = "c", .type = DType::f32, .shape = {100, 40}, .role = Role::output};
  EXPECT_EQ(element_text(matrix, 485), "12, 5");
  const BufferSpec vector{.name = "c", .type = DType::f32, .shape = {98432}, .role = Role::output};
  EXPECT_EQ(element_text(vector, 54880), "54,880");
}

TEST(CorrectnessModel, TwoNumbersThatDifferAreToldApart) {
  EXPECT_EQ(told_apart(0.5, 0.25), (std::pair<std::string, std::string>{"0.5", "0.25"}));
  EXPECT_EQ(told_apart(0.5, 0.5), (std::pair<std::string, std::string>{"0.5", "0.5"}));
  EXPECT_EQ(told_apart(-1.37149003, -1.37148999), (std::pair<std::string, std::string>{"-1.37149003", "-1.37148999"}));
}

TEST(CorrectnessModel, AToleranceWithoutARelativePartIsOneNumber) {
  EXPECT_EQ(tolerance_text({.absolute = 3e-7, .relative = 0}, load_strings()), "3e-7");
}

TEST(CorrectnessModel, NumbersAreShort) {
  EXPECT_EQ(value_text(0.31415926), "0.3141593");
  EXPECT_EQ(value_text(std::nan("")), "NaN");
  EXPECT_EQ(error_text(2.38e-7), "2.4e-7");
  EXPECT_EQ(error_text(1e-6), "1e-6");
  EXPECT_EQ(error_text(1.23e12), "1.2e12");
  EXPECT_EQ(error_text(0), "0");
}

}  // namespace
}  // namespace tilescope
