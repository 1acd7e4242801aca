// The operands of a texture fetch: tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];
//
// The texture object is a register. The four values may be followed by |p, which says whether the texels were resident.
#include <algorithm>
#include <array>

#include "engine/sim/lower/decode_operands.hpp"

namespace tilescope {
namespace {

struct Geometry {
  std::string_view name;
  TextureSpec::Shape shape;
  size_t coordinates;  // used coordinates; after three of them a fourth is written
};
constexpr std::array<Geometry, 5> kGeometries{{{"1d", TextureSpec::Shape::one, 1},
                                               {"2d", TextureSpec::Shape::two, 2},
                                               {"3d", TextureSpec::Shape::three, 3},
                                               {"a1d", TextureSpec::Shape::layered_one, 2},
                                               {"a2d", TextureSpec::Shape::layered_two, 3}}};

}  // namespace

Result<void> OperandDecoder::texture_fetch() {
  const auto& operands = instruction_->operands;
  const auto parts = parts_of_opcode(instruction_->opcode);
  const Geometry* geometry = nullptr;
  for (const Geometry& one : kGeometries)
    if (std::find(parts.begin(), parts.end(), one.name) != parts.end()) geometry = &one;
  if (geometry == nullptr || operands.size() < 2) return syntax("an operand is missing");
  TextureOperands texture;
  texture.shape = geometry->shape;
  texture.integer_coordinates = parts.back() == "s32";

  const PtxOperand* results = &operands[0];
  if (results->kind == PtxOperand::Kind::pair) {
    auto resident = predicate(results->elements[1]);
    if (!resident) return forward(resident);
    texture.resident = static_cast<uint16_t>(*resident / 2);
    results = &results->elements[0];
  }
  if (results->kind != PtxOperand::Kind::vector || results->elements.size() != texture.results.size())
    return syntax("a vector has the wrong number of elements");
  for (size_t i = 0; i < texture.results.size(); ++i) {
    auto slot = register_slot(results->elements[i], 4, true);
    if (!slot) return forward(slot);
    texture.results[i] = *slot;
  }

  const PtxOperand& place = operands[1];
  if (place.kind != PtxOperand::Kind::address || !place.has_register || place.elements.size() != 1)
    return syntax("an operand should be [texture object, {coordinates}]");
  PtxOperand object;
  object.kind = PtxOperand::Kind::reg;
  object.reg = place.reg;
  auto object_slot = register_slot(object, 8, false);
  if (!object_slot) return forward(object_slot);
  texture.object = *object_slot;
  const PtxOperand& list = place.elements[0];
  const bool is_vector = list.kind == PtxOperand::Kind::vector;
  if ((is_vector ? list.elements.size() : 1) < geometry->coordinates)
    return syntax("a vector has the wrong number of elements");
  for (size_t i = 0; i < geometry->coordinates; ++i) {
    const bool is_layer = i == 0 && geometry->name[0] == 'a';
    auto slot = value_slot(is_vector ? list.elements[i] : list, 4, !is_layer && !texture.integer_coordinates);
    if (!slot) return forward(slot);
    texture.coordinates[i] = *slot;
  }
  if (program_.textures.size() > 0xffff) return syntax("there are too many texture fetches");
  operation_.extra = static_cast<uint16_t>(program_.textures.size());
  program_.textures.push_back(texture);
  operation_.b = parts[parts.size() - 2] == "f32" ? 1 : 0;  // whether floats are requested
  return {};
}

}  // namespace tilescope
