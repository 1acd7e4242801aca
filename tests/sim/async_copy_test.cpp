// cp.async: when its bytes arrive, how it is counted, and the finding if the kernel does not wait for it (PTX ISA 9.0,
// 9.7.9.25.3).
#include <numeric>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

/// A kernel with 1024 bytes of shared memory `tile`; %to and %at are the addresses of the thread's 16 bytes in `tile`
/// and `in`, %out4 that of its word in `out`.
CompiledModule module_around(const std::string& body) {
  CompiledModule module;
  module.ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"kernels/c.cu\"\n"
      ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<32>;\n"
      ".reg .b64 %rd<8>, %in, %at, %out, %out4;\n.reg .b32 %thread, %to, %n;\n.shared .align 128 .b8 tile[1024];\n"
      "ld.param.u64 %in, [pin];\nld.param.u64 %out, [pout];\nld.param.u32 %n, [pn];\nmov.u32 %thread, %tid.x;\n"
      "mul.wide.u32 %at, %thread, 16;\nadd.s64 %at, %at, %in;\nmul.wide.u32 %out4, %thread, 4;\n"
      "add.s64 %out4, %out4, %out;\nmov.u32 %to, tile;\nmad.lo.u32 %to, %thread, 16, %to;\n" +
      body + "\nret;\n}\n";
  return module;
}
std::vector<int> counting(size_t n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 100);
  return values;
}

struct Outcome {
  LaunchReport report;
  std::vector<int> out;
};
Outcome run(const std::string& body, uint32_t threads = 32, uint32_t n = 0, size_t in_words = 1024) {
  Machinery machine;
  machine.input("in", counting(in_words));
  const size_t out = machine.input("out", std::vector<int>(256, -1));
  machine.value(n);
  Outcome outcome;
  outcome.report = machine.run(module_around(body), "k", {1, 1, 1}, {threads, 1, 1});
  outcome.out = machine.download<int>(out);
  return outcome;
}
std::string first_message(const Outcome& outcome) {
  return outcome.report.findings.empty() ? "" : outcome.report.findings[0].message;
}

const std::string kCopy = "cp.async.cg.shared.global [%to], [%at], 16;\n";
const std::string kCommit = "cp.async.commit_group;\n";
const std::string kReadOwn = "ld.shared.b32 %r1, [%to];\nst.global.b32 [%out4], %r1;\n";

