// How `tilescope exec` handles its options: suggested lines, names and expressions, types, expectations, variables.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands/commands.hpp"
#include "app/commands/parse.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

struct Outcome {
  int status = 0;
  std::string out, problems;
  json object() const { return json::parse(out); }
};

const char* const kScale = R"(#define TILE 32
__global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
)";

class ExecOptionsTest : public testing::Test {
 protected:
  ExecOptionsTest() : folder_(own_test_folder()) { write("scale.cu", kScale); }
  ~ExecOptionsTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  template <class T>
  void write_values(const std::string& name, const std::vector<T>& values) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  }
  /// In the format of numpy.save.
  template <class T>
  void write_npy(const std::string& name, const std::string& descr, const std::string& shape,
                 const std::vector<T>& values) const {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
    std::string text = std::string("\x93NUMPY\x01", 7) + std::string(1, '\0');
    text += static_cast<char>(header.size() & 255);
    text += static_cast<char>(header.size() >> 8);
    text += header;
    text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    write(name, text);
  }

  Outcome exec(const std::string& file, const std::vector<std::string>& words) const {
    std::vector<std::string> all{"tilescope", "exec", path(file)};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<const char*> pointers;
    for (const std::string& word : all) pointers.push_back(word.c_str());
    const auto invocation = parse_command_line(static_cast<int>(pointers.size()), pointers.data(), {});
    if (!invocation) return {2, "", invocation.error().message};
    std::ostringstream out, problems;
    const int status = exec_command(engine(), std::get<ExecOptions>(*invocation), out, problems);
    return {status, out.str(), problems.str()};
  }
  /// A suggested line, without quotes inside words.
  Outcome run_line(const std::string& line) const {
    const std::string command = "cd '" + folder_.string() + "' && '" TILESCOPE_BINARY "/" + line + " > out.txt 2>&1";
    const int status = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(folder_ / "out.txt").rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str(), ""};
  }
  static std::string line_in(const std::string& problems) {
    const size_t at = problems.find("  tilescope exec ");
    return at == std::string::npos ? "" : problems.substr(at + 2, problems.find('\n', at) - at - 2);
  }

  std::filesystem::path folder_;
};

const std::vector<std::string> kArguments{
    "--arg", "buf:f32:1000:iota:x", "--arg", "buf:f32:1000:poison:y", "--arg", "f32:2", "--arg", "i32:1000"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> scaled(const std::vector<std::string>& more) {
  return with(with({"--grid", "8", "--block", "128"}, kArguments), more);
}

// Suggested lines

TEST_F(ExecOptionsTest, ACommandWithoutAnythingGetsALineThatRuns) {
  const Outcome outcome = exec("scale.cu", {});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.problems, AllOf(HasSubstr("--grid"), HasSubstr("--block"), HasSubstr("int n")));
  const std::string line = line_in(outcome.problems);
  ASSERT_NE(line, "") << outcome.problems;
  const Outcome run = run_line(line.substr(0, 9) + "'" + line.substr(9));
  EXPECT_EQ(run.status, 0) << line << "\n" << run.out;
}

TEST_F(ExecOptionsTest, MissingArgumentsAreSuggestedBesideThoseThatAreGiven) {
  const Outcome outcome =
      exec("scale.cu", {"--grid", "ceil(n/100)", "--block", "100", "--arg", "n=i32:700", "--arg", "buf:f32:n:ones"});
  EXPECT_EQ(outcome.status, 2);
  const std::string line = line_in(outcome.problems);
  EXPECT_THAT(line, AllOf(HasSubstr("--grid 'ceil(n/100)' --block 100"), HasSubstr("n=i32:700"),
                          HasSubstr("buf:f32:n:ones"), HasSubstr("buf:f32:700:poison:y")))
      << outcome.problems;
}

TEST_F(ExecOptionsTest, TheSuggestionIsAFieldOfTheJson) {
  const json object = exec("scale.cu", {"--grid", "8", "--block", "128", "--json"}).object();
  EXPECT_EQ(object["error"]["id"], "argument-count");
  EXPECT_THAT(object["suggestion"].get<std::string>(),
              AllOf(testing::StartsWith("tilescope exec "), HasSubstr("--json")));
}

