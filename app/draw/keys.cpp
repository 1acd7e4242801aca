#include "app/draw/keys.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

namespace tilescope {

int code_of(ShellKey key) {
#if IMGUI_VERSION_NUM < 18700
  const auto choose = [](int glfw, int) { return glfw; };
#define IMGUI_KEY(name) 0
#else
  const auto choose = [](int, int imgui) { return imgui; };
#define IMGUI_KEY(name) ImGuiKey_##name
#endif
  switch (key) {
    case ShellKey::f1:
      return choose(GLFW_KEY_F1, IMGUI_KEY(F1));
    case ShellKey::f5:
      return choose(GLFW_KEY_F5, IMGUI_KEY(F5));
    case ShellKey::enter:
      return choose(GLFW_KEY_ENTER, IMGUI_KEY(Enter));
    case ShellKey::escape:
      return choose(GLFW_KEY_ESCAPE, IMGUI_KEY(Escape));
    case ShellKey::backspace:
      return choose(GLFW_KEY_BACKSPACE, IMGUI_KEY(Backspace));
    case ShellKey::space:
      return choose(GLFW_KEY_SPACE, IMGUI_KEY(Space));
    case ShellKey::left:
      return choose(GLFW_KEY_LEFT, IMGUI_KEY(LeftArrow));
    case ShellKey::right:
      return choose(GLFW_KEY_RIGHT, IMGUI_KEY(RightArrow));
    case ShellKey::up:
      return choose(GLFW_KEY_UP, IMGUI_KEY(UpArrow));
    case ShellKey::down:
      return choose(GLFW_KEY_DOWN, IMGUI_KEY(DownArrow));
    case ShellKey::home:
      return choose(GLFW_KEY_HOME, IMGUI_KEY(Home));
    case ShellKey::end:
      return choose(GLFW_KEY_END, IMGUI_KEY(End));
    case ShellKey::b:
      return choose(GLFW_KEY_B, IMGUI_KEY(B));
    case ShellKey::d:
      return choose(GLFW_KEY_D, IMGUI_KEY(D));
    case ShellKey::e:
      return choose(GLFW_KEY_E, IMGUI_KEY(E));
    case ShellKey::f:
      return choose(GLFW_KEY_F, IMGUI_KEY(F));
    case ShellKey::g:
      return choose(GLFW_KEY_G, IMGUI_KEY(G));
    case ShellKey::h:
      return choose(GLFW_KEY_H, IMGUI_KEY(H));
    case ShellKey::j:
      return choose(GLFW_KEY_J, IMGUI_KEY(J));
    case ShellKey::o:
      return choose(GLFW_KEY_O, IMGUI_KEY(O));
    case ShellKey::p:
      return choose(GLFW_KEY_P, IMGUI_KEY(P));
    case ShellKey::s:
      return choose(GLFW_KEY_S, IMGUI_KEY(S));
    case ShellKey::plus:
      return choose(GLFW_KEY_EQUAL, IMGUI_KEY(Equal));
    case ShellKey::minus:
      return choose(GLFW_KEY_MINUS, IMGUI_KEY(Minus));
    case ShellKey::keypad_plus:
      return choose(GLFW_KEY_KP_ADD, IMGUI_KEY(KeypadAdd));
    case ShellKey::keypad_minus:
      return choose(GLFW_KEY_KP_SUBTRACT, IMGUI_KEY(KeypadSubtract));
    case ShellKey::digit_0:
      return choose(GLFW_KEY_0, IMGUI_KEY(0));
    default:
      return choose(GLFW_KEY_1, IMGUI_KEY(1)) + (static_cast<int>(key) - static_cast<int>(ShellKey::digit_1));
  }
#undef IMGUI_KEY
}

bool key_went_down(ShellKey key, bool repeat) {
#if IMGUI_VERSION_NUM < 18700
  return ImGui::IsKeyPressed(code_of(key), repeat);
#else
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(code_of(key)), repeat);
#endif
}

}  // namespace tilescope