TEST(AsyncCopy, ArrivesWhereItWasWaitedFor) {
  for (const std::string& wait : {kCommit + "cp.async.wait_group 0;\n", std::string("cp.async.wait_all;\n")}) {
    const auto outcome = run(kCopy + wait + kReadOwn);
    EXPECT_EQ(first_message(outcome), "");
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.out[i], 100 + 4 * static_cast<int>(i));
  }
}
TEST(AsyncCopy, ReadBeforeItWasWaitedForIsFoundAndSeesTheOldBytes) {
  const auto outcome = run("mov.u32 %r0, 7;\nst.shared.b32 [%to], %r0;\n.loc 1 11 1\n" + kCopy + kCommit +
                           ".loc 1 12 1\nld.shared.b32 %r1, [%to];\n.loc 1 13 1\nst.global.b32 [%out4], %r1;\n");
  ASSERT_EQ(outcome.report.findings.size(), 1U);
  EXPECT_EQ(outcome.report.findings[0].id, "async-copy-not-waited");
  EXPECT_EQ(outcome.report.findings[0].count, 32U);
  EXPECT_EQ(first_message(outcome),
            "async copy not waited: read of 4 bytes at tile+0 (shared memory of 1024 bytes), whose copy was issued at "
            "line 11, kernels/c.cu:12, block (0,0,0) thread (0,0,0)");
  EXPECT_EQ(outcome.out[3], 7);
}
TEST(AsyncCopy, OverwrittenBeforeItWasWaitedForIsFound) {
  const auto outcome = run(kCopy + kCommit + "st.shared.b32 [%to+4], %thread;\ncp.async.wait_all;\n");
  ASSERT_EQ(outcome.report.findings.size(), 1U);
  EXPECT_EQ(outcome.report.findings[0].id, "async-copy-not-waited");
  EXPECT_NE(first_message(outcome).find("write of 4 bytes at tile+4"), std::string::npos);
  EXPECT_EQ(first_message(run(kCopy + kCommit + "st.shared.b32 [%to+512], %thread;\ncp.async.wait_all;\n")), "");
}
TEST(AsyncCopy, WaitingForAllButTheNewestGroupsLeavesThoseUnderWay) {
  // Three groups, to +0, +64 and +128 of the tile for four threads.
  const std::string copies = kCopy + kCommit + "cp.async.cg.shared.global [%to+64], [%at+64], 16;\n" + kCommit +
                             "cp.async.cg.shared.global [%to+128], [%at+128], 16;\n" + kCommit;
  const auto read = [](int offset) {
    return "ld.shared.b32 %r1, [%to+" + std::to_string(offset) + "];\nst.global.b32 [%out4], %r1;\n";
  };
  for (int keep : {0, 1, 2, 3}) {
    for (int group : {0, 1, 2}) {
      const auto outcome = run(copies + "cp.async.wait_group " + std::to_string(keep) + ";\n" + read(64 * group), 4);
      const bool arrived = group < 3 - keep;
      EXPECT_EQ(outcome.report.findings.size(), arrived ? 0U : 1U) << "keep " << keep << ", group " << group;
      EXPECT_EQ(outcome.out[1] == 104 + 16 * group, arrived);
    }
  }
}
TEST(AsyncCopy, AnEmptyGroupCountsAsAGroup) {
  EXPECT_EQ(first_message(run(kCopy + kCommit + kCommit + "cp.async.wait_group 1;\n" + kReadOwn)), "");
  EXPECT_NE(first_message(run(kCopy + kCommit + "cp.async.wait_group 1;\n" + kReadOwn)), "");
}
TEST(AsyncCopy, NotYetCommittedIsNotWaitedForByGroups) {
  EXPECT_NE(first_message(run(kCopy + "cp.async.wait_group 0;\n" + kReadOwn)), "");
}
TEST(AsyncCopy, IsWaitedForByItsOwnThreadOnly) {
  // Thread 0 of each warp waits; the others' copies are still in flight.
  const auto outcome = run(kCopy + kCommit + "setp.eq.u32 %p0, %thread, 0;\n@%p0 cp.async.wait_group 0;\n" + kReadOwn);
  ASSERT_EQ(outcome.report.findings.size(), 1U);
  EXPECT_EQ(outcome.report.findings[0].count, 31U);
  EXPECT_EQ(outcome.report.findings[0].thread, (Dim3{1, 0, 0}));
}
TEST(AsyncCopy, OfAnotherWarpIsSeenBehindWaitAndBarrier) {
  // Each of two warps reads what the other has copied.
  const std::string other =
      "xor.b32 %r2, %thread, 32;\nmov.u32 %r3, tile;\nmad.lo.u32 %r3, %r2, 16, %r3;\nld.shared.b32 %r1, [%r3];\n"
      "st.global.b32 [%out4], %r1;\n";
  const auto right = run(kCopy + "cp.async.wait_all;\nbar.sync 0;\n" + other, 64);
  EXPECT_EQ(first_message(right), "");
  EXPECT_EQ(right.out[0], 100 + 4 * 32);
  const auto wrong = run(kCopy + kCommit + "bar.sync 0;\n" + other + "cp.async.wait_all;\n", 64);
  EXPECT_NE(first_message(wrong).find("async copy not waited"), std::string::npos) << first_message(wrong);
}
TEST(AsyncCopy, ThatNobodyReadsNeedsNoWait) { EXPECT_EQ(first_message(run(kCopy + kCommit)), ""); }
TEST(AsyncCopy, OfEverySizeMovesThatManyBytes) {
  for (int bytes : {4, 8, 16}) {
    const auto outcome =
        run("mov.u32 %r0, 7;\nst.shared.v4.b32 [%to], {%r0, %r0, %r0, %r0};\ncp.async.ca.shared.global [%to], [%at], " +
            std::to_string(bytes) +
            ";\ncp.async.wait_all;\nld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%to];\nmul.wide.u32 %rd0, %thread, 16;\n"
            "add.s64 %rd0, %rd0, %out;\nst.global.v4.b32 [%rd0], {%r1, %r2, %r3, %r4};\n");
    EXPECT_EQ(first_message(outcome), "");
    for (int word = 0; word < 4; ++word)
      EXPECT_EQ(outcome.out[20 + static_cast<size_t>(word)], word * 4 < bytes ? 120 + word : 7);
  }
}
TEST(AsyncCopy, FillsWithZerosBehindTheSourceSizeAndDoesNotReadThere) {
  // Thread i copies 16 bytes but reads only the first 16 − 4 · i of them from `in`.
  const std::string text =
      "mov.u32 %r0, 7;\nst.shared.v4.b32 [%to], {%r0, %r0, %r0, %r0};\nmul.lo.u32 %r5, %thread, 4;\nsub.u32 %r5, 16, "
      "%r5;\n"
      "cp.async.ca.shared.global.L2::128B [%to], [%at], 16, %r5;\ncp.async.wait_all;\n"
      "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%to];\nmul.wide.u32 %rd0, %thread, 16;\nadd.s64 %rd0, %rd0, %out;\n"
      "st.global.v4.b32 [%rd0], {%r1, %r2, %r3, %r4};\n";
  const auto outcome = run(text, 5, 0, 13);  // thread 3 reads one word of the last four, thread 4 none
  EXPECT_EQ(first_message(outcome), "");
  for (size_t thread = 0; thread < 5; ++thread)
    for (size_t word = 0; word < 4; ++word)
      EXPECT_EQ(outcome.out[thread * 4 + word], word + thread < 4 ? 100 + static_cast<int>(thread * 4 + word) : 0);
  const auto beyond = run(text, 5, 0, 12);
  ASSERT_EQ(beyond.report.findings.size(), 1U);
  EXPECT_TRUE(first_message(beyond).starts_with("out of bounds: read of 4 bytes at in+48 (buffer of 48 bytes)"))
      << first_message(beyond);
}
TEST(AsyncCopy, WithItsSourceIgnoredFillsWithZeros) {
  const auto outcome =
      run("setp.gt.u32 %p1, %thread, 15;\ncp.async.cg.shared.global [%to], [%at], 16, %p1;\n"
          "cp.async.wait_all;\n" +
              kReadOwn,
          32, 0, 64);
  EXPECT_EQ(first_message(outcome), "");
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.out[i], i < 16 ? 100 + 4 * static_cast<int>(i) : 0);
}
TEST(AsyncCopy, WithACachePolicyIsACopy) {
  const auto outcome =
      run("createpolicy.fractional.L2::evict_first.b64 %rd1, 0f3F800000;\n"
          "cp.async.cg.shared::cta.global.L2::cache_hint.L2::256B [%to], [%at], 16, %rd1;\n"
          "cp.async.wait_all;\n" +
          kReadOwn);
  EXPECT_EQ(outcome.out[2], 108);
}
TEST(AsyncCopy, CountsAsALoadOfGlobalMemoryAndNotAsAStoreOfSharedMemory) {
  const auto outcome = run(kCopy + "cp.async.wait_all;\n", 64);
  const Counters& counters = outcome.report.counters;
  EXPECT_EQ(counters.global_load_requests, 2U);
  EXPECT_EQ(counters.global_load_sectors, 32U);
  EXPECT_EQ(counters.global_load_bytes_useful, 1024U);
  EXPECT_EQ(counters.shared_store_wavefronts, 0U);
  EXPECT_EQ(counters.shared_store_bank_conflicts, 0U);
  EXPECT_EQ(counters.shared_load_bank_conflicts, 0U);
}
TEST(AsyncCopy, OfNoBytesByAWholeWarpMakesNoRequest) {
  const std::string text = "cp.async.cg.shared.global [%to], [%at], 16, %n;\ncp.async.wait_all;\n" + kReadOwn;
  const auto nothing = run(text, 64, 0);
  EXPECT_EQ(nothing.report.counters.global_load_requests, 0U);
  EXPECT_EQ(nothing.out[5], 0);
  EXPECT_EQ(run(text, 64, 16).report.counters.global_load_requests, 2U);
}
TEST(AsyncCopy, ChecksBothAddresses) {
  const struct {
    const char* copy;
    const char* message;
  } cases[] = {
      {"[%to], [%at+4096], 16", "out of bounds: read of 16 bytes at in+4096 (buffer of 4096 bytes)"},
      {"[%to], [%at+8], 16", "misaligned: read of 16 bytes at in+8 (buffer of 4096 bytes)"},
      {"[%to+1024], [%at], 16", "out of bounds: write of 16 bytes at shared memory+1024 (window of 1024 bytes)"},
      {"[%to+4], [%at], 16", "misaligned: write of 16 bytes at tile+4 (shared memory of 1024 bytes)"}};
  for (const auto& test : cases) {
    const auto outcome = run(std::string("cp.async.cg.shared.global ") + test.copy + ";\ncp.async.wait_all;\n");
    ASSERT_EQ(outcome.report.findings.size(), 1U) << test.copy;
    EXPECT_EQ(outcome.report.findings[0].count, 32U);
    EXPECT_TRUE(first_message(outcome).starts_with(test.message)) << first_message(outcome);
  }
}
TEST(AsyncCopy, OfMemoryThatNobodyWroteIsFound) {
  Machinery machine;
  machine.output<int>("in", 1024);
  machine.input("out", std::vector<int>(256, -1));
  machine.value(0);
  const auto report = machine.run(module_around(kCopy + "cp.async.wait_all;\n"), "k", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "uninitialised-read");
}
TEST(AsyncCopy, LeavesWhatItSkippedAsItWas) {
  // A wait does not make shared memory defined that neither a copy nor a store has written.
  const auto outcome = run(kCopy + "cp.async.wait_all;\nld.shared.b32 %r1, [%to+512];\nst.global.b32 [%out4], %r1;\n");
  ASSERT_EQ(outcome.report.findings.size(), 1U);
  EXPECT_EQ(outcome.report.findings[0].id, "uninitialised-read");
}
TEST(AsyncCopy, WithoutChecksArrivesAtTheSameTime) {
  Machinery machine;
  machine.options.checks = false;
  machine.input("in", counting(1024));
  const size_t out = machine.input("out", std::vector<int>(256, -1));
  machine.value(0);
  const auto report =
      machine.run(module_around("mov.u32 %r0, 7;\nst.shared.b32 [%to], %r0;\n" + kCopy + kReadOwn +
                                "cp.async.wait_all;\nld.shared.b32 %r1, [%to];\nst.global.b32 [%out4+128], %r1;\n"),
                  "k", {1, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(machine.download<int>(out)[1], 7);
  EXPECT_EQ(machine.download<int>(out)[33], 104);
}
TEST(AsyncCopy, OfTheBlockBeforeIsForgotten) {
  Machinery machine;
  machine.input("in", counting(1024));
  const size_t out = machine.input("out", std::vector<int>(256, -1));
  machine.value(0);
  const std::string store =
      "mov.u32 %r1, %ctaid.x;\nst.shared.b32 [%to], %r1;\nld.shared.b32 %r1, [%to];\n"
      "st.global.b32 [%out4], %r1;\nbar.sync 0;\n";
  const auto report = machine.run(module_around(store + kCopy + kCommit), "k", {3, 1, 1}, {32, 1, 1});
  for (const Finding& finding : report.findings) EXPECT_EQ(finding.id, "global-race");  // all blocks write `out`
  EXPECT_EQ(machine.download<int>(out)[0], 2);
}

}  // namespace
}  // namespace tilescope
