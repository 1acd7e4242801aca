// The special registers (PTX ISA 9.0, section 10): which there are, and what is in their slots.
#pragma once

#include <optional>
#include <string_view>

#include "engine/sim/machine.hpp"

namespace tilescope {

struct SpecialRegisterInfo {
  std::string_view name;  // "%tid.x"
  SpecialRegister id;
  uint32_t bytes;
  bool by_warp;  // has a slot in every warp; the others lie in the uniform area
};
const SpecialRegisterInfo* find_special_register(std::string_view name);

void fill_warp_slots(const Program& program, const Dim3& block, Warp& warp);
/// What does not change during a launch: the special registers, and the parameters that are loaded.
void fill_launch_slots(const Program& program, const LaunchSetup& setup, uint8_t* uniform);
void fill_block_slots(const Program& program, const Dim3& id, uint64_t index, uint32_t multiprocessors,
                      uint8_t* uniform);

}  // namespace tilescope
