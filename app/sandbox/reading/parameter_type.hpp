// The type of a kernel's parameter, from its declaration: "const float* __restrict__ x" is a pointer to f32 that is
// only read. The PTX has only sizes, so the form is made from the source's text; the run checks the two against each
// other (engine/run/kernels.hpp).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/types.hpp"

namespace tilescope {

struct ParameterType {
  enum class Kind : uint8_t {
    scalar,     // a number, or several contiguous ones: float4
    pointer,    // to elements of a known type
    structure,  // by value, with known members
    unknown,    // an unknown type
  };
  Kind kind = Kind::unknown;
  std::string name;          // "x"; empty if the declaration has none
  std::string declared;      // "const float* __restrict__ x"
  DType type = DType::f32;   // the number's, or the type of the pointer's target
  int components = 1;        // 4 for float4
  bool is_const = false;     // for a pointer: its target is const
  size_t size = 0;           // bytes as an argument; 0: unknown
  size_t alignment = 1;      // as a member
  size_t element_bytes = 0;  // pointer to an unknown type: bytes of that type, if known
  bool is_table = false;     // float**: of unknown kind, `type` is the target of its pointers
  std::vector<ParameterType> members = {};
};

/// The types that a source names.
struct TypeNames {
  std::map<std::string, std::string> aliases = {};               // "real" → "float"; also template arguments
  std::map<std::string, std::vector<std::string>> structs = {};  // name → its members' declarations
};

ParameterType read_parameter(const std::string& declaration, const TypeNames& names);

/// "f32", "f32 × 4": as shown in a form.
std::string type_text(const ParameterType& type);

}  // namespace tilescope
