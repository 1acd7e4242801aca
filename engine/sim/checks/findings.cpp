#include "engine/sim/checks/findings.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "engine/sim/checks/race_findings.hpp"
#include "engine/sim/program/shared_names.hpp"
#include "engine/sim/state/block_follower.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostFindings = 64;

/// The finding with the same kind and line, or null.
NotedFinding* find_known(ChunkRecord& record, const Program& program, uint32_t operation, FindingId id) {
  for (NotedFinding& noted : record.findings)
    if (noted.finding.id == id.text() && is_same_line(program, noted.operation, operation)) return &noted;
  return nullptr;
}

}  // namespace

Phrase verb_of(const MemorySite& site) {
  return Phrase(!writes_memory(site) ? "read" : !reads_memory(site) ? "write" : "atomic");
}

bool Findings::count_again(uint32_t operation, uint32_t lanes, FindingId id) {
  NotedFinding* known = setup_.follower == nullptr ? find_known(*running_.record, program_, operation, id) : nullptr;
  if (known != nullptr) known->finding.count += lanes;
  return known != nullptr;
}

void Findings::report(Warp& warp, uint32_t operation, uint32_t lane, uint32_t lanes, FindingId id, const Phrase& what,
                      const Extent* extent, int64_t offset, const FindingPlace* place) {
  if (!setup_.checks && (id == "out-of-bounds" || id == "use-after-free" || id == "misaligned" ||
                         id == "uninitialised-read" || id == "read-only-write" || id == "atomic-on-local"))
    return;
  if (setup_.follower != nullptr) setup_.follower->note_finding(*running_.block, warp, operation, lane, id, what);
  if (NotedFinding* known = find_known(*running_.record, program_, operation, id)) {
    known->finding.count += lanes;
    return;
  }
  if (running_.record->findings.size() >= kMostFindings) return;
  Finding finding;
  finding.id = id.text();
  finding.count = lanes;
  if (place == nullptr) {
    set_place(finding, program_, operation);
  } else {
    finding.file = place->file;
    finding.line = place->line;
    finding.where = phrase("{}:{}", finding.file, finding.line);
  }
  finding.block = running_.block->id;
  finding.thread = unflatten(uint64_t{warp.index} * 32 + lane, setup_.block);
  if (extent != nullptr) finding.buffer = extent->name;
  finding.offset = offset;
  finding.what = what;
  finding.message = sentence_of(finding).english();
  running_.record->findings.push_back({std::move(finding), operation});
}

void Findings::report_lanes(Warp& warp, const Operation* operation, uint32_t lanes, FindingId id, const Phrase& what) {
  report(warp, static_cast<uint32_t>(operation - program_.operations.data()),
         static_cast<uint32_t>(std::countr_zero(lanes)), static_cast<uint32_t>(std::popcount(lanes)), id, what, nullptr,
         0);
}

void Findings::stop(Warp& warp, const Operation* operation, uint32_t lanes, FindingId id, const Phrase& what,
                    const FindingPlace* place) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  report(warp, static_cast<uint32_t>(operation - warp.code), lane, static_cast<uint32_t>(std::popcount(lanes)), id,
         what, nullptr, 0, place);
  warp.state = Warp::State::trapped;
  running_.block->stopped = true;
}

void Findings::trap(Warp& warp, const Operation* operation, uint32_t lanes) {
  stop(warp, operation, lanes & (~lanes + 1), "trap", Phrase("the kernel stopped itself"));
}

void Findings::report_string(Warp& warp, const Operation* operation, size_t lane, uint64_t address) {
  const Extent* extent = running_.memory.nearest(address);
  report(warp, static_cast<uint32_t>(operation - warp.code), static_cast<uint32_t>(lane), 1, "out-of-bounds",
         phrase("printf reads a string at {}", place_text(extent, address)), extent,
         extent == nullptr ? 0 : static_cast<int64_t>(address - extent->low));
}

void Findings::report_free(Warp& warp, const Operation* operation, size_t lane, FindingId id, uint64_t address) {
  const Extent* extent = running_.memory.nearest(address);
  report(warp, static_cast<uint32_t>(operation - warp.code), static_cast<uint32_t>(lane), 1, id,
         id == FindingId("double-free")
             ? phrase("free of {}, which is free already", place_text(extent, address))
             : phrase("free of {}, which malloc has not returned", place_text(extent, address)),
         extent, extent == nullptr ? 0 : static_cast<int64_t>(address - extent->low));
}

void Findings::report_texel(Warp& warp, const Operation* operation, size_t lane, uint64_t address, size_t bytes) {
  const Extent* extent = running_.memory.nearest(address);
  const auto index = static_cast<uint32_t>(operation - warp.code);
  if (extent == nullptr) return;
  if (extent->made_on_read != nullptr) return extent->made_on_read->make_contents(address - extent->low, bytes);
  if (!setup_.checks || count_again(index, 1, "uninitialised-read")) return;
  report(warp, index, static_cast<uint32_t>(lane), 1, "uninitialised-read",
         phrase("texture read of {} bytes at {}", bytes, place_text(extent, address)), extent,
         static_cast<int64_t>(address - extent->low));
}

std::string_view Findings::name_of_operation(const Operation* operation) const {
  const OperationDetail& detail = program_.details[static_cast<size_t>(operation - program_.operations.data())];
  const std::string_view opcode = program_.function->instructions[detail.instruction].opcode;
  const size_t sync = opcode.find(".sync");
  return sync == std::string_view::npos || opcode.starts_with("bar") ? opcode : opcode.substr(0, sync + 5);
}

Phrase Findings::line_text(const Operation* operation) const {
  const OperationDetail& detail = program_.details[static_cast<size_t>(operation - program_.operations.data())];
  if (detail.line != 0) return phrase("line {}", detail.line);
  return Phrase(program_.function->instructions[detail.instruction].text);
}

Phrase Findings::place_text(const Extent* extent, uint64_t address) const {
  if (const uint64_t offset = address - kSharedWindow; address >> kRegionBits == kSharedWindow >> kRegionBits) {
    const bool is_forgotten = setup_.dynamic_shared_bytes == 0 && offset >= program_.dynamic_shared_offset;
    if (const std::string names = is_forgotten ? setup_.shared_names->dynamic_arrays() : std::string(); !names.empty())
      return phrase("the extern __shared__ array {}, which has 0 bytes in this launch (--shared sets them)", names);
    if (extent != nullptr) return shared_place(setup_, offset);
  }
  if (extent == nullptr) return phrase("address {} (no buffer)", fmt::format("{:#x}", address));
  const auto offset = static_cast<int64_t>(address - extent->low);
  const std::string from = fmt::format("{:+}", offset);
  const bool is_window = extent->space == Space::shared || extent->space == Space::local;
  const Phrase place = is_window ? phrase("{}{}", Phrase::translatable(extent->name), from) : extent->name + from;
  const uint64_t bytes = extent->is_released ? extent->released_bytes : extent->bytes();
  if (extent->buffer >= 0) return phrase("{} (buffer of {} bytes)", place, bytes);
  if (extent->low >> kRegionBits == kHeapWindow >> kRegionBits)
    return phrase("{} (allocation of {} bytes)", place, bytes);
  if (extent->space == Space::global) return phrase("{} (variable of {} bytes)", place, bytes);
  if (extent->space == Space::constant) return phrase("{} (constant of {} bytes)", place, bytes);
  return phrase("{} (window of {} bytes)", place, bytes);
}

}  // namespace tilescope
