#include "engine/sim/race_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tilescope {
namespace {

std::string_view verb_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "read";
    case AccessKind::store:
      return "write";
    case AccessKind::async_copy:
      return "asynchronous write";
    default:
      return "atomic";
  }
}

std::string coordinates(Dim3 place) { return fmt::format("({},{},{})", place.x, place.y, place.z); }

/// "kernels/x.cu:12", or the instruction where the compiler gave no line.
std::string place_of(const Program& program, uint32_t operation) {
  const OperationDetail& detail = program.details[operation];
  if (detail.line != 0) return fmt::format("{}:{}", program.files[detail.file], detail.line);
  return std::string(program.function->instructions[detail.instruction].text);
}

/// One side, as messages name it.
struct NamedSide {
  const MemorySite* site;
  Dim3 block, thread;
};

NotedFinding make_finding(const LaunchSetup& setup, std::string_view id, const NamedSide& side, const NamedSide& other,
                          const std::string& where, const std::string& other_text) {
  const Program& program = *setup.program;
  NotedFinding noted;
  noted.operation = side.site->operation;
  noted.other = other.site->operation;
  Finding& finding = noted.finding;
  const OperationDetail& detail = program.details[noted.operation];
  finding.id = id;
  finding.file = program.files[detail.file];
  finding.line = detail.line;
  finding.block = side.block;
  finding.thread = side.thread;
  std::string words(id);
  std::replace(words.begin(), words.end(), '-', ' ');
  finding.message = fmt::format("{}: {} of {} bytes at {}, {}, block {} thread {}, and {} at {} by {}", words,
                                verb_of(side.site->kind), side.site->bytes_per_lane, where,
                                place_of(program, noted.operation), coordinates(side.block), coordinates(side.thread),
                                verb_of(other.site->kind), place_of(program, noted.other), other_text);
  return noted;
}

}  // namespace

/// Names the writing side first, or of two writes the later one.
NotedFinding describe_race(const LaunchSetup& setup, Dim3 block, const SharedRace& race) {
  const Program& program = *setup.program;
  const auto named = [&](const RaceSide& side) {
    return NamedSide{&program.sites[side.site], block, unflatten(uint64_t{side.warp} * 32 + side.lane, setup.block)};
  };
  NamedSide side = named(race.second), other = named(race.first);
  if (side.site->kind == AccessKind::load) std::swap(side, other);
  std::string_view why = "with no barrier between";
  if (race.kind == RaceKind::within_warp || race.kind == RaceKind::volatile_lanes)
    why = "of the same warp with no __syncwarp() between";
  if (race.kind == RaceKind::one_store) why = "by the same instruction with another value";
  NotedFinding noted =
      make_finding(setup, race.kind == RaceKind::volatile_lanes ? "missing-syncwarp" : "shared-race", side, other,
                   fmt::format("shared memory+{} (window of {} bytes)", race.offset, setup.shared_bytes),
                   fmt::format("thread {} {}", coordinates(other.thread), why));
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
  const std::string where = extent == nullptr
                                ? fmt::format("address {:#x}", race.address)
                                : fmt::format("{}{:+} ({} of {} bytes)", extent->name, offset,
                                              extent->buffer >= 0 ? "buffer" : "variable", extent->bytes());
  std::string other_text = fmt::format("block {} thread {}", coordinates(other.block), coordinates(other.thread));
  if (race.one_store)
    other_text = fmt::format("thread {} by the same instruction with another value", coordinates(other.thread));
  else if (race.first.block == race.second.block)
    other_text = fmt::format("thread {} of the same block with no barrier between", coordinates(other.thread));
  else
    other_text += " with nothing that orders the blocks";
  NotedFinding noted = make_finding(setup, "global-race", side, other, where, other_text);
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
  const auto same_place = [&](uint32_t x, uint32_t y) {
    const OperationDetail &of_x = program.details[x], &of_y = program.details[y];
    if (of_x.line == 0 || of_y.line == 0) return x == y;
    return of_x.line == of_y.line && of_x.file == of_y.file;
  };
  if (!same_place(a.operation, b.operation)) return false;
  return a.other == kNoIndex || same_place(a.other, b.other);
}

void watch_written_memory(LaunchSetup& setup) {
  const Program& program = *setup.program;
  const WrittenMemory& written = program.written;
  if (program.sites.size() > 0xffff || setup.grid.count() > 0xffffffff) return;
  if (written.anywhere) setup.memory.watch_all();
  if (written.variables) setup.memory.watch_region(kModuleWindow);
  for (uint32_t offset : written.parameters) {
    uint64_t address = 0;
    if (uint64_t{offset} + sizeof(address) > setup.parameters.size()) continue;
    std::memcpy(&address, setup.parameters.data() + offset, sizeof(address));
    setup.memory.watch(address);
  }
  setup.watch_global = written.anywhere || written.variables || !written.parameters.empty();
}

}  // namespace tilescope