TEST_F(ExecOptionsTest, ATemplateIsSuggestedWithArgumentsOfItsKinds) {
  write("tile.cu", "template <int N, typename T> __global__ void fill(T* y) { y[threadIdx.x] = N; }\n");
  const Outcome outcome = exec("tile.cu", {"--grid", "1", "--block", "32", "--arg", "buf:f32:32:poison"});
  EXPECT_EQ(outcome.status, 2);
  const std::string line = line_in(outcome.problems);
  EXPECT_THAT(line, testing::ContainsRegex("fill<[0-9]+, float>")) << outcome.problems;
}

TEST_F(ExecOptionsTest, OfSeveralKernelsOneIsToBeNamed) {
  write("two.cu", "__global__ void a(float* x) { x[0] = 1; }\n__global__ void b(float* x) { x[0] = 2; }\n");
  EXPECT_THAT(exec("two.cu", {}).problems, HasSubstr("more than one kernel: a, b"));
  EXPECT_THAT(line_in(exec("two.cu", {"--kernel", "b"}).problems), HasSubstr("--kernel b "));
}

// Names and expressions

TEST_F(ExecOptionsTest, ArgumentsMayNameTheirParametersInAnyOrder) {
  const Outcome outcome =
      exec("scale.cu", {"--grid", "8", "--block", "128", "--arg", "n=i32:1000", "--arg", "factor=f32:3", "--arg",
                        "y=buf:f32:1000:poison", "--arg", "buf:f32:1000:iota", "--print", "y[2:4]", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
  EXPECT_EQ(outcome.object()["printed"][0]["values"], json::parse("[6, 9]"));
}

TEST_F(ExecOptionsTest, AWrongNameListsTheParameters) {
  const auto words = [](const char* name) {
    return std::vector<std::string>{"--grid",  "1",
                                    "--block", "32",
                                    "--arg",   std::string(name) + "=i32:1",
                                    "--arg",   "buf:f32:32:ones",
                                    "--arg",   "buf:f32:32:poison:y",
                                    "--arg",   "f32:2"};
  };
  EXPECT_THAT(exec("scale.cu", words("m")).problems, HasSubstr("has no parameter 'm'; it has x, y, factor, n"));
  EXPECT_EQ(exec("scale.cu", words("n")).status, 0);
  EXPECT_THAT(exec("scale.cu", with(words("n"), {"--arg", "n=i32:2"})).problems, HasSubstr("given twice"));
}

TEST_F(ExecOptionsTest, SizesAreExpressionsOverDefinesArgumentsAndConstants) {
  const Outcome outcome = exec(
      "scale.cu", {"--grid", "ceil(n/(TILE*B))", "--block", "TILE*B", "--define", "B=4", "--arg", "buf:f32:n:iota:x",
                   "--arg", "buf:f32:n:poison:y", "--arg", "f32:2", "--arg", "i32:1000", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
  const json object = outcome.object();
  EXPECT_EQ(object["launches"][0]["grid"], json::parse("[8, 1, 1]"));
  EXPECT_EQ(object["launches"][0]["block"], json::parse("[128, 1, 1]"));
}

TEST_F(ExecOptionsTest, ExtentsMayBeWrittenWithX) {
  const Outcome outcome = exec("scale.cu", with({"--grid", "4x2", "--block", "16x8"}, kArguments));
  EXPECT_THAT(outcome.out, HasSubstr("<<<4x2, 16x8>>>")) << outcome.problems;
}

TEST_F(ExecOptionsTest, AnExpressionWithoutAValueSaysWhy) {
  const auto problem = [&](const char* grid) {
    return exec("scale.cu", with({"--grid", grid, "--block", "128"}, kArguments)).problems;
  };
  EXPECT_THAT(problem("ceil(m/128)"), HasSubstr("'m' has no value"));
  EXPECT_THAT(problem("n/128"), HasSubstr("write ceil(n/128)"));
  EXPECT_THAT(problem("grid.x"), HasSubstr("depends on itself"));
  EXPECT_THAT(problem("n-1000"), HasSubstr("at least 1"));
}

// Types

TEST_F(ExecOptionsTest, ABufferOfAnotherTypeThanTheParametersIsRefused) {
  write("types.cu", R"(#include <cuda_fp16.h>
typedef double real;
using word = unsigned;
extern "C" __global__ void typed(const real* x, word* y) { y[threadIdx.x] = x[threadIdx.x]; }
template <typename T> __global__ void copy(const T* x, T* y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void anything(const void* x, int4* y, char* z) {}
template __global__ void copy<__half>(const __half*, __half*);
)");
  const auto run = [&](const std::string& kernel, const std::string& x, const std::string& y) {
    return exec("types.cu", {"--kernel", kernel, "--grid", "1", "--block", "32", "--arg", x, "--arg", y});
  };
  const Outcome typedef_refused = run("typed", "buf:f32:32:ones:x", "buf:u32:32:poison:y");
  EXPECT_EQ(typedef_refused.status, 2);
  EXPECT_THAT(typedef_refused.problems,
              AllOf(HasSubstr("buffer 'x' holds f32"), HasSubstr("points to double"), HasSubstr("raw:")));
  EXPECT_THAT(run("typed", "buf:f64:32:ones:x", "buf:f32:32:poison:y").problems, HasSubstr("buffer 'y' holds f32"));
  EXPECT_EQ(run("typed", "buf:f64:32:ones:x", "buf:i32:32:poison:y").status, 0);  // they differ only in sign
  EXPECT_THAT(run("copy<__half>", "buf:bf16:32:ones:x", "buf:f16:32:poison:y").problems,
              HasSubstr("buffer 'x' holds bf16"));
  EXPECT_EQ(run("copy<__half>", "raw:buf:bf16:32:ones:x", "buf:f16:32:poison:y").status, 0);
  EXPECT_EQ(exec("types.cu", {"--kernel", "anything", "--grid", "1", "--block", "1", "--arg", "buf:f64:4:ones", "--arg",
                              "buf:f16:8:ones", "--arg", "buf:f32:4:ones"})
                .status,
            0);
}

// Expectations

TEST_F(ExecOptionsTest, AnOutputThatAgreesWithItsFileIsCorrect) {
  std::vector<float> expected(1000);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = 2.0F * static_cast<float>(i);
  write_values("y.bin", expected);
  const Outcome outcome = exec("scale.cu", scaled({"--expect", "y=" + path("y.bin")}));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("y: correct, 1000 elements"), Not(HasSubstr("no reference"))));
}

TEST_F(ExecOptionsTest, TheFirstElementThatDiffersIsNamedByItsIndex) {
  std::vector<double> expected(1000);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = 2.0 * static_cast<double>(i);
  expected[705] += 0.5;
  write_npy("y.npy", "<f8", "100, 10", expected);
  const auto run = [&](const std::string& tolerance) {
    return exec("scale.cu",
                {"--grid", "8", "--block", "128", "--arg", "buf:f32:1000:iota:x", "--arg", "buf:f32:100x10:poison:y",
                 "--arg", "f32:2", "--arg", "i32:1000", "--expect", "y=" + path("y.npy") + tolerance});
  };
  const Outcome wrong = run("");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("1 of 1000 elements differ, the first at [70,5]: expected 1410.5, got 1410"));
  EXPECT_EQ(run(":0.4").status, 1);
  EXPECT_EQ(run(":0.6").status, 0);
  EXPECT_EQ(run(":0:1e-3").status, 0);
}

TEST_F(ExecOptionsTest, WhatWasNotWrittenAndNanNeverAgree) {
  // The dump of a run is compared with the same run: unwritten elements and NaN still count as wrong.
  write("part.cu",
        "__global__ void part(float* y, int* z) { if (threadIdx.x) { y[threadIdx.x] = 1; z[threadIdx.x] = 1; } }\n"
        "__global__ void nan(float* y) { y[threadIdx.x] = threadIdx.x == 3 ? 0.0f / 0.0f : 1; }\n");
  const std::vector<std::string> part{
      "--kernel",           "part", "--grid", "1", "--block", "32", "--arg", "buf:f32:32:poison:y", "--arg",
      "buf:i32:32:poison:z"};
  const std::vector<std::string> nan{"--kernel", "nan", "--grid", "1", "--block", "32", "--arg", "buf:f32:32:zero:y"};
  ASSERT_EQ(exec("part.cu", with(part, {"--dump", "y=" + path("y.bin"), "--dump", "z=" + path("z.bin")})).status, 0);
  EXPECT_THAT(exec("part.cu", with(part, {"--expect", "y=" + path("y.bin")})).out,
              HasSubstr("1 of 32 elements were never written"));
  EXPECT_EQ(exec("part.cu", with(part, {"--expect", "z=" + path("z.bin")})).status, 1);
  ASSERT_EQ(exec("part.cu", with(nan, {"--dump", "y=" + path("n.bin")})).status, 0);
  const Outcome outcome = exec("part.cu", with(nan, {"--expect", "y=" + path("n.bin")}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("1 of 32 elements are NaN, the first at [3]"));
}

TEST_F(ExecOptionsTest, AnExpectationThatCannotBeCheckedIsRefusedBeforeTheRun) {
  write_values("short.bin", std::vector<float>(10));
  write("not.npy", "nothing");
  const auto problem = [&](const std::string& spec) {
    const Outcome outcome = exec("scale.cu", scaled({"--expect", spec}));
    EXPECT_EQ(outcome.status, 2) << spec;
    return outcome.problems;
  };
  EXPECT_THAT(problem("z=" + path("short.bin")), HasSubstr("there is no buffer 'z'; there are x, y"));
  EXPECT_THAT(problem("y=" + path("short.bin")), HasSubstr("it holds 40 bytes and the buffer 'y' has 4000"));
  EXPECT_THAT(problem("y=" + path("not.npy")), HasSubstr("it is no .npy file"));
  EXPECT_THAT(problem("y=" + path("absent.bin")), HasSubstr("cannot read"));
}

TEST_F(ExecOptionsTest, NumpyFilesAreInputsToo) {
  write_npy("x.npy", "<i4", "1000,", std::vector<int>(1000, 21));
  const Outcome outcome =
      exec("scale.cu", {"--grid", "8", "--block", "128", "--arg", "buf:f32:1000:@" + path("x.npy") + ":x", "--arg",
                        "buf:f32:1000:poison:y", "--arg", "f32:2", "--arg", "i32:1000", "--print", "y[999]"});
  EXPECT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("y[999]:\n  [999] 42\n"));
}

// Printing

TEST_F(ExecOptionsTest, SlicesArePrintedByRows) {
  write("rows.cu",
        "__global__ void rows(int* y) { y[threadIdx.y * 4 + threadIdx.x] = threadIdx.y * 10 + threadIdx.x; }\n");
  const std::vector<std::string> words{"--grid", "1", "--block", "4,3", "--arg", "buf:i32:3x4:poison:y"};
  const Outcome outcome = exec("rows.cu", with(words, {"--print", "y[1:3,2:4]", "--print", "y[2]"}));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("y[1:3,2:4]:\n  [1,2] 12 13\n  [2,2] 22 23\n"),
                                 HasSubstr("y[2]:\n  [2,0] 20 21 22 23\n")));
  const json printed = exec("rows.cu", with(words, {"--print", "y[1:]", "--json"})).object()["printed"];
  EXPECT_EQ(printed[0]["values"], json::parse("[[10, 11, 12, 13], [20, 21, 22, 23]]"));
}

