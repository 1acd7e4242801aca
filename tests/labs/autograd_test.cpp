// The lab autograd: launches in the order of the tape, what saving costs, and gradients that know no formula.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "engine/run/engine.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({.root = TILESCOPE_SOURCE});
  return *shared;
}

Request request_for(const std::string& rung, int64_t save = 0) {
  Request request;
  request.lab = "autograd";
  request.rung = rung;
  request.config = default_config(*find_lab("autograd"), DeviceKind::sim);
  request.config.params["SAVE"] = save;
  return request;
}

RunResult run(const Request& request) {
  auto result = engine().run(request);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : RunResult();
}

std::string launches_of_chain(int64_t save) {
  const auto plan = engine().plan(request_for("chain", save));
  EXPECT_TRUE(plan) << plan.error().message;
  std::string names;
  for (const Launch& launch : plan->launches) names += (names.empty() ? "" : " ") + launch.kernel;
  return names;
}

TEST(AutogradLab, TheChainLaunchesForwardKernelsInOrderAndBackwardKernelsInReverse) {
  EXPECT_EQ(launches_of_chain(0),
            "mul add gelu_saving add layernorm_saving layernorm_backward_saved layernorm_backward_weights add_backward "
            "gelu_backward_saved add_backward mul_backward");
  EXPECT_EQ(launches_of_chain(1),
            "mul add gelu add layernorm layernorm_backward layernorm_backward_weights add_backward gelu_backward "
            "add_backward mul_backward");
  EXPECT_EQ(launches_of_chain(2),
            "mul add gelu add layernorm mul add gelu add layernorm_backward layernorm_backward_weights add_backward "
            "gelu_backward add_backward mul_backward");
}

/// Accesses of each element of the matrices, over all launches.
uint64_t passes(const RunResult& result) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < result.traffic.buffers.size(); ++i)
    if (result.plan.buffers[i].shape.size() == 2)
      bytes += result.traffic.buffers[i].read_useful + result.traffic.buffers[i].write_useful;
  return bytes / static_cast<uint64_t>(4 * result.config.size("rows") * result.config.size("columns"));
}

TEST(AutogradLab, MatricesThatMoveAreThoseThatTheOperatorsNeed) {
  EXPECT_EQ(passes(run(request_for("add"))), 3U + 3U);
  EXPECT_EQ(passes(run(request_for("multiply"))), 3U + 5U);
  EXPECT_EQ(passes(run(request_for("gelu", 0))), 3U + 4U) << "the tanhs are written and read";
  EXPECT_EQ(passes(run(request_for("gelu", 1))), 2U + 3U);
}

/// Sums of dx over each row, the largest of them.
double largest_row_sum(const RunResult& result) {
  for (size_t i = 0; i < result.plan.buffers.size(); ++i) {
    if (result.plan.buffers[i].name != "dx") continue;
    const auto dx = result.buffers[i]->as<float>();
    const auto columns = static_cast<size_t>(result.config.size("columns"));
    double largest = 0;
    for (size_t first = 0; first < dx.size(); first += columns) {
      double sum = 0;
      for (size_t c = 0; c < columns; ++c) sum += double{dx[first + c]};
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  }
  return HUGE_VAL;
}

TEST(AutogradLab, TheGradientOfLayerNormHasNoPartAlongAConstantAndWithoutItsMeansItDoes) {
  Request request = request_for("layernorm");
  EXPECT_LT(largest_row_sum(run(request)), 1e-4);
  request.broken = {"NO_MEANS"};
  EXPECT_GT(largest_row_sum(run(request)), 5);
}

TEST(AutogradLab, AnEditedKernelIsCheckedWhateverItsFormulaIs) {
  const auto text = read_text(std::filesystem::path(TILESCOPE_SOURCE) / "kernels/autograd.cu");
  ASSERT_TRUE(text);
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string changed = *text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    Request request = request_for("gelu");
    request.edited_source = changed;
    return run(request).passed();
  };
  EXPECT_TRUE(edited("return first + second;", "return 0.5f + 0.5f * t + second;"));
  EXPECT_FALSE(edited("return first + second;", "return 1.001f * (first + second);"));
  EXPECT_FALSE(edited("3 * CUBIC", "2 * CUBIC"));
}

}  // namespace
}  // namespace tilescope
