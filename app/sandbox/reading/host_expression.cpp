#include "app/sandbox/reading/host_expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

/// 0x10, 1'000'000ULL, 1.5e3f; null if it is not a number.
HostValue read_number(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != '\'') digits += c;
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  const bool binary = digits.starts_with("0b") || digits.starts_with("0B");
  const bool floating = !hexadecimal && digits.find_first_of(".eE") != std::string::npos;
  const char *begin = digits.data(), *end = begin + digits.size();
  std::string_view rest;
  HostValue value;
  if (floating || (!hexadecimal && !binary && digits.ends_with("f"))) {
    long double number = 0;
    const auto [after, problem] = std::from_chars(begin, end, number, std::chars_format::general);
    if (problem != std::errc() || !(std::fabs(number) <= std::numeric_limits<double>::max())) return nullptr;
    rest = {after, static_cast<size_t>(end - after)};
    value = host_number(number, true);
  } else {
    const bool octal = !hexadecimal && !binary && digits.size() > 1 && digits[0] == '0';
    uint64_t number = 0;
    const auto [after, problem] = std::from_chars(begin + (hexadecimal || binary ? 2 : 0), end, number,
                                                  hexadecimal ? 16
                                                  : binary    ? 2
                                                  : octal     ? 8
                                                              : 10);
    if (problem != std::errc() || number > uint64_t{1} << 60) return nullptr;
    rest = {after, static_cast<size_t>(end - after)};
    value = host_number(static_cast<long double>(number));
  }
  return rest.find_first_not_of("uUlLfFzZ") == std::string_view::npos ? value : nullptr;
}

class ExpressionReader {
 public:
  ExpressionReader(Tokens tokens, const HostMeaning& meaning) : tokens_(tokens), meaning_(meaning) {}

  HostValue read() {
    HostValue value = conditional();
    return at_ == tokens_.size() && !failed_ ? value : nullptr;
  }

