#include "app/views/fusion/fusion_model.hpp"

#include <algorithm>
#include <charconv>

#include "engine/graph/graph_text.hpp"
#include "engine/graph/operators.hpp"

namespace tilescope {
namespace {

constexpr FusionExample kGraphExamples[] = {
    {"view.fusion.example_chain",
     "x: f32[8192, 4096]\n"
     "s: f32[4096] weight\n"
     "b: f32[4096] weight\n"
     "scaled = mul(x, s)\n"
     "shifted = add(scaled, b)\n"
     "y = relu(shifted)\n"
     "total = sum(y)\n"},
    {"view.fusion.example_epilogue",
     "x: bf16[4096, 4096]\n"
     "w: bf16[4096, 4096] weight\n"
     "bias: bf16[4096] weight\n"
     "product = matmul(x, w)\n"
     "biased = add(product, bias)\n"
     "active = gelu(biased)\n"
     "out = add(active, x)\n"},
    {"view.fusion.example_readers",
     "x: f32[8192, 4096]\n"
     "w: f32[4096] weight\n"
     "h = gelu(x)\n"
     "total = sum(h)\n"
     "scaled = mul(h, w)\n"
     "largest = max(scaled)\n"},
    {"view.fusion.example_norm",
     "x: bf16[2048, 4096]\n"
     "residual: bf16[2048, 4096]\n"
     "gamma: bf16[4096] weight\n"
     "w: bf16[4096, 4096] weight\n"
     "sum1 = add(x, residual)\n"
     "normal = rmsnorm(sum1)\n"
     "scaled = mul(normal, gamma)\n"
     "q = matmul(scaled, w)\n"
     "out = silu(q)\n"},
    {"view.fusion.example_softmax",
     "x: f32[8192, 4096]\n"
     "m = max(x, keep=1)\n"
     "d = sub(x, m)\n"
     "e = exp(d)\n"
     "t = sum(e, keep=1)\n"
     "out = div(e, t)\n"},
};

constexpr FusionExample kLoopExamples[] = {
    {"view.fusion.example_same",
     "for i in 0..8, j in 0..8: y[i, j] = relu(x[i, j])\n"
     "for i in 0..8, j in 0..8: z[i, j] = 2 * y[i, j]\n"},
    {"view.fusion.example_left",
     "for i in 0..8, j in 0..8: y[i, j] = relu(x[i, j])\n"
     "for i in 0..8, j in 0..8: z[i, j] = y[i, j] + y[i, j - 1]\n"},
    {"view.fusion.example_right",
     "for i in 0..8, j in 0..8: y[i, j] = relu(x[i, j])\n"
     "for i in 0..8, j in 0..8: z[i, j] = y[i, j] + y[i, j + 1]\n"},
    {"view.fusion.example_war",
     "for i in 0..8, j in 0..8: y[i, j] = x[i, j - 1]\n"
     "for i in 0..8, j in 0..8: x[i, j] = 2 * z[i, j]\n"},
    {"view.fusion.example_bounds",
     "for i in 0..8, j in 0..8: y[i, j] = relu(x[i, j] * s[j] + b[j])\n"
     "for i in 0..8, j in 0..8: total[i, 0] += y[i, j]\n"},
};

std::optional<uint32_t> number_in(const std::string& text) {
  const size_t begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) return std::nullopt;
  uint32_t value = 0;
  const auto read = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (read.ec != std::errc() || value == 0) return std::nullopt;
  return value - 1;
}

/// The line that defines the tensor: "NAME = …".
std::optional<uint32_t> line_of(const std::string& text, const std::string& name) {
  uint32_t line = 0;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    size_t begin = text.find_first_not_of(" \t", at);
    if (begin < end && text.compare(begin, name.size(), name) == 0) {
      begin = text.find_first_not_of(" \t", begin + name.size());
      if (begin < end && (text[begin] == '=' || text[begin] == ':')) return line;
    }
    at = end + 1;
  }
  return std::nullopt;
}

/// An error names a line, or a node or a tensor in quotes.
TextProblem problem_of(const Error& error, const std::string& text) {
  TextProblem problem{.error = error, .line = {}};
  if (error.what.places().empty()) return problem;
  const std::string where = error.what.places().front().english();
  const size_t quote = where.find('\'');
  if (quote == std::string::npos) {
    problem.line = number_in(where);
    return problem;
  }
  std::string name = where.substr(quote + 1, where.rfind('\'') - quote - 1);
  problem.line = line_of(text, name);
  if (!problem.line) problem.line = line_of(text, name.substr(0, name.find('.')));
  return problem;
}

bool needs_kernel(const OperatorGraph& graph, size_t node) {
  return find_operator(graph.nodes[node].type)->kind != OperatorClass::view;
}

void add_cost(FusionGraph::Total& total, const NodeCost& cost, const GpuRates& gpu) {
  ++total.launches;
  total.launch_seconds += gpu.launch_seconds;
  total.bytes_seconds += cost.bytes_seconds;
  total.flops_seconds += cost.flops_seconds;
  total.bytes += cost.bytes();
}

}  // namespace

std::span<const FusionExample> graph_examples() { return kGraphExamples; }
std::span<const FusionExample> loop_examples() { return kLoopExamples; }

void FusionGraph::take(const std::string& text) {
  auto read = graph_from_text(text);
  if (!read) {
    problem = problem_of(read.error(), text);
    return;
  }
  problem.reset();
  graph = std::move(*read);
  build(gpu);
}

void FusionGraph::build(const GpuRates& rates) {
  gpu = rates;
  std::vector<bool> out(graph.nodes.size());
  for (size_t node = 0; node < out.size(); ++node) out[node] = is_apart(node);
  fused = fuse_greedily(graph, out);
  costs = costs_of(graph, gpu);
  group_costs = costs_of_groups(graph, costs, fused.groups, gpu);
  ++version;
}

FusionGraph::Total FusionGraph::total_of_group(size_t group, bool as_one) const {
  Total sum;
  const auto& nodes = fused.groups[group];
  if (std::ranges::none_of(nodes, [&](size_t node) { return needs_kernel(graph, node); })) return sum;
  if (as_one) {
    add_cost(sum, group_costs[group], gpu);
    return sum;
  }
  for (const size_t node : nodes)
    if (needs_kernel(graph, node)) add_cost(sum, costs[node], gpu);
  return sum;
}

FusionGraph::Total FusionGraph::total(bool in_groups) const {
  Total sum;
  for (size_t group = 0; group < fused.groups.size(); ++group) {
    const Total one = total_of_group(group, in_groups);
    sum.launches += one.launches;
    sum.launch_seconds += one.launch_seconds;
    sum.bytes_seconds += one.bytes_seconds;
    sum.flops_seconds += one.flops_seconds;
    sum.bytes += one.bytes;
  }
  return sum;
}

GpuRates fusion_rates(const GpuSpec& gpu, std::string* launch_of) {
  GpuRates rates = rates_of(gpu);
  launch_of->clear();
  if (rates.launch_seconds > 0 || !usual_gpu().launch_seconds) return rates;
  rates.launch_seconds = *usual_gpu().launch_seconds;
  *launch_of = usual_gpu().name;
  return rates;
}

void FusionLoops::take(const std::string& text) {
  auto read = loops_from_text(text);
  if (!read) {
    problem = problem_of(read.error(), text);
    return;
  }
  problem.reset();
  pair = std::move(*read);
  fusion = analyse(*pair);
  count();
}

void FusionLoops::count() { misses = pair && fusion.legal() ? count_misses(*pair, capacity, tiles()) : LoopMisses(); }

}  // namespace tilescope
