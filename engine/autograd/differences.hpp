// Gradients by central differences in double precision, from the forward pass alone.
//
// With L = Σ dy · y the gradient of an element x is (L(x + h) − L(x − h)) / 2h. Two errors oppose each other:
//
//   truncation  h²/6 · |L‴|, estimated from a second difference at twice the step: |D(2h) − D(h)| / 3
//   rounding    what a bit of each y is worth: 2^-52 · Σ |dy · y| / h, over the y that change
//
// h = ∛2^-53 · max(1, |x|) balances them for functions whose third derivative is about as large as their value; then
// both are near 10^-10, five digits below the rounding of a kernel in float. One element of a matrix changes one row,
// so a difference costs a row and not the whole program.
//
// ReLU has a kink at 0, where a difference across it means nothing. If x − h and x + h lie on different sides, the step
// is divided by 16 until they do not. An argument of exactly 0 counts as not active, as in PyTorch: its derivative is
// 0.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "engine/autograd/tape_values.hpp"

namespace tilescope {

struct Difference {
  double value = 0;
  double step = 0;
  double truncation = 0, rounding = 0;  // estimates
  bool kink = false;                    // the step was divided, or the argument of a ReLU is 0
  double error() const { return truncation + rounding; }
};

/// The usual step at x.
double usual_step(double x);

class TapeDifferences {
 public:
  /// Program, problem and the memory that its spans show must outlive it.
  TapeDifferences(const TapeProgram& program, const TapeProblem& problem);

  /// Elements [begin, end) of the program's result.
  void forward(size_t begin, size_t end, double* result) const;
  /// The gradients of elements [begin, end) of an input of the program. Safe to call from several threads.
  void gradients(size_t input, size_t begin, size_t end, double* result) const;
  /// One gradient with the errors of the difference; with a step of one's own there is no search for kinks.
  Difference difference(size_t input, size_t element, std::optional<double> step = {}) const;

 private:
  const TapeProgram& program_;
  const TapeProblem& problem_;
};

}  // namespace tilescope
