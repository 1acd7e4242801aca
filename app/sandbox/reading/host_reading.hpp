// What a file's host code does before it launches a kernel: the launch's numbers, its buffers and its arguments, read
// in statement order through the functions that lead from main() to the launch.
//
//     const int n = 1 << 20;                        // n is 1,048,576
//     cudaMalloc(&d_x, n * sizeof(float));          // d_x points to n * 4 bytes
//     const int blocks = (n + 255) / 256;           // ceil(n/256)
//     scale<<<blocks, 256>>>(d_x, 2.0f, n);         // x is d_x, factor is 2, n is n
//
// The text is not executed: it is read once from top to bottom. If a condition's value is known, the branch not taken
// is skipped; if not, a value from before the branch stays. A loop around the launch is in its first iteration;
// variables that an earlier loop changes are unknown afterwards. Unknown values are left to the kernel's body
// (kernel_reading.hpp), and so is everything if a file takes too many steps.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/sandbox/reading/host_value.hpp"
#include "app/sandbox/reading/parameter_type.hpp"
#include "engine/compile/source_parts.hpp"

namespace tilescope {

struct HostPlace {
  std::string function;  // "main"
  uint32_t line = 0;     // line of the text, 1-based; 0: unknown
};

/// Memory that a host pointer points to.
struct HostMemory {
  std::string type;           // "float" if it was declared as float*
  HostValue bytes = nullptr;  // null: not allocated here
  HostPlace place = {};       // where the allocation is
  std::optional<int> set_to;  // by cudaMemset, for each byte
  HostPlace set_at = {};
};

struct HostArgument {
  HostValue value = nullptr;     // for a number; null: unknown
  std::optional<size_t> buffer;  // index into HostLaunch::buffers
  bool is_null = false;          // nullptr
};

/// What cudaMemcpyToSymbol copies into a device variable.
struct HostSymbol {
  std::vector<HostValue> values;  // a number, or the elements of an array; empty: unknown
  HostPlace place = {};
};

struct HostLaunch {
  size_t count = 0;  // launches of the kernel in the file; the members below describe the first
  HostPlace place;
  std::array<std::optional<size_t>, 3> grid, block;  // variables, along x, y and z; nothing: unknown
  HostValue shared = nullptr;                        // bytes
  std::vector<HostArgument> arguments;
  std::vector<std::string> template_arguments;  // "float", "256"; empty: none are written, or one is unknown
  std::set<size_t> template_variables;          // variables that these depend on
  HostVariables variables;
  std::vector<HostMemory> buffers;
  std::map<std::string, HostSymbol> symbols;  // by the last component of the variable's name
};

class HostInterpreter;

/// The host code of one file; `source` and `types` must outlive it.
class HostSource {
 public:
  HostSource(const SourceParts& source, const TypeNames& types, std::string_view text);

  /// Count 0 if there is no launch. All calls together take a bounded number of steps.
  HostLaunch first_launch(const std::string& kernel);
  /// The token <<< of that launch.
  std::optional<size_t> first_angles(const std::string& kernel) const;
  /// Names that occur in device code, as opposed to host code alone.
  const std::set<std::string_view>& device_names() const { return device_names_; }

  HostSource(const HostSource&) = delete;
  HostSource& operator=(const HostSource&) = delete;

 private:
  friend class HostInterpreter;

  struct Function {
    std::string name;  // without namespaces
    size_t begin = 0;  // tokens: its declaration, parameters and body
    size_t open = 0, body = 0, end = 0;
    bool allocates = false;                    // or sets device variables
    std::vector<std::string> type_parameters;  // template <typename T, int N>: "T", "N"
  };
  struct Macro {
    std::vector<std::string> parameters;
    bool is_function = false;
    std::vector<SourceToken> value;  // empty if the file has several different definitions
    uint32_t line = 0;               // line of the first definition
  };
  struct KernelLaunches {
    size_t name = 0, angles = 0;  // tokens of the first launch
    size_t count = 0;
  };

  void read_groups();
  void read_macros();
  void read_functions();
  void read_launches();
  uint32_t line_at(size_t offset) const;
  const Function* function_around(size_t token) const;
  const Function* function_named(std::string_view name) const;
  std::optional<size_t> call_of(const Function& function) const;

  const SourceParts& source_;
  const TypeNames& types_;
  std::vector<size_t> line_begins_;
  std::vector<Function> functions_;
  std::map<std::string, Macro, std::less<>> macros_;
  std::map<std::string_view, KernelLaunches> launches_;  // by kernel
  std::set<std::string_view> device_names_;
  std::vector<size_t> group_ends_;  // by token: the position after the bracket group that it opens; else the number of
                                    // tokens
  std::map<size_t, size_t> next_directives_;       // from #if to its #else, and from there to its #endif
  std::shared_ptr<const HostInterpreter> around_;  // code outside functions
  size_t steps_left_;                              // for the launches that are not read yet
};

}  // namespace tilescope
