// The memory instructions of a kernel's machine code, read from its cubin: what ptxas made of the PTX instructions.
//
// An instruction of sm_70 and later has 128 bits; its lowest nine bits name the operation, whatever the operands.
// NVIDIA does not document them: the table here matches what nvdisasm prints for kernels compiled for sm_75 to sm_120,
// and the tests compare the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/compiled_module.hpp"

namespace tilescope {

/// In program order, without accesses to local memory; empty if there is no such kernel.
std::vector<MachineAccess> machine_accesses(std::span<const std::byte> cubin, const std::string& kernel);

}  // namespace tilescope
