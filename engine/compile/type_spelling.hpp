// A canonical spelling for each type, however a user or a demangler writes it: "const float2* __restrict__ x" and
// "float2 const*" are the same parameter.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Splits a list at its top-level commas and trims the parts.
std::vector<std::string> split_types(std::string_view list);

/// "const float2* x" → "float2 const*": drops the parameter's name, its top-level const, and __restrict__. `names` maps
/// names to types, as for template parameters.
std::string canonical_type(std::string_view parameter, const std::map<std::string, std::string>& names = {});

/// The canonical types of a list, joined by commas.
std::string canonical_types(std::string_view list, const std::map<std::string, std::string>& names = {});

/// Whether it declares a cudaTextureObject_t passed by value.
bool is_texture_object(std::string_view declaration);

/// A parameter without its name, as in a function type.
std::string type_of_parameter(std::string_view parameter);

}  // namespace tilescope
