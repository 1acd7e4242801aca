#include "engine/compile/compiler.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "engine/compile/cubin.hpp"
#include "tests/compile/compile_fixture.hpp"

namespace tilescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(CompilerTest, CompilesVectorAddToPtxWithALineTable) {
  const auto module = compile(vector_add);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->ptx, HasSubstr(".visible .entry vector_add("));
  EXPECT_THAT(module->ptx, HasSubstr(".target sm_80"));
  EXPECT_THAT(module->ptx, HasSubstr(".loc"));
  EXPECT_THAT(module->ptx, HasSubstr("\"kernels/x.cu\"")) << "the name as given, not below the current folder";
  EXPECT_TRUE(module->cubin.empty());
  EXPECT_FALSE(module->from_cache);
}

TEST_F(CompilerTest, GivesACubinWhenAsked) {
  CompileRequest request;
  request.text = vector_add;
  request.file = "x.cu";
  request.want_cubin = true;
  const auto module = compiler_->compile(request, {});
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_GT(module->cubin.size(), 4U);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(module->cubin.data()), 4), "\177ELF");
  EXPECT_EQ(module->cubin_target, "sm_90");
}

TEST_F(CompilerTest, HandsThePtxOutWhileTheMachineCodeIsBeingMade) {
  CompileRequest request;
  request.text = vector_add;
  request.file = "x.cu";
  request.defines = {{"WIDER", "1"}};  // not in the cache
  request.want_cubin = true;
  const auto compilation = compiler_->start(request, {});
  const auto early = compilation->ptx();
  const auto module = compilation->machine_code();
  ASSERT_TRUE(early) << early.error().message;
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_FALSE(module->cubin.empty());
  EXPECT_GT(module->kernels.front().registers, 0U);
  EXPECT_EQ(early->ptx, module->ptx);
  EXPECT_TRUE(early->cubin.empty());
  EXPECT_EQ(early->kernels.front().registers, 0U);
  EXPECT_EQ(early->kernels.front().parameter_bytes, module->kernels.front().parameter_bytes);
}

TEST_F(CompilerTest, HandsOutTheWholeModuleWhereItIsInTheCache) {
  CompileRequest request;
  request.text = vector_add;
  request.file = "x.cu";
  request.want_cubin = true;
  ASSERT_TRUE(compiler_->compile(request, {}));
  const auto cached = compiler_->start(request, {})->ptx();
  ASSERT_TRUE(cached) << cached.error().message;
  EXPECT_TRUE(cached->from_cache);
  EXPECT_FALSE(cached->cubin.empty());
}

TEST_F(CompilerTest, OfWhatDoesNotCompileThereIsNoPtxEither) {
  CompileRequest request;
  request.text = "extern \"C\" __global__ void k() { undeclared(); }";
  request.file = "x.cu";
  const auto compilation = compiler_->start(request, {});
  const auto early = compilation->ptx(), module = compilation->machine_code();
  ASSERT_FALSE(early);
  ASSERT_FALSE(module);
  EXPECT_EQ(early.error().id, ErrorId::compile_failed);
  EXPECT_EQ(early.error().message, module.error().message);
}

// Without optimisation, ptxas needs more instructions.
TEST_F(CompilerTest, TheAssemblerOptimisesAsMuchAsAskedFor) {
  CompileRequest request;
  request.text = vector_add;
  request.file = "x.cu";
  request.want_cubin = true;
  const auto optimised = compiler_->compile(request, {});
  request.assembler_level = 0;
  const auto plain = compiler_->compile(request, {});
  ASSERT_TRUE(optimised && plain);
  EXPECT_EQ(optimised->ptx, plain->ptx);
  EXPECT_GT(plain->cubin.size(), optimised->cubin.size());
}

TEST_F(CompilerTest, TheNearestArchitectureIsOneThatNvrtcHas) {
  // CUDA Toolkit 13.0 release notes: machine code for 7.5 and later; 12.x has 5.0 and later.
  EXPECT_EQ(compiler_->nearest_target("sm_90"), "sm_90");
  EXPECT_EQ(compiler_->nearest_target("sm_90a"), "sm_90a");
  EXPECT_EQ(compiler_->nearest_target("sm_91"), "sm_90");
  EXPECT_EQ(compiler_->nearest_target("sm_70"), compiler_->version().starts_with("12.") ? "sm_70" : "sm_75");
}

