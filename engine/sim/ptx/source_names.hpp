// Maps PTX symbols to the names in the source.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// The source name of a mangled variable of a function: "tile" for _ZZ6kernelPfE4tile; empty for others.
std::string_view local_name(std::string_view symbol);

/// The source name of any variable.
std::string variable_name(std::string_view symbol);

/// A symbol as written in the source, with scopes, template arguments and parameters; unchanged if it is not mangled.
std::string readable_name(std::string_view symbol);

}  // namespace tilescope
