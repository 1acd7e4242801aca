// A program of the tape in double precision on the CPU: its results, and its gradients by the formulas of the backward
// kernels. Kernels are not compared with these gradients but with central differences (differences.hpp), which know no
// formula; the formulas show how far off the differences are.
#pragma once

#include <span>
#include <vector>

#include "engine/autograd/tape.hpp"

namespace tilescope {

/// What LayerNorm adds to the variance of a row.
constexpr double kLayerNormEpsilon = 1e-5;

/// What a program is run on. Matrices are row-major.
struct TapeProblem {
  size_t rows = 0, columns = 0;
  std::vector<std::span<const float>> inputs = {};  // parallel to TapeProgram::values; empty for results
  std::span<const float> upstream = {};             // dy, the gradient of the program's result
};

/// Parallel to TapeProgram::values.
using TapeNumbers = std::vector<std::vector<double>>;

/// GELU in its tanh form: ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))).
double gelu_of(double x);
/// Its tanh alone.
double gelu_tanh_of(double x);

/// Mean and 1/σ of a row.
struct RowStatistics {
  double mean = 0, rstd = 0;
};
RowStatistics statistics_of(std::span<const double> row);

/// Every value.
TapeNumbers run_forward(const TapeProgram& program, const TapeProblem& problem);
/// The gradient of every value, by the steps of the tape.
TapeNumbers run_backward(const Tape& tape, const TapeProblem& problem, const TapeNumbers& values);

}  // namespace tilescope
