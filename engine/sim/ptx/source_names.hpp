// Variables of PTX by the names that they have in the source.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// The name that a mangled variable of a function has there: "tile" of _ZZ6kernelPfE4tile; nothing for others.
std::string_view local_name(std::string_view symbol);

/// Any variable by its name in the source.
std::string variable_name(std::string_view symbol);

/// A symbol as the source would write it, with scopes, template arguments and parameters; itself where it is not
/// mangled.
std::string readable_name(std::string_view symbol);

}  // namespace tilescope
