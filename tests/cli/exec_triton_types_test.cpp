// `tilescope exec` for Triton kernels: the types that arguments have for Triton's compiler.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/exec_program.hpp"

namespace tilescope {
namespace {

using testing::HasSubstr;

class TritonTypes : public ExecFolder {
 protected:
  void SetUp() override {
    write("empty.py", kHead + "@triton.jit\ndef nothing(x):\n    pass\n");
    static const bool missing = exec("empty.py").problems.find("Triton was not found") != std::string::npos;
    if (missing) GTEST_SKIP() << "Triton is not installed";
  }
  /// Runs a kernel of 8 elements, and returns what it prints of `y`.
  ExecOutcome run(const std::string& body, const std::string& words) const {
    write("own.py", kHead + "@triton.jit\n" + body);
    return exec("own.py --grid 1 --print y " + words);
  }

  static constexpr const char* kImports = "import triton\nimport triton.language as tl\n\n\n";
  const std::string kHead = kImports;
};

TEST_F(TritonTypes, ALoadedBoolIsTrueOrFalse) {
  const std::string not_x =
      "def invert(x, y):\n    i = tl.arange(0, 8)\n    tl.store(y + i, tl.where(~tl.load(x + i), 10, 20))\n";
  const std::string y = " --arg y=buf:i32:8:poison";
  EXPECT_THAT(run(not_x, "--arg x=buf:bool:8:iota" + y).out, HasSubstr("[0] 10 20 20 20 20 20 20 20\n"));
  EXPECT_THAT(run(not_x, "--arg x=buf:bool:8:ones" + y).out, HasSubstr("[0] 20 20 20 20 20 20 20 20\n"));
  EXPECT_THAT(run(not_x, "--arg x=buf:u8:8:ones" + y).out, HasSubstr("[0] 10 10 10 10 10 10 10 10\n"))
      << "the complement of the byte 1 is not zero";
  const std::string even = "def even(y):\n    i = tl.arange(0, 8)\n    tl.store(y + i, i % 2 == 0)\n";
  EXPECT_THAT(run(even, "--arg y=buf:bool:8:poison").out, HasSubstr("[0] 1 0 1 0 1 0 1 0\n"));
}

TEST_F(TritonTypes, ABoolIsGivenByValue) {
  const std::string body = "def flagged(y, flag):\n    tl.store(y, tl.where(~flag, 10, 20))\n";
  EXPECT_THAT(run(body, "--arg y=buf:i32:1:poison --arg flag=bool:true").out, HasSubstr("[0] 20\n"));
  EXPECT_THAT(run(body, "--arg y=buf:i32:1:poison --arg flag=bool:false").out, HasSubstr("[0] 10\n"));
}

TEST_F(TritonTypes, NumbersKeepTheirWidthAndSign) {
  const std::string body = "def wide(y, a):\n    tl.store(y, a.to(tl.float32) + 0.5)\n";
  const auto with = [&](const std::string& a) { return run(body, "--arg y=buf:f32:1:poison --arg a=" + a).out; };
  EXPECT_THAT(with("i8:-100"), HasSubstr("[0] -99.5\n"));
  EXPECT_THAT(with("u8:200"), HasSubstr("[0] 200.5\n"));
  EXPECT_THAT(with("u32:4294967040"), HasSubstr("[0] 4294967000\n"));
  EXPECT_THAT(with("f16:1.5"), HasSubstr("[0] 2\n"));
  EXPECT_THAT(with("bf16:3"), HasSubstr("[0] 3.5\n"));
}

constexpr const char* kWiden =
    "def widen(x, y):\n    i = tl.arange(0, 8)\n    tl.store(y + i, tl.load(x + i).to(tl.float32) * 2)\n";
constexpr const char* kNarrow =
    "def narrow(x, y):\n    i = tl.arange(0, 8)\n    tl.store(y + i, tl.load(x + i).to(y.dtype.element_ty))\n";

TEST_F(TritonTypes, NumbersOfEightBits) {
  const std::string y = " --arg y=buf:f32:8:poison", halves = "'iota(0,0.25)'", twice = "[0] 0 0.5 1 1.5 2 2.5 3 3.5\n";
  EXPECT_THAT(run(kWiden, "--arg x=buf:f8e5m2:8:" + halves + y).out, HasSubstr(twice));
  EXPECT_THAT(run(kWiden, "--arg x=buf:fp8e5:8:" + halves + y).out, HasSubstr(twice)) << "Triton's name";
  EXPECT_THAT(run(kWiden, "--target sm_89 --arg x=buf:f8e4m3:8:" + halves + y).out, HasSubstr(twice));
  EXPECT_THAT(run(kWiden, "--target sm_90 --arg x=buf:fp8e4nv:8:" + halves + y).out, HasSubstr(twice));
  const std::string x = " --arg 'x=buf:f32:8:iota(1,0.07)'";
  EXPECT_THAT(run(kNarrow, "--arg y=buf:f8e5m2:8:poison" + x).out, HasSubstr("[0] 1 1 1.25 1.25 1.25 1.25 1.5 1.5\n"));
  EXPECT_THAT(run(kNarrow, "--target sm_89 --arg y=buf:f8e4m3:8:poison" + x).out,
              HasSubstr("[0] 1 1.125 1.125 1.25 1.25 1.375 1.375 1.5\n"));
}

TEST_F(TritonTypes, WhereATypeIsMissingTheMessageSaysSinceWhen) {
  const ExecOutcome refused = run(kWiden, "--arg x=buf:f8e4m3:8:ones --arg y=buf:f32:8:poison");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.problems, HasSubstr("own.py(6): error: type fp8e4nv not supported in this architecture"));
  EXPECT_THAT(refused.problems, HasSubstr("from sm_89 on it is: --target sm_89"));
}

/// y = 2 x, in blocks of 4 x 8.
constexpr const char* kTwice =
    "def twice(x, y, m, n, BM: tl.constexpr, BN: tl.constexpr):\n    i, j = tl.program_id(0) * BM, tl.program_id(1) * "
    "BN\n"
    "    if (i < m) & (j < n):\n        y.store([i, j], 2 * x.load([i, j]))\n";

TEST_F(TritonTypes, ATensorDescriptor) {
  write("twice.py", kHead + "@triton.jit\n" + kTwice);
  const auto with = [&](const std::string& x, const std::string& y) {
    return exec(
        "twice.py --grid 'ceil(m/BM),ceil(n/BN)' -D BM=4 -D BN=8 --arg m=i32:5 --arg n=i32:12 --arg x=desc:f32:" + x +
        " --arg y=desc:f32:" + y + ":poison:block=BM,BN --print y");
  };
  const ExecOutcome plain = with("5x12:iota:block=4x8", "m,n");
  EXPECT_EQ(plain.status, 0) << plain.problems << plain.out;
  EXPECT_THAT(plain.out, HasSubstr("[0,0] 0 2 4 6 8 10 12 14\n  [0,8] 16 18 20 22\n"));
  EXPECT_THAT(plain.out, HasSubstr("[4,0] 96 98 100 102 104 106 108 110\n  [4,8] 112 114 116 118\n"));
  const ExecOutcome pitched = with("m,n:iota:block=BM,BN:strides=16,1", "m,n");
  EXPECT_THAT(pitched.out, HasSubstr("[4,0] 128 130 132 134 136 138 140 142\n  [4,8] 144 146 148 150\n"))
      << pitched.problems;
  EXPECT_THAT(with("4,8:ones:block=BM,BN", "m,n").out, HasSubstr("[4,0] 0 0 0")) << "zero outside";
  EXPECT_THAT(with("4,8:ones:block=BM,BN:padding=nan", "m,n").out, HasSubstr("[4,0] nan nan nan"));
}

TEST_F(TritonTypes, ADescriptorThatTheKernelMakes) {
  const std::string made =
      "def made(x, y, m, n, BM: tl.constexpr, BN: tl.constexpr):\n"
      "    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN\n"
      "    a = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])\n"
      "    b = tl.make_tensor_descriptor(y, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])\n"
      "    b.store([i, j], 2 * a.load([i, j]))\n";
  write("made.py", kHead + "@triton.jit\n" + made);
  const ExecOutcome outcome = exec(
      "made.py --grid 2,2 -D BM=4 -D BN=8 --arg m=i32:5 --arg n=i32:12 --arg "
      "x=buf:f32:m,n:iota --arg y=buf:f32:m,n:poison --print y[4:5,10:12]");
  EXPECT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("[4,10] 116 118\n"));
}

