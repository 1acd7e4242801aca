#include "engine/compile/device_source.hpp"

#include <gmock/gmock.h>

#include "engine/compile/declared_kernels.hpp"
#include "tests/compile/compile_fixture.hpp"

namespace tilescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string device_text(const std::string& text) { return DeviceSource({.text = text, .file = "x.cu"}, {}).text(); }

TEST(DeviceSource, HostFunctionsAndVariablesBecomeBlanksOfTheSameExtent) {
  const std::string source =
      "int* d_x;\nint main(int argc, char** argv) {\n  k<<<1, 2>>>(d_x);\n}\n__global__ void k(int* x) { x[0] = 1; }\n";
  const std::string device = device_text(source);
  EXPECT_EQ(device.size(), source.size());
  EXPECT_EQ(std::count(device.begin(), device.end(), '\n'), 5);
  EXPECT_THAT(device, Not(HasSubstr("main")));
  EXPECT_THAT(device, Not(HasSubstr("d_x")));
  EXPECT_THAT(device, HasSubstr("__global__ void k(int* x) { x[0] = 1; }"));
}

TEST(DeviceSource, ASourceWithoutHostCodeStaysAsItIs) {
  for (const std::string source : {
           "template <int N> __global__ void k(float* x) { x[0] = N; }\n",
           "constexpr int f(int a) { return a + 1; }\nconst float table[] = {1, 2};\n__constant__ float c[4];\n",
           "struct Pair { float a, b; __device__ float sum() const { return a + b; } };\nusing Two = Pair;\n",
           "namespace cg = cooperative_groups;\nusing namespace nvcuda;\n",
           "#define ALIGNED(n) alignas(n)\ntemplate <class T> struct ALIGNED(16) Pair : Base<T> {};\n",
           "template <class T> auto sized(T*) -> Yes;\nauto sized(...) -> No;\n"
           "template <class T> struct IsSized : decltype(sized((T*)0)) {};\n",
           "namespace a { namespace { __device__ int counter; } enum Mode { kFast, kSlow }; }\n",
           "#define DEVICE __device__ __forceinline__\nDEVICE float f(float x) { return x; }\n",
           "#define KERNEL(name) __global__ void name(float* x) { x[0] = 1; }\nKERNEL(one)\nKERNEL(two);\n",
           "extern \"C\" __global__ void __launch_bounds__(256, 2) k(float* x) {}\nextern __shared__ float tile[];\n",
           "HOST_DEVICE inline int f() { return 1; }\n",
           "template __global__ void k<float>(float*);\nstatic_assert(sizeof(int) == 4, \"int\");\n",
       })
    EXPECT_EQ(device_text(source), source);
}

std::string text_with_only(const std::string& text, const std::vector<std::string>& kernels) {
  return DeviceSource({.text = text, .file = "x.cu", .only_kernels = kernels}, {}).text();
}

TEST(DeviceSource, KernelsThatAreNotWantedBecomeBlanksOfTheSameExtent) {
  const std::string source =
      "__device__ float half_of(float x) { return x / 2; }\n"
      "extern \"C\" __global__ void __launch_bounds__(256)\n    one(float* x) { x[0] = half_of(1); }\n"
      "extern \"C\" __global__ void two(float* x) {\n  x[0] = 2;\n}\n";
  const std::string only_two = text_with_only(source, {"two"});
  EXPECT_EQ(only_two.size(), source.size());
  EXPECT_EQ(only_two.find("void two"), source.find("void two")) << "no line or column moves";
  EXPECT_THAT(only_two, HasSubstr("half_of(float x)"));
  EXPECT_THAT(only_two, Not(HasSubstr("one")));
  EXPECT_THAT(text_with_only(source, {"one"}), Not(HasSubstr("two")));
  EXPECT_EQ(text_with_only(source, {"two", "one"}), source);
  EXPECT_EQ(text_with_only(source, {}), source);
}

TEST(DeviceSource, NoKernelIsLeftOutWhereTheWantedOneIsNotFoundOrAnotherUsesIt) {
  const std::string by_macro =
      "#define KERNEL(name) __global__ void name(float* x) { x[0] = 1; }\nKERNEL(one)\n"
      "__global__ void two(float* x) { x[0] = 2; }\n";
  EXPECT_EQ(text_with_only(by_macro, {"one"}), by_macro);
  const std::string launched =
      "__global__ void child(float* x) { x[0] = 2; }\n__global__ void parent(float* x) { child<<<1, 1>>>(x); }\n";
  EXPECT_EQ(text_with_only(launched, {"parent"}), launched);
}

TEST(DeviceSource, WhatLooksLikeABraceInATextOrCommentIsNone) {
  const std::string source =
      "int main() { /* } */ puts(\"}\"); char c = '}'; // }\n  auto r = R\"x(})x\"; }\n__device__ int kept;\n";
  EXPECT_EQ(device_text(source), std::string(source.find("//"), ' ') + "    \n" +
                                     std::string(source.find("\n__dev") - source.find('\n') - 1, ' ') +
                                     "\n__device__ int kept;\n");
}

