// Stepping through a block of a grid of which only some blocks were executed: it has the values that a full run would
// give it, and finds only bugs of the kernel.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "engine/run/engine.hpp"
#include "engine/run/inputs.hpp"
#include "engine/run/record_steps.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

RunResult run(const std::string& lab, const std::string& rung, const std::map<std::string, int64_t>& sizes) {
  Request request;
  request.lab = lab;
  request.rung = rung;
  request.config = default_config(*find_lab(lab), DeviceKind::sim);
  for (const auto& [name, value] : sizes) request.config.sizes[name] = value;
  auto result = engine().run(request);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : RunResult{};
}

std::shared_ptr<const StepRecord> steps_of(const RunResult& result, uint64_t block, uint32_t max_steps = 4000) {
  auto record = record_steps(result, result.launch, {.block = block, .max_steps = max_steps}, *make_simulator(1), {});
  EXPECT_TRUE(record) << record.error().message;
  return record ? *record : nullptr;
}

void expect_no_finding(const StepRecord& record) {
  for (const StepFinding& finding : record.findings) ADD_FAILURE() << finding.id << ": " << finding.what;
}

TEST(SampledSteps, LanesReadTheValuesOfTheFullRunsInputs) {
  const RunResult result = run("matmul-fp32", "naive", {{"M", 1500}, {"N", 1500}, {"K", 600}});
  ASSERT_NE(result.blocks_sampled, 0U);
  const auto record = steps_of(result, 1000);
  ASSERT_NE(record, nullptr);
  expect_no_finding(*record);
  const auto a = make_contents(result.plan.buffers[0], 0, result.request.seed);
  const auto b = make_contents(result.plan.buffers[1], 1, result.request.seed);
  ASSERT_TRUE(a && b);
  int checked = 0;
  for (uint32_t index = 0; index < record->steps.size(); ++index) {
    const Step& step = record->steps[index];
    const StepInstruction& instruction = record->instructions[step.instruction];
    if (!instruction.text.starts_with("ld.global") || step.executed == 0) continue;
    const auto addresses = record->addresses_at(index);
    const auto value = record->value_at(step.warp, instruction.writes.front().reg, index);
    ASSERT_TRUE(addresses && value);
    for (int lane = 0; lane < 32; ++lane) {
      if ((step.executed >> lane & 1) == 0) continue;
      const RegionOffset at = region_of((*addresses)[static_cast<size_t>(lane)]);
      ASSERT_LE(at.buffer, 1);
      const auto expected = (at.buffer == 0 ? *a : *b).as<float>()[static_cast<size_t>(at.offset / 4)];
      ASSERT_EQ(std::bit_cast<float>(static_cast<uint32_t>(value->bits(lane))), expected);
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000);
}

TEST(SampledSteps, CopiesFillSharedMemoryWithTheInputs) {
  const RunResult result = run("grouped-order", "grouped", {{"M", 8192}, {"N", 8192}, {"K", 8192}});
  ASSERT_NE(result.blocks_sampled, 0U);
  const auto record = steps_of(result, 9011, 40'000);
  ASSERT_NE(record, nullptr);
  expect_no_finding(*record);
  // ldmatrix loads the operands of products: none is the zero that an unfilled input would be.
  int loads = 0, zeros = 0;
  for (uint32_t index = 0; index < record->steps.size(); ++index) {
    const StepInstruction& instruction = record->instructions[record->steps[index].instruction];
    if (!instruction.text.starts_with("ldmatrix")) continue;
    for (const StepOperand& operand : instruction.writes) {
      const auto value = record->value_at(record->steps[index].warp, operand.reg, index);
      ASSERT_TRUE(value);
      for (int lane = 0; lane < 32; ++lane) {
        ++loads;
        zeros += value->bits(lane) == 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(loads, 1000);
  EXPECT_EQ(zeros, 0);
}

TEST(SampledSteps, WhatEarlierLaunchesWouldHaveWrittenIsSaidToBeMissing) {
  const Lab& lab = *find_lab("attention-backward");
  Request request;
  request.lab = lab.name;
  request.rung = lab.rungs.front().name;
  request.config = default_config(lab, DeviceKind::sim);
  const RunResult small = run(lab.name, request.rung, {});
  EXPECT_EQ(small.blocks_sampled, 0U);
  ASSERT_GT(small.plan.launches.size(), 1U);
  const size_t last = small.plan.launches.size() - 1;
  EXPECT_TRUE(buffers_not_computed(small, last).empty()) << "all launches before it are run";
  RunResult large = small;
  large.request.config.sizes["queries"] = large.request.config.sizes["keys"] = 4096;
  ASSERT_GT(lab.flops(large.request.config), lab.most_simulated_flops);
  EXPECT_FALSE(buffers_not_computed(large, last).empty());
  EXPECT_TRUE(buffers_not_computed(large, 0).empty());
  for (const size_t buffer : buffers_not_computed(large, last))
    EXPECT_NE(large.plan.buffers[buffer].role, Role::input) << large.plan.buffers[buffer].name;
}

}  // namespace
}  // namespace tilescope
