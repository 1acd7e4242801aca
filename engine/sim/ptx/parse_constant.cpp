// Constant integer expressions: values have 64 bits and are signed, unless a U suffix, their size or a cast makes them
// unsigned (PTX ISA 9.0, sections 4.5.5 and 4.5.6).
#include <array>
#include <string_view>

#include "engine/sim/ptx/parser_state.hpp"

namespace tilescope {
namespace {

struct Constant {
  uint64_t bits = 0;
  bool is_unsigned = false;
};

struct Operator {
  std::string_view text;
  int precedence;
};
// A longer operator precedes its own prefixes.
constexpr std::array<Operator, 18> kConstantOperators = {{{"<<", 8},
                                                          {">>", 8},
                                                          {"<=", 7},
                                                          {">=", 7},
                                                          {"==", 6},
                                                          {"!=", 6},
                                                          {"&&", 2},
                                                          {"||", 1},
                                                          {"*", 10},
                                                          {"/", 10},
                                                          {"%", 10},
                                                          {"+", 9},
                                                          {"-", 9},
                                                          {"<", 7},
                                                          {">", 7},
                                                          {"&", 5},
                                                          {"^", 4},
                                                          {"|", 3}}};

class ConstantParser {
 public:
  explicit ConstantParser(PtxCursor& cursor) : cursor_(cursor) {}

  bool expression(Constant& value, int depth) {
    if (!binary(value, 1, depth)) return false;
    if (!cursor_.accept('?')) return true;
    Constant yes, no;
    if (!expression(yes, depth + 1) || !cursor_.expect(':') || !expression(no, depth + 1)) return false;
    value = {value.bits != 0 ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
    return true;
  }

 private:
  static constexpr int kDeepest = 64;

  const Operator* next_operator() const {
    for (const Operator& candidate : kConstantOperators)
      if (at(candidate.text)) return &candidate;
    return nullptr;
  }

  /// Operators arrive as one token per character; '%' begins a word.
  bool at(std::string_view text) const {
    if (text == "%") return cursor_.at_word("%");
    for (size_t i = 0; i < text.size(); ++i) {
      const PtxToken& token = cursor_.peek(i);
      if (token.kind != PtxTokenKind::punctuation || token.text[0] != text[i]) return false;
      if (i != 0 && token.text.data() != cursor_.peek(i - 1).text.data() + 1) return false;
    }
    return true;
  }

  bool binary(Constant& value, int lowest, int depth) {
    if (depth > kDeepest) return cursor_.fail("a constant expression is nested too deeply");
    if (!unary(value, depth)) return false;
    for (const Operator* found = next_operator(); found != nullptr && found->precedence >= lowest;
         found = next_operator()) {
      for (size_t i = 0; i < found->text.size(); ++i) cursor_.take();
      Constant right;
      if (!binary(right, found->precedence + 1, depth + 1)) return false;
      if (!apply(found->text, value, right)) return false;
    }
    return true;
  }

  bool unary(Constant& value, int depth) {
    if (depth > kDeepest) return cursor_.fail("a constant expression is nested too deeply");
    const bool minus = cursor_.at('-'), complement = cursor_.at('~'), negation = cursor_.at('!');
    if (minus || complement || negation || cursor_.at('+')) {
      cursor_.take();
      if (!unary(value, depth + 1)) return false;
      if (minus) value.bits = ~value.bits + 1;
      if (complement) value.bits = ~value.bits;
      if (negation) value = {value.bits == 0 ? uint64_t{1} : 0, false};
      return true;
    }
    if (cursor_.accept('(')) {
      for (const bool is_unsigned : {false, true}) {
        if (!cursor_.accept_word(is_unsigned ? ".u64" : ".s64")) continue;
        if (!cursor_.expect(')') || !unary(value, depth + 1)) return false;
        value.is_unsigned = is_unsigned;
        return true;
      }
      return expression(value, depth + 1) && cursor_.expect(')');
    }
    if (cursor_.accept_word("WARP_SZ")) {
      value = {32, false};
      return true;
    }
    const PtxToken token = cursor_.peek();
    if (!cursor_.expect_integer(value.bits, ~uint64_t{0})) return false;
    value.is_unsigned = token.text.back() == 'U' || token.bits > 0x7fffffffffffffff;
    return true;
  }

  bool apply(std::string_view text, Constant& left, const Constant& right) {
    const uint64_t a = left.bits, b = right.bits;
    const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    const auto truth = [&](bool holds) { left = {holds ? uint64_t{1} : 0, false}; };
    switch (text[0]) {
      case '*':
        left = {a * b, is_unsigned};
        return true;
      case '/':
      case '%':
        return divide(text[0] == '%', left, right, is_unsigned);
      case '+':
        left = {a + b, is_unsigned};
        return true;
      case '-':
        left = {a - b, is_unsigned};
        return true;
      case '^':
        left = {a ^ b, is_unsigned};
        return true;
      case '=':
        truth(a == b);
        return true;
      case '!':
        truth(a != b);
        return true;
      case '&':
      case '|':
        if (text.size() == 2)
          truth(text[0] == '&' ? a != 0 && b != 0 : a != 0 || b != 0);
        else
          left = {text[0] == '&' ? a & b : a | b, is_unsigned};
        return true;
      default:
        break;
    }
    if (text == "<<") left.bits = b < 64 ? a << b : 0;
    if (text == ">>" && left.is_unsigned) left.bits = b < 64 ? a >> b : 0;
    if (text == ">>" && !left.is_unsigned) left.bits = static_cast<uint64_t>(x >> (b < 64 ? b : 63));
    if (text == "<") truth(is_unsigned ? a < b : x < y);
    if (text == ">") truth(is_unsigned ? a > b : x > y);
    if (text == "<=") truth(is_unsigned ? a <= b : x <= y);
    if (text == ">=") truth(is_unsigned ? a >= b : x >= y);
    return true;
  }

  bool divide(bool remainder, Constant& left, const Constant& right, bool is_unsigned) {
    if (right.bits == 0) return cursor_.fail("a constant expression divides by zero");
    const auto x = static_cast<int64_t>(left.bits), y = static_cast<int64_t>(right.bits);
    if (is_unsigned)
      left.bits = remainder ? left.bits % right.bits : left.bits / right.bits;
    else if (y == -1)  // division of the most negative number by −1 would overflow
      left.bits = remainder ? 0 : ~left.bits + 1;
    else
      left.bits = static_cast<uint64_t>(remainder ? x % y : x / y);
    left.is_unsigned = is_unsigned;
    return true;
  }

  PtxCursor& cursor_;
};

}  // namespace

bool parse_constant(PtxCursor& cursor, uint64_t& value) {
  Constant constant;
  if (!ConstantParser(cursor).expression(constant, 0)) return false;
  value = constant.bits;
  return true;
}

bool at_constant(const PtxCursor& cursor) {
  size_t ahead = 0;
  for (;; ++ahead) {
    const PtxToken& token = cursor.peek(ahead);
    if (token.kind == PtxTokenKind::integer) return true;
    if (token.kind != PtxTokenKind::punctuation) return token.kind == PtxTokenKind::word && token.text == "WARP_SZ";
    if (token.text[0] == '(') {
      const PtxToken& next = cursor.peek(ahead + 1);
      if (next.kind == PtxTokenKind::word && (next.text == ".s64" || next.text == ".u64")) return true;
      continue;
    }
    if (std::string_view("-+~!").find(token.text[0]) == std::string_view::npos) return false;
  }
}

}  // namespace tilescope
