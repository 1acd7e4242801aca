#include "engine/traffic/access/ledger.hpp"

#include <algorithm>
#include <tuple>

namespace tilescope {

void append_launch(AccessTrace& run_trace, std::vector<SiteCount>& run_sites, const AccessTrace& launch_trace,
                   std::span<const SiteCount> launch_sites, uint32_t launch_index) {
  const size_t first_site = run_trace.sites.size();
  const auto first_pattern = static_cast<uint32_t>(run_trace.patterns.size());
  for (Site site : launch_trace.sites) {
    site.launch = launch_index;
    run_trace.sites.push_back(std::move(site));
  }
  run_trace.patterns.insert(run_trace.patterns.end(), launch_trace.patterns.begin(), launch_trace.patterns.end());
  run_trace.accesses.reserve(run_trace.accesses.size() + launch_trace.accesses.size());
  for (Access access : launch_trace.accesses) {
    access.site = static_cast<uint16_t>(access.site + first_site);
    access.pattern += first_pattern;
    run_trace.accesses.push_back(access);
  }
  run_trace.complete = run_trace.complete && launch_trace.complete;
  run_trace.blocks_recorded += launch_trace.blocks_recorded;
  for (SiteCount count : launch_sites) {
    count.site = static_cast<uint16_t>(count.site + first_site);
    run_sites.push_back(count);
  }
}

void add_counters(Counters& total, const Counters& launch) {
  total.global_load_requests += launch.global_load_requests;
  total.global_load_sectors += launch.global_load_sectors;
  total.global_load_bytes_useful += launch.global_load_bytes_useful;
  total.global_store_requests += launch.global_store_requests;
  total.global_store_sectors += launch.global_store_sectors;
  total.global_store_bytes_useful += launch.global_store_bytes_useful;
  total.global_atomic_requests += launch.global_atomic_requests;
  total.global_atomic_sectors += launch.global_atomic_sectors;
  total.global_atomic_bytes_useful += launch.global_atomic_bytes_useful;
  total.shared_atomic_wavefronts += launch.shared_atomic_wavefronts;
  total.shared_atomic_bank_conflicts += launch.shared_atomic_bank_conflicts;
  total.shared_load_wavefronts += launch.shared_load_wavefronts;
  total.shared_store_wavefronts += launch.shared_store_wavefronts;
  total.shared_load_bank_conflicts += launch.shared_load_bank_conflicts;
  total.shared_store_bank_conflicts += launch.shared_store_bank_conflicts;
  total.warp_instructions += launch.warp_instructions;
  total.block_barriers += launch.block_barriers;
}

namespace {

bool reads(AccessKind kind) { return kind == AccessKind::load || kind == AccessKind::async_copy; }

void add_to_buffer(BufferTraffic& buffer, AccessKind kind, const SiteCount& count) {
  if (reads(kind)) {
    buffer.read_requests += count.requests;
    buffer.read_sectors += count.sectors;
    buffer.read_useful += count.useful_bytes;
  } else {
    buffer.write_requests += count.requests;
    buffer.write_sectors += count.sectors;
    buffer.write_useful += count.useful_bytes;
  }
}

LineTraffic& line_of(std::vector<LineTraffic>& lines, const Site& site) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const LineTraffic& line) {
    return line.line == site.line && line.space == site.space && line.kind == site.kind && line.file == site.file;
  });
  if (found != lines.end()) return *found;
  LineTraffic line;
  line.line = site.line;
  line.file = site.file;
  line.space = site.space;
  line.kind = site.kind;
  return lines.emplace_back(line);
}

}  // namespace

Traffic make_ledger(const AccessTrace& trace, std::vector<SiteCount> sites, const Counters& counters,
                    std::span<const BufferSpec> buffers) {
  Traffic traffic;
  traffic.counters = counters;
  for (const auto& buffer : buffers) traffic.buffers.push_back({.name = buffer.name});
  for (const auto& count : sites) {
    const Site& site = trace.sites[count.site];
    LineTraffic& line = line_of(traffic.lines, site);
    line.requests += count.requests;
    line.lanes += count.lanes;
    line.sectors += count.sectors;
    line.useful_bytes += count.useful_bytes;
    line.wavefronts += count.wavefronts;
    line.passes += count.passes;
    if (count.buffer >= 0 && static_cast<size_t>(count.buffer) < traffic.buffers.size())
      add_to_buffer(traffic.buffers[static_cast<size_t>(count.buffer)], site.kind, count);
  }
  std::sort(traffic.lines.begin(), traffic.lines.end(), [](const LineTraffic& a, const LineTraffic& b) {
    return std::tie(a.file, a.line, a.space, a.kind) < std::tie(b.file, b.line, b.space, b.kind);
  });
  traffic.sites = std::move(sites);
  return traffic;
}

}  // namespace tilescope
