// Addresses of the variables of a module and of a kernel in the simulated address space.
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

/// The base address of a space's window; variables in global memory are in the module's window.
uint64_t window_of(Space space);

/// Module variables (.global and .const), which all kernels of a module share.
struct ModuleVariables {
  std::unordered_map<std::string_view, VariablePlace> places;
  uint64_t global_bytes = 0, constant_bytes = 0;
};
ModuleVariables place_module_variables(const PtxModule& module);

/// The initial bytes of one of the two windows, with the addresses that initialisers refer to.
std::vector<uint8_t> initial_bytes(const PtxModule& module, const ModuleVariables& variables, Space space);

/// Parameters, shared and local variables of one kernel.
struct KernelVariables {
  std::unordered_map<std::string_view, VariablePlace> places;
  std::vector<uint32_t> parameter_offsets;
  uint64_t parameter_bytes = 0;
  uint64_t shared_bytes = 0;           // static
  uint64_t dynamic_shared_offset = 0;  // offset of extern __shared__ arrays
  uint64_t local_bytes = 0;
  uint64_t local_checked_bytes = 0;  // the first of them, for which reads before a write are reported
  std::vector<LocalVariable> local;
};
KernelVariables place_kernel_variables(const PtxModule& module, const PtxFunction& function);

}  // namespace tilescope
