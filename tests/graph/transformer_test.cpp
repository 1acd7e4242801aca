// The layer of a Transformer: its operators, and FLOPs and bytes against formulas and published counts.
#include "engine/graph/transformer.hpp"

#include <gtest/gtest.h>

#include "engine/graph/cost.hpp"
#include "engine/graph/operators.hpp"

namespace tilescope {
namespace {

OperatorGraph layer(const TransformerOptions& options) {
  auto graph = transformer_layer(options);
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message);
  return graph ? *graph : OperatorGraph();
}
double matmul_flops(const OperatorGraph& graph) {
  double flops = 0;
  for (const GraphNode& node : graph.nodes)
    if (find_operator(node.type)->kind == OperatorClass::matmul) flops += flops_of(graph, node);
  return flops;
}
size_t matmuls(const OperatorGraph& graph) { return total_cost(graph, costs_of(graph, rates_of(usual_gpu()))).matmuls; }
NodeCost cost_of(const OperatorGraph& graph, const std::string& node) {
  const auto index = find_node(graph, node);
  EXPECT_TRUE(index) << node;
  return index ? costs_of(graph, rates_of(usual_gpu()))[*index] : NodeCost();
}

TEST(Transformer, ALayerHasEightMatmuls) {
  EXPECT_EQ(matmuls(layer({})), 8U);
  EXPECT_EQ(matmuls(layer(bert_base())), 8U);
  EXPECT_EQ(matmuls(layer({.fused_qkv = true})), 6U) << "Q, K and V in one";
  EXPECT_EQ(matmuls(layer(llama_7b())), 9U) << "SwiGLU has a second matmul up";
  EXPECT_EQ(matmuls(layer({.mlp_kind = MlpKind::experts})), 10U) << "and the router";
}

// A layer does 24 S H² FLOPs in the projections and the MLP, and 4 S² H in QKᵀ and × V.
TEST(Transformer, BertBaseHasThePublishedFlops) {
  const double s = 512, h = 768;
  EXPECT_DOUBLE_EQ(matmul_flops(layer(bert_base())), 24 * s * h * h + 4 * s * s * h);
}

// Four projections of 4096², three matrices of 4096 × 11008.
TEST(Transformer, Llama7bHasThePublishedFlopsAndWeights) {
  const OperatorGraph graph = layer(llama_7b());
  const double s = 2048, h = 4096, mlp = 11008;
  EXPECT_DOUBLE_EQ(matmul_flops(graph), 2 * s * (4 * h * h + 3 * h * mlp) + 4 * s * s * h);
  double weights = 0;
  for (const GraphTensor& tensor : graph.tensors)
    if (tensor.role == TensorRole::weight) weights += static_cast<double>(elements_of(tensor.shape));
  EXPECT_DOUBLE_EQ(weights, 4 * h * h + 3 * h * mlp + 2 * h) << "202.4 M of the 6.74 G in 32 layers";
}

// Heads 32 × 128, 8 of them for keys and values; bf16, 2,048 tokens.
TEST(Transformer, NodesMoveTheirInputsAndTheirOutput) {
  const OperatorGraph graph = layer({.kv_heads = 8});
  const double s = 2048, h = 4096, mega = 1 << 20;
  EXPECT_DOUBLE_EQ(cost_of(graph, "q_proj").flops, 2 * s * h * h);
  EXPECT_DOUBLE_EQ(cost_of(graph, "q_proj").bytes(), 2 * (2 * s * h + h * h));
  EXPECT_DOUBLE_EQ(cost_of(graph, "k_proj").flops, 2 * s * h * 1024);
  EXPECT_DOUBLE_EQ(cost_of(graph, "qk").flops, 2 * 32 * s * s * 128);
  EXPECT_DOUBLE_EQ(cost_of(graph, "qk").bytes(), 2 * (s * h + s * 1024 + 32 * s * s)) << "keys of 8 heads only";
  EXPECT_DOUBLE_EQ(cost_of(graph, "softmax").bytes(), 512 * mega);
  EXPECT_DOUBLE_EQ(cost_of(graph, "softmax").flops, 5 * 32 * s * s);
  EXPECT_DOUBLE_EQ(cost_of(graph, "add_1").bytes(), 3 * 2 * s * h);
  EXPECT_DOUBLE_EQ(cost_of(graph, "q_split").bytes(), 0) << "a view";
  EXPECT_TRUE(cost_of(graph, "qk").bound_by_memory());
  EXPECT_FALSE(cost_of(graph, "up").bound_by_memory());
}

TEST(Transformer, DecodeReadsAllWeightsForOneToken) {
  const OperatorGraph prefill = layer({.kv_heads = 8}), decode = layer({.phase = Phase::decode, .kv_heads = 8});
  EXPECT_DOUBLE_EQ(cost_of(decode, "up").flops, cost_of(prefill, "up").flops / 2048);
  EXPECT_GT(cost_of(decode, "up").read, 2.0 * 4096 * 16384);
  EXPECT_TRUE(cost_of(decode, "up").bound_by_memory());
  EXPECT_DOUBLE_EQ(cost_of(decode, "qk").read, 2.0 * (4096 + 2048.0 * 1024)) << "the whole cache of keys";
}

TEST(Transformer, FlashAttentionKeepsTheFlopsAndNotTheScores) {
  const OperatorGraph stored = layer({}), flash = layer({.flash = true});
  const NodeCost fused = cost_of(flash, "attention");
  EXPECT_DOUBLE_EQ(fused.bytes(), 4 * 2.0 * 2048 * 4096) << "Q, K, V and the output";
  EXPECT_GE(fused.flops, cost_of(stored, "qk").flops + cost_of(stored, "pv").flops);
}

TEST(Transformer, ExpertsReadOnlyWhatTokensChoose) {
  TransformerOptions options{.phase = Phase::decode, .mlp_kind = MlpKind::experts};
  const double one = 2.0 * 4096 * 16384;
  EXPECT_NEAR(cost_of(layer(options), "up").read, 2 * one, 1e5) << "one token, two experts";
  options.batch = 64;
  EXPECT_NEAR(cost_of(layer(options), "up").read, 8 * one, 2e6) << "all eight";
}

TEST(Transformer, RefusesWhatIsNoLayer) {
  EXPECT_EQ(transformer_layer({.hidden = 100, .heads = 3, .kv_heads = 3}).error().message,
            "the graph's options: hidden = 100 is not a multiple of heads = 3");
  EXPECT_EQ(transformer_layer({.heads = 32, .kv_heads = 5}).error().message,
            "the graph's options: heads = 32 is not a multiple of kv_heads = 5");
  EXPECT_EQ(transformer_layer({.batch = 0}).error().message, "the graph's options: batch = 0 is below 1");
}

TEST(Transformer, EveryCombinationOfOptionsIsAGraph) {
  for (const Phase phase : {Phase::prefill, Phase::decode})
    for (const NormPlace place : {NormPlace::before, NormPlace::after})
      for (const NormKind norm : {NormKind::layernorm, NormKind::rmsnorm})
        for (const MlpKind mlp : {MlpKind::gelu, MlpKind::relu, MlpKind::swiglu, MlpKind::experts})
          for (int flags = 0; flags < 32; ++flags)
            EXPECT_TRUE(transformer_layer({.phase = phase,
                                           .batch = 2,
                                           .sequence = 48,
                                           .hidden = 96,
                                           .heads = 6,
                                           .kv_heads = 3,
                                           .mlp = 200,
                                           .norm_place = place,
                                           .norm = norm,
                                           .mlp_kind = mlp,
                                           .biases = (flags & 1) != 0,
                                           .causal = (flags & 2) != 0,
                                           .rotary = (flags & 4) != 0,
                                           .fused_qkv = (flags & 8) != 0,
                                           .flash = (flags & 16) != 0}));
}

}  // namespace
}  // namespace tilescope
