#include "engine/traffic/access/ptxas_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/text.hpp"

namespace tilescope {
namespace {

/// A line's operations on one kind of memory. ptxas turns an atomic whose result is unused into a reduction.
using Place = std::tuple<std::string, uint32_t, Space, AccessKind>;

Place place_of(const std::string& file, uint32_t line, Space space, AccessKind kind) {
  const AccessKind kept = kind == AccessKind::reduction ? AccessKind::atomic : kind;
  return {std::string(file_part(file)), line, space, kept};
}

using Widths = std::map<uint32_t, uint32_t, std::greater<>>;  // bits → operations, widest first

std::vector<OperationCount> list_of(const Widths& widths) {
  std::vector<OperationCount> list;
  for (const auto& [bits, count] : widths) list.push_back({bits, count});
  return list;
}

/// The width of a lane's operation in the machine code: a matrix of ldmatrix is one word per lane.
uint32_t site_bits(const Site& site) {
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

/// The operations of both sides, by the line of the kernel's file and by the line itself, which may be in a header.
class Comparison {
 public:
  void add(const Site& site) {
    const Place place = place_of(site.file, site.line, site.space, site.kind);
    const Place origin = place_of(site.origin_file, site.origin_line, site.space, site.kind);
    ++ptx_[place][site_bits(site)];
    lines_of_[origin].insert(place);
    origins_of_[place].insert(origin);
  }
  void add(const MachineAccess& access) {
    const bool atomic = access.kind == AccessKind::atomic || access.kind == AccessKind::reduction;
    ++machine_[place_of(access.file, access.line, access.space, access.kind)][atomic ? 0 : access.bytes_per_lane * 8];
  }

  void mark(LineTraffic& line) const {
    const Place place = place_of(line.file, line.line, line.space, line.kind);
    const auto in_ptx = ptx_.find(place);
    if (in_ptx == ptx_.end()) return;
    const Widths machine = sum(machine_, with_origins({place}));
    if (!is_changed(in_ptx->second, machine)) return;
    // ptxas records only one caller per header line: if two lines call it, the operations of both may be attributed to
    // one of them. So it counts as a change only if it is one for all of these lines together.
    const std::set<Place> callers = callers_of_same(place);
    if (!is_changed(sum(ptx_, callers), sum(machine_, with_origins(callers)))) return;
    line.changed_by_ptxas = true;
    line.ptx_operations = list_of(in_ptx->second);
    line.machine_operations = list_of(machine);
  }

 private:
  using Operations = std::map<Place, Widths>;

  static Widths sum(const Operations& operations, const std::set<Place>& places) {
    Widths all;
    for (const Place& place : places)
      if (const auto found = operations.find(place); found != operations.end())
        for (const auto& [bits, count] : found->second) all[bits] += count;
    return all;
  }
  /// These lines and what they inlined: for Triton's PTX, whose .loc names no caller, ptxas records the inlined lines
  /// themselves.
  std::set<Place> with_origins(const std::set<Place>& places) const {
    std::set<Place> all = places;
    for (const Place& place : places)
      if (const auto origins = origins_of_.find(place); origins != origins_of_.end())
        for (const Place& origin : origins->second)
          if (std::get<1>(origin) != 0) all.insert(origin);  // a line
    return all;
  }
  /// The line, and those at which the same header lines were inlined.
  std::set<Place> callers_of_same(const Place& place) const {
    std::set<Place> callers{place};
    for (const Place& origin : origins_of_.at(place))
      callers.insert(lines_of_.at(origin).begin(), lines_of_.at(origin).end());
    return callers;
  }

  Operations ptx_, machine_;
  std::map<Place, std::set<Place>> lines_of_, origins_of_;
};

}  // namespace

bool mark_changed_lines(Traffic& traffic, const AccessTrace& trace, uint32_t launch,
                        std::span<const MachineAccess> machine_code) {
  if (std::ranges::none_of(machine_code, [](const MachineAccess& access) { return access.line != 0; })) return false;
  Comparison comparison;
  for (const Site& site : trace.sites)
    if (site.launch == launch && site.line != 0) comparison.add(site);
  for (const MachineAccess& access : machine_code) comparison.add(access);
  for (LineTraffic& line : traffic.lines) {
    // An asynchronous copy is one instruction; the ledger lists it under global memory.
    if (line.kind == AccessKind::async_copy && line.space == Space::shared) continue;
    comparison.mark(line);
  }
  return true;
}

std::string describe_change(const LineTraffic& line) {
  if (!line.changed_by_ptxas) return {};
  return fmt::format("PTX: {}; machine code: {}", widths_text(line.ptx_operations, noun_of(line)),
                     widths_text(line.machine_operations, {}));
}

}  // namespace tilescope
