// wmma.load and wmma.store: move a matrix between memory and the fragments that wmma.mma multiplies (PTX ISA 9.0,
// section 9.7.15.4). PTX does not define which lane holds which element; here the layout is that of mma.sync
// (execute_matrix.cpp):
//
//   A, B          lane 4·g + t has, for band i and step j, row (of B column) 8·i + g, k = (4·j + t)·n … + n − 1
//   accumulator   lane 4·g + t has row 8·i + g, columns 8·j + 2·t and 8·j + 2·t + 1
//
// so in both cases a lane has `parts` neighbours along one direction. If they are adjacent in memory too, one access
// loads them; otherwise each takes one access. Further registers of a fragment repeat the others.
#include <array>
#include <bit>
#include <cstring>

#include "engine/sim/isa/aligned_warp.hpp"
#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_matrix_wmma.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"
#include "engine/sim/isa/locate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace wmma {

/// The lanes' data of one band and step: at most two numbers of 64 bits each.
using Elements = std::array<std::array<uint8_t, 16>, 32>;

/// Byte offsets from the matrix's address.
struct Offsets {
  std::array<uint64_t, 32> lane{};
  uint64_t band = 0, step = 0, part = 0;
};
HWY_INLINE Offsets offsets_of(const FragmentShape& shape, uint64_t stride) {
  // Counted in bits, because elements may be smaller than a byte.
  const uint64_t bits = shape.element_bits;
  const uint64_t along = shape.contiguous ? bits : stride * bits;   // from one of a lane's elements to the next
  const uint64_t across = shape.contiguous ? stride * bits : bits;  // from g to g + 1
  Offsets offsets;
  for (size_t lane = 0; lane < 32; ++lane)
    offsets.lane[lane] = (lane / 4 * across + lane % 4 * shape.parts * along) / 8;
  offsets.band = across;  // per eight rows: · 8 bits / 8
  offsets.step = 4 * shape.parts * along / 8;
  offsets.part = along / 8;
  return offsets;
}

/// Index of the first register of a band and step in a fragment.
HWY_INLINE size_t first_register(const FragmentShape& shape, size_t band, size_t step) {
  switch (shape.role) {
    case FragmentShape::Role::a:
      return shape.bands == 1 ? step : band / 2 * 2 * shape.depth + 2 * step + band % 2;
    case FragmentShape::Role::b:
      return band * shape.depth + step;
    case FragmentShape::Role::accumulator:
      break;
  }
  const size_t registers = std::max(1, shape.parts * shape.element_bits / 8 / shape.register_bytes);
  return (step * shape.bands + band) * registers;
}

/// The stride operand, or the extent of a matrix without gaps.
HWY_INLINE uint64_t stride_of(const Warp& warp, const Operation* operation, const FragmentShape& shape, uint32_t mask) {
  const uint32_t given = warp.source<uint32_t>(operation->b)[std::countr_zero(mask)];
  if (given != 0) return given;
  return shape.contiguous ? uint64_t{shape.depth} * 4 * shape.parts : uint64_t{shape.bands} * 8;
}

/// Calls `access(addresses, first byte of the element)` for every access of a band and step.
template <class Access>
HWY_INLINE void for_each_access(const uint64_t* base, const FragmentShape& shape, const Offsets& offsets, size_t band,
                                size_t step, const Access& access) {
  HWY_ALIGN uint64_t addresses[32];
  const size_t accesses = shape.contiguous ? 1 : shape.parts;
  for (size_t part = 0; part < accesses; ++part) {
    const uint64_t offset = band * offsets.band + step * offsets.step + part * offsets.part;
    for (size_t lane = 0; lane < 32; ++lane) addresses[lane] = base[lane] + offsets.lane[lane] + offset;
    access(addresses, part * shape.element_bits / 8);
  }
}

/// Calls move(lane, host address) for the lanes with a valid address.
template <class Move>
HWY_INLINE void for_each_place(Warp& warp, uint32_t site_index, const Place& place, uint64_t offset, uint32_t mask,
                               const Move& move) {
  if (place.host != nullptr) {
    const uint32_t lane_stride = warp.machine->accesses().site(site_index).lane_stride;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      move(lane, place.host + place.pattern->delta[lane] + lane * lane_stride);
    }
    return;
  }
  std::array<uint8_t*, 32> host{};
  uint32_t good = warp.machine->accesses().locate_lanes(warp, site_index, place.addresses, static_cast<int64_t>(offset),
                                                        mask, host);
  for (; good != 0; good &= good - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(good));
    move(lane, host[lane]);
  }
}

/// Copies `bytes` bytes, 1 to 16.
HWY_INLINE void copy_element(void* to, const void* from, uint32_t bytes) {
  switch (bytes) {
    case 1:
      std::memcpy(to, from, 1);
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, 16);
  }
}

HWY_INLINE const uint64_t* matrix_addresses(const Warp& warp, const Operation* operation, const SiteState& site,
                                            uint64_t* space) {
  const uint64_t* given = Accesses::addresses_of(warp, *operation, site, space);
  for (size_t lane = 0; lane < 32; ++lane) space[lane] = given[lane] + static_cast<uint64_t>(operation->immediate);
  return space;
}

