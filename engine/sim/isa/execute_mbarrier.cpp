// mbarrier objects in shared memory (PTX ISA 9.0, section 9.7.13.15), and copies that arrive at them.
//
// An object is opaque to the kernel; here its 64 bits contain
//
//   0–19 pending arrivals   20–39 arrivals that each phase expects   40–60 bytes in flight   63 parity of the phase
//
// A phase completes when no arrival is pending and no byte is in flight: then the parity flips and the next phase
// begins.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/state/async_copies.hpp"

namespace tilescope {
namespace {

constexpr uint64_t kCountMask = 0xfffff;
constexpr uint64_t kBytesMask = 0x1fffff;
constexpr uint64_t kParity = uint64_t{1} << 63;

uint32_t pending_of(uint64_t object) { return static_cast<uint32_t>(object & kCountMask); }
uint32_t expected_of(uint64_t object) { return static_cast<uint32_t>(object >> 20 & kCountMask); }
uint64_t with_pending(uint64_t object, uint32_t count) { return (object & ~kCountMask) | (count & kCountMask); }
uint64_t with_expected(uint64_t object, uint32_t count) {
  return (object & ~(kCountMask << 20)) | (count & kCountMask) << 20;
}
uint64_t add_bytes(uint64_t object, uint32_t bytes) {
  const uint64_t sum = (object >> 40) + bytes;
  return (object & ~(kBytesMask << 40)) | (sum & kBytesMask) << 40;
}

/// One lane's object.
struct Object {
  Warp& warp;
  const Operation* operation;
  uint32_t lane;
  uint8_t* host;
  uint32_t offset;  // into shared memory

