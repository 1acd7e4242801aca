// The special registers (PTX ISA 9.0, section 10): the decoder's lookup table. state/special_slots.hpp fills their
// slots.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/sim/program/program.hpp"

namespace tilescope {

struct SpecialRegisterInfo {
  std::string_view name;  // "%tid.x"
  SpecialRegister id;
  uint32_t bytes;
  bool by_warp;  // has a slot in every warp; the others are in the uniform area
};
const SpecialRegisterInfo* find_special_register(std::string_view name);

}  // namespace tilescope
