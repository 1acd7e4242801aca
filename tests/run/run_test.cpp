#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

Request vector_add(const std::string& rung, int64_t n = 98432) {
  Request request;
  request.lab = "vector-add";
  request.rung = rung;
  request.config = default_config(*find_lab("vector-add"), DeviceKind::sim);
  request.config.sizes["n"] = n;
  return request;
}

RunResult run(const Request& request) {
  auto result = engine().run(request);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : RunResult{};
}

TEST(Run, CountsWhatTheKernelMoves) {
  const RunResult result = run(vector_add("tiles-per-cta"));
  // 98,432 floats are 12,304 sectors; two vectors are read, one is written.
  EXPECT_EQ(result.traffic.counters.global_load_sectors, 24608U);
  EXPECT_EQ(result.traffic.counters.global_store_sectors, 12304U);
  EXPECT_EQ(result.traffic.counters.global_load_bytes_useful, 8U * 98432);
  EXPECT_EQ(result.tiles.grid.x, 97U);
  EXPECT_EQ(result.tiles.idle_threads, 128U) << "the last block has 128 elements for its 256 threads";
  EXPECT_EQ(result.tiles.blocks_observed, 97U);
}

TEST(Run, TheTileMapIsWhatTheStoresDid) {
  const RunResult result = run(vector_add("tiles-per-cta"));
  const BufferMap& out = result.tiles.buffers[2];
  for (int64_t i = 0; i < 98432; ++i) ASSERT_EQ(out.writer[static_cast<size_t>(i)], i / 1024) << i;
  ASSERT_EQ(result.tiles.buffers[0].reads_of(53).size(), 1U);
  EXPECT_EQ(result.tiles.buffers[0].reads_of(53)[0].begin, 53 * 1024);
}

TEST(Run, AGridStrideBlockOwnsOneTileAGridApart) {
  const RunResult result = run(vector_add("grid-stride"));
  const auto ranges = result.tiles.buffers[2].writes_of(5);
  ASSERT_EQ(ranges.size(), 4U);
  EXPECT_EQ(ranges[1].begin - ranges[0].begin, 97 * 256);
}

TEST(Run, EveryLineOfTheLedgerPointsAtItsSourceLine) {
  const RunResult result = run(vector_add("thread-per-element"));
  ASSERT_EQ(result.traffic.lines.size(), 3U);
  std::vector<std::string> source(1);
  for (const char c : result.plan.source_text) {
    if (c == '\n')
      source.emplace_back();
    else
      source.back() += c;
  }
  EXPECT_NE(source[result.traffic.lines[0].line - 1].find("a[i"), std::string::npos);
  EXPECT_NE(source[result.traffic.lines[1].line - 1].find("b[i"), std::string::npos);
  EXPECT_NE(source[result.traffic.lines[2].line - 1].find("out[i] ="), std::string::npos);
}

TEST(Run, TheChosenGpuIsModelledWithItsOwnMachineCode) {
  Request request = vector_add("tiles-per-cta");
  EXPECT_EQ(run(request).modelled_gpu.id, "h200");
  EXPECT_EQ(run(request).machine_code_note, "");
  request.gpu = "a100";
  const RunResult a100 = run(request);
  EXPECT_EQ(a100.modelled_gpu.multiprocessors, 108U);
  EXPECT_EQ(a100.device.multiprocessors, 108U);
  EXPECT_EQ(a100.compiled.cubin_target, "sm_80");
  EXPECT_FALSE(a100.compiled.cubin.empty());
  ASSERT_EQ(a100.occupancy.size(), 1U);
  EXPECT_EQ(a100.occupancy[0].limit, OccupancyLimit::grid);
}

TEST(Run, WithoutMachineCodeTheResultAndTheCountersAreTheSame) {
  Request request = vector_add("thread-per-element");
  const RunResult whole = run(request);
  request.machine_code = false;
  const RunResult result = run(request);
  EXPECT_EQ(result.compiled.ptx, whole.compiled.ptx);
  EXPECT_TRUE(result.compiled.cubin.empty() && result.occupancy.empty() && result.waves.empty());
  EXPECT_FALSE(whole.compiled.cubin.empty() || whole.occupancy.empty() || whole.waves.empty());
  EXPECT_EQ(result.traffic.counters.global_sectors(), whole.traffic.counters.global_sectors());
  EXPECT_EQ(result.buffers.back()->bytes, whole.buffers.back()->bytes);
  EXPECT_TRUE(result.passed());
}

