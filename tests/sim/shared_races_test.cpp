// Races in shared memory are found where two accesses are unordered; similar correct kernels are silent.
#include <numeric>
#include <random>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

const CompiledModule& races() {
  static const CompiledModule module = module_of("shared_races");
  return module;
}

/// Unsorted distances and values: whole numbers, so that they suit floats, integers and bytes.
template <class T>
std::vector<T> mixed_values(size_t count) {
  std::mt19937 generator(7);
  std::uniform_int_distribution<int> value(1, 100);
  std::vector<T> values(count);
  for (T& element : values) element = static_cast<T>(value(generator));
  return values;
}

template <class T>
LaunchReport run(const std::string& kernel, Dim3 block, std::vector<T> in = mixed_values<T>(8192), int threads = 1) {
  Machinery machine(threads);
  machine.input("in", in);
  machine.input("out", std::vector<T>(8192, T{}));
  machine.value(8);
  return machine.run(races(), kernel, {1, 1, 1}, block);
}

LaunchReport multiply(const std::string& kernel, std::vector<float> a, int threads = 1) {
  Machinery machine(threads);
  machine.input("a", a);
  machine.input("b", mixed_values<float>(4096));
  machine.output<float>("c", 4096);
  machine.value(64);
  return machine.run(races(), kernel, {4, 4, 1}, {16, 16, 1});
}

/// The marks of the lines of the races found, "written, other side", in report order.
std::vector<std::string> lines_of(const LaunchReport& report, const std::string& id = "shared-race") {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    if (finding.id != id) continue;
    const std::string& text = finding.message;
    const size_t second = text.find("shared_races.cu:", text.find("), and ")) + 16;
    const auto other_line = static_cast<uint32_t>(std::stoul(text.substr(second)));
    lines.push_back(mark_of("shared_races", finding.line) + ", " + mark_of("shared_races", other_line));
  }
  return lines;
}
using Lines = std::vector<std::string>;

