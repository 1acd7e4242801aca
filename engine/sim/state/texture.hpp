// How a texture is read: which texels a coordinate means, with which weights, and what a texel's bytes are as values
// (CUDA C++ Programming Guide, "Texture Fetching").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/texture.hpp"

namespace tilescope {

/// The texels that one fetch takes along one axis: one, or two neighbours.
struct TexelsOnAxis {
  static constexpr int64_t kOutside = -1;  // where every channel is 0
  std::array<int64_t, 2> index{};
  std::array<double, 2> weight{1, 0};  // of a linear filter multiples of 1/256; they add up to 1
};

/// Along an axis of `extent` texels, by a coordinate as the texture object takes it.
TexelsOnAxis texels_on_axis(const TextureSpec& texture, uint32_t extent, float coordinate);
/// By the index of a texel, as tex1Dfetch takes it.
TexelsOnAxis texel_at_index(uint32_t extent, int64_t index);
/// Layers are clamped.
TexelsOnAxis layer_at_index(uint32_t layers, int64_t layer);

/// The weights of the eight corners of a linear filter's box, whose bit i says whether it is the second texel along
/// axis i. They are multiples of 1/256 that add up to 1; `second` are the weights of the second texels along the axes.
std::array<double, 8> corner_weights(const std::array<double, 3>& second);
/// What a linear filter gives for the sum of weighted numbers: halves are rounded to halves, and the fractions of
/// cudaReadModeNormalizedFloat to 16 bits.
float filtered_value(const TextureSpec& texture, double sum);
/// What a register gets of a channel that is not filtered.
uint32_t channel_bits(const TextureSpec& texture, const uint8_t* channel);

}  // namespace tilescope
