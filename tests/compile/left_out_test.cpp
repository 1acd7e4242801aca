// Code that does not compile stops only the parts that need it.
#include <gmock/gmock.h>

#include "engine/compile/cubin.hpp"
#include "tests/compile/compile_fixture.hpp"

namespace tilescope {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

class LeftOut : public CompilerTest {
 protected:
  Result<CompiledModule> compile_for(const std::string& text, const std::string& kernel) {
    CompileRequest request;
    request.text = text;
    request.file = "x.cu";
    request.wanted_kernels = {kernel};
    request.want_cubin = true;
    return compiler_->compile(request, {});
  }
  void expect_compiles(const std::string& text, const std::string& kernel) {
    const auto module = compile_for(text, kernel);
    ASSERT_TRUE(module) << text << module.error().message;
    const auto has = [&](const KernelInfo& one) { return one.name.find(kernel) != std::string::npos; };
    EXPECT_TRUE(std::ranges::any_of(module->kernels, has)) << text;
  }
};

const std::string kGood = "__global__ void good(float* x) { x[threadIdx.x] = 2; }\n";

TEST_F(LeftOut, AKernelThatDoesNotCompileStopsOnlyItself) {
  const std::string text = "__global__ void bad(float* x) {\n  x[0] = undefined_thing;\n}\n" + kGood;
  const auto module = compile_for(text, "good");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->left_out,
              ElementsAre(testing::Pair("bad", HasSubstr("x.cu(2): identifier \"undefined_thing\""))));
  const auto bad = compile_for(text, "bad");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("x.cu(2): error: identifier \"undefined_thing\" is undefined"));
}

TEST_F(LeftOut, WithoutAWantedKernelEverythingHasToCompile) {
  EXPECT_FALSE(compile("__global__ void bad(float* x) { x[0] = undefined_thing; }\n" + kGood));
}

TEST_F(LeftOut, WhatOnlyAnotherKernelNeedsMayFail) {
  for (const std::string bad : {
           "__device__ float broken(float x) { return missing(x); }\n",
           "struct Broken { __device__ float get() const { return missing; } float x; };\n",
           "template <class T> __device__ T narrow(T x) { static_assert(sizeof(T) == 2, \"half\"); return x; }\n"
           "__global__ void bad(float* x) { x[0] = narrow(x[1]); }\n",
           "__global__ void __cluster_dims__(2, 1, 1) bad(float* x) { x[0] = 1; }\n",
           "__global__ void child(float* x) { x[0] = 1; }\n"
           "__global__ void parent(float* x) { child<<<1, 32>>>(x); }\n",
           "texture<float, 1> reference;\n__global__ void bad(float* x) { x[0] = tex1Dfetch(reference, 1); }\n",
           "__global__ void bad(float* x) { __shared__ float s[60000]; s[threadIdx.x] = x[0]; __syncthreads(); "
           "x[1] = s[31 - threadIdx.x]; }\n",
           "__global__ void bad(float* x) { asm volatile(\"no.such.instruction;\"); }\n",
           "extern __device__ float elsewhere(float x);\n__global__ void bad(float* x) { x[0] = elsewhere(1); }\n",
           "template <class T> __global__ void bad(T* x) { x[0] = missing; }\ntemplate __global__ void "
           "bad<int>(int*);\n",
       })
    expect_compiles(bad + kGood, "good");
}

TEST_F(LeftOut, AMistakeInAFunctionOfTheHeadersIsThatOfTheKernelThatUsesIt) {
  const std::string text =
      "__device__ float deepest(float x) { return missing; }\n__device__ float broken(float x) { return deepest(x); }\n"
      "__global__ void uses(float* x) { x[0] = broken(x[1]); }\n";
  const auto module = compile_for(text, "uses");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().message, AllOf(HasSubstr("x.cu(1): error: identifier \"missing\" is undefined"),
                                            Not(HasSubstr("\"broken\" is undefined"))));
}

TEST_F(LeftOut, WhatIsNotSupportedIsRefusedByName) {
  const auto refusal = [&](const std::string& text) {
    const auto module = compile_for(text, "wanted");
    return module ? ErrorId::cancelled : module.error().id;
  };
  EXPECT_EQ(refusal("__global__ void child(float* x) {}\n"
                    "__global__ void wanted(float* x) { child<<<1, 32>>>(x); }\n"),
            ErrorId::dynamic_parallelism);
  EXPECT_EQ(refusal("__global__ void child(float* x) {}\n__device__ void launch(float* x) { child<<<1, 32>>>(x); }\n"
                    "__global__ void wanted(float* x) { launch(x); }\n"),
            ErrorId::dynamic_parallelism);
  EXPECT_EQ(refusal("__global__ void __cluster_dims__(2, 1, 1) wanted(float* x) { x[0] = 1; }\n"),
            ErrorId::cluster_kernel);
  EXPECT_EQ(refusal("static texture<float, 1> reference;\n"
                    "__global__ void wanted(float* x) { x[0] = tex1Dfetch(reference, 1); }\n"),
            ErrorId::texture_reference);
}

