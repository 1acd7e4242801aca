#include "engine/autograd/differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope {
namespace {

constexpr double kShrink = 16;
constexpr int kMostShrinks = 7;  // 5e-6 / 16^7 is 2e-14

/// A row of every value, unchanged.
struct BaseRow {
  std::vector<std::vector<double>> values;  // parallel to TapeProgram::values; a vector input is the same in all rows
  std::vector<RowStatistics> statistics;    // for the inputs of LayerNorms; parallel to TapeProgram::nodes
};

/// How a value differs from the base row when one element of an input changes.
struct Changed {
  enum class Kind { none, one, all };
  Kind kind = Kind::none;
  double one = 0;           // at the changed column
  std::vector<double> all;  // the whole row
};

/// Both sides of a difference, without the division.
struct Sides {
  double difference = 0;  // L(x + h) − L(x − h)
  double size = 0;        // Σ |dy · y| over the y that change
  bool crosses = false;   // an argument of a ReLU changes its sign
  bool zero = false;      // an argument of a ReLU is 0
};

class RowRun {
 public:
  /// `sizes`: Sides::size is wanted.
  RowRun(const TapeProgram& program, const TapeProblem& problem, bool sizes)
      : program_(program), problem_(problem), sizes_(sizes) {}

  void start(size_t row) {
    const size_t columns = problem_.columns, first = row * columns;
    base_.values.resize(program_.values.size());
    base_.statistics.resize(program_.nodes.size());
    for (size_t value = 0; value < program_.values.size(); ++value) {
      if (program_.values[value].node) continue;
      const bool vector = program_.values[value].shape == TapeShape::vector;
      if (vector && !base_.values[value].empty()) continue;
      base_.values[value].resize(columns);
      for (size_t c = 0; c < columns; ++c)
        base_.values[value][c] = double{problem_.inputs[value][(vector ? 0 : first) + c]};
    }
    upstream_.resize(columns);
    for (size_t c = 0; c < columns; ++c) upstream_[c] = double{problem_.upstream[first + c]};
    for (size_t node = 0; node < program_.nodes.size(); ++node) start_node(node);
  }

  const std::vector<double>& result() const { return base_.values[program_.result()]; }
  double value_at(size_t input, size_t column) const { return base_.values[input][column]; }

  /// L(x + h) − L(x − h) for the element of this row, or of the vector, at the column.
  Sides sides(size_t input, size_t column, double step) {
    Sides sides;
    const double x = value_at(input, column);
    evaluate(above_, input, column, x + step, sides);
    evaluate(below_, input, column, x - step, sides);
    const Changed &high = above_[program_.result()], &low = below_[program_.result()];
    const std::vector<double>& dy = upstream_;
    if (high.kind == Changed::Kind::one) {
      sides.difference = dy[column] * (high.one - low.one);
      sides.size = std::abs(dy[column] * high.one);
    }
    if (high.kind != Changed::Kind::all) return sides;
    std::array<double, 4> sums{};  // that do not wait for one another
    for (size_t c = 0; c < problem_.columns; ++c) sums[c % 4] += dy[c] * (high.all[c] - low.all[c]);
    sides.difference = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (sizes_)
      for (size_t c = 0; c < problem_.columns; ++c) sides.size += std::abs(dy[c] * high.all[c]);
    return sides;
  }

 private:
  static double apply(TapeOperator op, double a, double b) {
    if (op == TapeOperator::add) return a + b;
    if (op == TapeOperator::mul) return a * b;
    return op == TapeOperator::relu ? std::max(a, 0.0) : gelu_of(a);
  }

  void start_node(size_t number) {
    const TapeNode& node = program_.nodes[number];
    const std::vector<double>& a = base_.values[node.inputs[0]];
    std::vector<double>& y = base_.values[node.output];
    y.resize(problem_.columns);
    if (node.op == TapeOperator::layernorm) {
      const RowStatistics statistics = base_.statistics[number] = statistics_of(a);
      const std::vector<double>&gamma = base_.values[node.inputs[1]], &beta = base_.values[node.inputs[2]];
      for (size_t c = 0; c < y.size(); ++c) y[c] = (a[c] - statistics.mean) * statistics.rstd * gamma[c] + beta[c];
      return;
    }
    const std::vector<double>& b = base_.values[node.inputs.back()];
    for (size_t c = 0; c < y.size(); ++c) y[c] = apply(node.op, a[c], b[c]);
  }

  void evaluate(std::vector<Changed>& changed, size_t input, size_t column, double x, Sides& sides) {
    changed.resize(program_.values.size());
    for (Changed& one : changed) one.kind = Changed::Kind::none;
    changed[input].kind = Changed::Kind::one;
    changed[input].one = x;
    for (size_t node = 0; node < program_.nodes.size(); ++node) {
      if (program_.nodes[node].op == TapeOperator::layernorm)
        change_layernorm(changed, node, column);
      else
        change_elements(changed, program_.nodes[node], column, sides);
    }
  }

  double element(const std::vector<Changed>& changed, size_t value, size_t c, size_t column) const {
    const Changed& one = changed[value];
    if (one.kind == Changed::Kind::all) return one.all[c];
    if (one.kind == Changed::Kind::one && c == column) return one.one;
    return value_at(value, c);
  }

  /// A ReLU whose argument is 0 stays at 0.
  double change_element(TapeOperator op, const std::vector<Changed>& changed, const TapeNode& node, size_t c,
                        size_t column, Sides& sides) const {
    const double a = element(changed, node.inputs[0], c, column), b = element(changed, node.inputs.back(), c, column);
    if (op == TapeOperator::relu) {
      const double before = base_.values[node.inputs[0]][c];
      if (before == 0 && a != 0) {
        sides.zero = true;
        return 0;
      }
      if (before != 0 && (before > 0) != (a > 0)) sides.crosses = true;
    }
    return apply(op, a, b);
  }

