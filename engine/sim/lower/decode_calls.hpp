// Subroutines and their calls: converts the function from inline_calls.hpp into records of a Program.
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

/// kernel_bytes: the size of the kernel's local variables, which are its frame.
CallSite make_call_site(const PtxCall& call, const PtxFunction& function, const KernelVariables& kernel_variables,
                        uint32_t kernel_bytes);

/// Registers that the caller needs after the call are saved.
void save_registers(const PtxFunction& function, const RegisterSlots& slots, const std::vector<bool>& needed,
                    CallSite& site);

/// The source name of a function: "fib(int)" for "_Z3fibi".
std::string name_in_source(std::string_view mangled);

}  // namespace tilescope
