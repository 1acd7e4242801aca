// --arg tex:TYPE[x2|x4]:WIDTH[xHEIGHT[xDEPTH]]:INIT[:OPTION…]
#include <algorithm>
#include <array>

#include "app/sandbox/form/arguments.hpp"

namespace tilescope {
namespace {

using Shape = TextureSpec::Shape;
using Address = TextureSpec::Address;

constexpr const char* kOptions = "point linear clamp wrap mirror border normalized float layered linear-memory";

constexpr const char* kArgumentTypes = "f32 f16 i8 i16 i32 u8 u16 u32";

/// Largest extents in texels (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 8.0).
constexpr std::array<std::array<int64_t, 3>, 6> kLargest{{{int64_t{1} << 28, 1, 1},
                                                          {131072, 1, 1},
                                                          {131072, 65536, 1},
                                                          {16384, 16384, 16384},
                                                          {32768, 2048, 1},
                                                          {32768, 32768, 2048}}};

/// The requested options, as written.
struct Options {
  bool linear = false, normalized = false, fraction = false, layered = false, linear_memory = false;
  std::optional<Address> address = {};
};

Result<Options> read_options(const std::string& spec, const std::vector<std::string>& words) {
  constexpr auto kAddresses = std::to_array<std::pair<std::string_view, Address>>(
      {{"clamp", Address::clamp}, {"wrap", Address::wrap}, {"mirror", Address::mirror}, {"border", Address::border}});
  Options options;
  for (const std::string& word : words) {
    const auto* named = std::ranges::find(kAddresses, word, &std::pair<std::string_view, Address>::first);
    if (named != kAddresses.end())
      options.address = named->second;
    else if (word == "linear" || word == "point")
      options.linear = word == "linear";
    else if (word == "normalized" || word == "normalised")
      options.normalized = true;
    else if (word == "float")
      options.fraction = true;
    else if (word == "layered")
      options.layered = true;
    else if (word == "linear-memory")
      options.linear_memory = true;
    else
      return fail(ErrorId::bad_argument, spec, phrase("there is no option '{}'; there are {}", word, kOptions));
  }
  return options;
}

/// "f32x4" → f32 and 4.
Result<void> read_texel(const std::string& spec, const std::string& text, TextureSpec& texture) {
  const size_t cross = text.rfind('x');
  const std::string count = cross == std::string::npos ? "1" : text.substr(cross + 1);
  const auto type = dtype_from(text.substr(0, cross));
  constexpr auto kPossible = std::to_array<DType>(
      {DType::f32, DType::f16, DType::i8, DType::i16, DType::i32, DType::u8, DType::u16, DType::u32});
  const bool known = type && std::ranges::find(kPossible, *type) != kPossible.end();
  if (!known || (count != "1" && count != "2" && count != "4"))
    return fail(ErrorId::bad_argument, spec,
                phrase("a texture has no texels of type '{}'; there are {}, alone or with x2 or x4 behind them", text,
                       kArgumentTypes));
  texture.type = *type;
  texture.channels = static_cast<uint32_t>(count[0] - '0');
  return {};
}

Result<void> read_texture_extents(const std::string& spec, const std::vector<int64_t>& extents, const Options& options,
                                  TextureSpec& texture) {
  const size_t count = extents.size();
  if (count > 3) return fail(ErrorId::bad_argument, spec, "a texture has one to three extents, WIDTHxHEIGHTxDEPTH");
  if (options.layered && count < 2)
    return fail(ErrorId::bad_argument, spec,
                "the extents of a layered texture are WIDTHxLAYERS or WIDTHxHEIGHTxLAYERS");
  if (options.linear_memory && (count > 1 || options.layered))
    return fail(ErrorId::bad_argument, spec, "linear-memory has one extent, its number of texels");
  texture.shape = options.linear_memory ? Shape::linear
                  : options.layered     ? (count == 2 ? Shape::layered_one : Shape::layered_two)
                  : count == 1          ? Shape::one
                  : count == 2          ? Shape::two
                                        : Shape::three;
  const auto& largest = kLargest[static_cast<size_t>(texture.shape)];
  std::string limits;
  for (size_t i = 0; i < count; ++i) limits += (i == 0 ? "" : "x") + std::to_string(largest[i]);
  for (size_t i = 0; i < count; ++i)
    if (extents[i] > largest[i])
      return fail(ErrorId::bad_argument, spec, phrase("the largest extents of such a texture are {}", limits));
  const auto extent = [&](size_t i) { return i < count ? static_cast<uint32_t>(extents[i]) : 1U; };
  texture.extent = {extent(0), extent(1), extent(2)};
  return {};
}

/// Checks that CUDA accepts the combination.
Result<void> check_options(const std::string& spec, const Options& options, const TextureSpec& texture) {
  const bool floats = texture.type == DType::f32 || texture.type == DType::f16;
  if (options.fraction && (floats || size_of(texture.type) == 4))
    return fail(ErrorId::bad_argument, spec,
                "float (cudaReadModeNormalizedFloat) is for texels of i8, u8, i16 and u16; leave it out");
  if (texture.shape == Shape::linear && (options.linear || options.normalized || options.address))
    return fail(ErrorId::bad_argument, spec,
                "linear-memory is read by index: filter, addressing and normalized coordinates do not apply to it");
  if (options.linear && !texture.gives_floats())
    return fail(ErrorId::bad_argument, spec,
                "linear filtering needs texels that are read as floats: f32, f16, or i8 to u16 with the option float");
  const bool repeats = options.address == Address::wrap || options.address == Address::mirror;
  if (repeats && !options.normalized)
    return fail(
        ErrorId::bad_argument, spec,
        "wrap and mirror need normalized coordinates, without which CUDA clamps; add :normalized, or use clamp");
  return {};
}

}  // namespace

Result<ParsedTexture> parse_texture(const std::string& spec, const NameLookup& names) {
  const auto parts = split(spec, ':', spec.size());
  if (parts.size() < 4)
    return fail(ErrorId::bad_argument, spec,
                "a texture object is tex:TYPE[x2|x4]:WIDTH[xHEIGHT[xDEPTH]]:INIT[:OPTION…]");
  ParsedTexture parsed;
  TextureSpec& texture = parsed.texture;
  if (auto read = read_texel(spec, parts[1], texture); !read) return tl::unexpected<Error>(read.error());
  const auto options = read_options(spec, {parts.begin() + 4, parts.end()});
  if (!options) return tl::unexpected<Error>(options.error());
  auto texels = parse_contents(spec, std::string(name_of(texture.type)), parts[2], parts[3], names);
  if (!texels) return tl::unexpected<Error>(texels.error());
  if (auto read = read_texture_extents(spec, texels->shape, *options, texture); !read)
    return tl::unexpected<Error>(read.error());
  texture.linear_filter = options->linear;
  texture.normalized = options->normalized;
  texture.normalized_float = options->fraction;
  texture.address = options->address.value_or(Address::clamp);
  if (auto checked = check_options(spec, *options, texture); !checked) return tl::unexpected<Error>(checked.error());
  parsed.texels = std::move(*texels);
  std::ranges::reverse(parsed.texels.shape);
  if (texture.channels > 1) parsed.texels.shape.push_back(texture.channels);
  parsed.texels.role = Role::input;
  return parsed;
}

}  // namespace tilescope
