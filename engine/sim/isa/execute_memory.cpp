// Loads and stores of all state spaces (PTX ISA 9.0, sections 9.7.9.8 to 9.7.9.12).
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_memory.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"
#include "engine/sim/isa/locate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace memory {

template <class T>
HWY_INLINE T read(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

HWY_INLINE std::array<uint16_t, 4> vector_slots(const Operation* operation) {
  return {operation->dst, operation->b, operation->c, operation->extra};
}

/// locate(), inlined in instructions whose register and memory have the same width; out of line for the many other
/// instructions, which are rarer and would each take as long to compile.
HWY_NOINLINE Place locate_apart(Warp& warp, const Operation* operation, SiteState& site, uint32_t mask,
                                uint64_t* space) {
  return locate(warp, operation, site, mask, space);
}
template <class M, class R>
HWY_INLINE Place locate_for(Warp& warp, const Operation* operation, SiteState& site, uint32_t mask, uint64_t* space) {
  if constexpr (sizeof(M) == sizeof(R))
    return locate(warp, operation, site, mask, space);
  else
    return locate_apart(warp, operation, site, mask, space);
}

/// 32 lanes of N elements each, contiguous in memory.
template <class M, class R, int N>
HWY_INLINE void load_contiguous(const uint8_t* host, R (*values)[32]) {
  if constexpr (N == 1 && sizeof(M) == sizeof(R)) {
    std::memcpy(values[0], host, sizeof(M) * 32);
  } else {
    for (size_t part = 0; part < N; ++part)
      for (size_t i = 0; i < 32; ++i) values[part][i] = static_cast<R>(read<M>(host + (i * N + part) * sizeof(M)));
  }
}
template <class M, class R, int N>
HWY_INLINE void store_contiguous(uint8_t* host, const R* const* values) {
  if constexpr (N == 1 && sizeof(M) == sizeof(R)) {
    std::memcpy(host, values[0], sizeof(M) * 32);
  } else {
    for (size_t i = 0; i < 32; ++i) {
      M elements[N];
      for (size_t part = 0; part < N; ++part) elements[part] = static_cast<M>(values[part][i]);
      std::memcpy(host + i * sizeof(elements), elements, sizeof(elements));
    }
  }
}

/// For lanes that are not all in one extent, or misaligned: lanes with invalid addresses are reported and load 0.
template <class M, class R, int N>
HWY_NOINLINE void load_lane_by_lane(Warp& warp, const Operation* operation, const Place& place, uint32_t mask,
                                    R (*values)[32]) {
  std::array<uint8_t*, 32> host;
  uint32_t good =
      warp.machine->accesses().locate_lanes(warp, operation->site, place.addresses, operation->immediate, mask, host);
  for (size_t part = 0; part < N; ++part) std::fill_n(values[part], 32, R{});
  for (; good != 0; good &= good - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(good));
    for (size_t part = 0; part < N; ++part) values[part][lane] = static_cast<R>(read<M>(host[lane] + part * sizeof(M)));
  }
}

/// Lanes at the addresses of the pattern. Inactive lanes have a delta of 0, so they read the base, which is inside.
template <class M, class R, int N>
HWY_INLINE void load_scattered(const uint8_t* host, const AccessPattern& pattern, size_t lane_stride, R (*values)[32]) {
  constexpr bool kGathers = sizeof(M) == sizeof(R) && (sizeof(M) == 4 || sizeof(M) == 8);
  if constexpr (kGathers) {
    if (lane_stride == 0 && (sizeof(M) == 8 || pattern.narrow)) {
      const Tag<R> d;
      const hn::RebindToSigned<decltype(d)> offset;
      const auto* deltas = reinterpret_cast<const hn::TFromD<decltype(offset)>*>(
          sizeof(M) == 8 ? static_cast<const void*>(pattern.delta.data()) : pattern.narrow_delta.data());
      for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
        const auto from = hn::Load(offset, deltas + i);
        for (size_t part = 0; part < N; ++part)
          hn::Store(hn::GatherOffset(d, reinterpret_cast<const R*>(host + part * sizeof(M)), from), d,
                    values[part] + i);
      }
      return;
    }
  }
  for (size_t i = 0; i < 32; ++i) {
    const uint8_t* from = host + pattern.delta[i] + i * lane_stride;
    for (size_t part = 0; part < N; ++part) values[part][i] = static_cast<R>(read<M>(from + part * sizeof(M)));
  }
}

