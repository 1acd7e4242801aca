// `tilescope exec` as a user sees it: the program itself, its exit status, and its messages.
#include "tests/cli/exec_program.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ExecProgram : public ExecFolder {
 protected:
  ExecProgram() {
    write("scale.cu",
          "__global__ void scale(const float* x, float* y, float factor, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n) y[i] = factor * x[i];\n"
          "}\n");
  }
  ExecOutcome scale(const std::string& arguments, const std::string& launch = "--grid 8 --block 128") const {
    return exec("scale.cu " + launch + " " + arguments);
  }

  /// One sentence, status 2, and nothing on standard output.
  void expect_refused(const std::string& words, const std::string& sentence) const {
    const ExecOutcome outcome = exec(words);
    EXPECT_EQ(outcome.status, 2) << words << "\n" << outcome.out << outcome.problems;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_THAT(outcome.problems, AllOf(testing::StartsWith("tilescope: "), HasSubstr(sentence))) << words;
  }

  template <class T>
  std::vector<T> values(const std::string& file) const {
    const std::string bytes = read_file(folder_ / file);
    std::vector<T> result(bytes.size() / sizeof(T));
    std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
    return result;
  }
};

const std::string kScaleArguments = "--arg buf:f32:1000:iota:x --arg buf:f32:1000:poison:y --arg f32:2 --arg i32:1000";

TEST_F(ExecProgram, APlainKernelRunsByItsNameOrWithoutOne) {
  for (const char* kernel : {"", "--kernel scale ", "--kernel 'scale(float const*, float*, float, int)' "}) {
    const ExecOutcome outcome = scale(kernel + kScaleArguments + " --dump y=y.bin --dump x=x.bin --json");
    ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
    EXPECT_EQ(values<float>("y.bin").at(700), 1400.0F);
    EXPECT_EQ(values<float>("x.bin").at(700), 700.0F);
    const json object = json::parse(outcome.out);
    EXPECT_EQ(object["launches"][0]["kernel"], "scale");
    EXPECT_TRUE(object["kernels"].contains("scale"));
  }
}

TEST_F(ExecProgram, AFindingGivesStatusOne) {
  const ExecOutcome outcome = scale("--arg buf:f32:1000:iota:x --arg buf:f32:1000:poison:y --arg f32:2 --arg i32:1001");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("out of bounds: read of 4 bytes at x+4000 (buffer of 4000 bytes), scale.cu:3"));
}

TEST_F(ExecProgram, AFindingInAHeaderNamesItsLineAndTheCall) {
  write("load.cuh", "#pragma once\n__device__ inline float load(const float* x, int i) {\n  return x[i + 1000];\n}\n");
  write("calls.cu",
        "#include \"load.cuh\"\n__global__ void k(const float* x, float* y) {\n  y[threadIdx.x] = load(x, "
        "threadIdx.x);\n}\n");
  const std::string launch = "calls.cu --grid 1 --block 32 --arg buf:f32:32:iota:x --arg buf:f32:32:zero:y";
  const ExecOutcome outcome = exec(launch);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("out of bounds: read of 4 bytes at x+4000 (buffer of 128 bytes)"),
                                 HasSubstr("load.cuh:3, called at calls.cu:3, block (0,0,0) thread (0,0,0)")));
  const json finding = json::parse(exec(launch + " --json").out).at("findings").at(0);
  EXPECT_EQ(finding.at("line"), 3);
  EXPECT_EQ(finding.at("header_line"), 3);
  EXPECT_THAT(finding.at("file").get<std::string>(), HasSubstr("calls.cu"));
  EXPECT_THAT(finding.at("header_file").get<std::string>(), HasSubstr("load.cuh"));
}

TEST_F(ExecProgram, SharedMemoryIsNamedByItsArrays) {
  write("tile.cu",
        "template <int kRows> __global__ void k(float* y) {\n  __shared__ float As[kRows], Bs[kRows][COLUMNS + 1];\n"
        "  As[threadIdx.x] = 1;\n  Bs[threadIdx.x][2] = 1;\n  y[threadIdx.x] = Bs[63 - threadIdx.x][2] + "
        "As[threadIdx.x];\n}\n");
  const ExecOutcome outcome =
      exec("tile.cu --kernel 'k<64>' --grid 1 --block 64 -D COLUMNS=32 --arg buf:f32:64:zero:y");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("shared race: write of 4 bytes at Bs[0][2] (shared memory of 8704 bytes)"),
                                 HasSubstr("uninitialised read: read of 4 bytes at Bs[63][2]")));
}

