// A number as host code computes it, kept as an expression: so that a form can say ceil(n/block.x) where main() says
// (n + threads - 1) / threads, and follow when n is changed.
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
/// Null: not known.
using HostValue = std::shared_ptr<const HostNode>;

struct HostNode {
  enum class Kind : uint8_t {
    number,
    variable,
    sum,
    product,
    ratio,      // a / b of floating numbers
    floor,      // a / b of whole numbers, as C divides
    ceil,       // (a + b - 1) / b, and the other ways to write it
    remainder,  // a % b
    partial,    // a % b != 0: 1 or 0
    round_up,   // ceil(a), of one floating number
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
  size_t variable = 0;  // of HostVariables
  std::vector<HostValue> parts = {};
  // Of the tree. Where a function below would make a larger one, its result is not known.
  int depth = 1, size = 1;
  static constexpr int kDeepest = 64, kLargest = 1000;
};

/// One assignment to a name: a variable that is assigned twice is two of these.
struct HostVariable {
  std::string name;
  HostValue value = nullptr;          // null: not known
  std::optional<long double> number;  // what it evaluates to
  bool is_floating = false;
  bool is_constant = false;  // #define, or a constant outside all functions: kernels can use it too
  uint32_t line = 0;
  std::string function = {};  // in which it is assigned; empty: outside all
};
using HostVariables = std::vector<HostVariable>;

/// Null where it is not finite, or a whole number beyond ±10^18.
HostValue host_number(long double value, bool is_floating = false);
HostValue host_variable(size_t variable, bool is_floating);
HostValue host_sum(std::vector<HostValue> terms, const HostVariables& variables);
HostValue host_product(std::vector<HostValue> factors);
/// a / b, which for whole numbers drops the remainder.
HostValue host_quotient(const HostValue& a, const HostValue& b, const HostVariables& variables);
/// Those kinds with two parts, or one of round_up and round_down, that need no thought.
HostValue host_node(HostNode::Kind kind, std::vector<HostValue> parts, const HostVariables& variables);
/// As an int takes it over.
HostValue host_whole(const HostValue& value, const HostVariables& variables);
/// Bytes → elements of `element_bytes` each.
HostValue host_elements(const HostValue& bytes, int64_t element_bytes, const HostVariables& variables);

bool is_same(const HostValue& a, const HostValue& b);
std::optional<long double> host_value_of(const HostValue& value, const HostVariables& variables);

/// How a variable is written; nothing: by what it is set to.
using HostNames = std::function<std::optional<std::string>(size_t variable)>;
/// In the language of the form's fields (expression.hpp); nothing where a part is not known.
std::optional<std::string> host_text(const HostValue& value, const HostVariables& variables, const HostNames& names);
/// Those that the value itself names, each once.
std::set<size_t> variables_in(const HostValue& value);
/// Calls `seen` for each variable that the value depends on, also through others.
void for_each_variable(const HostValue& value, const HostVariables& variables, const std::function<void(size_t)>& seen);

}  // namespace tilescope