TEST(Run, BlocksThatMayWaitForOneAnotherHaveTheirMachineCodeAnyway) {
  Request request;
  request.lab = "reduction-sum";
  request.rung = "atomic-per-element";
  request.config = default_config(*find_lab(request.lab), DeviceKind::sim);
  request.machine_code = false;
  for (int round = 0; round < 2; ++round) {  // the second comes from the cache
    const RunResult result = run(request);
    EXPECT_TRUE(result.passed());
    EXPECT_EQ(result.occupancy.size(), result.plan.launches.size());
    EXPECT_NE(result.compiled.ptx.find("atom."), std::string::npos);
  }
}

TEST(Run, WhereTheCompilerHasNoMachineCodeForTheGpuANoteSaysWhoseItIs) {
  Request request = vector_add("tiles-per-cta");
  request.gpu = "v100";
  const RunResult result = run(request);
  if (result.compiled.cubin_target == "sm_70") GTEST_SKIP() << "this NVRTC still has it";
  EXPECT_EQ(result.machine_code_note, "the machine code, and with it the registers, is that of sm_75, not of sm_70");
  EXPECT_TRUE(result.hierarchy.modelled);
}

TEST(Run, WhatAVectorAddMovesIsModelledThroughTheCaches) {
  const RunResult result = run(vector_add("tiles-per-cta"));
  ASSERT_TRUE(result.hierarchy.modelled) << result.hierarchy.reason;
  EXPECT_EQ(result.hierarchy.total.l1.read_sectors, result.traffic.counters.global_load_sectors);
  EXPECT_EQ(result.hierarchy.total.device_bytes_read, 8U * 98432);
  EXPECT_EQ(result.hierarchy.total.bytes_left_in_l2, 4U * 98432);
  EXPECT_EQ(result.hierarchy.buffers[0].device_bytes_read, 4U * 98432);
}

/// One launch of a user's kernel over two vectors of 32 floats.
Plan plan_of(const std::string& source) {
  Plan plan;
  plan.source_file = "own.cu";
  plan.source_text = source;
  plan.buffers = {{.name = "in", .shape = {32}}, {.name = "out", .shape = {32}, .role = Role::output}};
  plan.launches = {{.block = {32, 1, 1}, .arguments = {BufferArgument{0}, BufferArgument{1}}}};
  return plan;
}

TEST(Run, LinesWherePtxasMergedLoadsAreMarkedAndOthersAreNot) {
  const char* const source = R"(extern "C" __global__ void sum(const float* in, float* out) {
  __shared__ float tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float all = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) all += tile[i];
  out[threadIdx.x] = all;
})";
  const auto result = engine().run_plan(plan_of(source), Request{});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->not_compared_reason, "");
  for (const LineTraffic& line : result->traffic.lines) {
    EXPECT_EQ(line.changed_by_ptxas, line.line == 7) << line.line;
    if (line.line != 7) continue;
    // NVRTC's 32 one-word loads become 8 four-word loads (nvdisasm shows LDS.128).
    EXPECT_EQ(line.ptx_operations, (std::vector<OperationCount>{{32, 32}}));
    EXPECT_EQ(line.machine_operations, (std::vector<OperationCount>{{128, 8}}));
  }
}

TEST(Run, ALineOfSharedMemoryHasItsPassesAndConflicts) {
  const char* const source = R"(extern "C" __global__ void columns(const float* in, float* out) {
  __shared__ float tile[32 * 32];
  tile[threadIdx.x] = in[threadIdx.x];
  tile[threadIdx.x * 32] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
})";
  const auto result = engine().run_plan(plan_of(source), Request{});
  ASSERT_TRUE(result) << result.error().message;
  for (const LineTraffic& line : result->traffic.lines) {
    if (line.space != Space::shared) continue;
    const bool column = line.line == 4;  // all lanes in one bank
    EXPECT_EQ(line.wavefronts, column ? 32U : 1U) << line.line;
    EXPECT_EQ(line.bank_conflicts(), column ? 31U : 0U) << line.line;
    EXPECT_EQ(line.conflict_ways(), column ? 32 : 1) << line.line;
    EXPECT_EQ(line.moved_bytes(), column ? 4096U : 128U) << line.line;
  }
}

