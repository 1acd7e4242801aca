// Events from the window system: input into the queue and from there to ImGui, wakes, the window's position.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "app/sandbox/folder_listing.hpp"
#include "app/window/shell.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

Shell& shell_of(GLFWwindow* window) { return *static_cast<Shell*>(glfwGetWindowUserPointer(window)); }

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

/// Keys that also arrive as text.
bool is_printable(int key) {
  return (key >= GLFW_KEY_SPACE && key <= GLFW_KEY_WORLD_2) || (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_ADD) ||
         key == GLFW_KEY_KP_EQUAL;
}

/// The requested scale, else the monitor's.
float base_scale(GLFWwindow* window, float asked) {
  if (asked > 0) return asked;
  if (const char* set = std::getenv("TILESCOPE_SCALE"); set != nullptr && std::atof(set) > 0)
    return static_cast<float>(std::atof(set));
  float horizontal = 1, vertical = 1;
  glfwGetWindowContentScale(window, &horizontal, &vertical);
  return std::max(1.0F, horizontal);
}

struct WorkArea {
  int left = 0, top = 0, width = 0, height = 0;
  bool holds(int x, int y) const { return x >= left && y >= top && x < left + width && y < top + height; }
};

WorkArea work_area(GLFWmonitor* monitor) {
  WorkArea area;
  if (monitor != nullptr) glfwGetMonitorWorkarea(monitor, &area.left, &area.top, &area.width, &area.height);
  return area;
}

/// On a monitor smaller than the wanted size, the window takes the available space.
void fit_to(const WorkArea& area, GLFWwindow* window) {
  int width = 0, height = 0;
  glfwGetWindowSize(window, &width, &height);
  if (area.width <= 0 || area.height <= 0 || (width <= area.width && height <= area.height)) return;
  glfwSetWindowSize(window, std::min(width, area.width), std::min(height, area.height));
  glfwSetWindowPos(window, area.left, area.top);
}

}  // namespace

/// Before 1.87, ImGui's back end reads the pointer once a frame; later versions queue events themselves.
void Shell::listen_for_input() {
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** files) {
    shell_of(window).noticed_ = true;
    shell_of(window).dropped(std::vector<fs::path>(files, files + count));
  });
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    shell_of(window).noticed_ = true;
    if (action == GLFW_REPEAT) return;  // ImGui repeats keys by itself; this only marks the time for it
    shell_of(window).note_input({.kind = InputEvent::Kind::key,
                                 .code = key,
                                 .scancode = scancode,
                                 .modifiers = modifiers,
                                 .down = action == GLFW_PRESS,
                                 .modifier = is_modifier(key),
                                 .printable = is_printable(key)});
  });
  glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned int character) {
    shell_of(window).note_input({.kind = InputEvent::Kind::text, .code = static_cast<int>(character)});
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int button, int action, int modifiers) {
    shell_of(window).note_input(
        {.kind = InputEvent::Kind::button, .code = button, .modifiers = modifiers, .down = action == GLFW_PRESS});
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
    shell_of(window).note_input(
        {.kind = InputEvent::Kind::move, .x = static_cast<float>(x), .y = static_cast<float>(y)});
  });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* window, int entered) {
    ImGui_ImplGlfw_CursorEnterCallback(window, entered);
    if (entered == GLFW_FALSE && std::ranges::count(shell_of(window).buttons_, true) == 0)
      shell_of(window).note_input({.kind = InputEvent::Kind::move, .x = -FLT_MAX, .y = -FLT_MAX});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* window, double x, double y) {
    shell_of(window).note_input(
        {.kind = InputEvent::Kind::wheel, .x = static_cast<float>(x), .y = static_cast<float>(y)});
  });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* window, int focused) {
    ImGui_ImplGlfw_WindowFocusCallback(window, focused);
    shell_of(window).noticed_ = true;
  });
  glfwSetWindowSizeCallback(window_, [](GLFWwindow* window, int, int) { shell_of(window).noticed_ = true; });
  glfwSetWindowPosCallback(window_, [](GLFWwindow* window, int, int) { shell_of(window).noticed_ = true; });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* window) { shell_of(window).noticed_ = true; });
  glfwSetWindowContentScaleCallback(window_,
                                    [](GLFWwindow* window, float, float) { shell_of(window).noticed_ = true; });
}

void Shell::note_input(const InputEvent& event) {
  noticed_ = true;
  input_.add(event);
}

