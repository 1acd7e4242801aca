#include "engine/traffic/ptxas_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tilescope {
namespace {

/// A line's operations on one kind of memory. ptxas turns an atomic whose result nobody reads into a reduction.
using Place = std::tuple<std::string, uint32_t, Space, AccessKind>;

Place place_of(const std::string& file, uint32_t line, Space space, AccessKind kind) {
  const size_t slash = file.rfind('/');
  const AccessKind kept = kind == AccessKind::reduction ? AccessKind::atomic : kind;
  return {slash == std::string::npos ? file : file.substr(slash + 1), line, space, kept};
}

using Widths = std::map<uint32_t, uint32_t, std::greater<>>;  // bits → operations, widest first

std::vector<OperationCount> list_of(const Widths& widths) {
  std::vector<OperationCount> list;
  for (const auto& [bits, count] : widths) list.push_back({bits, count});
  return list;
}

/// What a lane's instruction moves, as the machine code has it: a matrix of ldmatrix is a word of every lane.
uint32_t bits_of(const Site& site) {
  const bool atomic = site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
  if (atomic) return 0;
  if (site.is_matrix) {
    if (site.ptx.find(".x4") != std::string::npos) return 128;
    return site.ptx.find(".x2") != std::string::npos ? 64 : 32;
  }
  return site.bytes_per_lane * 8;
}

bool is_changed(const Widths& ptx, const Widths& machine) {
  if (ptx.size() != machine.size()) return true;
  return !std::ranges::equal(ptx, machine,
                             [](const auto& a, const auto& b) { return a.first == b.first && a.second <= b.second; });
}

std::string widths_text(const std::vector<OperationCount>& operations, const std::string& noun) {
  if (operations.empty()) return "none";
  std::string text;
  for (const OperationCount& one : operations) {
    if (!text.empty()) text += " and ";
    text += fmt::format("{}", one.count);
    if (!noun.empty()) text += fmt::format(" {}{}", noun, one.count == 1 ? "" : "s");
    if (one.bits != 0) text += fmt::format(" of {} bits", one.bits);
  }
  return text;
}

std::string noun_of(const LineTraffic& line) {
  if (line.kind == AccessKind::async_copy) return "asynchronous copy instruction";
  return fmt::format("{} {}", name_of(line.space), name_of(line.kind));
}

}  // namespace

bool mark_changed_lines(Traffic& traffic, const AccessTrace& trace, uint32_t launch,
                        std::span<const MachineAccess> machine_code) {
  if (std::ranges::none_of(machine_code, [](const MachineAccess& access) { return access.line != 0; })) return false;
  std::map<Place, Widths> ptx, machine;
  for (const Site& site : trace.sites)
    if (site.launch == launch && site.line != 0)
      ++ptx[place_of(site.file, site.line, site.space, site.kind)][bits_of(site)];
  for (const MachineAccess& access : machine_code) {
    const bool atomic = access.kind == AccessKind::atomic || access.kind == AccessKind::reduction;
    ++machine[place_of(access.file, access.line, access.space, access.kind)][atomic ? 0 : access.bytes_per_lane * 8];
  }
  for (LineTraffic& line : traffic.lines) {
    // An asynchronous copy is one instruction; its ledger has it under global memory.
    if (line.kind == AccessKind::async_copy && line.space == Space::shared) continue;
    const Place place = place_of(line.file, line.line, line.space, line.kind);
    const auto in_ptx = ptx.find(place);
    if (in_ptx == ptx.end()) continue;
    const auto in_machine = machine.find(place);
    const Widths& widths = in_machine != machine.end() ? in_machine->second : Widths{};
    if (!is_changed(in_ptx->second, widths)) continue;
    line.changed_by_ptxas = true;
    line.ptx_operations = list_of(in_ptx->second);
    line.machine_operations = list_of(widths);
  }
  return true;
}

std::string describe_change(const LineTraffic& line) {
  if (!line.changed_by_ptxas) return {};
  return fmt::format("PTX: {}; machine code: {}", widths_text(line.ptx_operations, noun_of(line)),
                     widths_text(line.machine_operations, {}));
}

}  // namespace tilescope
