// Texture fetches (PTX ISA 9.0, section 9.7.10.3): tex for one, two and three dimensions, layered, and linear memory.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/state/texture.hpp"

namespace tilescope {
namespace {

using Shape = TextureSpec::Shape;

/// One fetch of one lane.
class Fetch {
 public:
  Fetch(Warp& warp, const Operation* operation, const TextureOperands& operands, size_t lane)
      : warp_(warp), operation_(operation), operands_(operands), lane_(lane) {}

  void run(const LaunchSetup::Texture& bound) {
    const TextureSpec& texture = bound.spec;
    find_texels(texture);
    const Extent* extent = warp_.machine->accesses().extent_at(bound.address);
    std::array<double, 8> weights{1};
    if (texture.linear_filter) weights = corner_weights({axes_[0].weight[1], axes_[1].weight[1], axes_[2].weight[1]});
    std::array<double, 4> sums{};
    std::array<uint32_t, 4> bits{};
    const size_t element = size_of(texture.type);
    for (uint32_t corner = 0; corner < 8; ++corner) {
      uint64_t texel = 0;
      if (weights[corner] == 0 || !find_corner(texture, corner, texel) || extent == nullptr) continue;
      const uint64_t offset = texel * texture.texel_bytes();
      if (bound.address - extent->low + offset + texture.texel_bytes() > extent->bytes()) continue;
      check_written(*extent, bound.address + offset, texture.texel_bytes());
      const uint8_t* data = extent->data + (bound.address - extent->low) + offset;
      for (uint32_t channel = 0; channel < texture.channels; ++channel) {
        if (texture.linear_filter)
          sums[channel] += weights[corner] * value_of(texture.type, data + channel * element);
        else
          bits[channel] = channel_bits(texture, data + channel * element);
      }
    }
    for (uint32_t channel = 0; channel < 4; ++channel) {
      uint32_t value = bits[channel];
      if (texture.linear_filter) value = std::bit_cast<uint32_t>(filtered_value(texture, sums[channel]));
      warp_.destination<uint32_t>(operands_.results[channel])[lane_] = value;
    }
  }

 private:
  /// Coordinates are read before results are written, since they may be in the same registers.
  void find_texels(const TextureSpec& texture) {
    const bool layered = texture.shape == Shape::layered_one || texture.shape == Shape::layered_two;
    const uint32_t extents[] = {texture.extent.x, texture.extent.y, texture.extent.z};
    const size_t dimensions = texture.shape == Shape::two || texture.shape == Shape::layered_two ? 2
                              : texture.shape == Shape::three                                    ? 3
                                                                                                 : 1;
    for (size_t i = 0; i < dimensions; ++i) {
      const uint16_t slot = operands_.coordinates[i + (layered ? 1 : 0)];
      axes_[i] = operands_.integer_coordinates ? texel_at_index(extents[i], warp_.source<int32_t>(slot)[lane_])
                                               : texels_on_axis(texture, extents[i], warp_.source<float>(slot)[lane_]);
    }
    if (layered)
      axes_[dimensions] = layer_at_index(extents[dimensions], warp_.source<uint32_t>(operands_.coordinates[0])[lane_]);
  }

  /// The texel at a corner of the filter's box; false if it is outside.
  bool find_corner(const TextureSpec& texture, uint32_t corner, uint64_t& texel) const {
    const uint64_t strides[] = {1, texture.extent.x, uint64_t{texture.extent.x} * texture.extent.y};
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
      const size_t side = corner >> axis & 1;
      if (axes_[axis].index[side] == TexelsOnAxis::kOutside) return false;
      texel += static_cast<uint64_t>(axes_[axis].index[side]) * strides[axis];
    }
    return true;
  }

  void check_written(const Extent& extent, uint64_t address, size_t bytes) {
    if (extent.written == nullptr) return;
    const uint64_t offset = address - extent.low;
    if (std::memchr(extent.written + offset, 0, bytes) == nullptr) return;
    warp_.machine->findings().report_texel(warp_, operation_, lane_, address, bytes);
  }

  Warp& warp_;
  const Operation* operation_;
  const TextureOperands& operands_;
  size_t lane_;
  std::array<TexelsOnAxis, 3> axes_{};
};

/// Registers hold bits: a value read with the wrong number type would still have the right bits.
Phrase wrong_numbers(const TextureSpec& texture) {
  return texture.gives_floats() ? Phrase("a texture of floats is read as integers")
                                : Phrase("a texture of integers is read as floats");
}

/// Why an instruction cannot read a texture; empty if it can.
Phrase misfit(const TextureOperands& operands, const LaunchSetup::Texture* bound) {
  if (bound == nullptr) return Phrase("a texture is read through a value that is no texture object");
  const Shape shape = bound->spec.shape;
  const bool linear = operands.shape == Shape::one && operands.integer_coordinates;
  if (shape == (linear ? Shape::linear : operands.shape)) return {};
  return phrase("a texture of {} is read as one of {}", Phrase::translatable(name_of(shape)),
                Phrase::translatable(name_of(linear ? Shape::linear : operands.shape)));
}

const Operation* FetchTexture(Warp& warp, const Operation* operation, uint32_t mask) {
  const LaunchSetup& setup = warp.machine->setup();
  const TextureOperands& operands = setup.program->textures[operation->extra];
  std::array<uint64_t, 32> objects;
  std::memcpy(objects.data(), warp.source<uint64_t>(operands.object), sizeof(objects));
  const bool wants_floats = operation->b != 0;
  uint32_t misread = 0;
  Phrase reason;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const LaunchSetup::Texture* bound = nullptr;
    for (size_t i = 0; i < setup.textures.size(); ++i)
      if (objects[lane] == texture_object(i)) bound = &setup.textures[i];
    if (Phrase problem = misfit(operands, bound); !problem.empty()) {
      misread |= 1U << lane;
      reason = std::move(problem);
      for (uint16_t slot : operands.results) warp.destination<uint32_t>(slot)[lane] = 0;
      continue;
    }
    Fetch(warp, operation, operands, lane).run(*bound);
    if (bound->spec.gives_floats() == wants_floats) continue;
    misread |= 1U << lane;
    reason = wrong_numbers(bound->spec);
  }
  if (misread != 0) warp.machine->findings().report_lanes(warp, operation, misread, "bad-texture", reason);
  if (operands.resident != 0) warp.set_predicate(operands.resident, mask, mask);
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> texture_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_TEXTURE
#include "engine/sim/program/isa.def"
#undef ISA_TEXTURE
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
