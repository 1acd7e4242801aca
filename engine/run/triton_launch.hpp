// The launches of a plan in Triton: what the compiler specializes them for, and what it then decides.
#pragma once

#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// The specializations of a plan's launches, each once.
Result<std::vector<TritonKernel>> triton_kernels(const Plan& plan);

/// Gives every launch the kernel, the block and the shared memory that the compiler chose, leaves out the arguments
/// that became constants, and adds the compiler's own pointers, with a scratch buffer where one is needed.
Result<void> settle_triton(Plan& plan, const CompiledModule& module);

}  // namespace tilescope
