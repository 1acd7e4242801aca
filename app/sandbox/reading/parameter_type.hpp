// What a kernel's parameter is, from its declaration: "const float* __restrict__ x" is a pointer to f32 that is only
// read. The PTX knows sizes alone, so the source's words are what a form is made from; the run holds both against each
// other (engine/run/kernels.hpp).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/types.hpp"

namespace tilescope {

struct ParameterType {
  enum class Kind : uint8_t {
    scalar,     // a number, or several in a row: float4
    pointer,    // to elements of a known type
    structure,  // by value, with known members
    unknown,    // a type of which nothing is known
  };
  Kind kind = Kind::unknown;
  std::string name;          // "x"; empty where the declaration has none
  std::string declared;      // "const float* __restrict__ x"
  DType type = DType::f32;   // of the number, or of what is pointed to
  bool is_bool = false;      // a u8 that is written true or false
  int components = 1;        // 4 for float4
  bool is_const = false;     // pointer: what it points to
  size_t size = 0;           // bytes as an argument; 0: unknown
  size_t alignment = 1;      // as a member
  size_t element_bytes = 0;  // pointer to something of unknown type: bytes of that, where known
  bool is_table = false;     // float**: of unknown kind, `type` is what its pointers point to
  std::vector<ParameterType> members = {};
};

/// The types that a source gives names to.
struct TypeNames {
  std::map<std::string, std::string> aliases = {};               // "real" → "float"; also template arguments
  std::map<std::string, std::vector<std::string>> structs = {};  // name → its members' declarations
};

ParameterType read_parameter(const std::string& declaration, const TypeNames& names);

/// "f32", "f32 × 4": how a form shows it.
std::string type_text(const ParameterType& type);

}  // namespace tilescope
