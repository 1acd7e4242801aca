// What a kernel's pointer parameters point to, as far as the PTX's names and the source tell.
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
  bool is_pointer = false;      // float**: what its elements point to is of `type`
  bool holds_anything = false;  // char, int4: often a carrier of other types' bytes
};

/// Of each parameter of the kernel; nothing where it is no pointer, or to a type of which nothing is known. The mangled
/// name has the types with every typedef and template argument replaced; an extern "C" function has the source's words.
std::vector<std::optional<Pointee>> pointees_of(const std::string& entry, const std::vector<std::string>& declared,
                                                const std::string& source_text, const std::vector<Define>& defines);

/// Whether elements of `held` are what the kernel reads them as. Integers of one width differ by their sign alone.
bool fits(DType held, const Pointee& pointee);

}  // namespace tilescope
