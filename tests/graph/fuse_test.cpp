// Greedy fusion: graphs whose groups were worked out by hand, what a group costs, and when computing twice pays.
#include "engine/graph/fuse.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/graph/graph_text.hpp"
#include "engine/graph/operators.hpp"
#include "engine/graph/transformer.hpp"

namespace tilescope {
namespace {

OperatorGraph read(const std::string& text) {
  auto graph = graph_from_text(text);
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message) << "\n" << text;
  return graph ? *graph : OperatorGraph();
}
/// "a b | c": groups in the order of their first nodes.
std::string groups_text(const OperatorGraph& graph, const FusedGroups& fused) {
  std::string text;
  for (const auto& group : fused.groups) {
    if (!text.empty()) text += " | ";
    for (size_t node = 0; node < group.size(); ++node)
      text.append(node > 0 ? " " : "").append(graph.nodes[group[node]].name);
  }
  return text;
}

struct HandMade {
  const char *what, *text, *groups;
};
// x and y are 32 × 64, w is 64 × 64, r has 32 elements and c has 64.
constexpr const char* kInputs = "x: f32[32, 64]\ny: f32[32, 64]\nw: f32[64, 64] weight\nr: f32[32]\nc: f32[64]\n";
const HandMade kHandMade[] = {
    {"a chain", "a = relu(x)\nb = add(a, y)\nd = mul(b, y)", "a b d"},
    {"a broadcast column", "z: f32[32, 1]\na = relu(z)\nb = add(a, y)", "a b"},
    {"a broadcast row", "a = exp(c)\nb = mul(x, a)", "a b"},
    {"two readers", "a = relu(x)\nb = add(a, y)\nd = mul(a, y)", "a | b | d"},
    {"a diamond", "a = relu(x)\nb = exp(a)\nd = add(a, b)", "a b d"},
    {"a diamond with two sides", "a = add(x, y)\nb = relu(a)\nd = exp(a)\ne = add(b, d)", "a b d e"},
    {"a prefix of a reduction", "a = mul(x, x)\ns = sum(a)", "a s"},
    {"a prefix of softmax", "a = scale(x)\nm = mask(a)\ns = softmax(m)", "a m s"},
    {"a suffix of softmax", "s = softmax(x)\nd = dropout(s)", "s d"},
    {"softmax in five operators", "m = max(x, keep=1)\nd = sub(x, m)\ne = exp(d)\ns = sum(e, keep=1)\np = div(e, s)",
     "m | d e | s | p"},
    {"what follows a reduction", "s = sum(x)\nq = rsqrt(s)", "s q"},
    {"a reduction that is broadcast back", "s = mean(x, keep=1)\nd = sub(x, s)", "s | d"},
    {"an epilogue", "h = matmul(x, w)\nb = add(h, c)\ng = gelu(b)", "h b g"},
    {"a residual in the epilogue", "h = matmul(x, w)\na = add(h, x)", "h a"},
    {"a prologue", "a = relu(x)\nh = matmul(a, w)", "a | h"},
    {"a weight that is scaled first", "s = scale(w)\nh = matmul(x, s)", "s | h"},
    {"two matmuls in a row", "h = matmul(x, w)\nk = matmul(h, w)", "h | k"},
    {"the sum of two matmuls", "p = matmul(x, w)\nq = matmul(y, w)\na = add(p, q)", "p | q a"},
    {"SwiGLU", "g = matmul(x, w)\nu = matmul(y, w)\ns = silu(g)\nm = mul(s, u)", "g s m | u"},
    {"an element-wise branch into an epilogue", "g = gelu(y)\nh = matmul(x, w)\na = add(h, g)", "g h a"},
    {"a norm before a matmul", "n = layernorm(x, c)\nh = matmul(n, w)", "n | h"},
    {"softmax of a product", "h = matmul(x, w)\ns = softmax(h)", "h | s"},
    {"a product plus a softmax", "s = softmax(y)\nh = matmul(x, w)\na = add(h, s)", "s | h a"},
    {"attention",
     "k: f32[48, 64]\nv: f32[48, 64]\nqk = matmul(x, k, transpose_b=1)\nsc = scale(qk)\nsm = softmax(sc)\npv = "
     "matmul(sm, v)",
     "qk sc | sm | pv"},
    {"post-norm", "h = matmul(x, w)\na = add(h, x)\nn = layernorm(a, c, c)", "h a | n"},
    {"pre-norm", "h = matmul(x, w)\na = add(h, x)\nn = rmsnorm(a, c)\nf = matmul(n, w)\nz = add(f, a)",
     "h a | n | f z"},
    {"a matmul beside its own input", "a = relu(x)\nm = matmul(a, w)\nb = add(a, m)", "a | m b"},
    {"a gather", "t: f32[1000, 64]\ni: i32[32]\ne = embedding(t, i)\na = add(e, x)", "e | a"},
    {"a concatenation", "a = relu(x)\nb = relu(y)\nd = concat(a, b) : [64, 64]\ne = relu(d)", "a | b | d | e"},
    {"a view in an epilogue", "h = matmul(x, w)\nv = reshape(h) : [32, 8, 8]\nb = relu(v)", "h v b"},
    {"a view between matmuls", "h = matmul(x, w)\nv = transpose(h) : [64, 32]\nk = matmul(v, x)", "h v | k"},
    {"a view of an input", "v = reshape(x) : [64, 32]\na = relu(v)", "v a"},
    {"two row-wise operators", "a = softmax(x)\nb = layernorm(a)", "a | b"},
    {"the chosen few", "t = top_k(x, k=2)\ns = softmax(t)", "t | s"},
    {"a row's scale", "a = mul(x, x)\ns = mean(a)\nq = rsqrt(s)\nd = mul(q, r)", "a s q d"},
    {"RMSNorm in five operators", "sq = mul(x, x)\nms = mean(sq, keep=1)\nq = rsqrt(ms)\nn = mul(x, q)\ng = mul(n, c)",
     "sq ms q | n g"},
    {"a type in between", "h = matmul(x, w)\nd = cast(h) : f16\ns = softmax(d)", "h d | s"},
    {"one row of a product, broadcast", "z: f32[1, 64]\nh = matmul(z, w)\na = add(h, x)", "h | a"},
    {"fused attention",
     "q: f32[1, 4, 32, 16]\no = attention(q, q, q)\nv = transpose(o) : [1, 32, 4, 16]\nm = "
     "reshape(v) : [32, 64]\nh = matmul(m, w)",
     "o v m | h"},
};

TEST(Fuse, GroupsAreThoseThatAPersonWorkedOut) {
  EXPECT_GE(std::size(kHandMade), 30U);
  for (const HandMade& one : kHandMade) {
    const OperatorGraph graph = read(std::string(kInputs) + one.text);
    EXPECT_EQ(groups_text(graph, fuse_greedily(graph)), one.groups) << one.what;
  }
}

TEST(Fuse, EveryEdgeHasARuleOrAReason) {
  for (const HandMade& one : kHandMade) {
    const OperatorGraph graph = read(std::string(kInputs) + one.text);
    const FusedGroups fused = fuse_greedily(graph);
    for (const FusionStep& step : fused.steps) {
      EXPECT_NE(step.rule.has_value(), step.refusal.has_value()) << one.what;
      EXPECT_FALSE(sentence_of(graph, step).english().empty());
      if (step.rule) {
        EXPECT_EQ(fused.group_of[step.producer], fused.group_of[step.consumer]) << one.what;
      }
    }
  }
  const OperatorGraph graph = read(std::string(kInputs) + "a = relu(x)\nb = add(a, y)\nd = mul(a, y)");
  EXPECT_EQ(sentence_of(graph, fuse_greedily(graph).steps.front()),
            "'b' stays apart from 'a', whose output 'd' reads too, so it has to be written");
}

TEST(Fuse, ANodeThatIsKeptApartStaysAlone) {
  const OperatorGraph graph = read(std::string(kInputs) + "a = relu(x)\nb = exp(a)\nd = exp(b)");
  EXPECT_EQ(groups_text(graph, fuse_greedily(graph, {false, true, false})), "a | b | d");
}

/// Kernels of groups can run one after the other: no group waits for itself.
bool can_run(const OperatorGraph& graph, const FusedGroups& fused) {
  const GraphUses uses = uses_of(graph);
  OperatorGraph kernels;
  for (size_t group = 0; group < fused.groups.size(); ++group) {
    kernels.tensors.push_back({.name = std::to_string(group), .shape = {1}, .role = TensorRole::result});
    GraphNode node{.name = std::to_string(group), .type = "add", .output = group};
    for (const size_t member : fused.groups[group])
      for (const size_t input : graph.nodes[member].inputs)
        if (uses.writer[input] && fused.group_of[*uses.writer[input]] != group)
          node.inputs.push_back(fused.group_of[*uses.writer[input]]);
    kernels.nodes.push_back(node);
  }
  return sort_nodes(kernels).has_value();
}

TEST(Fuse, KernelsOfRandomGraphsCanRunAndWriteOneTensorEach) {
  std::mt19937 random(7);
  const std::vector<std::string> unary{"relu", "exp", "softmax", "scale"}, binary{"add", "mul"};
  for (int round = 0; round < 300; ++round) {
    std::string text = "t0: f32[8, 8]\nw: f32[8, 8]\n";
    const auto pick = [&](size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random); };
    for (size_t node = 1; node <= 25; ++node) {
      const size_t kind = pick(8);
      if (kind < 4)
        text += fmt::format("t{} = {}(t{})\n", node, unary[kind], pick(node));
      else if (kind < 7)
        text += fmt::format("t{} = {}(t{}, t{})\n", node, binary[kind % 2], pick(node), pick(node));
      else
        text += fmt::format("t{} = matmul(t{}, w)\n", node, pick(node));
    }
    const OperatorGraph graph = read(text);
    const FusedGroups fused = fuse_greedily(graph);
    ASSERT_TRUE(can_run(graph, fused)) << text;
    const GraphUses uses = uses_of(graph);
    for (const auto& group : fused.groups) {
      size_t outputs = 0;
      for (const size_t node : group) {
        const auto& readers = uses.readers[graph.nodes[node].output];
        const bool needed = readers.empty() || std::ranges::any_of(readers, [&](size_t reader) {
                              return fused.group_of[reader] != fused.group_of[node];
                            });
        outputs += needed ? 1 : 0;
      }
      ASSERT_EQ(outputs, 1U) << text;
    }
  }
}

