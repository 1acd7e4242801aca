#include "app/shell.hpp"

#define GLFW_INCLUDE_NONE  // OpenGL comes from epoxy
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/export.hpp"
#include "app/gl/heat_map.hpp"
#include "app/sandbox/folder_listing.hpp"
#include "app/settings.hpp"
#include "app/state_file.hpp"
#include "engine/run/paths.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string glfw_reason() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text != nullptr ? text : "the window system gave no reason";
}

float scale_of(GLFWwindow* window, float asked) {
  if (asked > 0) return asked;
  if (const char* set = std::getenv("TILESCOPE_SCALE"); set != nullptr && std::atof(set) > 0)
    return static_cast<float>(std::atof(set));
  float horizontal = 1, vertical = 1;
  glfwGetWindowContentScale(window, &horizontal, &vertical);
  return std::max(1.0F, horizontal);
}

/// The window is made for 1600 × 1000, on a smaller monitor it takes what there is.
void fit_to_monitor(GLFWwindow* window) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (monitor == nullptr) return;
  int left = 0, top = 0, room_across = 0, room_down = 0, width = 0, height = 0;
  glfwGetMonitorWorkarea(monitor, &left, &top, &room_across, &room_down);
  glfwGetWindowSize(window, &width, &height);
  if (room_across <= 0 || room_down <= 0 || (width <= room_across && height <= room_down)) return;
  glfwSetWindowSize(window, std::min(width, room_across), std::min(height, room_down));
  glfwSetWindowPos(window, left, top);
}

bool chinese_is_preferred() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
      return std::strncmp(value, "zh", 2) == 0;
  return false;
}

void clear(const Area& area, int height, ImU32 colour) {
  const ImVec4 channels = ImGui::ColorConvertU32ToFloat4(colour);
  glScissor(static_cast<int>(area.left), height - static_cast<int>(area.bottom), static_cast<int>(area.width()),
            static_cast<int>(area.height()));
  glClearColor(channels.x, channels.y, channels.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

/// Fills the bound frame buffer with the surfaces of the areas.
void clear_surfaces(const Screen& screen, int width, int height) {
  glViewport(0, 0, width, height);
  glEnable(GL_SCISSOR_TEST);
  clear({0, 0, static_cast<float>(width), static_cast<float>(height)}, height, screen.theme().window);
  for (const Screen::Surface& surface : screen.surfaces()) clear(surface.area, height, surface.colour);
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace

/// A frame buffer that pictures are drawn into, whatever the size of the window.
struct Shell::Offscreen {
  GLuint framebuffer = 0, colour = 0;
  int width = 0, height = 0;
  void resize(int new_width, int new_height) {
    if (framebuffer != 0 && new_width == width && new_height == height) return;
    release();
    width = new_width;
    height = new_height;
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &colour);
    glBindRenderbuffer(GL_RENDERBUFFER, colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
  }
  void release() {
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &colour);
    framebuffer = colour = 0;
  }
};

Shell::Shell(const ShellOptions& options) : options_(options) {}

Result<std::unique_ptr<Shell>> Shell::open(std::shared_ptr<Engine> engine, const ShellOptions& options) {
  std::unique_ptr<Shell> shell(new Shell(options));
  if (auto opened = shell->open_window(); !opened) return tl::unexpected(opened.error());
  if (auto opened = shell->open_screen(std::move(engine)); !opened) return tl::unexpected(opened.error());
  return shell;
}

Result<void> Shell::open_window() {
  glfwSetErrorCallback(nullptr);
  if (glfwInit() == GLFW_FALSE) return fail(ErrorId::no_display, glfw_reason());
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // shown with its first frame
  window_ = glfwCreateWindow(options_.width, options_.height, "Tilescope", nullptr, nullptr);
  if (window_ == nullptr) return fail(ErrorId::gl_failed, glfw_reason());
  glfwSetWindowSizeLimits(window_, 1024, 640, GLFW_DONT_CARE, GLFW_DONT_CARE);
  if (options_.visible) fit_to_monitor(window_);
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(options_.visible ? 1 : 0);

  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().ConfigWindowsMoveFromTitleBarOnly = true;
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** files) {
    static_cast<Shell*>(glfwGetWindowUserPointer(window))->dropped(std::vector<fs::path>(files, files + count));
  });
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    static_cast<Shell*>(glfwGetWindowUserPointer(window))->key_event(key, scancode, action, modifiers);
  });
  if (!ImGui_ImplOpenGL3_Init("#version 330")) return fail(ErrorId::gl_failed, "ImGui's renderer could not be started");
  return {};
}

