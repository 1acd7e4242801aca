// Conversions to several numbers in one register: pairs of 8-bit floats, and cvt.pack (PTX ISA 9.0, sections 9.7.9.21
// and 9.7.9.22).
#include <algorithm>
#include <bit>

#include "engine/sim/program/formats.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/state/warp.hpp"

namespace tilescope {
namespace {

/// e5m2 is f16 without its low byte. e4m3 has a smaller bias, no infinities, and one NaN per sign.
constexpr FloatFormat kFormat8Wide{2, 5, 0x7f};
constexpr FloatFormat kFormat8Fine{3, 5,
                                   0x7f};  // one exponent bit more than e4m3 has: the values are scaled to its bias
constexpr int kFineScale = -8;

struct E4m3 {
  static constexpr uint32_t kLargest = 0x7e;
  static uint32_t from(ExactNumber number) {
    const uint32_t sign = number.negative ? 0x80 : 0;
    if (number.kind == ExactNumber::Kind::nan) return 0x7f;
    if (number.kind == ExactNumber::Kind::infinity) return sign | kLargest;
    number.negative = false;
    number.exponent += kFineScale;
    const auto bits = static_cast<uint32_t>(round_to_format(number, kFormat8Fine, Rounding::nearest_even));
    return sign | std::min(bits, kLargest);
  }
  static ExactNumber exact(uint32_t bits) {
    ExactNumber number = exact_of_bits(bits & 0x7f, kFormat8Fine);
    number.exponent -= kFineScale;
    number.negative = (bits & 0x80) != 0;
    if ((bits & 0x7f) == 0x7f) number.kind = ExactNumber::Kind::nan;
    return number;
  }
};
struct E5m2 {
  static constexpr uint32_t kLargest = 0x7b;
  static uint32_t from(ExactNumber number) {
    if (number.kind == ExactNumber::Kind::nan) return 0x7f;
    const uint32_t sign = number.negative ? 0x80 : 0;
    number.negative = false;
    const auto bits = static_cast<uint32_t>(round_to_format(number, kFormat8Wide, Rounding::nearest_even));
    return sign | std::min(bits, kLargest);
  }
  static ExactNumber exact(uint32_t bits) { return exact_of_bits(bits, kFormat8Wide); }
};

template <class Format>
uint32_t narrow_to_byte(ExactNumber number, bool relu) {
  const bool negative = number.negative && number.kind != ExactNumber::Kind::nan;
  return relu && negative ? 0 : Format::from(number);
}

/// Two floats, the first one into the upper byte.
template <class Format>
const Operation* FloatsToBytes(Warp& warp, const Operation* operation, uint32_t mask) {
  const bool relu = modifiers_of(*operation).relu;
  const auto* a = warp.source<float>(operation->a);
  const auto* b = warp.source<float>(operation->b);
  auto* out = warp.destination<uint16_t>(operation->dst);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    out[lane] = static_cast<uint16_t>(narrow_to_byte<Format>(exact_of(a[lane]), relu) << 8 |
                                      narrow_to_byte<Format>(exact_of(b[lane]), relu));
  }
  return operation + 1;
}

template <class Format>
const Operation* HalvesToBytes(Warp& warp, const Operation* operation, uint32_t mask) {
  const bool relu = modifiers_of(*operation).relu;
  const auto* a = warp.source<uint32_t>(operation->a);
  auto* out = warp.destination<uint16_t>(operation->dst);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint32_t high = narrow_to_byte<Format>(exact_of_bits(a[lane] >> 16, kFormat16), relu);
    out[lane] =
        static_cast<uint16_t>(high << 8 | narrow_to_byte<Format>(exact_of_bits(a[lane] & 0xffff, kFormat16), relu));
  }
  return operation + 1;
}

template <class Format>
const Operation* BytesToHalves(Warp& warp, const Operation* operation, uint32_t mask) {
  const bool relu = modifiers_of(*operation).relu;
  const auto* a = warp.source<uint16_t>(operation->a);
  auto* out = warp.destination<uint32_t>(operation->dst);
  const auto widened = [&](uint32_t bits) {
    const ExactNumber number = Format::exact(bits);
    const bool negative = number.negative && number.kind != ExactNumber::Kind::nan;
    if (relu && negative) return 0U;
    return static_cast<uint32_t>(round_to_format(number, kFormat16, Rounding::nearest_even));
  };
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    out[lane] = widened(a[lane] >> 8) << 16 | widened(a[lane] & 0xff);
  }
  return operation + 1;
}

/// The two integers at the bottom of the result, the first above the second; the bits above hold as much of c as fits.
template <int kBits, bool kSigned>
const Operation* PackIntegers(Warp& warp, const Operation* operation, uint32_t mask) {
  constexpr int32_t kHigh = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1, kLow = kSigned ? -kHigh - 1 : 0;
  constexpr uint32_t kOnes = (1U << kBits) - 1;
  const auto* a = warp.source<int32_t>(operation->a);
  const auto* b = warp.source<int32_t>(operation->b);
  const auto* c = warp.source<uint32_t>(operation->c);
  auto* out = warp.destination<uint32_t>(operation->dst);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint32_t upper = static_cast<uint32_t>(std::clamp(a[lane], kLow, kHigh)) & kOnes;
    const uint32_t lower = static_cast<uint32_t>(std::clamp(b[lane], kLow, kHigh)) & kOnes;
    const uint32_t rest = kBits == 16 ? 0 : c[lane] << (2 * kBits % 32);
    out[lane] = rest | upper << kBits | lower;
  }
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> packed_convert_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_PACKED_CONVERT
#include "engine/sim/program/isa.def"
#undef ISA_PACKED_CONVERT
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
