// The operators that a graph may have: what shapes they take and give, what they compute and what they move.
//
//   FLOPs   an addition, a multiplication, a division and a comparison count one each, a fused multiply-add two, a
//           special function (exp, tanh, rsqrt) one. So a softmax over n elements has 5 n: maximum, subtract, exp, sum,
//           divide. The counts of each operator are in the table of operators.cpp.
//   bytes   every input read once and the output written once. A view moves nothing. A gather reads the rows that it
//           takes, not the table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.hpp"

namespace tilescope {

enum class OperatorClass {
  elementwise,  // element i of the output needs element i of each input; an input may be broadcast
  reduction,    // sums, maxima … along the last axis, which it removes
  row_wise,     // needs the whole of the last axis for each element: softmax, layernorm, rotary embedding
  matmul,       // inner products
  gather,       // rows chosen by indices
  copy,         // moves elements to other places: concat
  view          // a different shape of the same data: moves nothing
};
std::string_view name_of(OperatorClass kind);

struct OperatorType {
  std::string_view name = {};  // "gelu"
  std::string_view en = {}, zh = {};
  OperatorClass kind = OperatorClass::elementwise;
  size_t least_inputs = 1, most_inputs = 1;
  double flops_per_element = 0;  // of the first input, of the output if that is larger; matmuls: 0, see flops_of
  std::string_view lab = {};     // the lab that computes it; empty: none
};

/// All operators, by name.
std::span<const OperatorType> operator_types();
/// Null if there is none.
const OperatorType* find_operator(std::string_view name);

/// The shape in which two shapes meet when each extent is either equal or 1, aligned at the last axis; nothing if they
/// do not.
std::optional<Shape> broadcast_shape(const Shape& one, const Shape& other);

/// The extents of a matrix product: `batch` products of M × K by K × N.
struct MatmulExtents {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  int64_t batch_b = 1;  // different matrices B: fewer than `batch` if heads share their keys and values
};

/// The output's shape. `declared` is what the graph says of it, which only a view needs. The error names the node.
Result<Shape> infer_shape(const GraphNode& node, const std::vector<Shape>& inputs, const Shape& declared);
/// The graph of the node must have been checked.
MatmulExtents matmul_extents(const OperatorGraph& graph, const GraphNode& node);
double flops_of(const OperatorGraph& graph, const GraphNode& node);
/// Bytes of this input that the node reads: of an embedding's table the rows that are taken.
double bytes_read_of(const OperatorGraph& graph, const GraphNode& node, size_t input);
/// Bytes that the node reads and writes by itself. A tensor that it reads twice counts once.
double bytes_read(const OperatorGraph& graph, const GraphNode& node);
double bytes_written(const OperatorGraph& graph, const GraphNode& node);

}  // namespace tilescope
