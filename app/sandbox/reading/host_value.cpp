#include "app/sandbox/reading/host_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

using NodeKind = HostNode::Kind;

constexpr long double kLargest = 1e18L;  // larger whole numbers are not tracked
constexpr int kMostNodes = 200;          // per text
constexpr size_t kLongestText = 1000;

bool is_number(const HostValue& value) { return value != nullptr && value->kind == NodeKind::number; }
bool is_whole_number(const HostValue& value, long double wanted) {
  return is_number(value) && !value->is_floating && value->number == wanted;
}

bool any_null(const std::vector<HostValue>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const HostValue& part) { return part == nullptr; });
}
bool any_floating(const std::vector<HostValue>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const HostValue& part) { return part->is_floating; });
}

HostValue make(NodeKind kind, std::vector<HostValue> parts, bool is_floating) {
  auto node = std::make_shared<HostNode>();
  node->kind = kind;
  node->is_floating = is_floating;
  for (const HostValue& part : parts) {
    node->depth = std::max(node->depth, part->depth + 1);
    node->size += part->size;
  }
  if (node->depth > HostNode::kDeepest || node->size > HostNode::kLargest) return nullptr;
  node->parts = std::move(parts);
  return node;
}

std::vector<HostValue> terms_of(const HostValue& value) {
  return value->kind == NodeKind::sum ? value->parts : std::vector{value};
}

/// a in the form a + b - 1, where b may be its value; null: it does not have that form.
HostValue without_rounding(const HostValue& a, const HostValue& b, const HostVariables& variables) {
  std::vector<HostValue> terms = terms_of(a);
  const auto ones = std::find_if(terms.begin(), terms.end(), is_number);
  if (ones == terms.end()) return nullptr;
  const long double constant = (*ones)->number;
  const auto divisor = host_value_of(b, variables);
  if (divisor && constant == *divisor - 1 && constant > 0) {
    terms.erase(ones);
    return terms.empty() ? nullptr : host_sum(std::move(terms), variables);
  }
  if (constant != -1) return nullptr;
  terms.erase(ones);
  const auto same = std::find_if(terms.begin(), terms.end(), [&](const HostValue& term) { return is_same(term, b); });
  if (same == terms.end()) return nullptr;
  terms.erase(same);
  return terms.empty() ? nullptr : host_sum(std::move(terms), variables);
}

/// n/b + (n%b != 0), and (n - 1)/b + 1: both are ceil(n/b).
void find_ceilings(std::vector<HostValue>& terms, const HostVariables& variables) {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i]->kind != NodeKind::floor) continue;
    const HostValue a = terms[i]->parts[0], b = terms[i]->parts[1];
    for (size_t k = 0; k < terms.size(); ++k) {
      if (k == i) continue;
      const bool partial =
          terms[k]->kind == NodeKind::partial && is_same(terms[k]->parts[0], a) && is_same(terms[k]->parts[1], b);
      std::vector<HostValue> inner = terms_of(a);
      const auto less =
          std::find_if(inner.begin(), inner.end(), [](const HostValue& t) { return is_whole_number(t, -1); });
      const bool after = is_whole_number(terms[k], 1) && less != inner.end() && inner.size() > 1;
      if (!partial && !after) continue;
      if (after) inner.erase(less);
      terms[i] = make(NodeKind::ceil, {partial ? a : host_sum(std::move(inner), variables), b}, false);
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(k));
      return;
    }
  }
}

std::optional<long double> value_of_parts(const HostNode& node, const std::vector<long double>& parts) {
  switch (node.kind) {
    case NodeKind::sum: {
      long double sum = 0;
      for (const long double part : parts) sum += part;
      return sum;
    }
    case NodeKind::product: {
      long double product = 1;
      for (const long double part : parts) product *= part;
      return product;
    }
    case NodeKind::round_up:
      return std::ceil(parts[0]);
    case NodeKind::round_down:
      return std::trunc(parts[0]);
    case NodeKind::minimum:
      return std::min(parts[0], parts[1]);
    case NodeKind::maximum:
      return std::max(parts[0], parts[1]);
    case NodeKind::less:
      return parts[0] < parts[1] ? 1 : 0;
    case NodeKind::at_most:
      return parts[0] <= parts[1] ? 1 : 0;
    case NodeKind::same:
      return parts[0] == parts[1] ? 1 : 0;
    default:
      break;
  }
  if (parts[1] == 0) return std::nullopt;
  if (node.kind == NodeKind::ratio) return parts[0] / parts[1];
  if (node.kind == NodeKind::floor) return std::trunc(parts[0] / parts[1]);
  if (node.kind == NodeKind::ceil) return std::ceil(parts[0] / parts[1]);
  if (node.kind == NodeKind::remainder) return std::fmod(parts[0], parts[1]);
  return std::fmod(parts[0], parts[1]) != 0 ? 1 : 0;
}

