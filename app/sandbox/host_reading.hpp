// What the host code of a file does before it launches a kernel: the launch's numbers, its buffers and its arguments,
// read in the order of the statements, through the functions that lead from main() to the launch.
//
//     const int n = 1 << 20;                        // n is 1,048,576
//     cudaMalloc(&d_x, n * sizeof(float));          // d_x points to n * 4 bytes
//     const int blocks = (n + 255) / 256;           // ceil(n/256)
//     scale<<<blocks, 256>>>(d_x, 2.0f, n);         // x is d_x, factor is 2, n is n
//
// Loops are taken once and conditions as if a program were started without arguments. What is not understood is not
// known, and a form falls back on the kernel's body for it (kernel_reading.hpp).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/sandbox/host_value.hpp"
#include "app/sandbox/parameter_type.hpp"
#include "engine/compile/source_parts.hpp"

namespace tilescope {

struct HostPlace {
  std::string function;  // "main"
  uint32_t line = 0;     // of the text, 1-based; 0: not known
};

/// Memory that a pointer of the host code points to.
struct HostMemory {
  std::string type;           // "float" where it was declared as float*
  HostValue bytes = nullptr;  // null: not allocated here
  HostPlace place = {};       // of the allocation
  std::optional<int> set_to;  // by cudaMemset, each byte
  HostPlace set_at = {};
};

struct HostArgument {
  HostValue value = nullptr;     // of a number; null: not known
  std::optional<size_t> buffer;  // of HostLaunch::buffers
  bool is_null = false;          // nullptr
};

struct HostLaunch {
  size_t count = 0;  // launches of the kernel in the file; what follows is of the first
  HostPlace place;
  std::array<std::optional<size_t>, 3> grid, block;  // variables, along x, y and z; nothing: not known
  HostValue shared = nullptr;                        // bytes
  std::vector<HostArgument> arguments;
  std::vector<std::string> template_arguments;  // "float", "256"; empty: none are written, or one is not known
  std::set<size_t> template_variables;          // on which these depend
  HostVariables variables;
  std::vector<HostMemory> buffers;
};

class HostInterpreter;

/// The host code of one file; `source` and `types` outlive it.
class HostSource {
 public:
  HostSource(const SourceParts& source, const TypeNames& types, std::string_view text);

  HostLaunch first_launch(const std::string& kernel) const;
  /// Names that occur in device code, as opposed to host code alone.
  const std::set<std::string_view>& device_names() const { return device_names_; }

 private:
  friend class HostInterpreter;

  struct Function {
    std::string name;  // without namespaces
    size_t begin = 0;  // tokens: its declaration, parameters and body
    size_t open = 0, body = 0, end = 0;
    bool allocates = false;
    std::vector<std::string> type_parameters;  // template <typename T, int N>: "T", "N"
  };
  struct Macro {
    std::vector<std::string> parameters;
    bool is_function = false;
    std::vector<SourceToken> value;
    uint32_t line = 0;
  };

  void read_macros();
  void read_functions();
  uint32_t line_at(size_t offset) const;
  const Function* function_around(size_t token) const;
  const Function* function_named(std::string_view name) const;
  std::optional<size_t> call_of(const Function& function) const;

  const SourceParts& source_;
  const TypeNames& types_;
  std::vector<size_t> line_begins_;
  std::vector<Function> functions_;
  std::map<std::string, Macro> macros_;
  std::set<std::string_view> device_names_;
};

}  // namespace tilescope
