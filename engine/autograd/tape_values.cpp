#include "engine/autograd/tape_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope {
namespace {

constexpr double kCubic = 0.044715;
const double kGeluScale = std::sqrt(2 / std::acos(-1.0));

double gelu_slope(double x) {
  const double t = gelu_tanh_of(x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kGeluScale * (1 + 3 * kCubic * x * x);
}

std::vector<double> numbers_of(const TapeContents& contents) {
  std::vector<double> numbers(contents.size());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = double{contents[i]};
  return numbers;
}

void normalize(const TapeProblem& problem, const std::vector<double>& x, const std::vector<double>& gamma,
               const std::vector<double>& beta, std::vector<double>& y) {
  for (size_t row = 0; row < problem.rows; ++row) {
    const size_t first = row * problem.columns;
    const RowStatistics statistics = statistics_of(std::span(x).subspan(first, problem.columns));
    for (size_t column = 0; column < problem.columns; ++column)
      y[first + column] = (x[first + column] - statistics.mean) * statistics.rstd * gamma[column] + beta[column];
  }
}

/// One backward pass; parts of gradients are stored or added as the tape says.
class BackwardRun {
 public:
  BackwardRun(const Tape& tape, const TapeProblem& problem, const TapeNumbers& values, const Stored& stored)
      : program_(tape.program), problem_(problem), values_(values), stored_(stored), gradients_(values.size()) {
    for (size_t value = 0; value < values.size(); ++value)
      gradients_[value].assign(values[value].size(), std::nan(""));  // a part that is added to nothing is noticed
    gradients_[program_.result()] = numbers_of(problem.upstream);
  }

  TapeNumbers run(const std::vector<TapeStep>& steps) {
    for (const TapeStep& step : steps)
      if (step.kind == TapeStep::Kind::backward) take(step);
    return std::move(gradients_);
  }

 private:
  void give(const TapeGradient& to, size_t element, double part) {
    double& gradient = gradients_[to.value][element];
    if (to.add) part += gradient;
    gradient = stored_ && program_.values[to.value].shape == TapeShape::matrix ? stored_(part) : part;
  }

  void take(const TapeStep& step) {
    const TapeNode& node = program_.nodes[step.node];
    if (node.op == TapeOperator::layernorm) return take_layernorm(node, step.gradients);
    const std::vector<double> dy = gradients_[node.output];
    const std::vector<double>&a = values_[node.inputs.front()], &b = values_[node.inputs.back()];
    for (size_t i = 0; i < dy.size(); ++i) {
      if (node.op == TapeOperator::add) {
        give(step.gradients[0], i, dy[i]);
        give(step.gradients[1], i, dy[i]);
      } else if (node.op == TapeOperator::mul) {
        give(step.gradients[0], i, dy[i] * b[i]);
        give(step.gradients[1], i, dy[i] * a[i]);
      } else {
        const bool relu = node.op == TapeOperator::relu;
        const double slope = relu ? (values_[node.output][i] > 0 ? 1 : 0) : gelu_slope(a[i]);
        give(step.gradients[0], i, dy[i] * slope);
      }
    }
  }

  void take_layernorm(const TapeNode& node, const std::vector<TapeGradient>& to) {
    const std::vector<double>&x = values_[node.inputs[0]], &gamma = values_[node.inputs[1]];
    const std::vector<double> dy = gradients_[node.output];
    const size_t columns = problem_.columns;
    std::vector<double> dgamma(columns, 0), dbeta(columns, 0);
    for (size_t first = 0; first < dy.size(); first += columns) {
      const RowStatistics statistics = statistics_of(std::span(x).subspan(first, columns));
      double sum = 0, sum_normal = 0;
      for (size_t c = 0; c < columns; ++c) {
        const double normal = (x[first + c] - statistics.mean) * statistics.rstd;
        sum += dy[first + c] * gamma[c];
        sum_normal += dy[first + c] * gamma[c] * normal;
        dgamma[c] += dy[first + c] * normal;
        dbeta[c] += dy[first + c];
      }
      const auto count = static_cast<double>(columns);
      for (size_t c = 0; c < columns; ++c) {
        const double normal = (x[first + c] - statistics.mean) * statistics.rstd;
        give(to[0], first + c,
             statistics.rstd * (dy[first + c] * gamma[c] - sum / count - normal * sum_normal / count));
      }
    }
    for (size_t c = 0; c < columns; ++c) {
      give(to[1], c, dgamma[c]);
      give(to[2], c, dbeta[c]);
    }
  }

  const TapeProgram& program_;
  const TapeProblem& problem_;
  const TapeNumbers& values_;
  const Stored& stored_;
  TapeNumbers gradients_;
};

}  // namespace

double gelu_tanh_of(double x) { return std::tanh(kGeluScale * (x + kCubic * x * x * x)); }
double gelu_of(double x) { return 0.5 * x * (1 + gelu_tanh_of(x)); }

RowStatistics statistics_of(std::span<const double> row) {
  // Four sums at a time, which do not wait for one another.
  const auto sum_of = [&](auto term) {
    std::array<double, 4> sums{};
    const size_t whole = row.size() / 4 * 4;
    for (size_t i = 0; i < whole; i += 4)
      for (size_t k = 0; k < 4; ++k) sums[k] += term(row[i + k]);
    for (size_t i = whole; i < row.size(); ++i) sums[0] += term(row[i]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  };
  const auto count = static_cast<double>(row.size());
  const double mean = sum_of([](double x) { return x; }) / count;
  const double squares = sum_of([mean](double x) { return (x - mean) * (x - mean); });
  return {mean, 1 / std::sqrt(squares / count + kLayerNormEpsilon)};
}

TapeNumbers run_forward(const TapeProgram& program, const TapeProblem& problem, const Stored& stored) {
  TapeNumbers values(program.values.size());
  for (size_t value = 0; value < values.size(); ++value) values[value] = numbers_of(problem.inputs[value]);
  for (const TapeNode& node : program.nodes) {
    std::vector<double>& y = values[node.output];
    y.resize(problem.rows * problem.columns);
    const std::vector<double>&a = values[node.inputs.front()], &b = values[node.inputs.back()];
    if (node.op == TapeOperator::layernorm) normalize(problem, a, values[node.inputs[1]], b, y);
    for (size_t i = 0; i < y.size(); ++i) {
      if (node.op == TapeOperator::add) y[i] = a[i] + b[i];
      if (node.op == TapeOperator::mul) y[i] = a[i] * b[i];
      if (node.op == TapeOperator::relu) y[i] = std::max(a[i], 0.0);
      if (node.op == TapeOperator::gelu) y[i] = gelu_of(a[i]);
      if (stored) y[i] = stored(y[i]);
    }
  }
  return values;
}

TapeNumbers run_backward(const Tape& tape, const TapeProblem& problem, const TapeNumbers& values,
                         const Stored& stored) {
  return BackwardRun(tape, problem, values, stored).run(tape.steps);
}

}  // namespace tilescope
