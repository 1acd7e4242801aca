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

/// The value of a channel, `channel` being its bytes: the number, or with cudaReadModeNormalizedFloat the fraction.
double channel_value(const TextureSpec& texture, const uint8_t* channel);
/// What a register gets of a channel that is not filtered.
uint32_t channel_bits(const TextureSpec& texture, const uint8_t* channel);
/// What it gets of the channels that the texels do not have: 0, and 1 of the fourth.
uint32_t missing_channel_bits(const TextureSpec& texture, uint32_t channel);

}  // namespace tilescope
