// What the kernels of a chain of operators move, if each operator is a kernel, if the element-wise ones are one, and if
// all of them are. No drawing.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/fuse.hpp"

namespace tilescope {

/// A tensor that a kernel moves between its registers and memory.
struct MovedTensor {
  size_t tensor = 0;  // its index in the graph
  double bytes = 0;
  bool written = false;
};
struct ChainKernel {
  std::vector<size_t> nodes;       // their indices in the graph, in order
  std::vector<MovedTensor> moved;  // read ones first
  NodeCost cost;
};
/// From a kernel per operator to as few as the rules of fusion allow.
using ChainStage = std::vector<ChainKernel>;

/// total[row] = Σ relu(x · s + b), in fp32.
OperatorGraph chain_of_rows(int64_t rows, int64_t columns);
std::vector<ChainStage> chain_stages(const OperatorGraph& graph, const GpuRates& gpu);

}  // namespace tilescope
