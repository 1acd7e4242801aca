// The video instructions (PTX ISA 9.0, section 9.7.17): an opcode and its operands' parts, encoded in the 64 bits of
// Operation::immediate.
#pragma once

#include <cstdint>

namespace tilescope {

enum class VideoOperator : uint8_t {
  add,
  subtract,
  absolute_difference,
  minimum,
  maximum,
  average,
  shift_left,
  shift_right,
  multiply_add,
  set_equal,
  set_not_equal,
  set_less,
  set_less_equal,
  set_greater,
  set_greater_equal,
};
/// How the result is combined with the last operand. merge: the selected parts of the result replace those of the
/// operand.
enum class VideoSecond : uint8_t { none, merge, add, minimum, maximum };

struct VideoModifiers {
  VideoOperator op : 4;
  VideoSecond second : 3;
  uint8_t lanes : 3;  // 1, 2 or 4
  bool signed_result : 1;
  bool signed_a : 1;
  bool signed_b : 1;
  bool saturate : 1;
  bool wrap : 1;      // for a shift
  bool plus_one : 1;  // .po
  bool negate_product : 1;
  bool negate_c : 1;
  uint8_t scale : 4;  // shift of vmad's sum: 0, 7 or 15
  // Several results: those that are wanted. One: the part that is written, as bits << 3 | byte offset; 0: the whole.
  uint8_t mask;
  // Several results: a nibble for each, selecting the byte or half of b:a. One: the part of the operand, as above.
  uint16_t pick_a;
  uint16_t pick_b;
};
static_assert(sizeof(VideoModifiers) == 8);

}  // namespace tilescope
