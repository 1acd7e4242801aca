// The types that a kernel's pointer parameters point to, as far as the PTX's names and the source tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/plan.hpp"
#include "engine/types.hpp"

namespace tilescope {

struct Pointee {
  DType type = DType::f32;
  std::string text = {};        // "float4"
  bool is_pointer = false;      // float**: its elements point to `type`
  bool holds_anything = false;  // char, int4: often carries bytes of other types
};

/// For each parameter of the kernel: nothing if it is not a pointer, or its target type is unknown. The mangled name
/// has all typedefs and template arguments resolved; for an extern "C" function only the source's spelling is known.
std::vector<std::optional<Pointee>> pointees_of(const std::string& entry, const std::vector<std::string>& declared,
                                                const std::string& source_text, const std::vector<Define>& defines);

/// Whether elements of `held` have the type as which the kernel reads them. Integers of one width count as equal,
/// whatever their sign.
bool fits(DType held, const Pointee& pointee);

}  // namespace tilescope
