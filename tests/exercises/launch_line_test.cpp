#include "app/exercises/launch_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LaunchLine cuda(const std::string& line) {
  auto launches = read_launch_lines("// a kernel\n" + line + "\n__global__ void f();\n", KernelLanguage::cuda);
  if (!launches) ADD_FAILURE() << launches.error().message;
  return launches ? launches->front() : LaunchLine();
}

std::string problem_of(const std::string& text, KernelLanguage language = KernelLanguage::cuda) {
  const auto launches = read_launch_lines(text, language);
  return launches ? std::string() : launches.error().message;
}

TEST(LaunchLine, GridBlockSharedAndArguments) {
  const LaunchLine launch = cuda("  // Launch: sum<256><<<ceil(n / 256), 256, 4 * 256>>>(x, out, n)");
  EXPECT_EQ(launch.line, 2U);
  EXPECT_EQ(launch.kernel, "sum<256>");
  EXPECT_EQ(launch.grid, "ceil(n / 256)");
  EXPECT_EQ(launch.block, "256");
  EXPECT_EQ(launch.shared, "4 * 256");
  EXPECT_THAT(launch.arguments, ElementsAre("x", "out", "n"));
}

TEST(LaunchLine, SeveralAxesInBracketsOrAsDim3) {
  for (const char* line : {"// Launch: f<<<(ceil(a / 32), b), (32, 8)>>>(x)",
                           "// Launch: f<<<dim3(ceil(a / 32), b), dim3(32, 8)>>>(x);"}) {
    const LaunchLine launch = cuda(line);
    EXPECT_EQ(launch.grid, "ceil(a / 32), b") << line;
    EXPECT_EQ(launch.block, "32, 8") << line;
  }
  EXPECT_EQ(cuda("// Launch: f<<<(n + 1) / 2, 64>>>(x)").grid, "(n + 1) / 2") << "the brackets of a formula stay";
}

TEST(LaunchLine, InTritonTheConstantsAreKeywords) {
  const auto launches = read_launch_lines("# Launch: add[(ceil(n / BLOCK),)](x, out, n, BLOCK=1024, num_warps=4)\n",
                                          KernelLanguage::triton);
  ASSERT_TRUE(launches);
  EXPECT_EQ(launches->front().grid, "ceil(n / BLOCK)");
  EXPECT_THAT(launches->front().arguments, ElementsAre("x", "out", "n"));
  EXPECT_THAT(launches->front().keywords, ElementsAre(Define{"BLOCK", "1024"}, Define{"num_warps", "4"}));
}

TEST(LaunchLine, SeveralLinesAreSeveralLaunches) {
  const auto launches =
      read_launch_lines("// Launch: a<<<1, 2>>>(x)\n// Launch: b<<<3, 4>>>(x)\n", KernelLanguage::cuda);
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->size(), 2U);
  EXPECT_EQ((*launches)[1].kernel, "b");
}

TEST(LaunchLine, WhatCannotBeReadIsNamedWithItsLine) {
  EXPECT_THAT(problem_of("__global__ void f();\n"), HasSubstr("the file has none"));
  EXPECT_THAT(problem_of("\n// Launch: f(x)\n"), HasSubstr("line 2: it has no <<<grid, block>>>"));
  EXPECT_THAT(problem_of("// Launch: f<<<1>>>(x)\n"), HasSubstr("the grid, the block"));
  EXPECT_THAT(problem_of("// Launch: <<<1, 2>>>(x)\n"), HasSubstr("names no kernel"));
  EXPECT_THAT(problem_of("// Launch: f<<<1, 2>>>\n"), HasSubstr("brackets at its end"));
  EXPECT_THAT(problem_of("// Launch: f<<<1, 2>>>(x, n=3)\n"), HasSubstr("no arguments by name"));
  EXPECT_THAT(problem_of("# Launch: f(x)\n", KernelLanguage::triton), HasSubstr("no [grid]"));
}

TEST(LaunchLine, RewritingChangesThatLineAlone) {
  const std::string text = "// a\n  // Launch: f<<<1,2>>>(x)\nint b;";
  LaunchLine launch = read_launch_lines(text, KernelLanguage::cuda)->front();
  launch.grid = "4, 5";
  launch.shared = "64";
  const std::string rewritten = with_launch(text, launch, KernelLanguage::cuda);
  EXPECT_EQ(rewritten, "// a\n// Launch: f<<<(4, 5), 2, 64>>>(x)\nint b;");
  EXPECT_EQ(read_launch_lines(rewritten, KernelLanguage::cuda)->front(), launch);
}

}  // namespace
}  // namespace tilescope
