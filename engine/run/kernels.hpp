// The kernels that a plan names: finds them in the compiled module, checks their arguments against their parameters,
// and chooses the one that the views show.
#pragma once

#include <span>

#include "engine/compile/compiler.hpp"
#include "engine/compile/declared_kernels.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// The kernels declared by the sources of a plan and by the headers that they include.
std::vector<DeclaredKernel> declared_kernels(const Plan& plan);

/// Gives every launch the name that its kernel has in the module; a launch without a name gets the only kernel. Checks
/// the number and width of the arguments, and that no whole number is passed to a floating parameter.
Result<void> settle_kernels(Plan& plan, const CompiledModule& module, std::span<const DeclaredKernel> declared);

/// The template kernels to instantiate for the launches of a plan.
std::vector<std::string> kernel_expressions(const Plan& plan, std::span<const DeclaredKernel> declared);

/// The launch that the views show: that of the first of these kernels that is launched, else the one with the most
/// threads (the last of equals). For a reduction this is the first pass, not the final one.
size_t shown_launch(const std::vector<Launch>& launches, const std::vector<std::string>& kernels);

/// Whether a block can learn what a different one has done: it then reads memory in a way that the compiler does not
/// optimise.
bool blocks_may_wait(std::string_view ptx);

}  // namespace tilescope
