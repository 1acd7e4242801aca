// Calls of device functions that the compiler did not inline.
#include <gtest/gtest.h>

#include <cmath>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

TEST(Calls, FunctionsCalledFromSeveralPlacesReturnToEach) {
  std::vector<float> in(100);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  Machinery machine;
  machine.input("in", in);
  const size_t out = machine.output<float>("out", in.size());
  machine.value(100);
  const auto report = machine.run(module_of("calls"), "scaled", {1, 1, 1}, {128, 1, 1});
  EXPECT_TRUE(report.findings.empty());
  const auto scale = [](float x, int by) { return by < 0 ? -x : x * static_cast<float>(by); };
  const auto result = machine.download<float>(out);
  for (int i = 0; i < 100; ++i) {
    const auto x = static_cast<float>(i);
    const int by = i % 5 - 2;
    EXPECT_EQ(result[static_cast<size_t>(i)], scale(scale(x, by), by + 1) + scale(x, 3)) << i;
  }
}
TEST(Calls, SlowPathsOfDoublePrecisionMathematicsAreRight) {
  std::vector<double> in(64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 0.37 * static_cast<double>(i) + 0.01;
  Machinery machine;
  machine.input("in", in);
  const size_t out = machine.output<double>("out", in.size());
  machine.value(64);
  EXPECT_TRUE(machine.run(module_of("calls"), "powers", {1, 1, 1}, {64, 1, 1}).findings.empty());
  const auto result = machine.download<double>(out);
  for (size_t i = 0; i < in.size(); ++i) {
    const double expected = std::pow(in[i], 1.7) + std::sin(in[i] * 1e10);
    EXPECT_NEAR(result[i], expected, 1e-14 * std::max(1.0, std::abs(expected))) << in[i];
  }
}
TEST(Calls, AFunctionThatNobodyDefinesIsNamed) {
  CompiledModule module;
  module.ptx = R"(.version 9.0
.target sm_80
.address_size 64
.extern .func elsewhere (.param .b32 x);
.visible .entry kernel(.param .u64 out) {
  {
  .param .b32 param0;
  st.param.b32 [param0+0], 1;
  call.uni elsewhere, (param0);
  }
  ret;
})";
  Machinery machine;
  machine.output<float>("out", 32);
  const auto report = machine.try_run(module, "kernel", {1, 1, 1}, {32, 1, 1});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().message, "the simulator does not know the instruction 'call.uni elsewhere' (PTX line 9)");
}

}  // namespace
}  // namespace tilescope
