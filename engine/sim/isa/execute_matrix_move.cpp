// Moves matrices of 8 × 8 halves between shared memory and a warp's registers (PTX ISA 9.0, sections 9.7.15.5.15 to
// 9.7.15.5.17).
//
// Row r of a matrix has 16 bytes; lane l has elements 2·(l % 4) and 2·(l % 4) + 1 of row l / 4, so the 32 lanes of a
// register hold the rows consecutively.
#include <array>
#include <bit>
#include <cstring>

#include "engine/sim/isa/aligned_warp.hpp"
#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_matrix_move.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"
#include "engine/sim/isa/locate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace matrix_move {

constexpr size_t kRowBytes = 16;
constexpr size_t kMatrixBytes = 128;

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void transpose(uint8_t* matrix) {
  std::array<uint16_t, 64> from{}, to{};
  std::memcpy(from.data(), matrix, kMatrixBytes);
  for (size_t i = 0; i < 64; ++i) to[i % 8 * 8 + i / 8] = from[i];
  std::memcpy(matrix, to.data(), kMatrixBytes);
}
#else
/// Applies the same shuffle three times; it rotates the six bits of an element's index by one, so that row and column
/// are exchanged.
HWY_INLINE void transpose(uint8_t* matrix) {
  const hn::FixedTag<uint16_t, 8> d;
  auto* halves = reinterpret_cast<uint16_t*>(matrix);
  hn::Vec<decltype(d)> rows[8], turned[8];
  for (size_t i = 0; i < 8; ++i) rows[i] = hn::LoadU(d, halves + 8 * i);
  for (int stage = 0; stage < 3; ++stage) {
    for (size_t i = 0; i < 4; ++i) {
      turned[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + 4]);
      turned[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + 4]);
    }
    for (size_t i = 0; i < 8; ++i) rows[i] = turned[i];
  }
  for (size_t i = 0; i < 8; ++i) hn::StoreU(rows[i], d, halves + 8 * i);
}
#endif

/// The lanes whose addresses are used: eight for each matrix.
template <size_t kMatrices>
constexpr uint32_t kRowLanes = static_cast<uint32_t>((uint64_t{1} << (8 * kMatrices)) - 1);

HWY_INLINE std::array<uint16_t, 4> matrix_slots(const Operation* operation) {
  return {operation->dst, operation->b, operation->c, operation->extra};
}

/// The host address of each row; null for a lane with an invalid address.
HWY_NOINLINE void find_rows(Warp& warp, const Operation* operation, const Place& place, uint32_t mask,
                            std::array<uint8_t*, 32>& rows) {
  const uint32_t good =
      warp.machine->accesses().locate_lanes(warp, operation->site, place.addresses, operation->immediate, mask, rows);
  for (size_t lane = 0; lane < 32; ++lane)
    if ((good >> lane & 1) == 0) rows[lane] = nullptr;
}

template <size_t kMatrices, bool kTransposed>
const Operation* LoadMatrix(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint64_t space[32];
  HWY_ALIGN uint8_t matrices[kMatrices][kMatrixBytes];
  if (!is_whole_warp(warp, operation, mask)) return warp.leave(operation);
  const uint32_t row_lanes = mask & kRowLanes<kMatrices>;
  if (row_lanes == 0) return operation + 1;
  SiteState& site = warp.machine->accesses().site(operation->site);
  const Place place = locate(warp, operation, site, row_lanes, space);
  uint8_t* to = matrices[0];
  if (place.host != nullptr && site.lane_stride == 0 && row_lanes == kRowLanes<kMatrices>) {
    if (site.written != nullptr && !inside_written_prefix(site, place))
      check_written(warp, operation->site, site, place, row_lanes);
    for (size_t lane = 0; lane < 8 * kMatrices; ++lane)
      std::memcpy(to + lane * kRowBytes, place.host + place.pattern->delta[lane], kRowBytes);
  } else {
    std::array<uint8_t*, 32> rows;
    find_rows(warp, operation, place, row_lanes, rows);
    std::memset(to, 0, sizeof(matrices));
    for (size_t lane = 0; lane < 8 * kMatrices; ++lane)
      if (rows[lane] != nullptr) std::memcpy(to + lane * kRowBytes, rows[lane], kRowBytes);
  }
  const auto slots = matrix_slots(operation);
  for (size_t i = 0; i < kMatrices; ++i) {
    if constexpr (kTransposed) transpose(matrices[i]);
    store_lanes(warp.destination<uint32_t>(slots[i]), reinterpret_cast<const uint32_t*>(matrices[i]), mask);
  }
  ++warp.synchronisations;
  return operation + 1;
}

template <size_t kMatrices, bool kTransposed>
const Operation* StoreMatrix(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint64_t space[32];
  HWY_ALIGN uint8_t matrices[kMatrices][kMatrixBytes];
  if (!is_whole_warp(warp, operation, mask)) return warp.leave(operation);
  const uint32_t row_lanes = mask & kRowLanes<kMatrices>;
  if (row_lanes == 0) return operation + 1;
  const auto slots = matrix_slots(operation);
  for (size_t i = 0; i < kMatrices; ++i) {
    std::memcpy(matrices[i], warp.source<uint32_t>(slots[i]), kMatrixBytes);
    if constexpr (kTransposed) transpose(matrices[i]);
  }
  SiteState& site = warp.machine->accesses().site(operation->site);
  const Place place = locate(warp, operation, site, row_lanes, space);
  const uint8_t* from = matrices[0];
  if (place.host != nullptr && site.lane_stride == 0 && row_lanes == kRowLanes<kMatrices>) {
    if (site.watched) warp.machine->races().watch(warp, site, *place.pattern, place.base);
    if (site.written != nullptr) mark_written(warp, operation->site, site, place, row_lanes);
    for (size_t lane = 0; lane < 8 * kMatrices; ++lane)
      std::memcpy(place.host + place.pattern->delta[lane], from + lane * kRowBytes, kRowBytes);
  } else {
    std::array<uint8_t*, 32> rows;
    find_rows(warp, operation, place, row_lanes, rows);
    for (size_t lane = 0; lane < 8 * kMatrices; ++lane)
      if (rows[lane] != nullptr) std::memcpy(rows[lane], from + lane * kRowBytes, kRowBytes);
  }
  ++warp.synchronisations;
  return operation + 1;
}

/// Transposes a matrix that is distributed over the lanes.
const Operation* MoveMatrix(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint8_t matrix[kMatrixBytes];
  if (!is_whole_warp(warp, operation, mask)) return warp.leave(operation);
  std::memcpy(matrix, warp.source<uint32_t>(operation->a), kMatrixBytes);
  transpose(matrix);
  store_lanes(warp.destination<uint32_t>(operation->dst), reinterpret_cast<const uint32_t*>(matrix), mask);
  ++warp.synchronisations;
  return operation + 1;
}

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_MATRIX_MOVE
#include "engine/sim/program/isa.def"
#undef ISA_MATRIX_MOVE
#undef ISA
  };
  return kRows;
}

}  // namespace matrix_move

std::span<const IsaRow> rows_of_matrix_move() { return matrix_move::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_matrix_move);
std::span<const IsaRow> matrix_move_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_matrix_move)(); }

}  // namespace tilescope
#endif
