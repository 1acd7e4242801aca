// Runs with several launches: any of them can be shown, and counters cover all.
#include <gtest/gtest.h>

#include "engine/run/engine.hpp"
#include "engine/run/show_launch.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

Request five_kernels() {
  Request request;
  request.lab = "softmax";
  request.rung = "five-kernels";
  request.config = default_config(*find_lab("softmax"), DeviceKind::sim);
  request.config.sizes["rows"] = 40;
  return request;
}

void expect_same_map(const TileMap& shown, const TileMap& run) {
  EXPECT_EQ(shown.grid, run.grid);
  EXPECT_EQ(shown.block, run.block);
  EXPECT_EQ(shown.launch, run.launch);
  EXPECT_EQ(shown.typical_block, run.typical_block);
  EXPECT_EQ(shown.blocks_observed, run.blocks_observed);
  EXPECT_EQ(shown.accesses_first, run.accesses_first);
  ASSERT_EQ(shown.buffers.size(), run.buffers.size());
  for (size_t i = 0; i < run.buffers.size(); ++i) {
    EXPECT_EQ(shown.buffers[i].writer, run.buffers[i].writer) << run.buffers[i].name;
    EXPECT_EQ(shown.buffers[i].reads_first, run.buffers[i].reads_first) << run.buffers[i].name;
  }
}

TEST(Launches, AnyOfThemIsShownAsARunOfThatRequestWould) {
  Request request = five_kernels();
  const auto usual = engine().run(request);
  ASSERT_TRUE(usual) << usual.error().message;
  ASSERT_EQ(usual->plan.launches.size(), 5U);
  for (uint32_t launch = 0; launch < 5; ++launch) {
    SCOPED_TRACE(launch);
    request.launch = launch;
    ASSERT_TRUE(same_but_launch(request, usual->request));
    const RunResult shown = show_launch(*usual, request);
    const auto run = engine().run(request);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(shown.launch, launch);
    EXPECT_EQ(run->launch, launch);
    EXPECT_EQ(shown.request, run->request);
    expect_same_map(shown.tiles, run->tiles);
    // Counters cover the whole run, whichever launch is shown.
    EXPECT_EQ(shown.traffic.counters.global_sectors(), usual->traffic.counters.global_sectors());
    EXPECT_TRUE(run->passed());
  }
}

TEST(Launches, OneThatTheRunDoesNotHaveIsTheUsualOne) {
  Request request = five_kernels();
  const auto usual = engine().run(request);
  request.launch = 7;
  const auto other = engine().run(request);
  ASSERT_TRUE(usual && other);
  EXPECT_EQ(other->launch, usual->launch);
  request.config.sizes["rows"] = 41;
  EXPECT_FALSE(same_but_launch(request, usual->request));
}

TEST(Launches, AFindingKnowsItsLaunchWhichIsShownUnlessOneIsChosen) {
  Request request = five_kernels();
  request.broken = {"NO_BARRIER"};
  const auto result = engine().run(request);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_FALSE(result->findings.empty());
  const uint32_t found = result->findings.front().launch;
  EXPECT_EQ(result->launch, found);
  EXPECT_NE(result->plan.launches[found].kernel, "divide") << "it has no barrier";
  request.launch = 4;
  EXPECT_EQ(show_launch(*result, request).launch, 4U);
}

TEST(Launches, AtomicsAreInTheTotals) {
  Plan plan;
  plan.source_file = "histogram.cu";
  plan.source_text = R"(extern "C" __global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
})";
  plan.buffers = {{.name = "data", .type = DType::u8, .shape = {4096}},
                  {.name = "bins", .type = DType::u32, .shape = {256}, .role = Role::inout, .fill = Fill::zero}};
  plan.launches = {{.kernel = "histogram",
                    .grid = {16},
                    .block = {256},
                    .arguments = {BufferArgument{0}, BufferArgument{1}, scalar(4096)}}};
  const auto result = engine().run_plan(plan, {});
  ASSERT_TRUE(result) << result.error().message;
  const Counters& counters = result->traffic.counters;
  EXPECT_EQ(counters.global_load_sectors, 4096U / 32);
  EXPECT_EQ(counters.global_store_sectors, 0U);
  EXPECT_EQ(counters.global_atomic_requests, 4096U / 32);
  EXPECT_GT(counters.global_atomic_sectors, counters.global_atomic_requests);
  uint64_t of_ledger = 0;
  for (const LineTraffic& line : result->traffic.lines)
    if (line.space == Space::global) of_ledger += line.moved_bytes();
  EXPECT_EQ(counters.global_bytes_moved(), of_ledger);
}

}  // namespace
}  // namespace tilescope