TEST_F(ExecProgram, ForgottenSharedMemoryIsNamed) {
  write("reverse.cu",
        "__global__ void k(float* x) {\n  extern __shared__ float s[];\n  s[threadIdx.x] = x[threadIdx.x];\n"
        "  __syncthreads();\n  x[threadIdx.x] = s[31 - threadIdx.x];\n}\n");
  const std::string launch = "reverse.cu --grid 1 --block 32 --arg buf:f32:32:iota:x";
  EXPECT_THAT(exec(launch).out,
              HasSubstr("write of 4 bytes at the extern __shared__ array s, which has 0 bytes in this "
                        "launch (--shared sets them), reverse.cu:3"));
  EXPECT_EQ(exec(launch + " --shared 128").status, 0);
}

TEST_F(ExecProgram, WithoutNvrtcStatusIsThree) {
  setenv("TILESCOPE_HIDE", "nvrtc", 1);
  const ExecOutcome outcome = scale(kScaleArguments + " --json");
  unsetenv("TILESCOPE_HIDE");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(json::parse(outcome.out)["status"], "unavailable");
}

TEST_F(ExecProgram, ASampleWithItsHostCodeRunsUnchanged) {
  write("common/check.h",
        "#pragma once\n#include <cstdio>\n#include <string>\n"
        "inline void complain(const std::string& text) { fprintf(stderr, \"%s\", text.c_str()); }\n"
        "__device__ __forceinline__ float halve(float x) { return x / 2; }\n");
  write("sample.cu", R"(#include <cuda_runtime.h>
#include <stdio.h>
#include <iostream>
#include <vector>
#include <thrust/device_vector.h>
#include "common/check.h"
#include "helper_cuda.h"
using namespace std;
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
struct Timer {
  cudaEvent_t start;
  Timer() { cudaEventCreate(&start); }
};
typedef std::vector<float> Values;
Values make(int n) { return Values(n, 1.0f); }
static float* device_pointer = nullptr;
const float kShift = 0.5f;
template <class T> T* upload(const std::vector<T>& from);
__global__ void shift(float* x, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = i == 3 ? INFINITY : i == 4 ? FLT_MAX : min(halve(x[i]) + kShift, float(M_PI));
}
int main(int argc, char** argv) {
  Values host = make(64);
  for (float one : host) cout << one << endl;
  CHECK(cudaMalloc(&device_pointer, 256));
  shift<<<1, 64>>>(device_pointer, 64);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
)");
  const ExecOutcome outcome = exec("sample.cu --grid 1 --block 64 --arg buf:f32:64:iota:x --arg u32:64 --dump x=x.bin");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
  const auto x = values<float>("x.bin");
  EXPECT_EQ(x.at(2), 1.5F);
  EXPECT_TRUE(std::isinf(x.at(3)));
  EXPECT_EQ(x.at(4), 3.402823466e+38F);
  EXPECT_EQ(x.at(60), 3.14159265F);
  const ExecOutcome wrong = exec("sample.cu --grid 1 --block 64 --arg buf:f32:32:iota:x --arg u32:64");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("sample.cu:22")) << "lines stay where they are";
}

TEST_F(ExecProgram, ATemplateRunsWithItsArguments) {
  write("template.cu",
        "namespace ops {\n"
        "template <class T, int N> __global__ void fill(T* x) { x[threadIdx.x] = T(N); }\n"
        "}\n"
        "__global__ void other(int* x) { x[0] = 1; }\n");
  for (const char* name : {"'ops::fill<double, 3>'", "'fill<double,1+2>'"}) {
    const ExecOutcome outcome = exec(std::string("template.cu --grid 1 --block 8 --arg buf:f64:8:poison:x --kernel ") +
                                     name + " --dump x=x.bin");
    ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
    EXPECT_EQ(values<double>("x.bin").at(7), 3.0);
  }
  expect_refused("template.cu --grid 1 --block 8 --arg buf:f64:8:poison:x --kernel fill",
                 "kernel 'ops::fill' is a template and needs its arguments");
  expect_refused("template.cu --grid 1 --block 8 --arg buf:f64:8:poison:x --kernel 'fill<nothing, 3>'",
                 "identifier \"nothing\" is undefined");
}

TEST_F(ExecProgram, TheInstantiationThatHostCodeLaunchesIsTheOneMeant) {
  write("template.cu",
        "template <int N> __global__ void fill(int* x) { x[threadIdx.x] = N; }\n"
        "int main() { int* x; fill<7><<<1, 8>>>(x); }\n");
  const ExecOutcome outcome = exec("template.cu --grid 1 --block 8 --arg buf:i32:8:poison:x --dump x=x.bin");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
  EXPECT_EQ(values<int>("x.bin").at(5), 7);
}

