// CUDA's ways to copy asynchronously, as compiled by NVRTC: all give the same sums without findings, and the variants
// with a bug are found.
#include <algorithm>
#include <numeric>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

constexpr size_t kTiles = 7, kThreads = 128;

struct Outcome {
  LaunchReport report;
  std::vector<float> sums;
};
Outcome run(const std::string& kernel, bool checks = true) {
  std::vector<float> in(kTiles * kThreads * 4);
  std::iota(in.begin(), in.end(), 0.0F);
  Machinery machine;
  machine.options.checks = checks;
  machine.options.step_budget = 10'000'000;
  machine.input("in", in);
  const size_t out = machine.output<float>("out", kThreads);
  machine.value(static_cast<int>(kTiles));
  Outcome outcome;
  outcome.report = machine.run(module_of("async"), kernel, {1, 1, 1}, {kThreads, 1, 1});
  outcome.sums = machine.download<float>(out);
  return outcome;
}
float expected_sum(size_t thread) {
  float sum = 0;
  for (size_t tile = 0; tile < kTiles; ++tile) sum += static_cast<float>((tile * kThreads + kThreads - 1 - thread) * 4);
  return sum;
}

TEST(AsyncKernels, InEveryWayOfCudaSumWhatWasCopiedAndAreSilent) {
  for (const char* kernel : {"primitives", "four_stages", "group_copy", "mbarrier", "cuda_barrier", "cuda_pipeline"}) {
    for (bool checks : {true, false}) {
      SCOPED_TRACE(kernel);
      const Outcome outcome = run(kernel, checks);
      EXPECT_TRUE(outcome.report.findings.empty()) << outcome.report.findings[0].message;
      for (size_t thread = 0; thread < kThreads; ++thread) EXPECT_EQ(outcome.sums[thread], expected_sum(thread));
    }
  }
}
TEST(AsyncKernels, OfAProducerAndConsumersTakeTurnsThroughTwoBarriers) {
  const Outcome outcome = run("producer_and_consumers");
  EXPECT_TRUE(outcome.report.findings.empty()) << outcome.report.findings[0].message;
  for (size_t thread = 32; thread < kThreads; ++thread) EXPECT_EQ(outcome.sums[thread], expected_sum(thread));
}
TEST(AsyncKernels, ThatWaitForOneGroupTooFewAreFound) {
  const Outcome outcome = run("primitives_wait_too_little");
  ASSERT_FALSE(outcome.report.findings.empty());
  const Finding& finding = outcome.report.findings[0];
  EXPECT_EQ(finding.id, "async-copy-not-waited");
  EXPECT_EQ(mark_of("async", finding.line), "[read]");  // the line of the read, not of the copy
  EXPECT_EQ(finding.file, "kernels/async.cu");
}
TEST(AsyncKernels, ThatDoNotWaitForTheirBarrierAreFound) {
  const Outcome outcome = run("mbarrier_not_waited");
  const auto& findings = outcome.report.findings;
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(),
                          [](const Finding& finding) { return finding.id == "async-copy-not-waited"; }));
}

/// A kernel of 64 threads with an mbarrier at [bar]; each thread stores %r0 to `out`.
CompiledModule module_around(const std::string& body) {
  CompiledModule module;
  module.ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pout)\n{\n.reg .pred %p<4>;\n"
      ".reg .b32 %r<32>;\n.reg .b64 %rd<8>, %out;\n.reg .b32 %thread;\n.shared .align 8 .b64 bar;\n"
      "ld.param.u64 %out, [pout];\nmov.u32 %thread, %tid.x;\nmul.wide.u32 %rd0, %thread, 4;\n"
      "add.s64 %out, %out, %rd0;\nmov.u32 %r0, 0;\n" +
      body + "\nst.global.b32 [%out], %r0;\nret;\n}\n";
  return module;
}
struct Result64 {
  LaunchReport report;
  std::vector<uint32_t> out;
};
Result64 run_64(const std::string& body) {
  Machinery machine;
  machine.options.step_budget = 1'000'000;
  const size_t out = machine.output<uint32_t>("out", 64);
  Result64 result;
  result.report = machine.run(module_around(body), "k", {1, 1, 1}, {64, 1, 1});
  result.out = machine.download<uint32_t>(out);
  return result;
}
/// Thread 0 initialises the barrier for `count` arrivals.
std::string init(int count) {
  return "setp.eq.u32 %p0, %thread, 0;\n@%p0 mbarrier.init.shared.b64 [bar], " + std::to_string(count) +
         ";\nbar.sync 0;\n";
}
const std::string kWaitForState = "LOOP:\nmbarrier.test_wait.shared.b64 %p1, [bar], %rd1;\n@!%p1 bra LOOP;\n";

