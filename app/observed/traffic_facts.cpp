#include "app/observed/traffic_facts.hpp"

#include <algorithm>
#include <cmath>

#include "engine/numbers.hpp"
#include "engine/traffic/block_order/model_error.hpp"

namespace tilescope {
namespace {

std::string bytes_of(uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

/// The buffers that the sites of a row touch, in site order.
std::string buffers_of(const RunResult& result, const LineTraffic& line) {
  std::string names;
  std::vector<int32_t> seen;
  for (const SiteCount& count : result.traffic.sites) {
    if (count.site >= result.trace.sites.size() || count.buffer < 0 || count.requests == 0) continue;
    const Site& site = result.trace.sites[count.site];
    const bool same = site.line == line.line && site.kind == line.kind && site.space == line.space &&
                      site.file == line.file && static_cast<size_t>(count.buffer) < result.traffic.buffers.size();
    if (!same || std::find(seen.begin(), seen.end(), count.buffer) != seen.end()) continue;
    seen.push_back(count.buffer);
    names += (names.empty() ? "" : ", ") + result.traffic.buffers[static_cast<size_t>(count.buffer)].name;
  }
  return names;
}

std::string operations_text(const Strings& strings, const std::vector<OperationCount>& operations) {
  if (operations.empty()) return strings("traffic.no_operation");
  std::string text;
  for (const OperationCount& one : operations) {
    if (!text.empty()) text += " + ";
    text += one.bits == 0
                ? std::to_string(one.count)
                : strings.format("traffic.operations", fmt::arg("count", one.count), fmt::arg("bits", one.bits));
  }
  return text;
}

TrafficSentence conflict_sentence(const Strings& strings, const LedgerRow& row) {
  const auto part = [&](const char* key, double figure) {
    return strings.format(key, fmt::arg("line", row.line), fmt::arg("passes", figure_text(figure)),
                          fmt::arg("needed", figure_text(row.movement.needed_per_request())));
  };
  const bool reads = row.kind == AccessKind::load;
  return {
      part(reads ? "traffic.conflict_read" : "traffic.conflict_write", row.movement.steps_per_request()),
      part(reads ? "traffic.conflict_read_reason" : "traffic.conflict_write_reason", row.movement.steps_per_request()),
      true,
      {}};
}

const char* worst_key(AccessKind kind) {
  if (kind == AccessKind::load || kind == AccessKind::async_copy) return "traffic.worst_load";
  return kind == AccessKind::store ? "traffic.worst_store" : "traffic.worst_atomic";
}

/// Waste by a few lanes once per block does not characterise a run.
bool is_worth_saying(const LedgerRow& row, const DataMovement& total) {
  return is_wasteful(row.movement) && (row.is_shared() || row.movement.wasted() * 100 >= total.moved());
}

TrafficSentence sector_sentence(const Strings& strings, const LedgerRow& row, const DataMovement& total) {
  const double wasted = 1 - total.used();
  const bool half = std::abs(wasted - 0.5) < 0.03;
  return {half ? strings("traffic.half_wasted")
               : strings.format("traffic.some_wasted", fmt::arg("wasted", percent_text(wasted))),
          strings.format(worst_key(row.kind), fmt::arg("line", row.line), fmt::arg("buffers", row.buffers),
                         fmt::arg("sectors", figure_text(row.movement.steps_per_request())),
                         fmt::arg("needed", figure_text(row.movement.needed_per_request()))),
          true,
          {}};
}

/// What serves the reads if nothing is wasted: the caches, or a number of sectors per request.
std::string reason_without_waste(const Strings& strings, const RunResult& result, const DataMovement& total) {
  uint64_t asked = 0;
  for (const LineTraffic& line : result.traffic.lines)
    if (line.space == Space::global && (line.kind == AccessKind::load || line.kind == AccessKind::async_copy))
      asked += line.sectors * kSectorBytes;
  const uint64_t device = result.hierarchy.total.device_bytes_read;
  if (result.hierarchy.modelled && device<asked&& static_cast<double>(asked - device)> 0.1 * static_cast<double>(asked))
    return strings.format("traffic.caches_serve", fmt::arg("asked", bytes_of(asked)),
                          fmt::arg("device", bytes_of(device)));
  const bool shared = total_movement(result.traffic, Space::shared).requests > 0;
  return strings.format(shared ? "traffic.sectors_serve_no_conflict" : "traffic.sectors_serve",
                        fmt::arg("sectors", figure_text(total.steps_per_request())));
}

}  // namespace

void DataMovement::add(const DataMovement& other) {
  requests += other.requests;
  sectors += other.sectors;
  useful += other.useful;
  passes += other.passes;
  needed_passes += other.needed_passes;
}

bool is_wasteful(const DataMovement& movement) {
  if (movement.passes > 0) return movement.conflicts() * 20 > movement.needed_passes;
  LineLedger ledger;
  ledger.read_bytes = movement.moved();
  ledger.useful_bytes = movement.useful;
  ledger.requests = movement.requests;
  ledger.sectors = movement.sectors;
  return ledger.wasteful();
}

DataMovement movement_of(const LineTraffic& line) {
  return {line.requests, line.sectors, line.useful_bytes, line.wavefronts, line.passes};
}

DataMovement total_movement(const Traffic& traffic, Space space) {
  DataMovement total;
  for (const LineTraffic& line : traffic.lines)
    if (line.space == space) total.add(movement_of(line));
  return total;
}

std::vector<LedgerRow> ledger_rows(const RunResult& result) {
  std::vector<LedgerRow> rows;
  for (size_t i = 0; i < result.traffic.lines.size(); ++i) {
    const LineTraffic& line = result.traffic.lines[i];
    const bool shown = line.space == Space::global || line.space == Space::shared;
    if (!shown || line.requests == 0) continue;
    rows.push_back({.line = line.line,
                    .file = line.file,
                    .buffers = buffers_of(result, line),
                    .space = line.space,
                    .kind = line.kind,
                    .movement = movement_of(line),
                    .index = i});
  }
  return rows;
}

const std::string& kind_text(const Strings& strings, Space space, AccessKind kind) {
  const bool shared = space == Space::shared;
  switch (kind) {
    case AccessKind::load:
      return strings(shared ? "traffic.shared_read" : "traffic.global_read");
    case AccessKind::store:
      return strings(shared ? "traffic.shared_write" : "traffic.global_write");
    case AccessKind::atomic:
    case AccessKind::reduction:
      return strings(shared ? "traffic.shared_atomic" : "traffic.global_atomic");
    case AccessKind::async_copy:
      break;
  }
  return strings(shared ? "traffic.shared_copy" : "traffic.global_copy");
}

std::string change_text(const Strings& strings, const LineTraffic& line) {
  if (!line.changed_by_ptxas) return {};
  return strings.format("traffic.changed_by_ptxas", fmt::arg("ptx", operations_text(strings, line.ptx_operations)),
                        fmt::arg("machine", operations_text(strings, line.machine_operations)));
}

std::string model_error_text(const Strings& strings) {
  return strings.format("traffic.model_error", fmt::arg("gpu", kDeviceReadError.gpu),
                        fmt::arg("cases", kDeviceReadError.cases),
                        fmt::arg("device", figure_text(kDeviceReadError.largest_percent)),
                        fmt::arg("read", figure_text(kL2ReadError.largest_percent)),
                        fmt::arg("written", figure_text(kL2WriteError.largest_percent)));
}

std::string figure_text(double value) {
  if (std::abs(value - std::round(value)) < 0.05) return with_separators(std::llround(value));
  return fmt::format("{:.1f}", value);
}

TrafficSentence traffic_sentence(const Strings& strings, const RunResult& result) {
  const DataMovement total = total_movement(result.traffic), shared = total_movement(result.traffic, Space::shared);
  if (total.requests + shared.requests == 0)
    return {strings("traffic.nothing_moves"), strings("traffic.nothing_counted"), false, {}};
  const LedgerRow* worst = nullptr;
  const auto rows = ledger_rows(result);
  for (const LedgerRow& row : rows)
    if (is_worth_saying(row, total) && (worst == nullptr || row.movement.wasted() > worst->movement.wasted()))
      worst = &row;
  if (worst != nullptr) {
    TrafficSentence said =
        worst->is_shared() ? conflict_sentence(strings, *worst) : sector_sentence(strings, *worst, total);
    said.worst = static_cast<size_t>(worst - rows.data());
    return said;
  }
  if (total.requests == 0)
    return {strings("traffic.only_shared"),
            strings.format("traffic.only_shared_reason", fmt::arg("passes", figure_text(shared.steps_per_request()))),
            false,
            {}};
  if (total.wasted() == 0)
    return {strings("traffic.all_used"), reason_without_waste(strings, result, total), false, {}};
  return {strings.format("traffic.most_used", fmt::arg("used", percent_text(total.used()))),
          strings.format("traffic.moved_in_vain", fmt::arg("wasted", bytes_of(total.wasted())),
                         fmt::arg("moved", bytes_of(total.moved()))),
          false,
          {}};
}

bool MemoryLine::touches(size_t sector) const {
  for (size_t byte = sector * kSectorBytes; byte < (sector + 1) * kSectorBytes; ++byte)
    if (used[byte]) return true;
  return false;
}

std::vector<MemoryLine> memory_lines(const WarpAccess& access) {
  std::vector<MemoryLine> lines;
  for (int lane = 0; lane < 32; ++lane) {
    if (!access.is_active(lane)) continue;
    const int64_t offset = access.offset[static_cast<size_t>(lane)];
    for (int64_t byte = offset; byte < offset + access.bytes_per_lane; ++byte) {
      const int64_t line = floor_divide(byte, kLineBytes);
      auto found = std::lower_bound(lines.begin(), lines.end(), line,
                                    [](const MemoryLine& one, int64_t value) { return one.line < value; });
      if (found == lines.end() || found->line != line) found = lines.insert(found, MemoryLine{line, {}});
      found->used.set(static_cast<size_t>(byte - line * static_cast<int64_t>(kLineBytes)));
    }
  }
  return lines;
}

}  // namespace tilescope