TEST(Fuse, AGroupReadsAndWritesOnlyWhatCrossesItsBorder) {
  const GpuRates gpu = rates_of(usual_gpu());
  const OperatorGraph graph =
      read(std::string(kInputs) + "h = matmul(x, w)\nb = add(h, c)\ng = gelu(b)\na = add(g, x)");
  const auto costs = costs_of(graph, gpu);
  const FusedGroups fused = fuse_greedily(graph);
  ASSERT_EQ(fused.groups.size(), 1U);
  const NodeCost cost = cost_of_group(graph, costs, fused.groups[0], gpu);
  EXPECT_DOUBLE_EQ(cost.read, 4.0 * (32 * 64 + 64 * 64 + 64)) << "x, w and c, each once";
  EXPECT_DOUBLE_EQ(cost.written, 4.0 * 32 * 64);
  EXPECT_DOUBLE_EQ(cost.flops, 2.0 * 32 * 64 * 64 + (1 + 8 + 1) * 32 * 64);
}

TEST(Fuse, AGroupOfOneCostsWhatItsNodeCosts) {
  const GpuRates gpu = rates_of(usual_gpu());
  for (const TransformerOptions& options :
       {bert_base(), llama_7b(), TransformerOptions{.mlp_kind = MlpKind::experts}}) {
    const OperatorGraph graph = transformer_layer(options).value();
    const auto costs = costs_of(graph, gpu);
    for (size_t node = 0; node < graph.nodes.size(); ++node) {
      if (find_operator(graph.nodes[node].type)->kind == OperatorClass::view) continue;
      const NodeCost alone = cost_of_group(graph, costs, {node}, gpu);
      EXPECT_DOUBLE_EQ(alone.read, costs[node].read) << graph.nodes[node].name;
      EXPECT_DOUBLE_EQ(alone.written, costs[node].written) << graph.nodes[node].name;
    }
  }
}

