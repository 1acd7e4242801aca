#include "engine/sim/state/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/sim/program/formats.hpp"

namespace tilescope {
namespace {

using Address = TextureSpec::Address;

/// Weights have 9 bits, 8 of them a fraction, so that 1 is exact.
constexpr double kWeightSteps = 256;
/// Larger floats have no fraction.
constexpr double kFarthestTexel = 1e9;

template <class T>
T read(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// The texel for an index beyond the extent, by the address mode.
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

/// Texels are mirrored, not coordinates: at a boundary between two texels the previous one in the direction of the
/// repetition.
TexelsOnAxis mirrored_texel(uint32_t extent, double coordinate) {
  const auto index = static_cast<int64_t>(std::floor(coordinate * extent)), both = 2 * int64_t{extent};
  const int64_t inside = (index % both + both) % both;
  TexelsOnAxis texel;
  texel.index[0] = inside < extent ? inside : both - 1 - inside;
  return texel;
}

/// The value that cudaReadModeNormalizedFloat maps to 1.
double largest_of(DType type) {
  switch (type) {
    case DType::u8:
      return std::numeric_limits<uint8_t>::max();
    case DType::i8:
      return std::numeric_limits<int8_t>::max();
    case DType::u16:
      return std::numeric_limits<uint16_t>::max();
    default:
      return std::numeric_limits<int16_t>::max();
  }
}

}  // namespace

TexelsOnAxis texels_on_axis(const TextureSpec& texture, uint32_t extent, float coordinate) {
  double place = std::isnan(coordinate) ? 0.0 : std::clamp(double{coordinate}, -kFarthestTexel, kFarthestTexel);
  if (texture.normalized && texture.address == Address::mirror) {
    if (!texture.linear_filter) return mirrored_texel(extent, place);
    place = mirrored(place);
  }
  if (texture.normalized) place *= extent;
  TexelsOnAxis texels;
  if (!texture.linear_filter) {
    texels.index[0] = address_index(texture.address, extent, static_cast<int64_t>(std::floor(place)));
    return texels;
  }
  // A texel's value is that at its centre.
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

/// Computed as on an H200: one product is rounded, and the others follow from the sums along the axes. For three axes,
/// some weights of the hardware differ by 1/256.
std::array<double, 8> corner_weights(const std::array<double, 3>& second) {
  const auto product = [](double a, double b) { return std::floor(a * b / kWeightSteps + 0.5); };
  const double x = second[0] * kWeightSteps, y = second[1] * kWeightSteps, z = second[2] * kWeightSteps;
  const double xy = product(x, y), xz = product(x, z), yz = product(y, z), xyz = product(yz, x);
  const double only_x = x - xy - xz + xyz, only_y = y - xy - yz + xyz, only_z = z - xz - yz + xyz;
  const double none = kWeightSteps - x - only_y - only_z - (yz - xyz);
  std::array<double, 8> weights{none, only_x, only_y, xy - xyz, only_z, xz - xyz, yz - xyz, xyz};
  for (double& weight : weights) weight /= kWeightSteps;
  return weights;
}

float filtered_value(const TextureSpec& texture, double sum) {
  constexpr double kUnsignedSteps = 65535, kSignedSteps = 32767;
  if (texture.type == DType::f16) return widen(narrow(sum, kFormat16, Rounding::nearest_away), kFormat16);
  if (!texture.normalized_float) return static_cast<float>(sum);
  const bool is_signed = texture.type == DType::i8 || texture.type == DType::i16;
  const double steps = is_signed ? kSignedSteps : kUnsignedSteps;
  return static_cast<float>(std::max(-1.0, std::floor(sum / largest_of(texture.type) * steps + 0.5) / steps));
}

uint32_t channel_bits(const TextureSpec& texture, const uint8_t* channel) {
  if (size_of(texture.type) == 4) return read<uint32_t>(channel);  // also for a NaN
  double value = value_of(texture.type, channel);
  if (texture.normalized_float) value = std::max(-1.0, value / largest_of(texture.type));
  if (texture.gives_floats()) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

}  // namespace tilescope
