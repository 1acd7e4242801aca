#include "app/window/shell.hpp"

#define GLFW_INCLUDE_NONE  // epoxy provides OpenGL
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/draw/gl/heat_map.hpp"
#include "app/draw/sentences.hpp"
#include "app/sandbox/folder_listing.hpp"
#include "app/window/settings.hpp"
#include "app/window/state_file.hpp"
#include "engine/json_text.hpp"
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

/// FNV-1a over the drawn data: two identical frames have the same digest.
uint64_t picture_digest(const ImDrawData& data) {
  uint64_t digest = 0xcbf29ce484222325;
  const auto add = [&](const void* bytes, size_t count) {
    const auto* words = static_cast<const uint32_t*>(bytes);
    for (size_t i = 0; i < count / 4; ++i) digest = (digest ^ words[i]) * 0x100000001b3;
  };
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    add(list.VtxBuffer.Data, static_cast<size_t>(list.VtxBuffer.size_in_bytes()));
    add(list.IdxBuffer.Data, static_cast<size_t>(list.IdxBuffer.size_in_bytes()));
  }
  return digest;
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

/// Fills the bound framebuffer with the surfaces of the areas.
void clear_surfaces(const Screen& screen, int width, int height) {
  glViewport(0, 0, width, height);
  glEnable(GL_SCISSOR_TEST);
  clear({0, 0, static_cast<float>(width), static_cast<float>(height)}, height, screen.theme().window);
  for (const Screen::Surface& surface : screen.surfaces()) clear(surface.area, height, surface.colour);
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace

/// A framebuffer for pictures of any size, independent of the window.
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
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(options_.visible ? 1 : 0);

  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().ConfigWindowsMoveFromTitleBarOnly = true;
#if IMGUI_VERSION_NUM >= 18700
  // input_ already spreads events over frames. ImGui's queue would hold some of them back longer than frames are drawn.
  ImGui::GetIO().ConfigInputTrickleEventQueue = false;
#endif
  ImGui_ImplGlfw_InitForOpenGL(window_, false);
  listen_for_input();
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
  InteropOptions interop{trial_in_child(tilescope_beside_this_program(), record), [this] { wake(); }, record};
  if (auto maps = HeatMaps::create(root / "shaders", engine->gpu(), std::move(interop)))
    heat_maps_ = std::move(*maps);
  else
    return tl::unexpected(maps.error());
  screen_ = std::make_unique<Screen>(std::move(engine), std::move(*texts));
  screen_->heat_maps = heat_maps_.get();
  screen_->session.set_wake([this] { wake(); });
  screen_->sandbox.set_wake([this] { wake(); });
  screen_->workshop.set_wake([this] { wake(); });
  screen_->sandbox.set_python(
      [engine = &screen_->session.engine()](const std::string& file, const std::string& text, std::stop_token stop) {
        return read_triton_file(engine->triton(), file, text, std::move(stop));
      },
      options_.settings_file.empty() ? fs::path() : options_.settings_file.parent_path() / "python-files");
  if (!options_.settings_file.empty()) {
    read_settings(*screen_, options_.settings_file);
    progress_ = std::make_unique<ProgressFile>(options_.settings_file);
    screen_->session.learned = progress_->learned();
    if (!progress_->damaged().empty()) {
      const std::string name = progress_->damaged().filename().string();
      screen_->show_message(screen_->strings.format("status.progress_damaged", fmt::arg("file", name)));
    }
    screen_->workshop.set_folder(options_.settings_file.parent_path() / "exercises");
    screen_->restore_edits(options_.settings_file.parent_path() / "edits");
  }
  if (const char* file = std::getenv("TILESCOPE_FRAME_LOG")) frame_log_ = file;
  if (options_.visible) place_window();
  load_scaled_fonts(effective_scale());
  return {};
}

