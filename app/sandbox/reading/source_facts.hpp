// Facts about the kernels in the text of a CUDA file, found without a compiler: names, parameters, template parameters,
// and the constants and types used in them. This also works for text that does not compile, such as a file that is
// being saved; NVRTC decides when it runs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/sandbox/reading/host_reading.hpp"
#include "app/sandbox/reading/parameter_type.hpp"
#include "engine/compile/source_tokens.hpp"
#include "engine/kernel_language.hpp"

namespace tilescope {

struct TemplateParameter {
  std::string name;           // "T", "BLOCK"
  bool is_type = true;        // typename T, or int BLOCK
  std::string default_value;  // "float"; empty: none
};

struct ForeignKernel;

struct SourceKernel {
  std::string name;                          // as it is launched, without template arguments: "ns::scale"
  std::string last_name;                     // "scale", as written in the source
  std::vector<std::string> parameters;       // as declared, "const float* x"
  std::vector<TemplateParameter> templated;  // empty: not a template
  std::vector<std::string> instantiations;   // for a template, as host code launches it: "scale<float>"
  uint32_t line = 0;
  int launch_bounds = 0;                                // __launch_bounds__(256); 0: none
  std::vector<SourceToken> head = {}, body = {};        // views into SourceFacts::text
  std::vector<std::vector<SourceToken>> configuration;  // the <<<…>>> of its first launch, by argument
  std::shared_ptr<const HostLaunch> launch = {};        // the host code that leads to it
  std::shared_ptr<const ForeignKernel> foreign = {};    // a kernel of a different language: all that is known of it
};

/// A kernel that is not CUDA C++ (foreign_facts.hpp). `parameters`, `templated` and `body` of its SourceKernel are
/// empty.
struct ForeignKernel {
  KernelLanguage language = KernelLanguage::triton;
  std::vector<ParameterType> parameters = {};      // what a launch gives, each with a name
  std::map<std::string, std::string> fields = {};  // of its form: the suggestions
  std::vector<std::string> constexprs = {};        // the names of a Triton kernel's tl.constexpr parameters
  std::vector<std::string> needed = {};            // those of them that have no value of their own
  std::map<std::string, std::string> values = {};  // only for those that have one
};

/// A __constant__, __device__ or __managed__ variable.
struct SourceVariable {
  std::string name;              // "ns::weights"
  std::string last_name;         // "weights"
  std::string declared;          // "float weights"
  std::vector<int64_t> extents;  // for an array
  bool is_constant = false;      // __constant__
  bool is_initialised = false;
  bool is_set_by_host = false;       // by some cudaMemcpyToSymbol
  bool is_used_by_function = false;  // by a device function, which any kernel may call
  uint32_t line = 0;
};

struct SourceFacts {
  std::shared_ptr<const std::string> text;
  uint32_t own_lines = 0;             // the lines after these belong to headers
  std::vector<SourceKernel> kernels;  // each name once
  std::vector<SourceVariable> variables;
  TypeNames types;
  std::map<std::string, int64_t> constants;                      // #define, constexpr, const
  std::map<std::string, std::vector<SourceToken>> declarations;  // host variables with arguments: dim3 block(16, 16)
  std::set<std::string, std::less<>> device_names;               // names that occur in device code

  const SourceKernel* find(const std::string& name) const;
};

/// `own_lines`: number of lines of the file itself, if the text of its headers follows; 0: all.
SourceFacts read_source_facts(std::string text, uint32_t own_lines = 0);

/// "scale<float, 256>" → "scale" and its arguments.
struct TypedKernel {
  std::string name;
  std::vector<std::string> arguments;
  bool closed = true;  // false: the argument list is incomplete
};
TypedKernel read_typed_kernel(const std::string& typed);

/// The names inside one kernel: its template parameters are replaced by the arguments. Constants inside its body are
/// included.
SourceFacts with_template_arguments(const SourceFacts& facts, const SourceKernel& kernel,
                                    const std::vector<std::string>& arguments);

/// The value of tokens such as "2 * TILE", computed as in C; nothing if a name is not a constant, or the value is not
/// whole.
std::optional<int64_t> constant_value(std::span<const SourceToken> tokens,
                                      const std::map<std::string, int64_t>& constants);

}  // namespace tilescope
