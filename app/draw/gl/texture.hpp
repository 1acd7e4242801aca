// Textures: a picture made on the CPU, and a buffer that shaders read word by word.
//
//     Texture picture;                                   // needs a current OpenGL context
//     picture.upload(width, height, pixels);             // RGBA, 8 bits each, top row first
//     list->AddImage(picture.id(), low, high);
#pragma once

#include <epoxy/gl.h>
#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tilescope {

/// Drawn by ImGui as hard-edged pixels (no smoothing): one texel is one cell.
class Texture {
 public:
  Texture();
  ~Texture();
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  /// pixels: width · height ImU32 colours in IM_COL32 format.
  void upload(int width, int height, std::span<const ImU32> pixels);
  /// Allocates storage only, for a framebuffer.
  void resize(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  GLuint name() const { return name_; }
  /// For ImGui::Image and ImDrawList::AddImage.
  ImTextureID id() const { return (ImTextureID)(intptr_t)name_; }

 private:
  GLuint name_ = 0;
  int width_ = 0, height_ = 0;
};

/// A GL buffer that shaders read as 32-bit words through a buffer texture (usamplerBuffer), whatever the element type.
class WordBuffer {
 public:
  WordBuffer();
  ~WordBuffer();
  WordBuffer(const WordBuffer&) = delete;
  WordBuffer& operator=(const WordBuffer&) = delete;

  /// Reserves at least this many bytes, rounded up to a word. Returns true for new storage, whose contents are
  /// undefined.
  bool reserve(size_t bytes);
  /// Frees the memory; its contents are lost.
  void shrink() { allocate(sizeof(uint32_t)); }
  /// Replaces the first bytes; reserve() first.
  void write(std::span<const std::byte> bytes);

  /// Creates a new, empty buffer and texture, and hands the old ones to the caller unchanged.
  struct Names {
    GLuint buffer = 0, texture = 0;
  };
  Names renew();

  GLuint buffer() const { return buffer_; }
  GLuint texture() const { return texture_; }
  size_t capacity() const { return capacity_; }
  /// The maximum number of words that a shader can address.
  static size_t max_words();

 private:
  void allocate(size_t bytes);

  GLuint buffer_ = 0, texture_ = 0;
  size_t capacity_ = 0;
};

}  // namespace tilescope
