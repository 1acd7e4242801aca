// Draws a panel into ImGui without a window or OpenGL.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>

#include <functional>
#include <string_view>

#include "app/views/context.hpp"
#include "app/views/panels.hpp"
#include "app/views/view.hpp"
#include "tests/gui/shared_assets.hpp"
#include "tests/gui/shared_fonts.hpp"
#include "tests/run/shared_engine.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

class DrawnPanel : public ::testing::Test {
 protected:
  using Draw = std::function<void(PanelContext&)>;

  void SetUp() override {
    strings = shared_strings();
    session = std::make_unique<Session>(shared_engine(), shared_recordings());
    fonts = open_context(1, "");
    ImGui::GetIO().DisplaySize = {1600, 1000};
    ImGui::GetIO().DeltaTime = 1 / 60.0F;
  }
  void TearDown() override { ImGui::DestroyContext(); }

  /// Draws one frame, with the panel's window in the screen's corner. Returns the number of vertices drawn.
  int draw(const Draw& panel, ImVec2 size, ImVec2 pointer = {-1, -1}, bool pressed = false) {
    ImGui::GetIO().MousePos = pointer;
    ImGui::GetIO().MouseDown[0] = pressed;
    ImGui::NewFrame();
    view.hover = {};
    view.marks.clear();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration);
    PanelContext context{
        {view, strings, dark_theme(), fonts}, *session, view, nullptr, result, nullptr, &panels, above};
    panel(context);
    const int vertices = ImGui::GetWindowDrawList()->VtxBuffer.Size;
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::Render();
    return vertices;
  }

  void click(const Draw& panel, ImVec2 size, ImVec2 pointer) {
    draw(panel, size, pointer);
    draw(panel, size, pointer, /*pressed=*/true);
    draw(panel, size, pointer);
  }

  /// Draws a view that this test owns.
  Draw drawing(std::string_view name) {
    return [this, name](PanelContext& context) { views.at(name).draw(context); };
  }

  std::unique_ptr<Session> session;
  WindowViews views;
  Panels panels;
  const View* above = nullptr;  // the view above the panel that is drawn
  ViewState view;
  Strings strings;
  Fonts fonts;
  std::shared_ptr<const RunResult> result;
};

}  // namespace tilescope::testing
