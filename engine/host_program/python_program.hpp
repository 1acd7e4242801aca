// The host program of Triton kernels, in Python with torch and triton.
#pragma once

#include "engine/host_program/host_program.hpp"

namespace tilescope {

HostProgramResult python_program(const HostProgramSubject& subject);

std::string torch_type(DType type);  // "torch.float32"

}  // namespace tilescope
