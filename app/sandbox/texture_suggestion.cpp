#include "app/sandbox/texture_suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

struct TextureFunction {
  std::string_view name, extents, options;
};
/// A longer name stands before its beginning: tex2DLayered before tex2D.
constexpr std::array<TextureFunction, 6> kFunctions{{{"tex1Dfetch", "n", ":linear-memory"},
                                                     {"tex1DLayered", "64x4", ":layered"},
                                                     {"tex2DLayered", "64x64x4", ":layered"},
                                                     {"tex1D", "64", ""},
                                                     {"tex2D", "64x64", ""},
                                                     {"tex3D", "16x16x16", ""}}};

const TextureFunction* function_named(std::string_view word) {
  for (const TextureFunction& one : kFunctions)
    if (word.starts_with(one.name)) return &one;
  return nullptr;
}

/// "float4" → "f32x4".
std::string texel_text(const std::string& type, const TypeNames& types) {
  const ParameterType value = read_parameter(type + " value", types);
  if (value.kind != ParameterType::Kind::scalar || size_of(value.type) > 4 || value.type == DType::bf16) return "f32";
  const std::string name(name_of(value.type));
  return value.components > 1 ? fmt::format("{}x{}", name, value.components == 2 ? 2 : 4) : name;
}

}  // namespace

bool is_texture_object(const ParameterType& parameter) {
  return parameter.kind == ParameterType::Kind::unknown &&
         (parameter.declared.find("cudaTextureObject_t") != std::string::npos ||
          parameter.declared.find("CUtexObject") != std::string::npos);
}

std::string suggest_texture(const SourceKernel& kernel, const std::string& name, const TypeNames& types) {
  const std::string last = name.substr(name.rfind('.') + 1);
  const auto& body = kernel.body;
  for (size_t i = 0; i < body.size(); ++i) {
    const TextureFunction* function = function_named(body[i].text);
    if (function == nullptr || body[i].kind != SourceToken::Kind::name) continue;
    std::string type;
    size_t next = i + 1;
    if (next < body.size() && body[next].is("<"))
      for (++next; next < body.size() && !body[next].is(">"); ++next) type += std::string(body[next].text) + " ";
    // The texture is the first argument, or the second behind where the value goes.
    const size_t end = std::min(next + 8, body.size());
    const bool reads = std::any_of(body.begin() + static_cast<ptrdiff_t>(std::min(next, end)),
                                   body.begin() + static_cast<ptrdiff_t>(end),
                                   [&](const SourceToken& token) { return token.is(last); });
    if (reads) return fmt::format("tex:{}:{}:uniform{}", texel_text(type, types), function->extents, function->options);
  }
  return "tex:f32:64x64:uniform";
}

}  // namespace tilescope
