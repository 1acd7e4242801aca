// Preprocessor conditionals whose outcome the sliders decide, replaced by the branch that is compiled.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

/// Values of macros by name, as after -DNAME=VALUE.
using Macros = std::map<std::string, std::string, std::less<>>;

/// The value of a whole-number expression of #if; names without a value are 0. Nothing where it depends on a name that
/// only the compiler or a system header knows: one that begins with two underscores, or any name without a value if
/// `closed` is false.
std::optional<int64_t> condition_value(std::string_view expression, const Macros& macros, bool closed);

/// The text without the branches that are not compiled, and without the directives that decide so. Conditionals of
/// which the outcome is not known stay as they are. `closed`: no system header defines a name that the text tests.
std::string resolve_conditionals(std::string_view text, Macros macros, bool closed);

}  // namespace tilescope
