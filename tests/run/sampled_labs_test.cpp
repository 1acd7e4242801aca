// Sizes at which the simulator executes only some blocks: in every rung of every lab with such sizes, stepping through
// a block finds nothing that the run has not found.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/run/engine.hpp"
#include "engine/run/limits.hpp"
#include "engine/run/record_steps.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

/// The lab's defaults with the smallest size doubled until the grid is too large: a cheap run with sampled blocks.
std::optional<Config> sampled_config(const Lab& lab) {
  Config config = default_config(lab, DeviceKind::sim);
  for (int doubled = 0; doubled < 64; ++doubled) {
    if (is_too_large(lab, config)) return config;
    const Size* next = nullptr;
    for (const Size& size : lab.sizes)
      if (2 * config.size(size.name) <= size.max_sim &&
          (next == nullptr || config.size(size.name) < config.size(next->name)))
        next = &size;
    if (next == nullptr) return {};
    config.sizes[next->name] *= 2;
  }
  return {};
}

class SampledLab : public ::testing::TestWithParam<std::string> {};

TEST_P(SampledLab, StepsFindNothingThatTheRunHasNot) {
  static const std::shared_ptr<Engine> engine = Engine::open({});
  const Lab& lab = *find_lab(GetParam());
  const auto config = sampled_config(lab);
  ASSERT_TRUE(config) << "no size is too large";
  const auto simulator = make_simulator(1);
  int tested = 0;
  for (const Rung& rung : lab.rungs) {
    Request request;
    request.lab = lab.name;
    request.rung = rung.name;
    request.config = *config;
    const auto resolved = engine->resolve(request);
    if (!resolved) continue;  // the rung refuses the size
    SCOPED_TRACE(rung.name);
    const auto result = engine->run(request);
    if (!result && result.error().id == ErrorId::triton_missing) continue;  // only its default settings ship as PTX
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_NE(result->blocks_sampled, 0U);
    ++tested;
    for (size_t launch = 0; launch < result->plan.launches.size(); ++launch) {
      const uint64_t blocks = result->plan.launches[launch].grid.count();
      auto record = record_steps(*result, launch, {.block = blocks * 11 / 20, .max_steps = 1000}, *simulator, {});
      ASSERT_TRUE(record) << record.error().message;
      EXPECT_FALSE((*record)->steps.empty());
      for (const StepFinding& finding : (*record)->findings) {
        const bool known = std::any_of(result->findings.begin(), result->findings.end(),
                                       [&](const Finding& one) { return one.id == finding.id; });
        EXPECT_TRUE(known) << "launch " << launch << ": " << finding.id << ": " << finding.what;
      }
    }
  }
  EXPECT_GT(tested, 0) << "every rung refuses the size";
}

std::vector<std::string> sampled_labs() {
  std::vector<std::string> names;
  for (const Lab& lab : labs())
    if (lab.most_simulated_flops != 0) names.push_back(lab.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Labs, SampledLab, ::testing::ValuesIn(sampled_labs()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tilescope