TEST_F(ExecProgram, OverloadsAreToldApartByTheirParameters) {
  write("overload.cu",
        "__global__ void set(float* x) { x[0] = 1; }\n__global__ void set(float* x, int value) { x[0] = value; }\n");
  expect_refused("overload.cu --kernel set --grid 1 --block 1 --arg buf:f32:1:zero",
                 "'set' may be any of these kernels of overload.cu: set(float*), set(float*, int)");
  expect_refused("overload.cu --kernel 'set(float*)' --grid 1 --block 1",
                 "kernel 'set(float* x)' takes 1 arguments and 0");
  EXPECT_EQ(exec("overload.cu --kernel 'set(float*, int)' --grid 1 --block 1 --arg buf:f32:1:zero --arg i32:3").status,
            0);
}

TEST_F(ExecProgram, EveryFormOfAnArgumentReachesTheKernel) {
  write("all.cu", R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct Matrix { int rows, columns; float* values; };
__global__ void all(double* out, half h, __nv_bfloat16 b, float f, double d, signed char c, unsigned short s, long long l,
                    unsigned long long u, bool flag, const float* nothing, float4 four, Matrix matrix, const float* tail,
                    int2 raw) {
  const double values[] = {double(__half2float(h)), double(__bfloat162float(b)), f, d, double(c), double(s), double(l),
                           double(u), double(flag), nothing == nullptr ? 1.0 : 0.0, four.w, double(matrix.rows),
                           double(matrix.columns), matrix.values[5], tail[0], double(raw.y)};
  for (int i = 0; i < 16; ++i) out[i] = values[i];
}
)");
  const ExecOutcome outcome = exec(
      "all.cu --grid 1 --block 1 --arg buf:f64:16:poison:out --arg f16:1.5 --arg bf16:-2 --arg f32:-inf --arg "
      "f64:0x1p-3 "
      "--arg i8:-128 --arg u16:0xffff --arg i64:-9007199254740991 --arg u64:9007199254740992 --arg bool:true --arg "
      "null "
      "--arg f32:1,2,3,4 --arg 'struct:i32:2;i32:3;buf:f32:2x3:iota(10,2):m' --arg ptr:m+16 --arg "
      "bytes:0100000002000000 "
      "--dump out=out.bin");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.problems;
  const auto out = values<double>("out.bin");
  const std::vector<double> expected{
      1.5, -2, -INFINITY, 0.125, -128, 65535, -9007199254740991.0, 9007199254740992.0, 1, 1, 4, 2, 3, 20, 18, 2};
  EXPECT_EQ(out, expected);
}

TEST_F(ExecProgram, EveryInitialContentIsWhatItSays) {
  write("keep.cu", "__global__ void keep(const void* x) {}\n");
  const auto contents = [&](const std::string& buffer) {
    const ExecOutcome outcome = exec("keep.cu --grid 1 --block 1 --arg " + buffer + ":x --dump x=x.bin --seed 5");
    EXPECT_EQ(outcome.status, 0) << buffer << outcome.problems;
  };
  contents("buf:i16:4:-3");
  EXPECT_EQ(values<int16_t>("x.bin"), (std::vector<int16_t>{-3, -3, -3, -3}));
  contents("buf:f32:3:2.5");
  EXPECT_EQ(values<float>("x.bin"), (std::vector<float>{2.5, 2.5, 2.5}));
  contents("buf:u64:3:'iota(5,10)'");
  EXPECT_EQ(values<uint64_t>("x.bin"), (std::vector<uint64_t>{5, 15, 25}));
  contents("buf:f64:2:ones");
  EXPECT_EQ(values<double>("x.bin"), (std::vector<double>{1, 1}));
  contents("buf:f32:2:nan");
  EXPECT_TRUE(std::isnan(values<float>("x.bin")[0]));
  contents("buf:f32:10000:'uniform(-4,-2)'");
  const auto uniform = values<float>("x.bin");
  EXPECT_GE(*std::min_element(uniform.begin(), uniform.end()), -4);
  EXPECT_LT(*std::max_element(uniform.begin(), uniform.end()), -2);
  contents("buf:f32:10000:'normal(7,0.5)'");
  double sum = 0;
  for (const float value : values<float>("x.bin")) sum += value;
  EXPECT_NEAR(sum / 10000, 7, 0.02);  // four standard errors
  write("four.bin", "abcd");
  contents("buf:u8:4:@four.bin");
  EXPECT_EQ(read_file(folder_ / "x.bin"), "abcd");
}

