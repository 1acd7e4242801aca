#include "engine/graph/graph.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

#include "engine/graph/node_error.hpp"
#include "engine/graph/operators.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 50;  // sums and products of counts stay far below 2⁶³

Result<void> check_tensors(const OperatorGraph& graph) {
  std::set<std::string_view> names;
  for (const GraphTensor& tensor : graph.tensors) {
    if (tensor.name.empty()) return fail(ErrorId::bad_graph, phrase("tensors"), phrase("one of them has no name"));
    if (!names.insert(tensor.name).second) return tensor_error(tensor, phrase("a second tensor has this name"));
    int64_t elements = 1;
    for (const int64_t extent : tensor.shape) {
      if (extent < 1)
        return tensor_error(tensor, phrase("its shape {} has an extent below 1", text_of_shape(tensor.shape)));
      if (extent > kMostElements / elements)
        return tensor_error(tensor, phrase("its shape {} is too large", text_of_shape(tensor.shape)));
      elements *= extent;
    }
  }
  return {};
}

/// Whether the node reads and writes tensors that are there, and only such as are ready before it.
Result<void> check_wiring(const OperatorGraph& graph, const GraphNode& node, std::vector<bool>& ready) {
  for (const size_t input : node.inputs) {
    if (input >= graph.tensors.size()) return node_error(node, phrase("one of its inputs does not exist"));
    if (!ready[input])
      return node_error(node, phrase("it reads '{}', which no node before it writes", graph.tensors[input].name));
  }
  if (node.output >= graph.tensors.size()) return node_error(node, phrase("its output does not exist"));
  if (ready[node.output])
    return node_error(node, phrase("it writes '{}', which is already there", graph.tensors[node.output].name));
  ready[node.output] = true;
  return {};
}

}  // namespace

std::string text_of_shape(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const int64_t extent : shape) text.append(text.empty() ? "" : " × ").append(with_separators(extent));
  return text;
}

int64_t elements_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::string_view name_of(TensorRole role) {
  switch (role) {
    case TensorRole::input:
      return "input";
    case TensorRole::weight:
      return "weight";
    case TensorRole::constant:
      return "constant";
    case TensorRole::result:
      return "result";
  }
  return "";
}

std::optional<TensorRole> tensor_role_from(std::string_view name) {
  for (const TensorRole role : {TensorRole::input, TensorRole::weight, TensorRole::constant, TensorRole::result})
    if (name_of(role) == name) return role;
  return std::nullopt;
}

std::optional<size_t> find_node(const OperatorGraph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph.nodes, name, &GraphNode::name);
  if (found == graph.nodes.end()) return std::nullopt;
  return static_cast<size_t>(found - graph.nodes.begin());
}

std::optional<size_t> find_tensor(const OperatorGraph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph.tensors, name, &GraphTensor::name);
  if (found == graph.tensors.end()) return std::nullopt;
  return static_cast<size_t>(found - graph.tensors.begin());
}

GraphUses uses_of(const OperatorGraph& graph) {
  GraphUses uses;
  uses.writer.resize(graph.tensors.size());
  uses.readers.resize(graph.tensors.size());
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    uses.writer[graph.nodes[node].output] = node;
    for (const size_t input : graph.nodes[node].inputs)
      if (auto& readers = uses.readers[input]; readers.empty() || readers.back() != node) readers.push_back(node);
  }
  return uses;
}

Result<void> sort_nodes(OperatorGraph& graph) {
  const GraphUses uses = uses_of(graph);
  std::vector<size_t> waits(graph.nodes.size());  // inputs that are still to be written
  for (size_t tensor = 0; tensor < graph.tensors.size(); ++tensor)
    if (uses.writer[tensor])
      for (const size_t reader : uses.readers[tensor]) ++waits[reader];
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> next;
  for (size_t node = 0; node < waits.size(); ++node)
    if (waits[node] == 0) next.push(node);
  std::vector<GraphNode> sorted;
  sorted.reserve(graph.nodes.size());
  while (!next.empty()) {
    const size_t node = next.top();
    next.pop();
    for (const size_t reader : uses.readers[graph.nodes[node].output])
      if (--waits[reader] == 0) next.push(reader);
    sorted.push_back(graph.nodes[node]);
  }
  if (sorted.size() < graph.nodes.size()) {
    constexpr size_t kNamed = 6;
    std::string names;
    size_t count = 0;
    for (size_t node = 0; node < waits.size(); ++node)
      if (waits[node] > 0 && ++count <= kNamed) names.append(names.empty() ? "" : ", ").append(graph.nodes[node].name);
    if (count > kNamed) names += ", …";
    return fail(ErrorId::bad_graph, phrase("nodes"), phrase("they wait for each other in a cycle: {}", names));
  }
  graph.nodes = std::move(sorted);
  return {};
}

Result<void> check(const OperatorGraph& graph) {
  if (auto good = check_tensors(graph); !good) return good;
  std::vector<bool> ready(graph.tensors.size());
  for (size_t tensor = 0; tensor < graph.tensors.size(); ++tensor)
    ready[tensor] = graph.tensors[tensor].role != TensorRole::result;
  std::set<std::string_view> names;
  for (const GraphNode& node : graph.nodes) {
    if (node.name.empty()) return fail(ErrorId::bad_graph, phrase("nodes"), phrase("one of them has no name"));
    if (!names.insert(node.name).second) return node_error(node, phrase("a second node has this name"));
    if (auto good = check_wiring(graph, node, ready); !good) return good;
    std::vector<Shape> inputs;
    inputs.reserve(node.inputs.size());
    for (const size_t input : node.inputs) inputs.push_back(graph.tensors[input].shape);
    const GraphTensor& output = graph.tensors[node.output];
    const auto shape = infer_shape(node, inputs, output.shape);
    if (!shape) return forward(shape);
    if (*shape != output.shape)
      return node_error(node, phrase("its output '{}' is declared as {}, and it computes {}", output.name,
                                     text_of_shape(output.shape), text_of_shape(*shape)));
  }
  for (size_t tensor = 0; tensor < graph.tensors.size(); ++tensor)
    if (!ready[tensor]) return tensor_error(graph.tensors[tensor], phrase("no node writes it, and it is not an input"));
  return {};
}

}  // namespace tilescope
