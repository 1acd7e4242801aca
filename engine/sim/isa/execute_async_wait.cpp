// Groups of asynchronous copies, and the rare cases of a copy (PTX ISA 9.0, section 9.7.9.25.3).
#include <bit>
#include <cstring>

#include "engine/sim/isa/execute_async.hpp"
#include "engine/sim/program/isa.hpp"

namespace tilescope {

SourceLanes prepare_source(Warp& warp, const Operation* operation, const uint64_t* addresses, uint64_t offset,
                           uint32_t mask, AsyncCopies::Copy& copy) {
  copy.data = {};
  if (operation->extra == kIgnoredSource) {
    const uint32_t whole = mask & ~warp.predicate(operation->c);
    return {whole, whole};
  }
  const auto* sizes = warp.source<uint32_t>(operation->c);
  uint32_t whole = 0, part = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint32_t lane = left & (0U - left), size = sizes[std::countr_zero(left)];
    if (size >= copy.bytes)
      whole |= lane;
    else if (size != 0)
      part |= lane;
  }
  if (part == 0) return {whole, whole};
  // One request of all lanes that read something; each is checked for the bytes that it reads.
  Accesses& accesses = warp.machine->accesses();
  SiteState& site = accesses.site(operation->site);
  const uint32_t reading = whole | part;
  const uint64_t first = addresses[std::countr_zero(reading)];
  AccessPattern* pattern = accesses.find_pattern(site, addresses, first, reading);
  site.pattern = pattern;
  accesses.place(site, *pattern, first + offset);
  if (accesses.observing()) accesses.note(warp, site, *pattern, first + offset);
  for (uint32_t bytes = 1; bytes <= copy.bytes; ++bytes) {
    uint32_t lanes = 0;
    for (uint32_t left = reading; left != 0; left &= left - 1)
      if (std::min(sizes[std::countr_zero(left)], copy.bytes) == bytes) lanes |= left & (0U - left);
    if (lanes == 0) continue;
    std::array<uint8_t*, 32> host{};
    const uint32_t good =
        accesses.locate_lanes(warp, operation->site, addresses, static_cast<int64_t>(offset), lanes, host, bytes);
    for (uint32_t left = good; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      std::memcpy(copy.data[lane].data(), host[lane], bytes);
    }
  }
  return {reading, 0};
}

void read_lane_by_lane(Warp& warp, uint32_t site, const uint64_t* addresses, uint64_t offset, uint32_t mask,
                       AsyncCopies::Copy& copy) {
  std::array<uint8_t*, 32> host{};
  const uint32_t good =
      warp.machine->accesses().locate_lanes(warp, site, addresses, static_cast<int64_t>(offset), mask, host);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    copy.data[lane] = {};
    if ((good >> lane & 1) != 0) std::memcpy(copy.data[lane].data(), host[lane], copy.bytes);
  }
}

void find_targets(Warp& warp, uint32_t site, const uint64_t* addresses, uint64_t offset, uint32_t mask,
                  AsyncCopies::Copy& copy) {
  std::array<uint8_t*, 32> host{};
  copy.lanes = warp.machine->accesses().locate_lanes(warp, site, addresses, static_cast<int64_t>(offset), mask, host);
  const uint8_t* shared = warp.machine->block().shared.data();
  for (uint32_t left = copy.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    copy.offset[lane] = static_cast<uint32_t>(host[lane] - shared);
  }
  warp.machine->accesses().forget_written_prefix(site);
}

namespace {

const Operation* CommitGroup(Warp& warp, const Operation* operation, uint32_t mask) {
  warp.machine->accesses().async_copies().commit(warp.index, mask);
  return operation + 1;
}

const Operation* WaitGroup(Warp& warp, const Operation* operation, uint32_t mask) {
  Machine& machine = *warp.machine;
  machine.accesses().async_copies().wait(warp.index, mask, warp.source<uint32_t>(operation->a)[0]);
  machine.races().watch_copies_end(warp);
  return operation + 1;
}

const Operation* WaitAll(Warp& warp, const Operation* operation, uint32_t mask) {
  Machine& machine = *warp.machine;
  machine.accesses().async_copies().wait_all(warp.index, mask);
  machine.races().watch_copies_end(warp);
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> async_wait_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_ASYNC_WAIT
#include "engine/sim/program/isa.def"
#undef ISA_ASYNC_WAIT
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
