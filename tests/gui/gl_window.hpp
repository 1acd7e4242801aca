// A hidden window with a current OpenGL 3.3 context, for tests of app/draw/gl. Skips, with the reason, where there is
// none.
#pragma once

#include <epoxy/gl.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tilescope {

class GlWindow : public ::testing::Test {
 protected:
  void SetUp() override {
    if (glfwInit() != GLFW_TRUE) GTEST_SKIP() << "no window: " << last_error();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    window_ = glfwCreateWindow(64, 64, "test", nullptr, nullptr);
    if (window_ == nullptr) GTEST_SKIP() << "no OpenGL 3.3: " << last_error();
    glfwMakeContextCurrent(window_);
  }
  void TearDown() override {
    // GLFW stays open between tests: an X server without clients may restart, and refuse the next one.
    if (window_ != nullptr) glfwDestroyWindow(window_);
  }

  static std::string last_error() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text != nullptr ? text : "no reason given";
  }
  static std::filesystem::path shaders() { return std::filesystem::path(TILESCOPE_SOURCE) / "shaders"; }

 private:
  GLFWwindow* window_ = nullptr;
};

}  // namespace tilescope