TEST_F(ExecProgram, WrongArgumentsAreRefusedWithWhatIsWrong) {
  const std::string launch = "scale.cu --grid 8 --block 128 --arg buf:f32:1000:iota:x --arg buf:f32:1000:poison:y ";
  expect_refused(launch + "--arg f32:2",
                 "kernel 'scale(const float* x, float* y, float factor, int n)' takes 4 arguments and 3 were given");
  expect_refused(launch + "--arg f32:2 --arg i32:1000 --arg i32:1", "takes 4 arguments and 5 were given");
  expect_refused(launch + "--arg f32:2 --arg i64:1000",
                 "argument 4 (int n) of kernel 'scale' is 4 bytes wide and 'i64:1000' gives 8");
  expect_refused(launch + "--arg i32:2 --arg i32:1000",
                 "argument 3 (float factor) of kernel 'scale' is a floating number");
  expect_refused(launch + "--arg f32:2 --arg i32:1e3", "'1e3' is not a whole number from -2147483648 to 2147483647");
  expect_refused(launch + "--arg f32:2 --arg i32:nan", "'nan' is not a whole number");
  expect_refused(launch + "--arg f32:2 --arg i32:2147483648", "'2147483648' is out of range");
  expect_refused(launch + "--arg f32:two --arg i32:1", "'two' is not a number");
  expect_refused(launch + "--arg f31:2 --arg i32:1", "there is no type 'f31'; there are f16 bf16 f32 f64 i8");
  expect_refused(launch + "--arg 2 --arg i32:1", "'2' is not TYPE:VALUE");
  expect_refused(launch + "--arg buf:f32:8:zero:x --arg i32:1",
                 "two buffers are called 'x'; to pass one twice, use ptr:x");
  expect_refused(launch + "--arg ptr:z --arg i32:1", "there is no buffer 'z'; there are x, y");
}

TEST_F(ExecProgram, WrongBuffersAreRefusedWithWhatIsWrong) {
  write("short.bin", "12345");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"buf:f32:0:zero", "the count '0' is not a number from 1 to 2^40"},
      {"buf:f32:9223372036854775808:zero", "the count '9223372036854775808' is not a number from 1 to 2^40"},
      {"buf:f32:1048576x1048576x2:zero", "is not a number from 1 to 2^40"},
      {"buf:f32:ten:zero", "the count 'ten' is not a number"},
      {"buf:f33:8:zero", "there is no element type 'f33'; there are f32 f16"},
      {"buf:f32:8:randomly", "there is no initial content 'randomly'; there are zero, ones, iota"},
      {"buf:i32:8:nan", "'nan' is not a whole number, as i32 elements are"},
      {"buf:f32:8", "a buffer is buf:TYPE:COUNT:INIT[:NAME]"},
      {"buf:f32:8:@absent.bin", "cannot read absent.bin: No such file or directory"},
      {"buf:f32:8:@short.bin", "short.bin holds 5 bytes and the buffer needs 32"},
      {"buf:f32:2^36:zero", "bytes of host memory"}};
  for (const auto& [buffer, sentence] : cases)
    expect_refused("scale.cu --grid 1 --block 1 --arg f32:1 --arg f32:1 --arg f32:1 --arg " + buffer,
                   buffer.find('@') != std::string::npos || buffer.find("2^36") != std::string::npos ? "" : sentence);
  write("keep.cu", "__global__ void keep(const void* x) {}\n");
  for (const auto& [buffer, sentence] : cases) expect_refused("keep.cu --grid 1 --block 1 --arg " + buffer, sentence);
}

