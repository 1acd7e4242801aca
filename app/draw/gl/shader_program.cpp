#include "app/draw/gl/shader_program.hpp"

#include <utility>

#include "engine/text_file.hpp"

namespace tilescope {
namespace {

/// A shader object that is deleted when it goes out of scope; a linked program keeps what it needs.
class Shader {
 public:
  explicit Shader(GLenum stage) : id_(glCreateShader(stage)) {}
  ~Shader() { glDeleteShader(id_); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;
  GLuint id() const { return id_; }

 private:
  GLuint id_;
};

std::string without_newlines(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

std::string shader_log(GLuint shader) {
  GLint length = 0;
  glGetShaderiv(shader, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<size_t>(length), '\0');
  glGetShaderInfoLog(shader, length, nullptr, log.data());
  return without_newlines(std::move(log));
}

std::string program_log(GLuint program) {
  GLint length = 0;
  glGetProgramiv(program, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<size_t>(length), '\0');
  glGetProgramInfoLog(program, length, nullptr, log.data());
  return without_newlines(std::move(log));
}

Result<void> compile_shader(const Shader& shader, const ShaderProgram::Source& source) {
  const char* text = source.text.c_str();
  glShaderSource(shader.id(), 1, &text, nullptr);
  glCompileShader(shader.id());
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &compiled);
  if (compiled != GL_TRUE)
    return fail(ErrorId::gl_failed, phrase("{} does not compile: {}", source.name, shader_log(shader.id())));
  return {};
}

Result<ShaderProgram::Source> read_shader(const std::filesystem::path& folder, std::string_view name) {
  auto text = read_text(folder / name);
  if (!text) return fail(ErrorId::asset_missing, name, folder.string());
  return ShaderProgram::Source{std::string(name), std::move(*text)};
}

}  // namespace

Result<ShaderProgram> ShaderProgram::compile(const Source& vertex, const Source& fragment) {
  const Shader vertex_shader(GL_VERTEX_SHADER), fragment_shader(GL_FRAGMENT_SHADER);
  if (auto done = compile_shader(vertex_shader, vertex); !done) return tl::unexpected(done.error());
  if (auto done = compile_shader(fragment_shader, fragment); !done) return tl::unexpected(done.error());
  ShaderProgram program(glCreateProgram());
  glAttachShader(program.id_, vertex_shader.id());
  glAttachShader(program.id_, fragment_shader.id());
  glLinkProgram(program.id_);
  GLint linked = GL_FALSE;
  glGetProgramiv(program.id_, GL_LINK_STATUS, &linked);
  if (linked != GL_TRUE)
    return fail(ErrorId::gl_failed,
                phrase("{} and {} do not link: {}", vertex.name, fragment.name, program_log(program.id_)));
  return program;
}

Result<ShaderProgram> ShaderProgram::load(const std::filesystem::path& folder, std::string_view vertex,
                                          std::string_view fragment) {
  auto vertex_source = read_shader(folder, vertex);
  if (!vertex_source) return tl::unexpected(vertex_source.error());
  auto fragment_source = read_shader(folder, fragment);
  if (!fragment_source) return tl::unexpected(fragment_source.error());
  return compile(*vertex_source, *fragment_source);
}

ShaderProgram::ShaderProgram(ShaderProgram&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
ShaderProgram& ShaderProgram::operator=(ShaderProgram&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}
ShaderProgram::~ShaderProgram() {
  if (id_ != 0) glDeleteProgram(id_);
}

}  // namespace tilescope
