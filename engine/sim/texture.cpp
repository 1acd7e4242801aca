#include "engine/sim/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilescope {
namespace {

using Address = TextureSpec::Address;

/// Weights are kept in 9 bits, 8 of them a fraction, so that 1 is exact.
constexpr double kWeightSteps = 256;
/// Beyond it a float has no fraction.
constexpr double kFarthest = 1e9;

template <class T>
T read(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? std::numeric_limits<double>::infinity()
                                  : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31 && fraction != 0) value = std::numeric_limits<double>::quiet_NaN();
  return (bits & 0x8000) != 0 ? -value : value;
}

/// The texel that an index beyond the extent means, by the address mode.
int64_t address_index(Address mode, int64_t extent, int64_t index) {
  if (index >= 0 && index < extent) return index;
  switch (mode) {
    case Address::wrap:
      return (index % extent + extent) % extent;
    case Address::border:
      return TexelsOnAxis::kOutside;
    default:  // a mirrored coordinate is inside, and at the edges its neighbour is the same texel
      return index < 0 ? 0 : extent - 1;
  }
}

/// Every other repetition runs backwards.
double mirrored(double coordinate) {
  const double repetition = std::floor(coordinate), fraction = coordinate - repetition;
  return std::fmod(repetition, 2) == 0 ? fraction : 1 - fraction;
}

/// 1 is the largest positive number; the smallest negative one is -1 too.
template <class T>
double fraction_of(T value) {
  return std::max(-1.0, static_cast<double>(value) / static_cast<double>(std::numeric_limits<T>::max()));
}

}  // namespace

TexelsOnAxis texels_on_axis(const TextureSpec& texture, uint32_t extent, float coordinate) {
  double place = std::isnan(coordinate) ? 0.0 : std::clamp(double{coordinate}, -kFarthest, kFarthest);
  if (texture.normalized && texture.address == Address::mirror) place = mirrored(place);
  if (texture.normalized) place *= extent;
  TexelsOnAxis texels;
  if (!texture.linear_filter) {
    texels.index[0] = address_index(texture.address, extent, static_cast<int64_t>(std::floor(place)));
    return texels;
  }
  // A texel's value is that of its centre.
  const double steps = std::floor((place - 0.5) * kWeightSteps + 0.5);
  const double first = std::floor(steps / kWeightSteps);
  for (size_t i = 0; i < 2; ++i)
    texels.index[i] = address_index(texture.address, extent, static_cast<int64_t>(first) + static_cast<int64_t>(i));
  texels.weight[1] = steps / kWeightSteps - first;
  texels.weight[0] = 1 - texels.weight[1];
  return texels;
}

TexelsOnAxis texel_at_index(uint32_t extent, int64_t index) {
  TexelsOnAxis texel;
  texel.index[0] = address_index(Address::border, extent, index);
  return texel;
}

TexelsOnAxis layer_at_index(uint32_t layers, int64_t layer) {
  TexelsOnAxis texel;
  texel.index[0] = address_index(Address::clamp, layers, layer);
  return texel;
}

double channel_value(const TextureSpec& texture, const uint8_t* channel) {
  const bool fraction = texture.normalized_float;
  switch (texture.type) {
    case DType::f32:
      return double{read<float>(channel)};
    case DType::f16:
      return half_value(read<uint16_t>(channel));
    case DType::u8:
      return fraction ? fraction_of(*channel) : *channel;
    case DType::i8:
      return fraction ? fraction_of(read<int8_t>(channel)) : read<int8_t>(channel);
    case DType::u16:
      return fraction ? fraction_of(read<uint16_t>(channel)) : read<uint16_t>(channel);
    case DType::i16:
      return fraction ? fraction_of(read<int16_t>(channel)) : read<int16_t>(channel);
    case DType::u32:
      return read<uint32_t>(channel);
    default:
      return read<int32_t>(channel);
  }
}

uint32_t channel_bits(const TextureSpec& texture, const uint8_t* channel) {
  if (size_of(texture.type) == 4) return read<uint32_t>(channel);  // also of a float that is no number
  const double value = channel_value(texture, channel);
  if (texture.gives_floats()) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

uint32_t missing_channel_bits(const TextureSpec& texture, uint32_t channel) {
  if (channel < 3) return 0;
  return texture.gives_floats() ? std::bit_cast<uint32_t>(1.0F) : 1;
}

}  // namespace tilescope
