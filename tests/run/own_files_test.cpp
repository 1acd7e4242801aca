// Files as people write them, from source to numbers: kernel names, standards, dialects, several files.
#include <gmock/gmock.h>

#include <set>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

/// One launch of 32 threads over a vector of 32 floats.
Plan plan_of(const std::string& kernel, const std::string& text, const std::vector<SourceFile>& more = {}) {
  Plan plan;
  plan.source_file = "own.cu";
  plan.source_text = text;
  plan.more_sources = more;
  plan.buffers = {{.name = "y", .shape = {32}, .role = Role::output, .fill = Fill::poison}};
  plan.launches = {{.kernel = kernel, .block = {32, 1, 1}, .arguments = {BufferArgument{0}}}};
  return plan;
}

/// The first element of the vector; the error message if the run failed.
std::string outcome(const Plan& plan) {
  const auto result = engine().run_plan(plan, Request{});
  if (!result) return result.error().message + " " + result.error().hint;
  if (!result->findings.empty()) return result->findings[0].message;
  return fmt::format("{}", result->buffers[0]->as<float>()[0]);
}
std::string outcome(const std::string& kernel, const std::string& text, const std::vector<SourceFile>& more = {}) {
  return outcome(plan_of(kernel, text, more));
}

const std::string kOverloads = R"(
namespace ops {
__global__ void add(float* y) { y[threadIdx.x] = 1; }
__global__ void add(float2* y) { y[threadIdx.x / 2].x = 2; y[threadIdx.x / 2].y = 2; }
template <class T> __global__ void fill(T* y) { y[threadIdx.x] = T(sizeof(T)); }
template <int N> __global__ void twice(float* y) { y[threadIdx.x] = N; }
template <int N> __global__ void twice(const float2* y) { const_cast<float2*>(y)[threadIdx.x / 2] = {N + 100.f, 0}; }
__global__ void many(const float2* const* a, unsigned long long n, const float* __restrict__ c) {}
}
)";

TEST(KernelNames, OverloadsAndTemplatesAreFoundByTheNamesThatPeopleType) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"add(float*)", "1"},
      {"ops::add(float *)", "1"},
      {"add( float2 * )", "2"},
      {"__global__ void add(float2* y)", "2"},
      {"fill<float>", "4"},
      {"ops::fill<float>(float*)", "4"},
      {"fill(float*)", "4"},
      {"twice<7>(float*)", "7"},
      {"twice<7>(float* y)", "7"},
      {"twice<7>(const float2*)", "107"},
      {"twice<7>(float2 const *)", "107"},
      {"ops::twice<7>(const float2 *y)", "107"},
  };
  for (const auto& [name, value] : cases) EXPECT_EQ(outcome(name, kOverloads), value) << name;
  for (const std::string name :
       {"many(const float2* const*, unsigned long long, const float*)",
        "many(float2 const * const *a, long long unsigned int n, const float *__restrict__ c)"})
    EXPECT_THAT(outcome(name, kOverloads), HasSubstr("takes 3 arguments")) << name;
}

TEST(KernelNames, AnAmbiguousNameIsAnsweredWithNamesThatWork) {
  EXPECT_THAT(outcome("twice<7>", kOverloads),
              AllOf(HasSubstr("ops::twice<7>(float*)"), HasSubstr("ops::twice<7>(float2 const*)")));
  EXPECT_THAT(outcome("add", kOverloads), AllOf(HasSubstr("ops::add(float*)"), HasSubstr("ops::add(float2*)")));
}

/// "… as in k<128> Give …" → "k<128>".
std::string suggestion_in(const std::string& message) {
  const std::string before = "as in ", after = " Give them";
  const size_t begin = message.find(before), end = message.find(after);
  if (begin == std::string::npos || end == std::string::npos) return "no suggestion: " + message;
  return message.substr(begin + before.size(), end - begin - before.size());
}

