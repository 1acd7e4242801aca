// Graphs as text: what is read, written again, and refused with its line.
#include "engine/graph/graph_text.hpp"

#include <gtest/gtest.h>

#include "engine/graph/transformer.hpp"

namespace tilescope {
namespace {

std::string problem(const std::string& text) {
  const auto graph = graph_from_text(text);
  return graph ? "" : graph.error().message;
}

TEST(GraphText, LinesBecomeTensorsAndNodes) {
  const auto graph = graph_from_text(
      "# An epilogue.\n"
      "g = gelu(add(h, bias)) @ MLP\n"
      "x: f16[2048, 4096]\n"
      "w: f16[4096, 1024] weight   # in any order\n"
      "bias: f16[1024] weight\n"
      "h = matmul(x, w)\n"
      "v = reshape(g) : [2048, 8, 128]\n"
      "s = sum(v, keep=1) : f32\n");
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_EQ(graph->nodes.size(), 5U);
  EXPECT_EQ(graph->nodes[0].name, "h");
  EXPECT_EQ(graph->nodes[1].name, "g.1");
  EXPECT_EQ(graph->nodes[1].module, "MLP");
  EXPECT_EQ(graph->tensors[graph->nodes[4].output].shape, (Shape{2048, 8, 1}));
  EXPECT_EQ(graph->tensors[graph->nodes[4].output].type, DType::f32);
  EXPECT_EQ(graph->tensors[graph->nodes[3].output].type, DType::f16);
}

TEST(GraphText, WhatIsWrittenIsReadAgain) {
  for (const TransformerOptions& options : {bert_base(), llama_7b(), TransformerOptions{.flash = true}}) {
    const OperatorGraph graph = transformer_layer(options).value();
    const auto again = graph_from_text(text_of(graph));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(text_of(*again), text_of(graph));
    EXPECT_EQ(again->nodes.size(), graph.nodes.size());
  }
}

TEST(GraphText, ProblemsNameTheirLine) {
  EXPECT_EQ(problem("x: f16[4]\ny = relu(z)"), "the graph's line 2: there is no tensor 'z'");
  EXPECT_EQ(problem("x: f16[4]\nx = relu(x)"), "the graph's line 2: 'x' is already defined in line 1");
  EXPECT_EQ(problem("x: half[4]"), "the graph's line 1: there is no type 'half'");
  EXPECT_EQ(problem("x: f16"), "the graph's line 1: 'x' needs a shape, as in f16[1024, 64]");
  EXPECT_EQ(problem("x: f16[4] bias"),
            "the graph's line 1: 'bias' is no role; the roles are input, weight and constant");
  EXPECT_EQ(problem("x: f16[4, ]"), "the graph's line 1: ']' is not understood");
  EXPECT_EQ(problem("x: f16[4]\ny = relu(x"), "the graph's line 2: it ends too early");
  EXPECT_EQ(problem("x: f16[4]\ny = relu(x) z"), "the graph's line 2: 'z' is not understood");
  EXPECT_EQ(problem("x: f16[4]\ny = rellu(x)"),
            "the graph's line 2: there is no operator 'rellu'; the nearest is 'relu'");
  EXPECT_EQ(problem("x: f16[4]\n\n\ny = reshape(x)"),
            "the graph's line 4: reshape needs its shape, as in y = reshape(…) : [1024, 64]");
  EXPECT_EQ(problem("x: f16[4]\ny = relu(x) : [5]"), "the graph's line 2: 'y' computes 4, not 5");
  EXPECT_EQ(problem("a = relu(b)\nb = relu(a)"), "the graph's nodes: they wait for each other in a cycle: a, b");
  EXPECT_EQ(problem("x relu"), "the graph's line 1: after 'x' comes ':' or '='");
  EXPECT_EQ(problem("x: f16[99999999999999999999]"), "the graph's line 1: '99999999999999999999]' is not understood");
  std::string deep = "x: f16[4]\ny = ";
  for (int call = 0; call < 100; ++call) deep += "relu(";
  EXPECT_EQ(problem(deep + "x"), "the graph's line 2: calls are nested more than 32 deep");
}

TEST(GraphText, AnEmptyTextIsAnEmptyGraph) {
  const auto graph = graph_from_text("\n  # nothing\n\n");
  ASSERT_TRUE(graph);
  EXPECT_TRUE(graph->nodes.empty());
}

}  // namespace
}  // namespace tilescope
