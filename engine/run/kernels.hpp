// The kernels that a plan names: found in the compiled module, their arguments held against their parameters, and which
// of them the views show.
#pragma once

#include <span>

#include "engine/compile/compiler.hpp"
#include "engine/compile/declared_kernels.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// The kernels that the sources of a plan declare, and the headers that they include.
std::vector<DeclaredKernel> declared_kernels(const Plan& plan);

/// Gives every launch the name that its kernel has in the module; a launch without a name gets the only kernel. Number
/// and width of the arguments are checked, and that a whole number does not meet a floating parameter.
Result<void> settle_kernels(Plan& plan, const CompiledModule& module, std::span<const DeclaredKernel> declared);

/// What has to be instantiated for the launches of a plan.
std::vector<std::string> kernel_expressions(const Plan& plan, std::span<const DeclaredKernel> declared);

/// The launch that the views show: that of the first of these kernels that is launched, else the one with the most
/// threads, of several the last. A sum's first launch, that is, and not the one that adds the last few numbers.
size_t shown_launch(const std::vector<Launch>& launches, const std::vector<std::string>& kernels);

/// Whether a block can learn what another one has done: it then reads memory in a way that the compiler leaves alone.
bool blocks_may_wait(std::string_view ptx);

}  // namespace tilescope
