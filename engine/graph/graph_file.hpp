// A graph in a file, as a program exports it (assets/python/export_graph.py does so from PyTorch):
//
//     {"format": 1, "name": "mlp",
//      "tensors": [{"name": "x", "shape": [8, 64], "type": "f16", "role": "input"},
//                  {"name": "w", "shape": [64, 256], "type": "f16", "role": "weight"},
//                  {"name": "h", "shape": [8, 256], "type": "f16"}],
//      "nodes":   [{"name": "up", "operator": "matmul", "inputs": ["x", "w"], "output": "h",
//                   "attributes": {"transpose_b": 0}, "module": "mlp"}]}
//
// The role of a tensor is input, weight or constant; one that a node writes has none. Attributes and module may be left
// out. Nodes may stand in any order.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "engine/graph/graph.hpp"

namespace tilescope {

constexpr size_t kMostNodes = 20000;

/// Sorted and checked. The error names the member, the node or the tensor.
Result<OperatorGraph> graph_from_json(std::string_view text);
/// A .json file, or a text in the form of graph_text.hpp for any other name.
Result<OperatorGraph> read_graph(const std::filesystem::path& file);
nlohmann::ordered_json graph_json(const OperatorGraph& graph);

}  // namespace tilescope
