// The bugs that labs plant in the text of their kernels.
#include "engine/plant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tilescope {
namespace {

const std::string kKernels = R"(// two kernels; first (of them) does the work
struct Tile {
  __device__ void load() { if (inside) read(); }
};
__device__ float twice(float x) { return 2 * x; }
extern "C" __global__ void first(float* out, int n) {
  int i = blockIdx.x;
  if (i < n) out[i] = twice(i);
}
extern "C" __global__ void __launch_bounds__(256)
    second(float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = 0;
}
)";

std::string planted(const std::vector<Plant>& plants) {
  const auto text = plant(kKernels, plants, "bug");
  return text ? *text : text.error().message;
}

TEST(Plants, ChangeTheTextOfTheirFunctionAlone) {
  const std::string text = planted({{.in = "second", .replace = "if (i < n) ", .by = ""}});
  EXPECT_NE(text.find("  if (i < n) out[i] = twice(i);"), std::string::npos);
  EXPECT_NE(text.find("  out[i] = 0;"), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(kKernels, '\n'));
}

TEST(Plants, FindFunctionsOfOneLineStructsAndKernelsWithAttributes) {
  EXPECT_EQ(definition_in(kKernels, "twice"), "twice(float x) { return 2 * x; }");
  EXPECT_TRUE(definition_in(kKernels, "Tile").starts_with("Tile {"));
  EXPECT_TRUE(definition_in(kKernels, "second").starts_with("second(float* out"));
  EXPECT_TRUE(definition_in(kKernels, "first").starts_with("first(float* out")) << "not what the comment says";
  EXPECT_EQ(definition_in(kKernels, "third"), "");
}

TEST(Plants, FindFunctionsOfPython) {
  const std::string kernels = R"(# first is above second
import triton


@triton.jit
def first(out, n,
          BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)

    tl.store(out + i, first_value(i), mask=i < n)


@triton.jit
def second(out, n):
    tl.store(out, n)
)";
  EXPECT_TRUE(definition_in(kernels, "first").starts_with("first(out, n,\n"));
  EXPECT_TRUE(definition_in(kernels, "first").ends_with("mask=i < n)"));
  EXPECT_EQ(definition_in(kernels, "second"), "second(out, n):\n    tl.store(out, n)");
  EXPECT_EQ(definition_in(kernels, "first_value"), "");
}

TEST(Plants, OfTextThatIsNotThereOnceAreRefused) {
  EXPECT_EQ(planted({{.in = "first", .replace = "if (i <= n)", .by = ""}}),
            "'bug' cannot be planted: 'if (i <= n)' does not stand once in first");
  EXPECT_EQ(planted({{.replace = "if (i < n)", .by = ""}}),
            "'bug' cannot be planted: 'if (i < n)' does not stand once in the file");
  EXPECT_EQ(planted({{.in = "third", .replace = "x", .by = ""}}),
            "'bug' cannot be planted: 'x' does not stand once in third");
}

TEST(Plants, AreMadeOneAfterTheOther) {
  const std::string text =
      planted({{.in = "twice", .replace = "2 * x", .by = "3 * x"}, {.in = "twice", .replace = "3 * x", .by = "4 * x"}});
  EXPECT_NE(text.find("return 4 * x;"), std::string::npos);
}

const std::string kPython = R"(import triton
import triton.language as tl


# The first kernel; second (x) is named here too.
@triton.jit
def first(x, n, BLOCK_SIZE: tl.constexpr):
    i = second(tl.arange(0, BLOCK_SIZE))

    # not at the margin
    tl.store(x + i, 0, mask=i < n)


# Between the two.
@triton.jit
def second(
    i,
):
    return i


mask = 1
)";

TEST(Plants, FindPythonFunctionsUpToTheEndOfTheirBody) {
  EXPECT_EQ(definition_in(kPython, "first"),
            "first(x, n, BLOCK_SIZE: tl.constexpr):\n    i = second(tl.arange(0, BLOCK_SIZE))\n\n"
            "    # not at the margin\n    tl.store(x + i, 0, mask=i < n)");
  EXPECT_EQ(definition_in(kPython, "second"), "second(\n    i,\n):\n    return i");
  EXPECT_EQ(definition_in(kPython, "store"), "");
  const std::string at_the_end = "def alone(x):\n    pass";
  EXPECT_EQ(definition_in(at_the_end, "alone"), "alone(x):\n    pass");
}

TEST(Plants, ChangeTheTextOfAPythonFunctionAlone) {
  const std::vector<Plant> mask{{.in = "first", .replace = ", mask=i < n", .by = ""}};
  const auto text = plant(kPython, mask, "bug");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("    tl.store(x + i, 0)\n"), std::string::npos);
  const std::vector<Plant> other{{.in = "second", .replace = "mask", .by = ""}};
  EXPECT_FALSE(plant(kPython, other, "bug")) << "the statement after the function is no part of it";
}

}  // namespace
}  // namespace tilescope
