// cvt between any two scalar types, in every rounding mode, bit by bit (PTX ISA 9.0, section 9.7.9.21).
#include <array>
#include <bit>
#include <cstring>

#include "engine/sim/program/formats.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/state/warp.hpp"

namespace tilescope {
namespace {

/// The types in the order of conversion_code(), which counts from 1.
struct ScalarType {
  uint32_t bytes;
  bool is_signed;
  const FloatFormat* format;  // null: an integer
};
constexpr std::array<ScalarType, 12> kTypes = {{{1, false, nullptr},
                                                {1, true, nullptr},
                                                {2, false, nullptr},
                                                {2, true, nullptr},
                                                {4, false, nullptr},
                                                {4, true, nullptr},
                                                {8, false, nullptr},
                                                {8, true, nullptr},
                                                {2, true, &kFormat16},
                                                {2, true, &kFormatBrain},
                                                {4, true, &kFormat32},
                                                {8, true, &kFormat64}}};

uint64_t low_bits(uint64_t bits, uint32_t bytes) {
  return bytes == 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1);
}

uint64_t extend(uint64_t bits, const ScalarType& type) {
  const uint32_t unused = 64 - 8 * type.bytes;
  return type.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused)
                        : low_bits(bits, type.bytes);
}

/// Hardware does not flush subnormal inputs of conversions to f16; this shows only with directed rounding (seen on an
/// H200).
ExactNumber exact_of_type(uint64_t bits, const ScalarType& type, bool flush, bool to_half) {
  if (type.format == nullptr) {
    const uint64_t value = extend(bits, type);
    const bool negative = type.is_signed && static_cast<int64_t>(value) < 0;
    return exact_of_integer(negative, negative ? ~value + 1 : value);
  }
  ExactNumber number = exact_of_bits(bits, *type.format);
  const bool subnormal = (bits & type.format->infinity()) == 0;
  if (flush && subnormal && type.bytes == 4 && !to_half) number.kind = ExactNumber::Kind::zero;
  return number;
}

/// Drops the fraction of a finite number according to the rounding mode.
ExactNumber round_to_integer(ExactNumber number, Rounding rounding) {
  if (number.kind != ExactNumber::Kind::finite || number.exponent >= 0) return number;
  const int dropped = -number.exponent;
  const uint64_t kept = dropped > 63 ? 0 : number.significand >> dropped;
  const bool half = dropped <= 64 && (number.significand >> (dropped - 1) & 1) != 0;
  const uint64_t rest_mask = dropped > 64 ? ~uint64_t{0} : (uint64_t{1} << (dropped - 1)) - 1;
  const bool rest = (number.significand & rest_mask) != 0;
  number.significand = kept + (rounds_up(rounding, number.negative, (kept & 1) != 0, half, rest) ? 1 : 0);
  number.exponent = 0;
  if (number.significand == 0) number.kind = ExactNumber::Kind::zero;
  return number;
}

uint64_t to_integer(ExactNumber number, const ScalarType& to, const ScalarType& from, Rounding rounding) {
  const uint64_t highest = to.is_signed ? (uint64_t{1} << (8 * to.bytes - 1)) - 1 : low_bits(~uint64_t{0}, to.bytes);
  const uint64_t lowest = to.is_signed ? uint64_t{1} << (8 * to.bytes - 1) : 0;  // magnitude of the most negative
  if (number.kind == ExactNumber::Kind::nan)
    return from.bytes == 8 || to.bytes == 8 ? uint64_t{1} << (8 * to.bytes - 1) : 0;
  number = round_to_integer(number, rounding);
  if (number.kind == ExactNumber::Kind::zero) return 0;
  const bool huge =
      number.kind == ExactNumber::Kind::infinity || number.exponent > std::countl_zero(number.significand);
  const uint64_t magnitude = huge ? ~uint64_t{0} : number.significand << number.exponent;
  const uint64_t limit = number.negative ? lowest : highest;
  const uint64_t clamped = huge || magnitude > limit ? limit : magnitude;
  return low_bits(number.negative ? ~clamped + 1 : clamped, to.bytes);
}

uint64_t to_float(ExactNumber number, const ScalarType& to, const OperationModifiers& modifiers) {
  if (modifiers.to_integer) number = round_to_integer(number, modifiers.rounding);
  const bool not_positive = number.negative || number.kind == ExactNumber::Kind::zero;
  if (modifiers.saturate && (number.kind == ExactNumber::Kind::nan || not_positive)) return 0;
  if (modifiers.relu && number.kind != ExactNumber::Kind::nan && not_positive) return 0;
  const Rounding rounding = modifiers.to_integer ? Rounding::nearest_even : modifiers.rounding;
  uint64_t bits = round_to_format(number, *to.format, rounding);
  if (modifiers.saturate_finite && (bits & ~to.format->sign_bit()) == to.format->infinity()) --bits;
  if (modifiers.flush && to.bytes == 4 && (bits & ~to.format->sign_bit()) == uint64_t{1} << to.format->fraction_bits) {
    // Rounded up to the smallest normal number: flushed if it would be smaller with unbounded exponents.
    ExactNumber scaled = number;
    scaled.exponent += 64;
    if ((round_to_format(scaled, *to.format, rounding) >> to.format->fraction_bits & 0xff) < 65)
      bits &= to.format->sign_bit();
  }
  const uint64_t one = uint64_t(to.format->bias()) << to.format->fraction_bits;
  if (modifiers.saturate && bits > one) return one;
  const bool subnormal = (bits & to.format->infinity()) == 0;
  return modifiers.flush && subnormal && to.bytes == 4 ? bits & to.format->sign_bit() : bits;
}

