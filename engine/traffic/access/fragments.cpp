#include "engine/traffic/access/fragments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tilescope {
namespace {

constexpr uint32_t kGroup = 4;  // lanes that share a row

/// Bits per element of A and B; 0: unknown.
uint32_t bits_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, uint32_t>, 10> kTypes{{{"f16", 16},
                                                                                 {"bf16", 16},
                                                                                 {"tf32", 32},
                                                                                 {"s8", 8},
                                                                                 {"u8", 8},
                                                                                 {"e4m3", 8},
                                                                                 {"e5m2", 8},
                                                                                 {"f32", 32},
                                                                                 {"s32", 32},
                                                                                 {"b16", 16}}};
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& one) { return one.first == type; });
  return found == kTypes.end() ? 0 : found->second;
}

/// Splits "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, …" into its parts without the operands.
std::vector<std::string_view> parts_of(std::string_view ptx) {
  if (ptx.starts_with('@')) ptx.remove_prefix(std::min(ptx.find(' ') + 1, ptx.size()));
  ptx = ptx.substr(0, ptx.find_first_of(" \t{"));
  std::vector<std::string_view> parts;
  while (!ptx.empty()) {
    const size_t dot = ptx.find('.');
    parts.push_back(ptx.substr(0, dot));
    ptx.remove_prefix(dot == std::string_view::npos ? ptx.size() : dot + 1);
  }
  return parts;
}

std::optional<std::vector<FragmentMatrix>> matrices_of_mma(const std::vector<std::string_view>& parts) {
  uint32_t depth = 0;
  std::vector<uint32_t> bits;
  for (const std::string_view part : parts) {
    constexpr std::string_view kShape = "m16n8k";
    if (part.starts_with(kShape))
      std::from_chars(part.data() + kShape.size(), part.data() + part.size(), depth);
    else if (const uint32_t of_type = bits_of(part); of_type != 0)
      bits.push_back(of_type);
  }
  // Types of D, A, B, C. An accumulator of halves has two per register.
  if (depth == 0 || bits.size() < 4) return std::nullopt;
  const std::array<uint32_t, 3> of{bits[bits.size() - 3], bits[bits.size() - 2], bits[bits.size() - 4]};
  const uint32_t packed = 32 / of[0];
  if (of[0] != of[1] || depth % (kGroup * packed) != 0) return std::nullopt;
  using Role = FragmentMatrix::Role;
  return std::vector<FragmentMatrix>{
      {.name = "A", .role = Role::a, .rows = 16, .columns = depth, .per_register = packed},
      {.name = "B", .role = Role::b, .rows = depth, .columns = 8, .per_register = packed},
      {.name = "C", .role = Role::accumulator, .rows = 16, .columns = 8, .per_register = 32 / of[2]}};
}

std::optional<std::vector<FragmentMatrix>> matrices_of_move(const std::vector<std::string_view>& parts) {
  const auto has = [&](std::string_view wanted) {
    return std::find(parts.begin(), parts.end(), wanted) != parts.end();
  };
  if (!has("m8n8") || !has("b16")) return std::nullopt;
  const uint32_t count = has("x4") ? 4 : has("x2") ? 2 : 1;
  std::vector<FragmentMatrix> matrices;
  for (uint32_t i = 0; i < count; ++i)
    matrices.push_back({.name = std::to_string(i),
                        .role = FragmentMatrix::Role::loaded,
                        .rows = 8,
                        .columns = 8,
                        .per_register = 2,
                        .transposed = has("trans"),
                        .first_register = i});
  return matrices;
}

}  // namespace

FragmentPlace FragmentMatrix::place(uint32_t row, uint32_t column) const {
  if (transposed) std::swap(row, column);
  switch (role) {
    case Role::a: {  // a group of 4 lanes per row; the lower half of the rows is in the odd registers
      const uint32_t span = kGroup * per_register;
      return {row % 8 * kGroup + column % span / per_register, column / span * 2 + row / 8, column % per_register};
    }
    case Role::b: {  // like A, by columns
      const uint32_t span = kGroup * per_register;
      return {column * kGroup + row % span / per_register, row / span, row % per_register};
    }
    case Role::accumulator:  // pairs of columns; 32-bit ones take a register each
      return {row % 8 * kGroup + column / 2, per_register == 2 ? row / 8 : row / 8 * 2 + column % 2,
              per_register == 2 ? column % 2 : 0};
    case Role::loaded:
      break;
  }
  return {row * kGroup + column / 2, first_register, column % 2};
}

std::optional<std::vector<FragmentMatrix>> fragments_of(std::string_view ptx) {
  const auto parts = parts_of(ptx);
  if (parts.size() < 2) return std::nullopt;
  if (parts[0] == "mma" && parts[1] == "sync") return matrices_of_mma(parts);
  if (parts[0] == "ldmatrix" || parts[0] == "stmatrix") return matrices_of_move(parts);
  return std::nullopt;
}

}  // namespace tilescope
