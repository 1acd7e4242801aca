// Keys by name, independent of the ImGui version that the program is built with.
#pragma once

namespace tilescope {

enum class Key {  // clang-format off
  f1, f3, f5,
  enter, escape, backspace, erase, tab, space,
  left, right, up, down, home, end, page_up, page_down,
  a, b, c, d, e, f, g, h, j, o, p, s, v, x, y, z,
  slash,
  plus,  // with or without Shift
  minus, keypad_plus, keypad_minus,
  digit_0, digit_1, digit_8 = digit_1 + 7, digit_9
};  // clang-format on

/// ImGui's code for the key (before 1.87 it is GLFW's).
int code_of(Key key);
/// Whether it was pressed in this frame.
bool key_went_down(Key key);
/// The same, with repeats while it is held.
bool key_repeats(Key key);

}  // namespace tilescope