Result<void> Shell::open_screen(std::shared_ptr<Engine> engine) {
  const fs::path root = engine->root();
  auto texts = Strings::load(root / "assets" / "strings");
  if (!texts) return tl::unexpected(texts.error());
  if (chinese_is_preferred()) texts->language = Language::zh;
  texts_ = interface_texts(root);
  const auto record = InteropRecord::in(user_cache_folder());
  InteropOptions interop{trial_in_child(tilescope_beside_this_program(), record), [] { glfwPostEmptyEvent(); }, record};
  if (auto maps = HeatMaps::create(root / "shaders", engine->gpu(), std::move(interop)))
    heat_maps_ = std::move(*maps);
  else
    return tl::unexpected(maps.error());
  screen_ = std::make_unique<Screen>(std::move(engine), std::move(*texts));
  screen_->heat_maps = heat_maps_.get();
  screen_->session.set_wake([] { glfwPostEmptyEvent(); });
  screen_->sandbox.set_wake([] { glfwPostEmptyEvent(); });
  if (!options_.settings_file.empty()) read_settings(*screen_, options_.settings_file);
  if (const char* file = std::getenv("TILESCOPE_FRAME_LOG")) frame_log_ = file;
  load_scaled_fonts(scale_of(window_, options_.scale));
  return {};
}

Shell::~Shell() {
  screen_.reset();  // the workers end before what they wake
  heat_maps_.reset();
  if (window_ != nullptr) {
    if (offscreen_) offscreen_->release();
    if (ImGui::GetCurrentContext() != nullptr) {
      ImGui_ImplOpenGL3_Shutdown();
      ImGui_ImplGlfw_Shutdown();
      ImGui::DestroyContext();
    }
    glfwDestroyWindow(window_);
  }
  glfwTerminate();
}

/// Only the Chinese characters that the interface uses have glyphs; a file of the learner's own may hold others.
void Shell::load_letters_of_own_file() {
  const Sandbox& sandbox = screen_->sandbox;
  if (letters_seen_ == sandbox.text_version()) return;
  letters_seen_ = sandbox.text_version();
  constexpr size_t kMostBytes = 64 << 10;
  std::string added;
  const auto add_from = [&](const std::string& text) {
    for (size_t at = 0; at < text.size() && added.size() < kMostBytes;) {
      const auto lead = static_cast<unsigned char>(text[at]);
      const size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      const std::string letter = text.substr(at, length);
      at += length;
      if (length == 3 && texts_.find(letter) == std::string::npos && added.find(letter) == std::string::npos)
        added += letter;
    }
  };
  if (sandbox.facts().text) add_from(*sandbox.facts().text);
  for (const fs::path& file : sandbox.recent()) add_from(file.string());
  if (added.empty()) return;
  texts_ += added;
  load_scaled_fonts(screen_->view.scale, /*again=*/true);
}

void Shell::load_scaled_fonts(float scale, bool again) {
  if (fonts_loaded_ && scale == screen_->view.scale && !again) return;
  if (fonts_loaded_) ImGui_ImplOpenGL3_DestroyFontsTexture();
  missing_fonts_.clear();
  screen_->view.scale = scale;
  screen_->fonts = load_fonts(scale, texts_, &missing_fonts_);
  screen_->view.missing_fonts.clear();
  for (const auto& file : missing_fonts_) screen_->view.missing_fonts.push_back(file.string());
  if (fonts_loaded_) ImGui_ImplOpenGL3_CreateFontsTexture();
  fonts_loaded_ = true;
}

bool Shell::trying_interop() {
  heat_maps_->poll();
  return heat_maps_->interop().reason() == Interop::Reason::trying;
}

void Shell::draw_frame() {
  const auto start = Clock::now();
  heat_maps_->poll();
  load_scaled_fonts(scale_of(window_, options_.scale));
  load_letters_of_own_file();
  apply_theme(screen_->theme(), screen_->view.scale);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  screen_->draw(ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y);
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  clear_surfaces(*screen_, width, height);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window_);
  release_late_keys();
  screen_->view.frame_ms = seconds_since(start) * 1000;
  if (!frame_log_.empty()) std::ofstream(frame_log_, std::ios::app) << screen_->view.frame_ms << '\n';
}

/// ImGui looks at keys once a frame (before 1.87): a key that goes down and up in between would be lost. Its release is
/// handed on after the frame that saw it down.
void Shell::key_event(int key, int scancode, int action, int modifiers) {
  if (action == GLFW_RELEASE && pressed_now_.contains(key)) {
    late_releases_.push_back({key, scancode, modifiers});
    return;
  }
  if (action == GLFW_PRESS) pressed_now_.insert(key);
  ImGui_ImplGlfw_KeyCallback(window_, key, scancode, action, modifiers);
}

/// The first CUDA source of those that were dropped on the window; other files are opened too, if there is none.
void Shell::dropped(const std::vector<fs::path>& files) {
  if (files.empty()) return;
  const auto source = std::find_if(files.begin(), files.end(), is_cuda_source);
  screen_->open_file(source != files.end() ? *source : files.front());
}

