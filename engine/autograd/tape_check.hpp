// The gradients of a program by the formulas of its backward pass, beside central differences of its forward pass. Both
// are in double precision; no kernel runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/autograd/tape_values.hpp"

namespace tilescope {

/// A program with contents for its inputs and for the gradient of its result.
struct TapeInputs {
  std::vector<std::vector<float>> contents;  // parallel to TapeProgram::values; empty for results
  std::vector<float> upstream;
  TapeProblem problem;  // shows them
};
/// `number` gives element i of stream s; each value has a stream of its own.
TapeInputs make_inputs(const TapeProgram& program, size_t rows, size_t columns,
                       const std::function<float(uint64_t stream, uint64_t element)>& number);

/// The gradient of an input of the program.
struct CheckedGradient {
  std::string name;             // "dx"
  size_t value = 0;             // its number in the program
  size_t parts = 1;             // that are added up
  double deviation = 0;         // largest |formula − central difference|
  double difference_error = 0;  // largest estimate of what the differences are off by
};
std::vector<CheckedGradient> check_gradients(const Tape& tape, const TapeProblem& problem);

}  // namespace tilescope
