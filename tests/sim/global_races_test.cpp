// Races in global memory are found where the accesses of blocks or warps are unordered; similar correct kernels are
// silent.
#include <random>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

const CompiledModule& races() {
  static const CompiledModule module = module_of("global_races");
  return module;
}

template <class T>
std::vector<T> mixed_values(size_t count) {
  std::mt19937 generator(11);
  std::uniform_int_distribution<int> value(1, 100);
  std::vector<T> values(count);
  for (T& element : values) element = static_cast<T>(value(generator));
  return values;
}

struct Shape {
  Dim3 grid{16, 1, 1}, block{256, 1, 1};
  int n = 4096;
};
constexpr Shape kSquare{{4, 4, 1}, {16, 16, 1}, 64};

template <class T>
LaunchReport run(const std::string& kernel, Shape shape = {}, int threads = 1,
                 std::vector<T> a = mixed_values<T>(8192)) {
  Machinery machine(threads);
  machine.input("a", a);
  machine.input("out", std::vector<int>(8192, 0));
  machine.value(shape.n);
  return machine.run(races(), kernel, shape.grid, shape.block);
}

/// The marks of the lines of the races found, "written, other side", in report order.
std::vector<std::string> lines_of(const LaunchReport& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    EXPECT_EQ(finding.id, "global-race") << finding.message;
    const std::string& text = finding.message;
    const size_t second = text.find("global_races.cu:", text.find("), and ")) + 16;
    const auto other_line = static_cast<uint32_t>(std::stoul(text.substr(second)));
    lines.push_back(mark_of("global_races", finding.line) + ", " + mark_of("global_races", other_line));
  }
  return lines;
}
using Lines = std::vector<std::string>;

TEST(GlobalRaces, AStencilInPlaceIsNamedWithBothBlocks) {
  const auto report = run<float>("stencil_in_place", {{16, 1, 1}, {32, 1, 1}, 512});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(
      with_marks(report.findings[0].message),
      "global race: write of 4 bytes at a+124 (buffer of 32768 bytes), kernels/global_races.cu:[smooth], block (0,0,0) "
      "thread (31,0,0), and read at kernels/global_races.cu:[smooth] by block (1,0,0) thread (0,0,0) with nothing that "
      "orders the blocks");
  EXPECT_EQ(report.findings[0].count, 30U);
  EXPECT_EQ(report.findings[0].buffer, "a");
  EXPECT_EQ(report.findings[0].offset, 124);
}
TEST(GlobalRaces, FindingsDoNotDependOnTheNumberOfHostThreads) {
  for (const char* kernel : {"last_block_wins", "sum_plain", "clamped"}) {
    const auto one = run<float>(kernel, {}, 1), three = run<float>(kernel, {}, 3);
    ASSERT_EQ(one.findings.size(), three.findings.size());
    for (size_t i = 0; i < one.findings.size(); ++i) EXPECT_EQ(one.findings[i].message, three.findings[i].message);
  }
}
TEST(GlobalRaces, OwnElementsAndOtherBuffersAreSilent) {
  EXPECT_TRUE(lines_of(run<float>("stencil")).empty());
  EXPECT_TRUE(lines_of(run<float>("scale_in_place")).empty());
  EXPECT_TRUE(lines_of(run<float>("scale_in_place", {{11, 1, 1}, {73, 1, 1}, 800})).empty());
  EXPECT_TRUE(lines_of(run<float>("transpose", kSquare)).empty());
  EXPECT_TRUE(lines_of(run<uint8_t>("neighbouring_bytes")).empty());
}
TEST(GlobalRaces, ATransposeInPlaceIsFound) {
  EXPECT_EQ(lines_of(run<float>("transpose_in_place", kSquare)), (Lines{"[write], [read]"}));
}
TEST(GlobalRaces, BlocksThatAddUpNeedAtomics) {
  EXPECT_EQ(lines_of(run<float>("sum_plain")).front(), "[add], [add]");
  EXPECT_TRUE(lines_of(run<float>("sum_atomic")).empty());
  EXPECT_TRUE(lines_of(run<float>("histogram")).empty());
}
TEST(GlobalRaces, WritesOfTheSameValueAreSilentAndOfDifferentOnesAreNot) {
  EXPECT_TRUE(lines_of(run<float>("set_flag")).empty());
  EXPECT_TRUE(lines_of(run<float>("clamped", {{20, 1, 1}, {256, 1, 1}, 4000})).empty());
  EXPECT_EQ(lines_of(run<float>("last_block_wins")), (Lines{"[write], [write]"}));
}
TEST(GlobalRaces, WarpsOfABlockNeedABarrier) {
  const auto report = run<float>("halves_of_a_block");
  EXPECT_EQ(lines_of(report), (Lines{"[write], [read]"}));
  EXPECT_NE(report.findings[0].message.find("of the same block with no barrier between"), std::string::npos);
  EXPECT_TRUE(lines_of(run<float>("halves_with_barrier")).empty());
}
TEST(GlobalRaces, TheLastBlockSeesWhatWasFenced) {
  EXPECT_TRUE(lines_of(run<float>("reduce_last_block")).empty());
  EXPECT_EQ(lines_of(run<float>("reduce_without_fence")), (Lines{"[publish], [collect]"}));
}
TEST(GlobalRaces, LookBackNeedsItsFences) {
  EXPECT_TRUE(lines_of(run<float>("look_back")).empty());
  EXPECT_FALSE(lines_of(run<float>("look_back_without_fence")).empty());
}
TEST(GlobalRaces, FencesOfAllThreadsBeforeABarrierArePublishedByOne) {
  EXPECT_TRUE(lines_of(run<float>("producer_fences")).empty());
  EXPECT_EQ(lines_of(run<float>("producer_fences_late")).size(), 1U);
}
TEST(GlobalRaces, AGridBarrierOrdersBlocksAndABlocksBarrierDoesNot) {
  EXPECT_TRUE(lines_of(run<float>("steps_with_grid_barrier")).empty());
  EXPECT_EQ(lines_of(run<float>("steps_with_block_barrier")).front(), "[step], [step]");
}
TEST(GlobalRaces, TicketsAreSilent) { EXPECT_TRUE(lines_of(run<float>("work_queue")).empty()); }
TEST(GlobalRaces, AtomicsAreNotOrderedBeforeAnotherBlocksRead) {
  EXPECT_EQ(lines_of(run<float>("histogram_read_early")), (Lines{"[count], [read]"}));
}
TEST(GlobalRaces, AReadThatPreparesAnAtomicIsSilent) {
  EXPECT_TRUE(lines_of(run<float>("maximum_by_swap")).empty());
  EXPECT_TRUE(lines_of(run<int>("maximum_if_larger")).empty());
}
TEST(GlobalRaces, WhatIsReplacedByItselfIsSilentWhereOtherPlacesChange) {
  EXPECT_TRUE(lines_of(run<int>("shortest_paths", kSquare)).empty());
}
TEST(GlobalRaces, ConstantInputsDoNotHideARace) {
  EXPECT_EQ(lines_of(run<float>("stencil_in_place", {}, 1, std::vector<float>(8192, 1.0F))),
            (Lines{"[smooth], [smooth]"}));
}

}  // namespace
}  // namespace tilescope
