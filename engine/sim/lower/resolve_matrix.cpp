#include "engine/sim/lower/resolve_matrix.hpp"

#include <string>

namespace tilescope {
namespace {

/// The opcode without its state space, which is stored in `resolved`.
std::string without_space(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  std::string rest(parts[0]);
  resolved.is_generic = true;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (names_shared_memory(parts[i]) || parts[i] == "global") {
      resolved.space = parts[i] == "global" ? Space::global : Space::shared;
      resolved.is_generic = false;
    } else {
      rest.append(".").append(parts[i]);
    }
  }
  return rest;
}

/// ldmatrix and stmatrix: each lane's address is that of a row of 16 bytes.
void resolve_rows(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  constexpr uint32_t kRowBytes = 16;
  resolved.row = find_isa_row(without_space(parts, resolved));
  if (resolved.row == nullptr) return;
  for (std::string_view part : parts)
    if (part == "x1" || part == "x2" || part == "x4") resolved.elements = static_cast<uint32_t>(part[1] - '0');
  resolved.space = Space::shared;  // a generic address must refer to it too
  resolved.is_memory = true;
  resolved.is_matrix = true;
  resolved.kind = parts[0] == "ldmatrix" ? AccessKind::load : AccessKind::store;
  resolved.register_bytes = 4;
  resolved.type.bytes = kRowBytes / resolved.elements;
}

/// Bits per element of a matrix, or 0.
uint32_t element_bits(std::string_view type) {
  if (type == "f64") return 64;
  if (type == "f32" || type == "tf32" || type == "s32") return 32;
  if (type == "f16" || type == "bf16") return 16;
  if (type == "s8" || type == "u8") return 8;
  if (type == "s4" || type == "u4") return 4;
  return type == "b1" ? 1 : 0;
}

/// The number after a letter of "m16n8k16".
uint32_t extent_of(std::string_view shape, char letter) {
  uint32_t extent = 0;
  for (size_t i = shape.find(letter) + 1; i < shape.size() && shape[i] >= '0' && shape[i] <= '9'; ++i)
    extent = extent * 10 + static_cast<uint32_t>(shape[i] - '0');
  return extent;
}

/// wmma.load.a.sync.aligned.row.m16n16k16.shared.f16
void resolve_fragment(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  if (parts.size() < 8) return;
  std::string_view layout, shape, type;
  for (std::string_view part : parts) {
    if (part == "row" || part == "col") layout = part;
    if (part.starts_with('m') && extent_of(part, 'm') != 0) shape = part;
    if (element_bits(part) != 0) type = part;
  }
  const std::string_view role = parts[2];
  const uint32_t bits = element_bits(type);
  const uint32_t m = extent_of(shape, 'm'), n = extent_of(shape, 'n'), k = extent_of(shape, 'k');
  if (bits == 0 || m == 0 || n == 0 || k == 0 || (layout != "row" && layout != "col")) return;
  (void)without_space(parts, resolved);
  FragmentShape& fragment = resolved.fragment;
  fragment.element_bits = static_cast<uint8_t>(bits);
  fragment.register_bytes = bits == 64 ? 8 : 4;
  const bool is_operand = role == "a" || role == "b";
  fragment.role = role == "a"   ? FragmentShape::Role::a
                  : role == "b" ? FragmentShape::Role::b
                                : FragmentShape::Role::accumulator;
  // Contiguous elements per lane: those that fill a register of an operand, or two columns of an accumulator.
  const uint32_t side_by_side = is_operand ? fragment.register_bytes * 8U / bits : 2;
  const uint32_t rows = role == "b" ? n : m, columns = is_operand ? k : n;
  if (rows % 8 != 0 || columns % (4 * side_by_side) != 0 || rows > 32 || columns / (4 * side_by_side) > 4) return;
  fragment.parts = static_cast<uint8_t>(side_by_side);
  fragment.bands = static_cast<uint8_t>(rows / 8);
  fragment.depth = static_cast<uint8_t>(columns / (4 * side_by_side));
  fragment.contiguous = layout == (role == "b" ? "col" : "row");
  if (bits < 8 && !fragment.contiguous) return;
  resolved.is_memory = true;
  resolved.kind = parts[1] == "load" ? AccessKind::load : AccessKind::store;
  resolved.type.bytes = (fragment.contiguous ? side_by_side : 1) * bits / 8;
  resolved.row = find_isa_row(std::string("wmma.").append(parts[1]) + (bits == 64 ? ".64" : ".32"));
}

}  // namespace

bool resolve_matrix(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  if (parts[0] == "ldmatrix" || parts[0] == "stmatrix")
    resolve_rows(parts, resolved);
  else if (parts[0] == "wmma" && parts.size() > 1 && (parts[1] == "load" || parts[1] == "store"))
    resolve_fragment(parts, resolved);
  else
    return false;
  return true;
}

}  // namespace tilescope
