// The rungs of a lab are timed one after another on the same buffers: what one rung leaves in scratch buffers must not
// disturb another.
#include <gtest/gtest.h>

#include "engine/run/engine.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

bool is_scratch(const BufferSpec& buffer) { return buffer.role == Role::scratch; }

class SharedBuffers : public ::testing::TestWithParam<std::string> {};

TEST_P(SharedBuffers, EveryRungIsRightAfterEveryOther) {
  const Lab& lab = *find_lab(GetParam());
  std::vector<RunResult> runs;
  for (const Rung& rung : lab.rungs) {
    Request request;
    request.lab = lab.name;
    request.rung = rung.name;
    request.config = default_config(lab, DeviceKind::sim);
    auto run = engine().run(request);
    ASSERT_TRUE(run) << run.error().message;
    runs.push_back(std::move(*run));
  }
  const RunResult& most = *std::ranges::max_element(
      runs, {}, [](const RunResult& run) { return std::make_pair(run.buffers.size(), run.rung); });
  ASSERT_TRUE(std::ranges::any_of(most.plan.buffers, is_scratch));

  const std::unique_ptr<Executor> simulator = make_simulator(1);
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  for (size_t i = 0; i < most.buffers.size(); ++i) {
    const HostBuffer& contents = *most.buffers[i];
    const size_t bytes = contents.bytes.size(), count = bytes / size_of(most.plan.buffers[i].type);
    auto buffer = simulator->allocate(
        {.name = most.plan.buffers[i].name, .type = most.plan.buffers[i].type, .count = count, .index = i});
    ASSERT_TRUE(buffer);
    ASSERT_TRUE(simulator->upload(**buffer, contents.bytes, false));
    buffers.push_back(std::move(*buffer));
  }
  for (int round = 0; round < 2; ++round)
    for (const RunResult& run : runs) {
      for (const Launch& launch : run.plan.launches) {
        const auto report = simulator->launch(run.compiled, launch, std::span(buffers).first(run.buffers.size()),
                                              {.hang_budget = 1u << 24}, {});
        ASSERT_TRUE(report) << run.request.rung << ": " << report.error().message;
        ASSERT_TRUE(report->findings.empty()) << run.request.rung << ": " << report->findings.front().message;
      }
      for (size_t i = 0; i < run.buffers.size(); ++i) {
        if (run.plan.buffers[i].role != Role::output) continue;
        std::vector<std::byte> got(run.buffers[i]->bytes.size());
        ASSERT_TRUE(simulator->download(*buffers[i], got));
        // The CTAs run in the same order, so even sums by atomics have the same bits.
        EXPECT_EQ(got, run.buffers[i]->bytes) << run.request.rung << ", round " << round << ", " << i;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, SharedBuffers,
                         ::testing::Values("reduction-sum", "gelu", "sin-cos-add", "softmax", "layernorm",
                                           "layernorm-backward", "rmsnorm", "matmul-epilogue", "attention",
                                           "attention-backward"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace tilescope
