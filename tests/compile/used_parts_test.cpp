#include "engine/compile/used_parts.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace tilescope {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<UsedPart>& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const UsedPart& part : parts) names.push_back(part.name);
  return names;
}
std::vector<std::string> used_by(const std::string& kernel, std::string_view text) {
  return names_of(used_parts(text, std::vector<std::string>{kernel}));
}

constexpr std::string_view kTwoKernels = R"(// What the file is about.

constexpr int TILE = 32, STEP = TILE / 4;
constexpr int OTHER = 7;

// Two words.
// On two lines.
struct Pack {
  float value[STEP];
};

__device__ float load(const float* at) { return *at; }
__device__ Pack load_pack(const float* at) { return {load(at)}; }
__device__ float unused(float x) { return x * OTHER; }

// The first.
extern "C" __global__ void plain(const float* x, float* y) {
  y[0] = load(x);
}

extern "C" __global__ void packed(const float* x, float* y) {
  y[0] = load_pack(x).value[0];
}
)";

TEST(UsedParts, OfAKernelAreItsOwnLinesAndWhatItCallsThroughOthers) {
  EXPECT_THAT(used_by("plain", kTwoKernels), ElementsAre("load", "plain"));
  EXPECT_THAT(used_by("packed", kTwoKernels), ElementsAre("TILE", "Pack", "load", "load_pack", "packed"));
}

TEST(UsedParts, ComeWithTheCommentAboveThem) {
  const auto parts = used_parts(kTwoKernels, std::vector<std::string>{"plain", "packed"});
  ASSERT_EQ(parts.size(), 6U);
  EXPECT_EQ(parts[1], (UsedPart{UsedPart::Kind::type, "Pack", 6, 10}));
  EXPECT_EQ(parts[4], (UsedPart{UsedPart::Kind::kernel, "plain", 16, 19}));
  EXPECT_EQ(parts[0].first_line, 3U) << "a comment apart from it is not its own";
}

TEST(UsedParts, ASecondNameOfADeclarationAndAnEnumeratorAreNames) {
  EXPECT_THAT(used_by("k",
                      "constexpr int A = 1, B = 2;\nenum Mode { slow, fast };\nconstexpr int C = 3;\n"
                      "__global__ void k(int* x) { x[0] = B + fast; }\n"),
              ElementsAre("A", "Mode", "k"));
}

TEST(UsedParts, AMemberOfAnotherObjectIsNoFunctionOfThatName) {
  EXPECT_THAT(used_by("k",
                      "struct S { int size; };\n__device__ int size() { return 1; }\n"
                      "__global__ void k(int* x, S s, S* t) { x[0] = s.size + t->size; }\n"),
              ElementsAre("S", "k"));
}

TEST(UsedParts, MacrosTemplatesAliasesAndMembersOutsideOfTheirClass) {
  EXPECT_THAT(used_by("k<float>",
                      "#define TWICE(x) twice(x)\n#define OTHER 3\nusing real = float;\n"
                      "__device__ real twice(real x) { return 2 * x; }\n"
                      "struct Tree {\n  __device__ int depth() const;\n};\n"
                      "__device__ int Tree::depth() const { return 1; }\n"
                      "template <class T>\n__global__ void k(T* x, Tree t) { x[0] = TWICE(x[0]); }\n"),
              ElementsAre("TWICE", "real", "twice", "Tree", "depth", "k"));
}

TEST(UsedParts, AnOperatorIsUsedWithItsType) {
  constexpr std::string_view text =
      "struct V { float x; };\n__device__ V operator+(V a, V b) { return {a.x + b.x}; }\n"
      "__global__ void sums(V* v) { v[0] = v[1] + v[2]; }\n__global__ void floats(float* f) { f[0] = f[1] + f[2]; }\n";
  EXPECT_THAT(used_by("sums", text), ElementsAre("V", "operator", "sums"));
  EXPECT_THAT(used_by("floats", text), ElementsAre("floats"));
}

TEST(UsedParts, AKernelThatIsNotThereAndAnEmptySource) {
  EXPECT_THAT(used_by("nobody", kTwoKernels), IsEmpty());
  EXPECT_THAT(used_by("k", ""), IsEmpty());
}

TEST(UsedParts, OfEveryKernelOfTheLabsBeginWithWhatItNeeds) {
  const auto read = [](const char* file) {
    std::ifstream stream(std::filesystem::path(TILESCOPE_SOURCE) / "kernels" / file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  EXPECT_THAT(used_by("padded_tile", read("transpose.cu")), ElementsAre("LINE", "STEP", "padded_tile"));
  EXPECT_THAT(used_by("swizzled_tile", read("transpose.cu")), ElementsAre("LINE", "STEP", "swizzled", "swizzled_tile"));
  EXPECT_THAT(used_by("grouped_tiles", read("transpose.cu")),
              ElementsAre("LINE", "STEP", "swizzled", "move_tile", "grouped_tiles"));
  EXPECT_THAT(used_by("warp_shuffle", read("reduction.cu")), ElementsAre("warp_sum", "block_sum", "warp_shuffle"));
}

}  // namespace
}  // namespace tilescope