TEST_F(LeftOut, ManyMacrosOfTheHostCostFewRounds) {
  std::string text = "#define BIND(name) torch::Tensor name(torch::Tensor x) { return run<name##_t>(x); }\n";
  for (int i = 0; i < 40; ++i) text += "BIND(entry_" + std::to_string(i) + ")\n";
  for (int i = 0; i < 20; ++i) text += "REGISTER_" + std::to_string(i) + "(a, b)\n";
  expect_compiles(text + kGood, "good");
}

TEST_F(LeftOut, AMemberWithTwoMistakesDoesNotTakeItsClassAlong) {
  expect_compiles(
      "struct Managed {\n  void* operator new(size_t n) {\n    void* p = nullptr; cudaMallocManaged(&p, n);\n"
      "    cudaDeviceSynchronize();\n    return p;\n  }\n};\n"
      "struct Grid : Managed { int n; __device__ int size() const { return n; } };\n"
      "__global__ void good(Grid* g) { g->n = g->size() + 1; }\n",
      "good");
}

TEST_F(LeftOut, AKernelOfTheSameNameInAnotherNamespaceIsAnotherKernel) {
  const std::string text =
      "namespace pairs { __global__ void __cluster_dims__(2) good(int* y) { y[threadIdx.x] = 1; } }\n"
      "namespace plain { __global__ void good(int* y) { y[threadIdx.x] = 2; } }\n";
  const auto module = compile_for(text, "plain::good");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->left_out, Contains(Key("good")));
  const auto refused = compile_for(text, "pairs::good");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id, ErrorId::cluster_kernel);
}

TEST_F(LeftOut, AClassDoesWithoutItsFriendsAndStaticsOfTheHost) {
  expect_compiles(
      "namespace lib {\nstruct space { int n; };\ntemplate <class F> typename F::ws make(int& e) {\n"
      "  std::vector<F> all; return all[0].make(e);\n}\n"
      "template <class T> struct twice {\n  using ws = space;\n"
      "  template <class F> friend typename F::ws lib::make(int&) noexcept;\n"
      "  static inline const std::string name = \"twice\";\n"
      "  __device__ T of(T x) { return x + x; }\n};\n}\n"
      "__global__ void good(float* y) { y[threadIdx.x] = lib::twice<float>().of(threadIdx.x); }\n",
      "good");
}

TEST_F(LeftOut, WhatNvccOnlyWarnsOfCompiles) {
  expect_compiles(
      "template <class T> struct Place { int b, d; __device__ Place(int _b, int _d) : b(_b), d(_d) {} };\n"
      "template <int D> __device__ int sum() { Place<float> p = {blockIdx.z, blockIdx.x * 4 + D}; return p.b + p.d; }\n"
      "__global__ void good(int* y) { y[threadIdx.x] = sum<1>(); }\n",
      "good");
  expect_compiles(
      "#include <functional>\ntemplate <class T> struct Less : public std::binary_function<T, T, bool> {\n"
      "  __device__ bool operator()(T a, T b) { return a < b; }\n};\n"
      "__global__ void good(int* y) { y[threadIdx.x] = Less<int>()(threadIdx.x, 5); }\n",
      "good");
}

TEST_F(LeftOut, AKernelInAnUnnamedNamespaceHasItsRegisters) {
  const auto module = compile_for(
      "namespace { __global__ void good(int* y) {\n  __shared__ int s[32];\n  s[threadIdx.x] = threadIdx.x;\n"
      "  __syncthreads();\n  y[threadIdx.x] = s[31 - threadIdx.x];\n} }\n",
      "good");
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_EQ(module->kernels.size(), 1U);
  EXPECT_GT(module->kernels[0].registers, 0U);
  EXPECT_EQ(module->kernels[0].static_shared_bytes, 128U);
  const std::string in_cubin = name_in_cubin(module->cubin, module->kernels[0].name);
  EXPECT_TRUE(read_cubin(module->cubin).contains(in_cubin)) << in_cubin;
  // Other processes have other numbers, also with more digits.
  EXPECT_EQ(without_process("_ZN47_GLOBAL__N__00000000_9_ROW_61_cu_827623ed_281811kEPi"),
            without_process("_ZN48_GLOBAL__N__00000000_9_ROW_61_cu_827623ed_1281821kEPi"));
  EXPECT_EQ(without_process("_Z4goodPi"), "_Z4goodPi");
  EXPECT_EQ(without_process("_ZN99_GLOBAL__N__short1kEPi"), "_ZN99_GLOBAL__N__short1kEPi");
}

}  // namespace
}  // namespace tilescope
