// One spelling for each type, however a person or a demangler writes it: "const float2* __restrict__ x" and
// "float2 const*" are the same parameter.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// The pieces of a list between its top-level commas, without blanks around them.
std::vector<std::string> split_types(std::string_view list);

/// "const float2* x" → "float2 const*": without the parameter's name, what a const parameter says about its own copy,
/// and __restrict__. `names` stand for other types, as the parameters of a template do.
std::string canonical_type(std::string_view parameter, const std::map<std::string, std::string>& names = {});

/// Each of a list, with commas between.
std::string canonical_types(std::string_view list, const std::map<std::string, std::string>& names = {});

/// Whether a declaration is of a cudaTextureObject_t by value.
bool is_texture_object(std::string_view declaration);

/// A parameter as it may stand in the type of a function: without its name.
std::string type_of_parameter(std::string_view parameter);

}  // namespace tilescope
