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

TEST(Plants, FindFunctionsOfPythonUpToTheNextLineThatIsNotIndented) {
  const std::string text =
      "@triton.jit\n"
      "def first(x, y,\n"
      "          BLOCK: tl.constexpr):\n"
      "    i = tl.arange(0, BLOCK)\n"
      "\n"
      "    tl.store(y + i, x)  # second(y)\n"
      "\n\n"
      "# The next.\n"
      "@triton.jit\n"
      "def second(y):\n"
      "    first(0, y, 16)\n";
  EXPECT_TRUE(definition_in(text, "first").starts_with("first(x, y,\n"));
  EXPECT_TRUE(definition_in(text, "first").ends_with("# second(y)\n\n"));
  EXPECT_EQ(definition_in(text, "second"), "second(y):\n    first(0, y, 16)\n");
  EXPECT_EQ(definition_in(text, "third"), "");
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

}  // namespace
}  // namespace tilescope
