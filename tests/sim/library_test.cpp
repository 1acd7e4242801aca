// What the CUDA run time provides to kernels: assert, trap, malloc and free.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

int line_of(const std::string& text) {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/sim/kernels/library.cu");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (line.find(text) != std::string::npos) return number;
  return 0;
}

TEST(Library, AFailedAssertionNamesItsExpressionFunctionLineAndThreadAndStopsTheBlock) {
  for (float value : {1.0F, 0.0F}) {
    Machinery machine;
    std::vector<float> in(32, 1.0F);
    in[9] = value;
    machine.input("in", in);
    machine.output<float>("out", 32);
    const auto report = machine.run(module_of("library"), "asserting", {1, 1, 1}, {32, 1, 1});
    EXPECT_EQ(report.stopped_by_finding, value == 0.0F);
    ASSERT_EQ(report.findings.size(), value == 0.0F ? 1U : 0U);
    if (value != 0.0F) continue;
    const int line = line_of("assert(in[threadIdx.x] > 0);");
    EXPECT_EQ(report.findings[0].id, "assertion");
    EXPECT_EQ(report.findings[0].count, 1U);
    EXPECT_EQ(report.findings[0].line, static_cast<uint32_t>(line));
    EXPECT_EQ(report.findings[0].message,
              fmt::format("assertion: 'in[threadIdx.x] > 0' does not hold in 'void asserting(const float *, float *)', "
                          "kernels/library.cu:{}, block (0,0,0) thread (9,0,0)",
                          line));
  }
}
TEST(Library, AFailedAssertionInAFunctionNamesTheFunctionAndCountsTheThreads) {
  Machinery machine;
  std::vector<float> in(64, 1.0F);
  in[40] = in[41] = 99.5F;  // fails at the second call, with 100.5
  machine.input("in", in);
  machine.output<float>("out", 64);
  const auto report = machine.run(module_of("library"), "asserting_inside", {1, 1, 1}, {64, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].count, 2U);
  EXPECT_EQ(report.findings[0].thread, (Dim3{40, 0, 0}));
  EXPECT_TRUE(report.findings[0].message.starts_with(
      "assertion: 'x < 100 && \"too large\"' does not hold in 'float checked(float)', "))
      << report.findings[0].message;
}
TEST(Library, ATrapIsNoAssertion) {
  Machinery machine;
  machine.output<int>("out", 32);
  const auto report = machine.run(module_of("library"), "trapping", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_TRUE(report.stopped_by_finding);
  EXPECT_EQ(report.findings[0].id, "trap");
  EXPECT_EQ(report.findings[0].thread, (Dim3{3, 0, 0}));
}

TEST(Library, ListsOnTheHeapAreBuiltReadAndFreedInSilence) {
  std::vector<int> first;
  for (int host_threads : {1, 2}) {
    Machinery machine(host_threads);
    const size_t out = machine.output<int>("out", 256);
    machine.value(9);
    const auto report = machine.run(module_of("library"), "lists", {4, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
    const auto result = machine.download<int>(out);
    for (int i = 0; i < 256; ++i) {
      const int n = i % 9;
      EXPECT_EQ(result[static_cast<size_t>(i)], n * i + n * (n - 1) / 2) << i;
    }
  }
}
TEST(Library, WhatOneLaunchAllocatesTheNextOnesReadAndFree) {
  constexpr int kLength = 20, kThreads = 40;
  for (const bool freed_before_reading : {false, true}) {
    Machinery machine;
    const CompiledModule module = module_of("library");
    const size_t where = machine.output<uint64_t>("where", kThreads);
    machine.value(kLength);
    EXPECT_TRUE(machine.run(module, "leave_behind", {1, 1, 1}, {kThreads, 1, 1}).findings.empty());
    machine.launch.arguments.pop_back();
    machine.options.launch_index = 1;
    const auto arguments = machine.launch.arguments;
    if (freed_before_reading) {
      EXPECT_TRUE(machine.run(module, "free_behind", {1, 1, 1}, {kThreads, 1, 1}).findings.empty());
    }
    const size_t out = machine.output<int>("out", kThreads);
    machine.value(kLength);
    machine.options.launch_index = 2;
    const auto report = machine.run(module, "read_behind", {1, 1, 1}, {kThreads, 1, 1});
    ASSERT_EQ(report.findings.size(), freed_before_reading ? 1U : 0U);
    const auto result = machine.download<int>(out);
    for (int i = 0; i < kThreads && !freed_before_reading; ++i)
      EXPECT_EQ(result[static_cast<size_t>(i)], 3 * (i * 7 % kLength));
    if (freed_before_reading) {
      EXPECT_EQ(report.findings[0].id, "use-after-free");
      EXPECT_EQ(report.findings[0].count, static_cast<uint64_t>(kThreads));
    }
    // In a new run the heap is empty.
    machine.options.launch_index = 0;
    machine.launch.arguments = arguments;
    const auto stale = machine.run(module, "free_behind", {1, 1, 1}, {kThreads, 1, 1});
    ASSERT_EQ(stale.findings.size(), 1U);
    EXPECT_EQ(stale.findings[0].id, "invalid-free");
    EXPECT_EQ(machine.download<uint64_t>(where).size(), static_cast<size_t>(kThreads));
  }
}
TEST(Library, TheHeapHasEightMegabytesAndGivesNullWhenTheyAreUsedUp) {
  for (const auto& [bytes, least, most] : {std::array<uint64_t, 3>{1 << 20, 7, 8}, {1024, 7 * 1024, 8 * 1024}}) {
    Machinery machine;
    machine.value(bytes);
    const size_t given = machine.output<int>("given", 4);
    EXPECT_TRUE(machine.run(module_of("library"), "exhaust", {1, 1, 1}, {4, 1, 1}).findings.empty());
    uint64_t sum = 0;
    for (int one : machine.download<int>(given)) sum += static_cast<uint64_t>(one);
    EXPECT_GE(sum, least);
    EXPECT_LE(sum, most);
  }
}

TEST(Library, StructuresWithGapsAreCopiedInSilenceAndThoseThatNobodySetAreFound) {
  for (const int forgotten : {-1, 2}) {
    Machinery machine;
    const size_t out = machine.output<double>("out", 32);
    machine.value(forgotten);
    const auto report = machine.run(module_of("library"), "gaps", {1, 1, 1}, {32, 1, 1});
    if (forgotten >= 0) {
      ASSERT_FALSE(report.findings.empty());
      EXPECT_EQ(report.findings[0].id, "uninitialised-read");
      EXPECT_EQ(report.findings[0].line, static_cast<uint32_t>(line_of("copies[(i + k) % 4] = local[(i + k) % 4];")));
      continue;
    }
    EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
    const auto result = machine.download<double>(out);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(result[static_cast<size_t>(i)], 2 * ((i ^ 1) + i) + 2) << i;
  }
}

struct HeapBug {
  int which;
  const char* id;
  const char* words;
  const char* line;  // of the source
};
class HeapBugs : public testing::TestWithParam<HeapBug> {};

TEST_P(HeapBugs, IsFoundOnceAtItsLineAndNothingElse) {
  const HeapBug& bug = GetParam();
  Machinery machine;
  machine.value(bug.which);
  machine.input("out", std::vector<int>(4, 0));
  const auto report = machine.run(module_of("library"), "heap_bug", {1, 1, 1}, {1, 1, 1});
  if (bug.id == nullptr) {
    EXPECT_TRUE(report.findings.empty());
    return;
  }
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, bug.id);
  EXPECT_NE(report.findings[0].message.find(bug.words), std::string::npos) << report.findings[0].message;
  EXPECT_EQ(report.findings[0].line, static_cast<uint32_t>(line_of(bug.line)));
}
INSTANTIATE_TEST_SUITE_P(
    Library, HeapBugs,
    testing::Values(
        HeapBug{0, nullptr, "", ""},
        HeapBug{1, "out-of-bounds", "write of 4 bytes at heap+40 (allocation of 40 bytes)", "which == 1) a[10]"},
        HeapBug{2, "out-of-bounds", "write of 4 bytes at heap-4 (allocation of 40 bytes)", "which == 2) a[-1]"},
        HeapBug{3, "use-after-free", "use after free: read of 4 bytes at heap+8 (allocation of 40 bytes)",
                "value += a[2]"},
        HeapBug{4, "double-free", "free of heap+0 (allocation of 40 bytes), which is free already", "which == 4) free"},
        HeapBug{5, "invalid-free", "free of heap+4 (allocation of 40 bytes), which malloc has not", "free(a + 1)"},
        HeapBug{6, "invalid-free", "free of out+0 (buffer of 16 bytes), which malloc has not returned",
                "free(which == 6 ? out : a)"},
        HeapBug{7, "uninitialised-read", "read of 4 bytes at heap+0 (allocation of 40 bytes)", "int value = a[0]"},
        HeapBug{8, "out-of-bounds", "write of 4 bytes at address 0x0 (no buffer)", "which != 7) a[0] = 5"}),
    [](const auto& tested) { return "Bug" + std::to_string(tested.param.which); });

}  // namespace
}  // namespace tilescope
