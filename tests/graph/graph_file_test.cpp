// Graphs in files: what is read and written again, and what is refused with its member, node or tensor.
#include "engine/graph/graph_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/graph/graph_text.hpp"
#include "engine/graph/transformer.hpp"

namespace tilescope {
namespace {

std::string problem(const std::string& text) {
  const auto graph = graph_from_json(text);
  return graph ? "" : graph.error().message;
}
std::string file_of(const std::string& tensors, const std::string& nodes) {
  return R"({"format": 1, "name": "test", "tensors": [)" + tensors + R"(], "nodes": [)" + nodes + "]}";
}
const std::string kX = R"({"name": "x", "shape": [4, 5], "type": "f16", "role": "input"})";
const std::string kY = R"({"name": "y", "shape": [4, 5], "type": "f16"})";

TEST(GraphFile, WhatIsWrittenIsReadAgain) {
  for (const TransformerOptions& options :
       {bert_base(), llama_7b(), TransformerOptions{.mlp_kind = MlpKind::experts}}) {
    const OperatorGraph graph = transformer_layer(options).value();
    const auto again = graph_from_json(graph_json(graph).dump());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, graph);
  }
}

TEST(GraphFile, NodesMayStandInAnyOrder) {
  const std::string z = R"({"name": "z", "shape": [4], "type": "f16"})";
  const auto graph = graph_from_json(
      file_of(kX + "," + kY + "," + z, R"({"name": "b", "operator": "sum", "inputs": ["y"], "output": "z"},
    {"name": "a", "operator": "relu", "inputs": ["x"], "output": "y", "module": "mlp"})"));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->nodes[0].name, "a");
  EXPECT_EQ(graph->nodes[0].module, "mlp");
}

TEST(GraphFile, ProblemsNameWhatIsWrong) {
  EXPECT_EQ(problem("{"), "the graph's file: it is not JSON");
  EXPECT_EQ(problem("[]"), "the graph's file: it is not a JSON object");
  EXPECT_EQ(problem("{}"), "the graph's member 'format': it is not 1");
  EXPECT_EQ(problem(R"({"format": 1})"), "the graph's member 'tensors': it is not a list");
  EXPECT_EQ(problem(file_of("1", "")), "the graph's member 'tensors[0]': it is not an object");
  EXPECT_EQ(problem(file_of(R"({"name": "x"})", "")), "the graph's member 'tensors[0].type': it is not a text");
  EXPECT_EQ(problem(file_of(R"({"name": "x", "type": "half", "shape": []})", "")),
            "the graph's tensor 'x': there is no type 'half'");
  EXPECT_EQ(problem(file_of(R"({"name": "x", "type": "f16", "shape": [1.5]})", "")),
            "the graph's tensor 'x': its shape has an extent that is no whole number");
  EXPECT_EQ(problem(file_of(R"({"name": "x", "type": "f16", "shape": [4], "role": "output"})", "")),
            "the graph's tensor 'x': its role is not input, weight or constant");
  EXPECT_EQ(problem(file_of(kX + "," + kX, "")), "the graph's tensor 'x': a second tensor has this name");
  EXPECT_EQ(problem(file_of(kX + "," + kY, R"({"name": "a", "operator": "relu", "inputs": ["w"], "output": "y"})")),
            "the graph's node 'a': there is no tensor 'w'");
  EXPECT_EQ(problem(file_of(kX + "," + kY, R"({"name": "a", "operator": "relu", "inputs": ["x"]})")),
            "the graph's node 'a': there is no tensor 'null'");
  EXPECT_EQ(problem(file_of(kX + "," + kY, R"({"name": "a", "operator": "relu", "inputs": ["y"], "output": "y"})")),
            "the graph's nodes: they wait for each other in a cycle: a");
  EXPECT_TRUE(problem(file_of(kX + "," + kY, R"({"name": "a", "operator": "conv", "inputs": ["x"], "output": "y"})"))
                  .starts_with("the graph's node 'a': there is no operator 'conv'; there are add, sub, mul, "));
  EXPECT_EQ(problem(file_of(
                kX + "," + kY,
                R"({"name": "a", "operator": "relu", "inputs": ["x"], "output": "y", "attributes": {"k": "2"}})")),
            "the graph's node 'a': its attribute 'k' is no whole number");
}

TEST(GraphFile, AFileThatIsNotThereIsSaid) {
  EXPECT_EQ(read_graph("/there/is/no.json").error().id, ErrorId::file_not_found);
}

TEST(GraphFile, AGraphHasABoundedNumberOfNodes) {
  std::string tensors;
  for (int number = 0; number <= 20000; ++number) tensors += (number > 0 ? "," : "") + kX;
  EXPECT_EQ(problem(file_of(tensors, "")),
            "the graph's member 'tensors': it has 20001 entries, and a graph at most 20000");
}

}  // namespace
}  // namespace tilescope
