// An expression of host code, from its tokens: arithmetic, casts, sizeof, ?: and calls. What it does not understand is
// not known, and neither is what is computed from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/sandbox/reading/host_value.hpp"
#include "app/sandbox/reading/token_terms.hpp"

namespace tilescope {

/// What the names of the expression mean. Each may return nothing.
struct HostMeaning {
  const HostVariables& variables;
  std::function<HostValue(const std::string& path)> value;  // "n", "grid.x", "config.rows"
  std::function<HostValue(const std::string& function, const std::vector<Tokens>& arguments)> call;
  std::function<std::optional<int64_t>(Tokens type_or_name)> size_of;
  /// Whether the tokens are a number's type, and that of a floating one.
  std::function<std::optional<bool>(Tokens type)> floating;
};

/// Null: not known.
HostValue read_host_expression(Tokens tokens, const HostMeaning& meaning);

/// Pieces at the commas outside of brackets and template arguments.
std::vector<Tokens> split_arguments(Tokens tokens);
/// `name`, `ns::name`, `a.b`, `a->b` or `a[i].b` that begins at i: "name", "a.b"; sets the token after it. Empty: none.
std::string read_path(Tokens tokens, size_t i, size_t& end);
/// The token after template arguments that open at i, where they are followed by ( or ::, else i.
size_t after_template_arguments(Tokens tokens, size_t i);

}  // namespace tilescope
