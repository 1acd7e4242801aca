#include "engine/sim/checks/race_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/sim/program/shared_names.hpp"

namespace tilescope {
namespace {

Phrase access_verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return Phrase("read");
    case AccessKind::store:
      return Phrase("write");
    case AccessKind::async_copy:
      return Phrase("asynchronous write");
    default:
      return Phrase("atomic");
  }
}

std::string coordinates(Dim3 place) { return fmt::format("({},{},{})", place.x, place.y, place.z); }

/// One side of a race, as named in messages.
struct NamedSide {
  const MemorySite* site;
  Dim3 block, thread;
};

NotedFinding make_finding(const LaunchSetup& setup, FindingId id, const NamedSide& side, const NamedSide& other,
                          const Phrase& where, const Phrase& by) {
  const Program& program = *setup.program;
  NotedFinding noted;
  noted.operation = side.site->operation;
  noted.other = other.site->operation;
  Finding& finding = noted.finding;
  finding.id = id.text();
  set_place(finding, program, noted.operation);
  finding.block = side.block;
  finding.thread = side.thread;
  finding.what = phrase("{} of {} bytes at {}", access_verb(side.site->kind), side.site->bytes_per_lane, where);
  finding.other = phrase("{} at {} by {}", access_verb(other.site->kind), location_of(program, noted.other), by);
  const OperationDetail& of_other = program.details[noted.other];
  finding.other_file = program.files[of_other.file];
  if (of_other.header_line != 0) finding.other_header_file = program.files[of_other.header_file];
  finding.message = sentence_of(finding).english();
  return noted;
}

}  // namespace

Phrase location_of(const Program& program, uint32_t operation) {
  const OperationDetail& detail = program.details[operation];
  if (detail.line == 0) return Phrase(program.function->instructions[detail.instruction].text);
  if (detail.header_line == 0) return phrase("{}:{}", program.files[detail.file], detail.line);
  return phrase("{}:{}, called at {}:{}", program.files[detail.header_file], detail.header_line,
                program.files[detail.file], detail.line);
}

bool is_same_line(const Program& program, uint32_t a, uint32_t b) {
  const OperationDetail &of_a = program.details[a], &of_b = program.details[b];
  if (of_a.line == 0 || of_b.line == 0) return a == b;
  return of_a.line == of_b.line && of_a.file == of_b.file && of_a.header_line == of_b.header_line &&
         of_a.header_file == of_b.header_file;
}

void set_place(Finding& finding, const Program& program, uint32_t operation) {
  const OperationDetail& detail = program.details[operation];
  finding.file = program.files[detail.file];
  finding.line = detail.line;
  if (detail.header_line != 0) {
    finding.header_file = program.files[detail.header_file];
    finding.header_line = detail.header_line;
  }
  finding.where = location_of(program, operation);
}

Phrase shared_place(const LaunchSetup& setup, uint64_t offset) {
  if (const auto element = setup.shared_names->element(offset))
    return phrase("{} (shared memory of {} bytes)", *element, setup.shared_bytes);
  return phrase("shared memory+{} (window of {} bytes)", offset, setup.shared_bytes);
}

/// Names the writing side first, or of two writes the later one.
NotedFinding describe_race(const LaunchSetup& setup, Dim3 block, const SharedRace& race) {
  const Program& program = *setup.program;
  const auto named = [&](const RaceSide& side) {
    return NamedSide{&program.sites[side.site], block, unflatten(uint64_t{side.warp} * 32 + side.lane, setup.block)};
  };
  NamedSide side = named(race.second), other = named(race.first);
  if (side.site->kind == AccessKind::load) std::swap(side, other);
  const std::string thread = coordinates(other.thread);
  Phrase by = phrase("thread {} with no barrier between", thread);
  if (race.kind == RaceKind::within_warp || race.kind == RaceKind::volatile_lanes)
    by = phrase("thread {} of the same warp with no __syncwarp() between", thread);
  if (race.kind == RaceKind::one_store) by = phrase("thread {} by the same instruction with a different value", thread);
  NotedFinding noted = make_finding(
      setup, race.kind == RaceKind::volatile_lanes ? FindingId("missing-syncwarp") : FindingId("shared-race"), side,
      other, shared_place(setup, race.offset), by);
  noted.finding.count = race.count;
  noted.finding.buffer = "shared memory";
  noted.finding.offset = race.offset;
  noted.gives_way = race.kind == RaceKind::within_warp;
  if (race.same_value && race.kind != RaceKind::one_store)
    noted.doubtful = static_cast<uint32_t>(side.site - program.sites.data());
  return noted;
}

NotedFinding describe_race(const LaunchSetup& setup, const GlobalRace& race) {
  const Program& program = *setup.program;
  const auto named = [&](const GlobalAccessor& who) {
    return NamedSide{&program.sites[who.site], unflatten(who.block, setup.grid), unflatten(who.thread, setup.block)};
  };
  NamedSide side = named(race.second), other = named(race.first);
  if (side.site->kind == AccessKind::load) std::swap(side, other);
  const Extent* extent = setup.memory.nearest(race.address);
  const auto offset = static_cast<int64_t>(race.address - (extent == nullptr ? 0 : extent->low));
  Phrase where = phrase("address {}", fmt::format("{:#x}", race.address));
  if (extent != nullptr) {
    const std::string place = fmt::format("{}{:+}", extent->name, offset);
    where = extent->buffer >= 0 ? phrase("{} (buffer of {} bytes)", place, extent->bytes())
                                : phrase("{} (variable of {} bytes)", place, extent->bytes());
  }
  const std::string thread = coordinates(other.thread);
  Phrase by = phrase("block {} thread {} with nothing that orders the blocks", coordinates(other.block), thread);
  if (race.one_store)
    by = phrase("thread {} by the same instruction with a different value", thread);
  else if (race.first.block == race.second.block)
    by = phrase("thread {} of the same block with no barrier between", thread);
  NotedFinding noted = make_finding(setup, "global-race", side, other, where, by);
  noted.finding.count = race.count;
  noted.finding.buffer = extent == nullptr ? "" : extent->name;
  noted.finding.offset = offset;
  noted.gives_way = race.first.block == race.second.block && !race.one_store;
  if (race.same_value && !race.one_store) noted.doubtful = static_cast<uint32_t>(side.site - program.sites.data());
  return noted;
}

void merge_finding(NotedFinding& into, NotedFinding from) {
  if (into.gives_way && !from.gives_way) std::swap(into, from);
  into.finding.count += from.finding.count;
}

bool is_same_finding(const Program& program, const NotedFinding& a, const NotedFinding& b) {
  if (a.finding.id != b.finding.id || (a.other == kNoIndex) != (b.other == kNoIndex)) return false;
  if (a.doubtful != b.doubtful) return false;
  if (!is_same_line(program, a.operation, b.operation)) return false;
  return a.other == kNoIndex || is_same_line(program, a.other, b.other);
}

}  // namespace tilescope