TEST_F(CompilerTest, CountsTheBarriersOfAKernel) {
  const auto module = compile(
      "extern \"C\" __global__ void k(float* p) { __syncthreads(); p[threadIdx.x] = 1; asm volatile(\"bar.sync 3, "
      "64;\"); }"
      " extern \"C\" __global__ void none(float* p) { p[threadIdx.x] = 1; }",
      {});
  ASSERT_TRUE(module);
  EXPECT_EQ(module->find("k")->barriers, 4U) << "barriers 0 to 3";
  EXPECT_EQ(module->find("none")->barriers, 0U);
}

TEST_F(CompilerTest, OneArchitectureForBothStillGivesBoth) {
  CompileRequest request;
  request.text = vector_add;
  request.file = "x.cu";
  request.ptx_target = "compute_90a";
  request.cubin_target = "sm_90a";
  request.want_cubin = true;
  const auto module = compiler_->compile(request, {});
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->ptx, HasSubstr(".target sm_90a"));
  EXPECT_FALSE(module->cubin.empty());
  EXPECT_GT(module->find("vector_add")->registers, 0U);
}

TEST_F(CompilerTest, DefinesTakeEffect) {
  const std::string source =
      "extern \"C\" __global__ void k(float* p) { __shared__ float tile[BLOCK * TILES];"
      " tile[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x]; }";
  const auto small = compile(source, {{"BLOCK", "64"}, {"TILES", "1"}});
  const auto large = compile(source, {{"BLOCK", "256"}, {"TILES", "2"}});
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small->find("k")->static_shared_bytes, 256U);
  EXPECT_EQ(large->find("k")->static_shared_bytes, 2048U);
}

TEST_F(CompilerTest, AnErrorNamesFileAndLine) {
  const auto module = compile("extern \"C\" __global__ void k(float* p) {\n  int unused;\n  p[0] = no_such_name;\n}\n");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().id, ErrorId::compile_failed);
  EXPECT_THAT(module.error().message, HasSubstr("kernels/x.cu(3): error: identifier \"no_such_name\" is undefined"));
  EXPECT_THAT(module.error().message, HasSubstr("p[0] = no_such_name;"));
  EXPECT_THAT(module.error().message, Not(HasSubstr("unused"))) << "warnings are not what stopped it";
}

TEST_F(CompilerTest, AnErrorOfTheAssemblerNamesTheSourceLine) {
  const auto module =
      compile("extern \"C\" __global__ void k(float* p) {\n  p[0] = 1.0f;\n  asm volatile(\"bogus.f32;\");\n}\n");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().message, HasSubstr("kernels/x.cu(3): error: ptxas: Not a name of any known instruction"));
}

TEST_F(CompilerTest, TooMuchSharedMemoryIsAnError) {
  const auto module = compile(
      "extern \"C\" __global__ void k(float* p) { __shared__ float tile[80000];\n"
      "tile[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = tile[79999 - threadIdx.x]; }");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().message, HasSubstr("uses too much shared data"));
}

TEST_F(CompilerTest, WarningsAreParsed) {
  const auto module = compile("extern \"C\" __global__ void k(float* p) {\n  int unused;\n  p[0] = 1.0f;\n}\n");
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_EQ(module->messages.size(), 1U) << "said once, though the source is compiled twice:\n" << module->log;
  EXPECT_EQ(module->messages[0].severity, CompileMessage::Severity::warning);
  EXPECT_EQ(module->messages[0].file, "kernels/x.cu");
  EXPECT_EQ(module->messages[0].line, 2U);
  EXPECT_THAT(module->messages[0].text, HasSubstr("\"unused\" was declared but never referenced"));
}

TEST_F(CompilerTest, KernelsAreInSourceOrder) {
  const auto module = compile(
      "extern \"C\" __global__ void zebra(float* p) { p[0] = 1.0f; }\n"
      "extern \"C\" __global__ void apple(float* p) { p[1] = 1.0f; }\n"
      "extern \"C\" __global__ void mango(float* p) { p[2] = 1.0f; }\n");
  ASSERT_TRUE(module) << module.error().message;
  std::vector<std::string> names;
  for (const KernelInfo& kernel : module->kernels) names.push_back(kernel.name);
  EXPECT_THAT(names, ElementsAre("zebra", "apple", "mango"));
}

TEST_F(CompilerTest, ParameterSizesFollowTheDeclaration) {
  const auto module = compile(
      "struct Pair { int a; double b; char c[40]; };\n"
      "extern \"C\" __global__ void k(const float* __restrict__ in, float* out, int n, char flag,"
      " short s, double scale, Pair pair) {\n"
      "  out[n] = in[flag] * float(scale) + float(pair.b) + float(pair.c[n]) + s; }\n"
      "extern \"C\" __global__ void none() {}\n");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->find("k")->parameter_bytes, ElementsAre(8, 8, 4, 1, 2, 8, 56));
  EXPECT_TRUE(module->find("none")->parameter_bytes.empty());
}

