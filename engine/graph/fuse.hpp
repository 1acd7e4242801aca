// Which operators of a graph one kernel can compute together, found greedily, and what that saves.
//
// Nodes are visited in the order of the graph. Each may join the group of a node whose output it reads, by one of these
// rules:
//
//   element-wise   an element-wise operator after others, with equal shapes
//   broadcast      the same, but the producer's output is broadcast
//   prefix         element-wise operators before a reduction or a row-wise operator, which applies them as it reads
//   suffix         an element-wise operator after a reduction or a row-wise operator, while the block has the row
//   epilogue       an element-wise operator after a matmul, on the accumulators
//   view           a view moves nothing
//
// Nodes are visited again until nothing changes. A producer joins only if all readers of its output are in the group
// that results. A group therefore has one output, and no path leaves it and returns.
//
// The answer has every pair that was considered, with its rule or with what forbids it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/graph/cost.hpp"

namespace tilescope {

enum class FusionRule { elementwise, broadcast, prefix, suffix, epilogue, view };
enum class FusionRefusal {
  several_readers,   // the producer's output is also read by a node of a different group, so it has to be written
  moves_elements,    // one of the two is a gather or a copy
  shapes,            // the consumer's output does not have the shape of what the producer computes
  before_matmul,     // each tile of the matmul would compute the producer again
  two_matmuls,       // a tile of the second needs many tiles of the first
  needs_whole_rows,  // a tile of the matmul is not a whole row; or the result of a reduction is needed before its end
  two_rows           // both reduce along rows: the second needs the first one's row complete
};
std::string_view name_of(FusionRule rule);
std::string_view name_of(FusionRefusal refusal);

/// A producer and a consumer that were considered.
struct FusionStep {
  size_t producer = 0, consumer = 0;  // nodes
  size_t tensor = 0;                  // that passes between them
  std::optional<FusionRule> rule;     // one of the two is set
  std::optional<FusionRefusal> refusal;
  std::optional<size_t> because;  // the node in the way: a reader outside the group, or inside it one that forbids it
};

struct FusedGroups {
  std::vector<std::vector<size_t>> groups;  // nodes in order; every node stands in one
  std::vector<size_t> group_of;             // by node
  std::vector<FusionStep> steps;            // one for each edge between nodes, as it was last considered
};
/// The graph must have been checked. `apart`: nodes that the learner keeps out of groups.
FusedGroups fuse_greedily(const OperatorGraph& graph, const std::vector<bool>& apart = {});

/// One sentence on a step: "'gelu' joins 'up': it works on the accumulators before they are stored."
Phrase sentence_of(const OperatorGraph& graph, const FusionStep& step);

/// Each group as one kernel: it reads what comes from outside once, and writes what is needed outside.
std::vector<NodeCost> costs_of_groups(const OperatorGraph& graph, const std::vector<NodeCost>& costs,
                                      const std::vector<std::vector<size_t>>& groups, const GpuRates& gpu);
/// The same for one.
NodeCost cost_of_group(const OperatorGraph& graph, const std::vector<NodeCost>& costs, const std::vector<size_t>& group,
                       const GpuRates& gpu);
/// Seconds of one launch that costs this: launch + bytes / bandwidth + FLOPs / throughput. Nothing overlaps, so it is
/// an upper estimate; NodeCost::seconds() is the lower bound.
double predicted_seconds(const NodeCost& cost, const GpuRates& gpu);

/// Whether an element-wise producer should be computed inside each of its readers, which then compute it again, instead
/// of once by a kernel of its own.
struct FuseDecision {
  size_t readers = 0;
  double separate_seconds = 0, fused_seconds = 0;
  bool should_fuse() const { return fused_seconds < separate_seconds; }
  /// FLOPs per element of the producer at which both take the same time, at least 0; nothing with a single reader,
  /// where nothing is computed twice.
  std::optional<double> break_even_flops;
};
/// Nothing if the producer is not element-wise, or if no node reads it.
std::optional<FuseDecision> decide(const OperatorGraph& graph, const std::vector<NodeCost>& costs, size_t producer,
                                   const GpuRates& gpu);

}  // namespace tilescope
