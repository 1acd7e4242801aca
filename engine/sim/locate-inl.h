// Where the lanes of a memory instruction go: shared by all handlers that access memory. Included once per instruction
// set (Highway).
#if defined(TILESCOPE_LOCATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_LOCATE_INL_H_
#undef TILESCOPE_LOCATE_INL_H_
#else
#define TILESCOPE_LOCATE_INL_H_
#endif

#include <bit>

#include "engine/sim/lanes-inl.h"
#include "engine/sim/machine.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {

/// Whether the lanes of the mask lie as the pattern says, seen from `base`.
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

/// Where an access goes: the host address of its base if all lanes lie in one extent, else null.
struct Place {
  uint8_t* host;
  AccessPattern* pattern;
  const uint64_t* addresses;
  uint64_t base;
};

HWY_INLINE Place locate(Warp& warp, const Operation* operation, SiteState& site, uint32_t mask, uint64_t* space) {
  Machine& machine = *warp.machine;
  const uint64_t* addresses = Machine::addresses_of(warp, *operation, site, space);
  const uint64_t first = addresses[std::countr_zero(mask)];
  const uint64_t base = first + static_cast<uint64_t>(operation->immediate);
  AccessPattern* pattern = site.pattern;
  if (pattern == nullptr || !lies_as(*pattern, addresses, first, mask)) {
    pattern = machine.find_pattern(site, addresses, first, mask);
    site.pattern = pattern;
  }
  const uint64_t low = base + static_cast<uint64_t>(pattern->lowest), high = base + static_cast<uint64_t>(pattern->end);
  bool inside = pattern->bounded && low >= site.low && high <= site.high && low < high &&
                ((base | pattern->low_bits) & (site.bytes_per_lane - 1)) == 0;
  if (!inside) inside = machine.place(site, *pattern, base);
  if (machine.observing()) machine.note(warp, site, *pattern, base);
  uint8_t* host = nullptr;
  if (inside) {
    host = (site.is_local ? warp.local : site.data) + (base - site.low);
    if (site.watched && site.is_load) machine.watch(warp, site, *pattern, base);  // a store's values are needed first
  }
  return {host, pattern, addresses, base};
}

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#endif
