// What the fusion view shows of the texts that a learner edits. No ImGui.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/fuse.hpp"
#include "engine/graph/loops.hpp"
#include "engine/specs.hpp"

namespace tilescope {

/// A text that a learner may start from. `key` names its title among the texts of the window.
struct FusionExample {
  std::string_view key, text;
};
std::span<const FusionExample> graph_examples();
std::span<const FusionExample> loop_examples();

/// Why a text was not accepted, and its line, from 0, if the error names one.
struct TextProblem {
  Error error;
  std::optional<uint32_t> line;
};

/// The last text that is a graph, with its groups and costs.
struct FusionGraph {
  OperatorGraph graph;
  FusedGroups fused;
  std::vector<NodeCost> costs, group_costs;  // by node, by group
  GpuRates gpu;
  std::string launch_of;  // the GPU on which a launch was measured, if it is a different one
  std::optional<TextProblem> problem;
  std::set<std::string> apart;  // names of operators that the learner keeps out of groups
  size_t version = 0;           // counts the times that it was built

  /// A text that is no graph sets `problem`, and leaves the rest as it was.
  void take(const std::string& text);
  /// Computes groups and costs again: for a GPU, or after a change of `apart`.
  void build(const GpuRates& rates);
  bool is_apart(size_t node) const { return apart.contains(graph.nodes[node].name); }
  /// Seconds and bytes of all kernels, with a kernel for each operator or for each group. Views need no kernel.
  struct Total {
    size_t launches = 0;
    double launch_seconds = 0, bytes_seconds = 0, flops_seconds = 0, bytes = 0;
    double seconds() const { return launch_seconds + bytes_seconds + flops_seconds; }
  };
  Total total(bool in_groups) const;
  Total total_of_group(size_t group, bool fused) const;
};
/// The rates of a GPU; where its launches were not measured, a launch costs what it does on the usual GPU.
GpuRates fusion_rates(const GpuSpec& gpu, std::string* launch_of);

/// The last text that is two loop nests, with the analysis.
struct FusionLoops {
  std::optional<LoopPair> pair;
  LoopFusion fusion;
  LoopMisses misses;
  int64_t tile = 4;
  size_t capacity = 16;
  std::optional<TextProblem> problem;

  void take(const std::string& text);
  void count();  // after a change of `tile` or `capacity`
  Iteration tiles() const { return {tile, tile, tile}; }
};

}  // namespace tilescope
