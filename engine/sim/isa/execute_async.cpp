// Asynchronous copies from global to shared memory (PTX ISA 9.0, section 9.7.9.25.3). state/async_copies.hpp defines
// when they arrive.
//
// Fields of an operation: a, b are the addresses in shared and global memory; c is the source size or the predicate
// that ignores the source, as given by `extra`; the offsets of both addresses share `immediate` (pack_offsets). Its two
// sites are adjacent: its read, then its write.
#include "engine/sim/isa/execute_async.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_async.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"
#include "engine/sim/isa/locate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace async {

using Copy = AsyncCopies::Copy;

/// 64-bit addresses of the lanes.
HWY_INLINE const uint64_t* widened(const Warp& warp, uint16_t slot, const SiteState& site, uint64_t* space) {
  if (!site.narrow_address) return warp.source<uint64_t>(slot);
  const auto* narrow = warp.source<uint32_t>(slot);
  for (size_t i = 0; i < 32; ++i) space[i] = narrow[i];
  return space;
}

/// Performs the reads of the lanes of `whole`, which copy all bytes; the other lanes' data is already zero.
HWY_INLINE void read_source(Warp& warp, uint32_t site_index, const uint64_t* addresses, uint64_t offset, uint32_t mask,
                            Copy& copy) {
  SiteState& site = warp.machine->accesses().site(site_index);
  const Place place = locate_at(warp, site, addresses, offset, mask);
  if (place.host == nullptr || site.lane_stride != 0)
    return read_lane_by_lane(warp, site_index, addresses, offset, mask, copy);
  if (site.written != nullptr && !inside_written_prefix(site, place))
    check_written(warp, site_index, site, place, mask);
  const auto gather = [&](auto size) {
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      std::memcpy(copy.data[lane].data(), place.host + place.pattern->delta[lane], size());
    }
  };
  if (copy.bytes == 16)
    gather(std::integral_constant<size_t, 16>());
  else if (copy.bytes == 8)
    gather(std::integral_constant<size_t, 8>());
  else
    gather(std::integral_constant<size_t, 4>());
}

/// The lanes that read something: the others fill with zeros.
HWY_INLINE uint32_t read_sources(Warp& warp, const Operation* operation, const uint64_t* addresses, uint64_t offset,
                                 uint32_t mask, Copy& copy) {
  SourceLanes lanes{mask, mask};
  if (operation->extra != kWholeSource) lanes = prepare_source(warp, operation, addresses, offset, mask, copy);
  if (lanes.whole != 0) read_source(warp, operation->site, addresses, offset, lanes.whole, copy);
  return lanes.reading;
}

/// Copies that bypass the L1 count sectors differently from those through it.
template <bool kPastL1>
const Operation* CopyAsync(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint64_t target_space[32], source_space[32];
  Accesses& accesses = warp.machine->accesses();
  SiteState& from = accesses.site(operation->site);
  SiteState& to = accesses.site(operation->site + 1);
  AsyncCopies& copies = accesses.async_copies();
  Copy& copy = copies.prepare(warp.index);
  copy.operation = static_cast<uint32_t>(operation - warp.code);
  copy.bytes = from.bytes_per_lane;

  const uint64_t* sources = widened(warp, operation->b, from, source_space);
  const uint64_t source_offset = static_cast<uint64_t>(global_offset(*operation));
  const uint32_t reading = read_sources(warp, operation, sources, source_offset, mask, copy);

  const uint64_t* targets = widened(warp, operation->a, to, target_space);
  const uint64_t target_offset = kSharedWindow + static_cast<uint64_t>(shared_offset(*operation));
  const Place place = locate_at(warp, to, targets, target_offset, mask);
  if (kPastL1 && reading != 0 && accesses.observing()) {
    const uint64_t first = sources[std::countr_zero(reading)];
    if (from.pattern == nullptr)  // discarded when the target's pattern was new
      from.pattern = accesses.find_pattern(from, sources, first, reading);
    accesses.correct_past_l1(from, *from.pattern, first + source_offset, *place.pattern, place.base);
  }
  if (place.host != nullptr && to.is_shared) {
    if (to.watched) warp.machine->races().watch_copy(warp, operation->site + 1, *place.pattern, place.base);
    const auto base = static_cast<uint32_t>(place.base - to.low);
    for (size_t lane = 0; lane < 32; ++lane)
      copy.offset[lane] = base + static_cast<uint32_t>(place.pattern->delta[lane]);
    copy.lanes = mask;
    if (to.written != nullptr)
      *to.written_prefix = std::min(*to.written_prefix, base + static_cast<uint64_t>(place.pattern->lowest));
  } else {
    find_targets(warp, operation->site + 1, targets, target_offset, mask, copy);
  }
  copies.issue(warp.index, copy);
  return operation + 1;
}

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_ASYNC_COPY
#include "engine/sim/program/isa.def"
#undef ISA_ASYNC_COPY
#undef ISA
  };
  return kRows;
}

}  // namespace async

std::span<const IsaRow> rows_of_async_copy() { return async::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_async_copy);
std::span<const IsaRow> async_copy_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_async_copy)(); }

}  // namespace tilescope
#endif
