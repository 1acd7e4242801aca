// What main() computes in a way that is not followed is left to the kernel's body: a form leaves a field empty rather
// than show a number that the program does not have. And no text takes long, or much memory, to read.
#include <gtest/gtest.h>

#include <chrono>

#include "app/sandbox/reading/host_suggestion.hpp"

namespace tilescope {
namespace {

constexpr const char* kKernel =
    "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }\n";

/// What main() says about the first kernel, by field; without what the kernel's body says.
HostFields host_fields(const std::string& source) {
  const SourceFacts facts = read_source_facts(source);
  if (facts.kernels.empty()) return {};
  const SourceKernel& kernel = facts.kernels.front();
  std::vector<ParameterType> parameters;
  for (const std::string& declaration : kernel.parameters)
    parameters.push_back(read_parameter(declaration, facts.types));
  return fields_from_host(kernel, facts, parameters, read_kernel(kernel, facts, parameters));
}

/// The block of a main() with these statements before k<<<1, t>>>(x, 5); "" if it is unknown.
std::string block_after(const std::string& statements, const std::string& before = {}) {
  const HostFields fields = host_fields(before + kKernel + "int main(int argc, char** argv) {\n  float* x;\n" +
                                        statements + "\n  k<<<1, t>>>(x, 5);\n}\n");
  const auto found = fields.find("block.x");
  return found != fields.end() ? found->second.text : "";
}

/// The fill of a 400-byte buffer after these statements; "" if it is unknown.
std::string fill_after(const std::string& statements) {
  const HostFields fields = host_fields(std::string(kKernel) + "int main() { float* x; cudaMalloc(&x, 400); " +
                                        statements + " k<<<1, 1>>>(x, 5); }");
  const auto found = fields.find("x.fill");
  return found != fields.end() ? found->second.text : "";
}

TEST(HostDoubt, ExpressionsHaveThePrecedenceOfC) {
  EXPECT_EQ(block_after("int t = 1 || 0 && 0 ? 64 : 32;"), "64");
  EXPECT_EQ(block_after("int t = 64 | 1 & 2;"), "64");
  EXPECT_EQ(block_after("int t = 1 << 2 + 3;"), "32");
  EXPECT_EQ(block_after("int n = 512; int t = n <= 512 ? 64 : 32;"), "64");
  EXPECT_EQ(block_after("int n = 512; int t = n >= 513 ? 64 : 32;"), "32");
  EXPECT_EQ(block_after("int n = 512; int t = n != 512 ? 64 : 32;"), "32");
  EXPECT_EQ(block_after("int t = 0.5 && 1 ? 64 : 32;"), "64");
  EXPECT_EQ(block_after("int t = min(7 / 2 * 10, 64);"), "30");
}

TEST(HostDoubt, AMacroIsReplacedByItsTokens) {
  EXPECT_EQ(block_after("int n = 3, t = SQUARE(n + 1);", "#define SQUARE(x) x * x\n"), "7");
  EXPECT_EQ(block_after("int n = 3, t = SQUARE(n + 1);", "#define SQUARE(x) ((x) * (x))\n"), "16");
  EXPECT_EQ(block_after("int n = 100, t = HALF(n);", "#define HALF(x) ((x) / 2)\n"), "50");
}

TEST(HostDoubt, WhatTheTypeCannotHoldIsNotKnown) {
  EXPECT_EQ(block_after("char t = 300;"), "");
  EXPECT_EQ(block_after("unsigned t = -1;"), "");
  EXPECT_EQ(block_after("int big = 1 << 31; int t = big > 0 ? 64 : 32;"), "");
  EXPECT_EQ(block_after("unsigned char t = 200;"), "200");
  EXPECT_EQ(block_after("long long big = 4000000000000 * 4000000000000; int t = big % 64 + 1;"), "");
  EXPECT_EQ(block_after("int zero = 0, t = 64 / zero;"), "");
  EXPECT_EQ(block_after("int zero = 0, t = 64 % zero;"), "");
  EXPECT_EQ(block_after("long long t = (-9223372036854775807 - 1) / -1;"), "");
  EXPECT_EQ(block_after("int t = 64 >> -1;"), "");
  EXPECT_EQ(block_after("int t = 1 << 200;"), "");
  EXPECT_EQ(block_after("int t = 0;"), "");  // no block
}

TEST(HostDoubt, KnownConditionsChooseTheirBranch) {
  EXPECT_EQ(block_after("int t = 2048; if (t > 1024) t = 1024;"), "1024");
  EXPECT_EQ(block_after("int t = 512; if (t > 1024) { t = 1024; }"), "512");
  EXPECT_EQ(block_after("int n = 9, t; if (n > 5) t = 64; else t = 32;"), "64");
  EXPECT_EQ(block_after("int n = 3, t; if (n > 5) { t = 64; } else { t = 32; }"), "32");
  EXPECT_EQ(block_after("int n = 3, t; if (n > 5) t = 64; else if (n > 2) t = 48; else t = 32;"), "48");
}

TEST(HostDoubt, ConditionsThatAreNotKnownLeaveTheValueFromBeforeOrNone) {
  EXPECT_EQ(block_after("int t = 64; if (argc > 1) t = atoi(argv[1]);"), "64");
  EXPECT_EQ(block_after("int t; if (argc > 1) t = atoi(argv[1]); else t = 128;"), "128");
  EXPECT_EQ(block_after("int t; if (fast()) t = 64; else t = 128;"), "");
  EXPECT_EQ(block_after("int t; if (fast()) { t = 64; } else { t = 64; }"), "64");
  EXPECT_EQ(block_after("dim3 t; if (fast()) t = dim3(64); else t = dim3(128);"), "");
  EXPECT_EQ(block_after("dim3 t(64); if (fast()) t = dim3(128);"), "64");
  EXPECT_EQ(block_after("dim3 t = pick();"), "");
}

TEST(HostDoubt, WhatALoopBeforeTheLaunchChangesIsNotKnown) {
  EXPECT_EQ(block_after("int t = 1; while (t < 100) t *= 2;"), "");
  EXPECT_EQ(block_after("int t = 1; while (t < 100) { t *= 2; }"), "");
  EXPECT_EQ(block_after("int t = 32; for (int i = 0; i < 3; ++i) t += 32;"), "");
  EXPECT_EQ(block_after("int t; for (t = 1; t < 64; t <<= 1);"), "");
  EXPECT_EQ(block_after("int t = 32; do { ++t; } while (t < 64);"), "");
  EXPECT_EQ(block_after("int t = 32; for (int i = 0; i < 3; ++i) { int other = 2; other *= 2; }"), "32");
  EXPECT_EQ(block_after("int t = 31; t++;"), "32");
  EXPECT_EQ(block_after("int t = 33; --t;"), "32");
}

TEST(HostDoubt, WhatALibraryWritesIsNotKnown) {
  EXPECT_EQ(block_after("int g = 0, t = 0; cudaOccupancyMaxPotentialBlockSize(&g, &t, k, 0, 0);"), "");
  EXPECT_EQ(block_after("int t = 32; cudaDeviceGetAttribute(&t, cudaDevAttrWarpSize, 0);"), "");
  EXPECT_EQ(block_after("int t = 32; scanf(\"%d\", &t);"), "");
  EXPECT_EQ(block_after("int n = 5, t = 32; std::cin >> n >> t;"), "");
  EXPECT_EQ(block_after("int t = 32; cudaMemcpyToSymbol(constant, &t, sizeof(t));"), "32");
  EXPECT_EQ(block_after("int t = 32; cudaMemcpy(x, &t, sizeof(t), cudaMemcpyHostToDevice);"), "32");
  EXPECT_EQ(block_after("int t = 32; cudaMemcpy(&t, x, sizeof(t), cudaMemcpyDeviceToHost);"), "");
  EXPECT_EQ(block_after("int t = 32; parse(argc, argv, &t);"), "32");  // as without arguments
}

TEST(HostDoubt, ElementsOfArraysAreNotToldApart) {
  EXPECT_EQ(block_after("int all[2]; all[0] = 32; all[1] = 64; int t = all[0];"), "");
  EXPECT_EQ(block_after("std::vector<float> h{7}; int t = h.size() * 32;"), "32");
}

TEST(HostDoubt, ALambdaHasParametersOfItsOwn) {
  EXPECT_EQ(block_after("int t = 32; auto run = [&](int t) {", ""), "");
  EXPECT_EQ(block_after("int t = 32; auto change = [&](int n) { t = 64; };"), "32");
}

TEST(HostDoubt, ConditionalCompilationIsFollowed) {
  EXPECT_EQ(block_after("#ifdef WIDE\n  int t = 64;\n#else\n  int t = 32;\n#endif"), "32");
  EXPECT_EQ(block_after("#ifdef WIDE\n  int t = 64;\n#else\n  int t = 32;\n#endif", "#define WIDE\n"), "64");
  EXPECT_EQ(block_after("#if 0\n  int t = 64;\n#elif 1\n  int t = 32;\n#else\n  int t = 16;\n#endif"), "32");
  EXPECT_EQ(block_after("int t = T;", "#ifdef WIDE\n#define T 64\n#else\n#define T 32\n#endif\n"), "");
  EXPECT_EQ(block_after("int t = T;", "#ifndef T\n#define T 32\n#endif\n"), "32");
}

TEST(HostDoubt, AFillIsOfTheWholeBuffer) {
  EXPECT_EQ(fill_after("cudaMemset(x, 0, 400);"), "zero");
  EXPECT_EQ(fill_after("cudaMemset(x, 0, 200);"), "");
  EXPECT_EQ(fill_after("cudaMemset(x, 0, 400); cudaMemset(x, 1, 200);"), "");
  EXPECT_EQ(fill_after("cudaMemset2D(x, 0, 0, 400, 400);"), "");
  EXPECT_EQ(fill_after("cudaMemset(x, 0, bytes());"), "");
}

TEST(HostDoubt, ConstantsAreComputedAsInC) {
  const auto constants =
      read_source_facts("#define A 7 / 2 * 2\n#define B 0.5f\n#define C (2 ^ 3)\n#define D 1e6\n").constants;
  EXPECT_EQ(constants.at("A"), 6);
  EXPECT_FALSE(constants.contains("B"));
  EXPECT_EQ(constants.at("C"), 1);
  EXPECT_EQ(constants.at("D"), 1000000);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}
/// The text `count` times; $ becomes its number from 1, @ the number before.
std::string numbered(const std::string& text, int count) {
  std::string all;
  for (int i = 1; i <= count; ++i)
    for (const char c : text)
      all += c == '$' ? std::to_string(i) : c == '@' ? std::to_string(i - 1) : std::string(1, c);
  return all;
}

TEST(HostDoubt, NoTextTakesLongToRead) {
  const std::string kernel = kKernel, begin = kernel + "int main() { float* x; int n = 5, a0 = n * 4;\n",
                    end = "k<<<n, 1>>>(x, n); }\n";
  const std::string launch_all = "k<<<a59, 1>>>(x, n); }\n";
  const std::vector<std::pair<const char*, std::string>> texts{
      {"sums of sums as bytes", begin + numbered("size_t a$ = a@ + a@;\n", 59) + "cudaMalloc(&x, a59);" + launch_all},
      {"remainders of remainders", begin + numbered("int a$ = n % a@ != 0;\n", 59) + launch_all},
      {"macros of macros", "#define A0 1\n" + numbered("#define A$ (A@ + 1)\n", 4000) + kernel +
                               "int main() { float* x; int n = A4000; " + end},
      {"calls in calls", "int f(int a) { return " + repeated("f(", 80) + "a" + repeated(")", 80) + "; }\n" + kernel +
                             "int main() { float* x; int n = " + repeated("f(", 80) + "3" + repeated(")", 80) + "; " +
                             end},
      {"20,000 assignments", begin + repeated("n = n + 1;\n", 20000) + end},
      {"unclosed template arguments", begin + repeated("k<(", 50000)},
      {"ifs without an end", begin + repeated("if (a) ", 50000) + end},
      {"lambdas without an end", begin + repeated("auto f = [&](int a) {", 10000) + end},
      {"nodes of a tree",
       "struct Node { Node* child[16]; Node* more[16]; float x; };\n"
       "__global__ void k(Node* root, int n) { root[threadIdx.x].x = n; }\n"},
      {"structs in structs", "struct S0 { float a, b, c, d, e, f, g, h; };\n" +
                                 numbered("struct S$ { S@ a, b, c, d, e, f, g, h; };\n", 9) +
                                 "__global__ void k(S8* p) {}\n"},
      {"pointers that move",
       "__global__ void k(float* p0, int n) {" + numbered("float* p$ = p@ + a$ * n;", 8000) + "p8000[0] = 1; }"},
      {"products of products", "__global__ void k(float* p, int n) { int v0 = threadIdx.x;" +
                                   numbered("int v$ = " + repeated("v@ * n + ", 80) + "1;", 5) + "p[v5] = 1; }"},
      {"const without an end", repeated("const ", 100000)},
  };
  for (const auto& [name, text] : texts) {
    const auto start = std::chrono::steady_clock::now();
    (void)host_fields(text);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4)) << name;
  }
}

TEST(HostDoubt, AStructOfPointersToItselfKeepsItsSize) {
  const SourceFacts facts = read_source_facts("struct Node { Node* child[8]; float x, y; };\n");
  const ParameterType node = read_parameter("Node* root", facts.types);
  EXPECT_EQ(node.kind, ParameterType::Kind::pointer);
  EXPECT_EQ(node.element_bytes, 72U);
}

}  // namespace
}  // namespace tilescope
