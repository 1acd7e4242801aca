// The special registers (PTX ISA 9.0, section 10): the table in which the decoder looks them up.
// state/special_slots.hpp says what their slots hold.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/sim/program/program.hpp"

namespace tilescope {

struct SpecialRegisterInfo {
  std::string_view name;  // "%tid.x"
  SpecialRegister id;
  uint32_t bytes;
  bool by_warp;  // has a slot in every warp; the others lie in the uniform area
};
const SpecialRegisterInfo* find_special_register(std::string_view name);

}  // namespace tilescope
