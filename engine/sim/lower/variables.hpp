// Where the variables of a module and of a kernel lie in the simulated address space.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/sim/program/program.hpp"
#include "engine/sim/ptx/ast.hpp"
#include "engine/trace.hpp"

namespace tilescope {

struct VariablePlace {
  Space space = Space::global;
  uint64_t offset = 0;  // from the start of the space's window
  uint64_t bytes = 0;
};

/// The address of a space's window; variables in global memory have the module's.
uint64_t window_of(Space space);

/// Module variables (.global and .const), which all kernels of a module share.
struct ModuleVariables {
  std::unordered_map<std::string_view, VariablePlace> places;
  uint64_t global_bytes = 0, constant_bytes = 0;
};
ModuleVariables place_module_variables(const PtxModule& module);

/// The initial bytes of one of the two windows, with the addresses that initialisers name.
std::vector<uint8_t> initial_bytes(const PtxModule& module, const ModuleVariables& variables, Space space);

/// Parameters, shared and local variables of one kernel.
struct KernelVariables {
  std::unordered_map<std::string_view, VariablePlace> places;
  std::vector<uint32_t> parameter_offsets;
  uint64_t parameter_bytes = 0;
  uint64_t shared_bytes = 0;           // static
  uint64_t dynamic_shared_offset = 0;  // where extern __shared__ arrays begin
  uint64_t local_bytes = 0;
  uint64_t local_checked_bytes = 0;  // of them, those whose first write is waited for
  std::vector<LocalVariable> local;
};
KernelVariables place_kernel_variables(const PtxModule& module, const PtxFunction& function);

}  // namespace tilescope