TEST(Fuse, FusingALayerNeverMovesMore) {
  const GpuRates gpu = rates_of(usual_gpu());
  for (const TransformerOptions& options : {bert_base(), llama_7b()}) {
    const OperatorGraph graph = transformer_layer(options).value();
    const auto costs = costs_of(graph, gpu);
    const FusedGroups fused = fuse_greedily(graph);
    double before = 0, after = 0;
    for (const NodeCost& cost : costs) before += cost.bytes();
    for (const auto& group : fused.groups) after += cost_of_group(graph, costs, group, gpu).bytes();
    EXPECT_LT(after, before);
    EXPECT_LT(fused.groups.size(), graph.nodes.size());
  }
}

// a is read by two: computing it in both saves a launch, one write and one read of a, and costs its FLOPs once more.
TEST(Fuse, ComputingTwicePaysUpToTheBreakEven) {
  const GpuRates gpu{.name = "made up", .bytes_per_second = 1e12, .peak = {.fp32 = 1e13}, .launch_seconds = 0};
  const OperatorGraph graph = read("x: f32[1000000]\na = gelu(x)\nb = exp(a)\nd = relu(a)");
  const auto costs = costs_of(graph, gpu);
  const auto decision = decide(graph, costs, 0, gpu);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->readers, 2U);
  EXPECT_NEAR(decision->separate_seconds, (8e6 + 8e6 + 8e6) / 1e12 + (8 + 1 + 1) * 1e6 / 1e13, 1e-12);
  EXPECT_NEAR(decision->fused_seconds, (8e6 + 8e6) / 1e12 + (2 * 8 + 1 + 1) * 1e6 / 1e13, 1e-12);
  EXPECT_TRUE(decision->should_fuse());
  ASSERT_TRUE(decision->break_even_flops);
  EXPECT_NEAR(*decision->break_even_flops, 80, 1e-9) << "8 bytes per element at 10 FLOPs per byte";
  EXPECT_FALSE(decide(graph, costs, 1, gpu)) << "nothing reads b";
  const OperatorGraph chain = read("x: f32[1000]\na = gelu(x)\nb = exp(a)");
  EXPECT_FALSE(decide(chain, costs_of(chain, gpu), 0, gpu)->break_even_flops) << "nothing is computed twice";
}

TEST(Fuse, TenThousandNodesTakeAMoment) {
  std::string text = "t0: f32[64]\n";
  for (int node = 1; node <= 10000; ++node) text += fmt::format("t{} = relu(t{})\n", node, node - 1);
  const OperatorGraph graph = read(text);
  EXPECT_EQ(fuse_greedily(graph).groups.size(), 1U);
}

}  // namespace
}  // namespace tilescope
