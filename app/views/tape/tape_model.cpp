#include "app/views/tape/tape_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/autograd/differences.hpp"
#include "engine/autograd/tape_text.hpp"
#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

constexpr size_t kRows = 2, kColumns = 24;

/// "line 3" → 2.
std::optional<uint32_t> line_in(const Error& error) {
  if (error.what.places().empty()) return std::nullopt;
  const std::string where = error.what.places().front().english();
  const size_t begin = where.find_first_of("0123456789");
  if (begin == std::string::npos) return std::nullopt;
  uint32_t line = 0;
  const auto read = std::from_chars(where.data() + begin, where.data() + where.size(), line);
  if (read.ec != std::errc() || line == 0) return std::nullopt;
  return line - 1;
}

}  // namespace

void TapeShown::take(const std::string& text) {
  auto program = program_from_text(text);
  if (!program) {
    error = program.error();
    line = line_in(*error);
    return;
  }
  error.reset();
  line.reset();
  tape = make_tape(std::move(*program));
  checked = check_gradients(tape);
  ++version;
}

std::vector<CheckedGradient> check_gradients(const Tape& tape) {
  const TapeProgram& program = tape.program;
  std::vector<std::vector<float>> contents(program.values.size() + 1);
  for (size_t value = 0; value < contents.size(); ++value) {
    const bool upstream = value == program.values.size();
    if (!upstream && program.values[value].node) continue;
    const bool matrix = upstream || program.values[value].shape == TapeShape::matrix;
    contents[value].resize(matrix ? kRows * kColumns : kColumns);
    for (size_t i = 0; i < contents[value].size(); ++i) contents[value][i] = normal_at(value, i);
  }
  TapeProblem problem{.rows = kRows, .columns = kColumns};
  problem.inputs.assign(contents.begin(), contents.end() - 1);
  problem.upstream = contents.back();
  const TapeNumbers gradients = run_backward(tape, problem, run_forward(program, problem));
  const TapeDifferences differences(program, problem);
  std::vector<CheckedGradient> checked;
  for (size_t value = 0; value < program.values.size(); ++value) {
    if (program.values[value].node) continue;
    CheckedGradient one{.name = "d" + program.values[value].name, .value = value, .parts = 0};
    for (const TapeNode& node : program.nodes) one.parts += static_cast<size_t>(std::ranges::count(node.inputs, value));
    for (size_t i = 0; i < contents[value].size(); ++i) {
      const Difference difference = differences.difference(value, i);
      one.deviation = std::max(one.deviation, std::abs(gradients[value][i] - difference.value));
      one.difference_error = std::max(one.difference_error, difference.error());
    }
    checked.push_back(std::move(one));
  }
  return checked;
}

std::string title_of(const TapeProgram& program, const TapeNode& node) {
  std::string operands = program.values[node.inputs.front()].name;
  if (node.inputs.size() == 2) operands += ", " + program.values[node.inputs.back()].name;
  if (node.inputs.size() > 2) operands += ", …";
  return fmt::format("{} = {}({})", program.values[node.output].name, name_of(node.op), operands);
}

}  // namespace tilescope
