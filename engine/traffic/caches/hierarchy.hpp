// A model of the caches: the recorded accesses are replayed through the L1 of each SM and the L2 that they share. Other
// counts (requests, sectors that a kernel requests) are exact; this one is not, since the hardware chooses the order in
// which warps and blocks reach memory. The model assumes:
//
//   blocks   are assigned to SMs in index order, first one to each, until none has room; then each block that ends
//            makes room for the next one. All resident blocks advance in lockstep: in turn, each makes every warp's
//            next access.
//   L1       one per SM: what the resident blocks' shared memory leaves. Loads allocate the sectors that they request;
//            stores are passed on and allocate nothing, but update sectors that are present; atomics, ld.cg, volatile
//            and acquiring loads, cp.async.cg and bulk copies bypass it. Empty at each launch.
//   L2       stores stay until they are evicted (write-back), and need nothing from the device: the written bytes of a
//            sector are tracked. The rest is fetched only if the sector is read or evicted before all its bytes are
//            written (Khairy and others, "Exploring Modern GPU Memory System Design Challenges through Accurate
//            Modeling", 2018: lazy fetch on read). Atomics are performed here.
//            If the L2 has two partitions (GpuSpec::l2_partitions), every line belongs to one of them. An SM asks the
//            partition beside it: odd SMs one, even SMs the other. A line that belongs to the far partition is
//            requested there too, so it counts twice: 1.5 times as many sectors in total if everything is requested
//            once. Data that is read is then kept in both partitions until it is written. So data read by SMs on both
//            sides occupies space twice, and each partition has its share of the bytes.
//   device   reads are the sectors that the L2 fetches; writes are those that it evicts while the kernels run.
//
// Both caches start empty, as with a profiler that flushes them.
#pragma once

#include <span>
#include <stop_token>

#include "engine/run_result.hpp"

namespace tilescope {

/// occupancy: per launch of the plan. The trace must be complete: otherwise nothing is modelled, and the reason is
/// given.
HierarchyTraffic replay_hierarchy(const GpuSpec& gpu, const AccessTrace& trace, std::span<const Launch> launches,
                                  std::span<const Occupancy> occupancy, std::span<const BufferSpec> buffers,
                                  const std::stop_token& stop = {});

}  // namespace tilescope
