#include "app/draw/keys.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#if IMGUI_VERSION_NUM < 18700
#define TILESCOPE_KEY(glfw, imgui) GLFW_KEY_##glfw
#else
#define TILESCOPE_KEY(glfw, imgui) ImGuiKey_##imgui
#endif

namespace tilescope {
namespace {

bool is_pressed(Key key, bool repeat) {
#if IMGUI_VERSION_NUM < 18700
  return ImGui::IsKeyPressed(code_of(key), repeat);
#else
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(code_of(key)), repeat);
#endif
}

}  // namespace

int code_of(Key key) {
  switch (key) {
    case Key::f1:
      return TILESCOPE_KEY(F1, F1);
    case Key::f3:
      return TILESCOPE_KEY(F3, F3);
    case Key::f5:
      return TILESCOPE_KEY(F5, F5);
    case Key::enter:
      return TILESCOPE_KEY(ENTER, Enter);
    case Key::escape:
      return TILESCOPE_KEY(ESCAPE, Escape);
    case Key::backspace:
      return TILESCOPE_KEY(BACKSPACE, Backspace);
    case Key::erase:
      return TILESCOPE_KEY(DELETE, Delete);
    case Key::tab:
      return TILESCOPE_KEY(TAB, Tab);
    case Key::space:
      return TILESCOPE_KEY(SPACE, Space);
    case Key::left:
      return TILESCOPE_KEY(LEFT, LeftArrow);
    case Key::right:
      return TILESCOPE_KEY(RIGHT, RightArrow);
    case Key::up:
      return TILESCOPE_KEY(UP, UpArrow);
    case Key::down:
      return TILESCOPE_KEY(DOWN, DownArrow);
    case Key::home:
      return TILESCOPE_KEY(HOME, Home);
    case Key::end:
      return TILESCOPE_KEY(END, End);
    case Key::page_up:
      return TILESCOPE_KEY(PAGE_UP, PageUp);
    case Key::page_down:
      return TILESCOPE_KEY(PAGE_DOWN, PageDown);
    case Key::a:
      return TILESCOPE_KEY(A, A);
    case Key::b:
      return TILESCOPE_KEY(B, B);
    case Key::c:
      return TILESCOPE_KEY(C, C);
    case Key::d:
      return TILESCOPE_KEY(D, D);
    case Key::e:
      return TILESCOPE_KEY(E, E);
    case Key::f:
      return TILESCOPE_KEY(F, F);
    case Key::g:
      return TILESCOPE_KEY(G, G);
    case Key::h:
      return TILESCOPE_KEY(H, H);
    case Key::j:
      return TILESCOPE_KEY(J, J);
    case Key::o:
      return TILESCOPE_KEY(O, O);
    case Key::p:
      return TILESCOPE_KEY(P, P);
    case Key::s:
      return TILESCOPE_KEY(S, S);
    case Key::v:
      return TILESCOPE_KEY(V, V);
    case Key::x:
      return TILESCOPE_KEY(X, X);
    case Key::y:
      return TILESCOPE_KEY(Y, Y);
    case Key::z:
      return TILESCOPE_KEY(Z, Z);
    case Key::slash:
      return TILESCOPE_KEY(SLASH, Slash);
    case Key::plus:
      return TILESCOPE_KEY(EQUAL, Equal);
    case Key::minus:
      return TILESCOPE_KEY(MINUS, Minus);
    case Key::keypad_plus:
      return TILESCOPE_KEY(KP_ADD, KeypadAdd);
    case Key::keypad_minus:
      return TILESCOPE_KEY(KP_SUBTRACT, KeypadSubtract);
    case Key::digit_0:
      return TILESCOPE_KEY(0, 0);
    default:
      return TILESCOPE_KEY(1, 1) + (static_cast<int>(key) - static_cast<int>(Key::digit_1));
  }
}

bool key_went_down(Key key) { return is_pressed(key, false); }
bool key_repeats(Key key) { return is_pressed(key, true); }

}  // namespace tilescope
