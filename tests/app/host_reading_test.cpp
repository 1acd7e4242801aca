// A file with a main() runs in the Sandbox as main() runs it: with its launch, sizes, buffers and values.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "app/sandbox/form/kernel_form.hpp"
#include "app/sandbox/reading/host_expression.hpp"
#include "tests/app/host_programs.hpp"
#include "tests/app/sandbox_kernels.hpp"
#include "tests/run/shared_engine.hpp"

namespace tilescope {
namespace {

using namespace testing;  // NOLINT: the programs

KernelForm first_form(const std::string& source) {
  const SourceFacts facts = read_source_facts(source);
  return form_of(facts.kernels.empty() ? "" : facts.kernels.front().name, facts, {});
}

/// "grid.x=64 n=1048576": those fields of the suggestion.
std::string fields(const char* source, std::initializer_list<const char*> names) {
  const KernelForm form = first_form(source);
  std::string text;
  for (const char* name : names) text += (text.empty() ? "" : " ") + std::string(name) + "=" + form.text(name);
  return text;
}

std::string problems_of(const FilledForm& filled) {
  std::string text;
  for (const auto& [field, problem] : filled.problems) text += field + ": " + problem.key + "; ";
  return text;
}

TEST(HostReading, HistogramTakesTheLaunchAndTheBinsOfMain) {
  EXPECT_EQ(fields(kHistogramProgram, {"n", "grid.x", "block.x", "data.shape", "bins.shape", "bins.fill", "n.value"}),
            "n=1048576 grid.x=64 block.x=256 data.shape=n bins.shape=BINS bins.fill=zero n.value=n");
}

TEST(HostReading, EveryFieldSaysWhereItComesFrom) {
  const KernelForm form = first_form(kHistogramProgram);
  const FieldOrigin launch{FieldOrigin::Kind::host, "main", 21};
  EXPECT_EQ(form.launch, launch);
  EXPECT_EQ(form.launches, 1U);
  EXPECT_EQ(form.origins.at("grid.x"), launch);
  EXPECT_EQ(form.origins.at("n"), (FieldOrigin{FieldOrigin::Kind::host, "main", 15}));
  EXPECT_EQ(form.origins.at("bins.shape"), (FieldOrigin{FieldOrigin::Kind::host, "main", 19}));
  EXPECT_EQ(form.origins.at("bins.fill"), (FieldOrigin{FieldOrigin::Kind::host, "main", 20}));
  EXPECT_EQ(form.origins.at("data.type"), (FieldOrigin{FieldOrigin::Kind::declaration, "", 4}));
  for (const auto& [field, text] : form.defaults)
    EXPECT_TRUE(form.origins.contains(field) || field == "defines" || field == "includes") << field;
  // Without host code no field has its origin there.
  for (const auto& [field, origin] : first_form(kSaxpy).origins)
    EXPECT_NE(origin.kind, FieldOrigin::Kind::host) << field;
}

TEST(HostReading, AMacroDividesAndAnArgumentOfTheProgramHasItsDefault) {
  EXPECT_EQ(fields(kVectorAddProgram, {"n", "grid.x", "block.x", "a.shape", "c.shape"}),
            "n=100000 grid.x=ceil(n/block.x) block.x=128 a.shape=n c.shape=n");
}

TEST(HostReading, TheReductionsHalfGridIsMainsAndAlsoTheBodys) {
  EXPECT_EQ(fields(kReductionProgram, {"n", "grid.x", "block.x", "shared", "out.shape", "n.value"}),
            "n=262144 grid.x=ceil(n/(block.x*2)) block.x=256 shared=block.x*4 out.shape=grid.x n.value=n");
  // Without main() the kernel's body gives the same values.
  const std::string whole = kReductionProgram;
  const KernelForm body = first_form(whole.substr(0, whole.find("int main")));
  EXPECT_EQ(body.text("grid.x"), "ceil(n/(block.x*2))");
  EXPECT_EQ(fill_in(body, 65536).launch.grid.x, 128U);
}

TEST(HostReading, FactorsBesideBlockIndicesAreFoundOnEitherSide) {
  const auto grid = [](const std::string& index) {
    const KernelForm form =
        first_form("__global__ void k(float* x, int n) { int i = " + index + "; if (i < n) x[i] = 1; }");
    return form.text("grid.x");
  };
  EXPECT_EQ(grid("blockIdx.x * blockDim.x * 2 + threadIdx.x"), "ceil(n/(block.x*2))");
  EXPECT_EQ(grid("blockIdx.x * 2 * blockDim.x + threadIdx.x"), "ceil(n/(block.x*2))");
  EXPECT_EQ(grid("2 * blockDim.x * blockIdx.x + threadIdx.x"), "ceil(n/(block.x*2))");
  EXPECT_EQ(grid("(blockDim.x * 4) * blockIdx.x + threadIdx.x"), "ceil(n/(block.x*4))");
  EXPECT_EQ(grid("blockIdx.x * blockDim.x + threadIdx.x"), "ceil(n/block.x)");
}

TEST(HostReading, TwoDimensionsKeepTheBodysRowsAndColumns) {
  EXPECT_EQ(fields(kStencilProgram,
                   {"n", "width.value", "height.value", "grid.x", "grid.y", "block.x", "block.y", "in.shape"}),
            "n=640 width.value=n height.value=480 grid.x=ceil(width/block.x) grid.y=ceil(height/block.y) block.x=32 "
            "block.y=8 in.shape=height, width");
}

TEST(HostReading, SquareSizesAreVariedTogetherAndTheFirstOfTwoLaunchesIsTaken) {
  EXPECT_EQ(fields(kTransposeProgram, {"n", "width.value", "grid.y", "block.x", "block.y", "idata.shape"}),
            "n=256 width.value=n grid.y=floor(width/TILE_DIM) block.x=32 block.y=8 idata.shape=n, width");
  EXPECT_EQ(fill_in(first_form(kTransposeProgram), 64).buffers[0].count(), 64 * 64);
  const KernelForm form = first_form(kTransposeProgram);
  EXPECT_EQ(form.launches, 2U);
  EXPECT_EQ(form.launch.line, 19U);
  const FilledForm filled = fill_in(form, n_of(form));
  EXPECT_EQ(filled.launch.grid.x, 8U);
  EXPECT_EQ(filled.launch.grid.y, 8U);
  EXPECT_EQ(filled.buffers[0].count(), 256 * 256);
}

TEST(HostReading, TemplateArgumentsComeThroughTheLaunchingFunction) {
  EXPECT_EQ(fields(kTemplateProgram, {"template", "n", "grid.x", "block.x", "x.type", "x.shape", "factor.value"}),
            "template=double, 128 n=5000 grid.x=ceil(n/128) block.x=128 x.type=f64 x.shape=n factor.value=3");
}

TEST(HostReading, ALaunchInAFunctionIsReadThroughItsCall) {
  EXPECT_EQ(fields(kLauncherProgram, {"n", "rows.value", "cols.value", "grid.x", "block.x", "m.shape", "sums.shape"}),
            "n=1000 rows.value=300 cols.value=n grid.x=rows block.x=128 m.shape=rows, cols sums.shape=rows");
  EXPECT_EQ(first_form(kLauncherProgram).launch.function, "launch_row_sums");
}

TEST(HostReading, StreamsAndPartsOfAnArray) {
  EXPECT_EQ(fields(kStreamsProgram, {"n", "grid.x", "block.x", "shared", "n.value", "x.shape"}),
            "n=65536 grid.x=ceil(floor(n/4)/256) block.x=256 shared=0 n.value=floor(n/4) x.shape=floor(n/4)");
}

TEST(HostReading, MembersOfDim3AndThreeSizes) {
  EXPECT_EQ(fields(kMatmulProgram, {"n", "M.value", "N.value", "K.value", "grid.x", "grid.y", "block.x", "A.shape"}),
            "n=256 M.value=128 N.value=n K.value=64 grid.x=ceil(N/TILE) grid.y=ceil(M/TILE) block.x=16 A.shape=M, K");
}

TEST(HostReading, VectorsOfThrustAreZeroAtFirst) {
  EXPECT_EQ(fields(kThrustProgram, {"n", "out.shape", "out.fill", "value.value"}),
            "n=3000 out.shape=n out.fill=zero value.value=7");
}

TEST(HostReading, FloatingDivisionsAndConstantsOutsideOfFunctions) {
  EXPECT_EQ(fields(kFloatingProgram, {"n", "grid.x", "block.x", "a.value", "x.shape", "y.fill"}),
            "n=1000 grid.x=ceil(n/block.x) block.x=64 a.value=0.125 x.shape=n y.fill=zero");
}

TEST(HostReading, BytesAreElementsOfTheParametersType) {
  EXPECT_EQ(fields(kBatchedProgram, {"n", "grid.x", "block.x", "in.shape", "n4.value"}),
            "n=4096 grid.x=ceil(floor(n/4)/block.x) block.x=min(n, 1024) in.shape=n n4.value=floor(n/4)");
}

TEST(HostReading, ALaunchThatIsOnlyForTheCompilerGivesNoArguments) {
  const KernelForm form = first_form(kScale);
  EXPECT_EQ(form.text("x.shape"), "n");
  EXPECT_EQ(form.text("grid.x"), "ceil(n/block.x)");
  EXPECT_EQ(form.text("block.x"), "128");
}

TEST(HostReading, ASizeTheSimulatorTakesTooLongForBeginsSmallerAndIsTold) {
  std::string source = kVectorAddProgram;
  source.replace(source.find("100000"), 6, "1 << 28");
  const KernelForm form = first_form(source);
  EXPECT_EQ(form.host_n, int64_t{1} << 28);
  EXPECT_EQ(form.text("n"), "16777216");
  EXPECT_EQ(first_form(kVectorAddProgram).host_n, 0);
}

TEST(HostReading, BranchesThatAreNotTakenChangeNothing) {
  EXPECT_EQ(fields(R"(
__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main(int argc, char** argv) {
  int n = 512;
  if (argc > 1) n = atoi(argv[1]);
  if (argc > 2) { n = 77; }
  { int n = 5; (void)n; }
  float* x;
  if (cudaMalloc(&x, n * 4) != cudaSuccess) { n = 0; return 1; }
  for (int threads = 32; threads <= 1024; threads *= 2) k<<<(n + threads - 1) / threads, threads>>>(x, n);
}
)",
                   {"n", "grid.x", "block.x", "x.shape"}),
            "n=512 grid.x=ceil(n/block.x) block.x=32 x.shape=n");
}

TEST(HostReading, ASizeThatOnlyTheUserOfTheProgramKnowsIsStillASize) {
  EXPECT_EQ(fields(R"(
__global__ void k(float* x, int count) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) x[i] = 1; }
void launch(float* x, int count) { k<<<(count + 127) / 128, 128>>>(x, count); }
)",
                   {"n", "count.value", "grid.x", "block.x", "x.shape"}),
            "n=65536 count.value=n grid.x=ceil(count/128) block.x=128 x.shape=count");
}

