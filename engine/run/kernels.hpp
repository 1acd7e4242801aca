// The kernels that a plan names, found in the compiled module, and its arguments held against their parameters.
#pragma once

#include "engine/compile/compiler.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// Gives every launch the name that its kernel has in the module; a launch without a name gets the only kernel. Number
/// and width of the arguments are checked, and that a whole number does not meet a floating parameter.
Result<void> settle_kernels(Plan& plan, const CompiledModule& module);

/// What has to be instantiated for the launches of a plan.
std::vector<std::string> kernel_expressions(const Plan& plan);

}  // namespace tilescope
