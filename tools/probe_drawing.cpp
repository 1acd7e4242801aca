#include "tools/probe_drawing.hpp"

#include <epoxy/gl.h>
#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "app/draw/gl/framebuffer.hpp"
#include "app/draw/gl/shader_program.hpp"
#include "app/draw/gl/texture.hpp"

namespace tilescope {
namespace {

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

uint32_t next_seed() {
  static uint32_t seed = 0;
  return ++seed;
}

/// No two calls give the same words; none is 0, the value that a lost drawing leaves.
std::vector<uint32_t> random_words(size_t count) {
  const uint32_t seed = next_seed();
  std::vector<uint32_t> words(count);
  for (size_t i = 0; i < count; ++i) {
    uint32_t word = (static_cast<uint32_t>(i) + 1) * 0x9e3779b9U ^ (seed * 0x85ebca6bU);
    word = (word ^ (word >> 15)) * 0xc2b2ae35U;
    words[i] = word | 1U;
  }
  return words;
}

constexpr const char* kVertex = R"(#version 330 core
void main() {
  gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0);
})";
constexpr const char* kFromTexture = R"(#version 330 core
uniform sampler2D source;
out vec4 colour;
void main() { colour = texelFetch(source, ivec2(gl_FragCoord.xy), 0); })";
constexpr const char* kFromBuffer = R"(#version 330 core
uniform usamplerBuffer source;
uniform int row_length;
out vec4 colour;
void main() {
  uint word = texelFetch(source, int(gl_FragCoord.x) + row_length * int(gl_FragCoord.y)).r;
  colour = vec4(float(word & 255u), float((word >> 8) & 255u), float((word >> 16) & 255u), float(word >> 24)) / 255.0;
})";

PixelCount compare(const std::vector<ImU32>& got, const std::vector<uint32_t>& wanted) {
  PixelCount count{.all = wanted.size()};
  for (size_t i = 0; i < wanted.size(); ++i) {
    count.wrong += got[i] != wanted[i] ? 1 : 0;
    count.blank += got[i] == 0 ? 1 : 0;
  }
  return count;
}

/// Draws a square from a texture, and compares its pixels.
void draw_and_compare(ProbeLine& line, GLenum kind, GLuint texture, const std::vector<uint32_t>& wanted) {
  const auto side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(wanted.size()))));
  line.part("compile");
  auto program = ShaderProgram::compile({"probe.vert", kVertex},
                                        {"probe.frag", kind == GL_TEXTURE_2D ? kFromTexture : kFromBuffer});
  if (!program) return line.result(program.error().message);
  Framebuffer target;
  target.resize(side, side);
  GLuint vertices = 0;
  glGenVertexArrays(1, &vertices);
  line.part("draw");
  {
    const Framebuffer::Drawing drawing(target);
    constexpr float kNothing[4] = {0, 0, 0, 0};
    glClearBufferfv(GL_COLOR, 0, kNothing);
    program->use();
    glUniform1i(program->uniform("source"), 0);
    glUniform1i(program->uniform("row_length"), side);
    glBindVertexArray(vertices);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(kind, texture);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindTexture(kind, 0);
  }
  line.part("finish");
  glFinish();
  line.part("read");
  const PixelCount first = compare(target.read(), wanted);
  std::string text = first.text();
  if (first.wrong > 0) {
    line.part("read again");
    text += ", read again: " + compare(target.read(), wanted).text();
  }
  line.part("delete");
  glDeleteVertexArrays(1, &vertices);
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) text += fmt::format(", OpenGL's error {:x}", error);
  line.result(text);
}

}  // namespace

ProbeLine::ProbeLine(const std::string& what) { fmt::print("  {:<22}", what); }

ProbeLine::~ProbeLine() {
  finish_part();
  fmt::print(" = {:.1f} ms  {}\n", milliseconds(Clock::now() - start_), result_);
  std::fflush(stdout);
}

void ProbeLine::finish_part() {
  if (in_part_) fmt::print(" {:.1f};", milliseconds(Clock::now() - part_start_));
  in_part_ = false;
}

void ProbeLine::part(const std::string& name) {
  finish_part();
  fmt::print(" {}", name);
  std::fflush(stdout);
  in_part_ = true;
  part_start_ = Clock::now();
}

void ProbeLine::result(const std::string& text) { result_ = text; }

std::string PixelCount::text() const {
  if (wrong == 0) return "RIGHT";
  if (blank == all) return "BLANK";
  return fmt::format("WRONG: {} of {} pixels, {} blank", wrong, all, blank);
}

void draw_texture(ProbeLine& line) {
  constexpr int kSide = 256;
  const auto words = random_words(size_t{kSide} * kSide);
  line.part("texture");
  Texture texture;
  texture.upload(kSide, kSide, words);
  line.part("finish");
  glFinish();
  draw_and_compare(line, GL_TEXTURE_2D, texture.name(), words);
}

void draw_buffer(ProbeLine& line, size_t bytes) {
  const auto words = random_words(bytes / sizeof(uint32_t));
  line.part("storage");
  WordBuffer buffer;
  buffer.reserve(bytes);
  line.part("fill");
  buffer.write(std::as_bytes(std::span(words)));
  line.part("finish");
  glFinish();
  draw_and_compare(line, GL_TEXTURE_BUFFER, buffer.texture(), words);
}

}  // namespace tilescope