TEST(HostReading, WhatIsNotUnderstoodFallsBackOnTheBody) {
  EXPECT_EQ(fields(R"(
__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main() { Config c = parse(); Array x = make(c); k<<<grid_for(c), c.threads>>>(x.device(), c.n()); }
)",
                   {"n", "n.value", "grid.x", "block.x", "x.shape"}),
            "n=65536 n.value=n grid.x=ceil(n/block.x) block.x=256 x.shape=n");
}

/// Runs a program's kernel with what its form suggests.
class HostProgram : public ::testing::TestWithParam<const char*> {};

TEST_P(HostProgram, RunsCleanAtOnceAndWritesEveryOutput) {
  const auto engine = testing::shared_engine();
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  const KernelForm form = first_form(GetParam());
  FilledForm filled = fill_in(form, n_of(form));
  ASSERT_TRUE(filled.good()) << problems_of(filled);
  Plan plan{.source_file = "own.cu", .source_text = GetParam(), .buffers = filled.buffers, .launches = {filled.launch}};
  const auto result = engine->run_plan(std::move(plan), Request{});
  ASSERT_TRUE(result) << result.error().message;
  for (const Finding& finding : result->findings) ADD_FAILURE() << finding.message;
  for (const OutputStatistics& output : result->statistics)
    EXPECT_EQ(output.untouched, 0U) << result->plan.buffers[output.buffer].name;
}