Shell::~Shell() {
  screen_.reset();  // the workers end before the objects that they wake
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

/// Only the Chinese characters that the interface uses have glyphs; a user's file or name may contain others.
void Shell::load_letters_of_own_file() {
  const Sandbox& sandbox = screen_->sandbox;
  const std::string& learner = screen_->view.learner;
  if (letters_seen_ == sandbox.text_version() && learner_seen_ == learner) return;
  letters_seen_ = sandbox.text_version();
  learner_seen_ = learner;
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
  add_from(learner);
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
  load_scaled_fonts(effective_scale());
  load_letters_of_own_file();
  apply_theme(screen_->theme(), screen_->view.scale);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  hand_over_input();
  ImGui::NewFrame();
  screen_->draw(ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y);
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  clear_surfaces(*screen_, width, height);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window_);
  if (!options_.state_file.empty()) picture_ = picture_digest(*ImGui::GetDrawData());
  screen_->view.frame_ms = seconds_since(start) * 1000;
  last_frame_ = Clock::now();
  memory_wait_ = true;
  if (!frame_log_.empty()) std::ofstream(frame_log_, std::ios::app) << screen_->view.frame_ms << '\n';
}

/// Opens the first CUDA source among the files dropped on the window, or the first file if there is none.
void Shell::dropped(const std::vector<fs::path>& files) {
  if (files.empty()) return;
  const auto source = std::find_if(files.begin(), files.end(), is_cuda_source);
  screen_->open_file(source != files.end() ? *source : files.front());
}

/// Every event is followed by kFramesToSettle frames, even if it arrives while the last frame for an earlier one is
/// being drawn. The first frame is immediate; the others leave the cores to the run that the event may have started.
/// Returns whether a frame is due.
bool Shell::wait_for_events() {
  constexpr double kFrame = 1.0 / 60, kFrameBesideRun = 0.05;
  bool due = true;
  if (frames_due_ > 0 || !input_.empty()) {
    --frames_due_;
    if (!input_.empty())
      glfwPollEvents();
    else
      glfwWaitEventsTimeout(screen_->session.busy() ? kFrameBesideRun : kFrame);
  } else if (const ViewState& view = screen_->view; (view.playback.playing || view.zoom.moving) && screen_->moving()) {
    glfwWaitEventsTimeout(kFrame);
  } else {
    due = wait_until_something_is_due();
  }
  if (!woken_.exchange(false) && !std::exchange(noticed_, false)) return due;
  frames_due_ = kFramesToSettle;
  return true;
}

/// A busy bar moves ten times a second, a text cursor blinks, a message disappears; changed settings are written, and
/// memory is released. Returns whether a frame is due.
bool Shell::wait_until_something_is_due() {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  double wait = kForever;
  if (screen_->moving())
    wait = 0.1;
  else if (ImGui::GetIO().WantTextInput)
    wait = 0.4;
  if (const double message = screen_->message_until - ImGui::GetTime(); message > 0) wait = std::min(wait, message);
  frames_due_ = 0;  // motion without input uses the intervals above
  const double settings = settings_wait_ ? std::max(0.01, kSettingsEvery - seconds_since(settings_changed_)) : kForever;
  const bool may_trim = memory_wait_ && !screen_->session.busy();
  const double memory = may_trim ? std::max(0.01, kMemoryAfter - seconds_since(last_frame_)) : kForever;
  if (std::min(settings, memory) < wait) {
    glfwWaitEventsTimeout(std::min(settings, memory));
    if (settings < kForever) keep_settings();
    if (may_trim && seconds_since(last_frame_) >= kMemoryAfter) {
      malloc_trim(0);
      memory_wait_ = false;
    }
    return false;
  }
  if (wait < kForever)
    glfwWaitEventsTimeout(wait);
  else
    glfwWaitEvents();
  return true;
}

