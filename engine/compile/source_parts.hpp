// The declarations of a CUDA C++ source, found by brackets and keywords without a compiler: which are functions, types
// and variables, and which are for the device. It may be wrong about some programs, since NVRTC decides in the end
// (device_source.hpp).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/source_tokens.hpp"

namespace tilescope {

struct SourcePart {
  enum class Kind : uint8_t { function, type, variable, other };
  Kind kind = Kind::other;
  std::string name;                        // qualified by its namespaces and class; empty if it has none
  size_t begin = 0, end = 0;               // bytes of the source
  uint32_t first_line = 0, last_line = 0;  // 1-based
  bool is_member = false;                  // in a class, whose part precedes it
  bool is_loose = false;                   // a friend or a static variable, which the class does not need
  bool is_template = false;
  bool is_definition = false;  // has a body or an initial value
  bool is_kernel = false;      // __global__
  bool on_device = false;      // __global__, __device__, __constant__, …, also through a macro or for a member
  bool host_only = false;      // __host__ and not on_device
  bool is_complete = false;    // ends as a complete declaration
  std::string parameters;      // for a function: the text between its parentheses
  bool is_const = false, is_constexpr = false;
};

struct SourceParts {
  std::vector<SourcePart> parts;     // in the order of the source; members after their class
  std::vector<SourceToken> tokens;   // for the whole source
  std::set<std::string_view> names;  // every name that occurs
};

SourceParts parts_of_source(std::string_view text);

/// A launch in host code: kernel<arguments><<<…>>>, as written; `kernel` has no template arguments.
struct SourceLaunch {
  std::string kernel, expression;
  uint32_t line = 0;
};
std::vector<SourceLaunch> launches_of_source(const SourceParts& source, std::string_view text);

}  // namespace tilescope
