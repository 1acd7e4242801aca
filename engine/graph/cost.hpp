// What a node of a graph costs on a GPU, MODELLED: its FLOPs and bytes, and the least time that either allows.
//
//   time bound = max(bytes / memory bandwidth, FLOPs / peak rate of the units that the operator uses)
//
// Every operator is taken by itself: it reads its inputs from device memory and writes its output there. Matmuls use
// the tensor cores at the rate of their element type, everything else the CUDA cores in fp32.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/graph.hpp"
#include "engine/specs.hpp"

namespace tilescope {

struct NodeCost {
  double flops = 0, read = 0, written = 0;
  PeakRate rate = PeakRate::fp32;
  double flops_seconds = 0, bytes_seconds = 0;
  double bytes() const { return read + written; }
  /// FLOPs per byte; 0 where nothing is moved.
  double intensity() const { return bytes() > 0 ? flops / bytes() : 0; }
  double seconds() const { return flops_seconds > bytes_seconds ? flops_seconds : bytes_seconds; }
  bool bound_by_memory() const { return bytes_seconds >= flops_seconds; }
  NodeCost& operator+=(const NodeCost& other);  // FLOPs, bytes and times; `rate` stays
};

/// The rates by which costs are computed: of a data sheet (engine/specs.hpp), or measured.
struct GpuRates {
  std::string name;  // "H200"
  double bytes_per_second = 0;
  PeakRates peak;
  double launch_seconds = 0;  // of one launch in a sequence; 0: not known
};
GpuRates rates_of(const GpuSpec& gpu);

/// The units that a node uses. A matmul whose type has no tensor core rate on the GPU uses the CUDA cores.
PeakRate rate_of(const OperatorGraph& graph, const GraphNode& node, const GpuRates& gpu);

/// One cost for each node of a graph that has been checked.
std::vector<NodeCost> costs_of(const OperatorGraph& graph, const GpuRates& gpu);

/// The sum over the nodes of each module, in the order of their first nodes.
struct ModuleCost {
  std::string module;
  size_t nodes = 0, matmuls = 0;
  NodeCost cost;       // its times are sums over the nodes' own bounds, see `seconds`
  double seconds = 0;  // sum of the time bounds of the nodes
};
std::vector<ModuleCost> module_costs(const OperatorGraph& graph, const std::vector<NodeCost>& costs);
/// The same for all nodes.
ModuleCost total_cost(const OperatorGraph& graph, const std::vector<NodeCost>& costs);

/// Position of a node among the matmuls of the graph, from 1; 0 for other nodes. A fused attention is none.
std::vector<size_t> matmul_numbers(const OperatorGraph& graph);

}  // namespace tilescope