// What each of these kernels must use is fixed by its source.
const std::string usage_source = R"(
__constant__ float weights[64];
extern "C" __global__ void shared_4096(const float* in, float* out) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[1023 - threadIdx.x];
}
extern "C" __global__ void stack_of_400(const int* in, float* out) {  // indexed at run time, so it cannot be in registers
  float values[100];
  for (int i = 0; i < 100; ++i) values[in[i] % 100] = float(i);
  out[threadIdx.x] = values[in[threadIdx.x] % 100] + weights[threadIdx.x % 64];
}
#define WIDE_BODY                                                             \
  float v[96];                                                                \
  for (int i = 0; i < 96; ++i) v[i] = in[i * 1024 + threadIdx.x];             \
  __syncthreads();                                                            \
  for (int i = 0; i < 96; ++i) out[i * 1024 + threadIdx.x] = v[95 - i] + 3 * v[i];
extern "C" __global__ void __launch_bounds__(1024, 2) spills(const float* in, float* out) { WIDE_BODY }
extern "C" __global__ void __launch_bounds__(128) keeps(const float* in, float* out) { WIDE_BODY }
)";

TEST_F(CompilerTest, ResourceUsageIsThatOfTheSource) {
  const auto module = compile(usage_source);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->find("shared_4096")->static_shared_bytes, 4096U);
  EXPECT_EQ(module->find("shared_4096")->spill_store_bytes, 0U);
  EXPECT_GE(module->find("stack_of_400")->local_bytes, 400U);
  EXPECT_EQ(module->find("stack_of_400")->constant_bytes, 256U);
  EXPECT_LE(module->find("spills")->registers, 32U) << "2 × 1024 threads share 65536 registers";
  EXPECT_GT(module->find("spills")->spill_store_bytes, 0U);
  EXPECT_GT(module->find("spills")->spill_load_bytes, 0U);
  EXPECT_GE(module->find("keeps")->registers, 96U);
  EXPECT_EQ(module->find("keeps")->spill_store_bytes, 0U);
}

TEST_F(CompilerTest, TheCubinSaysTheSameAsTheLog) {
  CompileRequest request;
  request.text = usage_source;
  request.file = "x.cu";
  request.want_cubin = true;
  const auto module = compiler_->compile(request, {});
  ASSERT_TRUE(module) << module.error().message;
  const auto in_cubin = read_cubin(module->cubin);
  ASSERT_EQ(in_cubin.size(), module->kernels.size());
  for (const KernelInfo& kernel : module->kernels) {
    EXPECT_EQ(in_cubin.at(kernel.name).registers, kernel.registers) << kernel.name;
    EXPECT_EQ(in_cubin.at(kernel.name).frame_bytes, kernel.local_bytes) << kernel.name;
  }
}

TEST_F(CompilerTest, IncludesHeadersOfTheToolkitAndOfTheFoldersGiven) {
  std::filesystem::create_directories(folder_ / "include");
  write_bytes(folder_ / "include/scale.cuh", "#define SCALE __float2half(2.0f)\n");
  CompileRequest request;
  request.text =
      "#include <cuda_fp16.h>\n#include \"scale.cuh\"\n"
      "extern \"C\" __global__ void k(half* p) { p[threadIdx.x] *= SCALE; }\n";
  request.file = "x.cu";
  request.include_folders = {(folder_ / "include").string()};
  const auto module = compiler_->compile(request, {});
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(module->find("k")->parameter_bytes, ElementsAre(8));
}

TEST_F(CompilerTest, HeadersOfTheToolkitFindThoseBesideThem) {
  for (const char* header : {"mma.h", "cooperative_groups.h", "cuda_pipeline.h"}) {
    const auto module = compile("#include <" + std::string(header) +
                                ">\nextern \"C\" __global__ void k(float* p) { p[threadIdx.x] = 1.0f; }\n");
    EXPECT_TRUE(module) << module.error().message;
  }
}

TEST_F(CompilerTest, AHeaderBesideTheSourceIsFound) {
  write_bytes(folder_ / "beside.cuh", "#define VALUE 3.0f\n");
  CompileRequest request;
  request.text = "#include \"beside.cuh\"\nextern \"C\" __global__ void k(float* p) { p[0] = VALUE; }\n";
  request.file = (folder_ / "x.cu").string();
  write_bytes(request.file, request.text);
  const auto module = compiler_->compile(request, {});
  ASSERT_TRUE(module) << module.error().message;
}

