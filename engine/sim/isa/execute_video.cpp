// The video instructions: arithmetic on bytes and halves of 32-bit registers (PTX ISA 9.0, section 9.7.17).
#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/sim/program/isa.hpp"
#include "engine/sim/program/video.hpp"
#include "engine/sim/state/warp.hpp"

namespace tilescope {
namespace {

/// The low `bits` bits of a word, sign- or zero-extended.
int64_t extend_part(uint32_t word, uint32_t bits, bool is_signed) {
  const uint32_t unused = 32 - bits;
  return is_signed ? int64_t{static_cast<int32_t>(word << unused) >> unused} : int64_t{word << unused >> unused};
}

int64_t clamp(int64_t value, uint32_t bits, bool is_signed) {
  const int64_t range = int64_t{1} << bits;
  return is_signed ? std::clamp(value, -range / 2, range / 2 - 1) : std::clamp<int64_t>(value, 0, range - 1);
}

int64_t apply(const VideoModifiers& m, int64_t a, int64_t b) {
  switch (m.op) {
    case VideoOperator::add:
      return a + b;
    case VideoOperator::subtract:
      return a - b;
    case VideoOperator::absolute_difference:
      return a > b ? a - b : b - a;
    case VideoOperator::minimum:
      return std::min(a, b);
    case VideoOperator::maximum:
      return std::max(a, b);
    case VideoOperator::average:  // halves are rounded away from zero
      return (a + b >= 0 ? a + b + 1 : a + b) >> 1;
    case VideoOperator::shift_left:
    case VideoOperator::shift_right: {
      const int64_t amount = m.wrap ? b & 31 : std::min<int64_t>(b, 32);
      return m.op == VideoOperator::shift_right ? a >> amount
                                                : static_cast<int64_t>(static_cast<uint64_t>(a) << amount);
    }
    case VideoOperator::set_equal:
      return a == b ? 1 : 0;
    case VideoOperator::set_not_equal:
      return a != b ? 1 : 0;
    case VideoOperator::set_less:
      return a < b ? 1 : 0;
    case VideoOperator::set_less_equal:
      return a <= b ? 1 : 0;
    case VideoOperator::set_greater:
      return a > b ? 1 : 0;
    case VideoOperator::set_greater_equal:
      return a >= b ? 1 : 0;
    case VideoOperator::multiply_add:
      break;
  }
  return 0;
}

/// A part as bits << 3 | byte offset; 0: the whole word.
int64_t part_of(uint32_t word, uint32_t part, bool is_signed) {
  return extend_part(word >> (part & 7) * 8, part == 0 ? 32 : part >> 3, is_signed);
}

/// PTX ISA 9.0, 9.7.17.1.8, except where an H200 differs: whole words are always signed numbers, and an unsigned sum
/// that will be saturated is shifted as unsigned.
uint32_t multiply_add(const VideoModifiers& m, uint32_t word_a, uint32_t word_b, uint32_t c) {
  const auto factor = [](uint32_t word, uint16_t part, bool is_signed) {
    return part_of(word, part, is_signed || part >> 3 == 32);
  };
  const int64_t a = factor(word_a, m.pick_a, m.signed_a), b = factor(word_b, m.pick_b, m.signed_b);
  __extension__ typedef __int128 Signed128;
  const bool is_signed = m.signed_a || m.signed_b || m.negate_product || m.negate_c;
  Signed128 sum = static_cast<Signed128>(a) * b;
  int one = m.plus_one ? 1 : 0;
  if (!m.plus_one && m.negate_product) {
    sum = ~sum;
    one = 1;
  } else if (!m.plus_one && m.negate_c) {
    c = ~c;
    one = 1;
  }
  sum = (sum + extend_part(c, 32, true) + one);
  sum = m.saturate && !is_signed && m.scale != 0 ? static_cast<uint64_t>(sum) >> m.scale : sum >> m.scale;
  if (m.saturate) {
    const Signed128 low = is_signed ? -Signed128{1} * INT32_MAX - 1 : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
    sum = sum < low ? low : sum > high ? high : sum;
  }
  return static_cast<uint32_t>(sum);
}

/// The minimum or maximum of the last operand and the result before it is truncated to a word. They are compared as
/// numbers of the result's type, as on an H200: sums and saturated shifts are first truncated to a signed word, and a
/// negative number counts as a large one if the type is unsigned.
uint32_t lesser_or_greater(const VideoModifiers& m, int64_t result, uint32_t c) {
  const bool sums = m.op == VideoOperator::add || m.op == VideoOperator::subtract;
  const bool shifts = m.op == VideoOperator::shift_left || m.op == VideoOperator::shift_right;
  const bool cut = sums || (shifts && m.saturate);
  if (cut) result = extend_part(static_cast<uint32_t>(result), 32, true);
  const int64_t other = extend_part(c, 32, m.signed_result);
  const bool less = m.signed_result ? result < other : static_cast<uint64_t>(result) < static_cast<uint64_t>(other);
  return less == (m.second == VideoSecond::minimum) ? static_cast<uint32_t>(result) : c;
}

uint32_t one_result(const VideoModifiers& m, uint32_t a, uint32_t b, uint32_t c) {
  if (m.op == VideoOperator::multiply_add) return multiply_add(m, a, b, c);
  const bool shifts = m.op == VideoOperator::shift_left || m.op == VideoOperator::shift_right;
  const int64_t x = part_of(a, m.pick_a, m.signed_a), y = part_of(b, m.pick_b, m.signed_b && !shifts);
  const uint32_t part = m.mask, bits = part == 0 ? 32 : part >> 3;
  int64_t result = apply(m, x, y);
  // The operation has 34 bits; only a left shift needs more (9.7.17, "Video Instructions").
  if (m.saturate && m.op == VideoOperator::shift_left)
    result = static_cast<int64_t>(static_cast<uint64_t>(result) << 30) >> 30;
  if (m.saturate) result = clamp(result, bits, m.signed_result);
  const auto word = static_cast<uint32_t>(result);
  switch (m.second) {
    case VideoSecond::none:
      return word;
    case VideoSecond::add:
      return word + c;
    case VideoSecond::minimum:
    case VideoSecond::maximum:
      return lesser_or_greater(m, result, c);
    case VideoSecond::merge: {
      const uint32_t ones = bits == 32 ? ~0U : (1U << bits) - 1, shift = (part & 7) * 8;
      return (c & ~(ones << shift)) | (word & ones) << shift;
    }
  }
  return word;
}

/// Processes two halves or four bytes at once.
uint32_t many_results(const VideoModifiers& m, uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t lanes = m.lanes, bits = 32 / lanes, ones = (1U << bits) - 1;
  const uint64_t both = uint64_t{b} << 32 | a;
  uint32_t result = m.second == VideoSecond::add ? c : 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    const uint32_t shift = i * bits;
    if ((m.mask >> i & 1) == 0) {
      if (m.second == VideoSecond::merge) result |= c & ones << shift;
      continue;
    }
    const auto pick = [&](uint32_t picks, bool is_signed) {
      return extend_part(static_cast<uint32_t>(both >> (picks >> 4 * i & 15) * bits) & ones, bits, is_signed);
    };
    int64_t element = apply(m, pick(m.pick_a, m.signed_a), pick(m.pick_b, m.signed_b));
    if (m.saturate) element = clamp(element, bits, m.signed_result);
    if (m.second == VideoSecond::add)
      result += static_cast<uint32_t>(element);
    else
      result |= (static_cast<uint32_t>(element) & ones) << shift;
  }
  return result;
}

const Operation* Video(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto modifiers = std::bit_cast<VideoModifiers>(operation->immediate);
  const auto* a = warp.source<uint32_t>(operation->a);
  const auto* b = warp.source<uint32_t>(operation->b);
  const auto* c = warp.source<uint32_t>(operation->c);
  auto* out = warp.destination<uint32_t>(operation->dst);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    out[lane] = modifiers.lanes == 1 ? one_result(modifiers, a[lane], b[lane], c[lane])
                                     : many_results(modifiers, a[lane], b[lane], c[lane]);
  }
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> video_rows() {
  static constexpr IsaRow kRows[] = {{"video", "4=444?", &Video}};
  return kRows;
}

}  // namespace tilescope
