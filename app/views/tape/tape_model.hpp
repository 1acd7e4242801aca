// What the tape view shows of the program that a learner edits. No ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/autograd/programs.hpp"
#include "engine/autograd/tape_check.hpp"

namespace tilescope {

/// The last text that is a program, with its tape.
struct TapeShown {
  Tape tape;
  std::vector<CheckedGradient> checked;  // on a few rows
  std::optional<Error> error;            // in the text; the tape stays as it was
  std::optional<uint32_t> line;          // that the error names, from 0
  size_t version = 0;                    // counts the times that the tape changed

  void take(const std::string& text);
  bool valid() const { return !tape.program.nodes.empty(); }
};

/// "a = gelu(h)"; with more than two operands "y = layernorm(r, …)".
std::string title_of(const TapeProgram& program, const TapeNode& node);

}  // namespace tilescope