TEST_F(ExecOptionsTest, ASliceOutsideOfTheBufferIsRefused) {
  const auto problem = [&](const std::string& slice) {
    const Outcome outcome = exec("scale.cu", scaled({"--print", slice}));
    EXPECT_EQ(outcome.status, 2) << slice << outcome.out;
    return outcome.problems;
  };
  EXPECT_THAT(problem("y[0:1001]"), HasSubstr("1,001 is more than 1,000"));
  EXPECT_THAT(problem("y[1000]"), HasSubstr("is more than 999"));
  EXPECT_THAT(problem("y[5:2]"), HasSubstr("2 is less than 5"));
  EXPECT_THAT(problem("y[0,1]"), HasSubstr("y has 1 dimension"));
  EXPECT_THAT(problem("q"), HasSubstr("there is no buffer 'q'"));
  EXPECT_THAT(problem("y[0:4"), HasSubstr("no ']'"));
}

// Variables of the module

const char* const kVariables = R"(__constant__ float c[4];
__device__ float g[4];
__device__ int counter;
__managed__ int shift;
__constant__ float ci[2] = {3, 4};
__device__ int begins = 0;
namespace ns { __device__ double table[2]; }
__global__ void k(float* y) {
  int i = threadIdx.x;
  y[i] = c[i % 4] + g[i % 4] + ci[i % 2] + ns::table[i % 2] + shift + begins;
  atomicAdd(&counter, 1);
}
)";
const std::vector<std::string> kOneWarp{"--grid", "1", "--block", "32", "--arg", "buf:f32:32:poison:y"};

