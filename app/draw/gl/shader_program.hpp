// A GLSL program, compiled from shaders/*.glsl.
//
//     auto program = ShaderProgram::load(root / "shaders", "heat_map.vert.glsl", "heat_map.frag.glsl");
//     if (!program) …  program.error().message names the file and contains the compiler's own text
//     program->use();
//     glUniform1i(program->uniform("count"), count);
#pragma once

#include <epoxy/gl.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/result.hpp"

namespace tilescope {

class ShaderProgram {
 public:
  /// Needs a current OpenGL context.
  static Result<ShaderProgram> load(const std::filesystem::path& folder, std::string_view vertex,
                                    std::string_view fragment);
  struct Source {
    std::string name, text;  // the name appears in messages
  };
  static Result<ShaderProgram> compile(const Source& vertex, const Source& fragment);

  ShaderProgram(ShaderProgram&& other) noexcept;
  ShaderProgram& operator=(ShaderProgram&& other) noexcept;
  ~ShaderProgram();

  void use() const { glUseProgram(id_); }
  /// −1 for a name that the shaders do not use; OpenGL then ignores setting it.
  GLint uniform(const char* name) const { return glGetUniformLocation(id_, name); }

 private:
  explicit ShaderProgram(GLuint id) : id_(id) {}
  GLuint id_ = 0;
};

}  // namespace tilescope
