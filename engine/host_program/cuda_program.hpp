// The host program of CUDA kernels, in CUDA C++.
#pragma once

#include "engine/host_program/host_program.hpp"

namespace tilescope {

HostProgramResult cuda_program(const HostProgramSubject& subject);

}  // namespace tilescope
