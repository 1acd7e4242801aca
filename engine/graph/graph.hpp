// A part of a model as a graph: tensors, and operators ("nodes") that each read some of them and write one.
//
// Shapes are lists of extents, outermost first: [batch, sequence, hidden]. A tensor that no node writes is an input of
// the graph: an activation, a weight or a constant. Nodes stand in an order in which they can run, and each tensor has
// one writer at most. check() holds a graph to that, and to what each operator wants of its inputs; whatever builds or
// edits a graph calls it before anything else looks at the graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

using Shape = std::vector<int64_t>;
/// "1 × 2,048 × 4,096"; "scalar" for no extents.
std::string text_of_shape(const Shape& shape);
int64_t elements_of(const Shape& shape);

enum class TensorRole { input, weight, constant, result };
std::string_view name_of(TensorRole role);
std::optional<TensorRole> tensor_role_from(std::string_view name);

struct GraphTensor {
  std::string name = {};
  Shape shape = {};
  DType type = DType::f32;
  TensorRole role = TensorRole::input;  // result: written by a node
  double bytes() const { return static_cast<double>(elements_of(shape)) * static_cast<double>(size_of(type)); }
  bool operator==(const GraphTensor&) const = default;
};

struct GraphNode {
  std::string name = {};                           // unique: "q_proj"
  std::string type = {};                           // an operator of engine/graph/operators.hpp: "matmul"
  std::vector<size_t> inputs = {};                 // indices into OperatorGraph::tensors
  size_t output = 0;                               // likewise
  std::map<std::string, int64_t> attributes = {};  // "transpose_b": 1
  std::string module = {};                         // the part of the model that it belongs to: "attention"
  bool operator==(const GraphNode&) const = default;
};

struct OperatorGraph {
  std::string name = {};
  std::vector<GraphTensor> tensors = {};
  std::vector<GraphNode> nodes = {};  // every node after those whose outputs it reads
  bool operator==(const OperatorGraph&) const = default;
};

/// Index of the node, or of the tensor, of that name; nothing if there is none.
std::optional<size_t> find_node(const OperatorGraph& graph, std::string_view name);
std::optional<size_t> find_tensor(const OperatorGraph& graph, std::string_view name);

/// For each tensor the node that writes it, and the nodes that read it in order; a node that reads it twice stands
/// once.
struct GraphUses {
  std::vector<std::optional<size_t>> writer;
  std::vector<std::vector<size_t>> readers;
};
GraphUses uses_of(const OperatorGraph& graph);

/// Puts the nodes into an order in which they can run; nodes that could run in either order keep theirs. Error: a
/// cycle, with the names of its nodes.
Result<void> sort_nodes(OperatorGraph& graph);

/// Whether the graph is one: indices in range, names unique, one writer for each tensor, nodes in order, every operator
/// known, the shapes that it wants, and outputs of the shape that it computes. The error names the node.
Result<void> check(const OperatorGraph& graph);

}  // namespace tilescope
