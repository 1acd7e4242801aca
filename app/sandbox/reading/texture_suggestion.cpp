#include "app/sandbox/reading/texture_suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace tilescope {
namespace {

struct TextureFunction {
  std::string_view name, extents, options;
};
/// A longer name precedes its prefix: tex2DLayered before tex2D.
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

/// The texture that the first read of `name` among the tokens requires; of any name, if it is empty.
std::optional<std::string> find_read(std::span<const SourceToken> tokens, const std::string& name,
                                     const TypeNames& types) {
  constexpr size_t kFarthest = 8;  // the texture is the first argument, or the second after the result
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != SourceToken::Kind::name) continue;
    const TextureFunction* function = function_named(tokens[i].text);
    if (function == nullptr) continue;
    std::string type;
    size_t next = i + 1;
    if (next < tokens.size() && tokens[next].is("<"))
      for (++next; next < tokens.size() && !tokens[next].is(">"); ++next) type += std::string(tokens[next].text) + " ";
    next = std::min(next, tokens.size());
    const auto arguments = tokens.subspan(next, std::min(kFarthest, tokens.size() - next));
    const bool reads = std::ranges::any_of(arguments, [&](const SourceToken& token) { return token.is(name); });
    if (reads || name.empty())
      return fmt::format("tex:{}:{}:uniform{}", texel_text(type, types), function->extents, function->options);
  }
  return std::nullopt;
}

}  // namespace

std::string suggest_texture(const SourceKernel& kernel, const std::string& name, const SourceFacts& facts) {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (auto found = find_read(kernel.body, last, facts.types)) return *found;
  const std::vector<SourceToken> all = source_tokens(facts.text != nullptr ? *facts.text : std::string_view());
  if (auto found = find_read(all, last, facts.types)) return *found;
  return find_read(all, "", facts.types).value_or("tex:f32:64x64:uniform");
}

}  // namespace tilescope