TEST(SharedRaces, AMissingBarrierIsNamedWithBothLinesAndThreads) {
  const auto report = run<float>("write_then_read", {256, 1, 1});
  ASSERT_FALSE(report.findings.empty());
  const Finding& finding = report.findings.back();
  EXPECT_EQ(finding.id, "shared-race");
  EXPECT_EQ(
      with_marks(finding.message),
      "shared race: write of 4 bytes at s+0 (shared memory of 1024 bytes), kernels/shared_races.cu:[write], "
      "block (0,0,0) thread (0,0,0), and read at kernels/shared_races.cu:[read] by thread (255,0,0) with no barrier "
      "between");
  EXPECT_EQ(finding.count, 256U);
  EXPECT_EQ(finding.buffer, "shared memory");
  EXPECT_EQ(finding.thread, (Dim3{0, 0, 0}));
}
TEST(SharedRaces, ABarrierBetweenIsSilent) {
  EXPECT_TRUE(run<float>("write_barrier_read", {256, 1, 1}).findings.empty());
}
TEST(SharedRaces, AThreadsOwnElementNeedsNoBarrier) {
  EXPECT_TRUE(run<float>("own_element", {256, 1, 1}).findings.empty());
}
TEST(SharedRaces, AMatrixProductNeedsTheSecondBarrierToo) {
  EXPECT_EQ(lines_of(multiply("matmul_one_barrier", mixed_values<float>(4096))),
            (Lines{"[load a], [multiply]", "[load b], [multiply]"}));
  EXPECT_TRUE(multiply("matmul_two_barriers", mixed_values<float>(4096)).findings.empty());
}
TEST(SharedRaces, ConstantInputsDoNotHideARace) {
  EXPECT_EQ(lines_of(multiply("matmul_one_barrier", std::vector<float>(4096, 1.0F))),
            (Lines{"[load a], [multiply]", "[load b], [multiply]"}));
  EXPECT_TRUE(multiply("matmul_two_barriers", std::vector<float>(4096, 1.0F)).findings.empty());
}
TEST(SharedRaces, FindingsDoNotDependOnTheNumberOfHostThreads) {
  const auto one = multiply("matmul_one_barrier", mixed_values<float>(4096), 1);
  const auto three = multiply("matmul_one_barrier", mixed_values<float>(4096), 3);
  ASSERT_EQ(one.findings.size(), three.findings.size());
  for (size_t i = 0; i < one.findings.size(); ++i) {
    EXPECT_EQ(one.findings[i].message, three.findings[i].message);
    EXPECT_EQ(one.findings[i].count, three.findings[i].count);
  }
}
TEST(SharedRaces, TwoBuffersNeedOneBarrierATurnAndNotLess) {
  EXPECT_TRUE(run<float>("two_buffers", {256, 1, 1}).findings.empty());
  EXPECT_EQ(lines_of(run<float>("two_buffers_filled_early", {256, 1, 1})), (Lines{"[refill], [read]"}));
}
TEST(SharedRaces, AHistogramNeedsAtomics) {
  EXPECT_EQ(lines_of(run<int>("histogram_plain", {256, 1, 1})).front(), "[count], [count]");
  EXPECT_TRUE(run<int>("histogram_atomic", {256, 1, 1}).findings.empty());
}
TEST(SharedRaces, AtomicsAreNotOrderedBeforeAPlainRead) {
  EXPECT_EQ(lines_of(run<int>("histogram_unfinished", {256, 1, 1})), (Lines{"[count], [read]"}));
}
TEST(SharedRaces, AReductionNeedsABarrierAtEachStep) {
  EXPECT_TRUE(run<float>("reduce", {256, 1, 1}).findings.empty());
  EXPECT_EQ(lines_of(run<float>("reduce_without_barrier", {256, 1, 1})), (Lines{"[add], [add]"}));
}
TEST(SharedRaces, LanesOfAWarpNeedSyncwarp) {
  EXPECT_TRUE(run<float>("warp_exchange", {32, 1, 1}).findings.empty());
  EXPECT_TRUE(run<float>("warp_exchange_by_shuffle", {32, 1, 1}).findings.empty());
  const auto report = run<float>("warp_exchange_without_sync", {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(
      with_marks(report.findings[0].message),
      "shared race: write of 4 bytes at s+4 (shared memory of 128 bytes), kernels/shared_races.cu:[write], "
      "block (0,0,0) thread (1,0,0), and read at kernels/shared_races.cu:[read] by thread (0,0,0) of the same warp "
      "with no __syncwarp() between");
  EXPECT_EQ(report.findings[0].count, 32U);
  EXPECT_EQ(lines_of(run<float>("warp_overwrites", {32, 1, 1})), (Lines{"[write], [read]"}));
}
TEST(SharedRaces, VolatileDoesNotReplaceSyncwarp) {
  const auto report = run<float>("warp_reduce_volatile", {32, 1, 1});
  EXPECT_TRUE(lines_of(report).empty());
  EXPECT_FALSE(lines_of(report, "missing-syncwarp").empty());
}
TEST(SharedRaces, WritesOfTheSameValueAreSilentAndOfDifferentOnesAreNot) {
  EXPECT_TRUE(run<float>("same_flag", {256, 1, 1}).findings.empty());
  EXPECT_TRUE(run<float>("redundant_writes", {256, 1, 1}).findings.empty());
  const auto report = run<float>("last_one_wins", {256, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "shared race: write of 4 bytes at found (shared memory of 4 bytes), kernels/shared_races.cu:[write], "
            "block (0,0,0) thread (1,0,0), and write at kernels/shared_races.cu:[write] by thread (0,0,0) by the same "
            "instruction with a different value");
}
TEST(SharedRaces, NeighbouringBytesOfDifferentWarpsAreSilent) {
  EXPECT_TRUE(run<uint8_t>("neighbouring_bytes", {256, 1, 1}).findings.empty());
}
TEST(SharedRaces, ProducersAndConsumersMeetAtNamedBarriers) {
  EXPECT_TRUE(run<float>("producer_consumer", {256, 1, 1}).findings.empty());
  EXPECT_EQ(lines_of(run<float>("producer_too_fast", {256, 1, 1})), (Lines{"[fill], [read]"}));
}
TEST(SharedRaces, AFlagPublishesWhatIsBeforeItsFence) {
  EXPECT_TRUE(run<int>("flag_with_fence", {64, 1, 1}).findings.empty());
  EXPECT_EQ(lines_of(run<int>("flag_without_fence", {64, 1, 1})), (Lines{"[write], [read]"}));
}
TEST(SharedRaces, ALockNeedsFences) {
  EXPECT_TRUE(run<int>("lock", {256, 1, 1}).findings.empty());
  EXPECT_EQ(lines_of(run<int>("lock_without_fence", {256, 1, 1})), (Lines{"[add], [add]"}));
}
TEST(SharedRaces, WhatIsReplacedByItselfIsSilentWhereOtherPlacesChange) {
  EXPECT_TRUE(run<int>("shortest_paths", {16, 16, 1}).findings.empty());
}
TEST(SharedRaces, TextbookKernelsAreSilent) {
  EXPECT_TRUE(run<int>("bitonic_sort", {256, 1, 1}).findings.empty());
  EXPECT_TRUE(run<float>("transpose_padded", {32, 8, 1}).findings.empty());
  EXPECT_TRUE(run<int>("scan", {256, 1, 1}).findings.empty());
}
TEST(SharedRaces, AScanNeedsABarrierBetweenReadingAndWriting) {
  EXPECT_EQ(lines_of(run<int>("scan_one_barrier", {256, 1, 1})).front(), "[write], [read]");
}
TEST(SharedRaces, AreNotLookedForWithoutChecks) {
  Machinery machine;
  machine.options.checks = false;
  machine.input("in", mixed_values<float>(256));
  machine.output<float>("out", 256);
  machine.value(8);
  EXPECT_TRUE(machine.run(races(), "write_then_read", {1, 1, 1}, {256, 1, 1}).findings.empty());
}

}  // namespace
}  // namespace tilescope
