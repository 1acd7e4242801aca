// A number as host code computes it, kept as an expression: a form can then say ceil(n/block.x) where main() says (n +
// threads - 1) / threads, and follow changes of n.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilescope {

struct HostNode;
/// Null: unknown.
using HostValue = std::shared_ptr<const HostNode>;

struct HostNode {
  enum class Kind : uint8_t {
    number,
    variable,
    sum,
    product,
    ratio,      // floating-point a / b
    floor,      // integer a / b, with C's semantics
    ceil,       // (a + b - 1) / b, and equivalent forms
    remainder,  // a % b
    partial,    // a % b != 0: 1 or 0
    round_up,   // ceil(a), for one floating number
    round_down,
    minimum,
    maximum,
    less,     // a < b: 1 or 0
    at_most,  // a <= b
    same,     // a == b
  };
  Kind kind = Kind::number;
  bool is_floating = false;
  long double number = 0;
  size_t variable = 0;  // index into HostVariables
  std::vector<HostValue> parts = {};
  // Size of the tree. If a function below would exceed the limits, its result is unknown.
  int depth = 1, size = 1;
  static constexpr int kDeepest = 64, kLargest = 1000;
};

/// One assignment to a name: a variable assigned twice is two of these.
struct HostVariable {
  std::string name;
  HostValue value = nullptr;          // null: unknown
  std::optional<long double> number;  // its evaluated value
  bool is_floating = false;
  bool is_constant = false;  // #define, or a constant outside all functions: usable in kernels too
  uint32_t line = 0;
  std::string function = {};  // the function that assigns it; empty: outside all
};
using HostVariables = std::vector<HostVariable>;

/// Null if it is not finite, or a whole number beyond ±10^18.
HostValue host_number(long double value, bool is_floating = false);
HostValue host_variable(size_t variable, bool is_floating);
HostValue host_sum(std::vector<HostValue> terms, const HostVariables& variables);
HostValue host_product(std::vector<HostValue> factors);
/// a / b; for whole numbers the remainder is dropped.
HostValue host_quotient(const HostValue& a, const HostValue& b, const HostVariables& variables);
/// A node of a kind with two parts, or of round_up and round_down, without simplification.
HostValue host_node(HostNode::Kind kind, std::vector<HostValue> parts, const HostVariables& variables);
/// The value converted to int.
HostValue host_whole(const HostValue& value, const HostVariables& variables);
/// Bytes → elements of `element_bytes` each.
HostValue host_elements(const HostValue& bytes, int64_t element_bytes, const HostVariables& variables);

bool is_same(const HostValue& a, const HostValue& b);
std::optional<long double> host_value_of(const HostValue& value, const HostVariables& variables);

/// The text of a variable; nothing: use the value that it is set to.
using HostNames = std::function<std::optional<std::string>(size_t variable)>;
/// Text in the language of the form's fields (expression.hpp); nothing if a part is unknown.
std::optional<std::string> host_text(const HostValue& value, const HostVariables& variables, const HostNames& names);
/// The variables that the value names directly, each once.
std::set<size_t> variables_in(const HostValue& value);
/// Calls `seen` for each variable that the value depends on, directly or through others.
void for_each_variable(const HostValue& value, const HostVariables& variables, const std::function<void(size_t)>& seen);

}  // namespace tilescope
