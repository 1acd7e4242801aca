// The kernels that a source declares, as written. This includes templates, which a compiled module lists only after
// they are named with arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

/// One definition of a kernel's name, or its declaration if there is no definition.
struct KernelOverload {
  std::vector<std::string> parameters;           // "const float* x"
  std::vector<std::string> template_parameters;  // "class T", "int N = 4"; empty: not a template
  uint32_t line = 0;
};

struct DeclaredKernel {
  std::string name;                         // qualified by its namespaces
  std::vector<std::string> parameters;      // those of the first overload
  uint32_t line = 0;                        // where the first declaration is
  bool is_template = false;                 // true if any overload is a template
  int overloads = 0;                        // number of definitions of that name
  std::vector<KernelOverload> all;          // at least one
  std::vector<std::string> instantiations;  // "scale<float>", as host code launches it
};
std::vector<DeclaredKernel> declared_kernels(const std::string& text);

}  // namespace tilescope
