// Keys by name for every ImGui from 1.86 on, where most letters are known only by the window library's code.
#pragma once

#include <imgui.h>

namespace tilescope {

enum class Key {
  left,
  right,
  up,
  down,
  home,
  end,
  page_up,
  page_down,
  backspace,
  erase,
  enter,
  tab,
  escape,  // clang-format off
  a, c, d, e, f, g, h, s, v, x, y, z, slash, f3,
};  // clang-format on

/// Whether it went down in this frame (or repeats, when asked for).
inline bool key_pressed(Key key, bool repeat = true) {
#if IMGUI_VERSION_NUM < 18700
  const auto mapped = [](ImGuiKey name) { return ImGui::GetKeyIndex(name); };
  static constexpr int kGlfwF3 = 292;
  const int code = [&] {
    switch (key) {
      case Key::left:
        return mapped(ImGuiKey_LeftArrow);
      case Key::right:
        return mapped(ImGuiKey_RightArrow);
      case Key::up:
        return mapped(ImGuiKey_UpArrow);
      case Key::down:
        return mapped(ImGuiKey_DownArrow);
      case Key::home:
        return mapped(ImGuiKey_Home);
      case Key::end:
        return mapped(ImGuiKey_End);
      case Key::page_up:
        return mapped(ImGuiKey_PageUp);
      case Key::page_down:
        return mapped(ImGuiKey_PageDown);
      case Key::backspace:
        return mapped(ImGuiKey_Backspace);
      case Key::erase:
        return mapped(ImGuiKey_Delete);
      case Key::enter:
        return mapped(ImGuiKey_Enter);
      case Key::tab:
        return mapped(ImGuiKey_Tab);
      case Key::escape:
        return mapped(ImGuiKey_Escape);
      case Key::a:
        return mapped(ImGuiKey_A);
      case Key::c:
        return mapped(ImGuiKey_C);
      case Key::v:
        return mapped(ImGuiKey_V);
      case Key::x:
        return mapped(ImGuiKey_X);
      case Key::y:
        return mapped(ImGuiKey_Y);
      case Key::z:
        return mapped(ImGuiKey_Z);
      case Key::d:
        return int{'D'};  // GLFW's codes of letters are their capitals
      case Key::e:
        return int{'E'};
      case Key::f:
        return int{'F'};
      case Key::g:
        return int{'G'};
      case Key::h:
        return int{'H'};
      case Key::s:
        return int{'S'};
      case Key::slash:
        return int{'/'};
      case Key::f3:
        return kGlfwF3;
    }
    return -1;
  }();
  return code >= 0 && ImGui::IsKeyPressed(code, repeat);
#else
  static constexpr ImGuiKey kNames[] = {
      ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow,   ImGuiKey_DownArrow, ImGuiKey_Home,  ImGuiKey_End,
      ImGuiKey_PageUp,    ImGuiKey_PageDown,   ImGuiKey_Backspace, ImGuiKey_Delete,    ImGuiKey_Enter, ImGuiKey_Tab,
      ImGuiKey_Escape,    ImGuiKey_A,          ImGuiKey_C,         ImGuiKey_D,         ImGuiKey_E,     ImGuiKey_F,
      ImGuiKey_G,         ImGuiKey_H,          ImGuiKey_S,         ImGuiKey_V,         ImGuiKey_X,     ImGuiKey_Y,
      ImGuiKey_Z,         ImGuiKey_Slash,      ImGuiKey_F3};
  return ImGui::IsKeyPressed(kNames[static_cast<int>(key)], repeat);
#endif
}

}  // namespace tilescope
