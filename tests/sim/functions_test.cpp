// Device functions that are not inlined: recursion, calls through pointers, virtual functions, stacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "engine/sim/program/program.hpp"
#include "run_kernel.hpp"

namespace tilescope {
namespace {

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

TEST(Functions, RecursionIsRightWhereEachLaneGoesToAnotherDepth) {
  constexpr int kThreads = 200;
  for (int host_threads : {1, 2}) {
    Machinery machine(host_threads);
    const size_t out = machine.output<int>("out", kThreads);
    machine.value(kThreads);
    const auto report = machine.run(module_of("functions"), "recursive", {4, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(report.findings.empty());
    const auto result = machine.download<int>(out);
    for (int i = 0; i < kThreads; ++i) {
      int expected = -1;
      if (i % 3 == 0) expected = fib(i % 13);
      if (i % 3 == 1) expected = ackermann(i % 3, i % 5) * 2 + (i % 17 % 2 == 0 ? 1 : 0);
      for (int k = 0; k < i % 4; ++k) expected += fib(k + 2);
      EXPECT_EQ(result[static_cast<size_t>(i)], expected) << i;
    }
  }
}

TEST(Functions, RecursionThatLastsIsNotTakenForAHang) {
  constexpr int kN = 25;
  Machinery machine;
  const size_t out = machine.output<int>("out", 2);
  machine.value(kN);
  const auto report = machine.run(module_of("functions"), "lasting", {1, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_GT(report.counters.warp_instructions, uint64_t{1} << 20);
  EXPECT_EQ(machine.download<int>(out), std::vector<int>(2, fib(kN)));
}

TEST(Functions, ARecursiveQuicksortSortsWhatEachThreadIsGiven) {
  constexpr size_t kLength = 37, kThreads = 70;
  std::vector<int> values(kLength * kThreads);
  std::mt19937 random(7);
  for (int& value : values) value = static_cast<int>(random() % 100);
  Machinery machine;
  const size_t a = machine.input("a", values);
  machine.value(static_cast<int>(kLength));
  EXPECT_TRUE(machine.run(module_of("functions"), "sorting", {1, 1, 1}, {kThreads, 1, 1}).findings.empty());
  for (size_t i = 0; i < kThreads; ++i) {
    const auto part = values.begin() + static_cast<std::ptrdiff_t>(i * kLength);
    std::sort(part, part + kLength);
  }
  EXPECT_EQ(machine.download<int>(a), values);
}

int collect(const int* above, int depth) {
  int own[8];
  for (int k = 0; k < 8; ++k) own[k] = above[(k + depth) % 8] + depth;
  if (depth == 0) return own[3];
  const int left = collect(own, depth - 1);
  own[depth % 8] += left;
  return left + collect(own, depth - 1) + own[1];
}

TEST(Functions, EachCallHasLocalArraysOfItsOwn) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 64);
  EXPECT_TRUE(machine.run(module_of("functions"), "frames", {1, 1, 1}, {64, 1, 1}).findings.empty());
  const auto result = machine.download<int>(out);
  for (int i = 0; i < 64; ++i) {
    int seed[8];
    for (int k = 0; k < 8; ++k) seed[k] = i * k;
    EXPECT_EQ(result[static_cast<size_t>(i)], collect(seed, i % 6)) << i;
  }
}

TEST(Functions, ATreeInGlobalMemoryIsWalkedRecursively) {
  struct Node {
    int value, left, right;
  };
  constexpr int kNodes = 63;
  std::vector<Node> nodes(kNodes);
  for (int i = 0; i < kNodes; ++i)
    nodes[static_cast<size_t>(i)] = {i * i, 2 * i + 1 < kNodes ? 2 * i + 1 : -1, 2 * i + 2 < kNodes ? 2 * i + 2 : -1};
  std::vector<int> sums(kNodes, 0);
  for (int i = kNodes; i-- > 0;) {
    const Node& node = nodes[static_cast<size_t>(i)];
    sums[static_cast<size_t>(i)] = node.value;
    for (int child : {node.left, node.right})
      if (child >= 0) sums[static_cast<size_t>(i)] += sums[static_cast<size_t>(child)];
  }
  Machinery machine;
  machine.input("nodes", nodes);
  const size_t out = machine.output<int>("out", kNodes);
  EXPECT_TRUE(machine.run(module_of("functions"), "trees", {1, 1, 1}, {kNodes, 1, 1}).findings.empty());
  EXPECT_EQ(machine.download<int>(out), sums);
}

float operate(int which, float a, float b) { return which == 0 ? a + b : which == 1 ? a - b : a * b; }

TEST(Functions, TablesOfFunctionPointersInConstantAndDeviceMemoryAreCalled) {
  constexpr int kThreads = 96;
  std::vector<float> in(kThreads);
  for (int i = 0; i < kThreads; ++i) in[static_cast<size_t>(i)] = static_cast<float>(i % 11) - 4.0F;
  Machinery machine;
  machine.input("in", in);
  const size_t out = machine.output<float>("out", kThreads);
  EXPECT_TRUE(machine.run(module_of("functions"), "pointers", {1, 1, 1}, {kThreads, 1, 1}).findings.empty());
  const auto result = machine.download<float>(out);
  for (int i = 0; i < kThreads; ++i) {
    const int chosen = i % 2 != 0 ? i % 3 : std::array{2, 0, 1}[static_cast<size_t>(i % 3)];
    const float a = in[static_cast<size_t>(i)], b = static_cast<float>(i) + 1.0F;
    float expected = operate(chosen, a, b);
    if (i % 5 == 0) expected += operate(chosen, a, b) + operate(chosen, b, a);
    const float scaled = (2 * a - b) + (2 * b - a);
    expected = expected + scaled + operate((i + 1) % 3, expected, a);
    EXPECT_EQ(result[static_cast<size_t>(i)], expected) << i;
  }
}

TEST(Functions, APointerThatOneLaunchStoresIsCalledByTheNext) {
  Machinery machine;
  const CompiledModule module = module_of("functions");
  machine.output<uint64_t>("where", 1);
  machine.value(1);
  EXPECT_TRUE(machine.run(module, "choose", {1, 1, 1}, {1, 1, 1}).findings.empty());
  machine.launch.arguments.pop_back();
  machine.options.launch_index = 1;
  const size_t out = machine.output<float>("out", 32);
  EXPECT_TRUE(machine.run(module, "use", {1, 1, 1}, {32, 1, 1}).findings.empty());
  const auto result = machine.download<float>(out);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], static_cast<float>(i) * 3.0F);
}

TEST(Functions, VirtualFunctionsAreThoseOfTheObject) {
  Machinery machine;
  const size_t out = machine.output<float>("out", 64);
  EXPECT_TRUE(machine.run(module_of("functions"), "virtuals", {1, 1, 1}, {64, 1, 1}).findings.empty());
  const auto result = machine.download<float>(out);
  for (size_t i = 0; i < 64; ++i) {
    const auto width = static_cast<float>(i);
    const float expected = i % 3 != 0 ? 2 * width * 4 + 2 * width : 1.5F * width * 16 + 1.5F * width;
    EXPECT_EQ(result[i], expected) << i;
  }
}

TEST(Functions, StructuresArePassedAndGivenBackWholeAlsoWhereSomeBytesWereNeverSet) {
  Machinery machine;
  const size_t out = machine.output<double>("out", 64);
  EXPECT_TRUE(machine.run(module_of("functions"), "records", {1, 1, 1}, {64, 1, 1}).findings.empty());
  const auto result = machine.download<double>(out);
  for (int i = 0; i < 64; ++i) {
    const int steps = i % 7;
    double expected = i + steps * (steps + 1) / 2 + (steps >= 2 ? 2 : 0) + (steps >= 6 ? 6 : 0);
    double weight = 1.0;
    for (int k = 0; k < steps; ++k) weight *= 1.5;
    EXPECT_EQ(result[static_cast<size_t>(i)], expected + weight) << i;
  }
}

TEST(Functions, LanesMeetAgainInsideAndBehindCallsThroughPointers) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 64);
  EXPECT_TRUE(machine.run(module_of("functions"), "exchanging", {1, 1, 1}, {64, 1, 1}).findings.empty());
  const auto result = machine.download<int>(out);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(result[static_cast<size_t>(i)], (i ^ 1) + 1000 * (i ^ 33 ^ 1)) << i;
}

