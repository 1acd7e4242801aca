// Vector add in every form that labs use: results, counters and trace.
#include <tuple>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

struct Vectors {
  std::vector<float> a, b;
  explicit Vectors(size_t n) : a(n), b(n) {
    for (size_t i = 0; i < n; ++i) {
      a[i] = 0.25F * static_cast<float>(i);
      b[i] = 1000.0F - static_cast<float>(i);
    }
  }
  float sum(size_t i) const { return a[i] + b[i]; }
};

/// Runs a kernel over n floats, per_thread at a time, and compares every element.
LaunchReport add(const std::string& kernel, size_t n, uint32_t grid, uint32_t block, size_t per_thread = 1) {
  const Vectors vectors(n);
  Machinery machine;
  machine.input("a", vectors.a);
  machine.input("b", vectors.b);
  const size_t out = machine.output<float>("out", n);
  machine.value(static_cast<int>(n / per_thread));
  machine.options.record_accesses = true;
  auto report = machine.run(module_of("vector_add"), kernel, {grid, 1, 1}, {block, 1, 1});
  const auto result = machine.download<float>(out);
  size_t wrong = 0;
  for (size_t i = 0; i < n; ++i) wrong += result[i] == vectors.sum(i) ? 0 : 1;
  EXPECT_EQ(wrong, 0U) << kernel << " n " << n;
  EXPECT_TRUE(report.findings.empty()) << (report.findings.empty() ? "" : report.findings[0].message);
  return report;
}

TEST(VectorAdd, IsRightForWholeBlocksAndForTails) {
  for (size_t n : {1, 31, 32, 33, 255, 256, 257, 1000, 4096})
    add("add_scalar", n, static_cast<uint32_t>((n + 255) / 256), 256);
}
TEST(VectorAdd, IsRightForBlocksThatAreNoMultipleOfAWarp) {
  for (uint32_t block : {1, 7, 33, 100, 1000, 1024}) add("add_scalar", 1000, (1000 + block - 1) / block, block);
}
TEST(VectorAdd, IsRightForVectorTypes) {
  for (size_t n : {4, 128, 1000, 4096}) {
    add("add_float2", n, static_cast<uint32_t>((n / 2 + 63) / 64), 64, 2);
    add("add_float4", n, static_cast<uint32_t>((n / 4 + 63) / 64), 64, 4);
  }
}
TEST(VectorAdd, IsRightForGridStrideLoops) {
  for (size_t n : {1, 100, 1000, 5000}) add("add_grid_stride", n, 3, 64);
}
TEST(VectorAdd, CountsFourSectorsARequestForNeighbouringFloats) {
  const auto report = add("add_scalar", 4096, 16, 256);
  EXPECT_EQ(report.counters.global_load_requests, 256U);  // 2 loads in each of 128 warps
  EXPECT_EQ(report.counters.global_load_sectors, 1024U);
  EXPECT_EQ(report.counters.global_load_bytes_useful, 2U * 4096 * 4);
  EXPECT_EQ(report.counters.global_store_requests, 128U);
  EXPECT_EQ(report.counters.global_store_sectors, 512U);
  EXPECT_EQ(report.counters.global_store_bytes_useful, 4096U * 4);
  EXPECT_EQ(report.warps, 128U);
}
TEST(VectorAdd, CountsSixteenSectorsARequestForFloat4) {
  const auto report = add("add_float4", 4096, 4, 256, 4);
  EXPECT_EQ(report.counters.global_load_requests, 64U);
  EXPECT_EQ(report.counters.global_load_sectors, 64U * 16);
}
TEST(VectorAdd, CountsFiveSectorsARequestForFloatsShiftedByOne) {
  const Vectors vectors(1024 + 1);
  Machinery machine;
  machine.input("a", vectors.a);
  machine.input("b", vectors.b);
  machine.output<float>("out", 1024);
  machine.value(1024);
  const auto report = machine.run(module_of("vector_add"), "add_shifted", {4, 1, 1}, {256, 1, 1});
  ASSERT_EQ(report.trace.sites.size(), 3U);
  ASSERT_EQ(report.sites.size(), 3U);
  for (const auto& count : report.sites) EXPECT_EQ(count.sectors, count.requests * (count.buffer == 0 ? 5U : 4U));
}
TEST(VectorAdd, CountsARequestOnlyWhereALaneIsActive) {
  // 33 elements in one block of 256 threads: one whole warp, one lane of the next, six idle warps.
  const auto report = add("add_scalar", 33, 1, 256);
  EXPECT_EQ(report.counters.global_store_requests, 2U);
  EXPECT_EQ(report.counters.global_store_sectors, 5U);
  EXPECT_EQ(report.counters.global_store_bytes_useful, 33U * 4);
}
TEST(VectorAdd, CountsEveryInstructionThatAWarpExecutes) {
  // add_scalar has 22 instructions in total; the branch skips 11 of them for warps past the end.
  const auto all = add("add_scalar", 64, 1, 64).counters.warp_instructions;
  const auto half = add("add_scalar", 32, 1, 64).counters.warp_instructions;
  EXPECT_EQ(all, 2U * 22);
  EXPECT_EQ(half, 22U + 11);
}

