#include "app/draw/gl/framebuffer.hpp"

namespace tilescope {
namespace {

void enable(GLenum capability, GLboolean on) {
  if (on == GL_TRUE)
    glEnable(capability);
  else
    glDisable(capability);
}

}  // namespace

Framebuffer::Framebuffer() { glGenFramebuffers(1, &name_); }
Framebuffer::~Framebuffer() { glDeleteFramebuffers(1, &name_); }

void Framebuffer::resize(int width, int height) {
  if (width == texture_.width() && height == texture_.height()) return;
  texture_.resize(width, height);
  GLint before = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, name_);
  glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.name(), 0);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(before));
}

std::vector<ImU32> Framebuffer::read() const {
  std::vector<ImU32> pixels(static_cast<size_t>(texture_.width()) * static_cast<size_t>(texture_.height()));
  GLint before = 0;
  glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &before);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, name_);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, texture_.width(), texture_.height(), GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(before));
  return pixels;
}

Framebuffer::Drawing::Drawing(const Framebuffer& target) {
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_);
  glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
  glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertex_array_);
  glGetIntegerv(GL_ACTIVE_TEXTURE, &active_texture_);
  glGetIntegerv(GL_VIEWPORT, viewport_.data());
  glGetIntegerv(GL_SCISSOR_BOX, scissor_.data());
  scissor_on_ = glIsEnabled(GL_SCISSOR_TEST);
  blend_on_ = glIsEnabled(GL_BLEND);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target.name_);
  glViewport(0, 0, target.texture_.width(), target.texture_.height());
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_BLEND);
}

Framebuffer::Drawing::~Drawing() {
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
  glUseProgram(static_cast<GLuint>(program_));
  glBindVertexArray(static_cast<GLuint>(vertex_array_));
  glActiveTexture(static_cast<GLenum>(active_texture_));
  glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
  glScissor(scissor_[0], scissor_[1], scissor_[2], scissor_[3]);
  enable(GL_SCISSOR_TEST, scissor_on_);
  enable(GL_BLEND, blend_on_);
}

}  // namespace tilescope
