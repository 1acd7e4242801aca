#include "app/panels/traffic_facts.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {

bool is_wasteful(const DataMovement& movement) {
  LineLedger ledger;
  ledger.read_bytes = movement.moved();
  ledger.useful_bytes = movement.useful;
  ledger.requests = movement.requests;
  ledger.sectors = movement.sectors;
  return ledger.wasteful();
}

DataMovement total_movement(const Traffic& traffic) {
  const Counters& counted = traffic.counters;
  return {counted.global_load_requests + counted.global_store_requests,
          counted.global_load_sectors + counted.global_store_sectors,
          counted.global_load_bytes_useful + counted.global_store_bytes_useful};
}

std::vector<Band> bands_of(const Traffic& traffic) {
  std::vector<Band> bands;
  for (const bool write : {false, true})
    for (size_t i = 0; i < traffic.buffers.size(); ++i) {
      const BufferTraffic& one = traffic.buffers[i];
      const DataMovement movement = write ? DataMovement{one.write_requests, one.write_sectors, one.write_useful}
                                          : DataMovement{one.read_requests, one.read_sectors, one.read_useful};
      if (movement.requests > 0) bands.push_back({i, one.name, write, movement});
    }
  return bands;
}

std::vector<LedgerRow> ledger_rows(const RunResult& result) {
  std::vector<LedgerRow> rows;
  for (const LineTraffic& line : result.traffic.lines) {
    if (line.space != Space::global || line.requests == 0) continue;
    LedgerRow row{.line = line.line,
                  .file = line.file,
                  .buffers = {},
                  .kind = line.kind,
                  .movement = {line.requests, line.sectors, line.useful_bytes}};
    std::vector<int32_t> seen;
    for (const SiteCount& count : result.traffic.sites) {
      if (count.site >= result.trace.sites.size() || count.buffer < 0 || count.requests == 0) continue;
      const Site& site = result.trace.sites[count.site];
      const bool same = site.line == line.line && site.kind == line.kind && site.space == line.space &&
                        site.file == line.file && static_cast<size_t>(count.buffer) < result.traffic.buffers.size();
      if (!same || std::find(seen.begin(), seen.end(), count.buffer) != seen.end()) continue;
      seen.push_back(count.buffer);
      row.buffers += (row.buffers.empty() ? "" : ", ") + result.traffic.buffers[static_cast<size_t>(count.buffer)].name;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string figure_text(double value) {
  if (std::abs(value - std::round(value)) < 0.05) return with_separators(std::llround(value));
  return fmt::format("{:.1f}", value);
}

std::string percent_text(double fraction) {
  const double percent = fraction * 100;
  if (percent > 99.95 && fraction < 1) return "99.9%";  // 100% is said only of all
  if (std::abs(percent - std::round(percent)) < 0.05) return fmt::format("{}%", std::llround(percent));
  return fmt::format("{:.1f}%", percent);
}

TrafficSentence traffic_sentence(const Strings& strings, const RunResult& result) {
  const DataMovement total = total_movement(result.traffic);
  if (total.requests == 0) return {strings("traffic.nothing_moves"), strings("traffic.nothing_counted"), false};
  const std::string sectors = figure_text(total.sectors_per_request());
  if (total.wasted() == 0)
    return {strings("traffic.all_used"), strings.format("traffic.sectors_serve", fmt::arg("sectors", sectors)), false};
  const LedgerRow* worst = nullptr;
  const auto rows = ledger_rows(result);
  for (const LedgerRow& row : rows)
    if (is_wasteful(row.movement) && (worst == nullptr || row.movement.wasted() > worst->movement.wasted()))
      worst = &row;
  const double wasted = 1 - total.used();
  if (worst == nullptr)
    return {strings.format("traffic.most_used", fmt::arg("used", percent_text(total.used()))),
            strings.format("traffic.moved_in_vain", fmt::arg("wasted", bytes_text(static_cast<double>(total.wasted()))),
                           fmt::arg("moved", bytes_text(static_cast<double>(total.moved())))),
            false};
  const bool half = std::abs(wasted - 0.5) < 0.03;
  return {half ? strings("traffic.half_wasted")
               : strings.format("traffic.some_wasted", fmt::arg("wasted", percent_text(wasted))),
          strings.format(worst->writes() ? "traffic.worst_store" : "traffic.worst_load", fmt::arg("line", worst->line),
                         fmt::arg("buffers", worst->buffers),
                         fmt::arg("sectors", figure_text(worst->movement.sectors_per_request())),
                         fmt::arg("needed", figure_text(worst->movement.needed_per_request()))),
          true};
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
