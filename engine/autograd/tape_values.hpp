// A program of the tape in double precision on the CPU: its results, and its gradients by the formulas of the backward
// kernels. Kernels are not compared with these gradients but with central differences (differences.hpp), which know no
// formula; the formulas show how far off the differences are.
#pragma once

#include <bit>
#include <functional>
#include <span>
#include <vector>

#include "engine/autograd/tape.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// What LayerNorm adds to the variance of a row.
constexpr double kLayerNormEpsilon = 1e-5;

/// Shows the floats or bfloat16 elements of memory that outlives it.
class TapeContents {
 public:
  TapeContents() = default;
  TapeContents(std::span<const float> floats) : floats_(floats) {}
  TapeContents(const std::vector<float>& floats) : floats_(floats) {}
  /// A buffer of type f32 or bf16.
  explicit TapeContents(const HostBuffer& buffer) {
    if (buffer.type == DType::bf16)
      halves_ = buffer.as<uint16_t>();
    else
      floats_ = buffer.as<float>();
  }
  size_t size() const { return halves_.empty() ? floats_.size() : halves_.size(); }
  /// A bfloat16 is the upper half of a float.
  float operator[](size_t i) const {
    return halves_.empty() ? floats_[i] : std::bit_cast<float>(static_cast<uint32_t>(halves_[i]) << 16);
  }

 private:
  std::span<const float> floats_;
  std::span<const uint16_t> halves_;
};

/// What a program is run on. Matrices are row-major.
struct TapeProblem {
  size_t rows = 0, columns = 0;
  std::vector<TapeContents> inputs = {};  // parallel to TapeProgram::values; empty for results
  TapeContents upstream = {};             // dy, the gradient of the program's result
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

/// What a matrix holds once a number was written to it.
using Stored = std::function<double(double)>;

/// Every value. `stored` rounds what is written; none: nothing is rounded.
TapeNumbers run_forward(const TapeProgram& program, const TapeProblem& problem, const Stored& stored = {});
/// The gradient of every value, by the steps of the tape. `stored` rounds each part of a matrix's gradient.
TapeNumbers run_backward(const Tape& tape, const TapeProblem& problem, const TapeNumbers& values,
                         const Stored& stored = {});

}  // namespace tilescope