  void change_elements(std::vector<Changed>& changed, const TapeNode& node, size_t column, Sides& sides) const {
    Changed& y = changed[node.output];
    const auto kind = std::max(changed[node.inputs.front()].kind, changed[node.inputs.back()].kind);
    y.kind = kind;
    if (kind == Changed::Kind::one) y.one = change_element(node.op, changed, node, column, column, sides);
    if (kind != Changed::Kind::all) return;
    y.all.resize(problem_.columns);
    for (size_t c = 0; c < problem_.columns; ++c) y.all[c] = change_element(node.op, changed, node, c, column, sides);
  }

  void change_layernorm(std::vector<Changed>& changed, size_t number, size_t column) const {
    const TapeNode& node = program_.nodes[number];
    const size_t x = node.inputs[0], gamma = node.inputs[1], beta = node.inputs[2];
    Changed& y = changed[node.output];
    const bool weights = changed[gamma].kind != Changed::Kind::none || changed[beta].kind != Changed::Kind::none;
    // With the changed weights; all others of the row have theirs from the base row.
    const auto at_column = [&](double value, const RowStatistics& statistics) {
      return (value - statistics.mean) * statistics.rstd * element(changed, gamma, column, column) +
             element(changed, beta, column, column);
    };
    if (changed[x].kind == Changed::Kind::none) {
      y.kind = weights ? Changed::Kind::one : Changed::Kind::none;
      if (weights) y.one = at_column(base_.values[x][column], base_.statistics[number]);
      return;
    }
    y.kind = Changed::Kind::all;
    y.all = changed[x].kind == Changed::Kind::all ? changed[x].all : base_.values[x];
    if (changed[x].kind == Changed::Kind::one) y.all[column] = changed[x].one;
    const RowStatistics statistics = statistics_of(y.all);
    const double here = weights ? at_column(y.all[column], statistics) : 0;
    const double *scale = base_.values[gamma].data(), *shift = base_.values[beta].data();
    double* const row = y.all.data();
    for (size_t c = 0; c < problem_.columns; ++c)
      row[c] = (row[c] - statistics.mean) * statistics.rstd * scale[c] + shift[c];
    if (weights) row[column] = here;
  }

  const TapeProgram& program_;
  const TapeProblem& problem_;
  bool sizes_;
  BaseRow base_;
  std::vector<double> upstream_;  // dy of the row
  std::vector<Changed> above_, below_;
};

/// The difference of one row at the usual step, or at a smaller one where a kink is near.
Difference difference_of_row(RowRun& run, size_t input, size_t column, std::optional<double> own_step) {
  Difference result;
  const double x = run.value_at(input, column);
  // The step is what x + h and x − h really differ by.
  const auto exact = [x](double step) { return ((x + step) - (x - step)) / 2; };
  result.step = exact(own_step.value_or(usual_step(x)));
  Sides sides = run.sides(input, column, result.step);
  for (int i = 0; i < kMostShrinks && sides.crosses && !own_step; ++i) {
    result.step = exact(result.step / kShrink);
    sides = run.sides(input, column, result.step);
    result.kink = true;
  }
  result.kink = result.kink || sides.zero;
  result.value = sides.difference / (2 * result.step);
  result.rounding = 0x1p-52 * sides.size / result.step;
  return result;
}

}  // namespace

double usual_step(double x) {
  static const double root = std::cbrt(0x1p-53);
  return root * std::max(1.0, std::abs(x));
}

TapeDifferences::TapeDifferences(const TapeProgram& program, const TapeProblem& problem)
    : program_(program), problem_(problem) {}

void TapeDifferences::forward(size_t begin, size_t end, double* result) const {
  RowRun run(program_, problem_, /*sizes=*/false);
  for (size_t i = begin, row = ~size_t{0}; i < end; ++i) {
    if (i / problem_.columns != row) run.start(row = i / problem_.columns);
    result[i - begin] = run.result()[i % problem_.columns];
  }
}

void TapeDifferences::gradients(size_t input, size_t begin, size_t end, double* result) const {
  RowRun run(program_, problem_, /*sizes=*/false);
  if (program_.values[input].shape == TapeShape::vector) {
    std::fill(result, result + (end - begin), 0.0);
    for (size_t row = 0; row < problem_.rows; ++row) {
      run.start(row);
      for (size_t i = begin; i < end; ++i) result[i - begin] += difference_of_row(run, input, i, {}).value;
    }
    return;
  }
  for (size_t i = begin, row = ~size_t{0}; i < end; ++i) {
    if (i / problem_.columns != row) run.start(row = i / problem_.columns);
    result[i - begin] = difference_of_row(run, input, i % problem_.columns, {}).value;
  }
}

Difference TapeDifferences::difference(size_t input, size_t element, std::optional<double> step) const {
  RowRun run(program_, problem_, /*sizes=*/true);
  const bool vector = program_.values[input].shape == TapeShape::vector;
  const size_t first = vector ? 0 : element / problem_.columns, last = vector ? problem_.rows : first + 1;
  const size_t column = vector ? element : element % problem_.columns;
  Difference total;
  for (size_t row = first; row < last; ++row) {
    run.start(row);
    const Difference one = difference_of_row(run, input, column, step);
    total.value += one.value;
    total.rounding += one.rounding;
    total.step = one.step;
    total.kink = total.kink || one.kink;
    const Difference twice = difference_of_row(run, input, column, 2 * one.step);
    total.truncation += one.kink ? 0 : std::abs(twice.value - one.value) / 3;
  }
  return total;
}

}  // namespace tilescope