TEST_F(CompilerTest, AStopAskedForBeforehandIsHonoured) {
  std::stop_source source;
  source.request_stop();
  const auto module = compiler_->compile({.text = vector_add, .file = "x.cu", .defines = {}}, source.get_token());
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().id, ErrorId::cancelled);
}

/// Source that takes NVRTC some seconds.
std::string slow_source() {
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += "extern \"C\" __global__ void k" + std::to_string(i) +
            "(float* p) { float v[32]; for (int i = 0; i < 32; ++i) v[i] = p[i * 32 + threadIdx.x];\n"
            "for (int j = 0; j < 32; ++j) for (int i = 0; i < 32; ++i) v[i] += v[(i + j) % 32] * v[j];\n"
            "for (int i = 0; i < 32; ++i) p[i * 32 + threadIdx.x] = v[i]; }\n";
  return text;
}

TEST_F(CompilerTest, AStopWhileItRunsReturnsBeforeTheCompilationEnds) {
  ASSERT_TRUE(compile(vector_add));  // so that NVRTC is loaded
  std::stop_source source;
  std::jthread asker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  const auto module = compiler_->compile({.text = slow_source(), .file = "slow.cu", .defines = {}}, source.get_token());
  ASSERT_FALSE(module) << "compiled whole, though it was asked to stop";
  EXPECT_EQ(module.error().id, ErrorId::cancelled);
  const auto next = compile(vector_add, {{"NEXT", "1"}});
  EXPECT_TRUE(next) << "the next request is served";
}

TEST_F(CompilerTest, ManyThreadsMayCompileAtOnce) {
  std::vector<Result<CompiledModule>> modules(6, tl::unexpected(Error{}));
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < modules.size(); ++i)
      threads.emplace_back([&, i] {
        modules[i] = compile(
            "extern \"C\" __global__ void k(float* p) { __shared__ float t[SIZE]; t[threadIdx.x] = p[0];"
            " __syncthreads(); p[threadIdx.x] = t[SIZE - 1 - threadIdx.x]; }",
            {{"SIZE", std::to_string(32 * (i + 1))}});
      });
  }
  for (size_t i = 0; i < modules.size(); ++i) {
    ASSERT_TRUE(modules[i]) << modules[i].error().message;
    EXPECT_EQ(modules[i]->find("k")->static_shared_bytes, 128 * (i + 1));
  }
}

TEST_F(CompilerTest, AnUnknownArchitectureIsAnErrorWithNvrtcsSentence) {
  CompileRequest request;
  request.text = vector_add;
  request.file = "x.cu";
  request.cubin_target = "sm_7";
  const auto module = compiler_->compile(request, {});
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().id, ErrorId::compile_failed);
  EXPECT_THAT(module.error().message, HasSubstr("invalid value for --gpu-architecture"));
}

TEST_F(CompilerTest, SaysTheVersionOfNvrtc) {
  EXPECT_THAT(compiler_->version(), testing::MatchesRegex("[0-9]+\\.[0-9]+"));
}

TEST(CompilerOpenTest, HiddenNvrtcIsMissingWithASentence) {
  setenv("TILESCOPE_HIDE", "cuda,nvrtc", 1);
  const auto compiler = Compiler::open({});
  unsetenv("TILESCOPE_HIDE");
  ASSERT_FALSE(compiler);
  EXPECT_EQ(compiler.error().id, ErrorId::nvrtc_missing);
  EXPECT_EQ(compiler.error().message, "NVRTC was not found: TILESCOPE_HIDE hides it");
  EXPECT_THAT(compiler.error().hint, HasSubstr("Run ./tilescope"));
  EXPECT_THAT(compiler.error().hint, HasSubstr("CUDA_PATH"));
}

TEST(CompilerOpenTest, HidingAnotherLibraryHidesNothingHere) {
  const auto open = Compiler::open({});
  setenv("TILESCOPE_HIDE", "cuda,nvrtc-like", 1);
  const auto compiler = Compiler::open({});
  unsetenv("TILESCOPE_HIDE");
  EXPECT_EQ(open.has_value(), compiler.has_value());
}

TEST_F(CompilerTest, KnowsTheTypesThatNvccKnows) {
  const auto module = compile(R"(
extern "C" __global__ void high_half(const long long* a, long long* high) {
  const __int128 product = (__int128)a[0] * a[1];
  high[0] = (long long)(product >> 64);
}
)");
  EXPECT_TRUE(module.has_value()) << module.error().message;
}

}  // namespace
}  // namespace tilescope