TEST(KernelNames, ASuggestionCompiles) {
  for (const std::string text : {
           "template <int N> __global__ void k(float* y) { __shared__ float s[N]; s[threadIdx.x % N] = 1; "
           "y[threadIdx.x] = 1; }\n",
           "template <typename T, int N, bool F> __global__ void k(T* y) { y[threadIdx.x] = F ? N : 1; }\n",
           "template <typename T> __global__ void k(float* y) { static_assert(sizeof(T) == 2, \"\"); "
           "y[threadIdx.x] = 1; }\n#include <cuda_fp16.h>\n",
           "template <class T, int N> __global__ void k(float* y) { y[threadIdx.x] = N; }\n"
           "template <class RNG> void run(float* y) { k<RNG, 4><<<1, 32>>>(y); }\n",
           "enum Mode { kFast, kSlow };\ntemplate <Mode M> __global__ void k(float* y) { y[threadIdx.x] = 1; }\n"
           "void run(float* y) { k<kSlow><<<1, 32>>>(y); k<kFast><<<1, 32>>>(y); }\n",
           "template <int N, class T = float> __global__ void k(T* y) { static_assert(N <= 8, \"\"); "
           "y[threadIdx.x] = 1; }\n",
       }) {
    const std::string name = suggestion_in(outcome("k", text));
    EXPECT_THAT(outcome(name, text), Not(HasSubstr(" "))) << text << name;
  }
}

TEST(KernelNames, AnErrorDoesNotSpeakOfArgumentsThatNobodyTyped) {
  const std::string text =
      "template <class T> __global__ void k(T* y) { y[0] = T::missing; }\n"
      "template <class RNG> void run(RNG* y) { k<RNG><<<1, 32>>>(y); }\n";
  EXPECT_THAT(outcome("k", text), AllOf(HasSubstr("needs arguments for <class T>"), Not(HasSubstr("RNG"))));
}

TEST(OwnFiles, CudaOfCxx20IsCompiledAsThat) {
  const std::string text =
      "#include <concepts>\ntemplate <class T> concept Small = requires(T x) { x + x; } && sizeof(T) <= 4;\n"
      "template <Small T> __device__ T twice(T x) { return x + x; }\n"
      "template <class T> requires std::floating_point<T> __global__ void k(T* y) { y[threadIdx.x] = twice(T(3)); }\n";
  EXPECT_EQ(outcome("k<float>", text), "6");
  const std::string without_words =
      "struct Shape { int rows, columns; };\n"
      "__device__ auto area(auto shape) { return shape.rows * shape.columns; }\n"
      "__global__ void k(float* y) { y[threadIdx.x] = area(Shape{.rows = 2, .columns = 3}); }\n";
  EXPECT_EQ(outcome("k", without_words), "6");
  Plan plan = plan_of("k<float>", text);
  plan.standard = "c++17";
  EXPECT_THAT(outcome(plan), HasSubstr("does not compile"));
  plan.standard = "c++20";
  EXPECT_EQ(outcome(plan), "6");
  const std::string which = "__global__ void k(float* y) { y[threadIdx.x] = __cplusplus / 100; }\n";
  EXPECT_EQ(outcome("k", which), "2017");
  plan = plan_of("k", which);
  plan.standard = "c++20";
  EXPECT_EQ(outcome(plan), "2020");
}

TEST(OwnFiles, WhatNvccAcceptsBesidesTheStandardIsAccepted) {
  EXPECT_EQ(outcome("k", "extern \"C\"__global__ void k(float* y) { y[threadIdx.x] = 5; }\n"), "5");
  EXPECT_EQ(outcome("k",
                    "template <class T> struct Pair { T a, b; };\n#define MAKE(x, y) (Pair<float>){x, y}\n"
                    "__device__ float sum(Pair<float> p) { return p.a + p.b; }\n"
                    "__device__ Pair<float> both(float x) { return (Pair<float>){x, x}; }\n"
                    "__global__ void k(float* y) { if (y) { y[threadIdx.x] = sum(MAKE(1, 2)) + sum(both(4)) + "
                    "sum((Pair<float>){10, 20}); } }\n"),
            "41");
}