TEST_F(ExecProgram, ImpossibleLaunchesAreRefusedWithTheLimit) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"--grid 0 --block 1", "grid.x = 0 is not possible: it must be at least 1"},
      {"--grid 2147483648 --block 1", "grid.x = 2147483648 is not possible: the limit is 2147483647"},
      {"--grid 1,65536 --block 1", "grid.y = 65536 is not possible: the limit is 65535"},
      {"--grid 1,1,65536 --block 1", "grid.z = 65536 is not possible: the limit is 65535"},
      {"--grid 1 --block 1025", "block.x = 1025 is not possible: the limit is 1024"},
      {"--grid 1 --block 1,1,65", "block.z = 65 is not possible: the limit is 64"},
      {"--grid 1 --block 64,32", "threads per block = 2048 is not possible: the limit is 1024"},
      {"--grid 1,1,1,1 --block 1", "--grid takes at most three numbers"},
      {"--grid one --block 1", "--grid 'one': 'one' has no value"},
      {"--grid -1 --block 1", "grid.x = -1 is not possible: it must be at least 1"},
      {"--grid 1 --block 1 --shared 232449", "a block can have at most 232448 bytes of shared memory"},
      {"--grid 1 --block 1 --shared lots", "--shared 'lots': 'lots' has no value"},
      {"--grid 1 --block 1 --on tpu", "--on takes 'sim' or 'gpu', not 'tpu'"},
      {"--block 1", "--grid"}};
  for (const auto& [launch, sentence] : cases) {
    const ExecOutcome outcome = scale(kScaleArguments, launch);
    EXPECT_EQ(outcome.status, 2) << launch << outcome.out;
    EXPECT_THAT(outcome.problems, HasSubstr(sentence)) << launch;
  }
  write("static.cu",
        "__global__ void k(float* x) { __shared__ float t[16384]; t[threadIdx.x] = x[0]; __syncthreads();\n"
        "  x[threadIdx.x] = t[16383 - threadIdx.x]; }\n");
  expect_refused("static.cu --grid 1 --block 1 --arg buf:f32:8:zero",
                 "may take 49152 bytes in a block; more, up to 232448, has to be extern __shared__");
}

TEST_F(ExecProgram, FilesThatCannotBeUsedAreRefused) {
  write("empty.cu", "");
  write("host.cu", "#include <cstdio>\nint main() { printf(\"no kernel\"); }\n");
  write("two.cu", "__global__ void a() {}\n__global__ void b() {}\n");
  write("broken.cu", "__global__ void k(float* x) {\n  x[0] = undefined_name;\n}\n");
  write("lost.cu",
        "float helper(float x) { return x; }\nint count;\n__global__ void k(float* x) { x[0] = helper(count); }\n");
  const std::string launch = " --grid 1 --block 1 --arg buf:f32:8:zero";
  expect_refused("absent.cu" + launch, "cannot read absent.cu: No such file or directory");
  expect_refused("." + launch, "cannot read .: it is a folder");
  expect_refused("empty.cu" + launch, "cannot read empty.cu: it is empty");
  expect_refused("host.cu" + launch, "host.cu has no kernel: it has no __global__ function");
  expect_refused("two.cu" + launch, "two.cu has more than one kernel: a(), b()");
  expect_refused("two.cu --kernel c" + launch, "there is no kernel 'c' in two.cu; it has a, b");
  expect_refused("broken.cu" + launch, "broken.cu(2): error: identifier \"undefined_name\" is undefined");
  expect_refused("lost.cu" + launch, "'helper' in line 1 of lost.cu is for the host: it is not marked __device__");
  expect_refused("lost.cu" + launch, "'count' in line 2 of lost.cu is for the host");
  expect_refused("scale.cu --include nowhere" + launch, "--include nowhere: there is no such folder");
  if (geteuid() != 0) {
    write("locked.cu", "__global__ void k() {}\n");
    std::filesystem::permissions(folder_ / "locked.cu", std::filesystem::perms::none);
    expect_refused("locked.cu" + launch, "cannot read locked.cu: Permission denied");
  }
}

TEST_F(ExecProgram, DumpsThatCannotBeWrittenAreRefusedBeforeTheRun) {
  std::filesystem::create_directories(folder_ / "taken");
  const std::string launch = "scale.cu --grid 8 --block 128 " + kScaleArguments;
  expect_refused(launch + " --dump z=z.bin", "there is no buffer 'z'; there are x, y");
  expect_refused(launch + " --dump y", "'y' is not NAME=VALUE");
  expect_refused(launch + " --dump y=", "names no file");
  expect_refused(launch + " --dump y=absent/y.bin", "cannot write absent/y.bin: there is no such folder");
  expect_refused(launch + " --dump y=taken", "cannot write taken: it is a folder");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "z.bin"));
}

TEST_F(ExecProgram, DefinesAndIncludeFoldersReachTheCompiler) {
  write("headers/value.h", "#define VALUE 5\n");
  write("uses.cu", "#include \"value.h\"\n__global__ void k(int* x) { x[0] = VALUE * FACTOR + FLAG; }\n");
  const std::string launch = "uses.cu --grid 1 --block 1 --arg buf:i32:1:zero:x --dump x=x.bin -D FACTOR=3 -DFLAG";
  EXPECT_THAT(exec(launch).problems,
              HasSubstr("Not found, and taken as empty: value.h; give the folder with --include"));
  const ExecOutcome outcome = exec(launch + " --include headers");
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_EQ(values<int>("x.bin").at(0), 16);
}

}  // namespace
}  // namespace tilescope