TEST_F(ExecOptionsTest, VariablesAreSetByTheirNames) {
  write("k.cu", kVariables);
  write_values("g.bin", std::vector<float>{100, 200, 300, 400});
  const Outcome outcome = exec(
      "k.cu", with(kOneWarp, {"--symbol", "c=f32:10,20,30,40", "--symbol", "g=buf:f32:4:@" + path("g.bin"), "--symbol",
                              "ns::table=f64:1000,2000", "--symbol", "shift=i32:5", "--print", "y[0:4]", "--json"}));
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
  const json object = outcome.object();
  EXPECT_EQ(object["printed"][0]["values"], json::parse("[1118, 2229, 1338, 2449]"));
  EXPECT_TRUE(object["warnings"].empty()) << object["warnings"];
}

TEST_F(ExecOptionsTest, AVariableThatStaysZeroIsWarnedOf) {
  write("k.cu", kVariables);
  const json warnings = exec("k.cu", with(kOneWarp, {"--symbol", "c=f32:1,2,3,4", "--json"})).object()["warnings"];
  std::vector<std::string> texts = warnings;
  // Not c, which is set; ci and begins have initial values; counter is the kernel's own.
  EXPECT_THAT(texts, testing::UnorderedElementsAre(HasSubstr("'g'"), HasSubstr("'shift'"), HasSubstr("'ns::table'")));
  const Outcome outcome = exec("k.cu", kOneWarp);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("warning: k reads the variable 'c'"));
}

