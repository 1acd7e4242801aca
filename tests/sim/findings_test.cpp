// Each check finds its bug, with the exact message, and stays silent for the similar kernel without it.
#include <algorithm>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

using Floats = std::vector<float>;

TEST(Findings, ReadPastTheEndIsNamedWithBufferOffsetLineBlockAndThread) {
  Machinery machine;
  machine.input("a", Floats(1000, 2.0F));
  const size_t out = machine.output<float>("out", 1024);
  const auto report = machine.run(module_of("misbehaving"), "read_past_end", {8, 1, 1}, {128, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  const Finding& finding = report.findings[0];
  EXPECT_EQ(with_marks(finding.message),
            "out of bounds: read of 4 bytes at a+4000 (buffer of 4000 bytes), kernels/misbehaving.cu:[read], "
            "block (7,0,0) thread (104,0,0)");
  EXPECT_EQ(finding.id, "out-of-bounds");
  EXPECT_EQ(finding.count, 24U);
  EXPECT_EQ(finding.file, "kernels/misbehaving.cu");
  EXPECT_EQ(mark_of("misbehaving", finding.line), "[read]");
  EXPECT_EQ(finding.block, (Dim3{7, 0, 0}));
  EXPECT_EQ(finding.thread, (Dim3{104, 0, 0}));
  EXPECT_EQ(finding.buffer, "a");
  EXPECT_EQ(finding.offset, 4000);
  EXPECT_FALSE(report.stopped_by_finding);
  Floats expected(1024, 2.0F);
  std::fill(expected.begin() + 1000, expected.end(), 0.0F);  // a skipped lane loads 0
  EXPECT_EQ(machine.download<float>(out), expected);
}
TEST(Findings, ReadInsideIsSilent) {
  Machinery machine;
  machine.input("a", Floats(1000, 2.0F));
  machine.output<float>("out", 1000);
  machine.value(1000);
  EXPECT_TRUE(machine.run(module_of("misbehaving"), "read_inside", {8, 1, 1}, {128, 1, 1}).findings.empty());
}
TEST(Findings, WriteBeforeTheBeginningIsStillThatBuffers) {
  Machinery machine;
  const size_t out = machine.input("out", Floats(64, 0.0F));
  machine.value(64);
  const auto report = machine.run(module_of("misbehaving"), "write_before_begin", {1, 1, 1}, {64, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "out of bounds: write of 4 bytes at out-4 (buffer of 256 bytes), kernels/misbehaving.cu:[write], "
            "block (0,0,0) thread (0,0,0)");
  EXPECT_EQ(report.findings[0].count, 1U);
  Floats expected(64, 1.0F);
  expected[63] = 0;
  EXPECT_EQ(machine.download<float>(out), expected);
}
TEST(Findings, MisalignedVectorReadIsFoundBeforeItHappens) {
  Machinery machine;
  machine.input("a", Floats(33 * 4, 3.0F));
  const size_t out = machine.output<float>("out", 32 * 4);
  const auto report = machine.run(module_of("misbehaving"), "read_misaligned", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "misaligned: read of 16 bytes at a+4 (buffer of 528 bytes), kernels/misbehaving.cu:[read], "
            "block (0,0,0) thread (0,0,0)");
  EXPECT_EQ(report.findings[0].count, 32U);
  EXPECT_EQ(machine.download<float>(out), Floats(32 * 4, 0.0F));
}
TEST(Findings, AlignedVectorReadIsSilent) {
  Machinery machine;
  machine.input("a", Floats(33 * 4, 3.0F));
  const size_t out = machine.output<float>("out", 32 * 4);
  EXPECT_TRUE(machine.run(module_of("misbehaving"), "read_aligned", {1, 1, 1}, {32, 1, 1}).findings.empty());
  EXPECT_EQ(machine.download<float>(out), Floats(32 * 4, 3.0F));
}
TEST(Findings, ReadOfMemoryThatNobodyWroteIsFound) {
  Machinery machine;
  machine.output<float>("out", 100);
  machine.value(100);
  const auto report = machine.run(module_of("misbehaving"), "accumulate", {1, 1, 1}, {128, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "uninitialised read: read of 4 bytes at out+0 (buffer of 400 bytes), kernels/misbehaving.cu:[add], "
            "block (0,0,0) thread (0,0,0)");
  EXPECT_EQ(report.findings[0].count, 100U);
}
TEST(Findings, ReadOfPoisonIsFoundAndOfUploadedBytesIsNot) {
  for (bool poison : {true, false}) {
    Machinery machine;
    const size_t out = machine.output<float>("out", 100);
    const Floats zeros(100, 0.0F);
    ASSERT_TRUE(machine.executor->upload(*machine.buffers[out], std::as_bytes(std::span(zeros)), poison).has_value());
    machine.value(100);
    const auto report = machine.run(module_of("misbehaving"), "accumulate", {1, 1, 1}, {128, 1, 1});
    EXPECT_EQ(report.findings.size(), poison ? 1U : 0U);
    EXPECT_EQ(machine.download<float>(out), Floats(100, 1.0F));
  }
}
TEST(Findings, ReadOfWhatTheKernelOrAnEarlierLaunchWroteIsSilent) {
  Machinery machine;
  machine.output<float>("out", 100);
  machine.value(100);
  EXPECT_TRUE(machine.run(module_of("misbehaving"), "write_then_read", {1, 1, 1}, {128, 1, 1}).findings.empty());
  machine.options.launch_index = 1;
  EXPECT_TRUE(machine.run(module_of("misbehaving"), "accumulate", {1, 1, 1}, {128, 1, 1}).findings.empty());
}
TEST(Findings, NullPointerIsNamedByItsAddress) {
  Machinery machine;
  machine.output<float>("out", 32);
  const auto report = machine.run(module_of("misbehaving"), "dereference_null", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "out of bounds: read of 4 bytes at address 0x0 (no buffer), kernels/misbehaving.cu:[read], "
            "block (0,0,0) thread (0,0,0)");
}
TEST(Findings, UnwrittenSharedMemoryIsFound) {
  Machinery machine;
  machine.output<float>("out", 64);
  const auto report = machine.run(module_of("misbehaving"), "read_unwritten_shared", {1, 1, 1}, {64, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "uninitialised read: read of 4 bytes at tile+28 (shared memory of 256 bytes), "
            "kernels/misbehaving.cu:[read], block (0,0,0) thread (56,0,0)");
}
TEST(Findings, BarrierThatSomeThreadsLeftIsFoundAndAWholeBlocksIsNot) {
  for (int n : {40, 64}) {
    Machinery machine;
    machine.output<float>("out", 64);
    machine.value(n);
    const auto report = machine.run(module_of("misbehaving"), "leave_before_barrier", {1, 1, 1}, {64, 1, 1});
    ASSERT_EQ(report.findings.size(), n == 64 ? 0U : 1U);
    if (n != 64) {
      EXPECT_EQ(with_marks(report.findings[0].message),
                "divergent barrier: barrier 0 is reached by 40 of 64 threads, the others have left the kernel, "
                "kernels/misbehaving.cu:[barrier], block (0,0,0) thread (0,0,0)");
    }
  }
}
TEST(Findings, TrapEndsTheLaunch) {
  Machinery machine;
  machine.output<float>("out", 32);
  const auto report = machine.run(module_of("misbehaving"), "trap_in_lane_5", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "trap: the kernel stopped itself, kernels/misbehaving.cu:[trap], block (0,0,0) thread (5,0,0)");
  EXPECT_TRUE(report.stopped_by_finding);
}
TEST(Findings, EndlessLoopEndsWithTheBudgetOfSteps) {
  Machinery machine;
  machine.input("flag", std::vector<int>(1, 0));
  machine.options.step_budget = 50'000;
  const auto report = machine.run(module_of("misbehaving"), "spin", {2, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "step-limit");
  EXPECT_EQ(mark_of("misbehaving", report.findings[0].line), "[wait]");
  EXPECT_NE(report.findings[0].message.find("still running after 50000 warp instructions"), std::string::npos);
  EXPECT_TRUE(report.stopped_by_finding);
}
TEST(Findings, StepsOfAllBlocksCountTowardsTheBudget) {
  for (uint64_t budget : {22U * 4 - 1, 22U * 4}) {
    Machinery machine;
    machine.input("a", Floats(128, 1.0F));
    machine.input("b", Floats(128, 1.0F));
    machine.output<float>("out", 128);
    machine.value(128);
    machine.options.step_budget = budget;
    const auto report = machine.run(module_of("vector_add"), "add_scalar", {4, 1, 1}, {32, 1, 1});
    EXPECT_EQ(report.findings.size(), budget == 22U * 4 ? 0U : 1U);
  }
}
TEST(Findings, AreOffWithoutChecksButNothingOutsideIsTouched) {
  Machinery machine;
  machine.options.checks = false;
  machine.input("a", Floats(1000, 2.0F));
  const size_t out = machine.output<float>("out", 1024);
  EXPECT_TRUE(machine.run(module_of("misbehaving"), "read_past_end", {8, 1, 1}, {128, 1, 1}).findings.empty());
  Floats expected(1024, 2.0F);
  std::fill(expected.begin() + 1000, expected.end(), 0.0F);
  EXPECT_EQ(machine.download<float>(out), expected);
}

}  // namespace
}  // namespace tilescope