TEST(OwnFiles, NamesOfLibrariesThatDeviceCodeUsesAreThere) {
  EXPECT_EQ(outcome("k",
                    "#include <cufft.h>\ncufftHandle plan;\n__device__ float re(cufftComplex z) { return z.x; }\n"
                    "__global__ void k(float* y) { y[threadIdx.x] = re(make_cuComplex(3, 4)); }\n"),
            "3");
  EXPECT_EQ(
      outcome("k",
              "#include <memory>\nstruct Node { std::shared_ptr<int> host; float* p; Node() : host(new int(1)) {}\n"
              "  __device__ float get() const { return 8; } };\n"
              "__global__ void k(float* y) { y[threadIdx.x] = sizeof(Node); }\n"),
      "24");
  const auto& compiler = engine().compiler();
  if (!compiler || (*compiler)->origin().include_folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
  EXPECT_EQ(outcome("k",
                    "#include <thrust/complex.h>\n__global__ void k(float* y) {\n"
                    "  thrust::complex<float> z(3, 4), w = z * z;\n  y[threadIdx.x] = thrust::abs(z) + w.real(); }\n"),
            "-2");
  EXPECT_EQ(
      outcome("k",
              "#include <thrust/tuple.h>\n#include <thrust/device_vector.h>\n"
              "__device__ thrust::tuple<float, int> two() { return thrust::make_tuple(1.5f, 2); }\n"
              "__global__ void k(float* y) { y[threadIdx.x] = thrust::get<0>(two()) + thrust::get<1>(two()); }\n"),
      "3.5");
}

TEST(OwnFiles, AFunctionTemplateThatOnlyNamesATypeStays) {
  EXPECT_EQ(
      outcome("k",
              "namespace d { template <class T> auto pick() { if constexpr (sizeof(T) == 4) return int{}; "
              "else return 0LL; } }\ntemplate <class T> struct B { using S = decltype(d::pick<T>()); };\n"
              "__global__ void k(float* y) { y[threadIdx.x] = sizeof(B<float>::S) + 10 * sizeof(B<double>::S); }\n"),
      "84");
}

const std::string kFirst = R"(
#define SCALE 10
extern __device__ float other(float x);
extern __constant__ float table[4];
static __device__ float local() { return 1; }
namespace { struct Params { float a; }; __device__ int count = 5; __device__ __noinline__ float hidden() { return count; } }
template <class T> __device__ __noinline__ T shared_template(T x) { return x + 1; }
__device__ float of_first = 7;
__global__ void k(float* y) {
  y[threadIdx.x] = other(SCALE) + local() + hidden() + shared_template(0.f) + table[3] + sizeof(Params);
}
__global__ void lonely(float* y) { extern __device__ float nowhere(); y[threadIdx.x] = nowhere(); }
)";
const std::string kSecond = R"(
#ifdef SCALE
#error macros of another file are seen
#endif
__constant__ float table[4] = {0, 0, 0, 1000};
extern __device__ float of_first;
static __device__ float local() { return 20; }
namespace { struct Params { double a, b; }; __device__ int count = 300; __device__ __noinline__ float hidden() { return count; } }
template <class T> __device__ __noinline__ T shared_template(T x) { return x + 1; }
__device__ float other(float x) { return x + local() + hidden() + shared_template(1.f) + of_first + 100 * sizeof(Params); }
)";

TEST(SeveralFiles, AreLinkedAndKeepWhatIsTheirOwn) {
  // other: 10 + 20 + 300 + 2 + 7 + 1600; then 1, 5, 1, 1000 and 4.
  EXPECT_EQ(outcome("k", kFirst, {{"second.cu", kSecond}}), "2950");
}

TEST(SeveralFiles, WhatIsMissingOrDefinedTwiceIsNamed) {
  EXPECT_THAT(outcome("lonely", kFirst, {{"second.cu", kSecond}}),
              HasSubstr("'nowhere()' is defined in none of the files"));
  EXPECT_THAT(
      outcome("k", kFirst, {{"second.cu", kSecond}, {"third.cu", "__device__ float other(float x) { return x; }"}}),
      HasSubstr("'other(float)' is defined in second.cu and in third.cu"));
  EXPECT_THAT(outcome("k", kFirst, {{"second.cu", "__device__ float other(float x) {\n  return oops;\n}\n"}}),
              HasSubstr("second.cu(2)"));
}

TEST(SeveralFiles, LinesAndFindingsAreThoseOfTheirFile) {
  const std::string first = "extern __device__ void put(float* y);\n__global__ void k(float* y) { put(y); }\n";
  const std::string second = "\n\n__device__ void put(float* y) {\n  y[threadIdx.x + 1000] = 1;\n}\n";
  const auto result = engine().run_plan(plan_of("k", first, {{"second.cu", second}}), Request{});
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_FALSE(result->findings.empty());
  EXPECT_EQ(result->findings[0].line, 4U);
  EXPECT_THAT(result->findings[0].file, HasSubstr("second.cu"));
}

}  // namespace
}  // namespace tilescope
