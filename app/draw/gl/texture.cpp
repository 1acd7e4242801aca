#include "app/draw/gl/texture.hpp"

namespace tilescope {

Texture::Texture() {
  glGenTextures(1, &name_);
  glBindTexture(GL_TEXTURE_2D, name_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glBindTexture(GL_TEXTURE_2D, 0);
}

Texture::~Texture() { glDeleteTextures(1, &name_); }

void Texture::upload(int width, int height, std::span<const ImU32> pixels) {
  glBindTexture(GL_TEXTURE_2D, name_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  if (width == width_ && height == height_)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  else
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  glBindTexture(GL_TEXTURE_2D, 0);
  width_ = width;
  height_ = height;
}

void Texture::resize(int width, int height) {
  if (width == width_ && height == height_) return;
  glBindTexture(GL_TEXTURE_2D, name_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glBindTexture(GL_TEXTURE_2D, 0);
  width_ = width;
  height_ = height;
}

WordBuffer::WordBuffer() {
  glGenBuffers(1, &buffer_);
  glGenTextures(1, &texture_);
}

WordBuffer::~WordBuffer() {
  glDeleteTextures(1, &texture_);
  glDeleteBuffers(1, &buffer_);
}

WordBuffer::Names WordBuffer::renew() {
  const Names before{buffer_, texture_};
  glGenBuffers(1, &buffer_);
  glGenTextures(1, &texture_);
  capacity_ = 0;
  return before;
}

bool WordBuffer::reserve(size_t bytes) {
  const size_t needed = (bytes + 3) / 4 * 4;
  if (needed <= capacity_) return false;
  allocate(needed);
  return true;
}

void WordBuffer::allocate(size_t bytes) {
  glBindBuffer(GL_TEXTURE_BUFFER, buffer_);
  glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_DRAW);
  glBindTexture(GL_TEXTURE_BUFFER, texture_);
  glTexBuffer(GL_TEXTURE_BUFFER, GL_R32UI, buffer_);
  glBindTexture(GL_TEXTURE_BUFFER, 0);
  glBindBuffer(GL_TEXTURE_BUFFER, 0);
  capacity_ = bytes;
}

void WordBuffer::write(std::span<const std::byte> bytes) {
  glBindBuffer(GL_TEXTURE_BUFFER, buffer_);
  glBufferSubData(GL_TEXTURE_BUFFER, 0, static_cast<GLsizeiptr>(bytes.size()), bytes.data());
  glBindBuffer(GL_TEXTURE_BUFFER, 0);
}

size_t WordBuffer::max_words() {
  GLint words = 0;
  glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &words);
  return static_cast<size_t>(words);
}

}  // namespace tilescope