std::string number_text(const HostNode& node) {
  if (!node.is_floating || (node.number == std::floor(node.number) && std::fabs(node.number) < 1e15L))
    return fmt::format("{:.0f}", node.number);
  return fmt::format("{}", static_cast<double>(node.number));
}

/// Texts, each with the precedence of its outermost operator: 1 for a sum, 2 for a product, 3 if no brackets are
/// needed.
class Printer {
 public:
  Printer(const HostVariables& variables, const HostNames& names) : variables_(variables), names_(names) {}

  std::optional<std::string> print(const HostValue& value, int least) {
    if (value == nullptr || ++nodes_ > kMostNodes) return std::nullopt;
    const auto& parts = value->parts;
    switch (value->kind) {
      case NodeKind::number:
        return value->number < 0 && least > 1 ? "(" + number_text(*value) + ")" : number_text(*value);
      case NodeKind::variable:
        return variable(value->variable, least);
      case NodeKind::sum:
        return sum(parts, least);
      case NodeKind::product:
        return product(parts, least);
      case NodeKind::ratio:
        return quotient(parts, least > 2);
      case NodeKind::floor:
        return call("floor", quotient(parts, false));
      case NodeKind::ceil:
        return call("ceil", quotient(parts, false));
      case NodeKind::remainder:
        return pair(parts, "%", 3, least > 2);
      case NodeKind::partial:
        return partial(parts);
      case NodeKind::round_up:
        return call("ceil", print(parts[0], 1));
      case NodeKind::round_down:
        return call("floor", print(parts[0], 1));
      case NodeKind::minimum:
        return call("min", pair(parts, ", ", 1, false));
      case NodeKind::maximum:
        return call("max", pair(parts, ", ", 1, false));
      case NodeKind::less:
      case NodeKind::at_most:
      case NodeKind::same:
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> variable(size_t index, int least) {
    if (auto name = names_(index)) return name;
    return print(variables_[index].value, least);
  }

  static std::optional<std::string> call(const char* function, const std::optional<std::string>& inside) {
    if (!inside) return std::nullopt;
    return function + ("(" + *inside + ")");
  }

  static std::string bracketed(std::string text, bool brackets) { return brackets ? "(" + text + ")" : text; }

  std::optional<std::string> pair(const std::vector<HostValue>& parts, const char* sign, int least, bool brackets) {
    const auto a = print(parts[0], least == 3 ? 2 : least), b = print(parts[1], least);
    if (!a || !b) return std::nullopt;
    return bracketed(*a + sign + *b, brackets);
  }
  std::optional<std::string> quotient(const std::vector<HostValue>& parts, bool brackets) {
    return pair(parts, "/", 3, brackets);
  }

  std::optional<std::string> sum(const std::vector<HostValue>& parts, int least) {
    std::string text;
    for (const HostValue& part : parts) {
      const bool negative = part->kind == NodeKind::number && part->number < 0;
      const auto one = print(negative ? host_number(-part->number, part->is_floating) : part, 2);
      if (!one) return std::nullopt;
      const bool minus = negative || one->starts_with('-');
      const std::string shown = one->starts_with('-') ? one->substr(1) : *one;
      text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
      text += shown;
    }
    return bracketed(std::move(text), least > 1);
  }

  std::optional<std::string> product(const std::vector<HostValue>& parts, int least) {
    std::string text, number;
    bool minus = false;
    for (const HostValue& part : parts) {
      if (part->kind == NodeKind::number) {
        minus = part->number < 0;
        const long double size = std::fabs(part->number);
        if (size != 1) number = number_text({.is_floating = part->is_floating, .number = size});
        continue;
      }
      const auto one = print(part, 2);
      if (!one) return std::nullopt;
      text += (text.empty() ? "" : "*") + *one;
    }
    if (!number.empty()) text += (text.empty() ? "" : "*") + number;
    return bracketed((minus ? "-" : "") + text, least > 2 || (minus && least > 1 && parts.size() == 1));
  }

  std::optional<std::string> partial(const std::vector<HostValue>& parts) {
    const auto a = print(parts[0], 2), b = print(parts[1], 3);
    // The divisor is written twice, so nested remainders would double in length at each level.
    if (!a || !b || b->size() > kLongestText) return std::nullopt;
    return fmt::format("ceil({}%{}/{})", *a, *b, *b);
  }

  const HostVariables& variables_;
  const HostNames& names_;
  int nodes_ = 0;
};

/// Converts bytes to elements. A sum of sums through variables branches at each of them, so the steps are counted.
class ElementCount {
 public:
  ElementCount(int64_t element_bytes, const HostVariables& variables)
      : size_(static_cast<long double>(element_bytes)), variables_(variables) {}

  HostValue of(const HostValue& bytes, int depth = 0) {
    if (bytes == nullptr || size_ < 1 || ++steps_ > kMostNodes) return nullptr;
    if (size_ == 1) return bytes;
    if (divides(bytes)) return host_number(bytes->number / size_);
    if (bytes->kind == NodeKind::variable && !bytes->is_floating && depth < HostNode::kDeepest) {
      const HostValue& inside = variables_[bytes->variable].value;
      const bool splits = inside != nullptr && (inside->kind == NodeKind::product || inside->kind == NodeKind::sum ||
                                                inside->kind == NodeKind::variable);
      if (splits) return of(inside, depth + 1);
    }
    if (bytes->kind == NodeKind::product)
      for (size_t i = 0; i < bytes->parts.size(); ++i) {
        if (!divides(bytes->parts[i])) continue;
        std::vector<HostValue> factors = bytes->parts;
        factors[i] = host_number(factors[i]->number / size_);
        return host_product(std::move(factors));
      }
    if (bytes->kind == NodeKind::sum) {
      std::vector<HostValue> terms;
      for (const HostValue& term : bytes->parts) {
        terms.push_back(of(term, depth + 1));
        if (!is_exact(terms.back())) break;
      }
      if (terms.size() == bytes->parts.size() && is_exact(terms.back())) return host_sum(std::move(terms), variables_);
    }
    return host_node(NodeKind::floor, {bytes, host_number(size_)}, variables_);
  }

 private:
  bool divides(const HostValue& one) const { return is_number(one) && std::fmod(one->number, size_) == 0; }
  static bool is_exact(const HostValue& count) { return count != nullptr && count->kind != NodeKind::floor; }

  const long double size_;
  const HostVariables& variables_;
  int steps_ = 0;
};

}  // namespace

HostValue host_number(long double value, bool is_floating) {
  if (!std::isfinite(value) || (!is_floating && std::fabs(value) > kLargest)) return nullptr;
  auto node = std::make_shared<HostNode>();
  node->number = value;
  node->is_floating = is_floating;
  return node;
}

HostValue host_variable(size_t variable, bool is_floating) {
  auto node = std::make_shared<HostNode>();
  node->kind = NodeKind::variable;
  node->variable = variable;
  node->is_floating = is_floating;
  return node;
}

HostValue host_sum(std::vector<HostValue> terms, const HostVariables& variables) {
  if (any_null(terms)) return nullptr;
  std::vector<HostValue> flat;
  long double constant = 0;
  bool floating = false;
  for (const HostValue& term : terms)
    for (const HostValue& one : terms_of(term)) {
      floating = floating || one->is_floating;
      if (is_number(one))
        constant += one->number;
      else
        flat.push_back(one);
    }
  if (constant != 0 || flat.empty()) flat.push_back(host_number(constant, floating));
  if (flat.back() == nullptr) return nullptr;
  // n - n, and n + b - b: terms that cancel.
  for (size_t i = 0; i < flat.size(); ++i)
    for (size_t k = 0; k < flat.size(); ++k) {
      const auto& parts = flat[k]->parts;
      const bool minus = flat[k]->kind == NodeKind::product && parts.size() == 2 && is_number(parts[0]) &&
                         parts[0]->number == -1 && is_same(parts[1], flat[i]);
      if (!minus || flat.size() < 3) continue;
      flat.erase(flat.begin() + static_cast<std::ptrdiff_t>(std::max(i, k)));
      flat.erase(flat.begin() + static_cast<std::ptrdiff_t>(std::min(i, k)));
      i = k = 0;
    }
  find_ceilings(flat, variables);
  if (flat.size() == 1) return flat[0];
  return flat.size() > 32 ? nullptr : make(NodeKind::sum, std::move(flat), floating);
}

HostValue host_product(std::vector<HostValue> factors) {
  if (any_null(factors)) return nullptr;
  const bool floating = any_floating(factors);
  std::vector<HostValue> flat{nullptr};
  long double constant = 1;
  for (const HostValue& factor : factors)
    for (const HostValue& one : factor->kind == NodeKind::product ? factor->parts : std::vector{factor}) {
      if (is_number(one))
        constant *= one->number;
      else
        flat.push_back(one);
    }
  if (flat.size() == 1 || constant == 0) return host_number(constant, floating);
  flat[0] = host_number(constant, floating);
  if (flat[0] == nullptr) return nullptr;
  if (constant == 1) flat.erase(flat.begin());
  if (flat.size() == 1) return flat[0];
  return flat.size() > 32 ? nullptr : make(NodeKind::product, std::move(flat), floating);
}

HostValue host_quotient(const HostValue& a, const HostValue& b, const HostVariables& variables) {
  if (a == nullptr || b == nullptr) return nullptr;
  const bool floating = a->is_floating || b->is_floating;
  if (floating) return host_node(NodeKind::ratio, {a, b}, variables);
  if (is_whole_number(b, 1)) return a;
  if (!is_number(a))
    if (const HostValue rest = without_rounding(a, b, variables)) return make(NodeKind::ceil, {rest, b}, false);
  return host_node(NodeKind::floor, {a, b}, variables);
}

HostValue host_node(NodeKind kind, std::vector<HostValue> parts, const HostVariables& variables) {
  if (any_null(parts)) return nullptr;
  const bool rounds = kind == NodeKind::floor || kind == NodeKind::ceil || kind == NodeKind::partial ||
                      kind == NodeKind::less || kind == NodeKind::at_most || kind == NodeKind::same;
  const bool floating = !rounds && (kind == NodeKind::ratio || any_floating(parts));
  const bool divides = kind == NodeKind::ratio || kind == NodeKind::floor || kind == NodeKind::ceil ||
                       kind == NodeKind::remainder || kind == NodeKind::partial;
  if (divides && host_value_of(parts[1], variables) == 0.0L) return nullptr;
  const bool plain = std::all_of(parts.begin(), parts.end(), is_number);
  HostValue node = make(kind, std::move(parts), floating);
  if (!plain || node == nullptr) return node;
  const auto value = host_value_of(node, variables);
  return value ? host_number(*value, floating) : nullptr;
}

HostValue host_whole(const HostValue& value, const HostVariables& variables) {
  if (value == nullptr || !value->is_floating) return value;
  if (value->kind == NodeKind::round_up || value->kind == NodeKind::round_down) {
    auto node = std::make_shared<HostNode>(*value);
    node->is_floating = false;
    return node;
  }
  if (is_number(value)) return host_number(std::trunc(value->number));
  const HostValue rounded = host_node(NodeKind::round_down, {value}, variables);
  if (rounded == nullptr) return nullptr;
  auto node = std::make_shared<HostNode>(*rounded);
  node->is_floating = false;
  return node;
}

HostValue host_elements(const HostValue& bytes, int64_t element_bytes, const HostVariables& variables) {
  return ElementCount(element_bytes, variables).of(bytes);
}

bool is_same(const HostValue& a, const HostValue& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind || a->parts.size() != b->parts.size()) return false;
  if (a->kind == NodeKind::number) return a->number == b->number;
  if (a->kind == NodeKind::variable) return a->variable == b->variable;
  return std::equal(a->parts.begin(), a->parts.end(), b->parts.begin(), is_same);
}

