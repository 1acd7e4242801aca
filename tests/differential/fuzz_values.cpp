#include "tests/differential/fuzz_values.hpp"

#include <cmath>

namespace tilescope::differential {
namespace {

__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

uint64_t to_integer(double value, Type type) {
  const double top = std::ldexp(1.0, 8 * bytes_of(type) - (is_signed(type) ? 1 : 0));
  const double bottom = is_signed(type) ? -top : 0.0;
  if (!(value >= bottom && value < top)) return 0;
  return truncated(is_signed(type) ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value),
                   type);
}

uint64_t reversed(uint64_t bits, int count) {
  uint64_t result = 0;
  for (int i = 0; i < count; ++i) result |= (bits >> i & 1) << (count - 1 - i);
  return result;
}

}  // namespace

uint64_t truncated(uint64_t bits, Type type) {
  return bytes_of(type) == 8 ? bits : bits & ((uint64_t{1} << (8 * bytes_of(type))) - 1);
}
int64_t signed_value(uint64_t bits, Type type) {
  const int shift = 64 - 8 * bytes_of(type);
  return static_cast<int64_t>(bits << shift) >> shift;
}

double wide_value(uint64_t bits, Type type) {
  if (type == Type::f16) return double(float_of({static_cast<uint16_t>(bits)}));
  return type == Type::f32 ? double(as_float(bits)) : as_double(bits);
}

uint64_t convert(uint64_t bits, Type from, Type to) {
  if (from == to) return bits;
  if (is_float(from)) {
    const double value = wide_value(bits, from);
    if (!is_float(to)) return to_integer(value, to);
    if (to == Type::f64) return bits_of(value);
    if (to == Type::f32) return bits_of(static_cast<float>(value));
    return half_of(static_cast<float>(value)).bits;
  }
  const int64_t value = signed_value(bits, from);
  if (to == Type::f32) return is_signed(from) ? bits_of(static_cast<float>(value)) : bits_of(static_cast<float>(bits));
  if (to == Type::f64)
    return is_signed(from) ? bits_of(static_cast<double>(value)) : bits_of(static_cast<double>(bits));
  return truncated(is_signed(from) ? static_cast<uint64_t>(value) : bits, to);
}

uint64_t observed(uint64_t bits, Type type) {
  if (is_float(type) && std::isnan(wide_value(bits, type)))
    return type == Type::f16 ? 0x7e00 : type == Type::f32 ? 0x7fc00000 : 0x7ff8000000000000;
  return bits;
}

uint64_t float_binary(Op op, Type type, uint64_t a, uint64_t b) {
  const auto apply = [&](auto x, auto y) {
    return op == Op::add ? x + y : op == Op::sub ? x - y : op == Op::mul ? x * y : x / y;
  };
  if (type == Type::f64) return bits_of(apply(as_double(a), as_double(b)));
  if (type == Type::f32) return bits_of(apply(as_float(a), as_float(b)));
  // Sums and products of halves are exact in double precision; the only rounding is to half. Double rounding, onto a
  // tie of halves, cannot occur with 11-bit operands.
  const auto half = [](uint64_t bits) { return float_of({static_cast<uint16_t>(bits)}); };
  return half_of(apply(half(a), half(b))).bits;
}

uint64_t integer_binary(Op op, Type type, uint64_t a, uint64_t b) {
  const bool sign = is_signed(type);
  const int64_t x = signed_value(a, type), y = signed_value(b, type);
  const int bits = 8 * bytes_of(type);
  const uint64_t shift = b & static_cast<uint64_t>(bits - 1);
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      if (b == 0) return 0;
      if (!sign) return a / b;
      return y == -1 ? 0 - a : static_cast<uint64_t>(x / y);
    case Op::rem:
      if (b == 0) return a;
      if (!sign) return a % b;
      return y == -1 ? 0 : static_cast<uint64_t>(x % y);
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    case Op::shl:
      return a << shift;
    case Op::shr:
      return sign ? static_cast<uint64_t>(x >> shift) : a >> shift;
    case Op::min:
      return sign ? static_cast<uint64_t>(std::min(x, y)) : std::min(a, b);
    case Op::max:
      return sign ? static_cast<uint64_t>(std::max(x, y)) : std::max(a, b);
    default:
      return sign ? static_cast<uint64_t>(Wide{x} * y >> bits) : static_cast<uint64_t>(WideUnsigned{a} * b >> bits);
  }
}

uint64_t unary(const Expression& e, uint64_t a) {
  const Type type = e.type;
  const int bits = 8 * bytes_of(type);
  if (e.op == Op::bits) return observed(a, e.arguments[0].type);
  if (e.op == Op::sqrt) return type == Type::f32 ? bits_of(std::sqrt(as_float(a))) : bits_of(std::sqrt(as_double(a)));
  if (is_float(type)) {
    const uint64_t sign = uint64_t{1} << (bits - 1);
    return e.op == Op::neg ? a ^ sign : a & ~sign;
  }
  switch (e.op) {
    case Op::neg:
      return truncated(0 - a, type);
    case Op::bit_not:
      return truncated(~a, type);
    case Op::abs:
      return signed_value(a, type) < 0 ? truncated(0 - a, type) : a;
    case Op::popc:
      return static_cast<uint64_t>(std::popcount(a));
    case Op::clz:
      return static_cast<uint64_t>(std::countl_zero(a) - (64 - bits));
    default:
      return reversed(a, bits);
  }
}

}  // namespace tilescope::differential
