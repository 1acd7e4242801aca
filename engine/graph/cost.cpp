#include "engine/graph/cost.hpp"

#include <algorithm>

#include "engine/graph/operators.hpp"

namespace tilescope {
namespace {

bool is_product(const GraphNode& node) { return find_operator(node.type)->kind == OperatorClass::matmul; }

/// The tensor cores' rate for a type; fp32 matrices go through them as TF32.
PeakRate tensor_core_rate(DType type) {
  switch (type) {
    case DType::f16:
      return PeakRate::fp16;
    case DType::bf16:
      return PeakRate::bf16;
    case DType::f32:
      return PeakRate::tf32;
    case DType::f64:
      return PeakRate::fp64_tensor;
    case DType::i8:
    case DType::u8:
      return PeakRate::int8;
    default:
      return PeakRate::fp32;
  }
}

void add_node(ModuleCost& sum, const NodeCost& cost, bool product) {
  ++sum.nodes;
  sum.matmuls += product ? 1 : 0;
  sum.cost += cost;
  sum.seconds += cost.seconds();
}

}  // namespace

NodeCost& NodeCost::operator+=(const NodeCost& other) {
  flops += other.flops;
  read += other.read;
  written += other.written;
  flops_seconds += other.flops_seconds;
  bytes_seconds += other.bytes_seconds;
  return *this;
}

GpuRates rates_of(const GpuSpec& gpu) {
  return {.name = gpu.name,
          .bytes_per_second = gpu.memory_bytes_per_second,
          .peak = gpu.peak,
          .launch_seconds = gpu.launch_seconds.value_or(0)};
}

PeakRate rate_of(const OperatorGraph& graph, const GraphNode& node, const GpuRates& gpu) {
  const DType type = graph.tensors[node.inputs.front()].type;
  if (is_product(node)) {
    const PeakRate rate = tensor_core_rate(type);
    if (gpu.peak.of(rate)) return rate;
  }
  return type == DType::f64 ? PeakRate::fp64 : PeakRate::fp32;
}

std::vector<NodeCost> costs_of(const OperatorGraph& graph, const GpuRates& gpu) {
  std::vector<NodeCost> costs;
  costs.reserve(graph.nodes.size());
  for (const GraphNode& node : graph.nodes) {
    NodeCost cost{.flops = flops_of(graph, node),
                  .read = bytes_read(graph, node),
                  .written = bytes_written(graph, node),
                  .rate = rate_of(graph, node, gpu)};
    if (const auto peak = gpu.peak.of(cost.rate); peak && *peak > 0) cost.flops_seconds = cost.flops / *peak;
    if (gpu.bytes_per_second > 0) cost.bytes_seconds = cost.bytes() / gpu.bytes_per_second;
    costs.push_back(cost);
  }
  return costs;
}

std::vector<ModuleCost> module_costs(const OperatorGraph& graph, const std::vector<NodeCost>& costs) {
  std::vector<ModuleCost> modules;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const std::string& name = graph.nodes[node].module;
    auto found = std::ranges::find(modules, name, &ModuleCost::module);
    if (found == modules.end()) found = modules.insert(modules.end(), ModuleCost{.module = name, .cost = {}});
    add_node(*found, costs[node], is_product(graph.nodes[node]));
  }
  return modules;
}

ModuleCost total_cost(const OperatorGraph& graph, const std::vector<NodeCost>& costs) {
  ModuleCost total{.module = graph.name, .cost = {}};
  for (size_t node = 0; node < graph.nodes.size(); ++node) add_node(total, costs[node], is_product(graph.nodes[node]));
  return total;
}

std::vector<size_t> matmul_numbers(const OperatorGraph& graph) {
  std::vector<size_t> numbers(graph.nodes.size());
  size_t count = 0;
  for (size_t node = 0; node < graph.nodes.size(); ++node)
    if (is_product(graph.nodes[node]) && graph.nodes[node].type != "attention") numbers[node] = ++count;
  return numbers;
}

}  // namespace tilescope
