// Graphs: shapes of every operator, the order of nodes, and what is refused, with the node's name.
#include "engine/graph/graph.hpp"

#include <gtest/gtest.h>

#include "engine/graph/operators.hpp"

namespace tilescope {
namespace {

/// Tensors that are inputs, then one node with its output.
OperatorGraph one_node(const std::string& type, const std::vector<Shape>& inputs, const Shape& output,
                       std::map<std::string, int64_t> attributes = {}) {
  OperatorGraph graph;
  GraphNode node{.name = "node", .type = type, .attributes = std::move(attributes)};
  for (const Shape& shape : inputs) {
    node.inputs.push_back(graph.tensors.size());
    graph.tensors.push_back({.name = "in" + std::to_string(graph.tensors.size()), .shape = shape});
  }
  node.output = graph.tensors.size();
  graph.tensors.push_back({.name = "out", .shape = output, .role = TensorRole::result});
  graph.nodes = {node};
  return graph;
}
std::string problem(const OperatorGraph& graph) {
  const auto checked = check(graph);
  return checked ? "" : checked.error().message;
}

TEST(Graph, OperatorsComputeTheirShapes) {
  EXPECT_EQ(problem(one_node("add", {{4, 1, 3}, {5, 1}}, {4, 5, 3})), "");
  EXPECT_EQ(problem(one_node("sum", {{4, 5}}, {4})), "");
  EXPECT_EQ(problem(one_node("sum", {{4, 5}}, {4, 1}, {{"keep", 1}})), "");
  EXPECT_EQ(problem(one_node("layernorm", {{4, 5}, {5}, {5}}, {4, 5})), "");
  EXPECT_EQ(problem(one_node("top_k", {{4, 5}}, {4, 2}, {{"k", 2}})), "");
  EXPECT_EQ(problem(one_node("matmul", {{7, 4, 5}, {5, 6}}, {7, 4, 6})), "");
  EXPECT_EQ(problem(one_node("matmul", {{2, 8, 4, 5}, {2, 2, 6, 5}}, {2, 8, 4, 6}, {{"transpose_b", 1}})), "");
  EXPECT_EQ(problem(one_node("attention", {{2, 8, 4, 5}, {2, 2, 6, 5}, {2, 2, 6, 3}}, {2, 8, 4, 3})), "");
  EXPECT_EQ(problem(one_node("embedding", {{100, 16}, {2, 3}}, {2, 3, 16})), "");
  EXPECT_EQ(problem(one_node("concat", {{2, 3}, {2, 5}}, {2, 8})), "");
  EXPECT_EQ(problem(one_node("reshape", {{2, 3}}, {6})), "");
  EXPECT_EQ(problem(one_node("combine", {{9, 2, 16}, {9, 2}}, {9, 16})), "");
}

TEST(Graph, AWrongShapeIsRefusedAtItsNode) {
  EXPECT_EQ(problem(one_node("add", {{4}, {5}}, {5})),
            "the graph's node 'node': 4 and 5 cannot be broadcast to each other");
  EXPECT_EQ(problem(one_node("matmul", {{4, 5}, {6, 7}}, {4, 7})),
            "the graph's node 'node': 4 × 5 cannot be multiplied by 6 × 7: A has 5 columns, B has 6 rows");
  EXPECT_EQ(problem(one_node("softmax", {{4, 5}}, {4})),
            "the graph's node 'node': its output 'out' is declared as 4, and it computes 4 × 5");
  EXPECT_EQ(problem(one_node("layernorm", {{4, 5}, {4}}, {4, 5})),
            "the graph's node 'node': its input 2 is 4, but a row has 5 elements");
  EXPECT_EQ(problem(one_node("matmul", {{3, 4, 5}, {2, 5, 6}}, {3, 4, 6})),
            "the graph's node 'node': 3 × 4 × 5 and 2 × 5 × 6 do not have the same number of matrices");
  EXPECT_EQ(problem(one_node("reshape", {{2, 3}}, {7})),
            "the graph's node 'node': 7 does not hold the elements of 2 × 3");
  EXPECT_EQ(problem(one_node("sofmax", {{4, 5}}, {4, 5})),
            "the graph's node 'node': there is no operator 'sofmax'; the nearest is 'softmax'");
  EXPECT_EQ(problem(one_node("gelu", {{4}, {4}}, {4})), "the graph's node 'node': it takes one input and was given 2");
  EXPECT_EQ(problem(one_node("relu", {{0, 4}}, {0, 4})),
            "the graph's tensor 'in0': its shape 0 × 4 has an extent below 1");
  EXPECT_EQ(problem(one_node("relu", {{1 << 30, 1 << 30, 9}}, {1})),
            "the graph's tensor 'in0': its shape 1,073,741,824 × 1,073,741,824 × 9 is too large");
}

/// a → b → c, each a ReLU of four elements, as the list says; tensor i is written by node i.
OperatorGraph chain(const std::vector<std::pair<std::string, std::string>>& reads) {
  OperatorGraph graph;
  graph.tensors.push_back({.name = "x", .shape = {4}});
  for (const auto& [name, input] : reads)
    graph.tensors.push_back({.name = name, .shape = {4}, .role = TensorRole::result});
  for (size_t node = 0; node < reads.size(); ++node)
    graph.nodes.push_back({.name = reads[node].first,
                           .type = "relu",
                           .inputs = {*find_tensor(graph, reads[node].second)},
                           .output = node + 1});
  return graph;
}

TEST(Graph, NodesAreSortedAndKeepTheirOrderWhereTheyMay) {
  OperatorGraph graph = chain({{"c", "b"}, {"b", "a"}, {"a", "x"}, {"d", "x"}});
  EXPECT_EQ(problem(graph), "the graph's node 'c': it reads 'b', which no node before it writes");
  ASSERT_TRUE(sort_nodes(graph));
  std::string order;
  for (const GraphNode& node : graph.nodes) order += node.name;
  EXPECT_EQ(order, "abcd");
  EXPECT_EQ(problem(graph), "");
}

TEST(Graph, ACycleNamesItsNodes) {
  OperatorGraph graph = chain({{"a", "c"}, {"b", "a"}, {"c", "b"}, {"d", "x"}});
  const auto sorted = sort_nodes(graph);
  ASSERT_FALSE(sorted);
  EXPECT_EQ(sorted.error().message, "the graph's nodes: they wait for each other in a cycle: a, b, c");
}

TEST(Graph, WhatIsNotAGraphIsRefused) {
  OperatorGraph graph = chain({{"a", "x"}, {"b", "a"}});
  graph.nodes[1].output = 1;
  EXPECT_EQ(problem(graph), "the graph's node 'b': it writes 'a', which is already there");
  graph = chain({{"a", "x"}, {"b", "a"}});
  graph.nodes.pop_back();
  EXPECT_EQ(problem(graph), "the graph's tensor 'b': no node writes it, and it is not an input");
  graph = chain({{"a", "x"}, {"b", "a"}});
  graph.nodes[1].name = "a";
  EXPECT_EQ(problem(graph), "the graph's node 'a': a second node has this name");
  graph.nodes[1].inputs = {17};
  graph.nodes[1].name = "b";
  EXPECT_EQ(problem(graph), "the graph's node 'b': one of its inputs does not exist");
}

TEST(Graph, ReadingATensorTwiceMovesItOnce) {
  OperatorGraph graph = one_node("mul", {{1000}, {1000}}, {1000});
  EXPECT_DOUBLE_EQ(bytes_read(graph, graph.nodes[0]), 8000);
  graph.nodes[0].inputs = {0, 0};
  EXPECT_DOUBLE_EQ(bytes_read(graph, graph.nodes[0]), 4000);
  EXPECT_DOUBLE_EQ(bytes_written(graph, graph.nodes[0]), 4000);
}

TEST(Graph, AGatherReadsTheRowsThatItTakes) {
  const OperatorGraph graph = one_node("embedding", {{50000, 16}, {3}}, {3, 16});
  EXPECT_DOUBLE_EQ(bytes_read(graph, graph.nodes[0]), 3 * 16 * 4 + 3 * 4);
}

}  // namespace
}  // namespace tilescope
