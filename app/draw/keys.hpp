// Keys by name, for every version of ImGui that the program is built with.
#pragma once

namespace tilescope {

enum class ShellKey {
  f1,
  f5,
  enter,
  escape,
  backspace,
  space,
  left,
  right,
  up,
  down,
  home,
  end,
  b,
  d,
  e,
  f,
  g,
  h,
  j,
  o,
  p,
  s,
  plus,  // with or without Shift
  minus,
  keypad_plus,
  keypad_minus,
  digit_0,
  digit_1,
  digit_8 = digit_1 + 7
};

/// The code under which ImGui knows the key (before 1.87 it is GLFW's).
int code_of(ShellKey key);
/// Whether it went down in this frame; repeats while held where `repeat` is set.
bool key_went_down(ShellKey key, bool repeat = false);

}  // namespace tilescope