 private:
  bool is(size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  bool take(std::string_view text) {
    if (!is(at_, text)) return false;
    ++at_;
    return true;
  }
  /// Two signs that form one operator: > and = of >=.
  bool is_pair(std::string_view first, std::string_view second) const {
    return is(at_, first) && is(at_ + 1, second) && tokens_[at_].end() == tokens_[at_ + 1].offset;
  }
  HostValue node(HostNode::Kind kind, HostValue a, HostValue b) const {
    return host_node(kind, {std::move(a), std::move(b)}, meaning_.variables);
  }
  HostValue fail() {
    failed_ = true;
    return nullptr;
  }

  HostValue conditional() {
    if (++depth_ > HostNode::kDeepest) return fail();
    const HostValue condition = logical();
    HostValue value = condition;
    if (take("?")) {
      HostValue yes = conditional();
      if (!take(":")) return fail();
      value = chosen(condition, std::move(yes), conditional());
    }
    --depth_;
    return value;
  }

  HostValue chosen(const HostValue& condition, HostValue yes, HostValue no) const {
    const auto is_number = [](const HostValue& value, long double number) {
      return value != nullptr && value->kind == HostNode::Kind::number && value->number == number;
    };
    if (condition != nullptr && yes != nullptr && no != nullptr) {
      // a < b ? a : b
      if (condition->kind == HostNode::Kind::less || condition->kind == HostNode::Kind::at_most) {
        const auto &a = condition->parts[0], &b = condition->parts[1];
        if (is_same(a, yes) && is_same(b, no)) return node(HostNode::Kind::minimum, std::move(yes), std::move(no));
        if (is_same(b, yes) && is_same(a, no)) return node(HostNode::Kind::maximum, std::move(yes), std::move(no));
      }
      // n % b ? 1 : 0, and n % b == 0 ? n / b : n / b + 1
      const bool rest = condition->kind == HostNode::Kind::remainder || condition->kind == HostNode::Kind::partial;
      if (rest)
        if (HostValue value = with_rest(*condition, yes, no)) return value;
      if (condition->kind == HostNode::Kind::same && condition->parts[0]->kind == HostNode::Kind::remainder &&
          is_number(condition->parts[1], 0))
        if (HostValue value = with_rest(*condition->parts[0], no, yes)) return value;
    }
    if (const auto known = host_value_of(condition, meaning_.variables)) return *known != 0 ? yes : no;
    // argc > 1 ? atoi(argv[1]) : 1024: the value if the program gets no arguments.
    if (yes == nullptr || no == nullptr) return yes == nullptr ? no : yes;
    return nullptr;
  }

  /// `without`, plus one if the division leaves a remainder; null: `with` is not of that form.
  HostValue with_rest(const HostNode& division, const HostValue& with, const HostValue& without) const {
    if (!is_same(with, host_sum({without, host_number(1)}, meaning_.variables))) return nullptr;
    return host_sum({without, node(HostNode::Kind::partial, division.parts[0], division.parts[1])}, meaning_.variables);
  }

  /// The operator at at_, if it is one that is evaluated only for known numbers: its rank, where a higher one binds
  /// more tightly, and its number of tokens. Rank 0: there is none.
  struct Operator {
    int rank = 0;
    std::string_view text;
    size_t tokens = 1;
  };
  Operator operator_here() const {
    if (at_ >= tokens_.size()) return {};
    if (is_pair("|", "|")) return {1, "||", 2};
    if (is_pair("&", "&")) return {2, "&&", 2};
    if (is(at_, "|")) return {3, "|"};
    if (is(at_, "^")) return {4, "^"};
    if (is(at_, "&")) return {5, "&"};
    if (is(at_, "==")) return {6, "=="};
    if (is_pair("!", "=")) return {6, "!=", 2};
    if (is_pair("<", "=")) return {7, "<=", 2};
    if (is_pair(">", "=")) return {7, ">=", 2};
    if (is(at_, "<")) return {7, "<"};
    if (is(at_, ">")) return {7, ">"};
    return {};
  }

  /// Logical and bitwise operators, and comparisons, of at least this rank.
  HostValue logical(int rank = 1) {
    HostValue value = shift();
    for (Operator found = operator_here(); found.rank >= rank; found = operator_here()) {
      at_ += found.tokens;
      const HostValue other = logical(found.rank + 1);
      value = found.rank < 6 ? bits_of(found.text, value, other) : compared(found.text, value, other);
    }
    return value;
  }

  HostValue bits_of(std::string_view sign, const HostValue& a, const HostValue& b) const {
    const auto left = host_value_of(a, meaning_.variables), right = host_value_of(b, meaning_.variables);
    if (!left || !right) return nullptr;
    if (sign == "||") return host_number(*left != 0 || *right != 0);
    if (sign == "&&") return host_number(*left != 0 && *right != 0);
    if (a->is_floating || b->is_floating || *left < 0 || *right < 0) return nullptr;
    const auto one = static_cast<uint64_t>(*left), two = static_cast<uint64_t>(*right);
    return host_number(static_cast<long double>(sign == "&" ? one & two : sign == "|" ? one | two : one ^ two));
  }

  HostValue compared(std::string_view sign, const HostValue& a, const HostValue& b) const {
    using NodeKind = HostNode::Kind;
    if (sign == "<") return node(NodeKind::less, a, b);
    if (sign == ">") return node(NodeKind::less, b, a);
    if (sign == "<=") return node(NodeKind::at_most, a, b);
    if (sign == ">=") return node(NodeKind::at_most, b, a);
    if (sign == "==") return node(NodeKind::same, a, b);
    // n % b != 0
    const bool rest =
        a != nullptr && a->kind == NodeKind::remainder && b != nullptr && b->kind == NodeKind::number && b->number == 0;
    if (rest) return node(NodeKind::partial, a->parts[0], a->parts[1]);
    const auto same = host_value_of(node(NodeKind::same, a, b), meaning_.variables);
    return same ? host_number(1 - *same) : nullptr;
  }

  HostValue shift() {
    HostValue value = sum();
    while (is_pair("<", "<") || is_pair(">", ">")) {
      const bool left = tokens_[at_].is("<");
      at_ += 2;
      const auto bits = host_value_of(sum(), meaning_.variables);
      if (!bits || *bits < 0 || *bits > 60) {
        value = nullptr;
        continue;
      }
      const HostValue factor = host_number(std::ldexp(1.0L, static_cast<int>(*bits)));
      const auto known = host_value_of(value, meaning_.variables);
      if (known && *known < 0) value = nullptr;  // rounds differently from a division
      value = left ? host_product({value, factor}) : host_quotient(value, factor, meaning_.variables);
    }
    return value;
  }

  HostValue sum() {
    HostValue value = product();
    while ((is(at_, "+") || is(at_, "-")) && !is_pair("+", "+") && !is_pair("-", "-")) {
      const bool minus = tokens_[at_++].is("-");
      HostValue next = product();
      if (minus) next = host_product({host_number(-1), next});
      value = host_sum({value, next}, meaning_.variables);
    }
    return value;
  }

  HostValue product() {
    HostValue value = unary();
    while (is(at_, "*") || is(at_, "/") || is(at_, "%")) {
      const std::string_view sign = tokens_[at_++].text;
      const HostValue next = unary();
      if (sign == "*")
        value = host_product({value, next});
      else if (sign == "/")
        value = host_quotient(value, next, meaning_.variables);
      else
        value = node(HostNode::Kind::remainder, value, next);
    }
    return value;
  }

  HostValue unary() {
    if (++depth_ > HostNode::kDeepest) return fail();
    HostValue value = unary_within_depth();
    --depth_;
    return value;
  }
  HostValue unary_within_depth() {
    if (take("-")) return host_product({host_number(-1), unary()});
    if (take("+")) return unary();
    if (take("!") || take("~") || take("&") || take("*")) {
      unary();
      return nullptr;
    }
    if (is(at_, "sizeof")) return size();
    if (is(at_, "(")) {
      const size_t close = after_group(tokens_, at_);
      if (close > at_ + 2 && close < tokens_.size()) {
        const auto floating = meaning_.floating(tokens_.subspan(at_ + 1, close - at_ - 2));
        if (floating) {
          at_ = close;
          return cast(*floating, unary());
        }
      }
    }
    return postfix();
  }

  HostValue cast(bool floating, const HostValue& value) const {
    if (!floating) return host_whole(value, meaning_.variables);
    if (value == nullptr || value->is_floating) return value;
    auto node = std::make_shared<HostNode>(*value);
    node->is_floating = true;
    return node;
  }

  HostValue size() {
    ++at_;
    if (!is(at_, "(")) {  // sizeof *x
      const size_t begin = at_;
      unary();
      const auto bytes = meaning_.size_of(tokens_.subspan(begin, at_ - begin));
      return bytes ? host_number(static_cast<long double>(*bytes)) : nullptr;
    }
    const size_t close = after_group(tokens_, at_);
    if (close < at_ + 2) return fail();
    const auto bytes = meaning_.size_of(tokens_.subspan(at_ + 1, close - at_ - 2));
    at_ = close;
    return bytes ? host_number(static_cast<long double>(*bytes)) : nullptr;
  }

  HostValue postfix() {
    if (at_ >= tokens_.size()) return fail();
    if (tokens_[at_].kind == Kind::number) return read_number(tokens_[at_++].text);
    if (tokens_[at_].kind == Kind::string) {
      ++at_;
      return nullptr;
    }
    if (take("(")) {
      HostValue value = conditional();
      return take(")") ? value : fail();
    }
    if (take("true")) return host_number(1);
    if (take("false")) return host_number(0);
    size_t end = at_;
    const std::string path = read_path(tokens_, at_, end);
    if (path.empty()) return fail();
    const bool element =
        std::any_of(tokens_.begin() + static_cast<ptrdiff_t>(at_), tokens_.begin() + static_cast<ptrdiff_t>(end),
                    [](const SourceToken& token) { return token.is("["); });
    at_ = end;
    const size_t after = after_template_arguments(tokens_, at_);
    if (is(after, "(") || (is(after, "{") && meaning_.floating(tokens_.subspan(at_ - 1, 1)))) {
      const Tokens type = after > at_ + 1 ? tokens_.subspan(at_ + 1, after - at_ - 2) : Tokens();
      const Tokens named = tokens_.subspan(at_ - 1, 1);
      const size_t close = after_group(tokens_, after);
      if (close < after + 2) return fail();
      const Tokens inside = tokens_.subspan(after + 1, close - after - 2);
      at_ = close;
      return call(path, named, type, inside);
    }
    return element ? nullptr : meaning_.value(path);  // individual elements are not tracked
  }

  HostValue call(const std::string& path, Tokens named, Tokens type, Tokens inside) {
    const std::vector<Tokens> arguments = split_arguments(inside);
    const auto argument = [&](size_t i) {
      if (++depth_ > HostNode::kDeepest) return HostValue();
      HostValue value = ExpressionReader(arguments[i], meaning_, depth_).read();
      --depth_;
      return value;
    };
    if (arguments.empty()) return meaning_.value(path + "()");
    if (const auto floating = meaning_.floating(named); floating && arguments.size() == 1)
      return cast(*floating, argument(0));  // int(x)
    if (path == "static_cast" && arguments.size() == 1) {
      const auto floating = meaning_.floating(type);
      return floating ? cast(*floating, argument(0)) : nullptr;
    }
    const bool one = arguments.size() == 1, two = arguments.size() == 2;
    using NodeKind = HostNode::Kind;
    if (one && (path == "ceil" || path == "ceilf" || path == "floor" || path == "floorf")) {
      const HostValue value = argument(0);
      if (value == nullptr || !value->is_floating) return cast(true, value);
      return host_node(path.starts_with("ceil") ? NodeKind::round_up : NodeKind::round_down, {value},
                       meaning_.variables);
    }
    if (two &&
        (path == "min" || path == "max" || path == "fmin" || path == "fmax" || path == "fminf" || path == "fmaxf"))
      return node(path.find("min") != std::string::npos ? NodeKind::minimum : NodeKind::maximum, argument(0),
                  argument(1));
    if (two && (path == "pow" || path == "powf")) {
      const auto base = host_value_of(argument(0), meaning_.variables);
      const auto exponent = host_value_of(argument(1), meaning_.variables);
      return base && exponent ? host_number(std::pow(*base, *exponent), true) : nullptr;
    }
    if (one && (path == "sqrt" || path == "sqrtf" || path == "log2" || path == "log2f")) {
      const auto value = host_value_of(argument(0), meaning_.variables);
      if (!value || *value <= 0) return nullptr;
      return host_number(path.starts_with("sqrt") ? std::sqrt(*value) : std::log2(*value), true);
    }
    return meaning_.call(path, arguments);
  }

  ExpressionReader(Tokens tokens, const HostMeaning& meaning, int depth)
      : tokens_(tokens), meaning_(meaning), depth_(depth) {}

  Tokens tokens_;
  const HostMeaning& meaning_;
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

HostValue read_host_expression(Tokens tokens, const HostMeaning& meaning) {
  return tokens.empty() ? nullptr : ExpressionReader(tokens, meaning).read();
}

size_t after_template_arguments(Tokens tokens, size_t i) {
  if (i >= tokens.size() || !tokens[i].is("<")) return i;
  constexpr size_t kLongest = 100;
  int depth = 0;
  const Tokens near = tokens.first(std::min(tokens.size(), i + kLongest));
  for (size_t k = i; k < near.size(); ++k) {
    if (is_any(near[k], {";", "{", "}", "&", "|", "<<<", "="})) return i;
    if (near[k].is("(")) {
      k = after_group(near, k) - 1;
      continue;
    }
    if (near[k].is("<")) ++depth;
    if (near[k].is(">") && --depth == 0) {
      const bool follows = k + 1 < tokens.size() && is_any(tokens[k + 1], {"(", "::", "{", "<<<"});
      return follows ? k + 1 : i;
    }
  }
  return i;
}

std::vector<Tokens> split_arguments(Tokens tokens) {
  std::vector<Tokens> pieces;
  size_t begin = 0;
  for (size_t i = 0; i <= tokens.size();) {
    if (i == tokens.size() || tokens[i].is(",")) {
      if (i > begin) pieces.push_back(tokens.subspan(begin, i - begin));
      begin = ++i;
    } else if (is_any(tokens[i], {"(", "[", "{"})) {
      i = after_group(tokens, i);
    } else if (tokens[i].is("<") && i > 0 && tokens[i - 1].kind == Kind::name) {
      i = std::max(i + 1, after_template_arguments(tokens, i));
    } else {
      ++i;
    }
  }
  return pieces;
}

std::string read_path(Tokens tokens, size_t i, size_t& end) {
  if (i >= tokens.size() || tokens[i].kind != Kind::name) return {};
  while (i + 2 < tokens.size() && tokens[i + 1].is("::") && tokens[i + 2].kind == Kind::name) i += 2;
  std::string path(tokens[i].text);
  end = i + 1;
  while (end < tokens.size()) {
    if (tokens[end].is("[")) {
      end = after_group(tokens, end);
    } else if (is_any(tokens[end], {".", "->"}) && end + 1 < tokens.size() && tokens[end + 1].kind == Kind::name) {
      if (path == "this")
        path.clear();
      else
        path += '.';
      path += tokens[end + 1].text;
      end += 2;
    } else {
      break;
    }
  }
  return path;
}

}  // namespace tilescope
