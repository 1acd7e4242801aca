// The lab autograd: launches in the order of the tape, what saving costs, and gradients that know no formula.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>

#include "engine/autograd/programs.hpp"
#include "engine/autograd/tape_check.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/inputs.hpp"
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
            "mul add gelu_saving add layernorm_saving layernorm_backward_saved layernorm_backward_weights "
            "layernorm_backward_slabs add_backward gelu_backward_saved add_backward mul_backward");
  EXPECT_EQ(launches_of_chain(1),
            "mul add gelu add layernorm layernorm_backward layernorm_backward_weights layernorm_backward_slabs "
            "add_backward gelu_backward add_backward mul_backward");
  EXPECT_EQ(launches_of_chain(2),
            "mul add gelu add layernorm mul add gelu add layernorm_backward layernorm_backward_weights "
            "layernorm_backward_slabs add_backward gelu_backward add_backward mul_backward");
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

/// The largest error of a run's outputs, as a share of what is allowed for the element.
double largest_share(const RunResult& result) {
  double share = 0;
  for (const Correctness& one : result.correctness)
    for (size_t i = 0; i < result.plan.buffers.size(); ++i) {
      if (result.plan.buffers[i].name != one.buffer) continue;
      for (size_t e = 0; e < one.expected.size(); ++e) {
        const double wanted = double{one.expected[e]} + double{one.expected_rest[e]};
        const double allowed = one.tolerance.absolute + one.tolerance.relative * std::abs(wanted);
        share = std::max(share, std::abs(value_at(*result.buffers[i], e) - wanted) / allowed);
      }
    }
  return share;
}

/// Neither does a right kernel nearly fail, nor could it be wrong by ten times its errors without failing.
TEST(AutogradLab, TolerancesAreLittleMoreThanWhatRoundingCosts) {
  for (const char* rung : {"add", "multiply", "relu", "gelu", "layernorm", "chain"})
    for (const int64_t type : {0, 1})
      for (const auto& [rows, columns] : {std::pair{3, 16}, std::pair{40, 200}, std::pair{700, 60}}) {
        Request request = request_for(rung);
        request.config.params["DTYPE"] = type;
        request.config.sizes = {{"rows", rows}, {"columns", columns}};
        const double share = largest_share(run(request));
        const std::string where = fmt::format("{} type {} {} x {}", rung, type, rows, columns);
        EXPECT_LT(share, type == 1 && rung != std::string("chain") ? 1 : 0.6) << where;
        if (type == 1 && rung != std::string("relu")) {
          EXPECT_GT(share, 0.1) << where;
        }
      }
}

double rounded_to_bfloat16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return double{std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000)};
}

/// No kernel runs: the tape in double precision, with and without rounding what is written to matrices.
TEST(AutogradLab, TheToleranceOfTheChainInBfloat16IsWhatRoundingItsMatricesCosts) {
  const Lab& lab = *find_lab("autograd");
  for (const auto& [rows, columns] : {std::pair{40, 200}, std::pair{300, 500}, std::pair{2000, 16}}) {
    const Tape tape = make_tape(*program_of_rung("chain", Save::inputs));
    TapeInputs inputs = make_inputs(tape.program, static_cast<size_t>(rows), static_cast<size_t>(columns), normal_at);
    const auto round = [](std::vector<float>& floats) {
      for (float& one : floats) one = static_cast<float>(rounded_to_bfloat16(double{one}));
    };
    for (size_t value = 0; value < inputs.contents.size(); ++value)
      if (tape.program.values[value].shape == TapeShape::matrix) round(inputs.contents[value]);
    round(inputs.upstream);
    const TapeNumbers values = run_forward(tape.program, inputs.problem);
    const TapeNumbers rough = run_forward(tape.program, inputs.problem, rounded_to_bfloat16);
    const TapeNumbers exact = run_backward(tape, inputs.problem, values);
    const TapeNumbers got = run_backward(tape, inputs.problem, rough, rounded_to_bfloat16);
    Config config = default_config(lab, DeviceKind::sim);
    config.params["DTYPE"] = 1;
    config.sizes = {{"rows", rows}, {"columns", columns}};
    const auto share_of = [&](const std::vector<double>& one, const std::vector<double>& other, DType type) {
      const Tolerance allowed = tolerance_of(lab, "chain", config, type);
      double share = 0;
      for (size_t i = 0; i < one.size(); ++i)
        share =
            std::max(share, std::abs(one[i] - other[i]) / (allowed.absolute + allowed.relative * std::abs(other[i])));
      return share;
    };
    for (const char* name : {"x", "w", "b", "gamma"}) {
      const size_t value = *tape.program.find(name);
      const bool matrix = tape.program.values[value].shape == TapeShape::matrix;
      const double share = share_of(got[value], exact[value], matrix ? DType::bf16 : DType::f32);
      EXPECT_LT(share, 0.8) << name << " " << rows << " x " << columns;
      EXPECT_GT(share, 0.1) << name << " " << rows << " x " << columns;
    }
    const size_t y = tape.program.result();
    EXPECT_LT(share_of(rough[y], values[y], DType::bf16), 0.8) << rows << " x " << columns;
  }
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
