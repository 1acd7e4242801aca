// The memory instructions of a kernel's machine code, read from its cubin: what ptxas made of those of the PTX.
//
// An instruction of sm_70 and later has 128 bits; its lowest nine name the operation whatever its operands are. NVIDIA
// does not document them: the table here is what nvdisasm prints for kernels compiled for sm_75 to sm_120, and the
// tests hold it against that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/compiled_module.hpp"

namespace tilescope {

/// In their order; empty for a kernel that is not there. Local memory is not among them.
std::vector<MachineAccess> machine_accesses(std::span<const std::byte> cubin, const std::string& kernel);

}  // namespace tilescope
