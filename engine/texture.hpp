// A texture object: the result of cudaCreateTextureObject for a resource and a description of how to read it.
//
// Its texels are those of a buffer of the plan. The channels of a texel are contiguous, then x, y, and z or the layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/types.hpp"

namespace tilescope {

struct TextureSpec {
  /// linear: memory that tex1Dfetch reads; the others are CUDA arrays.
  enum class Shape : uint8_t { linear, one, two, three, layered_one, layered_two };
  enum class Address : uint8_t { wrap, clamp, mirror, border };

  size_t buffer = 0;  // index into Plan::buffers
  Shape shape = Shape::two;
  DType type = DType::f32;  // type of a channel: f32, f16 or an integer of at most 32 bits
  uint32_t channels = 1;    // 1, 2 or 4
  Dim3 extent = {};         // width, height, depth in texels; layers are in y for layered_one, in z for layered_two
  bool linear_filter = false;
  bool normalized = false;        // coordinates are fractions of the extents
  bool normalized_float = false;  // cudaReadModeNormalizedFloat
  Address address = Address::clamp;

  size_t texel_bytes() const { return channels * size_of(type); }
  /// Whether a fetch returns floats; otherwise integers.
  bool gives_floats() const { return normalized_float || type == DType::f32 || type == DType::f16; }
  bool operator==(const TextureSpec&) const = default;
};

/// "linear memory", "1 dimension", "2 dimensions", "layers of 1 dimension", …
constexpr std::string_view name_of(TextureSpec::Shape shape) {
  switch (shape) {
    case TextureSpec::Shape::linear:
      return "linear memory";
    case TextureSpec::Shape::one:
      return "1 dimension";
    case TextureSpec::Shape::two:
      return "2 dimensions";
    case TextureSpec::Shape::three:
      return "3 dimensions";
    case TextureSpec::Shape::layered_one:
      return "layers of 1 dimension";
    case TextureSpec::Shape::layered_two:
      return "layers of 2 dimensions";
  }
  return "";
}

}  // namespace tilescope
