#include "app/views/graph/graph_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/operators.hpp"
#include "engine/numbers.hpp"

namespace tilescope {

GraphSide side_of(OperatorGraph graph, const GpuRates& gpu) {
  GraphSide side{.graph = std::move(graph), .costs = {}, .numbers = {}, .total = {}, .matmuls = {}};
  side.costs = costs_of(side.graph, gpu);
  side.numbers = matmul_numbers(side.graph);
  side.total = total_cost(side.graph, side.costs);
  for (size_t node = 0; node < side.costs.size(); ++node) {
    if (side.numbers[node] == 0) continue;
    ++side.products;
    side.matmuls += side.costs[node];
    side.matmul_seconds += side.costs[node].seconds();
  }
  return side;
}

double ridge_of(const GraphSide& side, const GpuRates& gpu) {
  PeakRate rate = PeakRate::fp32;
  for (size_t node = 0; node < side.costs.size(); ++node)
    if (side.numbers[node] > 0) {
      rate = side.costs[node].rate;
      break;
    }
  const auto peak = gpu.peak.of(rate);
  return peak && gpu.bytes_per_second > 0 ? *peak / gpu.bytes_per_second : 0;
}

TransformerOptions lab_layer(const Config& config, const std::string& rung) {
  TransformerOptions options{.batch = config.size("batch"),
                             .sequence = config.size("sequence"),
                             .hidden = config.size("hidden"),
                             .heads = config.size("heads"),
                             .kv_heads = config.size("kv_heads"),
                             .mlp = config.size("ratio") * config.size("hidden"),
                             .type = DType::f32,
                             .norm = NormKind::layernorm};
  options.fused_qkv = options.flash = rung == "fused";
  return options;
}

namespace {

int64_t rows_before(const Shape& shape) {
  return shape.empty() ? 1 : elements_of(shape) / std::max<int64_t>(shape.back(), 1);
}

/// The sizes of the node by the names of the lab's sizes.
std::map<std::string, int64_t> sizes_of_node(const OperatorGraph& graph, const GraphNode& node) {
  const OperatorType& type = *find_operator(node.type);
  const Shape &input = graph.tensors[node.inputs.front()].shape, &output = graph.tensors[node.output].shape;
  if (node.type == "attention") {
    const Shape& keys = graph.tensors[node.inputs[1]].shape;
    if (input.size() != 4 || keys.size() != 4) return {};
    return {{"batch", input[0]}, {"heads", input[1]}, {"kv_heads", keys[1]}, {"queries", input[2]}, {"keys", keys[2]}};
  }
  if (node.type == "mask") {
    if (input.size() != 4) return {};
    return {
        {"batch", input[0]}, {"heads", input[1]}, {"kv_heads", input[1]}, {"queries", input[2]}, {"keys", input[3]}};
  }
  if (type.kind == OperatorClass::matmul) {
    const MatmulExtents extents = matmul_extents(graph, node);
    return {{"M", extents.m}, {"N", extents.n}, {"K", extents.k}};
  }
  const int64_t columns = input.empty() ? 1 : input.back();
  return {{"rows", rows_before(input)}, {"columns", columns}, {"n", elements_of(output)}};
}

}  // namespace

NodeLab lab_of_node(const OperatorGraph& graph, const GraphNode& node, DeviceKind device) {
  const OperatorType* type = find_operator(node.type);
  NodeLab found;
  if (type == nullptr || type->lab.empty()) return found;
  found.lab = find_lab(std::string(type->lab));
  if (found.lab == nullptr) return found;
  const std::map<std::string, int64_t> wanted = sizes_of_node(graph, node);
  for (const Size& size : found.lab->sizes) {
    const auto one = wanted.find(size.name);
    if (one == wanted.end()) continue;
    const int64_t most = device == DeviceKind::sim ? size.max_sim : size.max_gpu;
    int64_t value = std::clamp(one->second, size.min, most);
    value -= value % size.multiple_of;
    value = std::max(value, size.min);
    found.sizes[size.name] = value;
    if (value != one->second)
      found.changed.push_back(
          fmt::format("{} = {} ({})", size.name, with_separators(value), with_separators(one->second)));
  }
  if (node.type == "attention") {
    const Shape& input = graph.tensors[node.inputs.front()].shape;
    for (const Param& param : found.lab->params)
      if (param.name == "HEAD_DIM" && input.size() == 4) {
        const std::vector<int64_t> values = values_of(param);
        const auto nearest =
            std::ranges::min_element(values, {}, [&](int64_t value) { return std::abs(value - input.back()); });
        found.params[param.name] = *nearest;
        if (*nearest != input.back())
          found.changed.push_back(fmt::format("HEAD_DIM = {} ({})", *nearest, with_separators(input.back())));
      }
  }
  return found;
}

std::string flops_formula(const OperatorGraph& graph, const GraphNode& node) {
  const OperatorType* type = find_operator(node.type);
  if (type == nullptr || type->kind != OperatorClass::matmul || node.type == "attention") return {};
  const MatmulExtents extents = matmul_extents(graph, node);
  std::string text = "2";
  if (extents.batch > 1) text += " × " + with_separators(extents.batch);
  for (const int64_t extent : {extents.m, extents.n, extents.k}) text += " × " + with_separators(extent);
  return text;
}

}  // namespace tilescope