void Shell::release_late_keys() {
  for (const KeyEvent& event : late_releases_)
    ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, GLFW_RELEASE, event.modifiers);
  if (!late_releases_.empty()) frames_due_ = std::max(frames_due_, 1);
  late_releases_.clear();
  pressed_now_.clear();
}

void Shell::wait_for_events() {
  constexpr double kFrame = 1.0 / 60;
  if (frames_due_ > 0) {
    --frames_due_;
    glfwPollEvents();
    return;
  }
  const ViewState& view = screen_->view;
  if ((view.playback.playing || view.zoom.moving) && screen_->moving()) {
    glfwWaitEventsTimeout(kFrame);
    return;
  }
  // A busy bar moves ten times a second, a text cursor blinks, a message goes.
  const double wait_for_message = screen_->message_until - ImGui::GetTime();
  if (screen_->moving())
    glfwWaitEventsTimeout(0.1);
  else if (ImGui::GetIO().WantTextInput)
    glfwWaitEventsTimeout(0.4);
  else if (wait_for_message > 0)
    glfwWaitEventsTimeout(wait_for_message);
  else
    glfwWaitEvents();
  frames_due_ = 2;  // what an event changes is settled in the frame after it
}

int Shell::run() {
  draw_frame();
  if (options_.visible) glfwShowWindow(window_);
  while (glfwWindowShouldClose(window_) == GLFW_FALSE) {
    wait_for_events();
    if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE) {
      glfwWaitEvents();
      continue;
    }
    draw_frame();
    after_frame();
  }
  if (!options_.settings_file.empty()) {
    if (auto written = write_settings(*screen_, options_.settings_file); !written) return 1;
  }
  return 0;
}

void Shell::after_frame() {
  if (std::exchange(screen_->wants_picture, false)) save_picture();
  if (!options_.state_file.empty()) write_state();
  if (options_.settings_file.empty()) return;
  // Also while the window is open, for a crash loses no more than some seconds of it.
  std::string now = settings_of(*screen_).dump();
  if (now == settings_text_ || seconds_since(settings_changed_) < 5) return;
  settings_text_ = std::move(now);
  settings_changed_ = Clock::now();
  if (auto written = write_settings(*screen_, options_.settings_file); !written)
    screen_->show_message(written.error().message);
}

void Shell::write_state() {
  std::string now = state_of(*screen_).dump();
  if (now == state_text_) return;
  state_text_ = std::move(now);
  const fs::path beside = options_.state_file.string() + ".new";
  std::ofstream(beside) << state_text_ << '\n';
  std::error_code ignored;
  fs::rename(beside, options_.state_file, ignored);
}

void Shell::save_picture() {
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  const float scale = screen_->view.scale;
  draw_offscreen(static_cast<int>(static_cast<float>(width) / scale),
                 static_cast<int>(static_cast<float>(height) / scale));
  const fs::path file = free_file(screen_->session.request(), "png");
  auto written = write_png(read_offscreen(), file);
  std::error_code ignored;
  screen_->show_message(
      written ? screen_->strings.format("status.saved", fmt::arg("file", fs::absolute(file, ignored).string()))
              : written.error().message);
}

void Shell::draw_offscreen(int width, int height, ImVec2 pointer) {
  const float scale = screen_->view.scale;
  const int pixels_across = static_cast<int>(std::lround(static_cast<float>(width) * scale));
  const int pixels_down = static_cast<int>(std::lround(static_cast<float>(height) * scale));
  if (!offscreen_) offscreen_ = std::make_unique<Offscreen>();
  offscreen_->resize(pixels_across, pixels_down);
  load_letters_of_own_file();
  apply_theme(screen_->theme(), scale);
  heat_maps_->poll();
  ImGui_ImplOpenGL3_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(pixels_across), static_cast<float>(pixels_down)};
  io.DisplayFramebufferScale = {1, 1};
  io.DeltaTime = 1.0F / 60;
  io.MousePos = pointer;
  ImGui::NewFrame();
  screen_->draw(io.DisplaySize.x, io.DisplaySize.y);
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, offscreen_->framebuffer);
  clear_surfaces(*screen_, pixels_across, pixels_down);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glFinish();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

Picture Shell::read_offscreen() const {
  Picture picture;
  picture.width = offscreen_->width;
  picture.height = offscreen_->height;
  const size_t row = static_cast<size_t>(picture.width) * 4;
  std::vector<uint8_t> upside_down(row * static_cast<size_t>(picture.height));
  glBindFramebuffer(GL_FRAMEBUFFER, offscreen_->framebuffer);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, picture.width, picture.height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  picture.pixels.resize(upside_down.size());
  for (size_t y = 0; y < static_cast<size_t>(picture.height); ++y)
    std::copy_n(&upside_down[(static_cast<size_t>(picture.height) - 1 - y) * row], row, &picture.pixels[y * row]);
  for (size_t byte = 3; byte < picture.pixels.size(); byte += 4) picture.pixels[byte] = 255;
  return picture;
}

}  // namespace tilescope
