// This machine's NVRTC compiles the kernels to PTX that runs on the simulator.
#include <gtest/gtest.h>

#include "engine/compile/compiler.hpp"
#include "run_kernel.hpp"

namespace tilescope {
namespace {

std::string read_source(const std::string& path) {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Compiled, EveryRungOfTheElementWiseOperatorsAddsTwoVectors) {
  const auto compiler = Compiler::open({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  CompileRequest request;
  request.text = read_source("kernels/elementwise.cu");
  request.file = "kernels/elementwise.cu";
  request.include_folders = {TILESCOPE_SOURCE "/kernels"};
  request.defines = {{"BLOCK", "64"}, {"TILES", "2"}, {"VEC", "4"}, {"OP", "Add"}};
  const auto module = (*compiler)->compile(request, {});
  ASSERT_TRUE(module.has_value()) << module.error().message;
  ASSERT_GE(module->kernels.size(), 5U);
  constexpr size_t kElements = 1003;
  std::vector<float> a(kElements), b(kElements), sum(kElements);
  for (size_t i = 0; i < kElements; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5F * static_cast<float>(i % 9);
    sum[i] = a[i] + b[i];
  }
  for (const KernelInfo& kernel : module->kernels) {
    Machinery machine;
    machine.input("a", a);
    machine.input("b", b);
    const size_t out = machine.output<float>("out", kElements);
    machine.value(static_cast<int>(kElements));
    // More blocks than any rung needs: the extra ones have no elements.
    const auto report = machine.run(*module, kernel.name, {16, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(report.findings.empty()) << kernel.name << ": " << report.findings[0].message;
    EXPECT_EQ(machine.download<float>(out), sum) << kernel.name;
  }
}

TEST(Compiled, AFindingNamesTheFileAsItWasGiven) {
  const auto compiler = Compiler::open({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  CompileRequest request;
  request.text = "extern \"C\" __global__ void k(float* x) {\n  x[threadIdx.x] = 1.0f;\n}\n";
  request.file = "kernels/x.cu";
  const auto module = (*compiler)->compile(request, {});
  ASSERT_TRUE(module.has_value()) << module.error().message;
  Machinery machine;
  machine.output<float>("x", 31);
  const auto report = machine.run(*module, "k", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(
      report.findings[0].message,
      "out of bounds: write of 4 bytes at x+124 (buffer of 124 bytes), kernels/x.cu:2, block (0,0,0) thread (31,0,0)");
}

}  // namespace
}  // namespace tilescope
