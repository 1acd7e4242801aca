#include "app/views/traffic/traffic_chart.hpp"

#include <algorithm>

namespace tilescope {
namespace {

DataMovement movement_of(const SiteCount& count) {
  return {count.requests, count.sectors, count.useful_bytes, count.wavefronts, count.passes};
}

/// PTX ISA, cp.async: .ca caches at all levels, .cg only in the L2. Bulk copies bypass the L1.
bool copies_through_l1(const Site& site) {
  return std::string_view(site.ptx).substr(0, site.ptx.find(' ')).find(".ca") != std::string_view::npos;
}

void add(ChartUse& use, const Site& site, const DataMovement& movement) {
  const bool shared = site.space == Space::shared;
  if (site.kind == AccessKind::async_copy) {
    (shared ? use.shared_copies : copies_through_l1(site) ? use.copies : use.copies_past_l1).add(movement);
    return;
  }
  const bool load = site.kind == AccessKind::load;
  if (shared)
    (load ? use.shared_reads : use.shared_writes).add(movement);
  else
    (load ? use.loads : use.stores).add(movement);
}

}  // namespace

uint64_t ChartUse::l2_to_l1_bytes() const {
  const uint64_t asked = loads.sectors + copies.sectors;
  return (asked - std::min(asked, levels.l1.read_hits)) * kSectorBytes;
}

uint64_t ChartUse::asked_bytes() const {
  return loads.moved() + stores.moved() + copies.moved() + copies_past_l1.moved();
}

uint64_t ChartUse::largest() const {
  return std::max({loads.moved(), stores.moved(), copies.moved(), copies_past_l1.moved(), shared_reads.useful,
                   shared_writes.useful, l2_to_l1_bytes(), l1_to_l2_bytes(), levels.device_bytes_read,
                   levels.device_bytes_written, uint64_t{1}});
}

MemoryChart make_chart(const RunResult& result) {
  MemoryChart chart;
  chart.modelled = result.hierarchy.modelled;
  chart.total.levels = result.hierarchy.total;
  std::vector<ChartUse> uses(result.traffic.buffers.size());
  for (const SiteCount& count : result.traffic.sites) {
    if (count.site >= result.trace.sites.size()) continue;
    const Site& site = result.trace.sites[count.site];
    if (site.space != Space::global && site.space != Space::shared) continue;
    add(chart.total, site, movement_of(count));
    if (count.buffer >= 0 && static_cast<size_t>(count.buffer) < uses.size())
      add(uses[static_cast<size_t>(count.buffer)], site, movement_of(count));
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    ChartUse& use = uses[i];
    use.name = result.traffic.buffers[i].name;
    use.buffer = i;
    if (i < result.hierarchy.buffers.size()) use.levels = result.hierarchy.buffers[i];
    if (use.asked_bytes() > 0) chart.buffers.push_back(std::move(use));
  }
  return chart;
}

}  // namespace tilescope
