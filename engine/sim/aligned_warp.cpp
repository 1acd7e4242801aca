#include "engine/sim/aligned_warp.hpp"

#include <fmt/format.h>

#include <bit>

namespace tilescope {

void report_missing_lanes(Warp& warp, const Operation* operation, uint32_t mask) {
  const Program& program = *warp.machine->setup().program;
  const auto index = static_cast<uint32_t>(operation - warp.code);
  const std::string_view opcode = program.function->instructions[program.details[index].instruction].opcode;
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  warp.machine->report(warp, index, first, 1, "divergent-warp-instruction",
                       fmt::format("{} is executed by {} of a warp's 32 lanes, and needs all of them together", opcode,
                                   std::popcount(mask)),
                       nullptr, 0);
}

}  // namespace tilescope
