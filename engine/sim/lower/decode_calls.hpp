// Subroutines and their calls, from the function as inline_calls.hpp gives it to the records of a Program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/lower/liveness.hpp"
#include "engine/sim/lower/variables.hpp"
#include "engine/sim/program/program.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

Subroutine make_subroutine(const PtxSubroutine& subroutine, uint32_t operation, uint16_t frame_slot);

/// kernel_bytes: the local variables of the kernel, whose frame they are.
CallSite make_call_site(const PtxCall& call, const PtxFunction& function, const KernelVariables& kernel_variables,
                        uint32_t kernel_bytes);

/// Registers that the caller needs behind the call are saved.
void save_registers(const PtxFunction& function, const RegisterSlots& slots, const std::vector<bool>& needed,
                    CallSite& site);

/// The name of a function as it stands in the source: "fib(int)" of "_Z3fibi".
std::string name_in_source(std::string_view mangled);

}  // namespace tilescope