/// Between f64 and any other format a NaN keeps its sign and the upper bits of its payload, and becomes quiet.
uint64_t convert_nan(uint64_t bits, const FloatFormat& to, const FloatFormat& from) {
  const uint64_t fraction = bits & ((uint64_t{1} << from.fraction_bits) - 1);
  const int shift = to.fraction_bits - from.fraction_bits;
  return ((bits & from.sign_bit()) != 0 ? to.sign_bit() : 0) | to.infinity() | uint64_t{1} << (to.fraction_bits - 1) |
         (shift >= 0 ? fraction << shift : fraction >> -shift);
}

/// A conversion that changes no number also keeps the bits of a NaN: between equal formats, and from bf16 to f32.
bool keeps_bits(const ScalarType& to, const ScalarType& from, const OperationModifiers& modifiers) {
  const bool equal = to.format != nullptr && to.format == from.format && to.bytes > 2;
  const bool widens = to.format == &kFormat32 && from.format == &kFormatBrain;
  return (equal || widens) && !modifiers.saturate && !modifiers.flush && !modifiers.to_integer && !modifiers.relu;
}

uint64_t convert(uint64_t bits, const ScalarType& to, const ScalarType& from, const OperationModifiers& modifiers) {
  if (to.format == nullptr && from.format == nullptr && !modifiers.saturate)
    return low_bits(extend(bits, from), to.bytes);
  bits = low_bits(bits, from.bytes);
  if (keeps_bits(to, from, modifiers)) return bits << 8 * (to.bytes - from.bytes);
  const ExactNumber number = exact_of_type(bits, from, modifiers.flush, to.format == &kFormat16);
  if (to.format == nullptr) return to_integer(number, to, from, modifiers.rounding);
  const bool wide = from.format != nullptr && (from.bytes == 8 || to.bytes == 8);
  if (!wide || number.kind != ExactNumber::Kind::nan || modifiers.saturate || modifiers.relu)
    return to_float(number, to, modifiers);
  const bool canonical = modifiers.flush && from.bytes == 4;
  return convert_nan(canonical ? from.format->canonical_nan : bits, *to.format, *from.format);
}

/// Registers may be wider than the types: only a source's low bits count, and a result is extended.
const Operation* ConvertAny(Warp& warp, const Operation* operation, uint32_t mask) {
  const OperationModifiers modifiers = modifiers_of(*operation);
  const ScalarType& to = kTypes[(operation->extra & 0xffU) - 1];
  const ScalarType& from = kTypes[(operation->extra >> 8U) - 1];
  const auto* source = warp.source<uint8_t>(operation->a);
  auto* out = warp.destination<uint8_t>(operation->dst);
  for (size_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    uint64_t bits = 0;
    std::memcpy(&bits, source + lane * modifiers.source_bytes, modifiers.source_bytes);
    const uint64_t result = extend(convert(bits, to, from, modifiers), to.format == nullptr ? to : kTypes[6]);
    std::memcpy(out + lane * modifiers.destination_bytes, &result, modifiers.destination_bytes);
  }
  return operation + 1;
}

/// Two floats into a packed pair, the first one into the upper half.
template <const FloatFormat& kFormat>
const Operation* ConvertPair(Warp& warp, const Operation* operation, uint32_t mask) {
  const OperationModifiers modifiers = modifiers_of(*operation);
  const ScalarType to{2, true, &kFormat};
  const auto* a = warp.source<float>(operation->a);
  const auto* b = warp.source<float>(operation->b);
  auto* out = warp.destination<uint32_t>(operation->dst);
  for (size_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto high = static_cast<uint32_t>(to_float(exact_of(a[lane]), to, modifiers));
    out[lane] = high << 16 | static_cast<uint32_t>(to_float(exact_of(b[lane]), to, modifiers));
  }
  return operation + 1;
}

/// Hardware behaviour for a NaN in .rna, which it computes with integers (seen on an H200): the low bits are cut off,
/// and .satfinite decrements a result that is not finite.
uint32_t tensor_of_nan(uint32_t bits, bool finite) {
  const uint32_t cut = bits & 0xffffe000U;
  return finite ? cut - 0x2000U : cut;
}

/// Converts to tf32: an f32 whose last 13 bits are 0.
const Operation* ConvertTensor(Warp& warp, const Operation* operation, uint32_t mask) {
  const OperationModifiers modifiers = modifiers_of(*operation);
  const ScalarType to{4, true, &kFormatTensor};
  const auto* a = warp.source<float>(operation->a);
  auto* out = warp.destination<uint32_t>(operation->dst);
  for (size_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    out[lane] = std::isnan(a[lane]) && modifiers.rounding == Rounding::nearest_away
                    ? tensor_of_nan(std::bit_cast<uint32_t>(a[lane]), modifiers.saturate_finite)
                    : static_cast<uint32_t>(to_float(exact_of(a[lane]), to, modifiers)) << 13;
  }
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> general_convert_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_GENERAL_CONVERT
#include "engine/sim/program/isa.def"
#undef ISA_GENERAL_CONVERT
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
