// What the graph view shows, without ImGui: a layer in prefill and in decode, or a graph of the learner's own, with the
// costs of its operators on one GPU; and the labs that compute them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/graph/cost.hpp"
#include "engine/graph/transformer.hpp"
#include "engine/lab.hpp"

namespace tilescope {

enum class GraphSource { llama, bert, lab, own };

/// One graph with its costs.
struct GraphSide {
  OperatorGraph graph;
  std::vector<NodeCost> costs;  // of each node
  std::vector<size_t> numbers;  // position among the matmuls, from 1; 0: no matmul
  ModuleCost total;
  size_t products = 0;        // matmuls; a fused attention is none
  NodeCost matmuls;           // the sum over them
  double matmul_seconds = 0;  // sum of their time bounds
};
GraphSide side_of(OperatorGraph graph, const GpuRates& gpu);

/// The FLOPs per byte at which the time bounds of bytes and of FLOPs are equal, for the units that the matmuls of the
/// graph use; 0 where a rate is not known.
double ridge_of(const GraphSide& side, const GpuRates& gpu);

/// The options of the layer that lab "transformer-graph" runs, as its rung launches it.
TransformerOptions lab_layer(const Config& config, const std::string& rung);

/// Which lab computes a node, with the sizes that it takes there.
struct NodeLab {
  const Lab* lab = nullptr;  // null: none does
  std::map<std::string, int64_t> sizes, params;
  std::vector<std::string> changed;  // sizes that the lab's limits do not allow as they are
};
/// Sizes are brought into the lab's limits on the device.
NodeLab lab_of_node(const OperatorGraph& graph, const GraphNode& node, DeviceKind device);

/// How the FLOPs of a matmul come about: "2 × 32 × 2,048 × 2,048 × 128". Empty for other operators.
std::string flops_formula(const OperatorGraph& graph, const GraphNode& node);

}  // namespace tilescope