TEST(DeviceSource, BothBranchesOfAConditionalMayOpenTheSameBrace) {
  const std::string device = device_text(
      "#ifdef A\nint main() {\n#else\nint other() {\n#endif\n  return 0;\n}\n__global__ void k() {}\n"
      "#if 1\nnamespace a {\n#else\nnamespace b {\n#endif\nint host() { return 1; }\n__device__ int kept;\n}\n");
  EXPECT_THAT(device, HasSubstr("__global__ void k() {}"));
  EXPECT_THAT(device, HasSubstr("__device__ int kept;"));
  EXPECT_THAT(device, Not(HasSubstr("return")));
  EXPECT_THAT(device, HasSubstr("#endif"));
}

TEST(DeviceSource, OnlyTheNamesThatAreUsedAreDeclared) {
  const auto prelude = [](const std::string& text) {
    return DeviceSource({.text = text, .file = "x.cu"}, {}).prelude();
  };
  EXPECT_EQ(prelude("__global__ void k(float* x) { x[0] = 1; }\n"), "");
  EXPECT_THAT(prelude("__global__ void k(uint32_t* x) { x[0] = 1; }\n"), HasSubstr("unsigned int uint32_t;"));
  EXPECT_EQ(prelude("typedef unsigned int uint32_t;\n__global__ void k(uint32_t* x) { x[0] = 1; }\n"), "");
  EXPECT_EQ(prelude("#define INFINITY 1e38f\n__global__ void k(float* x) { x[0] = INFINITY; }\n"), "");
  EXPECT_EQ(prelude("int main() { uint32_t x; }\n"), "") << "host code needs nothing";
}

TEST(DeclaredKernels, TheirParametersAndTheInstantiationsOfHostCodeAreFound) {
  const auto kernels = declared_kernels(
      "namespace ops {\ntemplate <class T>\n__global__ void __launch_bounds__(64) scale(const T* __restrict__ x,\n"
      "    float (*f)(float, int), int n);\n}\n"
      "__global__ void plain(void) {}\n"
      "void run() { ops::scale<float><<<1, 64>>>(x, f, 3); ops::scale<double><<<1, 64, 0>>>(x, f, 3); }\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "ops::scale");
  EXPECT_THAT(kernels[0].parameters, ElementsAre("const T* __restrict__ x", "float (*f)(float, int)", "int n"));
  EXPECT_THAT(kernels[0].instantiations, ElementsAre("ops::scale<float>", "ops::scale<double>"));
  EXPECT_EQ(kernels[1].name, "plain");
  EXPECT_TRUE(kernels[1].parameters.empty());
}

class DeviceSourceCompiled : public CompilerTest {};

TEST_F(DeviceSourceCompiled, TypesThatOnlyTheHostCanCompileAreLeftOut) {
  const auto module = compile(
      "#include <vector>\n#include <string>\n"
      "struct Config { std::string name; std::vector<int> sizes; };\n"
      "typedef std::vector<float> Values;\n"
      "class Both {\n public:\n  Both() { cudaMalloc(&x, 4); }\n  __device__ float get() const { return *x; }\n"
      "  float* x;\n};\n"
      "__global__ void k(Both b, float* out) { out[0] = b.get(); }\n");
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_EQ(module->kernels.size(), 1U);
  EXPECT_THAT(module->kernels[0].parameter_bytes, ElementsAre(8, 8)) << "the layout of a type is never changed";
}

TEST_F(DeviceSourceCompiled, ATypeThatAKernelNeedsIsExplainedWhenItDoesNotCompile) {
  const auto module =
      compile("struct Config { std::string name; int n; };\n__global__ void k(Config c, int* out) { out[0] = c.n; }\n");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().message, HasSubstr("'Config' was left out, because it does not compile for the device"));
}

TEST_F(DeviceSourceCompiled, NamesOfTheStandardLibraryWorkOnTheDevice) {
  const auto module = compile(
      "#include <limits>\n#include <algorithm>\n#include <type_traits>\n#include <cmath>\n#include <cassert>\n"
      "template <class T> __device__ T largest() { return std::numeric_limits<T>::max(); }\n"
      "__global__ void k(float* x, std::size_t n) {\n"
      "  assert(n > 0);\n  static_assert(std::is_same<float, float>::value, \"same\");\n"
      "  x[0] = std::max(std::min(x[1], largest<float>()), std::sqrt(std::abs(x[2])));\n"
      "  std::swap(x[3], x[4]);\n}\n");
  EXPECT_TRUE(module) << module.error().message;
}

TEST_F(DeviceSourceCompiled, AHeaderBesideTheSourceMayHoldHostCodeToo) {
  write_bytes(folder_ / "inner.h", "__device__ inline float twice(float x) { return 2 * x; }\n");
  write_bytes(folder_ / "outer.h",
              "#include \"inner.h\"\n#include <vector>\nstd::vector<float> make(int n) { return {}; }\n");
  CompileRequest request;
  request.text = "#include \"outer.h\"\n__global__ void k(float* x) { x[0] = twice(x[1]); }\n";
  request.file = (folder_ / "x.cu").string();
  const auto module = compiler_->compile(request, {});
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->ptx, HasSubstr("\"" + (folder_ / "inner.h").string() + "\""))
      << "the line table says where it is";
}

TEST_F(DeviceSourceCompiled, AnErrorInDeviceCodeStaysAnError) {
  const auto module = compile("int main() { return 0; }\n__global__ void k(float* x) {\n  x[0] = oops;\n}\n");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().message, HasSubstr("kernels/x.cu(3): error: identifier \"oops\" is undefined"));
}

}  // namespace
}  // namespace tilescope
