// The arithmetic of a launch, computed from how often each of its instructions was executed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/sim/program/program.hpp"
#include "engine/trace.hpp"

namespace tilescope {

/// Operations of one execution of an instruction by a warp, and the peak rate that applies; 0 if it is not arithmetic.
struct InstructionWork {
  PeakRate rate = PeakRate::fp32;
  double operations = 0;
};
InstructionWork work_of(std::string_view opcode);

/// `executed`: by operation of the program.
LaunchWork work_of(const Program& program, std::span<const uint64_t> executed);

}  // namespace tilescope
