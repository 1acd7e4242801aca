#include "engine/compile/python_parts.hpp"

#include <gmock/gmock.h>

namespace tilescope {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kFile = R"("""A docstring
def not_a_function():
"""
import triton
import triton.language as tl

LOG2E = 1.4426950408889634
UNUSED = """
def neither():
"""


# Scales a tile.
@triton.jit
def scale(x, s):
    return x * s * LOG2E


def host(x):
    return x


# The kernel: calls scale(…) below.
@triton.autotune(
    configs=[triton.Config({"BLOCK": 128})],
    key=["n"],
)
@triton.jit
def softmax(
    x,  # "scale" (a comment)
    n,
    BLOCK: tl.constexpr,
):
    i = tl.arange(0, BLOCK)

    # host() in a comment
    tl.store(x + i, scale(tl.load(x + i), 2.0))
# behind it

@triton.jit
def other(x):
    x.softmax()
)";

TEST(PythonParts, DefinitionsHaveTheLinesOfTheirCommentsDecoratorsAndBodies) {
  const auto found = python_definitions(kFile);
  std::vector<std::string> names;
  for (const auto& one : found) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("LOG2E", "UNUSED", "scale", "host", "softmax", "other"));
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[2].first_line, 13U);
  EXPECT_EQ(found[2].line, 15U);
  EXPECT_EQ(found[2].last_line, 16U);
  EXPECT_EQ(found[4].first_line, 23U);
  EXPECT_EQ(found[4].line, 29U);
  EXPECT_EQ(found[4].last_line, 37U);
}

TEST(PythonParts, AKernelUsesWhatItCallsDirectlyOrNot) {
  const std::vector<std::string> kernels{"softmax"};
  std::vector<std::string> names;
  for (const UsedPart& part : used_python_parts(kFile, kernels)) names.push_back(part.name);
  EXPECT_THAT(names, ElementsAre("LOG2E", "scale", "softmax"));
  const auto parts = used_python_parts(kFile, kernels);
  EXPECT_EQ(parts[0].kind, UsedPart::Kind::constant);
  EXPECT_EQ(parts[1].kind, UsedPart::Kind::function);
  EXPECT_EQ(parts[2].kind, UsedPart::Kind::kernel);
}

TEST(PythonParts, AMemberOfThatNameIsNoUse) {
  const std::vector<std::string> kernels{"other"};
  EXPECT_EQ(used_python_parts(kFile, kernels).size(), 1U);
  EXPECT_TRUE(used_python_parts("", kernels).empty());
}

}  // namespace
}  // namespace tilescope
