// From what a person calls a kernel to its name in the PTX. A plain __global__ function has a mangled name there, a
// template has one for each list of arguments, and an extern "C" function has its own.
//
//     scale   ops::scale   scale<float>   scale(const float*, int)   scale<float>(float const *, int n)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/compile/declared_kernels.hpp"

namespace tilescope {

/// "_ZN2ns5scaleIfEEvPT_i" → "ns::scale<float>(float*, int)". A name that is not mangled stays.
std::string kernel_signature(const std::string& entry);
/// The same without the parameters.
std::string kernel_name(const std::string& entry);
/// The same without its namespaces and template arguments; also of what a person calls the kernel.
std::string bare_kernel_name(const std::string& kernel);
/// "f" may mean "ns::f".
bool may_be_called(const std::string& said, const std::string& name);
/// Whether a person gave the template arguments.
bool names_template_arguments(const std::string& kernel);

/// The template kernels among `declared` that a person may mean.
std::vector<const DeclaredKernel*> templates_meant(const std::string& wanted, std::span<const DeclaredKernel> declared);

/// What NVRTC has to instantiate so that the module holds the kernel that is wanted: nothing for a plain function. An
/// empty name asks for the only kernel of the source.
std::vector<std::string> expressions_to_compile(const std::string& wanted, std::span<const DeclaredKernel> declared);

/// The entry of the PTX that is wanted: by that name, by signature, or by the part of it that says enough. An empty
/// name asks for the only kernel. The Error lists the kernels that there are.
Result<std::string> find_kernel_entry(const CompiledModule& module, const std::string& wanted, const std::string& file,
                                      std::span<const DeclaredKernel> declared);

/// The parameters of a kernel as the source declares them, "const float* x"; empty where that is not known for sure.
std::vector<std::string> declared_parameters(const std::string& entry, std::span<const DeclaredKernel> declared);

}  // namespace tilescope
