// A texture that shaders draw into.
//
//     Framebuffer target;
//     target.resize(width, height);
//     {
//       Framebuffer::Drawing drawing(target);   // viewport set, scissor and blending off
//       glDrawArrays(…);
//     }                                         // the previous bindings are restored
#pragma once

#include <epoxy/gl.h>

#include <array>
#include <vector>

#include "app/draw/gl/texture.hpp"

namespace tilescope {

class Framebuffer {
 public:
  Framebuffer();
  ~Framebuffer();
  Framebuffer(const Framebuffer&) = delete;
  Framebuffer& operator=(const Framebuffer&) = delete;

  void resize(int width, int height);
  const Texture& texture() const { return texture_; }
  /// Row 0 of the texture first; colours in IM_COL32 format.
  std::vector<ImU32> read() const;

  /// Binds the framebuffer, and restores the state it changes.
  class Drawing {
   public:
    explicit Drawing(const Framebuffer& target);
    ~Drawing();
    Drawing(const Drawing&) = delete;
    Drawing& operator=(const Drawing&) = delete;

   private:
    GLint framebuffer_ = 0, program_ = 0, vertex_array_ = 0, active_texture_ = 0;
    std::array<GLint, 4> viewport_{}, scissor_{};
    GLboolean scissor_on_ = GL_FALSE, blend_on_ = GL_FALSE;
  };

 private:
  Texture texture_;
  GLuint name_ = 0;
};

}  // namespace tilescope
