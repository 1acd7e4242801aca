// Arguments passed by value as literals of a programming language.
#pragma once

#include <optional>
#include <string>

#include "engine/plan.hpp"

namespace tilescope {

/// "98432", "2.5f", "true"; `type` is the parameter's, as the source writes it. Nothing for a struct.
std::optional<std::string> cuda_literal(const ScalarArgument& argument, const std::string& type);
/// "{1, 200, 200, 0.125f}" for a struct that `text` defines with members of fundamental types; nothing for any other.
std::optional<std::string> struct_literal(const ScalarArgument& argument, const std::string& type,
                                          const std::string& text);
/// "98432", "2.5". Nothing for a struct.
std::optional<std::string> python_literal(const ScalarArgument& argument);

/// "float" and "x" of "const float x"; the name is empty if the parameter has none.
struct ParameterParts {
  std::string type, name;
};
ParameterParts parts_of_parameter(const std::string& parameter);

}  // namespace tilescope
