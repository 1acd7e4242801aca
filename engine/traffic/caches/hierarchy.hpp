// A model of the caches: the recorded accesses, replayed through the L1 of each multiprocessor and the L2 that they
// share. What is counted elsewhere (requests, sectors that a kernel asks for) is exact; this is not, since the order in
// which warps and blocks reach memory is chosen by the hardware. Here:
//
//   blocks   are given to the multiprocessors in the order of their index, first one to each, until none has room; then
//            each block that ends makes room for the next. All resident blocks advance in step: in turn, each makes
//            every warp's next access.
//   L1       of each multiprocessor: what the resident blocks' shared memory leaves. Loads allocate the sectors that
//            they ask for; stores are passed on and allocate nothing, but keep what is there up to date; atomics,
//            ld.cg, volatile and acquiring loads, cp.async.cg and bulk copies go past it. Empty at each launch.
//   L2       stores are kept until they have to give way (write back), and need nothing from the device: which bytes of
//            a sector are written is remembered. Only if it is read, or has to give way, before all of them are, the
//            rest is fetched (Khairy and others, "Exploring Modern GPU Memory System Design Challenges through Accurate
//            Modeling", 2018: lazy fetch on read). Atomics are done here.
//            Where the L2 has two partitions (GpuSpec::l2_partitions), every line belongs to one of them. A
//            multiprocessor asks the partition beside it, odd ones the one, even ones the other; what belongs to the
//            far one is asked for there too, so it counts twice: 1.5 times as many sectors in all where everything is
//            asked for once. What is read is then kept in both, until it is written. So what multiprocessors on both
//            sides read takes its place twice, and each partition has its share of the bytes.
//   device   reads are the sectors that the L2 fetches; writes are those that it gives back while the kernels run.
//
// Both caches begin empty, as a profiler that flushes them finds them.
#pragma once

#include <span>
#include <stop_token>

#include "engine/run_result.hpp"

namespace tilescope {

/// occupancy: of each launch of the plan. The trace must be whole: otherwise nothing is modelled, and the reason said.
HierarchyTraffic replay_hierarchy(const GpuSpec& gpu, const AccessTrace& trace, std::span<const Launch> launches,
                                  std::span<const Occupancy> occupancy, std::span<const BufferSpec> buffers,
                                  const std::stop_token& stop = {});

}  // namespace tilescope
