// What the tape view shows of the program that a learner edits. No ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/autograd/programs.hpp"
#include "engine/autograd/tape.hpp"

namespace tilescope {

/// The gradient of an input of the program, checked on a few rows.
struct CheckedGradient {
  std::string name;             // "dx"
  size_t value = 0;             // of the program
  size_t parts = 1;             // that are added up
  double deviation = 0;         // largest |formula − central difference|, both in double
  double difference_error = 0;  // largest estimate of what the differences are off by
};

/// The last text that is a program, with its tape.
struct TapeShown {
  Tape tape;
  std::vector<CheckedGradient> checked;
  std::optional<Error> error;    // of the text; the tape stays as it was
  std::optional<uint32_t> line;  // that the error names, from 0
  size_t version = 0;            // counts the times that the tape changed

  void take(const std::string& text);
  bool valid() const { return !tape.program.nodes.empty(); }
};

/// Runs both passes in double on a few rows, and compares every gradient with central differences.
std::vector<CheckedGradient> check_gradients(const Tape& tape);

/// "a = gelu(h)"; with more than two operands "y = layernorm(r, …)".
std::string title_of(const TapeProgram& program, const TapeNode& node);

}  // namespace tilescope