int Shell::run() {
  draw_frame();
  if (options_.visible) glfwShowWindow(window_);
  while (glfwWindowShouldClose(window_) == GLFW_FALSE) {
    if (!wait_for_events()) continue;
    if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE) {
      glfwWaitEvents();
      continue;
    }
    draw_frame();
    after_frame();
  }
  // First input that no frame has processed, then typed text that is not taken over yet.
  while (!input_.empty()) draw_frame();
  screen_->view.closing = true;
  draw_frame();
  progress_refused_ = {};
  keep_progress();
  if (progress_ == nullptr) return 0;
  if (!progress_->is_kept(screen_->session.learned) || !write_settings(*screen_, options_.settings_file)) return 1;
  return 0;
}

void Shell::after_frame() {
  if (std::exchange(screen_->wants_picture, false)) save_picture();
  if (std::exchange(screen_->view.asks_for_progress_json, false)) save_progress_json();
  if (std::exchange(screen_->wants_certificate, false)) save_certificate_of_window();
  if (!options_.state_file.empty()) write_state();
  keep_progress();
  keep_settings();
}

/// In the frame in which something was earned: a crash takes nothing of it away.
void Shell::keep_progress() {
  if (progress_ == nullptr || progress_->is_kept(screen_->session.learned)) return;
  if (progress_refused_ != Clock::time_point() && seconds_since(progress_refused_) < kSettingsEvery) return;
  const auto written = progress_->keep(screen_->session.learned);
  progress_refused_ = written ? Clock::time_point() : Clock::now();
  if (written) return;
  screen_->show_message(as_sentence(screen_->strings, written.error()));
  noticed_ = true;  // a frame must show it
}

void Shell::keep_settings() {
  // Settings of an older version that have the progress stay until the progress is in its own file.
  if (options_.settings_file.empty() || !progress_->settings_may_go()) return;
  // Also while the window is open: a crash loses at most the last kSettingsEvery seconds.
  note_window_place();
  std::string now = settings_text(*screen_);
  settings_wait_ = now != settings_text_;
  if (!settings_wait_ || seconds_since(settings_changed_) < kSettingsEvery) return;
  settings_wait_ = false;
  settings_text_ = std::move(now);
  settings_changed_ = Clock::now();
  if (auto written = write_settings(*screen_, options_.settings_file); !written) {
    screen_->show_message(as_sentence(screen_->strings, written.error()));
    noticed_ = true;  // a frame must show it
  }
}

void Shell::write_state() {
  nlohmann::json state = state_of(*screen_);
  state["picture"] = fmt::format("{:016x}", picture_);
  state["input"] = {{"buttons", buttons_seen_}, {"keys", keys_seen_}};
  state["idle"] = frames_due_ <= 0 && input_.empty() && !screen_->moving() && !ImGui::GetIO().WantTextInput;
  std::string now = json_text(state);
  if (now == state_text_) return;
  state_text_ = std::move(now);
  const fs::path beside = options_.state_file.string() + ".new";
  std::ofstream(beside) << state_text_ << '\n';
  std::error_code ignored;
  fs::rename(beside, options_.state_file, ignored);
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

void Shell::draw_page(const Page& page, const std::function<void(const Fonts&)>& draw) {
  if (!offscreen_) offscreen_ = std::make_unique<Offscreen>();
  offscreen_->resize(page.width, page.height);
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  const Fonts fonts = load_fonts(page.font_scale, page.texts, nullptr);
  ImGui_ImplOpenGL3_CreateFontsTexture();
  ImGui_ImplOpenGL3_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(page.width), static_cast<float>(page.height)};
  io.DisplayFramebufferScale = {1, 1};
  io.DeltaTime = 1.0F / 60;
  ImGui::NewFrame();
  draw(fonts);
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, offscreen_->framebuffer);
  glViewport(0, 0, page.width, page.height);
  glEnable(GL_SCISSOR_TEST);
  clear({0, 0, io.DisplaySize.x, io.DisplaySize.y}, page.height, page.background);
  glDisable(GL_SCISSOR_TEST);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glFinish();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  load_scaled_fonts(screen_->view.scale, /*again=*/true);
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
