#include "engine/sim/lower/resolve_video.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/lower/resolve.hpp"

namespace tilescope {
namespace {

struct Named {
  std::string_view name;
  VideoOperator op;
};
constexpr std::array<Named, 10> kOperators = {{{"vadd", VideoOperator::add},
                                               {"vsub", VideoOperator::subtract},
                                               {"vabsdiff", VideoOperator::absolute_difference},
                                               {"vmin", VideoOperator::minimum},
                                               {"vmax", VideoOperator::maximum},
                                               {"vavrg", VideoOperator::average},
                                               {"vshl", VideoOperator::shift_left},
                                               {"vshr", VideoOperator::shift_right},
                                               {"vmad", VideoOperator::multiply_add},
                                               {"vset", VideoOperator::set_equal}}};
constexpr std::array<Named, 6> kComparisons = {{{"eq", VideoOperator::set_equal},
                                                {"ne", VideoOperator::set_not_equal},
                                                {"lt", VideoOperator::set_less},
                                                {"le", VideoOperator::set_less_equal},
                                                {"gt", VideoOperator::set_greater},
                                                {"ge", VideoOperator::set_greater_equal}}};

template <size_t N>
std::optional<VideoOperator> find(const std::array<Named, N>& table, std::string_view name) {
  for (const Named& row : table)
    if (row.name == name) return row.op;
  return std::nullopt;
}

/// "b2" or "h1" or nothing: bits << 3 | byte offset.
bool part_of_word(std::string_view selector, uint16_t& part) {
  part = 32 << 3;
  if (selector.empty()) return true;
  if (selector.size() != 2 || (selector[0] != 'b' && selector[0] != 'h')) return false;
  const int bytes = selector[0] == 'b' ? 1 : 2, at = selector[1] - '0';
  if (at < 0 || at * bytes > 3) return false;
  part = static_cast<uint16_t>(bytes * 8 << 3 | at * bytes);
  return true;
}

/// "h10" or "b7531": a nibble for each element, the last one written first.
bool picks(std::string_view selector, uint32_t lanes, uint16_t standard, uint16_t& result) {
  result = standard;
  if (selector.empty()) return true;
  if (selector.size() != lanes + 1 || selector[0] != (lanes == 2 ? 'h' : 'b')) return false;
  result = 0;
  for (char c : selector.substr(1)) {
    if (c < '0' || c >= static_cast<char>('0' + 2 * lanes)) return false;
    result = static_cast<uint16_t>(result << 4 | (c - '0'));
  }
  return true;
}

/// "b310": the elements of the result that are wanted; empty: all.
bool wanted(std::string_view selector, uint32_t lanes, uint8_t& mask) {
  mask = static_cast<uint8_t>((1U << lanes) - 1);
  if (selector.empty()) return true;
  if (selector.size() > lanes + 1 || selector[0] != (lanes == 2 ? 'h' : 'b')) return false;
  mask = 0;
  for (char c : selector.substr(1)) {
    if (c < '0' || c >= static_cast<char>('0' + lanes)) return false;
    mask = static_cast<uint8_t>(mask | 1U << (c - '0'));
  }
  return true;
}

bool read_types(const std::vector<std::string_view>& parts, size_t& next, VideoModifiers& m) {
  const bool sets = m.op >= VideoOperator::set_equal;
  for (int i = sets ? 1 : 0; i < 3; ++i) {
    if (next >= parts.size() || (parts[next] != "u32" && parts[next] != "s32")) return false;
    const bool is_signed = parts[next++] == "s32";
    if (i == 0) m.signed_result = is_signed;
    if (i == 1) m.signed_a = is_signed;
    if (i == 2) m.signed_b = is_signed;
  }
  return true;
}

/// Reads the modifiers after the types.
bool read_modifiers(const std::vector<std::string_view>& parts, size_t next, VideoModifiers& m) {
  const bool sets = m.op >= VideoOperator::set_equal, multiplies = m.op == VideoOperator::multiply_add;
  const bool shifts = m.op == VideoOperator::shift_left || m.op == VideoOperator::shift_right;
  bool moded = !shifts, compared = !sets;
  for (; next < parts.size(); ++next) {
    const std::string_view part = parts[next];
    if (part == "sat" && !sets && !m.saturate) {
      m.saturate = true;
    } else if (shifts && (part == "clamp" || part == "wrap") && !moded) {
      m.wrap = part == "wrap";
      moded = true;
    } else if (sets && !compared && find(kComparisons, part)) {
      m.op = *find(kComparisons, part);
      compared = true;
    } else if (multiplies && part == "po") {
      m.plus_one = true;
    } else if (multiplies && (part == "shr7" || part == "shr15")) {
      m.scale = part == "shr7" ? 7 : 15;
    } else if (!multiplies && m.second == VideoSecond::none && part == "add") {
      m.second = VideoSecond::add;
    } else if (!multiplies && m.lanes == 1 && m.second == VideoSecond::none && (part == "min" || part == "max")) {
      m.second = part == "min" ? VideoSecond::minimum : VideoSecond::maximum;
    } else {
      return false;
    }
  }
  return moded && compared;
}

bool read_operands(const PtxInstruction& instruction, VideoModifiers& m) {
  const auto& operands = instruction.operands;
  const size_t count = operands.size();
  if (count < 3 || count > 4) return false;
  const auto& d = operands[0].selector;
  if (m.lanes != 1) {
    const bool two = m.lanes == 2;
    uint8_t mask = 0;
    uint16_t a = 0, b = 0;
    if (count != 4 || !wanted(d, m.lanes, mask) || !picks(operands[1].selector, m.lanes, two ? 0x10 : 0x3210, a) ||
        !picks(operands[2].selector, m.lanes, two ? 0x32 : 0x7654, b))
      return false;
    m.mask = mask;
    m.pick_a = a;
    m.pick_b = b;
    if (m.second == VideoSecond::none) m.second = VideoSecond::merge;
    return true;
  }
  uint16_t a = 0, b = 0, part = 0;
  if (!part_of_word(operands[1].selector, a) || !part_of_word(operands[2].selector, b) || !part_of_word(d, part))
    return false;
  m.pick_a = a;
  m.pick_b = b;
  // A whole word cannot be encoded; 0 represents it.
  m.mask = static_cast<uint8_t>(d.empty() ? 0 : part);
  if (m.op == VideoOperator::multiply_add) {
    m.negate_product = operands[1].negated != operands[2].negated;
    m.negate_c = count == 4 && operands[3].negated;
    return count == 4 && d.empty();
  }
  if (!d.empty() && m.second == VideoSecond::none) m.second = VideoSecond::merge;
  return count == (m.second == VideoSecond::none ? 3U : 4U);
}

}  // namespace

std::optional<VideoModifiers> resolve_video(const PtxInstruction& instruction) {
  auto parts = parts_of_opcode(instruction.opcode);
  // ptxas accepts the types anywhere, as long as they are in order.
  std::stable_partition(parts.begin() + 1, parts.end(), [](auto part) { return part == "u32" || part == "s32"; });
  std::string_view head = parts[0];
  VideoModifiers m{};
  m.lanes = 1;
  if (head.ends_with('2') || head.ends_with('4')) {
    m.lanes = static_cast<uint8_t>(head.back() - '0');
    head.remove_suffix(1);
  }
  const auto op = find(kOperators, head);
  if (!op) return std::nullopt;
  m.op = *op;
  const bool one_only =
      m.op == VideoOperator::shift_left || m.op == VideoOperator::shift_right || m.op == VideoOperator::multiply_add;
  if (m.lanes != 1 ? one_only : m.op == VideoOperator::average) return std::nullopt;
  size_t next = 1;
  if (!read_types(parts, next, m) || !read_modifiers(parts, next, m) || !read_operands(instruction, m))
    return std::nullopt;
  return m;
}

}  // namespace tilescope