template <class M, class R, int N>
HWY_INLINE void load_uniform(const uint8_t* host, R (*values)[32]) {
  if constexpr (sizeof(R) > 8) {
    std::fill_n(values[0], 32, read<R>(host));
  } else {
    const Tag<R> d;
    for (size_t part = 0; part < N; ++part) {
      const auto value = hn::Set(d, static_cast<R>(read<M>(host + part * sizeof(M))));
      for (size_t i = 0; i < 32; i += hn::Lanes(d)) hn::Store(value, d, values[part] + i);
    }
  }
}

template <class M, class R, int N>
const Operation* Load(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint64_t space[32];
  HWY_ALIGN R staged[N][32];
  SiteState& site = warp.machine->accesses().site(operation->site);
  const Place place = locate_for<M, R>(warp, operation, site, mask, space);
  // A single whole register is loaded directly into its slot.
  const bool direct = N == 1 && mask == kAllLanes;
  R(*values)[32] = direct ? reinterpret_cast<R(*)[32]>(warp.destination<R>(operation->dst)) : staged;
  if (place.host == nullptr) {
    load_lane_by_lane<M, R, N>(warp, operation, place, mask, values);
  } else {
    if (site.written != nullptr && !inside_written_prefix(site, place))
      check_written(warp, operation->site, site, place, mask);
    const AccessPattern& pattern = *place.pattern;
    if (pattern.shape == AccessPattern::Shape::contiguous && mask == kAllLanes && site.lane_stride == 0)
      load_contiguous<M, R, N>(place.host, values);
    else if (pattern.shape == AccessPattern::Shape::uniform && site.lane_stride == 0)
      load_uniform<M, R, N>(place.host, values);
    else
      load_scattered<M, R, N>(place.host, pattern, site.lane_stride, values);
  }
  if (direct) return operation + 1;
  const auto slots = vector_slots(operation);
  for (size_t part = 0; part < N; ++part) store_lanes(warp.destination<R>(slots[part]), values[part], mask);
  return operation + 1;
}

template <class M, class R, int N>
HWY_NOINLINE void store_lane_by_lane(Warp& warp, const Operation* operation, const Place& place, uint32_t mask,
                                     const R* const* values) {
  std::array<uint8_t*, 32> host;
  uint32_t good =
      warp.machine->accesses().locate_lanes(warp, operation->site, place.addresses, operation->immediate, mask, host);
  for (; good != 0; good &= good - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(good));
    for (size_t part = 0; part < N; ++part) {
      const M value = static_cast<M>(values[part][lane]);
      std::memcpy(host[lane] + part * sizeof(M), &value, sizeof(M));
    }
  }
}

