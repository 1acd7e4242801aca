// The window: GLFW and OpenGL 3.3 around a Screen. Frames are drawn when something has changed or moves; an idle window
// waits for events and uses no processor time.
//
//     auto shell = Shell::open(engine, {});
//     if (!shell) …                       // no display, no OpenGL
//     return (*shell)->run();             // until the window is closed
#pragma once

#include <cfloat>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "app/screen.hpp"
#include "engine/run.hpp"

struct GLFWwindow;

namespace tilescope {

struct ShellOptions {
  int width = 1600, height = 1000;      // unscaled pixels
  float scale = 0;                      // 0: TILESCOPE_SCALE, else that of the monitor
  bool visible = true;                  // false: pictures only
  std::filesystem::path settings_file;  // empty: nothing is read or remembered
  std::filesystem::path state_file;     // what the window shows, as JSON, after every change; for scripts and tests
};

/// Rows top first, RGBA.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;
};
Result<void> write_png(const Picture& picture, const std::filesystem::path& file);

class Shell {
 public:
  static Result<std::unique_ptr<Shell>> open(std::shared_ptr<Engine> engine, const ShellOptions& options);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  Screen& screen() { return *screen_; }
  /// Shows the window until it is closed. Returns the program's exit status.
  int run();

  /// Whether it is still being tried out how pictures get from the GPU into the window.
  bool trying_interop();

  /// One frame into a buffer of its own; width and height in unscaled pixels. The pointer is elsewhere unless it is
  /// given.
  void draw_offscreen(int width, int height, ImVec2 pointer = {-FLT_MAX, -FLT_MAX});
  /// What draw_offscreen drew last.
  Picture read_offscreen() const;

 private:
  struct Offscreen;
  explicit Shell(const ShellOptions& options);
  Result<void> open_window();
  Result<void> open_screen(std::shared_ptr<Engine> engine);
  void load_scaled_fonts(float scale, bool again = false);
  void load_letters_of_own_file();
  void draw_frame();
  void key_event(int key, int scancode, int action, int modifiers);
  void release_late_keys();
  void dropped(const std::vector<std::filesystem::path>& files);
  void wait_for_events();
  void after_frame();
  void write_state();
  void save_picture();

  ShellOptions options_;
  GLFWwindow* window_ = nullptr;
  std::unique_ptr<HeatMaps> heat_maps_;
  std::unique_ptr<Screen> screen_;
  std::unique_ptr<Offscreen> offscreen_;
  std::string texts_, settings_text_, state_text_;
  std::vector<std::filesystem::path> missing_fonts_;
  std::chrono::steady_clock::time_point settings_changed_{};
  std::filesystem::path frame_log_;
  struct KeyEvent {
    int key, scancode, modifiers;
  };
  std::vector<KeyEvent> late_releases_;  // of keys that went down and up between two frames
  std::set<int> pressed_now_;            // keys that went down since the last frame
  uint64_t letters_seen_ = 0;            // version of the own file's text whose letters are loaded
  int frames_due_ = 3;
  bool fonts_loaded_ = false;
};

}  // namespace tilescope
