// The programs of the lab "autograd", one for each rung, and the kernels of kernels/autograd.cu that compute the steps
// of a tape.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/autograd/tape.hpp"

namespace tilescope {

struct TapeExample {
  std::string_view rung = {};  // "chain"
  std::string_view text = {};
};
/// By rung, in the order of the ladder.
std::span<const TapeExample> tape_examples();

/// The program of a rung of the lab; nothing if the lab has no such rung.
std::optional<TapeProgram> program_of_rung(std::string_view rung, Save save);
/// The lab's parameter SAVE: 0 all, 1 inputs, 2 checkpoint.
Save save_of_parameter(int64_t value);

/// The kernels of a step in the order in which they are launched: "gelu_saving", or "layernorm_backward",
/// "layernorm_backward_weights" and "layernorm_backward_slabs".
std::vector<std::string> kernels_of(const Tape& tape, const TapeStep& step);

}  // namespace tilescope