TEST(Run, ADroppedMaskIsReportedWithLineBlockAndThread) {
  Request request = vector_add("thread-per-element", 1000);
  request.broken = {"DROP_MASK"};
  const RunResult result = run(request);
  ASSERT_EQ(result.findings.size(), 3U);  // a, b and out
  const Finding& first = result.findings.front();
  EXPECT_EQ(first.id, "out-of-bounds");
  EXPECT_EQ(first.buffer, "a");
  EXPECT_EQ(first.offset, 4000);
  EXPECT_EQ(first.block, (Dim3{3, 0, 0}));
  EXPECT_EQ(first.thread, (Dim3{232, 0, 0}));
  EXPECT_EQ(first.count, 24U);
}

TEST(Run, ABugThatDoesNotFitAnEditedKernelIsRefusedInOneSentence) {
  Request request = vector_add("thread-per-element", 1000);
  request.broken = {"DROP_MASK"};
  request.edited_source = R"(extern "C" __global__ void thread_per_element(const float* a, float* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = a[threadIdx.x];
}
)";
  const auto plan = engine().plan(request);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().id, ErrorId::not_planted);
  EXPECT_EQ(plan.error().message,
            "'Drop the boundary mask' cannot be planted: 'if (i < n) {' does not stand once in thread_per_element");
}

TEST(Run, TheSameRequestGivesTheSameBytes) {
  const RunResult one = run(vector_add("vector-loads")), again = run(vector_add("vector-loads"));
  EXPECT_EQ(one.buffers[2]->bytes, again.buffers[2]->bytes);
  EXPECT_EQ(one.trace.accesses.size(), again.trace.accesses.size());
}

TEST(Run, ImpossibleRequestsAreErrorsNotCrashes) {
  Request request = vector_add("no-such-rung");
  EXPECT_EQ(engine().run(request).error().id, ErrorId::rung_not_found);
  request.lab = "no-such-lab";
  EXPECT_EQ(engine().run(request).error().id, ErrorId::lab_not_found);
  EXPECT_EQ(engine().run(vector_add("grid-stride", 0)).error().id, ErrorId::parameter_range);
  EXPECT_EQ(engine().run(vector_add("grid-stride", 1 << 25)).error().id, ErrorId::too_large_to_simulate);
  request = vector_add("grid-stride");
  request.edited_source = "this is no kernel";
  EXPECT_EQ(engine().run(request).error().id, ErrorId::compile_failed);
  request.edited_source = "extern \"C\" __global__ void other(float* x) { x[0] = 1; }";
  const auto missing = engine().run(request);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().id, ErrorId::kernel_not_found);
  EXPECT_NE(missing.error().message.find("other"), std::string::npos);
  request.edited_source = "extern \"C\" __global__ void grid_stride(float* x) { x[0] = 1; }";
  EXPECT_EQ(engine().run(request).error().id, ErrorId::argument_count);
}

TEST(Run, AKernelThatWritesNothingOrZerosFails) {
  Request request = vector_add("grid-stride");
  const std::string head =
      "extern \"C\" __global__ void grid_stride(const float* a, const float* b, float* out, int n)";
  request.edited_source = head + "{}";
  RunResult result = run(request);
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.correctness[0].untouched, 98432U);
  request.edited_source =
      head + "{ for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) out[i] = 0; }";
  result = run(request);
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.correctness[0].reason, "every element is zero");
}

TEST(Run, AStoppedRunIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const auto result = engine().run(vector_add("grid-stride"), stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, ErrorId::cancelled);
}

TEST(Run, AGpuRequestWithoutAGpuSaysWhy) {
  if (engine().gpu()) GTEST_SKIP() << "this machine has a GPU";
  Request request = vector_add("grid-stride");
  request.device = DeviceKind::gpu;
  const auto result = engine().run(request);
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.error().hint.empty());
}

}  // namespace
}  // namespace tilescope
