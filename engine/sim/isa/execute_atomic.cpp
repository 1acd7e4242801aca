// Atomic operations on memory (PTX ISA 9.0, sections 9.7.13.5 to 9.7.13.7). Lanes execute in ascending order; a kernel
// with atomics on global memory runs on one host thread, so no two lanes interfere.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/formats.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/program/word128.hpp"

namespace tilescope {
namespace {

struct AtomicAdd {
  template <class T>
  static T run(T old, T value) {
    return old + value;
  }
};
struct AtomicAddFloat {
  static float run(float old, float value) {
    const float sum = old + value;
    return sum != sum ? std::bit_cast<float>(static_cast<uint32_t>(kFormat32.canonical_nan)) : sum;
  }
  /// If both are NaN, memory's, made quiet. Explicit, because the host's sum keeps whichever its compiler put first.
  static double run(double old, double value) { return std::isnan(old) ? quiet(old) : old + value; }

 private:
  static double quiet(double nan) { return std::bit_cast<double>(std::bit_cast<uint64_t>(nan) | uint64_t{1} << 51); }
};
template <class Format>
struct AtomicAddHalf {
  static uint16_t run(uint16_t old, uint16_t value) {
    const double sum = add_to_odd(widen(old, Format::format), widen(value, Format::format));
    return narrow(sum, Format::format, Rounding::nearest_even);
  }
};
template <class Format>
struct AtomicAddHalves {
  static uint32_t run(uint32_t old, uint32_t value) {
    const auto low = AtomicAddHalf<Format>::run(static_cast<uint16_t>(old), static_cast<uint16_t>(value));
    const auto high = AtomicAddHalf<Format>::run(static_cast<uint16_t>(old >> 16), static_cast<uint16_t>(value >> 16));
    return uint32_t{high} << 16 | low;
  }
};
struct AtomicMinimum {
  template <class T>
  static T run(T old, T value) {
    return value < old ? value : old;
  }
};
struct AtomicMaximum {
  template <class T>
  static T run(T old, T value) {
    return value > old ? value : old;
  }
};
struct AtomicAnd {
  template <class T>
  static T run(T old, T value) {
    return old & value;
  }
};
struct AtomicOr {
  template <class T>
  static T run(T old, T value) {
    return old | value;
  }
};
struct AtomicXor {
  template <class T>
  static T run(T old, T value) {
    return old ^ value;
  }
};
struct AtomicIncrement {
  static uint32_t run(uint32_t old, uint32_t limit) { return old >= limit ? 0 : old + 1; }
};
struct AtomicDecrement {
  static uint32_t run(uint32_t old, uint32_t limit) { return old == 0 || old > limit ? limit : old - 1; }
};
struct AtomicExchange {
  template <class T>
  static T run(T, T value) {
    return value;
  }
};

/// Notes the access, and calls update(lane, old) → new for each lane with a valid address.
template <class T, class Update>
void for_each_lane(Warp& warp, const Operation* operation, uint32_t mask, const Update& update) {
  Accesses& accesses = warp.machine->accesses();
  SiteState& site = accesses.site(operation->site);
  std::array<uint64_t, 32> space;
  const uint64_t* addresses = Accesses::addresses_of(warp, *operation, site, space.data());
  const uint64_t first = addresses[std::countr_zero(mask)];
  AccessPattern* pattern = accesses.find_pattern(site, addresses, first, mask);
  const uint64_t base = first + static_cast<uint64_t>(operation->immediate);
  const bool inside = accesses.place(site, *pattern, base);
  if (inside && site.watched) warp.machine->races().watch(warp, site, *pattern, base);
  if (accesses.observing()) accesses.note(warp, site, *pattern, base);
  std::array<uint8_t*, 32> host;
  uint32_t good = accesses.locate_lanes(warp, operation->site, addresses, operation->immediate, mask, host);
  bool changed = false;
  for (; good != 0; good &= good - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(good));
    T old;
    std::memcpy(&old, host[lane], sizeof(T));
    const T updated = update(lane, old);
    std::array<uint8_t, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &updated, sizeof(T));
    changed = changed || std::memcmp(host[lane], bytes.data(), sizeof(T)) != 0;
    std::memcpy(host[lane], bytes.data(), sizeof(T));
  }
  if (changed) warp.machine->note_update();
}

float flush(float value) {
  return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}
/// The value that an operation leaves in memory. f32 additions in global memory flush subnormal numbers (PTX ISA 9.0,
/// 9.7.13.5).
template <class Op, class T>
T updated(const Warp& warp, const Operation* operation, T old, T value) {
  if constexpr (std::is_same_v<T, float>)
    if (!warp.machine->accesses().site(operation->site).is_shared) return flush(Op::run(flush(old), flush(value)));
  if constexpr (std::is_same_v<T, double>) {
    // The memory's own adder passes a NaN on unchanged, preferring the operand's; a warp's adder makes it quiet (seen
    // on an H200).
    if (!warp.machine->accesses().site(operation->site).is_shared && std::isnan(value)) return value;
    if (!warp.machine->accesses().site(operation->site).is_shared && std::isnan(old)) return old;
  }
  return static_cast<T>(Op::run(old, value));
}

template <class T>
void put(Warp& warp, uint16_t slot, const std::array<T, 32>& values, uint32_t mask) {
  T* out = warp.destination<T>(slot);
  for (size_t i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) out[i] = values[i];
}

template <class T, class Op>
const Operation* Atomic(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<T, 32> before{};
  const T* value = warp.source<T>(operation->b);
  for_each_lane<T>(warp, operation, mask, [&](size_t lane, T old) {
    before[lane] = old;
    return updated<Op>(warp, operation, old, value[lane]);
  });
  put(warp, operation->dst, before, mask);
  return operation + 1;
}

template <class T, class Op>
const Operation* Reduction(Warp& warp, const Operation* operation, uint32_t mask) {
  const T* value = warp.source<T>(operation->b);
  for_each_lane<T>(warp, operation, mask,
                   [&](size_t lane, T old) { return updated<Op>(warp, operation, old, value[lane]); });
  return operation + 1;
}

/// The elements of a vector, one by one.
template <class T, class Op, int N>
const Operation* VectorReduction(Warp& warp, const Operation* operation, uint32_t mask) {
  const std::array<uint16_t, 4> slots = {operation->dst, operation->b, operation->c, operation->extra};
  for_each_lane<std::array<T, N>>(warp, operation, mask, [&](size_t lane, std::array<T, N> elements) {
    for (size_t part = 0; part < N; ++part)
      elements[part] = updated<Op>(warp, operation, elements[part], warp.source<T>(slots[part])[lane]);
    return elements;
  });
  return operation + 1;
}

template <class T>
const Operation* CompareAndSwap(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<T, 32> before{};
  const T* wanted = warp.source<T>(operation->b);
  const T* value = warp.source<T>(operation->c);
  for_each_lane<T>(warp, operation, mask, [&](size_t lane, T old) {
    before[lane] = old;
    return old == wanted[lane] ? value[lane] : old;
  });
  put(warp, operation->dst, before, mask);
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> atomic_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_ATOMIC
#include "engine/sim/program/isa.def"
#undef ISA_ATOMIC
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