INSTANTIATE_TEST_SUITE_P(Programs, HostProgram,
                         ::testing::Values(kHistogramProgram, kVectorAddProgram, kReductionProgram, kStencilProgram,
                                           kTransposeProgram, kTemplateProgram, kLauncherProgram, kStreamsProgram,
                                           kMatmulProgram, kFloatingProgram, kBatchedProgram));

TEST(HostReading, TextThatBreaksOffAnywhereDoesNoHarm) {
  const std::string whole = std::string(kVectorAddProgram) + kReductionProgram + kTemplateProgram + kLauncherProgram +
                            kStreamsProgram + kFloatingProgram + kBatchedProgram;
  for (size_t length = 0; length < whole.size(); length += 23) {
    const SourceFacts facts = read_source_facts(whole.substr(0, length));
    for (const SourceKernel& kernel : facts.kernels) (void)fill_in(form_of(kernel.name, facts, {}), 64);
  }
}

TEST(HostReading, ProgramsWithBytesThatAreOffDoNoHarm) {
  const std::string whole = std::string(kVectorAddProgram) + kTemplateProgram + kLauncherProgram + kBatchedProgram;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string text = whole;
    for (int change = 0; change < 6; ++change) {
      const size_t at = random() % text.size(), length = random() % 40;
      switch (random() % 3) {
        case 0:
          text[at] = "(){}[]<>;,=*&#\"/."[random() % 17];
          break;
        case 1:
          text.erase(at, length);
          break;
        default:
          text.insert(at, whole.substr(random() % (whole.size() - 40), length));
      }
    }
    const SourceFacts facts = read_source_facts(text);
    for (const SourceKernel& kernel : facts.kernels) (void)fill_in(form_of(kernel.name, facts, {}), 64);
  }
}