TEST_F(ExecOptionsTest, AKernelOfAnotherArchitectureIsWarnedOfAndRunsWithIt) {
  write("arch.cu",
        "__global__ void k(int* y) {\n#if __CUDA_ARCH__ == 750\n  y[threadIdx.x] = __CUDA_ARCH__;\n#endif\n}\n"
        "__global__ void nothing() {}\n");
  const std::vector<std::string> words{"--kernel", "k", "--grid", "1", "--block", "32", "--arg", "buf:i32:32:poison"};
  EXPECT_THAT(exec("arch.cu", words).out,
              AllOf(HasSubstr("warning: k does nothing when it is compiled for sm_80"), HasSubstr("--arch")));
  for (const std::string name : {"sm_75", "compute_75", "75"}) {
    const Outcome outcome = exec("arch.cu", with(words, {"--arch", name, "--print", "y[0:2]", "--json"}));
    ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
    EXPECT_EQ(outcome.object()["printed"][0]["values"], json::parse("[750, 750]"));
    EXPECT_TRUE(outcome.object()["warnings"].empty());
  }
  EXPECT_THAT(exec("arch.cu", with(words, {"--arch", "hopper"})).problems, HasSubstr("architectures are called sm_75"));
  EXPECT_THAT(exec("arch.cu", with(words, {"-D", "__CUDA_ARCH__=750"})).problems, HasSubstr("--arch sm_75"));
  const Outcome empty = exec("arch.cu", {"--kernel", "nothing", "--grid", "1", "--block", "32"});
  EXPECT_EQ(empty.status, 0);
  EXPECT_THAT(empty.out, Not(HasSubstr("warning")));
}

TEST_F(ExecOptionsTest, ABufferInOrderIsCalledByItsParameter) {
  const Outcome outcome =
      exec("scale.cu", {"--grid", "1", "--block", "32", "--arg", "buf:f32:32:iota", "--arg", "buf:f32:32:poison",
                        "--arg", "f32:2", "--arg", "i32:32", "--print", "y[3:5]"});
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("[3] 6 8"));
  // If a parameter's name is given to a different buffer, it means that buffer.
  const Outcome taken =
      exec("scale.cu", {"--grid", "1", "--block", "32", "--arg", "buf:f32:32:iota:y", "--arg", "buf:f32:32:poison",
                        "--arg", "f32:2", "--arg", "i32:32", "--print", "y[3:5]"});
  ASSERT_EQ(taken.status, 0) << taken.problems;
  EXPECT_THAT(taken.out, HasSubstr("[3] 3 4"));
}

TEST_F(ExecOptionsTest, ABufferOfBoolHasBytes) {
  write("flags.cu", "__global__ void k(bool* f, int* y) { y[threadIdx.x] = f[threadIdx.x] ? 7 : 8; }\n");
  const Outcome outcome = exec("flags.cu", {"--grid", "1", "--block", "32", "--arg", "buf:bool:32:ones", "--arg",
                                            "buf:i32:32:poison", "--print", "y[0:1]"});
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("[0] 7"));
}

