// How findings name their location: the line in the header and that of the call, elements of shared arrays, and shared
// memory that the launch did not provide.
#include "engine/sim/program/shared_names.hpp"
#include "run_kernel.hpp"

namespace tilescope {
namespace {

/// A kernel that reads a[1000] on a line of `header`, inlined at line 12 of k.cu.
CompiledModule reads_in(const std::string& header) {
  CompiledModule module;
  module.ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n.file 2 \"" + header +
               "\"\n.visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<3>;\n.reg .f32 %f<3>;\n.loc 1 10 1\n"
               "ld.param.u64 %rd1, [a];\n.loc 2 40 3, function_name $L__info_string0, inlined_at 1 12 5\n"
               "ld.global.f32 %f1, [%rd1+4000];\n.loc 2 41 3, function_name $L__info_string0, inlined_at 1 12 5\n"
               "ld.global.f32 %f2, [%rd1+8000];\n.loc 1 13 1\nst.global.f32 [%rd1], %f1;\nret;\n}\n";
  return module;
}

TEST(Places, InAHeaderAreItsLineAndWhereItWasCalled) {
  Machinery machine;
  machine.input("a", std::vector<float>(8, 0.0F));
  const auto report = machine.run(reads_in("/home/me/load.cuh"), "k", {1, 1, 1}, {1, 1, 1});
  ASSERT_EQ(report.findings.size(), 2U);  // two lines of the header, though one line calls both
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.message,
            "out of bounds: read of 4 bytes at a+4000 (buffer of 32 bytes), /home/me/load.cuh:40, called at k.cu:12, "
            "block (0,0,0) thread (0,0,0)");
  EXPECT_EQ(finding.file, "k.cu");
  EXPECT_EQ(finding.line, 12U);
  EXPECT_EQ(finding.header_file, "/home/me/load.cuh");
  EXPECT_EQ(finding.header_line, 40U);
  EXPECT_EQ(report.findings[1].header_line, 41U);
}
TEST(Places, InTheToolkitsHeadersAreWhereTheyWereCalled) {
  for (const char* header : {"/usr/local/cuda/include/cooperative_groups.h", "/usr/include/cuda_fp16.hpp",
                             "/home/me/env/lib/python3.12/site-packages/nvidia/cuda_runtime/include/cuda_fp16.hpp",
                             "/opt/tools/include/cccl/cuda/std/atomic"}) {
    Machinery machine;
    machine.input("a", std::vector<float>(8, 0.0F));
    const auto report = machine.run(reads_in(header), "k", {1, 1, 1}, {1, 1, 1});
    ASSERT_EQ(report.findings.size(), 1U) << header;
    EXPECT_EQ(report.findings[0].where.english(), "k.cu:12");
    EXPECT_EQ(report.findings[0].header_line, 0U);
  }
}
TEST(Places, ARaceNamesTheHeaderOnBothSides) {
  CompiledModule module;
  module.ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n.file 2 \"steps.cuh\"\n.visible .entry k()\n{\n"
      ".reg .b32 %r<4>;\n.shared .align 4 .b8 _ZZ1kvE4tile[256];\n.loc 1 5 1\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, "
      "_ZZ1kvE4tile;\nshl.b32 %r2, %r1, "
      "2;\n.loc 2 7 3, function_name $L__info_string0, inlined_at 1 6 5\nst.shared.u32 [%r2], %r1;\n"
      ".loc 2 9 3, function_name $L__info_string0, inlined_at 1 7 5\nld.shared.u32 %r3, [0];\nret;\n}\n";
  Machinery machine;
  const auto report = machine.run(module, "k", {1, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(
      report.findings.back().message,
      "shared race: write of 4 bytes at tile+0 (shared memory of 256 bytes), steps.cuh:7, called at k.cu:6, block "
      "(0,0,0) thread (0,0,0), and read at steps.cuh:9, called at k.cu:7 by thread (32,0,0) with no barrier "
      "between");
}

struct Declared {
  const char* source;
  const char* symbol;
  const char* kernel;
  uint64_t bytes;
  uint64_t element_bytes;  // 0: the shape is unknown
  std::vector<uint64_t> extents;
};

TEST(Places, ShapesOfSharedArraysAreReadFromTheSource) {
  const Declared cases[] = {
      {"__global__ void k(float* a) { __shared__ float t[16][33]; }", "_ZZ1kPfE1t", "_Z1kPf", 2112, 4, {16, 33}},
      {"#define N (2 * 8)\n__global__ void k() { __shared__ __align__(16) double t[N][N + 1]; }",
       "_ZZ1kvE1t",
       "_Z1kv",
       2176,
       8,
       {16, 17}},
      {"constexpr int kRows = 1 << 3, kColumns = kRows * 2;\nextern \"C\" __global__ void k() {\n  __shared__ half "
       "a[kRows], b[2][kRows][kColumns];\n}",
       "_ZZ1kE1b",
       "k",
       512,
       2,
       {2, 8, 16}},
      {"template <int BM, typename T, int BN = 8> __global__ void gemm(T* x) { __shared__ T s[BM][BN]; }",
       "_ZZ4gemmILi32EfLi16EEvPT0_E1s",
       "_Z4gemmILi32EfLi16EEvPT0_",
       2048,
       4,
       {32, 16}},
      // The body's own constant; that of the other kernel is a different one.
      {"__global__ void j() { const int n = 4; __shared__ int t[n][n]; }\n__global__ void k() { const int n = 8; "
       "__shared__ int t[n][n]; }",
       "_ZZ1kvE1t",
       "_Z1kv",
       256,
       4,
       {8, 8}},
      {"__device__ float reduce(float v) { __shared__ float sums[2][4]; return sums[0][0]; }",
       "_ZZ6reducefE4sums",
       "_Z1kv",
       32,
       4,
       {2, 4}},
      {"struct Pair { float a, b, c; };\n__global__ void k() { __shared__ Pair t[4][2]; }",
       "_ZZ1kvE1t",
       "_Z1kv",
       96,
       12,
       {4, 2}},
      {"extern __shared__ float4 s[];\n__global__ void k() { s[0].x = 1; }", "s", "_Z1kv", 0, 16, {0}},
      {"__global__ void k() { extern __shared__ float s[]; }", "s", "_Z1kv", 0, 4, {0}},
      {"__global__ void k() { __shared__ volatile unsigned char t[2][8]; /* t[9] */ }",
       "_ZZ1kvE1t",
       "_Z1kv",
       16,
       1,
       {2, 8}},
      {"__global__ void k() { __shared__ unsigned long long t; }", "_ZZ1kvE1t", "_Z1kv", 8, 8, {}},
      // Extents that cannot be evaluated, or do not give the byte count in the PTX.
      {"__global__ void k() { __shared__ float t[sizeof(X)][4]; }", "_ZZ1kvE1t", "_Z1kv", 64, 0, {}},
      {"__global__ void k() { __shared__ float t[8][4]; }", "_ZZ1kvE1t", "_Z1kv", 64, 0, {}},
      {"#define N 4\n#undef N\n#define N 8\n__global__ void k() { __shared__ float t[N]; }",
       "_ZZ1kvE1t",
       "_Z1kv",
       32,
       0,
       {}},
      {"__global__ void k() { __shared__ float t[", "_ZZ1kvE1t", "_Z1kv", 64, 0, {}},
      {"", "_ZZ1kvE1t", "_Z1kv", 64, 0, {}},
  };
  for (const Declared& test : cases) {
    const auto shape = shared_shape(test.source, test.symbol, test.kernel, test.bytes);
    ASSERT_EQ(shape.has_value(), test.element_bytes != 0) << test.source;
    if (!shape) continue;
    EXPECT_EQ(shape->element_bytes, test.element_bytes) << test.source;
    EXPECT_EQ(shape->extents, test.extents) << test.source;
  }
}

/// A kernel with an array of 32 bytes and one whose size the launch gives; both are read at the given offsets.
std::string first_message(uint32_t dynamic_bytes, int array_offset, int extern_offset) {
  CompiledModule module;
  module.ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n.extern .shared .align 16 .b8 s[];\n"
      ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.shared .align 4 .b8 _ZZ1kvE1t[32];\n.loc 1 3 1\nld.shared.u32 %r1, "
      "[_ZZ1kvE1t+" +
      std::to_string(array_offset) + "];\n.loc 1 4 1\nld.shared.u32 %r2, [s+" + std::to_string(extern_offset) +
      "];\nret;\n}\n";
  Machinery machine;
  machine.launch.shared_bytes = dynamic_bytes;
  machine.options.source =
      std::make_shared<std::string>("extern __shared__ double s[];\n__global__ void k() { __shared__ int t[2][4]; }");
  const auto report = machine.run(module, "k", {1, 1, 1}, {1, 1, 1});
  std::string all;
  for (const Finding& finding : report.findings) all += finding.what.english() + "\n";
  return all;
}

TEST(Places, InSharedMemoryAreElementsOfArrays) {
  EXPECT_EQ(first_message(64, 20, 28),
            "read of 4 bytes at t[1][1] (shared memory of 96 bytes)\n"
            "read of 4 bytes at s[3]+4 (shared memory of 96 bytes)\n");
}
TEST(Places, ForgottenSharedMemoryIsNamed) {
  EXPECT_NE(first_message(0, 0, 8).find("read of 4 bytes at the extern __shared__ array s, which has 0 bytes in this "
                                        "launch (--shared sets them)"),
            std::string::npos);
  EXPECT_NE(first_message(16, 0, 64).find("read of 4 bytes at shared memory+96 (window of 48 bytes)"),
            std::string::npos);
}

}  // namespace
}  // namespace tilescope