TEST(HostReading, LongAndDeeplyNestedTextIsReadInAMoment) {
  std::string deep = "__global__ void k(int* x) {}\nint main() {", long_list = "void f() { g(",
              statements = "int main() {";
  for (int i = 0; i < 5000; ++i) deep += "{(", long_list += "a<", statements += "a<;";
  for (const std::string& text : {deep + "k<<<1, 1>>>(0);", deep, long_list, statements + "k<<<1, 1>>>(0);"}) {
    const auto start = std::chrono::steady_clock::now();
    (void)read_source_facts("__global__ void k(int* x) {}\n" + text);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4)) << text.substr(0, 60);
  }
}

TEST(HostReading, ProgramsThatCallThemselvesOrDoubleWithoutEndAreReadInAMoment) {
  std::string doubling = "#define A0(x) ((x) + (x))\n";
  for (int i = 1; i < 60; ++i)
    doubling += "#define A" + std::to_string(i) + "(x) (A" + std::to_string(i - 1) + "(x) * A" + std::to_string(i - 1) +
                "((x) + 1))\n";
  doubling +=
      "__global__ void k(int n) {}\nvoid f(int n) { f(n + 1); k<<<A59(n), 1>>>(n); }\nint main() { f(f(1)); }\n";
  const auto start = std::chrono::steady_clock::now();
  (void)read_source_facts(doubling);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace tilescope