TEST_F(ExecOptionsTest, AKernelThatSetsAVariableItselfIsNotWarnedOf) {
  write("own.cu", R"(__device__ float partial[32];
__device__ unsigned done;
__device__ float* kept;
__device__ void note(int i, float v) { partial[i] = v; }
__global__ void own(float* y) {
  note(threadIdx.x, 2);
  if (threadIdx.x == 0) kept = y;
  __syncthreads();
  y[threadIdx.x] = partial[31 - threadIdx.x];
  if (atomicInc(&done, 31) == 31) kept[0] = 7;
}
)");
  const Outcome outcome = exec("own.cu", with(kOneWarp, {"--json"}));
  EXPECT_TRUE(outcome.object()["warnings"].empty()) << outcome.out;
}

TEST_F(ExecOptionsTest, AVariableThatIsNotThereOrTooSmallIsRefused) {
  write("k.cu", kVariables);
  EXPECT_THAT(exec("k.cu", with(kOneWarp, {"--symbol", "d=f32:1"})).problems,
              AllOf(HasSubstr("there is no variable 'd'"), HasSubstr("ns::table")));
  EXPECT_THAT(exec("k.cu", with(kOneWarp, {"--symbol", "c=f32:1,2,3,4,5"})).problems,
              HasSubstr("'c' has 16 bytes and was given 20"));
  EXPECT_EQ(exec("k.cu", with(kOneWarp, {"--symbol", "f32:1"})).status, 2);
}

TEST_F(ExecOptionsTest, AVariableMayHoldPointers) {
  write("p.cu",
        "__device__ const float* source;\n__constant__ float* rows[2];\n"
        "__global__ void p(float* y) { y[threadIdx.x] = source[threadIdx.x] + rows[1][threadIdx.x]; }\n");
  const Outcome outcome = exec("p.cu", with(kOneWarp, {"--symbol", "source=struct:buf:f32:32:iota:s", "--symbol",
                                                       "rows=ptrs:null;buf:f32:32:ones", "--print", "y[31]"}));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("[31] 32"));
}

// Arrays of pointers

const char* const kRows = R"(__global__ void sum(float** rows, float* y, int count) {
  float s = 0;
  for (int r = 0; r < count; ++r) s += rows[r][threadIdx.x];
  y[threadIdx.x] = s;
}
)";

TEST_F(ExecOptionsTest, AnArrayOfPointersIsAnArgument) {
  write("rows.cu", kRows);
  const Outcome outcome =
      exec("rows.cu", {"--grid", "1", "--block", "32", "--arg", "ptrs:3*buf:f32:32:ones;ptr:extra", "--arg",
                       "buf:f32:32:poison:y", "--arg", "i32:4", "--symbol", "extra=i32:0"});
  EXPECT_EQ(outcome.status, 2);
  const Outcome good = exec(
      "rows.cu", {"--grid", "1", "--block", "32", "--arg", "rows=ptrs:3*buf:f32:32:ones;buf:f32:32:iota:last;ptr:last",
                  "--arg", "buf:f32:32:poison:y", "--arg", "i32:5", "--print", "y[4:6]"});
  ASSERT_EQ(good.status, 0) << good.out << good.problems;
  EXPECT_THAT(good.out, HasSubstr("  [4] 11 13\n"));
}

TEST_F(ExecOptionsTest, WhatAnArrayPointsToIsCheckedLikeAnyBuffer) {
  write("rows.cu", kRows);
  const auto run = [&](const std::string& rows) {
    return exec("rows.cu",
                {"--grid", "1", "--block", "32", "--arg", rows, "--arg", "buf:f32:32:poison:y", "--arg", "i32:2"});
  };
  const Outcome bounds = run("rows=ptrs:buf:f32:32:ones;buf:f32:31:ones");
  EXPECT_EQ(bounds.status, 1);
  EXPECT_THAT(bounds.out, HasSubstr("out of bounds: read of 4 bytes at rows.1+124"));
  EXPECT_THAT(run("ptrs:2*buf:f64:32:ones").problems, HasSubstr("holds f64"));
  EXPECT_THAT(run("ptrs:f32:1").problems, HasSubstr("is not a pointer"));
}

}  // namespace
}  // namespace tilescope
