// The window: GLFW and OpenGL 3.3 around a Screen. Frames are drawn when something has changed or moves; an idle window
// waits for events and uses no CPU time.
//
//     auto shell = Shell::open(engine, {});
//     if (!shell) …                       // no display, no OpenGL
//     return (*shell)->run();             // until the window is closed
#pragma once

#include <array>
#include <atomic>
#include <cfloat>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "app/session/progress_file.hpp"
#include "app/window/input_queue.hpp"
#include "app/window/progress_report.hpp"
#include "app/window/screen.hpp"
#include "engine/run/engine.hpp"

struct GLFWwindow;

namespace tilescope {

struct ShellOptions {
  int width = 1600, height = 1000;      // unscaled pixels
  float scale = 0;                      // 0: TILESCOPE_SCALE, else the monitor's
  bool visible = true;                  // false: pictures only
  std::filesystem::path settings_file;  // empty: nothing is read or remembered
  std::filesystem::path state_file;     // the window's content as JSON, written after every change; for scripts and
                                        // tests
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

  /// Whether the CUDA-OpenGL interop trial (app/draw/gl/interop_trial.hpp) is still running.
  bool trying_interop();

  /// Draws one frame into an offscreen buffer; width and height in unscaled pixels. The pointer is outside unless
  /// given.
  void draw_offscreen(int width, int height, ImVec2 pointer = {-FLT_MAX, -FLT_MAX});
  /// Draws a page that is no view of the window into the offscreen buffer: a frame of its own, with fonts that are
  /// loaded at this scale for its texts only.
  struct Page {
    int width = 0, height = 0;  // pixels
    float font_scale = 1;
    ImU32 background = 0;
    std::string texts = {};  // every text on it
  };
  void draw_page(const Page& page, const std::function<void(const Fonts&)>& draw);
  /// The picture that draw_offscreen or draw_page drew last.
  Picture read_offscreen() const;

 private:
  struct Offscreen;
  explicit Shell(const ShellOptions& options);
  Result<void> open_window();
  Result<void> open_screen(std::shared_ptr<Engine> engine);
  void load_scaled_fonts(float scale, bool again = false);
  void load_letters_of_own_file();
  void draw_frame();
  void listen_for_input();
  void note_input(const InputEvent& event);
  void hand_over_input();
  void wake();
  float effective_scale() const;
  void place_window();
  void note_window_place();
  void dropped(const std::vector<std::filesystem::path>& files);
  bool wait_for_events();
  bool wait_until_something_is_due();
  void after_frame();
  void keep_settings();
  void keep_progress();
  void write_state();
  void save_picture();
  void save_progress_json();
  void save_certificate_of_window();
  ProgressReport report_of_window();
  void tell_saved(const Result<std::filesystem::path>& file);

  ShellOptions options_;
  GLFWwindow* window_ = nullptr;
  std::unique_ptr<HeatMaps> heat_maps_;
  std::unique_ptr<Screen> screen_;
  std::unique_ptr<Offscreen> offscreen_;
  std::unique_ptr<ProgressFile> progress_;  // null: nothing is remembered
  std::string texts_, settings_text_, state_text_, learner_seen_;
  std::vector<std::filesystem::path> missing_fonts_;
  std::chrono::steady_clock::time_point settings_changed_{}, last_frame_{}, progress_refused_{};
  std::filesystem::path frame_log_;
  InputQueue input_;
  ImVec2 pointer_{-FLT_MAX, -FLT_MAX};
  std::array<bool, 5> buttons_{};
  std::array<bool, 8> modifiers_{};            // left, then right: Shift, Ctrl, Alt, Super
  uint64_t buttons_seen_ = 0, keys_seen_ = 0;  // number of events that frames received, for the state file
  uint64_t letters_seen_ = 0;                  // version of the own file's text whose characters are loaded
  uint64_t picture_ = 0;                       // digest of the last frame's drawing, if a state file is written
  /// Views settle over some frames: a press takes effect in the frame after the release, and a change may have to be
  /// laid out before a different part shows it.
  static constexpr int kFramesToSettle = 6;
  int frames_due_ = kFramesToSettle;
  bool noticed_ = false;            // something since the last wait needs frames
  std::atomic<bool> woken_{false};  // a worker has news
  bool fonts_loaded_ = false;
  bool memory_wait_ = false;                   // free memory is released when the window has been idle for a while
  bool settings_wait_ = false;                 // settings have changed but are not written yet
  static constexpr double kSettingsEvery = 5;  // minimum interval in seconds
  static constexpr double kMemoryAfter = 1;    // seconds without a frame
};

}  // namespace tilescope
