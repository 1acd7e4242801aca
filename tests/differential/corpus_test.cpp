// Kernels of many kinds, without bugs, on the simulator: they compute what plain C++ computes from the same input, and
// no check reports a finding.
#include <gtest/gtest.h>

#include "engine/sim/simulator.hpp"
#include "tests/differential/runner.hpp"

namespace tilescope::differential {

constexpr uint64_t kShapes = 2;

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

namespace {

class Corpus : public testing::TestWithParam<Case> {
 protected:
  static Modules* modules() {
    static const auto opened = Compiler::open(std::string(TILESCOPE_BINARY) + "/differential_modules");
    if (!opened) return nullptr;
    static Modules all(*opened, std::string(TILESCOPE_SOURCE) + "/tests/differential/kernels");
    return &all;
  }
};

TEST_P(Corpus, ComputesWhatPlainCodeDoesAndIsFoundFaultless) {
  if (modules() == nullptr) GTEST_SKIP() << "no NVRTC here";
  const auto module = modules()->get(GetParam().file);
  ASSERT_TRUE(module.has_value()) << module.error().message;
  const auto simulator = make_simulator(2);
  for (uint64_t seed = 1; seed <= kShapes; ++seed) {
    Random random(seed);
    Scenario scenario;
    GetParam().draw(random, scenario);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << text_of(scenario));
    const auto outcome = run_scenario(*simulator, **module, scenario, {});
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    for (const Finding& finding : outcome->findings) ADD_FAILURE() << "false alarm: " << finding.message;
    const auto difference = difference_from_expected(scenario, *outcome);
    EXPECT_FALSE(difference.has_value()) << *difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Corpus, testing::ValuesIn(corpus()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace tilescope::differential
