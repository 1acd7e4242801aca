// When the host and the device work in a program that allocates, copies, launches kernels and copies back. Kernels of
// one stream run in turn; a launch returns as soon as its kernel is in the queue. No drawing.
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope {

/// In steps: how long each part takes.
struct HostTimes {
  uint32_t allocate = 2, copy = 3, launch = 1, kernel = 5;
  uint32_t kernels = 1;
};

enum class HostActor { host, queue, device };
enum class HostWork { allocate, copy_in, launch, wait, copy_out, queued, kernel };

struct HostSpan {
  HostActor actor = HostActor::host;
  HostWork work = HostWork::allocate;
  uint32_t begin = 0, end = 0;  // steps; never empty
  uint32_t kernel = 0;          // from 0, where it is about one
};

/// The spans of each actor are in the order of time. The copy back waits for the last kernel; whether a call before it
/// does so instead (cudaDeviceSynchronize) changes no time.
std::vector<HostSpan> host_timeline(const HostTimes& times);

}  // namespace tilescope