TEST_F(TritonTypes, SuggestsDescriptors) {
  write("twice.py", kHead + "@triton.jit\n" + kTwice);
  const std::string line = nlohmann::json::parse(exec("twice.py --json").out).at("suggestion");
  EXPECT_THAT(line,
              HasSubstr("--arg x=desc:f32:256x256:normal:block=BM,BN --arg y=desc:f32:256x256:poison:block=BM,BN"));
  const ExecOutcome outcome = exec(line.substr(line.find("twice.py")));
  EXPECT_EQ(outcome.status, 0) << outcome.problems;
}

TEST_F(TritonTypes, BadDescriptorsAreRefusedInOneSentence) {
  write("twice.py", kHead + "@triton.jit\n" + kTwice);
  const auto refusal = [&](const std::string& x, const std::string& more = "") {
    const ExecOutcome outcome =
        exec("twice.py --grid 1,1 -D BM=4 -D BN=8 --arg m=i32:4 --arg n=i32:8 --arg x=desc:" + x +
             " --arg y=desc:f32:4,8:poison:block=4,8" + more);
    EXPECT_EQ(outcome.status, 2) << x;
    return outcome.problems;
  };
  EXPECT_THAT(refusal("f32:4,8:ones"), HasSubstr("a tensor descriptor is desc:TYPE:SHAPE:INIT:block=BLOCK"));
  EXPECT_THAT(refusal("f32:4,8:ones:padding=nan"), HasSubstr("needs the shape of its blocks"));
  EXPECT_THAT(refusal("f32:4,8:ones:block=4"), HasSubstr("the shape has 2 dimensions"));
  EXPECT_THAT(refusal("f32:4,7:ones:block=4,8"),
              HasSubstr("begin at multiples of 16 bytes, and a stride of 7 elements has 28"));
  EXPECT_THAT(refusal("f32:4,8:ones:block=4,8:strides=8,2"), HasSubstr("the last stride of a descriptor is 1"));
  EXPECT_THAT(refusal("f32:4,8:ones:block=4,8:swizzle=1"), HasSubstr("there is no option 'swizzle=1'"));
  EXPECT_THAT(refusal("i32:4,8:ones:block=4,8:padding=nan"), HasSubstr("padding=nan is for floating-point elements"));
  EXPECT_THAT(refusal("f32:4,8:ones:block=4,8", " --target sm_90"), HasSubstr("twice.py(6): error: from sm_90 on"));
  write("copy.cu", "__global__ void copy(const float* x) {}\n");
  const ExecOutcome cuda = exec("copy.cu --grid 1 --block 1 --arg x=desc:f32:4,8:ones:block=4,8");
  EXPECT_EQ(cuda.status, 2);
  EXPECT_THAT(cuda.problems, HasSubstr("desc: is for Triton kernels"));
}

}  // namespace
}  // namespace tilescope
