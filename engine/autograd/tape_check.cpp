#include "engine/autograd/tape_check.hpp"

#include <algorithm>
#include <cmath>

#include "engine/autograd/differences.hpp"

namespace tilescope {

TapeInputs make_inputs(const TapeProgram& program, size_t rows, size_t columns,
                       const std::function<float(uint64_t stream, uint64_t element)>& number) {
  TapeInputs inputs;
  const auto fill = [&](std::vector<float>& contents, size_t stream, size_t count) {
    contents.resize(count);
    for (size_t i = 0; i < count; ++i) contents[i] = number(stream, i);
  };
  inputs.contents.resize(program.values.size());
  for (size_t value = 0; value < program.values.size(); ++value)
    if (!program.values[value].node)
      fill(inputs.contents[value], value, program.values[value].shape == TapeShape::matrix ? rows * columns : columns);
  fill(inputs.upstream, program.values.size(), rows * columns);
  inputs.problem = {.rows = rows, .columns = columns};
  inputs.problem.inputs.assign(inputs.contents.begin(), inputs.contents.end());
  inputs.problem.upstream = inputs.upstream;
  return inputs;
}

std::vector<CheckedGradient> check_gradients(const Tape& tape, const TapeProblem& problem) {
  const TapeProgram& program = tape.program;
  const TapeNumbers gradients = run_backward(tape, problem, run_forward(program, problem));
  const TapeDifferences differences(program, problem);
  std::vector<CheckedGradient> checked;
  for (size_t value = 0; value < program.values.size(); ++value) {
    if (program.values[value].node) continue;
    CheckedGradient one{.name = "d" + program.values[value].name, .value = value, .parts = 0};
    for (const TapeNode& node : program.nodes) one.parts += static_cast<size_t>(std::ranges::count(node.inputs, value));
    for (size_t i = 0; i < gradients[value].size(); ++i) {
      const Difference difference = differences.difference(value, i);
      one.deviation = std::max(one.deviation, std::abs(gradients[value][i] - difference.value));
      one.difference_error = std::max(one.difference_error, difference.error());
    }
    checked.push_back(std::move(one));
  }
  return checked;
}

}  // namespace tilescope
