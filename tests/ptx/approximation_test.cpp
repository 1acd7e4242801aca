// Approximate instructions stay within the error bounds that the PTX ISA states for them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/sim/ptx_text.hpp"
#include "tests/sim/run_kernel.hpp"

namespace tilescope {
namespace {

/// Applies a unary f32 instruction to every value.
std::vector<float> results_of(const std::string& opcode, const std::vector<float>& values) {
  CompiledModule module;
  module.ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .b64 %rd<4>;\n.reg .b32 %r<5>;\n.reg .f32 %f<3>;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n"
      "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
      "mul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\nld.global.f32 %f1, [%rd1];\n" +
      opcode + " %f2, %f1;\nst.global.f32 [%rd2], %f2;\nret;\n}\n";
  Machinery machine;
  machine.input("in", values);
  const size_t out = machine.output<float>("out", values.size());
  machine.run(module, "k", {static_cast<uint32_t>(values.size() / 128), 1, 1}, {128, 1, 1});
  return machine.download<float>(out);
}

std::vector<float> spread(double low, double high) {
  std::vector<float> values(1 << 14);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        static_cast<float>(low + (high - low) * static_cast<double>(i) / static_cast<double>(values.size() - 1));
  return values;
}

/// The largest error relative to the result, or absolute where the result is smaller than `absolute_below`.
template <class Exact>
double largest_error(const std::string& opcode, const std::vector<float>& values, const Exact& exact,
                     double absolute_below) {
  const auto results = results_of(opcode, values);
  double worst = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = exact(static_cast<double>(values[i]));
    worst = std::max(worst, std::abs(results[i] - expected) / std::max(absolute_below, std::abs(expected)));
  }
  return worst;
}

TEST(Approximation, ExponentialIsWithinItsBound) {
  EXPECT_LE(largest_error(
                "ex2.approx.f32", spread(-125, 127), [](double x) { return std::exp2(x); }, 0),
            std::exp2(-22.5));
  EXPECT_LE(largest_error(
                "ex2.approx.ftz.f32", spread(-1, 1), [](double x) { return std::exp2(x); }, 0),
            std::exp2(-22.5));
}
TEST(Approximation, ExponentialOfTheExtremes) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(128, 0.0F);
  values[1] = infinity;
  values[2] = -infinity;
  values[3] = 128.0F;
  values[4] = -149.0F;
  values[5] = -151.0F;
  values[6] = std::nanf("");
  const auto results = results_of("ex2.approx.f32", values);
  EXPECT_EQ(results[0], 1.0F);
  EXPECT_EQ(results[1], infinity);
  EXPECT_EQ(results[2], 0.0F);
  EXPECT_EQ(results[3], infinity);
  EXPECT_EQ(results[4], std::ldexp(1.0F, -149));
  EXPECT_EQ(results[5], 0.0F);
  EXPECT_TRUE(std::isnan(results[6]));
  EXPECT_EQ(results_of("ex2.approx.ftz.f32", values)[4], 0.0F);
}
TEST(Approximation, LogarithmIsWithinItsBound) {
  EXPECT_LE(largest_error(
                "lg2.approx.f32", spread(0.5, 2), [](double x) { return std::log2(x); }, 1),
            std::exp2(-22));
  EXPECT_LE(largest_error(
                "lg2.approx.f32", spread(2, 1e6), [](double x) { return std::log2(x); }, 0),
            std::exp2(-22));
}
TEST(Approximation, SineAndCosineAreWithinTheirBounds) {
  EXPECT_LE(largest_error(
                "sin.approx.f32", spread(-3.14159, 3.14159), [](double x) { return std::sin(x); }, 1),
            std::exp2(-20.5));
  EXPECT_LE(largest_error(
                "cos.approx.f32", spread(-3.14159, 3.14159), [](double x) { return std::cos(x); }, 1),
            std::exp2(-20.5));
}
TEST(Approximation, SineAndCosineOfLargeAngles) {
  for (const double high : {20.0, 1000.0, 8000.0, 1e6}) {
    EXPECT_LE(largest_error(
                  "sin.approx.f32", spread(-high, high), [](double x) { return std::sin(x); }, 1),
              std::exp2(-20.5));
    EXPECT_LE(largest_error(
                  "cos.approx.ftz.f32", spread(-high, high), [](double x) { return std::cos(x); }, 1),
              std::exp2(-20.5));
  }
}
TEST(Approximation, SineAndCosineOfWhatIsSpecial) {
  const float infinity = std::numeric_limits<float>::infinity(), tiny = 1e-40F;
  std::vector<float> values(128, 0.0F);
  values[1] = -0.0F;
  values[2] = infinity;
  values[3] = -infinity;
  values[4] = std::nanf("");
  values[5] = tiny;
  const auto sine = results_of("sin.approx.f32", values), cosine = results_of("cos.approx.f32", values);
  EXPECT_EQ(sine[0], 0.0F);
  EXPECT_FALSE(std::signbit(sine[0]));
  EXPECT_TRUE(sine[1] == 0.0F && std::signbit(sine[1]));
  for (size_t i : {2, 3, 4}) {
    EXPECT_EQ(std::bit_cast<uint32_t>(sine[i]), 0x7fffffffU);
    EXPECT_EQ(std::bit_cast<uint32_t>(cosine[i]), 0x7fffffffU);
  }
  EXPECT_EQ(sine[5], tiny);
  EXPECT_EQ(cosine[0], 1.0F);
  EXPECT_EQ(cosine[5], 1.0F);
  EXPECT_EQ(results_of("sin.approx.ftz.f32", values)[5], 0.0F);
}
TEST(Approximation, LogarithmOfWhatIsSpecial) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(128, 1.0F);
  values[1] = 0.0F;
  values[2] = -0.0F;
  values[3] = infinity;
  values[4] = -1.0F;
  values[5] = std::ldexp(1.0F, -149);
  values[6] = std::numeric_limits<float>::max();
  values[7] = std::ldexp(1.0F, -126);
  const auto results = results_of("lg2.approx.f32", values), flushed = results_of("lg2.approx.ftz.f32", values);
  EXPECT_EQ(results[0], 0.0F);
  EXPECT_EQ(results[1], -infinity);
  EXPECT_EQ(results[2], -infinity);
  EXPECT_EQ(results[3], infinity);
  EXPECT_EQ(std::bit_cast<uint32_t>(results[4]), 0x7fffffffU);
  EXPECT_EQ(results[5], -149.0F);
  EXPECT_EQ(flushed[5], -infinity);
  EXPECT_EQ(results[6], 128.0F);
  EXPECT_EQ(results[7], -126.0F);
}
TEST(Approximation, LogarithmIsWithinItsBoundNearOneAndFarFromIt) {
  EXPECT_LE(largest_error(
                "lg2.approx.f32", spread(0.999, 1.001), [](double x) { return std::log2(x); }, 1),
            std::exp2(-22));
  EXPECT_LE(largest_error(
                "lg2.approx.f32", spread(1e30, 3e38), [](double x) { return std::log2(x); }, 0),
            std::exp2(-22));
  EXPECT_LE(largest_error(
                "lg2.approx.f32", spread(1e-38, 1e-36), [](double x) { return std::log2(x); }, 0),
            std::exp2(-22));
}
TEST(Approximation, HyperbolicTangentIsWithinItsBoundEverywhere) {
  for (const double high : {1e-3, 0.7, 12.0, 100.0})
    EXPECT_LE(largest_error(
                  "tanh.approx.f32", spread(-high, high), [](double x) { return std::tanh(x); }, 1e-30),
              std::exp2(-11));
  std::vector<float> values(128, -0.0F);
  values[1] = std::numeric_limits<float>::infinity();
  values[2] = -values[1];
  values[3] = std::nanf("");
  values[4] = 1e-40F;
  const auto results = results_of("tanh.approx.f32", values);
  EXPECT_TRUE(results[0] == 0.0F && std::signbit(results[0]));
  EXPECT_EQ(results[1], 1.0F);
  EXPECT_EQ(results[2], -1.0F);
  EXPECT_EQ(std::bit_cast<uint32_t>(results[3]), 0x7fffffffU);
  EXPECT_EQ(results[4], 1e-40F);
}

TEST(Approximation, RootsReciprocalsAndTanhAreWithinTheirBounds) {
  EXPECT_LE(largest_error(
                "rsqrt.approx.f32", spread(1e-3, 1e6), [](double x) { return 1 / std::sqrt(x); }, 0),
            std::exp2(-22.9));
  EXPECT_LE(largest_error(
                "sqrt.approx.f32", spread(1e-3, 1e6), [](double x) { return std::sqrt(x); }, 0),
            std::exp2(-23));
  EXPECT_LE(largest_error(
                "rcp.approx.f32", spread(1e-3, 1e6), [](double x) { return 1 / x; }, 0),
            std::exp2(-23));
  EXPECT_LE(largest_error(
                "tanh.approx.f32", spread(-5, 5), [](double x) { return std::tanh(x); }, 1e-3),
            std::exp2(-11));
}

}  // namespace
}  // namespace tilescope