std::optional<long double> host_value_of(const HostValue& value, const HostVariables& variables) {
  if (value == nullptr) return std::nullopt;
  if (value->kind == NodeKind::number) return value->number;
  if (value->kind == NodeKind::variable) return variables[value->variable].number;
  std::vector<long double> parts;
  for (const HostValue& part : value->parts) {
    const auto one = host_value_of(part, variables);
    if (!one) return std::nullopt;
    parts.push_back(*one);
  }
  const auto result = value_of_parts(*value, parts);
  if (!result || !std::isfinite(*result) || std::fabs(*result) > kLargest) return std::nullopt;
  return result;
}

std::optional<std::string> host_text(const HostValue& value, const HostVariables& variables, const HostNames& names) {
  return Printer(variables, names).print(value, 1);
}

std::set<size_t> variables_in(const HostValue& value) {
  std::set<size_t> found;
  std::vector<const HostNode*> open{value.get()};
  while (!open.empty()) {
    const HostNode* const one = open.back();
    open.pop_back();
    if (one == nullptr) continue;
    if (one->kind == NodeKind::variable) found.insert(one->variable);
    for (const HostValue& part : one->parts) open.push_back(part.get());
  }
  return found;
}

void for_each_variable(const HostValue& value, const HostVariables& variables,
                       const std::function<void(size_t)>& seen) {
  std::set<size_t> found = variables_in(value);
  std::vector<size_t> open(found.begin(), found.end());
  while (!open.empty()) {
    const size_t variable = open.back();
    open.pop_back();
    seen(variable);
    for (const size_t other : variables_in(variables[variable].value))
      if (found.insert(other).second) open.push_back(other);
  }
}

}  // namespace tilescope
