// How fast each SM of a GPU is at the steps of a grid's blocks: what its neighbours leave it, and how far SMs differ.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/traffic/block_order/gpu_clusters.hpp"
#include "engine/traffic/block_order/grid_pace.hpp"

namespace tilescope {

struct ProcessorPace {
  double start_ns = 0;   // from the end of a block to the first step of the next one
  double full_rate = 0;  // steps per ns, of all its blocks together
  double most_rate = 0;  // of one block
  double lead = 0;       // by how much the oldest of its blocks is faster than their mean, and the youngest slower
};

/// By SM, each with up to `blocks` blocks at a time. The draws are the same on every host.
std::vector<ProcessorPace> processor_paces(const GridPace& pace, const GpuClusters& clusters, uint32_t blocks);

}  // namespace tilescope
