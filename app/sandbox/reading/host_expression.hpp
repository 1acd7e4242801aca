// Evaluates an expression of host code from its tokens: arithmetic, casts, sizeof, ?: and calls. Anything else is
// unknown, and so is everything computed from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/sandbox/reading/host_value.hpp"
#include "app/sandbox/reading/token_terms.hpp"

namespace tilescope {

/// The meaning of the names in the expression. Each function may return nothing.
struct HostMeaning {
  const HostVariables& variables;
  std::function<HostValue(const std::string& path)> value;  // "n", "grid.x", "config.rows"
  std::function<HostValue(const std::string& function, const std::vector<Tokens>& arguments)> call;
  std::function<std::optional<int64_t>(Tokens type_or_name)> size_of;
  /// Whether the tokens are a number type; if so, whether it is a floating one.
  std::function<std::optional<bool>(Tokens type)> floating;
};

/// Null: unknown.
HostValue read_host_expression(Tokens tokens, const HostMeaning& meaning);

/// The parts between commas outside brackets and template arguments.
std::vector<Tokens> split_arguments(Tokens tokens);
/// `name`, `ns::name`, `a.b`, `a->b` or `a[i].b` that begins at i, as "name", "a.b"; sets `end` to the token after it.
/// Empty: none.
std::string read_path(Tokens tokens, size_t i, size_t& end);
/// The token after template arguments that open at i if ( or :: follows them, else i.
size_t after_template_arguments(Tokens tokens, size_t i);

}  // namespace tilescope