TEST(Functions, RecursionWithoutEndIsReportedWithItsDepthAndStopsTheBlock) {
  Machinery machine;
  machine.output<int>("out", 1);
  const auto report = machine.run(module_of("functions"), "overflowing", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_TRUE(report.stopped_by_finding);
  EXPECT_EQ(report.findings[0].id, "stack-overflow");
  EXPECT_EQ(report.findings[0].thread, (Dim3{5, 0, 0}));
  EXPECT_NE(report.findings[0].message.find("'endless(int)' is called "), std::string::npos)
      << report.findings[0].message;
  EXPECT_NE(report.findings[0].message.find("kernels/functions.cu:"), std::string::npos);
}

TEST(Functions, ACallOfWhatIsNoFunctionIsReported) {
  // Null, and addresses before, between and after those of functions.
  for (const uint64_t address : {uint64_t{0}, uint64_t{64}, kCodeWindow, kCodeWindow + 1, kCodeWindow + 5 * 128 + 4,
                                 kCodeWindow + 90000 * 128, ~uint64_t{0}}) {
    Machinery machine;
    machine.input("address", std::vector<uint64_t>(32, address));
    machine.output<float>("out", 32);
    const auto report = machine.run(module_of("functions"), "wrong_pointer", {1, 1, 1}, {32, 1, 1});
    ASSERT_EQ(report.findings.size(), 1U) << address;
    EXPECT_TRUE(report.stopped_by_finding);
    EXPECT_EQ(report.findings[0].id, "bad-function-pointer");
    EXPECT_EQ(report.findings[0].count, 32U);
    EXPECT_EQ(report.findings[0].message.starts_with(address == 0 ? "bad function pointer: call of a null pointer, "
                                                                  : "bad function pointer: call of 0x"),
              true)
        << report.findings[0].message;
  }
}

TEST(Functions, ACallThroughAPointerOfTheWrongTypeNamesTheFunction) {
  Machinery machine;
  machine.output<float>("out", 32);
  const auto report = machine.run(module_of("functions"), "wrong_type", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "bad-function-pointer");
  EXPECT_NE(report.findings[0].message.find("call of 'multiply(float, float)' through a pointer to a function of "
                                            "a different type"),
            std::string::npos)
      << report.findings[0].message;
}

}  // namespace
}  // namespace tilescope
