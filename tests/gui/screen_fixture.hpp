// A Screen without a window: ImGui's input is fed by hand and nothing is rendered.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/view.hpp"
#include "app/window/screen.hpp"
#include "tests/gui/shared_assets.hpp"
#include "tests/gui/shared_fonts.hpp"
#include "tests/run/shared_engine.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

class ScreenTest : public ::testing::Test {
 protected:
  /// `texts`: the characters that the fonts have, beside Latin ones.
  explicit ScreenTest(const std::string& texts = "中") {
    const Fonts fonts = open_context(1, texts);
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().KeyMap[ImGuiKey_Enter] = code_of(Key::enter);  // what a window's back end would set
    ImGui::GetIO().KeyMap[ImGuiKey_Escape] = code_of(Key::escape);
#endif
    screen = std::make_unique<Screen>(engine, shared_strings(), shared_recordings());
    screen->fonts = fonts;
    screen->session.select_lab("vector-add");
    screen->session.set_device(DeviceKind::sim);
    screen->session.auto_run = false;
    screen->view.veils = false;  // tests of the questions switch it on
    frame();
  }
  ~ScreenTest() override {
    screen.reset();
    ImGui::DestroyContext();
  }

  void frame() {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = window;
    io.DeltaTime = 1.0F / 60;
    apply_theme(screen->theme(), 1);
    ImGui::NewFrame();
    screen->draw(window.x, window.y);
    ImGui::Render();
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }

  ImVec2 centre(const std::string& mark) {
    const auto found = screen->marks().find(mark);
    EXPECT_NE(found, screen->marks().end()) << mark;
    return found == screen->marks().end() ? ImVec2(0, 0) : found->second.centre();
  }
  void point_at(ImVec2 position) {
    ImGui::GetIO().MousePos = position;
    frame();
  }
  void click(ImVec2 position) {
    point_at(position);
    ImGui::GetIO().MouseDown[0] = true;
    frame();
    ImGui::GetIO().MouseDown[0] = false;
    frame();
    frame();
  }
  void click(const std::string& mark) { click(centre(mark)); }
  void drag(ImVec2 from, ImVec2 to) {
    point_at(from);
    ImGui::GetIO().MouseDown[0] = true;
    frame();
    constexpr int kSteps = 12;
    for (int step = 1; step <= kSteps; ++step) {
      const float part = static_cast<float>(step) / kSteps;
      point_at({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
    }
    ImGui::GetIO().MouseDown[0] = false;
    frame();
  }

  void press(Key key, bool control = false, bool shift = false) {
    ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
    io.KeyCtrl = control;
    io.KeyShift = shift;
    io.KeysDown[code_of(key)] = true;
    frame();
    io.KeysDown[code_of(key)] = false;
    io.KeyCtrl = io.KeyShift = false;
#else
    io.AddKeyEvent(ImGuiMod_Ctrl, control);
    io.AddKeyEvent(ImGuiMod_Shift, shift);
    io.AddKeyEvent(static_cast<ImGuiKey>(code_of(key)), true);
    frame();
    io.AddKeyEvent(static_cast<ImGuiKey>(code_of(key)), false);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    io.AddKeyEvent(ImGuiMod_Shift, false);
#endif
    frame();
  }
  void type(const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    frame();
  }

  /// Number of texts that the shown view has drawn, without everything around it.
  size_t texts_in_view() {
    std::vector<DrawnText> texts;
    record_texts(&texts);
    frame();
    record_texts(nullptr);
    const std::string area = "view " + screen->view.tab;
    return static_cast<size_t>(std::ranges::count_if(
        texts, [&](const DrawnText& text) { return text.window.find(area) != std::string::npos; }));
  }

  /// Draws frames until the session is idle; false after a minute.
  bool settle() {
    const auto start = std::chrono::steady_clock::now();
    do {
      frame();
      if (!screen->session.busy()) {
        frames(2);
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    return false;
  }
  int64_t param(const std::string& name) { return screen->session.request().config.param(name); }

  ImVec2 window{1600, 1000};
  std::shared_ptr<Engine> engine = shared_engine();
  std::unique_ptr<Screen> screen;
};

}  // namespace tilescope::testing
