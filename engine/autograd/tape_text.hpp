// A program for the tape, as a learner writes it, one line for each operator:
//
//     # y = layernorm(gelu(x · w + b) + x)
//     x, w, b: matrix
//     gamma, beta: vector
//     p = mul(x, w)
//     h = add(p, b)
//     a = gelu(h) : save=inputs
//     r = add(a, x)
//     y = layernorm(r, gamma, beta)
//
//   NAMES: SHAPE                inputs; the shape is matrix or vector
//   NAME = OPERATOR(NAMES)      add(a, b), mul(a, b), relu(x), gelu(x), layernorm(x, gamma, beta)
//   : save=CHOICE               after an operator: all, inputs or checkpoint (Save); all if left out
//   # …                         a comment
//
// A line reads only what is above it. The last line is the result, and every other value must be read.
#pragma once

#include <string>
#include <string_view>

#include "engine/autograd/tape.hpp"

namespace tilescope {

constexpr size_t kMostTapeNodes = 40;

/// The error names the line.
Result<TapeProgram> program_from_text(std::string_view text);
/// A text that gives this program again, except for its line numbers.
std::string text_of(const TapeProgram& program);

}  // namespace tilescope