/// Passes on this frame's events. The back end reads the pointer and the modifiers as they are now; what counts is
/// where the pointer was and which modifiers were held when the button or the key went down.
void Shell::hand_over_input() {
  ImGuiIO& io = ImGui::GetIO();
  if (!input_.empty()) frames_due_ = kFramesToSettle;  // counted from the frame that processes them
  for (const InputEvent& event : input_.take()) {
    switch (event.kind) {
      case InputEvent::Kind::move:
        pointer_ = {event.x, event.y};
        break;
      case InputEvent::Kind::button:
        ++buttons_seen_;
        if (event.code >= 0 && event.code < static_cast<int>(buttons_.size()))
          buttons_[static_cast<size_t>(event.code)] = event.down;
        break;
      case InputEvent::Kind::wheel:
        ImGui_ImplGlfw_ScrollCallback(window_, static_cast<double>(event.x), static_cast<double>(event.y));
        break;
      case InputEvent::Kind::key:
        ++keys_seen_;
        if (event.modifier) modifiers_[static_cast<size_t>(event.code - GLFW_KEY_LEFT_SHIFT)] = event.down;
        ImGui_ImplGlfw_KeyCallback(window_, event.code, event.scancode, event.down ? GLFW_PRESS : GLFW_RELEASE,
                                   event.modifiers);
        break;
      case InputEvent::Kind::text:
        ImGui_ImplGlfw_CharCallback(window_, static_cast<unsigned int>(event.code));
        break;
    }
  }
#if IMGUI_VERSION_NUM < 18700
  io.MousePos = pointer_;
  std::ranges::copy(buttons_, io.MouseDown);
#else
  io.AddMousePosEvent(pointer_.x, pointer_.y);
  for (size_t button = 0; button < buttons_.size(); ++button)
    io.AddMouseButtonEvent(static_cast<int>(button), buttons_[button]);
#endif
#if IMGUI_VERSION_NUM >= 18900
  // With each key, the back end reports the modifiers that are held now. A key that waited in the queue needs those of
  // its own time. ImGui uses the last report of the frame.
  constexpr ImGuiKey kModifiers[] = {ImGuiMod_Shift, ImGuiMod_Ctrl, ImGuiMod_Alt, ImGuiMod_Super};  // GLFW's order
  constexpr size_t kCount = std::size(kModifiers);
  for (size_t i = 0; i < kCount; ++i) io.AddKeyEvent(kModifiers[i], modifiers_[i] || modifiers_[i + kCount]);
#endif
}

/// Callable from any thread.
void Shell::wake() {
  woken_ = true;
  glfwPostEmptyEvent();
}

/// The monitor's scale times the learner's, limited so that the smallest layout fits.
float Shell::effective_scale() const {
  constexpr float kStep = ViewState::kScaleStep;
  const float base = base_scale(window_, options_.scale);
  const float wanted = screen_->view.user_scale;
  if (wanted <= 1) return base * wanted;
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  const float room = std::min(static_cast<float>(width) / kSmallestWidth, static_cast<float>(height) / kSmallestHeight);
  return base * std::clamp(std::floor(room / base / kStep) * kStep, 1.0F, wanted);
}

/// Restores the position at which the window was closed, if it is on a monitor, else the window system chooses; the
/// size is the former one, limited to the monitor's.
void Shell::place_window() {
  const float scale = base_scale(window_, options_.scale);
  glfwSetWindowSizeLimits(window_, static_cast<int>(kSmallestWidth * scale), static_cast<int>(kSmallestHeight * scale),
                          GLFW_DONT_CARE, GLFW_DONT_CARE);
  const WindowPlace& place = screen_->view.window;
  WorkArea room = work_area(glfwGetPrimaryMonitor());
  if (place.width > 0 && place.height > 0) {
    glfwSetWindowSize(window_, place.width, place.height);
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    GLFWmonitor** monitor = std::find_if(monitors, monitors + count, [&](GLFWmonitor* one) {
      return work_area(one).holds(place.left + place.width / 2, place.top + 16);
    });
    if (monitor != monitors + count) {
      room = work_area(*monitor);
      glfwSetWindowPos(window_, place.left, place.top);
    }
  }
  fit_to(room, window_);
  if (place.maximised) glfwMaximizeWindow(window_);
}

void Shell::note_window_place() {
  WindowPlace& place = screen_->view.window;
  place.maximised = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == GLFW_TRUE;
  // A maximised window keeps its restore position.
  if (place.maximised || glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE) return;
  glfwGetWindowPos(window_, &place.left, &place.top);
  glfwGetWindowSize(window_, &place.width, &place.height);
}

}  // namespace tilescope
