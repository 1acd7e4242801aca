// How a texture is read: the texels that a coordinate selects, their weights, and the conversion of a texel's bytes to
// values (CUDA C++ Programming Guide, "Texture Fetching").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/texture.hpp"

namespace tilescope {

/// The texels that one fetch reads along one axis: one, or two neighbours.
struct TexelsOnAxis {
  static constexpr int64_t kOutside = -1;  // here every channel is 0
  std::array<int64_t, 2> index{};
  std::array<double, 2> weight{1, 0};  // for a linear filter multiples of 1/256; they add up to 1
};

/// The texels along an axis of `extent` texels for a coordinate as the texture object defines it.
TexelsOnAxis texels_on_axis(const TextureSpec& texture, uint32_t extent, float coordinate);
/// The texel with this index, as in tex1Dfetch.
TexelsOnAxis texel_at_index(uint32_t extent, int64_t index);
/// The layer index is clamped.
TexelsOnAxis layer_at_index(uint32_t layers, int64_t layer);

/// The weights of the eight corners of a linear filter's box; bit i of a corner says whether it is the second texel
/// along axis i. They are multiples of 1/256 that add up to 1; `second` has the weights of the second texels along the
/// axes.
std::array<double, 8> corner_weights(const std::array<double, 3>& second);
/// The result of a linear filter from the weighted sum: halves are rounded to halves, and fractions of
/// cudaReadModeNormalizedFloat to 16 bits.
float filtered_value(const TextureSpec& texture, double sum);
/// The register value of a channel without filtering.
uint32_t channel_bits(const TextureSpec& texture, const uint8_t* channel);

}  // namespace tilescope