  uint64_t load() const {
    uint64_t word = 0;
    std::memcpy(&word, host, sizeof(word));
    return word;
  }
  void store(uint64_t word) const {
    std::memcpy(host, &word, sizeof(word));
    warp.machine->note_update();
  }
  void report(const Phrase& what) const {
    warp.machine->findings().report_lanes(warp, operation, 1U << lane, "mbarrier-misuse", what);
  }
};

/// Calls `work` for each lane with a valid address, in ascending order.
template <class Work>
void for_each_object(Warp& warp, const Operation* operation, uint32_t mask, const Work& work) {
  Accesses& accesses = warp.machine->accesses();
  SiteState& site = accesses.site(operation->site);
  std::array<uint64_t, 32> space;
  const uint64_t* addresses = Accesses::addresses_of(warp, *operation, site, space.data());
  const uint64_t first = addresses[std::countr_zero(mask)];
  const uint64_t base = first + static_cast<uint64_t>(operation->immediate);
  AccessPattern* pattern = accesses.find_pattern(site, addresses, first, mask);
  const bool inside = accesses.place(site, *pattern, base);
  if (inside && site.watched) warp.machine->races().watch(warp, site, *pattern, base);
  if (accesses.observing()) accesses.note(warp, site, *pattern, base);
  std::array<uint8_t*, 32> host{};
  uint32_t good = accesses.locate_lanes(warp, operation->site, addresses, operation->immediate, mask, host);
  for (; good != 0; good &= good - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(good));
    const auto offset = static_cast<uint32_t>(addresses[lane] + static_cast<uint64_t>(operation->immediate));
    work(Object{warp, operation, lane, host[lane], offset});
  }
}

/// Begins the next phase if nothing is pending.
void complete(const Object& object, uint64_t word) {
  if (pending_of(word) == 0 && (word >> 40 & kBytesMask) == 0) {
    word = with_pending(word, expected_of(word)) ^ kParity;
    Accesses& accesses = object.warp.machine->accesses();
    if (accesses.copies_pending()) accesses.async_copies().complete_bound(object.offset);
  }
  object.store(word);
}

/// `count` arrivals; `dropped` of them are no longer expected in later phases.
void arrive(const Object& object, uint64_t word, uint32_t count, uint32_t dropped, bool may_complete) {
  object.warp.machine->races().watch_release(object.warp, object.offset);
  const uint32_t pending = pending_of(word);
  if (count > pending || count == 0) {
    object.report(phrase("{} arrivals at a barrier whose phase waits for {}", count, pending));
    return;
  }
  if (!may_complete && count == pending) object.report(Phrase("an arrival with .noComplete completes the phase"));
  word = with_expected(word, expected_of(word) - std::min(dropped, expected_of(word)));
  complete(object, with_pending(word, pending - count));
}

const Operation* Initialise(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* counts = warp.source<uint32_t>(operation->b);
  for_each_object(warp, operation, mask, [&](const Object& object) {
    const uint32_t count = counts[object.lane];
    if (count == 0 || count > kCountMask)
      object.report(phrase("a barrier is initialised for {} arrivals; it may have 1 to {}", count, kCountMask));
    object.store(with_expected(with_pending(0, count), count));
    warp.machine->races().watch_release(warp, object.offset);
  });
  return operation + 1;
}

const Operation* Invalidate(Warp& warp, const Operation* operation, uint32_t mask) {
  for_each_object(warp, operation, mask, [](const Object& object) { object.store(0); });
  return operation + 1;
}

enum class Drop : bool { no, yes };
enum class Complete : bool { no, yes };

/// The count is the second operand, or 1. The result is the state before: its parity identifies the phase of the
/// arrival.
template <Drop drop, Complete may_complete>
const Operation* Arrive(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* counts = warp.source<uint32_t>(operation->b);
  auto* states = warp.destination<uint64_t>(operation->dst);
  std::array<uint32_t, 32> count{};
  std::memcpy(count.data(), counts, sizeof(count));
  for_each_object(warp, operation, mask, [&](const Object& object) {
    const uint64_t word = object.load();
    const uint32_t arrivals = count[object.lane] == 0 ? 1 : count[object.lane];
    states[object.lane] = word;
    arrive(object, word, arrivals, drop == Drop::yes ? arrivals : 0, may_complete == Complete::yes);
  });
  return operation + 1;
}

/// Expects more bytes, then arrives.
template <Drop drop>
const Operation* ArriveExpecting(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<uint32_t, 32> bytes{};
  std::memcpy(bytes.data(), warp.source<uint32_t>(operation->b), sizeof(bytes));
  auto* states = warp.destination<uint64_t>(operation->dst);
  for_each_object(warp, operation, mask, [&](const Object& object) {
    const uint64_t word = object.load();
    states[object.lane] = word;
    arrive(object, add_bytes(word, bytes[object.lane]), 1, drop == Drop::yes ? 1 : 0, true);
  });
  return operation + 1;
}

const Operation* ExpectBytes(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* bytes = warp.source<uint32_t>(operation->b);
  for_each_object(warp, operation, mask,
                  [&](const Object& object) { object.store(add_bytes(object.load(), bytes[object.lane])); });
  return operation + 1;
}
const Operation* CompleteBytes(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* bytes = warp.source<uint32_t>(operation->b);
  for_each_object(warp, operation, mask, [&](const Object& object) {
    warp.machine->races().watch_release(warp, object.offset);
    complete(object, add_bytes(object.load(), 0U - bytes[object.lane]));
  });
  return operation + 1;
}

/// Whether the phase of a state, or of a parity, has completed. A warp that has to wait lets the others continue.
template <class T>
const Operation* TestWait(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* phases = warp.source<T>(operation->b);
  uint32_t done = 0;
  for_each_object(warp, operation, mask, [&](const Object& object) {
    const bool parity = sizeof(T) == 8 ? (phases[object.lane] & kParity) != 0 : (phases[object.lane] & 1) != 0;
    if (((object.load() & kParity) != 0) == parity) return;
    done |= 1U << object.lane;
    warp.machine->races().watch_acquire(warp, object.offset);
  });
  warp.set_predicate(operation->dst, done, mask);
  if (done != mask && warp.slice > 1) warp.slice = 1;
  return operation + 1;
}

const Operation* PendingCount(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* states = warp.source<uint64_t>(operation->a);
  auto* counts = warp.destination<uint32_t>(operation->dst);
  std::array<uint32_t, 32> result{};
  for (size_t lane = 0; lane < 32; ++lane) result[lane] = pending_of(states[lane]);
  for (size_t lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0) counts[lane] = result[lane];
  return operation + 1;
}

/// The lane's copies so far arrive when the barrier's phase completes. They count as one arrival of this phase: an
/// expected one (.noinc), or an additional one.
template <bool counted>
const Operation* ArriveWithCopies(Warp& warp, const Operation* operation, uint32_t mask) {
  Machine& machine = *warp.machine;
  for_each_object(warp, operation, mask, [&](const Object& object) {
    machine.accesses().async_copies().bind(warp.index, object.lane, object.offset);
    machine.races().watch_copies_end(warp);  // warps that wait at the barrier see their bytes
    machine.races().watch_release(warp, object.offset);
    if (counted) arrive(object, object.load(), 1, 0, true);
  });
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> mbarrier_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_MBARRIER
#include "engine/sim/program/isa.def"
#undef ISA_MBARRIER
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
