// Resolves the addresses of a memory instruction's lanes; shared by all handlers that access memory. Included once per
// instruction set (Highway).
#if defined(TILESCOPE_LOCATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_LOCATE_INL_H_
#undef TILESCOPE_LOCATE_INL_H_
#else
#define TILESCOPE_LOCATE_INL_H_
#endif

#include <bit>
#include <cstring>

#include "engine/sim/isa/lanes-inl.h"
#include "engine/sim/machine/machine.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {

/// Whether the addresses of the mask's lanes, relative to `base`, match the pattern.
HWY_INLINE bool lies_as(const AccessPattern& pattern, const uint64_t* addresses, uint64_t base, uint32_t mask) {
  const Tag<uint64_t> d;
  if (pattern.mask != mask) return false;
  const auto from = hn::Set(d, base);
  auto differences = hn::Zero(d);
  const auto* deltas = reinterpret_cast<const uint64_t*>(pattern.delta.data());
  if (mask == kAllLanes) {
    for (size_t i = 0; i < 32; i += hn::Lanes(d))
      differences = hn::Or(differences, hn::Xor(hn::Sub(hn::Load(d, addresses + i), from), hn::Load(d, deltas + i)));
  } else {
    for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
      const auto difference = hn::Xor(hn::Sub(hn::Load(d, addresses + i), from), hn::Load(d, deltas + i));
      differences = hn::Or(differences, hn::IfThenElseZero(mask_at(d, mask, i), difference));
    }
  }
  return hn::AllTrue(d, hn::Eq(differences, hn::Zero(d)));
}

/// A resolved access: the host address of its base if all lanes are in one extent, else null.
struct Place {
  uint8_t* host;
  AccessPattern* pattern;
  const uint64_t* addresses;
  uint64_t base;
};

HWY_INLINE Place locate_at(Warp& warp, SiteState& site, const uint64_t* addresses, uint64_t offset, uint32_t mask) {
  Accesses& accesses = warp.machine->accesses();
  const uint64_t first = addresses[std::countr_zero(mask)];
  const uint64_t base = first + offset;
  AccessPattern* pattern = site.pattern;
  if (pattern == nullptr || !lies_as(*pattern, addresses, first, mask)) {
    pattern = accesses.find_pattern(site, addresses, first, mask);
    site.pattern = pattern;
  }
  const uint64_t low = base + static_cast<uint64_t>(pattern->lowest), high = base + static_cast<uint64_t>(pattern->end);
  bool inside = pattern->bounded && low >= site.low && high <= site.high && low < high &&
                ((base | pattern->low_bits) & (site.bytes_per_lane - 1)) == 0;
  if (!inside) inside = accesses.place(site, *pattern, base);
  if (accesses.observing()) accesses.note(warp, site, *pattern, base);
  uint8_t* host = nullptr;
  if (inside) {
    host = (site.is_local ? warp.local : site.data) + (base - site.origin);
    // A store is watched later, when its values are known.
    if (site.watched && site.is_load) warp.machine->races().watch(warp, site, *pattern, base);
  }
  return {host, pattern, addresses, base};
}
HWY_INLINE Place locate(Warp& warp, const Operation* operation, SiteState& site, uint32_t mask, uint64_t* space) {
  const uint64_t* addresses = Accesses::addresses_of(warp, *operation, site, space);
  return locate_at(warp, site, addresses, static_cast<uint64_t>(operation->immediate), mask);
}

HWY_INLINE bool all_written(const uint8_t* flags, size_t bytes) { return std::memchr(flags, 0, bytes) == nullptr; }

/// Whether everything up to the access's end has been written. The written prefix found is cached, so that a buffer is
/// scanned only once.
HWY_INLINE bool inside_written_prefix(const SiteState& site, const Place& place) {
  if (site.lane_stride != 0) return false;
  const uint64_t end = place.base - site.low + static_cast<uint64_t>(place.pattern->end);
  uint64_t& prefix = *site.written_prefix;
  if (end <= prefix) return true;
  if (site.written[prefix] == 0) return false;
  const uint64_t bytes = site.high - site.low;
  const void* unwritten = std::memchr(site.written + prefix, 0, bytes - prefix);
  prefix = unwritten == nullptr ? bytes : static_cast<uint64_t>(static_cast<const uint8_t*>(unwritten) - site.written);
  return end <= prefix;
}

/// Reports lanes that read bytes never written. Flags are laid out like the bytes; local memory has them per lane.
inline HWY_NOINLINE void check_written(Warp& warp, uint32_t site_index, const SiteState& site, const Place& place,
                                       uint32_t mask) {
  const AccessPattern& pattern = *place.pattern;
  const uint8_t* flags = site.written + (place.base - site.low);
  if (site.is_local) flags += size_t{warp.index} * 32 * site.lane_stride;
  // Checks the whole span at once if the lanes are close together.
  constexpr int64_t kClose = 512;
  const int64_t span = pattern.end - pattern.lowest;
  if (site.lane_stride == 0 && span <= kClose && all_written(flags + pattern.lowest, static_cast<size_t>(span))) return;
  uint32_t unwritten = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint8_t* of_lane = flags + pattern.delta[lane] + lane * site.lane_stride;
    if (!counts_as_written(of_lane, site.bytes_per_lane, site.is_buffer)) unwritten |= 1U << lane;
  }
  if (unwritten == 0) return;
  const uint64_t offset = place.base - place.addresses[std::countr_zero(mask)];
  warp.machine->accesses().report_unwritten(warp, site_index, place.addresses, static_cast<int64_t>(offset), unwritten);
}

inline HWY_NOINLINE void mark_written(Warp& warp, uint32_t site_index, const SiteState& site, const Place& place,
                                      uint32_t mask) {
  if (site.is_shared && warp.machine->accesses().copies_pending()) {
    const uint64_t offset = place.base - place.addresses[std::countr_zero(mask)];
    warp.machine->accesses().report_not_waited(warp, site_index, place.addresses, static_cast<int64_t>(offset), mask);
  }
  uint8_t* flags = site.written + (place.base - site.low);
  if (site.is_local) flags += size_t{warp.index} * 32 * site.lane_stride;
  if (mask == kAllLanes && place.pattern->shape == AccessPattern::Shape::contiguous && site.lane_stride == 0) {
    std::memset(flags, 1, static_cast<size_t>(place.pattern->end));
    return;
  }
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    std::memset(flags + place.pattern->delta[lane] + lane * site.lane_stride, 1, site.bytes_per_lane);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#endif