/// The lanes whose store changes the value in memory; two lanes that write different values to one address are
/// reported.
template <class M, class R, int N>
HWY_NOINLINE void watch_store(Warp& warp, SiteState& site, const Place& place, uint32_t mask, const R* const* values) {
  AccessPattern& pattern = *place.pattern;
  const auto element = [&](size_t part, size_t lane) { return static_cast<M>(values[part][lane]); };
  uint32_t changed = 0;
  if (N == 1 && sizeof(M) == sizeof(R) && mask == kAllLanes && pattern.shape == AccessPattern::Shape::contiguous) {
    if constexpr (sizeof(R) == 4 || sizeof(R) == 8) {
      const Tag<R> d;
      for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
        const auto old = hn::LoadU(d, reinterpret_cast<const R*>(place.host) + i);
        uint64_t bits = 0;
        hn::StoreMaskBits(d, hn::Ne(old, hn::Load(d, values[0] + i)), reinterpret_cast<uint8_t*>(&bits));
        changed |= static_cast<uint32_t>(bits) << i;
      }
    } else {
      for (size_t i = 0; i < 32; ++i) changed |= (read<M>(place.host + i * sizeof(M)) != element(0, i) ? 1U : 0U) << i;
    }
  } else {
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      const uint8_t* at = place.host + pattern.delta[lane];
      bool same = true;
      for (size_t part = 0; part < N; ++part) same = same && read<M>(at + part * sizeof(M)) == element(part, lane);
      changed |= (same ? 0U : 1U) << lane;
    }
  }
  HWY_ALIGN uint8_t bytes[32 * N * sizeof(M)];
  const uint8_t* written = nullptr;  // not needed for shared memory
  if (N == 1 && sizeof(M) == sizeof(R)) {
    written = reinterpret_cast<const uint8_t*>(values[0]);
  } else if (!site.is_shared) {
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      for (size_t part = 0; part < N; ++part) {
        const M value = element(part, lane);
        std::memcpy(bytes + (lane * N + part) * sizeof(M), &value, sizeof(M));
      }
    }
    written = bytes;
  }
  warp.machine->races().watch(warp, site, pattern, place.base, changed, written);
  if (pattern.useful_bytes == pattern.lanes * site.bytes_per_lane) return;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    for (uint32_t others = left & (left - 1); others != 0; others &= others - 1) {
      const auto other = static_cast<uint32_t>(std::countr_zero(others));
      if (pattern.delta[lane] != pattern.delta[other]) continue;
      bool same = true;
      for (size_t part = 0; part < N; ++part) same = same && element(part, lane) == element(part, other);
      if (same) continue;
      warp.machine->races().watch_one_store(warp, site, lane, other,
                                            place.base + static_cast<uint64_t>(pattern.delta[lane]));
      return;
    }
  }
}

template <class M, class R, int N>
const Operation* Store(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint64_t space[32];
  SiteState& site = warp.machine->accesses().site(operation->site);
  const auto slots = vector_slots(operation);
  const R* values[N];
  for (size_t part = 0; part < N; ++part) values[part] = warp.source<R>(slots[part]);
  const Place place = locate_for<M, R>(warp, operation, site, mask, space);
  if (place.host == nullptr) {
    store_lane_by_lane<M, R, N>(warp, operation, place, mask, values);
    return operation + 1;
  }
  if (site.watched) watch_store<M, R, N>(warp, site, place, mask, values);
  if (site.written != nullptr) mark_written(warp, operation->site, site, place, mask);
  const AccessPattern& pattern = *place.pattern;
  if (pattern.shape == AccessPattern::Shape::contiguous && mask == kAllLanes && site.lane_stride == 0) {
    store_contiguous<M, R, N>(place.host, values);
    return operation + 1;
  }
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    uint8_t* to = place.host + pattern.delta[lane] + lane * site.lane_stride;
    for (size_t part = 0; part < N; ++part) {
      const M value = static_cast<M>(values[part][lane]);
      std::memcpy(to + part * sizeof(M), &value, sizeof(M));
    }
  }
  return operation + 1;
}

/// A type as isa.def stores it: the signedness of truncated bits makes no difference.
template <class T>
using Bits = std::make_unsigned_t<T>;

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_MEMORY
#include "engine/sim/program/isa.def"
#undef ISA_MEMORY
#undef ISA
  };
  return kRows;
}

}  // namespace memory

std::span<const IsaRow> rows_of_memory() { return memory::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_memory);
std::span<const IsaRow> memory_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_memory)(); }

}  // namespace tilescope
#endif