TEST(VectorAdd, RecordsEachAccessInTheOrderOfTheBlock) {
  const auto report = add("add_scalar", 100, 2, 64);
  const AccessTrace& trace = report.trace;
  ASSERT_TRUE(trace.complete);
  EXPECT_EQ(trace.blocks_recorded, 2U);
  ASSERT_EQ(trace.sites.size(), 3U);
  ASSERT_EQ(trace.accesses.size(), 12U);  // 4 warps, the last one with 4 elements; 3 accesses each
  EXPECT_EQ(trace.sites[2].kind, AccessKind::store);
  EXPECT_EQ(trace.sites[2].file, "kernels/vector_add.cu");
  EXPECT_EQ(mark_of("vector_add", trace.sites[2].line), "[add]");
  EXPECT_EQ(trace.sites[2].bytes_per_lane, 4U);
  EXPECT_NE(trace.sites[2].ptx.find("st.global.f32"), std::string::npos);
  for (size_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& access = trace.accesses[i];
    EXPECT_EQ(access.block, i / 6);
    EXPECT_EQ(access.warp, i / 3 % 2);
    EXPECT_EQ(access.sequence, i % 3);
  }
  const Access& last = trace.accesses.back();
  EXPECT_EQ(last.mask, 0xfU);
  EXPECT_EQ(last.base, address_of(2, 96 * 4));
  EXPECT_EQ(trace.address(last, 3), address_of(2, 99 * 4));
  EXPECT_EQ(trace.patterns[last.pattern][31], 0);
}
TEST(VectorAdd, KeepsWholeBlocksWhenTheBudgetOfAccessesEnds) {
  const Vectors vectors(1024);
  Machinery machine;
  machine.input("a", vectors.a);
  machine.input("b", vectors.b);
  machine.output<float>("out", 1024);
  machine.value(1024);
  machine.options.record_accesses = true;
  machine.options.access_budget = 20;  // a block of 64 threads has 6
  const auto report = machine.run(module_of("vector_add"), "add_scalar", {16, 1, 1}, {64, 1, 1});
  EXPECT_FALSE(report.trace.complete);
  EXPECT_EQ(report.trace.blocks_recorded, 3U);
  EXPECT_EQ(report.trace.accesses.size(), 18U);
  EXPECT_EQ(report.counters.global_store_requests, 32U);
}

TEST(VectorAdd, LanesThatPartMeetAgainAtTheHeadOfALoop) {
  const size_t n = 7 * 64;
  const Vectors vectors(n);
  Machinery machine;
  machine.input("a", vectors.a);
  machine.input("b", vectors.b);
  const size_t out = machine.input("out", std::vector<float>(n, -1));
  machine.value(static_cast<int>(n));
  const auto report = machine.run(module_of("vector_add"), "add_uneven", {1, 1, 1}, {64, 1, 1});
  const auto result = machine.download<float>(out);
  for (size_t i = 0; i < n; ++i) {
    const bool written = i % 7 <= i / 7 % 7 && (i & 3) != 1;
    EXPECT_EQ(result[i], written ? vectors.sum(i) : -1) << i;
  }
  // 7 loop iterations in each of 2 warps: one store each, however the lanes diverge inside.
  EXPECT_EQ(report.counters.global_store_requests, 14U);
}

TEST(VectorAdd, GivesTheSameOnOneAndOnTwoThreads) {
  const size_t n = 100'003;
  const Vectors vectors(n);
  std::vector<LaunchReport> reports;
  std::vector<std::vector<float>> results;
  for (int threads : {1, 2}) {
    Machinery machine(threads);
    machine.input("a", vectors.a);
    machine.input("b", std::vector<float>(vectors.b.begin(), vectors.b.end() - 7));  // too short: findings
    const size_t out = machine.output<float>("out", n);
    machine.value(static_cast<int>(n));
    machine.options.record_accesses = true;
    machine.options.access_budget = 5000;
    reports.push_back(machine.run(module_of("vector_add"), "add_scalar", {(n + 127) / 128, 1, 1}, {128, 1, 1}));
    results.push_back(machine.download<float>(out));
  }
  EXPECT_EQ(results[0], results[1]);
  const auto &one = reports[0], &two = reports[1];
  EXPECT_EQ(std::memcmp(&one.counters, &two.counters, sizeof(Counters)), 0);
  ASSERT_EQ(one.trace.accesses.size(), two.trace.accesses.size());
  const auto fields = [](const Access& a) {
    return std::tuple(a.base, a.block, a.mask, a.pattern, a.sequence, a.warp, a.site);
  };
  for (size_t i = 0; i < one.trace.accesses.size(); ++i)
    ASSERT_EQ(fields(one.trace.accesses[i]), fields(two.trace.accesses[i])) << i;
  EXPECT_EQ(one.trace.patterns, two.trace.patterns);
  EXPECT_EQ(one.trace.blocks_recorded, two.trace.blocks_recorded);
  ASSERT_EQ(one.findings.size(), 1U);
  ASSERT_EQ(two.findings.size(), 1U);
  EXPECT_EQ(one.findings[0].message, two.findings[0].message);
  EXPECT_EQ(one.findings[0].count, 7U);
  EXPECT_EQ(two.findings[0].count, 7U);
  ASSERT_EQ(one.sites.size(), two.sites.size());
  for (size_t i = 0; i < one.sites.size(); ++i) EXPECT_EQ(one.sites[i].sectors, two.sites[i].sectors);
}

}  // namespace
}  // namespace tilescope
