// How a kernel uses the variables of its module, as far as its code tells.
#pragma once

#include <string_view>
#include <vector>

#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

struct VariableUse {
  const PtxVariable* variable = nullptr;
  bool is_constant = false;  // __constant__
  bool is_read = false;
  bool is_written = false;  // possibly: also if its address is stored where it is not tracked
};

/// The use of every .global and .const variable by this kernel and the functions of the module. Flow-insensitive: a
/// register may hold the result of any of its definitions.
std::vector<VariableUse> find_variable_uses(const PtxModule& module, std::string_view kernel);

}  // namespace tilescope
