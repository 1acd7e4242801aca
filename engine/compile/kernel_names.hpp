// Maps the name that a user gives a kernel to its name in the PTX: mangled for a plain __global__ function, one name
// per argument list for a template, unchanged for an extern "C" function.
//
//     scale   ops::scale   scale<float>   scale(const float*, int)   scale<float>(float const *, int n)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/compile/declared_kernels.hpp"

namespace tilescope {

/// "_ZN2ns5scaleIfEEvPT_i" → "ns::scale<float>(float*, int)". A name that is not mangled is returned unchanged.
std::string kernel_signature(const std::string& entry);
/// The same without the parameters.
std::string kernel_name(const std::string& entry);
/// The same without namespaces and template arguments; also accepts a name given by the user.
std::string bare_kernel_name(const std::string& kernel);
/// "f" may mean "ns::f".
bool may_be_called(const std::string& said, const std::string& name);
/// Whether the user gave template arguments.
bool names_template_arguments(const std::string& kernel);

/// The template kernels among `declared` that the user may mean.
std::vector<const DeclaredKernel*> templates_meant(const std::string& wanted, std::span<const DeclaredKernel> declared);

/// The expressions that NVRTC must instantiate so that the module contains the wanted kernel: none for a plain
/// function. An empty name means the only kernel of the source.
std::vector<std::string> expressions_to_compile(const std::string& wanted, std::span<const DeclaredKernel> declared);

/// The wanted PTX entry, found by name, by signature, or by an unambiguous part of the signature. An empty name means
/// the only kernel. The Error lists the available kernels.
Result<std::string> find_kernel_entry(const CompiledModule& module, const std::string& wanted, const std::string& file,
                                      std::span<const DeclaredKernel> declared);

/// The parameters of a kernel as the source declares them, "const float* x"; empty if that is not certain.
std::vector<std::string> declared_parameters(const std::string& entry, std::span<const DeclaredKernel> declared);

}  // namespace tilescope