template <class T>
HWY_INLINE void put_elements(Warp& warp, uint16_t slot, const Elements& elements, size_t byte, uint32_t mask) {
  HWY_ALIGN T values[32];
  for (size_t lane = 0; lane < 32; ++lane) std::memcpy(&values[lane], elements[lane].data() + byte, sizeof(T));
  store_lanes(warp.destination<T>(slot), values, mask);
}
template <class T>
HWY_INLINE void take_elements(const Warp& warp, uint16_t slot, Elements& elements, size_t byte) {
  const T* values = warp.source<T>(slot);
  for (size_t lane = 0; lane < 32; ++lane) std::memcpy(elements[lane].data() + byte, &values[lane], sizeof(T));
}

const Operation* LoadFragment(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint64_t space[32];
  if (!is_whole_warp(warp, operation, mask)) return warp.leave(operation);
  const FragmentOperands& operands = warp.machine->setup().program->fragments[operation->extra];
  const FragmentShape& shape = operands.shape;
  const uint32_t site_index = operation->site;
  SiteState& site = warp.machine->accesses().site(site_index);
  const uint64_t* base = matrix_addresses(warp, operation, site, space);
  const Offsets offsets = offsets_of(shape, stride_of(warp, operation, shape, mask));
  const uint32_t bytes = site.bytes_per_lane;
  const size_t registers = std::max(1, shape.parts * shape.element_bits / 8 / shape.register_bytes);
  const size_t distinct = shape.bands * shape.depth * registers;
  Elements elements{};
  for (size_t band = 0; band < shape.bands; ++band) {
    for (size_t step = 0; step < shape.depth; ++step) {
      for_each_access(base, shape, offsets, band, step, [&](const uint64_t* addresses, size_t byte) HWY_ATTR {
        const Place place = locate_at(warp, site, addresses, 0, mask);
        if (place.host != nullptr && site.written != nullptr && !inside_written_prefix(site, place))
          check_written(warp, site_index, site, place, mask);
        for_each_place(warp, site_index, place, 0, mask, [&](size_t lane, const uint8_t* from) {
          copy_element(elements[lane].data() + byte, from, bytes);
        });
      });
      const size_t first = first_register(shape, band, step);
      for (size_t i = 0; i < registers; ++i) {
        for (size_t place = first + i; place < operands.counts[0]; place += distinct) {
          if (shape.register_bytes == 8)
            put_elements<uint64_t>(warp, operands.slots[0][place], elements, 8 * i, mask);
          else
            put_elements<uint32_t>(warp, operands.slots[0][place], elements, 4 * i, mask);
        }
      }
    }
  }
  ++warp.synchronisations;
  return operation + 1;
}

const Operation* StoreFragment(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint64_t space[32];
  if (!is_whole_warp(warp, operation, mask)) return warp.leave(operation);
  const FragmentOperands& operands = warp.machine->setup().program->fragments[operation->extra];
  const FragmentShape& shape = operands.shape;
  const uint32_t site_index = operation->site;
  SiteState& site = warp.machine->accesses().site(site_index);
  const uint64_t* base = matrix_addresses(warp, operation, site, space);
  const Offsets offsets = offsets_of(shape, stride_of(warp, operation, shape, mask));
  const uint32_t bytes = site.bytes_per_lane;
  const size_t registers = std::max(1, shape.parts * shape.element_bits / 8 / shape.register_bytes);
  Elements elements{};
  for (size_t band = 0; band < shape.bands; ++band) {
    for (size_t step = 0; step < shape.depth; ++step) {
      const size_t first = first_register(shape, band, step);
      for (size_t i = 0; i < registers; ++i) {
        if (shape.register_bytes == 8)
          take_elements<uint64_t>(warp, operands.slots[0][first + i], elements, 8 * i);
        else
          take_elements<uint32_t>(warp, operands.slots[0][first + i], elements, 4 * i);
      }
      for_each_access(base, shape, offsets, band, step, [&](const uint64_t* addresses, size_t byte) HWY_ATTR {
        const Place place = locate_at(warp, site, addresses, 0, mask);
        if (place.host != nullptr && site.watched) warp.machine->races().watch(warp, site, *place.pattern, place.base);
        if (place.host != nullptr && site.written != nullptr) mark_written(warp, site_index, site, place, mask);
        for_each_place(warp, site_index, place, 0, mask,
                       [&](size_t lane, uint8_t* to) { copy_element(to, elements[lane].data() + byte, bytes); });
      });
    }
  }
  ++warp.synchronisations;
  return operation + 1;
}

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_WMMA
#include "engine/sim/program/isa.def"
#undef ISA_WMMA
#undef ISA
  };
  return kRows;
}

}  // namespace wmma

std::span<const IsaRow> rows_of_wmma() { return wmma::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_wmma);
std::span<const IsaRow> wmma_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_wmma)(); }

}  // namespace tilescope
#endif