TEST(Mbarrier, OpensWhenAllHaveArrived) {
  const auto result = run_64(init(64) + "mbarrier.arrive.shared.b64 %rd1, [bar];\n" + kWaitForState +
                             "mbarrier.pending_count.b64 %r0, %rd1;\n");
  EXPECT_TRUE(result.report.findings.empty()) << result.report.findings[0].message;
  // Lanes arrive one after another: each state tells how many arrivals were missing before.
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < 64; ++i) expected[i] = 64 - i;
  EXPECT_EQ(result.out, expected);
}
TEST(Mbarrier, CountsSeveralArrivalsAtOnceAndByParity) {
  const auto result = run_64(init(128) +
                             "mbarrier.arrive.release.cta.shared::cta.b64 %rd1, [bar], 2;\n"
                             "LOOP:\nmbarrier.try_wait.parity.shared.b64 %p1, [bar], 0, 1000;\n@!%p1 bra LOOP;\n"
                             "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p2, [bar], 1;\n"
                             "selp.u32 %r0, 1, 0, %p2;\n");
  EXPECT_TRUE(result.report.findings.empty()) << result.report.findings[0].message;
  EXPECT_EQ(result.out, std::vector<uint32_t>(64, 0));  // the second phase is not over
}
TEST(Mbarrier, ExpectsNoMoreThoseThatDroppedOut) {
  // The first warp drops out permanently; in the second phase the other warp's 32 arrivals suffice.
  const auto result =
      run_64(init(64) + "setp.lt.u32 %p3, %thread, 32;\n@%p3 bra DROP;\nmbarrier.arrive.shared.b64 %rd1, [bar];\n" +
             kWaitForState +
             "mbarrier.arrive.shared.b64 %rd1, [bar];\n"
             "AGAIN:\nmbarrier.test_wait.shared.b64 %p1, [bar], %rd1;\n@!%p1 bra AGAIN;\nbra DONE;\n"
             "DROP:\nmbarrier.arrive_drop.shared.b64 %rd1, [bar];\nDONE:\nmov.u32 %r0, 5;\n");
  EXPECT_TRUE(result.report.findings.empty()) << result.report.findings[0].message;
  EXPECT_EQ(result.out, std::vector<uint32_t>(64, 5));
}
TEST(Mbarrier, WaitsForTheBytesThatItExpects) {
  const auto result =
      run_64(init(64) +
             "@%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 48;\nbar.sync 0;\n"
             "mbarrier.arrive.shared.b64 %rd1, [bar];\nbar.sync 0;\nmbarrier.test_wait.shared.b64 %p1, [bar], %rd1;\n"
             "selp.u32 %r0, 1, 0, %p1;\nbar.sync 0;\n@%p0 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 48;\n"
             "bar.sync 0;\nmbarrier.test_wait.shared.b64 %p1, [bar], %rd1;\nselp.u32 %r1, 2, 0, %p1;\nadd.u32 %r0, "
             "%r0, %r1;\n");
  EXPECT_TRUE(result.report.findings.empty()) << result.report.findings[0].message;
  EXPECT_EQ(result.out, std::vector<uint32_t>(64, 2));  // over only once the bytes had arrived
}
TEST(Mbarrier, HalfOfAWarpMayWaitForTheOtherHalf) {
  // The lanes that run first wait in a loop for those that have not arrived yet.
  const auto result = run_64(init(64) +
                             "and.b32 %r1, %thread, 16;\nsetp.eq.u32 %p3, %r1, 0;\n@!%p3 bra LATE;\n"
                             "mbarrier.arrive.shared.b64 %rd1, [bar];\n" +
                             kWaitForState +
                             "bra DONE;\nLATE:\nmbarrier.arrive.shared.b64 %rd2, [bar];\n"
                             "LOOP2:\nmbarrier.test_wait.shared.b64 %p1, [bar], %rd2;\n@!%p1 bra LOOP2;\n"
                             "DONE:\nmov.u32 %r0, 9;\n");
  EXPECT_TRUE(result.report.findings.empty()) << result.report.findings[0].message;
  EXPECT_EQ(result.out, std::vector<uint32_t>(64, 9));
}
TEST(Mbarrier, OrdersWhatWasWrittenBeforeTheArrival) {
  // Each thread reads what a thread of the other warp has written; without the wait that is a race.
  for (bool waits : {true, false}) {
    Machinery machine;
    machine.output<uint32_t>("out", 64);
    CompiledModule module =
        module_around(init(64) +
                      "mov.u32 %r2, tile;\nmad.lo.u32 %r3, %thread, 4, %r2;\nst.shared.b32 [%r3], %thread;\n"
                      "mbarrier.arrive.shared.b64 %rd1, [bar];\n" +
                      (waits ? kWaitForState : "") +
                      "xor.b32 %r4, %thread, 32;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.b32 %r0, [%r4];\n");
    const size_t at = module.ptx.find(".shared .align 8");
    module.ptx.insert(at, ".shared .align 8 .b8 tile[256];\n");
    const auto report = machine.run(module, "k", {1, 1, 1}, {64, 1, 1});
    EXPECT_EQ(report.findings.empty(), waits) << (report.findings.empty() ? "" : report.findings[0].message);
  }
}
TEST(Mbarrier, ThatNobodyInitialisedOrThatIsArrivedAtTooOftenIsFound) {
  const auto uninitialised = run_64("mbarrier.arrive.shared.b64 %rd1, [bar];\n");
  ASSERT_FALSE(uninitialised.report.findings.empty());
  EXPECT_EQ(uninitialised.report.findings[0].id, "uninitialised-read");
  const auto often = run_64(init(32) + "mbarrier.arrive.shared.b64 %rd1, [bar], 3;\n");
  ASSERT_FALSE(often.report.findings.empty());
  EXPECT_EQ(often.report.findings[0].id, "mbarrier-misuse");
  EXPECT_NE(often.report.findings[0].message.find("3 arrivals at a barrier whose phase waits for 2"), std::string::npos)
      << often.report.findings[0].message;
}

}  // namespace
}  // namespace tilescope
